"""What a report holds, and the HTML that it becomes."""

from __future__ import annotations

import base64
import gzip
import hashlib
import importlib.util
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from messages import expect_error
from score_corpus import BAD, COPY, CORPUS, GOOD, system

import gecbench
from gecbench.analysis.options import Plan
from gecbench.analysis.significance import compare_run
from gecbench.api.options import Options
from gecbench.api.report import report, save_report
from gecbench.api.score import collect_stats
from gecbench.core.edit import Edit
from gecbench.core.errors import GecbenchError, MissingExtraError, UsageError
from gecbench.core.files import check_target
from gecbench.core.sample import Corpus, Rewrite, Sample
from gecbench.formats import stored
from gecbench.lang.zh.char import scheme as zh_char
from gecbench.reports import page as report_page
from gecbench.reports import plots
from gecbench.reports.compare import build_report
from gecbench.reports.page import Page, interface_words
from gecbench.reports.report import Column, Report, Table, Words, message_words

SYSTEMS = (COPY, GOOD, BAD)
WORDS = interface_words("page")


def page(*systems, corpus: Corpus = CORPUS, options: Options | None = None, **more) -> Page:
    options = options or Options(resamples=100)
    return report(corpus, systems or SYSTEMS, scheme="zh-char", options=options, **more)


def bare(**more) -> Page:
    """A page without any plot, which is written at once."""
    table = Table("t", Words("T", "表"), (Column("a"), Column("b", "percent")), (("x", None),))
    report = Report("odd", Words("Odd", "怪"), "c", (table,), notes=("a <note>",))
    return Page(title="T", facts=((WORDS["corpus"], "c"),), reports=(report,), **more)


@pytest.fixture(scope="module")
def whole() -> Page:
    """The page of the corpus of these tests."""
    return page()


def test_every_note_of_a_page_is_in_both_languages(whole: Page):
    """Signatures are identifiers and the same in every language."""
    options = Options(metrics=("cherrant", "char-bleu"), resamples=100, normalise=("nfkc",))
    more = page(GOOD, BAD, options=options)
    notes = {note for page_of in (whole, more) for part in page_of.reports for note in part.notes}
    assert len(notes) > 10
    assert [note for note in notes if message_words(note) is None] == []


@pytest.fixture(scope="module")
def written(whole: Page) -> str:
    """Its HTML."""
    return report_page.render_html(whole)


def packed(html: str) -> dict:
    """The data in a page."""
    match = re.search(r'id="data">([^<]*)</script>', html)
    return json.loads(gzip.decompress(base64.b64decode(match[1])))


def names(page: Page) -> list[str]:
    return [report.name for report in page.reports]


def test_a_report_holds_all_parts(whole: Page):
    assert names(whole) == ["scores", "compare", "breakdown", "references", "difficulty"]


def test_of_one_system_there_is_no_comparison_and_no_difficulty():
    new_page = page(GOOD)
    assert names(new_page) == ["scores", "breakdown", "references"]
    (headline,) = new_page.headlines
    assert headline.en.startswith("good: F0.5 100.00 (95%: ")


def test_difficulty_that_is_zero_for_all_systems_is_left_out():
    equal = system("twin", "他去了", "他来了", "好", "口口", "我")
    assert "difficulty" not in names(page(GOOD, equal))


def test_significance_is_that_of_compare():
    options = Options(resamples=200, seed=3)
    new_page = page(options=options)
    run_stats = collect_stats(CORPUS, SYSTEMS, scheme=zh_char(), options=options)
    compared = compare_run(run_stats, Plan(resamples=200, seed=3))
    (expected,) = compared.metrics
    (report,) = [report for report in new_page.reports if report.name == "compare"]
    shown = build_report("dev", [expected], page=True, unchanged={"copy"})
    pairs = {table.name: table for table in shown.tables}["pairs"]
    assert report.tables[0].rows == pairs.rows
    rows = new_page.reports[0].tables[0].rows
    assert {row[0]: row[2:5] for row in rows} == {
        name: (expected.values[name], interval.low, interval.high)
        for name, interval in expected.intervals.items()
    }
    assert [row[0] for row in rows] == list(expected.ranked)


