// One box: a text that rewrites the sentence, its live diff, its hints and its problems.
//
// The text is in a plain textarea: input methods, undo, and screen readers work as they do
// everywhere. While it has focus or an input method composes, nothing replaces its value: what a
// button does is typed for the person (execCommand), so that Ctrl+Z takes it back.

import { whenWritten } from "./composing.js";
import { LONG, diff } from "./diff.js";
import { drawDiff } from "./draw-diff.js";
import { findHints, formatHint } from "./hints.js";

const MOST_HINTS = 4;
const GROWS = globalThis.CSS?.supports?.("field-sizing", "content") ?? false;

/** Type a text over a span of a textarea, as if by hand; nothing where nobody may type now. */
export function type(area, text, [start, end] = [area.selectionStart, area.selectionEnd]) {
  if (area.readOnly) return;
  area.focus({ preventScroll: true });
  area.setSelectionRange(start, end);
  const done = text ? document.execCommand("insertText", false, text) : document.execCommand("delete");
  if (!done) {
    area.setRangeText(text, start, end, "end");
    area.dispatchEvent(new InputEvent("input", { bubbles: true }));
  }
}

/** Long texts are compared off the page's thread. */
class LongDiff {
  ask(source, target, options, answer) {
    this.worker ??= new Worker(new URL("./diff-worker.js", import.meta.url), { type: "module" });
    this.number = (this.number ?? 0) + 1;
    const id = this.number;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.worker.onmessage = ({ data }) => data.id === this.number && answer(data);
      this.worker.postMessage({ id, source, target, options });
    }, 150);
  }

  /** The text is short again: no answer about the long one is wanted any more. */
  forget() {
    clearTimeout(this.timer);
    this.number = (this.number ?? 0) + 1;
  }
}

export class Box {
  /** `project` is {lang, placeholder, aliases}; `words` the page's; `changed` is told of input. */
  constructor({ source, text, project, words, changed }) {
    Object.assign(this, { source, project, words, changed, long: new LongDiff() });
    this.element = document.getElementById("box").content.firstElementChild.cloneNode(true);
    this.area = this.part("text");
    this.area.value = text;
    this.area.lang = project.lang === "zh" ? "zh-Hans" : project.lang;
    this.part("diff").lang = this.area.lang;
    whenWritten(this.area, () => this.written());
    this.area.addEventListener("beforeinput", (event) => {
      // A sentence is one line. Keys stay untouched: an input method may need them.
      if (/^insert(?:LineBreak|Paragraph)$/.test(event.inputType)) event.preventDefault();
    });
  }

  part(name) {
    return this.element.querySelector(`[data-part="${name}"]`);
  }

  get text() {
    return this.area.value;
  }

  /** Say which number it has, and whether it may be removed. */
  number(index, { last, first }) {
    const name = this.words.box.replace("{number}", String(index + 1));
    this.part("title").textContent = name;
    this.area.id = `reference-${index}`;
    this.area.setAttribute("aria-label", name);
    this.element.querySelector("[data-act=remove]").hidden = last;
    this.element.querySelector("[data-act=copy]").hidden = first;
  }

  written() {
    this.refresh();
    this.problems([]);
    this.changed();
  }

  /** Draw what depends on the text. */
  refresh() {
    this.grow();
    const { lang, placeholder, aliases } = this.project;
    const options = { lang, placeholder };
    const shown = ({ pieces, edits }) => {
      drawDiff(this.part("diff"), pieces, this.words.diff, placeholder);
      this.part("count").textContent = this.counted(edits, this.text === this.source);
    };
    if (Math.max(this.text.length, this.source.length) > LONG) this.long.ask(this.source, this.text, options, shown);
    else {
      this.long.forget();
      shown(diff(this.source, this.text, options));
    }
    this.hint(findHints(this.source, this.text, { lang, placeholder, aliases }));
  }

  counted(edits, unchanged) {
    if (unchanged) return this.words.unchanged;
    const form = new Intl.PluralRules(document.documentElement.lang || "en").select(edits);
    return (this.words.edits[form] ?? this.words.edits.other).replace("{count}", String(edits));
  }

  hint(found) {
    this.found = found;
    const items = found.slice(0, MOST_HINTS).map((one) => {
      const item = document.createElement("li");
      item.append(formatHint(one, this.words.hints));
      Object.assign(item.dataset, { code: one.code, text: one.text });
      if (one.repair !== null && one.code !== "lost_word") {
        const button = document.createElement("button");
        button.type = "button";
        button.className = "quiet small";
        button.textContent = this.words.repair;
        button.addEventListener("click", () => type(this.area, one.repair, [one.start, one.end]));
        item.append(" ", button);
      }
      return item;
    });
    this.part("hints").replaceChildren(...items);
  }

  /**
   * Show what is wrong with it: {message, hint, text} of the server. What a hint says already is
   * said once: the hint, with its repair, becomes the problem.
   */
  problems(found) {
    this.hint(this.found ?? []);
    const list = this.part("problems");
    const shown = found.map(({ message, hint, text }) => {
      const told = [...this.part("hints").children].find(({ dataset }) => dataset.code === hint && dataset.text === text);
      const problem = Object.assign(document.createElement("p"), { className: "problem" });
      problem.append(...(told?.childNodes ?? [message]));
      told?.remove();
      return problem;
    });
    list.replaceChildren(...shown);
    this.area.setAttribute("aria-invalid", found.length ? "true" : "false");
  }

  grow() {
    if (GROWS) return;
    this.area.style.height = "0";
    this.area.style.height = `${this.area.scrollHeight + 2}px`;
  }

  reset() {
    if (this.text !== this.source) type(this.area, this.source, [0, this.text.length]);
  }

  fill(text) {
    if (this.text !== text) type(this.area, text, [0, this.text.length]);
  }

  placeholder() {
    type(this.area, this.project.placeholder);
  }

  focus({ start = false } = {}) {
    this.area.focus({ preventScroll: !start });
    if (start) this.area.setSelectionRange(0, 0);
  }

  disable(disabled) {
    this.area.readOnly = disabled;
    for (const button of this.element.querySelectorAll("button")) button.disabled = disabled;
  }
}
