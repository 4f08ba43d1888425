"""A site is opened once in a process: Django learns where the data are."""

from __future__ import annotations

import os
from pathlib import Path

from gecbench.core.errors import GecbenchError, MissingExtraError
from gecbench.server.site.folder import Site, overruled, read_site
from gecbench.server.site.postgresql import check_client

DEFAULT = Path("gecbench-data")
"""The data folder where nothing else is said."""


def open_site(folder: Path, **overruling: str) -> Site:
    """Set Django up on a data folder and return the site.

    Args:
        folder: One that `make_site` made.
        overruling: Variable of `folder.ENVIRONMENT` to what it shall be in this process.

    Raises:
        GecbenchError: It is no data folder, or another one is open in this process.
        MissingExtraError: The extra `annotate` is not installed.
    """
    os.umask(0o077)  # whatever is written from now on is the owner's alone
    os.environ.update(overruling)
    site = overruled(read_site(folder), os.environ)
    _extras(site)
    os.environ["GECBENCH_SITE"] = str(folder.resolve())
    os.environ["DJANGO_SETTINGS_MODULE"] = "gecbench.server.settings"
    import django
    from django.apps import apps

    if not apps.ready:
        django.setup()
    from gecbench.server import settings

    if settings.SITE.folder != folder.resolve():
        raise GecbenchError(f"{folder}: another site, {settings.SITE.folder}, is open already")
    return site


def _extras(site: Site) -> None:
    """Refuse in one line what would end in a traceback of an import."""
    from importlib.util import find_spec

    for module in ("django", "axes", "csp", "django_htmx", "whitenoise", "dj_database_url"):
        if find_spec(module) is None:
            raise MissingExtraError(f"{module} (the annotation platform)", "annotate")
    if site.database.startswith("postgres"):
        check_client()
