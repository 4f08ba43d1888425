"""Members, log and the list of projects, as a manager's browser sees them."""

from __future__ import annotations

import re
from base64 import b64decode
from datetime import timedelta

import pytest
from django.core import mail
from django.test import Client, override_settings
from django.utils import timezone
from server.web.asking import Asking
from server.web.managed import HERE, boss, project
from server.workflow import reviewing
from server.workflow.perturbing import (
    a_perturbation,
    accept,
    checked,
    edit,
    gaps_of,
    give_back,
    perturbed,
    reviewer,
    waiting_case,
)
from server.workflow.stories import (
    a_project,
    all_submitted,
    correction,
    error_free,
    joined,
    sentence_of,
    somebody,
    submitted,
)

from gecbench.server import statistics
from gecbench.server.choices import Decision, MemberStatus, Role
from gecbench.server.models import Audit, Invitation, Member, MemberEvent, Person, Project, Sentence
from gecbench.server.workflow import accounts, management, members, projects

__all__ = ["boss", "project"]


def test_an_invitation_is_a_link_shown_once_and_can_be_withdrawn(project, boss):
    answer = boss.form(f"{HERE}/members/invite", roles=["annotator", "reviewer"], people="for Li")
    link = re.search(r'value="(http[^"]+/invitation/[^"]+)"', answer.content.decode())
    assert link is not None
    secret = link[1].rsplit("/", 1)[1]
    assert members.get_invitation(secret).roles == ["annotator", "reviewer"]
    html = boss.html(f"{HERE}/members")
    assert secret not in html
    assert "for Li" in html
    boss.form(f"{HERE}/members/invitations/{Invitation.objects.get().pk}")
    assert Invitation.objects.get().revoked_at is not None
    assert "for Li" not in boss.html(f"{HERE}/members")
    assert Audit.objects.filter(what="invitation.made").count() == 1


def test_an_invitation_needs_a_role_and_one_of_another_project_is_not_found(project, boss):
    answer = boss.form(f"{HERE}/members/invite", people="x")
    assert (answer.status_code, "at least one role" in answer.content.decode()) == (422, True)
    other = a_project(1, slug="other", manager="stranger")
    invitation, _ = members.invite(other, roles=[Role.MANAGER], by=None)
    assert boss.form(f"{HERE}/members/invitations/{invitation.pk}").status_code == 404
    assert Invitation.objects.get().revoked_at is None


def links_in(answer) -> list[str]:
    return re.findall(r'value="http[^"]+/invitation/([^"]+)"', answer.content.decode())


def test_many_are_invited_at_once_and_their_links_are_shown_once(project, boss):
    lines = "Li Hua\n\n  Wang <wang@example.org>\nzhao@example.org\n=1+1\n"
    answer = boss.form(f"{HERE}/members/invite", roles=["annotator"], people=lines)
    assert [members.get_invitation(link).note for link in links_in(answer)] == [
        *("Li Hua", "Wang wang@example.org", "zhao@example.org", "=1+1")
    ]
    data = re.search(r'href="data:text/csv;base64,([^"]+)"', answer.content.decode())
    rows = b64decode(data[1]).decode("utf-8-sig").splitlines()
    assert rows[0] == "name,address,link"
    assert [row.rsplit(",", 1)[0] for row in rows[1:]] == [
        *("Li Hua,", "Wang,wang@example.org", ",zhao@example.org", "'=1+1,")
    ]
    assert links_in(boss.get(f"{HERE}/members")) == []
    assert mail.outbox == []  # no mail server is set


def test_people_of_the_same_name_get_a_link_each_with_a_number(project, boss):
    lines = "Li Hua\nWang\nli hua\nLi Hua <li@example.org>\n" + "y" * 200 + "\n" + "y" * 200
    answer = boss.form(f"{HERE}/members/invite", roles=["annotator"], people=lines)
    assert [members.get_invitation(link).note for link in links_in(answer)] == [
        *("Li Hua (1)", "Wang", "li hua (2)", "Li Hua li@example.org"),
        *("y" * 190 + " (1)", "y" * 190 + " (2)"),
    ]
    html = boss.html(f"{HERE}/members")
    assert "Li Hua (1)" in html
    assert "li hua (2)" in html


