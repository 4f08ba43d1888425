"""What every page may show: the member, the project, its menu, and what was newly announced."""

from __future__ import annotations

from django.http import HttpRequest

from gecbench.server.models import Member
from gecbench.server.web.menu import menu
from gecbench.server.web.standing import standings


def page(request: HttpRequest) -> dict[str, object]:
    """Return what the layout needs; a fragment for htmx has no layout and asks for nothing."""
    member = getattr(request, "member", None)
    shown = {"member": member, "project": member.project if member else None}
    if not isinstance(member, Member) or getattr(request, "htmx", False):
        return shown
    project = member.project
    standing = standings(member.person_id, [project.pk])[project.pk]
    return {
        **shown,
        "standing": standing,
        "menu": menu(request, member, standing),
        "announcement": None if standing["acknowledged"] else project.guideline,
    }
