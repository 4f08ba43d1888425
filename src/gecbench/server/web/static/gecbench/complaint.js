// The page of a complaint: texts aligned, and the difference under the box of a changed text.

import { alignRows } from "./align-rows.js";
import { byId, readJson } from "./page.js";
import { TextBox } from "./textbox.js";

alignRows(document);
if (byId("ruling-text")) {
  const box = TextBox.in(byId("ruling-text").parentElement, readJson("problem-data"), readJson("problem-words").diff);
  // A box that was hidden has no height yet.
  document.querySelector(".outcomes").addEventListener("change", () => box.refresh());
}
