"""The option that commands about one project share, and how the project is found."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from gecbench.server.models import Project

project_option: Callable[[Callable[..., Any]], Callable[..., Any]] = click.option(
    "--project", "slug", metavar="SLUG", required=True, help="The project, as its address has it."
)
"""Adds `slug: str`."""


def opened(data: Path, slug: str) -> Project:
    """Open the site and return one of its projects.

    Raises:
        UsageError: There is no such project; names those that there are.
    """
    from gecbench.core.errors import UnknownNameError
    from gecbench.server.site.opening import open_site

    open_site(data)
    from gecbench.server.models import Project

    found = Project.objects.filter(slug=slug, deleted_at=None).first()
    if found is None:
        known = Project.objects.filter(deleted_at=None).values_list("slug", flat=True)
        raise UnknownNameError("project", slug, known)
    return found
