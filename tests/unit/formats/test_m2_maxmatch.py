"""m2-maxmatch: the faults of gold files, kept or refused as the official program would."""

from __future__ import annotations

from pathlib import Path

import pytest
from messages import expect_error

from gecbench.core.edit import Edit
from gecbench.core.errors import CorpusError, FormatError
from gecbench.core.sample import NOT_KEPT, Corpus, Rewrite, Sample
from gecbench.formats.m2_maxmatch import FORMAT
from gecbench.formats.reading import read_system

TAIL = "|||REQUIRED|||-NONE-|||"


def read(*lines: str) -> Corpus:
    return FORMAT.read(Path("x.m2"), lines)


def first(*lines: str) -> tuple[Rewrite, ...]:
    return read("S a b", *lines).samples[0].references


def a(span: str, text: str, coder: int = 0, label: str = "S") -> str:
    return f"A {span}|||{label}|||{text}{TAIL}{coder}"


def error_free(coder: str | None = "0") -> Rewrite:
    return Rewrite(error_free=True, edit_sets=((),), annotator=coder)


def test_edits_that_overlap_are_kept_in_order_and_have_no_text() -> None:
    late, early = Edit(1, 2, ("y",), "S"), Edit(0, 2, ("x",), "S")
    assert first(a("1 2", "y"), a("0 2", "x")) == (
        Rewrite(edit_sets=((late, early),), annotator="0"),
    )


def test_edits_that_stand_twice_are_kept_and_have_the_text_of_one() -> None:
    edit = Edit(0, 1, ("x",), "S")
    assert first(a("0 1", "x"), a("0 1", "x")) == (
        Rewrite(text="x b", edit_sets=((edit, edit),), annotator="0"),
    )


def test_the_same_insertion_twice_can_be_applied() -> None:
    (reference,) = first(a("1 1", "x"), a("1 1", "x"))
    assert reference.text == "a x x b"


def test_an_error_that_is_only_detected_leaves_no_text() -> None:
    (reference,) = first(a("0 1", "a", label="UNK"), a("1 2", "y"))
    assert reference.text is None
    assert reference.edit_sets[0][0] == Edit(0, 1, None, "UNK")


def test_annotators_come_in_ascending_order() -> None:
    references = first(a("0 1", "x", 10), a("0 1", "y", 2), a("1 2", "z", 10))
    assert [(reference.annotator, reference.text) for reference in references] == [
        ("2", "y b"),
        ("10", "x z"),
    ]


def test_who_has_no_line_is_not_there() -> None:
    assert first() == (error_free(None),)
    assert [reference.annotator for reference in first(a("0 1", "x", 1))] == ["1"]


@pytest.mark.parametrize("span", ["-1 -1", "0 1"])
def test_who_has_noop_alone_takes_part_without_edits(span: str) -> None:
    assert first(a(span, "-NONE-", 1, "noop")) == (error_free("1"),)
    assert read("S a", a(span, "-NONE-", 1, "noop")).provenance == {}


def test_what_is_not_kept_is_counted() -> None:
    text = read(
        *("S a b", "I a b", a("0 9", "x"), a("1 2", "y"), a("-1 -1", "", label="noop")),
        *("", "S c", a("3 3", "x"), a("-1 0", "x"), "", "S d", a("-1 -1", "", label="NA")),
        *("", "S e", "A 0 1|||S|||x|||OPTIONAL|||-NONE-|||0"),
    )
    assert text.provenance == {
        NOT_KEPT: "the fields required and comment of 1 A line; 3 edits outside the sentence; "
        "1 noop line beside edits; 1 NA line, which the scorer takes for free of errors; 1 I line"
    }
    two, three, four, five = text.samples
    assert [edit.replacement for edit in two.references[0].edit_sets[0]] == [("y",)]
    assert [s.references for s in (three, four)] == [(error_free(),), (error_free(),)]
    assert five.references[0].text == "x"


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        ("", [()]),
        ("-NONE-", [()]),
        (" x ", [("x",)]),
        ("x  y", [("x", "", "y")]),  # never equal to tokens, as two spaces never are
        ("x||-NONE-||y z", [("x",), (), ("y", "z")]),
        ("x|", [("x",)]),
    ],
)
def test_corrections_are_read_as_the_scorer_reads_them(text: str, texts: list) -> None:
    line = a("0 1", text)
    if text == "x|":  # the first three bars divide
        line = "A 0 1|||S|||x||||REQUIRED|||-NONE-|||0"
    ((edit,),) = first(line)[0].edit_sets
    assert [edit.replacement, *edit.alternatives] == texts


