"""`gecbench edits`, `convert`, `data` and `doctor`, whole."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest

from gecbench import __version__
from gecbench.formats.reading import read, read_parallel

CHAR = ("--scheme", "zh-char")
NAMES = {"fcgec": "c.json", "jsonl": "c.jsonl", "m2": "c.m2", "mucgec": "c.tsv", "lines": "c"}
REFERENCES = [f"c.ref{k}" for k in range(4)]


@pytest.fixture
def written(run, zh: Path, tmp_path: Path, once) -> Path:
    """The samples with their edits, in every format."""

    def make() -> dict[str, bytes]:
        ended = run("edits", zh / "corpus.jsonl", *CHAR, "--to", "jsonl", "-o", "c.jsonl")
        assert ended.returncode == 0
        for name in ("fcgec", "m2", "mucgec", "lines"):
            ended = run("convert", "c.jsonl", "--to", name, "-o", NAMES[name])
            assert (ended.returncode, ended.stdout) == (0, "")
        return {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    for name, content in once("samples in every format", make).items():
        (tmp_path / name).write_bytes(content)
    return tmp_path


def given(name: str) -> list[str]:
    """The words that name a corpus in a format."""
    if name == "lines":
        return ["c.src", *(word for reference in REFERENCES for word in ("--reference", reference))]
    return [NAMES[name]]


def texts(path: Path, name: str) -> list[tuple[str, list[str | None]]]:
    """Sources and texts of references, without what only some formats hold."""
    if name == "lines":
        references = [path.with_name(f"{path.name}.ref{k}") for k in range(4)]
        corpus = read_parallel(path.with_name(f"{path.name}.src"), references)
    else:
        corpus = read(path, format=name)
    return [(s.source, [r.text for r in s.references]) for s in corpus.samples]


@pytest.mark.parametrize(("first", "second"), list(itertools.product(NAMES, repeat=2)))
def test_every_format_becomes_every_other(run, written: Path, first: str, second: str):
    ended = run("convert", *given(first), "--to", second, "-o", "out")
    assert ended.stdout == ""
    if second == "m2" and first in ("fcgec", "mucgec", "lines"):
        assert ended.returncode == 1
        assert "m2 holds edits; extract them first: gecbench edits" in ended.stderr
        assert not (written / "out").exists()
        return
    assert ended.returncode == 0
    assert all(line.startswith("note: ") for line in ended.stderr.splitlines())
    sources = [source for source, _ in texts(written / "out", second)]
    assert sources == [source for source, _ in texts(written / NAMES["jsonl"], "jsonl")]
    if first == second or second == "jsonl":
        assert texts(written / "out", second) == texts(written / NAMES[first], first)
    if first == second:
        ending = ".ref3" if first == "lines" else ""
        assert (written / f"out{ending}").read_bytes() == (
            written / f"{NAMES[first]}{ending}"
        ).read_bytes()


@pytest.mark.parametrize("name", ["m2", "mucgec", "jsonl"])
def test_what_is_not_written_to_a_file_is_printed(run, written: Path, name: str):
    ended = run("convert", "c.jsonl", "--to", name)
    assert ended.returncode == 0
    assert ended.stdout == (written / NAMES[name]).read_text("utf-8")
    assert bool(ended.stderr) == (name != "jsonl")


def test_several_files_are_not_printed(bad, written: Path):
    assert bad(2, "convert", "c.jsonl", "--to", "lines") == (
        "format lines writes 5 files; name them by --output"
    )


def test_strict_fails_and_writes_nothing_if_anything_would_be_lost(run, bad, written: Path):
    line = bad(1, "convert", "c.jsonl", "--to", "m2", "--strict", "-o", "out")
    assert line.startswith("nothing written, because of --strict: m2 holds no metadata")
    assert not (written / "out").exists()
    ended = run("convert", "c.m2", "--to", "jsonl", "--strict", "-o", "out")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert (written / "out").exists()


def test_the_format_can_be_named_where_it_would_be_taken_for_another(good, bad, tmp_path: Path):
    (tmp_path / "x.txt").write_text('{"我"}\n', encoding="utf-8")
    assert bad(1, "convert", "x.txt", "--to", "lines").startswith("x.txt:1: ")
    assert good("convert", "x.txt", "--to", "lines", "--from", "lines") == '{"我"}\n'


def test_facts_are_added_on_the_way(good, tmp_path: Path):
    (tmp_path / "x.tsv").write_text("7\t我\t你\n", encoding="utf-8")
    (tmp_path / "meta.tsv").write_text("id\torigin\n7\t作文\n", encoding="utf-8")
    out = good("convert", "x.tsv", "--to", "jsonl", "--meta", "meta.tsv")
    assert json.loads(out.splitlines()[1])["meta"] == {"origin": "作文"}


def test_edits_are_m2_or_jsonl_on_the_terminal_or_in_a_file(run, zh: Path, tmp_path: Path):
    corpus = zh / "corpus.jsonl"
    for name in ("m2", "jsonl"):
        printed = run("edits", corpus, *CHAR, "--to", name)
        written = run("edits", corpus, *CHAR, "--to", name, "-o", "out")
        assert (printed.returncode, written.returncode, written.stdout) == (0, 0, "")
        assert (tmp_path / "out").read_text("utf-8") == printed.stdout
    assert run("edits", corpus, *CHAR).stdout.startswith("S 我 在 图 书 馆 借 了 三 个 书")


def test_edits_of_a_system_are_those_of_its_texts(run, tmp_path: Path):
    (tmp_path / "source.txt").write_text("我去了\n好\n", encoding="utf-8")
    (tmp_path / "system.txt").write_text("我去\n好\n", encoding="utf-8")
    ended = run("edits", "source.txt", "--reference", "system.txt", *CHAR)
    assert ended.returncode == 0
    assert all(line.startswith("note: ") for line in ended.stderr.splitlines())
    assert ended.stdout.split("\n") == [
        "S 我 去 了",
        "T0-A0 我 去",
        "A 2 3|||R|||-NONE-|||REQUIRED|||-NONE-|||0",
        "",
        "S 好",
        "T0 没有错误",
        "A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0",
        "",
        "",
    ]


def test_resources_are_got_once_and_edits_by_them_are_the_official_ones(
    run, good, shared: Path, tmp_path: Path
):
    mirror = {"GECBENCH_DATA_MIRROR": str(shared / "data")}
    folder = tmp_path / "data"
    assert good("data", "where", "cherrant", **mirror) == f"{shared}/data/cherrant\n"
    ended = run("data", "get", "cherrant", "--folder", folder, **mirror)
    assert (ended.returncode, ended.stdout) == (0, f"{folder}/cherrant\n")
    assert "licence: Apache-2.0" in ended.stderr
    assert "please cite: Zhang et al." in ended.stderr
    # From here on the data folder has them, without the mirror.
    ended = run("data", "get", "cherrant", "--folder", folder)
    assert (ended.returncode, ended.stdout) == (0, f"{folder}/cherrant\n")
    assert "already here" in ended.stderr
    where = ("data", "where", "cherrant", "cilin.txt", "--folder", folder)
    assert good(*where) == f"{folder}/cherrant/cilin.txt\n"
    demo = shared / "data/cherrant/samples/demo.hyp.para"
    want = (shared / "golden/cherrant/demo.hyp.char.all.m2").read_text("utf-8")
    for times in (1, 0):
        ended = run("edits", demo, "--scheme", "zh-cherrant", GECBENCH_DATA=str(folder))
        assert (ended.returncode, ended.stdout) == (0, want)
        assert ended.stderr.count("compiling ChERRANT's resources, once, into ") == times


def test_the_list_says_what_is_here(good, shared: Path):
    lines = good("data", "list").splitlines()
    assert lines[0].split() == ["NAME", "FILES", "SIZE", "LICENCE", "HERE"]
    assert lines[1].endswith("bundled with gecbench")
    assert lines[2].endswith("no; run: gecbench data get cherrant")
    data = json.loads(good("data", "list", "--format", "json", "--mirror", shared / "data"))
    places = {
        entry["name"]: all(file["path"] for file in entry["files"]) for entry in data["data_sets"]
    }
    weights = {"en_core_web_sm", "m3e_small", "minilm", "smollm2"}  # of packages, here or not
    assert {name: here for name, here in places.items() if name not in weights} == {
        "samples": True,
        "cherrant": True,
        "mucgec": True,
        "ud_english_ewt": True,
    }
    assert weights <= set(places)


def test_samples_are_found(good, zh: Path):
    assert good("data", "where", "samples") == f"{zh.parent}\n"
    assert good("data", "where", "samples", "zh/eager.txt") == f"{zh / 'eager.txt'}\n"


def test_doctor_says_what_is_here_and_what_is_missing(good, shared: Path):
    lines = dict(line.split(maxsplit=1) for line in good("doctor").splitlines() if " " in line)
    assert lines["gecbench"] == __version__
    assert lines["kernel"].split()[0] in ("compiled", "python")
    assert "run: gecbench data get cherrant" in lines["cilin.txt"]
    mirrored = good("doctor", "--mirror", shared / "data")
    assert f"cilin.txt           {shared}/data/cherrant/cilin.txt\n" in mirrored


@pytest.mark.parametrize(
    "words",
    [
        "",
        "score",
        "edits",
        "convert",
        "data",
        "data list",
        "data get",
        "data where",
        "doctor",
    ],
)
def test_every_command_explains_itself(good, words: str):
    usage = " ".join(["Usage: gecbench", words]).strip()
    for flag in ("--help", "-h"):
        out = good(*words.split(), flag)
        assert out.startswith(usage)
        assert "--help" in out


def test_the_version_is_printed(good):
    assert good("--version") == f"gecbench {__version__}\n"
