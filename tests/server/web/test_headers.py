"""What every answer says to the browser, and what is refused before a page is made."""

from __future__ import annotations

import dataclasses
import os
import re
import subprocess
import sys
from time import perf_counter

import pytest
from axes.models import AccessFailureLog
from django.conf import settings
from django.test import Client, override_settings
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st
from server.workflow.stories import a_project, claimed, joined

from gecbench.server.models import Person
from gecbench.server.site.folder import make_site, write_options
from gecbench.server.web.http import LIMITS, Buckets, Limit
from gecbench.server.workflow.accounts import login_locks

PASSWORD = "correct horse battery"
PAGES = ("/login", "/no/such/page", "/account", "/healthz", "/static/gecbench/base.css", "/readyz")


def site_with(**changed):
    return override_settings(SITE=dataclasses.replace(settings.SITE, **changed))


@pytest.mark.parametrize("path", PAGES)
def test_every_answer_has_the_headers(site, path):
    answer = Client().get(path)
    answer.close()
    headers = answer.headers
    policy = dict(part.split(" ", 1) for part in headers["Content-Security-Policy"].split("; "))
    assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert "camera=()" in headers["Permissions-Policy"]
    assert re.fullmatch("[0-9a-f]{12}", headers["X-Request-Id"])
    assert "Strict-Transport-Security" not in headers


def test_with_https_the_browser_is_told_to_stay_with_it(site):
    with override_settings(SECURE_HSTS_SECONDS=31536000, SECURE_SSL_REDIRECT=True):
        secure = Client().get("/login", secure=True)
        assert secure["Strict-Transport-Security"].startswith("max-age=31536000")
        assert Client().get("/login")["Location"] == "https://testserver/login"
        assert Client().get("/healthz").status_code == 200


def test_cookies_are_not_for_scripts_nor_for_other_sites(site, person):
    person("li")
    client = Client()
    client.post("/login", {"login": "li", "password": PASSWORD})
    cookie = client.cookies["gecbench_session"]
    assert (cookie["httponly"], cookie["samesite"], cookie["max-age"]) == (True, "Lax", 43200)


def test_a_foreign_host_is_refused(site):
    answer = Client(headers={"host": "evil.example"}, raise_request_exception=False).get("/login")
    assert answer.status_code == 400
    assert b"evil.example" not in answer.content


@pytest.mark.parametrize(
    "address",
    [
        *("https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)"),
        *("http:///evil.example", "\\\\evil.example", "https:evil.example", " //evil.example"),
        *("/\t/evil.example", "ftp://testserver/", "data:text/html,x"),
    ],
)
def test_after_signing_in_nobody_is_sent_elsewhere(site, person, address):
    person("li")
    fields = {"login": "li", "password": PASSWORD, "next": address}
    assert Client().post("/login", fields)["Location"] == "/"
    assert Client().post("/language", {"language": "en", "next": address})["Location"] == "/"
    shown = Client().get("/login", {"next": address}).content.decode()
    assert 'name="next" value="/"' in shown


def fail(client, login="li", times=1, **options):
    for _ in range(times):
        answer = client.post("/login", {"login": login, "password": "wrong"}, **options)
    return answer


def test_the_sixth_try_is_locked_even_with_the_right_password(site, person):
    person("li")
    person("zhang")
    client = Client(headers={"accept-language": "en"})
    assert fail(client, times=4).status_code == 422
    assert fail(client).status_code == 403
    fields = {"login": "LI ", "password": PASSWORD}
    locked = client.post("/login", fields)
    assert locked.status_code == 403
    assert b"locked for another 15 minutes" in locked.content
    assert 899 <= int(locked["Retry-After"]) <= 900
    as_json = client.post("/login", fields, headers={"Accept": "application/json"})
    assert (as_json.status_code, as_json.json()["error"]) == (403, "locked")
    elsewhere = Client(REMOTE_ADDR="192.0.2.7")
    assert elsewhere.post("/login", fields).status_code == 302
    other = {"login": "zhang", "password": PASSWORD}
    assert client.post("/login", other).status_code == 302


def test_the_lock_ends_after_a_quarter_of_an_hour_and_tries_do_not_prolong_it(site, person):
    from axes.models import AccessAttempt

    person("li")
    client = Client()
    fail(client, times=7)
    AccessAttempt.objects.update(attempt_time=timezone.now() - timezone.timedelta(minutes=14))
    later = fail(client, headers={"accept-language": "en"})
    assert b"locked for another 1 minute;" in later.content
    AccessAttempt.objects.update(attempt_time=timezone.now() - timezone.timedelta(minutes=16))
    assert client.post("/login", {"login": "li", "password": PASSWORD}).status_code == 302


