// Talks to the server: JSON both ways, one token, and a way to sign in again without leaving.

/** The server was not reached, or could not answer now; nothing is known of what it did. */
export class Unreached extends Error {}

const PATIENCE = 20000;

/** Return the token as it is now: signing in, in whichever window, makes a new one. */
export function newestToken() {
  return /(?:^|; )gecbench_csrf=([^;]+)/.exec(document.cookie)?.[1] ?? "";
}

export class Wire {
  /**
   * `token` is the page's CSRF token; `signIn` is asked when the session has ended: it returns a
   * promise of the new token, kept until the person has signed in again.
   */
  constructor(token, signIn) {
    this.token = token;
    this.signIn = signIn;
    this.waiting = null;
  }

  /** Send and return {status, data}. Throws Unreached, or AbortError by `signal`. */
  async send(method, url, body = null, { signal = null } = {}) {
    for (;;) {
      const answer = await this.once(method, url, body, signal);
      const token = newestToken();
      if (answer.status === 403 && answer.data.error === "csrf" && token && token !== this.token) this.token = token;
      else if (answer.status === 401) await this.signedIn();
      else return answer;
    }
  }

  async once(method, url, body, signal) {
    const patience = AbortSignal.timeout(PATIENCE);
    const signals = signal ? [signal, patience] : [patience];
    let response;
    try {
      response = await fetch(url, {
        method,
        headers: {
          Accept: "application/json",
          "X-CSRFToken": this.token,
          ...(body === null ? {} : { "Content-Type": "application/json" }),
        },
        body: body === null ? null : JSON.stringify(body),
        credentials: "same-origin",
        redirect: "error",
        signal: AbortSignal.any ? AbortSignal.any(signals) : (signal ?? patience),
      });
      const isJson = (response.headers.get("Content-Type") ?? "").includes("json");
      const data = isJson ? await response.json() : {};
      const foreign = response.ok && !isJson; // the page of a network that wants to be signed in to
      if (foreign || response.status >= 500 || response.status === 429) throw new Unreached(String(response.status));
      return { status: response.status, data };
    } catch (error) {
      if (signal?.aborted) throw error;
      throw error instanceof Unreached ? error : new Unreached(String(error));
    }
  }

  /** Wait until somebody has signed in again; many may wait for one form. */
  async signedIn() {
    this.waiting ??= this.signIn().finally(() => (this.waiting = null));
    this.token = await this.waiting;
  }

  /** Send what need not be answered while the page goes away; return whether it was taken. */
  beacon(url, body) {
    const form = new URLSearchParams({ csrfmiddlewaretoken: this.token, payload: JSON.stringify(body) });
    return navigator.sendBeacon(url, form);
  }
}

/** Return a random key for an act; also where the page has no secure context. */
export function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** Return what writes hours and minutes by the person's clock; by the browser's if it knows no such zone. */
export function clock() {
  const { lang, dataset } = document.documentElement;
  const shape = { hour: "2-digit", minute: "2-digit" };
  try {
    return new Intl.DateTimeFormat(lang, { ...shape, timeZone: dataset.zone });
  } catch {
    return new Intl.DateTimeFormat(lang, shape);
  }
}
