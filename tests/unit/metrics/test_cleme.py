"""cleme, sent-cleme, cleme2 and sent-cleme2 on sentences small enough to count by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gecbench import breakdown, score
from gecbench.api.options import Options
from gecbench.core.case import Case, CaseRewrite
from gecbench.core.edit import Edit
from gecbench.core.errors import UsageError
from gecbench.core.sample import Corpus, Rewrite, Sample, SystemOutput
from gecbench.core.score import WarningNote
from gecbench.metrics.cleme import Cleme, Cleme2, SentenceCleme, SentenceCleme2, compare, partition

SOURCE = tuple("abcdef")
EVERY = [Cleme, SentenceCleme, Cleme2, SentenceCleme2]


def edits(text: str) -> tuple[Edit, ...]:
    """Edits written as "1-2 B; 3-3 x y"; nothing after a span deletes it."""
    parts = (part.split() for part in text.split(";") if part.strip())
    return tuple(Edit(*map(int, span.split("-")), tuple(words)) for span, *words in parts)


def case(hypothesis: str, *references: str) -> Case:
    """A case of the six tokens."""
    versions = [CaseRewrite(edits(text)) for text in (hypothesis, *references)]
    return Case("1", (versions[0],), tuple(versions[1:]), "a b c d e f", edit_tokens=SOURCE)


@pytest.mark.parametrize(
    ("hypothesis", "references", "verdicts", "independent"),
    [
        # hits, wrong, over, under, kept
        ("1-2 B; 2-3 C", ["1-2 B"], [(0, 1, 0, 0, 2)], (0, 1, 0, 0, 2)),
        ("2-2 x", ["1-2 B"], [(0, 1, 0, 0, 2)], (0, 1, 0, 0, 2)),
        ("3-3 x", ["1-2 B"], [(0, 0, 1, 1, 3)], (0, 0, 1, 1, 3)),
        ("1-2 B", ["1-2 B", "1-3 Q"], [(1, 0, 0, 0, 2), (0, 1, 0, 0, 2)], (1, 0, 0, 0, 2)),
        ("1-2 B; 4-5 E", ["1-2 B", "4-5 E"], [(1, 0, 1, 0, 3)] * 2, (2, 0, 0, 0, 3)),
        ("", ["1-2 B", "4-5 E"], [(0, 0, 0, 1, 4)] * 2, (0, 0, 0, 0, 5)),
        ("", ["1-2 B", "1-2 B B"], [(0, 0, 0, 1, 2)] * 2, (0, 0, 0, 1, 2)),
        ("0-0 x", ["0-1 A", "0-0 x"], [(0, 1, 0, 0, 1), (1, 0, 0, 0, 1)], (1, 0, 0, 0, 1)),
        ("1-2 B; 2-3", ["1-3 B"], [(1, 0, 0, 0, 2)], (1, 0, 0, 0, 2)),
        ("0-6", ["1-2 B", "4-5 E"], [(0, 1, 0, 0, 0)] * 2, (0, 1, 0, 0, 0)),
        # A reference without text is none, unless there is no other.
        ("1-2 B", ["1-2 B", "0-6"], [(1, 0, 0, 0, 2)], (1, 0, 0, 0, 2)),
        ("1-2 B", ["0-6"], [(0, 1, 0, 0, 0)], (0, 1, 0, 0, 0)),
    ],
)
def test_chunks_are_judged_against_each_reference_or_all(
    hypothesis: str, references: list[str], verdicts: list, independent: tuple
):
    def numbers(assumption: str) -> list[tuple[int, ...]]:
        sentence = compare(case(hypothesis, *references), assumption)
        return [(*map(len, candidate.lengths), candidate.kept) for candidate in sentence.candidates]

    assert numbers("dependent") == verdicts
    assert numbers("independent") == [independent]


def test_a_detected_error_is_changed_though_its_text_is_not():
    detected = CaseRewrite((Edit(1, 2, None, "UNK"),))
    case = Case("1", (detected,), (CaseRewrite(),), "a b c d e f", edit_tokens=SOURCE)
    assert len(compare(case, "dependent").candidates[0].hit) == 1
    unsaid = Case("1", (CaseRewrite(),), (detected,), "a b c d e f", edit_tokens=SOURCE)
    assert len(compare(unsaid, "dependent").candidates[0].under) == 0
    assert len(compare(unsaid, "independent").candidates[0].under) == 1


def test_edits_that_touch_are_one_chunk_and_an_insertion_apart_is_none_of_them():
    assert partition([edits("1-2 B"), edits("2-2 x; 4-4 y")]) == [(1, 2), (4, 4)]
    assert partition([(), ()]) == []


def test_of_alternative_edit_sets_the_first_counts():
    pooled = CaseRewrite((*edits("1-2 B"), *edits("4-5 E")), sizes=(1, 1))
    both = Case("1", (pooled,), (pooled,), "a b c d e f", edit_tokens=SOURCE)
    assert len(compare(both, "dependent").candidates[0].hit) == 1


def test_long_chunks_weigh_more_where_they_are_right_and_less_where_wrong():
    metric = SentenceCleme()
    rows = [metric.stats(case("1-5 P Q R S T U", reference)) for reference in ("0-1 A", "4-5 E")]
    (wrong,) = metric.rows([rows[0], metric.stats(case("", "1-2 B"))], np.array([[0, 1]]))[0]
    assert 0.25 <= wrong[1, 0] < 1
    right = metric.stats(case("1-5 P Q R S T U", "1-5 P Q R S T U"))
    (weights,) = metric.rows([right, metric.stats(case("", "1-2 B"))], np.array([[0, 1]]))[0]
    assert 1 < weights[0, 0] < 10


@pytest.mark.parametrize("kind", [Cleme, SentenceCleme])
def test_error_free_references_have_no_mean_length_and_a_warning_says_so(kind):
    metric = kind()
    rows = [metric.stats(case("1-2 B", "")), metric.stats(case("", ""))]
    plain = kind(weights="none")
    assert metric.aggregate(rows).value == plain.aggregate(rows).value < 1
    (note,) = metric.notes(rows)
    assert isinstance(note, WarningNote)
    assert not plain.notes(rows)
    assert not metric.notes([metric.stats(case("", "1-2 B"))])
    assert not metric.notes([])


def test_the_official_score_of_error_free_texts_is_1_whatever_a_system_does():
    metric = Cleme(faults="official")
    rows = [metric.stats(case("1-2 B", ""))]
    assert metric.aggregate(rows).value == 1
    assert metric.notes(rows)


RIGHT, WRONG = ("he goes home .", "she sings ."), ("he go at home .", "she sing .")
FREE = Corpus(
    "free",
    tuple(
        Sample(str(n), text, (Rewrite(text=text),), {"origin": "right"})
        for n, text in enumerate(RIGHT)
    ),
    "en",
)
EAGER = SystemOutput("eager", {str(n): (Rewrite(text=text),) for n, text in enumerate(WRONG)})


@pytest.mark.parametrize("metric", ["cleme", "sent-cleme"])
@pytest.mark.parametrize("faults", ["fixed", "official"])
def test_who_corrects_error_free_texts_alone_is_warned_of(metric: str, faults: str):
    """The official program gives F = 1 to whatever is done to texts without errors."""
    settings = {f"{metric}.faults": faults}
    options = Options(metrics=(metric,), settings=settings)
    scored = score(FREE, [EAGER], scheme="xx-word", options=options)
    assert scored.results[0].score.value == (metric == "cleme" and faults == "official")
    (warning,) = (note for note in scored.notes if isinstance(note, WarningNote))
    assert warning.startswith(f"{metric}: no reference changes anything")


@pytest.mark.parametrize("faults", ["fixed", "official"])
def test_a_part_of_a_corpus_without_errors_is_warned_of(faults: str):
    sample = Sample("2", "he go home .", (Rewrite(text="he goes home ."),), {"origin": "wrong"})
    corpus = replace(FREE, samples=(*FREE.samples, sample))
    system = replace(EAGER, hypotheses={**EAGER.hypotheses, "2": (Rewrite(text="he go ."),)})
    options = Options(metrics=("cleme",), settings={"cleme.faults": faults}, by="origin")
    scored = score(corpus, [system], scheme="xx-word", options=options)
    by_subset = {result.subset: result.score.value for result in scored.results}
    assert by_subset == {None: 0, "right": float(faults == "official"), "wrong": 0}
    (warning,) = (note for note in scored.notes if isinstance(note, WarningNote))
    assert warning.startswith("cleme: no reference changes anything")
    assert warning.endswith("(in: right)")
    parts = breakdown(
        corpus, [system], by=["state"], scheme="xx-word", options=replace(options, by=None)
    )
    (warning,) = (note for note in parts.notes if isinstance(note, WarningNote))
    assert warning.endswith("(in: state error-free)")


def test_a_warning_of_a_part_that_is_true_of_all_systems_is_said_once():
    sample = Sample("2", "he go home .", (Rewrite(text="he goes home ."),), {"origin": "wrong"})
    corpus = replace(FREE, samples=(*FREE.samples, sample))
    eager = replace(EAGER, hypotheses={**EAGER.hypotheses, "2": (Rewrite(text="he go ."),)})
    copy = SystemOutput("copy", {s.id: (Rewrite(text=s.source),) for s in corpus.samples})
    options = Options(metrics=("cleme",), by="origin")
    scored = score(corpus, [eager, copy], scheme="xx-word", options=options)
    (warning,) = (note for note in scored.notes if isinstance(note, WarningNote))
    assert warning.startswith("cleme: no reference changes anything")
    assert warning.endswith("(in: right)")


def test_official_faults_count_what_nobody_could_correct_as_unchanged():
    unsaid = Case("1", (CaseRewrite(),), (CaseRewrite(unannotatable=True),), "a", edit_tokens="a")
    assert Cleme().stats(unsaid) is None
    stats = Cleme(faults="official").stats(unsaid)
    assert stats is not None
    assert stats.candidates[0].kept == 1


def test_four_shares_make_the_score():
    score = Cleme2().aggregate([Cleme2().stats(case("3-3 x", "1-2 B"))])
    shares = {name: score.parts[name] for name in ("hit", "wrong", "under", "over")}
    assert shares == {"hit": 0, "wrong": 0, "under": 1, "over": 1}
    assert score.value == pytest.approx(0.35)
    idle = SentenceCleme2().aggregate([SentenceCleme2().stats(case("", ""))])
    assert idle.value == pytest.approx(0.65)


@pytest.mark.parametrize("kind", EVERY)
def test_exchanging_sentences_scores_the_exchanged_corpora(kind):
    metric = kind()
    first = [metric.stats(case(text, "1-2 B; 3-4 D", "1-3 Q")) for text in ("1-2 B", "", "3-4 D")]
    second = [metric.stats(case(text, "1-2 B; 3-4 D", "1-3 Q")) for text in ("1-3 Q", "5-6", "")]
    swaps = np.array([[True, False, True], [False, False, False]])
    here, there = metric.exchange(first, second, swaps)
    expected = [[second[0], first[1], second[2]], first]
    assert here.tolist() == pytest.approx([metric.aggregate(rows).value for rows in expected])
    expected = [[first[0], second[1], first[2]], second]
    assert there.tolist() == pytest.approx([metric.aggregate(rows).value for rows in expected])


@pytest.mark.parametrize("kind", EVERY)
def test_each_sentence_says_which_reference_was_chosen(kind):
    metric = kind()
    (row,) = metric.sentences([metric.stats(case("1-3 Q", "1-2 B", "1-3 Q"))])
    assert (row["chosen"], row["hit"], row["kept"]) == (1, (2,), 2)


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        (Cleme, {"assumption": "both"}),
        (Cleme, {"faults": "some"}),
        (Cleme, {"weights": "similarity"}),
        (SentenceCleme, {"beta": 0.0}),
        (Cleme2, {"hit": 2.0}),
    ],
)
def test_options_that_mean_nothing_are_refused(kind, options: dict):
    with pytest.raises(UsageError):
        kind(**options)


def test_signatures_name_every_option():
    assert str(Cleme().signature) == (
        "metric:cleme|assumption:dependent|faults:fixed|weights:length|beta:0.5"
    )
