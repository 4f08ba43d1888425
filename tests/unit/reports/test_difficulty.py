"""Difficulty as tables, figures, JSON and as the picture of chunks."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import pytest

from gecbench.api.difficulty import difficulty
from gecbench.api.verb_options import DifficultyOptions
from gecbench.core.edit import Edit
from gecbench.core.sample import Corpus, Rewrite, Sample, SystemOutput
from gecbench.reports.difficulty import build_report, chunk_lines
from gecbench.reports.report import render

TOKENS = ("a", "b")
A, B = Edit(0, 1, ("A",), "R:ONE"), Edit(1, 2, ("B",), "M:TWO")


def edited(*edits: Edit) -> Rewrite:
    return Rewrite(text="a b" if edits else None, error_free=not edits, edit_sets=(edits,))


def corpus(name: str, *sentences: tuple[Edit, ...]) -> Corpus:
    return Corpus(
        name,
        tuple(
            Sample(str(n), "a b", (edited(*edits), edited(B)), {}, TOKENS)
            for n, edits in enumerate(sentences, 1)
        ),
        "en",
    )


def system(name: str, *sentences: tuple[Edit, ...]) -> SystemOutput:
    hypotheses = {str(n): (edited(*edits),) for n, edits in enumerate(sentences, 1)}
    return SystemOutput(name, hypotheses, dict.fromkeys(hypotheses, TOKENS))


DATA = corpus("dev", (A, B), (A,), (A,))
SYSTEMS = (
    system("bold", (A, B), (B,), (A,)),
    system("shy", (A,), (), (A,)),
    system("wrong", (Edit(2, 2, ("!",)),), (), ()),
)


@pytest.fixture(scope="module")
def results():
    return difficulty(DATA, SYSTEMS)


def rows(shown, name: str):
    return list(csv.reader(io.StringIO(render(shown, "csv", table=name))))


def test_tables_of_one_result(results):
    shown = build_report(results)
    assert [table.name for table in shown.tables] == [
        *("scores", "ranking", "ranking-accuracy", "types-2", "unlike")
    ]
    head, *body = rows(shown, "scores")
    assert head == [
        *("system", "P", "R", "F0.5", "A", "plain P", "plain R", "plain F0.5", "plain A")
    ]
    assert [row[0] for row in body] == ["bold", "shy", "wrong"]
    assert body[2][1:4] == ["0.0", "0.0", "0.0"]


def test_the_best_of_each_column_is_marked_unless_all_are_equal(results):
    shown = build_report(results).tables[0]
    assert {column for _, column in shown.marks} == set(range(1, 9))
    for row, column in shown.marks:
        assert shown.rows[row][column] == max(other[column] for other in shown.rows)
    alike = difficulty(DATA, [SYSTEMS[1], system("twin", (A,), (), (A,))])
    assert build_report(alike).tables[0].marks == frozenset()


def test_ranks_with_their_change(results):
    head, *body = rows(build_report(results), "ranking")
    assert head == ["system", "rank", "F0.5", "plain rank", "plain F0.5", "change"]
    assert [(row[0], row[1], row[3], row[5]) for row in body] == [
        ("bold", "1", "2", "1"),
        ("shy", "2", "1", "-1"),
        ("wrong", "3", "3", "0"),
    ]


def test_types_are_shown_by_category_or_as_asked(results):
    assert rows(build_report(results), "types-2")[0] == ["category", "mean", "SD", "errors"]
    assert [row[0] for row in rows(build_report(results, 1), "types-1")] == ["operation", "M", "R"]
    assert [row[0] for row in rows(build_report(results, 3), "types-3")] == [
        "type",
        "M:TWO",
        "R:ONE",
    ]


def test_types_without_categories_are_shown_whole():
    bare = corpus("dev", (Edit(0, 1, ("A",), "S"),), (), ())
    as_in_files = DifficultyOptions(re_extract=False)
    shown = build_report(difficulty(bare, SYSTEMS, options=as_in_files))
    assert rows(shown, "types-3")[1][0] == "S"
    assert (
        rows(build_report(difficulty(bare, SYSTEMS, options=as_in_files), 2), "types-2")[1][0]
        == "-"
    )
    mixed = corpus("dev", (Edit(0, 1, ("A",), "S"), B), (Edit(0, 1, ("A",), "S"),), ())
    assert build_report(difficulty(mixed, SYSTEMS)).tables[3].name == "types-3"


def test_what_an_unlike_system_must_correct(results):
    head, *body = rows(build_report(results), "unlike")
    assert head == ["system", "errors", "corrects", "alone", "level at", "ahead from"]
    assert body[0][:4] == ["bold", "4", "3", "1"]
    assert float(body[0][4]) == pytest.approx(1.5)
    assert body[0][5] == ""  # one error remains, and it would take two
    assert body[2][1:] == ["4", "0", "0", "0.0", "1"]


def test_one_system_has_no_table_of_unlike_ones_and_no_figure_of_ranks():
    shown = build_report(difficulty(DATA, SYSTEMS[:1]))
    assert [table.name for table in shown.tables][-1] == "types-2"
    assert [figure.name for figure in shown.figures] == ["difficulty-scores", "difficulty-types"]


def test_without_errors_there_is_no_figure_of_types():
    shown = build_report(difficulty(corpus("dev", (), (), ()), SYSTEMS))
    assert [figure.name for figure in shown.figures] == ["difficulty-scores", "difficulty-ranks"]
    assert "difficulty" in render(shown, "text")


def test_figures_say_in_words_what_they_show(results):
    scores, types, ranks = build_report(results).figures
    assert scores.alt.en.startswith("Weighted F0.5 in percent. dev: bold is highest with ")
    assert scores.alt.zh.startswith("加权 F0.5（百分比）。dev：bold 最高，为 ")
    assert (
        types.alt.en == "Most difficult: TWO 0.67, ONE 0.56. Least difficult: ONE 0.56, TWO 0.67."
    )
    assert ranks.alt.en == "F0.5: bold +1, shy -1; accuracy: shy -1."
    assert ranks.alt.zh == "F0.5：bold +1，shy -1；准确率：shy -1。"
    (series,) = types.series
    assert series.low < series.y < series.high


def test_where_no_rank_changes_the_figure_says_so():
    alike = difficulty(DATA, [SYSTEMS[1], system("twin", (A,), (), (A,))])
    words = build_report(alike).figures[2].alt
    assert words.en == "F0.5: no change; accuracy: no change."
    assert words.zh == "F0.5：没有变化；准确率：没有变化。"


def alike() -> list[SystemOutput]:
    """Ten systems on six errors; "up", "down" and "both" have a weighted recall of one half.

    Weights are .1 .2 .3 .3 .2 .1, so that three systems sum up the same in other orders.
    """
    right = {"up": (0, 1, 2), "down": (3, 4, 5), "both": (0, 1, 4, 5), "ends": (0, 5)}
    right |= {str(n): range(6) for n in range(6)}
    return [
        system(name, *[(A,) if at in of else () for at in range(6)]) for name, of in right.items()
    ]


def test_equal_sums_of_weights_in_another_order_share_ranks_marks_and_places():
    data, names = corpus("dev", *[(A,)] * 6), ("up", "down", "both")
    systems = alike()
    results = difficulty(data, systems)
    recalls = {score.system: score.weighted.recall for score in results[0].scores}
    assert len({recalls[name] for name in names}) > 1  # the floats alone tell them apart
    shown = {row[0]: row[1] for row in rows(build_report(results), "ranking")[1:]}
    assert {shown[name] for name in names} == {"7"}
    again = (*results, *difficulty(replace(data, name="x"), systems))
    order = [row[0] for row in rows(build_report(again), "across-f")[1:]]
    assert order[6:] == [*names, "ends"]


def test_equal_sums_are_all_marked_as_the_best():
    (result,) = difficulty(corpus("dev", *[(A,)] * 6), alike())
    few = replace(
        result, scores=tuple(score for score in result.scores if not score.system.isdecimal())
    )
    table = build_report([few]).tables[0]
    recall = [column.name for column in table.columns].index("weighted R")
    assert {row for row, column in table.marks if column == recall} == {0, 1, 2}


def test_two_corpora_stand_in_one_table_and_beside_each_other(results):
    other = corpus("test", (B,), (), ())
    second = difficulty(other, [SYSTEMS[1], system("new", (B,), (), ())])
    shown = build_report([*results, *second])
    assert shown.corpus == "dev + test"
    assert rows(shown, "scores")[0][:2] == ["corpus", "system"]
    head, *body = rows(shown, "across-f")
    assert head == ["system", "dev", "dev rank", "test", "test rank", "mean", "SD"]
    assert {row[0] for row in body} == {"bold", "shy", "wrong", "new"}
    assert next(row for row in body if row[0] == "bold")[3:5] == ["", ""]
    assert rows(shown, "across-accuracy")[0] == head
    assert rows(shown, "types-2")[0][:4] == ["category", "dev mean", "dev SD", "dev errors"]
    assert next(row for row in rows(shown, "types-2") if row[0] == "ONE")[4:] == ["", "", "0"]
    assert [series.name for series in shown.figures[0].series] == ["dev", "test"]
    assert all(note.startswith(("dev: ", "test: ")) for note in shown.notes)
    assert [series.name.en for series in shown.figures[2].series] == [
        *("dev F0.5", "dev accuracy", "test F0.5", "test accuracy")
    ]


def test_two_references_stand_in_one_table():
    shown = build_report(difficulty(DATA, SYSTEMS, options=DifficultyOptions(reference="each")))
    assert [row[0] for row in rows(shown, "scores")][::3] == [
        *("reference", "reference 1", "reference 2")
    ]
    assert len(shown.signatures) == 2


def test_json_holds_everything_unrounded(results):
    data = json.loads(render(build_report(results), "json"))
    assert data["analysis"] == "difficulty"
    (result,) = data["results"]
    assert (result["sentences"], result["chunks"], result["errors"]) == (3, 15, 4)
    assert result["weights"] == {
        "a": 1.0,
        "b": 0.0,
        "c": 0.0,
        "systems": 3,
        "from": "these systems",
    }
    bold = result["systems"][0]
    assert set(bold) == {"system", "weighted", "plain", "corrected", "alone", "break_even"}
    assert bold["plain"] == {
        "tp": 3.0, "fp": 1.0, "fn": 1.0, "tn": 10.0, "all": 15.0,
        "precision": 0.75, "recall": 0.75, "f": pytest.approx(0.75), "accuracy": 13 / 15,
    }  # fmt: skip
    assert bold["break_even"]["possible"] is False
    assert [row["system"] for row in result["ranking"]["f"]] == ["bold", "shy", "wrong"]
    assert result["types"]["3"][0]["label"] == "M:TWO"
    assert result["difficulty"][0] == {
        "id": "1",
        "value": pytest.approx(1.0),
        "edits": [
            {"start": 0, "end": 1, "correction": ["A"], "type": "R:ONE", "weight": 1 - 2 / 3},
            {"start": 1, "end": 2, "correction": ["B"], "type": "M:TWO", "weight": 1 - 1 / 3},
        ],
        "changed": [{"start": 2, "end": 2, "weight": pytest.approx(1 / 3)}],
    }
    assert "across" not in data


def test_json_of_one_system_and_of_edits_that_only_detect():
    bare = corpus("dev", (Edit(0, 1, None, "UNK"),), (A,), ())
    data = json.loads(render(build_report(difficulty(bare, SYSTEMS[:1])), "json"))
    (result,) = data["results"]
    assert result["systems"][0]["break_even"] is None
    assert result["difficulty"][0]["edits"][0]["correction"] is None


def test_json_of_several_results_sets_them_side_by_side(results):
    data = json.loads(
        render(build_report([*results, *difficulty(corpus("x", (A,), (), ()), SYSTEMS)]), "json")
    )
    assert [result["corpus"] for result in data["across"]["results"]] == ["dev", "x"]
    assert [row["system"] for row in data["across"]["accuracy"]]
    assert set(data["across"]["f"][0]) == {"system", "values", "ranks", "mean", "deviation"}


def test_the_picture_has_four_lines_for_each_sentence(results):
    assert chunk_lines(results[0]).split("\n\n")[0] == (
        "orig  : |   |  a  |   |  b  |    |\n"
        "gold  : |   |  A  |   |  B  |    |\n"
        "weight: |0.0|0.33 |0.0|0.67 |0.33|\n"
        "cat   : |   |R:ONE|   |M:TWO|    |"
    )


def test_han_characters_are_as_wide_in_the_picture_as_on_a_terminal():
    data = Corpus("z", (Sample("1", "我去了", (Rewrite("我去"),)),), "zh")
    outputs = [SystemOutput("s", {"1": (Rewrite("我去了"),)})]
    lines = chunk_lines(difficulty(data, outputs, scheme="zh-char")[0]).splitlines()
    assert lines[0] == "orig  : |   |我 |   |去 |   |了 |   |"
    assert lines[1] == "gold  : |   |我 |   |去 |   |   |   |"
