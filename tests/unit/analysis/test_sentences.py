"""Properties of sentences, their rows for the explorer of the report page, and weights of edits."""

from __future__ import annotations

import pytest

from gecbench.analysis.sentences import (
    SentenceRow,
    cases_of,
    edit_weights,
    edits_of,
    length,
    length_unit,
    sentence_rows,
    state,
    text_of_rewrite,
)
from gecbench.api.files import load, load_system, sample
from gecbench.api.options import Options
from gecbench.api.score import collect_stats
from gecbench.core.case import Case, CaseRewrite
from gecbench.core.edit import Edit
from gecbench.core.sample import Corpus, Rewrite, Sample, SystemOutput
from gecbench.core.score import total
from gecbench.scoring.results import RunStats
from gecbench.scoring.run import summarise

FREE = Rewrite(error_free=True)
IMPOSSIBLE = Rewrite(unannotatable=True)
CHANGE = Edit(0, 1, ("b",), "S")


def run(lang: str, *cases: Case) -> RunStats:
    return RunStats(Corpus("x", ()), {}, lang, {}, {"s": cases}, {})


@pytest.mark.parametrize(
    ("lang", "case", "unit", "expected"),
    [
        ("zh", Case("1", (), (), "我 去了 ab"), "characters", 5),
        ("en", Case("1", (), (), "I do n't", edit_tokens=("I", "do", "n't", ".")), "tokens", 4),
        ("en", Case("1", (), (), "I don't  go"), "words", 3),
        ("zh", Case("1", (), (), ""), "characters", 0),
    ],
)
def test_lengths_are_in_what_the_language_counts(lang, case, unit, expected):
    assert (length_unit(run(lang, case)), length(case, lang)) == (unit, expected)


def test_a_run_without_systems_has_no_cases():
    assert cases_of(RunStats(Corpus("x", ()), {}, "zh", {}, {}, {})) == ()


@pytest.mark.parametrize(
    ("lang", "source", "rewrites", "expected"),
    [
        ("zh", "我", (Rewrite("我 "), FREE), "error-free"),
        ("zh", "我", (Rewrite("你"), FREE), "disputed"),
        ("zh", "我", (Rewrite("你"), Rewrite("他"), IMPOSSIBLE), "erroneous"),
        ("zh", "我", (IMPOSSIBLE, IMPOSSIBLE), "unannotatable"),
        ("en", "a lot", (Rewrite("alot"),), "erroneous"),
        ("en", "a  lot", (Rewrite("a lot"),), "error-free"),
        ("en", "a", (Rewrite(edit_sets=((),)),), "error-free"),
        ("en", "a", (Rewrite(edit_sets=((CHANGE,),)),), "erroneous"),
    ],
)
def test_states_of_sentences_known_by_their_texts(lang, source, rewrites, expected):
    versions = tuple(CaseRewrite(unannotatable=rewrite.unannotatable) for rewrite in rewrites)
    sample = Sample("1", source, rewrites, tokens=("a",))
    assert state(sample, Case("1", (), versions, source), lang) == expected


def test_where_edits_are_known_they_decide_what_is_free():
    """As where traditional characters are simplified before anything is compared."""
    sample = Sample("1", "車", (Rewrite("车"),))
    plain, changed = CaseRewrite(), CaseRewrite((CHANGE,))
    assert state(sample, Case("1", (), (plain,), "車", edit_tokens=("车",)), "zh") == "error-free"
    assert state(sample, Case("1", (), (changed,), "車", edit_tokens=("车",)), "zh") == "erroneous"


def test_edits_are_of_the_first_alternative_set():
    pooled = CaseRewrite((CHANGE, CHANGE, CHANGE), sizes=(2, 1))
    assert edits_of(Case("1", (), (), edit_tokens=("a",)), pooled) == 2
    assert edits_of(Case("1", (), (), edit_tokens=("a",)), CaseRewrite((CHANGE,))) == 1
    assert edits_of(Case("1", (), (), tokens=("a",)), CaseRewrite(gold_edits=(CHANGE,))) == 1
    assert edits_of(Case("1", (), ()), CaseRewrite(text="b")) is None


def test_texts_of_rewrites():
    sample = Sample("1", "a", tokens=("a",))
    rewrites = (FREE, IMPOSSIBLE, Rewrite("c"), Rewrite(edit_sets=((CHANGE,),)))
    assert [text_of_rewrite(rewrite, sample, "en") for rewrite in rewrites] == ["a", "a", "c", "b"]


def test_edits_that_overlap_give_no_text():
    over = Rewrite(edit_sets=((CHANGE, CHANGE),))
    assert text_of_rewrite(over, Sample("1", "a", tokens=("a",)), "en") is None


SOURCE = "She go home ."
ANNOTATED = Edit(1, 2, ("goes",), "SVA")


def english(reference: Rewrite, *outputs: str, **options: object) -> SentenceRow:
    """The only sentence of a corpus with given edits."""
    sample = Sample("s", SOURCE, (reference,), {}, tuple(SOURCE.split()))
    systems = [
        SystemOutput(f"s{number}", {"s": (Rewrite(text),)}) for number, text in enumerate(outputs)
    ]
    options_asked = Options(metrics=("errant",), re_extract=False, **options)  # type: ignore[arg-type]
    run_stats = collect_stats(Corpus("c", (sample,), "en"), systems, options=options_asked)
    (row,) = sentence_rows(run_stats, "errant")
    return row


