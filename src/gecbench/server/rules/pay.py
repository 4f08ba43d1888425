"""Pay: the formula of a project, and the one function that makes amounts of it (PAY-1 to PAY-4).

Amounts are whole numbers of the currency's smallest unit. Everything before the last step is
exact; each line is rounded once, half to even.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import Annotated, Any, NamedTuple

from pydantic import BaseModel, Field, ValidationError, field_validator

from gecbench.core.errors import Message as _
from gecbench.core.errors import UnknownNameError, UsageError
from gecbench.server.choices import PayKind, PayQuality, PayReason, ProjectKind
from gecbench.server.rules.diff import tokenize
from gecbench.server.rules.text import key

# The formula: one document, which is never changed; a project has versions of it.


class Step(BaseModel, frozen=True, extra="forbid", strict=True):
    """From a value on, so many per cent of the rate are paid."""

    at_least: Annotated[int, Field(ge=0, le=100_000)]
    percent: Annotated[int, Field(ge=0, le=1000)]


Rate = Annotated[Decimal, Field(ge=0, le=100_000, decimal_places=4, strict=False)]
Steps = Annotated[tuple[Step, ...], Field(min_length=1, max_length=20, strict=False)]

_rate = partial(Field, Decimal(0))


class Formula(BaseModel, frozen=True, extra="forbid", strict=True):
    """What work is paid by."""

    currency: Annotated[str, Field(pattern="^[A-Z]{3}$")] = Field(
        "CNY",
        title=_("Currency"),
        description=_(
            "Three letters, as CNY or EUR. It cannot change once a formula was put in force."
        ),
    )
    annotation: Rate = _rate(
        title=_("An annotated sentence"),
        description=_("For a task of which at least one answer was accepted; else nothing."),
    )
    extra_reference: Rate = _rate(
        title=_("An additional reference"),
        description=_(
            "For each further accepted reference of the same task, if its edits are others."
        ),
    )
    review: Rate = _rate(
        title=_("A reviewed sentence"), description=_("For each decision of a reviewer.")
    )
    ruling: Rate = _rate(
        title=_("A decided complaint"), description=_("For who decides it, however they decide.")
    )
    perturbation: Rate = _rate(
        title=_("A variant of a case"),
        description=_("For a variant that a reviewer accepted, as it is or edited."),
    )
    check: Rate = _rate(
        title=_("A checked variant"), description=_("For each decision about a variant.")
    )
    rating: Rate = _rate(
        title=_("A rated item"),
        description=_("For each item of a quality inspection, to each of its two judges."),
    )
    lengths: Steps = Field(
        (Step(at_least=0, percent=100),),
        title=_("Length of the sentence"),
        description=_(
            "One line for each class: the least number of characters (English: words), a colon, "
            "the per cent of the rate. The first line begins with 0."
        ),
    )
    quality: Annotated[PayQuality, Field(strict=False)] = Field(
        PayQuality.ACCEPTANCE,
        title=_("Quality that counts"),
        description=_(
            "Of annotators. Reviews, checks and decisions of complaints are paid without it."
        ),
    )
    window: Annotated[int, Field(ge=1, le=10_000)] = Field(
        200,
        title=_("Tasks looked at"),
        description=_("The latest so many reviewed tasks of each person say how good they are."),
    )
    least: Annotated[int, Field(ge=1, le=10_000)] = Field(
        20,
        title=_("Tasks before quality counts"),
        description=_("With fewer reviewed tasks, the full rate is paid."),
    )
    factors: Steps = Field(
        (Step(at_least=0, percent=100),),
        title=_("Quality factor"),
        description=_(
            "One line for each class: the least quality in per cent, a colon, the per cent of the "
            "rate. The first line begins with 0."
        ),
    )

    @field_validator("lengths", "factors")
    @classmethod
    def _ascending(cls, steps: tuple[Step, ...]) -> tuple[Step, ...]:
        if steps[0].at_least:
            raise ValueError(f"the first line begins with 0, not with {steps[0].at_least}")
        for before, after in pairwise(steps):
            if before.at_least >= after.at_least:
                raise ValueError(f"{after.at_least} comes after {before.at_least}; lines ascend")
        return steps

    def rate(self, kind: PayKind) -> Decimal:
        """What one of a kind is paid, before all factors."""
        rate: Decimal = getattr(self, kind)
        return rate

    def quality_percent(self, share: Fraction | None, tasks: int) -> int:
        """The quality factor of somebody with so many reviewed tasks."""
        if self.quality == PayQuality.NONE or share is None or tasks < self.least:
            return 100
        return percent_at(self.factors, 100 * share)


def percent_at(steps: Sequence[Step], value: Fraction | int) -> int:
    """The per cent of the last step that a value reaches."""
    return [step.percent for step in steps if step.at_least <= value][-1]


PAID: Mapping[ProjectKind, tuple[PayKind, ...]] = {
    ProjectKind.REWRITE: (
        *(PayKind.ANNOTATION, PayKind.EXTRA_REFERENCE),
        *(PayKind.REVIEW, PayKind.RULING, PayKind.RATING),
    ),
    ProjectKind.PERTURB: (PayKind.PERTURBATION, PayKind.CHECK, PayKind.RATING),
}
"""What is paid in projects of a kind. Each has its rate in the formula, under its own name."""

FOLLOWS_QUALITY = frozenset({PayKind.ANNOTATION, PayKind.EXTRA_REFERENCE, PayKind.PERTURBATION})
"""What the quality factor holds for."""

_DIGITS: Mapping[str, int] = {
    **dict.fromkeys(("BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF"), 0),
    **dict.fromkeys(("UGX", "UYI", "VND", "VUV", "XAF", "XOF", "XPF"), 0),
    **dict.fromkeys(("BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"), 3),
}


def digits_of(currency: str) -> int:
    """How many digits a currency has behind the point (ISO 4217)."""
    return _DIGITS.get(currency, 2)


def amount_text(minor: int, currency: str) -> str:
    """An amount as people write it.

    >>> amount_text(-1234, "CNY"), amount_text(1234, "JPY")
    ('-12.34', '1234')
    """
    return str(Decimal(minor).scaleb(-digits_of(currency)))


class Template(NamedTuple):
    """A start for a formula: what it is called, and why one would choose it."""

    title: str
    about: str
    formula: Formula


def _steps(*pairs: tuple[int, int]) -> tuple[Step, ...]:
    return tuple(Step(at_least=least, percent=percent) for least, percent in pairs)


_RATES: Mapping[str, Any] = {
    "annotation": Decimal("0.50"),
    "extra_reference": Decimal("0.25"),
    "review": Decimal("0.60"),
    "ruling": Decimal("0.60"),
    "perturbation": Decimal("1.00"),
    "check": Decimal("0.30"),
    "rating": Decimal("0.30"),
    "lengths": _steps((0, 100), (30, 130), (60, 170), (100, 220)),
}

TEMPLATES: Mapping[str, Template] = {
    "acceptance": Template(
        _("By accepted answers"),
        _("The more of the latest answers were accepted, the more each task is paid."),
        Formula(
            **_RATES,
            quality=PayQuality.ACCEPTANCE,
            factors=_steps((0, 0), (60, 15), (70, 40), (80, 80), (85, 100), (90, 120)),
        ),
    ),
    "f05": Template(
        _("By F0.5"),
        _("Answers that are nearly right count as such: edits are compared, not whole texts."),
        Formula(
            **_RATES,
            quality=PayQuality.F05,
            factors=_steps((0, 0), (60, 15), (65, 40), (70, 70), (75, 100), (80, 120)),
        ),
    ),
}


def formula_of(stored: Mapping[str, object]) -> Formula:
    """The formula that JSON holds.

    Raises:
        UsageError: A key nobody knows, or a value that means nothing; the message names it.
    """
    try:
        return Formula.model_validate(dict(stored))
    except ValidationError as error:
        detail = error.errors(include_url=False)[0]
    name = str(detail["loc"][0])
    if name not in Formula.model_fields:
        raise UnknownNameError(_("field of a formula"), name, Formula.model_fields)
    raise UsageError(
        "{key} is {value!r}: {reason}",
        key=".".join(map(str, detail["loc"])),
        value=detail["input"],
        reason=detail["msg"].removeprefix("Value error, "),
    )


def formula_json(formula: Formula) -> dict[str, object]:
    """What JSON keeps: everything, so that later defaults change no formula of today."""
    return formula.model_dump(mode="json")


# What was done: facts, without any time that it took.


def length_of(text: str, lang: str) -> int:
    """The length of a sentence: characters without white space in Chinese, else words."""
    return len("".join(text.split())) if lang == "zh" else len(text.split())


def edits_key(text: str, lang: str) -> tuple[str, ...]:
    """What is equal exactly where two texts make the same edits in a sentence (PAY-3).

    The edits of a sentence and the text that they make say the same, but for white space. No
    project's placeholder and no scheme is asked for, so that the answer never changes.
    """
    return tuple(token.form for token in tokenize(key(text), lang, ""))


Unit = tuple[PayKind, int, int]
"""What is paid once: its kind, the row that it is, and of a reference the row of that; else 0."""


class Work(NamedTuple):
    """One unit, as it stood at a moment.

    Args:
        unit: What it is.
        person: Who did it.
        at: When it was handed in, which says the formula.
        length: Of its sentence.
        due: Whether it is accepted.
        complaint: The complaint upheld that said so last; 0 is none.
    """

    unit: Unit
    person: int
    at: datetime
    length: int
    due: bool
    complaint: int = 0


class ReviewedTask(NamedTuple):
    """One task that was reviewed: how many answers it has, and how many were accepted."""

    person: int
    submission: int
    sentence: int
    answers: int
    accepted: int


@dataclass(frozen=True, slots=True)
class Quality:
    """How good the latest tasks of a person are.

    Args:
        tasks: Reviewed tasks looked at.
        answers: Their answers.
        accepted: Of them, those that were accepted.
        f05: In [0, 1]; None where the formula does not ask for it, or nothing was scored.
    """

    tasks: int = 0
    answers: int = 0
    accepted: int = 0
    f05: float | None = None

    def share(self, measure: PayQuality) -> Fraction | None:
        """What a formula goes by, in [0, 1]; None where nothing is known."""
        if measure == PayQuality.F05:
            # The float of 0.6 is a little less; the ratio that it stands for reaches a step at 60.
            return None if self.f05 is None else Fraction(self.f05).limit_denominator(10**9)
        return Fraction(self.accepted, self.answers) if self.answers else None

    def percent(self, formula: Formula) -> int:
        """The quality factor by a formula."""
        return formula.quality_percent(self.share(formula.quality), self.tasks)


def latest(
    reviewed_tasks: Iterable[ReviewedTask], window: int
) -> Mapping[int, Sequence[ReviewedTask]]:
    """The latest reviewed tasks of each person, by the order in which they were handed in."""
    tasks: dict[int, list[ReviewedTask]] = {}
    for task in sorted(reviewed_tasks, key=lambda task: task.submission):
        tasks.setdefault(task.person, []).append(task)
    return {person: some[-window:] for person, some in tasks.items()}


# Facts and formula make lines.


class Version(NamedTuple):
    """A formula that was put in force: its row, since when, and what it says."""

    row: int
    since: datetime
    formula: Formula


def version_at(versions: Sequence[Version], at: datetime) -> Version:
    """The formula for work that was handed in at a moment: the one that was in force then.

    What was done before there was any is paid by the first one.
    """
    return ([version for version in versions if version.since <= at] or versions[:1])[-1]


class Line(NamedTuple):
    """One line of a statement.

    Args:
        unit: What is paid.
        person: Who gets it.
        reason: Why it stands here.
        amount: In the smallest unit of the currency.
        version: Row of the formula.
        complaint: The complaint upheld that it follows from; 0 is none.
        detail: How the amount is made: rate, length, and factors in per cent.
    """

    unit: Unit
    person: int
    reason: PayReason
    amount: int
    version: int
    complaint: int
    detail: Mapping[str, object]


def pay_lines(
    works: Iterable[Work],
    paid: Mapping[Unit, Line],
    versions: Sequence[Version],
    percents: Mapping[tuple[int, int], int],
) -> tuple[Line, ...]:
    """The lines of the next statements: what is due and was not paid, and what is no longer due.

    What was paid once keeps its amount: neither another formula nor another quality changes it.
    What is no longer accepted is taken back as it was paid.

    Args:
        works: All that was done so far, as it stands now.
        paid: The line by which each unit is paid now.
        versions: The formulas, in the order in which they were put in force; at least one.
        percents: Quality factors by person and row of the formula; absent is 100.
    """
    lines: list[Line] = []
    due: set[Unit] = set()
    complaints: dict[Unit, int] = {}
    for work in works:
        complaints[work.unit] = work.complaint
        if not work.due:
            continue
        due.add(work.unit)
        if work.unit not in paid:
            lines += _line(work, version_at(versions, work.at), percents)
    lines += [
        line._replace(
            reason=PayReason.REVERSAL,
            amount=-line.amount,
            complaint=complaints.get(unit, 0),
        )
        for unit, line in paid.items()
        if unit not in due
    ]
    return tuple(sorted(lines, key=lambda line: (line.person, *line.unit)))


def _line(work: Work, version: Version, percents: Mapping[tuple[int, int], int]) -> Iterable[Line]:
    kind, formula = work.unit[0], version.formula
    rate = formula.rate(kind)
    if not rate:
        return
    length_percent = percent_at(formula.lengths, work.length)
    percent = percents.get((work.person, version.row), 100) if kind in FOLLOWS_QUALITY else 100
    exact = rate * length_percent * percent / 10_000
    amount = exact.scaleb(digits_of(formula.currency)).quantize(Decimal(1), ROUND_HALF_EVEN)
    yield Line(
        work.unit,
        work.person,
        PayReason.COMPLAINT if work.complaint else PayReason.WORK,
        int(amount),
        version.row,
        work.complaint,
        {
            "rate": str(rate),
            "length": work.length,
            "length_percent": length_percent,
            "quality_percent": percent,
        },
    )


def apply_lines(paid: Mapping[Unit, Line], lines: Iterable[Line]) -> dict[Unit, Line]:
    """By which line each unit is paid after some more lines."""
    after = dict(paid)
    for line in lines:
        if line.reason == PayReason.REVERSAL:
            del after[line.unit]
        else:
            after[line.unit] = line
    return after
