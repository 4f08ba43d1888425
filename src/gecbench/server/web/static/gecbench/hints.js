// Hints while somebody types: they point at a place and never block. The twin of laws/hints.py
// with laws/marks.py and laws/spelling.py; one table of cases holds both together.
//
// Spans count UTF-16 units, as a text box does (setSelectionRange). The words are the page's.

import { PLACEHOLDER } from "./diff.js";
import { isHan } from "./tokens.js";

/** All codes, in the order in which hints come. */
export const CODES = ["half_width", "full_width", "double_space", "unpaired", "placeholder", "lost_word"];

const table = (one, two) => new Map(Array.from(one, (letter, at) => [letter, Array.from(two)[at]]));
const WIDER = table(",.:;?!", "，。：；？！");
const NARROWER = table("，。：；？！（）、．", ",.:;?!(),.");
const CHINESE_MARKS = new Set("，。：；？！、…—“”‘’（）《》〈〉「」『』【】");
const CLOSERS = table(")）]］}｝】》〉」』”〕〗", "(（[［{｛【《〈「『“〔〖");
const OPENERS = new Set(CLOSERS.values());
const LIST_MARK = /(?:^|[\s，。；：？！,;:])[0-9A-Za-z一二三四五六七八九十]{1,2}$/;
const WORD = /[A-Za-zＡ-Ｚａ-ｚ]{2,}/g;
const SLIP = 4; // corrected, not lost, if one letter and a quarter of it at most differ

const OPEN = "[［【〔〖{｛「『(（<《〈";
const CLOSE = "]］】〕〗}｝」』)）>》〉";
const BRACKETED = /[[［【〔〖{｛「『(（<《〈]([^[［【〔〖{｛「『(（<《〈\]］】〕〗}｝」』)）>》〉]{1,40})[\]］】〕〗}｝」』)）>》〉]/gu;
const EVER_USED = ["缺失成分", "缺失成份", "MC", "Noun", "Verb", "实体", "名词", "动词", "缺失"];
const ANY_BRACKET = 4;

const hint = (code, start, text, repair = null) => ({ code, start, end: start + text.length, text, repair });

/** Return the neighbours of a place that are not white space; "" for none. */
const before = (text, at) => Array.from(text.slice(0, at).trimEnd().slice(-2)).at(-1) ?? "";
const after = (text, at) => Array.from(text.slice(at).trimStart().slice(0, 2))[0] ?? "";
const isChinese = (neighbour, atEnd) => (neighbour ? isHan(neighbour) || CHINESE_MARKS.has(neighbour) : atEnd);

function halfWidth(text) {
  const found = [];
  for (const { 0: mark, index } of text.matchAll(/[,.:;?!]/g)) {
    const stands = isChinese(before(text, index), false) && isChinese(after(text, index + 1), true);
    if (stands) found.push(hint("half_width", index, mark, WIDER.get(mark)));
  }
  return found;
}

function fullWidth(text) {
  const found = [];
  for (const { 0: mark, index } of text.matchAll(/[，。：；？！（）、．]/g)) {
    const left = Array.from(text.slice(Math.max(0, index - 2), index)).at(-1) ?? "";
    const right = Array.from(text.slice(index + 1, index + 3))[0] ?? "";
    if (![left, right].some(isHan)) found.push(hint("full_width", index, mark, NARROWER.get(mark)));
  }
  return found;
}

const doubleSpaces = (text) =>
  Array.from(text.matchAll(/ {2,}/g), ({ 0: run, index }) => hint("double_space", index, run, " "));

