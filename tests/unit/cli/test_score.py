"""What `gecbench score` and its relatives say beside the numbers, and what they refuse."""

from __future__ import annotations

from pathlib import Path

import pytest

import gecbench
from gecbench.core.errors import GecbenchError

CORPUS, EAGER, CAUTIOUS = (
    gecbench.sample("zh", name) for name in ("corpus.jsonl", "eager.txt", "cautious.txt")
)
SCORE = ("score", CORPUS, EAGER, "--scheme", "zh-char")


@pytest.mark.parametrize("to_file", [False, True])
def test_notes_stand_beside_csv(run, tmp_path: Path, to_file: bool):
    (tmp_path / "empty.txt").write_text("\n" * 76, "utf-8")
    words = ("score", CORPUS, tmp_path / "empty.txt", "--scheme", "zh-char")
    text = run(*words)[1]
    notes = [line for line in text.splitlines() if line.startswith("note: ")]
    assert notes
    output = ("-o", tmp_path / "x.csv") if to_file else ("--format", "csv")
    code, out, err = run(*words, *output)
    assert code == 0
    assert "note: " not in out
    assert [line for line in err.splitlines() if line.startswith("note: ")] == notes


def test_several_tables_are_one_csv(run):
    err = run(*SCORE, "--metric", "cherrant,sentence-accuracy", "--by-type", 1, "--format", "csv")[
        2
    ]
    assert "--table" not in err


@pytest.mark.parametrize(
    ("words", "option"),
    [
        ((*SCORE, "--ci", "--resamples", "0"), "--resamples"),
        ((*SCORE, "--mirror", "nowhere"), "--mirror"),
        (("score", CORPUS, EAGER, "--metric", "gleu", "--folder", "nowhere"), "--folder"),
        (("score", CORPUS, EAGER, "--metric", "m2", "--by-type", "2"), "--by-type"),
        (
            ("score", CORPUS, EAGER, "--metric", "gleu", "--by-type", 1, "--format", "json"),
            "--by-type",
        ),
        (("compare", CORPUS, EAGER, CAUTIOUS, "--correction", "bh"), "--correction"),
        (("combine", CORPUS, EAGER, CAUTIOUS, "--scheme", "zh-char", "--folder", "x"), "--folder"),
        (("combine", CORPUS, EAGER, CAUTIOUS, "--scheme", "none", "--mirror", "x"), "--mirror"),
    ],
)
def test_what_has_no_effect_is_refused(run, words: tuple[object, ...], option: str):
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert option in err


OPTIONS = (
    *("--beta 2", "--level detection-span", "--choice sentence-best", "--edits single"),
    *("--exclude M", "--by-type 2", "--seed 3", "--resamples 200", "--segmenter characters"),
    *("--strategy first", "--no-simplify", "--lev", "--merging all-split", "--max-references 1"),
    *("--references-exactly 1", "--normalise nfkc", "--by origin", "--columns id=a"),
    *("--system-columns id=a", "--subset", "--folder x", "--mirror x", "--parse-cache x"),
    *("--spacy-model x", "--scheme-set a=b", "--address x:1", "--gpus 1", "--resume x"),
)


@pytest.mark.parametrize(
    "words",
    [
        ("--scheme", "zh-char"),
        ("--metric", "gleu"),
        ("--metric", "sentence-accuracy"),
        ("--metric", "m2", "--scheme", "zh-char"),
        ("--metric", "char-bleu", "--format", "json"),
    ],
)
def test_every_option_changes_something_or_is_refused(run, words: tuple[str, ...]):
    base = ("score", CORPUS, EAGER, "--range", "0:20", *words)
    plain = run(*base)
    assert plain[0] == 0
    assert [option for option in OPTIONS if run(*base, *option.split()) == plain] == []


def test_one_system_votes_on_nothing(run):
    words = ("combine", CORPUS, EAGER, "--scheme", "zh-char")
    assert "note: one system" in run(*words)[2]
    assert "note: one system" not in run(*words, CAUTIOUS)[2]


@pytest.mark.parametrize("function", ["score", "compare", "combine"])
def test_no_system_is_an_error(function: str):
    with pytest.raises(GecbenchError, match="system"):
        getattr(gecbench, function)(gecbench.load(CORPUS), [], scheme="zh-char")
