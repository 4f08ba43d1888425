"""Clients of reviewers, and what the review page sends."""

from __future__ import annotations

import json
from collections.abc import Mapping
from uuid import uuid4

from django.http import HttpResponse
from django.test import Client
from server.workflow.reviewing import member_of

from gecbench.server.models import Acknowledgement, Project, ReviewTask
from gecbench.server.rules.text import digest

BACKEND = "django.contrib.auth.backends.ModelBackend"
JSON = {"content_type": "application/json", "headers": {"Accept": "application/json"}}


def signed_in(project: Project, login: str, language: str = "en") -> Client:
    """A client of a member who has read the guideline."""
    person = member_of(project, login).person
    Acknowledgement.objects.get_or_create(guideline=project.guideline, person=person)
    client = Client(headers={"Accept-Language": language})
    client.force_login(person, backend=BACKEND)
    return client


def page_of(client: Client, path: str, status: int = 200) -> str:
    answer = client.get(path)
    assert answer.status_code == status, answer.content
    return answer.content.decode()


def verdict(correct: bool | None, *reasons: str, **more: object) -> dict[str, object]:
    """What the page says of one candidate."""
    return {"correct": correct, "reasons": list(reasons), **more}


def payload(rows: Mapping[str, dict[str, object]], **more: object) -> dict[str, object]:
    """What the page holds; rows are keyed by text, or by a decision."""
    keys = {name if name.isascii() else digest(name): row for name, row in rows.items()}
    return {"decision": "corrected", "rows": keys, "additions": [], **more}


def task_of(project: Project) -> ReviewTask:
    return ReviewTask.objects.get(project=project, state__in=["free", "open"])


def decide(
    client: Client, task: ReviewTask, held: Mapping[str, object], **more: object
) -> HttpResponse:
    """What the server answers to a decision."""
    body = {"version": task.version, "client_key": str(uuid4()), "payload": held, **more}
    slug = task.project.slug
    path = f"/p/{slug}/review/{task.sentence_id}/finalise"
    return client.post(path, json.dumps(body), **JSON)


def send(
    client: Client, task: ReviewTask, what: str, body: object, method: str = "post"
) -> HttpResponse:
    """What the server answers to examine or draft."""
    path = f"/p/{task.project.slug}/review/{task.sentence_id}/{what}"
    return getattr(client, method)(path, json.dumps(body), **JSON)


def form_of(task: ReviewTask, **fields: object) -> dict[str, object]:
    """A form of the review page."""
    return {"version": task.version, "client_key": str(uuid4()), **fields}


def shows_golden(page: str) -> bool:
    """Whether a page shows what is golden; texts are cut into cells and cannot be searched for."""
    return "golden-line" in page or "What is golden" in page
