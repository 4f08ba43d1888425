"""Members, settings, guideline, log and the list of projects, as a manager's browser sees them."""

from __future__ import annotations

import re
from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone
from server.web.asking import Asking
from server.workflow import reviewing
from server.workflow.stories import a_project, joined, sentence_of, somebody, submitted

from gecbench.server import progress
from gecbench.server.laws.names import MemberStatus, Role
from gecbench.server.laws.options import RULES, ProjectOptions
from gecbench.server.models import (
    Audit,
    Guideline,
    GuidelineCase,
    Invitation,
    Member,
    MemberEvent,
    Project,
    Study,
)
from gecbench.server.web.manage.fields import GROUPS, RULE_WORDS
from gecbench.server.workflow import complaints, members, projects

HERE = "/p/story/manage"


@pytest.fixture
def project(site) -> Project:
    return a_project(3, annotators=2)


@pytest.fixture
def boss(project) -> Asking:
    return Asking(somebody("boss"))


def test_an_invitation_is_a_link_shown_once_and_can_be_withdrawn(project, boss):
    answer = boss.form(f"{HERE}/members/invite", roles=["annotator", "reviewer"], note="for Li")
    link = re.search(r'value="(http[^"]+/invitation/[^"]+)"', answer.content.decode())
    assert link is not None
    secret = link[1].rsplit("/", 1)[1]
    assert members.invitation_of(secret).roles == ["annotator", "reviewer"]
    html = boss.html(f"{HERE}/members")
    assert secret not in html
    assert "for Li" in html
    boss.form(f"{HERE}/members/invitations/{Invitation.objects.get().pk}")
    assert Invitation.objects.get().revoked_at is not None
    assert "for Li" not in boss.html(f"{HERE}/members")
    assert Audit.objects.filter(what="invitation.made").count() == 1


def test_an_invitation_needs_a_role_and_one_of_another_project_is_not_found(project, boss):
    answer = boss.form(f"{HERE}/members/invite", note="x")
    assert (answer.status_code, "at least one role" in answer.content.decode()) == (422, True)
    other = a_project(1, slug="other", manager="stranger")
    made, _ = members.invite(other, roles=[Role.MANAGER], by=None)
    assert boss.form(f"{HERE}/members/invitations/{made.pk}").status_code == 404
    assert Invitation.objects.get().revoked_at is None


def test_rol_3_a_promotion_has_a_note_and_a_history(project, boss):
    li = joined(project, "li")
    url = f"{HERE}/members/{li.pk}"
    boss.form(url, roles=["annotator", "reviewer"], status="active", note="outstanding")
    assert MemberEvent.objects.filter(member=li).last().note == "outstanding"
    html = boss.html(url)
    assert "outstanding" in html
    boss.form(url, roles=["annotator"], status="paused", note="")
    li.refresh_from_db()
    assert (li.is_reviewer, li.status) == (False, MemberStatus.PAUSED)


def test_the_last_manager_stays(project, boss):
    mine = Member.objects.get(person__login="boss")
    answer = boss.form(f"{HERE}/members/{mine.pk}", roles=["annotator"], status="active")
    assert answer.status_code == 422
    assert "at least one manager" in answer.content.decode()
    mine.refresh_from_db()
    assert mine.is_manager


def test_a_judge_stays_one(project, boss):
    li = joined(project, "li", Role.ANNOTATOR, Role.JUDGE)
    boss.form(f"{HERE}/members/{li.pk}", roles=["reviewer"], status="active")
    assert set(Member.objects.get(pk=li.pk).roles) == {Role.REVIEWER, Role.JUDGE}


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
    progress.refresh(project)
    rows = boss.get(f"{HERE}/members?sort=score").context["rows"]
    scores = [row.score for row in rows if row.score is not None]
    assert len(scores) == 3
    assert scores == sorted(scores, reverse=True)
    assert order(boss, "nonsense") == order(boss, "name")
    assert len(order(boss, "since")) == 3


