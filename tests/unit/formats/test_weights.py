"""Weight files and the fingerprints beside them."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from messages import expect_error

from gecbench.analysis.difficulty import check_weights, chunk_table
from gecbench.core.case import Case, CaseRewrite
from gecbench.core.edit import Edit
from gecbench.core.errors import CorpusError, FormatError
from gecbench.formats.weights import Label, WeightFile, digest, format_weights, read_weights

AT = Path("w.txt")


def table_of(*gold: Edit, tokens=("a", "b")):
    version = (CaseRewrite(gold),)
    return chunk_table({"one": [Case("1", (CaseRewrite(),), version, edit_tokens=tokens)]}, [0])


TABLE = table_of(Edit(0, 1, ("A",), "R"))


def label_of(fingerprint, chosen=None):
    return Label(
        corpus="dev",
        reference="reference 1",
        fingerprint=fingerprint,
        systems=("one",),
        chosen=chosen,
    )


LABEL = label_of(TABLE.fingerprint())
TEXT = "1\n1 0 1 1 1\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "w.txt"


def write(path: Path, label: Label = LABEL) -> None:
    for file, text in format_weights(path, 1, TABLE.right, label).items():
        file.write_text(text, "utf-8")


@pytest.mark.parametrize("chosen", [None, {"1": 1}])
def test_what_is_written_is_read_back(path: Path, chosen):
    label = label_of(TABLE.fingerprint(), chosen)
    write(path, label)
    assert path.read_text("utf-8") == TEXT
    weight_file = read_weights(path)
    written = msgspec.structs.replace(label, weights=digest(TEXT))
    assert weight_file == WeightFile(path, 1, TABLE.right, written)
    check_weights(weight_file, TABLE, "this")


def test_a_bare_file_has_no_label(path: Path):
    path.write_text(TEXT, "utf-8")
    assert read_weights(path).label is None


@pytest.mark.parametrize(
    ("lines", "facts"),
    [
        ([], ("w.txt:1", "''")),
        (["x", "1"], ("w.txt:1", "'x'")),
        (["0", "0"], ("w.txt:1", "'0'")),
        (["1 1", "0"], ("w.txt:1", "'1 1'")),
        (["2", "0", ""], ("w.txt:3", "blank")),
        (["2", "0 x"], ("w.txt:2", "'x'")),
        (["2", "0 -1"], ("w.txt:2", "'-1'")),
        (["2", "0 1", "3 1"], ("w.txt:3", "3 systems", "2")),
    ],
)
def test_a_file_that_is_none_is_refused_with_its_line(path: Path, lines, facts):
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    with expect_error(FormatError, *facts):
        read_weights(path)


def test_weights_of_another_reference_are_seen_by_their_numbers():
    with expect_error(CorpusError, "w.txt", "2 sentences", "1"):
        check_weights(WeightFile(AT, 1, ((1,), (1,))), TABLE, "this")
    with expect_error(CorpusError, "w.txt:2", "3 numbers", "'1'", "5 chunks"):
        check_weights(WeightFile(AT, 1, ((1, 1, 1),)), TABLE, "this")
    with expect_error(CorpusError, "w.txt:2", "6 numbers", "sentence '1'", "5"):
        check_weights(WeightFile(AT, 1, ((1,) * 6,)), TABLE, "this")


def test_weights_of_another_reference_are_seen_by_their_fingerprint():
    other = WeightFile(AT, 1, TABLE.right, label_of("0"))
    message = r"w.txt: its weights are of corpus 'dev' with reference 1, not of this: tokens or"
    with pytest.raises(CorpusError, match=message):
        check_weights(other, TABLE, "this")


def test_the_fingerprint_knows_tokens_spans_and_texts_but_not_types_nor_the_order_of_edits():
    same = table_of(Edit(0, 1, ("A",), "R:OTHER"))
    assert TABLE.fingerprint() == same.fingerprint()
    others = (
        table_of(Edit(0, 1, ("B",))),
        table_of(Edit(1, 2, ("A",))),
        table_of(Edit(0, 1, ("A",)), tokens=("a", "c")),
        table_of(),
    )
    assert len({table.fingerprint() for table in (TABLE, *others)}) == 5
    two = Edit(1, 2, ("B",))
    edit = Edit(0, 1, ("A",))
    assert table_of(edit, two).fingerprint() == table_of(two, edit).fingerprint()


def test_a_label_says_what_it_is_of(path: Path):
    write(path)
    data = json.loads(path.with_name("w.txt.json").read_text("utf-8"))
    assert data.pop("reference_sha256") == TABLE.fingerprint()
    assert len(data.pop("weights_sha256")) == 64
    assert data == {
        "format": "gecbench-weights",
        "schema": 1,
        "corpus": "dev",
        "reference": "reference 1",
        "systems": ["one"],
    }


@pytest.mark.parametrize(
    ("changes", "facts"),
    [
        ("{", ("w.txt.json:1", "not JSON", "remove the file")),
        ("[1]", ("w.txt.json:1", "gecbench-weights")),
        ("[" * 100_000, ("w.txt.json:1", "nested too deep; remove the file")),
        ({"format": "x"}, ("w.txt.json:1", "'format'", "gecbench-weights")),
        ({"schema": 2}, ("w.txt.json:1", "'schema'", "2", "write the weights again")),
        ({"weights_sha256": "0"}, ("w.txt", "w.txt.json", "changed")),
        ({"chosen": [1]}, ("w.txt.json", "'chosen'")),
        ({"chosen": {"1": 0}}, ("w.txt.json", "'chosen'", "{'1': 0}", ">= 1")),
        ({"chosen": {"1": True}}, ("w.txt.json", "'chosen.1'")),
    ],
)
def test_a_label_that_is_none_or_of_another_file_is_refused(path: Path, changes, facts):
    write(path)
    label = path.with_name("w.txt.json")
    text = changes
    if isinstance(changes, dict):
        text = json.dumps(json.loads(label.read_text("utf-8")) | changes)
    label.write_text(text, "utf-8")
    with expect_error(FormatError, *facts):
        read_weights(path)
