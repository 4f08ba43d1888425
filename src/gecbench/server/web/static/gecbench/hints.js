// Hints while somebody types: they point at a place and never block.
//
// They are the rules CON-5, CON-6 and CON-8 of a golden set (rules/consistency.py); one table of
// cases (tests/server/hint_cases.py) holds both together. Spans count UTF-16 units, as a text box does.

import { PLACEHOLDER, isHan } from "./diff.js";

/** All codes, in the order in which hints come. */
export const CODES = ["half_width", "full_width", "double_space", "unpaired", "placeholder", "lost_word"];

const FULL_WIDTH = { ",": "，", ".": "。", ":": "：", ";": "；", "?": "？", "!": "！" };
const HALF_WIDTH = {
  ...Object.fromEntries(Object.entries(FULL_WIDTH).map(([half, full]) => [full, half])),
  ...{ "（": "(", "）": ")", "、": ",", "．": "." },
};
const CHINESE_MARKS = "，。：；？！、…—“”‘’（）《》〈〉「」『』【】";
const OPENERS = "(（[［{｛【《〈「『“〔〖";
const CLOSERS = ")）]］}｝】》〉」』”〕〗";
const LIST_NUMBER = /(?:^|[\s，。；：？！,;:])[0-9A-Za-z一二三四五六七八九十]{1,2}$/;
const LATIN_WORD = /[A-Za-zＡ-Ｚａ-ｚ]{2,}/g;
const LETTERS_PER_ERROR = 4; // a word is misspelt, not lost, if one letter and a quarter of it differ

const OPEN_BRACKETS = "[［【〔〖{｛「『(（<《〈";
const CLOSE_BRACKETS = "]］】〕〗}｝」』)）>》〉";
const BRACKETED = /[[［【〔〖{｛「『(（<《〈]([^[［【〔〖{｛「『(（<《〈\]］】〕〗}｝」』)）>》〉]{1,40})[\]］】〕〗}｝」』)）>》〉]/gu;
const COMMON_SPELLINGS = ["缺失成分", "缺失成份", "MC", "Noun", "Verb", "实体", "名词", "动词", "缺失"];
const LONG_PLACEHOLDER = 4; // so long that it is recognised in any bracket, and without

const hint = (code, start, text, repair = null) => ({ code, start, end: start + text.length, text, repair });

function findHalfWidth(text) {
  const isChinese = (character) => isHan(character) || CHINESE_MARKS.includes(character);
  const stands = ({ index }) => {
    const before = Array.from(text.slice(0, index).trimEnd().slice(-2)).at(-1);
    const [after] = text.slice(index + 1).trimStart();
    return before && isChinese(before) && (!after || isChinese(after));
  };
  const marks = Array.from(text.matchAll(/[,.:;?!]/g)).filter(stands);
  return marks.map(({ 0: mark, index }) => hint("half_width", index, mark, FULL_WIDTH[mark]));
}

function findFullWidth(text) {
  const stands = ({ index }) => {
    const before = Array.from(text.slice(Math.max(0, index - 2), index)).at(-1);
    const [after] = text.slice(index + 1);
    return ![before, after].some((character) => character && isHan(character));
  };
  const marks = Array.from(text.matchAll(/[，。：；？！（）、．]/g)).filter(stands);
  return marks.map(({ 0: mark, index }) => hint("full_width", index, mark, HALF_WIDTH[mark]));
}

function findDoubleSpaces(text) {
  return Array.from(text.matchAll(/ {2,}/g), ({ 0: spaces, index }) => hint("double_space", index, spaces, " "));
}

function findUnpaired(text) {
  const quotes = Array.from(text.matchAll(/"/g), ({ index }) => index);
  const unpaired = quotes.length % 2 ? quotes.slice(-1) : [];
  const opened = []; // places of openers that wait for their closer
  for (let at = 0; at < text.length; at += 1) {
    const opener = CLOSERS.includes(text[at]) ? OPENERS[CLOSERS.indexOf(text[at])] : "";
    const pair = opener ? opened.findLastIndex((place) => text[place] === opener) : -1;
    if (OPENERS.includes(text[at])) opened.push(at);
    else if (pair >= 0) unpaired.push(...opened.splice(pair).slice(1));
    else if (opener && !("(（".includes(opener) && LIST_NUMBER.test(text.slice(Math.max(0, at - 3), at)))) {
      unpaired.push(at);
    }
  }
  return [...unpaired, ...opened].sort((a, b) => a - b).map((at) => hint("unpaired", at, text[at]));
}

/** Whether the edit distance of two words is at most that. */
function isWithin(distance, first, second) {
  const [a, b] = [Array.from(first), Array.from(second)];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const above = row;
    row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      row.push(Math.min(above[j - 1] + (a[i - 1] !== b[j - 1]), above[j] + 1, row[j - 1] + 1));
    }
    if (Math.min(...row) > distance) return false;
  }
  return row.at(-1) <= distance;
}

