"""Ways back in for whoever has forgotten the password: a manager's link, or one by e-mail."""

from __future__ import annotations

import dataclasses
import re
from datetime import timedelta

import pytest
from django.conf import settings
from django.core import mail
from django.test import Client, override_settings
from django.utils import timezone
from server.web.asking import Asking
from server.web.managed import HERE, boss, project
from server.workflow.stories import a_project, joined, somebody

from gecbench.core.errors import UsageError
from gecbench.server.choices import Role
from gecbench.server.models import Audit, Member, Person
from gecbench.server.web import sign_in
from gecbench.server.workflow import accounts, members
from gecbench.server.workflow.errors import GoneError, RefusedError

__all__ = ["boss", "project"]
NEW = "staple staple staple"
FORM = {"new_password1": NEW, "new_password2": NEW}


@pytest.fixture
def smtp():
    site = dataclasses.replace(settings.SITE, smtp="smtp://localhost:25")
    with override_settings(SITE=site, DEFAULT_FROM_EMAIL="gec@site.example"):
        yield


@pytest.fixture
def li(project) -> Member:
    return joined(project, "li")


def door(secret: str, **options: object) -> tuple[Client, str]:
    """Open a link as a browser does; return the browser and where the form is, "" without one."""
    client = Client(headers={"accept-language": "en"}, **options)
    answer = client.get(f"/password/{secret}")
    if answer.status_code == 410:
        assert b"no longer valid" in answer.content
        return client, ""
    assert answer.status_code == 302
    return client, answer["Location"]


def test_a_managers_link_is_shown_once_works_once_and_is_logged(project, boss, li):
    url = f"{HERE}/members/{li.pk}"
    shown = boss.form(f"{url}/password").content.decode()
    link = re.search(r'value="http://testserver/password/([^"]+)"', shown)[1]
    assert link not in boss.html(url)
    entry = Audit.objects.get(what="person.password_link_made")
    assert (entry.who.login, entry.project, entry.object_id) == ("boss", project, str(li.person_id))
    assert link not in str(entry.data)
    log = boss.html(f"{HERE}/audit")
    assert "made a link for a new password" in log
    assert li.person.name in log

    client, form = door(link)
    assert link.rsplit("/", 1)[1] not in form  # so that no referrer has it
    assert li.person.login in client.get(form).content.decode()
    assert client.post(form, FORM)["Location"] == "/"
    assert client.get("/account").status_code == 200
    assert Person.objects.get(pk=li.person_id).check_password(NEW)
    assert Audit.objects.get(what="person.password_reset").who == li.person
    assert door(link)[1] == ""
    assert client.get(form).status_code == client.post(form, FORM).status_code == 410


def test_a_new_password_ends_sessions_and_the_lock(project, li):
    elsewhere = Client()
    elsewhere.force_login(li.person, backend="django.contrib.auth.backends.ModelBackend")
    secret = accounts.password_link(li.person)
    for _ in range(5):
        Client().post("/login", {"login": "li", "password": "wrong"})
    client, form = door(secret)
    client.post(form, FORM)
    assert elsewhere.get("/account").status_code == 302
    assert accounts.login_locks("li") == {}
    assert Client().post("/login", {"login": "li", "password": NEW}).status_code == 302


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"new_password2": "other"}, "didn’t match"),
        ({"new_password1": "short", "new_password2": "short"}, "too short"),
        ({"new_password1": "", "new_password2": ""}, "required"),
    ],
)
def test_what_is_wrong_is_said_and_the_link_still_holds(li, changed, message):
    client, form = door(accounts.password_link(li.person))
    answer = client.post(form, {**FORM, **changed})
    assert answer.status_code == 422
    assert message in answer.content.decode()
    assert client.post(form, FORM).status_code == 302


@pytest.mark.parametrize("hours", [23, 25])
def test_a_link_is_over_after_a_day(li, monkeypatch, hours):
    secret = accounts.password_link(li.person)
    later = accounts.PasswordLinks()._now() + timedelta(hours=hours)
    monkeypatch.setattr(accounts.PasswordLinks, "_now", lambda _: later)
    assert bool(door(secret)[1]) == (hours == 23)


