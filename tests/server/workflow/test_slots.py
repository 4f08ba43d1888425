"""Slots change by compare-and-set: who read an older version changes nothing (INV-5)."""

from __future__ import annotations

import pytest
from django.db import transaction
from server.workflow.stories import a_project, expired, people, sentence_of, submitted

from gecbench.server.choices import SlotEventKind
from gecbench.server.models import Sentence, Slot, SlotEvent
from gecbench.server.workflow import claims, drafts, sentences
from gecbench.server.workflow.claims import NoTask
from gecbench.server.workflow.errors import ConflictError, GoneError


@pytest.fixture
def held(site):
    project = a_project(2)
    (annotator,) = people(project, 1)
    slot = claims.current(annotator).slot
    Slot.objects.filter(pk=slot.pk).update(version=slot.version + 1)
    return annotator, slot


def test_inv_5_a_slot_that_changed_is_not_let_go(held):
    _, slot = held
    with transaction.atomic(), pytest.raises(ConflictError, match="has changed meanwhile"):
        sentences.free_slot(slot, slot.sentence, SlotEventKind.RELEASE)
    assert Slot.objects.get(pk=slot.pk).state == "open"


def test_inv_5_a_slot_that_changed_is_not_closed(held):
    _, slot = held
    with transaction.atomic(), pytest.raises(ConflictError, match="has changed meanwhile"):
        sentences.close_slot(slot)
    assert Slot.objects.get(pk=slot.pk).state == "open"


def test_inv_5_a_slot_that_changed_is_not_opened_again(site):
    project = a_project(1)
    (annotator,) = people(project, 1)
    slot = submitted(annotator, sentence_of(project)).slot
    Slot.objects.filter(pk=slot.pk).update(version=slot.version + 1)
    with transaction.atomic(), pytest.raises(ConflictError, match="has changed meanwhile"):
        sentences.reopen_slot(slot, annotator, 1)
    assert Slot.objects.get(pk=slot.pk).state == "submitted"


def test_inv_5_a_sentence_that_changed_is_not_counted(site):
    project = a_project(1)
    row = sentence_of(project)
    Sentence.objects.update(version=row.version + 1)
    with transaction.atomic(), pytest.raises(ConflictError, match="has changed meanwhile"):
        claims.count_submission(row)
    assert sentence_of(project).submitted == 0


def test_a_free_slot_was_handed_in_by_nobody(site):
    a_project(1)
    assert claims.last_submission(Slot.objects.first()) is None


def test_a_lease_that_ended_between_two_looks_is_not_renewed(held):
    annotator, slot = held
    Slot.objects.filter(pk=slot.pk).update(lease_until="2020-01-01T00:00:00Z")
    stale = Slot.objects.select_related("project").get(pk=slot.pk)
    stale.version -= 1
    assert claims._renew_lease(stale).lease_until.year == 2020
    assert claims.current(annotator).slot.lease_until.year > 2020


def test_a_sentence_that_went_out_of_work_between_two_looks_is_not_taken(site):
    project = a_project(1)
    (annotator,) = people(project, 1)
    slot = Slot.objects.first()
    Sentence.objects.update(state="withdrawn")
    assert claims._take(annotator, slot.sentence_id) is None
    assert Slot.objects.get(pk=slot.pk).state == "free"


def test_what_was_lost_and_is_taken_at_this_moment_makes_way_for_another_task(site, monkeypatch):
    project = a_project(2)
    (annotator,) = people(project, 1)
    slot = claims.current(annotator).slot
    expired(project)
    monkeypatch.setattr(claims, "_take_back", lambda *_: None)
    assert claims.current(annotator).slot.sentence_id != slot.sentence_id


def test_inv_2_an_old_page_of_a_lost_slot_takes_no_second_one_of_the_sentence(site):
    project = a_project(1, annotators=3, open_tasks=3)
    first, second = people(project, 2)
    slot = claims.current(first).slot
    expired(project)
    claims._take(second, slot.sentence_id)
    now = claims.current(first).slot
    assert now.pk != slot.pk
    expired_of_two = Slot.objects.get(pk=slot.pk)
    claims.skip(second, slot.pk, version=expired_of_two.version)
    with pytest.raises(GoneError):
        drafts.save_draft(first, slot.pk, rev=0, payload={"texts": ["一"]})
    assert Slot.objects.filter(person=first.person).count() == 1


def test_a_page_that_was_read_before_a_pause_claims_nothing(site):
    project = a_project(1)
    (annotator,) = people(project, 1)
    slot = Slot.objects.first()
    type(annotator).objects.filter(pk=annotator.pk).update(status="paused")
    assert claims._take(annotator, slot.sentence_id).nothing == NoTask.NOT_ACTIVE
    assert not SlotEvent.objects.exists()
