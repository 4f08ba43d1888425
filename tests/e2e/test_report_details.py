"""One sentence of the report page in a real browser: given edits, several sets, pages of texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from report_pages import Opened, opened

from gecbench.api.options import Options
from gecbench.api.report import report
from gecbench.core.edit import Edit
from gecbench.core.sample import Corpus, EditSet, Rewrite, Sample, SystemOutput
from gecbench.reports.page import render_html

ENGLISH = "He sold her bag ."


def page(file: Path, corpus: Corpus, systems: Sequence[SystemOutput], **options: Any) -> Path:
    """Write a page of sentences alone: tables and figures cost most of a page."""
    scheme = "zh-char" if corpus.lang == "zh" else None
    whole = report(corpus, systems, scheme=scheme, options=Options(**options))
    file.write_text(render_html(replace(whole, reports=())), "utf-8")
    return file


def english(
    file: Path, text: str | None, sets: tuple[EditSet, ...], *outputs: str, **options: Any
) -> Path:
    """A page of one sentence whose reference has given edits."""
    sample = Sample("s", ENGLISH, (Rewrite(text, edit_sets=sets),), {}, tuple(ENGLISH.split()))
    systems = [
        SystemOutput(f"s{number}", {"s": (Rewrite(output),)})
        for number, output in enumerate(outputs)
    ]
    return page(
        file,
        Corpus("c", (sample,), "en"),
        systems,
        metrics=("errant",),
        re_extract=False,
        **options,
    )


def text_of(shown: Opened, row: str) -> str:
    """The text of a version as it is drawn: without signs, what was deleted and what is said."""
    return shown.page.locator(f"tr.{row} .text").first.evaluate(
        """one => {
          const copy = one.cloneNode(true);
          copy.querySelectorAll(".unseen, .sign, del, .also").forEach((each) => each.remove());
          return copy.textContent.replaceAll("\\u2060", "");
        }"""
    )


def test_an_annotator_s_label_does_not_hide_who_makes_an_edit(browser, tmp_path: Path):
    sets = ((Edit(2, 3, ("his",), "Pref"),),)
    file = english(
        *(tmp_path / "p.html", "He sold his bag .", sets),
        *("He sold his bag .", ENGLISH, "He sold his bag ."),
    )
    with opened(browser, file) as shown:
        gold = shown.page.locator("tr.reference .edit")
        assert gold.locator(".sign").inner_text().endswith("2/3")
        gold.focus()
        assert "Pref" in shown.page.locator("#hint").inner_text()
        assert "Made by 2 of 3" in shown.page.locator("#hint").inner_text()
        shown.page.locator("tr.system .edit.true").first.focus()
        assert "s0, s2" in shown.page.locator("#hint").inner_text()


def test_insertions_of_one_set_at_one_place_stay_in_their_order(browser, tmp_path: Path):
    sets = ((Edit(2, 2, ("his",), "M"), Edit(2, 2, ("or",), "M")),)
    file = english(tmp_path / "p.html", "He sold his or her bag .", sets, ENGLISH)
    for view in ("marked", "aligned"):
        with opened(browser, file, f"#s=s&view={view}") as shown:
            assert shown.page.locator(".also").count() == 0
            row = shown.page.locator("tr", has_text="Reference 1")
            assert [inner_text.strip() for inner_text in row.locator("ins").all_inner_texts()] == [
                "his",
                "or",
            ]
            if view == "marked":
                assert text_of(shown, "reference") == "He sold his or her bag ."


def test_a_reference_that_is_known_by_its_edits_has_all_insertions_in_its_text(
    browser, tmp_path: Path
):
    sets = ((Edit(2, 2, ("his",), "M"), Edit(2, 2, ("or",), "M")),)
    file = english(tmp_path / "p.html", None, sets, ENGLISH)
    with opened(browser, file, "#s=s&view=plain") as shown:
        assert text_of(shown, "reference") == "He sold his or her bag ."


def test_of_several_sets_the_first_stands_in_the_text_and_others_once_behind(
    browser, tmp_path: Path
):
    same = Edit(1, 2, ("lost",), "R")
    sets = (
        (same, Edit(2, 3, (), "U")),
        (same, Edit(3, 4, ("purse",), "R")),
        (same, Edit(3, 4, ("purse",), "R")),
    )
    file = english(tmp_path / "p.html", "He lost bag .", sets, ENGLISH)
    with opened(browser, file) as shown:
        assert text_of(shown, "reference").split() == ["He", "lost", "bag", "."]
        row = shown.page.locator("tr.reference")
        assert row.locator(".also .edit").count() == 1
        assert row.locator(".also ins").inner_text() == "purse"
        system = shown.page.locator("tr.system")
        assert "0 true, 0 false, 6 missed" in system.inner_text()
        assert "counted twice in alternative sets" in system.inner_text()
        assert system.locator(".edit.missed").count() == 3


def test_tokens_are_said_to_be_tokens(browser, tmp_path: Path):
    sets = ((Edit(1, 3, ("lost", "his"), "R"),),)
    file = english(
        *(tmp_path / "p.html", "He lost his bag .", sets, ENGLISH), level="detection-token"
    )
    with opened(browser, file) as shown:
        heading = shown.page.locator("tr.system th").inner_text()
        assert "0 true, 0 false, 2 missed" in heading
        assert "counted in tokens" in heading


def test_a_declaration_is_said_to_count(browser, tmp_path: Path):
    references = (Rewrite(unannotatable=True), Rewrite("我去"))
    corpus = Corpus("c", (Sample("s", "我去了", references),), "zh")
    same = SystemOutput("a", {"s": (Rewrite(unannotatable=True),)})
    with opened(browser, page(tmp_path / "p.html", corpus, [same])) as shown:
        heading = shown.page.locator("tr.system th").inner_text()
        assert "1 true, 0 false, 0 missed" in heading
        assert "the declaration is counted" in heading


def test_a_missed_edit_that_stands_aside_says_what_it_is(browser, tmp_path: Path):
    corpus = Corpus("c", (Sample("s", "他去校", (Rewrite("他去了校"),)),), "zh")
    other = SystemOutput("a", {"s": (Rewrite("他去过校"),)})
    file = page(tmp_path / "p.html", corpus, [other])
    with opened(browser, file) as shown:
        mark = shown.page.locator("tr.system .also .edit.missed")
        assert mark.locator("ins").inner_text() == "了"
        assert mark.locator(".sign").inner_text().endswith("○")


def test_what_stands_behind_an_aligned_version_is_in_its_own_language(browser, tmp_path: Path):
    sets = ((Edit(2, 3, (), "U"),), (Edit(2, 4, ("bag",), "R"),))
    file = english(tmp_path / "p.html", "He sold bag .", sets, ENGLISH)
    with opened(browser, file, "#s=s&view=aligned") as shown:
        shown.page.click("#language")
        also = shown.page.locator("th .also")
        assert also.get_attribute("lang") == "zh-Hans"
        assert also.locator("del").evaluate("one => one.closest('[lang]').lang") == "en"


def test_an_insertion_before_a_replacement_stands_once_in_the_aligned_view(browser, tmp_path: Path):
    sets = ((Edit(2, 2, ("了",), "M"), Edit(2, 3, ("他",), "S")),)
    sample = Sample(
        "s", "他卖她包", (Rewrite("他卖了他包", edit_sets=sets),), {}, tuple("他卖她包")
    )
    same = SystemOutput("a", {"s": (Rewrite("他卖她包"),)})
    file = page(tmp_path / "p.html", Corpus("c", (sample,), "zh"), [same])
    with opened(browser, file, "#s=s&view=aligned") as shown:
        row = shown.page.locator("tr", has_text="Reference 1")
        assert row.locator("ins").all_inner_texts() == ["了", "他"]


@pytest.fixture
def german(tmp_path: Path) -> Path:
    """A page whose only metric over edits is one of another language."""
    sources = ("Das ist ein Haus .", "Er geht nach Haus .", "Wir sind da .")
    samples = tuple(
        Sample(str(at), text, (Rewrite(text.replace("Haus", "Baum")),))
        for at, text in enumerate(sources)
    )
    outputs = [
        SystemOutput(
            name,
            {sample.id: (Rewrite(change(int(sample.id), sample.source)),) for sample in samples},
        )
        for name, change in (
            ("a", lambda _, text: text),
            ("b", lambda at, text: text.replace("Haus", "Hof") if at == 1 else text),
        )
    ]
    return page(
        tmp_path / "de.html", Corpus("de", samples, "de"), outputs, metrics=("gleu", "cherrant")
    )


@pytest.mark.parametrize("address", ["", "#s=1&view=aligned"])
def test_without_edits_texts_are_shown_and_nothing_is_said_of_scores(
    browser, german: Path, address: str
):
    with opened(browser, german, address) as shown:
        shown.page.locator("#row-1").click()
        texts = shown.page.locator(".versions .text").all_inner_texts()
        assert texts == [
            "Er geht nach Haus .",
            "Er geht nach Baum .",
            "Er geht nach Haus .",
            "Er geht nach Hof .",
        ]
        assert shown.page.locator(".tools select option").all_inner_texts() == ["Plain texts"]
        assert "not scored" not in shown.page.locator("#explorer").inner_text()
        assert shown.page.locator(".row").count() == 3
        assert shown.page.locator(".strip").count() == 0
        assert shown.console_messages == []


def test_without_edits_different_outputs_are_different_texts(browser, german: Path):
    with opened(browser, german) as shown:
        shown.page.locator(".filters [name=sort]").select_option("disagreement")
        assert shown.rows() == ["1", "0", "2"]
