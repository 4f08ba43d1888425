// The edits of the scheme zh-char between two lists of tokens: a shortest alignment, chosen as
// edits/kernel.py chooses it, neighbours of one type as one edit. The twin of lang/zh/char.py.

const SUBSTITUTE = 1;
const INSERT = 2;
const DELETE = 4;
const MATCH = 8;

/** Return tokens of both sides as numbers that are equal where the tokens are. */
function numbered(source, target) {
  const codes = new Map();
  const code = ({ form }) => {
    if (!codes.has(form)) codes.set(form, codes.size);
    return codes.get(form);
  };
  return [Int32Array.from(source, code), Int32Array.from(target, code)];
}

/** Fill the table between a common start and a common end, which need none. */
function table(a, b) {
  const width = b.length + 1;
  const kept = new Uint8Array((a.length + 1) * width);
  let above = Int32Array.from({ length: width }, (_, y) => y);
  let row = new Int32Array(width);
  for (let x = 1; x <= a.length; x += 1) {
    const token = a[x - 1];
    const base = x * width;
    row[0] = x;
    for (let y = 1; y < width; y += 1) {
      const diagonal = above[y - 1];
      if (token === b[y - 1]) {
        row[y] = diagonal;
        kept[base + y] = MATCH;
        continue;
      }
      const insertion = row[y - 1];
      const deletion = above[y];
      let least = insertion < deletion ? insertion : deletion;
      if (diagonal < least) least = diagonal;
      row[y] = least + 1;
      kept[base + y] = diagonal === least ? SUBSTITUTE : insertion === least ? INSERT : DELETE;
    }
    [above, row] = [row, above];
  }
  return { kept, width };
}

/** Return the first alignment, from its end: which of the four each step is. */
function steps(a, b) {
  let n = a.length;
  let m = b.length;
  while (n && m && a[n - 1] === b[m - 1]) {
    n -= 1;
    m -= 1;
  }
  const shorter = Math.min(n, m);
  let prefix = 0;
  while (prefix < shorter && a[prefix] === b[prefix]) prefix += 1;
  const { kept, width } = table(a.subarray(prefix, n), b.subarray(prefix, m));
  const found = [];
  let i = a.length;
  let j = b.length;
  while (i || j) {
    let step;
    if (i && j && a[i - 1] === b[j - 1]) step = MATCH;
    // Beside the common start one side is the start of the other: only its surplus is changed.
    else if (i <= prefix || j <= prefix) step = i > j ? DELETE : INSERT;
    else step = kept[(i - prefix) * width + (j - prefix)];
    found.push(step);
    if (step !== INSERT) i -= 1;
    if (step !== DELETE) j -= 1;
  }
  return found.reverse();
}

/** Return the edits: half-open token spans of both sides, and the type D, I or S. */
function edits(a, b) {
  const all = steps(a, b);
  const found = [];
  let i = 0;
  let j = 0;
  for (let at = 0; at < all.length; ) {
    const step = all[at];
    const edit = { type: { [DELETE]: "D", [INSERT]: "I" }[step] ?? "S", start: i, targetStart: j };
    for (; at < all.length && all[at] === step; at += 1) {
      if (step !== INSERT) i += 1;
      if (step !== DELETE) j += 1;
    }
    if (step !== MATCH) found.push({ ...edit, end: i, targetEnd: j });
  }
  return found;
}

/** Say whether two stretches hold the same tokens. */
function same(a, start, end, b, from, to) {
  if (end - start !== to - from) return false;
  for (let step = 0; step < end - start; step += 1) {
    if (a[start + step] !== b[from + step]) return false;
  }
  return true;
}

/** Number the moves: each deletion, from the left, takes the leftmost free insertion like it. */
function markMoves(found, a, b) {
  let moves = 0;
  const insertions = found.filter(({ type }) => type === "I");
  for (const edit of found) {
    if (edit.type !== "D") continue;
    const match = insertions.find(
      (one) => !one.move && same(a, edit.start, edit.end, b, one.targetStart, one.targetEnd),
    );
    if (match) {
      moves += 1;
      edit.move = moves;
      match.move = moves;
    }
  }
}

/** Return the scorer's edits between tokens; both ends of a move carry its number as `move`. */
export function editsOf(source, target) {
  const [a, b] = numbered(source, target);
  const found = edits(a, b);
  markMoves(found, a, b);
  return found;
}
