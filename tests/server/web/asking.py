"""A person at the site, as tests see one: signed in, sending what pages and scripts send."""

from __future__ import annotations

import json
from typing import Any
from uuid import uuid4

from django.test import Client

from gecbench.server.models import Member, Person

BACKEND = "django.contrib.auth.backends.ModelBackend"


class Asking:
    """Somebody who opens pages and presses keys."""

    def __init__(self, who: Member | Person, *, language: str = "en", csrf: bool = False) -> None:
        person = who.person if isinstance(who, Member) else who
        Person.objects.filter(pk=person.pk).update(language=language)
        self.client = Client(enforce_csrf_checks=csrf)
        self.client.force_login(Person.objects.get(pk=person.pk), backend=BACKEND)

    def get(self, url: str, **headers: str) -> Any:
        return self.client.get(url, headers=headers)

    def html(self, url: str) -> str:
        answer = self.client.get(url)
        assert answer.status_code == 200, answer
        return answer.content.decode()

    def page(self, url: str = "/p/story/work") -> dict[str, Any]:
        """What the scripts of a page read."""
        answer = self.client.get(url)
        assert answer.status_code == 200, answer
        return answer.context["page"]

    def send(self, method: str, url: str, body: object) -> Any:
        """Send JSON as a script does."""
        return self.client.generic(
            method,
            url,
            body if isinstance(body, str | bytes) else json.dumps(body),
            content_type="application/json",
            headers={"Accept": "application/json"},
        )

    def form(self, url: str, **fields: object) -> Any:
        return self.client.post(url, fields)


def draft(*texts: str, **fields: object) -> dict[str, object]:
    """A draft's payload."""
    return {
        "decision": "corrected",
        "texts": list(texts),
        "reason": "",
        "note": "",
        "active_ms": 0,
        **fields,
    }


def answer(task: dict[str, Any], *texts: str, **fields: object) -> dict[str, object]:
    """What the page submits for a task."""
    return {
        "version": task["version"],
        "client_key": str(uuid4()),
        "decision": "corrected",
        "texts": list(texts),
        "reason": "",
        "note": "",
        "active_ms": 1500,
        "confirmed": False,
        **fields,
    }
