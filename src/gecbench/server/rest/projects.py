"""Who am I; projects, sentences, submissions, golden sets and pay, in pages by key."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from operator import attrgetter
from typing import Annotated, Any, Literal, TypeVar

from django.db.models import Count, Model, QuerySet
from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Query, Router, Status

from gecbench.analysis.inspection import Estimate
from gecbench.server.choices import (
    SUBMITTED_OR_LATER,
    Decision,
    MemberStatus,
    Purpose,
    Role,
    SentenceState,
)
from gecbench.server.import_export.annotations import annotation_objects
from gecbench.server.import_export.corpora import (
    DECIDED,
    Naming,
    look_of,
    naming_of,
    read_snapshot,
    real_sentences,
)
from gecbench.server.models import (
    InspectionRound,
    Member,
    PayStatement,
    Project,
    Sentence,
    Submission,
    Token,
    Trial,
    Variant,
)
from gecbench.server.rest.authentication import (
    acting_manager_of,
    manager_of,
    member_of,
    need,
    only,
    person_of,
)
from gecbench.server.rest.schemas import (
    CaseOutput,
    Failure,
    FaultOutput,
    Goldens,
    GoldResults,
    InspectedItems,
    InspectionReport,
    Inspections,
    NewToken,
    PayFormulaOutput,
    PayStatements,
    PayStatementWithLines,
    PersonOutput,
    ProjectInput,
    ProjectOutput,
    ReopenInput,
    Sentences,
    Submissions,
    TokenInput,
    TokenOutput,
    Trials,
)
from gecbench.server.statistics.inspections import item_values, measure_round
from gecbench.server.workflow import inspection, practice, variant_checks
from gecbench.server.workflow.accounts import Scope, make_token, revoke_token, tokens_of
from gecbench.server.workflow.pay import formula_in_force
from gecbench.server.workflow.perturbation import find_faults
from gecbench.server.workflow.projects import create_project
from gecbench.server.workflow.review_tasks import record_reading, record_readings

# Who am I, and my tokens.


account_router = Router(tags=["account"])


@account_router.get("me", response={200: PersonOutput, 401: Failure})
def me(request: HttpRequest) -> dict[str, object]:
    """Return who the token or the session belongs to."""
    only(request)
    person = person_of(request)
    return {
        "login": person.login,
        "name": person.name,
        "administrator": person.is_administrator,
    }


@account_router.get("tokens", response={200: list[TokenOutput], 401: Failure})
def tokens(request: HttpRequest) -> list[Token]:
    """Return my tokens that were not revoked."""
    only(request)
    return list(tokens_of(person_of(request)))


@account_router.post("tokens", response={201: NewToken, 401: Failure, 403: Failure, 422: Failure})
def new_token(request: HttpRequest, given: TokenInput) -> Status[dict[str, object]]:
    """Make a token; needs a session, or a token with scope admin."""
    only(request)
    need(request, Scope.ADMIN)
    token, secret = make_token(
        person_of(request), name=given.name, scopes=given.scopes, expires_at=given.expires_at
    )
    return Status(201, {**TokenOutput.from_orm(token).dict(), "secret": secret})


@account_router.delete("tokens/{int:token_id}", response={204: None, 401: Failure, 404: Failure})
def end_token(request: HttpRequest, token_id: int) -> Status[None]:
    """Revoke one of my tokens."""
    only(request)
    need(request, Scope.ADMIN)
    revoke_token(person_of(request), token_id)
    return Status(204, None)


# Projects: those I am in, and new ones for administrators.


projects_router = Router(tags=["projects"])


@projects_router.get("projects", response={200: list[ProjectOutput], 401: Failure})
def projects(request: HttpRequest) -> list[dict[str, object]]:
    """Return the projects that I am in; for administrators all."""
    only(request)
    person = person_of(request)
    mine = {
        member.project_id: member
        for member in Member.objects.filter(person=person, project__deleted_at=None)
        .exclude(status__in=(MemberStatus.LEFT, MemberStatus.INVITED))
        .select_related("project")
    }
    rows = Project.objects.filter(deleted_at=None).select_related("guideline")
    rows = rows.defer("guideline__markdown").order_by("slug")
    if not person.is_administrator:
        rows = rows.filter(id__in=list(mine))
    return [_project_json(project, mine.get(project.pk)) for project in rows]


@projects_router.post(
    "projects",
    response={201: ProjectOutput, 401: Failure, 403: Failure, 404: Failure, 422: Failure},
)
def new_project(request: HttpRequest, given: ProjectInput) -> Status[dict[str, object]]:
    """Make a project; for administrators, by a session or a token with scope admin."""
    only(request)
    person = person_of(request)
    if not person.is_administrator:
        raise Http404
    need(request, Scope.ADMIN)
    project = create_project(**given.dict(), by=person)
    return Status(
        201, _project_json(project, Member.objects.filter(project=project, person=person).first())
    )


@projects_router.get(
    "projects/{slug:slug}", response={200: ProjectOutput, 401: Failure, 404: Failure}
)
def project(request: HttpRequest, slug: str) -> dict[str, object]:
    """Return a project; managers also see how many real sentences are in which state."""
    only(request)
    member = member_of(request, slug)
    values = _project_json(member.project, member)
    if member.has(Role.MANAGER):
        values["states"] = dict(
            Sentence.objects.filter(project=member.project, purpose=Purpose.REAL)
            .order_by()
            .values_list("state")
            .annotate(n=Count("id"))
        )
    return values


def _project_json(project: Project, member: Member | None) -> dict[str, object]:
    return {
        "slug": project.slug,
        "name": project.name,
        "lang": project.lang,
        "kind": project.kind,
        "annotators": project.annotators,
        "max_references": project.max_references,
        "guideline": project.guideline.version if project.guideline else None,
        "archived": project.archived_at is not None,
        "roles": [str(role) for role in member.roles] if member else [],
    }


# Sentences, submissions and golden sets, in pages by key.


work_router = Router(tags=["work"])
After = Annotated[int, Query(ge=0, le=2**31 - 1, description="What `next` said; 0 begins.")]
Limit = Annotated[int, Query(ge=1, le=200)]
_Row = TypeVar("_Row", bound=Model)


@work_router.get(
    "projects/{slug:slug}/sentences", response={200: Sentences, 404: Failure, 422: Failure}
)
def sentences(
    request: HttpRequest,
    slug: str,
    after: After = 0,
    limit: Limit = 50,
    state: SentenceState | None = None,
    purpose: Literal["real", "training", "trial", "gold"] = "real",
) -> dict[str, object]:
    """Return sentences by task number; for managers."""
    only(request, "after", "limit", "state", "purpose")
    project = manager_of(request, slug).project
    matches = Sentence.objects.filter(project=project, purpose=purpose)
    if state is not None:
        matches = matches.filter(state=state)
    rows = first_rows(matches.select_related("source", "golden"), after, limit, "number")
    return page_of(rows, limit, _sentence, "number")


@work_router.get(
    "projects/{slug:slug}/sentences/{int:number}",
    response={200: dict[str, object], 404: Failure},
)
def sentence(request: HttpRequest, slug: str, number: int) -> dict[str, object]:
    """Return all that happened to a sentence, people under pseudonyms; for managers."""
    only(request)
    member = manager_of(request, slug)
    project = member.project
    with read_snapshot():
        row = get_object_or_404(Sentence, project=project, number=number)
        whole = annotation_objects([row], look_of(project), naming_of(project))[0]
    record_reading(row.pk, member.person_id)
    return whole


@work_router.get(
    "projects/{slug:slug}/submissions", response={200: Submissions, 404: Failure, 422: Failure}
)
def submissions(
    request: HttpRequest, slug: str, after: After = 0, limit: Limit = 50
) -> dict[str, object]:
    """Return submissions, oldest first: to managers all under pseudonyms, to others their own."""
    only(request, "after", "limit")
    member = member_of(request, slug)
    matches = Submission.objects.filter(sentence__project=member.project)
    if member.has(Role.MANAGER):
        matches = matches.filter(sentence__purpose=Purpose.REAL)
    else:  # gold tasks, too, which an annotator cannot tell from others
        matches = matches.filter(person=member.person)
    naming = naming_of(member.project)
    matches = matches.select_related("sentence", "slot", "variant").prefetch_related("references")
    rows = first_rows(matches, after, limit)
    record_readings(
        (row.sentence_id for row in rows if row.person_id != member.person_id), member.person_id
    )

    def describe(row: Submission) -> dict[str, object]:
        return {
            "key": row.pk,
            "number": row.sentence.number,
            "id": row.sentence.external_id,
            "annotator": naming.of(row.person_id),
            "no": row.no,
            "decision": row.decision,
            "reason": row.reason,
            "texts": _texts(row),
            "at": row.at,
            "stands": row.slot.state in SUBMITTED_OR_LATER,
        }

    return page_of(rows, limit, describe)


def _texts(row: Submission) -> list[str]:
    """The corrections of a submission; of a variant its source and its correction."""
    variant: Variant | None = getattr(row, "variant", None)
    if variant is not None:
        return [variant.source, variant.target]
    return [text.text for text in sorted(row.references.all(), key=lambda text: text.position)]


@work_router.get("projects/{slug:slug}/faults", response={200: list[FaultOutput], 404: Failure})
def faults(request: HttpRequest, slug: str) -> list[dict[str, object]]:
    """Return the variants of cases that are done and break a rule, as imported files have them."""
    only(request)
    project = manager_of(request, slug).project
    return [asdict(variant) for variant in find_faults(project.pk)]


@work_router.post(
    "projects/{slug:slug}/sentences/{int:number}/reopen-variants",
    response={200: CaseOutput, 404: Failure, 409: Failure, 422: Failure},
)
def reopen_variants(
    request: HttpRequest, slug: str, number: int, given: ReopenInput
) -> dict[str, object]:
    """Have variants of a case that is done made again; its golden version stays until then."""
    only(request)
    manager = acting_manager_of(request, slug)
    sentence = get_object_or_404(Sentence, project=manager.project, number=number)
    variant_checks.reopen(manager, sentence.pk, positions=given.positions, note=given.note)
    sentence.refresh_from_db()
    return {"number": number, "state": sentence.state, "places": given.positions}


@work_router.get("projects/{slug:slug}/trials", response={200: Trials, 404: Failure, 422: Failure})
def trials(
    request: HttpRequest, slug: str, after: After = 0, limit: Limit = 50
) -> dict[str, object]:
    """Return the trials of candidates, oldest first, people under pseudonyms; for managers."""
    only(request, "after", "limit")
    project = manager_of(request, slug).project
    naming = naming_of(project)
    columns = ("no", "size", "percent", "state", "accepted", "started_at", "ended_at")

    def describe(trial: Trial) -> dict[str, object]:
        who = {"key": trial.pk, "annotator": naming.of(trial.member.person_id)}
        return who | {name: getattr(trial, name) for name in columns}

    matches = Trial.objects.filter(member__project=project).select_related("member")
    return page_of(first_rows(matches, after, limit), limit, describe)


@work_router.get(
    "projects/{slug:slug}/gold-results", response={200: GoldResults, 404: Failure, 422: Failure}
)
def gold_results(
    request: HttpRequest, slug: str, after: After = 0, limit: Limit = 50
) -> dict[str, object]:
    """Return the results of gold tasks, oldest first, people under pseudonyms; for managers."""
    only(request, "after", "limit")
    project = manager_of(request, slug).project
    naming = naming_of(project)

    def describe(row: Any) -> dict[str, object]:
        return {
            "key": row.pk,
            "annotator": naming.of(row.submission.person_id),
            "number": row.submission.sentence.number,
            "id": row.submission.sentence.external_id,
            "right": bool(row.verdict),
            "overruled": bool(row.verdict) != row.right,
            "at": row.submission.at,
        }

    matches = practice.gold_results(project).select_related("submission__sentence")
    return page_of(first_rows(matches, after, limit), limit, describe)


@work_router.get(
    "projects/{slug:slug}/golden-sets", response={200: Goldens, 404: Failure, 422: Failure}
)
def golden_sets(
    request: HttpRequest,
    slug: str,
    after: After = 0,
    limit: Limit = 50,
    decision: Decision | None = None,
) -> dict[str, object]:
    """Return the golden sets that hold now, by task number; for managers."""
    only(request, "after", "limit", "decision")
    project = manager_of(request, slug).project
    matches = real_sentences(project).filter(state__in=DECIDED, golden__isnull=False)
    if decision is not None:
        matches = matches.filter(golden__kind=decision)
    matches = matches.select_related("source", "golden")
    matches = matches.prefetch_related("golden__entries__reference")
    return page_of(first_rows(matches, after, limit, "number"), limit, _golden, "number")


def _golden(row: Any) -> dict[str, object]:
    return {
        "number": row.number,
        "id": row.external_id,
        "text": row.text,
        "source": row.source.name if row.source else "",
        "version": row.golden.version,
        "decision": row.golden.kind,
        "references": [entry.reference.text for entry in row.golden.entries.all()],
    }


# Quality inspection: rounds, figures, ratings.


@work_router.get(
    "projects/{slug:slug}/inspections", response={200: Inspections, 404: Failure, 422: Failure}
)
def inspections(
    request: HttpRequest, slug: str, after: After = 0, limit: Limit = 50
) -> dict[str, object]:
    """Return the rounds of quality inspection, oldest first; for managers."""
    only(request, "after", "limit")
    project = manager_of(request, slug).project
    rows = first_rows(InspectionRound.objects.filter(project=project), after, limit)
    return page_of(rows, limit, partial(_round, project))


@work_router.get(
    "projects/{slug:slug}/inspections/{int:round_id}",
    response={200: InspectionReport, 404: Failure},
)
def inspection_report(request: HttpRequest, slug: str, round_id: int) -> dict[str, object]:
    """Return what the judges of a round found, as table 3 of RobustGEC has it; for managers."""
    only(request)
    project = manager_of(request, slug).project
    row = inspection.get_round(project, round_id)
    result = measure_round(row)
    figures = [
        {
            **{name: getattr(criterion, name) for name in _COUNTED},
            **{name: _estimate(estimate) for name, estimate in criterion.estimates.items()},
        }
        for criterion in result.criteria
    ]
    report = {"rated_by_both": result.rated, "figures": figures, "notes": list(result.notes)}
    return {**_round(project, row), **report}


_COUNTED = ("criterion", "both", "only_first", "only_second", "neither", "unresolved")


@work_router.get(
    "projects/{slug:slug}/inspections/{int:round_id}/items",
    response={200: InspectedItems, 404: Failure, 422: Failure},
)
def inspected_items(
    request: HttpRequest, slug: str, round_id: int, after: After = 0, limit: Limit = 50
) -> dict[str, object]:
    """Return the items of a round by position; ratings of those that both judges have rated."""
    only(request, "after", "limit")
    project = manager_of(request, slug).project
    items = inspection.load_items(inspection.get_round(project, round_id))
    rows = [result for result in items if result.item.position > after][:limit]
    describe = partial(item_values, naming=naming_of(project))
    return page_of(rows, limit, describe, "item.position")


def _round(project: Project, row: InspectionRound) -> dict[str, object]:
    naming, judges = naming_of(project), inspection.count_ratings(row)
    return {
        "key": row.pk,
        **{name: getattr(row, name) for name in ("name", "state", "size", "population", "seed")},
        "criteria": row.criteria,
        "judges": [naming.of(judge.member.person_id) for judge, _ in judges],
        "rated": [done for _, done in judges],
        "at": row.at,
        "closed_at": row.closed_at,
    }


def _estimate(estimate: Estimate) -> dict[str, object]:
    ends = estimate.interval
    low, high = (ends.low, ends.high) if ends else (None, None)
    return {"value": estimate.value, "of": estimate.of, "low": low, "high": high}


def _sentence(sentence: Sentence) -> dict[str, object]:
    return {
        "number": sentence.number,
        "id": sentence.external_id,
        "text": sentence.text,
        "source": sentence.source.name if sentence.source else "",
        "meta": sentence.meta,
        "purpose": sentence.purpose,
        "state": sentence.state,
        "priority": sentence.priority,
        "needed": sentence.needed,
        "submitted": sentence.submitted,
        "golden_version": sentence.golden.version if sentence.golden else None,
    }


def first_rows(rows: QuerySet[_Row], after: int, limit: int, key: str = "pk") -> list[_Row]:
    """The rows of a page: those whose key comes after one, at most so many."""
    return list(rows.filter(**{f"{key}__gt": after}).order_by(key)[:limit])


def page_of(
    rows: Sequence[Any],
    limit: int,
    describe: Callable[[Any], Mapping[str, object]],
    key: str = "pk",
) -> dict[str, object]:
    """A page of rows as a function tells each; `next` is the key of the last one."""
    following = attrgetter(key)(rows[-1]) if len(rows) == limit else None
    return {"items": [describe(row) for row in rows], "next": following}


pay_router = Router(tags=["pay"])


@pay_router.get(
    "projects/{slug:slug}/pay/formulas", response={200: list[PayFormulaOutput], 404: Failure}
)
def formulas(request: HttpRequest, slug: str) -> list[dict[str, object]]:
    """Return the versions of the formula, the newest first; for managers."""
    only(request)
    project = manager_of(request, slug).project
    in_force = formula_in_force(project)
    return [
        {
            "version": row.version,
            "rules": row.rules,
            "at": row.at,
            "in_force": in_force is not None and in_force.pk == row.pk,
        }
        for row in project.pay_formulas.order_by("-version")
    ]


@pay_router.get(
    "projects/{slug:slug}/pay/statements", response={200: PayStatements, 404: Failure, 422: Failure}
)
def statements(
    request: HttpRequest, slug: str, after: After = 0, limit: Limit = 50
) -> dict[str, object]:
    """Return statements, oldest first: to managers all under pseudonyms, to others their own."""
    only(request, "after", "limit")
    member = member_of(request, slug)
    describe = partial(_statement, naming=naming_of(member.project))
    return page_of(first_rows(_statements(member), after, limit), limit, describe)


@pay_router.get(
    "projects/{slug:slug}/pay/statements/{int:statement_id}",
    response={200: PayStatementWithLines, 404: Failure},
)
def statement(request: HttpRequest, slug: str, statement_id: int) -> dict[str, object]:
    """Return a statement with its lines; for managers, and for the person that it is for."""
    only(request)
    member = member_of(request, slug)
    row = get_object_or_404(_statements(member), pk=statement_id)
    entries = row.entries.select_related(
        *(
            "formula",
            "submission__sentence",
            "review__sentence",
            "variant_check__review__sentence",
            "rating__item__sentence",
        )
    )
    lines = [
        {
            "number": entry.task[0],
            "kind": entry.kind,
            "reason": entry.reason,
            "amount_minor": entry.amount,
            "formula": entry.formula.version,
            "submission": entry.submission_id,
            "reference": entry.reference_id,
            "review": entry.review_id,
            "variant_check": entry.variant_check_id,
            "rating": entry.rating_id,
            "complaint": entry.complaint_id,
            "detail": entry.detail,
        }
        for entry in entries.order_by("pk")
    ]
    return {**_statement(row, naming_of(member.project)), "lines": lines}


def _statements(member: Member) -> QuerySet[PayStatement]:
    rows = PayStatement.objects.filter(period__project=member.project).select_related("period")
    return rows if member.has(Role.MANAGER) else rows.filter(person=member.person)


def _statement(row: PayStatement, naming: Naming) -> dict[str, object]:
    return {
        "key": row.pk,
        "person": naming.of(row.person_id),
        "begin": row.period.begin,
        "end": row.period.end,
        "first_day": row.period.first_day,
        "last_day": row.period.last_day,
        "total_minor": row.total,
        "currency": row.currency,
        "facts": row.facts,
        "sha256": row.sha256,
    }
