"""Sentences come in: a file is looked at first (the dry run), then confirmed or forgotten."""

from __future__ import annotations

from http import HTTPStatus
from typing import cast
from urllib.parse import urlencode

from django.contrib import messages
from django.db.models import Count
from django.http import HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from gecbench.core.errors import GecbenchError
from gecbench.server.exchange.content import Encoding
from gecbench.server.exchange.imports import run_import
from gecbench.server.exchange.planning import plan_import
from gecbench.server.exchange.plans import ImportOptions, Plan, options_from
from gecbench.server.exchange.records import READERS
from gecbench.server.laws.names import Purpose
from gecbench.server.laws.text import KINDS
from gecbench.server.models import ImportBatch, Member
from gecbench.server.web.library.saying import Said, phrase, said
from gecbench.server.web.manage import uploads
from gecbench.server.web.manage.pages import acting, insist_on_active, looking, page, whole
from gecbench.server.web.manage.words import refused
from gecbench.server.workflow.errors import ConflictError, Problem, RefusedError

REFERENCES = (
    ("ignore", _("Leave them out")),
    ("golden", _("They are the golden references; nobody annotates these sentences")),
    ("keep", _("Keep them beside the sentence, which is annotated all the same")),
)
DUPLICATES = (
    ("skip", _("Leave them out")),
    ("keep", _("Take them in once more")),
)
ENCODINGS = (("utf-8", "UTF-8"), ("gb18030", "GB18030 / GBK"))
_LAST = 20


@looking
@require_http_methods(["GET", "HEAD", "POST"])
def begin(request: HttpRequest, member: Member) -> HttpResponseBase:
    """Take a file, or show the form and the imports so far."""
    if request.method == "POST":
        return _kept(request, member)
    return _form(request, member)


def _kept(request: HttpRequest, member: Member) -> HttpResponseBase:
    insist_on_active(member)
    file = request.FILES.get("file")
    if file is None or isinstance(file, list):
        return _form(request, member, problem=Said(gettext("Choose a file first.")))
    try:
        made = uploads.keep(member, [file, *request.FILES.getlist("references")])
    except GecbenchError as error:
        return _form(request, member, problem=refused(error))
    return redirect("manage-import-report", member.project.slug, made.token)


def _form(request: HttpRequest, member: Member, problem: Said | None = None) -> HttpResponse:
    batches = list(
        ImportBatch.objects.filter(project=member.project)
        .select_related("by")
        .annotate(there=Count("sentences"))
        .order_by("-id")[:_LAST]
    )
    done = [(one, int(one.counts.get("sentences", 0)) - one.there) for one in batches]
    status = HTTPStatus.UNPROCESSABLE_ENTITY if problem else HTTPStatus.OK
    shown = {"problem": problem, "batches": done}
    return page(request, member, "manage-import", shown, status=status)


@looking
@require_GET
def report(request: HttpRequest, member: Member, waiting: str) -> HttpResponse:
    """Show what an import would do with the options of the address; nothing is changed."""
    return _report(request, member, waiting, request.GET)


def _report(
    request: HttpRequest,
    member: Member,
    waiting: str,
    given: QueryDict,
    *,
    problem: Said | None = None,
    status: int = HTTPStatus.OK,
) -> HttpResponse:
    files = uploads.waiting(member, waiting)
    plan = None
    try:
        plan = _plan(member, files, given)
    except GecbenchError as error:
        problem = problem or refused(error)
    shown = {
        "waiting": files,
        "plan": plan,
        **(_told(plan) if plan else {}),
        "obstacle": plan.obstacle if plan and not plan.report.problem_count else "",
        "problem": problem,
        "given": _values(given),
        "formats": [("", gettext("Find out")), *((name, name) for name in READERS)],
        "encodings": ENCODINGS,
        "reference_choices": REFERENCES,
        "duplicate_choices": DUPLICATES,
    }
    return page(
        request, member, "manage-import", shown, template="manage/report.html", status=status
    )


