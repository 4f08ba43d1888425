// Handing in: once, with an answer for each outcome, and in a queue while nothing is reached.

import { composing } from "./composing.js";
import { Unreached, newKey } from "./wire.js";

const AGAIN = [1000, 2000, 5000, 10000];
const at = (id) => document.getElementById(id);

export class Submitting {
  constructor(work) {
    this.work = work;
    this.busy = false;
    this.offer = at("offer");
    at("offer-yes").addEventListener("click", () => this.errorFree());
    at("keep-editing").addEventListener("click", () => this.keepEditing());
    addEventListener("online", () => this.waits && this.send(this.waits));
  }

  /** Begin with a task: a new key, nothing confirmed. */
  begin(task) {
    clearTimeout(this.timer);
    Object.assign(this, { task, key: newKey(), confirmed: false, waits: null, failures: 0 });
    this.offered(null);
    this.busyNow(false);
  }

  /** The answer is another one now: what was confirmed no longer is. */
  edited() {
    this.confirmed = false;
    this.offered(null);
  }

  press() {
    if (this.busy || composing()) return;
    const { work } = this;
    this.send({
      version: this.task.version,
      client_key: this.key,
      ...work.editor.answer(),
      active_ms: work.activity.milliseconds,
      confirmed: this.confirmed,
    });
  }

  /** Error free: the decision; or, where the page offers it, the answer to that at once. */
  errorFree() {
    if (this.busy) return;
    const answers = !this.offer.hidden;
    this.work.editor.decide("error_free");
    if (answers) this.press();
  }

  offered(box) {
    this.offer.hidden = !box;
    if (box) box.element.append(this.offer);
  }

  busyNow(busy) {
    this.busy = busy;
    at("submit").disabled = busy;
    at("skip").disabled = busy;
    at("keep-editing").hidden = !this.waits;
    this.work.editor.disable(busy);
  }

  async send(body) {
    const { task, work } = this;
    clearTimeout(this.timer);
    this.abort?.abort();
    const { signal } = (this.abort = new AbortController());
    this.busyNow(true);
    let answer;
    try {
      answer = await work.wire.send("POST", task.submitUrl, body, { signal });
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof Unreached)) throw error;
      if (this.task === task) this.wait(body);
      return;
    }
    if (this.task !== task) return;
    this.waits = null;
    this.failures = 0;
    work.copies.dropWaiting(task.slot);
    if (answer.status === 200) return this.done(answer.data);
    this.busyNow(false);
    this.refused(answer);
  }

  /** Not reached: it waits on this machine, too, and goes out when the server is there. */
  wait(body) {
    this.waits = body;
    this.work.autosave.keep();
    const kept = this.work.copies.keepWaiting(this.task.slot, { url: this.task.submitUrl, number: this.task.number, body });
    this.work.say(kept ? this.work.words.queued : this.work.words.queuedHere);
    this.work.corner.show(kept ? "offline" : "unkept");
    this.busyNow(true);
    this.timer = setTimeout(() => this.send(body), AGAIN[Math.min(this.failures, AGAIN.length - 1)]);
    this.failures += 1;
  }

  /** Take it out of the queue. It may have arrived: then the next one is told so. */
  keepEditing() {
    clearTimeout(this.timer);
    this.abort?.abort(); // what it would answer is about a text that is another one by then
    this.work.copies.dropWaiting(this.task.slot);
    this.waits = null;
    this.key = newKey();
    this.work.say("");
    this.busyNow(false);
    this.work.editor.focus();
  }

  done(data) {
    const { task, work } = this;
    work.autosave.stop();
    work.copies.dropDraft(task.slot);
    const previous = document.querySelector("a[rel=prev]");
    if (previous) previous.href = data.submitted.url;
    if (previous) previous.hidden = false;
    if (at("done-today")) at("done-today").textContent = String(data.done);
    if (at("done-bar")) at("done-bar").value = data.done;
    work.undo.show(data.submitted);
    work.follow(data);
  }

  refused({ status, data }) {
    const { work } = this;
    if (status === 422) return this.problems(data);
    if (status === 409) {
      if (!data.version) return work.lost(data.message);
      this.task.version = data.version;
      return work.say(data.message);
    }
    if (status === 404 || status === 410) return work.lost(status === 404 ? "" : data.message);
    work.say(data.message ?? work.words.failed);
  }

  problems(data) {
    const { editor, words } = this.work;
    if (data.texts) editor.merge(data.texts);
    const rest = editor.problems(data.problems);
    this.confirmed = Boolean(data.confirm);
    const lines = [...rest.map(({ message }) => message), ...(data.confirm ? [words.confirm] : [])];
    this.work.say(lines.join(" "));
    const same = data.problems.find(({ code }) => code === "ANN-10");
    const box = /^reference-(\d+)$/.exec(same?.field ?? "");
    this.offered(box ? editor.boxes[Number(box[1])] : null);
  }
}
