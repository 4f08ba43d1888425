"""Options, teams and clocks change while people work; nothing is lost and nobody gets too much."""

from __future__ import annotations

import subprocess
import sys
from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone
from server.workflow.reviewing import (
    finalised,
    member_of,
    now,
    opened,
    study_of,
    waiting,
)
from server.workflow.stories import (
    a_project,
    claimed,
    correction,
    expired,
    joined,
    people,
    sentence_of,
    somebody,
    submit_answer,
    submitted,
    time_passes,
)

from gecbench.server.choices import ComplaintState, Role, SlotState
from gecbench.server.models import Complaint, Member, Reading, ReviewTask, Skip, Slot, Study
from gecbench.server.workflow import (
    accounts,
    claims,
    complaints,
    drafts,
    management,
    members,
    projects,
    review_tasks,
    reviews,
    sentences,
    submissions,
)
from gecbench.server.workflow.answers import Ruling
from gecbench.server.workflow.checks import check
from gecbench.server.workflow.errors import RefusedError


def put_off(member, slot):
    slot.refresh_from_db()
    claims.skip(member, slot.pk, version=slot.version)


def test_inv_8_what_was_put_off_after_taking_it_back_does_not_stand_again(site):
    project = a_project(1, annotators=2)
    first, second = people(project, 2)
    slot = claimed(first, sentence_of(project))
    for member in (first, second):
        mine = Slot.objects.get(pk=slot.pk)
        if mine.state == SlotState.FREE:
            mine = claimed(member, sentence_of(project))
        assert mine.pk == slot.pk
        submit_answer(member, mine, correction(f"{member.person.login}写的。"))
        put_off(member, submissions.reopen(member, slot.pk))
    back = claims.recall(first, slot.sentence_id).slot
    assert back.pk == slot.pk
    assert expired(project) == 1
    slot.refresh_from_db()
    assert (slot.state, slot.person) == ("free", None)
    assert sentence_of(project).submitted == 0
    assert check() == ()


def test_inv_15_a_lease_that_ends_in_a_task_taken_back_lets_the_submission_stand(site):
    project = a_project(1, annotators=2)
    (annotator,) = people(project, 1)
    submission = submitted(annotator, sentence_of(project))
    submissions.reopen(annotator, submission.slot_id)
    assert expired(project) == 1
    slot = Slot.objects.get(pk=submission.slot_id)
    assert (slot.state, slot.person_id) == ("submitted", annotator.person_id)
    assert (sentence_of(project).submitted, check()) == (1, ())


def test_inv_2_nobody_gets_one_more_task_where_the_option_was_lowered(site):
    project = a_project(4, annotators=2, open_tasks=3)
    (annotator,) = people(project, 1)
    for number in (1, 2, 3):
        claimed(annotator, sentence_of(project, number))
    put_off(annotator, Slot.objects.get(person=annotator.person, open_no=1))
    projects.change_project(project, by=somebody("boss"), options={"open_tasks": 1})
    annotator = member_of(project, "a1")
    with pytest.raises(RefusedError):
        claims.recall(annotator, Skip.objects.get().sentence_id)
    assert Slot.objects.filter(state="open").count() == 2
    assert not claims.claim(annotator).fresh


def test_a_lease_that_ends_while_its_holder_asks_for_work_is_no_fault(database, monkeypatch):
    project = a_project(2, annotators=2)
    (annotator,) = people(project, 1)
    claimed(annotator, sentence_of(project, 1))
    looked, free_place = [], sentences.free_task_number

    def looked_once(member, rules):
        place = free_place(member, rules)
        if not looked:
            expired(project)  # as another process does it, right after this one has looked
        looked.append(place)
        return place

    monkeypatch.setattr(sentences, "free_task_number", looked_once)
    assert claims._next(annotator).fresh
    assert looked[0] is None


def test_wfl_5_only_people_who_may_take_the_sentence_are_counted(site):
    project = waiting(reviewers=("rita",))
    for login in ("both", "beth"):
        joined(project, login, "annotator", "reviewer")
    task = opened(project, "both")
    reviews.hand_on(member_of(project, "both"), task.sentence_id, version=task.version, note="？")
    task = opened(project, "rita")
    rita = member_of(project, "rita")
    with pytest.raises(RefusedError) as refused:  # beth may, both has read what the others wrote
        review_tasks.return_for_more(rita, task.sentence_id, version=task.version, more=2)
    assert refused.value.problems[0].values == {"left": 1}
    review_tasks.return_for_more(rita, task.sentence_id, version=task.version, more=1)
    assert claims.current(member_of(project, "both")).slot is None
    assert claims.current(member_of(project, "beth")).fresh


