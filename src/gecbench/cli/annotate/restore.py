"""gecbench annotate restore: a data folder of a backup."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.option("--replace", is_flag=True, help="Put aside what FOLDER holds, and take its place.")
@click.option("--database", default="", help="The PostgreSQL database for a backup of one.")
def restore(file: Path, folder: Path, database: str, *, replace: bool) -> None:
    """Verify FILE and make of it the data folder FOLDER.

    \b
    gecbench annotate restore /mnt/other-disk/today.tar /srv/gecbench
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.server.site.restoring import restore as restored

    aside = restored(file, folder, replace=replace, database=database)
    if aside is not None:
        click.echo(f"gecbench: what was there lies in {aside}", err=True)
    click.echo(f"restored {folder}; look at it: gecbench annotate check --data {folder}")
