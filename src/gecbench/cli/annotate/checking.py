"""What `check`, and `move` after it has moved, look at: rows, and frozen releases."""

from __future__ import annotations


def violations(slug: str | None = None) -> list[str]:
    """Return a line for each broken invariant of a project, or of all.

    Raises:
        UsageError: There is no such project.
    """
    from gecbench.core.errors import UsageError
    from gecbench.server.exchange.releases import verify_releases
    from gecbench.server.models import Project
    from gecbench.server.workflow.checks import check

    project = None
    if slug is not None:
        project = Project.objects.filter(slug=slug).first()
        if project is None:
            known = ", ".join(sorted(Project.objects.values_list("slug", flat=True))) or "none"
            raise UsageError(f"there is no project {slug!r}; known: {known}")
    found = check(project.pk if project else None)
    lines = [f"{one.invariant} {one.where}: {one.message}" for one in found]
    return lines + [f"INV-14 {line}" for line in verify_releases(project)]
