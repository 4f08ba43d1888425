// Training and trial: a text is answered, and the answer comes with the next page.

import { isComposing } from "./composition.js";
import { byId, readJson, submitOnce } from "./page.js";
import { TextPage } from "./text-page.js";

class PracticePage extends TextPage {
  constructor() {
    const data = readJson("practice-data");
    super(data, byId("practice-form"), `draft/${data.draft}`);
    if (!this.form) return;
    this.begin(readJson("practice-words"), data.source);
    submitOnce(this.form);
  }

  submit(decision) {
    if (!isComposing()) this.form.requestSubmit(this.form.querySelector(`[value="${decision}"]`));
  }
}

new PracticePage();