def test_every_option_of_a_project_has_a_field_and_every_rule_its_words():
    named = {field.name for _, fields in GROUPS for field in fields}
    options = set(ProjectOptions.__dataclass_fields__) - {"rules"}
    assert named == options | {"name", "annotators", "max_references"}
    assert set(RULE_WORDS) == set(RULES)


def settings_of(boss: Asking, **changed: str) -> dict[str, str]:
    """What a browser would send of the settings page."""
    page = boss.get(f"{HERE}/settings").context
    sent = {one.field.name: one.value for _, fields in page["groups"] for one in fields}
    sent |= {
        f"rule-{rule}": next(level for level, _, chosen, _ in levels if chosen)
        for rule, _, levels in page["rules"]
    }
    return {key: value for key, value in {**sent, **changed}.items() if value}


def test_settings_sent_back_as_they_are_change_nothing(project, boss):
    before = Audit.objects.count()
    boss.client.post(f"{HERE}/settings", settings_of(boss))
    assert Audit.objects.count() == before


def test_settings_are_kept_and_recorded(project, boss):
    given = settings_of(
        boss,
        name="New name",
        annotators="4",
        max_references="1",
        lease_minutes="45",
        reveal_after="never",
        study_gate="yes",
        placeholder_aliases="[MC]\n\n[X]\n",
        **{"rule-CON-9": "block", "rule-CON-1": "off"},
    )
    answer = boss.client.post(f"{HERE}/settings", given)
    assert answer.status_code == 302
    project.refresh_from_db()
    rules = project.rules
    assert (project.name, project.annotators, project.max_references) == ("New name", 4, 1)
    assert (rules.lease_minutes, rules.reveal_after, rules.study_gate) == (45, None, True)
    assert rules.placeholder_aliases == ("[MC]", "[X]")
    assert (rules.level("CON-9"), rules.level("CON-1")) == ("block", "off")
    assert sentence_of(project).needed == 4
    assert Audit.objects.filter(what="project.changed").count() == 1
    boss.client.post(f"{HERE}/settings", settings_of(boss, **{"rule-CON-1": "block"}))
    project.refresh_from_db()
    assert project.rules.level("CON-1") == "block"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("annotators", "21"),
        ("annotators", "many"),
        ("lease_minutes", "0"),
        ("reveal_after", "101"),
        ("complaints_to", "nobody"),
        ("name", " "),
        ("name", "x" * 151),
        ("instructions", "x" * 501),
        ("rule-CON-1", "shout"),
    ],
)
def test_a_setting_that_means_nothing_is_said_beside_it_and_nothing_is_changed(
    project, boss, name, value
):
    given = {**settings_of(boss, lease_minutes="45"), name: value}
    answer = boss.client.post(f"{HERE}/settings", given)
    assert answer.status_code == 422
    if name != "rule-CON-1":
        assert 'class="problem"' in answer.content.decode()
    if name != "lease_minutes":
        shown = {
            one.field.name: one.value for _, fields in answer.context["groups"] for one in fields
        }
        assert shown["lease_minutes"] == "45"
    assert Project.objects.get(slug="story").rules.lease_minutes == 30


def test_an_option_set_by_a_program_to_what_the_form_does_not_offer_is_kept(project, boss):
    projects.change_project(project, by=somebody("boss"), options={"reveal_after": 7})
    boss.client.post(f"{HERE}/settings", settings_of(boss, lease_minutes="20"))
    project.refresh_from_db()
    assert (project.rules.reveal_after, project.rules.lease_minutes) == (7, 20)


