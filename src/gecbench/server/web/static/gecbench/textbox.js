// A box for one text, with its difference from the sentence below it.
//
// The text is in a plain textarea: input methods, undo and screen readers work as everywhere. While
// an input method composes nothing is drawn, and nothing but the person changes the text; what a
// button does is typed for the person, so that Ctrl+Z takes it back.

import { onWritten } from "./composition.js";
import { LONG, diff } from "./diff.js";
import { drawDiff } from "./draw-diff.js";

const GROWS = CSS.supports("field-sizing", "content");

/** Type a text over the selection or a span of a textarea, as if by hand; not where it is read-only. */
export function typeText(area, text, [start, end] = [area.selectionStart, area.selectionEnd]) {
  if (area.readOnly) return;
  area.focus({ preventScroll: true });
  area.setSelectionRange(start, end);
  if (text ? document.execCommand("insertText", false, text) : document.execCommand("delete")) return;
  area.setRangeText(text, start, end, "end");
  area.dispatchEvent(new InputEvent("input", { bubbles: true }));
}

export class TextBox {
  /** The box of an element that holds a textarea and, in [data-box-diff], the place of its difference. */
  static in(element, { source, lang, placeholder }, words, onChange) {
    const [area, place] = ["textarea", "[data-box-diff]"].map((part) => element.querySelector(part));
    const box = new TextBox(area, { source, project: { lang, placeholder }, words, place, onChange });
    box.refresh();
    return box;
  }

  /** `project` has lang and placeholder, `words` are those of `drawDiff`. */
  constructor(area, { source, project, words, place, onChange = () => {} }) {
    Object.assign(this, { area, source, project, words, place, comparisons: 0 });
    onWritten(area, () => {
      this.refresh();
      onChange();
    });
    area.addEventListener("beforeinput", (event) => {
      // A sentence is one line. Keys stay untouched: an input method may need them.
      if (/^insert(?:LineBreak|Paragraph)$/.test(event.inputType)) event.preventDefault();
    });
  }

  get text() {
    return this.area.value;
  }

  /** Type another text over the whole box. */
  replaceText(text) {
    if (this.text !== text) typeText(this.area, text, [0, this.text.length]);
  }

  /** Draw what depends on the text, and give the box the height of its text. */
  refresh() {
    if (!GROWS) {
      this.area.style.height = "0";
      this.area.style.height = `${this.area.scrollHeight + 2}px`;
    }
    clearTimeout(this.timer);
    this.comparisons += 1;
    const { source, text, comparisons: id } = this;
    const { lang, placeholder } = this.project;
    const options = { lang, placeholder };
    if (Math.max(source.length, text.length) <= LONG) return this.showDiff(diff(source, text, options));
    this.worker ??= new Worker(new URL("./diff-worker.js", import.meta.url), { type: "module" });
    this.worker.onmessage = ({ data }) => data.id === this.comparisons && this.showDiff(data);
    this.timer = setTimeout(() => this.worker.postMessage({ id, source, target: text, options }), 150);
  }

  showDiff({ pieces }) {
    drawDiff(this.place, this.text ? pieces : [], this.words, this.project.placeholder);
  }
}
