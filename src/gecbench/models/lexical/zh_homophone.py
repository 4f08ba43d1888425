"""Spelling hints for Chinese: characters that were taken for others that sound the same."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import msgspec

from gecbench.backends.dictionaries import jieba_words
from gecbench.core.corrector import Correction, Corrector, CorrectorInfo, TextEdit, apply
from gecbench.lang.zh.sounds import sounds
from gecbench.models.lexical.characters import Characters, characters
from gecbench.models.lexical.homophones import (
    LONGEST,
    Candidate,
    Homophones,
    candidates,
    homophones,
)
from gecbench.models.lexical.own import own_words
from gecbench.models.lexical.vocabulary import Vocabulary, divide, vocabulary
from gecbench.models.options import options_of

VERSION = "2"
"""Goes up when the same options give other output."""

_ABOUT = (
    "Spelling hints: characters taken for others with the same sound (因该 for 应该). It does not "
    "correct grammar: it mends about 1 in 100 of the errors that learners make."
)

RARITY = 5.0
"""A score of 1/2 is given to this gain: a likelihood ratio of e^5, about 150 to 1."""

_CLAUSE = re.compile(r"[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+")
_SIMPLIFIED = re.compile(r"[\ue000-\uf8ff]+")

THRESHOLD, CLEAN_THRESHOLD = 5.0, 7.0
"""Least gains by the dictionary alone, and with clean text.

From 5 to 6 made errors on the first four fifths of MuCGEC's development set are found equally well
(F0.5 .869 to .871); 5 finds more of the real ones in SIGHAN 2015. With clean text 7 was chosen, and
the weight, with a view of the last fifth and of SIGHAN: those figures are no held-out ones.
"""

TRADITIONAL = 0.05
"""Share of traditional among Chinese characters from which a whole text is left alone."""


class _Options(msgspec.Struct):
    """What can be chosen.

    Args:
        threshold: Least gain of a change, in natural logarithms; more is more careful. None is
            5, and 7 where clean text has a say.
        text: File of clean text, for a model of character trigrams that has a say, too.
        weight: How much its say counts beside that of the dictionary.
        words: File of words that are right, as names and terms, one a line.
    """

    threshold: Annotated[float, msgspec.Meta(ge=0, le=1000)] | None = None
    text: str = ""
    weight: Annotated[float, msgspec.Meta(ge=0, le=1000)] = 0.5
    words: str = ""


@dataclass(frozen=True, slots=True)
class ZhHomophone:
    """Looks for words with the same sound that make a text likelier.

    The score of an edit is 1 / (1 + e^(5 - gain)), where the gain is the difference of the
    logarithms of the likelihoods of the text after and before: how probable the edit is if, of
    150 such characters, one is wrong.
    """

    info: CorrectorInfo
    vocabulary: Vocabulary
    homophones: Homophones
    threshold: float
    characters: Characters | None
    weight: float

    def correct(self, texts: Sequence[str]) -> list[Correction]:
        """Return each text with the characters exchanged that gain most."""
        return [self._corrected(text) for text in texts]

    def close(self) -> None:
        """Hold nothing that must be let go of."""

    def _corrected(self, text: str) -> Correction:
        edits = []
        sound = text.translate(self.homophones.sounds.table)
        for start, end in _clauses(text, sound):
            for each in self._changes(text[start:end]):
                score = 1 / (1 + math.exp(RARITY - each.gain))
                span = start + each.start, start + each.end
                edits.append(TextEdit(*span, each.replacement, score, "same sound"))
        edits.sort(key=lambda edit: edit.start)
        return Correction(text, apply(edits, text), tuple(edits))

    def _changes(self, text: str) -> list[Candidate]:
        """Return changes that do not overlap, best first, each judged after those before it."""
        taken: list[Candidate] = []
        fixed: set[int] = set()
        while True:
            accepted = self._round(text, fixed)
            if not accepted:
                return taken
            for each in accepted:
                text = text[: each.start] + each.replacement + text[each.end :]
                fixed.update(range(each.start, each.end))
            taken += accepted

    def _round(self, text: str, fixed: set[int]) -> list[Candidate]:
        """Return the best changes that are so far apart that they have no word in common."""
        accepted: list[Candidate] = []
        for each in sorted(self._offers(text), key=lambda each: (-each.gain, *each[1:])):
            if fixed.isdisjoint(range(each.start, each.end)) and all(
                each.start >= other.end + LONGEST or each.end + LONGEST <= other.start
                for other in accepted
            ):
                accepted.append(each)
        return accepted

    def _offers(self, text: str) -> list[Candidate]:
        division = divide(text, self.vocabulary)
        if self.characters is None:
            least = self.threshold
            return list(candidates(text, division, self.vocabulary, self.homophones, least=least))
        model = self.characters
        found = candidates(text, division, self.vocabulary, self.homophones, least=0.0)
        judged = (
            each._replace(gain=each.gain + self.weight * model.gain(text, *each[1:]))
            for each in found
        )
        return [each for each in judged if each.gain >= self.threshold]


def _clauses(text: str, sound: str) -> list[tuple[int, int]]:
    """Return the spans that are looked at: simplified characters, of clauses that are simplified.

    A clause with a traditional character is left alone, and so is a text with several: its other
    characters may be of both kinds, but words of the dictionary that replaced them would not be.
    """
    clauses = [match.span() for match in _CLAUSE.finditer(text)]
    spans, traditional, total = [], 0, 0
    for start, end in clauses:
        found = sum(map(_traditional, text[start:end], sound[start:end]))
        total += end - start
        traditional += found
        if not found:
            spans += [match.span() for match in _SIMPLIFIED.finditer(sound, start, end)]
    if traditional and traditional >= TRADITIONAL * total:
        return []
    return [(start, end) for start, end in spans if end - start > 1]


def _traditional(character: str, sound: str) -> bool:
    """Return whether a character is in Big5, the traditional set, and not in GB 2312."""
    if character != sound:  # it has a sound here, so it is in GB 2312
        return False
    try:
        character.encode("big5")
    except UnicodeEncodeError:
        return False
    return True


def load(_place: str, options: Mapping[str, object]) -> Corrector:
    """Return the corrector.

    Raises:
        UsageError: An option is unknown or wrong.
        MissingExtraError: jieba or pypinyin, of the extra `spelling`, is not installed.
        FormatError: The clean text or the words cannot be read as such.
    """
    chosen = options_of("zh-homophone", _Options, options)
    listed = jieba_words()
    sounding = sounds()
    own = own_words(Path(chosen.words)) if chosen.words else ()
    clean = characters(Path(chosen.text)) if chosen.text else None
    words = vocabulary(listed, own)
    threshold = chosen.threshold
    if threshold is None:
        threshold = THRESHOLD if clean is None else CLEAN_THRESHOLD
    signature = {
        "corrector": "zh-homophone",
        "version": VERSION,
        "dictionary": listed.name,
        "readings": sounding.name,
        "threshold": str(threshold),
    }
    if clean:
        signature |= {"text": clean.name, "weight": str(chosen.weight)}
    if own:
        signature["words"] = " ".join(own)
    info = CorrectorInfo("zh-homophone", "lexical", ("zh",), _ABOUT, signature)
    known = homophones(words, sounding, frozenset(listed.people) - set(own))
    return ZhHomophone(info, words, known, threshold, clean, chosen.weight)
