"""What the work screen and the server say to each other: JSON, checked by hand, both ways."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from uuid import UUID

from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from gecbench.core.errors import GecbenchError
from gecbench.server.laws.names import Decision
from gecbench.server.models import Draft, Member, Slot, Suggestion
from gecbench.server.web.bodies import json_in
from gecbench.server.workflow.answers import Answer


class MalformedError(GecbenchError):
    """A request that no page of ours sends."""


def body(request: HttpRequest, *, known: frozenset[str]) -> Mapping[str, object]:
    """Return the JSON object of a request; a beacon sends it as the field `payload` of a form.

    Raises:
        MalformedError: It is no JSON object, or has a field that nobody knows.
    """
    form = request.content_type in ("application/x-www-form-urlencoded", "multipart/form-data")
    try:
        given = json_in(request.POST.get("payload", "") if form else request.body)
    except ValueError as error:  # not JSON, or not UTF-8
        raise MalformedError(f"the request is not JSON: {error}") from error
    if not isinstance(given, dict):
        raise MalformedError("the request is not a JSON object")
    strange = sorted(set(given) - known)
    if strange:
        raise MalformedError(f"unknown field {strange[0]!r}; known: {', '.join(sorted(known))}")
    return given


def number(given: Mapping[str, object], name: str, *, default: int | None = None) -> int:
    """Return a field that is a whole number from 0 on.

    Raises:
        MalformedError: It is not.
    """
    value = given.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**31:
        raise MalformedError(f"{name} is {value!r}; a whole number was expected")
    return value


def text(given: Mapping[str, object], name: str) -> str:
    """Return a field that is a text, "" where it is absent.

    Raises:
        MalformedError: It is not.
    """
    value = given.get(name, "")
    if not isinstance(value, str):
        raise MalformedError(f"{name} is {value!r}; a text was expected")
    return value


def moment(given: Mapping[str, object], name: str) -> datetime | None:
    """Return a field that is a moment, None where it is absent or means none.

    It is a remark of the client's clock and never decides anything: a strange one is dropped.
    """
    value = given.get(name)
    try:
        found = parse_datetime(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return found if found and timezone.is_aware(found) else None


def key(given: Mapping[str, object]) -> UUID:
    """Return the client's key.

    Raises:
        MalformedError: It is no UUID.
    """
    try:
        return UUID(text(given, "client_key"))
    except ValueError as error:
        raise MalformedError("client_key is no UUID") from error


ANSWER = frozenset({"decision", "texts", "reason", "note", "active_ms", "suggestion"})


def answer(given: Mapping[str, object]) -> Answer:
    """Return the answer of a submission.

    Raises:
        MalformedError: A field is of another type.
    """
    decision, texts = text(given, "decision"), given.get("texts", [])
    if decision not in tuple(Decision):
        raise MalformedError(f"decision is {decision!r}; it is one of {', '.join(Decision)}")
    if not isinstance(texts, list) or not all(isinstance(one, str) for one in texts):
        raise MalformedError("texts is not a list of texts")
    suggestion = given.get("suggestion")
    return Answer(
        decision=Decision(decision),
        texts=tuple(texts),
        reason=text(given, "reason"),
        note=text(given, "note"),
        active_ms=number(given, "active_ms", default=0),
        suggestion=None if suggestion is None else number(given, "suggestion"),
    )


def draft_json(draft: Draft) -> dict[str, object]:
    """Return a draft as the page takes it."""
    return {"rev": draft.rev, "payload": draft.payload, "at": draft.saved_at.isoformat()}


def task_json(member: Member, slot: Slot, draft: Draft | None) -> dict[str, object]:
    """Return a task as the page takes it, with the member's draft of it."""
    slug, sentence = member.project.slug, slot.sentence
    rules = member.project.rules
    source = sentence.source
    return {
        "slot": slot.pk,
        "version": slot.version,
        "number": sentence.number,
        "text": sentence.text,
        "source": source.name if source else "",
        "now": timezone.now().isoformat(),
        "draft": draft_json(draft) if draft else None,
        "suggestion": rules.suggestions != "off"
        and Suggestion.objects.filter(sentence=sentence).exists(),
        "draftUrl": reverse("draft", args=[slug, slot.pk]),
        "submitUrl": reverse("submit", args=[slug, slot.pk]),
        "skipUrl": reverse("work-skip", args=[slug, slot.pk]),
        "suggestionUrl": reverse("work-suggestion", args=[slug, slot.pk]),
    }
