"""Complaints are made, discussed and decided; who may do what."""

from __future__ import annotations

from uuid import uuid4

import pytest
from server.remembering import remembered
from server.workflow.reviewing import (
    BAD,
    FAIR,
    GOOD,
    finalised,
    member_of,
    study_of,
    waiting,
)
from server.workflow.stories import correction, joined, sentence_of

from gecbench.server.choices import ComplaintState, MemberStatus, Role
from gecbench.server.models import (
    Complaint,
    GuidelineCase,
    Message,
    Notice,
    Release,
    ReleaseItem,
    Study,
)
from gecbench.server.workflow import complaints, management, members, studies
from gecbench.server.workflow.answers import Ruling
from gecbench.server.workflow.checks import check
from gecbench.server.workflow.errors import (
    ConflictError,
    NotAllowedError,
    NotYoursError,
    RefusedError,
)

DISMISSED = Ruling(ComplaintState.DISMISSED, note="缺动词，不通。")


@remembered
def decided(*answers, reviewers=("rita", "rolf"), right=(GOOD, FAIR), **options):
    """A project whose first sentence is decided by rita."""
    project = waiting(*answers, reviewers=reviewers, **options)
    finalised(project, right)
    return project


@remembered
def complained(project, login="a2", argument="我觉得可以。"):
    item = study_of(project, login)
    return complaints.complain(
        member_of(project, login), item.pk, argument=argument, client_key=uuid4()
    )


def ruled(project, complaint, login="rolf", ruling=DISMISSED, **fields):
    row = Complaint.objects.get(pk=complaint.pk)
    options = {"version": row.version, "client_key": uuid4(), **fields}
    return complaints.decide(member_of(project, login), complaint.pk, ruling=ruling, **options)


def who_may(project, complaint):
    """The logins of members who may decide it."""
    row = Complaint.objects.get(pk=complaint.pk)
    return {
        member.person.login
        for member in project.members.select_related("person")
        if complaints.may_decide_now(member, row)
    }


def slot_state(project, login):
    return sentence_of(project).slots.get(person__login=login).state


def test_cmp_1_a_complaint_makes_sentence_and_slot_disputed(site):
    project = decided()
    complaint = complained(project, argument=" 我觉得可以。\n")
    assert (complaint.state, complaint.level, complaint.person.login) == ("open", 1, "a2")
    assert (complaint.first_reviewer.login, complaint.handler) == ("rita", None)
    message = Message.objects.get()
    assert (message.text, message.person.login) == ("我觉得可以。", "a2")
    assert sentence_of(project).state == "disputed"
    assert slot_state(project, "a2") == "disputed"
    assert studies.lesson(member_of(project, "a2"), complaint.study_id).complaint == complaint.pk
    assert check() == ()


@pytest.mark.parametrize("argument", ["", " \n", "长" * 10_001])
def test_cmp_1_an_argument_is_required(site, argument):
    project = decided()
    with pytest.raises(RefusedError) as refused:
        complained(project, argument=argument)
    assert refused.value.problems[0].field == "argument"
    assert sentence_of(project).state == "golden"


def test_cmp_1_one_complaint_at_a_time_and_none_about_a_closed_item(site):
    project = decided()
    complained(project)
    with pytest.raises(RefusedError, match="is not decided yet"):
        complained(project)
    item = study_of(project, "a2")
    studies.waive(member_of(project, "boss"), item.pk, note="算了")
    with pytest.raises(RefusedError, match="This item is closed already"):
        complaints.complain(member_of(project, "a2"), item.pk, argument="?", client_key=uuid4())


def test_cmp_1_nobody_complains_for_another(site):
    project = decided()
    item = study_of(project, "a2")
    for login in ("a1", "rita"):
        with pytest.raises(NotYoursError, match="there is no study item"):
            complaints.complain(
                member_of(project, login), item.pk, argument="?", client_key=uuid4()
            )


def test_inv_9_the_same_key_twice_is_one_complaint(database):
    project = decided()
    item, a2, key = study_of(project, "a2"), member_of(project, "a2"), uuid4()
    first = complaints.complain(a2, item.pk, argument="一", client_key=key)
    again = complaints.complain(a2, item.pk, argument="二", client_key=key)
    assert (again, Message.objects.get().text) == (first, "一")


def test_a_key_of_another_message_is_a_conflict(site):
    project = decided(correction(GOOD), correction(BAD), correction(BAD))
    complaint = complained(project)
    key = Message.objects.get().client_key
    with pytest.raises(ConflictError, match="this key was used for something else"):
        complaints.complain(
            member_of(project, "a3"), study_of(project, "a3").pk, argument="?", client_key=key
        )
    with pytest.raises(ConflictError, match="this key was used for something else"):
        complaints.add_message(member_of(project, "rolf"), complaint.pk, text="?", client_key=key)


def test_no_complaint_while_the_sentence_is_reviewed_anew(site):
    project = decided()
    sentence = sentence_of(project)
    management.reopen_sentence(member_of(project, "boss"), sentence.pk, reason="再看")
    with pytest.raises(ConflictError, match="is being reviewed again"):
        complained(project)


