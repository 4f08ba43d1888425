"""Signing in and out, invitations, and what belongs to a person alone."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from gecbench.server.choices import Role
from gecbench.server.models import Audit, Member, Person, Project, Session, Token
from gecbench.server.web import sign_in as views
from gecbench.server.workflow import accounts, members
from gecbench.server.workflow.errors import GoneError

PASSWORD = "correct horse battery"
NEW = "staple staple staple"


@pytest.fixture
def client(site):
    return Client(headers={"accept-language": "en"})


@pytest.fixture
def li(site, person):
    return person("li", language="en")


def sign_in(client, login="li", password=PASSWORD, **more):
    return client.post("/login", {"login": login, "password": password, **more})


def signed_in(client):
    return client.get("/account").status_code == 200


def test_the_right_password_signs_in_however_the_login_is_written(client, li):
    assert sign_in(client, " LI ").status_code == 302
    assert signed_in(client)
    assert Audit.objects.get(what="person.signed_in").who == li


def test_a_wrong_password_keeps_the_login_in_the_form(client, li):
    answer = sign_in(client, password="wrong")
    assert answer.status_code == 422
    assert b'value="li"' in answer.content
    assert b"name or the password is wrong" in answer.content
    assert not signed_in(client)


def test_an_unknown_login_gets_the_same_answer(client, li):
    known, unknown = sign_in(client, password="x"), sign_in(client, "nobody", "x")
    assert known.status_code == unknown.status_code

    def words(answer):
        text = answer.content.decode()
        return text.split("<main")[1].replace("nobody", "li").split("csrfmiddlewaretoken")[0]

    assert words(known) == words(unknown)


def test_somebody_who_is_shut_out_cannot_sign_in_nor_go_on(client, li):
    sign_in(client)
    Person.objects.update(is_active=False)
    assert not signed_in(client)
    assert sign_in(client).status_code == 422


def test_the_form_is_not_shown_to_whoever_is_signed_in(client, li):
    assert client.get("/login").status_code == 200
    sign_in(client)
    assert client.get("/login?next=/account/keys")["Location"] == "/account/keys"


def test_a_script_signs_in_and_gets_a_new_token(li):
    client = Client(enforce_csrf_checks=True)
    client.get("/login")
    before = client.cookies["gecbench_csrf"].value
    headers = {"Accept": "application/json", "X-CSRFToken": before}
    wrong = client.post("/login", {"login": "li", "password": "x"}, headers=headers)
    assert (wrong.status_code, wrong.json()["error"]) == (422, "wrong")
    right = client.post("/login", {"login": "li", "password": PASSWORD}, headers=headers)
    assert right.json() == {"ok": True, "token": right.json()["token"], "person": li.pk}
    assert client.cookies["gecbench_csrf"].value != before
    after = {"X-CSRFToken": right.json()["token"]}
    assert client.post("/logout", headers=after).status_code == 302


def test_a_script_may_send_json_too(client, li):
    for body, status in (
        ({"login": "li", "password": PASSWORD}, 200),
        ({"login": None, "password": 3}, 422),
        ([], 422),
    ):
        answer = client.post(
            "/login", json.dumps(body), "application/json", headers={"Accept": "application/json"}
        )
        assert answer.status_code == status
    broken = client.post("/login", "{", "application/json", headers={"Accept": "application/json"})
    assert broken.status_code == 422


def test_signing_out_ends_the_session_in_the_database(client, li):
    sign_in(client)
    assert Session.objects.count() == 1
    assert client.post("/logout")["Location"] == "/login"
    assert Session.objects.count() == 0
    assert client.get("/logout").status_code == 405


def test_a_session_is_new_at_each_sign_in(client, li):
    client.get("/login")
    session = client.session
    session["planted"] = 1
    session.save()
    client.cookies["gecbench_session"] = session.session_key
    sign_in(client)
    assert client.cookies["gecbench_session"].value != session.session_key
    assert not Session.objects.filter(pk=session.session_key).exists()


def test_a_session_ends_twelve_hours_after_its_last_use(client, li):
    sign_in(client)
    Session.objects.update(expire_date=timezone.now() - timedelta(seconds=1))
    assert not signed_in(client)
    sign_in(client)
    assert Session.objects.count() == 1  # the one that was over is gone


def test_use_prolongs_a_session_with_few_writes(client, li):
    sign_in(client)
    session = client.session
    session["seen"] -= 601
    session.save()
    Session.objects.update(expire_date=timezone.now() + timedelta(hours=1))
    assert signed_in(client)
    prolonged = Session.objects.get().expire_date
    assert prolonged > timezone.now() + timedelta(hours=11)
    assert signed_in(client)
    assert Session.objects.get().expire_date == prolonged


def invite(project=None, **options):
    options.setdefault("by", None)
    roles = [Role.ANNOTATOR, Role.REVIEWER] if project else []
    _, secret = members.invite(project, roles=roles, **options)
    return f"/invitation/{secret}"


@pytest.fixture
def project(site):
    return Project.objects.create(slug="one", name="语料", lang="zh")


FORM = {"login": "Wang", "name": "王", "password": NEW, "again": NEW}


def test_somebody_new_comes_in_by_an_invitation(client, project):
    link = invite(project)
    page = client.get(link).content.decode()
    assert "语料" in page
    assert "Annotator" in page
    assert client.post(link, FORM)["Location"] == "/"
    assert signed_in(client)
    member = Member.objects.get()
    assert (member.person.login, member.roles) == ("wang", (Role.ANNOTATOR, Role.REVIEWER))
    assert client.get(link).status_code == 410
    assert b"no longer valid" in client.get(link).content


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"login": ""}, "Choose a name for signing in."),
        ({"login": "a b"}, "has no spaces"),
        ({"login": "li"}, "Somebody has this name"),
        ({"name": " "}, "Write the name that others see"),
        ({"again": "other"}, "are not the same"),
        ({"password": "short", "again": "short"}, "too short"),
        ({"password": "1234567890", "again": "1234567890"}, "numeric|common"),
    ],
)
def test_what_is_wrong_stands_at_its_field_and_the_rest_is_kept(
    client, li, project, changed, message
):
    import re

    link = invite(project)
    answer = client.post(link, {**FORM, **changed})
    text = answer.content.decode()
    assert answer.status_code == 422
    assert re.search(message, text)
    if "name" not in changed:
        assert 'value="王"' in text
    assert NEW not in text
    assert client.get(link).status_code == 200


def test_somebody_with_an_account_joins(client, li, project):
    link = invite(project)
    assert f'href="/login?next={link}"' in client.get(link).content.decode()
    sign_in(client)
    assert b"You are signed in as Li" in client.get(link).content
    assert client.post(link, {"do": "join"})["Location"] == "/p/one/"
    assert Member.objects.get().person == li


def test_a_link_that_is_for_no_project_joins_nobody(client, li):
    sign_in(client)
    answer = client.post(invite(administrator=True), {"do": "join"})
    assert answer.status_code == 422
    assert b"This link is for a new account" in answer.content


@pytest.mark.parametrize("used", [0, 1])
def test_each_link_for_the_first_administrator_holds_until_one_is_used(client, site, used):
    links = [f"/invitation/{accounts.first_administrator()}" for _ in ("init", "serve")]
    for link in links:
        assert b"administrator" in client.get(link).content
    client.post(links[used], FORM)
    assert Person.objects.get().is_administrator
    assert [Client().get(link).status_code for link in links] == [410, 410]
    with pytest.raises(GoneError):
        members.accept(links[1 - used].rpartition("/")[2], login="x", name="X", password=NEW)
    assert accounts.first_administrator() == ""


def test_links_that_nobody_made_are_not_found(client, site):
    answer = client.get("/invitation/guessed")
    assert answer.status_code == 404
    assert b"invitation" not in answer.content.split(b"<main")[1]


def test_a_new_password_needs_the_old_one_and_ends_other_sessions(client, li):
    other = Client()
    sign_in(client)
    sign_in(other)
    wrong = client.post("/account/password", {"old": "x", "new": NEW, "again": NEW})
    assert (wrong.status_code, b"This is not your password" in wrong.content) == (422, True)
    unequal = client.post("/account/password", {"old": PASSWORD, "new": NEW, "again": "x"})
    assert b"are not the same" in unequal.content
    weak = client.post("/account/password", {"old": PASSWORD, "new": "li", "again": "li"})
    assert b"too short" in weak.content
    assert signed_in(other)
    right = client.post("/account/password", {"old": PASSWORD, "new": NEW, "again": NEW})
    assert right.status_code == 302
    assert signed_in(client)
    assert not signed_in(other)
    assert Audit.objects.filter(what="person.password_changed").count() == 1


def test_sessions_are_listed_without_their_keys_and_ended(client, li, person):
    others = [Client(headers={"user-agent": "Mozilla/5.0 (Windows) Firefox/150.0"}) for _ in "ab"]
    person("zhang")
    stranger = Client()
    sign_in(stranger, "zhang")
    for session in (client, *others):
        sign_in(session)
    page = client.get("/account/sessions")
    text = page.content.decode()
    assert text.count("Firefox · Windows") == 2
    for key in Session.objects.values_list("session_key", flat=True):
        assert key not in text
    handles = [place.handle for place in page.context["places"] if not place.here]
    assert page.context["places"][0].here
    client.post("/account/sessions/end", {"handle": handles[0]})
    assert sum(signed_in(other) for other in others) == 1
    client.post("/account/sessions/end", {"handle": "all"})
    assert [signed_in(session) for session in (client, *others, stranger)] == [
        True,
        False,
        False,
        True,
    ]
    client.post("/account/sessions/end", {"handle": "nonsense"})
    assert Audit.objects.filter(what="person.sessions_ended").count() == 2


def test_sessions_of_somebody_shut_out_do_not_come_back_with_them(client, li):
    sign_in(client)
    accounts.deactivate(li)
    assert not signed_in(client)
    assert not li.sessions.exists()
    accounts.activate(li)
    assert not signed_in(client)
    sign_in(client)
    assert signed_in(client)


def test_a_sign_in_on_its_way_while_somebody_is_shut_out_does_not_hold_when_they_are_let_in(
    client, li, monkeypatch
):
    def shut_out_meanwhile(request, person):
        enter(request, person)
        accounts.deactivate(person)

    enter = views.enter
    monkeypatch.setattr(views, "enter", shut_out_meanwhile)
    sign_in(client)
    assert li.sessions.exists()
    assert not signed_in(client)
    accounts.activate(li)
    assert not signed_in(client)
    monkeypatch.undo()
    sign_in(client)
    assert signed_in(client)


@pytest.mark.parametrize("how", ["GET", "POST"])
@pytest.mark.parametrize("accept", ["text/html", "application/json"])
def test_a_request_whose_session_ends_meanwhile_is_sent_to_sign_in(
    client, li, monkeypatch, how, accept
):
    """Each request may write the session: that it was used."""

    def shut_out_meanwhile(person):
        accounts.deactivate(person)
        return tokens_of(person)

    sign_in(client)
    session = client.session
    session["seen"] = 0
    session.save()
    tokens_of = accounts.tokens_of
    monkeypatch.setattr(accounts, "tokens_of", shut_out_meanwhile)
    answer = client.generic(how, "/account/tokens?a=b", headers={"accept": accept})
    if accept == "text/html":
        to = (302, "/login?next=/account/tokens%3Fa%3Db")
        assert (answer.status_code, answer["Location"]) == to
    else:
        body = {"error": "signed_out", "login": "/login"}
        assert (answer.status_code, answer.json()) == (401, body)
    assert not signed_in(client)


def test_the_list_of_sessions_decodes_ones_own_only(client, li, person, monkeypatch):
    person("zhang")
    for _ in range(3):
        sign_in(Client(), "zhang")
    sign_in(client)
    decoded = []
    decode = Session.get_decoded
    monkeypatch.setattr(
        Session, "get_decoded", lambda session: decoded.append(session) or decode(session)
    )
    client.get("/account/sessions")
    assert [session.person for session in decoded] == [li]


def test_a_session_of_an_unknown_kind_is_listed_too(client, li):
    sign_in(client)
    session = client.session
    for key in ("seen", "began", "agent"):
        del session[key]
    session["seen"] = 9_999_999_999
    session.save()
    assert b"Unknown browser" in client.get("/account/sessions").content


def test_a_token_is_shown_once_and_revoked(client, li, person):
    sign_in(client)
    response = client.post("/account/tokens", {"name": "nightly", "scope": "read", "days": "30"})
    secret = response.context["secret"]
    assert accounts.find_token(secret).person == li
    assert response["Cache-Control"].startswith("max-age=0")
    assert secret not in client.get("/account/tokens").content.decode()
    ends = Token.objects.get().expires_at - timezone.now()
    assert timedelta(days=29) < ends <= timedelta(days=30)
    theirs, _ = accounts.make_token(person("zhang"), name="x")
    assert client.post(f"/account/tokens/{theirs.pk}/revoke").status_code == 404
    client.post(f"/account/tokens/{Token.objects.first().pk}/revoke")
    assert accounts.find_token(secret) is None
    assert accounts.tokens_of(theirs.person).count() == 1
    again = client.post(f"/account/tokens/{Token.objects.first().pk}/revoke", follow=True)
    assert "was revoked before" in again.content.decode()


@pytest.mark.parametrize(
    "fields", [{"name": ""}, {"name": "x", "scope": "root"}, {"name": "x" * 101}]
)
def test_a_token_that_cannot_be_is_refused(client, li, fields):
    sign_in(client)
    assert client.post("/account/tokens", fields).status_code == 422
    assert not Token.objects.exists()


def change(client, **fields):
    plain = {"name": "Li", "language": "en", "theme": "auto", "size": "medium", "goal": "0"}
    return client.post("/account/change", {**plain, **fields})


def test_settings_are_kept(client, li):
    sign_in(client)
    more = {"name": "李 薇", "language": "zh-hans", "theme": "dark", "size": "large", "goal": "60"}
    assert change(client, **more, enter_submits="on").status_code == 302
    li.refresh_from_db()
    assert (li.name, li.language, li.theme) == ("李 薇", "zh-hans", "dark")
    assert li.preferences == {"size": "large", "goal": 60, "enter_submits": True}
    page = client.get("/account").content.decode()
    assert 'lang="zh-Hans"' in page
    assert 'data-theme="dark"' in page
    assert 'data-size="large"' in page
    assert "我的账号" in page
    change(client, language="")
    assert client.cookies["gecbench_language"].value == ""


@pytest.mark.parametrize(
    "fields",
    [
        {"name": "\u200b"},
        {"name": "x\0"},
        {"goal": "x"},
        {"goal": "1001"},
        {"theme": "pink"},
        {"size": "giant"},
    ],
)
def test_settings_that_mean_nothing_are_refused(client, li, fields):
    sign_in(client)
    assert change(client, **fields).status_code == 422
    li.refresh_from_db()
    assert (li.name, li.preferences) == ("Li", {})


def test_settings_nobody_knows_change_nothing(client, li):
    sign_in(client)
    assert change(client, language="xx", is_administrator="on").status_code == 422
    assert change(client, theme="", is_administrator="on", login="root").status_code == 302
    li.refresh_from_db()
    assert (li.language, li.theme, li.preferences["size"]) == ("en", "auto", "medium")
    assert (li.login, li.is_administrator) == ("li", False)


def test_the_language_changes_on_any_page(client, li):
    assert "Sign in" in client.get("/login").content.decode()
    answer = client.post("/language", {"language": "zh-hans", "next": "/login?next=/account"})
    assert answer["Location"] == "/login?next=/account"
    assert "密码" in client.get("/login").content.decode()
    sign_in(client)
    assert "My account" in client.get("/account").content.decode()  # one's own choice wins
    client.post("/language", {"language": "zh-hans"})
    assert "我的账号" in client.get("/account").content.decode()
    client.post("/language", {"language": "xx"})
    li.refresh_from_db()
    assert li.language == "zh-hans"


def test_keys_are_changed_and_brought_back(client, li):
    sign_in(client)
    page = client.get("/account/keys")
    assert page.content.count(b"data-chord") > 60
    fields = {"add": "alt+j", "skip": "Alt+P", "guide": "Ctrl+/", "close": ""}
    assert client.post("/account/keys", fields).status_code == 302
    li.refresh_from_db()
    assert li.preferences["keys"] == {"add": "Alt+J"}
    assert b'value="Alt+J"' in client.get("/account/keys").content
    client.post("/account/keys", {**fields, "do": "reset"})
    li.refresh_from_db()
    assert li.preferences["keys"] == {}


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"add": "Alt+P"}, "Alt+P would do two things: “Add a correction” and “Skip”"),
        ({"add": "Ctrl+W"}, "Ctrl+W belongs to the browser"),
        ({"add": "A"}, "A would type into the box"),
        ({"add": "Alt+Foo"}, "is no key; write it as Alt+A"),
        ({"box_3": "Alt+P"}, "“To box 3” and “Skip”"),
    ],
)
def test_keys_that_cannot_be_are_refused_and_stay_in_the_form(client, li, fields, message):
    sign_in(client)
    answer = client.post("/account/keys", fields)
    text = answer.content.decode()
    assert answer.status_code == 422
    assert message in text
    assert f'value="{next(iter(fields.values()))}"' in text
    li.refresh_from_db()
    assert "keys" not in li.preferences
