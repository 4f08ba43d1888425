"""What went wrong is said in words, with a number, a way back, and what was typed."""

from __future__ import annotations

import errno
import json
import re
import sqlite3

import pytest
from django.db import DatabaseError, InterfaceError, OperationalError
from django.http import HttpResponse
from django.test import Client, override_settings
from django.urls import path

from gecbench.core.errors import FormatError, GecbenchError, Place
from gecbench.server.urls import handler400, handler403, handler404, handler500
from gecbench.server.web import errors
from gecbench.server.web.permissions import anyone
from gecbench.server.workflow.errors import (
    ConflictError,
    GoneError,
    NotAllowedError,
    NotYoursError,
    Problem,
    RefusedError,
)

__all__ = ["handler400", "handler403", "handler404", "handler500"]
RAISED: list[Exception] = []


@anyone
def raising(request) -> HttpResponse:
    raise RAISED[-1]


urlpatterns = [path("raise", raising)]


@pytest.fixture(autouse=True)
def own_addresses(site):
    with override_settings(ROOT_URLCONF=__name__):
        yield
    RAISED.clear()


def response_to(error, *, data=None, language="en", **headers):
    RAISED.append(error)
    headers = {"accept-language": language, **headers}
    client = Client(raise_request_exception=False, headers=headers)
    return client.post("/raise", data) if data is not None else client.get("/raise")


def because(error, cause):
    error.__cause__ = cause
    return error


def coded(**codes):
    """What Django makes of a driver's error with a code, its text in whatever language."""
    cause = (
        sqlite3.OperationalError("磁盘或数据库的事")
        if "sqlite_errorcode" in codes
        else Exception("锁")
    )
    for name, code in codes.items():
        setattr(cause, name, code)
    return because(OperationalError(str(cause)), cause)


PROBLEM = Problem("ANN-4", "reference-1", {"most": 1})
CASES = [
    (ConflictError("changed"), 409, "conflict", "Somebody else was first"),
    (GoneError("over"), 410, "gone", "This is over"),
    (NotYoursError("none"), 404, "not_found", "There is no such page"),
    (NotAllowedError("paused"), 403, "forbidden", "This is not allowed"),
    (RefusedError([PROBLEM]), 422, "refused", "This cannot be accepted"),
    (GecbenchError("bad file"), 422, "refused", "This cannot be accepted"),
    (OperationalError("database or disk is full"), 507, "disk_full", "The disk of the server"),
    (OperationalError("attempt to write a readonly database"), 507, "disk_full", "The disk of"),
    (coded(sqlite_errorcode=sqlite3.SQLITE_FULL), 507, "disk_full", "The disk of the server"),
    (coded(sqlite_errorcode=sqlite3.SQLITE_IOERR_WRITE), 507, "disk_full", "The disk of the"),
    (coded(sqlite_errorcode=sqlite3.SQLITE_BUSY_SNAPSHOT), 503, "busy", "The site is busy"),
    (coded(sqlstate="53100"), 507, "disk_full", "The disk of the server"),
    (coded(sqlstate="55P03"), 503, "busy", "The site is busy"),
    (coded(sqlstate="57P01"), 503, "busy", "The site is busy"),
    (coded(sqlstate="42P01"), 500, "server_error", "Something is broken here"),
    (OSError(errno.ENOSPC, "No space left on device"), 507, "disk_full", "The disk of the server"),
    (OperationalError("database is locked"), 503, "busy", "The site is busy"),
    (InterfaceError("connection already closed"), 503, "busy", "The site is busy"),
    (OperationalError("server closed the connection"), 503, "busy", "The site is busy"),
    (OperationalError("no such table: x"), 500, "server_error", "Something is broken here"),
    (DatabaseError("x"), 500, "server_error", "Something is broken here"),
    (OSError(errno.EACCES, "Permission denied"), 500, "server_error", "Something is broken"),
    (ZeroDivisionError("division by zero"), 500, "server_error", "Something is broken here"),
]
by_case = pytest.mark.parametrize(
    ("error", "status", "code", "words"), CASES, ids=lambda value: str(value)[:30]
)


@by_case
def test_a_page_says_what_went_wrong_and_the_way_back(error, status, code, words):
    answer = response_to(error)
    text = answer.content.decode()
    assert answer.status_code == status
    assert words in text
    assert 'href="/"' in text
    assert answer["X-Request-Id"] in text
    assert not re.search("Traceback|ZeroDivision|no such table|/work/|\\.py", text)