function unpaired(text) {
  const opened = [];
  const waiting = new Map();
  const wait = (mark, by) => waiting.set(mark, (waiting.get(mark) ?? 0) + by);
  const straight = Array.from(text.matchAll(/"/g), ({ index }) => index);
  const lonely = straight.length % 2 ? straight.slice(-1) : [];
  for (let at = 0; at < text.length; at += 1) {
    const mark = text[at];
    const opener = CLOSERS.get(mark);
    if (OPENERS.has(mark)) {
      opened.push([at, mark]);
      wait(mark, 1);
    } else if (opener && waiting.get(opener)) {
      while (opened.at(-1)[1] !== opener) {
        const [place, other] = opened.pop();
        wait(other, -1);
        lonely.push(place);
      }
      opened.pop();
      wait(opener, -1);
    } else if (opener && !("(（".includes(opener) && LIST_MARK.test(text.slice(Math.max(0, at - 3), at)))) {
      lonely.push(at);
    }
  }
  lonely.push(...opened.map(([at]) => at));
  return lonely.sort((one, two) => one - two).map((at) => hint("unpaired", at, text[at]));
}

/** Return the edit distance of two words, or `most + 1` where it is greater. */
function distance(one, two, most) {
  const [a, b] = [Array.from(one), Array.from(two)];
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let row = Array.from({ length: b.length + 1 }, (_, y) => y);
  for (let x = 1; x <= a.length; x += 1) {
    const above = row;
    row = [x];
    for (let y = 1; y <= b.length; y += 1) {
      row.push(Math.min(above[y - 1] + (a[x - 1] !== b[y - 1]), above[y] + 1, row[y - 1] + 1));
    }
    if (Math.min(...row) > most) return most + 1;
  }
  return Math.min(row.at(-1), most + 1);
}

const plain = (word) => word.normalize("NFKC").toLowerCase();

function lostWords(source, text) {
  const kept = new Set(Array.from(text.matchAll(WORD), ({ 0: word }) => plain(word)));
  const words = new Map();
  for (const { 0: word, index } of source.matchAll(WORD)) {
    if (!words.has(plain(word))) words.set(plain(word), [word, index]);
  }
  const fresh = [...kept].filter((word) => !words.has(word));
  const found = [];
  for (const [name, [word, index]] of words) {
    const most = 1 + Math.floor(name.length / SLIP);
    const lives = kept.has(name) || fresh.some((one) => distance(name, one, most) <= most);
    if (!lives) found.push(hint("lost_word", index, word));
  }
  return found;
}

const isBracket = (letter) => OPEN.includes(letter) || CLOSE.includes(letter);

/** Return the words inside the brackets of a placeholder. */
function inner(text) {
  const letters = Array.from(text);
  while (letters.length && isBracket(letters[0])) letters.shift();
  while (letters.length && isBracket(letters.at(-1))) letters.pop();
  return letters.join("");
}

const folded = (text) => inner(text.replace(/\s+/g, "")).toLowerCase();

function occurrences(text, wanted) {
  const found = [];
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) found.push(at);
  return found;
}

function* candidates(text, placeholder, aliases) {
  const name = folded(placeholder);
  const long = Array.from(name).length >= ANY_BRACKET;
  const names = new Set([name, ...aliases.map(folded), ...EVER_USED.map(folded)]);
  for (const { 0: whole, 1: inside, index } of text.matchAll(BRACKETED)) {
    const word = folded(inside);
    const square = "[［【".includes(whole[0]);
    const meant = square ? names.has(word) || (long && distance(word, name, 1) <= 1) : long && word === name;
    if (meant) yield [index, whole];
  }
  for (const alias of aliases) {
    if (alias && alias !== placeholder) for (const at of occurrences(text, alias)) yield [at, alias];
  }
  const bare = inner(placeholder);
  if (!long) return;
  for (const at of occurrences(text, bare)) {
    const start = at > 0 && OPEN.includes(text[at - 1]) ? at - 1 : at;
    const last = at + bare.length;
    const end = last < text.length && CLOSE.includes(text[last]) ? last + 1 : last;
    yield [start, text.slice(start, end)];
  }
}

function misspelt(text, source, placeholder, aliases) {
  if (!placeholder) return [];
  const rest = text.replaceAll(placeholder, " ".repeat(placeholder.length));
  const found = [...candidates(rest, placeholder, aliases)].filter(([, one]) => !source.includes(one));
  found.sort((one, two) => one[0] - two[0] || two[1].length - one[1].length);
  const kept = [];
  for (const [start, one] of found) {
    if (!kept.length || start >= kept.at(-1).end) kept.push(hint("placeholder", start, one, placeholder));
  }
  return kept;
}

/** Return the hints for a text that is being written: {code, start, end, text, repair}. */
export function hints(source, text, { lang = "zh", placeholder = PLACEHOLDER, aliases = [] } = {}) {
  const widths = { zh: halfWidth, en: fullWidth }[lang];
  return [
    ...(widths ? widths(text) : []),
    ...doubleSpaces(text),
    ...unpaired(text),
    ...misspelt(text, source, placeholder, aliases),
    ...(lang === "zh" ? lostWords(source, text) : []),
  ];
}

/** Return the sentence of a hint: `words` has one for each code, with {text} and {repair} in it. */
export function sentence({ code, text, repair }, words) {
  return words[code].replace(/\{(text|repair)\}/g, (_, name) => (name === "text" ? text : (repair ?? "")));
}
