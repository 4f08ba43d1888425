"""gecbench annotate init: a data folder, ready to serve."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.option("--database", help="postgresql://...; else SQLite in the folder.")
@click.option("--language", type=click.Choice(["zh-hans", "en"]), help="Of the interface.")
@click.option("--host", "hosts", multiple=True, help="A name by which people reach the site.")
@click.option("--https", is_flag=True, default=None, help="A proxy with https stands before it.")
def init(
    folder: Path,
    database: str | None,
    language: str | None,
    hosts: tuple[str, ...],
    https: bool | None,
) -> None:
    """Make a data folder and its database; print a link for the first administrator.

    What is said here is kept in the folder's site.toml, and can be changed there.

    \b
    gecbench annotate init /srv/gecbench --host annotate.example.org --https
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.cli.annotate import opening
    from gecbench.server.site.disk import alone
    from gecbench.server.site.folder import make_site, write_options
    from gecbench.server.site.postgresql import check_reach

    if database:
        check_reach(database)  # before the folder is made: half of one would be in the way
    said = {"database": database, "language": language, "hosts": hosts or None, "https": https}
    if https:
        said["behind_proxy"] = True
    site = write_options(make_site(folder), **{k: v for k, v in said.items() if v is not None})
    with alone(folder):
        opening.prepared(folder, {})
        link = opening.first_link(opening.base_url(site))
    click.echo(f"made {folder}; start it: gecbench annotate serve --data {folder}")
    if link:
        click.echo(f"Then open this link once, within 7 days, to be its administrator:\n{link}")