def test_nothing_is_made_unless_every_line_is_right(project, boss):
    lines = (
        "a@b.org\nwang@example\n\nLi <A@b.org>\n"
        + "x" * 201
        + "\nZhao, zhao@example.org\nWu\nQian <qian"
    )
    answer = boss.form(f"{HERE}/members/invite", roles=["annotator"], people=lines)
    html = answer.content.decode()
    assert answer.status_code == 422
    assert [int(number) for number in re.findall(r"<li>Line (\d+):", html)] == [2, 4, 5, 6, 8]
    assert "the same address as line 1" in html
    assert "Zhao, zhao@example.org\nWu\nQian &lt;qian</textarea>" in html
    assert not Invitation.objects.exists()
    many = "\n".join(f"n{n}" for n in range(201))
    answer = boss.form(f"{HERE}/members/invite", roles=["annotator"], people=many)
    assert "these are 201" in answer.content.decode()
    assert not Invitation.objects.exists()


@pytest.fixture
def mail_server():
    with override_settings(EMAIL_HOST="mail.example.org"):
        yield
    mail.outbox.clear()


def test_links_go_by_mail_where_a_mail_server_is_set(project, boss, mail_server):
    assert 'name="mail"' in boss.html(f"{HERE}/members")
    lines = "Li Hua\nWang <wang@example.org>"
    fields = {"roles": ["annotator"], "people": lines, "mail": "on"}
    answer = boss.form(f"{HERE}/members/invite", **fields)
    (sent,) = mail.outbox
    assert sent.to == ["wang@example.org"]
    assert links_in(answer)[1] in sent.body
    assert "1 mail was sent" in answer.content.decode()


def test_the_mail_is_in_the_language_of_the_manager_who_invites(project, mail_server):
    boss = Asking(Person.objects.get(login="boss"), language="zh-hans")
    fields = {"roles": ["annotator"], "people": "wang@example.org", "mail": "on"}
    answer = boss.form(f"{HERE}/members/invite", **fields)
    (sent,) = mail.outbox
    assert sent.subject == f"邀请加入“{project.name}”"
    assert "邀请您" in sent.body
    assert links_in(answer)[0] in sent.body


def test_links_are_shown_where_the_mail_server_fails(project, boss, mail_server, monkeypatch):
    def refuse(*_: object) -> int:
        raise OSError

    monkeypatch.setattr("django.core.mail.backends.locmem.EmailBackend.send_messages", refuse)
    fields = {"roles": ["annotator"], "people": "wang@example.org", "mail": "on"}
    answer = boss.form(f"{HERE}/members/invite", **fields)
    assert "did not take the mails" in answer.content.decode()
    assert len(links_in(answer)) == 1


def test_somebody_with_an_account_is_added_by_the_exact_login_and_is_told(project, boss):
    li = somebody("li.hua@example.org")
    assert "li.hua" not in boss.html(f"{HERE}/members")
    fields = {"login": " Li.Hua@example.org", "roles": ["annotator", "reviewer"]}
    assert boss.form(f"{HERE}/members/add", **fields).status_code == 302
    assert Member.objects.get(person=li).roles == (Role.ANNOTATOR, Role.REVIEWER)
    assert Audit.objects.filter(what="member.added", who__login="boss").count() == 2
    home = Asking(li).html("/")
    assert "You were made a member of this project: annotator, reviewer." in home
    assert "/p/story/" in home


@pytest.mark.parametrize("login", ["li.hu", "gone", "left out", "", "a2"])
def test_who_is_not_exactly_meant_is_not_found(project, boss, login):
    somebody("li.hua")
    somebody("gone", is_active=False)
    joined(project, "a2")
    before = Member.objects.count()
    answer = boss.form(f"{HERE}/members/add", login=login, roles=["annotator"])
    assert answer.status_code == 422
    assert ("Nobody on this site" in answer.content.decode()) == (login not in ("", "a2"))
    assert Member.objects.count() == before


