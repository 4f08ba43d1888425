"""The page of the log: rows in words, tasks by number, people by name."""

from __future__ import annotations

import re

import pytest
from server.web.asking import Asking
from server.workflow import reviewing
from server.workflow.stories import a_project, sentence_of, somebody

from gecbench.server.choices import MemberStatus, Role
from gecbench.server.models import Audit, Project
from gecbench.server.workflow import audit, management, members, projects

LOG = "/p/story/manage/audit"


@pytest.fixture
def project(site) -> Project:
    a_project(5, slug="first")  # from here on no row has the number of its task
    return reviewing.waiting()


def log_text(project, what: str, language: str = "en") -> str:
    """The newest row of a kind, as its text without marks."""
    html = Asking(somebody("boss"), language=language).html(LOG)
    seq = Audit.objects.filter(project=project, what=what).latest("seq").seq
    row = html.split(f'<td class="number">{seq}</td>')[1].split("</tr>")[0]
    return " ".join(re.sub(r"<[^>]*>", " ", row).split())


def test_a_task_is_named_by_its_number_and_not_by_its_row(project):
    reviewing.finalised(project)
    assert "decided a sentence task #1" in log_text(project, "review.finalised")
    assert "submitted a sentence task #1" in log_text(project, "submission.made")
    assert "审定句子 任务 #1" in log_text(project, "review.finalised", "zh-hans")


def test_a_changed_member_is_told_in_words(project):
    rita = reviewing.member_of(project, "rita")
    members.change_member(rita, by=somebody("boss"), status=MemberStatus.PAUSED)
    text = log_text(project, "member.changed")
    assert "Rita status active → paused" in text
    assert "{" not in text
    assert "状态 在岗 → 暂停" in log_text(project, "member.changed", "zh-hans")


def test_an_invitation_says_no_truths_of_a_program(project):
    members.invite(project, by=somebody("boss"), roles=(Role.REVIEWER,))
    text = log_text(project, "invitation.made")
    assert "roles reviewer" in text
    assert "False" not in text
    assert "None" not in text


def test_changed_settings_name_option_rule_and_both_values(project):
    boss = somebody("boss")
    projects.change_project(project, by=boss, name="New", options={"rules": {"CON-3": "warn"}})
    text = log_text(project, "project.changed")
    assert "Name Story → New" in text
    assert "CON-3 as usual → Warn" in text


def test_an_assigned_review_names_the_person_and_priorities_the_tasks(project):
    sentence = sentence_of(project)
    boss = reviewing.member_of(project, "boss")
    management.set_priority(boss, [sentence.pk], priority=5)
    assert "sentences #1; priority 5" in log_text(project, "sentence.priority")
    row = {"to": somebody("boss").pk}
    audit.record("review.assigned", who=None, project=project, data=row)
    assert "to Boss" in log_text(project, "review.assigned")


def test_what_nobody_foresaw_is_shown_as_it_is(project):
    audit.record("x.y", who=None, project=project, about=("thing", "a-1"), data={"z": [1, "b"]})
    assert "x.y thing a-1 z 1, b" in log_text(project, "x.y")
