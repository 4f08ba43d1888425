"""The table of a project's sentences, with filters that stand in the address."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

from gecbench.server.laws.names import Purpose
from gecbench.server.models import Member, Source
from gecbench.server.web.manage.listing import filters_of, page_of
from gecbench.server.web.manage.pages import looking, page, whole
from gecbench.server.web.manage.words import PURPOSES, SENTENCE_STATES, TONES


@looking
@require_GET
def listed(request: HttpRequest, member: Member) -> HttpResponse:
    """Show the sentences that the filters leave, from a number on."""
    project = member.project
    wanted = filters_of(request.GET.dict())
    after = max(0, whole(request.GET.get("after")) or 0)
    found = page_of(project, wanted, after=after)
    people = Member.objects.filter(project=project, is_annotator=True).select_related("person")
    named = Source.objects.filter(project=project).order_by("name")
    sources = dict(named.values_list("pk", "name"))
    shown = {
        "rows": [
            (
                one,
                SENTENCE_STATES[one.state],
                TONES.get(one.state, ""),
                sources.get(one.source_id or 0),
            )
            for one in found.rows
        ],
        "page": found,
        "after": after,
        "filters": wanted,
        "next": wanted.query(after=found.after) if found.after is not None else "",
        "first": wanted.query() if after else "",
        "states": SENTENCE_STATES.items(),
        "purposes": [(name, words) for name, words in PURPOSES.items() if name != Purpose.TRIAL],
        "sources": sources.items(),
        "people": people.order_by("person__name")[:500],
    }
    return page(request, member, "manage-sentences", shown)
