"""Layouts that have a reader are found out; the form that docs/formats.md names reads others.

Layouts are those of the authors' documentation; the sentences are ours.
"""

from __future__ import annotations

import gzip
import json
import zipfile
from pathlib import Path

import pytest
from messages import expect_error

import gecbench
from gecbench.core.errors import FormatError
from gecbench.core.sample import Rewrite
from gecbench.formats.reading import read_parallel, sources, stream_corpus

WRONG, RIGHT = "他去学校坐车。", "他坐车去学校。"
FLACGEC = {"source": WRONG, "target": RIGHT, "operation": "[[...]]", "annotation": "1 1|||W|||坐"}
MIDU = {"source": WRONG, "target": RIGHT, "id": 7, "type": "negative"}
CEFE = {"sent_id": "7", "sent": WRONG, "revisedSent": RIGHT}
EDITS = [[0, [[0, 1, "I"]]]]
YACLC = {"correction": RIGHT, "is_grammatical": 1, "annotator_count": 3}
FCGEC = {"sentence": WRONG, "error_flag": 1, "operation": '[{"Delete": [1]}]'}
LANG8 = "2\t77\thttp://lang-8.com/1/journals/2/\t{}\tHe go .{}\n"
FILES = {
    "fcgec": json.dumps({"7": FCGEC}),
    "yaclc": json.dumps([{"sentence_id": 7, "sentence_text": WRONG, "sentence_annos": [YACLC]}]),
    "bea19": json.dumps({"id": "7", "text": "i go .\n", "edits": EDITS}),
    "nucle": '<DOC nid="7">\n<TEXT>\n<P>\nHe go .\n</P>\n</TEXT>\n</DOC>\n',
    "sighan": f'<ESSAY title="x">\n<TEXT>\n<PASSAGE id="7">{WRONG}</PASSAGE>\n</TEXT>\n</ESSAY>\n',
    "sighan-test": f"(pid=A2-0011-1)\t{WRONG}\n",
    "ctc2021": f"pid=0011-1\t{WRONG}\n",
    "multigec": "### essay_id = 7\nHan gå .\nHon går .\n\n### essay_id = 8\nJa .\n",
    "lang8": LANG8.format(1, "\tHe goes .\tHe went .") + "\n" + LANG8.format(2, "\t \t"),
    "nlpcc18": f"1\t1\t{WRONG}\t{RIGHT}\n",
    "nasgec": f"1\t{WRONG}\t句意不明\n",
    "mucgec": f"1\t{WRONG}\t{RIGHT}\n",
    "m2": "S He go .\nA 1 2|||R:VERB|||goes|||REQUIRED|||-NONE-|||0\n\n",
}


@pytest.mark.parametrize("name", FILES)
def test_files_are_found_out_and_the_same_packed(tmp_path: Path, name: str) -> None:
    plain, packed, archive = (tmp_path / f"x{ending}" for ending in ("", ".gz", ".zip"))
    plain.write_text(FILES[name], "utf-8")
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    with zipfile.ZipFile(archive, "w") as file:
        file.write(plain, "predictions")
    corpus = gecbench.load(plain)
    assert corpus == gecbench.load(plain, format=name)
    assert corpus.samples
    assert gecbench.load(packed) == corpus == gecbench.load(archive)


def test_lang_8_has_a_sentence_in_a_row_and_blank_lines_between_entries(tmp_path: Path) -> None:
    path = tmp_path / "entries.train"
    path.write_text(FILES["lang8"], "utf-8")
    first, second = gecbench.load(path).samples
    assert first.references == (Rewrite(text="He goes ."), Rewrite(text="He went ."))
    assert (first.id, first.source, first.meta["document"]) == ("1", "He go .", "77")
    assert (second.references, second.meta["position"]) == ((), "2")
    path.write_text(FILES["lang8"] + "2\tHe go .\n", "utf-8")
    with expect_error(FormatError, f"{path}:4"):
        gecbench.load(path)


def test_lang_8_counts_blank_sentences_and_refuses_wrong_counts_of_corrections(
    tmp_path: Path,
) -> None:
    path = tmp_path / "entries.train"
    blank = "0\t77\thttp://lang-8.com/1/journals/2/\t0\t \n"
    path.write_text(blank + FILES["lang8"] + blank, "utf-8")
    corpus = gecbench.load(path)
    assert [sample.id for sample in corpus.samples] == ["1", "2"]
    assert corpus.provenance["not kept"].startswith("2 times")
    path.write_text(FILES["lang8"] + LANG8.format(3, "\tHe goes ."), "utf-8")
    with expect_error(FormatError, f"{path}:4", "2", "1"):
        gecbench.load(path)


