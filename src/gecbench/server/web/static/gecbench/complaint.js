// The page of a complaint: texts aligned, and the difference under the box of a changed text.

import { alignRows } from "./align-rows.js";
import { byId, readJson } from "./page.js";
import { TextBox } from "./textbox.js";

alignRows(document);
if (byId("ruling-text")) {
  const { source, ...project } = readJson("problem-data");
  const place = document.querySelector("#ruling-form [data-box-diff]");
  const box = new TextBox(byId("ruling-text"), { source, project, words: readJson("problem-words").diff, place });
  box.refresh();
  // A box that was hidden has no height yet.
  document.querySelector(".outcomes").addEventListener("change", () => box.refresh());
}
