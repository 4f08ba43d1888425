"""People come by invitation, change roles, pause and leave."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.hashers import check_password
from django.db import transaction
from django.utils import timezone
from server.conftest import PASSWORD
from server.workflow.races import together
from server.workflow.reviewing import member_of
from server.workflow.stories import (
    a_project,
    all_submitted,
    joined,
    people,
    sentence_of,
    somebody,
    submitted,
)

from gecbench.core.errors import UsageError
from gecbench.server.choices import MemberStatus, Role
from gecbench.server.models import Audit, Invitation, Member, MemberEvent, Person
from gecbench.server.workflow import accounts, members, review_tasks
from gecbench.server.workflow.accounts import forget
from gecbench.server.workflow.errors import GoneError, NotYoursError, RefusedError


@pytest.fixture
def project(site):
    return a_project(1)


def come(secret: str, login: str = "li", **changed: str) -> Person:
    return members.accept(
        secret, **({"login": login, "name": "Li", "password": PASSWORD} | changed)
    )


def test_an_invitation_lets_one_person_in_with_its_roles(project):
    invitation, secret = members.invite(
        project, roles=(Role.REVIEWER, Role.ANNOTATOR), by=project.created_by
    )
    assert secret not in str(invitation.__dict__)
    person = come(secret, " Li.Hua ")
    assert person.login == "li.hua"
    assert check_password(PASSWORD, person.password)
    assert not person.is_administrator
    member = Member.objects.get(person=person)
    assert (member.roles, member.status) == ((Role.ANNOTATOR, Role.REVIEWER), "active")
    with pytest.raises(GoneError, match="used already"):
        come(secret, "wang")
    invitation.refresh_from_db()
    assert invitation.used_by == person
    logged = Audit.objects.filter(what__startswith="invitation").values_list("what", flat=True)
    assert list(logged) == ["invitation.made", "invitation.used"]


def test_of_many_who_use_one_link_at_once_one_gets_in(database):
    project = a_project(1)
    _, secret = members.invite(project, roles=(Role.ANNOTATOR,), by=None)
    results = together(6, lambda n: come(secret, f"p{n}"))
    assert len([result for result in results if isinstance(result, Person)]) == 1
    assert len([result for result in results if isinstance(result, GoneError)]) == 5
    assert Member.objects.filter(project=project).count() == 2


def test_of_many_who_choose_one_login_at_once_one_gets_it(database):
    project = a_project(1)
    links = [members.invite(project, roles=(Role.ANNOTATOR,), by=None)[1] for _ in range(5)]
    results = together(5, lambda n: come(links[n], "li"))
    assert len([result for result in results if isinstance(result, Person)]) == 1
    refused = [result for result in results if isinstance(result, RefusedError)]
    assert [error.problems[0].code for error in refused] == ["login-taken"] * 4
    # The link of one who was refused still holds.
    assert Invitation.objects.filter(used_at=None).count() == 4


def test_a_link_ends_by_time_use_or_withdrawal_and_says_which(project):
    boss = project.created_by
    invitation, secret = members.invite(project, roles=(Role.ANNOTATOR,), by=boss)
    assert members.get_invitation(secret) == invitation
    assert invitation.expires_at - timezone.now() > timedelta(days=6)
    Invitation.objects.filter(pk=invitation.pk).update(expires_at=timezone.now())
    with pytest.raises(GoneError, match="is over"):
        members.get_invitation(secret)
    other, link = members.invite(project, roles=(Role.ANNOTATOR,), by=boss)
    members.revoke(other, by=boss)
    members.revoke(other, by=boss)
    with pytest.raises(GoneError, match="was withdrawn"):
        come(link)
    assert Audit.objects.filter(what="invitation.revoked").count() == 1
    with pytest.raises(NotYoursError, match="no such invitation"):
        members.get_invitation("guessed")


def test_a_link_that_somebody_has_used_is_not_said_to_be_withdrawn(project):
    boss = project.created_by
    invitation, secret = members.invite(project, roles=(Role.ANNOTATOR,), by=boss)
    come(secret)
    with pytest.raises(RefusedError) as caught:
        members.revoke(invitation, by=boss)
    assert [problem.code for problem in caught.value.problems] == ["invitation-used"]
    assert not Audit.objects.filter(what="invitation.revoked").exists()


def test_an_invitation_must_let_somebody_in(project):
    with pytest.raises(UsageError, match="names a role: annotator"):
        members.invite(project, roles=(), by=None)
    with pytest.raises(UsageError, match="for a project or an administrator"):
        members.invite(None, roles=(Role.MANAGER,), by=None)
    with pytest.raises(UsageError, match="over already"):
        members.invite(project, roles=(Role.MANAGER,), by=None, valid=timedelta(0))


def test_the_first_administrator_comes_by_a_link(site):
    _, secret = members.invite(None, roles=(), by=None, administrator=True)
    assert come(secret).is_administrator
    assert not Member.objects.exists()


def test_a_link_for_a_new_password_of_an_earlier_version_is_over(project):
    invitation, secret = members.invite(project, roles=(Role.ANNOTATOR,), by=None)
    Invitation.objects.filter(pk=invitation.pk).update(for_person=somebody("li"))
    with pytest.raises(GoneError):
        come(secret)
    with pytest.raises(GoneError):
        members.join(secret, somebody("zhang"))


@pytest.mark.parametrize(
    ("field", "value", "code"),
    [
        ("login", " ", "login-empty"),
        ("login", "li hua", "login-space"),
        ("login", "x" * 151, "login-too_long"),
        ("name", "\u200b", "name-empty"),
        ("name", "a\0b", "name-nul"),
        ("password", "short", "password_too_short"),
        ("password", "password123", "password_too_common"),
    ],
)
def test_what_a_newcomer_gives_is_refused_by_field(project, field, value, code):
    _, secret = members.invite(project, roles=(Role.ANNOTATOR,), by=None)
    with pytest.raises(RefusedError) as refused:
        come(secret, **{field: value})
    assert (field, code) in {(problem.field, problem.code) for problem in refused.value.problems}
    assert come(secret) is not None


def test_a_login_is_taken_however_it_is_written(project):
    somebody("li")
    _, secret = members.invite(project, roles=(Role.ANNOTATOR,), by=None)
    with pytest.raises(RefusedError, match="Somebody has this name"):
        come(secret, "LI")


def test_who_has_an_account_joins_and_keeps_the_roles_they_have(project):
    li = joined(project, "li", Role.ANNOTATOR)
    _, secret = members.invite(
        project, roles=(Role.REVIEWER,), by=project.created_by, administrator=True
    )
    member = members.join(secret, li.person)
    assert (member.roles, member.status) == ((Role.ANNOTATOR, Role.REVIEWER), "active")
    assert Person.objects.get(pk=li.person_id).is_administrator
    with pytest.raises(GoneError):
        members.join(secret, somebody("wang"))
    _, plain = members.invite(project, roles=(Role.ANNOTATOR,), by=None)
    members.join(plain, somebody("wang"))
    assert not somebody("wang").is_administrator


def test_who_had_left_comes_back_with_what_the_link_gives_alone(project):
    eve = joined(project, "eve", Role.MANAGER, Role.REVIEWER)
    members.change_member(eve, by=None, status=MemberStatus.LEFT)
    _, secret = members.invite(project, roles=(Role.ANNOTATOR,), by=project.created_by)
    member = members.join(secret, eve.person)
    assert (member.roles, member.status) == ((Role.ANNOTATOR,), "active")


def test_no_link_lets_a_paused_member_go_on(project):
    li = joined(project, "li", Role.ANNOTATOR)
    members.change_member(li, by=None, status=MemberStatus.PAUSED)
    _, secret = members.invite(project, roles=(Role.ANNOTATOR,), by=project.created_by)
    with pytest.raises(RefusedError, match="You are paused in this project"):
        members.join(secret, li.person)
    li.refresh_from_db()
    assert li.status == MemberStatus.PAUSED
    assert members.get_invitation(secret).used_at is None


def test_a_link_ends_no_training(project):
    li = joined(project, "li", Role.ANNOTATOR)
    Member.objects.filter(pk=li.pk).update(status=MemberStatus.TRAINING)
    _, secret = members.invite(project, roles=(Role.REVIEWER,), by=project.created_by)
    assert members.join(secret, li.person).status == MemberStatus.TRAINING


@pytest.mark.parametrize("how", ["left", "paused", "demoted", "shut out", "forgotten"])
def test_links_end_with_the_right_to_make_them(project, how):
    eve, other = joined(project, "eve", Role.MANAGER), joined(project, "ann", Role.MANAGER)
    _, hers = members.invite(project, roles=(Role.MANAGER,), by=eve.person)
    _, others = members.invite(project, roles=(Role.ANNOTATOR,), by=other.person)
    if how == "shut out":
        accounts.deactivate(eve.person)
    elif how == "forgotten":
        forget(eve.person)
    elif how == "demoted":
        members.change_member(eve, by=None, roles=[Role.ANNOTATOR])
    else:
        members.change_member(eve, by=None, status=MemberStatus(how))
    with pytest.raises(GoneError, match="withdrawn"):
        members.join(hers, somebody("mallory"))
    assert members.join(others, somebody("wang")).roles == (Role.ANNOTATOR,)


def test_links_of_an_administrator_end_with_that_right(project):
    root = somebody("root", is_administrator=True)
    somebody("second", is_administrator=True)
    _, secret = members.invite(project, roles=(Role.MANAGER,), by=root)
    accounts.promote(root, administrator=False)
    with pytest.raises(GoneError):
        members.get_invitation(secret)


def test_rol_who_is_shut_out_is_no_other_manager(project):
    boss, second = member_of(project, "boss"), joined(project, "second", Role.MANAGER)
    accounts.deactivate(second.person)
    with pytest.raises(RefusedError, match="keeps at least one manager"):
        members.change_member(boss, by=None, status=MemberStatus.LEFT)


def test_a_link_to_no_project_cannot_be_joined_and_still_holds(project):
    li = somebody("li")
    _, secret = members.invite(None, roles=(), by=None, administrator=True)
    with pytest.raises(RefusedError, match="for a new account"):
        members.join(secret, li)
    assert members.get_invitation(secret).used_at is None


def test_rol_3_a_promotion_has_a_date_and_is_recorded(project):
    li = joined(project, "li")
    old = submitted(li, sentence_of(project))
    before = li.since
    changed = members.change_member(
        li,
        by=project.created_by,
        roles=(Role.ANNOTATOR, Role.REVIEWER),
        note="outstanding",
    )
    assert changed.since > before
    assert li.has(Role.REVIEWER)
    event = MemberEvent.objects.order_by("-pk").first()
    assert (event.by, event.note, event.at) == (
        project.created_by,
        "outstanding",
        changed.since,
    )
    assert event.old == {"roles": ["annotator"], "status": "active"}
    assert event.new == {"roles": ["annotator", "reviewer"], "status": "active"}
    assert old.at < event.at  # earlier work was done as an annotator


def test_no_change_is_no_event(project):
    li = joined(project, "li")
    members.change_member(li, by=None, roles=(Role.ANNOTATOR,), status=MemberStatus.ACTIVE)
    members.change_member(li, by=None)
    assert MemberEvent.objects.filter(member=li).count() == 1


@pytest.mark.parametrize(
    "words", [{"status": MemberStatus.PAUSED}, {"status": MemberStatus.LEFT}, {"roles": ()}]
)
def test_a_project_keeps_its_last_manager(project, words):
    boss = Member.objects.get(project=project)
    with pytest.raises(RefusedError, match="keeps at least one manager"):
        members.change_member(boss, by=None, **words)
    paused = joined(project, "second", Role.MANAGER)
    members.change_member(paused, by=None, status=MemberStatus.PAUSED)
    with pytest.raises(RefusedError):
        members.change_member(boss, by=None, **words)
    members.change_member(paused, by=None, status=MemberStatus.ACTIVE)
    members.change_member(boss, by=None, **words)
    assert MemberEvent.objects.filter(member=boss).count() == 2


def test_two_managers_do_not_leave_at_once(database):
    project = a_project(1)
    both = [Member.objects.get(project=project), joined(project, "second", Role.MANAGER)]
    results = together(
        2, lambda n: members.change_member(both[n], by=None, status=MemberStatus.LEFT)
    )
    assert sorted(type(result).__name__ for result in results) == ["Member", "RefusedError"]


ALLOWED = {
    "invited": {"training", "trial", "active"},
    "training": {"trial", "active", "paused"},
    "trial": {"training", "active", "paused"},
    "active": {"paused"},
    "paused": {"training", "trial", "active"},
    "left": {"training", "active"},
}


@pytest.mark.parametrize("old", ALLOWED)
def test_inv_5_a_status_changes_only_along_the_paths(project, old):
    for n, new in enumerate(MemberStatus):
        li = joined(project, f"{old}{n}")
        Member.objects.filter(pk=li.pk).update(status=old)
        if new in (old, MemberStatus.LEFT, *ALLOWED[old]):
            assert members.change_member(li, by=None, status=new).status == new
        else:
            with pytest.raises(RefusedError, match="cannot follow"):
                members.change_member(li, by=None, status=new)


@pytest.mark.parametrize("words", [{"status": MemberStatus.PAUSED}, {"roles": (Role.ANNOTATOR,)}])
def test_a_reviewer_who_stops_gives_back_the_review(database, words):
    project = a_project(1)
    all_submitted(sentence_of(project), people(project, 3))
    reviewer = joined(project, "r", Role.REVIEWER)
    with transaction.atomic():
        review_tasks.claim_random_task(reviewer)
    members.change_member(reviewer, by=None, **words)
    row = sentence_of(project)
    assert (row.state, row.review_tasks.get().reviewer) == ("review_ready", None)


def test_add_member_twice_gives_the_new_roles_and_status(project):
    li = somebody("li")
    first = members.add_member(project, li, roles=(Role.ANNOTATOR,), by=None)
    second = members.add_member(
        project, li, roles=(Role.REVIEWER,), by=None, status=MemberStatus.PAUSED
    )
    assert first.pk == second.pk
    assert (second.roles, second.status) == ((Role.REVIEWER,), "paused")


def test_one_person_added_from_two_windows_is_one_member(database):
    project = a_project(1)
    li = somebody("li")
    results = together(
        4, lambda _: members.add_member(project, li, roles=(Role.ANNOTATOR,), by=None)
    )
    assert len({result.pk for result in results}) == 1
    assert Member.objects.filter(person=li).count() == 1
