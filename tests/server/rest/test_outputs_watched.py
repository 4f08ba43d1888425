"""Exports by programs are in the log as those by people are, and as slow."""

from __future__ import annotations

import hashlib

import pytest
from django.test.utils import override_settings
from server.import_export.files import empty, imported, reviewed
from server.rest.calls import Caller
from server.workflow.stories import somebody

from gecbench.server.models import Audit, Sentence
from gecbench.server.settings import SITE
from gecbench.server.web import http


@pytest.fixture
def boss(site) -> Caller:
    return Caller(somebody("boss"))


def test_an_export_is_in_the_log_with_who_what_and_its_hash(boss):
    reviewed()
    status, text = boss.get("projects/story/exports/submissions", names="true")
    assert status == 200
    begun, done = Audit.objects.filter(what__startswith="export.").order_by("seq")
    assert (begun.who.login, done.who.login) == ("boss", "boss")
    assert begun.data == {"format": "submissions", "file": begun.data["file"], "names": True}
    assert done.data["sha256"] == hashlib.sha256(text.encode()).hexdigest()
    assert done.data["lines"] == text.count("\n")


def test_exports_are_made_at_a_measured_pace(boss, monkeypatch):
    from dataclasses import replace

    reviewed()
    monkeypatch.setattr(http, "_BUCKETS", http.Buckets(lambda: 0.0))
    monkeypatch.setattr(http, "LIMITS", {"export": http.Limit(1 / 30, 2)})
    with override_settings(SITE=replace(SITE, rate_limits=True)):
        path = "/api/v1/projects/story/exports/sentences"
        responses = [boss.client.get(path, headers=boss.headers) for _ in range(3)]
    assert [response.status_code for response in responses] == [200, 200, 429]
    assert responses[2]["Retry-After"] == "30"
    assert responses[2].json()["error"] == "this was too fast; wait 30 seconds and try again"


def test_a_golden_set_that_is_being_decided_anew_is_none_that_holds(boss):
    project = empty(slug="story")
    imported(project, "a\t我去校\t我去学校\nb\t很好\t没有错误\n", references="golden")
    from server.workflow.stories import joined

    joined(project, "boss", "manager")
    assert len(boss.get("projects/story/golden-sets")[1]["items"]) == 2
    Sentence.objects.filter(external_id="a").update(state="review_ready")
    (golden_set,) = boss.get("projects/story/golden-sets")[1]["items"]
    assert golden_set["id"] == "b"


@pytest.mark.parametrize(
    "body",
    [
        b'{"name": "x", "expires_at": "2030-01-01T00:00:00"}',
        b'{"name": "x", "expires_at": "2030"}',
        rb'{"name": "\ud800"}',
        b'{"name": ' + b"[" * 100_000,
        b'{"name": ' + b"9" * 5000 + b"}",
        b"\xff",
        b"[]",
    ],
)
def test_bodies_that_mean_nothing_are_refused(boss, body):
    response = boss.client.post(
        "/api/v1/tokens", body, content_type="application/json", headers=boss.headers
    )
    assert response.status_code in (400, 422), response.content
    assert response.json()["error"]


@pytest.mark.parametrize("odd", [r'{"\ud800": 1}', r'{"placeholder": "\ud800"}', '{"x": NaN}'])
def test_odd_options_of_a_project_are_refused(site, odd):
    root = Caller(somebody("root", is_administrator=True))
    body = f'{{"slug": "new", "name": "n", "lang": "zh", "options": {odd}}}'
    response = root.client.post(
        "/api/v1/projects", body, content_type="application/json", headers=root.headers
    )
    assert response.status_code == 422, response.content
