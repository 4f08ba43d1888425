// Talks to the server: JSON both ways, and a form to sign in again without leaving the page.

import { afterComposition } from "./composition.js";
import { byId } from "./page.js";

const TIMEOUT = 20000;

/** The server was not reached, or could not answer; nothing is known of what it did. */
export class UnreachableError extends Error {}

/** The token as it is now: signing in, in whichever window, makes a new one. */
const newestToken = () => /(?:^|; )gecbench_csrf=([^;]+)/.exec(document.cookie)?.[1] ?? "";

/** A random key for one act, so that it is done once; also where the page has no secure context. */
export function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export class Server {
  /** `token` is the page's CSRF token; `onSignedOut` and `onSignedIn` hear of an ended session, and of its renewal. */
  constructor(token, loginUrl) {
    Object.assign(this, { token, loginUrl, onSignedOut: () => {}, onSignedIn: () => {}, signingIn: null });
  }

  /** Send JSON and return {status, data}. Throws UnreachableError, or AbortError by `signal`. */
  async send(method, url, body, signal = null) {
    for (;;) {
      const answer = await this.request(method, url, body, signal);
      const token = newestToken();
      if (answer.status === 401) {
        this.signingIn ??= this.signIn().finally(() => (this.signingIn = null)); // many may wait for it
        await this.signingIn;
      } else if (answer.status === 403 && answer.data.error === "csrf" && token && token !== this.token) {
        this.token = token;
      } else return answer;
    }
  }

  /** Send JSON once; return null where the server is not reached. */
  async trySend(method, url, body) {
    return this.send(method, url, body).catch(() => null);
  }

  async request(method, url, body, signal) {
    try {
      const response = await fetch(url, {
        method,
        headers: { Accept: "application/json", "Content-Type": "application/json", "X-CSRFToken": this.token },
        body: JSON.stringify(body),
        redirect: "error",
        signal: AbortSignal.any([...(signal ? [signal] : []), AbortSignal.timeout(TIMEOUT)]),
      });
      const isJson = (response.headers.get("Content-Type") ?? "").includes("json");
      const data = isJson ? await response.json() : {};
      const isForeign = response.ok && !isJson; // the page of a network that wants to be signed in to
      if (isForeign || response.status >= 500 || response.status === 429) {
        throw new UnreachableError(String(response.status));
      }
      return { status: response.status, data };
    } catch (error) {
      if (signal?.aborted || error instanceof UnreachableError) throw error;
      throw new UnreachableError(String(error));
    }
  }

  /** Send while the page goes away, when no answer can be heard. */
  beacon(url, payload) {
    const form = { csrfmiddlewaretoken: this.token, payload: JSON.stringify(payload) };
    navigator.sendBeacon(url, new URLSearchParams(form));
  }

  /** Ask for the password in the page, and wait until the person has signed in again. */
  signIn() {
    const dialog = byId("signin");
    const form = dialog.querySelector("form");
    const problem = dialog.querySelector("[data-problem]");
    const password = form.querySelector("[type=password]");
    const button = form.querySelector("button");
    const say = (message) => {
      problem.textContent = message;
      problem.hidden = !message;
    };
    const { promise, resolve } = Promise.withResolvers();
    const submit = async (event) => {
      event.preventDefault();
      button.disabled = true;
      try {
        const response = await fetch(this.loginUrl, {
          method: "POST",
          headers: { Accept: "application/json", "X-CSRFToken": newestToken() || this.token },
          body: new URLSearchParams(new FormData(form)),
        });
        const data = await response.json().catch(() => ({}));
        if (!response.ok) return say(data.message ?? dialog.dataset.offline);
        this.token = data.token ?? data.csrf_token ?? newestToken();
        password.value = "";
        dialog.close();
        this.onSignedIn();
        resolve();
      } catch {
        say(dialog.dataset.offline);
      } finally {
        button.disabled = false;
      }
    };
    dialog.onkeydown = (event) => event.key !== "Escape"; // it stays open
    form.onsubmit = submit;
    afterComposition(() => {
      say("");
      dialog.showModal();
      password.focus();
      this.onSignedOut();
    });
    return promise;
  }
}