def test_who_left_is_taken_in_again_and_who_is_paused_is_not(project, boss):
    li, wang = joined(project, "li"), joined(project, "wang")
    members.change_member(li, by=None, status=MemberStatus.LEFT)
    members.change_member(wang, by=None, status=MemberStatus.PAUSED)
    for login in ("li", "wang"):
        boss.form(f"{HERE}/members/add", login=login, roles=["reviewer"])
    li.refresh_from_db()
    wang.refresh_from_db()
    assert (li.status, li.roles) == (MemberStatus.ACTIVE, (Role.REVIEWER,))
    assert (wang.status, wang.roles) == (MemberStatus.PAUSED, (Role.ANNOTATOR,))


def test_rol_3_a_promotion_has_a_note_and_a_history(project, boss):
    li = joined(project, "li")
    url = f"{HERE}/members/{li.pk}"
    boss.form(url, **member_form(boss, li, roles=["annotator", "reviewer"], note="outstanding"))
    assert MemberEvent.objects.filter(member=li).last().note == "outstanding"
    html = boss.html(url)
    assert "outstanding" in html
    boss.form(url, **member_form(boss, li, roles=["annotator"], status="paused"))
    li.refresh_from_db()
    assert (li.is_reviewer, li.status) == (False, MemberStatus.PAUSED)


def test_the_last_manager_stays(project, boss):
    mine = Member.objects.get(person__login="boss")
    answer = boss.form(f"{HERE}/members/{mine.pk}", **member_form(boss, mine, roles=["annotator"]))
    assert answer.status_code == 422
    assert "at least one manager" in answer.content.decode()
    mine.refresh_from_db()
    assert mine.is_manager


def test_lists_have_the_comma_of_the_language(project, boss):
    joined(project, "li", "annotator", "reviewer")
    assert "annotator, reviewer" in boss.html(f"{HERE}/members")
    Person.objects.filter(login="boss").update(language="zh-hans")
    assert "标注员、审核员" in boss.html(f"{HERE}/members")
    assert "标注员、审核员" in boss.html(f"{HERE}/members/work")


def test_rol_1_a_manager_makes_somebody_a_judge_by_a_link_and_on_their_page(project, boss):
    boss.form(f"{HERE}/members/invite", roles=["judge"], people="Jane")
    assert Invitation.objects.get().roles == ["judge"]
    li = joined(project, "li", Role.ANNOTATOR)
    boss.form(f"{HERE}/members/{li.pk}", **member_form(boss, li, roles=["judge"]))
    assert Member.objects.get(pk=li.pk).roles == (Role.JUDGE,)
    boss.form(f"{HERE}/members/{li.pk}", **member_form(boss, li, roles=["reviewer"]))
    assert Member.objects.get(pk=li.pk).roles == (Role.REVIEWER,)


def member_form(boss: Asking, member: Member, **changed: object) -> dict[str, object]:
    """What a browser would send of a member's page."""
    page = boss.get(f"{HERE}/members/{member.pk}").context
    sent = {
        "seen": page["seen"],
        "roles": [name for name, _, has in page["roles"] if has],
        "status": next(name for name, _, current in page["statuses"] if current),
        "note": "",
    }
    return {**sent, **changed}


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "Note: 2001 characters, and at most 2000 go in; shorten it."),
        ("zh-hans", "说明：有 2001 个字符，最多 2000 个，请缩短。"),
    ],
)
def test_what_is_wrong_with_a_member_says_in_which_field(project, language, line):
    boss, li = Asking(somebody("boss"), language=language), joined(project, "li")
    url = f"{HERE}/members/{li.pk}"
    answer = boss.client.post(url, member_form(boss, li, note="x" * 2001))
    assert answer.status_code == 422
    assert line in answer.content.decode()
    answer = boss.client.post(url, member_form(boss, li, roles=["king"])).content.decode()
    assert ("Roles: Select" if language == "en" else "角色：选择") in answer
    assert "king" in answer


