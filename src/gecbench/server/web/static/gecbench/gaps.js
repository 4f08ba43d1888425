// The editor of a perturbation: gaps that flow as text, between errors that nobody can change.
//
// Each gap is a field by itself, so that no key, input method, paste or undo reaches an error; input
// methods, undo and screen readers work in it as everywhere.

import { isComposing, onWritten } from "./composition.js";
import { LONG, diff } from "./diff.js";
import { drawDiff } from "./draw-diff.js";
import { byId, createElement, formatCount, languageTag } from "./page.js";
import { joinGaps, measureChange } from "./perturbation.js";

const PAUSE = 150;
const STEPS = { ArrowLeft: -1, ArrowRight: 1 };

const oneLine = (text) => text.replace(/\s*[\r\n]+\s*/g, " ");

/** Where the caret stands in a field; null where something is selected. */
function caretIn(field) {
  const selection = getSelection();
  if (!selection.isCollapsed || !field.contains(selection.anchorNode)) return null;
  const before = document.createRange();
  before.selectNodeContents(field);
  before.setEnd(selection.anchorNode, selection.anchorOffset);
  return before.toString().length;
}

function setCaret(field, place) {
  field.focus({ preventScroll: true });
  getSelection().selectAllChildren(field);
  getSelection()[place ? "collapseToEnd" : "collapseToStart"]();
  const texts = document.createTreeWalker(field, NodeFilter.SHOW_TEXT);
  for (let rest = place; texts.nextNode(); rest -= texts.currentNode.length) {
    if (rest <= texts.currentNode.length) return getSelection().collapse(texts.currentNode, rest);
  }
}

/** One gap: the text between two errors, or beside one. */
class Gap {
  constructor({ text, name, lang, onChange }) {
    this.field = createElement("span", { className: "gap", lang: languageTag(lang), spellcheck: false });
    Object.entries({ role: "textbox", "aria-label": name, autocapitalize: "off" }).forEach((pair) =>
      this.field.setAttribute(...pair),
    );
    this.field.textContent = text;
    this.disable(false);
    onWritten(this.field, () => {
      this.refresh();
      onChange();
    });
    this.field.addEventListener("beforeinput", (event) => {
      // A sentence is one line of plain text. Keys stay untouched: an input method may need them.
      if (/^insert(?:LineBreak|Paragraph)$|^format/.test(event.inputType)) event.preventDefault();
    });
    this.field.addEventListener("paste", (event) => {
      event.preventDefault();
      document.execCommand("insertText", false, oneLine(event.clipboardData.getData("text/plain")));
    });
    this.refresh();
  }

  get text() {
    return oneLine(this.field.textContent);
  }

  refresh() {
    this.field.toggleAttribute("data-empty", !this.field.textContent);
  }

  /** Type another text over the gap, so that Ctrl+Z takes it back. */
  replaceText(text) {
    if (this.text === text) return;
    this.field.focus({ preventScroll: true });
    getSelection().selectAllChildren(this.field);
    if (text) document.execCommand("insertText", false, text);
    else document.execCommand("delete");
  }

  disable(isDisabled) {
    try {
      this.field.contentEditable = isDisabled ? "false" : "plaintext-only";
    } catch {
      this.field.contentEditable = "true"; // an older browser; what it would format is refused
    }
    this.field.tabIndex = 0;
    this.field.setAttribute("aria-readonly", String(isDisabled));
  }
}

/** An error: what is wrong, and above it what is right; a caret where something is missing. */
function createChip({ source, target, type }, number, messages) {
  const kind = source ? (target ? "replace" : "delete") : "insert";
  const chip = createElement("ruby", { className: `chip chip-${kind}`, title: type });
  const words = { number, source, target }; // put in at once: a text may look like a mark of a template
  const said = messages.chips[kind].replace(/\{(\w+)\}/g, (_, name) => words[name]);
  chip.append(
    createElement("span", { className: "hidden-text" }, said),
    createElement("span", { className: "chip-source", ariaHidden: "true" }, source || "▾"),
    createElement("rt", { ariaHidden: "true" }, target || messages.chips.nothing),
  );
  chip.dataset.error = String(number);
  return chip;
}

/** A variant as somebody writes it: its gaps, its errors, and what it makes of the sentence. */
export class Gaps {
  /** `place` holds the editor and [data-part] diff, count, target, limits; `project` has lang, edits, share. */
  constructor({ place, project, messages, onChange }) {
    Object.assign(this, { place, project, messages, onChange, gaps: [], removed: [], current: 0, isDisabled: false });
    this.line = place.querySelector("[data-part=gaps]");
    this.line.addEventListener("focusin", ({ target }) => (this.current = this.indexOf(target)));
    this.line.addEventListener("keydown", (event) => this.press(event));
    this.line.addEventListener("click", ({ target }) => target.closest(".gap") || this.focusBeside(target));
  }

  get lang() {
    return this.project.lang;
  }

  part(name) {
    return this.place.querySelector(`[data-part="${name}"]`);
  }

