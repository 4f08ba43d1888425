"""The same outputs under several segmenters."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from messages import expect_error

from gecbench import segmentation
from gecbench.analysis.segmentation import SegmenterScores, movements, swaps
from gecbench.api import analyse as module
from gecbench.api.options import Options
from gecbench.core.edit import Edit
from gecbench.core.errors import (
    CorpusError,
    MissingExtraError,
    ResourceError,
    UnknownNameError,
    UsageError,
)
from gecbench.core.sample import Corpus, Rewrite, Sample, SystemOutput
from gecbench.core.score import Score, Signature
from gecbench.reports.report import render
from gecbench.reports.segmentation import build_report
from gecbench.scoring.cases import Segmenter

WORDS = ("我们", "去", "了", "学校")
CORPUS_WITH_EDITS = Corpus(
    "words",
    (
        Sample("1", " ".join(WORDS), (Rewrite(edit_sets=((Edit(2, 3, (), "R"),),)),), {}, WORDS),
        Sample("2", "他 来", (Rewrite(error_free=True),), {}, ("他", "来")),
    ),
    "zh",
)
TEXTS = Corpus(
    "texts",
    (
        Sample("1", "我们去了学校", (Rewrite("我们去学校"), Rewrite("他们去学校"))),
        Sample("2", "他来", (Rewrite(error_free=True),)),
        Sample("3", "口口", (Rewrite(unannotatable=True),)),
    ),
    "zh",
)


def output(name: str, *texts: str) -> SystemOutput:
    return SystemOutput(name, {str(n): (Rewrite(text),) for n, text in enumerate(texts, 1)})


SPACED = output("spaced", "我们 去 学校", "他 来")
WRONG = output("wrong", "我们 去 了 学校", "他 来 了")
PLAIN = output("plain", "我们去学校", "他来", "口口")


def pairs(text: str) -> tuple[str, ...]:
    """A segmenter of two characters a word, to which spaces are borders, as to all."""
    return tuple(piece[n : n + 2] for piece in text.split() for n in range(0, len(piece), 2))


@pytest.fixture
def segmenters(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Let `pairs` be a segmenter, and others fail as they do where they are not installed."""

    def fake(name: str | None, corpus: Corpus) -> Segmenter:
        if name == "pairs":
            return Segmenter("pairs 1.0", pairs)
        if name == "absent":
            raise MissingExtraError("absent", "zh-words")
        if name == "bare":
            raise ResourceError("bare: no model")
        return real(name, corpus)

    real = module.segmenter
    monkeypatch.setattr(module, "segmenter", fake)
    monkeypatch.setattr("gecbench.api.score.segmenter", fake)
    monkeypatch.setattr(module, "SEGMENTERS", {"absent": "", "bare": "", "pairs": ""})


def counts(score: Score) -> tuple[int, int, int]:
    return score.counts.tp, score.counts.fp, score.counts.fn


def by_segmenter(analysis, system: str, metric: str = "m2") -> dict[str, tuple[int, int, int]]:
    return {d.segmenter: counts(d.scores[metric][system]) for d in analysis.segmenters}


def test_gold_edits_stay_where_they_are_given(segmenters):
    analysis = segmentation(CORPUS_WITH_EDITS, [SPACED], beside=())
    assert analysis.golds == "given"
    # In pairs the texts are 我们 去学 校 and 他来: beside 了, three words seem to have changed.
    assert by_segmenter(analysis, "spaced") == {"spaces": (1, 0, 0), "pairs": (1, 3, 0)}
    spaces, two = analysis.segmenters
    assert (spaces.alike, two.alike) == (2, 0)
    assert (spaces.tokens, two.tokens) == (3.0, 2.0)
    assert (spaces.gold, two.gold) == (1, 1)


def test_segmenters_that_cannot_be_used_are_named_and_left_out(segmenters):
    analysis = segmentation(CORPUS_WITH_EDITS, [SPACED], beside=())
    assert set(analysis.skipped) == {"absent", "bare"}
    notes = build_report(analysis).notes
    assert any(n.startswith("left out: absent: absent is not installed; run: pip") for n in notes)
    assert "left out: bare: bare: no model" in notes
    with expect_error(UsageError, "absent", "bare"):
        segmentation(CORPUS_WITH_EDITS, [SPACED], segmenters=["absent", "bare"], beside=())


