"""What managers set: N of one sentence, priorities, settled cases; on both databases."""

from __future__ import annotations

from uuid import uuid4

import pytest
from server.workflow import reviewing
from server.workflow.stories import (
    a_project,
    all_submitted,
    joined,
    people,
    sentence_of,
    somebody,
    submitted,
)

from gecbench.server.choices import Role, SentenceState
from gecbench.server.models import Audit, GuidelineCase, Member, Project, ReviewTask, Study
from gecbench.server.workflow import complaints, management, projects
from gecbench.server.workflow.checks import check
from gecbench.server.workflow.errors import (
    ConflictError,
    NotAllowedError,
    NotYoursError,
    RefusedError,
)


def manager_of(project: Project) -> Member:
    return reviewing.member_of(project, "boss")


def test_wfl_1_a_sentence_that_waits_for_review_goes_back_for_more(database):
    project = a_project(1, annotators=2)
    ready = all_submitted(sentence_of(project), people(project, 2))
    management.raise_needed(manager_of(project), ready.pk, more=2)
    raised = sentence_of(project)
    assert (raised.state, raised.needed, raised.submitted) == (SentenceState.ANNOTATING, 4, 2)
    assert sorted(raised.slots.values_list("no", flat=True)) == [1, 2, 3, 4]
    assert not ReviewTask.objects.filter(state__in=("free", "open")).exists()
    assert raised.slots.filter(state="free", priority=raised.priority - 1).count() == 2
    assert Audit.objects.get(what="sentence.raised").data == {"old": 2, "new": 4}
    assert check(project.pk) == ()
    third, fourth = people(project, 2, prefix="b")
    all_submitted(raised, (third, fourth))
    assert sentence_of(project).state == SentenceState.REVIEW_READY


@pytest.mark.parametrize("more", [0, -1, 18, 1000])
def test_wfl_5_more_than_twenty_or_less_than_one_more_is_refused(site, more):
    project = a_project(1)
    with pytest.raises(RefusedError, match="at most 20"):
        management.raise_needed(manager_of(project), sentence_of(project).pk, more=more)
    assert sentence_of(project).needed == 3


def test_a_decided_sentence_or_one_with_a_reviewer_is_not_raised(database):
    project = reviewing.waiting(texts=2)
    reviewing.opened(project)
    with pytest.raises(ConflictError, match="in_review"):
        management.raise_needed(manager_of(project), sentence_of(project).pk, more=1)
    reviewing.finalised(project)
    with pytest.raises(ConflictError, match="golden"):
        management.raise_needed(manager_of(project), sentence_of(project).pk, more=1)
    management.withdraw(manager_of(project), [sentence_of(project, 2).pk], reason="x")
    with pytest.raises(ConflictError, match="withdrawn"):
        management.raise_needed(manager_of(project), sentence_of(project, 2).pk, more=1)


def test_inv_5_of_two_changes_at_once_the_second_is_told(site, monkeypatch):
    project = a_project(1)
    stale = sentence_of(project)
    stale.version -= 1
    monkeypatch.setattr(management, "lock_sentence", lambda *_: stale)
    with pytest.raises(ConflictError, match="changed meanwhile"):
        management.raise_needed(manager_of(project), stale.pk, more=1)
    assert sentence_of(project).slots.count() == 3


def test_a_priority_reaches_places_and_review_and_says_how_many_changed(database):
    project = a_project(3, annotators=2)
    a, b = people(project, 2)
    all_submitted(sentence_of(project, 1), (a, b))
    submitted(a, sentence_of(project, 2))
    ids = [sentence_of(project, n).pk for n in (1, 2, 3)]
    assert management.set_priority(manager_of(project), [*ids, ids[0]], priority=5) == 3
    assert management.set_priority(manager_of(project), ids, priority=5) == 0
    assert ReviewTask.objects.get().priority == 5
    assert sentence_of(project, 2).slots.get(state="free").priority == 4
    assert set(sentence_of(project, 3).slots.values_list("priority", flat=True)) == {5}
    assert Audit.objects.filter(what="sentence.priority").count() == 1
    assert check(project.pk) == ()


def test_a_priority_out_of_bounds_or_of_a_foreign_sentence_changes_nothing(site):
    project = a_project(1)
    other = a_project(1, slug="other", manager="stranger")
    mine, foreign = sentence_of(project), sentence_of(other)
    with pytest.raises(RefusedError, match="whole number"):
        management.set_priority(manager_of(project), [mine.pk], priority=1_000_001)
    with pytest.raises(NotYoursError):
        management.set_priority(manager_of(project), [mine.pk, foreign.pk], priority=5)
    assert (sentence_of(project).priority, sentence_of(other).priority) == (100, 100)


@pytest.fixture
def case(site) -> GuidelineCase:
    project = reviewing.waiting()
    reviewing.finalised(project)
    author = reviewing.member_of(project, "a2")
    complaint = complaints.complain(
        author, Study.objects.get().pk, argument="x", client_key=uuid4()
    )
    return complaints.mark_case(manager_of(project), complaint.pk, note="")


def test_cmp_4_a_case_is_settled_once_by_a_version_of_its_own_project(case):
    project = case.project
    other = a_project(0, slug="other", manager="stranger")
    with pytest.raises(NotYoursError, match="not of this project"):
        management.settle_cases(manager_of(project), [case.pk], closed_in=other.guideline)
    stranger = reviewing.member_of(other, "stranger")
    assert management.settle_cases(stranger, [case.pk], closed_in=other.guideline) == 0
    boss = manager_of(project)
    assert management.settle_cases(boss, [case.pk], closed_in=project.guideline) == 1
    assert management.settle_cases(boss, [case.pk], closed_in=project.guideline) == 0
    assert Audit.objects.filter(what="guideline.cases_settled").count() == 1


@pytest.mark.parametrize("role", [Role.ANNOTATOR, Role.REVIEWER])
def test_only_managers_set(site, role):
    project = a_project(1)
    somebody_else = joined(project, "li", role)
    with pytest.raises(NotAllowedError):
        management.raise_needed(somebody_else, sentence_of(project).pk, more=1)
    with pytest.raises(NotAllowedError):
        management.set_priority(somebody_else, [sentence_of(project).pk], priority=1)
    with pytest.raises(NotAllowedError):
        management.settle_cases(somebody_else, [], closed_in=project.guideline)


def stand_in(project: Project, login: str, **fields: object) -> Member:
    return Member(project=project, person=somebody(login, **fields), is_manager=True)


def test_an_administrator_who_is_no_member_acts_as_manager_and_others_do_not(database):
    project = a_project(1)
    root = stand_in(project, "root", is_administrator=True)
    assert management.withdraw(root, [sentence_of(project).pk], reason="x") == 1
    assert management.restore(root, [sentence_of(project).pk]) == 1
    for fields in ({}, {"is_administrator": True, "is_active": False}):
        nobody = stand_in(project, f"nobody{len(fields)}", **fields)
        with pytest.raises(NotAllowedError, match="only for members"):
            management.withdraw(nobody, [sentence_of(project).pk], reason="x")
    projects.archive_project(project, by=root.person)
    with pytest.raises(NotAllowedError, match="closed"):
        management.withdraw(root, [sentence_of(project).pk], reason="x")
