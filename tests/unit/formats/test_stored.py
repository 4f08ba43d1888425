"""Large corpora lie in a temporary file, and give what they give in memory."""

import os
import pickle
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

import gecbench
from gecbench.core.errors import GecbenchError
from gecbench.core.sample import Rewrite, Sample
from gecbench.formats import stored

TEXTS = ("我去了学校", "我去学校", "他来这里了", "他昨天来了这里", "他来了")


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path, Path]:
    """A corpus of 30 sentences, and what two systems made of it: in lines, and by id."""
    random = Random(7)
    rows, ids = [], [f"s{number}" for number in range(30)]
    for name in ids:
        references = random.choices([*TEXTS, "没有错误"], k=random.randint(1, 3))
        rows.append([name, random.choice(TEXTS), *references])
    rows[4][2:] = ["无法标注"]
    corpus, lines, table = (tmp_path / name for name in ("dev.tsv", "a.txt", "b.tsv"))
    corpus.write_text("".join("\t".join(row) + "\n" for row in rows), "utf-8")
    lines.write_text("".join(random.choice(TEXTS) + "\n" for _ in rows), "utf-8")
    outputs = [[*row[:2], random.choice(TEXTS)] for row in rows]
    table.write_text("".join("\t".join(row) + "\n" for row in outputs), "utf-8")
    return corpus, lines, table


def test_items_come_as_they_were_stored():
    samples = [
        Sample(f"{n}", TEXTS[n % 5], (Rewrite("甲"), Rewrite(error_free=True)), {"n": str(n)})
        for n in range(2500)
    ]
    samples_on_disk = stored.store(samples, Sample, many=10)
    assert isinstance(samples_on_disk, stored.StoredItems)
    assert [*samples_on_disk] == samples
    assert len(samples_on_disk) == 2500
    assert (samples_on_disk[0], samples_on_disk[1999], samples_on_disk[-1]) == (
        samples[0],
        samples[1999],
        samples[-1],
    )
    for places in (slice(0, 1000), slice(2000, 3000), slice(990, 1010), slice(None, None, 700)):
        assert [*samples_on_disk[places]] == samples[places]
    assert pickle.loads(pickle.dumps(samples_on_disk)) == tuple(samples)
    assert [*pickle.loads(pickle.dumps(samples_on_disk[1000:2000]))] == samples[1000:2000]
    assert stored.store(samples, Sample) == tuple(samples)
    outputs = stored.StoredOutputs(["a", "b"], [(Rewrite("甲"),)] * 2)
    shown = {repr(samples_on_disk): 2500, repr(samples_on_disk[:1000]): 1000, repr(outputs): 2}
    assert all(f"{size:,}" in text or str(size) in text for text, size in shown.items())
    assert all(" at 0x" not in text and len(text) < 80 for text in shown)


FULL = """
import resource, sys
from gecbench.cli import main
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
main(["score", *sys.argv[1:], "--scheme", "zh-char", "--metric", "cherrant"])
"""


