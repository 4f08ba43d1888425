"""zh-cherrant: what it says of sources that it does not simplify."""

from __future__ import annotations

from dataclasses import replace

import opencc
import pytest

from gecbench.api.score import score
from gecbench.core.sample import Corpus, Rewrite, Sample, SystemOutput
from gecbench.core.score import WarningNote
from gecbench.edits.alignment import merge_windows
from gecbench.edits.kernel import Segment
from gecbench.lang.zh.char import scheme
from gecbench.lang.zh.cherrant import traditional_warning, windows, within_one_edit

TO_SIMPLIFIED = opencc.OpenCC("t2s").convert
TRADITIONAL, SIMPLIFIED = "我們學習漢語", "我们学习汉语"


@pytest.mark.parametrize(
    ("traditional", "of", "warned"), [(0, 9, False), (1, 9, False), (2, 9, True), (9, 9, True)]
)
def test_traditional_sources_are_warned_of_where_they_are_many(
    traditional: int, of: int, warned: bool
):
    sources = [(TRADITIONAL if n < traditional else SIMPLIFIED) + str(n) for n in range(of)]
    warning = traditional_warning(sources, TO_SIMPLIFIED)
    assert (warning is not None) is warned
    if warning is not None:
        assert f"{traditional} of {of}" in warning
        assert "--no-simplify" in warning


def test_no_sources_and_nothing_to_simplify_are_not_warned_of():
    assert traditional_warning([], TO_SIMPLIFIED) is None
    assert traditional_warning([TRADITIONAL], str) is None


def test_the_warning_stands_above_the_scores():
    corpus = Corpus("tw", (Sample("1", TRADITIONAL, (Rewrite("我學漢語"),)),), "zh")
    system = SystemOutput("s", {"1": (Rewrite("我學漢語"),)})
    warning_scheme = replace(scheme(), warn=lambda sources: f"of {sources[0]}")
    notes = score(corpus, [system], scheme=warning_scheme).notes
    assert WarningNote(f"tw: of {TRADITIONAL}") in notes
    assert any(isinstance(note, WarningNote) for note in notes)


def three(kinds: str, parts: list[tuple[str, str]]) -> tuple[str, str, list[Segment]]:
    """Texts and segments of so many pieces, each with its source and target side."""
    source = target = ""
    segments: list[Segment] = []
    for kind, (first, second) in zip(kinds, parts, strict=True):
        segments.append((kind, len(source), len(source + first), len(target), len(target + second)))
        source, target = source + first, target + second
    return source, target, segments


def merges(kinds: str, *parts: tuple[str, str]) -> bool:
    source, target, middle = three(kinds, list(parts))
    window = windows(tuple(source), tuple(target))(*middle)
    if window is not None:
        assert window == ("T", 0, len(source), 0, len(target))
    return window is not None


SAME = ("是", "是")


@pytest.mark.parametrize(
    ("first", "second", "merged"),
    [
        (("甲", "乙"), ("乙", "甲"), True),
        (("甲", "乙"), ("乙", "丙"), False),
        (("甲", "乙"), ("丙", "甲"), False),
        (("。", "，"), ("，", "。"), True),  # two marks that change places, too
        (("甲乙", "丙"), ("丙", "甲乙"), True),
        (("甲乙", "丙"), ("丙", "甲丁"), False),  # shortest is one: equality
        (("甲乙", "丙丁"), ("丙丁", "甲乙"), True),
        (("甲乙", "丙丁"), ("丙戊", "甲己"), True),  # one edit apart on either side
        (("甲乙", "丙丁"), ("丁丙", "甲乙"), False),  # two edits apart
        (("甲乙丙", "丁戊"), ("丁戊己", "甲乙"), True),
        (("甲乙", "丙丁"), ("丙丁", "乙甲"), False),
    ],
)
def test_two_substitutions_that_change_places(first, second, merged: bool):
    assert merges("SMS", first, SAME, second) == merged


@pytest.mark.parametrize(
    ("deleted", "inserted", "merged"),
    [
        ("甲", "甲", True),
        ("甲", "乙", False),
        ("甲乙", "甲", False),  # the shorter is one character: equality
        ("甲乙", "甲乙", True),
        ("甲乙", "甲丙", True),
        ("甲乙", "乙甲", True),  # a rotation
        ("甲乙丙", "丙甲乙", True),
        ("甲乙丙", "丙乙甲", False),
        ("甲乙丙", "甲乙", True),
        ("甲乙", "甲乙丙", True),
        ("甲乙丙丁", "甲乙", False),
        ("甲甲乙", "乙甲", False),  # not of one length, and two edits apart
        ("，", "，", False),
        ("！？", "！？", False),  # neighbours in the string of marks
        ("？！", "？！", True),  # not in this order
        ("。", "。", True),  # no mark to ChERRANT
        ("'.", "'.", False),
        ("〰", "〰", True),  # a mark of the cost, not of merging
    ],
)
@pytest.mark.parametrize("kinds", ["DMI", "DTI", "IMD", "ITD"])
def test_what_is_deleted_and_inserted_is_moved(kinds, deleted, inserted, merged: bool):
    middle = SAME if kinds[1] == "M" else ("子丑", "丑子")
    parts = {"D": (deleted, ""), "I": ("", inserted)}
    assert merges(kinds, parts[kinds[0]], middle, parts[kinds[2]]) == merged


@pytest.mark.parametrize(
    "kinds", ["STS", "SMI", "SMD", "DMS", "IMS", "DMD", "IMI", "DTD", "DSI", "TMT", "MSM"]
)
def test_no_other_three_are_merged(kinds: str):
    assert not merges(kinds, ("甲", "甲"), ("乙", "乙"), ("甲", "甲"))


@pytest.mark.parametrize(
    ("first", "second", "near"),
    [
        ("", "", True),
        ("", "甲", True),
        ("", "甲乙", False),
        ("甲", "乙", True),
        ("甲乙", "乙甲", False),
        ("甲乙丙", "甲丙", True),
        ("甲丙", "甲乙丙", True),
        ("甲乙丙", "甲丁丙", True),
        ("甲乙丙丁", "甲戊丙己", False),
        ("甲甲", "甲", True),
        ("甲甲甲", "甲", False),
    ],
)
def test_within_one_edit(first: str, second: str, near: bool):
    assert within_one_edit(first, second) == near


def letters(text: str) -> list[Segment]:
    return [(kind, at, at + 1, at, at + 1) for at, kind in enumerate(text)]


def eager(first: Segment, _: Segment, second: Segment) -> Segment:
    return ("T", first[1], second[2], first[3], second[4])


@pytest.mark.parametrize(
    ("segments", "merged"),
    [
        ("", []),
        ("M", []),
        ("SM", [("S", 0, 1)]),
        ("SMS", [("T", 0, 3)]),
        ("MSMS", [("T", 1, 4)]),
        ("SMSM", [("T", 0, 3)]),
        ("SMSMS", [("T", 0, 3), ("S", 4, 5)]),  # from left to right, and behind what is merged
        ("SMSMSMS", [("T", 0, 3), ("T", 4, 7)]),
        ("MMSM", [("S", 2, 3)]),
    ],
)
def test_the_walk_goes_on_behind_what_was_merged(segments: str, merged: list[tuple]):
    assert [segment[:3] for segment in merge_windows(letters(segments), eager)] == merged


def test_without_a_merging_window_all_changes_stay():
    segments = merge_windows(letters("SMDMI"), lambda *_: None)
    assert [segment[0] for segment in segments] == ["S", "D", "I"]
