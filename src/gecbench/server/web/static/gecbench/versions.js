// A second version of an answer, from another window or this browser.

import { afterComposition, isComposing } from "./composition.js";
import { byId, copyField, languageTag } from "./page.js";

/** Two versions of an answer: both are shown, both are kept, and the person says which goes on. */
export class Versions {
  constructor({ answer, autosave, onSwap }) {
    Object.assign(this, { answer, autosave, onSwap, other: null });
    byId("conflict-mine").addEventListener("click", () => this.resolveConflict(false));
    byId("gone-copy").addEventListener("click", () => {
      byId("gone-copied").hidden = !copyField(byId("gone-text"));
    });
  }

  clear() {
    this.other = null;
    for (const id of ["conflict", "other", "gone"]) byId(id).hidden = true;
  }

  /** Say that there is another version, one key away. */
  offer(other) {
    this.other = other;
    byId("other").hidden = false;
  }

  /** Exchange the version in the page with the other one. */
  swap() {
    if (!this.other || isComposing() || this.answer.isDisabled) return false;
    if (!byId("conflict").hidden) return this.resolveConflict(true);
    const mine = this.answer.read();
    this.answer.load(this.answer.source, this.other);
    this.offer(mine);
    this.answer.focus();
    this.onSwap();
  }

  /** Another window has saved something else: show both. */
  showConflict(theirs) {
    this.other = theirs;
    byId("conflict-theirs-text").textContent = this.answer.plainText(theirs);
    byId("conflict-theirs-text").lang = languageTag(this.answer.lang);
    byId("other").hidden = true;
    byId("conflict").hidden = false;
  }

  resolveConflict(takeTheirs) {
    if (this.answer.isDisabled) return false;
    byId("conflict").hidden = true;
    const theirs = this.other;
    const mine = this.answer.read();
    if (takeTheirs) this.answer.load(this.answer.source, theirs);
    this.offer(takeTheirs ? mine : theirs);
    this.answer.focus();
    this.autosave.resolveConflict();
  }

  /** The task is somebody else's now; the text stays and can be copied. */
  showGone(message) {
    afterComposition(() => {
      byId("gone-said").textContent = message || this.answer.messages.failed;
      byId("gone-text").value = this.answer.plainText();
      byId("gone").hidden = false;
      this.answer.disable(true);
      byId("gone-copy").focus();
    });
  }
}
