// The page of a complaint: texts aligned, and the difference under the box of a changed text.

import { alignRows } from "./aligning.js";
import { TextBox } from "./textbox.js";

const read = (id) => JSON.parse(document.getElementById(id).textContent);
const { source, lang, placeholder } = read("problem-data");
const area = document.getElementById("ruling-text");

alignRows(document);
if (area) {
  const shown = document.querySelector("#ruling-form [data-box-diff]");
  const box = new TextBox(area, { source, options: { lang, placeholder }, words: read("problem-words").diff, shown });
  // A box that was hidden has no height yet.
  document.querySelector(".outcomes").addEventListener("change", () => box.refresh());
}
