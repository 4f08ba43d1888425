"""A small Chinese set of perturbed cases and systems, for the tests of robustness."""

from __future__ import annotations

from pathlib import Path

from gecbench.core.perturbed import PerturbedCase, PerturbedSet, Subset, Variant
from gecbench.core.sample import Rewrite, SystemOutput


def case(name: str, *pairs: tuple[str, str]) -> PerturbedCase:
    first, *rest = (Variant(*pair) for pair in pairs)
    return PerturbedCase(name, first, tuple(rest))


BOOKS = case(
    "1",
    ("我有三个书。", "我有三本书。"),
    ("我有两个书。", "我有两本书。"),  # touches nothing: the number is no part of the error
    ("我今天有三个书。", "我今天有三本书。"),
)
HOME = case(
    "2",
    ("他昨天回去家了。", "他昨天回家了。"),
    ("他回去家了。", "他回家了。"),
    ("他昨天回去家了。", "他昨天回家了。"),
)
FREE = case("1", ("天气很好。", "天气很好。"), ("心情很好。", "心情很好。"), ("很好。", "很好。"))

CASES = PerturbedSet(
    "mine", (Subset("class", (BOOKS, HOME)), Subset("exam", (FREE,))), "zh", {"origin": "made"}
)

COPY = [text.source for case in CASES.cases for text in case.all]
PERFECT = [text.reference for case in CASES.cases for text in case.all]
UNEVEN = [*PERFECT[:2], COPY[2], *COPY[3:5], PERFECT[5], "天气真好。", *COPY[7:]]
"""Corrects two sentences of the first case, one of the second, and spoils one of the third."""


def system(name: str, texts: list[str], cases: PerturbedSet = CASES) -> SystemOutput:
    ids = [sample.id for sample in cases.corpus().samples]
    return SystemOutput(name, {key: (Rewrite(text),) for key, text in zip(ids, texts, strict=True)})


def blocks(subset: Subset, predictions: list[str] | None = None) -> str:
    """The subset as RobustGEC writes it."""
    lines: list[str] = []
    answers = iter(predictions or ())
    for case in subset.cases:
        for k, text in enumerate(case.all):
            mark = f"A{k}" if k else "O"
            lines += [f"{mark}-S {text.source}", f"{mark}-T {text.reference}"]
            lines += [f"{mark}-P {next(answers)}"] if predictions else []
        lines.append("")
    return "\n".join(lines)


def write_folder(folder: Path, cases: PerturbedSet = CASES) -> Path:
    """The set as a folder of subsets, with input.txt beside para.txt."""
    for subset in cases.subsets:
        (folder / subset.name).mkdir(parents=True)
        (folder / subset.name / "para.txt").write_text(blocks(subset), "utf-8")
        sources = [text.source for case in subset.cases for text in case.all]
        (folder / subset.name / "input.txt").write_text("\n".join(sources) + "\n", "utf-8")
    return folder
