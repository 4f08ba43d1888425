"""One act is one transaction; a lost race is looked at again, a real fault goes up."""

from __future__ import annotations

from threading import Barrier

import pytest
from django.db import (
    DatabaseError,
    IntegrityError,
    OperationalError,
    connection,
    transaction,
)
from server.workflow.races import together
from server.workflow.stories import a_project, joined, people, sentence_of, somebody

from gecbench.server.models import Member, Project, Sentence
from gecbench.server.workflow.errors import ConflictError, NotAllowedError, NotYoursError
from gecbench.server.workflow.transactions import (
    compare_and_set,
    lock_member,
    lock_sentence,
    transactional,
    write_columns,
)


def test_a_lost_race_is_done_again_and_its_first_half_undone(database):
    tries = []

    @transactional
    def make() -> str:
        tries.append(1)
        somebody(f"try-{len(tries)}")
        if len(tries) < 3:
            raise IntegrityError("taken")
        return "made"

    assert make() == "made"
    assert list(type(somebody("x")).objects.values_list("login", flat=True)) == ["try-3", "x"]


def test_what_fails_every_time_goes_up_as_it_is(site):
    tries = []

    @transactional
    def make() -> None:
        tries.append(1)
        raise IntegrityError("always")

    with pytest.raises(IntegrityError, match="always"):
        make()
    assert len(tries) == 4


def test_a_database_that_fails_is_not_asked_again(site):
    tries = []

    @transactional
    def make() -> None:
        tries.append(1)
        raise OperationalError("database or disk is full")

    with pytest.raises(OperationalError, match="full"):
        make()
    assert len(tries) == 1


def test_inside_another_transaction_the_whole_is_the_outer_ones_matter(site):
    tries = []

    @transactional
    def make() -> None:
        tries.append(1)
        somebody("inner")
        raise IntegrityError("taken")

    with transaction.atomic():
        somebody("outer")
        with pytest.raises(IntegrityError):
            make()
    assert len(tries) == 1
    assert list(type(somebody("outer")).objects.values_list("login", flat=True)) == ["outer"]


def test_two_who_lock_in_opposite_order_both_come_through(on_postgresql):
    project = a_project(2)
    rows = [sentence_of(project, 1), sentence_of(project, 2)]
    meet = Barrier(2)
    met = []

    @transactional
    def both(first: Sentence, second: Sentence) -> str:
        lock_sentence(first.pk, project.pk)
        if len(met) < 2:
            met.append(1)
            meet.wait(20)
        lock_sentence(second.pk, project.pk)
        return "done"

    assert together(2, lambda n: both(*rows[:: 1 if n else -1])) == ["done", "done"]
    assert connection.vendor == "postgresql"


def test_a_sentence_is_fetched_through_its_project(site):
    project, other = a_project(1), a_project(1, slug="other")
    foreign = sentence_of(other)
    with transaction.atomic(), pytest.raises(NotYoursError, match="no sentence"):
        lock_sentence(foreign.pk, project.pk)


def test_an_administrator_acts_as_a_manager_without_being_a_member(site):
    project = a_project(1)
    chief = somebody("chief", is_administrator=True)
    with transaction.atomic():
        acting = lock_member(Member(project=project, person=chief))
        assert (acting.is_manager, acting.is_annotator) == (True, False)
    type(chief).objects.filter(pk=chief.pk).update(is_administrator=False)
    with transaction.atomic(), pytest.raises(NotAllowedError):
        lock_member(Member(project=project, person=chief))


def test_a_locked_member_is_as_the_database_has_them(site):
    project = a_project(1)
    (annotator,) = people(project, 1)
    Member.objects.filter(pk=annotator.pk).update(status="paused")
    Project.objects.update(name="New")
    with transaction.atomic():
        fresh = lock_member(annotator)
    assert (fresh.status, fresh.project.name) == ("paused", "New")
    assert joined(project, "b") != annotator


def test_a_version_grows_where_no_other_column_changes(site):
    sentence = sentence_of(a_project(1))
    version = sentence.version
    compare_and_set(sentence, sentence.state, ConflictError("changed"))
    assert sentence.version == version + 1
    assert Sentence.objects.get(pk=sentence.pk).version == version + 1


def test_columns_of_a_row_that_is_gone_are_not_silently_lost(site):
    project = a_project(1)
    Project.objects.filter(pk=project.pk).update(name="Old")
    write_columns(project, name="New")
    assert Project.objects.get(pk=project.pk).name == "New"
    project.pk += 1
    with pytest.raises(DatabaseError, match="project"):
        write_columns(project, name="Lost")
    assert project.name == "New"
