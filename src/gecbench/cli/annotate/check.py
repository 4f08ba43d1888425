"""gecbench annotate check: are all rows as they must be?"""

from __future__ import annotations

from pathlib import Path

import click

from gecbench.cli.annotate.site_option import data_option


@click.command()
@data_option
@click.option("--project", "slug", help="One project; else all.")
def check(data: Path, slug: str | None) -> None:
    """Recount all invariants, the chained log and the releases; exit 1 where one is broken."""
    from gecbench.server.site.opening import open_site

    open_site(data)
    from gecbench.cli.annotate.checking import violations
    from gecbench.core.errors import GecbenchError

    found = violations(slug)
    for line in found:
        click.echo(line)
    if found:
        raise GecbenchError(
            f"{len(found)} invariants are broken; keep this list and the newest backup"
        )
    click.echo("gecbench: all is as it must be", err=True)
