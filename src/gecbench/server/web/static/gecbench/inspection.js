// The judge's pages: keys for each criterion, what is chosen stays in this browser, and the undo bar.

import { DraftStore } from "./drafts.js";
import { GuidelineDrawer } from "./guideline-drawer.js";
import { Keys } from "./keys.js";
import { UndoBar, byId, readJson, submitOnce } from "./page.js";

class RatingForm {
  constructor(form, { item }, store) {
    Object.assign(this, { form, store, name: `draft/inspection/${item}`, status: form.querySelector("[data-saved]") });
    this.radios = [...form.querySelectorAll("[data-criterion]")];
    this.note = byId("note");
    this.restore(store.read(this.name)?.payload);
    form.addEventListener("change", (event) => this.change(event));
    this.note.addEventListener("input", () => this.keep());
    submitOnce(form);
  }

  get open() {
    return this.radios.filter(({ name }) => !this.form.querySelector(`[name="${name}"]:checked`));
  }

  restore(payload) {
    if (!payload) return;
    for (const radio of this.radios) radio.checked = payload.answers[radio.name] === radio.value;
    this.note.value = payload.note;
    this.show();
  }

  choose(number, value) {
    const radio = this.radios.find((one) => one.dataset.criterion === String(number) && one.value === value);
    if (!radio) return false;
    radio.checked = true;
    radio.focus();
    radio.dispatchEvent(new Event("change", { bubbles: true }));
  }

  change(event) {
    this.keep();
    if (event.target !== this.note && !this.open.length) byId("next").focus();
  }

  keep() {
    const chosen = this.radios.filter((radio) => radio.checked);
    const answers = Object.fromEntries(chosen.map(({ name, value }) => [name, value]));
    const payload = { answers, note: this.note.value };
    if (this.store.write(this.name, { rev: 0, payload, unsaved: true })) this.show();
  }

  show() {
    this.status.textContent = readJson("inspection-words").kept;
  }
}

const data = readJson("inspection-data");
const keys = new Keys(data.keys);
new GuidelineDrawer(keys);
const store = new DraftStore(data.person);
if (data.done) store.remove(`draft/inspection/${data.done}`);
new UndoBar(keys);

if (byId("rating-form")) {
  const form = new RatingForm(byId("rating-form"), data, store);
  keys.onNumbers("accept", (number) => form.choose(number, "yes"), 4);
  keys.onNumbers("reject", (number) => form.choose(number, "no"), 4);
  keys.on({ submit: () => form.form.requestSubmit(), note: () => form.note.focus() });
}
