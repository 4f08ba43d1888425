// A field for a key takes what is pressed in it, not what that would type.

import { composing } from "./composing.js";
import { chord } from "./keys.js";

for (const field of document.querySelectorAll("input[data-chord]")) {
  field.addEventListener("focus", () => field.select());
  field.addEventListener("keydown", (event) => {
    const alone = !event.ctrlKey && !event.altKey && !event.metaKey;
    const moves = event.key === "Tab" || (alone && (event.key === "Enter" || event.key === "Escape"));
    if (composing(event) || moves || event.ctrlKey && event.key.toLowerCase() === "z") return;
    const held = ["Control", "Alt", "Shift", "Meta"].includes(event.key);
    event.preventDefault();
    if (!held) field.value = chord(event);
  });
}
