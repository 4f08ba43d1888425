"""gecbench annotate serve: the site, from one command."""

from __future__ import annotations

import os
from pathlib import Path

import click

from gecbench.cli.annotate.site_option import data_option


@click.command()
@data_option
@click.option(
    "--bind",
    default="127.0.0.1:8700",
    show_default=True,
    help="HOST:PORT; port 0 takes a free one.",
)
@click.option("--database", default="", help="postgresql://...; else SQLite in the data folder.")
@click.option("--workers", type=click.IntRange(1, 64), default=3, show_default=True)
@click.option("--host", "hosts", multiple=True, help="A name by which people reach the site.")
@click.option(
    "--behind-proxy", is_flag=True, help="A proxy with https stands before it: trust its headers."
)
@click.option(
    "--insecure", is_flag=True, help="Plain HTTP to other machines, on a trusted network."
)
@click.option("--no-copy", is_flag=True, help="Migrate without saving the database first.")
@click.option("--log", type=click.Choice(["text", "json"]), help="How requests are logged.")
def serve(
    data: Path, bind: str, database: str, workers: int, hosts: tuple[str, ...], *,
    behind_proxy: bool, insecure: bool, no_copy: bool, log: str | None,
) -> None:  # fmt: skip
    """Start the site; Ctrl-C ends it.

    The first start makes the data folder, the database and a link for the first administrator.

    \b
    gecbench annotate serve
    gecbench annotate serve --data /srv/gecbench --behind-proxy --host annotate.example.org
    gecbench annotate serve --database postgresql://gecbench@localhost/gecbench
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.cli.annotate import opening
    from gecbench.server.site import serving
    from gecbench.server.site.disk import alone
    from gecbench.server.site.folder import make_site, overruled

    address = serving.address_of(bind)
    overruling = opening.overruling(
        address, database, hosts, behind_proxy=behind_proxy, insecure=insecure, log=log
    )
    site = overruled(make_site(data), {**os.environ, **overruling})
    serving.refuse_exposure(
        address, behind_proxy=site.behind_proxy, insecure=insecure, hosts=site.hosts
    )
    with serving.listen(address) as opened, alone(data) as lock:
        site = opening.prepared(data, overruling, copy=not no_copy)
        at = serving.Address(address.host, opened.getsockname()[1])
        words = opening.words(site, at)
        serving.run(opened, workers=workers, ready=lambda: click.echo(words), close_in_workers=lock)
    click.echo("gecbench: ended", err=True)
