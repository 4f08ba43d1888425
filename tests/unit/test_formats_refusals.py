"""What a format would read back as something else, it refuses to write, word for word."""

from __future__ import annotations

import pytest

from gecbench.core.edit import Edit
from gecbench.core.errors import CorpusError
from gecbench.core.sample import Corpus, Rewrite, Sample
from gecbench.formats import load_format

ZH, EN = "zh", "en"


def one(
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
    ("lines", None, (), "corpus 'dev' has no sentences; write it as jsonl"),
    (
        "lines",
        None,
        (one(source="a\nb"),),
        ("sample 'k7': the source holds a line end, which lines cannot; write it as jsonl"),
    ),
    (
        "lines",
        None,
        (one(text("a\rb")),),
        ("sample 'k7': reference 0 holds a line end, which lines cannot; write it as jsonl"),
    ),
    (
        "lines",
        None,
        (one(source="\ufeffa"),),
        (
            "sample 'k7': the file would begin with U+FEFF, which reading lines drops; "
            "write it as jsonl"
        ),
    ),
    (
        "lines",
        None,
        (one(text("\ufeffa")),),
        (
            "sample 'k7': the file would begin with U+FEFF, which reading lines drops; "
            "write it as jsonl"
        ),
    ),
    (
        "lines",
        None,
        (one(Rewrite(edit_sets=((Edit(0, 3, (), "R"),),))),),
        "sample 'k7': edit span 0 3 ends after the source, which has 2 tokens",
    ),
    ("mucgec", ZH, (), "corpus 'dev' has no sentences; write it as jsonl"),
    (
        "mucgec",
        ZH,
        (one(source="a\tb"),),
        "sample 'k7': the source holds a TAB, which mucgec cannot; write it as jsonl",
    ),
    (
        "mucgec",
        ZH,
        (one(text("a\nb")),),
        ("sample 'k7': reference 0 holds a line end, which mucgec cannot; write it as jsonl"),
    ),
    (
        "mucgec",
        ZH,
        (one(text(" ")),),
        ("sample 'k7': reference 0 is empty, which mucgec cannot hold; fill it or leave it out"),
    ),
    (
        "mucgec",
        ZH,
        (one(text("没 有 错 误")),),
        (
            "sample 'k7': reference 0 is the text '没 有 错 误', which mucgec reads as a "
            "mark; write it as jsonl"
        ),
    ),
    (
        "mucgec",
        ZH,
        (one(text("無法標注")),),
        (
            "sample 'k7': reference 0 is the text '無法標注', which mucgec reads as a "
            "mark; write it as jsonl"
        ),
    ),
    (
        "mucgec",
        ZH,
        (one(source=""),),
        ("sample 'k7': the source is empty, which mucgec cannot hold; fill it or leave it out"),
    ),
    (
        "mucgec",
        ZH,
        (Sample("\t", "a"),),
        "sample '\\t': the id holds a TAB, which mucgec cannot; write it as jsonl",
    ),
    (
        "mucgec",
        ZH,
        (Sample(" ", "a"),),
        "sample ' ': the id is empty, which mucgec cannot hold; fill it or leave it out",
    ),
    (
        "mucgec",
        ZH,
        (Sample("\ufeff1", "a"),),
        (
            "sample '\\ufeff1': the file would begin with U+FEFF, which reading mucgec "
            "drops; write it as jsonl"
        ),
    ),
    ("m2", ZH, (), "corpus 'dev' has no sentences; write it as jsonl"),
    (
        "m2",
        ZH,
        (one(),),
        ("sample 'k7': m2 reads a sentence without references as error free; write it as jsonl"),
    ),
    (
        "m2",
        ZH,
        (one(text("x"), tokens=()),),
        "sample 'k7': m2 holds edits; extract them first: gecbench edits CORPUS",
    ),
    (
        "m2",
        ZH,
        (one(Rewrite(unannotatable=True), tokens=()),),
        "sample 'k7': m2 holds edits; extract them first: gecbench edits CORPUS",
    ),
    (
        "m2",
        EN,
        (one(text("x")),),
        "sample 'k7': m2 holds edits; extract them first: gecbench edits CORPUS",
    ),
    (
        "m2",
        EN,
        (one(Rewrite(error_free=True)),),
        "sample 'k7': m2 holds edits; extract them first: gecbench edits CORPUS",
    ),
    (
        "m2",
        EN,
        (one(Rewrite(error_free=True, edit_sets=((Edit(0, 1, (), "R"),),))),),
        "sample 'k7': reference 0 has edits and is said to need none; write it as jsonl",
    ),
    (
        "m2",
        EN,
        (one(Rewrite(unannotatable=True, edit_sets=((),))),),
        "sample 'k7': reference 0 has edits and is said to need none; write it as jsonl",
    ),
    (
        "m2",
        ZH,
        (one(Rewrite(text="x", edit_sets=((), (Edit(0, 1, (), "R"),)))),),
        "sample 'k7': reference 0 has edits and is said to need none; write it as jsonl",
    ),
    (
        "m2",
        ZH,
        (one(Rewrite(text="x", edit_sets=((Edit(0, 1, (), "R"),), (Edit(1, 2, (), "R"),)))),),
        "sample 'k7': edit sets of reference 0 make different texts; write it as jsonl",
    ),
    (
        "m2",
        EN,
        (one(edits(Edit(0, 1, ()))),),
        "sample 'k7': an edit has no label; write it as jsonl",
    ),
    (
        "m2",
        EN,
        (one(edits(Edit(0, 1, (), "noop"))),),
        (
            "sample 'k7': the label 'noop' of an edit means in m2 that there is none; "
            "write it as jsonl"
        ),
    ),
    (
        "m2",
        EN,
        (one(edits(Edit(0, 1, (), "NA"))),),
        (
            "sample 'k7': the label 'NA' of an edit means in m2 that there is none; write "
            "it as jsonl"
        ),
    ),
    (
        "m2",
        EN,
        (one(edits(Edit(0, 1, (), "UNK"))),),
        (
            "sample 'k7': the label 'UNK' of an edit means in m2 that there is none; write "
            "it as jsonl"
        ),
    ),
    (
        "m2",
        EN,
        (one(edits(Edit(0, 1, None, "S"))),),
        ("sample 'k7': an edit without replacement has label 'S', not UNK; write it as jsonl"),
    ),
    (
        "m2",
        EN,
        (one(edits(Edit(0, 1, None))),),
        ("sample 'k7': an edit without replacement has label None, not UNK; write it as jsonl"),
    ),
    (
        "m2",
        EN,
        (one(edits(Edit(0, 1, None, "UNK", (("好",),)))),),
        (
            "sample 'k7': an edit without replacement has the source as its alternative; "
            "write it as jsonl"
        ),
    ),
    (
        "m2",
        EN,
        (one(edits(Edit(0, 1, (), "R|||S"))),),
        "sample 'k7': the bars in 'R|||S' would divide fields; write it as jsonl",
    ),
    (
        "m2",
        EN,
        (one(edits(Edit(0, 1, (), "|R"))),),
        "sample 'k7': the bars in '|R' would divide fields; write it as jsonl",
    ),
    (
        "m2",
        EN,
        (one(edits(Edit(0, 1, (), "R\n"))),),
        "sample 'k7': a label holds a line end, which m2 cannot; write it as jsonl",
    ),
    (
        "m2",
        EN,
        (one(edits(Edit(0, 1, ("a", "|"), "R"))),),
        "sample 'k7': the bars in 'a |' would divide fields; write it as jsonl",
    ),
    (
        "m2",
        EN,
        (one(edits(Edit(0, 1, ("a", "||", "b"), "R"))),),
        "sample 'k7': the bars in 'a || b' would divide fields; write it as jsonl",
    ),
    (
        "m2",
        EN,
        (one(edits(Edit(0, 1, ("a",), "R", (("|b",),)))),),
        "sample 'k7': the bars in '|b' would divide fields; write it as jsonl",
    ),
    (
        "m2",
        EN,
        (one(edits(Edit(0, 1, ("",), "R"))),),
        "sample 'k7': the token '' is empty or holds white space; write it as jsonl",
    ),
    (
        "m2",
        EN,
        (one(edits(Edit(0, 1, ("a b",), "R"))),),
        "sample 'k7': the token 'a b' is empty or holds white space; write it as jsonl",
    ),
    (
        "m2",
        EN,
        (one(edits(Edit(0, 1, ("-NONE-",), "R"))),),
        ("sample 'k7': the replacement '-NONE-' means in m2 that there is none; write it as jsonl"),
    ),
    (
        "m2",
        EN,
        (one(edits(Edit(0, 1, ("a",), "R"), Edit(0, 2, ("a",), "R"))),),
        "sample 'k7': edit span 0 2 overlaps edit span 0 1",
    ),
    (
        "m2",
        EN,
        (one(edits(Edit(0, 3, ("a",), "R"))),),
        "sample 'k7': edit span 0 3 ends after the source, which has 2 tokens",
    ),
    (
        "m2",
        EN,
        (one(edits(Edit(0, 1, ("a",), "R")), tokens=("好 ", "吗")),),
        "sample 'k7': the token '好 ' is empty or holds white space; write it as jsonl",
    ),
    (
        "jsonl",
        None,
        (one(source=""),),
        "sample 'k7': the source is empty; fill it or leave the sentence out",
    ),
    (
        "jsonl",
        None,
        (one(edits(Edit(0, 3, ("a",), "R"))),),
        "sample 'k7': edit span 0 3 ends after the source, which has 2 tokens",
    ),
    (
        "jsonl",
        None,
        (one(edits(Edit(0, 1, ("a",), "R")), tokens=()),),
        "sample 'k7': edit span 0 1 ends after the source, which has 0 tokens",
    ),
]


@pytest.mark.parametrize(("format", "lang", "samples", "message"), WRITE)
def test_what_would_be_read_back_otherwise_is_refused(
    format: str, lang: str | None, samples: tuple[Sample, ...], message: str
) -> None:
    with pytest.raises(CorpusError) as error:
        load_format(format).write(Corpus("dev", samples, lang))
    assert str(error.value) == message


@pytest.mark.parametrize("message", [case[-1] for case in WRITE])
def test_refusals_are_one_line(message: str) -> None:
    assert len(message.splitlines()) == 1
