"""What robustness shows: tables, figures, JSON, notes; and the look at the cases."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from perturbed_set import CASES, COPY, PERFECT, UNEVEN, case, system

from gecbench.api.robustness import check_perturbed, robustness
from gecbench.core.perturbed import PerturbedSet, Subset
from gecbench.lang.zh.char import scheme as zh_char
from gecbench.reports import robustness as robustness_check
from gecbench.reports.plots import svg
from gecbench.reports.report import figure_csv, plain, render
from gecbench.reports.robustness import build_report

WRONG = [*PERFECT[:3], "他昨天回去家。", "他回去家了吗。", "他昨天回去家的。", *PERFECT[6:]]


@pytest.fixture(scope="module")
def robustness_result(tmp_path_factory: pytest.TempPathFactory):
    path = tmp_path_factory.mktemp("words") / "train.tsv"
    path.write_text("两\t12\n今天\t3\n", "utf-8")
    systems = [system("uneven", UNEVEN), system("wrong", WRONG)]
    return robustness(CASES, systems, scheme=zh_char(), frequency=path)


@pytest.fixture(scope="module")
def report(robustness_result):
    return build_report(robustness_result)


def rows(report, name: str) -> list[dict]:
    table = next(table for table in report.tables if table.name == name)
    heads = [column.name for column in table.columns]
    return [dict(zip(heads, map(plain, row), strict=True)) for row in table.rows]


def test_the_main_table_is_that_of_the_paper_with_what_can_be_reached(report):
    table = rows(report, "scores")
    assert [(row["subset"], row["system"]) for row in table] == [
        (subset, name)
        for subset in ("all", "class", "exam")
        for name in ("uneven", "wrong", "(perfect)", "(copies its input)")
    ]
    assert list(table[0]) == [
        *("subset", "system", "P", "R", "F0.5", "upper P", "upper R", "upper F0.5"),
        *("lower P", "lower R", "lower F0.5", "delta F0.5", "CRS", "P-CRS"),
    ]
    uneven = table[0]
    assert (uneven["P"], uneven["R"]) == (1 / 2, 1 / 2)
    assert (uneven["upper F0.5"], uneven["lower F0.5"]) == (1, 0)
    assert uneven["delta F0.5"] == 1
    assert (uneven["CRS"], uneven["P-CRS"]) == (0, 2 / 6)
    assert table[2]["delta F0.5"] == 0
    assert (table[2]["CRS"], table[2]["P-CRS"], table[2]["F0.5"]) == (1, 1, 1)
    assert (table[3]["CRS"], table[3]["P-CRS"], table[3]["F0.5"]) == (1, 1, 0)


def test_what_is_no_name_is_said_in_both_languages(report):
    tables = {table.name: table for table in report.tables}
    assert tables["scores"].rows[0][0].zh == "全部"
    assert [row[1].zh for row in tables["scores"].rows[2:4]] == ["（完美系统）", "（照抄输入）"]
    assert [row[0].zh for row in tables["action"].rows[:2]] == ["替换", "插入"]
    assert [cell.zh for cell in tables["disagreements"].rows[0][3:5]] == ["是", "否"]


def test_both_rules_stand_side_by_side_with_edits_per_sentence(report):
    wrong = rows(report, "consistency")[1]
    assert wrong["CRS official"] == 1
    assert wrong["CRS edits"] == pytest.approx(2 / 3)
    assert (wrong["P-CRS official"], wrong["P-CRS edits"]) == (1, 4 / 6)
    assert [wrong[name] for name in ("both", "official only", "edits only", "neither")] == [
        *(2, 1, 0, 0)
    ]
    assert wrong["edits/sentence"] == 6 / 9


def test_cases_of_disagreement_show_two_different_corrections(report):
    (row,) = rows(report, "disagreements")
    assert (row["system"], row["subset"], row["case"]) == ("wrong", "class", "2")
    assert (row["official"], row["edits"]) == ("yes", "no")
    assert row["original's corrections"] == "了 > - *"
    assert row["a variant's"] == "A1: - > 吗 *"


def test_more_than_ten_disagreements_are_said_and_kept_in_json(robustness_result):
    (disagreement,) = robustness_result.disagreements
    many = tuple(replace(disagreement, case=str(n)) for n in range(12))
    report = build_report(replace(robustness_result, disagreements=many))
    assert len(rows(report, "disagreements")) == 10
    assert len(report.data["disagreements"]) == 12
    assert any("of which 10 a system are shown" in note for note in report.notes)
    assert any(note.endswith("wrong: 12") for note in report.notes)


def test_long_corrections_are_cut_and_a_variant_without_any_says_nothing(robustness_result):
    (disagreement,) = robustness_result.disagreements
    first, second, third = disagreement.sentences
    (change,) = first.changes
    long = replace(first, changes=(replace(change, after="字" * 99),))
    still = (
        long,
        replace(second, same_edits=True, equal_f=False, changes=()),
        replace(third, same_edits=True),
    )
    part = build_report(
        replace(robustness_result, disagreements=(replace(disagreement, sentences=still),))
    )
    (row,) = rows(part, "disagreements")
    assert len(row["original's corrections"]) == 60
    assert row["original's corrections"].endswith("…")
    assert row["a variant's"] == "A1: nothing"
    same = tuple(replace(sentence, same_edits=True, equal_f=True) for sentence in still)
    part = build_report(
        replace(robustness_result, disagreements=(replace(disagreement, sentences=same),))
    )
    assert rows(part, "disagreements")[0]["a variant's"] == "A1: nothing"


def test_kinds_have_their_tables_and_figures_for_each_rule(report):
    assert rows(report, "action") == [
        {
            "action": "substitution",
            "variants": 2,
            "uneven official": 1 / 2,
            "uneven edits": 1 / 2,
            "wrong official": 1,
            "wrong edits": 1,
        },
        {
            "action": "insertion",
            "variants": 1,
            "uneven official": 0,
            "uneven edits": 0,
            "wrong official": 1,
            "wrong edits": 1,
        },
        {
            "action": "deletion",
            "variants": 2,
            "uneven official": 1 / 2,
            "uneven edits": 1 / 2,
            "wrong official": 1,
            "wrong edits": 1 / 2,
        },
        {
            "action": "none",
            "variants": 1,
            "uneven official": 0,
            "uneven edits": 0,
            "wrong official": 1,
            "wrong edits": 0,
        },
    ]
    assert [row["frequency"] for row in rows(report, "frequency")] == ["0", "1-9", "10-99"]
    names = [figure.name for figure in report.figures]
    assert names == [
        *("robustness-bounds", "robustness-consistency"),
        *("robustness-action", "robustness-action-edits"),
        *("robustness-distance", "robustness-distance-edits"),
        *("robustness-frequency", "robustness-frequency-edits"),
    ]


def test_orders_have_a_table_unless_none_were_tried(robustness_result, report):
    assert rows(report, "orders")[0]["orders"] == 10
    systems = tuple(replace(system, orders=None) for system in robustness_result.systems)
    bare = build_report(replace(robustness_result, systems=systems, frequencies=None))
    assert "orders" not in [table.name for table in bare.tables]
    assert "frequency" not in [table.name for table in bare.tables]
    assert bare.data["systems"][0]["orders"] is None
    assert bare.data["frequencies"] is None


@pytest.mark.parametrize("language", ["en", "zh"])
def test_figures_say_their_numbers_and_can_be_drawn(report, language: str):
    bounds, consistency, action, *_ = report.figures
    assert "uneven 50.00" in bounds.alt.en
    assert "between 0.00 and 100.00" in bounds.alt.en
    assert "介于 0.00 与 100.00 之间" in bounds.alt.zh
    assert "wrong CRS 100.00 / 66.67, P-CRS 100.00 / 66.67" in consistency.alt.en
    assert "substitution 50.0, insertion 0.0" in action.alt.en
    assert "替换 50.0，插入 0.0" in action.alt.zh
    assert figure_csv(bounds).splitlines()[1] == "F0.5,uneven,50.0,0.0,100.0,"
    for figure in report.figures:
        assert svg(figure, language).startswith("<svg")
        for words in (figure.title, figure.alt, figure.x_label):
            assert words.en.isascii()
            assert any("\u4e00" <= c <= "\u9fff" for c in words.zh)


def test_json_has_everything_unrounded(report):
    data = json.loads(render(report, "json"))
    assert data["analysis"] == "robustness"
    assert data["subsets"] == [{"name": "class", "cases": 2}, {"name": "exam", "cases": 1}]
    first = data["systems"][0]
    assert (first["system"], first["subset"], first["cases"], first["variants"]) == (
        *("uneven", None),
        *(3, 6),
    )
    assert first["original"] == {
        "tp": 1,
        "fp": 1,
        "fn": 1,
        "precision": 0.5,
        "recall": 0.5,
        "f": 0.5,
    }
    assert first["edits"] == {"consistent_cases": 0, "crs": 0, "like_original": 2, "p_crs": 1 / 3}
    assert first["agreement"] == {"both": 0, "official_only": 0, "edits_only": 0, "neither": 3}
    assert first["orders"]["orders"] == 10
    assert [part["system"] for part in data["trivial"][:2]] == ["(perfect)", "(copies its input)"]
    (shown,) = data["disagreements"]
    assert [sentence["mark"] for sentence in shown["sentences"]] == ["O", "A1", "A2"]
    assert shown["sentences"][0]["changes"] == [
        {"start": 6, "end": 7, "before": "了", "after": "", "right": False}
    ]
    assert data["actions"][0]["name"] == "substitution"
    assert data["frequencies"][0]["systems"][0]["official"]["like_original"] in (0, 1)
    assert data["signatures"][0].startswith("metric:cherrant|scheme:zh-char")
    assert data["signatures"][0].endswith("orders:10|seed:0")


def test_errors_without_a_partner_are_told_of(robustness_result):
    assert not any(
        "errors in the reference" in note for note in build_report(robustness_result).notes
    )
    noted = build_report(replace(robustness_result, unpaired_errors=3)).notes
    assert any("and not in the other: 3;" in note for note in noted)


def test_one_subset_needs_no_total():
    alone = PerturbedSet("class", CASES.subsets[:1], "zh")
    report = build_report(robustness(alone, [system("s", COPY[:6], alone)], scheme=zh_char()))
    assert {row["subset"] for row in rows(report, "scores")} == {"class"}


def test_a_look_at_the_cases_counts_and_says_where():
    report = robustness_check.build_check_report(check_perturbed(CASES))
    counts = rows(report, "oddities")
    assert (counts[0]["finding"], counts[0]["class"], counts[0]["exam"], counts[0]["all"]) == (
        *("unchanged", 1),
        *(0, 1),
    )
    assert rows(report, "places") == [
        {
            "finding": "unchanged",
            "subset": "class",
            "case": "2",
            "sentence": "A2",
            "detail": "他 昨 天 回 去 家 了 。",
        }
    ]
    assert report.notes == ()
    data = json.loads(render(report, "json"))
    assert data["subsets"][0]["counts"]["unchanged"] == 1
    assert data["findings"][0]["case"] == "2"


def test_more_findings_than_are_shown_are_counted():
    same = [("我去。", "我去了。")] * 13
    many = PerturbedSet("x", (Subset("a", (case("1", *same),)),), "zh")
    report = robustness_check.build_check_report(check_perturbed(many))
    assert [column.name for column in report.tables[0].columns] == ["finding", "meaning", "a"]
    assert len(rows(report, "places")) == 20  # ten unchanged, ten repeated
    assert len(report.data["findings"]) == 12 + 11
    assert report.notes == ("3 more findings are not shown; --format json has all",)