def test_an_unknown_segmenter_is_a_mistake_not_an_absence():
    with expect_error(UnknownNameError, "'jeiba'", "jieba"):
        segmentation(CORPUS_WITH_EDITS, [SPACED], segmenters=["jeiba"], beside=())


def test_gold_edits_are_found_between_divided_texts_where_none_are_given(segmenters):
    analysis = segmentation(TEXTS, [PLAIN], beside=())
    assert analysis.golds == "divided"
    assert [d.segmenter for d in analysis.segmenters] == ["characters", "pairs"]
    assert by_segmenter(analysis, "plain") == {"characters": (1, 0, 0), "pairs": (1, 0, 0)}
    assert [d.alike for d in analysis.segmenters] == [None, None]
    # 了; 我 and 了. In pairs: 去了 学校 to 去学 校; all of it.
    assert [d.gold for d in analysis.segmenters] == [3, 2]
    assert analysis.sentences == 2
    assert "|golds:changes between words|tokens:characters|" in analysis.signatures[0]


def test_given_edits_can_be_put_aside(segmenters):
    analysis = segmentation(
        CORPUS_WITH_EDITS, [SPACED], golds="divided", segmenters=["characters"], beside=()
    )
    assert by_segmenter(analysis, "spaced") == {"characters": (1, 0, 0)}
    with expect_error(CorpusError, "texts", "--golds"):
        segmentation(TEXTS, [PLAIN], golds="given", beside=())


def test_spaces_divide_nothing_where_texts_have_none():
    with expect_error(UsageError, "segmenter spaces"):
        segmentation(TEXTS, [PLAIN], segmenters=["spaces"], beside=())


def test_outputs_without_spaces_are_not_divided_by_them(segmenters):
    plain = output("plain", "我们去学校", "他来")
    analysis = segmentation(CORPUS_WITH_EDITS, [plain], beside=())
    assert [d.segmenter for d in analysis.segmenters] == ["pairs"]


def test_scores_and_ranks_move(segmenters):
    analysis = segmentation(CORPUS_WITH_EDITS, [SPACED, WRONG], beside=())
    moved = {movement.system: movement for movement in analysis.movements["m2"]}
    assert moved["spaced"].values == (1.0, 5 / 17)
    assert moved["spaced"].width == 1 - 5 / 17
    assert moved["spaced"].ranks[0] == 1
    assert analysis.pairs == 1
    (note,) = [n for n in build_report(analysis).notes if "change their order" in n]
    assert note.startswith(f"m2: of 1 pair of systems, {analysis.swaps['m2']} change")


def scores_of(name: str, **values: float) -> SegmenterScores:
    scores = {system: Score(value, Signature({}), 1) for system, value in values.items()}
    return SegmenterScores(name, name, 1.0, None, 0, {"x": scores})


def test_ranks_of_equal_scores_are_the_better_and_no_change_of_order():
    tied = [scores_of("s", a=0.5, b=0.5, c=0.1), scores_of("t", a=0.6, b=0.5, c=0.7)]
    moves = movements(tied, "x", higher_is_better=True)
    assert [move.ranks for move in moves] == [(1, 2), (1, 3), (3, 1)]
    assert swaps(moves) == 2
    lower = movements(tied, "x", higher_is_better=False)
    assert [move.ranks for move in lower] == [(2, 2), (2, 1), (1, 3)]


def test_metrics_that_need_no_words_stand_beside(segmenters):
    analysis = segmentation(
        TEXTS, [PLAIN], beside=("cherrant", "sentence-accuracy"), scheme="zh-char"
    )
    assert analysis.beside["cherrant"]["plain"].value == 1.0
    assert analysis.beside["sentence-accuracy"]["plain"].value == 1.0
    table = build_report(analysis).tables[-1]
    assert (table.name, table.rows) == ("beside", (("plain", 1.0, 1.0),))


def test_a_metric_beside_whose_resources_are_missing_is_left_out(segmenters, monkeypatch):
    def missing(*_: object):
        raise ResourceError("no thesaurus here")

    monkeypatch.setattr("gecbench.api.schemes._load", missing)
    analysis = segmentation(TEXTS, [PLAIN], beside=("cherrant",))
    assert analysis.beside == {}
    assert analysis.skipped["cherrant"].startswith("no thesaurus here")
    assert "beside" not in [table.name for table in build_report(analysis).tables]


