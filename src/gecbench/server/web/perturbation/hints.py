"""What the page of a case asks of the site's corrector: its hint about a variant."""

from __future__ import annotations

from dataclasses import asdict

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_POST
from pydantic import Field

from gecbench.server.models import Member
from gecbench.server.rules.diff import diff
from gecbench.server.web.annotation.views import active_annotator, json_errors
from gecbench.server.web.http import Payload, limited, read_payload
from gecbench.server.workflow import hints


class HintPayload(Payload):
    """The gaps of a variant as they are now."""

    gaps: list[str] = Field(max_length=1000)


@active_annotator
@require_POST
@limited("submit")
@json_errors
def hint(request: HttpRequest, member: Member, slot_id: int) -> HttpResponse:
    """Say what the corrector would change in the variant; nothing is stored."""
    found = hints.hint(member, slot_id, read_payload(request, HintPayload).gaps)
    pieces = diff(found.target, found.text, lang=member.project.lang, placeholder="").pieces
    return JsonResponse({**asdict(found), "pieces": [asdict(piece) for piece in pieces]})
