"""Spelling hints for English: misspelled words, a and an, repeated words, capitals."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Annotated

import msgspec

from gecbench.backends.dictionaries import symspell_pairs, symspell_words
from gecbench.core.corrector import Correction, Corrector, CorrectorInfo, TextEdit, apply
from gecbench.models.lexical.english_words import EnglishWords, english_words
from gecbench.models.lexical.misspelled import misspelled
from gecbench.models.lexical.nearest import Look, speller
from gecbench.models.lexical.own import own_words
from gecbench.models.lexical.rules import Change, articles, capitals, merged, repeated
from gecbench.models.options import options_of
from gecbench.text.splitting import split
from gecbench.text.tokens import Token, tokens_of

VERSION = "2"
"""Goes up when the same options give other output."""

_ABOUT = (
    "Spelling hints: misspelled words, a and an, repeated words, capitals. It does not correct "
    "grammar: verb forms, prepositions, word choice and order stay as they are."
)


THRESHOLD = 0.6
"""Least probability of a spelling: of 0.5, 0.6, 0.7, 0.8 the best on JFLEG's development part."""


_GOES_ON = re.compile(r"(?:\.\.|…|\b[A-Za-z]\.[A-Za-z]\.|[\"'”’)\]])\s*$")
"""Ends of what may go on in small letters: an ellipsis, "a.m.", a quotation, a bracket."""

_ADDRESS = re.compile(
    r"://|^www\.|\w@\w|^[@#]\w|\w_\w|^/\w|\w/\w+/"
    r"|\w\.(?:com|org|net|edu|gov|cn|io|html?|txt|pdf|docx?|jpe?g|png|py)\b",
    re.IGNORECASE,
)
"""What stands in addresses, tags and names of files, whose words are not spelled anew."""


class _Options(msgspec.Struct):
    """What can be chosen.

    Args:
        threshold: Least probability of a spelling, in [0, 1]; more is more careful.
        words: File of words that are right, as names and terms, one a line.
    """

    threshold: Annotated[float, msgspec.Meta(ge=0, le=1)] = THRESHOLD
    words: str = ""


@dataclass(frozen=True, slots=True)
class EnRules:
    """Looks words up, and goes by a few rules.

    The score of a spelling is the probability of the word among all that are near enough and
    that the word was right (`nearest.Nearest`); that of a rule is a constant, which says no more
    than that rules are rarely wrong.
    """

    info: CorrectorInfo
    words: EnglishWords
    nearest: Look
    threshold: float

    def correct(self, texts: Sequence[str]) -> list[Correction]:
        """Return each text with what rules and word list are sure of."""
        return [self._corrected(text) for text in texts]

    def close(self) -> None:
        """Hold nothing that must be let go of."""

    def _corrected(self, text: str) -> Correction:
        edits: list[TextEdit] = []
        offset = 0
        for sentence in split(text):
            begins = not _GOES_ON.search(text, max(0, offset - 40), offset)
            for edit in self._edits(sentence, begins=begins):
                span = edit.start + offset, edit.end + offset
                edits.append(TextEdit(*span, edit.replacement, edit.score, edit.label))
            offset += len(sentence)
        return Correction(text, apply(edits, text), tuple(edits))

    def _edits(self, sentence: str, *, begins: bool) -> list[TextEdit]:
        """Return the edits of a sentence in the order of their spans."""
        tokens = tokens_of(sentence, "en")
        if not tokens:
            return []
        deleted = repeated([token.text for token in tokens])
        left = [place for place in range(len(tokens)) if place not in deleted]
        words = [tokens[place].text for place in left]
        changes: dict[int, Change] = {}
        # Each rule sees what the one before it has left: a misspelled word has its right sound.
        for rule in (self._spelled, articles, partial(capitals, begins=begins)):
            made = rule(_made(words, changes))
            changes = merged(changes, made)
        found = {left[place]: change for place, change in changes.items()} | deleted
        kept = set(found) - set(_in_addresses(sentence, tokens))
        return [_edit(tokens, place, found[place]) for place in sorted(kept)]

    def _spelled(self, words: Sequence[str]) -> dict[int, Change]:
        return misspelled(words, self.words, self.nearest, threshold=self.threshold)


def _in_addresses(sentence: str, tokens: Sequence[Token]) -> Iterator[int]:
    """Yield the places of tokens that are part of an address, a tag or a file's name."""
    spans = [m.span() for m in re.finditer(r"\S+", sentence) if _ADDRESS.search(m.group())]
    for place, token in enumerate(tokens):
        if any(start <= token.start < end for start, end in spans):
            yield place


def _made(words: Sequence[str], changes: Mapping[int, Change]) -> list[str]:
    return [changes[k].text if k in changes else word for k, word in enumerate(words)]


def _edit(tokens: Sequence[Token], place: int, change: Change) -> TextEdit:
    """Return a change of a token; a deletion takes the white space before it along."""
    start, end = tokens[place].start, tokens[place].end
    if not change.text:
        start = tokens[place - 1].end
    return TextEdit(start, end, change.text, change.score, change.label)


def load(_place: str, options: Mapping[str, object]) -> Corrector:
    """Return the corrector.

    Raises:
        UsageError: An option is unknown or wrong.
        MissingExtraError: symspellpy, of the extra `spelling`, is not installed.
        FormatError: The file of words is none.
    """
    chosen = options_of("en-rules", _Options, options)
    listed = symspell_words()
    own = own_words(Path(chosen.words)) if chosen.words else ()
    words = english_words(listed, own)
    signature = {
        "corrector": "en-rules",
        "version": VERSION,
        "dictionary": listed.name,
        "threshold": str(chosen.threshold),
    }
    if own:
        signature["words"] = " ".join(own)
    info = CorrectorInfo("en-rules", "lexical", ("en",), _ABOUT, signature)
    return EnRules(info, words, speller(words.counts, cache(_pairs)), chosen.threshold)


PAIRED = 500_000_000
"""Occurrences of two words that are written as one by mistake, as "alot"; rarer ones mislead."""


def _pairs() -> dict[str, int]:
    """Return pairs of words that are frequent."""
    listed = symspell_pairs()
    return {
        pair: count
        for pair, count in zip(listed.words, listed.counts, strict=True)
        if count >= PAIRED
    }
