"""How much of what people handed in became golden, and why the rest did not (STA-4)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import (
    Count,
    Exists,
    F,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    TextField,
)
from django.db.models.functions import Cast

from gecbench.server.laws.names import Decision
from gecbench.server.models import GoldenReference, Project, Reference, Submission, Verdict
from gecbench.server.progress.handed import counted


@dataclass(frozen=True, slots=True)
class Accepted:
    """How many answers were reviewed, and how many of them are golden now.

    An answer is a text, or a decision without one.
    """

    judged: int = 0
    accepted: int = 0

    @property
    def share(self) -> float | None:
        """Share in [0, 1]; None where nothing was reviewed."""
        return self.accepted / self.judged if self.judged else None


def acceptance(project: Project, person: int | None = None) -> Mapping[int, Accepted]:
    """Return, by row of the person, how much of their work was accepted."""
    answers, texts = _judged(project, person)
    rows = [
        *texts.values(who=F("submission__person")).annotate(
            judged=Count("id"), accepted=Count("id", filter=Q(_golden()))
        ),
        *answers.values(who=F("person")).annotate(
            judged=Count("id"), accepted=Count("id", filter=Q(sentence__golden__kind=F("decision")))
        ),
    ]
    found: dict[int, Accepted] = {}
    for row in rows:
        was = found.get(row["who"], Accepted())
        found[row["who"]] = Accepted(was.judged + row["judged"], was.accepted + row["accepted"])
    return found


def reasons(project: Project, person: int | None = None) -> Mapping[int, Counter[str]]:
    """Return, by row of the person, why answers were refused, by name of the reason.

    What became golden later, as after a complaint, is no refusal; of several verdicts the last
    counts. One refusal may have several reasons.
    """
    answers, texts = _judged(project, person)
    found: dict[int, Counter[str]] = {}
    lost = texts.exclude(_golden()).annotate(
        who=F("submission__person"), said=_last(OuterRef("sentence"), digest=OuterRef("digest"))
    )
    wrong = answers.exclude(sentence__golden__kind=F("decision")).annotate(
        who=F("person"), said=_last(OuterRef("sentence"), digest="", decision=OuterRef("decision"))
    )
    for rows in (lost, wrong):
        for who, said, count in rows.values_list("who", "said").annotate(count=Count("id")):
            for reason in json.loads(said or "[]"):
                found.setdefault(who, Counter())[reason] += count
    return found


def _judged(
    project: Project, person: int | None
) -> tuple[QuerySet[Submission], QuerySet[Reference]]:
    """Return what was reviewed: decisions without a text, and texts."""
    done = counted(project).filter(sentence__golden__isnull=False)
    if person is not None:
        done = done.filter(person=person)
    texts = Reference.objects.filter(submission__in=done)
    return done.exclude(decision=Decision.CORRECTED), texts


def _golden() -> Exists:
    """Return the condition that a text is in its sentence's golden set."""
    return Exists(
        GoldenReference.objects.filter(
            golden=OuterRef("sentence__golden"), reference__digest=OuterRef("digest")
        )
    )


def _last(sentence: OuterRef, **about: object) -> Subquery:
    """Return the reasons of the last verdict about an answer; none if it was right."""
    verdicts = Verdict.objects.filter(review__sentence=sentence, **about).order_by("-id")
    wrong = verdicts.annotate(text=Cast("reasons", TextField()))
    return Subquery(wrong.values("text")[:1])
