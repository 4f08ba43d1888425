// Whether an input method is composing, as for Chinese (specification, section 4.7): then no key
// acts, nothing is saved, drawn or replaced.

let composing = false;

addEventListener("compositionstart", () => (composing = true), true);
// Not at once: Safari sends the key that ended the composition after this event.
addEventListener("compositionend", () => setTimeout(() => (composing = false)), true);
addEventListener("focusout", () => (composing = false), true);

/** Whether a key belongs to the input method; without an event, whether one is composing. */
export function isComposing(event) {
  // Some browsers send key code 229 for the key that ends a composition, after its end.
  return composing || Boolean(event?.isComposing) || event?.keyCode === 229;
}

/** Act now, or when the composition ends. */
export function afterComposition(act) {
  if (!composing) return act();
  addEventListener("compositionend", () => setTimeout(act), { once: true, capture: true });
}

/** Act whenever somebody has written into a field, never within a composition. */
export function onWritten(field, act) {
  field.addEventListener("input", () => isComposing() || act());
  field.addEventListener("compositionend", () => setTimeout(act));
}
