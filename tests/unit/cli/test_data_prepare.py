"""`gecbench data prepare`: the whole recipe, and input that it refuses."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

ROWS = [f"第{n}个句字。\t第{n}个句子。" for n in range(40)]


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    Path("lang8.src").write_text("\n".join(row.split("\t")[0] for row in ROWS), encoding="utf-8")
    Path("lang8.tgt").write_text("\n".join(row.split("\t")[1] for row in ROWS), encoding="utf-8")
    Path("hsk.tsv").write_text("他去学样。\t他去学校。\n我很好。\t我很好。\n", encoding="utf-8")
    Path("test.tsv").write_text("1\t第3个句字。\n2\t第 4 个句字。\n", encoding="utf-8")


@pytest.fixture
def prepare(run):
    return partial(run, "data", "prepare")


MUCGEC = (
    *("mucgec", "--corpus", "lang8=lang8.src", "--reference", "lang8=lang8.tgt"),
    *("--corpus", "hsk=hsk.tsv", "--from", "hsk=pairs", "--filter", "test.tsv", "--dev", 5),
)


def test_the_recipe_of_mucgec_from_end_to_end(prepare):
    code, out, err = prepare(*MUCGEC, "--set", "near=1", "-o", "train.jsonl")
    assert (code, out) == (0, "")
    lines = [" ".join(line.split()) for line in err.splitlines()]
    assert lines[0] == "lang8 hsk all"
    assert "sentences read 40 2 42" in lines
    assert "dropped: the source stands in an evaluation set 2 0 2" in lines
    assert "dropped: no error 0 1 1" in lines
    assert "kept 38 1 39" in lines
    assert "filtered by 2 sentences of test.tsv" in lines
    manifest = json.loads(Path("train.jsonl.manifest.json").read_text("utf-8"))
    assert lines[-2] == f"train.jsonl: {manifest['outputs'][0]['sentences']} sentences, " + (
        f"{manifest['outputs'][0]['references']} corrections"
    )
    assert [corpus["weight"] for corpus in manifest["corpora"]] == [1, 5]
    assert manifest["recipe"]["near"] == 1.0
    first = [Path(name).read_bytes() for name in ("train.jsonl", "train.dev.jsonl")]
    again = ("--set", "near=1", "-o", "train.jsonl", "--overwrite")
    assert prepare(*MUCGEC, *again) == (0, "", err)
    assert [Path(name).read_bytes() for name in ("train.jsonl", "train.dev.jsonl")] == first
    assert prepare(*MUCGEC, *again, "--seed", 2, "--to", "mucgec")[0] == 0
    assert Path("train.jsonl").read_text("utf-8").startswith("1\t")


@pytest.mark.parametrize("name", ["train.jsonl", "train.dev.jsonl", "train.jsonl.manifest.json"])
def test_files_that_are_there_need_overwrite(prepare, name: str):
    Path(name).write_text("of somebody else", "utf-8")
    code, _, err = prepare(*MUCGEC, "-o", "train.jsonl")
    assert code == 1
    assert f"{name}: " in err
    assert "--overwrite" in err
    assert [path.name for path in Path().glob("train.*")] == [name]
    assert Path(name).read_text("utf-8") == "of somebody else"


@pytest.mark.parametrize(
    ("code", "words", "line"),
    [
        (2, ("mucgec",), "the recipe does not say where corpus 'lang8' lies; add --corpus lang8="),
        (2, ("--corpus", "hsk.tsv"), "--corpus 'hsk.tsv' must be NAME=FILE"),
        (2, ("--corpus", "a=x", "--corpus", "a=y"), "--corpus a is given twice"),
        (2, ("--corpus", "a=hsk.tsv", "--weight", "a=x"), "option weight of a corpus: it is"),
        (2, ("--corpus", "a=hsk.tsv", "--weight", "b=2"), "unknown corpus 'b'"),
        (2, ("--corpus", "a=hsk.tsv", "--dev", "1", "--set", "dev=2"), "--dev and --set say dev"),
        (
            2,
            ("--corpus", "a=hsk.tsv", "--lang", "de", "--set", "language=de"),
            "--lang and --set say language",
        ),
        (2, ("--corpus", "a=hsk.tsv", "--set", "near"), "--set 'near' must be KEY=VALUE"),
        (1, ("--corpus", "a=hsk.tsv"), "hsk.tsv:1: say --from pairs"),
        (1, ("--corpus", "a=no.tsv"), "no.tsv: no such file; check the path"),
        (
            1,
            ("--corpus", "a=hsk.tsv", "--from", "a=pairs", "--columns", "a=1,3"),
            "hsk.tsv:1: there are 2 columns, but the target stands in column 3",
        ),
    ],
)
def test_bad_input_is_one_line_and_nothing_is_written(
    prepare, code: int, words: tuple[str, ...], line: str
):
    Path("hsk.tsv").write_text("他今天去了学样。\t他今天去了学校。\n", encoding="utf-8")
    *ended, err = prepare(*words, "-o", "out.jsonl")
    assert ended == [code, ""]
    assert err.startswith(f"gecbench: {line}")
    assert err.count("\n") == 1
    assert not list(Path().glob("*out*"))


def test_what_lang_8_does_not_keep_is_counted_behind_the_sentences(run, tmp_path: Path) -> None:
    row = "{}\t77\thttp://lang-8.com/1/journals/2/\t{}\t{}\n"
    rows = [row.format(1, k, "He go .\tHe goes .") for k in range(3)]
    Path("entries.train").write_text("".join([*rows, row.format(0, 3, " ")]), encoding="utf-8")
    code, _, err = run("data", "prepare", "--corpus", "a=entries.train", "-o", "x.jsonl")
    assert code == 0
    assert "1 time a blank sentence" in err
