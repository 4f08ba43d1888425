"""What goes in and comes out, as OpenAPI shows it; unknown fields are refused."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Annotated, Generic, Literal, TypeVar

from django.http import HttpRequest
from ninja import Schema
from pydantic import AwareDatetime, ConfigDict, Field, field_validator

Text = Annotated[str, Field(pattern=r"^[^\x00]*$")]
"""A text that every database can hold."""

Slug = Annotated[str, Field(pattern=r"^[-a-zA-Z0-9_]{1,60}$")]


class Input(Schema):
    """What somebody sends: nothing in it may be unknown."""

    model_config = ConfigDict(extra="forbid", str_max_length=20_000)


class ProjectInput(Input):
    """A new project."""

    slug: Slug
    name: Annotated[Text, Field(min_length=1, max_length=150)]
    lang: Literal["zh", "en"]
    template: Text = "mucgec"
    annotators: Annotated[int, Field(ge=1, le=20)] | None = None
    max_references: Annotated[int, Field(ge=1, le=10)] | None = None
    options: dict[str, object] = Field(default_factory=dict)

    @field_validator("options")
    @classmethod
    def whole(cls, options: dict[str, object]) -> dict[str, object]:
        """Refuse half a character, which pydantic finds in declared texts alone."""
        try:
            json.dumps(options, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise ValueError("a text holds half a surrogate pair, as \\ud800") from None
        return options


class ReleaseInput(Input):
    """A new release."""

    name: Annotated[Text, Field(min_length=1, max_length=100)]
    note: Annotated[Text, Field(max_length=2000)] = ""
    schemes: list[Text] | None = None


class TokenInput(Input):
    """A new token."""

    name: Annotated[Text, Field(min_length=1, max_length=100)]
    scopes: list[Literal["read", "write", "admin"]] = Field(default_factory=lambda: ["read"])  # type: ignore[arg-type]
    expires_at: AwareDatetime | None = None


class ImportInput(Input):
    """How an uploaded file becomes sentences."""

    format: Text | None = None
    encoding: Literal["utf-8", "gb18030"] = "utf-8"
    references: Literal["ignore", "golden", "keep"] | None = None
    duplicates: Literal["skip", "keep"] | None = None
    purpose: Literal["real", "training", "trial", "gold"] = "real"
    priority: Annotated[int, Field(ge=-1_000_000, le=1_000_000)] = 100
    source: Annotated[Text, Field(max_length=100)] = ""
    clean: bool = True
    number: bool = False
    reference: Annotated[int, Field(ge=1, le=100)] = 1
    scheme: Annotated[Text, Field(max_length=40)] = ""


_Item = TypeVar("_Item")


class Page(Schema, Generic[_Item]):
    """A page of items; `next` is the `after` of the next one."""

    items: list[_Item]
    next: int | None


class Failure(Schema):
    """Why something was not done."""

    error: str
    request_id: str
    problems: list[dict[str, object]] = Field(default_factory=list)


class PersonOutput(Schema):
    """Who asks."""

    login: str
    name: str
    administrator: bool


class TokenOutput(Schema):
    """A token, without its secret."""

    id: int
    name: str
    scopes: list[str]
    created_at: datetime
    last_used_at: datetime | None
    expires_at: datetime | None


class NewToken(TokenOutput):
    """A new token; its secret is shown this once."""

    secret: str


class TrialOutput(Schema):
    """A candidate's trial; `accepted` is how many answers are right, once it is over."""

    key: int
    annotator: str
    no: int
    size: int
    percent: int
    state: str
    accepted: int | None
    started_at: datetime
    ended_at: datetime | None


class Trials(Page[TrialOutput]):
    """A page of trials."""

    next: int | None = None


class GoldResultOutput(Schema):
    """Whether an annotator did a gold task rightly; a manager may have judged it otherwise."""

    key: int
    annotator: str
    number: int
    id: str
    right: bool
    overruled: bool
    at: datetime


class GoldResults(Page[GoldResultOutput]):
    """A page of results of gold tasks."""

    next: int | None = None


class InspectionOutput(Schema):
    """A round of quality inspection; `rated` is how many items each judge has rated."""

    key: int
    name: str
    state: str
    size: int
    population: int
    seed: int
    criteria: list[dict[str, str]]
    judges: list[str]
    rated: list[int]
    at: datetime
    closed_at: datetime | None


class Inspections(Page[InspectionOutput]):
    """A page of rounds."""

    next: int | None = None


class EstimateOutput(Schema):
    """A figure, not rounded, and its 95% interval; null where it is undefined."""

    value: float | None
    of: int
    low: float | None
    high: float | None


class CriterionOutput(Schema):
    """What the judges say by one criterion; shares are in [0, 1]."""

    criterion: str
    accept: EstimateOutput
    reject: EstimateOutput
    equal: EstimateOutput
    kappa: EstimateOutput
    alpha: EstimateOutput
    both: int
    only_first: int
    only_second: int
    neither: int
    unresolved: int


