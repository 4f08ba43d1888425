"""m2: both dialects, line by line."""

from __future__ import annotations

from pathlib import Path

import pytest
from messages import expect_error

from gecbench.core.edit import Edit
from gecbench.core.errors import CorpusError
from gecbench.core.sample import Corpus, Rewrite, Sample
from gecbench.formats.m2 import FORMAT

TAIL = "|||REQUIRED|||-NONE-|||"


def read(*lines: str) -> Corpus:
    return FORMAT.read(Path("x.m2"), lines)


def first(*lines: str) -> tuple[Rewrite, ...]:
    return read("S a b", *lines).samples[0].references


def edit_of(correction: str, label: str = "S", span: str = "0 1") -> Edit:
    (rewrite,) = first(f"A {span}|||{label}|||{correction}{TAIL}0")
    ((edit,),) = rewrite.edit_sets
    return edit


def corpus(*rewrites: Rewrite, lang: str | None = None, tokens: str = "ab") -> Corpus:
    source = ("" if lang == "zh" else " ").join(tokens)
    return Corpus("x", (Sample("1", source, rewrites, tokens=tuple(tokens)),), lang)


def written(*rewrites: Rewrite, lang: str | None = None) -> list[str]:
    return FORMAT.write(corpus(*rewrites, lang=lang))[""].split("\n")


def rewrite(*edits: Edit, text: str | None = "x", **more: str | None) -> Rewrite:
    return Rewrite(text=text, edit_sets=(edits,), **more)


def test_a_block_is_a_sample_with_its_tokens() -> None:
    assert read("S a b", f"A 1 2|||S|||c d{TAIL}0") == Corpus(
        "x",
        (
            Sample(
                "1",
                "a b",
                (rewrite(Edit(1, 2, ("c", "d"), "S"), text="a c d", annotator="0"),),
                tokens=("a", "b"),
            ),
        ),
    )


def test_blank_lines_divide_blocks_however_many() -> None:
    samples = read("", "S a", " ", "", "S b", "", "").samples
    assert [(sample.id, sample.source) for sample in samples] == [("1", "a"), ("2", "b")]


def test_a_block_without_a_lines_is_error_free_and_is_written_so() -> None:
    assert first() == (Rewrite(error_free=True, edit_sets=((),)),)
    bare = read("", "S a", "")
    assert FORMAT.write(bare) == {"": "S a\n\n"}
    assert not FORMAT.losses(bare)


def test_noop_and_na_are_states() -> None:
    assert first(f"A -1 -1|||noop|||-NONE-{TAIL}3", f"A -1 -1|||NA|||{TAIL}1") == (
        Rewrite(error_free=True, edit_sets=((),), annotator="3"),
        Rewrite(unannotatable=True, annotator="1"),
    )


def test_coders_come_in_order_of_first_appearance() -> None:
    references = first(f"A 0 1|||S|||x{TAIL}10", f"A 0 1|||S|||y{TAIL}2", f"A 1 2|||S|||z{TAIL}10")
    assert [(reference.annotator, reference.text) for reference in references] == [
        ("10", "x z"),
        ("2", "y b"),
    ]


@pytest.mark.parametrize("correction", ["", "-NONE-"])
def test_a_deletion_is_none_or_nothing(correction: str) -> None:
    assert edit_of(correction) == Edit(0, 1, (), "S")


@pytest.mark.parametrize(
    ("correction", "beside"),
    [("a", ()), ("", ((),)), ("c", (("c",),)), ("c||d", (("c",), ("d",)))],
)
def test_unk_detects_and_keeps_a_text_that_is_not_the_source(correction: str, beside) -> None:
    block = f"A 0 1|||UNK|||{correction}{TAIL}0"
    (reference,) = first(block)
    assert reference == rewrite(Edit(0, 1, None, "UNK", beside), text=None, annotator="0")
    assert block in written(reference)


def test_two_bars_divide_alternatives() -> None:
    assert edit_of("c d||e||-NONE-") == Edit(0, 1, ("c", "d"), "S", (("e",), ()))


def test_a_single_bar_inside_a_correction_is_text() -> None:
    assert edit_of("a|b c") == Edit(0, 1, ("a|b", "c"), "S")


