"""What a format would read back as something else, it refuses to write."""

from __future__ import annotations

import pytest
from messages import assert_says

from gecbench.core.edit import Edit
from gecbench.core.errors import CorpusError
from gecbench.core.sample import Corpus, Rewrite, Sample
from gecbench.formats import load_format

ZH, EN = "zh", "en"


def corpus_of_one(
    *references: Rewrite, source: str = "好 吗", tokens: tuple[str, ...] = ("好", "吗")
) -> Sample:
    """A sample with the id k7."""
    return Sample("k7", source, references, tokens=tokens)


def text(text: str) -> Rewrite:
    """A rewrite that is a text."""
    return Rewrite(text=text)


def edits(*edits: Edit) -> Rewrite:
    """A rewrite with one edit set."""
    return Rewrite(text="x", edit_sets=(edits,))


WRITE = [
    ("lines", None, (), ("corpus 'dev'", "no sentences", "write it as jsonl")),
    (
        "lines",
        None,
        (corpus_of_one(source="a\nb"),),
        ("sample 'k7':", "line end", "write it as jsonl"),
    ),
    (
        "lines",
        None,
        (corpus_of_one(text("a\rb")),),
        ("sample 'k7':", "0", "line end"),
    ),
    (
        "lines",
        None,
        (corpus_of_one(source="\ufeffa"),),
        ("sample 'k7':", "U+FEFF", "write it as jsonl"),
    ),
    (
        "lines",
        None,
        (corpus_of_one(text("\ufeffa")),),
        ("sample 'k7':", "U+FEFF", "write it as jsonl"),
    ),
    (
        "lines",
        None,
        (corpus_of_one(Rewrite(edit_sets=((Edit(0, 3, (), "R"),),))),),
        ("sample 'k7':", "0 3", "ends after", "2"),
    ),
    ("mucgec", ZH, (), ("corpus 'dev'", "no sentences", "write it as jsonl")),
    (
        "mucgec",
        ZH,
        (corpus_of_one(source="a\tb"),),
        ("sample 'k7':", "a TAB", "write it as jsonl"),
    ),
    (
        "mucgec",
        ZH,
        (corpus_of_one(text("a\nb")),),
        ("sample 'k7':", "0", "line end"),
    ),
    (
        "mucgec",
        ZH,
        (corpus_of_one(text(" ")),),
        ("sample 'k7':", "0", "empty"),
    ),
    (
        "mucgec",
        ZH,
        (corpus_of_one(text("没 有 错 误")),),
        ("sample 'k7':", "0", "'没 有 错 误'", "as a mark"),
    ),
    (
        "mucgec",
        ZH,
        (corpus_of_one(text("無法標注")),),
        ("sample 'k7':", "0", "'無法標注'", "as a mark"),
    ),
    (
        "mucgec",
        ZH,
        (corpus_of_one(source=""),),
        ("sample 'k7':", "empty"),
    ),
    (
        "mucgec",
        ZH,
        (Sample("\t", "a"),),
        ("sample '\\t':", "a TAB", "write it as jsonl"),
    ),
    (
        "mucgec",
        ZH,
        (Sample(" ", "a"),),
        ("sample ' ':", "empty"),
    ),
    (
        "mucgec",
        ZH,
        (Sample("\ufeff1", "a"),),
        ("sample '\\ufeff1':", "U+FEFF", "write it as jsonl"),
    ),
    ("m2", ZH, (), ("corpus 'dev'", "no sentences", "write it as jsonl")),
    (
        "m2",
        ZH,
        (corpus_of_one(),),
        ("sample 'k7':", "without references", "error free"),
    ),
    (
        "m2",
        ZH,
        (corpus_of_one(text("x"), tokens=()),),
        ("sample 'k7'", "m2 holds edits", "gecbench edits"),
    ),
    (
        "m2",
        ZH,
        (corpus_of_one(Rewrite(unannotatable=True), tokens=()),),
        ("sample 'k7'", "m2 holds edits", "gecbench edits"),
    ),
    (
        "m2",
        EN,
        (corpus_of_one(text("x")),),
        ("sample 'k7'", "m2 holds edits", "gecbench edits"),
    ),
    (
        "m2",
        EN,
        (corpus_of_one(Rewrite(error_free=True)),),
        ("sample 'k7'", "m2 holds edits", "gecbench edits"),
    ),
    (
        "m2",
        EN,
        (corpus_of_one(Rewrite(error_free=True, edit_sets=((Edit(0, 1, (), "R"),),))),),
        ("sample 'k7':", "0", "need none"),
    ),
    (
        "m2",
        EN,
        (corpus_of_one(Rewrite(unannotatable=True, edit_sets=((),))),),
        ("sample 'k7':", "0", "need none"),
    ),
    (
        "m2",
        ZH,
        (corpus_of_one(Rewrite(text="x", edit_sets=((), (Edit(0, 1, (), "R"),)))),),
        ("sample 'k7':", "0", "need none"),
    ),
    (
        "m2",
        ZH,
        (
            corpus_of_one(
                Rewrite(text="x", edit_sets=((Edit(0, 1, (), "R"),), (Edit(1, 2, (), "R"),)))
            ),
        ),
        ("sample 'k7':", "0", "different texts"),
    ),
    (
        "m2",
        EN,
        (corpus_of_one(edits(Edit(0, 1, ()))),),
        ("sample 'k7':", "no label", "write it as jsonl"),
    ),
    (
        "m2",
        EN,
        (corpus_of_one(edits(Edit(0, 1, (), "noop"))),),
        ("sample 'k7':", "'noop'", "there is none"),
    ),
    (
        "m2",
        EN,
        (corpus_of_one(edits(Edit(0, 1, (), "NA"))),),
        ("sample 'k7':", "'NA'", "there is none"),
    ),
    (
        "m2",
        EN,
        (corpus_of_one(edits(Edit(0, 1, (), "UNK"))),),
        ("sample 'k7':", "'UNK'", "there is none"),
    ),
    (
        "m2",
        EN,
        (corpus_of_one(edits(Edit(0, 1, None, "S"))),),
        ("sample 'k7':", "'S'", "UNK"),
    ),
    (
        "m2",
        EN,
        (corpus_of_one(edits(Edit(0, 1, None))),),
        ("sample 'k7':", "label None", "UNK"),
    ),
    (
        "m2",
        EN,
        (corpus_of_one(edits(Edit(0, 1, None, "UNK", (("好",),)))),),
        ("sample 'k7':", "has the source", "alternative"),
    ),
    (
        "m2",
        EN,
        (corpus_of_one(edits(Edit(0, 1, (), "R|||S"))),),
        ("sample 'k7':", "the bars", "'R|||S'", "divide fields"),
    ),
    (
        "m2",
        EN,
        (corpus_of_one(edits(Edit(0, 1, (), "|R"))),),
        ("sample 'k7':", "the bars", "'|R'", "divide fields"),
    ),
    (
        "m2",
        EN,
        (corpus_of_one(edits(Edit(0, 1, (), "R\n"))),),
        ("sample 'k7':", "line end", "write it as jsonl"),
    ),
    (
        "m2",
        EN,
        (corpus_of_one(edits(Edit(0, 1, ("a", "|"), "R"))),),
        ("sample 'k7':", "the bars", "'a |'", "divide fields"),
    ),
    (
        "m2",
        EN,
        (corpus_of_one(edits(Edit(0, 1, ("a", "||", "b"), "R"))),),
        ("sample 'k7':", "the bars", "'a || b'", "divide fields"),
    ),
    (
        "m2",
        EN,
        (corpus_of_one(edits(Edit(0, 1, ("a",), "R", (("|b",),)))),),
        ("sample 'k7':", "the bars", "'|b'", "divide fields"),
    ),
    (
        "m2",
        EN,
        (corpus_of_one(edits(Edit(0, 1, ("",), "R"))),),
        ("sample 'k7':", "''", "empty", "white space"),
    ),
    (
        "m2",
        EN,
        (corpus_of_one(edits(Edit(0, 1, ("a b",), "R"))),),
        ("sample 'k7':", "'a b'", "empty", "white space"),
    ),
    (
        "m2",
        EN,
        (corpus_of_one(edits(Edit(0, 1, ("-NONE-",), "R"))),),
        ("sample 'k7':", "'-NONE-'", "there is none"),
    ),
    (
        "m2",
        EN,
        (corpus_of_one(edits(Edit(0, 1, ("a",), "R"), Edit(0, 2, ("a",), "R"))),),
        ("sample 'k7':", "0 2", "overlaps", "0 1"),
    ),
    (
        "m2",
        EN,
        (corpus_of_one(edits(Edit(0, 3, ("a",), "R"))),),
        ("sample 'k7':", "0 3", "ends after", "2"),
    ),
    (
        "m2",
        EN,
        (corpus_of_one(edits(Edit(0, 1, ("a",), "R")), tokens=("好 ", "吗")),),
        ("sample 'k7':", "'好 '", "empty", "white space"),
    ),
    (
        "jsonl",
        None,
        (corpus_of_one(source=""),),
        ("sample 'k7':", "empty"),
    ),
    (
        "jsonl",
        None,
        (corpus_of_one(edits(Edit(0, 3, ("a",), "R"))),),
        ("sample 'k7':", "0 3", "ends after", "2"),
    ),
    (
        "jsonl",
        None,
        (corpus_of_one(edits(Edit(0, 1, ("a",), "R")), tokens=()),),
        ("sample 'k7':", "0 1", "ends after", "0"),
    ),
]


@pytest.mark.parametrize(("format", "lang", "samples", "facts"), WRITE)
def test_what_would_be_read_back_otherwise_is_refused(
    format: str, lang: str | None, samples: tuple[Sample, ...], facts: tuple[str, ...]
) -> None:
    with pytest.raises(CorpusError) as error:
        load_format(format).write(Corpus("dev", samples, lang))
    assert_says(error.value, *facts)