def test_a_sentence_with_an_open_complaint_is_not_reopened(site):
    project = decided()
    complained(project)
    with pytest.raises(RefusedError, match="is an undecided complaint"):
        management.reopen_sentence(
            member_of(project, "boss"), sentence_of(project).pk, reason="再看"
        )


def test_cmp_2_another_reviewer_decides_by_default(site):
    project = decided()
    joined(project, "a1", "annotator", "reviewer")  # held a slot
    joined(project, "a2", "annotator", "reviewer")  # complains
    complaint = complained(project)
    assert who_may(project, complaint) == {"rolf"}
    for login in ("rita", "a1", "a2", "boss", "a3"):
        with pytest.raises(NotYoursError, match="is not for this member to decide"):
            ruled(project, complaint, login)


def test_cmp_2_the_same_reviewer_decides_where_the_project_says_so(site):
    project = decided(complaints_to="same")
    complaint = complained(project)
    assert complaint.handler.login == "rita"
    assert who_may(project, complaint) == {"rita"}
    members.change_member(member_of(project, "rita"), by=None, status=MemberStatus.PAUSED)
    assert who_may(project, complaint) == {"rolf"}


def test_cmp_2_a_small_team_never_blocks_for_ever(site):
    project = decided(reviewers=["rita"])
    complaint = complained(project)
    assert who_may(project, complaint) == {"boss"}
    joined(project, "rita", "reviewer", "manager")
    members.change_member(member_of(project, "boss"), by=None, status=MemberStatus.PAUSED)
    assert who_may(project, complaint) == {"rita"}


def test_cmp_3_a_dismissal_needs_a_reason_and_study_goes_on(site):
    project = decided()
    complaint = complained(project)
    with pytest.raises(RefusedError, match="Say why"):
        ruled(project, complaint, ruling=Ruling(ComplaintState.DISMISSED))
    done = ruled(project, complaint, ruling=Ruling(DISMISSED.outcome, "缺动词", section="4.2"))
    row = Complaint.objects.get()
    assert (row.state, row.handler.login, row.decision_note, row.section) == (
        *("dismissed", "rolf"),
        *("缺动词", "4.2"),
    )
    assert row.decided_at is not None
    assert (done.version, row.version) == (2, 2)
    assert (sentence_of(project).state, slot_state(project, "a2")) == ("golden", "study")
    assert sentence_of(project).golden.version == 1
    lesson = studies.lesson(member_of(project, "a2"), complaint.study_id)
    assert (lesson.verdict.note, lesson.verdict.section) == ("缺动词", "4.2")
    assert Notice.objects.filter(person__login="a2", kind="complaint_decided").count() == 1
    assert check() == ()


def test_cmp_3_the_second_complaint_goes_to_a_manager_whose_word_is_final(site):
    project = decided()
    ruled(project, complained(project))
    second = complained(project, argument="还是觉得可以。")
    assert (second.level, who_may(project, second)) == (2, {"boss"})
    ruled(project, second, "boss")
    with pytest.raises(RefusedError, match="the final decision"):
        complained(project)
    assert study_of(project, "a2").state == "open"
    assert check() == ()


@pytest.mark.parametrize("outcome", ["open", "discussed"])
def test_cmp_3_a_ruling_is_one_of_three(site, outcome):
    project = decided()
    with pytest.raises(RefusedError, match="one of the three decisions"):
        ruled(project, complained(project), ruling=Ruling(ComplaintState(outcome), "?"))


def test_a_stale_ruling_is_a_conflict(site):
    project = decided()
    complaint = complained(project)
    complaints.add_message(
        member_of(project, "rolf"), complaint.pk, text="为什么？", client_key=uuid4()
    )
    with pytest.raises(ConflictError, match="the complaint has changed meanwhile") as stale:
        ruled(project, complaint, version=1)
    assert stale.value.current.state == "discussed"
    ruled(project, complaint)
    with pytest.raises(ConflictError, match="the complaint has changed meanwhile"):
        ruled(project, complaint)
    with pytest.raises(NotYoursError, match="there is no complaint 999"):
        complaints.decide(
            member_of(project, "rolf"), 999, version=1, client_key=uuid4(), ruling=DISMISSED
        )


def test_inv_9_the_same_key_twice_is_one_ruling(database):
    project = decided(correction(GOOD), correction(BAD), correction(BAD))
    complaint, other = complained(project), complained(project, "a3")
    key = uuid4()
    first = ruled(project, complaint, client_key=key)
    again = ruled(project, complaint, client_key=key, version=1)
    assert (again, again.version) == (first, first.version)
    with pytest.raises(ConflictError, match="this key was used for something else"):
        ruled(project, other, client_key=key)


def talk(project, complaint, login, text="为什么？"):
    key = uuid4()
    return complaints.add_message(
        member_of(project, login), complaint.pk, text=text, client_key=key
    )