@pytest.mark.parametrize(("language", "words"), [("en", "They are now"), ("zh-hans", "现在是")])
def test_issue_5_a_stale_form_of_a_member_overwrites_nothing(project, language, words):
    boss, li = Asking(somebody("boss"), language=language), joined(project, "li")
    mine = member_form(boss, li, status="paused", note="ill")
    theirs = member_form(boss, li, roles=["annotator", "reviewer"])
    url = f"{HERE}/members/{li.pk}"
    assert boss.client.post(url, theirs).status_code == 302
    answer = boss.client.post(url, mine)
    assert answer.status_code == 409
    assert words in answer.content.decode()
    li.refresh_from_db()
    assert (li.roles, li.status) == ((Role.ANNOTATOR, Role.REVIEWER), MemberStatus.ACTIVE)
    typed = answer.context
    assert [name for name, _, has in typed["roles"] if has] == ["annotator"]
    assert [name for name, _, current in typed["statuses"] if current] == ["paused"]
    assert typed["note"] == "ill"
    assert boss.client.post(url, {**mine, "seen": typed["seen"]}).status_code == 302
    li.refresh_from_db()
    assert (li.roles, li.status) == ((Role.ANNOTATOR,), MemberStatus.PAUSED)


def test_a_status_that_leads_nowhere_is_not_offered_and_shown_only_to_who_has_it(project):
    boss, li = Asking(somebody("boss")), joined(project, "li")
    url = f"{HERE}/members/{li.pk}"
    offered = [name for name, *_ in boss.get(url).context["statuses"]]
    assert offered == ["active", "paused", "left"]
    boss.client.post(url, member_form(boss, li, status="training"))
    li.refresh_from_db()
    assert li.status == MemberStatus.ACTIVE
    Member.objects.filter(pk=li.pk).update(status=MemberStatus.TRAINING)
    statuses = boss.get(url).context["statuses"]
    assert [name for name, _, current in statuses if current] == ["training"]
    boss.client.post(url, member_form(boss, li, status="active"))
    li.refresh_from_db()
    assert li.status == MemberStatus.ACTIVE


def test_inv_12_members_count_what_counts_elsewhere(site):
    project = reviewing.waiting(texts=3)
    team = [reviewing.member_of(project, login) for login in ("a1", "a2", "a3")]
    for number in (2, 3):
        all_submitted(
            sentence_of(project, number), team, [error_free(), error_free(), correction()]
        )
    reviewing.finalised(project)
    for number in (2, 3):
        reviewing.finalised(project, number=number, decision=Decision.ERROR_FREE)
    boss = Asking(somebody("boss"))
    Sentence.objects.filter(pk=sentence_of(project, 1).pk).update(purpose="training")
    withdrawn = [sentence_of(project, 2).pk]
    management.withdraw(reviewing.member_of(project, "boss"), withdrawn, reason="x")
    rows = boss.get(f"{HERE}/members").context["rows"]
    shown = {row.member.person.name: row.submitted for row in rows if row.submitted}
    assert shown == {person.name: person.submitted for person in statistics.quality(project).people}
    assert shown == {"A1": 1, "A2": 1, "A3": 1}
    assert {row.member.person.name: row.accepted for row in rows if row.submitted} == {
        "A1": 1.0,
        "A2": 1.0,
        "A3": 0.0,
    }


def test_rol_3_a_variant_is_accepted_in_full_that_was_never_edited_or_returned(site):
    project = a_perturbation(annotators=3)
    case = waiting_case(project)
    checked(reviewer(project), accept(1), edit(2, *gaps_of(case, "大前天")), give_back(3))

    def accepted() -> dict[str, float | None]:
        rows = Asking(somebody("boss")).get("/p/perturb/manage/members").context["rows"]
        return {row.member.person.login: row.accepted for row in rows if row.submitted}

    assert accepted() == {"p1": 1.0, "p2": 0.0}
    perturbed(reviewing.member_of(project, "p3"), case, "上周")
    assert accepted() == {"p1": 1.0, "p2": 0.0, "p3": None}
    checked(reviewer(project), accept(3))
    assert accepted() == {"p1": 1.0, "p2": 0.0, "p3": 0.0}


