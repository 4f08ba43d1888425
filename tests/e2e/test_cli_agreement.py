"""compare, analyse correlation and analyse meta, whole."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from gecbench.api.files import sample

EN = sample("en", "corpus.jsonl").parent
SYSTEMS = [EN / f"{name}.txt" for name in ("cautious", "eager", "fluent")]


def test_compare_says_who_differs_in_chinese_and_english(good, zh: Path):
    metric = ("--metric", "sentence-accuracy", "--resamples", "500")
    for folder in (EN, zh):
        systems = [folder / f"{name}.txt" for name in ("cautious", "eager", "fluent")]
        shown = good("compare", folder / "corpus.jsonl", *systems, *metric)
        assert "systems that share a letter do not differ significantly" in shown
        assert shown.count("sentence-accuracy|") == 1
        assert good("compare", folder / "corpus.jsonl", *systems, *metric) == shown


def test_compare_writes_figures_with_their_data(run, tmp_path: Path):
    metric = ("--metric", "sentence-accuracy", "--resamples", "200")
    ended = run("compare", EN / "corpus.jsonl", *SYSTEMS, *metric, "--figures", "f", "-o", "t.txt")
    assert (ended.returncode, ended.stdout) == (0, "")
    assert (tmp_path / "t.txt").read_text("utf-8").startswith("Scores")
    names = {path.name for path in (tmp_path / "f").iterdir()}
    assert {"compare-sentence-accuracy-p.svg", "compare-sentence-accuracy-p.csv"} <= names


def test_failures_are_one_line(bad, tmp_path: Path):
    table = tmp_path / "t.tsv"
    table.write_text("system\ta\tb\nx\t1\t2\nx\t1\t2\n", "utf-8")
    assert bad(1, "analyse", "correlation", "--scores", table) == (
        f"{table}:3: 'x' occurs twice; names are unique"
    )
    assert "two systems" in bad(2, "compare", EN / "corpus.jsonl", SYSTEMS[0])
    judgments = tmp_path / "j.xml"
    judgments.write_text("<a>", "utf-8")
    assert bad(1, "analyse", "meta", "--judgments", judgments) == (
        f"{judgments}:1: no well-formed XML at character 4; give SEEDA's judgments file as it was "
        "published"
    )


def test_help_needs_no_statistics():
    for words in (["compare"], ["analyse", "correlation"], ["analyse", "meta"]):
        code = (
            "import sys, contextlib, io, gecbench.cli\n"
            "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):\n"
            f"    gecbench.cli.main({[*words, '--help']!r})\n"
            "print(*sorted({'numpy', 'scipy', 'matplotlib', 'jinja2'} & set(sys.modules)))"
        )
        command = [sys.executable, "-c", code]
        result = subprocess.run(command, capture_output=True, text=True, check=True)
        assert result.stdout.strip() == ""
