// The bar that takes the last submission back, for a few seconds.

const at = (id) => document.getElementById(id);

export class UndoBar {
  constructor({ wire, words, before, onTask, onProblem }) {
    Object.assign(this, { wire, words, before, onTask, onProblem, last: null });
    this.element = at("undo");
    at("undo-button")?.addEventListener("click", () => this.press());
  }

  /** Show it for a submission {number, reopenUrl, seconds, notice}. */
  show(last) {
    clearTimeout(this.timer);
    this.last = last;
    at("undo-text").textContent = [this.words.submitted.replace("{number}", String(last.number)), last.notice ?? ""].join(" ").trim();
    this.element.hidden = last.seconds <= 0;
    this.timer = setTimeout(() => this.hide(), last.seconds * 1000);
  }

  hide() {
    const inside = this.element.contains(document.activeElement);
    this.element.hidden = true;
    this.last = null;
    if (inside) document.querySelector("main").focus({ preventScroll: true });
  }

  /** Take it back; return false where there is nothing to take back. */
  press() {
    if (!this.last) return false;
    this.back(this.last);
    return true;
  }

  async back(last) {
    this.hide();
    await this.before();
    const answer = await this.wire.send("POST", last.reopenUrl, {}).catch(() => null);
    if (answer?.status === 200) return this.onTask(answer.data.next);
    this.onProblem(answer?.data.message ?? this.words.unreached);
  }
}
