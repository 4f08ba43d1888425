"""Weight files and the fingerprints beside them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gecbench.analysis.difficulty.sheet import sheet
from gecbench.analysis.difficulty.weight_files import (
    check_fits,
    check_label,
    fingerprint,
    label,
    parse,
    written,
)
from gecbench.core.case import Case, Version
from gecbench.core.edit import Edit
from gecbench.core.errors import CorpusError, FormatError

AT = Path("w.txt")


def made(*gold: Edit, tokens=("a", "b")):
    version = (Version(gold),)
    return sheet({"one": [Case("1", (Version(),), version, edit_tokens=tokens)]}, [0])


SHEET = made(Edit(0, 1, ("A",), "R"))
TEXT = "1\n1 0 1 1 1\n"


def test_what_is_written_is_read_back():
    assert written(SHEET) == TEXT
    found = parse(AT, TEXT.splitlines())
    assert (found.systems, found.right) == (1, SHEET.right)
    check_fits(found, SHEET, "this")


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([], r"w.txt:1: '' is not the number of systems"),
        (["x", "1"], r"w.txt:1: 'x' is not the number of systems"),
        (["0", "0"], r"w.txt:1: '0' is not the number of systems"),
        (["1 1", "0"], r"w.txt:1: '1 1' is not the number"),
        (["2", "0", ""], r"w.txt:3: the line is blank"),
        (["2", "0 x"], r"w.txt:2: 'x' is not a whole number"),
        (["2", "0 -1"], r"w.txt:2: '-1' is not a whole number"),
        (["2", "0 1", "3 1"], r"w.txt:3: 3 systems are right on a chunk, but .* there are 2"),
    ],
)
def test_a_file_that_is_none_is_refused_with_its_line(lines, message):
    with pytest.raises(FormatError, match=message):
        parse(AT, lines)


def test_weights_of_another_reference_are_seen_by_their_numbers():
    with pytest.raises(CorpusError, match=r"w.txt: weights of 2 sentences, but this has 1 here"):
        check_fits(parse(AT, ["1", "1", "1"]), SHEET, "this")
    with pytest.raises(CorpusError, match=r"w.txt:2: 3 numbers, .* '1' of this has 5 chunks \(so"):
        check_fits(parse(AT, ["1", "1 1 1"]), SHEET, "this")
    with pytest.raises(CorpusError, match=r"w.txt:2: 6 numbers, but sentence '1' of this has 5"):
        check_fits(parse(AT, ["1", "1 1 1 1 1 1"]), SHEET, "this")


def test_the_fingerprint_knows_tokens_spans_and_texts_but_not_types_nor_the_order_of_edits():
    same = made(Edit(0, 1, ("A",), "R:OTHER"))
    assert fingerprint(SHEET) == fingerprint(same)
    others = (
        made(Edit(0, 1, ("B",))),
        made(Edit(1, 2, ("A",))),
        made(Edit(0, 1, ("A",)), tokens=("a", "c")),
        made(),
    )
    assert len({fingerprint(one) for one in (SHEET, *others)}) == 5
    two = Edit(1, 2, ("B",))
    one = Edit(0, 1, ("A",))
    assert fingerprint(made(one, two)) == fingerprint(made(two, one))


def test_a_label_fits_its_reference_and_its_file():
    check_label(AT, label(SHEET, TEXT, "dev", "reference 1"), TEXT, SHEET, "this")


def test_a_label_says_what_it_is_of():
    said = json.loads(label(SHEET, TEXT, "dev", "reference 1"))
    assert said.pop("reference_sha256") == fingerprint(SHEET)
    assert len(said.pop("weights_sha256")) == 64
    assert said == {
        "format": "gecbench-weights",
        "schema": 1,
        "corpus": "dev",
        "reference": "reference 1",
        "systems": ["one"],
    }


def relabelled(**changes: object) -> str:
    return json.dumps(json.loads(label(SHEET, TEXT, "dev", "reference 1")) | changes)


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("{", FormatError, r"w.txt.json:1: is not a fingerprint of weights"),
        ("[1]", FormatError, r"w.txt.json:1: is not a fingerprint of weights"),
        (relabelled(format="x"), FormatError, r"w.txt.json:1: is not a fingerprint of weights"),
        (relabelled(schema=2), FormatError, r"w.txt.json:1: schema 2 is not 1"),
        (relabelled(weights_sha256="0"), FormatError, r"w.txt: was changed after its fingerprint"),
        (
            relabelled(reference_sha256="0"),
            CorpusError,
            r"w.txt: its weights are of corpus 'dev' with reference 1, not of this: tokens or",
        ),
    ],
)
def test_a_label_that_does_not_fit_is_refused(text, kind, message):
    with pytest.raises(kind, match=message):
        check_label(AT, text, TEXT, SHEET, "this")
