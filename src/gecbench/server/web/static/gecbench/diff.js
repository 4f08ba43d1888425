// The difference between a sentence and its correction, marked where the scorer counts an edit.
//
// rules/diff.py is the same program in Python, for pages that the server draws; one table of cases
// (tests/server/diff_cases.py) holds both together, and docs/annotate/diff.md explains the rules.
// Nothing here needs a page, so that diff-worker.js can use it.

export const PLACEHOLDER = "[缺失成分]";
/** Texts from this length on are compared by diff-worker.js, off the page's thread. */
export const LONG = 2000;

const HAN = String.raw`[\u3400-\u9fff\uf900-\ufaff\u{20000}-\u{323af}]`;
const LETTER = String.raw`[[\p{L}\p{M}\p{N}_]--${HAN}]`;
const LETTER_OR_MARK = String.raw`[[\p{L}\p{M}\p{N}_\u200d\p{Gr_Ext}\p{EMod}]--${HAN}]`;
const WORD = new RegExp(
  String.raw`${LETTER}(?:${LETTER_OR_MARK}|['’](?=${LETTER})|(?<=\p{Nd})[.,](?=\p{Nd}))*`,
  "vy",
);
const NAME = new RegExp(String.raw`^[${LETTER}\-‐‑'’]+$`, "v");
const IS_HAN = new RegExp(`^${HAN}`, "v");
// What Python's str.isspace takes for white space, which is not what \s matches.
const WHITE = String.raw`\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000`;
const ALL_WHITE = new RegExp(`^[${WHITE}]+$`, "v");
const WHITE_SPACE = new RegExp(`[${WHITE}]+`, "vg");
const SINGLE_WORDS = "的地得了着过吗呢吧我你他她它这那是有在和与不也都很就还又把被对从到给让向";
const GRAPHEMES = new Intl.Segmenter("und", { granularity: "grapheme" });
const [MATCH, SUBSTITUTE, INSERT, DELETE] = [0, 1, 2, 3];

export const isHan = (character) => IS_HAN.test(character);

/** Divide a text into tokens {form, start, end}: characters in Chinese, words and marks elsewhere. */
export function tokenize(text, lang, placeholder) {
  return lang === "zh" ? tokenizeCharacters(text, placeholder) : tokenizeWords(text, placeholder);
}

/** Each character but white space is a token, and the placeholder, even with white space in it. */
function tokenizeCharacters(text, placeholder) {
  const escape = (character) => `\\u{${character.codePointAt(0).toString(16)}}`;
  const mark = Array.from(placeholder.replace(WHITE_SPACE, ""), escape).join(`[${WHITE}]*`);
  const token = new RegExp(mark ? `${mark}|[^${WHITE}]` : `[^${WHITE}]`, "vg");
  return Array.from(text.matchAll(token), ({ 0: found, index }) => ({
    form: found.replace(WHITE_SPACE, ""),
    start: index,
    end: index + found.length,
  }));
}

function tokenizeWords(text, placeholder) {
  const graphemes = GRAPHEMES.segment(text);
  const tokens = [];
  let end = 0;
  for (let start = 0; start < text.length; start = end) {
    if (placeholder && text.startsWith(placeholder, start)) end = start + placeholder.length;
    else {
      WORD.lastIndex = start;
      end = WORD.test(text) ? WORD.lastIndex : graphemeEnd(graphemes, start);
      if (ALL_WHITE.test(text.slice(start, end))) continue;
    }
    tokens.push({ form: text.slice(start, end), start, end });
  }
  return tokens;
}

function graphemeEnd(graphemes, place) {
  const { index, segment } = graphemes.containing(place);
  return index + segment.length;
}

/**
 * Choose a shortest alignment of two lists of numbers; return its steps.
 *
 * Of several, the one that edits/kernel.py chooses: from the end, a match, else a substitution,
 * else an insertion, else a deletion.
 */
function align(a, b) {
  const width = b.length + 1;
  const steps = new Uint8Array((a.length + 1) * width).fill(DELETE);
  steps.fill(INSERT, 1, width);
  let above = Int32Array.from({ length: width }, (_, j) => j);
  let costs = new Int32Array(width);
  for (let i = 1; i <= a.length; i += 1) {
    const token = a[i - 1];
    costs[0] = i;
    for (let j = 1; j < width; j += 1) {
      const substitution = above[j - 1];
      const insertion = costs[j - 1];
      const least = Math.min(substitution, insertion, above[j]);
      const isMatch = token === b[j - 1];
      costs[j] = isMatch ? substitution : least + 1;
      if (isMatch) steps[i * width + j] = MATCH;
      else if (substitution === least) steps[i * width + j] = SUBSTITUTE;
      else if (insertion === least) steps[i * width + j] = INSERT;
    }
    [above, costs] = [costs, above];
  }
  const path = [];
  for (let i = a.length, j = b.length; i || j; ) {
    const step = steps[i * width + j];
    path.push(step);
    if (step !== INSERT) i -= 1;
    if (step !== DELETE) j -= 1;
  }
  return path.reverse();
}