function findLostWords(source, text) {
  const fold = (word) => word.normalize("NFKC").toLowerCase();
  const written = new Set(Array.from(text.matchAll(LATIN_WORD), ({ 0: word }) => fold(word)));
  const words = new Map();
  for (const { 0: word, index } of source.matchAll(LATIN_WORD)) {
    if (!words.has(fold(word))) words.set(fold(word), hint("lost_word", index, word));
  }
  const added = [...written].filter((word) => !words.has(word));
  const isLost = ([word]) => {
    const distance = 1 + Math.floor(word.length / LETTERS_PER_ERROR);
    return !written.has(word) && !added.some((other) => isWithin(distance, word, other));
  };
  return [...words].filter(isLost).map(([, lost]) => lost);
}

/** The words inside the brackets of a placeholder. */
function withoutBrackets(text) {
  const isBracket = (letter) => OPEN_BRACKETS.includes(letter) || CLOSE_BRACKETS.includes(letter);
  const letters = Array.from(text);
  while (letters.length && isBracket(letters[0])) letters.shift();
  while (letters.length && isBracket(letters.at(-1))) letters.pop();
  return letters.join("");
}

function findAll(text, wanted) {
  const places = [];
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) places.push(at);
  return places;
}

/** What could be meant for the placeholder: [place, text]. */
function* findSpellings(text, placeholder, aliases) {
  const fold = (spelling) => withoutBrackets(spelling.replace(/\s+/g, "")).toLowerCase();
  const name = fold(placeholder);
  const isLong = Array.from(name).length >= LONG_PLACEHOLDER;
  const names = new Set([name, ...[...aliases, ...COMMON_SPELLINGS].map(fold)]);
  for (const { 0: whole, 1: inside, index } of text.matchAll(BRACKETED)) {
    const word = fold(inside);
    const isMeant = "[［【".includes(whole[0])
      ? names.has(word) || (isLong && isWithin(1, word, name))
      : isLong && word === name;
    if (isMeant) yield [index, whole];
  }
  for (const alias of aliases.filter((other) => other && other !== placeholder)) {
    for (const at of findAll(text, alias)) yield [at, alias];
  }
  if (!isLong) return;
  const bare = withoutBrackets(placeholder);
  for (const at of findAll(text, bare)) {
    const start = at > 0 && OPEN_BRACKETS.includes(text[at - 1]) ? at - 1 : at;
    const last = at + bare.length;
    const end = last < text.length && CLOSE_BRACKETS.includes(text[last]) ? last + 1 : last;
    yield [start, text.slice(start, end)];
  }
}

function findMisspelledPlaceholders(text, source, placeholder, aliases) {
  if (!placeholder) return [];
  const rest = text.replaceAll(placeholder, " ".repeat(placeholder.length));
  const spellings = [...findSpellings(rest, placeholder, aliases)].filter(([, spelling]) => !source.includes(spelling));
  spellings.sort((a, b) => a[0] - b[0] || b[1].length - a[1].length);
  const hints = [];
  for (const [start, spelling] of spellings) {
    if (start >= (hints.at(-1)?.end ?? 0)) hints.push(hint("placeholder", start, spelling, placeholder));
  }
  return hints;
}

/** Find the hints for a text that is being written: {code, start, end, text, repair}. */
export function findHints(source, text, { lang = "zh", placeholder = PLACEHOLDER, aliases = [] } = {}) {
  return [
    ...(lang === "zh" ? findHalfWidth(text) : []),
    ...(lang === "en" ? findFullWidth(text) : []),
    ...findDoubleSpaces(text),
    ...findUnpaired(text),
    ...findMisspelledPlaceholders(text, source, placeholder, aliases),
    ...(lang === "zh" ? findLostWords(source, text) : []),
  ];
}

/** Put a hint into words: `words` has a message for each code, with {text} and {repair} in it. */
export function formatHint({ code, text, repair }, words) {
  return words[code].replace(/\{(text|repair)\}/g, (_, name) => (name === "text" ? text : (repair ?? "")));
}
