"""Sections and their ids, links, examples in pairs, search, and what changed between versions."""

from __future__ import annotations

import re
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it.ruler import Ruler

from gecbench.core.errors import UsageError
from gecbench.server.guidelines import LONGEST_QUERY, search
from gecbench.server.guidelines.rendering import (
    LONGEST_MARKED,
    MOST_MARKED,
    diff_parts,
    parse_pairs,
    parser,
    render_markdown,
    section_changes,
)

HEAD = (
    "# Guide {#top}\n\nIntro.\n\n## One {#one}\n\nFirst.\n\n"
    "### Deep {#deep}\n\nD.\n\n## Two {#two}\n"
)


def ids(markdown: str) -> list[str]:
    return [section.id for section in render_markdown(markdown).sections]


def body(markdown: str, lang="en") -> str:
    """The HTML under one heading."""
    return render_markdown(f"# t {{#t}}\n\n{markdown}", lang=lang).html.partition("</h1>\n")[2]


def pair(*lines: str, lang="en") -> str:
    return re.sub(r"<dt>.*?</dt>", "", body("```pair\n" + "\n".join(lines) + "\n```", lang)).strip()


def test_gui_1_headings_begin_sections_with_ids_levels_titles_and_texts():
    sections = render_markdown(HEAD).sections
    assert [(s.id, s.anchor, s.level, s.title, s.text) for s in sections] == [
        ("top", "guide-top", 1, "Guide", "Intro."),
        ("one", "guide-one", 2, "One", "First."),
        ("deep", "guide-deep", 3, "Deep", "D."),
        ("two", "guide-two", 2, "Two", ""),
    ]
    assert sections[1].html == '<h2 id="guide-one">One</h2>\n<p>First.</p>\n'
    assert render_markdown(HEAD).html == "".join(section.html for section in sections)


def test_a_branch_is_a_section_and_what_lies_below_it():
    page = render_markdown("before\n\n" + HEAD)
    assert [s.id for s in page.branch("one")] == ["one", "deep"]
    assert [s.id for s in page.branch("deep")] == ["deep"]
    assert [s.id for s in page.branch("top")] == ["top", "one", "deep", "two"]
    assert [s.id for s in page.branch("start")] == ["start"]
    assert page.branch("none") == ()


def test_text_before_the_first_heading_is_a_section_of_its_own():
    assert [(s.id, s.level, s.title, s.text) for s in render_markdown("a\n\n# b").sections] == [
        ("start", 0, "", "a"),
        ("b", 1, "b", ""),
    ]
    assert render_markdown("").sections == ()


def test_ids_are_made_of_the_text_where_none_is_given():
    assert ids("# 标点 与 Symbols!\n# *Two* `words`\n# ---x---\n# ？\n#") == [
        "标点-与-symbols",
        "two-words",
        "x",
        "section",
        "section-2",
    ]
    assert ids("# " + "长" * 200) == ["长" * 80]


def test_ids_are_unique_and_explicit_ones_come_first():
    assert ids("# a\n# b {#a}\n# c {#a}\n# start\n# d {#start}") == [
        "a-3",
        "a",
        "a-2",
        "start-3",
        "start-2",
    ]


def test_what_is_no_id_stays_in_the_title():
    titles = [
        s.title for s in render_markdown("# a {#b c}\n# a {.b}\n# a {#b} c\n# `{#b}`\n").sections
    ]
    assert titles == ["a {#b c}", "a {.b}", "a {#b} c", "{#b}"]
    assert [s.title for s in render_markdown("# a {#b} ##\n\nc {#d}\n===\n").sections] == ["a", "c"]


def test_headings_in_quotes_and_lists_begin_no_section():
    assert ids("# a\n\n> # b\n\n- # c\n") == ["a"]


def test_links_to_sections_get_the_prefix_of_ids():
    assert 'href="#g-标点"' in render_markdown("[x](#标点)", prefix="g-").html
    assert 'id="g-a"' in render_markdown("# a", prefix="g-").html


def test_headings_go_down_in_a_page_with_a_title_of_its_own():
    page = render_markdown("# a\n###### b", shift=1)
    assert re.findall(r"</?h\d", page.html) == ["<h2", "</h2", "<h6", "</h6"]
    assert [section.level for section in page.sections] == [1, 6]


def test_images_are_told_by_their_description_and_counted():
    page = render_markdown('![a *b* "c"](https://x.example/y.png) and ![](https://x.example)')
    assert '<span class="image">a b "c"</span> and <span class="image"></span>' in page.html
    assert page.images == 2
    assert page.sections[0].text == 'a b "c" and'
    assert render_markdown("a").images == 0


