"""`gecbench corrupt` from the terminal."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from tiny_profiles import CHINESE

from gecbench.cli.corrupt import corrupt
from gecbench.core.errors import GecbenchError
from gecbench.datasets.corrupt.profile import profile_names


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    Path("x.txt").write_text("".join(f"{text}\n" for text in CHINESE), encoding="utf-8")
    Path("x.tsv").write_text(
        "".join(f"{k}\t{text.replace('的', '地')}\t{text}\n" for k, text in enumerate(CHINESE)),
        encoding="utf-8",
    )


def run(*words: object):
    return CliRunner().invoke(corrupt, list(map(str, words)))


def test_pairs_report_and_labels_are_written():
    ended = run("x.txt", "-o", "y.jsonl", "--labels", "y.labels", "--report", "y.json")
    assert ended.exit_code == 0, ended.output
    assert "4 sentences, 4 pairs written: 4 with errors" in ended.output
    assert "word-misused" in ended.output
    counts = json.loads(Path("y.json").read_text("utf-8"))
    assert counts["sentences"] == 4
    assert counts["made"] == sum(counts["types"].values())
    assert len(Path("y.labels").read_text("utf-8").splitlines()) == 5


def test_a_profile_is_fitted_and_used():
    ended = run("--fit", "x.tsv", "--scheme", "zh-char", "-o", "p.toml")
    assert ended.exit_code == 0, ended.output
    assert "the profile holds words of the corpus" in ended.output
    ended = run("x.txt", "--profile", "p.toml", "--to", "pairs", "--set", "correct=0")
    assert ended.exit_code == 0, ended.output
    rows = [row.split("\t") for row in ended.stdout.splitlines() if row.count("\t") == 1]
    assert rows
    assert all(
        source == target.replace("的", "地", 1) or source != target for source, target in rows
    )


@pytest.mark.parametrize(
    "words",
    [
        ("x.txt", "-o", "there"),
        ("x.txt", "-o", "new", "--labels", "there"),
        ("x.txt", "-o", "new", "--report", "there"),
        ("--fit", "x.tsv", "--scheme", "zh-char", "-o", "there"),
    ],
)
def test_a_file_that_is_there_needs_overwrite(words):
    Path("there").write_text("of somebody else", "utf-8")
    ended = run(*words)
    assert isinstance(ended.exception, GecbenchError)
    assert "there: " in str(ended.exception)
    assert "--overwrite" in str(ended.exception)
    assert not Path("new").exists()
    assert Path("there").read_text("utf-8") == "of somebody else"
    assert run(*words, "--overwrite").exit_code == 0
    assert Path("there").read_text("utf-8") != "of somebody else"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "there are no texts"),
        (("x.txt", "--least", "2"), "--least has no effect without --fit"),
        (("x.txt", "--scheme", "zh-char"), "leave --scheme out"),
        (("x.txt", "--profile", "zh-default", "--lang", "en"), "leave --lang out"),
        (("--fit", "x.tsv", "x.txt"), "leave TEXTS out"),
        (("--fit", "x.tsv", "--set", "correct=0"), "leave --set out"),
        (("--fit", "x.tsv", "--to", "pairs"), "leave --to out"),
        (("--fit", "x.tsv", "--seed", "0"), "leave --seed out"),
        (("x.txt", "--set", "correct"), "--set 'correct' must be KEY=VALUE"),
        (("x.txt", "--set", "correct=0", "--set", "correct=1"), "--set correct is given twice"),
        (("x.txt", "--profile", "zh-defualt"), "did you mean zh-default"),
        (("x.txt", "-o", "y", "--report", "y"), "both write"),
        (("nothing.txt",), "nothing.txt: no such file"),
        (("x.txt", "-o", "nowhere/y"), "the folder nowhere does not exist"),
    ],
)
def test_wrong_use_is_one_clear_line(words: tuple[str, ...], message: str):
    ended = run(*words)
    assert isinstance(ended.exception, GecbenchError)
    assert message in str(ended.exception)
    assert "\n" not in str(ended.exception)
    assert sorted(path.name for path in Path.cwd().iterdir()) == ["x.tsv", "x.txt"]


def test_the_report_never_takes_the_place_of_the_pairs():
    ended = run("x.txt", "-o", "y", "--report", Path.cwd() / "y")
    assert "both write" in str(ended.exception)
    assert not Path("y").exists()


def test_standard_input_and_output_in_a_process_of_its_own():
    command = [sys.executable, "-m", "gecbench", "corrupt", "-", "--to", "pairs", "--seed", "4"]
    ended = subprocess.run(
        command, input="\n".join(CHINESE), capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    targets = [row.split("\t")[1] for row in ended.stdout.splitlines()]
    assert targets == list(CHINESE)


def test_the_packaged_profiles_are_documented():
    page = Path(__file__).parents[3] / "docs" / "correct" / "synthetic-errors.md"
    text = page.read_text("utf-8")
    assert all(f"`{name}`" in text for name in profile_names())