def test_lang_8_is_not_held_in_memory(tmp_path: Path) -> None:
    path = tmp_path / "entries.train"
    blank = "0\t77\thttp://lang-8.com/1/journals/2/\t0\t \n"
    path.write_text(blank + FILES["lang8"] + "no row\n" + blank, "utf-8")
    about, samples = stream_corpus(path)
    assert next(samples).source == "He go ."
    assert about.provenance["not kept"].startswith("1 time")
    with expect_error(FormatError, f"{path}:5"):
        list(samples)


@pytest.mark.parametrize(
    ("content", "columns"),
    [
        ({"7": FLACGEC}, {"source": "source", "references": "target"}),
        ([MIDU], {"source": "source", "references": "target"}),
        ([CEFE], {"id": "sent_id", "source": "sent", "references": "revisedSent"}),
    ],
)
def test_json_is_read_by_its_keys(tmp_path: Path, content: object, columns: dict[str, str]) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps(content, ensure_ascii=False, indent=1), "utf-8")
    (sample,) = gecbench.load(path, columns=columns).samples
    assert (sample.id, sample.source, sample.references) == ("7", WRONG, (Rewrite(text=RIGHT),))
    with expect_error(FormatError, "x.json:1", "--columns"):
        gecbench.load(path)


def test_what_is_handed_in_to_midu_ctc_is_a_system(tmp_path: Path) -> None:
    corpus, system = tmp_path / "source.json", tmp_path / "inference.json"
    corpus.write_text(json.dumps([{"source": WRONG, "id": 7}]), "utf-8")
    system.write_text(json.dumps([{"inference": RIGHT, "id": 7}]), "utf-8")
    data = gecbench.load(corpus, columns={"source": "source"})
    output = gecbench.load_system(system, data, columns={"text": "inference"})
    assert output.hypotheses == {"7": (Rewrite(text=RIGHT),)}


@pytest.mark.parametrize("mark", ["噪音数据", "句意不明", "歧义句", "error。", "无法标注"])
def test_marks_of_nasgec_are_no_references(tmp_path: Path, mark: str) -> None:
    path = tmp_path / "nasgec.exam.para"
    path.write_text(f"1\t{WRONG}\t{mark}\t{RIGHT}\n2\t{RIGHT}\t没有错误\n3\t{WRONG}\t噪音数据\n")
    first, second, third = gecbench.load(path).samples
    none = Rewrite(unannotatable=True)
    assert first.references == (none, Rewrite(text=RIGHT))
    assert second.references == (Rewrite(error_free=True),)
    assert third.references == (none,)


def test_marks_of_nasgec_are_texts_elsewhere(tmp_path: Path) -> None:
    path = tmp_path / "x.tsv"
    path.write_text(f"1\t{WRONG}\t歧义句\n", "utf-8")
    (sample,) = gecbench.load(path, format="mucgec").samples
    assert sample.references == (Rewrite(text="歧义句"),)


@pytest.mark.parametrize("place", [1, 200, 201, 400])
def test_marks_of_nasgec_are_found_wherever_they_stand(tmp_path: Path, place: int) -> None:
    """A streamed file is read as one that is held in memory, however late a mark appears."""
    path = tmp_path / "x.para"
    rows = [f"{n}\t{WRONG}\t{'歧义句' if n == place else RIGHT}\n" for n in range(1, 401)]
    path.write_text("".join(rows), "utf-8")
    samples = gecbench.load(path).samples
    assert samples[place - 1].references == (Rewrite(unannotatable=True),)
    assert tuple(stream_corpus(path)[1]) == samples
    corpus = sources(path).corpus
    assert corpus is not None
    assert corpus.samples == samples
    assert read_parallel(path, [path], format=None).samples == samples


def test_a_mark_that_appears_late_is_a_text_where_the_format_is_named(tmp_path: Path) -> None:
    path = tmp_path / "x.tsv"
    rows = [f"{n}\t{WRONG}\t{RIGHT}\n" for n in range(1, 201)]
    path.write_text("".join([*rows, f"201\t{WRONG}\t歧义句\n"]), "utf-8")
    *_, last = stream_corpus(path, format="mucgec")[1]
    assert last.references == (Rewrite(text="歧义句"),)