def test_a_full_folder_of_temporary_files_is_named(tmp_path):
    for name, row in (("dev.tsv", "我去了学校\t我去学校\n"), ("a.txt", "我去学校\n")):
        with (tmp_path / name).open("w", encoding="utf-8") as file:
            file.writelines(f"{n}\t{row}" if "\t" in row else row for n in range(20_500))
    (temporary := tmp_path / "temporary").mkdir()
    ended = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path / "dev.tsv"), str(tmp_path / "a.txt")],
        env={**os.environ, "TMPDIR": str(temporary)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 1
    assert ended.stderr.count("\n") == 1, ended.stderr
    assert f"{temporary}: " in ended.stderr
    assert "TMPDIR" in ended.stderr


@pytest.mark.parametrize(("size", "jobs"), [(1, 1), (2, 1), (7, 1), (7, 2), (30, 1)])
def test_scores_do_not_depend_on_where_sentences_lie(files, run, monkeypatch, size, jobs):
    outputs = [files[0].parent / name for name in ("scores.json", "sentences.jsonl")]
    options = ["--scheme", "zh-char", "--metric", "cherrant,gleu", "--ci", "--resamples", "100"]
    options += ["-o", str(outputs[0]), "--per-sentence", str(outputs[1])]

    def score(jobs: int) -> tuple[object, ...]:
        result = run("score", *files, *options, "--jobs", str(jobs))
        assert result[0] == 0, result
        return result, *(path.read_bytes() for path in outputs)

    whole = score(1)
    monkeypatch.setattr(stored, "MANY", 0)
    monkeypatch.setattr(stored, "BLOCK", size)
    assert score(jobs) == whole


@pytest.mark.parametrize(("size", "jobs"), [(1, 1), (7, 2), (30, 1)])
@pytest.mark.parametrize("name", ["edits.m2", "edits.jsonl.gz"])
def test_edits_do_not_depend_on_where_sentences_lie(files, run, monkeypatch, name, size, jobs):
    output, meta = (files[0].parent / file for file in (name, "meta.tsv"))
    meta.write_text("id\torigin\n" + "".join(f"s{n}\tbook\n" for n in range(30)), "utf-8")

    def edits(jobs: int) -> tuple[object, ...]:
        words = ("edits", files[0], "--scheme", "zh-char", "--meta", meta, "-o", output)
        to = ("--to", name.split(".")[1])
        result = run(*words, *to, "--jobs", str(jobs))
        assert result[0] == 0, result
        return result, output.read_bytes()

    whole = edits(1)
    monkeypatch.setattr(stored, "MANY", 0)
    monkeypatch.setattr(stored, "BLOCK", size)
    assert edits(jobs) == whole


def test_a_file_that_cannot_be_written_to_its_end_is_not_there(files, run, monkeypatch):
    """Pieces are written while edits are read again; what is there before stays."""
    monkeypatch.setattr(stored, "MANY", 0)
    monkeypatch.setattr(stored, "BLOCK", 7)
    corpus = files[0]
    rows = corpus.read_text("utf-8").splitlines()
    rows[25] = "\t".join((*rows[25].split("\t")[:2], "他||来了"))  # bars divide fields in M2
    corpus.write_text("\n".join(rows), "utf-8")
    output = corpus.with_name("edits.m2")
    output.write_text("earlier\n")
    code, _, message = run("edits", corpus, "--scheme", "xx-word", "-o", output)
    assert (code, "'s25'" in message) == (1, True)
    assert output.read_text() == "earlier\n"
    assert [path.name for path in corpus.parent.iterdir() if path.name.startswith(".")] == []


def test_a_system_in_another_order_is_joined_by_id(files, monkeypatch):
    corpus, _, table = files
    lines = table.read_text("utf-8").splitlines(keepends=True)
    table.write_text("".join(reversed(lines)), "utf-8")
    monkeypatch.setattr(stored, "MANY", 0)
    monkeypatch.setattr(stored, "BLOCK", 7)
    data = gecbench.load(corpus, in_memory=False)
    output = gecbench.load_system(table, data)
    whole = gecbench.load(corpus)
    assert {**output.hypotheses} == {**gecbench.load_system(table, whole).hypotheses}
    scores = [gecbench.score(texts, output, scheme="zh-char") for texts in (data, whole)]
    assert scores[0] == scores[1]


@pytest.mark.parametrize("change", ["double", "short", "blank", "source"])
def test_errors_are_those_of_a_corpus_in_memory(files, monkeypatch, change):
    corpus, _, table = files
    path = corpus if change == "double" else table
    lines = path.read_text("utf-8").splitlines(keepends=True)
    broken = {
        "double": [*lines, lines[3]],
        "short": lines[:-1],
        "blank": [*lines[:20], "\n", *lines[20:]],
        "source": [*lines[:20], lines[20].replace("\t", "\t变", 1), *lines[21:]],
    }
    path.write_text("".join(broken[change]), "utf-8")

    def message(*, in_memory: bool) -> str:
        with pytest.raises(GecbenchError) as error:
            gecbench.load_system(table, gecbench.load(corpus, in_memory=in_memory))
        return str(error.value)

    expected = message(in_memory=True)
    monkeypatch.setattr(stored, "MANY", 0)
    monkeypatch.setattr(stored, "BLOCK", 7)
    assert message(in_memory=False) == expected
