"""What Prometheus reads: requests of all processes, errors of the database, the work."""

from __future__ import annotations

import urllib.request
from dataclasses import replace

import pytest
from django.conf import settings
from django.core.cache import cache
from django.db import OperationalError
from django.test import Client, override_settings
from prometheus_client.parser import text_string_to_metric_families
from server.workflow.stories import a_project

TOKEN = "t" * 32


def samples(text: str) -> dict[tuple[str, ...], float]:
    """Name and values of labels, in their order, to the number."""
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def read() -> dict[tuple[str, ...], float]:
    answer = Client(headers={"authorization": f"Bearer {TOKEN}"}).get("/metrics")
    assert answer.status_code == 200
    return samples(answer.content.decode())


@pytest.fixture
def watched(site):
    cache.clear()
    with override_settings(SITE=replace(settings.SITE, metrics_token=TOKEN)):
        yield
    cache.clear()


def test_requests_work_and_errors_of_the_database_are_counted(watched, monkeypatch):
    project = a_project(3)
    project.sentences.filter(pk=project.sentences.first().pk).update(state="review_ready")
    route = ("gecbench_requests_total", "GET", "/login", "200")
    before = read().get(route, 0)
    Client().get("/login?next=/p/secret")

    def fails(*_args, **_named):
        raise OperationalError("database is locked")

    monkeypatch.setattr("gecbench.server.web.sign_in.render", fails)
    assert Client(raise_request_exception=False).get("/login").status_code == 503
    after = read()
    assert after[route] == before + 1
    assert after["gecbench_requests_total", "GET", "/login", "503"] >= 1
    assert after["gecbench_request_seconds_count", "/login"] >= before + 2
    assert after["gecbench_database_errors_total", "OperationalError"] >= 1
    assert after["gecbench_sentences", "story", "review_ready"] == 1
    assert after["gecbench_sentences", "story", "open"] == 2
    assert after["gecbench_tasks", "story", "free"] == 3 * project.annotators
    assert not [key for key in after if "/p/secret" in str(key)]


def test_a_failure_in_a_middleware_counts_and_counters_outlive_the_database(watched, monkeypatch):
    kind = ("gecbench_database_errors_total", "OperationalError")
    before = read().get(kind, 0)
    cache.clear()

    def fails(*_args, **_named):
        raise OperationalError("connection refused")

    monkeypatch.setattr("gecbench.server.models.people.SessionStore.load", fails)
    monkeypatch.setattr("django.db.backends.utils.CursorWrapper.execute", fails)
    signed_in = Client(raise_request_exception=False)
    signed_in.cookies["gecbench_session"] = "x" * 32
    assert signed_in.get("/").status_code == 503
    after = read()
    assert after[kind] == before + 1
    assert not [key for key in after if key[0] == "gecbench_sentences"]


def test_what_watches_the_server_is_no_request_and_its_end_no_failure(watched, monkeypatch, caplog):
    monkeypatch.setattr("gecbench.server.web.home.is_ending", lambda: True)
    monkeypatch.setattr("gecbench.server.web.middleware.is_ending", lambda: True)
    assert Client().get("/readyz").status_code == 503
    assert not [record for record in caplog.records if record.levelname == "ERROR"]
    routes = {key[2] for key in read() if key[0] == "gecbench_requests_total"}
    assert not routes & {"/readyz", "/healthz", "/metrics"}


def test_only_the_token_opens_it_under_whatever_name_the_host_has(watched):
    path, right = "/metrics", {"authorization": f"Bearer {TOKEN}"}
    for headers in ({}, {"authorization": f"Bearer {TOKEN}x"}, {"authorization": TOKEN}):
        assert Client(headers=headers).get(path).status_code == 404
    strict = Client(enforce_csrf_checks=True)
    assert strict.post(path).status_code == 404
    assert Client(headers={"authorization": f"bearer {TOKEN}"}).get(path).status_code == 200
    assert Client(headers=right).post(path).status_code == 405
    assert Client(headers=right).get(path, HTTP_HOST="10.1.2.3:8700").status_code == 200
    assert Client().get("/readyz", HTTP_HOST="10.1.2.3:8700").status_code == 200
    assert Client().get("/login", HTTP_HOST="10.1.2.3:8700").status_code == 400
    with override_settings(SITE=replace(settings.SITE, metrics_token="")):
        assert Client(headers={"authorization": "Bearer "}).get(path).status_code == 404


@pytest.mark.slow
def test_any_process_of_a_server_answers_for_all(make_live):
    live = make_live("--workers", "3", GECBENCH_METRICS_TOKEN=TOKEN)
    asked = 30
    for _ in range(asked):  # a new connection each time: any process takes it
        with urllib.request.urlopen(f"{live.url}/login") as answer:
            assert answer.status == 200
    request = urllib.request.Request(f"{live.url}/metrics")
    request.add_header("Authorization", f"Bearer {TOKEN}")
    for _ in range(5):
        with urllib.request.urlopen(request) as answer:
            seen = samples(answer.read().decode())
        assert seen["gecbench_requests_total", "GET", "/login", "200"] == asked
    assert not list(live.folder.glob(".gecbench-metrics-*")), "in memory: a full disk ends nobody"
