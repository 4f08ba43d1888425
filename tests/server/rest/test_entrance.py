"""Who comes in, what their token may do, and what does not exist for them."""

from __future__ import annotations

from datetime import timedelta
from unittest.mock import patch

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone
from server.import_export.files import reviewed
from server.rest.calls import ROOT, Caller, answer_of, filled, operations
from server.workflow.inspecting import JUDGES, begun
from server.workflow.paying import closed, paying
from server.workflow.reviewing import BAD, FAIR, GOOD, waiting
from server.workflow.stories import correction, joined, somebody

from gecbench.core.errors import UsageError
from gecbench.server.import_export.releases import make_release
from gecbench.server.models import Audit, Member, Person, Project, Release, Token
from gecbench.server.rest.urls import urlpatterns
from gecbench.server.web.permissions import access_of
from gecbench.server.workflow import pay
from gecbench.server.workflow.accounts import PREFIX, find_token, make_token, revoke_token
from gecbench.server.workflow.errors import NotYoursError

ALL = [(path, method) for path, method, _ in operations()]


def furnish() -> None:
    project = reviewed()
    make_release(project, name="v1", by=None)
    paying(project)
    with patch.object(pay, "SETTLED", timedelta(seconds=-9)):
        closed(project)
    for login in JUDGES:
        joined(project, login, "judge")
    begun(project, 1)


@pytest.fixture
def project(furnished) -> Project:
    furnished("test_entrance", furnish)
    return Project.objects.get()


def call(caller: Caller, method: str, path: str):
    """Call with what the operation wants, so that nothing but the person is wrong."""
    inside = path.removeprefix(ROOT)
    if method == "post" and "/imports" in inside:
        return caller.send(inside, "我去学校。\n")
    if inside.endswith("/reopen-variants"):
        return caller.post(inside, {"positions": [1], "note": "again"})
    if method == "post":
        return caller.post(inside, {"name": "v9"})
    return answer_of(getattr(caller.client, method)(path, headers=caller.headers))


def test_every_address_says_who_may_come():
    assert [
        str(pattern.pattern) for pattern in urlpatterns if access_of(pattern.callback) is None
    ] == []
    assert len(urlpatterns) > 15


@pytest.mark.parametrize(("path", "method"), ALL)
def test_without_a_token_or_a_session_nobody_gets_in(project, path, method):
    status, body = answer_of(getattr(Client(), method)(filled(path, "story")))
    assert status == 401
    assert body["error"].startswith("sign in, or send a token: Authorization: Bearer gecb_")
    assert len(body["request_id"]) == 12


@pytest.mark.no_cover
@pytest.mark.parametrize("who", ["stranger", "boss2", "left"])
def test_a_foreign_project_does_not_exist(project, who):
    other = reviewed(slug="other", manager="boss2")
    joined(other, "stranger")
    if who == "left":
        from gecbench.server.workflow import members

        members.change_member(joined(project, "left", "manager"), by=None, status="left")
    caller = Caller(somebody(who))
    for path, method in [address for address in ALL if "{slug}" in address[0]]:
        for slug in ("story", "no-such-project"):
            status, body = call(caller, method, filled(path, slug))
            outcome = (status, body["error"])
            assert outcome == (404, "there is no such thing, or it is not for you"), (method, path)


@pytest.mark.parametrize("role", ["annotator", "reviewer", "judge"])
def test_only_managers_see_the_work_of_a_project(project, role):
    caller = Caller(joined(project, "li", role).person)
    for path, method in ALL:
        if "{slug}" in path and method == "get":
            status, _ = call(caller, method, filled(path, "story"))
            open_to_all = path.endswith(("{slug}", "submissions", "statements"))
            assert status == (200 if open_to_all else 404), path


def test_managers_and_administrators_see_everything(project):
    for person in (
        Person.objects.get(login="boss"),
        somebody("root", is_administrator=True),
    ):
        caller = Caller(person)
        for path, method in ALL:
            if method == "get":
                status, _ = call(caller, method, filled(path, "story"))
                assert status == 200, path


def test_rol_5_annotators_read_nothing_of_others(site):
    """INV-11: no answer to an annotator holds a text of somebody else."""
    project = waiting(correction(GOOD), correction(FAIR), correction(BAD), reviewers=())
    caller = Caller(Person.objects.get(login="a1"))
    for path, method in ALL:
        if method == "get":
            text = str(call(caller, method, filled(path, project.slug)))
            assert FAIR not in text, path
            assert BAD not in text, path
    status, page = caller.get("projects/story/submissions")
    assert status == 200
    assert [item["texts"] for item in page["items"]] == [[GOOD]]


@pytest.mark.parametrize(("path", "method"), [address for address in ALL if address[1] != "get"])
def test_a_session_needs_the_csrf_token_for_everything_that_writes(project, path, method):
    client = Client(enforce_csrf_checks=True)
    client.force_login(
        Person.objects.get(login="boss"), "django.contrib.auth.backends.ModelBackend"
    )
    status, body = answer_of(getattr(client, method)(filled(path, "story")))
    assert (status, set(body)) == (403, {"error", "request_id"})