def test_tables_scroll_by_themselves_and_align_without_styles():
    html = body("| a | b | c |\n|:--|--:|:-:|\n| 1 | 2 | 3 |")
    assert html.startswith('<div class="wide" tabindex="0"><table>\n')
    assert html.endswith("</table></div>\n")
    assert re.findall('<td class="(.*?)">(.)', html) == [
        ("left", "1"),
        ("right", "2"),
        ("center", "3"),
    ]
    assert "style" not in html


def test_lines_of_chinese_are_joined_without_a_space():
    assert body("中文，\n中文 *强*\n**调** a\nb 中\nc\n") == (
        "<p>中文，中文 <em>强</em><strong>调</strong> a\nb 中\nc</p>\n"
    )
    assert render_markdown("中文\n中文 a\nb").sections[0].text == "中文中文 a b"


def test_a_pair_says_what_is_wrong_and_what_is_right():
    html = body("```pair\n✗ He go.\n✓ He goes.\n```")
    assert html == (
        '<dl class="pair"><div class="pair-wrong"><dt><span aria-hidden="true">✗</span> '
        '<span class="pair-word">wrong</span></dt><dd>He <del>go</del>.</dd></div>'
        '<div class="pair-right"><dt><span aria-hidden="true">✓</span> '
        '<span class="pair-word">right</span></dt><dd>He <ins>goes</ins>.</dd></div></dl>\n'
    )
    assert re.findall(r'pair-word">(.)<', body("```pair\n= a\nx b\nv c\n> d\n```", "zh")) == [
        "错",
        "对",
    ]
    assert re.findall(r'pair-word">(..)<', body("```pair\n= a\n> d\n```", "zh")) == ["原句", "说明"]


def test_answers_to_a_source_are_marked_both_ways():
    assert re.findall("<dd>(.*?)</dd>", pair("= He go home.", "✗ He go.", "✓ He goes home.")) == [
        "He go home.",
        "He go<del> home</del>.",
        "He <del>go</del><ins>goes</ins> home.",
    ]


def test_several_right_answers_are_marked_both_ways_against_the_wrong_one():
    assert re.findall("<dd>(.*?)</dd>", pair("✗ 大约三十左右", "✓ 大约三十", "✓ 三十多")) == [
        "大约三十左右",
        "大约三十<del>左右</del>",
        "<del>大约</del>三十<del>左右</del><ins>多</ins>",
    ]


def test_several_wrong_answers_are_marked_against_the_right_one():
    assert re.findall("<dd>(.*?)</dd>", pair("✗ a b", "✗ c b", "✓ d b")) == [
        "<del>a</del> b",
        "<del>c</del> b",
        "<ins>d</ins> b",
    ]


def test_lines_without_a_partner_or_a_mark_are_shown_as_they_are():
    assert re.findall("<dd>(.*?)</dd>", pair("✗ a <b>", "✗ c")) == ["a &lt;b&gt;", "c"]
    assert re.findall('"(pair-.*?)"><dd>(.*?)</dd>', pair("a *b* [c](#d)", "✗")) == [
        ("pair-note", 'a <em>b</em> <a href="#guide-d" rel="noopener noreferrer">c</a>'),
        ("pair-note", "✗"),
    ]


@pytest.mark.parametrize(
    ("block", "sizes"),
    [
        ("✗ a\n✓ b\n✗ c\n✓ d", [2, 2]),
        ("✗ a\n✓ b\n✓ c\n> d\n\n> e", [4, 1]),
        ("= a\n✗ b\n✓ c\n✗ d\n= e\n✓ f", [4, 2]),
        ("✗ a\n✗ b\n✓ c", [3]),
        ("\n\n✗ a\n\n\n✓ b\n", [1, 1]),
        ("", []),
    ],
)
def test_where_pairs_begin(block, sizes):
    assert [len(rows) for rows in parse_pairs(block)] == sizes


@pytest.mark.parametrize(
    ("old", "new", "parts"),
    [
        ("", "", [("", "", "")]),
        ("a", "a", [("a", "", "")]),
        ("他跑的快", "他跑得快", [("他跑", "的", "得"), ("快", "", "")]),
        ("a b c d", "a x y d", [("a ", "b c", "x y"), (" d", "", "")]),
        ("is because of it", "is that it", [("is ", "because of", "that"), (" it", "", "")]),
        ("the the cat", "the cat", [("", "the ", ""), ("the cat", "", "")]),
        (
            "我的爱好是和。",
            "我的爱好是[缺 失]和。",
            [("我的爱好是", "", "[缺 失]"), ("和。", "", "")],
        ),
        ("My fathers car", "My father's car", [("My ", "fathers", "father's"), (" car", "", "")]),
    ],
)
def test_changes_are_compared_by_characters_in_chinese_and_else_by_words(old, new, parts):
    parts_ = list(diff_parts(old, new))
    assert parts_ == parts
    assert "".join(same + deleted for same, deleted, _ in parts_) == old
    assert "".join(same + come for same, _, come in parts_) == new


