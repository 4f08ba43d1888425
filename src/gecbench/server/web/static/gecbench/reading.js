// Pages that are only read: keys to other pages, the undo bar, and answers marked against their sentence.

import { diff } from "./diff.js";
import { drawDiff } from "./draw-diff.js";
import { Keys } from "./keys.js";
import { UndoBar, byId, readJson } from "./page.js";

const page = byId("page") ? readJson("page") : { keys: readJson("undo-keys") };
new UndoBar(new Keys(page.keys));

for (const element of document.querySelectorAll("[data-diff-with]")) {
  const { pieces } = diff(element.dataset.diffWith, element.textContent, page.project);
  drawDiff(element, pieces, readJson("words").diff, page.project.placeholder);
}
