"""What notices say, in the person's language, and where each leads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext, ngettext

from gecbench.server.laws.names import ComplaintState
from gecbench.server.models import Notice

Data = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Said:
    """A notice as it is shown.

    Args:
        pk: Its row.
        words: What happened.
        url: Where it can be seen; "" where there is nothing to see.
        project: The project's name; "" for the site.
        at: When.
        more: Somebody's own words, shown after it.
    """

    pk: int
    words: str
    url: str
    project: str
    at: datetime
    more: str = ""


def said(notice: Notice) -> Said:
    """Return a notice for a person; one of an unknown kind says that something happened."""
    kind = _KINDS.get(notice.kind)
    words, place, key = kind(notice.data) if kind else (gettext("Something new"), "project", "")
    slug = notice.project.slug if notice.project else ""
    return Said(
        pk=notice.pk,
        words=words,
        url=_url(place, slug, notice.data.get(key)),
        project=notice.project.name if notice.project else "",
        at=notice.at,
        more=str(notice.data.get("note", "")),
    )


def _url(place: str, slug: str, row: object) -> str:
    if not slug:
        return ""
    try:
        return reverse(place, args=[slug] if row is None else [slug, row])
    except NoReverseMatch:
        return reverse("project", args=[slug])


_Words = tuple[str, str, str]
"""The words, the name of the address, and which value of the data it needs."""


def _guideline(data: Data) -> _Words:
    words = gettext("The guideline has a new version: %(version)s.")
    return words % {"version": data.get("version", "")}, "guide", ""


def _study_opened(data: Data) -> _Words:
    count = _count(data)
    words = ngettext(
        "Task #%(number)s was reviewed: %(count)s study item is open.",
        "Task #%(number)s was reviewed: %(count)s study items are open.",
        count,
    )
    return words % {"number": data.get("number", ""), "count": count}, "study", ""


def _study_closed(data: Data) -> _Words:
    count = _count(data)
    words = ngettext(
        "The golden answers of task #%(number)s have changed: %(count)s study item of yours is "
        "closed.",
        "The golden answers of task #%(number)s have changed: %(count)s study items of yours are "
        "closed.",
        count,
    )
    return words % {"number": data.get("number", ""), "count": count}, "study", ""


def _study_waived(data: Data) -> _Words:
    words = gettext("A manager has closed your study item of task #%(number)s.")
    return words % {"number": data.get("number", "")}, "study", ""


def _complaint_message(data: Data) -> _Words:
    words = gettext("There is a new word in the complaint about task #%(number)s.")
    return words % {"number": data.get("number", "")}, "problem", "complaint"


def _complaint_decided(data: Data) -> _Words:
    outcomes = {
        ComplaintState.UPHELD: gettext("Your complaint about task #%(number)s was upheld."),
        ComplaintState.UPHELD_CHANGED: gettext(
            "Your complaint about task #%(number)s was upheld with a change."
        ),
        ComplaintState.DISMISSED: gettext("Your complaint about task #%(number)s was dismissed."),
    }
    words = next((words for name, words in outcomes.items() if name == data.get("outcome")), "")
    words = words or gettext("Your complaint about task #%(number)s was decided.")
    return words % {"number": data.get("number", "")}, "problem", "complaint"


def _count(data: Data) -> int:
    count = data.get("count", 1)
    return count if isinstance(count, int) else 1


_KINDS: Mapping[str, Callable[[Data], _Words]] = {
    "guideline": _guideline,
    "study_opened": _study_opened,
    "study_closed": _study_closed,
    "study_waived": _study_waived,
    "complaint_message": _complaint_message,
    "complaint_decided": _complaint_decided,
}
