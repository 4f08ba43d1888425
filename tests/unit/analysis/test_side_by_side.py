"""What of a sentence the explorer of the report page shows, by the metric's own rules."""

from __future__ import annotations

import pytest

from gecbench.analysis.side_by_side import Row, side_by_side
from gecbench.api.files import load, load_system, sample
from gecbench.api.score import Options, collect_stats, summed
from gecbench.core.edit import Edit
from gecbench.core.sample import Corpus, Rewrite, Sample, SystemOutput
from gecbench.core.score import total

SOURCE = "She go home ."
ANNOTATED = Edit(1, 2, ("goes",), "SVA")


def english(reference: Rewrite, *outputs: str, **options: object) -> Row:
    """The only sentence of a corpus with given edits."""
    one = Sample("s", SOURCE, (reference,), {}, tuple(SOURCE.split()))
    systems = [
        SystemOutput(f"s{number}", {"s": (Rewrite(text),)}) for number, text in enumerate(outputs)
    ]
    asked = Options(metrics=("errant",), re_extract=False, **options)  # type: ignore[arg-type]
    run_stats = collect_stats(Corpus("c", (one,), "en"), systems, options=asked)
    (row,) = side_by_side(run_stats, "errant")
    return row


def test_an_edit_is_made_by_those_whose_edit_the_metric_takes_for_it():
    given = Rewrite("She goes home .", edit_sets=((ANNOTATED,),))
    row = english(given, SOURCE, "She goes home .", "She went home .")
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
    given = Rewrite("She goes home .", edit_sets=((ANNOTATED,),))
    row = english(given, SOURCE, "She goes home .", "She went home .", **options)
    assert row.makers[row.references[0].edits[0]] == makers


def test_an_edit_that_corrects_nothing_is_made_by_nobody():
    given = Rewrite(edit_sets=((Edit(1, 2, None, "SVA"),),))
    row = english(given, "She goes home .")
    assert row.makers[row.references[0].edits[0]] == ()


@pytest.mark.parametrize("level", ["correction", "detection-token"])
def test_the_counts_of_all_sentences_are_those_of_the_score(level: str):
    corpus = load(sample("zh", "corpus.jsonl"))
    systems = [load_system(sample("zh", f"{name}.txt"), corpus) for name in ("eager", "fluent")]
    options = Options(level=level)  # type: ignore[arg-type]
    run_stats = collect_stats(corpus, systems, scheme="zh-char", options=options)
    rows = list(side_by_side(run_stats, "cherrant"))
    for at, result in enumerate(summed(run_stats, options).results):
        counted = [row.outputs[at].counts for row in rows]
        assert total(one for one in counted if one) == result.score.counts
        assert [one is None for one in counted] == [
            row.outputs[at].reference is None for row in rows
        ]


def test_the_first_of_several_sets_makes_the_text():
    sets = ((Edit(1, 2, (), "U"),), (Edit(1, 3, ("home",), "R"),))
    row = english(Rewrite("She home .", edit_sets=sets), SOURCE)
    assert (row.references[0].first, row.outputs[0].first) == (1, None)
    assert len(row.references[0].edits) == 2
    assert (row.outputs[0].counts.fn, len(row.outputs[0].missed)) == (2, 2)