def test_sources_keep_their_tokens_and_their_text() -> None:
    samples = read("S  a\u00a0b  c ", "", "", "S ", a("0 0", "x")).samples
    assert [(sample.id, sample.source, sample.tokens) for sample in samples] == [
        ("1", "a\u00a0b  c", ("a", "b", "c")),
        ("2", "", ()),
    ]
    assert samples[1].references[0].text == "x"


REFUSED = [
    (["S a", "S b"], ("2", "second S line")),
    (["S a\u2028b"], ("1", "'S a\\u2028b'")),
    (["S a\x0c"], ("1", "'S a\\x0c'")),
    (["S a", " ", "S b"], ("2", "white space")),
    ([""], ("1", "no S line")),
    (["S"], ("1", "no token")),
    (["S a", "T0-A0 b", a("0 1", "b")], ("2", "T lines")),
    (["S a", "B"], ("2", "'B'")),
    (["S a", "A 0 1|||S|||b|||0"], ("2", "4 fields", "6")),
    (["S a", a("0 1", "b")[:-1] + "x"], ("2", "coder", "'x'")),
    (["S a", a("0 1", "b")[:-1] + "01"], ("2", "coder", "'01'")),
    (["S a", a("0 x", "b")], ("2", "span", "'0 x'")),
    (["S a", a("0 1 2", "b")], ("2", "span", "'0 1 2'")),
    (["S a", a("1 0", "b")], ("2", "span '1 0'")),
]


@pytest.mark.parametrize(("lines", "facts"), REFUSED)
def test_what_the_scorer_would_stop_at_is_refused(lines: list[str], facts: tuple[str, ...]) -> None:
    line, *values = facts
    with expect_error(FormatError, f"x.m2:{line}", *values):
        read(*lines)


def test_it_is_never_guessed() -> None:
    assert not FORMAT.matches(["S a", a("0 1", "b")])


def corpus(*rewrites: Rewrite, lang: str | None = None) -> Corpus:
    return Corpus("x", (Sample("1", "a b", rewrites, tokens=("a", "b")),), lang)


def test_no_target_lines_are_written_whatever_the_language() -> None:
    new_corpus = corpus(Rewrite("xb", edit_sets=((Edit(0, 1, ("x",), "S"),),)), lang="zh")
    assert FORMAT.write(new_corpus)[""] == f"S a b\n{a('0 1', 'x')}\n\n"
    assert "m2-maxmatch holds no language: 1 corpus loses its own" in FORMAT.losses(new_corpus)


def test_who_cannot_annotate_is_written_as_who_has_no_edits_and_that_is_said() -> None:
    new_corpus = corpus(Rewrite(unannotatable=True, annotator="0"))
    assert FORMAT.write(new_corpus)[""] == f"S a b\n{a('-1 -1', '-NONE-', label='noop')}\n\n"
    assert FORMAT.losses(new_corpus) == [
        "m2-maxmatch holds no state unannotatable: 1 reference loses its own"
    ]


def test_another_order_of_annotators_is_lost() -> None:
    new_corpus = corpus(error_free("1"), error_free("0"))
    assert FORMAT.losses(new_corpus) == [
        "m2-maxmatch holds no order of annotators but ascending: 1 sentence loses its own"
    ]


@pytest.mark.parametrize(
    ("rewrite", "facts"),
    [
        (error_free("01"), ("sample '1'", "annotator '01'", "1")),
        (
            Rewrite("x b", edit_sets=((Edit(0, 1, ("x",), "S\x0b"),),), annotator="0"),
            ("sample '1'", "label"),
        ),
        (
            Rewrite(edit_sets=((Edit(0, 2, (), "R"), Edit(1, 2, (), "R")),), annotator="0"),
            ("sample '1'", "span 1 2", "span 0 2"),
        ),
    ],
)
def test_what_would_come_back_otherwise_is_not_written(
    rewrite: Rewrite, facts: tuple[str, ...]
) -> None:
    with expect_error(CorpusError, *facts):
        FORMAT.write(corpus(rewrite))


def test_a_system_is_joined_by_position_and_its_sources_are_checked(tmp_path: Path) -> None:
    whole = read("S a b", "", "S c", a("0 1", "d"))
    path = tmp_path / "s.m2"
    path.write_text(f"S a b\n{a('0 1', 'x')}\n\nS c\n", encoding="utf-8")
    output = read_system(path, whole, format="m2-maxmatch")
    assert output.hypotheses["1"][0].text == "x b"
    path.write_text("S a b\n\nS e\n", encoding="utf-8")
    with expect_error(CorpusError, "s.m2:3", "'2'", "'e'"):
        read_system(path, whole, format="m2-maxmatch")
