// Whether an input method is composing (specification, section 4.7).
//
// Between compositionstart and compositionend, by an own flag; or where the event says so; or by
// key code 229, which some browsers send for the key that ends a composition, after its end.

let composes = false;

addEventListener("compositionstart", () => (composes = true), true);
addEventListener(
  "compositionend",
  // Not at once: Safari sends the key that ended the composition after this event.
  () => setTimeout(() => (composes = false), 0),
  true,
);
addEventListener("focusout", () => (composes = false), true);

/** Do something now, or, so that no half-written word is disturbed, when the composition ends. */
export function afterComposing(act) {
  if (!composes) return act();
  addEventListener("compositionend", () => setTimeout(act, 0), { once: true, capture: true });
}

/** Do something whenever somebody has written into a field; never in mid-composition. */
export function whenWritten(field, act) {
  field.addEventListener("input", () => composing() || act());
  field.addEventListener("compositionend", () => setTimeout(act, 0));
}

/** Return whether a key belongs to the input method; without an event, whether one composes. */
export function composing(event = null) {
  return composes || Boolean(event?.isComposing) || event?.keyCode === 229;
}
