"""`gecbench compare` from the command line."""

from __future__ import annotations

import json

import pytest
from messages import assert_is_line

from gecbench.api.files import sample

ZH = sample("zh", "corpus.jsonl").parent
CORPUS = ZH / "corpus.jsonl"
SYSTEMS = [ZH / f"{name}.txt" for name in ("cautious", "eager", "fluent")]
ACCURACY = ("--metric", "sentence-accuracy")


def test_compare_prints_what_was_asked_for(run):
    words = ("compare", CORPUS, *SYSTEMS, *ACCURACY, "--resamples", 200, "--format", "json")
    code, out, err = run(*words)
    assert (code, err) == (0, "")
    data = json.loads(out)
    assert data["analysis"] == "compare"
    (metric,) = data["metrics"]
    assert [system["system"] for system in metric["systems"]] == ["cautious", "eager", "fluent"]
    assert len(metric["pairs"]) == 3
    assert metric["plan"] == {
        "tests": ["bootstrap", "randomisation"],
        "resamples": 200,
        "seed": 0,
        "correction": "holm",
        "alpha": 0.05,
        "confidence": 0.95,
        "baseline": None,
        "deciding": "randomisation",
    }


def test_compare_takes_all_its_options(run):
    code, out, err = run(
        *("compare", CORPUS, *SYSTEMS[:2], f"third={SYSTEMS[2]}", *ACCURACY, "--resamples", 150),
        *("--test", "bootstrap", "--seed", 3, "--correction", "bh", "--alpha", 0.1),
        *("--confidence", 0.9, "--baseline", "third", "--format", "json"),
    )
    assert (code, err) == (0, "")
    (metric,) = json.loads(out)["metrics"]
    assert metric["plan"] == {
        "tests": ["bootstrap"],
        "resamples": 150,
        "seed": 3,
        "correction": "bh",
        "alpha": 0.1,
        "confidence": 0.9,
        "baseline": "third",
        "deciding": "bootstrap",
    }
    assert [(pair["first"], pair["second"]) for pair in metric["pairs"]] == [
        ("cautious", "third"),
        ("eager", "third"),
    ]
    assert metric["groups"] == []


@pytest.mark.parametrize(
    ("words", "facts"),
    [
        ((SYSTEMS[0],), ("two systems", "1")),
        ((*SYSTEMS, "--resamples", 5), ("resamples", "5", "100")),
        ((*SYSTEMS, "--alpha", 0), ("alpha", "0", "0.5")),
        ((*SYSTEMS, "--baseline", "eagre"), ("baseline", "'eagre'", "eager")),
        ((*SYSTEMS, "--table", "x"), ("compare", "'x'", "systems", "pairs")),
    ],
)
def test_compare_refuses_with_one_line(run, words: tuple, facts: tuple[str, ...]):
    code, out, err = run("compare", CORPUS, *words, *ACCURACY)
    assert (code, out) == (2, "")
    assert_is_line(err, *facts)


def test_files_that_differ_in_their_endings_are_named_with_them(run, tmp_path):
    (tmp_path / "a.txt").write_bytes(SYSTEMS[0].read_bytes())
    (tmp_path / "a.out").write_bytes(SYSTEMS[1].read_bytes())
    words = (*ACCURACY, "--resamples", 100, "--test", "bootstrap", "--format", "json")
    code, out, err = run(
        "compare", CORPUS, tmp_path / "a.txt", tmp_path / "a.out", SYSTEMS[2], *words
    )
    assert (code, err) == (0, "")
    (metric,) = json.loads(out)["metrics"]
    assert {system["system"] for system in metric["systems"]} == {"a.txt", "a.out", "fluent"}
    code, _, err = run("compare", CORPUS, SYSTEMS[0], SYSTEMS[0], *words)
    assert code == 2
    assert "NAME=FILE" in err
