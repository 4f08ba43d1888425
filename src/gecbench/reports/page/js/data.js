// The sentences, as the page's data hold them: columns of numbers, and tables of strings.
//
// An edit is a place in its sentence's pool. Its start and end are characters (code points) of
// the source; its text brings the blanks with it that stand round it in the result.

const UNJUDGED = 0;
const RIGHT = 1; // every edit is true and none is missed
const PARTLY = 2; // some edits are true
const MISSED = 3; // nothing is true, nothing false: all is missed
const WRONG = 4; // edits, and all of them false

/** Return where the members of each group begin, and where the last ends. */
function begins(counts) {
  const found = new Int32Array(counts.length + 1);
  for (let at = 0; at < counts.length; at += 1) found[at + 1] = found[at] + counts[at];
  return found;
}

/** Return lists that lie one after another in a column. */
function lists({ counts, values }) {
  const at = begins(counts);
  return { at, values, of: (place) => values.slice(at[place], at[place + 1]) };
}

class Data {
  constructor(packed) {
    Object.assign(this, packed);
    this.total = this.ids.length;
    this.places = new Map(this.ids.map((id, place) => [id, place]));
    this.poolAt = begins(this.pool.counts);
    this.referenceAt = begins(this.references.counts);
    this.references.lists = lists(this.references.edits);
    this.hasDifficulty = this.difficulty.length > 0;
    this.hardest = this.difficulty.reduce((most, value) => Math.max(most, value), 0) || 1;
    for (const output of this.outputs) {
      output.madeLists = lists(output.made);
      output.missedLists = lists(output.missed);
      output.outcomes = this.outcomesOf(output);
    }
  }

  outcomesOf(output) {
    const found = new Uint8Array(this.total);
    for (let place = 0; place < this.total; place += 1) {
      if (output.reference[place] < 0) continue;
      let right = 0;
      let wrong = 0;
      for (let at = output.madeLists.at[place]; at < output.madeLists.at[place + 1]; at += 1) {
        if (output.verdicts[at] === 1) right += 1;
        else if (output.verdicts[at] === 0) wrong += 1;
      }
      const missed = output.missed.counts[place];
      if (!wrong && !missed) found[place] = RIGHT;
      else if (right) found[place] = PARTLY;
      else found[place] = wrong ? WRONG : MISSED;
    }
    return found;
  }

  /** Return an edit of a sentence by its place in the pool. */
  edit(place, index) {
    const at = this.poolAt[place] + index;
    const text = this.pool.text[at];
    return {
      index,
      start: this.pool.start[at],
      end: this.pool.end[at],
      text: text < 0 ? null : this.strings[text], // null: found, but not corrected
      label: this.strings[this.pool.label[at]],
      alternatives: this.pool.alternatives[at] ?? [],
    };
  }

  referencesOf(place) {
    const found = [];
    for (let at = this.referenceAt[place]; at < this.referenceAt[place + 1]; at += 1) {
      const begin = this.references.lists.at[at];
      found.push({
        number: at - this.referenceAt[place],
        annotator: this.references.annotators[at],
        state: this.references.states[at],
        text: this.references.texts[at],
        edits: this.references.lists.of(at).map((index, nth) => ({
          ...this.edit(place, index),
          weight: this.references.weights[begin + nth] ?? null,
        })),
      });
    }
    return found;
  }

  outputOf(place, system) {
    const output = this.outputs[system];
    const begin = output.madeLists.at[place];
    const judged = output.reference[place] >= 0;
    return {
      system,
      reference: output.reference[place],
      state: output.states[place],
      text: output.texts[place],
      outcome: output.outcomes[place],
      made: output.madeLists.of(place).map((index, nth) => ({
        ...this.edit(place, index),
        verdict: (judged && ["false", "true"][output.verdicts[begin + nth]]) || "unjudged",
      })),
      missed: output.missedLists
        .of(place)
        .map((index) => ({ ...this.edit(place, index), verdict: "missed" })),
    };
  }

  /** Return the systems that make an edit of a sentence. */
  makers(place, index) {
    return this.outputs.flatMap((output, system) =>
      output.madeLists.of(place).includes(index) ? [system] : [],
    );
  }

  /** Return a rewriting as text: as it was written where that is known, else what edits make. */
  textOf(place, version, edits) {
    if (version.text !== undefined) return version.text;
    const source = [...this.sources[place]];
    const parts = [];
    let done = 0;
    for (const edit of apart(edits)[0]) {
      if (edit.text === null) continue;
      parts.push(source.slice(done, edit.start).join(""), edit.text);
      done = edit.end;
    }
    return parts.join("") + source.slice(done).join("");
  }
}

/** Divide edits into those that stand side by side, and those that overlap an earlier one.
 *
 * Where a rewriting has several equally short sets of edits, the first set comes first. */
function apart(edits) {
  const kept = [];
  const rest = [];
  for (const edit of edits) {
    const crosses = (other) =>
      (edit.start < other.end && other.start < edit.end) ||
      (edit.start === other.start && edit.end === other.end);
    (kept.some(crosses) ? rest : kept).push(edit);
  }
  kept.sort((one, two) => one.start - two.start || one.end - two.end);
  return [kept, rest];
}
