// What the live diff compares: characters in Chinese, words and marks in English. The twin of
// rules/tokens.py. Texts are arrays of code points.

import { bounds } from "./graphemes.js";

// What Python's str.split takes for white space, which is not what \s matches.
const WHITE = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;
const HAN = /[\u3400-\u9fff\uf900-\ufaff\u{20000}-\u{323af}]/u;
const IN_WORD = /[\p{L}\p{M}\p{N}_]/u;
const LINK = /[-‐‑'’]/;
const DIGIT = /\p{Nd}/u;

export const isWhite = (point) => WHITE.test(point);
export const isHan = (point) => HAN.test(point);
export const isInWord = (point) => IN_WORD.test(point);
export const isInName = (point) => LINK.test(point) || (isInWord(point) && !isHan(point));
export const isDigit = (point) => DIGIT.test(point);

/** Say whether code points stand in others at a place. */
function standsAt(points, at, wanted) {
  return wanted.every((point, step) => points[at + step] === point);
}

/** Return the tokens of a text: {form, start, end, placeholder}; spans count code points. */
export function tokens(points, lang, placeholder) {
  const mark = [...placeholder];
  return lang === "zh" ? characters(points, mark.filter((point) => !isWhite(point))) : words(points, mark);
}

function characters(points, mark) {
  const places = [];
  points.forEach((point, place) => {
    if (!isWhite(point)) places.push(place);
  });
  const packed = places.map((place) => points[place]);
  const found = [];
  for (let at = 0; at < packed.length; ) {
    const placeholder = mark.length > 0 && packed[at] === mark[0] && standsAt(packed, at, mark);
    const last = at + (placeholder ? mark.length : 1) - 1;
    const form = placeholder ? mark.join("") : packed[at];
    found.push({ form, start: places[at], end: places[last] + 1, placeholder });
    at = last + 1;
  }
  return found;
}

function words(points, mark) {
  const [, ends] = bounds(points);
  const found = [];
  let end = 0;
  for (let at = 0; at < points.length; at = end) {
    const placeholder = mark.length > 0 && standsAt(points, at, mark);
    if (placeholder) end = at + mark.length;
    else if (isWhite(points[at]) && ends[at] === at + 1) {
      end = at + 1;
      continue;
    } else end = wordEnd(points, at, ends);
    found.push({ form: points.slice(at, end).join(""), start: at, end, placeholder });
  }
  return found;
}

function wordEnd(points, at, ends) {
  let end = ends[at];
  if (isHan(points[at]) || !isInWord(points[at])) return end;
  while (end < points.length) {
    if (isInWord(points[end]) && !isHan(points[end])) end = ends[end];
    else if (joins(points, end)) end += 1;
    else break;
  }
  return end;
}

/** Say whether an apostrophe, or a point between digits, goes on with the word. */
function joins(points, at) {
  if (at + 1 === points.length || isHan(points[at + 1])) return false;
  if (points[at] === "'" || points[at] === "’") return isInWord(points[at + 1]);
  const digits = isDigit(points[at - 1]) && isDigit(points[at + 1]);
  return (points[at] === "." || points[at] === ",") && digits;
}
