// Small helps for forms; all of them work without this, too.

import { isComposing } from "./composition.js";
import { chordOf } from "./keys.js";
import { copyField } from "./page.js";

// A checkbox that checks all of a name.
for (const box of document.querySelectorAll("[data-every]")) {
  box.addEventListener("change", () => {
    for (const other of document.querySelectorAll(`input[name="${box.dataset.every}"]`)) other.checked = box.checked;
  });
}

// A button that copies the text beside it.
for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", () => {
    const isCopied = copyField(button.parentElement.querySelector("textarea, input"));
    if (isCopied && button.dataset.done) button.textContent = button.dataset.done;
  });
}

// An import or a release takes a while: a second press would do it twice.
document.addEventListener("submit", ({ submitter }) => {
  if (!submitter?.matches("[data-once]")) return;
  const disable = (isDisabled) => Object.assign(submitter, { disabled: isDisabled });
  setTimeout(() => disable(true));
  addEventListener("pageshow", () => disable(false), { once: true });
});

// A form with a long text is not left without a question, as where somebody was signed out meanwhile.
for (const form of document.querySelectorAll("form[data-ask]")) {
  let isSent = false;
  form.addEventListener("submit", () => (isSent = true));
  addEventListener("beforeunload", (event) => {
    const isChanged = [...form.elements].some(({ value, defaultValue = value }) => value !== defaultValue);
    if (isChanged && !isSent) event.preventDefault();
  });
}

// A field for a key takes what is pressed in it, not what that would type.
for (const field of document.querySelectorAll("input[data-chord]")) {
  field.addEventListener("focus", () => field.select());
  field.addEventListener("keydown", (event) => {
    const { key, ctrlKey, altKey, metaKey } = event;
    const isAlone = !ctrlKey && !altKey && !metaKey;
    const leaves = key === "Tab" || (isAlone && ["Enter", "Escape"].includes(key));
    if (isComposing(event) || leaves || (ctrlKey && key.toLowerCase() === "z")) return;
    event.preventDefault();
    if (!["Control", "Alt", "Shift", "Meta"].includes(key)) field.value = chordOf(event);
  });
}