def test_a_system_that_changes_nothing_is_marked_and_never_best(whole: Page, written: str):
    table = whole.reports[0].tables[0]
    at = [row[0] for row in table.rows].index("copy")
    assert {place: words.en for place, words in table.remarks.items()} == {(at, 0): "no edits"}
    assert not any(row == at for row, _ in table.marks)
    assert table.marks
    assert "copy</bdi> <span class=" in written


def test_it_is_marked_wherever_systems_are_named_in_rows(whole: Page, written: str):
    reports = {report.name: report for report in whole.reports}
    pairs = reports["compare"].tables[0]
    last = [row[1] for row in pairs.rows]
    assert pairs.remarks.keys() == {(at, 1) for at, name in enumerate(last) if name == "copy"}
    assert "copy" not in [row[0] for row in pairs.rows]
    scores = reports["difficulty"].tables[0]
    at = [row[0] for row in scores.rows].index("copy")
    assert scores.remarks.keys() == {(at, 0)}
    assert written.count(">no edits<") > 5


def test_bars_of_the_number_of_references_lead_to_their_sentences(whole: Page):
    (report,) = [report for report in whole.reports if report.name == "references"]
    links = [category.filters["group"] for category in report.figures[0].categories]
    (group,) = [g for g in whole.sentences["groups"] if g["by"] == "references"]
    assert links == [f"references:{name}" for name in group["names"]]
    sizes = [category.size for category in report.figures[0].categories]
    assert sizes == [group["members"].count(at) for at in range(len(sizes))]


def test_each_score_has_a_bar_with_its_interval(written: str):
    table = written[written.index('id="table-scores"') :].partition("</table>")[0]
    assert table.count('<svg class="interval"') == len(SYSTEMS)