def test_references_without_a_text_are_left_out_of_texts_and_counted(segmenters):
    over = (Edit(0, 2, ("他",), "S"), Edit(1, 3, (), "R"))
    lost = Sample("3", "a b c", (Rewrite(edit_sets=(over,)),), {}, ("a", "b", "c"))
    corpus = Corpus("odd", (*CORPUS_WITH_EDITS.samples, lost), "zh")
    system = output("s", "我们 去 学校", "他 来", "a b c")
    analysis = segmentation(corpus, [system], beside=("sentence-accuracy",))
    assert analysis.sentences == 3
    assert analysis.beside["sentence-accuracy"]["s"].sentences == 2
    assert any(n.startswith("1 reference is known only by edits that over") for n in analysis.notes)


def test_options_of_metrics_go_where_they_belong(segmenters):
    settings = {"m2.max_unchanged_words": "1", "sentence-accuracy.unit": "word"}
    options = Options(settings=settings, beta=1.0)
    analysis = segmentation(
        TEXTS,
        [PLAIN],
        segmenters=["pairs"],
        beside=("cherrant", "sentence-accuracy"),
        scheme="zh-char",
        options=options,
    )
    m2, cherrant, accuracy = analysis.signatures
    assert "max_unchanged_words:1|beta:1" in m2
    assert "beta:1|" in cherrant
    assert "unit:word" in accuracy
    with expect_error(UsageError, "'gleu.order'"):
        segmentation(TEXTS, [PLAIN], options=Options(settings={"gleu.order": "2"}))


def test_a_range_is_of_the_sentences_of_the_file(segmenters):
    analysis = segmentation(
        TEXTS, [PLAIN], segmenters=["pairs"], beside=(), options=Options(part=(1, 2))
    )
    assert analysis.sentences == 1
    assert not any("not in the corpus" in note for note in analysis.notes)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"options": Options(metrics=("cherrant",))}, "cherrant divides no texts into words"),
        ({"segmenters": ("jieba", "jieba")}, "a segmenter is named twice in jieba,jieba; name it"),
        ({"beside": ("cherrant", "cherrant")}, "a metric is named twice in cherrant,cherrant; n"),
        ({"beside": ("m2",)}, "m2 depends on words; name it by --metric, not --beside"),
    ],
)
def test_metrics_of_the_wrong_kind_and_names_that_stand_twice_are_refused(options, match):
    with pytest.raises(UsageError, match=match):
        segmentation(TEXTS, [PLAIN], **options)


def test_a_corpus_of_another_language_is_refused():
    corpus = Corpus("en", (Sample("1", "a b", (Rewrite("a"),)),), "en")
    with expect_error(UsageError, "en is en"):
        segmentation(corpus, [output("s", "a")])


def test_a_mean_over_sentences_has_no_counts(segmenters):
    options = Options(metrics=("sent-m2",))
    analysis = segmentation(TEXTS, [PLAIN], segmenters=["pairs"], beside=(), options=options)
    table = build_report(analysis).tables[1]
    assert table.rows[0][2:7] == (None,) * 5
    data = json.loads(render(build_report(analysis), "json"))
    assert data["segmenters"][0]["scores"]["sent-m2"]["plain"] == {"value": 1.0}


def test_what_is_shown_names_segmenters_and_ranges(segmenters):
    shown = build_report(segmentation(CORPUS_WITH_EDITS, [SPACED, WRONG], beside=()))
    assert [table.name for table in shown.tables] == ["segmenters", "m2", "m2-moves"]
    assert shown.tables[0].rows[0] == ("spaces", "spaces", 3.0, 1, 2)
    assert shown.tables[2].rows[0][:4] == ("spaced", 5 / 17, 1.0, 1 - 5 / 17)
    bars, ranges = shown.figures
    assert (bars.name, ranges.name) == ("segmentation-m2", "segmentation-m2-range")
    assert "spaces: spaced 100.00" in bars.alt.en
    assert "spaced 29.41 to 100.00" in ranges.alt.en
    assert "spaced 29.41 到 100.00" in ranges.alt.zh
    assert (ranges.series[0].low[0], ranges.series[0].y[0]) == (100 * (5 / 17), 100.0)
    data = json.loads(render(shown, "json"))
    assert data["movements"]["m2"][0]["values"] == [1.0, 5 / 17]
    assert data["skipped"]["bare"] == "bare: no model"
