"""Each invariant is recounted from the rows: what breaks one is found, and nothing else is."""

from __future__ import annotations

import json
from uuid import uuid4

import pytest
from django.db import connection
from server.workflow.reviewing import BAD, FAIR, GOOD, finalised, member_of, study_of, waiting
from server.workflow.stories import (
    a_project,
    all_submitted,
    claimed,
    correction,
    error_free,
    joined,
    people,
    sentence_of,
    submitted,
)

from gecbench.server.models import (
    Complaint,
    Draft,
    Golden,
    GoldenReference,
    Project,
    Reference,
    Release,
    ReleaseItem,
    Review,
    ReviewTask,
    Sentence,
    Slot,
    SlotEvent,
    Study,
    Submission,
    Verdict,
)
from gecbench.server.rules.text import digest
from gecbench.server.workflow import complaints, drafts, management, projects, reviews
from gecbench.server.workflow.checks import CHECKS, check


def in_all_states() -> None:
    """Sentences that are golden with an item, in review, ready, begun, open, withdrawn."""
    project = waiting(
        correction(GOOD), correction(FAIR, BAD), error_free(),
        texts=7, reviewers=["rita", "rolf"],
    )  # fmt: skip
    finalised(project)
    a1, a2, a3 = people(project, 3)
    for number in (2, 3, 6):
        all_submitted(sentence_of(project, number), (a1, a2, a3))
    reviews.open_review(member_of(project, "rita"), sentence_of(project, 2).pk)
    submitted(a1, sentence_of(project, 4))
    slot = claimed(a2, sentence_of(project, 4))
    payload = {"decision": "corrected", "texts": ["写"], "reason": "", "note": ""}
    drafts.save_draft(a2, slot.pk, rev=0, payload=payload)
    management.withdraw(member_of(project, "boss"), [sentence_of(project, 6).pk], reason="重复")
    task = reviews.open_review(member_of(project, "rolf"), sentence_of(project, 3).pk)
    reviews.hand_on(member_of(project, "rolf"), task.sentence_id, version=task.version, note="？")
    assert check() == ()


@pytest.fixture
def project(furnished) -> Project:
    furnished("test_checks", in_all_states)
    return Project.objects.get()


