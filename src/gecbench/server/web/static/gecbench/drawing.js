// Draws the pieces of a diff: <del> and <ins> with words for those who hear the page.
//
// Only text nodes and elements are made; no text is ever read as HTML.

const OPS = {
  delete: { tag: "del", side: "source", word: "delete" },
  insert: { tag: "ins", side: "target", word: "insert" },
  move_from: { tag: "del", side: "source", word: "moveFrom" },
  move_to: { tag: "ins", side: "target", word: "moveTo" },
};

function make(tag, name, ...children) {
  const element = document.createElement(tag);
  element.className = name;
  element.append(...children);
  return element;
}

/** Return a text as nodes, each placeholder in it as a chip. */
function withChips(text, placeholder) {
  if (!placeholder || !text.includes(placeholder)) return [text];
  return text.split(placeholder).flatMap((part, index) => {
    const chip = index ? [make("span", "diff-chip", placeholder)] : [];
    return part ? [...chip, part] : chip;
  });
}

const said = (text) => make("span", "diff-said", text);

function change(op, piece, words, placeholder) {
  const { tag, side, word } = OPS[op];
  const name = op.startsWith("move") ? "diff-move" : `diff-${op}`;
  const shown = make(tag, name, said(`${words[word]} `), ...withChips(piece[side], placeholder));
  shown.append(said(words.pause));
  if (piece.edits.length) shown.dataset.edits = piece.edits.join(" ");
  if (piece.move) shown.dataset.move = String(piece.move);
  return shown;
}

function nodes(piece, words, placeholder) {
  if (piece.op === "equal") return withChips(piece.source, placeholder);
  if (piece.op === "space") {
    const kind = piece.target ? "added" : "removed";
    const shown = make("span", `diff-space diff-space-${kind}`, piece.target || piece.source);
    shown.title = words.space;
    return [shown];
  }
  if (piece.op !== "replace") return [change(piece.op, piece, words, placeholder)];
  const parts = ["delete", "insert"].map((op) => change(op, piece, words, placeholder));
  return [make("span", "diff-replace", ...parts)];
}

/**
 * Fill an element with a diff.
 *
 * `words` are the reader's: delete, insert, moveFrom, moveTo (said before a change), pause (said
 * after it, as ", "), space (shown for white space that differs and is not counted).
 */
export function draw(element, pieces, words, { placeholder = "[缺失成分]" } = {}) {
  element.classList.add("diff");
  element.replaceChildren(...pieces.flatMap((piece) => nodes(piece, words, placeholder)));
}

/** Show a row's text clean, or marked again; its button says which. Return whether it has a text. */
export function switchClean(row, clean = null) {
  const button = row?.querySelector("[data-act=clean]");
  if (!button) return false;
  const shown = row.querySelector(".diff").classList.toggle("clean", clean ?? undefined);
  button.setAttribute("aria-pressed", String(shown));
  return true;
}