class InspectionReport(InspectionOutput):
    """A round with its figures, over the items that both judges have rated."""

    rated_by_both: int
    figures: list[CriterionOutput]
    notes: list[str]


class RatingOutput(Schema):
    """What a judge says of an item."""

    judge: str
    accept: dict[str, bool]
    note: str
    at: datetime


class ResolutionOutput(Schema):
    """What the judges settled on."""

    accept: bool
    note: str
    by: str
    at: datetime


class InspectedItem(Schema):
    """An item of a round; there are no ratings before both judges have rated it."""

    position: int
    number: int
    id: str
    source: str
    target: str
    ratings: list[RatingOutput]
    resolutions: dict[str, ResolutionOutput]


class InspectedItems(Page[InspectedItem]):
    """A page of items."""


class PayFormulaOutput(Schema):
    """A version of the formula of pay."""

    version: int
    rules: dict[str, object]
    at: datetime
    in_force: bool


class PayStatementOutput(Schema):
    """What a person gets for a period; amounts are in the smallest unit of the currency.

    `first_day` and `last_day` are days by the clock of the site, both in the period, as pages and
    files name them; `begin` and `end` are the same in moments, of which `end` is not in it.
    """

    key: int
    person: str
    begin: datetime | None
    end: datetime
    first_day: date | None
    last_day: date
    total_minor: int
    currency: str
    facts: dict[str, object]
    sha256: str


class PayLineOutput(Schema):
    """A line of a statement, with the row that is paid."""

    number: int
    kind: str
    reason: str
    amount_minor: int
    formula: int
    submission: int | None
    reference: int | None
    review: int | None
    variant_check: int | None
    rating: int | None
    complaint: int | None
    detail: dict[str, object]


class PayStatementWithLines(PayStatementOutput):
    """A statement with its lines."""

    lines: list[PayLineOutput]


class PayStatements(Page[PayStatementOutput]):
    """A page of statements."""


class ProjectOutput(Schema):
    """A project, as its members see it."""

    slug: str
    name: str
    lang: str
    kind: str
    annotators: int
    max_references: int
    guideline: int | None
    archived: bool
    roles: list[str]
    states: dict[str, int] | None = None


class GoldenOutput(Schema):
    """A golden set."""

    number: int
    id: str
    text: str
    source: str
    version: int
    decision: str
    references: list[str]


class SentenceOutput(Schema):
    """A sentence and where it stands."""

    number: int
    id: str
    text: str
    source: str
    meta: dict[str, object]
    purpose: str
    state: str
    priority: int
    needed: int
    submitted: int
    golden_version: int | None


class SubmissionOutput(Schema):
    """What somebody handed in."""

    key: int
    number: int
    id: str
    annotator: str
    no: int
    decision: str
    reason: str
    texts: list[str]
    at: datetime
    stands: bool


class Sentences(Page[SentenceOutput]):
    """A page of sentences; `next` goes into `after`."""


class Goldens(Page[GoldenOutput]):
    """A page of golden sets."""


class Submissions(Page[SubmissionOutput]):
    """A page of submissions."""


class ImportPlan(Schema):
    """What an import would do, or did."""

    obstacle: str
    report: dict[str, object]
    sha256: str
    resumes: bool


class ImportResult(Schema):
    """What an import did."""

    batch: int
    sentences: int
    kept_references: int
    report: dict[str, object]


class ImportOutput(Schema):
    """An import that was made."""

    batch: int
    file: str
    sha256: str
    format: str
    sentences: int
    missing: int
    at: datetime


class ExportOutput(Schema):
    """A format of export."""

    format: str
    about: str
    media: str
    notes: list[str]


class ReleaseOutput(Schema):
    """A release and its files."""

    name: str
    note: str
    at: datetime
    manifest_sha256: str
    manifest: dict[str, object]


class FaultOutput(Schema):
    """A variant of a case that is done, and what is wrong with it."""

    number: int
    position: int
    fault: Literal["original", "repeated", "error_free", "moved"]


class ReopenInput(Input):
    """Which variants of a case are to be made again, and why."""

    positions: Annotated[list[int], Field(min_length=1, max_length=20)]
    note: Annotated[Text, Field(min_length=1, max_length=10_000)]


class CaseOutput(Schema):
    """A case whose variants are made again."""

    number: int
    state: str
    places: list[int]


def refusal(
    request: HttpRequest, message: str, problems: Sequence[Mapping[str, object]] = ()
) -> dict[str, object]:
    """The body of a refused request: what is wrong, and the id that the log has, too."""
    body: dict[str, object] = {"error": message, "request_id": getattr(request, "id", "")}
    if problems:
        body["problems"] = list(problems)
    return body
