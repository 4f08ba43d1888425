// Two versions of one text: both are shown, both are kept, and the person says which goes on.

import { afterComposing, composing } from "./composing.js";

const at = (id) => document.getElementById(id);

/** Return a draft as a person reads it. */
export function plainText(payload, words) {
  if (payload.decision === "corrected") return (payload.texts ?? []).join("\n");
  return [words.decisions[payload.decision], ...(payload.texts ?? [])].join("\n");
}

export class Versions {
  constructor({ words, editor, autosave, onUsed }) {
    Object.assign(this, { words, editor, autosave, onUsed, other: null });
    at("conflict-mine").addEventListener("click", () => this.settle(false));
    at("conflict-theirs").addEventListener("click", () => this.settle(true));
    at("other-show").addEventListener("click", () => this.swap());
    at("gone-copy").addEventListener("click", () => this.copy());
  }

  clear() {
    this.other = null;
    for (const id of ["conflict", "other", "gone"]) at(id).hidden = true;
  }

  /** Say that there is another version, one key away. */
  offer(other) {
    this.other = other;
    at("other").hidden = false;
  }

  /** Exchange the version in the page with the other one. */
  swap() {
    if (!this.other || composing() || this.editor.disabled) return false;
    if (!at("conflict").hidden) return this.settle(true);
    const mine = this.editor.read();
    this.editor.load(this.editor.source, this.other);
    this.offer(mine);
    this.editor.focus();
    this.onUsed();
    return true;
  }

  /** Another tab has saved something else: show both. */
  conflict(theirs) {
    this.other = theirs;
    at("conflict-theirs-text").textContent = plainText(theirs, this.words);
    at("conflict-theirs-text").lang = this.editor.project.lang === "zh" ? "zh-Hans" : this.editor.project.lang;
    at("other").hidden = true;
    at("conflict").hidden = false;
  }

  settle(takeTheirs) {
    if (this.editor.disabled) return false;
    at("conflict").hidden = true;
    const theirs = this.other;
    const mine = this.editor.read();
    if (takeTheirs) this.editor.load(this.editor.source, theirs);
    this.offer(takeTheirs ? mine : theirs);
    this.editor.focus();
    this.autosave.goOn();
    return true;
  }

  /** The place is somebody else's now; the text is kept and can be copied. */
  gone(message = "") {
    afterComposing(() => this.say(message));
  }

  say(message) {
    at("gone-said").textContent = message || this.words.failed;
    at("gone-text").value = plainText(this.editor.read(), this.words);
    at("gone").hidden = false;
    this.editor.disable(true);
    at("gone-copy").focus();
  }

  copy() {
    const area = at("gone-text");
    area.focus();
    area.select();
    const done = document.execCommand("copy");
    at("gone-copied").hidden = !done;
  }
}