def test_an_edit_is_made_by_those_whose_edit_the_metric_takes_for_it():
    rewrite = Rewrite("She goes home .", edit_sets=((ANNOTATED,),))
    row = english(rewrite, SOURCE, "She goes home .", "She went home .")
    (edit,) = row.references[0].edits
    assert edit.label == "SVA"
    assert row.outputs[1].edits[0].label != "SVA"
    assert row.makers[edit] == row.makers[row.outputs[1].edits[0]] == (1,)
    assert row.makers[row.outputs[2].edits[0]] == (2,)


@pytest.mark.parametrize(
    ("options", "makers"),
    [
        ({"level": "detection-span"}, (1, 2)),
        ({"level": "detection-token"}, (1, 2)),
        ({"level": "correction-type"}, ()),
        ({"size": "multi"}, (1,)),
    ],
)
def test_who_makes_an_edit_hangs_on_the_level_but_not_on_what_is_left_out(
    options: dict, makers: tuple
):
    rewrite = Rewrite("She goes home .", edit_sets=((ANNOTATED,),))
    row = english(rewrite, SOURCE, "She goes home .", "She went home .", **options)
    assert row.makers[row.references[0].edits[0]] == makers


def test_an_edit_that_corrects_nothing_is_made_by_nobody():
    rewrite = Rewrite(edit_sets=((Edit(1, 2, None, "SVA"),),))
    row = english(rewrite, "She goes home .")
    assert row.makers[row.references[0].edits[0]] == ()


@pytest.mark.parametrize("level", ["correction", "detection-token"])
def test_the_counts_of_all_sentences_are_those_of_the_score(level: str):
    corpus = load(sample("zh", "corpus.jsonl"))
    systems = [load_system(sample("zh", f"{name}.txt"), corpus) for name in ("eager", "fluent")]
    options = Options(level=level)  # type: ignore[arg-type]
    run_stats = collect_stats(corpus, systems, scheme="zh-char", options=options)
    rows = list(sentence_rows(run_stats, "cherrant"))
    for at, result in enumerate(summarise(run_stats).results):
        counted = [row.outputs[at].counts for row in rows]
        assert (
            total(counts_of_one for counts_of_one in counted if counts_of_one)
            == result.score.counts
        )
        assert [counts_of_one is None for counts_of_one in counted] == [
            row.outputs[at].reference is None for row in rows
        ]


def test_the_first_of_several_sets_makes_the_text():
    sets = ((Edit(1, 2, (), "U"),), (Edit(1, 3, ("home",), "R"),))
    row = english(Rewrite("She home .", edit_sets=sets), SOURCE)
    assert (row.references[0].first, row.outputs[0].first) == (1, None)
    assert len(row.references[0].edits) == 2
    assert (row.outputs[0].counts.fn, len(row.outputs[0].missed)) == (2, 2)


A, B, C = Edit(0, 1, ("A",)), Edit(1, 2, ("B",)), Edit(2, 2, ("C",))
TOKENS = ("a", "b", "c")


def weights(references, *systems):
    versions = tuple(
        reference if isinstance(reference, CaseRewrite) else CaseRewrite(reference)
        for reference in references
    )
    cases = {
        str(n): [Case("7", (CaseRewrite(edits),), versions, edit_tokens=TOKENS)]
        for n, edits in enumerate(systems)
    }
    (difficulty,) = edit_weights(cases)
    return difficulty


def test_weights_keep_the_order_of_the_edits_and_are_shares_of_systems_that_fail():
    difficulty = weights([(B, A)], (A,), (A, B), (), (A,))
    assert difficulty.id == "7"
    assert difficulty.references == ((0.75, 0.25),)
    assert difficulty.value == 1.0


def test_systems_that_make_the_same_are_counted_each():
    difficulty = weights([(A,)], (A, B), (A, B), (B,), ())
    assert difficulty.references == ((0.5,),)


def test_of_several_references_the_one_systems_come_nearest_to_says_how_difficult():
    difficulty = weights([(A, B, C), (A,)], (A,), ())
    assert difficulty.references == ((0.5, 1.0, 1.0), (0.5,))
    assert difficulty.value == 0.5


def test_a_reference_that_could_not_be_annotated_says_nothing():
    difficulty = weights([CaseRewrite(unannotatable=True), (A, B)], ())
    assert difficulty.references == ((), (1.0, 1.0))
    assert difficulty.value == 2.0
    assert weights([CaseRewrite(unannotatable=True)], (A,)).value == 0.0


def test_an_edit_that_only_detects_has_weight_one_and_does_not_make_it_difficult():
    difficulty = weights([(Edit(0, 1, None, "UNK"), B)], (B,))
    assert difficulty.references == ((1.0, 0.0),)
    assert difficulty.value == 0.0


def test_pooled_alternatives_are_met_by_whoever_has_one_and_count_once():
    wide = Edit(0, 2, ("A", "B"))
    pool = (A, B, A, wide)
    difficulty = weights([pool], pool, (wide,), (A,), ())
    assert difficulty.references == ((0.5, 0.75, 0.5, 0.5),)
    assert difficulty.value == 0.5 + 0.75


def test_an_insertion_that_a_pool_has_twice_makes_one_error():
    difficulty = weights([(C, A, C)], ())
    assert difficulty.references == ((1.0, 1.0, 1.0),)
    assert difficulty.value == 2.0