def test_a_session_with_its_csrf_token_may_write(site):
    client = Client(enforce_csrf_checks=True)
    client.force_login(somebody("li"), "django.contrib.auth.backends.ModelBackend")
    client.cookies[settings.CSRF_COOKIE_NAME] = "a" * 32
    response = client.post(
        f"{ROOT}tokens",
        '{"name": "mine"}',
        content_type="application/json",
        headers={"X-CSRFToken": "a" * 32},
    )
    assert response.status_code == 201
    assert answer_of(client.get(f"{ROOT}me"))[1]["login"] == "li"


def test_a_token_is_shown_once_and_kept_as_a_hash(site):
    caller = Caller(somebody("li"))
    status, token = caller.post("tokens", {"name": "night", "scopes": ["read"]})
    assert status == 201
    assert token["secret"].startswith(PREFIX)
    assert find_token(token["secret"]).pk == token["id"]
    stored = Token.objects.get(pk=token["id"])
    assert token["secret"] not in str(vars(stored))
    listed = caller.get("tokens")[1]
    assert [token["name"] for token in listed] == ["night", "test"]
    assert not any("secret" in token for token in listed)


def test_a_revoked_token_holds_no_more(site):
    caller = Caller(somebody("li"))
    _, created = caller.post("tokens", {"name": "night"})
    assert caller.delete(f"tokens/{created['id']}")[0] == 204
    assert find_token(created["secret"]) is None
    assert caller.delete(f"tokens/{created['id']}")[0] == 404
    logged = Audit.objects.filter(what__startswith="token.").values_list("what", flat=True)
    assert list(logged) == ["token.made", "token.made", "token.revoked"]


def test_nobody_revokes_the_token_of_another(site):
    token, secret = make_token(somebody("wang"), name="x")
    assert Caller(somebody("li")).delete(f"tokens/{token.pk}")[0] == 404
    assert find_token(secret) is not None
    with pytest.raises(NotYoursError, match="there is no such token"):
        revoke_token(somebody("li"), token.pk)


@pytest.mark.parametrize("end", ["unknown", "over", "shut out"])
def test_a_token_that_does_not_hold_is_refused_even_with_a_session(site, end):
    person = somebody("li")
    caller = Caller(person)
    caller.client.force_login(person, "django.contrib.auth.backends.ModelBackend")
    if end == "unknown":
        caller.headers["authorization"] += "x"
    if end == "over":
        Token.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    if end == "shut out":
        Person.objects.update(is_active=False)
    status, body = caller.get("me")
    assert status == 401
    assert body["error"] == "this token does not hold: it is unknown, revoked or over"


def test_a_token_has_the_scopes_that_it_has(project):
    boss = Person.objects.get(login="boss")
    read, write = Caller(boss, "read"), Caller(boss, "write")
    assert read.get("projects")[0] == 200
    assert read.post("projects/story/releases", {"name": "v2"})[1]["error"] == (
        "this token may not write; make one with that scope"
    )
    assert write.post("projects/story/releases", {"name": "v2"})[0] == 201
    status, body = write.post("tokens", {"name": "x"})
    assert (status, body["error"]) == (403, "this token has no scope admin; make one that has")


def test_the_last_use_of_a_token_is_noted_once_a_minute(site):
    caller = Caller(somebody("li"))
    caller.get("me")
    first = Token.objects.get().last_used_at
    caller.get("me")
    assert Token.objects.get().last_used_at == first
    Token.objects.update(last_used_at=first - timedelta(minutes=2))
    caller.get("me")
    assert Token.objects.get().last_used_at > first - timedelta(minutes=1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"name": " "}, "a token needs a name of at most 100 characters"),
        ({"name": "x", "scopes": ["all"]}, "unknown scope 'all'; known: admin, read, write"),
        ({"name": "x", "scopes": []}, "a token needs a scope: read, write, admin"),
        (
            {"name": "x", "expires_at": timezone.now() - timedelta(days=1)},
            "the token would be over already; give an end in the future",
        ),
    ],
)
def test_tokens_that_mean_nothing_are_refused(site, options, message):
    with pytest.raises(UsageError, match=message):
        make_token(somebody("li"), **options)


def test_nobody_has_more_tokens_than_they_can_oversee(site):
    for n in range(20):
        make_token(somebody("li"), name=str(n))
    with pytest.raises(UsageError, match="nobody has more than 20 tokens; revoke one first"):
        make_token(somebody("li"), name="21")


@pytest.mark.parametrize("how", ["paused", "training"])
def test_a_manager_who_may_not_act_now_only_looks(project, how):
    second = joined(project, "second", "manager")
    Member.objects.filter(pk=second.pk).update(status=how)
    caller = Caller(second.person)
    here = f"projects/{project.slug}"
    assert caller.get(f"{here}/releases")[0] == 200
    assert caller.get(f"{here}/imports")[0] == 200
    assert caller.get(f"{here}/exports/annotations")[0] == 404
    assert caller.post(f"{here}/releases", {"name": "v9"})[0] == 404
    assert caller.send(f"{here}/imports/plan", "新的句子。\n")[0] == 404
    assert caller.send(f"{here}/imports", "新的句子。\n")[0] == 404
    assert not Release.objects.filter(name="v9").exists()
    Member.objects.filter(pk=second.pk).update(status="active")
    assert caller.get(f"{here}/exports/annotations")[0] == 200
