// The live diff: a text beside its source, marked where the scorer counts an edit. The twin of
// rules/diff.py; one table of cases holds both together. Nothing here touches the page, so that
// diff-worker.js can use it; `draw` is passed on from drawing.js and only works in a page.

import { editsOf } from "./align.js";
import { bounds } from "./graphemes.js";
import { isHan, isInName, tokens } from "./tokens.js";

export { draw, switchClean } from "./drawing.js";

export const PLACEHOLDER = "[缺失成分]";
const WORDS_OF_ONE = "的地得了着过吗呢吧我你他她它这那是有在和与不也都很就还又把被对从到给让向";

/** From this length on, a page had better ask diff-worker.js. */
export const LONG = 2000;

/** One text with its tokens, and where graphemes allow a cut. */
class Side {
  constructor(text, lang, placeholder) {
    this.points = Array.from(text);
    this.tokens = tokens(this.points, lang, placeholder);
    const [begins, ends] = bounds(this.points);
    this.starts = this.tokens.map(({ start }) => begins[start]);
    this.ends = this.tokens.map(({ end }) => ends[end - 1]);
  }

  /** Say whether a run of letters, digits and hyphens goes on with a token. */
  runsOn(at) {
    const [before, token] = [this.tokens[at - 1], this.tokens[at]];
    return Boolean(before && token) && before.end === token.start && Array.from(before.form + token.form).every(isInName);
  }

  cut(at) {
    const inside = at > 0 && at < this.tokens.length;
    return !inside || this.ends[at - 1] <= this.starts[at];
  }

  text(start, end) {
    return this.points.slice(start, end).join("");
  }

  /** Return the white space from a place on to a token, or to the end of the text. */
  gap(start, at) {
    return this.points.slice(start, at < this.tokens.length ? this.starts[at] : this.points.length);
  }
}

/** Return the pairs of equal tokens and the edits, in order. */
function atomsOf(edits, length) {
  const found = [];
  let at = 0;
  let targetAt = 0;
  const equalUpTo = (end) => {
    for (; at < end; at += 1, targetAt += 1) {
      found.push({ start: at, end: at + 1, targetStart: targetAt, targetEnd: targetAt + 1, edits: [] });
    }
  };
  edits.forEach(({ start, end, targetStart, targetEnd }, index) => {
    equalUpTo(start);
    found.push({ start, end, targetStart, targetEnd, edits: [index + 1] });
    at = end;
    targetAt = targetEnd;
  });
  equalUpTo(length);
  return found;
}

/** Return the atoms, joined where a cut between them would cut a grapheme. */
function whole(atoms, one, two) {
  const found = [];
  for (const atom of atoms) {
    const held = found.at(-1);
    if (!held || (one.cut(atom.start) && two.cut(atom.targetStart))) found.push({ ...atom });
    else found[found.length - 1] = joined(held, atom);
  }
  return found;
}

/** Return the stretch from an atom to the end of a later one, with the edits of both. */
function joined(first, { end, targetEnd, edits }) {
  return { ...first, end, targetEnd, edits: [...first.edits, ...edits] };
}

/** Return the atoms; what rewrites one word becomes one atom (the rule: rules/diff.py). */
function rewritten(atoms, one, two, moves) {
  const changes = (atom) => atom?.edits.length && !moves[atom.edits[0] - 1];
  const units = [];
  for (const atom of atoms) {
    if (changes(units.at(-1)) && changes(atom)) units.push(joined(units.pop(), atom));
    else units.push(atom);
  }
  const nextChange = (at) => {
    let after = at + 1;
    while (after < units.length && !units[after].edits.length) after += 1;
    return changes(units[at]) && changes(units[after]) ? after : -1;
  };
  const found = [];
  for (let at = 0, last = 0; at < units.length; at = last + 1) {
    last = at;
    for (let after = nextChange(at); after > 0 && inOneWord(units.slice(last, after + 1), one, two); after = nextChange(last)) last = after;
    const word = units.slice(at, last + 1);
    const marked = word.filter(({ edits }) => edits.length);
    const removes = marked.filter(({ start, end }) => start < end).length;
    const adds = marked.filter(({ targetStart, targetEnd }) => targetStart < targetEnd).length;
    found.push(...(removes && adds && removes + adds > 2 ? [word.reduce(joined)] : word));
  }
  return found;
}

const isLong = ({ start, end, targetStart, targetEnd }) => Math.max(end - start, targetEnd - targetStart) > 1;

