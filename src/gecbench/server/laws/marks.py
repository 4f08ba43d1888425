"""Finds punctuation marks, symbols and words that a guideline has something to say about.

Each function looks at one text (and its source) and returns the places; what a finding means, a
hint while typing or a rule that blocks, is decided elsewhere. `hints.js` is the twin of what the
hints use.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from gecbench.server.laws.spelling import distance
from gecbench.server.laws.tokens import is_han

_WIDER: Mapping[str, str] = MappingProxyType(dict(zip(",.:;?!", "，。：；？！", strict=True)))
_NARROWER: Mapping[str, str] = MappingProxyType(
    dict(zip("，。：；？！（）、．", ",.:;?!(),.", strict=True))
)
_CHINESE_MARKS = "，。：；？！、…—“”‘’（）《》〈〉「」『』【】"
_SYMBOLS = re.compile(r"[#*&＃＊＆]+")
_WORD = re.compile(r"[A-Za-zＡ-Ｚａ-ｚ]{2,}")  # full-width letters are letters, too
_PAIRS = (
    *("()", "（）", "[]", "［］", "{}", "｛｝", "【】", "《》", "〈〉", "「」", "『』", "“”"),
    *("〔〕", "〖〗"),
)
_CLOSERS: Mapping[str, str] = MappingProxyType({pair[1]: pair[0] for pair in _PAIRS})
_OPENERS = frozenset(_CLOSERS.values())
_LIST_MARK = re.compile(r"(?:^|[\s，。；：？！,;:])[0-9A-Za-z一二三四五六七八九十]{1,2}$")
_SLIP = 4
"""A word was corrected, not lost, if at most one letter and a quarter of its letters differ."""


@dataclass(frozen=True, slots=True)
class Place:
    """A stretch of a text.

    Args:
        start: Its first character; half-open character span.
        end: The character after its last.
        text: What stands there.
        repair: What should stand there; None where only a person knows.
    """

    start: int
    end: int
    text: str
    repair: str | None = None


def half_width(text: str) -> Iterator[Place]:
    """Yield half-width marks between Chinese characters, and after them at the end.

    >>> [place.repair for place in half_width("我去,他不去.")]
    ['，', '。']
    """
    for at, character in enumerate(text):
        if character not in _WIDER or not _is_chinese(_before(text, at), at_end=False):
            continue
        if _is_chinese(_after(text, at + 1), at_end=True):
            yield Place(at, at + 1, character, _WIDER[character])


def full_width(text: str) -> Iterator[Place]:
    """Yield full-width marks of an English text, but those between Chinese characters.

    >>> [place.repair for place in full_width("Yes， he does。")]
    [',', '.']
    """
    for at, character in enumerate(text):
        if character in _NARROWER and not (
            is_han(text[at - 1] if at else " ") or is_han(text[at + 1 : at + 2] or " ")
        ):
            yield Place(at, at + 1, character, _NARROWER[character])


def symbols(text: str) -> Iterator[Place]:
    """Yield symbols without a meaning inside Chinese text.

    >>> [place.text for place in symbols("我们#去**公园，C#好")]
    ['#', '**']
    """
    for match in _SYMBOLS.finditer(text):
        sides = _before(text, match.start()), _after(text, match.end())
        if all(side and is_han(side) for side in sides):
            yield Place(match.start(), match.end(), match.group(), "")


def double_spaces(text: str) -> Iterator[Place]:
    """Yield runs of two and more plain spaces."""
    for match in re.finditer("  +", text):
        yield Place(match.start(), match.end(), match.group(), " ")


def unpaired(text: str) -> Iterator[Place]:
    """Yield quotation marks and brackets without their other half.

    The bracket of a numbered list, as in "1)", needs none; nor do apostrophes.
    """
    opened: list[tuple[int, str]] = []
    waiting: Counter[str] = Counter()
    straight = [at for at, character in enumerate(text) if character == '"']
    lonely = straight[-1:] if len(straight) % 2 else []
    for at, character in enumerate(text):
        opener = _CLOSERS.get(character, "")
        if character in _OPENERS:
            opened.append((at, character))
            waiting[character] += 1
        elif waiting[opener]:
            while opened[-1][1] != opener:
                place, other = opened.pop()
                waiting[other] -= 1
                lonely.append(place)
            opened.pop()
            waiting[opener] -= 1
        elif opener and not (opener in "(（" and _LIST_MARK.search(text[max(0, at - 3) : at])):
            lonely.append(at)
    lonely.extend(at for at, _ in opened)
    for at in sorted(lonely):
        yield Place(at, at + 1, text[at])


def lost_words(source: str, text: str) -> Iterator[Place]:
    """Yield the Latin words of a source that a rewriting has lost; places in the source.

    A word that is there in another spelling was corrected, not lost.

    >>> [place.text for place in lost_words("我用 compter 看 movie", "我用 computer 看电影")]
    ['movie']
    """
    kept = {_plain(match.group()) for match in _WORD.finditer(text)}
    words = {_plain(match.group()): match for match in reversed([*_WORD.finditer(source)])}
    new = kept - set(words)
    for word, match in sorted(words.items(), key=lambda item: item[1].start()):
        most = 1 + len(word) // _SLIP
        if word not in kept and not any(distance(word, one, most=most) <= most for one in new):
            yield Place(match.start(), match.end(), match.group())


def _plain(word: str) -> str:
    return unicodedata.normalize("NFKC", word).lower()


def _before(text: str, at: int) -> str:
    """Return the last character before a place that is not white space; "" for none."""
    return text[:at].rstrip()[-1:]


def _after(text: str, at: int) -> str:
    return text[at:].lstrip()[:1]


def _is_chinese(character: str, *, at_end: bool) -> bool:
    """Say whether a neighbour is a Chinese character or mark; `at_end` answers for none."""
    if not character:
        return at_end
    return is_han(character) or character in _CHINESE_MARKS
