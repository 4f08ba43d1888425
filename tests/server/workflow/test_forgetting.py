"""Somebody is forgotten: nameless for ever, and nothing that they made is lost or changed."""

from __future__ import annotations

import json

import pytest
from axes.models import AccessAttempt, AccessFailureLog
from django.apps import apps
from django.utils import timezone
from server.remembering import remembered
from server.workflow.reviewing import BAD, FAIR, GOOD, finalised, member_of, waiting
from server.workflow.stories import a_project, claimed, joined, sentence_of, somebody

from gecbench.core.errors import UsageError
from gecbench.server.choices import MemberStatus, Role
from gecbench.server.import_export.exports import ExportOptions, export
from gecbench.server.models import Audit, Invitation, Notice, Person, Token
from gecbench.server.workflow import accounts, audit, members, projects
from gecbench.server.workflow.accounts import forget
from gecbench.server.workflow.checks import check

NAME, LOGIN = "魏丽云", "weili.unique"


@remembered
def known():
    """A decided project in which a1 is a person with a name that stands nowhere else."""
    project = waiting(reviewers=("rita",))
    finalised(project, (GOOD, FAIR))
    Person.objects.filter(login="a1").update(login=LOGIN, name=NAME, preferences={"goal": 30})
    li = Person.objects.get(login=LOGIN)
    invitation, _ = members.invite(project, roles=[Role.REVIEWER], by=None, note=f"für {NAME}")
    Invitation.objects.filter(pk=invitation.pk).update(used_by=li)
    Invitation.objects.create(for_person=li, token_hash="x", expires_at=timezone.now())
    accounts.make_token(li, name=f"script of {NAME}")
    Notice.objects.create(person=li, kind="guideline", data={"name": NAME})
    fields = {"username": LOGIN, "ip_address": "127.0.0.1", "user_agent": "x"}
    AccessFailureLog.objects.create(**fields, http_accept="", path_info="/login")
    AccessAttempt.objects.create(**fields, failures_since_start=1, get_data="", post_data="")
    return project, li


def everything() -> str:
    """All rows of all tables of the site, as text."""
    rows = [list(model._default_manager.values()) for model in apps.get_models()]
    return json.dumps(rows, default=str, ensure_ascii=False)


def the_export(project, kind) -> bytes:
    (file,) = export(project, ExportOptions(kind))
    return b"".join(file.content)


def test_nothing_names_them_any_more_and_all_that_they_made_stays(database):
    project, li = known()
    before = {kind: the_export(project, kind) for kind in ("mucgec", "submissions", "counts")}
    assert NAME in everything()
    assert LOGIN in everything()
    forgotten = forget(li, by=somebody("boss"))
    assert (forgotten.login, forgotten.name) == (f"forgotten-{li.pk}", f"#{li.pk}")
    left = everything()
    assert [text for text in (NAME, LOGIN) if text in left] == []
    assert {kind: the_export(project, kind) for kind in before} == before
    assert check() == ()
    assert audit.verify() == ()
    last = Audit.objects.order_by("-seq").first()
    assert (last.what, last.who.login) == ("person.forgotten", "boss")


def test_they_can_never_come_back_under_that_account(site):
    _, li = known()
    forget(li)
    li = Person.objects.get(pk=li.pk)
    assert (li.is_active, li.is_administrator, li.has_usable_password()) == (False, False, False)
    assert (li.preferences, li.language, li.theme) == ({}, "", "auto")
    assert not Token.objects.filter(person=li, revoked_at=None).exists()
    assert not Invitation.objects.filter(for_person=li, used_at=None, revoked_at=None).exists()
    with pytest.raises(UsageError, match="was forgotten already"):
        forget(li)
    with pytest.raises(UsageError, match="was forgotten, for ever"):
        accounts.activate(li)
    with pytest.raises(UsageError, match="was forgotten, for ever"):
        accounts.promote(li)
    with pytest.raises(UsageError, match="is shut out"):
        accounts.password_link(li)
    row = next(person for person in accounts.list_people() if person[0] == f"forgotten-{li.pk}")
    assert row[2] == "forgotten"
    assert accounts.add_person(LOGIN).pk != li.pk  # the login is free again


def test_what_they_hold_is_free_again_and_they_leave_all_projects(site):
    project = a_project(2, slug="one")
    two = a_project(2, slug="two")
    members_of_both = [joined(project, "li") for project in (project, two)]
    slot = claimed(members_of_both[0], sentence_of(project))
    forget(members_of_both[0].person)
    slot.refresh_from_db()
    assert (slot.state, slot.person) == ("free", None)
    for member in members_of_both:
        member.refresh_from_db()
        assert member.status == MemberStatus.LEFT


def test_the_last_manager_and_the_last_administrator_stay_known(database):
    project = a_project(1)
    boss = member_of(project, "boss")
    with pytest.raises(UsageError, match="boss is the last manager of project story"):
        forget(boss.person)
    boss.refresh_from_db()
    assert (boss.status, boss.person.is_active) == (MemberStatus.ACTIVE, True)
    root = somebody("root", is_administrator=True)
    with pytest.raises(UsageError, match="is the last administrator"):
        forget(root)
    assert Person.objects.get(pk=root.pk).login == "root"


def test_bad_texts_stay_with_their_nameless_author(site):
    project, li = known()
    forget(li)
    texts = set(li.submissions.values_list("references__text", flat=True))
    assert texts & {GOOD, FAIR, BAD}
    assert [membership.project for membership in li.memberships.all()] == [project]


def test_the_last_manager_of_a_deleted_project_can_be_forgotten(site):
    project = a_project(1)
    boss = member_of(project, "boss")
    root = somebody("root", is_administrator=True)
    projects.delete_project(project, typed=project.slug, by=root)
    forget(boss.person, by=root)
    assert Person.objects.get(pk=boss.person_id).deleted_at is not None
    projects.restore_project(project, by=root)  # administrators manage it


def test_a_login_that_somebody_has_chosen_is_not_given_twice(site):
    a_project(1)
    li = somebody("li")
    somebody(f"forgotten-{li.pk}")
    assert forget(li).login == f"forgotten-{li.pk}-2"
