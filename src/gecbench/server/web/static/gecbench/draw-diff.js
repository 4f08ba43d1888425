// Draws the pieces of a difference: <del> and <ins>, with words for those who hear the page.
//
// Only text nodes and elements are made; no text is ever read as HTML.

import { createElement } from "./page.js";

const SIDES = {
  delete: { tag: "del", side: "source", word: "delete" },
  insert: { tag: "ins", side: "target", word: "insert" },
  move_from: { tag: "del", side: "source", word: "moveFrom" },
  move_to: { tag: "ins", side: "target", word: "moveTo" },
};

const createSpan = (className, ...children) => createElement("span", { className }, ...children);

/** A text as nodes, each placeholder in it as a chip. */
function withChips(text, placeholder) {
  if (!placeholder) return [text];
  const parts = text.split(placeholder);
  return parts.flatMap((part, index) => (index ? [createSpan("diff-chip", placeholder), part] : [part]));
}

function drawChange(op, piece, words, placeholder) {
  const { tag, side, word } = SIDES[op];
  const text = withChips(piece[side], placeholder);
  const spoken = [`${words[word]} `, words.pause].map((part) => createSpan("diff-said", part));
  const className = piece.move ? "diff-move" : `diff-${op}`;
  const change = createElement(tag, { className }, spoken[0], ...text, spoken[1]);
  if (piece.edits.length) change.dataset.edits = piece.edits.join(" ");
  if (piece.move) change.dataset.move = String(piece.move);
  return change;
}

function drawPiece(piece, words, placeholder) {
  if (piece.op === "equal") return withChips(piece.source, placeholder);
  if (piece.op === "space") {
    const kind = piece.target ? "added" : "removed";
    const className = `diff-space diff-space-${kind}`;
    return [createElement("span", { className, title: words.space }, piece.target || piece.source)];
  }
  if (piece.op !== "replace") return [drawChange(piece.op, piece, words, placeholder)];
  const changes = ["delete", "insert"].map((op) => drawChange(op, piece, words, placeholder));
  return [createSpan("diff-replace", ...changes)];
}

/**
 * Fill an element with a difference.
 *
 * `words` are the reader's: delete, insert, moveFrom, moveTo (said before a change), pause (said
 * after it, as ", "), space (shown for white space that differs and is not counted).
 */
export function drawDiff(place, pieces, words, placeholder) {
  place.classList.add("diff");
  place.replaceChildren(...pieces.flatMap((piece) => drawPiece(piece, words, placeholder)));
}

/** Show the text of a row clean, or marked again; its button says which. */
export function toggleClean(row, clean) {
  const button = row?.querySelector("[data-act=clean]");
  if (!button) return false;
  button.setAttribute("aria-pressed", String(row.querySelector(".diff").classList.toggle("clean", clean)));
  return true;
}
