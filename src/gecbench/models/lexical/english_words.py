"""Which English words are right, as far as a word list and a few rules can say."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from gecbench.backends.dictionaries import WordList

# What American spelling has, and what the list, which is mostly British, has instead.
_AMERICAN = (
    (re.compile(r"or"), "our"),
    (re.compile(r"er(?=s?$)"), "re"),
    (re.compile(r"z(?=(?:e|ed|es|ing|er|ers|ation|ations|able)$)"), "s"),
    (re.compile(r"e"), "ae"),
    (re.compile(r"e"), "oe"),
    (re.compile(r"og(?=s?$)"), "ogue"),
    (re.compile(r"(?<=[aeiou])l(?=(?:ed|ing|er|ers|or|ors|ist|ists)$)"), "ll"),
    (re.compile(r"^sulf"), "sulph"),
    (re.compile(r"(?<=practi)c(?=e)|(?<=practi)c(?=ing)"), "s"),
    (re.compile(r"(?<=^(?:off|def|pre)en)s|(?<=^preten)s|(?<=^licen)s"), "c"),
)
_STRESSED = (
    *("annul", "compel", "control", "dispel", "excel", "expel", "extol", "impel", "patrol"),
    *("propel", "rebel", "repel", "instil", "distil", "fulfil", "enrol"),
)
"""Verbs that double their l on both sides of the Atlantic."""

_MORE = frozenset(
    (
        *("airplane", "airplanes", "aluminum", "cellphone", "cellphones", "cozy", "donut"),
        *(
            "donuts",
            "ecommerce",
            "jewelry",
            "kgs",
            "kms",
            "maneuver",
            "maneuvers",
            "math",
            "mold",
            "molds",
        ),
        *("mom", "moms", "mustache", "omelet", "pajamas", "plow", "plows", "podcast", "podcasts"),
        *(
            "selfie",
            "selfies",
            "sha",
            "skeptic",
            "skeptical",
            "skepticism",
            "texting",
            "tv",
            "tvs",
            "vs",
            "webpage",
        ),
        *("webpages", "wechat", "weibo", "wifi"),
    )
)
"""Right words that the list lacks in one version or another."""

_BEFORE = re.compile(
    r"^(?:anti|bio|co|counter|eco|extra|hyper|inter|micro|mini|mis|multi|non|over|photo|post|pre|"
    r"pro|re|semi|sub|super|tele|ultra|un|under)(?=[a-z]{5})"
)
_BEHIND = re.compile(r"(?<=[a-z]{3})(?:less|like|ness|nesses|ship|ships|wise|proof|free)$")


@dataclass(frozen=True, slots=True)
class EnglishWords:
    """Words in lower case, with how often they were seen.

    Args:
        counts: By word.
        own: Words that are right because the user says so.
    """

    counts: Mapping[str, int]
    own: frozenset[str]

    def knows(self, word: str) -> bool:
        """Return whether a word, in lower case, need not be looked at.

        British and American spellings are both right, and so is a known word behind a usual
        prefix or before a usual suffix.
        """
        if word in self.counts or word in self.own or word in _MORE:
            return True
        if any(each in self.counts for each in _british(word)):
            return True
        return any(self._common(part) for part in _parts(word))

    def _common(self, word: str) -> bool:
        """Return whether a part of a word is no rarity: rare parts would excuse any error."""
        return self.counts.get(word, 0) >= COMMON


CONTRACTED = 150_000_000
"""Occurrences that "don't" and its like count as; about those of "never"."""

COMMON = 2_000_000
"""Occurrences of what words are made of; about the first 15,000 words have as many."""


def english_words(listed: WordList, own: Sequence[str] = ()) -> EnglishWords:
    """Return the words of a list, and the user's own."""
    counts = dict(zip(listed.words, listed.counts, strict=True))
    # The list was counted without apostrophes, and gives them all one small number.
    counts.update((word, CONTRACTED) for word in listed.words if "'" in word)
    return EnglishWords(counts, frozenset(word.lower() for word in own))


def _british(word: str) -> Iterator[str]:
    """Yield how a word would be spelled in Britain, if it is spelled as in America."""
    for pattern, instead in _AMERICAN:
        for match in pattern.finditer(word):
            start = match.start()
            if instead == "ll" and word[: start + 1] in _STRESSED:
                continue
            yield word[:start] + instead + word[match.end() :]


def _parts(word: str) -> Iterator[str]:
    """Yield what is left of a word without a usual prefix or suffix."""
    for pattern in (_BEFORE, _BEHIND):
        rest = pattern.sub("", word)
        if rest != word:
            yield rest
