"""gecbench annotate move: from SQLite to PostgreSQL."""

from __future__ import annotations

from pathlib import Path

import click

from gecbench.cli.annotate.site_option import data_option
from gecbench.core.errors import counted


@click.command()
@data_option
@click.option("--to", "url", required=True, help="postgresql://... of an empty database.")
def move(data: Path, url: str) -> None:
    """Copy all rows to an empty PostgreSQL database, verify them, and use it from now on.

    The SQLite file stays where it is, unused; delete it when you are sure.
    """
    from gecbench.cli.annotate.checking import violations
    from gecbench.core.errors import GecbenchError
    from gecbench.server.site import moving
    from gecbench.server.site.disk import alone
    from gecbench.server.site.folder import write_options
    from gecbench.server.site.opening import open_site

    site = open_site(data)
    with alone(data):
        moved = moving.copy_rows(site, url)
        with moving.using(url):
            found = violations()
        if found:
            raise GecbenchError(
                f"the rows were copied, but {len(found)} invariants are broken, as {found[0]}; the "
                "site still uses SQLite; run: gecbench annotate check"
            )
        write_options(site, database=url)
    click.echo(f"moved {counted(moved, 'row')}; {data / 'site.toml'} names the new database")
