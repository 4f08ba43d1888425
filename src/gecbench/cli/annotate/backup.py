"""gecbench annotate backup: everything in one file, while people work."""

from __future__ import annotations

from pathlib import Path

import click

from gecbench.cli.annotate.site_option import data_option


@click.command()
@data_option
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False), required=False)
@click.option("--verify", is_flag=True, help="Look at every byte of FILE instead; make none.")
@click.option(
    "--keep", is_flag=True, help="Then remove old ones: the last of 7 days and of 4 weeks stay."
)
def backup(data: Path, file: Path | None, *, verify: bool, keep: bool) -> None:
    """Save database, secret and options into FILE, or into the data folder's own backups.

    Nobody has to wait while it is made. Beside it lies its SHA-256.

    \b
    gecbench annotate backup --keep
    gecbench annotate backup /mnt/other-disk/today.tar
    gecbench annotate backup --verify /mnt/other-disk/today.tar
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.core.errors import UsageError
    from gecbench.server.site import backup as backups
    from gecbench.server.site.opening import open_site

    if verify:
        if file is None:
            raise UsageError("name the file to verify: gecbench annotate backup --verify FILE")
        said = backups.verify(file)
        click.echo(f"{file}: whole; {said.database} of {said.made_at:%Y-%m-%d %H:%M} UTC")
        return
    site = open_site(data)
    click.echo(str(backups.make(site, file)))
    if keep:
        gone = backups.prune(site)
        click.echo(f"gecbench: {len(gone)} old backups were removed", err=True)
