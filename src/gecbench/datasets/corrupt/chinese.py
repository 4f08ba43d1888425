"""The types of errors that rules make in Chinese: thirteen of MuCGEC's fourteen.

They have the ids of the guidelines' taxonomy (MuCGEC, Zhang et al. 2022, Table 2). Ambiguity
(`pragmatics-ambiguity`) is the one that no rule here makes: it takes understanding what is meant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache

from gecbench.datasets.corrupt.chance import Weighted
from gecbench.datasets.corrupt.characters import (
    Confusion,
    Confusions,
    Exchange,
    Insertions,
    Omission,
    Repetition,
)
from gecbench.datasets.corrupt.choosing import Mixed
from gecbench.datasets.corrupt.slips import Rule
from gecbench.datasets.corrupt.tables import confusions_of, tables
from gecbench.datasets.corrupt.whole_words import (
    Divide,
    Division,
    WordExchange,
    WordOmission,
    WordOrder,
    WordRepetition,
)

Sounding = Callable[[], Mapping[str, Mapping[str, float]]]
"""Gives the characters that sound like each, with weights."""

Looking = Mapping[str, tuple[str, ...]]
"""The characters that look like each."""

_NAME_VARIANTS = 6

_BY_TABLE = (
    *("punctuation-missing", "punctuation-misused", "word-misused", "syntax-blend"),
    "pragmatics-logic",
)


def chinese_types(
    sounds: Sounding, shapes: Looking | None, divide: Divide | None
) -> dict[str, Callable[[], Rule[str]]]:
    """Return what makes each type; a rule is made when it is asked for.

    Args:
        sounds: Characters that sound alike.
        shapes: Characters that look alike; None takes the packaged table.
        divide: A segmenter; None is none, and characters stand for words.
    """
    homophones = cache(sounds)
    made: dict[str, Callable[[], Rule[str]]] = {name: _table_maker(name) for name in _BY_TABLE}
    made |= {
        "punctuation-redundant": _redundant_marks,
        "spelling-sound": lambda: Confusions(_weighted(homophones())),
        "spelling-shape": lambda: (
            Confusions(_confusions(shapes)) if shapes else _table("spelling-shape")
        ),
        "spelling-name": lambda: _names(homophones()),
    }
    if divide is None:
        return made | {
            "spelling-order": lambda: Exchange(Weighted([(1, 1)], [1])),
            "word-missing": lambda: _table("word-missing"),
            "word-redundant": _redundant_words,
            "syntax-order": _order,
        }
    words = Division(divide)
    return made | {
        "spelling-order": lambda: WordOrder(words),
        "word-missing": lambda: Mixed((_table("word-missing"), WordOmission(words)), (0.6, 0.4)),
        "word-redundant": lambda: Mixed((_redundant_words(), WordRepetition(words)), (0.8, 0.2)),
        "syntax-order": lambda: Mixed((_moving(), WordExchange(words)), (0.4, 0.6)),
    }


def _table_maker(name: str) -> Callable[[], Rule[str]]:
    return lambda: _table(name)


def _table(name: str) -> Confusions:
    return Confusions(_confusions(confusions_of("zh", name)))


def _confusions(table: Mapping[str, tuple[str, ...]]) -> Iterable[Confusion]:
    return (Confusion(right, wrong) for right, wrong in table.items())


def _weighted(table: Mapping[str, Mapping[str, float]]) -> Iterable[Confusion]:
    return (Confusion(r, tuple(wrong), tuple(wrong.values())) for r, wrong in table.items())


def _redundant_marks() -> Rule[str]:
    """Return a comma between characters, or a second mark."""
    commas = Insertions(Weighted(["，", "、"], [9, 1]), away=2)
    return Mixed((commas, _table("punctuation-redundant")), (0.8, 0.2))


def _redundant_words() -> Rule[str]:
    pieces = tables("zh")["redundant"]
    anywhere = Insertions(Weighted(pieces, [1] * len(pieces)))
    again = Repetition(Weighted([1, 2], [2, 1]))
    return Mixed((_table("word-redundant"), anywhere, again), (0.5, 0.35, 0.15))


def _moving() -> Rule[str]:
    """Return adverbs exchanged with what stands before or behind them."""
    table: dict[str, tuple[str, ...]] = {}
    rows = tables("zh")
    for adverb in rows["moving"]:
        for subject in rows["subjects"]:
            table[subject + adverb] = (adverb + subject,)
            table[adverb + subject] = (subject + adverb,)
        for verb in rows["verbs"]:
            if verb != adverb:
                table[adverb + verb] = (verb + adverb,)
    return Confusions(_confusions(table))


def _order() -> Rule[str]:
    lengths = ((1, 1), (1, 2), (2, 1), (2, 2), (2, 3), (3, 2), (2, 4), (4, 2), (3, 3))
    stretches = Exchange(Weighted(lengths, (1, 3, 3, 5, 2, 2, 2, 2, 1)))
    return Mixed((_moving(), stretches), (0.5, 0.5))


def _names(alike: Mapping[str, Mapping[str, float]]) -> Rule[str]:
    """Return names that everybody knows, with one character written as another of its sound."""
    table = {}
    for name in tables("zh")["names"]:
        wrong: dict[str, None] = {}
        for place, character in enumerate(name):
            usual = sorted(alike.get(character, {}).items(), key=lambda one: (-one[1], one[0]))
            for other, _ in usual[:_NAME_VARIANTS]:
                wrong[name[:place] + other + name[place + 1 :]] = None
        if wrong:
            table[name] = tuple(wrong)
    return Confusions(_confusions(table))


def general_chinese() -> Mapping[str, Callable[[Mapping[tuple[int, int], float]], Rule[str]]]:
    """Return rules that know nothing but lengths, by what they are called in fitted profiles.

    Each takes (units in the error, units in the correction) to how many.
    """
    return {
        "omission": lambda lengths: Omission(_of(lengths, 1)),
        "repetition": lambda lengths: Repetition(_of(lengths, 0)),
        "exchange": lambda lengths: Exchange(Weighted(tuple(lengths), tuple(lengths.values()))),
    }


def _of(lengths: Mapping[tuple[int, int], float], side: int) -> Weighted[int]:
    counts: dict[int, float] = {}
    for pair, count in lengths.items():
        if pair[side]:
            counts[pair[side]] = counts.get(pair[side], 0) + count
    return Weighted(tuple(counts) or (1,), tuple(counts.values()) or (1,))
