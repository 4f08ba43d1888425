"""What `serve` and `init` do before people come: migrate, make the first link, warn."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from gecbench.server.site.folder import Site
    from gecbench.server.site.serving import Address

OLD = timedelta(hours=26)
"""A daily backup that is older than this was missed."""


def overruling(
    address: Address,
    database: str,
    hosts: Sequence[str],
    *,
    behind_proxy: bool,
    insecure: bool,
    log: str | None,
) -> dict[str, str]:
    """Return the variables that say what the options say."""
    said: dict[str, str] = {}
    if database:
        said["GECBENCH_DATABASE_URL"] = database
    names = [*hosts, *([] if address.loopback or address.everywhere else [_host(address)])]
    if names:
        said["GECBENCH_HOSTS"] = ",".join(names)
    if behind_proxy:
        said["GECBENCH_BEHIND_PROXY"] = "1"
    if insecure or behind_proxy:
        said["GECBENCH_HTTPS"] = "0" if insecure else "1"
    if log:
        said["GECBENCH_LOG"] = log
    return said


def _host(address: Address) -> str:
    return str(address).rpartition(":")[0]


def prepared(data: Path, said: dict[str, str], *, copy: bool = True) -> Site:
    """Open a site whose database is up to date."""
    from gecbench.server.site.disk import refuse_network
    from gecbench.server.site.folder import overruled, read_site
    from gecbench.server.site.opening import open_site

    if overruled(read_site(data), said).sqlite is not None:
        refuse_network(data)
    site = open_site(data, **said)
    from gecbench.server.site.database import bring_up_to_date

    saved = bring_up_to_date(site, copy=copy)
    if saved is not None:
        click.echo(f"gecbench: the database is new now; before, it was saved: {saved}", err=True)
    return site


def base_url(site: Site, address: Address | None = None) -> str:
    """Return what links begin with: the site's first name, else where it listens."""
    names = [one for one in site.hosts if "*" not in one]
    if site.https and names:
        return f"https://{names[0]}"
    if address is None:
        return "http://127.0.0.1:8700"
    if address.everywhere and names:
        return f"http://{names[0]}:{address.port}"
    return f"http://{address}"


def words(site: Site, address: Address) -> str:
    """Return what `serve` says when people may come, after its warnings."""
    from gecbench.server.models import Project

    base = base_url(site, address)
    lines = [f"gecbench: people work at {base} (Ctrl-C ends it)"]
    link = first_link(base)
    if link:
        lines += ["", "There is no administrator yet. Open this link once, within 7 days:", link]
    elif Project.objects.exists():
        _warn_of_old_backups(site)
    return "\n".join(lines)


def first_link(base: str) -> str:
    """Return a link for the first administrator; "" where there is one.

    Earlier links that nobody used end.
    """
    from gecbench.server.workflow import accounts

    secret = accounts.first_administrator()
    return f"{base}/invitation/{secret}" if secret else ""


def _warn_of_old_backups(site: Site) -> None:
    from gecbench.server.site.backup import newest

    last = newest(site)
    if last is None:
        click.echo("gecbench: warning: no backup was ever made; gecbench annotate backup", err=True)
    elif datetime.now(UTC) - last > OLD:
        click.echo(
            f"gecbench: warning: the last backup is of {last:%Y-%m-%d %H:%M} UTC, more than 26 "
            "hours old; gecbench annotate backup",
            err=True,
        )
