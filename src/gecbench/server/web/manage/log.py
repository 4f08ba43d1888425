"""The log of who did what: a chain, read by key, verified by administrators."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_GET, require_POST

from gecbench.server.models import Audit, Member
from gecbench.server.web.manage.facts import told
from gecbench.server.web.manage.pages import acting, looking, page, whole
from gecbench.server.workflow import audits

_ROWS = 50
_SHOWN = 10


@looking
@require_GET
def listed(request: HttpRequest, member: Member) -> HttpResponse:
    """Show the project's rows, newest first, from ?before= on."""
    before = whole(request.GET.get("before"))
    found = Audit.objects.filter(project=member.project).select_related("who")
    if before is not None:
        found = found.filter(seq__lt=before)
    rows = list(found.order_by("-seq")[: _ROWS + 1])
    shown = {
        "rows": list(zip(rows[:_ROWS], told(rows[:_ROWS]), strict=True)),
        "older": rows[_ROWS - 1].seq if len(rows) > _ROWS else None,
        "before": before,
    }
    return page(request, member, "manage-audit", shown)


@acting
@require_POST
def verify(request: HttpRequest, member: Member) -> HttpResponseBase:
    """Recompute the whole chain of the site, for administrators."""
    if not member.person.is_administrator:
        raise Http404
    wrong = audits.verify()
    if wrong:
        said = ngettext("%(n)s row does not fit:", "%(n)s rows do not fit:", len(wrong))
        messages.error(request, f"{said % {'n': len(wrong)}} {'; '.join(wrong[:_SHOWN])}")
    else:
        seq, last = audits.head()
        said = gettext("All %(n)s rows of the site fit. The last hash is %(hash)s.")
        messages.success(request, said % {"n": seq, "hash": last})
    return redirect("manage-audit", member.project.slug)
