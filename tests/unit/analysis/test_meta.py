"""Meta-evaluation on data made by hand: rules of ties, sets, windows, and what is refused."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from messages import expect_error
from score_corpus import BAD, COPY, CORPUS, GOOD

import gecbench
from gecbench.analysis.correlation import SystemScores
from gecbench.analysis.meta import (
    ALL,
    SEEDA_SETS,
    PairAgreement,
    Ties,
    default_sets,
    of_tables,
    read_people,
    sentence_level,
    sentence_scores_of,
    sentence_values,
    system_level,
    windows,
)
from gecbench.analysis.options import Layout, SystemSet
from gecbench.api.options import Options
from gecbench.api.score import collect_stats
from gecbench.core.errors import CorpusError, UnknownNameError, UsageError
from gecbench.core.score import Counts
from gecbench.formats.judgments import SEEDA, Item, Judgments
from gecbench.reports.meta import build_report
from gecbench.reports.report import render

SCORES = SystemScores("made", ("d", "a", "c", "b"), {"m": (4.0, 1.0, 3.0, 2.5)})
HUMAN = {"way": {"a": 1.0, "b": 2.0, "c": 2.0, "d": 0.5, "e": 9.0}}
RANKINGS = Judgments(
    "people",
    (
        Item("1", "s", {"a": 1, "b": 2, "c": 2}),
        Item("2", "s", {"a": 2, "b": 1}),
        Item("3", "t", {"b": 1, "a": 3, "c": 2, "x": 5}),
    ),
)
SENTENCES = {
    "m": {
        ("s", "a"): 0.5,
        ("s", "b"): 0.5,
        ("s", "c"): 0.1,
        ("t", "a"): 0.2,
        ("t", "b"): 0.3,
        ("t", "c"): 0.9,
    }
}


@pytest.fixture
def write(tmp_path: Path):
    def write(text: str, name: str) -> Path:
        path = tmp_path / name
        path.write_text(text, "utf-8")
        return path

    return write


def test_verdicts_are_counted_pair_by_pair_and_item_by_item():
    (level,) = sentence_level(SENTENCES, RANKINGS, [ALL])
    # Item 1: a-b tied, people prefer a; a-c agree; b-c people tie. Item 2: a-b tied, people prefer
    # b. Item 3: a-b agree; a-c agree; b-c disagree.
    assert (level.metric, level.judgments, level.set) == ("m", "people", "all")
    assert level.systems == ("a", "b", "c")
    assert (level.pairs, level.agree, level.disagree) == (6, 3, 1)
    assert (level.metric_ties, level.human_ties, level.unscored) == (Ties(1, 1), 1, 0)
    assert level.official.accuracy == pytest.approx(4 / 6)
    assert level.official.kendall == pytest.approx(2 / 6)
    assert level.fair.accuracy == pytest.approx(4 / 6)
    assert level.fair.kendall == pytest.approx(2 / 6)


def test_f_of_other_counts_that_is_the_same_is_a_tie():
    values = dict.fromkeys(SENTENCES["m"], 0.1)
    values["s", "a"], values["s", "b"] = Counts(1, 0, 2).f(0.5), Counts(2, 1, 0).f(0.5)
    (level,) = sentence_level({"m": values}, RANKINGS, [ALL])
    assert level.metric_ties == Ties(1 + 1, 1 + 2)


def test_the_official_rule_depends_on_names_and_the_fair_one_does_not():
    scores = {"m": {("s", name): 0.0 for name in "abz"}}
    for names, official in ((("a", "b"), 0.0), (("z", "b"), 1.0)):
        better, worse = names
        rankings = Judgments("p", (Item("1", "s", {better: 1, worse: 2}),))
        (level,) = sentence_level(scores, rankings, [ALL])
        assert level.official.accuracy == official
        assert level.official.kendall == 2 * official - 1
        assert (level.fair.accuracy, level.fair.kendall) == (0.5, 0.0)


def test_kendall_is_twice_accuracy_less_one_under_both_rules():
    dice = random.Random(3)
    for _ in range(20):
        items = tuple(
            Item(str(n), str(n), {name: dice.randrange(4) for name in dice.sample("abcd", 3)})
            for n in range(9)
        )
        scores = {"m": {(str(n), name): dice.randrange(3) for n in range(9) for name in "abcd"}}
        (level,) = sentence_level(scores, Judgments("p", items), [ALL])
        assert level.official.kendall == pytest.approx(2 * level.official.accuracy - 1)
        assert level.fair.kendall == pytest.approx(2 * level.fair.accuracy - 1)


def test_where_nothing_is_judged_there_is_no_accuracy():
    (level,) = sentence_level({"m": {("t", "a"): 1.0}}, RANKINGS, [SystemSet("one", only=("a",))])
    assert level.systems == ("a",)
    assert level.official == level.fair == PairAgreement(None, None)


def test_pairs_without_a_score_are_counted_not_dropped():
    less = {"m": {key: value for key, value in SENTENCES["m"].items() if key != ("t", "b")}}
    (level,) = sentence_level(less, RANKINGS, [ALL])
    assert (level.pairs, level.unscored) == (4, 2)


def test_sets_are_cut_to_the_systems_that_both_sides_have():
    (level,) = system_level(SCORES, HUMAN, [ALL])
    assert level.systems == ("a", "b", "c", "d")
    assert SystemSet("x", only=("d", "a", "q")).of("abcd") == ("a", "d")
    assert SystemSet("x", without=("d",)).of("dcba") == ("a", "b", "c")


def test_seedas_sets_are_those_of_seedas_systems_alone():
    assert default_sets(["T5", "INPUT"]) == SEEDA_SETS
    assert default_sets(["T5", "mine"]) == (ALL,)
    assert [len(system_set.of(SEEDA)) for system_set in SEEDA_SETS] == [12, 13, 14, 15]


def test_windows_go_from_the_best_and_of_equals_the_last_of_the_alphabet_is_first():
    actual_windows = windows(SCORES, HUMAN, ALL, [3, 4, 5])
    assert [window.systems for window in actual_windows] == [
        ("c", "b", "a"),
        ("b", "a", "d"),
        ("c", "b", "a", "d"),
    ]


def test_another_order_of_systems_changes_nothing():
    order = ("b", "d", "a", "c")
    values = dict(zip(SCORES.systems, SCORES.metrics["m"], strict=True))
    turned = SystemScores("made", order, {"m": tuple(values[name] for name in order)})
    human = {"way": dict(reversed(HUMAN["way"].items()))}
    assert system_level(turned, human, [ALL]) == system_level(SCORES, HUMAN, [ALL])
    assert windows(turned, human, ALL, [3]) == windows(SCORES, HUMAN, ALL, [3])
    items = tuple(replace(i, ranks=dict(reversed(i.ranks.items()))) for i in RANKINGS.items)
    scores = {"m": dict(reversed(SENTENCES["m"].items()))}
    rankings = replace(RANKINGS, items=items[::-1])
    assert sentence_level(scores, rankings, [ALL]) == sentence_level(SENTENCES, RANKINGS, [ALL])


def test_every_metric_says_one_number_of_a_sentence():
    options = Options(metrics=("cherrant", "sentence-accuracy", "mp-prime"))
    run_stats = collect_stats(CORPUS, [GOOD, BAD], scheme="zh-char", options=options)
    for name, metric in run_stats.metrics.items():
        rows = [row for row in run_stats.rows["bad", name] if row is not None]
        alone = [metric.aggregate([row]).value for row in rows]
        if name == "mp-prime":  # of one sentence the distance of means is that of the sentence
            alone = [metric.sentences([row])[0]["value"] for row in rows]
        assert sentence_values(metric, rows) == alone


def test_where_lower_is_better_the_lower_is_preferred():
    run_stats = collect_stats(CORPUS, [COPY, GOOD, BAD], options=Options(metrics=("mp-prime",)))
    scores_of = sentence_scores_of(run_stats)["mp-prime"]
    values = sentence_values(run_stats.metrics["mp-prime"], run_stats.rows["bad", "mp-prime"][:3])
    assert [scores_of[name, "bad"] for name in "123"] == [-value for value in values]
    assert scores_of["3", "copy"] == 0 > scores_of["3", "bad"]  # nothing was to be changed


PEOPLE = "system\tway\ncopy\t1\ngood\t3\nbad\t2\n"
TABLE = "item,id,system,rank\n1,1,good,1\n1,1,bad,2\n1,1,copy,2\n2,2,bad,1\n2,2,copy,2\n"


def test_metrics_are_computed_here_and_lower_for_the_better_is_turned(write):
    options = Options(metrics=("sentence-accuracy", "mp-prime", "errant"))
    meta = gecbench.meta(
        CORPUS,
        [COPY, GOOD, BAD],
        human=[write(PEOPLE, "p.tsv")],
        judgments=[write(TABLE, "j.tsv")],
        options=options,
    )
    assert [(system.metric, system.human, system.set) for system in meta.systems] == [
        ("sentence-accuracy", "way", "all"),
        ("mp-prime", "way", "all"),
    ]
    assert meta.windows == ()
    accuracy, distance = meta.sentences
    # Of copy and bad, item 1, people rank equal. Sentence 1: only good is right. Sentence 2: bad.
    assert (accuracy.agree, accuracy.human_ties, accuracy.metric_ties) == (3, 1, Ties(0, 0))
    assert distance.pairs == 3
    assert meta.scores.metrics["mp-prime"][0] < 0
    assert "lower is better, so the sign was turned: mp-prime" in meta.notes
    assert "n/a: errant is for language en, corpus 'dev' is in zh" in meta.notes


def test_without_judgments_or_people_one_level_is_enough(write):
    options = Options(metrics=("sentence-accuracy",))
    systems = [COPY, GOOD, BAD]
    only = gecbench.meta(CORPUS, systems, judgments=[write(TABLE, "j.tsv")], options=options)
    assert (only.systems, only.windows, only.scores) == ((), (), None)
    assert [table.name for table in build_report(only).tables] == ["sentences"]
    other = gecbench.meta(CORPUS, systems, human=[write(PEOPLE, "p.tsv")], options=options)
    assert other.sentences == ()
    assert [table.name for table in build_report(other).tables] == ["systems"]


SYSTEMS = "system\tm\tdown\na\t1\t4\nb\t2.5\t2\nc\t3\t1\nd\t4\t3\n"
WAYS = "system,one\na,1\nb,2\nc,2\nd,0.5\ne,9\n"
RANKED = (
    "item,id,system,rank\n1,s,a,1\n1,s,b,2\n1,s,c,2\n2,s,a,2\n2,s,b,1\n3,t,b,1\n3,t,a,3\n3,t,c,2\n"
)
SCORED = "id,system,m\ns,a,0.5\ns,b,0.5\ns,c,0.1\nt,a,0.2\nt,b,0.3\nt,c,0.9\n"


def tables(write, **more: object):
    people = read_people({"one": write(WAYS, "w.csv")}, {"people": write(RANKED, "r.csv")})
    options = {"layout": Layout(sizes=(3,)), **more}
    return of_tables(write(SYSTEMS, "s.tsv"), write(SCORED, "n.csv"), people, **options)


def test_tables_say_the_same_and_what_is_missing_is_named(write):
    evaluation = tables(write, lower=["down"])
    assert evaluation.corpus == "s"
    assert evaluation.sentences == sentence_level(SENTENCES, RANKINGS, [ALL])
    assert evaluation.scores.metrics["down"] == (-4.0, -2.0, -1.0, -3.0)
    assert "judged by people but not scored, so left out: e" in evaluation.notes
    assert (
        "sets are not whole, so figures are not those of all systems: all (4 of 5)"
        in evaluation.notes
    )
    assert len(evaluation.windows) == 4


def test_lower_is_of_sentence_scores_too(write):
    people = read_people([], [write(RANKED, "r.csv")])
    plain = of_tables(None, write(SCORED, "n.csv"), people).sentences[0]
    turned = of_tables(None, write(SCORED, "n.csv"), people, lower=["m"]).sentences[0]
    assert (turned.agree, turned.disagree) == (plain.disagree, plain.agree)


def test_a_set_with_too_few_systems_and_constant_scores_are_said(write):
    flat = write("system\tm\na\t1\nb\t1\nc\t1\n", "flat.tsv")
    people = read_people([write(WAYS, "w.csv")], [])
    layout = Layout(sets=(SystemSet("two", only=("a", "b")), ALL), sizes=())
    evaluation = of_tables(flat, None, people, layout)
    assert [system.coefficients["pearson"].value for system in evaluation.systems] == [None, None]
    assert "the same score for all systems, so no correlation: m" in evaluation.notes
    assert "fewer than three systems, so no correlation: two (2)" in evaluation.notes
    shown = build_report(evaluation)
    assert "no correlation can be computed" in shown.figures[0].alt.en
    assert '"value": null' in render(shown, "json")


def test_the_window_set_is_chosen_by_name(write):
    sets = (ALL, SystemSet("less", without=("a",)))
    evaluation = tables(write, layout=Layout(sets, (3,), "less"))
    assert {window.set for window in evaluation.windows} == {"less"}
    assert evaluation.windows[0].systems == ("c", "b", "d")
    with expect_error(UnknownNameError, "'les'", "less"):
        tables(write, layout=Layout(sets, (3,), "les"))


def test_lines_of_seeda_are_ids_or_the_judged_sources_in_order(write):
    xml = (
        '<r><ranking-item src-id="12"><translation system="a" rank="1"/><translation system="b"'
        ' rank="2"/></ranking-item><ranking-item src-id="7"><translation system="a" rank="2"/>'
        '<translation system="b" rank="1"/></ranking-item></r>'
    )
    people = read_people([], {"x": write(xml, "x.xml")})
    whole = write("id,system,m\n7,a,0\n7,b,1\n12,a,1\n12,b,0\n13,a,5\n", "whole.csv")
    evaluation = of_tables(None, whole, people)
    assert (evaluation.sentences[0].agree, evaluation.notes) == (2, ())
    part = write("id,system,m\n1,a,0\n1,b,1\n2,a,1\n2,b,0\n", "part.csv")
    evaluation = of_tables(None, part, people)
    assert evaluation.sentences[0].agree == 2
    assert evaluation.notes == (
        "x: as many sentences as judged sources (2), so they are taken for these in their order",
    )
    other = write("id,system,m\n1,a,0\n1,b,1\n", "other.csv")
    with expect_error(CorpusError, "2 of 2", "12, 7"):
        of_tables(None, other, people)


def test_ids_of_a_table_must_be_those_of_the_scores(write):
    people = read_people([], [write(RANKED.replace(",t,", ",u,"), "r.csv")])
    with expect_error(CorpusError, "r.csv", "1 of 2", "u", "s, t"):
        of_tables(None, write(SCORED, "n.csv"), people)


def test_unscored_pairs_are_noted(write):
    people = read_people([], [write(RANKED, "r.csv")])
    less = SCORED.replace("t,b,0.3\n", "")
    evaluation = of_tables(None, write(less, "n.csv"), people)
    assert evaluation.notes == ("r, all: 2 judged pairs have no score by m",)


def test_what_does_not_go_together_is_refused(write):
    ways, ranked = write(WAYS, "w.csv"), write(RANKED, "r.csv")
    system, sentence = write(SYSTEMS, "s.tsv"), write(SCORED, "n.csv")
    for arguments, why in (
        ({}, "give scores of systems .--human FILE. or rankings"),
        ({"data": system, "judgments": [ranked]}, "people's scores of systems and a table"),
        ({"data": system, "human": [ways], "sentence_scores": sentence}, "people's judgments and"),
        ({"data": system, "human": [ways], "options": Options()}, "tables have the scores already"),
        ({"data": CORPUS, "human": [ways], "lower": ["m"]}, "lower and sentence_scores are of"),
        ({"data": system, "human": [ways, ways]}, "people's scores 'one' are there twice"),
        (
            {"judgments": [ranked, ranked], "sentence_scores": sentence},
            "a file of judgments is named twice",
        ),
    ):
        with pytest.raises(UsageError, match=why):
            gecbench.meta(**arguments)
    with expect_error(UnknownNameError, "metric", "'q'"):
        gecbench.meta(system, human=[ways], lower=["q"])
    with expect_error(UnknownNameError, "set x", "'q'"):
        gecbench.meta(system, human=[ways], layout=Layout((SystemSet("x", ("q",)),)))
    with expect_error(CorpusError, "a, b, c, d"):
        gecbench.meta(system, human=[write("system,one\nX,1\nY,2\n", "o.csv")])


def test_a_layout_refuses_what_means_nothing():
    with expect_error(UsageError, "window of 2", "3"):
        Layout(sizes=(4, 2))
    with expect_error(UsageError, "all,all"):
        Layout(sets=(ALL, ALL))


def test_systems_that_nobody_judged_are_named(write):
    people = read_people([write("system,one\na,1\nb,2\nc,2\n", "w.csv")], [])
    evaluation = of_tables(write(SYSTEMS, "s.tsv"), None, people)
    assert "scored but not judged by people, so left out: d" in evaluation.notes


def test_what_is_shown(write):
    shown = build_report(tables(write))
    assert [table.name for table in shown.tables] == ["systems", "sentences", "windows"]
    assert [figure.name for figure in shown.figures] == [
        *("meta-m-one", "meta-down-one", "meta-window3-one-pearson", "meta-window3-one-spearman"),
        "meta-sentences-people-all",
    ]
    assert shown.figures[0].series[0].labels == ("a", "b", "c", "d")
    assert shown.figures[0].series[0].x == (1.0, 2.0, 2.0, 0.5)
    assert shown.figures[0].series[0].y == (1.0, 2.5, 3.0, 4.0)
    lines = shown.figures[2]
    assert [series.x for series in lines.series] == [(1, 2), (1, 2)]
    bars = shown.figures[-1]
    assert [series.y for series in bars.series] == [pytest.approx((400 / 6,))] * 2
    assert "ties counting half: m 66.7." in bars.alt.en
    assert shown.tables[2].rows[0][:6] == ("m", "one", "c", "a", 3, 1)
    first = [row for row in shown.tables[2].rows if row[0] == "down"]
    assert [row[5] for row in first] == [1, 2]
