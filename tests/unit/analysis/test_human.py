"""Annotators against the final references."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from messages import expect_error

from gecbench import human
from gecbench.api.options import Options, Places
from gecbench.api.schemes import load_scheme
from gecbench.core.edit import Edit
from gecbench.core.errors import CorpusError, UsageError
from gecbench.core.sample import Corpus, Rewrite, Sample
from gecbench.reports.agreement import build_human_report
from gecbench.reports.report import render


def by(annotator: str | None, text: str) -> Rewrite:
    return Rewrite(text, annotator=annotator)


FINAL = Corpus(
    "final",
    (
        Sample("1", "我去了", (Rewrite("我去"), Rewrite("你去"))),
        Sample("2", "他来", (Rewrite("他来了"),)),
        Sample("3", "好", (Rewrite(error_free=True),)),
        Sample("4", "口口", (Rewrite(unannotatable=True),)),
    ),
    "zh",
)
SUBMITTED = Corpus(
    "submitted",
    (
        Sample("2", "他来", (by("A", "他来了"), by("B", "他们来"))),
        Sample("1", "我去了", (by("A", "我去"), by("B", "你去"), by("B", "他去"))),
        Sample("3", "好", (Rewrite(error_free=True, annotator="A"),)),
    ),
    "zh",
)


def analyse(submitted: Corpus = SUBMITTED, corpus: Corpus = FINAL, **options: object):
    return human(corpus, submitted, scheme="zh-char", **{"least": 1, **options})


def rows(analysis) -> dict:
    return {
        annotator.name: (
            annotator.submissions,
            annotator.scored,
            annotator.kept,
            counts(annotator.scores["cherrant"]),
        )
        for annotator in analysis.annotators
    }


def counts(score) -> tuple[int, int, int]:
    return score.counts.tp, score.counts.fp, score.counts.fn


def test_sources_are_counted_once_however_many_submissions_they_have(shared):
    final = replace(FINAL, samples=(Sample("1", "我們去學校了", (Rewrite("我們去學校"),)),))
    answers = tuple(by(name, "我們去學校") for name in "AB")
    submitted = replace(SUBMITTED, samples=(replace(final.samples[0], references=answers),))
    scheme = load_scheme("zh-cherrant", places=Places(mirror=shared / "data"))
    notes = human(final, submitted, scheme=scheme).notes
    assert ["1 of 1 sources" in note for note in notes if "--no-simplify" in note] == [True]


def test_each_submission_is_one_sample_of_its_annotator():
    assert rows(analyse()) == {"A": (3, 3, 3, (2, 0, 0)), "B": (3, 3, 1, (3, 2, 1))}


def test_the_mean_counts_annotators_and_together_counts_submissions():
    analysis = analyse()
    values = [annotator.scores["cherrant"].value for annotator in analysis.annotators]
    mean = analysis.means["cherrant"]
    assert (mean.value, mean.annotators) == (sum(values) / 2, 2)
    assert mean.precision == (1.0 + 3 / 5) / 2
    assert mean.recall == (1.0 + 3 / 4) / 2
    assert analysis.together["cherrant"].sentences == 6
    assert counts(analysis.together["cherrant"]) == (5, 2, 1)


def test_against_others_what_an_annotator_alone_wrote_is_no_reference():
    analysis = analyse(against="others")
    # A's 他来了 was the only reference of sentence 2, and nobody else left sentence 3 alone.
    assert rows(analysis)["A"] == (3, 1, 3, (1, 0, 1))
    assert rows(analysis)["B"][:3] == (3, 3, 1)
    assert (
        "submissions not scored, because no final reference is of somebody else: 2"
        in analysis.notes
    )
    assert not any("--against others leaves" in note for note in analysis.notes)
    assert any("--against others leaves" in note for note in analyse().notes)


def test_what_two_annotators_wrote_alike_stays_for_both():
    submitted = Corpus("s", (Sample("2", "他来", (by("A", "他来了"), by("B", "他 来了"))),), "zh")
    assert rows(analyse(submitted, against="others")) == {
        "A": (1, 1, 1, (1, 0, 0)),
        "B": (1, 1, 1, (1, 0, 0)),
    }


def test_a_name_on_a_final_reference_says_whose_it_is():
    corpus = Corpus("f", (Sample("2", "他来", (by("A", "他来过"), by("C", "他来了"))),), "zh")
    submitted = Corpus("s", (Sample("2", "他来", (by("A", "他来吧"),)),), "zh")
    analysis = analyse(submitted, corpus, against="others")
    assert rows(analysis)["A"] == (1, 1, 0, (0, 1, 1))
    both = analyse(submitted, corpus)
    assert rows(both) == rows(analysis)
    alone = Corpus("f", (Sample("2", "他来", (by("A", "他来过"),)),), "zh")
    with expect_error(CorpusError, "final reference"):
        analyse(submitted, alone, against="others")


def test_submissions_without_a_name_are_together_and_in_no_mean():
    submitted = replace(
        SUBMITTED, samples=(*SUBMITTED.samples[:2], Sample("3", "好", (by(None, "很好"),)))
    )
    analysis = analyse(submitted)
    assert [annotator.name for annotator in analysis.annotators] == ["B", "A", None]
    assert analysis.means["cherrant"].annotators == 2
    assert "submissions that do not say who wrote them, and are in no mean: 1" in analysis.notes
    table = build_human_report(analysis).tables[0]
    assert [row[0] for row in table.rows] == ["B", "A", "(no name)", "mean of 2", "all together"]
    series = build_human_report(analysis).figures[0].series
    assert [label for series in series for label in series.labels] == ["B", "A"]


def test_annotators_of_few_submissions_are_shown_and_not_in_the_mean():
    analysis = analyse(least=4)
    assert analysis.means == {}
    assert "not in the mean, fewer than 4 scored submissions: A 3, B 3" in analysis.notes
    assert [row[0] for row in build_human_report(analysis).tables[0].rows] == [
        "A",
        "B",
        "all together",
    ]
    assert "Mean" not in build_human_report(analysis).figures[0].alt.en


def test_names_can_be_hidden():
    submitted = replace(
        SUBMITTED,
        samples=(*SUBMITTED.samples, Sample("4", "口口", (by("Zoe", "口"), by(None, "日")))),
    )
    analysis = analyse(submitted, anonymous=True, least=2)
    assert [annotator.name for annotator in analysis.annotators] == ["A1", "A2", "A3", None]
    assert "not in the mean, fewer than 2 scored submissions: A3 0" in analysis.notes
    assert "Zoe" not in render(build_human_report(analysis), "json")


def test_sentences_that_nobody_could_annotate_are_not_scored_and_that_is_said():
    impossible = Rewrite(unannotatable=True, annotator="B")
    submitted = replace(
        SUBMITTED, samples=(*SUBMITTED.samples, Sample("4", "口口", (by("A", "口"), impossible)))
    )
    analysis = analyse(submitted)
    assert rows(analysis)["A"][:2] == (4, 3)
    assert rows(analysis)["B"][:3] == (4, 3, 2)
    notes = ("submissions not scored, because by the references nobody could annotate: 2",)
    assert set(notes) <= set(analysis.notes)
    assert "submissions that say nobody can annotate the sentence: 1" in analysis.notes


def test_an_annotator_of_whom_nothing_is_scored_is_shown_without_a_score():
    submitted = replace(
        SUBMITTED, samples=(*SUBMITTED.samples, Sample("4", "口口", (by("C", "口"),)))
    )
    analysis = analyse(submitted)
    assert analysis.annotators[-1].scores == {}
    assert build_human_report(analysis).tables[0].rows[2] == ("C", 1, 0, 0, None, None, None)


def test_a_range_is_of_the_corpus():
    analysis = analyse(options=Options(part=(1, 3)))
    assert rows(analysis) == {"A": (2, 2, 2, (1, 0, 0)), "B": (1, 1, 0, (0, 1, 1))}
    with expect_error(CorpusError, "submitted", "take part"):
        analyse(options=Options(part=(3, 4)))
    assert rows(analyse(options=Options(references_exactly=2)))["A"][:2] == (1, 1)


def test_submissions_may_be_edits():
    tokens = ("他", "来")
    edits = (Edit(2, 2, ("了",), "M"),)
    final = Corpus("f", (Sample("2", "他来", (Rewrite(edit_sets=(edits,)),), {}, tokens),), "zh")
    submitted = Corpus(
        "s", (Sample("2", "他来", (Rewrite(edit_sets=(edits,), annotator="0"),), {}, tokens),), "zh"
    )
    assert rows(human(final, submitted, least=1))["0"] == (1, 1, 1, (1, 0, 0))


def test_any_metric_will_do_and_the_best_is_the_best_of_its_kind():
    analysis = analyse(options=Options(metrics=("mp-prime", "sentence-accuracy")))
    table = build_human_report(analysis).tables[0]
    assert [column.name for column in table.columns][4:] == ["mp-prime", "sentence-accuracy"]
    values = {row[0]: row[4:] for row in table.rows}
    best = min(("A", "B"), key=lambda name: values[name][0])
    at = [row[0] for row in table.rows].index(best)
    assert (at, 4) in table.marks
    assert (0, 5) in table.marks
    assert analysis.means["mp-prime"].precision is None
    assert len(build_human_report(analysis).figures) == 2


def test_who_did_little_or_has_no_name_is_not_the_best():
    submitted = replace(
        SUBMITTED,
        samples=(
            *SUBMITTED.samples[:2],
            Sample("3", "好", (by("C", "好"), by(None, "好"), by("B", "很好"))),
        ),
    )
    table = build_human_report(analyse(submitted, least=2)).tables[0]
    assert [row[0] for row in table.rows][:4] == ["B", "A", "C", "(no name)"]
    assert {row for row, _ in table.marks} == {1}


def test_equal_annotators_have_no_best():
    alike = Corpus("s", (Sample("2", "他来", (by("A", "他来了"), by("B", "他来了"))),), "zh")
    assert build_human_report(analyse(alike)).tables[0].marks == frozenset()


def test_what_is_shown_says_against_what():
    shown = build_human_report(analyse(against="others"))
    assert shown.tables[0].title.en == "Annotators against the final references of others"
    data = json.loads(render(shown, "json"))
    assert (data["against"], data["least"]) == ("others", 1)
    assert data["annotators"][1]["scores"]["cherrant"]["fp"] == 3
    assert data["means"]["cherrant"]["annotators"] == 2
    first = build_human_report(analyse()).figures[0]
    assert first.name == "human-cherrant"
    assert "A 100.00 (3), B 62.50 (3). Mean 81.25." in first.alt.en
    assert "平均 81.25。" in first.alt.zh
    assert first.series[0].x == (3, 3)


def test_sentences_without_submissions_are_counted():
    assert "submissions are of 3 of 4 sentences" in analyse().notes


def test_sentences_without_final_references_yet_are_counted_and_the_rest_is_scored():
    """An export of the site has submissions of sentences that nobody has decided."""
    undecided = [Sample(name, "早", (by("A", "早上"),)) for name in ("8", "9")]
    analysis = analyse(Corpus("submitted", (*undecided, *SUBMITTED.samples), "zh"))
    assert rows(analysis) == rows(analyse())
    assert (
        "submitted sentences that are not in final and are not scored, as those still undecided: 2"
    ) in analysis.notes


@pytest.mark.parametrize(
    ("sample", "match"),
    [
        (
            Sample("9", "好", (by("A", "好"),)),
            "none of its sentences, as '9', is in corpus 'final'",
        ),
        (
            Sample("3", "坏", (by("A", "好"),)),
            "sentence '3' is '坏' here and '好' in corpus 'final'",
        ),
        (Sample("3", "好", (by(None, "很好"),)), "no submission says who wrote it; in JSONL each"),
        (Sample("3", "好"), "none of its sentences that take part has a reference"),
    ],
)
def test_submissions_that_do_not_fit_are_refused(sample: Sample, match: str):
    with pytest.raises(CorpusError, match=match):
        analyse(Corpus("submitted", (sample,), "zh"))


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"against": "all"}, "against is 'all'; it is one of final, others"),
        ({"least": 0}, "least is 0; it must be a whole number of at least 1"),
    ],
)
def test_options_that_mean_nothing_are_refused(options, match):
    with pytest.raises(UsageError, match=match):
        analyse(**options)