def test_a_link_is_for_its_person_and_its_maker_alone(project, boss, li):
    chief = Person.objects.get(login="boss")
    other = joined(project, "zhang").person
    maker, uid, token = accounts.password_link(li.person, by=chief).split("/")
    _, foreign, _ = accounts.password_link(other).split("/")
    for secret in (
        f"{maker}/{foreign}/{token}",
        f"0/{uid}/{token}",
        f"{other.pk}/{uid}/{token}",
        f"{10**30}/{uid}/{token}",
        f"{maker}/%00/{token}",
        f"{maker}/{uid}/set-password",
    ):
        assert door(secret)[1] == "", secret
    assert door(f"{maker}/{uid}/{token}")[1]


@pytest.mark.parametrize("what", ["demoted", "paused", "shut out", "promoted", "elsewhere"])
def test_a_link_ends_with_the_right_to_make_it(project, boss, li, what):
    """Nobody comes back by a link that they made before, or gains rights by it later."""
    chief = Person.objects.get(login="boss")
    joined(project, "second", Role.MANAGER)
    secret = accounts.password_link(li.person, by=chief)
    mine = Member.objects.get(project=project, person=chief)
    client, form = door(secret)
    if what == "demoted":
        members.change_member(mine, by=None, roles=[Role.ANNOTATOR])
    elif what == "paused":
        members.change_member(mine, by=None, status="paused")
    elif what == "shut out":
        accounts.deactivate(chief)
    elif what == "promoted":
        accounts.promote(li.person)
    else:
        joined(a_project(1, slug="other", manager="stranger"), "li")
    assert door(secret)[1] == ""
    assert client.post(form, FORM).status_code == 410
    assert not Person.objects.get(pk=li.person_id).check_password(NEW)


def test_nobody_gains_rights_by_a_link(project, boss, li):
    """Not administrators, not people of others' projects, not oneself, not another project's."""
    root = somebody("root", is_administrator=True)
    joined(project, "root")
    mine = Member.objects.get(project=project, person__login="boss")
    other = a_project(1, slug="other", manager="stranger")
    joined(other, "both")
    theirs = joined(project, "both")
    foreign = joined(other, "foreign")
    for member in (Member.objects.get(project=project, person=root), mine, theirs):
        answer = boss.form(f"{HERE}/members/{member.pk}/password")
        assert answer.status_code == 302, member
        assert "Make a link for a new password" not in boss.html(f"{HERE}/members/{member.pk}")
        with pytest.raises(RefusedError):
            accounts.password_link(member.person, by=mine.person)
    assert boss.form(f"{HERE}/members/{foreign.pk}/password").status_code == 404
    assert not Audit.objects.filter(what="person.password_link_made").exists()
    chief = somebody("chief", is_administrator=True)
    for member in (mine, theirs):
        shown = Asking(chief).form(f"{HERE}/members/{member.pk}/password")
        assert shown.status_code == 200
        assert "/password/" in shown.content.decode()


def test_whoever_is_shut_out_has_no_way_back(project, boss, li):
    secret = accounts.password_link(li.person)
    client, form = door(secret)
    accounts.deactivate(li.person)
    assert client.post(form, FORM).status_code == 410
    assert door(secret)[1] == ""
    with pytest.raises(UsageError):
        accounts.password_link(Person.objects.get(pk=li.person_id))


@pytest.mark.parametrize("signed_in_before", [False, True])
def test_a_link_of_before_somebody_was_shut_out_does_not_hold_when_they_are_let_in(
    project, boss, li, signed_in_before
):
    if signed_in_before:
        yesterday = timezone.now() - timedelta(days=1)
        Person.objects.filter(pk=li.person_id).update(last_login=yesterday)
    person = Person.objects.get(pk=li.person_id)
    secrets = [accounts.password_link(person, by=by) for by in (None, project.created_by)]
    opened = [door(secret) for secret in secrets]
    accounts.deactivate(person)
    accounts.activate(person)
    for secret, (client, form) in zip(secrets, opened, strict=True):
        assert client.post(form, FORM).status_code == 410
        assert door(secret)[1] == ""
    assert door(accounts.password_link(Person.objects.get(pk=person.pk)))[1]


