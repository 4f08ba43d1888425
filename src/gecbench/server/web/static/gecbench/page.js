// What several pages need: elements, texts, and the bar that takes the last act back.

export const byId = (id) => document.getElementById(id);
export const readJson = (id) => JSON.parse(byId(id).textContent);

export function createElement(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

/** A text as texts are compared; rules/text.py does it with more care. */
export const normalizeText = (text) => text.normalize("NFC").replace(/\s+/g, " ").trim();

export const languageTag = (lang) => (lang === "zh" ? "zh-Hans" : lang);

/** A text for a number of things, in the plural form that the page's language has for it. */
export function formatCount(forms, count) {
  const form = new Intl.PluralRules(document.documentElement.lang || "en").select(count);
  return (forms[form] ?? forms.other).replace("{count}", String(count));
}

/** A line that says what is wrong, or only warns. */
export const createProblem = (message, isBlocking = true) =>
  createElement("p", { className: isBlocking ? "problem" : "warning" }, message);

/** Let a form be sent once: a second press would do it twice. */
export function submitOnce(form) {
  let isBusy = false;
  form.addEventListener("submit", (event) => {
    if (isBusy) event.preventDefault();
    isBusy = true;
  });
  addEventListener("pageshow", () => (isBusy = false));
}

/** Copy the text of a field; works without a secure context, too. Return whether it was copied. */
export function copyField(field) {
  field.focus();
  field.select();
  return document.execCommand("copy");
}

/** The bar #undo that takes the last submission or decision back, for some seconds. */
export class UndoBar {
  /** `undo` takes it back; where it is not given, the bar is a form that does. */
  constructor(keys, undo = () => this.element.requestSubmit()) {
    Object.assign(this, { undo, element: byId("undo") });
    keys.on({ undo: () => this.press() });
    if (this.element?.dataset.seconds) this.show(Number(this.element.dataset.seconds));
  }

  show(seconds) {
    clearTimeout(this.timer);
    this.element.hidden = seconds <= 0;
    this.timer = setTimeout(() => this.hide(), seconds * 1000);
  }

  hide() {
    const hasFocus = this.element.contains(document.activeElement);
    this.element.hidden = true;
    if (hasFocus) document.querySelector("main").focus({ preventScroll: true });
  }

  /** Take it back; false where there is nothing to take back. */
  press() {
    if (!this.element || this.element.hidden) return false;
    this.undo();
  }
}