@given(st.text("我的 a1'[]。\u3000🙂", max_size=12), st.text("我的 a1'[]。\u3000🙂", max_size=12))
def test_what_stays_goes_and_comes_rebuilds_both_texts(old, new):
    pieces = list(diff_parts(old, new))
    assert "".join(same + deleted for same, deleted, _ in pieces) == old
    assert "".join(same + come for same, _, come in pieces) == new
    assert all(deleted != come for _, deleted, come in pieces[:-1])


def test_very_long_examples_are_shown_without_marks():
    long = "字" * (LONGEST_MARKED + 1)
    assert list(diff_parts(long, long[1:])) == [(long[1:], "", "")]
    assert len(list(diff_parts(long[1:], long[2:]))) == 2
    many = [f"✓ b{at}" for at in range(MOST_MARKED)]
    assert "<ins>" in pair("✗ a", *many[1:])
    assert "<ins>" not in pair("✗ a", *many)


GUIDE = """# Top {#top}

About **articles** and 占位符。

## Articles {#articles}

Use *an* before vowels; particles are other things.

## Other {#other}

```pair
✗ I eat a apple.
✓ I eat an apple.
> 不要用 MC 标记 (see `C++`).
```
"""


def section_ids(query: str) -> list[str]:
    return [hit.section.id for hit in search(render_markdown(GUIDE).sections, query)]


def shown(pieces) -> str:
    return "".join(f"[{piece.text}]" if piece.marked else piece.text for piece in pieces)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("articles", ["articles", "top"]),
        ("ARTICLE", ["articles", "top"]),
        ("rticles", []),
        ("位符", ["top"]),
        ("apple eat", ["other"]),
        ("apple vowels", []),
        ("mc", ["other"]),
        ("用 MC", ["other"]),
        ("c++", ["other"]),
        ("a", ["articles", "top", "other"]),
        ("", []),
        ("  ", []),
        (".*", []),
    ],
)
def test_gui_1_search_finds_chinese_anywhere_and_words_where_they_begin(query, expected):
    assert sorted(section_ids(query)) == sorted(expected)
    assert section_ids(query)[:1] == expected[:1]


def test_gui_1_hits_mark_what_was_searched_in_title_and_snippet():
    first, second = search(render_markdown(GUIDE).sections, "articles")
    assert shown(first.title) == "[Articles]"
    assert shown(first.snippet) == "Use an before vowels; particles are other things."
    assert shown(second.snippet) == "About [articles] and 占位符。"


def test_snippets_are_cut_round_the_first_place():
    sections = render_markdown("# a {#a}\n\n" + "前" * 100 + "中间" + "后" * 200).sections
    snippet = shown(search(sections, "中间")[0].snippet)
    assert snippet == "…" + "前" * 30 + "[中间]" + "后" * 88 + "…"
    assert search(render_markdown("# only\n").sections, "only")[0].snippet == ()


def test_a_query_that_is_no_query_is_refused():
    assert search((), "a" * LONGEST_QUERY) == ()
    with pytest.raises(UsageError, match="the search has 201 characters, at most 200 are searched"):
        search((), "a" * (LONGEST_QUERY + 1))


def test_gui_2_a_new_version_says_which_sections_differ():
    new = HEAD.replace("First.", "Second.").replace("## Two {#two}", "## Three {#three}")
    changes = section_changes(HEAD, new)
    assert (changes.added, changes.removed, changes.changed) == (("three",), ("two",), ("one",))
    assert changes


def test_gui_2_a_changed_title_or_example_is_a_change_and_white_space_is_none():
    old = "# a {#a}\n\n```pair\n✗ b\n✓ c\n```\n"
    assert section_changes(old, old.replace("# a", "# z")).changed == ("a",)
    assert section_changes(old, old.replace("✓ c", "✓ d")).changed == ("a",)
    assert not section_changes(old, old.replace("\n\n", "\n\n\n"))


def test_gui_2_a_section_that_only_moved_need_not_be_read_anew():
    first, second = "# a {#a}\n\nx\n\n", "# b {#b}\n\ny\n\n"
    assert not section_changes(first + second, second + first)


def test_threads_that_are_the_first_to_read_read_the_same(monkeypatch: pytest.MonkeyPatch):
    """The library gathers a parser's rules at first use; who comes meanwhile sees some of them."""
    want, gather = render_markdown(HEAD), Ruler.__compile__

    def slowly(self: Ruler) -> None:
        self.__cache__ = {}  # what the library itself begins with
        time.sleep(0.01)
        gather(self)

    monkeypatch.setattr(Ruler, "__compile__", slowly)
    parser.cache_clear()
    parser()
    with ThreadPoolExecutor(4) as threads:
        assert [*threads.map(render_markdown, [HEAD] * 4)] == [want] * 4
