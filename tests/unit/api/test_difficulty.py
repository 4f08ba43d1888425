"""Difficulty from corpora and systems: references, weight files, what is said and refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from messages import expect_error

from gecbench.analysis.difficulty import (
    FalsePositive,
    SentenceErrors,
    nearest_references,
    reference_by_number,
    system_means,
)
from gecbench.analysis.options import Weighting
from gecbench.api.difficulty import difficulty, write_weights
from gecbench.api.score import collect_stats
from gecbench.api.verb_options import DifficultyOptions
from gecbench.core.edit import Edit
from gecbench.core.errors import CorpusError, FormatError, UsageError
from gecbench.core.sample import Corpus, Rewrite, Sample, SystemOutput
from gecbench.core.scheme import Extraction
from gecbench.lang.zh.char import scheme as zh_char

A, B = Edit(0, 1, ("A",), "R:ONE"), Edit(1, 2, ("B",), "R:TWO")
TOKENS = ("a", "b")
FREE = Rewrite(error_free=True, edit_sets=((),))
NONE = Rewrite(unannotatable=True)


def by(annotator: str | None, *edits: Edit) -> Rewrite:
    return Rewrite(text="a b", edit_sets=(edits,), annotator=annotator)


def corpus(*sentences: tuple[Rewrite, ...]) -> Corpus:
    samples = (
        Sample(str(n), "a b", sentence, {}, TOKENS) for n, sentence in enumerate(sentences, 1)
    )
    return Corpus("dev", tuple(samples), "en")


def system(name: str, *sentences: tuple[Edit, ...]) -> SystemOutput:
    hypotheses = {
        str(n): (by(None, *edits) if edits else FREE,) for n, edits in enumerate(sentences, 1)
    }
    return SystemOutput(name, hypotheses, dict.fromkeys(hypotheses, TOKENS))


NAMED = corpus((by("0", A), by("1", B)), (by("1", B),), (FREE,))
UNNAMED = corpus((by(None, A), by(None, B)), (by(None, B),), (FREE,))
ONE = system("one", (A,), (A,), ())
TWO = system("two", (B,), (B,), ())


def measure(data: Corpus = NAMED, *systems: SystemOutput, **options: object):
    results = difficulty(data, systems or (ONE, TWO), options=DifficultyOptions(**options))
    return results[0] if len(results) == 1 else results


def test_a_named_annotator_is_the_same_everywhere_and_a_bare_block_is_everyones():
    first = reference_by_number(NAMED.samples, 1, "left-out")
    assert (first.name, first.choices) == ("reference 1 (annotator 0)", (0, None, 0))
    second = reference_by_number(NAMED.samples, 2, "left-out")
    assert (second.name, second.choices) == ("reference 2 (annotator 1)", (1, 0, 0))


def test_nameless_references_are_counted_by_their_place():
    assert reference_by_number(UNNAMED.samples, 1, "left-out").choices == (0, 0, 0)
    second = reference_by_number(UNNAMED.samples, 2, "left-out")
    assert (second.name, second.choices) == ("reference 2", (1, None, None))
    assert second.notes == (
        "reference 2: sentences left out because they have no such reference: 2 (--absent "
        "unchanged takes them as free of errors)",
    )


def test_what_is_absent_can_be_taken_as_free_of_errors():
    result = measure(NAMED, absent="unchanged")
    assert result.table.verdicts["one"] == ("NTNNN", "NFNNN", "NNNNN")
    assert result.notes[-1] == (
        "reference 1 (annotator 0): sentences taken as free of errors because they have no such "
        "reference: 1"
    )


def test_annotators_that_are_no_numbers_keep_the_order_of_the_file():
    data = corpus((by("Wu", A), by("Li", B)), (by("Li", B),), (by("Wu"),))
    assert reference_by_number(data.samples, 1, "left-out").choices == (0, None, 0)


@pytest.mark.parametrize("number", [0, 3])
def test_a_reference_that_nobody_has_is_refused(number: int):
    with expect_error(UsageError, f"reference number {number}", "1 to 2"):
        reference_by_number(NAMED.samples, number, "left-out")


def test_what_nobody_could_correct_is_left_out_and_counted():
    data = corpus((NONE,), (NONE, by(None, B)), (FREE,))
    first = reference_by_number(data.samples, 1, "left-out")
    assert first.choices == (None, None, 0)
    assert first.notes == ("reference 1: sentences left out that nobody could correct: 2",)
    best = nearest_references(data.samples, collect_stats(data, [ONE]).cases, 0.5)
    assert best.choices == (None, 1, 0)
    assert best.notes == ("the chosen references: sentences left out that nobody could correct: 1",)


def test_the_chosen_reference_is_the_one_that_all_systems_come_nearest_to():
    data = corpus((by(None, A), by(None, B)), (by(None, A), by(None, B)), (FREE, FREE))
    systems = [ONE, TWO, system("three", (B,), (), (A,))]
    best = nearest_references(data.samples, collect_stats(data, systems).cases, 0.5)
    assert (best.name, best.choices) == ("the chosen references", (1, 0, 0))
    turned = nearest_references(data.samples, collect_stats(data, systems[::-1]).cases, 0.5)
    assert turned == best


def test_of_references_that_as_many_edits_meet_the_one_with_fewer_errors_is_chosen():
    data = corpus((by(None, A, B), by(None, A)))
    assert nearest_references(
        data.samples, collect_stats(data, [system("one", (A,))]).cases, 0.5
    ).choices == (1,)


def test_annotators_that_are_numbers_are_in_their_order_wherever_they_first_stand():
    data = corpus((by("10", B),), (by("9", A), by("10", B)))
    first = reference_by_number(data.samples, 1, "left-out")
    assert (first.name, first.choices) == ("reference 1 (annotator 9)", (None, 0))


def test_each_reference_by_itself_is_named():
    first, second = measure(NAMED, reference="each")
    assert [result.reference for result in (first, second)] == [
        "reference 1 (annotator 0)",
        "reference 2 (annotator 1)",
    ]
    assert "references:reference 2 (annotator 1)" in str(second.signature)


def test_that_there_are_more_references_is_said_where_nobody_chose():
    assert any("there are 2 references, of which the first" in note for note in measure().notes)
    assert not any("there are" in note for note in measure(reference="chosen").notes)


def test_what_each_corrects_and_what_it_corrects_alone():
    data = corpus((by(None, A),), (by(None, B),), (FREE,))
    systems = (ONE, TWO, system("both", (A,), (B,), ()))
    rows = [
        (score.system, score.corrected, score.alone) for score in measure(data, *systems).scores
    ]
    assert rows == [("one", 1, 0), ("two", 1, 0), ("both", 2, 0)]
    assert [score.alone for score in measure(data, ONE, TWO).scores] == [1, 1]


def test_one_system_alone_has_no_break_even_point_and_is_told_that_its_scores_are_empty(
    tmp_path: Path,
):
    alone = measure(NAMED, ONE)
    assert alone.scores[0].break_even is None
    assert alone.scores[0].weighted.tp == 0
    assert any("all it gets right weighs nothing" in note for note in alone.notes)
    path, _ = write_weights(measure(), tmp_path / "w.txt")
    assert not any("weighs nothing" in n for n in measure(NAMED, ONE, weights=path).notes)


def test_sentences_by_these_weights():
    first_sentence, _, third_sentence = measure(NAMED, reference=2).sentences
    assert ([edit.weight for edit in first_sentence.edits], first_sentence.value) == ([0.5], 0.5)
    assert first_sentence.changed == (FalsePositive(0, 1, 0.5),)
    assert third_sentence == SentenceErrors("3", 0.0, (), ())


def test_an_edit_that_only_detects_has_no_weight_but_a_place():
    data = corpus((by(None, Edit(0, 1, None, "UNK"), B),), (FREE,), (FREE,))
    result = measure(data)
    assert [edit.weight for edit in next(result.sentences).edits] == [1.0, 0.5]
    assert "dev: edits that only detect (UNK, Um) and are no chunk: 1" in result.notes


def test_weights_are_written_with_their_fingerprint_and_read_back(tmp_path: Path):
    result = measure()
    path, beside = write_weights(result, tmp_path / "w.txt")
    assert beside == tmp_path / "w.txt.json"
    again = measure(NAMED, ONE, weights=path)
    assert again.weights == result.weights
    assert (again.voters, again.origin) == (2, "file w.txt")
    assert "w.txt: its fingerprint says that it was made with this reference" in again.notes
    beside.unlink()
    again = measure(NAMED, ONE, weights=path)
    assert any("has no fingerprint beside it (w.txt.json); its num" in n for n in again.notes)


def test_a_fingerprint_refuses_another_reference_even_where_numbers_fit(tmp_path: Path):
    first = corpus((by(None, A),), (FREE,), (FREE,))
    other = corpus((by(None, Edit(0, 1, ("X",))),), (FREE,), (FREE,))
    path, beside = write_weights(measure(first), tmp_path / "w.txt")
    with expect_error(CorpusError, "'dev'", "reference 1"):
        measure(other, weights=path)
    beside.unlink()
    assert measure(other, weights=path).voters == 2


def test_a_weight_file_that_was_changed_is_refused(tmp_path: Path):
    path, _ = write_weights(measure(), tmp_path / "w.txt")
    path.write_text(path.read_text("utf-8").replace("1", "2"), encoding="utf-8")
    with expect_error(FormatError, str(path), "w.txt.json"):
        measure(weights=path)


def test_crlf_of_a_weight_file_makes_no_difference(tmp_path: Path):
    path, _ = write_weights(measure(), tmp_path / "w.txt")
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert measure(weights=path).origin == "file w.txt"


TWICE = corpus(*[(by(None, A), by(None, B))] * 3)


def test_weights_of_chosen_references_keep_them_whatever_other_systems_come_nearest_to(
    tmp_path: Path,
):
    result = measure(TWICE, ONE, system("three", (A,), (B,), (A,)), reference="chosen")
    path, _ = write_weights(result, tmp_path / "w.txt")
    other = system("other", (B,), (B,), (B,))
    assert measure(TWICE, other, reference="chosen").table.choices == (1, 1, 1)
    again = measure(TWICE, other, reference="chosen", weights=path)
    assert again.table.choices == result.table.choices == (0, 0, 0)
    assert again.weights == result.weights
    assert "w.txt: made with these references, chosen by the systems that made t" in again.notes[-1]


@pytest.mark.parametrize("bare", [True, False])
def test_weights_that_do_not_say_which_references_were_chosen_are_refused(
    tmp_path: Path, bare: bool
):
    path, beside = write_weights(measure(TWICE), tmp_path / "w.txt")
    if bare:
        beside.unlink()
    with expect_error(CorpusError, str(path), "which references were chosen"):
        measure(TWICE, reference="chosen", weights=path)


def test_weights_of_chosen_references_are_of_all_sentences_and_of_references_that_are_there(
    tmp_path: Path,
):
    result = measure(TWICE, TWO, reference="chosen")
    path, _ = write_weights(result, tmp_path / "w.txt")
    once = corpus(*[(by(None, A),)] * 3)
    with expect_error(CorpusError, "reference 2", "sentence '1'"):
        measure(once, TWO, reference="chosen", weights=path)
    part, _ = write_weights(
        measure(TWICE, TWO, reference="chosen", part=(0, 2)), tmp_path / "p.txt"
    )
    with expect_error(CorpusError, "2 sentences", "'dev'"):
        measure(TWICE, TWO, reference="chosen", weights=part)


def test_a_sentence_that_nobody_could_correct_is_left_out_of_chosen_weights_too(tmp_path: Path):
    data = corpus((NONE,), (by(None, A), by(None, B)), (FREE,))
    result = measure(data, TWO, reference="chosen")
    path, _ = write_weights(result, tmp_path / "w.txt")
    again = measure(data, ONE, reference="chosen", weights=path)
    assert (again.table.ids, again.table.choices) == (result.table.ids, result.table.choices)


def test_weights_from_a_file_are_not_written_again_nor_to_standard_output(tmp_path: Path):
    path, _ = write_weights(measure(), tmp_path / "w.txt")
    with expect_error(UsageError, "w.txt"):
        write_weights(measure(weights=path), tmp_path / "x.txt")
    with expect_error(UsageError, "two files"):
        write_weights(measure(), "-")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"reference": "best"}, "reference number 'best' must be a number from 1"),
        ({"absent": "gone"}, "absent is 'gone'; it is one of left-out, unchanged"),
        ({"weights": "w", "reference": "each"}, "a weight file fits one reference; choose it"),
    ],
)
def test_options_without_meaning_are_refused(options, message):
    with pytest.raises(UsageError, match=message):
        DifficultyOptions(**options)


def test_beta_is_looked_at():
    with expect_error(UsageError, "beta", "0", "0.001", "1000"):
        measure(beta=0)
    assert measure(beta=2).beta == 2
    assert "|beta:2|" in str(measure(beta=2).signature)


def test_without_systems_there_is_nothing_to_measure():
    with expect_error(UsageError, "one system"):
        difficulty(NAMED, ())


def test_a_corpus_of_which_nothing_is_left_is_refused():
    data = corpus((NONE,), (NONE,), (NONE,))
    with expect_error(CorpusError, "dev", "reference 1", "no sentence"):
        measure(data)


def test_of_alternatives_and_versions_the_first_counts_and_that_is_said():
    several = Rewrite(text="a b", edit_sets=((A,), (B,)))
    data = corpus((several,), (FREE,), (FREE,))
    twice = replace(ONE, hypotheses={**ONE.hypotheses, "1": (several, by(None, B))})
    result = measure(data, twice)
    assert result.table.verdicts["one"][0] == "NTNNN"
    assert result.notes[:3] == (
        "one: sentences with several versions, of which the first counts: 1 (if they are several "
        "systems, give the file by --systems-in)",
        "dev: rewrites with alternative sets of edits, of which the first counts: 1",
        "one: rewrites with alternative sets of edits, of which the first counts: 1",
    )


def test_systems_and_edits_that_change_nothing_are_named():
    idle, same = system("idle", (), (), ()), system("same", (Edit(0, 1, ("a",)),), (), ())
    notes = measure(NAMED, idle, same).notes
    assert "idle: changes nothing at all" in notes
    assert (
        "same: edits that leave the text as it is, which count as right changes as in the "
        "official program: 1"
    ) in notes


ZH = Corpus("z", (Sample("1", "我去了", (Rewrite("我去"),)), Sample("2", "好", (FREE,))), "zh")
ZH_SYSTEM = SystemOutput("s", {"1": (Rewrite("你去"),), "2": (FREE,)})


def pooling(*, batch: bool = False):
    """A scheme that lists two sets, of which only the first is right."""
    plain = zh_char()

    def extract(source, target):
        edit_set = plain.extract(source, target).edit_sets[0]
        return Extraction((edit_set, (Edit(0, 3, target.tokens),)))

    def both(pairs):
        return [
            extract(plain.parse_source(first), plain.parse_target(second))
            for first, second in pairs
        ]

    signature = {**plain.signature, "strategy": "all"}
    return replace(plain, extract=extract, batch=both if batch else None, signature=signature)


@pytest.mark.parametrize("batch", [False, True])
def test_of_the_sets_that_a_scheme_lists_the_first_counts(batch: bool):
    (result,) = difficulty(ZH, [ZH_SYSTEM], scheme=pooling(batch=batch))
    assert result.table.verdicts == {"s": ("NFNNNTN", "NNN")}
    assert "|strategy:first|" in str(result.signature)


def test_a_scheme_can_be_named():
    (result,) = difficulty(ZH, [ZH_SYSTEM], scheme="zh-char")
    assert result.table.verdicts == {"s": ("NFNNNTN", "NNN")}
    assert "|scheme:zh-char|" in str(result.signature)


def test_without_a_scheme_it_is_that_of_the_language():
    data = Corpus("e", (Sample("1", "he go", (Rewrite("he goes"),)),), "en")
    (result,) = difficulty(data, [SystemOutput("s", {"1": (Rewrite("he goes"),)})])
    assert result.table.verdicts == {"s": ("NNNTN",)}


def test_part_of_a_corpus_keeps_the_numbers_of_its_references():
    result = measure(part=(1, 3), reference=2)
    assert (result.reference, result.table.ids) == ("reference 2 (annotator 1)", ("2", "3"))


def test_a_reference_that_no_sentence_of_a_part_has_is_named():
    result = measure(UNNAMED, part=(1, 3), reference="each")
    assert (result.reference, result.table.ids) == ("reference 1", ("2", "3"))
    assert "reference 2: no sentence has it here" in result.notes


def test_each_of_no_references_that_could_be_annotated_is_refused():
    with expect_error(CorpusError, "dev", "reference 1", "no sentence"):
        measure(corpus((NONE,), (NONE,), (NONE,)), reference="each")


def test_systems_over_several_corpora():
    first, second = measure(NAMED, ONE, TWO), measure(UNNAMED, TWO, system("new", (), (B,), ()))
    rows = system_means([first, second], "accuracy")
    by_name = {row.system: row for row in rows}
    assert list(by_name) == [row.system for row in sorted(rows, key=lambda row: -row.mean)]
    assert by_name["one"].values[1] is None
    assert by_name["one"].ranks == (1, None)
    assert by_name["one"].deviation == 0
    two = by_name["two"]
    assert two.mean == pytest.approx(sum(two.values) / 2)
    assert two.deviation == pytest.approx(abs(two.values[0] - two.values[1]) / 2**0.5)


def test_weights_may_not_be_negative():
    with expect_error(UsageError, "negative"):
        measure(weighting=Weighting(a=0.2))


@pytest.mark.parametrize("again", [False, None])
def test_weights_fit_the_edits_that_they_were_made_with_of_the_file_or_extracted(
    again: bool | None, tmp_path: Path
):
    people = Rewrite("你去", edit_sets=((Edit(0, 3, ("你", "去"), "Mec"),),))
    corpus = Corpus("d", (Sample("1", "我去了", (people,), {}, tuple("我去了")),), "zh")
    systems = [SystemOutput("s", {"1": (Rewrite("我去"),)})]
    options = DifficultyOptions(re_extract=again)
    (result,) = difficulty(corpus, systems, scheme="zh-char", options=options)
    path, _ = write_weights(result, tmp_path / "w.txt")
    options = DifficultyOptions(weights=path)
    (read,) = difficulty(corpus, systems, scheme="zh-char", options=options)
    assert read.table.verdicts == result.table.verdicts