def test_a_login_that_nobody_has_is_locked_alike(site):
    assert fail(Client(), "nobody", times=5).status_code == 403


def test_the_lock_ends_when_the_oldest_failures_are_old(site, person):
    """Three failures of one browser and two of another: the lock ends with the three."""
    from axes.models import AccessAttempt

    person("li")
    for agent, times in (("old", 3), ("new", 2)):
        fail(Client(headers={"user-agent": agent}), times=times)
    now = timezone.now()
    old = now - timezone.timedelta(minutes=10)
    AccessAttempt.objects.filter(user_agent="old").update(attempt_time=old)
    assert login_locks("li") == {"127.0.0.1": old + timezone.timedelta(minutes=15)}
    assert login_locks("nobody") == {}


def test_an_office_behind_one_address_is_not_shut_out(site, person):
    for n in range(4):
        person(f"p{n}")
        fail(Client(), f"p{n}", times=5)
        fail(Client(), f"unknown{n}", times=5)
    person("li")
    assert Client().post("/login", {"login": "li", "password": PASSWORD}).status_code == 302


def test_failures_are_forgotten_after_thirty_days(site, person):
    person("li")
    fail(Client())
    AccessFailureLog.objects.update(attempt_time=timezone.now() - timezone.timedelta(days=31))
    Client().post("/login", {"login": "li", "password": PASSWORD})
    assert not AccessFailureLog.objects.exists()


def test_an_unknown_login_takes_as_long_as_a_known_one(site, person, monkeypatch):
    """Both hash one password: counted, for a clock would tell of the machine."""
    from django.contrib.auth.hashers import Argon2PasswordHasher

    person("li")
    person("new", password="!")
    counted = []
    for name in ("encode", "verify"):
        real = getattr(Argon2PasswordHasher, name)

        def count(self, *args, _real=real, _name=name, **words):
            if not (counted and counted[-1] == "verify" and _name == "encode"):
                counted.append(_name)
            return _real(self, *args, **words)

        monkeypatch.setattr(Argon2PasswordHasher, name, count)
    spent = {}
    for login in ("li", "nobody", "new"):
        counted.clear()
        began = perf_counter()
        fail(Client(), login)
        spent[login] = perf_counter() - began
        assert len(counted) == 1, (login, counted)
    assert set(spent) == {"li", "nobody", "new"}


def test_behind_a_proxy_the_address_is_the_one_that_the_proxy_saw(site, person):
    person("li")
    headers = {"x-forwarded-for": "203.0.113.5, 192.0.2.44"}
    with site_with(behind_proxy=True):
        fail(Client(headers=headers))
    fail(Client(headers=headers))
    fail(Client(REMOTE_ADDR=""))
    seen = list(AccessFailureLog.objects.order_by("pk").values_list("ip_address", flat=True))
    assert seen == ["192.0.2.44", "127.0.0.1", None]


def test_too_fast_is_429_and_says_when_to_come_again(site, monkeypatch):
    monkeypatch.setattr("gecbench.server.web.http._BUCKETS", Buckets(lambda: 0.0))
    monkeypatch.setattr("gecbench.server.web.http.LIMITS", {"sign-in": Limit(0.5, 2)})
    with site_with(rate_limits=True):
        answers = [fail(Client(), f"n{n}") for n in range(3)]
        words = {
            language: fail(Client(headers={"accept-language": language})).content.decode()
            for language in ("en", "zh-hans")
        }
        response = fail(Client(headers={"accept": "application/json", "accept-language": "en"}))
    assert [answer.status_code for answer in answers] == [422, 422, 429]
    assert answers[-1]["Retry-After"] == response["Retry-After"] == "2"
    assert "Wait 2 seconds" in words["en"]
    assert "请等待 2 秒" in words["zh-hans"]
    assert (response.json()["error"], response.json()["seconds"]) == ("too_fast", 2)
    assert "Wait 2 seconds" in response.json()["message"]


@given(st.floats(0.001, 50), st.integers(1, 5), st.lists(st.floats(0, 40), max_size=5))
def test_whoever_waits_as_long_as_was_said_may_go_on(rate, burst, pauses):
    now = [0.0]
    buckets = Buckets(lambda: now[0])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("gecbench.server.web.http.LIMITS", {"submit": Limit(rate, burst)})
        for pause in [*pauses, *[0.0] * burst]:
            now[0] += pause
            wait = buckets.wait("submit", 1)
            if wait:
                now[0] += wait
                assert buckets.wait("submit", 1) == 0