/**
 * Extract the edits of the scheme zh-char between tokens: spans {start, end, targetStart, targetEnd}.
 *
 * Both ends of a move carry its number as `move`: each deletion, from the left, takes the leftmost
 * free insertion of the same tokens.
 */
export function extractEdits(source, target) {
  const codes = new Map([...source, ...target].map(({ form }, code) => [form, code]));
  const [a, b] = [source, target].map((side) => Int32Array.from(side, ({ form }) => codes.get(form)));
  const edits = [];
  let [i, j, before] = [0, 0, MATCH];
  for (const step of align(a, b)) {
    if (step !== MATCH && step !== before) edits.push({ step, start: i, targetStart: j });
    if (step !== INSERT) i += 1;
    if (step !== DELETE) j += 1;
    if (step !== MATCH) Object.assign(edits.at(-1), { end: i, targetEnd: j });
    before = step;
  }
  const insertions = edits.filter(({ step }) => step === INSERT);
  let moves = 0;
  for (const deletion of edits.filter(({ step }) => step === DELETE)) {
    const tokens = String(a.subarray(deletion.start, deletion.end));
    const insertion = insertions.find(
      ({ move, targetStart, targetEnd }) => !move && String(b.subarray(targetStart, targetEnd)) === tokens,
    );
    if (insertion) insertion.move = deletion.move = moves += 1;
  }
  return edits;
}

/** A text with its tokens, and where the graphemes round them start and end. */
class Side {
  constructor(text, lang, placeholder) {
    this.text = text;
    this.tokens = tokenize(text, lang, placeholder);
    const graphemes = GRAPHEMES.segment(text);
    this.starts = this.tokens.map(({ start }) => graphemes.containing(start).index);
    this.ends = this.tokens.map(({ end }) => graphemeEnd(graphemes, end - 1));
  }

  /** Whether the text may be cut before a token: not within a grapheme. */
  canCut(at) {
    return at === 0 || at === this.tokens.length || this.ends[at - 1] <= this.starts[at];
  }

  /** Whether a run of letters, digits and hyphens goes on with a token. */
  runsOn(at) {
    const [before, token] = [this.tokens[at - 1], this.tokens[at]];
    return Boolean(before && token) && before.end === token.start && NAME.test(before.form + token.form);
  }

  /** The white space from a place on to a token, or to the end of the text. */
  gap(start, at) {
    return this.text.slice(start, at < this.tokens.length ? this.starts[at] : undefined);
  }
}

/** Join two units: spans of tokens that are drawn as one, and the numbers of the edits in them. */
function joinUnits(first, { end, targetEnd, edits }) {
  return { ...first, end, targetEnd, edits: [...first.edits, ...edits] };
}

/** List the pairs of equal tokens and the edits in order; what shares a grapheme is one unit. */
function listUnits(edits, source, target) {
  const units = [];
  const add = (unit) => {
    const cut = source.canCut(unit.start) && target.canCut(unit.targetStart);
    units.push(units.length && !cut ? joinUnits(units.pop(), unit) : unit);
  };
  let [i, j] = [0, 0];
  const addEqualUpTo = (end) => {
    for (; i < end; i += 1, j += 1) add({ start: i, end: i + 1, targetStart: j, targetEnd: j + 1, edits: [] });
  };
  edits.forEach(({ start, end, targetStart, targetEnd }, index) => {
    addEqualUpTo(start);
    add({ start, end, targetStart, targetEnd, edits: [index + 1] });
    [i, j] = [end, targetEnd];
  });
  addEqualUpTo(source.tokens.length);
  return units;
}

/** Join the units that rewrite one word, so that it is one deletion and one insertion. */
function joinWords(all, edits, source, target) {
  const isChange = (unit) => Boolean(unit?.edits.length) && !edits[unit.edits[0] - 1].move;
  const units = [];
  for (const unit of all) {
    units.push(isChange(units.at(-1)) && isChange(unit) ? joinUnits(units.pop(), unit) : unit);
  }
  const nextChange = (at) => {
    let next = at + 1;
    while (next < units.length && !units[next].edits.length) next += 1;
    return isChange(units[at]) && isChange(units[next]) ? next : -1;
  };
  const joined = [];
  for (let at = 0, last = 0; at < units.length; at = last + 1) {
    last = at;
    let next = nextChange(last);
    while (next > 0 && areOneWord(units.slice(last, next + 1), source, target)) {
      last = next;
      next = nextChange(last);
    }
    const word = units.slice(at, last + 1);
    const changes = word.filter(isChange);
    const deletions = changes.filter(({ start, end }) => start < end).length;
    const insertions = changes.filter(({ targetStart, targetEnd }) => targetStart < targetEnd).length;
    const isShorter = deletions && insertions && deletions + insertions > 2;
    joined.push(...(isShorter ? [word.reduce(joinUnits)] : word));
  }
  return joined;
}

