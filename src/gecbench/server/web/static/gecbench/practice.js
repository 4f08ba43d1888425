// Training and trial: a box with its differences, the keys of self-study, and a text that stays.

import { alignRows } from "./align-rows.js";
import { isComposing } from "./composition.js";
import { DraftStore } from "./drafts.js";
import { GuidelineDrawer } from "./guideline-drawer.js";
import { Keys } from "./keys.js";
import { byId, normalizeText, readJson } from "./page.js";
import { TextBox, typeText } from "./textbox.js";

class PracticePage {
  constructor() {
    this.data = readJson("practice-data");
    this.keys = new Keys(this.data.keys);
    new GuidelineDrawer(this.keys);
    alignRows(document);
    this.store = new DraftStore(this.data.person);
    this.name = `draft/${this.data.draft}`;
    this.form = byId("practice-form");
    if (this.form) return this.begin();
    this.store.remove(this.name); // the task is answered
    document.querySelector("[data-next]")?.focus();
  }

  begin() {
    const { data, form } = this;
    this.messages = readJson("practice-words");
    this.message = form.querySelector("[data-told]");
    const area = form.querySelector("textarea");
    const draft = this.store.read(this.name)?.payload.text;
    if (draft && draft !== area.value) {
      area.value = draft;
      this.message.textContent = this.messages.kept;
    }
    this.box = new TextBox(area, {
      source: data.source,
      project: { lang: data.lang, placeholder: data.placeholder },
      words: this.messages.diff,
      place: form.querySelector("[data-box-diff]"),
      onChange: () => this.change(),
    });
    this.box.refresh();
    this.keys.on({
      submit: () => this.submit("corrected"),
      error_free: () => this.submit("error_free"),
      not_annotatable: () => this.submit("not_annotatable"),
      reset: () => this.box.replaceText(data.source),
      placeholder: () => isComposing() || typeText(area, data.placeholder),
    });
    form.addEventListener("submit", (event) => {
      if (this.isBusy) event.preventDefault();
      this.isBusy = true;
    });
    addEventListener("pageshow", () => (this.isBusy = false));
    area.focus({ preventScroll: true });
  }

  change() {
    this.store.write(this.name, { rev: 0, payload: { text: this.box.text }, unsaved: true });
    const isUnchanged = normalizeText(this.box.text) === normalizeText(this.data.source);
    this.message.textContent = isUnchanged ? this.messages.source : "";
  }

  submit(decision) {
    if (!isComposing()) this.form.requestSubmit(this.form.querySelector(`[value="${decision}"]`));
  }
}

new PracticePage();
