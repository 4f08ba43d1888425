"""gecbench report from the terminal: files, options that do not go together, and failures."""

from __future__ import annotations

from pathlib import Path

import pytest

NO_CI = ("--scheme", "zh-char", "--no-ci")

CASES = """O-S He go to school .
O-T He goes to school .
A1-S He go to that school .
A1-T He goes to that school .
A2-S She go to school .
A2-T She goes to school .
"""


@pytest.fixture
def few(tmp_path: Path, zh: Path) -> tuple[Path, Path]:
    """The first ten Chinese samples and the outputs of a system."""
    corpus = tmp_path / "few.jsonl"
    lines = (zh / "corpus.jsonl").read_text("utf-8").splitlines(keepends=True)
    corpus.write_text("".join(lines[:11]), encoding="utf-8")
    system = tmp_path / "eager.txt"
    lines = (zh / "eager.txt").read_text("utf-8").splitlines(keepends=True)
    system.write_text("".join(lines[:10]), encoding="utf-8")
    return corpus, system


def test_a_page_is_written_and_nothing_is_said(good, few, tmp_path: Path):
    corpus, system = few
    words = ("--scheme", "zh-char", "--no-ci", "--language", "zh", "--title", "试验")
    assert good("report", corpus, system, "-o", "r.html", *words, "--date", "2026") == ""
    text = (tmp_path / "r.html").read_text("utf-8")
    assert text.startswith("<!doctype html>")
    assert "<title>试验</title>" in text
    assert "<bdi>2026</bdi>" in text


def test_the_page_can_go_to_standard_output(good, few):
    corpus, system = few
    assert good("report", corpus, system, "-o", "-", *NO_CI).startswith("<!doctype html>")


def test_figures_and_their_data_are_written_beside_it(run, few, tmp_path: Path):
    corpus, system = few
    ended = run(
        *("report", corpus, system, "-o", "r.html", "--scheme", "zh-char", "--no-ci"),
        *("--figures", "figures", "--figure-format", "svg, pdf"),
    )
    names = {path.name for path in (tmp_path / "figures").iterdir()}
    assert {"scores-cherrant.svg", "scores-cherrant.pdf", "scores-cherrant.csv"} <= names
    assert ended.stderr == f"figures: {len(names)} files\n"


def test_robustness_is_a_part_where_cases_are_given(good, tmp_path: Path):
    (tmp_path / "corpus.txt").write_text("He go to school .\n", encoding="utf-8")
    (tmp_path / "reference.txt").write_text("He goes to school .\n", encoding="utf-8")
    (tmp_path / "system.txt").write_text("He goes to school .\n", encoding="utf-8")
    (tmp_path / "cases.txt").write_text(CASES, encoding="utf-8")
    outputs = "He goes to school .\nHe goes to that school .\nShe go to school .\n"
    (tmp_path / "outputs.txt").write_text(outputs, encoding="utf-8")
    good(
        *("report", "corpus.txt", "system.txt", "--reference", "reference.txt", "--no-ci"),
        *("-o", "r.html", "--robustness", "cases.txt", "--robustness-system", "mine=outputs.txt"),
    )
    page = (tmp_path / "r.html").read_text("utf-8")
    assert 'id="robustness"' in page
    assert "P-CRS" in page.split('id="robustness"', 1)[1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--no-ci", "--seed", "1"), "--seed is of --ci; leave --seed or --no-ci out"),
        (("--no-ci", "--resamples", "200"), "--resamples is of --ci; leave --resamples or "),
        (("--figure-format", "pdf"), "--figure-format is of --figures; name their folder"),
        (("--figures", "f", "--figure-format", "gif"), "figure format 'gif' is none of svg, pdf"),
        (("--robustness", "c.txt"), "--robustness names cases and --robustness-system outputs"),
        (("--robustness-system", "c.txt"), "give both"),
    ],
)
def test_options_that_would_be_ignored_are_refused(bad, few, options: tuple, message: str):
    corpus, system = few
    assert message in bad(2, "report", corpus, system, "-o", "r.html", *options)


def test_a_folder_that_is_missing_is_said_before_the_work(bad, few):
    corpus, system = few
    said = bad(1, "report", corpus, system, "-o", "none/r.html")
    assert said == "none/r.html: the folder none does not exist; make it first"


def test_a_scheme_is_used_also_where_the_metrics_asked_for_need_no_edits(good, few):
    corpus, system = few
    page = good("report", corpus, system, "-o", "-", *NO_CI, "--metric", "gleu")
    assert "scores-gleu" in page
    assert "scores-cherrant" in page
    assert "scheme:zh-char" in page


def test_the_output_must_be_named(bad, few):
    corpus, system = few
    assert "Missing option '-o' / '--output'" in bad(2, "report", corpus, system)