/**
 * Whether two changes and the tokens between them are of one word: letters, digits and hyphens run
 * on from one to the other in one of the texts, or one Chinese character stays between two changes
 * of two characters or more, and is not one that mostly is a word by itself.
 */
function areOneWord(units, source, target) {
  const isLong = ({ start, end, targetStart, targetEnd }) => Math.max(end - start, targetEnd - targetStart) > 1;
  if (units.length === 3 && isLong(units[0]) && isLong(units[2])) {
    const { form } = source.tokens[units[1].start];
    if (isHan(form) && !SINGLE_WORDS.includes(form)) return true;
  }
  return units.slice(1).every(({ start, targetStart }) => source.runsOn(start) || target.runsOn(targetStart));
}

/** Makes pieces of units, and shares out the white space between them. */
class PieceBuilder {
  constructor(sides, edits) {
    Object.assign(this, { sides, edits, ends: [0, 0], pieces: [] }); // `ends` of the pieces so far
  }

  add({ start, end, targetStart, targetEnd, edits }) {
    const spans = [[start, end], [targetStart, targetEnd]];
    if (start === end) return this.addOneSided(1, spans, edits);
    if (targetStart === targetEnd) return this.addOneSided(0, spans, edits);
    this.addSpace(spans.map(([first], side) => this.sides[side].starts[first]));
    const texts = this.advance(spans.map(([, last], side) => this.sides[side].ends[last - 1]));
    this.push(edits.length ? "replace" : "space", texts, edits);
  }

  /**
   * Add tokens that one side has alone, with white space that goes with them.
   *
   * The other side has one gap where this one has two. The equal one of the two stays, the other
   * goes with the tokens: "a big dog" loses "big ", and "a dog barks" loses " barks".
   */
  addOneSided(side, spans, edits) {
    const { text, starts, ends } = this.sides[side];
    const [first, last] = spans[side];
    const [start, end] = [starts[first], ends[last - 1]];
    const gap = this.sides[1 - side].gap(this.ends[1 - side], spans[1 - side][0]);
    const after = this.sides[side].gap(end, last);
    const isGapBefore = text.slice(this.ends[side], start) === gap;
    const takesGapBefore = gap && !isGapBefore && after === gap;
    if (gap && !takesGapBefore) {
      const other = this.ends[1 - side] + gap.length;
      this.addSpace(side ? [other, start] : [start, other]);
    }
    const to = takesGapBefore ? end : end + after.length;
    const texts = this.advance(side ? [this.ends[0], to] : [to, this.ends[1]]);
    const move = this.edits[edits[0] - 1].move ?? null; // two edits in one unit change both sides
    const ops = move ? ["move_from", "move_to"] : ["delete", "insert"];
    this.pieces.push({ op: ops[side], source: texts[0], target: texts[1], edits, move });
  }

  addSpace(ends) {
    const texts = this.advance(ends);
    if (texts.some(Boolean)) this.push("space", texts, []);
  }

  /** Move on in both texts; return what lies between. */
  advance(ends) {
    const texts = ends.map((end, side) => this.sides[side].text.slice(this.ends[side], end));
    this.ends = ends;
    return texts;
  }

  push(op, [source, target], edits) {
    const last = this.pieces.at(-1);
    if (source !== target) this.pieces.push({ op, source, target, edits, move: null });
    else if (last?.op === "equal") last.source = last.target += source;
    else this.pieces.push({ op: "equal", source, target, edits, move: null });
  }

  /** Return the pieces; a move whose other end is inside a wider piece is a plain change. */
  build() {
    this.addSpace(this.sides.map(({ text }) => text.length));
    const moveEnds = (move) => this.pieces.filter((piece) => piece.move === move).length;
    return this.pieces.map((piece) => {
      if (!piece.move || moveEnds(piece.move) === 2) return piece;
      return { ...piece, op: piece.op === "move_from" ? "delete" : "insert", move: null };
    });
  }
}

/**
 * Compare a correction with its source: {pieces, edits}.
 *
 * A piece is {op, source, target, edits, move}, as in rules/diff.py; `edits` is the scorer's count.
 */
export function diff(source, target, { lang = "zh", placeholder = PLACEHOLDER } = {}) {
  const sides = [source, target].map((text) => new Side(text, lang, placeholder));
  const edits = extractEdits(...sides.map(({ tokens }) => tokens));
  const builder = new PieceBuilder(sides, edits);
  for (const unit of joinWords(listUnits(edits, ...sides), edits, ...sides)) builder.add(unit);
  return { pieces: builder.build(), edits: edits.length };
}