def test_a_refused_method_takes_nothing_from_a_limit(site, monkeypatch):
    project = a_project(1)
    li = claimed(joined(project, "li"), project.sentences.get())
    boss = Person.objects.get(login="boss")
    once = dict.fromkeys(LIMITS, Limit(0.5, 1))
    monkeypatch.setattr("gecbench.server.web.http._BUCKETS", Buckets(lambda: 0.0))
    monkeypatch.setattr("gecbench.server.web.http.LIMITS", once)
    doors = (
        (li.person, "get", "post", f"/p/story/draft/{li.pk}"),
        (li.person, "get", "post", f"/p/story/submit/{li.pk}"),
        (li.person, "post", "get", "/account/data"),
        (boss, "get", "post", "/p/story/manage/export/download"),
    )
    with site_with(rate_limits=True):
        for somebody, wrong, right, path in doors:
            client = Client()
            client.force_login(somebody, backend="django.contrib.auth.backends.ModelBackend")
            assert {getattr(client, wrong)(path).status_code for _ in range(3)} == {405}, path
            assert getattr(client, right)(path).status_code < 429, path
            assert getattr(client, right)(path).status_code == 429, path


def test_a_bucket_fills_again_and_never_over_its_brim():
    now = [0.0]
    buckets = Buckets(lambda: now[0])
    burst = LIMITS["submit"].burst
    assert [buckets.wait("submit", 1) for _ in range(burst + 2)] == [0] * burst + [1, 1]
    assert buckets.wait("submit", 2) == buckets.wait("draft", 1) == 0
    now[0] = 0.5
    assert buckets.wait("submit", 1) == 1
    now[0] = 1.0
    assert [buckets.wait("submit", 1) for _ in range(2)] == [0, 1]
    now[0] = 1e6
    assert [buckets.wait("submit", 1) for _ in range(burst + 1)] == [0] * burst + [1]
    assert buckets.wait("export", 1) == 0
    for _ in range(3):
        buckets.wait("export", 1)
    assert buckets.wait("export", 1) == 30


def test_buckets_forget_whoever_came_longest_ago(monkeypatch):
    monkeypatch.setattr("gecbench.server.web.http._MOST", 2)
    buckets = Buckets(lambda: 0.0)
    for _ in range(LIMITS["submit"].burst):
        buckets.wait("submit", "a")
    for whose in "bc":
        buckets.wait("submit", whose)
    assert buckets.wait("submit", "a") == 0


def deployed(folder, **environment):
    code = (
        "import sys, django; django.setup()\n"
        "from django.core.management import call_command\n"
        "call_command('check', deploy=True, fail_level='INFO')"
    )
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("GECBENCH_", "DJANGO_"))}
    variables = {
        "GECBENCH_SITE": str(folder),
        "DJANGO_SETTINGS_MODULE": "gecbench.server.settings",
    }
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**clean, **variables, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
def test_djangos_own_check_for_deployment_is_clean_but_for_what_binds_other_names(tmp_path):
    site = make_site(tmp_path / "site")
    write_options(site, https=True, behind_proxy=True, hosts=("a.example",))
    ended = deployed(site.folder)
    assert set(re.findall(r"security\.W\d+", ended.stderr)) == {"security.W005", "security.W021"}
    write_options(site, hsts_subdomains=True, hsts_preload=True)
    ended = deployed(site.folder)
    assert (ended.returncode, ended.stderr) == (0, ""), ended.stderr
    assert "no issues (0 silenced)" in ended.stdout
    assert deployed(site.folder, GECBENCH_HTTPS="0").returncode == 1


def test_health_and_readiness(site, monkeypatch):
    assert Client().get("/healthz").content == b"ok\n"
    assert Client().get("/readyz").content == b"ready\n"
    assert Client().post("/healthz").status_code == 405
    monkeypatch.setattr("gecbench.server.web.home.missing_migrations", lambda: ("x",))
    late = Client().get("/readyz")
    assert (late.status_code, late.content) == (503, b"not migrated\n")


def test_the_log_names_no_secret_and_no_text(site, person, caplog):
    li = person("li")
    client = Client(raise_request_exception=False)
    client.force_login(li, backend="django.contrib.auth.backends.ModelBackend")
    with caplog.at_level("INFO", logger="gecbench"):
        client.get("/invitation/topsecret?q=hush")
        client.post("/account/change", {"name": "私人句子", "goal": "0"})
        client.generic("BREW", "/topsecret")
    text = "\n".join(record.getMessage() for record in caplog.records)
    assert "GET /invitation/<str:secret> 404" in text
    assert "OTHER /(no page) 404" in text
    assert not re.search("topsecret|hush|私人句子", text)
    assert Person.objects.get().name == "私人句子"
    assert {record.person for record in caplog.records} == {li.pk}
