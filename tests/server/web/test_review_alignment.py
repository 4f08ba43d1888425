"""Rewritings of one sentence stand one below the other, cut at the same places."""

from __future__ import annotations

import re

import pytest
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st

from gecbench.server.rules.diff import diff
from gecbench.server.web.differences import Row, align, render_pieces

SOURCE = "我昨天去了图书馆借书了。"
TEXTS = ("我昨天去图书馆借书了。", "我昨天到图书馆借了书。", SOURCE)


def aligned(source: str, texts: tuple[str, ...], lang: str = "zh") -> tuple[Row, ...]:
    alignment = align(source, texts, lang=lang, placeholder="[缺失成分]")
    return (alignment.source, *alignment.rows)


def test_all_rows_have_the_same_cells():
    rows = aligned(SOURCE, TEXTS)
    regions = [[cell.region for cell in row.cells] for row in rows]
    assert regions == [regions[0]] * 4
    assert regions[0] == [None, 1, None, 2, None]
    assert [cell.target for cell in rows[2].cells if cell.region] == ["到", "了书"]


@pytest.mark.parametrize(("language", "words"), [("en", "deleted: "), ("zh-hans", "删除： ")])
def test_who_hears_the_page_is_told_what_was_done_before_the_text(language, words):
    with translation.override(language):
        html = str(render_pieces(diff("我吃食饭。", "我吃饭。", lang="zh").pieces, "[缺失成分]"))
    assert f'<span class="diff-said">{words}</span>食' in html


def test_the_same_two_texts_are_compared_once_whatever_is_asked(monkeypatch):
    seen = []

    def counted(source, text, **options):
        seen.append(text)
        return diff(source, text, **options)

    monkeypatch.setattr("gecbench.server.web.differences.diff", counted)
    texts = ("只为这一条写的甲。", "只为这一条写的乙。")
    once = aligned("只为这一条写的。", texts)
    assert aligned("只为这一条写的。", texts[::-1])[1] == once[2]
    assert seen == list(texts)


def test_cells_say_who_changes_and_where_rows_differ():
    (_, first, _, same) = aligned(SOURCE, TEXTS)
    regions = {cell.region: (cell.changed, cell.split) for cell in first.cells if cell.region}
    assert regions == {1: (True, True), 2: (False, True)}
    assert not any(cell.changed for cell in same.cells)
    agreed = aligned(SOURCE, (TEXTS[0], TEXTS[0]))[1]
    assert [(cell.changed, cell.split) for cell in agreed.cells if cell.region] == [(True, False)]


@pytest.mark.parametrize("texts", [(), (SOURCE,)])
def test_without_changes_there_is_no_region(texts: tuple[str, ...]):
    assert all(cell.region is None for row in aligned(SOURCE, texts) for cell in row.cells)


def test_changes_that_touch_are_one_region_and_neighbours_are_two():
    # In one text 去 goes, in the other the character after it: they only stand side by side.
    apart = aligned("甲去乙丙丁", ("甲乙丙丁", "甲去丙丁"))
    assert [cell.region for cell in apart[0].cells] == [None, 1, 2, None]
    # An insertion at the border of a deletion belongs to it.
    together = aligned("甲去乙丙丁", ("甲乙丙丁", "甲去戊乙丙丁"))
    assert [cell.target for cell in together[2].cells if cell.region] == ["去戊"]


@given(
    st.lists(st.text("天地人a ，", max_size=8), min_size=1, max_size=4),
    st.sampled_from(["zh", "en"]),
)
def test_cells_rebuild_source_and_texts_and_switches_restore_rev_9(texts: list[str], lang: str):
    source, *others = texts
    for row in aligned(source, tuple(others), lang)[1:]:
        assert "".join(cell.target for cell in row.cells) == row.text
        assert "".join(mark.piece.source for mark in row.marks) == source
        assert row.restored(()) == row.text
        everything = row.restored(range(1, 99))
        # What white space differs in is not an edit and has no switch.
        assert everything.replace(" ", "") == source.replace(" ", "")


def test_one_switch_puts_one_change_back_and_unknown_ones_do_nothing():
    row = aligned(SOURCE, TEXTS)[2]
    assert [mark.piece.source for (mark,) in row.switches] == ["去了", "书了"]
    assert row.restored([1]) == "我昨天去了图书馆借了书。"
    assert row.restored([1, 7, -1]) == "我昨天去了图书馆借了书。"


def test_both_ends_of_a_move_are_one_switch():
    row = aligned("明天我们一起去公园玩", ("我们一起去公园玩明天",))[1]
    assert len(row.switches) == 1
    assert row.restored([1]) == "明天我们一起去公园玩"


def rendered(source: str, target: str, placeholder: str = "") -> str:
    return render_pieces(diff(source, target, lang="zh").pieces, placeholder)


def test_placeholders_and_spaces_are_drawn_as_such():
    html = rendered("我 常常他。", "我常常[缺失成分]他。", "[缺失成分]")
    assert re.search(r'<span class="diff-space diff-space-removed" title="[^"]+"> </span>', html)
    assert re.findall(r'<(?:ins|del) class="([^"]+)">', html) == ["diff-insert"]
    assert '<span class="diff-chip">[缺失成分]</span>' in html
    moved = rendered("明天我们一起去公园玩", "我们一起去公园玩明天")
    assert re.findall(r'<(\w+) class="diff-move">', moved) == ["del", "ins"]
    both = rendered("我门去", "我们去")
    assert re.search('<span class="diff-replace"><del.*</del><ins.*</ins></span>', both)
    shown = rendered("甲[缺失成分]乙", "甲[缺失成分]乙丙", "[缺失成分]")
    assert shown.startswith('甲<span class="diff-chip">[缺失成分]</span>乙<ins')


def test_what_annotators_write_is_text():
    html = rendered("<b>", "<i>&", "<i>")
    assert "<b>" not in html
    assert "<i>" not in html
    assert html.startswith("&lt;")