@pytest.mark.parametrize("how", ["without a word", "while another has it"])
def test_inv_11_who_has_only_read_does_not_annotate_the_sentence_later(site, how):
    project = waiting(reviewers=("rita",))
    both = joined(project, "both", "annotator", "reviewer")
    if how == "without a word":
        opened(project, "both")
        expired(project)
        task = opened(project, "rita")
    else:
        task = opened(project, "rita")
        assert reviews.open_review(both, task.sentence_id).reviewer.login == "rita"
        reviews.open_review(both, task.sentence_id)  # twice is once
    assert Reading.objects.filter(person=both.person_id).count() == 1
    rita = member_of(project, "rita")
    fourth = joined(project, "a4")
    words = {"version": task.version, "more": 1}
    with pytest.raises(RefusedError):  # the note is not cut
        review_tasks.return_for_more(rita, task.sentence_id, **words, note="少" * 10_001)
    review_tasks.return_for_more(rita, task.sentence_id, **words, note="少")
    assert claims.current(both).slot is None
    assert claims.current(fourth).fresh


@pytest.mark.parametrize("how", ["two hand it on", "the lease ends"])
def test_inv_11_who_has_reviewed_does_not_annotate_the_sentence_later(site, how):
    project = waiting(reviewers=("rita",))
    both, beth = (joined(project, login, "annotator", "reviewer") for login in ("both", "beth"))
    task = opened(project, "both")
    drafts.save_review_draft(both, task.sentence, rev=0, payload={"note": "第二句？"})
    if how == "the lease ends":
        expired(project)
    else:
        for who in (both, beth):
            task = opened(project, who.person.login)
            reviews.hand_on(who, task.sentence_id, version=task.version, note="？")
    task = opened(project, "rita")
    rita = member_of(project, "rita")
    fourth = joined(project, "a4")
    review_tasks.return_for_more(rita, task.sentence_id, version=task.version, more=1, note="少")
    assert claims.current(both).slot is None
    assert claims.current(fourth).fresh


def test_the_words_of_who_asks_for_more_stand_under_their_own_name(site):
    project = waiting(reviewers=("rita", "rolf"))
    task = opened(project)
    rita, rolf = member_of(project, "rita"), member_of(project, "rolf")
    reviews.hand_on(rita, task.sentence_id, version=task.version, note="难")
    task = opened(project, "rolf")
    fourth = joined(project, "a4")
    review_tasks.return_for_more(rolf, task.sentence_id, version=task.version, more=1, note="太少")
    submitted(fourth, sentence_of(project))
    again = ReviewTask.objects.get(state="free")
    assert (again.note, again.handed_by, again.not_for) == ("太少", rolf.person, rita.person)


@pytest.mark.parametrize("how", ["take back", "raise", "raise all", "return"])
def test_rev_10_a_second_opinion_that_was_asked_for_outlives_the_queue(site, how):
    project = waiting(reviewers=("rita", "rolf"))
    task = opened(project)
    rita = member_of(project, "rita")
    reviews.second_opinion(rita, task.sentence_id, version=task.version, note="第二句对吗？")
    fourth = joined(project, "a4")
    if how == "take back":
        slot = Slot.objects.get(person__login="a1")
        submit_answer(
            member_of(project, "a1"), submissions.reopen(member_of(project, "a1"), slot.pk)
        )
    elif how == "raise":
        management.raise_needed(member_of(project, "boss"), task.sentence_id, more=1)
    elif how == "raise all":
        projects.change_project(project, by=somebody("boss"), annotators=4)
    else:
        task = opened(project, "rolf")
        rolf = member_of(project, "rolf")
        review_tasks.return_for_more(rolf, task.sentence_id, version=task.version, more=1)
    if how != "take back":
        submitted(fourth, sentence_of(project))
    again = ReviewTask.objects.get(state="free")
    assert (again.kind, again.not_for, again.handed_by) == ("second", rita.person, rita.person)
    assert again.note == "第二句对吗？"
    assert reviews.current_review(rita).task is None
    assert reviews.current_review(member_of(project, "rolf")).task == again


def test_a_review_that_was_decided_hands_nothing_on_to_the_next(site):
    project = waiting(reviewers=("rita", "rolf", "ruth"))
    task = opened(project)
    rita = member_of(project, "rita")
    reviews.second_opinion(rita, task.sentence_id, version=task.version, note="？")
    finalised(project, login="rolf")
    boss = member_of(project, "boss")
    again = management.reopen_sentence(boss, task.sentence_id, reason="再看")
    assert (again.kind, again.handed_by, again.note) == ("reopened", None, "再看")


