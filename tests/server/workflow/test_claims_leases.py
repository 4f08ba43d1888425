"""Leases end, and what was typed comes back (INV-15)."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.utils import timezone
from server.workflow.races import together
from server.workflow.stories import (
    a_project,
    all_submitted,
    correction,
    expired,
    joined,
    people,
    sentence_of,
    submitted,
    time_passes,
)

from gecbench.server.choices import MemberStatus
from gecbench.server.models import Draft, Member, Sentence, Slot, SlotEvent
from gecbench.server.workflow import (
    claims,
    drafts,
    members,
    review_tasks,
    submissions,
)
from gecbench.server.workflow.claims import NoTask
from gecbench.server.workflow.review_tasks import JUMP, ClockWatch


def draft(text: str, **fields: object) -> dict[str, object]:
    return {"decision": "corrected", "texts": [text], **fields}


def test_a_lease_ends_after_a_grace_of_its_own_length(database):
    project = a_project(3, lease_minutes=30)
    (annotator,) = people(project, 1)
    slot = claims.current(annotator).slot
    time_passes(minutes=59)
    assert claims.expire(project) == 0
    time_passes(minutes=2)
    assert claims.expire(project) == 1
    assert claims.expire(project) == 0
    slot.refresh_from_db()
    assert (slot.state, slot.person, slot.open_no) == ("free", None, None)
    assert sentence_of(project, slot.sentence.number).state == "open"
    last = SlotEvent.objects.order_by("-pk").first()
    assert (last.kind, last.person) == ("expire", annotator.person)


def test_expired_slots_are_met_on_the_way_of_a_claim(site):
    project = a_project(1, annotators=1)
    first, second = people(project, 2)
    slot = claims.current(first).slot
    time_passes()
    assert claims.current(second).slot == slot


def test_expiring_at_once_frees_each_slot_once(database):
    project = a_project(4)
    for annotator in people(project, 4):
        claims.current(annotator)
    time_passes()
    results = together(6, lambda _: claims.expire(project))
    assert sum(results) == 4
    assert SlotEvent.objects.filter(kind="expire").count() == 4
    assert set(Sentence.objects.values_list("state", flat=True)) == {"open"}


def test_expire_frees_at_most_so_many_oldest_first(site):
    project = a_project(4)
    held = [claims.current(annotator).slot for annotator in people(project, 3)]
    time_passes()
    Slot.objects.filter(pk=held[1].pk).update(lease_until=timezone.now().replace(year=2020))
    assert claims.expire(project, most=1) == 1
    assert not Slot.objects.filter(pk=held[1].pk, state="open").exists()


def test_review_tasks_expire_too(site):
    project = a_project(1)
    sentence = all_submitted(sentence_of(project), people(project, 3))
    reviewer = joined(project, "r", "reviewer")
    from django.db import transaction

    with transaction.atomic():
        assert review_tasks.claim_random_task(reviewer) is not None
    time_passes()
    assert claims.expire(project) == 1
    assert sentence_of(project).state == "review_ready"
    assert sentence.review_tasks.get().reviewer is None


def test_after_a_jump_of_the_clock_nothing_expires_for_a_while(site, monkeypatch):
    project = a_project(3)
    claims.current(people(project, 1)[0])
    clocks = {"wall": 0.0, "steady": 0.0}
    watch = ClockWatch(lambda: clocks["wall"], lambda: clocks["steady"])
    monkeypatch.setattr(claims, "clock_watch", lambda: watch)
    time_passes()  # the wall clock was put forward by a day
    clocks["wall"] += 86_400
    assert claims.expire(project) == 0
    clocks["wall"] += 3_500
    clocks["steady"] += 3_500
    assert claims.expire(project) == 0
    clocks["wall"] += 101
    clocks["steady"] += 101
    assert claims.expire(project) == 1


@pytest.mark.parametrize("jump", [JUMP + 1, -JUMP - 1])
def test_the_watch_sees_jumps_both_ways_and_forgets_them(jump):
    clocks = {"wall": 1000.0, "steady": 5.0}
    watch = ClockWatch(lambda: clocks["wall"], lambda: clocks["steady"])
    assert not watch.jumped_within(60)
    clocks["wall"] += jump
    assert watch.jumped_within(60)
    clocks["wall"] += 59
    clocks["steady"] += 59
    assert watch.jumped_within(60)
    clocks["wall"] += 1
    clocks["steady"] += 1
    assert not watch.jumped_within(60)


def test_the_watch_does_not_mind_a_clock_that_is_nudged():
    clocks = {"wall": 0.0, "steady": 0.0}
    watch = ClockWatch(lambda: clocks["wall"], lambda: clocks["steady"])
    for _ in range(10):
        clocks["wall"] += JUMP
        assert not watch.jumped_within(60)


def test_inv_15_who_comes_back_late_is_given_the_lost_task_first(database):
    project = a_project(6)
    (annotator,) = people(project, 1)
    slot = claims.current(annotator).slot
    drafts.save_draft(annotator, slot.pk, rev=0, payload=draft("写了一半"))
    assert expired(project) == 1
    again = claims.current(annotator)
    assert (again.slot.pk, again.fresh) == (slot.pk, True)
    assert drafts.get_draft(annotator, again.slot.pk).payload["texts"] == ["写了一半"]


def test_inv_15_the_draft_moves_along_to_another_slot_of_the_sentence(site):
    project = a_project(1, annotators=2)
    first, second = people(project, 2)
    slot = claims.current(first).slot
    drafts.save_draft(first, slot.pk, rev=0, payload=draft("写了一半"))
    expired(project)
    claims._take(second, slot.sentence_id)
    again = claims.current(first).slot
    assert again.pk != slot.pk
    assert again.sentence_id == slot.sentence_id
    assert drafts.get_draft(first, again.pk).payload == draft("写了一半")
    assert Draft.objects.filter(person=first.person).count() == 2


def test_inv_15_an_expired_holder_who_types_on_gets_a_free_slot_back_silently(database):
    project = a_project(3)
    (annotator,) = people(project, 1)
    slot = claims.current(annotator).slot
    saved = drafts.save_draft(annotator, slot.pk, rev=0, payload=draft("一"))
    expired(project)
    saved = drafts.save_draft(annotator, slot.pk, rev=saved.rev, payload=draft("一二"))
    slot.refresh_from_db()
    assert (slot.state, slot.person, saved.rev) == ("open", annotator.person, 2)
    # And hands in with the version that the page knows.
    submit = submissions.submit(
        annotator,
        slot.pk,
        version=slot.version - 2,
        client_key=uuid4(),
        answer=correction("一二三"),
    )
    assert submit.slot_id == slot.pk


def test_inv_15_an_expired_holder_who_hands_in_gets_a_free_slot_back_silently(database):
    project = a_project(3)
    (annotator,) = people(project, 1)
    slot = claims.current(annotator).slot
    expired(project)
    submit = submissions.submit(
        annotator, slot.pk, version=slot.version, client_key=uuid4(), answer=correction("好了")
    )
    assert submit.references.get().text == "好了"
    assert sentence_of(project, slot.sentence.number).submitted == 1


def test_a_slot_taken_back_before_it_expires_keeps_what_was_handed_in(database):
    project = a_project(1)
    trio = people(project, 3)
    all_submitted(sentence_of(project), trio)
    submission = submissions.history(trio[0])[0]
    submissions.reopen(trio[0], submission.slot_id)
    assert sentence_of(project).state == "annotating"
    assert expired(project) == 1
    row = sentence_of(project)
    assert (row.state, row.submitted) == ("review_ready", 3)
    assert submission.slot.submissions.count() == 1
    assert Slot.objects.get(pk=submission.slot_id).person == trio[0].person
    assert row.review_tasks.filter(state="free").count() == 1


@pytest.mark.parametrize("status", [MemberStatus.PAUSED, MemberStatus.LEFT])
def test_who_pauses_or_leaves_gives_back_open_tasks_and_keeps_drafts(database, status):
    project = a_project(3, open_tasks=2)
    (annotator,) = people(project, 1)
    held = [claims.current(annotator).slot, claims.claim(annotator).slot]
    drafts.save_draft(annotator, held[0].pk, rev=0, payload=draft("写了一半"))
    members.change_member(annotator, by=None, status=status)
    assert not Slot.objects.filter(state="open").exists()
    assert set(Sentence.objects.values_list("state", flat=True)) == {"open"}
    assert drafts.get_draft(annotator, held[0].pk).payload == draft("写了一半")
    released = SlotEvent.objects.filter(kind="release")
    assert [event.data["why"] for event in released] == [str(status)] * 2
    assert claims.current(annotator).nothing == NoTask.NOT_ACTIVE


def test_who_loses_the_role_of_annotator_gives_back_open_tasks(site):
    project = a_project(3)
    (annotator,) = people(project, 1)
    claims.current(annotator)
    members.change_member(annotator, by=None, roles=("reviewer",))
    assert not Slot.objects.filter(state="open").exists()


def test_what_a_pause_took_is_offered_first_afterwards(site):
    project = a_project(40)
    (annotator,) = people(project, 1)
    slot = claims.current(annotator).slot
    members.change_member(annotator, by=None, status=MemberStatus.PAUSED)
    members.change_member(annotator, by=None, status=MemberStatus.ACTIVE)
    assert claims.current(annotator).slot.sentence_id == slot.sentence_id


def test_what_was_lost_and_then_put_off_is_not_offered(site):
    project = a_project(2)
    (annotator,) = people(project, 1)
    slot = claims.current(annotator).slot
    expired(project)
    again = claims.current(annotator).slot
    claims.skip(annotator, again.pk, version=again.version)
    other = claims.current(annotator).slot
    assert other.sentence_id != slot.sentence_id
    # Put off, lost, asked for again and lost again: it is offered once more.
    submitted(annotator, other.sentence)
    claims.recall(annotator, slot.sentence_id)
    expired(project)
    assert claims.current(annotator).slot.sentence_id == slot.sentence_id


def test_giving_back_what_is_free_already_is_nothing(site):
    project = a_project(3)
    (annotator,) = people(project, 1)
    slot = claims.current(annotator).slot
    claims.release(slot, why="test")
    claims.release(slot, why="test")
    assert SlotEvent.objects.filter(kind="release").count() == 1
    assert Member.objects.get(pk=annotator.pk).status == "active"