def test_gui_2_a_guideline_is_previewed_published_and_settles_cases(site):
    project = reviewing.waiting()
    reviewing.finalised(project)
    boss = Asking(somebody("boss"))
    author = reviewing.member_of(project, "a2")
    said = complaints.complain(
        author, Study.objects.get().pk, argument="idiomatic", client_key=uuid4()
    )
    complaints.mark_case(reviewing.member_of(project, "boss"), said.pk, note="spoken language")
    case = GuidelineCase.objects.get()
    assert "spoken language" in boss.html(f"{HERE}/guideline")
    text = "# Rule {#r}\n\n<script>alert(1)</script> **spoken**\n"
    shown = boss.form(f"{HERE}/guideline/preview", markdown=text).content.decode()
    assert "<strong>spoken</strong>" in shown
    assert "<script" not in shown
    given = {"markdown": text, "note": "spoken language", "based": "1", "case": str(case.pk)}
    assert boss.form(f"{HERE}/guideline", **given).status_code == 302
    case.refresh_from_db()
    assert (case.closed_in.version, Guideline.objects.count()) == (2, 2)
    assert "alert(1)</script>" not in boss.html("/p/story/guide")


def test_a_guideline_that_somebody_else_published_meanwhile_is_not_overwritten(project, boss):
    text = "# Mine\n"
    assert boss.form(f"{HERE}/guideline", markdown="# First\n", based="1").status_code == 302
    answer = boss.form(f"{HERE}/guideline", markdown=text, based="1")
    assert answer.status_code == 422
    assert "# Mine" in answer.content.decode()
    assert Guideline.objects.count() == 2
    answer = boss.form(f"{HERE}/guideline", markdown="", based="2")
    assert answer.status_code == 422


def test_a_case_can_be_settled_by_the_version_in_force(site):
    project = reviewing.waiting()
    reviewing.finalised(project)
    author, boss = reviewing.member_of(project, "a2"), Asking(somebody("boss"))
    said = complaints.complain(author, Study.objects.get().pk, argument="x", client_key=uuid4())
    case = complaints.mark_case(reviewing.member_of(project, "boss"), said.pk, note="clear")
    assert boss.form(f"{HERE}/guideline/cases", case="many").status_code == 302
    boss.form(f"{HERE}/guideline/cases", case=str(case.pk))
    case.refresh_from_db()
    assert case.closed_in.version == 1


def test_a_guideline_too_long_to_be_shown_is_said(project, boss):
    shown = boss.form(f"{HERE}/guideline/preview", markdown="x" * 1_000_001)
    assert "note bad" in shown.content.decode()


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
        "gecbench.server.web.manage.log.audits.verify", lambda: ("audit 2: was changed",)
    )
    answer = root.client.post(f"{HERE}/audit/verify", follow=True)
    assert "audit 2: was changed" in answer.content.decode()


@pytest.fixture
def root(site) -> Asking:
    return Asking(somebody("root", is_administrator=True))


def test_a_project_is_made_from_a_template_archived_deleted_and_brought_back(root):
    assert root.get("/projects/").status_code == 200
    assert "no project yet" in root.html("/projects/")
    given = {"slug": "best", "name": "Best", "lang": "en", "template": "one-best"}
    assert root.form("/projects/new", **given).url == "/p/best/manage/"
    made = Project.objects.get()
    assert (made.annotators, made.max_references, made.lang) == (5, 1, "en")
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
    made.refresh_from_db()
    assert (made.archived_at, made.deleted_at) == (None, None)


def test_a_project_deleted_long_ago_is_not_brought_back(root):
    made = a_project(0)
    Project.objects.update(deleted_at=timezone.now() - timedelta(days=31))
    answer = root.client.post("/projects/story/back", follow=True)
    assert "more than 30 days ago" in answer.content.decode()
    made.refresh_from_db()
    assert made.deleted_at is not None


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"name": ""}, "needs a name"),
        ({"slug": "Big Name"}, "small letters"),
        ({"slug": "story"}, "is taken"),
        ({"lang": "fr"}, "language"),
        ({"template": "none"}, "template"),
    ],
)
def test_a_new_project_that_means_nothing_is_refused_with_words(root, given, said):
    a_project(0)
    form = {"slug": "new", "name": "New", "lang": "zh", "template": "mucgec", **given}
    answer = root.form("/projects/new", **form)
    assert answer.status_code == 422
    assert said in answer.content.decode()
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