def test_letting_in_somebody_who_was_not_shut_out_ends_nothing(site, person):
    li = person("li")
    client = Client()
    client.force_login(li, backend="django.contrib.auth.backends.ModelBackend")
    _, token = accounts.make_token(li, name="script")
    link = accounts.password_link(Person.objects.get(pk=li.pk))
    accounts.activate(li)
    assert client.get("/account").status_code == 200
    assert accounts.find_token(token) is not None
    assert door(link)[1]


def test_of_two_who_use_a_link_at_once_one_can(database, person):
    li = person("li")
    first, second = Person.objects.get(pk=li.pk), Person.objects.get(pk=li.pk)
    accounts.reset_password(first, NEW)
    with pytest.raises(GoneError):
        accounts.reset_password(second, "another password")
    assert Person.objects.get(pk=li.pk).check_password(NEW)


# By e-mail.


def ask(email: str, language: str = "en") -> str:
    answer = Client(headers={"accept-language": language}).post("/password", {"email": email})
    sign_in._MAILS.submit(lambda: None).result()
    assert answer.status_code == 200
    return re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", answer.content.decode())


def test_without_a_mail_server_nobody_is_offered_a_mail(site):
    assert Client().get("/password").status_code == 404
    assert Client().post("/password", {"email": "li@x.example"}).status_code == 404
    assert 'href="/password"' not in Client().get("/login").content.decode()


def test_a_link_comes_by_mail_and_the_answer_is_the_same_for_whoever_is_not_here(
    site, smtp, person
):
    assert 'href="/password"' in Client().get("/login").content.decode()
    li = person("li", email="li@x.example", language="zh-hans")
    person("out", email="out@x.example", is_active=False)
    known, unknown, out = (ask(f"{login}@x.example") for login in ("Li", "nobody", "out"))
    assert known == unknown == out
    assert "on\nits way" in known or "on its way" in known
    (sent,) = mail.outbox
    assert (sent.to, sent.from_email) == (["li@x.example"], "gec@site.example")
    assert li.name in sent.body
    # In the language of the person, not of the page.
    assert "的新密码" in sent.subject
    assert "24 小时" in sent.body
    secret = re.search(r"http://testserver/password/(0/\S+)", sent.body)[1]
    client, form = door(secret)
    assert client.post(form, FORM).status_code == 302
    assert door(secret)[1] == ""


def test_a_mail_that_cannot_be_sent_is_in_the_log_and_not_in_the_answer(site, smtp, person, caplog):
    person("li", email="li@x.example")
    with override_settings(EMAIL_BACKEND="nowhere.Backend"):
        assert ask("li@x.example") == ask("nobody@x.example")
    assert "Failed to send password reset email" in caplog.text


def test_what_is_no_address_is_refused(site, smtp):
    answer = Client(headers={"accept-language": "en"}).post("/password", {"email": "li"})
    assert answer.status_code == 422
    assert b"valid email" in answer.content


def test_the_own_address_is_changed_with_the_password(site, smtp, person):
    li = person("li", language="en")
    client = Client()
    client.force_login(li, backend="django.contrib.auth.backends.ModelBackend")
    wrong = {"do": "email", "email": "li@x.example", "password": "wrong"}
    assert client.post("/account/password", wrong).status_code == 422
    secret = accounts.password_link(li)
    right = {**wrong, "password": "correct horse battery"}
    assert client.post("/account/password", {**right, "email": "none"}).status_code == 422
    assert client.post("/account/password", right).status_code == 302
    li.refresh_from_db()
    assert li.email == "li@x.example"
    assert Audit.objects.get(what="person.email_changed").data == {}
    assert "li@x.example" in client.get("/account/password").content.decode()
    assert door(secret)[1] == ""  # a link of before ends
    accounts.forget(li)
    assert Person.objects.get(pk=li.pk).email == ""