  /** Begin with a sentence {gaps, chips, source} and, where there is one, a draft. */
  load(source, draft) {
    const texts = draft?.texts?.length === source.gaps.length ? draft.texts : source.gaps;
    Object.assign(this, { source, current: 0, caret: null });
    const { chips } = source;
    this.gaps = texts.map((text, index) => {
      const name = this.messages.gap.replace("{number}", index + 1).replace("{count}", texts.length);
      return new Gap({ text, name, lang: this.lang, onChange: () => this.change() });
    });
    const chipElements = chips.map((chip, index) => createChip(chip, index + 1, this.messages));
    for (const chip of chipElements) chip.lang = languageTag(this.lang);
    this.line.replaceChildren(
      ...this.gaps.flatMap(({ field }, index) => (index ? [chipElements[index - 1], field] : [field])),
    );
    this.disable(this.isDisabled);
    this.refresh();
  }

  get texts() {
    return this.gaps.map(({ text }) => text);
  }

  join(side, gaps = this.texts) {
    return joinGaps(gaps, this.source.chips, side, this.lang);
  }

  /** A draft as a person reads it. */
  plainText({ texts } = this) {
    return texts.length === this.source.gaps.length ? this.join("source", texts) : texts.join(" … ");
  }

  change() {
    this.showMoved([]);
    this.refresh();
    this.onChange();
  }

  /** Draw what depends on the gaps; for a very long sentence after a pause. */
  refresh() {
    clearTimeout(this.timer);
    if (this.join("source").length < LONG) this.draw();
    else this.timer = setTimeout(() => this.draw(), PAUSE);
  }

  draw() {
    const { lang, messages, project } = this;
    const [original, variant] = [this.join("source", this.source.gaps), this.join("source")];
    drawDiff(this.part("diff"), diff(original, variant, { lang, placeholder: "" }).pieces, messages.diff, "");
    this.part("target").textContent = this.join("target");
    const { edits, changed, tokens } = measureChange(original, variant, lang);
    const percent = tokens ? Math.round((100 * changed) / tokens) : 0; // what is shown is compared, as on the server
    const count = formatCount(messages.changes, edits).replace("{percent}", percent);
    this.part("count").textContent = edits ? count : messages.unchanged;
    const isTooMuch = edits > project.edits || percent > project.share;
    this.part("limits").hidden = !isTooMuch;
    this.part("limits").textContent = isTooMuch
      ? messages.limits.replace("{edits}", project.edits).replace("{share}", project.share)
      : "";
  }

  /** Mark the errors, by their numbers from 1, that a change has moved. */
  showMoved(numbers) {
    for (const chip of this.line.querySelectorAll(".chip")) {
      chip.toggleAttribute("data-moved", numbers.includes(Number(chip.dataset.error)));
    }
  }

  // --- moving between the gaps -----------------------------------------------------------------------

  indexOf(element) {
    const index = this.gaps.findIndex(({ field }) => field.contains(element));
    return index < 0 ? this.current : index;
  }

  goTo(index, { atEnd = false } = {}) {
    const gap = this.gaps[index];
    if (!gap) return false;
    this.current = index;
    setCaret(gap.field, atEnd ? gap.field.textContent.length : 0);
    gap.field.scrollIntoView({ block: "nearest" });
  }

  /** The arrows go on over an error, from the end of a gap to the next one. */
  press(event) {
    const step = STEPS[event.key];
    const isPlain = !event.shiftKey && !event.ctrlKey && !event.altKey && !event.metaKey;
    if (!step || !isPlain || isComposing(event)) return;
    const { field } = this.gaps[this.indexOf(event.target)];
    const edge = step > 0 ? field.textContent.length : 0;
    if (caretIn(field) !== edge || this.goTo(this.indexOf(field) + step, { atEnd: step < 0 }) === false) return;
    event.preventDefault();
  }

  /** Who clicks or touches an error writes behind it; who clicks beside the text, at its end. */
  focusBeside(element) {
    const chip = element.closest(".chip");
    if (chip) this.goTo(Number(chip.dataset.error));
    else this.goTo(this.gaps.length - 1, { atEnd: true });
  }

  focus() {
    this.goTo(0);
  }

  /** Type gaps over those that are there. */
  replaceTexts(texts) {
    if (this.isDisabled) return;
    const { current } = this;
    texts.forEach((text, index) => this.gaps[index].replaceText(text));
    this.goTo(current);
  }

  /** Let nobody write for a while; the caret comes back to where it was. */
  disable(isDisabled) {
    const field = this.gaps[this.current]?.field;
    if (isDisabled && !this.isDisabled && field) {
      this.caret = field === document.activeElement ? caretIn(field) : null;
    }
    this.isDisabled = isDisabled;
    for (const gap of this.gaps) gap.disable(isDisabled);
    for (const button of this.place.querySelectorAll("button")) button.disabled = isDisabled;
    if (isDisabled || this.caret === null) return;
    setCaret(field, this.caret);
    this.caret = null;
  }
}
