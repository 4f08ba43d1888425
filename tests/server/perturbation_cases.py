"""The table of cases that holds rules/perturbation.py and perturbation.js together."""

from __future__ import annotations

from typing import NamedTuple

from gecbench.server.rules.perturbation import Chip


class Case(NamedTuple):
    """Gaps that somebody wrote around the errors of an original.

    Args:
        original: Its gaps.
        chips: Its errors.
        gaps: What was written.
        lang: Of the texts.
        change: Edits, changed tokens, tokens of the original.
    """

    original: tuple[str, ...]
    chips: tuple[Chip, ...]
    gaps: tuple[str, ...]
    lang: str
    change: tuple[int, int, int]


GO, MANY = Chip("go", "goes"), Chip("many", "much")
TO, THE = Chip("", "to"), Chip("the", "")
MEN, LE, BA = Chip("门", "们"), Chip("", "了"), Chip("把", "")

CASES = (
    Case(("He ", " home ."), (GO,), ("He ", " home ."), "en", (0, 0, 4)),
    Case(("He ", " home ."), (GO,), ("She ", " home ."), "en", (1, 1, 4)),
    Case(("He ", " home ."), (GO,), ("He", "home  ."), "en", (0, 0, 4)),
    Case(("He ", " home ."), (GO,), ("He often ", " home alone ."), "en", (2, 2, 4)),
    Case(("He ", " home ."), (GO,), ("  My old friend ", " home ."), "en", (1, 3, 4)),
    Case(("He ", " home ."), (GO,), ("", ""), "en", (2, 3, 4)),
    Case(("I want ", " school ."), (TO,), ("We want ", " school ."), "en", (1, 1, 4)),
    Case(("I want ", " school ."), (TO,), ("I want ", ""), "en", (1, 2, 4)),
    Case(
        (
            "In ",
            " life is ",
            " .",
        ),
        (THE, MANY),
        ("In ", " death is ", " ."),
        "en",
        (1, 1, 6),
    ),
    Case(("In ", " life is ", " ."), (THE, MANY), ("In", "life may be", "!"), "en", (2, 3, 6)),
    Case(("It 's a day .",), (), ("It 's a long day .",), "en", (1, 1, 6)),
    Case(("a b c d e",), (), ("e d c b a",), "en", (2, 4, 5)),
    Case(("我", "去学校。"), (MEN,), ("我", "去学校。"), "zh", (0, 0, 6)),
    Case(("我", "去学校。"), (MEN,), ("他", "去医院。"), "zh", (2, 3, 6)),
    Case(("我", "去学校。"), (MEN,), (" 我 ", "去 学校。"), "zh", (0, 0, 6)),
    Case(("昨天我去", "学校。"), (LE,), ("上周我去", "学校。"), "zh", (1, 2, 7)),
    Case(("昨天我去", "学校。"), (LE,), ("我昨天去", "学校。"), "zh", (2, 2, 7)),
    Case(("我", "他很高", "。"), (BA, LE), ("我", "弟弟很高", "。"), "zh", (1, 2, 6)),
    Case(("我", "他很高", "。"), (BA, LE), ("我", "", ""), "zh", (1, 4, 6)),
    Case(("我喜欢𠮷野家。",), (), ("我喜欢 𠮷野 家的饭。",), "zh", (1, 2, 7)),
    Case(("天气真好👨‍👩‍👧。",), (), ("天气真好👩‍👩‍👧。",), "zh", (1, 1, 10)),
)
"""All kinds of errors, at both ends and side by side, with and without white space."""
