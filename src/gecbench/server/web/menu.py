"""The menu of a project: what a member may open, and how much waits there (Fig. 4 and 5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext

from gecbench.server.laws.names import Role
from gecbench.server.models import Member


@dataclass(frozen=True, slots=True)
class Entry:
    """One place of the menu.

    Args:
        id: The name of its address: "work", "review".
        name: In the person's language.
        url: Where it leads.
        count: What waits there; 0 is not shown.
        current: Whether the person is there now.
    """

    id: str
    name: str
    url: str
    count: int = 0
    current: bool = False


def menu(request: HttpRequest, member: Member, standing: Mapping[str, Any]) -> tuple[Entry, ...]:
    """Return what a member sees of their project, in the order of the work."""
    entries = list(_entries(member, standing))
    inside = [one for one in entries if _within(request.path, one.url)]
    here = max(inside, key=lambda one: len(one.url), default=None)
    return tuple(replace(one, current=one is here) for one in entries)


def _entries(member: Member, standing: Mapping[str, Any]) -> Iterator[Entry]:
    slug = member.project.slug
    annotates, reviews = member.has(Role.ANNOTATOR), member.has(Role.REVIEWER)
    manages = member.has(Role.MANAGER)
    places = (
        ("work", gettext("Annotation"), 0, annotates),
        ("review", gettext("Review"), standing["reviews"], reviews),
        ("study", gettext("Study"), standing["study"], annotates or standing["study"]),
        ("problems", gettext("Problems"), standing["complaints"], True),
        ("guide", gettext("Guideline"), 0, True),
        ("me", gettext("Information"), 0, annotates or reviews),
        ("manage", gettext("Manage"), 0, manages),
    )
    for name, words, count, shown in places:
        if shown:
            yield Entry(name, words, reverse(name, args=[slug]), count)


def _within(path: str, url: str) -> bool:
    return path == url or path.startswith(url.rstrip("/") + "/")
