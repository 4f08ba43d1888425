"""The sentences that decide the difference of two systems: which texts, how, and when none."""

from __future__ import annotations

import json

import pytest
from score_corpus import BAD, COPY, CORPUS, GOOD

from gecbench import breakdown
from gecbench.analysis.breakdown import contributions
from gecbench.api.options import Options
from gecbench.api.score import collect_stats
from gecbench.core.edit import Edit
from gecbench.core.sample import Corpus, Rewrite, Sample, SystemOutput
from gecbench.metrics.edits import Cherrant
from gecbench.metrics.m2 import M2
from gecbench.reports.breakdown import build_report
from gecbench.reports.report import Words, render
from gecbench.scoring.results import RunStats

SYSTEMS = (COPY, GOOD, BAD)


def made(*systems: SystemOutput, metrics: tuple[str, ...] = ("cherrant",), **wanted: object):
    return breakdown(CORPUS, systems, scheme="zh-char", options=Options(metrics=metrics), **wanted)


def test_the_version_that_counts_is_the_one_that_is_shown():
    """With several hypotheses the metric chooses, and the first need not be the best."""
    alternatives = {
        "1": (Rewrite("我去来"), Rewrite("我去")),
        "2": (Rewrite("他来"),),
        "3": (Rewrite("好"),),
        "4": (Rewrite("口口"),),
        "5": (Rewrite("我们"),),
    }
    (first, *_) = made(SystemOutput("two", alternatives), COPY).comparisons[0].sentences
    assert (first.id, first.outputs) == ("1", ("我去", "我去了"))
    data = json.loads(render(build_report(made(SystemOutput("two", alternatives), COPY)), "json"))
    assert data["comparisons"][0]["sentences"][0]["outputs"] == ["我去", "我去了"]
    texts = made(SystemOutput("two", alternatives), COPY, metrics=("sentence-accuracy",))
    assert texts.comparisons[0].sentences == ()  # these take the first, which is wrong


def test_texts_that_overlapping_edits_cannot_give_are_said_not_to_be_known():
    over = (Edit(1, 2, ("高二",), "S"), Edit(1, 3, ("高三",), "S"))
    tokens = ("我", "高中二", "的")
    first = Sample("1", " ".join(tokens), (Rewrite(edit_sets=(over,)),), {}, tokens)
    other = Sample("2", "他 来", (Rewrite(error_free=True),), {}, ("他", "来"))
    texts = {"one": ("我 高二 的", "他 来"), "two": ("我 高中二 的", "他 来")}
    systems = [
        SystemOutput(name, {"1": (Rewrite(a),), "2": (Rewrite(b),)})
        for name, (a, b) in texts.items()
    ]
    options = Options(metrics=("m2",))
    found = breakdown(Corpus("over", (first, other), "zh"), systems, options=options)
    (each,) = found.comparisons[0].sentences
    assert (each.outputs, each.references) == (("我 高二 的", "我 高中二 的"), (None,))
    assert (
        "1 text of the sentences that decide is known only by edits that overlap and cannot be "
        "shown"
    ) in found.notes
    assert build_report(found).tables[-1].rows[-1] == (
        "1",
        Words("reference 1", "参考 1"),
        Words("(known by edits only)", "（仅知其编辑）"),
    )


def test_of_one_sentence_alone_nothing_decides_and_that_is_said():
    corpus = Corpus("one", (Sample("1", "我去了", (Rewrite("我去"),)),), "zh")
    systems = [SystemOutput(name, {"1": (Rewrite(name),)}) for name in ("我去", "我去了")]
    said = "cherrant: one sentence alone is scored; what it decides cannot be told"
    found = breakdown(corpus, systems, scheme="zh-char")
    assert [one.sentences for one in found.comparisons] == [()]
    assert any(note.startswith(said) for note in found.notes)
    for other in (
        breakdown(corpus, systems, scheme="zh-char", most=0),
        breakdown(corpus, systems[:1], scheme="zh-char"),
        made(*SYSTEMS),
    ):
        assert not any(note.startswith(said) for note in other.notes)


class Unasked(RunStats):
    """A run whose rows nobody may look at."""

    def scored(self, metric: str) -> list[int]:
        raise AssertionError(metric)


def test_where_no_sentence_is_asked_for_none_is_looked_for():
    run = collect_stats(CORPUS, [COPY, GOOD], scheme="zh-char")
    held = Unasked(**{name: getattr(run, name) for name in RunStats.__dataclass_fields__})
    assert contributions(held, "cherrant", "copy", "good", most=0) == ()


@pytest.mark.parametrize("metric", ["cherrant", "m2"])
def test_counts_that_are_summed_are_taken_away_and_not_resampled(metric, monkeypatch):
    """What was resampled for each sentence took the square of the corpus's length."""

    def resample(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(Cherrant, "resample", resample)
    monkeypatch.setattr(M2, "resample", resample)
    assert made(*SYSTEMS, metrics=(metric,)).comparisons[0].sentences


def test_deciding_sentences_come_with_their_texts():
    found = made(*SYSTEMS).comparisons[0].sentences
    assert [each.id for each in found] == ["1", "3"]
    first = found[0]
    assert (first.source, first.outputs) == ("我去了", ("他去了", "我去来"))
    assert first.references == ("我去", "你去", "他去了")
    assert all(each.contribution > 0 for each in found)
    assert len(made(*SYSTEMS, most=1).comparisons[0].sentences) == 1
    assert made(*SYSTEMS, most=0).comparisons[0].sentences == ()


def test_outputs_known_by_edits_are_shown_as_texts():
    tokens = ("我", "去")
    sample = Sample("1", "我去", (Rewrite(edit_sets=((Edit(0, 1, ("你",), "S"),),)),), {}, tokens)
    other = Sample("2", "好", (Rewrite(error_free=True, edit_sets=((),)),), {}, ("好",))
    one = {
        "1": (Rewrite(edit_sets=((Edit(0, 1, ("你",), "S"),),)),),
        "2": (Rewrite(error_free=True),),
    }
    two = {"1": (Rewrite(error_free=True),), "2": (Rewrite(error_free=True),)}
    systems = [
        SystemOutput("one", one, {"1": tokens}),
        SystemOutput("two", two),
    ]
    found = breakdown(Corpus("m", (sample, other), "zh"), systems)
    (each,) = found.comparisons[0].sentences
    assert (each.outputs, each.references) == (("你去", "我去"), ("你去",))
