"""What suggestions did to answers: statistics, the page Quality, the export with everything."""

from __future__ import annotations

import json

import pytest
from server.web.asking import Asking
from server.workflow.reviewing import finalised
from server.workflow.stories import (
    a_project,
    all_submitted,
    claimed,
    correction,
    joined,
    people,
    sentence_of,
    submit_answer,
)

from gecbench.server.import_export.exports import ExportOptions, export
from gecbench.server.models import Project, Suggestion
from gecbench.server.statistics.report import build_report, quality
from gecbench.server.statistics.work import Acceptance, Influence, influence, load_counts
from gecbench.server.workflow import suggestions

PROPOSED, OWN = "我昨天去图书馆借书了。", "我昨天到图书馆借书了。"


def with_suggestions(project: Project) -> Project:
    """Four annotators: one takes it over, one is shown it, one finds the same alone, one else."""
    joined(project, "rita", "reviewer")
    team = people(project, 4)
    sentence = sentence_of(project)
    Suggestion.objects.create(sentence=sentence, model="robot", model_version="1", text=PROPOSED)
    slots = [claimed(member, sentence) for member in team]
    for n in (0, 1):
        suggestions.show(team[n], slots[n].pk)
    suggestions.take_over(team[0], slots[0].pk)
    for member, slot, text in zip(team, slots, (PROPOSED, OWN, PROPOSED, OWN), strict=True):
        submit_answer(member, slot, correction(text))
    finalised(project, (PROPOSED,))
    return project


@pytest.fixture
def project(site):
    return with_suggestions(a_project(2, annotators=4, suggestions="on_demand"))


def everything(project: Project) -> list[dict[str, object]]:
    (file,) = export(project, ExportOptions("annotations", names=True))
    return [json.loads(line) for line in b"".join(file.content).splitlines()]


def test_answers_are_counted_by_what_their_authors_saw(database):
    project = with_suggestions(a_project(2, annotators=4, suggestions="on_demand"))
    assert influence(load_counts(project)) == {
        "taken": Influence(1, 1, Acceptance(1, 1)),
        "shown": Influence(1, 0, Acceptance(1, 0)),
        "unseen": Influence(2, 1, Acceptance(2, 1)),
    }


def test_statistics_have_the_table_only_where_there_are_suggestions(project):
    report = build_report(quality(project))
    (table,) = (table for table in report.tables if table.name == "suggestions")
    rows = {row[0].en: row[1:] for row in table.rows}
    assert rows["taken over"] == (1, 0.25, 1.0, 1, 1.0)
    assert rows["not shown"] == (2, 0.5, 0.5, 2, 0.5)
    plain = build_report(quality(a_project(1, slug="plain")))
    assert "suggestions" not in {table.name for table in plain.tables} | set(plain.data)


@pytest.mark.parametrize(
    ("language", "words"), [("en", "shown, not taken over"), ("zh-hans", "已显示，未采用")]
)
def test_the_page_quality_shows_it(project, language, words):
    boss = Asking(joined(project, "boss", "manager"), language=language)
    assert words in boss.html("/p/story/manage/quality")


def test_the_export_with_everything_says_what_was_shown_and_taken_and_equal(project):
    first, second = everything(project)[1:]
    (suggestion,) = first["suggestions"]
    assert (suggestion["corrector"], suggestion["version"], suggestion["text"]) == (
        "robot",
        "1",
        PROPOSED,
    )
    assert [row["slot"] for row in suggestion["shown"]] == [1, 2]
    assert [row["taken_at"] is not None for row in suggestion["shown"]] == [True, False]
    suggestions = [row["suggestion"] for row in first["submissions"]]
    assert [row and (row["taken_at"] is not None, row["equal"]) for row in suggestions] == [
        (True, True),
        (False, False),
        None,
        None,
    ]
    assert [row["suggested"] for row in first["submissions"]] == [True, True, False, False]
    assert second["suggestions"] == []


def test_without_suggestions_the_export_has_none_of_these_fields(site):
    project = a_project(1, annotators=1)
    with_suggestions(a_project(1, slug="other", annotators=4, suggestions="on_demand"))
    all_submitted(sentence_of(project), people(project, 1))
    (row,) = everything(project)[1:]
    assert "suggestions" not in row
    assert "suggestion" not in row["submissions"][0]