def test_several_processes_make_the_same_page(whole: Page, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(stored, "BLOCK", 2)
    options = Options(resamples=100, jobs=2)
    assert page(options=options).reports == whole.reports
    assert page(options=options).sentences == whole.sentences


def test_without_resamples_there_are_no_tests_and_no_intervals():
    new_page = page(options=Options())
    assert "compare" not in names(new_page)
    (scores,) = [report for report in new_page.reports if report.name == "scores"]
    assert [column.name for column in scores.tables[0].columns] == [
        *("system", "F0.5", "P", "R", "TP", "FP", "FN")
    ]
    assert "with" not in scores.figures[0].title.en
    (headline,) = new_page.headlines
    assert headline.en.endswith("; whether they differ was not tested")


def test_the_scores_are_those_of_score():
    options = Options(resamples=200, seed=3, metrics=("cherrant", "gleu"))
    table = page(options=options).reports[0].tables[-1]
    scored = gecbench.score(CORPUS, SYSTEMS, scheme="zh-char", options=options)
    for place, name in enumerate(("copy", "good", "bad")):
        cells = []
        for result in scored.results:
            if result.system == name:
                cells += [result.score.value, result.score.interval.low, result.score.interval.high]
        assert table.rows[place] == (name, *cells)


def test_too_few_resamples_are_a_warning_and_no_headline_goes_by_them():
    systems = [system(f"s{n}", *["我去了", "他来", "好", "口口", "我们"]) for n in range(4)]
    new_page = page(*systems)
    (warning,) = new_page.warnings
    assert "take --resamples 120 or more" in warning
    assert new_page.headlines[0].en.endswith("; too few resamples to tell whether they differ")


def test_intervals_of_too_many_pairs_are_left_to_the_table():
    systems = [system(f"s{n}", "我去了", "他来", "好", "口口", "我们") for n in range(11)]
    compared = page(*systems).reports[1]
    assert {figure.kind for figure in compared.figures} == {"matrix"}
    assert any(len(table.rows) == 55 for table in compared.tables)


def test_where_no_metric_compares_edits_the_span_metric_is_added():
    new_page = page(options=Options(metrics=("gleu",)))
    assert [column.name for column in new_page.reports[0].tables[-1].columns] == [
        *("system", "gleu", "cherrant")
    ]
    assert new_page.edits


def test_edits_of_any_language_are_marked():
    corpus = Corpus("d", (Sample("1", "ich gehen", (Rewrite("ich gehe"),)),), "de")
    page = report(corpus, [system("s", "ich gehe")], options=Options(metrics=("gleu",)))
    assert page.edits
    assert page.sentences["hasEdits"] is True


def test_metrics_that_do_not_apply_say_why():
    new_page = page(options=Options(metrics=("cherrant", "errant"), resamples=100))
    scores = new_page.reports[0]
    assert any(note.startswith("n/a: errant is for language en") for note in scores.notes)
    assert [figure.name for figure in scores.figures] == [
        "scores-cherrant",
        "scores-cherrant-plane",
    ]


def test_where_each_sentence_has_one_reference_there_is_no_part_on_them():
    corpus = Corpus("one", (Sample("1", "我去了", (Rewrite("我去"),)),), "zh")
    new_page = page(system("s", "我去"), corpus=corpus)
    assert names(new_page) == ["scores", "breakdown"]


def test_the_facts_say_what_the_corpus_is():
    corpus = Corpus("dev", CORPUS.samples, "zh", {"origin": "here", "made by": "me"})
    facts = {key.en: value for key, value in page(corpus=corpus, title="T", date="now").facts}
    assert (facts["Corpus"], facts["Date"], facts["Origin"]) == ("dev", "now", "here")
    assert facts["made by"] == "me"
    assert facts["Sentences"] == Words("5 (4 scored)", "5（计分 4）")
    assert facts["Left out"].zh == "1：无法标注"


def test_subsets_are_refused():
    with expect_error(UsageError, "'by'"):
        page(options=Options(by="origin"))


def test_the_policy_allows_just_the_style_and_the_script_that_are_there():
    html = report_page.render_html(bare())
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', html)[1]
    policy = policy.replace("&#39;", "'")
    for tag, what in (("style>", "style-src"), ('script type="module">', "script-src")):
        text = html.split(f"<{tag}", 1)[1].split("</", 1)[0]
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{what} 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy


def test_nothing_names_another_host(written: str):
    addresses = set(re.findall(r"https?://[^\s\"'<>]+", written))
    assert {address.rstrip("/") for address in addresses} <= {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
    }
    assert not re.search(r'(src|href)="(?!#)', written)


def test_tables_and_figures_can_be_downloaded(written: str):
    files = packed(written)["files"]
    assert files["scores.csv"].startswith("system,groups,F0.5,low,high,P,R,TP,FP,FN\n")
    assert files["scores.tex"].startswith("% F0.5 (cherrant): systems, best first; ")
    assert "scores-cherrant-plane.csv" in files
    assert files["breakdown-type-1.csv"].startswith("operation,in words,edits,")
    assert files["breakdown-type-1-figure.csv"].startswith("series,x,y,")


def test_no_two_columns_of_the_scores_have_one_name():
    options = Options(metrics=("cherrant", "gleu", "char-bleu"), resamples=100)
    heads = [column.name for column in page(options=options).reports[0].tables[-1].columns]
    assert "gleu 95% from" in heads
    assert len(heads) == len(set(heads)) == 10


def test_cells_are_in_both_languages():
    table = Table("t", Words("T", "表"), (Column("a"), Column("b")), ((Words("x", "甲"),) * 2,))
    html = report_page.render_html(
        Page("T", (), (Report("odd", Words("Odd", "怪"), "c", (table,)),))
    )
    both = '<span class="w" lang="en">x</span><span class="w" lang="zh-Hans">甲</span>'
    assert f'<th scope="row" data-value="x" class=word><bdi>{both}</bdi></th>' in html
    assert f'<td data-value="x" class=word><bdi>{both}</bdi></td>' in html


@pytest.mark.no_cover
def test_a_warning_stands_once_at_the_end_of_its_part():
    slipped = system("slipped", *["口口口口口"] * 5)
    new_page = page(GOOD, slipped)
    (note,) = new_page.warnings
    assert "slipped: outputs that share almost nothing with their source: " in note
    bare_reports = tuple(replace(report, figures=()) for report in new_page.reports)
    html = report_page.render_html(replace(new_page, reports=bare_reports))
    scores, rest = html.split('id="scores"', 1)[1].split("</section>", 1)
    assert scores.count(note) == 1
    assert scores.index("</table>") < scores.index("Warnings") < scores.index(note)
    assert note not in rest.split('<script type="application/octet-stream"', 1)[0]
    assert page(GOOD, BAD).warnings == ()


def test_edits_that_were_not_made_by_one_scheme_make_numbers_doubtful():
    rewrite = Rewrite("我去", edit_sets=((Edit(2, 3, "", label="Mec"),),))
    corpus = Corpus("mixed", (Sample("1", "我去了", (rewrite,), tokens=("我", "去", "了")),), "zh")
    page = report(corpus, [system("s", "我去")], scheme=zh_char(), options=Options())
    assert [note[:49] for note in page.warnings] == [
        "mixed: edits in files are not those of scheme zh-"
    ]


def test_an_report_of_the_same_name_is_numbered():
    two = bare()
    html = report_page.render_html(Page(two.title, two.facts, two.reports * 2))
    assert set(packed(html)["files"]) == {"odd-t.csv", "odd-t.tex", "odd-2-t.csv", "odd-2-t.tex"}
    assert html.count('id="odd"') == html.count('id="odd-2"') == 1


def test_what_is_absent_is_a_dash_and_text_is_escaped():
    html = report_page.render_html(bare())
    assert '<td data-value="">-</td>' in html
    assert "a &lt;note&gt;" in html


@pytest.mark.parametrize("name", ["jinja2", "matplotlib"])
def test_what_is_missing_is_said_before_the_work(name: str, monkeypatch: pytest.MonkeyPatch):
    spec = importlib.util.find_spec
    for module in (report_page, plots):
        monkeypatch.setattr(module, "find_spec", lambda n: None if n == name else spec(n))
    with pytest.raises(MissingExtraError, match=rf"{name}, which .*gecbench\[report\]"):
        report_page.render_html(bare())


def test_a_page_is_saved_in_its_language(tmp_path: Path):
    save_report(bare(), tmp_path / "r.html", language="zh")
    text = (tmp_path / "r.html").read_text("utf-8")
    assert '<html lang="zh-Hans" data-language="zh"' in text


def test_a_file_that_cannot_be_written_is_refused_at_once(tmp_path: Path):
    check_target(Path("-"))
    check_target(tmp_path / "new.html")
    with expect_error(GecbenchError, "none", "does not exist"):
        check_target(tmp_path / "none" / "r.html")
    with pytest.raises(GecbenchError, match="is a folder"):
        check_target(tmp_path)
    (tmp_path / "file").touch()
    with expect_error(GecbenchError, "r.html", "file", "is a file, no folder"):
        check_target(tmp_path / "file" / "r.html")


def test_every_word_is_in_both_languages():
    for key, words in WORDS.items():
        assert words.en, key
        assert words.zh, key
        assert set(re.findall(r"\{\w+\}", words.en)) == set(re.findall(r"\{\w+\}", words.zh)), key


def test_scripts_and_template_ask_for_words_that_are_there():
    folder = Path(report_page.__file__).parent
    script = "\n".join(path.read_text("utf-8") for path in sorted((folder / "js").iterdir()))
    matches = set(re.findall(r'say\("([^"]+)"', script))
    template = (folder / "html" / "page.html").read_text("utf-8")
    matches |= set(re.findall(r"words\.([A-Za-z-]+)", template)) - {"en", "zh"}
    assert len(matches) > 40
    assert matches <= set(WORDS)
