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
    one, two = a_project(slug="one"), a_project(slug="two", manager="chief")
    annotators = people(one, 3)
    other = people(two, 1, prefix="b")[0]
    all_submitted(sentence_of(one, 2), annotators)
    submitted(annotators[0], sentence_of(one, 3))
    first, second = annotators[0].person_id, annotators[1].person_id
    both = standings(first, [two.pk, one.pk])
    assert both.keys() == {one.pk, two.pk}
    assert (both[one.pk]["done"], both[one.pk]["last"]) == (2, 3)
    assert (both[two.pk]["done"], both[two.pk]["last"]) == (0, None)
    assert standings(second, [one.pk])[one.pk]["done"] == 1
    assert standings(first, [one.pk])[one.pk] == both[one.pk]
    assert standings(other.person_id, [one.pk])[one.pk]["done"] == 0
    assert both[one.pk]["first"] is True
    assert both[one.pk]["acknowledged"] is False


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
    made = [a_project(1, slug=f"p{n}", manager=f"boss{n}").pk for n in range(count)]
    with CaptureQueriesContext(
        connection,
    ) as asked:
        found = standings(1, made)
    assert found.keys() == set(made)
    assert len(asked) == 1


def test_what_was_decided_is_not_looked_through_for_what_waits(site):
    project = a_project(1)
    with CaptureQueriesContext(connection) as asked:
        standings(1, [project.pk])
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {asked.captured_queries[0]['sql']}")
        lines = [str(row[3]) for row in cursor.fetchall()]
    assert any("review_task_by_state" in one for one in lines), lines
    assert [one for one in lines if one.startswith("SCAN")] == []


def test_without_projects_nothing_is_asked(site):
    with CaptureQueriesContext(connection) as asked:
        assert standings(1, []) == {}
    assert not asked.captured_queries
