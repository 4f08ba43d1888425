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

/** Return whether a key belongs to the input method; without an event, whether one composes. */
export function composing(event = null) {
  return composes || Boolean(event?.isComposing) || event?.keyCode === 229;
}