def _told(plan: Plan) -> dict[str, object]:
    """Return the report for the page: what the library says is said in the person's language."""
    told = plan.report
    return {
        "told": told,
        "problems": [(one.line, said(one.message)) for one in told.problems],
        "invisible": [(phrase(KINDS[kind]), count) for kind, count in told.invisible.items()],
        "left_out": [(phrase(what), count) for what, count in told.left_out.items()],
        "new_ids": phrase(told.new_ids) if told.new_ids else None,
        "bars": _bars(plan),
    }


def _plan(member: Member, files: uploads.Waiting, given: QueryDict) -> Plan:
    options = _options(given, parallel=len(files.names) > 1)
    first, *others = files.contents(options.encoding)
    return plan_import(member.project, first, options, references=others)


def _options(given: QueryDict, *, parallel: bool) -> ImportOptions:
    priority = whole(given.get("priority") or "100")
    if priority is None:
        message = "a priority is a whole number from -1000000 to 1000000"
        raise RefusedError([Problem("priority", "priority", message)])
    return options_from(
        {
            "format": given.get("format") or ("lines" if parallel else None),
            "encoding": cast("Encoding", given.get("encoding") or "utf-8"),
            "references": given.get("references") or None,
            "duplicates": given.get("duplicates") or None,
            "purpose": Purpose.TRAINING if given.get("purpose") == "training" else Purpose.REAL,
            "priority": priority,
            "source": (given.get("source") or "").replace("\0", "").strip(),
            "clean": given.get("clean") != "no",
            "number": given.get("number") == "yes",
        }
    )


_FIELDS = (
    *("format", "encoding", "references", "duplicates", "purpose", "priority", "source"),
    *("clean", "number"),
)


def _values(given: QueryDict) -> dict[str, str]:
    """Return the options as they were chosen, for the form and for the confirmation."""
    defaults = {"encoding": "utf-8", "priority": "100", "purpose": "real", "clean": "yes"}
    return {name: given.get(name) or defaults.get(name, "") for name in _FIELDS}


def _bars(plan: Plan) -> tuple[tuple[str, int, int], ...]:
    """Return the lengths of the sentences: "21-30", how many, and per cent of the highest bar."""
    made: list[tuple[str, int, int]] = []
    most = max(plan.report.lengths.values(), default=1)
    before = 0
    for end, count in plan.report.lengths.items():
        made.append(
            (f"≤ {end}" if not before else f"{before + 1}–{end}", count, count * 100 // most)
        )
        before = end
    return tuple(made)


@acting
@require_POST
def run(request: HttpRequest, member: Member, waiting: str) -> HttpResponseBase:
    """Import what was looked at; where something is wrong, nothing is changed."""
    files = uploads.waiting(member, waiting)
    try:
        done = run_import(_plan(member, files, request.POST), by=member.person)
    except ConflictError:
        query = urlencode({name: request.POST.get(name, "") for name in _FIELDS})
        messages.error(
            request,
            gettext("The project has changed since the file was looked at; look at it again."),
        )
        address = reverse("manage-import-report", args=[member.project.slug, waiting])
        return redirect(f"{address}?{query}")
    except GecbenchError as error:
        return _report(
            request,
            member,
            waiting,
            request.POST,
            problem=refused(error),
            status=HTTPStatus.UNPROCESSABLE_ENTITY,
        )
    files.forget()
    words = ngettext(
        "%(n)s sentence was imported.", "%(n)s sentences were imported.", done.sentences
    )
    messages.success(request, words % {"n": done.sentences})
    return redirect("manage-import", member.project.slug)


@acting
@require_POST
def forget(request: HttpRequest, member: Member, waiting: str) -> HttpResponseBase:
    """Remove an uploaded file that is not wanted after all."""
    uploads.waiting(member, waiting).forget()
    messages.success(request, gettext("The file is forgotten; nothing was imported."))
    return redirect("manage-import", member.project.slug)
