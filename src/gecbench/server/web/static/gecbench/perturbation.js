// Variants of a sentence whose errors stay: both texts from the gaps, and how subtle the change is.
//
// rules/perturbation.py is the same program in Python, which decides; one table of cases
// (tests/server/perturbation_cases.py) holds both together. Nothing here needs a page.

import { extractEdits, tokenize } from "./diff.js";

/**
 * Put the gaps and one side of the errors together: "source" or "target".
 *
 * In Chinese they simply follow each other; elsewhere one space stands on both sides of an error,
 * whatever was typed.
 */
export function joinGaps(gaps, chips, side, lang) {
  const pieces = gaps.flatMap((gap, index) => (index ? [chips[index - 1][side], gap] : [gap]));
  if (lang === "zh") return pieces.join("").trim();
  return pieces.map((piece) => piece.trim()).filter(Boolean).join(" ");
}

/** What a variant changes of its original: {edits, changed, tokens}; edits that touch are one. */
export function measureChange(original, variant, lang) {
  const [source, target] = [original, variant].map((text) => tokenize(text, lang, ""));
  const runs = [];
  let end = -1;
  for (const edit of extractEdits(source, target)) {
    if (edit.start !== end) runs.push([0, 0]);
    const run = runs.at(-1);
    run[0] += edit.end - edit.start;
    run[1] += edit.targetEnd - edit.targetStart;
    end = edit.end;
  }
  const changed = runs.reduce((sum, run) => sum + Math.max(...run), 0);
  return { edits: runs.length, changed, tokens: source.length };
}