def test_cmp_4_the_talk_is_for_author_reviewers_and_managers(site):
    project = decided()
    joined(project, "a1", "annotator", "reviewer")
    complaint = complained(project)
    state = "open"
    for login, after in (("a2", "open"), ("rita", "discussed"), ("boss", "discussed")):
        assert Complaint.objects.get().state == state
        talk(project, complaint, login)
        state = after
    for login in ("a1", "a3"):
        with pytest.raises(NotYoursError, match="there is no complaint"):
            talk(project, complaint, login)
    notices = Notice.objects.filter(kind="complaint_message").order_by("pk")
    assert sorted(notices.values_list("person__login", flat=True)) == ["a2", "a2", "rita"]
    with pytest.raises(RefusedError, match="Write something"):
        talk(project, complaint, "a2", " ")


def test_cmp_4_a_message_is_said_once_and_the_talk_goes_on_after_the_decision(site):
    project = decided()
    complaint = complained(project)
    ruled(project, complaint)
    rolf, key = member_of(project, "rolf"), uuid4()
    first = complaints.add_message(rolf, complaint.pk, text="好吗？", client_key=key)
    assert complaints.add_message(rolf, complaint.pk, text="好吗？", client_key=key) == first
    assert Complaint.objects.get().state == "dismissed"


def test_cmp_4_a_manager_marks_a_guideline_case_once(site):
    project = decided()
    complaint, boss = complained(project), member_of(project, "boss")
    case = complaints.mark_case(boss, complaint.pk, note=" 标点？ ")
    assert (case.note, case.complaint, case.by) == ("标点？", complaint, boss.person)
    assert complaints.mark_case(boss, complaint.pk, note="又") == case
    assert GuidelineCase.objects.count() == 1
    with pytest.raises(RefusedError, match="note is too long"):
        complaints.mark_case(boss, complaint.pk, note="长" * 10_001)
    with pytest.raises(NotAllowedError, match="only for the role manager"):
        complaints.mark_case(member_of(project, "rolf"), complaint.pk, note="?")


def listed(project, login, **state):
    rows = complaints.list_complaints(member_of(project, login), **state)
    return [(row.person.login, row.level) for row in rows]


def test_everybody_sees_the_complaints_that_are_their_business(site):
    project = decided(correction(GOOD), correction(BAD), correction(BAD))
    joined(project, "a1", "annotator", "reviewer")
    ruled(project, complained(project, "a2"))
    complained(project, "a3")
    complained(project, "a2", "再次")
    assert listed(project, "boss") == [("a2", 2), ("a3", 1), ("a2", 1)]
    assert listed(project, "rolf") == listed(project, "rita") == [("a3", 1), ("a2", 1)]
    assert listed(project, "a2") == [("a2", 2), ("a2", 1)]
    assert listed(project, "a1") == []
    assert listed(project, "boss", state="dismissed") == [("a2", 1)]
    assert listed(project, "boss", state="undecided") == [("a2", 2), ("a3", 1)]


def test_cmp_6_a_decision_on_a_released_sentence_is_for_the_next_release(site):
    project = decided()
    complaint = complained(project)
    assert not complaints.for_next_release(complaint)
    sentence = sentence_of(project)
    release = Release.objects.create(project=project, name="v1", manifest_sha256="0" * 64)
    ReleaseItem.objects.create(
        release=release, sentence=sentence, golden=sentence.golden, position=0
    )
    assert complaints.for_next_release(complaint)
    ruled(project, complaint, ruling=Ruling(ComplaintState.UPHELD, confirmed=True))
    assert sentence_of(project).golden.version == 2
    assert ReleaseItem.objects.get().golden.version == 1


def test_a_complaint_about_an_imported_golden_set_has_no_first_reviewer(site):
    project = decided()
    item = study_of(project, "a2")
    from gecbench.server.models import Golden
    from gecbench.server.workflow.sentences import change_state

    sentence = sentence_of(project)
    golden = Golden.objects.create(sentence=sentence, version=2, kind="error_free")
    change_state(sentence, "disputed", golden=golden)
    Study.objects.filter(pk=item.pk).update(golden=golden)
    from django.db import connection

    from gecbench.server.models import Verdict

    with connection.cursor() as cursor:
        cursor.execute("DROP TRIGGER verdict_no_delete")
        cursor.execute("DELETE FROM verdict")
    assert not Verdict.objects.exists()
    complaint = complained(project)
    assert complaint.first_reviewer is None
    assert who_may(project, complaint) == {"rita", "rolf"}


def test_roles_are_looked_at_when_a_complaint_is_decided(site):
    project = decided()
    complaint = complained(project)
    rolf = member_of(project, "rolf")
    members.change_member(rolf, by=None, roles=[Role.ANNOTATOR])
    with pytest.raises(NotYoursError, match="is not for this member to decide"):
        complaints.decide(rolf, complaint.pk, version=1, client_key=uuid4(), ruling=DISMISSED)
