"""Links of invitation end with the right to make them."""

from __future__ import annotations

from django.utils import timezone

from gecbench.server.models import Invitation, Member, Person
from gecbench.server.workflow import audits


def revoke_links_of(person: Person, *, by: Person | None, member: Member | None = None) -> None:
    """Make useless the links that somebody made and nobody has used, inside the caller's act.

    Who was removed, paused, demoted or shut out would otherwise come back by an own link, or let
    others in.

    Args:
        person: Who made them.
        by: Who takes the right away.
        member: Links to this project alone; None means all that they made.
    """
    links = Invitation.objects.filter(by=person, used_at=None, revoked_at=None)
    if member is not None:
        links = links.filter(project=member.project_id)
    for link in links.select_related("project").order_by("pk"):
        Invitation.objects.filter(pk=link.pk).update(revoked_at=timezone.now())
        about = ("invitation", link.pk)
        audits.record("invitation.revoked", who=by, project=link.project, about=about)
