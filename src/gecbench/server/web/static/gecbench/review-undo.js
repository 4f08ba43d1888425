// The bar that takes the last decision back, for a few seconds.

import { Keys } from "./keys.js";

const bar = document.getElementById("undo");
const keys = document.getElementById("undo-keys"); // of a page without a review

if (bar) setTimeout(hide, Number(bar.dataset.seconds) * 1000);
if (keys) new Keys(JSON.parse(keys.textContent)).on("undo", undo).show();

function hide() {
  const inside = bar.contains(document.activeElement);
  bar.hidden = true;
  if (inside) document.querySelector("main").focus({ preventScroll: true });
}

/** Take it back; return false where there is nothing to take back. */
export function undo() {
  if (!bar || bar.hidden) return false;
  bar.requestSubmit();
  return true;
}