def order(boss: Asking, sort: str) -> list[str]:
    rows = boss.get(f"{HERE}/members?sort={sort}").context["rows"]
    return [row.member.person.login for row in rows if row.member.is_annotator]


def test_rol_3_members_are_sorted_by_volume_acceptance_and_f05(site):
    project = reviewing.waiting(texts=3)
    reviewing.finalised(project)
    submitted(reviewing.member_of(project, "a3"), sentence_of(project, 2))
    boss = Asking(somebody("boss"))
    assert order(boss, "submitted") == ["a3", "a1", "a2"]
    assert order(boss, "accepted")[-1] == "a2"
    assert {row.score for row in boss.get(f"{HERE}/members").context["rows"]} == {None}
    statistics.refresh(project)
    rows = boss.get(f"{HERE}/members?sort=score").context["rows"]
    scores = [row.score for row in rows if row.score is not None]
    assert len(scores) == 3
    assert scores == sorted(scores, reverse=True)
    assert order(boss, "nonsense") == order(boss, "name")
    assert len(order(boss, "since")) == 3


def test_the_log_is_read_by_key_and_verified_by_administrators_alone(project, boss):
    for n in range(60):
        projects.change_project(project, by=somebody("boss"), name=f"Name {n}")
    page = boss.get(f"{HERE}/audit").context
    assert len(page["rows"]) == 50
    older = boss.get(f"{HERE}/audit?before={page['older']}").context
    seen = [row.seq for row, *_ in (*page["rows"], *older["rows"])]
    assert seen == sorted(seen, reverse=True)
    assert len(set(seen)) == Audit.objects.filter(project=project).count()
    assert boss.form(f"{HERE}/audit/verify").status_code == 404
    root = Asking(somebody("root", is_administrator=True))
    answer = root.client.post(f"{HERE}/audit/verify", follow=True)
    assert "rows of the site fit" in answer.content.decode()


def test_a_changed_row_of_the_log_is_found(project, monkeypatch):
    root = Asking(somebody("root", is_administrator=True))
    monkeypatch.setattr(
        "gecbench.server.web.manage.log.audit.verify", lambda: ("audit 2: was changed",)
    )
    answer = root.client.post(f"{HERE}/audit/verify", follow=True)
    assert "audit 2: was changed" in answer.content.decode()


@pytest.fixture
def root(site) -> Asking:
    return Asking(somebody("root", is_administrator=True))


def test_a_project_is_made_from_a_template_archived_deleted_and_brought_back(root):
    assert root.get("/projects/").status_code == 200
    assert "no project yet" in root.html("/projects/")
    fields = {"slug": "best", "name": "Best", "lang": "en", "template": "one-best"}
    assert root.form("/projects/new", **fields).url == "/p/best/manage/"
    project = Project.objects.get()
    assert (project.annotators, project.max_references, project.lang) == (5, 1, "en")
    root.form("/projects/best/archive")
    assert Project.objects.get().archived_at is not None
    assert "archived" in root.html("/p/best/manage/")
    answer = root.client.post("/projects/best/delete", {"typed": "wrong"}, follow=True)
    assert "Nothing was deleted" in answer.content.decode()
    root.form("/projects/best/delete", typed="best")
    assert Project.objects.get().deleted_at is not None
    assert root.get("/p/best/manage/").status_code == 404
    assert "Best" in root.html("/projects/")
    root.form("/projects/best/back")
    project.refresh_from_db()
    assert (project.archived_at, project.deleted_at) == (None, None)


