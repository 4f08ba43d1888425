// Training and trial: a text is answered, and the answer comes with the next page.

import { isComposing } from "./composition.js";
import { byId, readJson } from "./page.js";
import { TextPage } from "./text-page.js";

class PracticePage extends TextPage {
  constructor() {
    const data = readJson("practice-data");
    super(data, byId("practice-form"), `draft/${data.draft}`);
    if (!this.form) return;
    this.begin(readJson("practice-words"), data.source);
    this.form.addEventListener("submit", (event) => {
      if (this.isBusy) event.preventDefault();
      this.isBusy = true;
    });
    addEventListener("pageshow", () => (this.isBusy = false));
  }

  submit(decision) {
    if (!isComposing()) this.form.requestSubmit(this.form.querySelector(`[value="${decision}"]`));
  }
}

new PracticePage();
