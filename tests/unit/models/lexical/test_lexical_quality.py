"""Spelling hints on real sentences: as good as the measurements that decided for them.

Bounds lie below what `benchmarks/lexical.py` prints, which measures more.
"""

from __future__ import annotations

import random
from collections import defaultdict
from pathlib import Path

import pytest

from gecbench.core.corrector import Corrector
from gecbench.core.seeding import number
from gecbench.edits.alignment import changes
from gecbench.models import load_corrector

pytestmark = [pytest.mark.golden, pytest.mark.slow]


def f_half(right: int, needless: int, missed: int) -> float:
    return 1.25 * right / (1.25 * right + 0.25 * missed + needless)


def held_out(shared: Path) -> list[str]:
    """The first references of the last fifth of MuCGEC's development set."""
    lines = (shared / "data/mucgec/MuCGEC_dev.txt").read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines[len(lines) * 4 // 5 :]]
    return [row[1] if row[2] == "没有错误" else row[2] for row in rows if row[2] != "无法标注"]


def common() -> list[str]:
    """The 3,755 characters of the first level of GB 2312."""
    codes = [(a, b) for a in range(0xB0, 0xD8) for b in range(0xA1, 0xFF)]
    return [bytes(code).decode("gb2312") for code in codes if code < (0xD7, 0xFA)]


def make_errors(sentences: list[str]) -> list[tuple[str, int, str]]:
    """One common character of each sentence becomes another with the same first reading."""
    from pypinyin import lazy_pinyin

    alike = defaultdict(list)
    for character in common():
        alike[lazy_pinyin(character)[0]].append(character)
    others = {c: [d for d in group if d != c] for group in alike.values() for c in group}
    draw = random.Random(number(6, "made homophones"))
    result = []
    for text in sentences:
        places = [place for place, c in enumerate(text) if others.get(c)]
        if places:
            at = draw.choice(places)
            wrong = text[:at] + draw.choice(others[text[at]]) + text[at + 1 :]
            result.append((wrong, at, text[at]))
    return result


@pytest.fixture(scope="module")
def chinese() -> Corrector:
    return load_corrector("zh-homophone")


def test_made_homophones_are_found(shared: Path, chinese: Corrector) -> None:
    errors = make_errors(held_out(shared))
    right = needless = 0
    results = chinese.correct([wrong for wrong, _, _ in errors])
    for (_, at, meant), result in zip(errors, results, strict=True):
        good = [e for e in result.edits if (e.start, e.end, e.replacement) == (at, at + 1, meant)]
        right += len(good)
        needless += len(result.edits) - len(good)
    assert len(errors) > 220
    assert f_half(right, needless, len(errors) - right) >= 0.80


def test_clean_sentences_are_mostly_left_alone(shared: Path, chinese: Corrector) -> None:
    results = chinese.correct(held_out(shared))
    assert sum(bool(result.edits) for result in results) <= 10


@pytest.mark.no_cover
def test_jfleg(shared: Path) -> None:
    folder = shared / "data/jfleg"
    lines = {
        name: (folder / f"test.{name}").read_text(encoding="utf-8").splitlines()
        for name in ("src", "ref0", "ref1", "ref2", "ref3")
    }
    sources = lines.pop("src")
    results = load_corrector("en-rules").correct(sources)
    total = [0, 0, 0]
    for source, result, *references in zip(sources, results, *lines.values(), strict=True):
        ours = edits(source, result.text)
        counts = [tally(ours, edits(source, reference)) for reference in references]
        best = max(counts, key=nearness)
        total = [a + b for a, b in zip(total, best, strict=True)]
    assert f_half(*total) >= 0.48


def nearness(counts: tuple[int, int, int]) -> tuple[float, int, int]:
    """Of the references: the best F, then most found, then fewest wrong and missed."""
    f = f_half(*counts) if any(counts) else 1.0
    return f, counts[0], -counts[1] - counts[2]


def edits(source: str, target: str) -> set[tuple[int, int, tuple[str, ...] | None]]:
    result = changes(source.split(), target.split())
    return {(edit.start, edit.end, edit.replacement) for edit in result}


def tally(ours: set[object], theirs: set[object]) -> tuple[int, int, int]:
    return len(ours & theirs), len(ours - theirs), len(theirs - ours)