/** Say whether two changes, and the tokens between them that stay, are of one word. */
function inOneWord(units, one, two) {
  const [first, last] = [units[0], units.at(-1)];
  if (units.length === 3 && isLong(first) && isLong(last)) {
    const { form } = one.tokens[units[1].start];
    if (isHan([...form][0]) && !WORDS_OF_ONE.includes(form)) return true;
  }
  return units.slice(1).every(({ start, targetStart }) => one.runsOn(start) || two.runsOn(targetStart));
}

/** Makes pieces of atoms and shares out the white space between them. */
class Drawing {
  constructor(one, two, moves) {
    Object.assign(this, { one, two, moves, done: 0, targetDone: 0, pieces: [] });
  }

  add(atom) {
    const { one, two } = this;
    const removes = atom.start < atom.end;
    const adds = atom.targetStart < atom.targetEnd;
    if (removes && adds) {
      this.blank(one.starts[atom.start], two.starts[atom.targetStart]);
      const [source, target] = this.take(one.ends[atom.end - 1], two.ends[atom.targetEnd - 1]);
      const differs = atom.edits.length ? "replace" : "space";
      this.put(source === target ? "equal" : differs, source, target, atom.edits);
    } else if (removes) {
      const gap = two.gap(this.targetDone, atom.targetStart);
      const end = this.oneSided(one, atom.start, atom.end, gap);
      this.end("delete", "move_from", this.take(end, this.targetDone), atom.edits);
    } else {
      const gap = one.gap(this.done, atom.start);
      const end = this.oneSided(two, atom.targetStart, atom.targetEnd, gap);
      this.end("insert", "move_to", this.take(this.done, end), atom.edits);
    }
  }

  /** Settle the white space round tokens that one side has alone; return where they end. */
  oneSided(own, first, last, gap) {
    const isSource = own === this.one;
    const start = own.starts[first];
    const end = own.ends[last - 1];
    const before = own.text(isSource ? this.done : this.targetDone, start);
    const after = own.gap(end, last);
    const other = gap.join("");
    if (other && before !== other && after.join("") === other) return end;
    if (other && isSource) this.blank(start, this.targetDone + gap.length);
    else if (other) this.blank(this.done + gap.length, start);
    return end + after.length;
  }

  blank(end, targetEnd) {
    const [source, target] = this.take(end, targetEnd);
    if (source || target) this.put(source === target ? "equal" : "space", source, target, []);
  }

  take(end, targetEnd) {
    const taken = [this.one.text(this.done, end), this.two.text(this.targetDone, targetEnd)];
    this.done = end;
    this.targetDone = targetEnd;
    return taken;
  }

  end(op, moved, [source, target], edits) {
    const move = this.moves[edits[0] - 1] ?? null; // two edits in one atom change both sides
    this.pieces.push({ op: move ? moved : op, source, target, edits, move });
  }

  put(op, source, target, edits) {
    const last = this.pieces.at(-1);
    if (op === "equal" && last?.op === "equal") {
      last.source += source;
      last.target += source;
    } else this.pieces.push({ op, source, target, edits, move: null });
  }

  finished() {
    this.blank(this.one.points.length, this.two.points.length);
    return this.pieces;
  }
}

/** What moved to or from inside a grapheme is no move on its own. */
function withoutSingleEnds(pieces) {
  const ends = new Map();
  for (const { move } of pieces) if (move) ends.set(move, (ends.get(move) ?? 0) + 1);
  return pieces.map((piece) =>
    piece.move && ends.get(piece.move) === 1
      ? { ...piece, op: piece.op === "move_from" ? "delete" : "insert", move: null }
      : piece,
  );
}

/**
 * Return how a rewriting differs from its source: {pieces, edits}.
 *
 * A piece is {op, source, target, edits, move}; see rules/diff.py. `edits` is the scorer's count.
 */
export function diff(source, target, { lang = "zh", placeholder = PLACEHOLDER } = {}) {
  const one = new Side(source, lang, placeholder);
  const two = new Side(target, lang, placeholder);
  const edits = editsOf(one.tokens, two.tokens);
  const moves = edits.map(({ move }) => move);
  const drawing = new Drawing(one, two, moves);
  const atoms = whole(atomsOf(edits, one.tokens.length), one, two);
  for (const atom of rewritten(atoms, one, two, moves)) drawing.add(atom);
  return { pieces: withoutSingleEnds(drawing.finished()), edits: edits.length };
}
