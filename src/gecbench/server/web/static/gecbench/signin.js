// The small form that comes into the page when the session has ended; all that is typed stays.

import { afterComposing } from "./composing.js";
import { newestToken } from "./wire.js";

const PLACE = "signin";

/** Return what asks for a password and keeps the promise of a new token (see wire.js). */
export function signInForm(url, { onShown = () => {}, onDone = () => {} } = {}) {
  const box = document.getElementById(PLACE);
  const form = box.querySelector("form");
  const problem = box.querySelector("[data-problem]");
  const say = (words) => {
    problem.textContent = words;
    problem.hidden = !words;
  };

  async function tried() {
    const fields = new FormData(form);
    const response = await fetch(url, {
      method: "POST",
      headers: { Accept: "application/json", "X-CSRFToken": newestToken() || form.dataset.token },
      body: new URLSearchParams(fields),
      credentials: "same-origin",
    });
    const data = await response.json().catch(() => ({}));
    return { ok: response.ok, words: data.message, token: data.token ?? data.csrf_token ?? "" };
  }

  return () =>
    new Promise((resolve) => afterComposing(() => {
      const before = document.activeElement;
      box.hidden = false;
      say("");
      onShown();
      const password = form.querySelector("[type=password]");
      password.focus();
      form.onsubmit = async (event) => {
        event.preventDefault();
        const button = form.querySelector("button");
        button.disabled = true;
        try {
          const { ok, words, token } = await tried();
          if (!ok) return say(words ?? box.dataset.offline);
          form.onsubmit = null;
          form.dataset.token = token;
          password.value = "";
          box.hidden = true;
          onDone();
          before?.focus?.({ preventScroll: true });
          resolve(token);
        } catch {
          say(box.dataset.offline);
        } finally {
          button.disabled = false;
        }
      };
    }));
}