def test_a_script_gets_the_message_in_the_persons_language():
    error = RefusedError([PROBLEM])
    english = response_to(error, accept="application/json").json()
    chinese = response_to(error, accept="application/json", language="zh-hans").json()
    assert english["message"] == english["problems"][0]["message"] == str(error)
    assert chinese["message"] == chinese["problems"][0]["message"]
    assert chinese["message"] not in ("", str(error))
    file = FormatError("the line is blank; remove it", at=Place("a.txt", 3))
    assert (
        "第 3 行"
        in response_to(file, accept="application/json", language="zh-hans").json()["message"]
    )


@by_case
def test_a_script_gets_json(error, status, code, words):
    answer = response_to(error, accept="application/json")
    data = answer.json()
    assert (answer.status_code, data["error"]) == (status, code)
    assert data["request_id"] == answer["X-Request-Id"]
    if status >= 500:
        assert words in data["message"]
    else:
        assert data["message"] == str(error)


def test_problems_come_with_their_fields():
    data = response_to(RefusedError([PROBLEM]), accept="application/json").json()
    assert data["problems"] == [
        {
            "code": "ANN-4",
            "field": "reference-1",
            "message": str(PROBLEM.message),
            "values": {"most": "1"},
            "blocking": True,
        }
    ]
    assert PROBLEM.message in response_to(RefusedError([PROBLEM])).content.decode()


def test_every_failure_is_said_in_chinese_too():
    for error, _, _, _ in CASES:
        text = response_to(error, language="zh-hans").content.decode()
        title = re.search("<h1>(.*?)</h1>", text)[1]
        assert re.search("[\u4e00-\u9fff]", title), title
        assert 'lang="zh-Hans"' in text


def test_what_was_typed_is_given_back_but_no_secret():
    typed = {
        "text": ["我去了<b>学校</b>。", "另一个答案"],
        "password": "hush hush",
        "client_key": "hush",
        "csrfmiddlewaretoken": "hush",
        "version": "12",
        "do": "go",
    }
    text = response_to(ConflictError("changed"), data=typed).content.decode()
    assert "我去了&lt;b&gt;学校&lt;/b&gt;。" in text
    assert "另一个答案" in text
    assert "hush" not in text
    assert text.count("<textarea") == 2


def test_a_form_that_is_broken_itself_is_answered():
    RAISED.append(OperationalError("database is locked"))
    client = Client(raise_request_exception=False)
    answer = client.post(
        "/raise", b"x" * 3_000_000, content_type="application/x-www-form-urlencoded"
    )
    assert answer.status_code == 503
    assert b"<textarea" not in answer.content


def test_a_part_of_a_page_gets_a_part():
    text = response_to(ConflictError("x"), **{"hx-request": "true"}).content.decode()
    assert text.lstrip().startswith("<section")
    assert "<html" not in text


def test_a_form_that_is_too_old_is_refused_with_its_text():
    client = Client(enforce_csrf_checks=True, headers={"accept-language": "en"})
    answer = client.post("/raise", {"text": "我去了学校。"})
    assert answer.status_code == 403
    assert "我去了学校。" in answer.content.decode()
    response = client.post("/raise", headers={"accept": "application/json"})
    assert (response.status_code, response.json()["error"]) == (403, "csrf")


def test_the_log_of_a_failing_database_has_its_kind_and_no_values(caplog):
    error = because(OperationalError("disk is full 我的句子"), sqlite3.OperationalError("x"))
    response_to(error)
    assert "the database failed: OperationalError" in caplog.text
    assert "我的句子" not in "".join(record.getMessage() for record in caplog.records)


def test_failures_outside_of_views_have_their_words(monkeypatch):
    """A session that cannot be saved fails after the view, where only Django's handler sees it."""

    def full(self, *args, **words):
        raise OperationalError("database or disk is full")

    with monkeypatch.context() as patch:
        patch.setattr("django.contrib.sessions.middleware.SessionMiddleware.process_response", full)
        answer = response_to(NotYoursError("x"), accept="application/json")
    assert answer.status_code == 507
    assert json.loads(answer.content)["error"] == "disk_full"


def test_an_unknown_status_has_words_too():
    from django.test import RequestFactory

    answer = errors.error_response(RequestFactory().get("/"), 418)
    assert answer.status_code == 418
    assert b"<h1>" in answer.content


def test_a_page_says_in_the_persons_language_what_happened():
    page = response_to(ConflictError("another window has saved a newer draft"), language="zh-hans")
    assert "另一个窗口保存了更新的草稿" in page.content.decode()
    assert 'lang="en"' not in page.content.decode()


def test_what_nobody_has_translated_is_marked_as_english():
    page = response_to(GecbenchError("an error of tomorrow"), language="zh-hans")
    assert re.search('<p class="note bad" lang="en">an error of tomorrow', page.content.decode())