def test_edits_keep_the_order_of_the_file() -> None:
    (reference,) = first(f"A 1 1|||M|||x{TAIL}0", f"A 1 1|||M|||c{TAIL}0", f"A 0 1|||S|||y{TAIL}0")
    assert reference.text == "y x c b"
    assert [edit.replacement for edit in reference.edit_sets[0]] == [("x",), ("c",), ("y",)]


def test_a_target_line_makes_the_file_chinese() -> None:
    noop = ("T0 没有错误", f"A -1 -1|||noop|||-NONE-{TAIL}0")
    text = read("S 你 好", *noop, "", "S 好", "T0 无法标注", f"A -1 -1|||NA|||-NONE-{TAIL}0")
    assert text.lang == "zh"
    assert [sample.source for sample in text.samples] == ["你好", "好"]
    assert text.samples[0].references[0].error_free
    assert text.samples[1].references == (Rewrite(unannotatable=True, annotator="0"),)


def test_edit_sets_of_one_target_are_alternatives() -> None:
    text = read(
        "S 好 好",
        "T0 没有错误",
        f"A -1 -1|||noop|||-NONE-{TAIL}0",
        "T1-A0 好",
        f"A 0 1|||R|||-NONE-{TAIL}1",
        "T1-A1 好",
        f"A 1 2|||R|||-NONE-{TAIL}1",
    )
    assert text.samples[0].references == (
        Rewrite(error_free=True, edit_sets=((),), annotator="0"),
        Rewrite(
            text="好",
            edit_sets=((Edit(0, 1, (), "R"),), (Edit(1, 2, (), "R"),)),
            annotator="1",
        ),
    )


def test_a_target_may_be_empty_or_uncorrected() -> None:
    lines = ["S 好", "T0-A0 ", f"A 0 1|||R|||-NONE-{TAIL}0", "T1-A0 好", f"A 0 1|||UNK|||好{TAIL}1"]
    empty, uncorrected = read(*lines).samples[0].references
    assert (empty.text, uncorrected.text) == ("", None)
    assert FORMAT.write(read(*lines))[""].split("\n") == [*lines, "", ""]


def test_a_target_line_is_compared_as_text() -> None:
    """ChERRANT at word level drops edits that only divide words (demo.hyp.m2.word:60)."""
    text = read("S 毒气体 好", "T0-A0 毒 气体 坏", f"A 1 2|||S|||坏{TAIL}0")
    assert text.samples[0].references[0].text == "毒气体坏"


def test_the_dialect_of_cherrant_is_for_chinese() -> None:
    lines = written(
        Rewrite(
            text="b",
            edit_sets=((Edit(0, 1, (), "R"),), (Edit(0, 2, ("b",), "S"),)),
            annotator="Li",
        ),
        Rewrite(error_free=True, edit_sets=((),)),
        Rewrite(unannotatable=True),
        lang="zh",
    )
    assert lines == [
        "S a b",
        "T0-A0 b",
        f"A 0 1|||R|||-NONE-{TAIL}0",
        "T0-A1 b",
        f"A 0 2|||S|||b{TAIL}0",
        "T1 没有错误",
        f"A -1 -1|||noop|||-NONE-{TAIL}1",
        "T2 无法标注",
        f"A -1 -1|||NA|||-NONE-{TAIL}2",
        "",
        "",
    ]


def test_the_dialect_of_errant_is_for_the_rest() -> None:
    lines = written(
        rewrite(
            Edit(0, 1, (), "R:DET"),
            Edit(1, 2, None, "UNK"),
            Edit(2, 2, (), "M", (("c",), ("d", "e"))),
        ),
        Rewrite(error_free=True, edit_sets=((),)),
        Rewrite(unannotatable=True),
    )
    assert lines == [
        "S a b",
        f"A 0 1|||R:DET|||{TAIL}0",
        f"A 1 2|||UNK|||b{TAIL}0",
        f"A 2 2|||M|||-NONE-||c||d e{TAIL}0",
        f"A -1 -1|||noop|||-NONE-{TAIL}1",
        f"A -1 -1|||NA|||-NONE-{TAIL}2",
        "",
        "",
    ]


