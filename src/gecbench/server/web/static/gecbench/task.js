// One of my submissions: each answer drawn against its sentence, and keys to go on.

import { diff } from "./diff.js";
import { drawDiff } from "./draw-diff.js";
import { Keys } from "./keys.js";

const read = (id) => JSON.parse(document.getElementById(id).textContent);
const page = read("page");
const { diff: words } = read("words");
const { lang, placeholder } = page.project;

for (const element of document.querySelectorAll("[data-diff-with]")) {
  const { pieces } = diff(element.dataset.diffWith, element.textContent, { lang, placeholder });
  drawDiff(element, pieces, words, placeholder);
}

const keys = new Keys(page.keys);
const go = (rel) => () => {
  const link = document.querySelector(`a[rel=${rel}]`);
  if (!link) return false;
  location.assign(link.href);
  return true;
};
keys.on("previous", go("prev")).on("next", go("next"));
keys.show();
