"""Drafts are saved, never overwritten silently, and outlive the lease."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import uuid4

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
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
from gecbench.server.models import Draft, DraftRevision, ReviewTask, Sentence, Slot
from gecbench.server.workflow import (
    claims,
    drafts,
    members,
    projects,
    review_tasks,
    submissions,
)
from gecbench.server.workflow.errors import (
    ConflictError,
    GoneError,
    NotYoursError,
    RefusedError,
)


def draft(text: str, **fields: object) -> dict[str, object]:
    return {"decision": "corrected", "texts": [text], **fields}


def texts(**conditions: object) -> list[str]:
    """First texts of all revisions that were kept, oldest first."""
    rows = DraftRevision.objects.filter(**conditions).order_by("pk")
    return [row.payload["texts"][0] for row in rows]


@pytest.fixture
def held(database):
    project = a_project(3)
    (annotator,) = people(project, 1)
    return annotator, claims.current(annotator).slot


def test_inv_10_every_saved_draft_is_kept_as_a_revision(held):
    annotator, slot = held
    at = datetime(2026, 1, 2, tzinfo=UTC)
    saved = drafts.save_draft(annotator, slot.pk, rev=0, payload=draft("一"), client_at=at)
    saved = drafts.save_draft(annotator, slot.pk, rev=saved.rev, payload=draft("二"))
    assert (saved.rev, drafts.get_draft(annotator, slot.pk)) == (2, saved)
    assert saved.payload == draft("二")
    rows = DraftRevision.objects.order_by("rev")
    assert [(row.rev, row.payload, row.conflicting) for row in rows] == [
        (1, draft("一"), False),
        (2, draft("二"), False),
    ]
    assert rows[0].client_at == at


def test_the_same_draft_sent_twice_is_saved_once(held):
    annotator, slot = held
    first = drafts.save_draft(annotator, slot.pk, rev=0, payload=draft("一"))
    again = drafts.save_draft(annotator, slot.pk, rev=0, payload=draft("一"))
    assert first == again
    assert (again.rev, DraftRevision.objects.count()) == (1, 1)


def test_another_window_is_a_conflict_and_both_texts_are_kept(held):
    annotator, slot = held
    drafts.save_draft(annotator, slot.pk, rev=0, payload=draft("左边"))
    for _ in range(2):
        with pytest.raises(ConflictError, match="another window") as conflict:
            drafts.save_draft(annotator, slot.pk, rev=0, payload=draft("右边"))
        assert conflict.value.current.payload == draft("左边")
    assert drafts.get_draft(annotator, slot.pk).payload == draft("左边")
    assert texts(conflicting=False) == ["左边"]
    assert texts(conflicting=True) == ["右边"]


def test_a_server_without_a_draft_takes_whatever_revision_the_page_has(held):
    annotator, slot = held
    assert drafts.save_draft(annotator, slot.pk, rev=7, payload=draft("一")).rev == 8


def test_racing_windows_save_one_draft_and_keep_all_texts(held):
    annotator, slot = held
    results = together(
        8, lambda n: drafts.save_draft(annotator, slot.pk, rev=0, payload=draft(f"第{n}"))
    )
    assert len([result for result in results if isinstance(result, Draft)]) == 1
    assert len([result for result in results if isinstance(result, ConflictError)]) == 7
    assert texts(conflicting=False) == drafts.get_draft(annotator, slot.pk).payload["texts"]
    assert set(texts()) == {f"第{n}" for n in range(8)}


def test_a_saved_draft_renews_the_lease_and_leaves_the_version(held):
    annotator, slot = held
    time_passes(minutes=25)
    drafts.save_draft(annotator, slot.pk, rev=0, payload=draft("一"))
    renewed = Slot.objects.get(pk=slot.pk)
    assert (renewed.lease_until - timezone.now()).total_seconds() > 29 * 60
    assert renewed.version == slot.version


def test_a_draft_asks_few_questions(held):
    annotator, slot = held
    drafts.save_draft(annotator, slot.pk, rev=0, payload=draft("一"))
    with CaptureQueriesContext(connection) as queries:
        drafts.save_draft(annotator, slot.pk, rev=1, payload=draft("二"))
    statements = [query["sql"] for query in queries]
    assert len(statements) <= 8, "\n".join(statements)


def test_inv_15_what_a_late_holder_types_is_kept_though_the_slot_is_taken(database):
    project = a_project(1, annotators=1)
    first, second = people(project, 2)
    slot = claims.current(first).slot
    drafts.save_draft(first, slot.pk, rev=0, payload=draft("一"))
    expired(project)
    claims.current(second)
    with pytest.raises(GoneError, match="kept as a draft"):
        drafts.save_draft(first, slot.pk, rev=1, payload=draft("一二"))
    (orphan,) = drafts.orphaned_drafts(first)
    assert orphan.payload == draft("一二")
    assert orphan.slot.sentence == slot.sentence
    assert drafts.orphaned_drafts(second) == ()


def test_inv_15_what_the_lapsed_holder_handed_in_elsewhere_is_no_orphan(site):
    project = a_project(2, annotators=1)
    first, second = people(project, 2)
    slot = claims.current(first).slot
    drafts.save_draft(first, slot.pk, rev=0, payload=draft("一"))
    expired(project)
    assert [draft.slot for draft in drafts.orphaned_drafts(first)] == [slot]
    again = claims.current(first).slot
    assert drafts.orphaned_drafts(first) == ()
    submitted(first, again.sentence)
    assert drafts.orphaned_drafts(first) == ()
    other = claims.current(first).slot
    drafts.save_draft(first, other.pk, rev=0, payload=draft("二"))
    claims.skip(first, other.pk, version=other.version)
    assert drafts.orphaned_drafts(first) == ()
    assert claims.current(second).slot.pk == other.pk


def test_inv_15_a_late_holder_with_another_open_task_keeps_both(site):
    project = a_project(2)
    (annotator,) = people(project, 1)
    slot = claims.current(annotator).slot
    expired(project)
    other = Slot.objects.filter(state="free").exclude(sentence=slot.sentence).first()
    claims._take(annotator, other.sentence_id)
    with pytest.raises(GoneError):
        drafts.save_draft(annotator, slot.pk, rev=0, payload=draft("一"))
    assert [draft.slot for draft in drafts.orphaned_drafts(annotator)] == [slot]


def test_what_is_typed_into_a_skipped_task_is_kept_and_does_not_take_it_up(site):
    project = a_project(2)
    (annotator,) = people(project, 1)
    slot = claims.current(annotator).slot
    claims.skip(annotator, slot.pk, version=slot.version)
    with pytest.raises(GoneError):
        drafts.save_draft(annotator, slot.pk, rev=0, payload=draft("一"))
    assert texts() == ["一"]
    assert Slot.objects.get(pk=slot.pk).state == "free"


def test_a_paused_persons_last_words_are_kept(site):
    project = a_project(2)
    (annotator,) = people(project, 1)
    slot = claims.current(annotator).slot
    members.change_member(annotator, by=None, status=MemberStatus.PAUSED)
    with pytest.raises(GoneError):
        drafts.save_draft(annotator, slot.pk, rev=0, payload=draft("一"))
    assert texts() == ["一"]


def test_a_draft_that_comes_after_the_submission_is_kept_beside_it(held):
    annotator, slot = held
    saved = drafts.save_draft(annotator, slot.pk, rev=0, payload=draft("一"))
    submissions.submit(
        annotator, slot.pk, version=slot.version, client_key=uuid4(), answer=correction("一二")
    )
    with pytest.raises(ConflictError, match="handed in already") as conflict:
        drafts.save_draft(annotator, slot.pk, rev=1, payload=draft("一二三"))
    assert conflict.value.current == saved
    assert texts(conflicting=True) == ["一二三"]


def test_nobody_saves_to_a_task_that_was_never_theirs(held):
    annotator, slot = held
    (two,) = people(annotator.project, 2)[1:]
    stranger = joined(a_project(1, slug="other"), "a1")
    for who, which in ((two, slot.pk), (stranger, slot.pk), (annotator, 10**9)):
        with pytest.raises(NotYoursError, match="not one of yours"):
            drafts.save_draft(who, which, rev=0, payload=draft("一"))
    assert drafts.get_draft(stranger, slot.pk) is None
    assert not DraftRevision.objects.exists()


@pytest.mark.parametrize(
    ("payload", "field"),
    [
        ({"text": "一"}, "text"),
        ({"texts": "一"}, "texts"),
        ({"texts": ["一", 2]}, "texts"),
        ({"decision": "perhaps"}, "decision"),
        ({"active_ms": True}, "active_ms"),
        ({"note": None}, "note"),
    ],
)
def test_a_payload_of_another_shape_is_refused_by_name(site, payload, field):
    (annotator,) = people(a_project(1), 1)
    slot = claims.current(annotator).slot
    with pytest.raises(RefusedError) as refused:
        drafts.save_draft(annotator, slot.pk, rev=0, payload=payload)
    assert [(problem.code, problem.field) for problem in refused.value.problems] == [
        ("draft-shape", field)
    ]


def test_a_payload_that_is_too_long_is_refused(site):
    (annotator,) = people(a_project(1), 1)
    slot = claims.current(annotator).slot
    with pytest.raises(RefusedError, match="more than 200000 bytes"):
        drafts.save_draft(annotator, slot.pk, rev=0, payload=draft("x" * drafts.MOST_BYTES))


def test_what_no_database_takes_is_replaced_not_refused(held):
    annotator, slot = held
    saved = drafts.save_draft(annotator, slot.pk, rev=0, payload=draft("a\0b\ud83d"))
    saved.refresh_from_db()
    assert saved.payload["texts"] == ["a\ufffdb\ufffd"]


def test_a_draft_saved_half_way_is_not_saved(site):
    from server.workflow.races import BrokenError, breaking

    (annotator,) = people(a_project(1), 1)
    slot = claims.current(annotator).slot
    with breaking(0) as all_statements:
        drafts.save_draft(annotator, slot.pk, rev=0, payload=draft("一"))
    for at in range(1, len(all_statements) + 1):
        with breaking(at), pytest.raises(BrokenError):
            drafts.save_draft(annotator, slot.pk, rev=1, payload=draft("二"))
        assert drafts.get_draft(annotator, slot.pk).payload == draft("一")
        assert DraftRevision.objects.count() == 1


@pytest.fixture
def review(database):
    project = a_project(1)
    sentence = all_submitted(sentence_of(project), people(project, 3))
    reviewer = joined(project, "r", "reviewer")
    with transaction.atomic():
        review_tasks.claim_random_task(reviewer)
    return reviewer, sentence


def typed(note: str) -> dict[str, object]:
    return {"texts": [note], "verdicts": {"a": True}, "share": 0.5, "more": None}


def test_a_reviewers_draft_is_saved_with_revisions_and_renews_the_lease(review):
    reviewer, sentence = review
    time_passes(minutes=25)
    saved = drafts.save_review_draft(reviewer, sentence, rev=0, payload=typed("一"))
    with pytest.raises(ConflictError):
        drafts.save_review_draft(reviewer, sentence, rev=0, payload=typed("二"))
    assert (saved.rev, saved.payload, texts()) == (1, typed("一"), ["一", "二"])
    lease = sentence.review_tasks.get().lease_until - timezone.now()
    assert lease.total_seconds() > 29 * 60


def test_inv_15_a_late_reviewer_gets_a_free_task_back_silently(review):
    reviewer, sentence = review
    drafts.save_review_draft(reviewer, sentence, rev=0, payload=typed("一"))
    expired(sentence.project)
    assert sentence_of(sentence.project).state == "review_ready"
    drafts.save_review_draft(reviewer, sentence, rev=1, payload=typed("二"))
    task = sentence.review_tasks.get()
    assert (task.state, task.reviewer) == ("open", reviewer.person)
    assert sentence_of(sentence.project).state == "in_review"


def test_inv_15_a_late_reviewers_text_is_kept_though_another_reviews_now(review):
    reviewer, sentence = review
    expired(sentence.project)
    other = joined(sentence.project, "r2", "reviewer")
    with transaction.atomic():
        assert review_tasks.claim_random_task(other) is not None
    with pytest.raises(GoneError, match="kept as a draft"):
        drafts.save_review_draft(reviewer, sentence, rev=0, payload=typed("一"))
    assert Draft.objects.get(person=reviewer.person).payload == typed("一")
    assert sentence.review_tasks.get().reviewer == other.person


@pytest.mark.parametrize("why", ["paused", "closed", "busy", "no reviewer"])
def test_a_late_reviewer_who_may_not_review_now_keeps_the_text_alone(site, why):
    project = a_project(2)
    boss = project.created_by
    first = all_submitted(sentence_of(project, 1), people(project, 3))
    reviewer = joined(project, "r", "reviewer", "manager")
    with transaction.atomic():
        review_tasks.claim_random_task(reviewer)
    expired(project)
    if why == "paused":
        members.change_member(reviewer, by=boss, status=MemberStatus.PAUSED)
    elif why == "closed":
        projects.archive_project(project, by=boss)
    elif why == "busy":
        all_submitted(sentence_of(project, 2), people(project, 3))
        task = ReviewTask.objects.get(sentence__number=2)
        with transaction.atomic():
            review_tasks.claim_task(reviewer, task.pk, task.sentence_id)
    else:
        members.change_member(reviewer, by=boss, roles=("manager",))
    with pytest.raises(GoneError):
        drafts.save_review_draft(reviewer, first, rev=0, payload=typed("一"))
    assert texts() == ["一"]
    assert Sentence.objects.get(pk=first.pk).state == "review_ready"


def test_nobody_else_saves_a_review_draft(review):
    _, sentence = review
    annotator = people(sentence.project, 1)[0]
    plain = joined(sentence.project, "plain")
    foreign = joined(a_project(1, slug="other"), "r", "reviewer")
    held = joined(sentence.project, "a2", "annotator", "reviewer")
    for who in (annotator, plain, foreign, held):
        with pytest.raises(NotYoursError):
            drafts.save_review_draft(who, sentence, rev=0, payload=typed("一"))
    untouched = a_project(1, slug="new")
    with pytest.raises(NotYoursError):
        drafts.save_review_draft(
            joined(untouched, "r", "reviewer"), sentence_of(untouched), rev=0, payload=typed("一")
        )
    assert not DraftRevision.objects.exists()