@pytest.mark.parametrize(
    ("names", "coders"),
    [
        (("3", "1"), ["3", "1"]),
        (("1", "1"), ["0", "1"]),
        (("1", None), ["0", "1"]),
        (("1", "Ann"), ["0", "1"]),
        (("1", "２"), ["0", "1"]),
    ],
)
def test_coders_are_annotators_where_all_have_different_numbers(
    names: tuple[str | None, ...], coders: list[str]
) -> None:
    rewrites = [Rewrite(unannotatable=True, annotator=name) for name in names]
    lines = written(*rewrites)[1:-2]
    assert [line.rpartition("|||")[2] for line in lines] == coders


@pytest.mark.parametrize(
    ("lines", "is_m2"),
    [
        (["S a b"], True),
        (["", "S a", "", "S b"], True),
        (["S a", "A 0 1|||S|||b|||"], True),
        (["S 好", "T0-A0 你"], True),
        (["S a b", "S c d"], False),
        (["S", ""], False),
        (["A 0 1|||S|||b|||"], False),
        (["", " "], False),
        ([], False),
    ],
)
def test_an_s_line_and_what_follows_tell(lines: list[str], is_m2: bool) -> None:
    assert FORMAT.matches(lines) is is_m2


def test_nothing_is_lost_of_what_was_read() -> None:
    text = read("S a b", f"A 0 1|||UNK|||{TAIL}4", f"A 0 1|||S|||x{TAIL}2")
    assert FORMAT.losses(text) == []


@pytest.mark.parametrize(
    ("changed", "loss"),
    [
        (
            Corpus("x", (Sample("1", "a", meta={"a": "b"}, tokens=("a",)),)),
            "m2 holds no metadata: 1 sentence loses its own",
        ),
        (
            Corpus("x", (), None, {"year": "2022"}),
            "m2 holds no provenance: 1 corpus loses its own",
        ),
        (
            Corpus("x", (Sample("k", "a", tokens=("a",)),)),
            "m2 holds no ids but numbers: 1 sentence loses its own",
        ),
        (Corpus("x", (), "en"), "m2 holds no language: 1 corpus loses its own"),
        (
            corpus(Rewrite(unannotatable=True, capped=True, annotator="0")),
            "m2 holds no flag that edit sets were capped: 1 reference loses its own",
        ),
        (
            corpus(
                Rewrite(unannotatable=True, annotator="0"),
                Rewrite(unannotatable=True, annotator="Li"),
            ),
            "m2 holds no annotators but numbers: 1 reference loses its own",
        ),
        (
            corpus(Rewrite(unannotatable=True)),
            "m2 numbers annotators, and 1 reference named none",
        ),
        (
            corpus(Rewrite(unannotatable=True, annotator="4"), lang="zh"),
            "m2 holds no annotators but numbers: 1 reference loses its own",
        ),
        (
            Corpus("x", (Sample("1", " a", tokens=("a",)),)),
            "m2 holds edits: 1 source read back as tokens joined, other in white space or more",
        ),
        (
            corpus(rewrite(Edit(0, 1, ("x",), "S"), text="xb", annotator="0")),
            "m2 holds edits: 1 reference with another text read back as what edits make of tokens",
        ),
        (
            corpus(rewrite(Edit(0, 1, None, "UNK"), text="x b", annotator="0")),
            "m2 holds edits: 1 reference with another text read back as what edits make of tokens",
        ),
        (
            corpus(rewrite(text="a b", annotator="0")),
            "m2 holds edits: 1 reference without edits will be read back as error free",
        ),
        (
            corpus(
                Rewrite(
                    text="b",
                    edit_sets=((Edit(0, 1, (), "R"),), (Edit(0, 2, ("b",), "S"),)),
                    annotator="0",
                )
            ),
            "m2 holds edits: 1 reference with several edit sets read back as the first of them",
        ),
    ],
)
def test_each_loss_is_said_with_its_count(changed: Corpus, loss: str) -> None:
    assert FORMAT.losses(changed) == [loss]


def test_losses_of_edits_that_cannot_be_applied_are_refused() -> None:
    with expect_error(CorpusError, "sample '1'", "span 0 9"):
        FORMAT.losses(corpus(rewrite(Edit(0, 9, (), "R"))))