def run(sql: str, *values: object) -> None:
    """Run a statement with no trigger, constraint or key in its way."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET session_replication_role = replica")
        else:
            cursor.execute("PRAGMA foreign_keys = OFF")
            cursor.execute("PRAGMA ignore_check_constraints = ON")
        cursor.execute(sql, values)


def unguarded(*names: str) -> None:
    """Drop triggers, indexes and constraints, so that rows can be broken."""
    with connection.cursor() as cursor:
        for name in names:
            table, _, rest = name.partition(".")
            if connection.vendor == "sqlite":
                kind = "TRIGGER" if "_no_" in rest or rest.endswith("_kept") else "INDEX"
                cursor.execute(f"DROP {kind} IF EXISTS {rest}")
            elif not ("_no_" in rest and rest.endswith(("update", "delete"))):
                cursor.execute(f'ALTER TABLE "{table}" DROP CONSTRAINT IF EXISTS {rest}')
                cursor.execute(f"DROP INDEX IF EXISTS {rest}")


def problems(project_id: int | None = None) -> list[tuple[str, str]]:
    return [(violation.invariant, violation.where) for violation in check(project_id)]


def broken(invariant: str, number: int = 1) -> list[tuple[str, str]]:
    return [(invariant, f"story #{number}")]


def pk(number: int = 1) -> int:
    return Sentence.objects.get(number=number).pk


def drop_append_only(*tables: str) -> None:
    unguarded(
        *(f"{table}.{table}_no_{event}" for table in tables for event in ("update", "delete"))
    )


def test_inv_1_a_slot_too_many_is_found(project):
    sentence = sentence_of(project, 5)
    Slot.objects.create(project=project, sentence=sentence, no=9)
    (violation,) = check()
    assert (violation.invariant, violation.where, violation.message) == (
        *("INV-1", "story #5"),
        "has 4 slots; it needs 3",
    )


def test_inv_1_one_person_in_two_slots_of_a_sentence_is_found(project):
    unguarded("slot.slot_person_once")
    person = member_of(project, "a1").person
    slots = Slot.objects.filter(sentence=pk(2))
    run("UPDATE slot SET person_id = %s WHERE sentence_id = %s", person.pk, pk(2))
    assert slots.count() == 3
    assert ("INV-1", "story #2") in problems()


def test_inv_2_two_tasks_in_one_place_are_found(project):
    unguarded("slot.slot_open_once")
    a2 = member_of(project, "a2").person
    run(
        "UPDATE slot SET state = 'open', person_id = %s, open_no = 1, lease_until = "
        "(SELECT lease_until FROM slot WHERE state = 'open') WHERE sentence_id = %s AND no = 1",
        a2.pk,
        pk(5),
    )
    assert ("INV-2", f"story #{a2.pk}") in problems()


def test_inv_2_a_free_slot_of_somebody_is_found(project):
    unguarded("slot.slot_free_is_nobodys")
    a1 = member_of(project, "a1").person
    run("UPDATE slot SET person_id = %s WHERE sentence_id = %s AND no = 1", a1.pk, pk(5))
    assert problems() == broken("INV-2", 5)


def test_inv_3_a_reviewer_who_held_a_slot_is_found(project):
    slot = Slot.objects.filter(sentence=pk(1)).first()
    for login, number in (("rita", 1), ("rita", 2)):
        person = member_of(project, login).person
        SlotEvent.objects.create(slot=slot, sentence_id=pk(number), person=person, kind="renew")
    assert problems() == [*broken("INV-3", 1), *broken("INV-3", 2)]


def test_inv_4_a_wrong_counter_is_found(project):
    Sentence.objects.filter(number=4).update(submitted=2)
    assert problems() == broken("INV-4", 4)


@pytest.mark.parametrize(
    ("number", "state"),
    [(2, "annotating"), (4, "review_ready"), (4, "open"), (5, "annotating"), (3, "in_review")],
)
def test_inv_4_a_state_that_slots_and_tasks_contradict_is_found(project, number, state):
    Sentence.objects.filter(number=number).update(state=state)
    assert set(problems()) == {("INV-4", f"story #{number}")}


def test_inv_4_a_sentence_twice_or_never_in_the_queue_is_found(project):
    unguarded("review_task.review_task_once")
    ReviewTask.objects.create(project=project, sentence_id=pk(3))
    assert problems() == broken("INV-4", 3)
    ReviewTask.objects.filter(sentence=pk(3)).update(state="done")
    assert problems() == broken("INV-4", 3)


def test_inv_5_a_slot_that_its_history_contradicts_is_found(project):
    unguarded("slot.slot_free_is_nobodys")
    Slot.objects.filter(sentence=pk(4), state="submitted").update(state="passed")
    assert set(problems()) == {("INV-5", "story #4"), ("INV-7", "story #4")}


def test_inv_5_a_slot_that_its_items_contradict_is_found(project):
    slot = study_of(project, "a2").submission.slot
    SlotEvent.objects.create(slot=slot, sentence_id=pk(1), person=slot.person, kind="pass")
    Slot.objects.filter(pk=slot.pk).update(state="passed")
    assert problems() == broken("INV-5")


@pytest.mark.parametrize("state", ["disputed", "golden"])
def test_cmp_1_a_state_that_complaints_contradict_is_found(project, state):
    if state == "golden":
        item = study_of(project, "a2")
        complaints.complain(member_of(project, "a2"), item.pk, argument="？", client_key=uuid4())
    Sentence.objects.filter(number=1).update(state=state)
    assert problems() == broken("CMP-1")
    assert Complaint.objects.count() == (state == "golden")


def test_inv_6_a_golden_set_that_is_not_the_highest_is_found(project):
    Golden.objects.create(sentence_id=pk(1), version=2, kind="error_free")
    assert problems() == broken("INV-6")


def test_inv_6_a_golden_state_without_a_set_is_found(project):
    Sentence.objects.filter(number=1).update(golden=None)
    assert ("INV-6", "story #1") in problems()


def test_inv_6_a_gap_between_versions_is_found(project):
    golden = Golden.objects.create(sentence_id=pk(1), version=3, kind="error_free")
    Sentence.objects.filter(number=1).update(golden=golden)
    assert ("INV-6", "story #1") in problems()


def test_inv_6_the_golden_set_of_another_sentence_is_found(project):
    Sentence.objects.filter(number=7).update(golden=Golden.objects.get())
    assert ("INV-6", "story #7") in problems()


def test_inv_6_con_1_an_error_free_set_with_a_text_is_found(project):
    golden = Golden.objects.create(sentence_id=pk(1), version=2, kind="error_free")
    Sentence.objects.filter(number=1).update(golden=golden)
    row = Reference.objects.filter(sentence=pk(1)).first()
    GoldenReference.objects.create(golden=golden, reference=row, position=0)
    messages = [violation.message for violation in check() if violation.invariant == "INV-6"]
    assert messages == ["golden version 2 is error_free with 1 references"]


def test_inv_6_a_reference_of_another_sentence_is_found(project):
    row = Reference.objects.filter(sentence=pk(2)).first()
    GoldenReference.objects.create(golden=Golden.objects.get(), reference=row, position=9)
    assert problems() == broken("INV-6")


def test_con_10_one_text_twice_in_a_set_is_found(project):
    row = Reference.objects.create(
        sentence_id=pk(1), text=GOOD, digest=digest(GOOD), origin="added"
    )
    GoldenReference.objects.create(golden=Golden.objects.get(), reference=row, position=9)
    assert problems() == broken("CON-10")


@pytest.mark.parametrize(
    ("texts", "rule"),
    [(["我[缺失成分]。"], "CON-3"), (["我[缺失成分]。", "我[缺失成分][缺失成分]。"], "CON-4")],
)
def test_con_3_and_4_placeholders_that_differ_are_found(project, texts, rule):
    golden = Golden.objects.get()
    if rule == "CON-4":
        golden = Golden.objects.create(sentence_id=pk(1), version=2, kind="corrected")
        Sentence.objects.filter(number=1).update(golden=golden)
    for n, text in enumerate(texts, 10):
        row = Reference.objects.create(
            sentence_id=pk(1), text=text, digest=digest(text), origin="added"
        )
        GoldenReference.objects.create(golden=golden, reference=row, position=n)
    assert (rule, "story #1") in problems()
    boss = member_of(project, "boss").person
    projects.change_project(project, by=boss, options={"rules": {rule: "warn"}})
    assert rule not in {invariant for invariant, _ in problems()}
    # What was decided while the rule only warned is no fault for ever once it blocks again.
    projects.change_project(project, by=boss, options={"rules": {rule: "block"}})
    assert rule not in {invariant for invariant, _ in problems()}


def test_inv_7_what_was_judged_without_a_verdict_is_found(project):
    drop_append_only("verdict")
    run("DELETE FROM verdict WHERE digest = %s", digest(BAD))
    assert problems() == broken("INV-7")
    run("DELETE FROM verdict WHERE decision = 'error_free'")
    assert problems() == [*broken("INV-7"), *broken("INV-7")]
    assert Verdict.objects.count() == 2


def test_inv_8_a_lost_submission_is_found(project):
    drop_append_only("submission", "reference")
    slot = Slot.objects.get(sentence=pk(4), state="submitted")
    run("DELETE FROM reference WHERE sentence_id = %s", pk(4))
    assert problems() == broken("ANN-9", 4)
    run("DELETE FROM submission WHERE slot_id = %s", slot.pk)
    assert problems() == broken("INV-8", 4)


def test_inv_8_a_gap_between_submissions_is_found(project):
    drop_append_only("submission")
    run("UPDATE submission SET no = 2 WHERE sentence_id = %s", pk(4))
    assert problems() == broken("INV-8", 4)


def test_ann_9_a_decision_with_texts_is_found(project):
    drop_append_only("submission")
    run("UPDATE submission SET decision = 'error_free' WHERE sentence_id = %s", pk(4))
    assert problems() == broken("ANN-9", 4)


def test_inv_9_a_key_that_was_used_twice_is_found(on_postgresql):
    """SQLite keeps that key inside the table: it cannot be broken."""
    in_all_states()
    with connection.cursor() as cursor:
        names = connection.introspection.get_constraints(cursor, "submission")
    keyed = (name for name, constraint in names.items() if constraint["columns"] == ["client_key"])
    unguarded(*(f"submission.{name}" for name in keyed))
    run("UPDATE submission SET client_key = %s WHERE sentence_id = %s", uuid4(), pk(2))
    assert problems() == broken("INV-9", 2)


def test_inv_10_a_draft_without_its_revision_is_found(project):
    draft = Draft.objects.get(slot__sentence=pk(4), slot__state="open")
    Draft.objects.filter(pk=draft.pk).update(payload={"texts": ["别的"]})
    assert problems() == broken("INV-10", 4)
    Draft.objects.filter(pk=draft.pk).update(payload=draft.payload, rev=7)
    assert problems() == broken("INV-10", 4)


def test_con_10_a_text_that_was_changed_is_found(project):
    drop_append_only("reference")
    run("UPDATE reference SET text = 'x' WHERE sentence_id = %s", pk(4))
    assert problems() == broken("CON-10", 4)


def test_con_10_a_sentence_that_was_changed_is_found(project):
    unguarded("sentence.sentence_kept")
    run("UPDATE sentence SET text = 'x' WHERE id = %s", pk(4))
    assert problems() == broken("CON-10", 4)


def test_stu_1_and_5_missing_items_are_found(project):
    run("DELETE FROM study")
    assert {problem for problem in problems() if problem[0].startswith("STU")} == {
        ("STU-1", "story #1"),
        ("STU-5", "story #1"),
    }


def test_stu_8_an_item_about_what_is_golden_is_found(project):
    row = study_of(project, "a2").reference
    GoldenReference.objects.create(golden=Golden.objects.get(), reference=row, position=9)
    assert problems() == broken("STU-8")


def test_stu_8_an_item_about_the_golden_decision_is_found(project):
    drop_append_only("golden_reference", "golden")
    run("DELETE FROM golden_reference")
    run("UPDATE golden SET kind = 'error_free'")
    assert ("STU-8", "story #1") in problems()
    assert Study.objects.filter(reference=None, state="open").count() == 1


def test_inv_12_a_released_sentence_that_is_not_real_is_found(project):
    release = Release.objects.create(project=project, name="v1", manifest_sha256="0" * 64)
    ReleaseItem.objects.create(
        release=release, sentence_id=pk(1), golden=Golden.objects.get(), position=0
    )
    assert problems() == []
    Sentence.objects.filter(number=1).update(purpose="trial")
    violations = check()  # its submissions are not for real work either
    assert {violation.invariant for violation in violations} == {"INV-12"}
    assert "is in the release 'v1', where it may not be like this" in {
        violation.message for violation in violations
    }


def test_a_changed_row_of_the_log_is_found(project):
    drop_append_only("audit")
    run("UPDATE audit SET data = %s WHERE seq = 2", json.dumps({"x": 1}))
    assert {violation.invariant for violation in check()} == {"audit"}


def test_one_project_or_all_are_looked_at_and_not_without_end(project):
    other = a_project(3, slug="other")
    Sentence.objects.filter(project=other).update(submitted=1)
    wrong = [("INV-4", f"other #{n}") for n in (1, 2, 3)]
    assert problems() == problems(other.pk) == wrong
    assert problems(project.pk) == []
    assert len(check(most=2)) == 2
    golden = Golden.objects.get()
    assert Review.objects.get().goldens.get() == golden
    assert Submission.objects.count() == 13
    joined(other, "x")


def test_there_is_a_check_for_each_invariant_of_the_tables():
    text = " ".join(check.__doc__ or "" for check in CHECKS)
    for invariant in ("INV-1", "INV-2", "INV-3", "INV-4", "INV-5", "INV-6", "INV-7", "INV-8"):
        assert invariant in text
    for invariant in ("INV-9", "INV-10", "INV-12", "CON-10", "STU-1", "CMP-1"):
        assert invariant in text
