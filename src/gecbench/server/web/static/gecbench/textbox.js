// A plain box for one text, with its difference from a source below it: on the review, study and
// problems screens. While an input method composes nothing is drawn, and nothing but the person
// changes the text (see box.js).

import { whenWritten } from "./composing.js";
import { diff } from "./diff.js";
import { drawDiff } from "./draw-diff.js";

const GROWS = globalThis.CSS?.supports?.("field-sizing", "content") ?? false;

/** Return a text as texts are compared (rules/text.py does it with more care). */
export const plain = (text) => text.normalize("NFC").replace(/\s+/g, " ").trim();

export class TextBox {
  /** `options` is {lang, placeholder}; `shown` is where the difference goes, or null. */
  constructor(area, { source, options, words, shown = null, changed = () => {} }) {
    Object.assign(this, { area, source, options, words, shown, changed });
    whenWritten(area, () => this.written());
    area.addEventListener("beforeinput", (event) => {
      if (/^insert(?:LineBreak|Paragraph)$/.test(event.inputType)) event.preventDefault();
    });
    this.refresh();
  }

  get text() {
    return this.area.value;
  }

  written() {
    this.refresh();
    this.changed();
  }

  /** Draw the difference, and give the box the height of its text. */
  refresh() {
    if (!GROWS) {
      this.area.style.height = "0";
      this.area.style.height = `${this.area.scrollHeight + 2}px`;
    }
    if (!this.shown) return;
    const { pieces } = diff(this.source, this.text, this.options);
    if (this.text) drawDiff(this.shown, pieces, this.words, this.options.placeholder);
    else this.shown.replaceChildren();
  }
}
