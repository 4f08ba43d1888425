"""gecbench report: files, options that do not go together, and failures."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from messages import assert_is_line

from gecbench.api.files import sample
from gecbench.core.errors import GecbenchError

NO_CI = ("--scheme", "zh-char", "--no-ci")
CASES = """O-S He go to school .
O-T He goes to school .
A1-S He go to that school .
A1-T He goes to that school .
A2-S She go to school .
A2-T She goes to school .
"""


@pytest.fixture
def few(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    """The first ten Chinese samples and the outputs of a system, in the folder of the test."""
    monkeypatch.chdir(tmp_path)
    for name, count in (("corpus.jsonl", 11), ("eager.txt", 10)):
        lines = sample("zh", name).read_text("utf-8").splitlines(keepends=True)
        (tmp_path / name).write_text("".join(lines[:count]), encoding="utf-8")
    return "corpus.jsonl", "eager.txt"


@pytest.mark.no_cover
def test_a_page_is_written_and_named_with_the_time_it_took(run, few, tmp_path: Path):
    words = (*NO_CI, "--language", "zh", "--title", "试验", "--date", "2026")
    code, out, err = run("report", *few, "-o", "r.html", *words)
    assert (code, out) == (0, "")
    assert re.fullmatch(r"r\.html: 1 system on 10 sentences, in \d+\.\d s\n", err)
    text = (tmp_path / "r.html").read_text("utf-8")
    assert text.startswith("<!doctype html>")
    assert "<title>试验</title>" in text
    assert "<bdi>2026</bdi>" in text
    before_curves = text.partition('id="references-')[0]  # these have other bands
    assert not re.search(r'<svg class="interval"[^>]*><rect[^>]*/><path d=', before_curves)
    assert '<html lang="zh-Hans"' in text


def test_what_makes_numbers_doubtful_is_said(run, few, tmp_path: Path):
    (tmp_path / "other.txt").write_text("abcdefg\n" * 10, encoding="utf-8")
    code, _, err = run("report", few[0], "other.txt", "-o", "r.html", *NO_CI)
    assert code == 0
    assert err.startswith(
        "note: other: outputs that share almost nothing with their source: 10 (first: zh-001); "
        "are they in the order of the corpus?\nr.html: "
    )


@pytest.mark.no_cover
@pytest.mark.slow
def test_intervals_are_there_where_they_are_not_refused(run, few):
    words = ("report", *few, "-o", "-", "--scheme", "zh-char")
    assert '<svg class="interval"' in run(*words, "--resamples", "100", "--seed", "3")[1]


@pytest.mark.no_cover
@pytest.mark.slow
def test_figures_and_their_data_are_written_beside_it(run, few, tmp_path: Path):
    words = ("--figures", "figures", "--figure-format", "svg, pdf")
    code, out, err = run("report", *few, "-o", "r.html", *NO_CI, *words)
    names = {path.name for path in (tmp_path / "figures").iterdir()}
    assert {"scores-cherrant.svg", "scores-cherrant.pdf", "scores-cherrant.csv"} <= names
    assert (code, out) == (0, "")
    assert err.startswith(f"figures: {len(names)} files\nr.html: ")


def test_robustness_is_a_part_where_cases_are_given(run, few, tmp_path: Path):
    for name, text in (
        ("sources.txt", "He go to school .\n"),
        ("reference.txt", "He goes to school .\n"),
        ("cases.txt", CASES),
        ("outputs.txt", "He goes to school .\nHe goes to that school .\nShe go to school .\n"),
    ):
        (tmp_path / name).write_text(text, encoding="utf-8")
    code, page, err = run(
        *("report", "sources.txt", "reference.txt", "--reference", "reference.txt", "--no-ci"),
        *("-o", "-", "--robustness", "cases.txt", "--robustness-system", "mine=outputs.txt"),
    )
    assert (code, err) == (0, "")
    assert "P-CRS" in page.split('id="robustness"', 1)[1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--no-ci", "--seed", "1"), "--seed has no effect without --ci"),
        (("--no-ci", "--resamples", "200"), "--resamples has no effect without --ci"),
        (("--figure-format", "pdf"), "--figure-format has no effect without --figures"),
        (("--figures", "f", "--figure-format", "gif"), "figure-format is 'gif'"),
        (("--robustness", "c.txt"), "--robustness has no effect without --robustness-system"),
        (
            ("--robustness-system", "c.txt"),
            "--robustness-system has no effect without --robustness",
        ),
        (("--resamples", "7"), "resamples 7 must be at least 100"),
    ],
)
def test_options_that_would_be_ignored_are_refused(run, few, options: tuple, message: str):
    code, out, err = run("report", *few, "-o", "r.html", *options)
    assert (code, out) == (2, "")
    assert message in err


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (("-o", "corpus.jsonl"), 2, "--output would write over corpus.jsonl, which is read; name"),
        (("-o", "./eager.txt"), 2, "--output would write over eager.txt, which is read; name"),
        (
            ("-o", "c.txt", "--robustness", "c.txt", "--robustness-system", "a=b.txt"),
            2,
            "--output would write over c.txt, which is read; name another file",
        ),
        (
            ("-o", "b.txt", "--robustness", "c.txt", "--robustness-system", "a=b.txt"),
            2,
            "--output would write over b.txt, which is read; name another file",
        ),
        (("-o", "r.html", "--figures", "r.html"), 2, "--output and --figures both write r.html"),
        (("-o", "r.html", "--figures", "eager.txt/f"), 1, "the folder cannot be made: eager.txt"),
    ],
)
def test_what_is_read_is_not_written_over_and_no_work_is_lost(
    run, few, tmp_path: Path, options: tuple, code: int, message: str
):
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    status, out, err = run("report", *few, *options)
    assert (status, out) == (code, "")
    assert message in err
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.slow
def test_a_page_is_there_though_its_figures_cannot_be_written(
    run, few, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def refuse(*_words: object, **_more: object):
        raise GecbenchError("figures: the disk is full")

    monkeypatch.setattr("gecbench.cli.output.write_figures", refuse)
    assert run("report", *few, "-o", "r.html", *NO_CI, "--figures", "figures") == (
        1,
        "",
        "gecbench: figures: the disk is full\n",
    )
    assert (tmp_path / "r.html").read_text("utf-8").startswith("<!doctype html>")


def test_a_folder_that_is_missing_is_said_before_the_work(run, few):
    code, out, err = run("report", *few, "-o", "none/r.html")
    assert (code, out) == (1, "")
    assert_is_line(err, "none/r.html", "does not exist")


def test_the_output_must_be_named(run, few):
    code, _, err = run("report", *few)
    assert code == 2
    assert "Missing option '-o' / '--output'" in err
