// What is kept on this machine until the server has acknowledged it: drafts, and submissions that
// wait for the connection. Kept by person and task, so that two people at one machine do not meet.

const OLD = 30 * 24 * 3600 * 1000;
const RESTING = 10 * 60 * 1000;

/** Return whether two drafts say the same. */
export function same(one, two) {
  const words = (draft) =>
    JSON.stringify([draft.decision, draft.texts ?? [], draft.reason ?? "", draft.note ?? ""]);
  return Boolean(one && two) && words(one) === words(two);
}

/**
 * Return whether the server took what this machine has only after it had made the page: a save
 * that was answered between a page being fetched and the old one going away.
 */
export function overtook(saved, local, ahead = 0) {
  return !saved || (local.rev > saved.rev && local.at - ahead > Date.parse(saved.at));
}

/**
 * Return which draft a page begins with: {payload, unsaved, other}; the newest wins (4.9).
 *
 * `saved` is the server's {rev, payload, at} or null, `local` this machine's {rev, payload, at,
 * unsaved} or null; `ahead` is how far this machine's clock is before the server's.
 */
export function newest(saved, local, ahead = 0) {
  if (!local || same(local.payload, saved?.payload)) return { payload: saved?.payload ?? null, unsaved: false, other: null };
  if (!local.unsaved) {
    const ours = overtook(saved, local, ahead);
    return { payload: ours ? local.payload : saved.payload, unsaved: ours, other: null };
  }
  // What was on its way from here when the page was left may have arrived since.
  const ours = Boolean(saved) && (local.sent ?? []).some((one) => same(one, saved.payload));
  if (ours) return { payload: local.payload, unsaved: true, other: null };
  const builtOnIt = !saved || local.rev >= saved.rev;
  if (builtOnIt || local.at - ahead > Date.parse(saved.at)) {
    return { payload: local.payload, unsaved: true, other: saved?.payload ?? null };
  }
  return { payload: saved.payload, unsaved: false, other: local.payload };
}

export class Copies {
  constructor(person) {
    this.prefix = `gecbench/${person}/`;
    this.clean();
  }

  draft(slot) {
    return this.read(`draft/${slot}`);
  }

  keepDraft(slot, copy) {
    return this.write(`draft/${slot}`, { ...copy, at: Date.now() });
  }

  /** Return the drafts of other tasks that the server has not and nobody types now. */
  left(slot) {
    return this.names("draft/")
      .map((name) => this.read(name))
      .filter((copy) => copy?.unsaved && copy.draftUrl && copy.slot !== slot && Date.now() - copy.at > RESTING);
  }

  /** The server has this one, too. */
  settled(slot) {
    const copy = this.draft(slot);
    if (copy) this.write(`draft/${slot}`, { ...copy, unsaved: false, sent: [] });
  }

  dropDraft(slot) {
    this.drop(`draft/${slot}`);
  }

  /** Return the submissions that wait, oldest first: {slot, url, body, number, at}. */
  waiting() {
    return this.names("submit/").map((name) => this.read(name)).filter(Boolean).sort((one, two) => one.at - two.at);
  }

  keepWaiting(slot, submission) {
    return this.write(`submit/${slot}`, { ...submission, slot, at: Date.now() });
  }

  dropWaiting(slot) {
    this.drop(`submit/${slot}`);
  }

  names(begin) {
    try {
      const whole = this.prefix + begin;
      return Object.keys(localStorage).filter((name) => name.startsWith(whole)).map((name) => name.slice(this.prefix.length));
    } catch {
      return [];
    }
  }

  read(name) {
    try {
      return JSON.parse(localStorage.getItem(this.prefix + name));
    } catch {
      return null;
    }
  }

  /** Write; return whether there was room for it, if need be where saved drafts stood. */
  write(name, value) {
    const put = () => {
      try {
        localStorage.setItem(this.prefix + name, JSON.stringify(value));
        return true;
      } catch {
        return false;
      }
    };
    return put() || (this.clean(0), put());
  }

  drop(name) {
    try {
      localStorage.removeItem(this.prefix + name);
    } catch {
      // A browser that keeps nothing has nothing to drop.
    }
  }

  /** Old copies that the server has, too, go. */
  clean(old = OLD) {
    for (const name of this.names("draft/")) {
      const copy = this.read(name);
      if (copy && !copy.unsaved && Date.now() - copy.at > old) this.drop(name);
    }
  }
}