def test_a_project_deleted_long_ago_is_not_brought_back(root):
    project = a_project(0)
    Project.objects.update(deleted_at=timezone.now() - timedelta(days=31))
    answer = root.client.post("/projects/story/back", follow=True)
    assert "more than 30 days ago" in answer.content.decode()
    project.refresh_from_db()
    assert project.deleted_at is not None


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"name": ""}, 'id="name_error"'),
        ({"slug": "Big Name"}, 'id="slug_error"'),
        ({"slug": "story"}, "story is taken"),
        ({"lang": "fr"}, 'id="lang_error"'),
        ({"template": "none"}, 'id="template_error"'),
    ],
)
def test_a_new_project_that_means_nothing_is_refused_with_words(root, fields, message):
    a_project(0)
    form = {"slug": "new", "name": "New", "lang": "zh", "template": "mucgec", **fields}
    answer = root.form("/projects/new", **form)
    assert answer.status_code == 422
    assert message in answer.content.decode()
    assert Project.objects.count() == 1


def test_only_administrators_see_the_list_of_projects(project, boss):
    for url in ("/projects/", "/projects/new"):
        assert boss.get(url).status_code == 404
    for act in ("archive", "delete", "back"):
        assert boss.form(f"/projects/story/{act}", typed="story").status_code == 404
    project.refresh_from_db()
    assert (project.archived_at, project.deleted_at) == (None, None)
    root = Asking(somebody("root", is_administrator=True))
    assert root.form("/projects/nowhere/archive").status_code == 404


def locked(login):
    for _ in range(5):
        Client().post("/login", {"login": login, "password": "wrong"})
    return bool(accounts.login_locks(login))


def test_a_manager_lifts_a_members_lock_and_the_log_says_so(project, boss):
    li = joined(project, "li")
    url = f"{HERE}/members/{li.pk}"
    assert "is locked until" not in boss.html(url)
    assert locked("li")
    assert "is locked until" in boss.html(url)
    assert boss.form(f"{url}/unlock")["Location"] == url
    assert accounts.login_locks("li") == {}
    row = Audit.objects.get(what="person.unlocked")
    assert (row.who.login, row.object_id, row.project) == ("boss", str(li.person_id), project)
    assert "lifted the lock" in boss.html(f"{HERE}/audit")


@pytest.mark.parametrize("more", ["administrator", "elsewhere"])
def test_a_manager_helps_nobody_with_more_rights(project, boss, more):
    """Not an administrator, and nobody of a project that somebody else manages."""
    li = joined(project, "li")
    if more == "administrator":
        Person.objects.filter(pk=li.person_id).update(is_administrator=True)
    else:
        joined(a_project(1, slug="other", manager="stranger"), "li")
    url = f"{HERE}/members/{li.pk}"
    assert locked("li")
    assert "also work in a project that you do not manage" in boss.html(url)
    boss.form(f"{url}/unlock")
    assert accounts.login_locks("li")
    assert not Audit.objects.filter(what="person.unlocked").exists()
    root = Asking(somebody("root", is_administrator=True))
    root.form(f"{url}/unlock")
    assert accounts.login_locks("li") == {}


def test_who_may_help_whom(project, boss):
    li, other = joined(project, "li"), a_project(1, slug="other", manager="stranger")
    manager = Member.objects.get(person__login="boss")
    stranger = Person.objects.get(login="stranger")
    assert accounts.can_help(manager.person, li.person)
    assert not accounts.can_help(stranger, li.person)
    assert not accounts.can_help(li.person, manager.person)
    assert not accounts.can_help(manager.person, manager.person)
    second = joined(project, "second", Role.MANAGER)
    assert accounts.can_help(second.person, manager.person)
    Member.objects.filter(pk=second.pk).update(status="paused")
    assert not accounts.can_help(second.person, li.person)
    Member.objects.filter(pk=second.pk).update(status="active")
    joined(other, "boss", Role.MANAGER)
    assert not accounts.can_help(joined(project, "third", Role.MANAGER).person, manager.person)
    Member.objects.filter(pk=li.pk).update(status="left")
    assert not accounts.can_help(manager.person, li.person)
    person = joined(other, "gone").person  # what they wrote there is still theirs to read
    Member.objects.filter(person=person).update(status="left")
    joined(project, "gone")
    assert not accounts.can_help(second.person, person)
