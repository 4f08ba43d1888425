"""Names cut to their room stay different."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gecbench.reports.plots.style import shorten, wrap
from gecbench.reports.report import columns_of

LONG = "university-of-somewhere-seq2seq-with-a-long-name"


def test_names_that_fit_or_differ_in_the_room_are_as_before():
    names = ["one", LONG, "two"]
    assert shorten(names, 22, 2) == [wrap(name, 22, 2) for name in names]


def test_names_alike_when_cut_at_the_end_are_cut_in_the_middle():
    assert shorten([f"{LONG}-1", f"{LONG}-2", "other"], 12, 1) == [
        "univer…ame-1",
        "univer…ame-2",
        "other",
    ]


def test_names_alike_at_both_ends_lose_what_they_share_at_the_start():
    names = [f"{LONG}-{at}-{LONG}" for at in ("one", "two")]
    assert shorten(names, 12, 1) == ["…me-one-…", "…me-two-…"]


def test_names_are_told_apart_by_their_number_where_nothing_else_does():
    names = [f"{'a' * 30}{x}{'b' * 30}{y}{'c' * 30}" for x in "pq" for y in "rs"]
    assert shorten(names, 6, 1) == ["aaaa…1", "aaaa…2", "aaaa…3", "aaaa…4"]


def test_the_same_name_is_the_same_each_time():
    names = [f"{LONG}-1", f"{LONG}-2", f"{LONG}-1"]
    short = shorten(names, 22, 1)
    assert short[0] == short[2] != short[1]


@pytest.mark.parametrize(("columns", "lines"), [(22, 2), (24, 2), (16, 1), (14, 1), (9, 1)])
@given(
    names=st.lists(st.sampled_from(["seq2seq-", "学", "大模型", "a b ", "x"]), max_size=30).flatmap(
        lambda start: st.lists(
            st.text("ab-学 ", max_size=25).map(
                lambda end: " ".join(f"{''.join(start)}{end}".split())
            ),
            max_size=6,
        )
    )
)
def test_different_names_come_out_different_and_fit(columns: int, lines: int, names: list[str]):
    short = shorten(names, columns, lines)
    assert len(set(zip(names, short, strict=True))) == len(set(names))
    bare = {"".join(name.split()) for name in names}
    if len(bare) == len(set(names)):
        assert len(set(short)) == len(set(names))
    for name in short:
        assert name.count("\n") < lines
        assert all(columns_of(line) <= columns for line in name.split("\n"))
