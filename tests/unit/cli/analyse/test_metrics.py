"""The commands analyse correlation and analyse meta: what they take and refuse."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gecbench.api.files import sample

ZH = sample("zh", "corpus.jsonl").parent
CORPUS = ZH / "corpus.jsonl"
SYSTEMS = [ZH / f"{name}.txt" for name in ("cautious", "eager", "fluent")]
TWO = ("--metric", "sentence-accuracy,meaning-preservation")


@pytest.fixture
def write(tmp_path: Path):
    def write(text: str, name: str) -> Path:
        path = tmp_path / name
        path.write_text(text, "utf-8")
        return path

    return write


def test_correlation_of_systems_and_of_a_table(run, write):
    code, out, err = run("analyse", "correlation", CORPUS, *SYSTEMS, *TWO, "--format", "json")
    assert (code, err) == (0, "")
    scored = json.loads(out)
    (pair,) = scored["pairs"]
    rows = zip(scored["systems"], *(metric["values"] for metric in scored["metrics"]), strict=True)
    lines = ["system\tone\ttwo", *("\t".join(map(str, row)) for row in rows)]
    table = write("\n".join(lines), "t.tsv")
    words = ("analyse", "correlation", "--scores", table, "--lower", "two", "--oriented")
    code, out, err = run(*words, "--format", "json")
    assert (code, err) == (0, "")
    (other,) = json.loads(out)["pairs"]
    assert other["pearson"]["value"] == -pair["pearson"]["value"]
    assert json.loads(out)["oriented"] is True


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ((), "name a corpus and systems, or a table of scores by --scores FILE"),
        ((CORPUS, "a", "b"), "a correlation needs at least three systems; systems: a, b"),
        ((CORPUS, *SYSTEMS), "a correlation needs at least two metrics; metrics: cherrant; add"),
        ((CORPUS, *SYSTEMS, "--lower", "x"), "--lower has no effect without --scores"),
        (("--scores", "t", *TWO), "--scores has the scores already; leave --metric out"),
        ((CORPUS, "--scores", "t"), "--scores has the scores already; leave CORPUS out"),
        (("--scores", "t", "--beta", "1"), "--scores has the scores already; leave --beta out"),
    ],
)
def test_correlation_refuses_with_one_line(run, words: tuple, why: str):
    scheme = ("--scheme", "zh-char") if words[1:] == tuple(SYSTEMS) else ()
    code, out, err = run("analyse", "correlation", *words, *scheme)
    assert (code, out) == (2, "")
    assert err.startswith(f"gecbench: {why}")
    assert err.count("\n") == 1


PEOPLE = "system,way,other\ncautious,3,1\neager,2,2\nfluent,1,3\n"


def test_meta_of_systems_and_of_tables(run, write):
    people = write(PEOPLE, "p.csv")
    words = ("analyse", "meta", CORPUS, *SYSTEMS, *TWO, "--human", f"by={people}")
    code, out, err = run(*words, "--windows", "3", "--format", "json")
    assert (code, err) == (0, "")
    data = json.loads(out)
    assert {row["human"] for row in data["system_level"]} == {"by way", "by other"}
    assert len(data["windows"]) == 4
    assert data["sentence_level"] == []
    scores = write("system\tm\ncautious\t1\neager\t5\nfluent\t2\n", "s.tsv")
    code, out, err = run(
        *("analyse", "meta", "--scores", scores, "--human", people, "--lower", "m"),
        *("--system-set", "some=cautious,eager,fluent", "--system-set", "less=-eager"),
        *("--system-set", "whole=", "--window-set", "whole", "--windows", "3"),
        *("--format", "csv"),
    )
    assert code == 0
    assert err.splitlines() == [
        "note: only the first table was written; --table writes another: windows",
        "note: lower is better, so the sign was turned: m",
        "note: fewer than three systems, so no correlation: less (2)",
    ]
    assert [line.split(",")[:4] for line in out.splitlines()[1:4]] == [
        ["m", "way", "some", "3"],
        ["m", "way", "less", "2"],
        ["m", "way", "whole", "3"],
    ]


def test_meta_of_sentences(run, write):
    ranked = "item,id,system,rank\n1,zh-001,eager,1\n1,zh-001,cautious,2\n"
    rankings = write(ranked, "r.csv")
    scored = write("id,system,m\nzh-001,eager,1\nzh-001,cautious,0\n", "n.csv")
    words = ("analyse", "meta", "--sentence-scores", scored, "--judgments", f"who={rankings}")
    code, out, err = run(*words, "--format", "json")
    assert (code, err) == (0, "")
    (row,) = json.loads(out)["sentence_level"]
    assert (row["judgments"], row["pairs"], row["agree"]) == ("who", 1, 1)


def test_numbers_without_names_are_of_the_systems_that_are_said(run, write):
    scores = write("system\tm\na\t1\nb\t5\nc\t2\n", "s.tsv")
    numbers = write("1\n2\n3\n", "n.txt")
    words = ("analyse", "meta", "--scores", scores, "--human", numbers, "--windows", "3,3")
    code, out, _ = run(*words, "--human-systems", "a,b,c", "--format", "json")
    assert code == 0
    assert len(json.loads(out)["windows"]) == 1


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (
            (),
            "there are no human judgements to compare metrics with",
        ),
        (("--human", "P"), "name a corpus and systems, or tables by --scores FILE"),
        (("c", "--human", "P"), "name a corpus and systems, or tables"),
        (("c", "s", "--human", "P", "--lower", "m"), "--lower has no effect without --scores or"),
        (("--scores", "S", "--human", "P", "--beta", "1"), "tables have the scores already; leave"),
        (("--windows", "a"), "--windows 'a' must be as 4-8, 4,6 or none"),
        (("--windows", "8-4"), "--windows '8-4'"),
        (("--windows", "2"), "a window of 2"),
        (("--windows", "3-99999999999"), "--windows has a size above 999"),
        (
            ("--human", "P", "--windows", "none", "--window-set", "all"),
            "--windows is none, so --window-set has no effect",
        ),
        (
            ("--judgments", "J", "--windows", "4"),
            "--windows has no effect without --human",
        ),
        (("--judgments", "J", "--window-set", "all"), "--window-set has no effect without --human"),
        (
            ("--judgments", "J", "--human-systems", "a"),
            "--human-systems has no effect without --human",
        ),
        (("--human", "N", "--human-systems", "a,a,b"), "'a' is named twice among the systems of "),
        (("--human", "N", "--human-systems", "a,,b"), "a system of N has no name; write a,b,c"),
        (
            ("--scores", "-", "--human", "-"),
            "standard input can be read once only; '-' stands twice",
        ),
        (
            ("--scores", "T", "--human", "P", "--windows", "none"),
            "a correlation needs at least three systems; systems: cautious, eager",
        ),
        (("--system-set", "a"), "--system-set 'a' must be NAME=SYSTEM,SYSTEM,..."),
        (("--system-set", "a=x,-y"), "--system-set 'a=x,-y' must be"),
        (("--system-set", "a=x,"), "--system-set 'a=x,' must be"),
        (("--system-set", "=x"), "--system-set '=x' must be"),
        (("--human", "a=P", "--human", "P"), "name all of these files, NAME=FILE"),
        (("--human", "a=P", "--human", "a=S"), "a file is named twice in a,a"),
    ],
)
def test_meta_refuses_with_one_line(run, write, words: tuple, why: str):
    judgments = write("item,id,system,rank\n1,1,a,1\n", "J")
    files = {"P": write(PEOPLE, "P"), "S": write("system\tm\na\t1\n", "S"), "J": judgments}
    files["T"] = write("system\tm\ncautious\t1\neager\t5\n", "T")
    files["N"] = write("1\n2\n3\n", "N")
    arguments = [files.get(word, word) for word in words]
    arguments = [f"a={files[word[2:]]}" if str(word)[:2] == "a=" and word[2:] in files else word
             for word in arguments]  # fmt: skip
    code, out, err = run("analyse", "meta", *arguments)
    assert (code, out) == (2, "")
    assert err.replace(f"{files['P'].parent}/", "").startswith(f"gecbench: {why}")
    assert err.count("\n") == 1
