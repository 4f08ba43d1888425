"""What waits for a person is counted for this person and these projects, on each database."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from server.workflow.stories import a_project, all_submitted, people, sentence_of, submitted

from gecbench.server import statistics
from gecbench.server.models import Member, Sentence
from gecbench.server.web.navigation import standings
from gecbench.server.workflow import management


def test_counts_are_of_the_person_and_the_project_asked_for(database):
    project, two = a_project(slug="one"), a_project(slug="two", manager="chief")
    annotators = people(project, 3)
    other = people(two, 1, prefix="b")[0]
    all_submitted(sentence_of(project, 2), annotators)
    submitted(annotators[0], sentence_of(project, 3))
    first, second = annotators[0].person_id, annotators[1].person_id
    both = standings(first, [two.pk, project.pk])
    assert both.keys() == {project.pk, two.pk}
    assert (both[project.pk]["done"], both[project.pk]["last"]) == (2, 3)
    assert (both[two.pk]["done"], both[two.pk]["last"]) == (0, None)
    assert standings(second, [project.pk])[project.pk]["done"] == 1
    assert standings(first, [project.pk])[project.pk] == both[project.pk]
    assert standings(other.person_id, [project.pk])[project.pk]["done"] == 0
    assert both[project.pk]["first"] is True
    assert both[project.pk]["acknowledged"] is False


def test_inv_12_what_was_done_today_is_counted_as_everywhere_else(database):
    project = a_project(3)
    me = people(project, 1)[0]
    for number in (1, 2, 3):
        submitted(me, sentence_of(project, number))
    assert standings(me.person_id, [project.pk])[project.pk]["done"] == 3
    Sentence.objects.filter(pk=sentence_of(project, 1).pk).update(purpose="training")
    boss = Member.objects.get(project=project, person__login="boss")
    management.withdraw(boss, [sentence_of(project, 2).pk], reason="x")
    done = standings(me.person_id, [project.pk])[project.pk]["done"]
    assert done == statistics.member_figures(me).today == 1


@pytest.mark.parametrize("count", [1, 3])
def test_any_number_of_projects_is_one_query(site, count):
    projects = [a_project(1, slug=f"p{n}", manager=f"boss{n}").pk for n in range(count)]
    with CaptureQueriesContext(
        connection,
    ) as queries:
        counts = standings(1, projects)
    assert counts.keys() == set(projects)
    assert len(queries) == 1


def test_what_was_decided_is_not_looked_through_for_what_waits(site):
    project = a_project(1)
    with CaptureQueriesContext(connection) as queries:
        standings(1, [project.pk])
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {queries.captured_queries[0]['sql']}")
        lines = [str(row[3]) for row in cursor.fetchall()]
    assert any("review_task_by_state" in line for line in lines), lines
    assert [line for line in lines if line.startswith("SCAN")] == []


def test_without_projects_nothing_is_asked(site):
    with CaptureQueriesContext(connection) as queries:
        assert standings(1, []) == {}
    assert not queries.captured_queries
