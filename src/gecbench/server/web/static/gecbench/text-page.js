// A page with one text to correct, which stays in this browser until it is handed in: what self-study,
// training and trials share. A page says how a decision is sent (submit).

import { alignRows } from "./align-rows.js";
import { isComposing } from "./composition.js";
import { DraftStore } from "./drafts.js";
import { GuidelineDrawer } from "./guideline-drawer.js";
import { Keys } from "./keys.js";
import { normalizeText } from "./page.js";
import { TextBox, typeText } from "./textbox.js";

export class TextPage {
  /** `form` is null where everything is answered; `name` is that of the draft. */
  constructor(data, form, name) {
    Object.assign(this, { data, form, name, store: new DraftStore(data.person), keys: new Keys(data.keys) });
    new GuidelineDrawer(this.keys);
    alignRows(document);
    if (form) return;
    this.store.remove(name);
    document.querySelector("[data-next]")?.focus();
  }

  /** Show the box with the text that was kept; `original` is what it can be put back to. */
  begin(messages, original) {
    Object.assign(this, { messages, message: this.form.querySelector("[data-told]") });
    const area = this.form.querySelector("textarea");
    const draft = this.store.read(this.name)?.payload.text;
    if (draft && draft !== area.value) {
      area.value = draft;
      this.say(messages.kept);
    }
    this.box = TextBox.in(this.form, this.data, messages.diff, () => this.change());
    this.keys.on({
      submit: () => this.submit("corrected"),
      error_free: () => this.submit("error_free"),
      not_annotatable: () => this.submit("not_annotatable"),
      reset: () => this.box.replaceText(original),
      placeholder: () => isComposing() || typeText(area, this.data.placeholder),
    });
    area.focus({ preventScroll: true });
  }

  change() {
    this.store.write(this.name, { rev: 0, payload: { text: this.box.text }, unsaved: true });
    const isUnchanged = normalizeText(this.box.text) === normalizeText(this.data.source);
    this.say(isUnchanged ? this.messages.source : "");
  }

  say(message) {
    if (this.message.textContent !== message) this.message.textContent = message;
  }
}
