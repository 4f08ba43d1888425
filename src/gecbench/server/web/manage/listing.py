"""The table of sentences, page by page by task number: never by OFFSET, never a full scan.

What no index helps to find (a text, a source, a person) is looked for among some ten thousand
sentences at a time; the page then says how far it has looked and goes on from there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from urllib.parse import urlencode

from django.db.models import Exists, OuterRef, QuerySet

from gecbench.server.laws.names import Purpose, SentenceState
from gecbench.server.models import Project, Sentence, Slot
from gecbench.server.web.manage.pages import whole

ROWS = 50
SPAN = 20_000
"""Sentences that one page looks through."""

FEW = 5_000
"""A state that so many sentences have at most is found by the index of states."""


@dataclass(frozen=True, slots=True)
class Filters:
    """What is looked for; "" and None are anything.

    Args:
        state: A SentenceState.
        source: Row of a source.
        text: What the sentence contains, or "#12", a task number.
        person: Row of a person who holds one of the places.
        purpose: A Purpose.
    """

    state: str = ""
    source: int | None = None
    text: str = ""
    person: int | None = None
    purpose: str = Purpose.REAL

    def query(self, **more: object) -> str:
        """Return the filters as an address has them."""
        own = {one.name: getattr(self, one.name) for one in fields(self)}
        return urlencode(
            {key: value for key, value in {**own, **more}.items() if value not in ("", None)}
        )

    @property
    def narrow(self) -> bool:
        """Whether anything but the purpose is asked for."""
        return bool(self.state or self.source or self.text or self.person)


@dataclass(frozen=True, slots=True)
class Page:
    """A page of the table.

    Args:
        rows: In the order of their numbers.
        after: Number after which the next page begins; None where this is the last.
        looked: Up to which number was looked, where that was not the end; None else.
    """

    rows: tuple[Sentence, ...]
    after: int | None = None
    looked: int | None = None


def filters_of(given: Mapping[str, str]) -> Filters:
    """Return the filters of an address; what means nothing filters nothing."""
    state, purpose = given.get("state", ""), given.get("purpose", "")
    return Filters(
        state=state if state in tuple(SentenceState) else "",
        source=whole(given.get("source")),
        text=(given.get("text") or "").replace("\0", "").strip()[:200],
        person=whole(given.get("person")),
        purpose=purpose if purpose in tuple(Purpose) else Purpose.REAL,
    )


def matching(project: Project, wanted: Filters) -> QuerySet[Sentence]:
    """Return all sentences that are looked for, in no order."""
    found = Sentence.objects.filter(project=project, purpose=wanted.purpose)
    if wanted.state:
        found = found.filter(state=wanted.state)
    if wanted.source is not None:
        found = found.filter(source=wanted.source)
    if wanted.person is not None:
        held = Slot.objects.filter(sentence=OuterRef("pk"), person=wanted.person)
        found = found.filter(Exists(held))
    number = whole(wanted.text.removeprefix("#")) if wanted.text.startswith("#") else None
    if number is not None:
        return found.filter(number=number)
    return found.filter(text__contains=wanted.text) if wanted.text else found


def page_of(project: Project, wanted: Filters, *, after: int = 0) -> Page:
    """Return the sentences after a number, at most `ROWS`."""
    few = _few_with(project, wanted) if wanted.state else None
    if few is not None:
        return _by_state(project, wanted, few, after)
    last = project.next_number - 1
    end = min(after + SPAN, last)
    found = matching(project, wanted).filter(number__gt=after, number__lte=end)
    rows = tuple(found.order_by("number")[: ROWS + 1])
    if len(rows) > ROWS:
        return Page(rows[:ROWS], after=rows[ROWS - 1].number)
    return Page(rows, after=end, looked=end) if end < last else Page(rows)


def _few_with(project: Project, wanted: Filters) -> list[int] | None:
    """Return the numbers of the sentences with a state, if they are few."""
    found = Sentence.objects.filter(project=project, purpose=wanted.purpose, state=wanted.state)
    ordered = found.order_by("priority", "order_key")  # the order of the index
    numbers = list(ordered.values_list("number", flat=True)[: FEW + 1])
    return numbers if len(numbers) <= FEW else None


def _by_state(project: Project, wanted: Filters, numbers: list[int], after: int) -> Page:
    left = sorted(one for one in numbers if one > after)
    alone = wanted == Filters(state=wanted.state, purpose=wanted.purpose)
    some = left[: ROWS + 1] if alone else left
    found = matching(project, wanted).filter(number__in=some).order_by("number")
    rows = tuple(found[: ROWS + 1])
    return Page(rows[:ROWS], after=rows[ROWS - 1].number) if len(rows) > ROWS else Page(rows)