def test_a_review_whose_page_is_loaded_again_is_leased_again(site):
    project = waiting()
    rita = member_of(project, "rita")
    task = reviews.current_review(rita).task
    time_passes(minutes=35)
    assert reviews.current_review(rita).task.lease_until > timezone.now()
    assert now(task).lease_until > timezone.now()


def test_a_jump_of_the_clock_takes_no_review_away_from_who_has_it(site, monkeypatch):
    project = waiting(reviewers=("rita", "rolf"))
    task = opened(project)
    time_passes()
    with monkeypatch.context() as patch:
        patch.setattr(review_tasks.ClockWatch, "jumped_within", lambda *_: True)
        assert opened(project, "rolf").reviewer == task.reviewer
    assert opened(project, "rolf").reviewer.login == "rolf"


def test_the_clocks_are_watched_from_the_start_of_the_process():
    module = "gecbench.server.workflow.review_tasks"
    code = f"import django; django.setup(); from {module} import clock_watch; "
    code += "print(clock_watch.cache_info().currsize)"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout == "1\n"


def test_stu_7_an_item_whose_complaint_is_undecided_keeps_nobody_from_work(site):
    project = waiting(texts=2, reviewers=("rita", "rolf"), study_gate=True, study_days=1)
    finalised(project)
    item = study_of(project, "a2")
    Study.objects.update(opened_at=timezone.now() - timedelta(days=9))
    a2 = member_of(project, "a2")
    assert claims.current(a2).nothing == "study_first"
    complaint = complaints.complain(a2, item.pk, argument="对的", client_key=uuid4())
    assert claims.current(a2).fresh
    complaints.decide(
        member_of(project, "rolf"), complaint.pk, version=complaint.version, client_key=uuid4(),
        ruling=Ruling(ComplaintState.DISMISSED, "不对"),
    )  # fmt: skip
    assert claims._refusal(member_of(project, "a2")) == "study_first"


def test_cmp_3_where_no_manager_may_decide_a_reviewer_has_the_last_word(site):
    project = waiting(reviewers=("rita", "rolf"))
    finalised(project)
    members.change_member(member_of(project, "a1"), by=None, roles=[Role.ANNOTATOR, Role.MANAGER])
    members.change_member(member_of(project, "boss"), by=None, roles=[Role.ANNOTATOR])
    item, a2 = study_of(project, "a2"), member_of(project, "a2")
    for decider in ("rolf", "rita"):
        complaint = complaints.complain(a2, item.pk, argument="对的", client_key=uuid4())
        assert complaints.may_decide_now(member_of(project, decider), complaint)
        complaints.decide(
            member_of(project, decider),
            complaint.pk,
            version=complaint.version,
            client_key=uuid4(),
            ruling=Ruling(ComplaintState.DISMISSED, "不对"),
        )
    assert complaint.level == 2


def test_cmp_3_an_administrator_who_is_no_member_has_a_managers_word(site):
    project = waiting(reviewers=("rita", "rolf"))
    finalised(project)
    item, a2 = study_of(project, "a2"), member_of(project, "a2")
    root = Member(project=project, person=somebody("root", is_administrator=True), is_manager=True)
    for level, who in ((1, member_of(project, "rolf")), (2, root)):
        complaint = complaints.complain(a2, item.pk, argument="对的", client_key=uuid4())
        assert (complaint.level, complaints.may_decide_now(root, complaint)) == (level, level == 2)
        complaints.decide(
            who, complaint.pk, version=complaint.version, client_key=uuid4(),
            ruling=Ruling(ComplaintState.DISMISSED, "不对"),
        )  # fmt: skip
    assert Complaint.objects.get(level=2).handler.login == "root"


def test_inv_3_an_administrator_who_wrote_the_sentence_decides_nothing(site):
    project = waiting(reviewers=("rita", "rolf"))
    finalised(project)
    item, a2 = study_of(project, "a2"), member_of(project, "a2")
    for login in ("rita", "rolf"):
        members.change_member(member_of(project, login), by=None, roles=[Role.ANNOTATOR])
    complaint = complaints.complain(a2, item.pk, argument="对的", client_key=uuid4())

    def may(login):
        return complaints.may_decide_now(
            Member(project=project, person=somebody(login), is_manager=True), complaint
        )

    assert not may("root")  # boss may, who is a manager
    Member.objects.filter(person__login="boss").update(status="left")
    assert [may(login) for login in ("a2", "a1", "root")] == [False, False, True]


def test_who_is_shut_out_gives_back_reviews_too(site):
    project = waiting(reviewers=("rita", "rolf"))
    task = opened(project)
    accounts.deactivate(somebody("rita"))
    assert (now(task).state, now(task).reviewer) == ("free", None)
    assert opened(project, "rolf").reviewer.login == "rolf"
    assert check() == ()
