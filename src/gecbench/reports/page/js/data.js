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
    this.poolMakers = lists(this.pool.makers);
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

  /** Return what became of each sentence, by the counts of the metric. */
  outcomesOf({ reference, counts }) {
    const found = new Uint8Array(this.total);
    for (let place = 0; place < this.total; place += 1) {
      if (reference[place] < 0) continue;
      const [right, wrong, missed] = counts.slice(3 * place, 3 * place + 3);
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
      further: false, // of an alternative set that is not the one in the text
    };
  }

  referencesOf(place) {
    const found = [];
    for (let at = this.referenceAt[place]; at < this.referenceAt[place + 1]; at += 1) {
      const begin = this.references.lists.at[at];
      const first = this.references.firsts[at] ?? Infinity;
      found.push({
        number: at - this.referenceAt[place],
        annotator: this.references.annotators[at],
        state: this.references.states[at],
        text: this.references.texts[at],
        edits: this.references.lists.of(at).map((index, nth) => ({
          ...this.edit(place, index),
          weight: this.references.weights[begin + nth] ?? null,
          further: nth >= first,
        })),
      });
    }
    return found;
  }

  outputOf(place, system) {
    const output = this.outputs[system];
    const begin = output.madeLists.at[place];
    const first = output.firsts[place] ?? Infinity;
    const judged = output.reference[place] >= 0;
    return {
      system,
      reference: output.reference[place],
      state: output.states[place],
      text: output.texts[place],
      outcome: output.outcomes[place],
      counts: output.counts.slice(3 * place, 3 * place + 3), // true, false, missed
      declared: [output.states[place], this.references.states[this.referenceAt[place] + output.reference[place]]],
      made: output.madeLists.of(place).map((index, nth) => ({
        ...this.edit(place, index),
        verdict: (judged && ["false", "true"][output.verdicts[begin + nth]]) || "unjudged",
        further: nth >= first,
      })),
      missed: output.missedLists
        .of(place)
        .map((index) => ({ ...this.edit(place, index), verdict: "missed" })),
    };
  }

  /** Return the systems that have an edit of a sentence, as the metric compares edits. */
  makers(place, index) {
    return this.poolMakers.of(this.poolAt[place] + index);
  }

  /** Return what a system wrote. */
  outputText(place, system) {
    const output = this.outputOf(place, system);
    return this.textOf(place, output, output.made);
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

/** Divide the edits of a rewriting into those that stand in its text, and the others once each.
 *
 * Of several equally short sets of edits the first makes the text. In one set insertions at a
 * place follow one another. */
function apart(edits) {
  const kept = [];
  const rest = [];
  for (const edit of edits) (edit.further || kept.some((other) => overlap(edit, other)) ? rest : kept).push(edit);
  kept.sort((one, two) => one.start - two.start || one.end - two.end);
  const there = new Set(kept.map(({ index }) => index));
  return [kept, rest.filter(({ index }) => !there.has(index) && there.add(index))];
}

const overlap = (one, two) => one.start < two.end && two.start < one.end;
