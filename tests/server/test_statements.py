"""Statements that are written once find what their querysets find, in every thread."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest
from django.db import connection
from django.db.transaction import TransactionManagementError, atomic
from django.utils import timezone
from server.workflow.stories import a_project, people, sentence_of, submitted

from gecbench.server.choices import SlotEventKind
from gecbench.server.models import Guideline, Member, Slot, SlotEvent, Submission
from gecbench.server.models.base import compiled, compiled_models, insert


def members(person, slug):
    """A member with their project and its guideline, without the text."""
    members_ = Member.objects.select_related("project__guideline").order_by("pk")
    members_ = members_.defer("project__guideline__markdown")
    return members_.filter(person=person, project__slug=slug)


def columns(row):
    return {name: value for name, value in vars(row).items() if name != "_state"}


def test_models_are_those_of_the_queryset_with_all_their_columns(database):
    project = a_project(1)
    first, other = people(project, 2)
    ask = compiled_models(members)
    for member in (first, other, first):
        (member_row,) = ask(member.person_id, project.slug)
        (expected,) = members(member.person_id, project.slug)
        assert columns(member_row) == columns(expected)
        assert columns(member_row.project) == columns(expected.project)
        assert member_row.project.guideline.get_deferred_fields() == {"markdown"}
        assert not member_row._state.adding


def test_what_was_read_can_be_saved(database):
    project = a_project(1)
    (annotator,) = people(project, 1)
    (member_row,) = compiled_models(members)(annotator.person_id, project.slug)
    member_row.preferences = {"goal": 3}
    member_row.save()
    assert Member.objects.get(pk=annotator.pk).preferences == {"goal": 3}


def test_a_row_is_written_as_its_manager_writes_it_and_only_once(database):
    project = a_project(1)
    (annotator,) = people(project, 1)
    slot = sentence_of(project).slots.first()
    values = {
        "slot": slot,
        "sentence_id": slot.sentence_id,
        "person": annotator.person,
        "kind": SlotEventKind.CLAIM,
        "at": timezone.now(),
        "data": {"version": 7, "words": "“逗号”"},
    }
    with atomic():
        row = insert(SlotEvent(**values))
    expected = SlotEvent.objects.create(**values)
    stored, other = (SlotEvent.objects.get(pk=event.pk) for event in (row, expected))
    assert columns(stored) == columns(other) | {"id": row.pk}
    assert columns(row).keys() == columns(expected).keys()
    assert not row._state.adding
    with pytest.raises(ValueError, match="already"):
        insert(row)


def test_nothing_is_found_where_the_queryset_finds_nothing(database):
    ask = compiled_models(lambda key: Slot.objects.filter(pk=key))
    assert ask(10**6) == []
    assert ask(2**63) == ask(10**30) == []  # as an address may say


def test_keys_and_moments_are_arguments(database):
    project = a_project(1)
    (annotator,) = people(project, 1)
    done = submitted(annotator, sentence_of(project))
    by_key = compiled_models(lambda key: Submission.objects.filter(client_key=key))
    assert by_key(uuid4()) == []
    assert by_key(done.client_key) == [done]
    since = compiled(lambda moment: Submission.objects.filter(at__gte=moment).values_list("pk"))
    assert since(timezone.now()) == []
    assert since(done.at) == [(done.pk,)]


def test_a_statement_written_in_one_thread_serves_another(database):
    guideline_keys = compiled_models(lambda key: Guideline.objects.filter(project=key))
    guideline_keys(1)

    def ask(_: int) -> object:
        try:
            return guideline_keys(1)
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as threads:
        assert list(threads.map(ask, range(4))) == [[]] * 4


def test_what_a_statement_cannot_be_filled_with_is_refused(database):
    ask = compiled_models(lambda key: Slot.objects.filter(pk=key))
    assert ask(-(2**63) - 1) == []
    for wrong in (lambda: ask(None), lambda: ask(key=1)):
        with pytest.raises(TypeError, match="filled by place"):
            wrong()


def test_rows_are_locked_in_transactions_alone(database):
    ask = compiled_models(lambda key: Slot.objects.select_for_update().filter(pk=key))
    with atomic():
        assert ask(1) == []
    if connection.features.has_select_for_update:
        with pytest.raises(TransactionManagementError):
            ask(1)
