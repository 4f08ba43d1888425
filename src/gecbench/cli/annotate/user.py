"""gecbench annotate user: people of the whole site."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from gecbench.cli.annotate.site_option import data_option
from gecbench.cli.options import FILE

if TYPE_CHECKING:
    from gecbench.server.site.folder import Site


@click.group()
def user() -> None:
    """Add, list and change people; make links by which they choose a password.

    \b
    gecbench annotate user add li.wei --name "Li Wei"
    gecbench annotate user link li.wei
    """  # noqa: D301 - \b keeps click from joining lines


def _opened(data: Path) -> Site:
    from gecbench.server.site.opening import open_site

    return open_site(data)


def _say_link(site: Site, base: str, secret: str, login: str) -> None:
    from gecbench.cli.annotate.opening import base_url

    click.echo(f"{base.rstrip('/') or base_url(site)}/invitation/{secret}")
    click.echo(f"gecbench: give this link to {login}; it holds once, for 7 days", err=True)


_url_option = click.option("--url", default="", help="What links begin with; else by site.toml.")


@user.command()
@data_option
@click.argument("login")
@click.option("--name", default="", help="The name that others see.")
@click.option("--administrator", is_flag=True, help="May do everything on the whole site.")
@_url_option
def add(data: Path, login: str, name: str, url: str, *, administrator: bool) -> None:
    """Make somebody, and print the link by which they choose a password."""
    site = _opened(data)
    from gecbench.server.workflow import accounts

    made = accounts.add_person(login, name=name, administrator=administrator)
    _say_link(site, url, accounts.password_link(made), made.login)


@user.command()
@data_option
@click.argument("login")
@_url_option
def link(data: Path, login: str, url: str) -> None:
    """Print a link by which a person chooses a new password, once."""
    site = _opened(data)
    from gecbench.server.workflow import accounts

    person = accounts.person_of(login)
    _say_link(site, url, accounts.password_link(person), person.login)


@user.command("list")
@data_option
def listed(data: Path) -> None:
    """List everybody: login, name, what they are, their projects."""
    _opened(data)
    from gecbench.server.workflow import accounts

    rows = accounts.everybody()
    widths = [max((len(row[n]) for row in rows), default=0) for n in range(3)]
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row[:3], widths, strict=True)]
        click.echo("  ".join([*cells, row[3]]).rstrip())


@user.command()
@data_option
@click.argument("login")
def deactivate(data: Path, login: str) -> None:
    """Let a person sign in no more; what they have written stays."""
    _opened(data)
    from gecbench.server.workflow import accounts

    accounts.shut_out(accounts.person_of(login))
    click.echo(f"gecbench: {login} cannot sign in any more", err=True)


@user.command()
@data_option
@click.argument("login")
def activate(data: Path, login: str) -> None:
    """Let a person sign in again."""
    _opened(data)
    from gecbench.server.workflow import accounts

    accounts.let_in(accounts.person_of(login))
    click.echo(f"gecbench: {login} can sign in again", err=True)


@user.command()
@data_option
@click.argument("login")
@click.option("--yes", is_flag=True, help="Do not ask; this cannot be undone.")
def forget(data: Path, login: str, *, yes: bool) -> None:
    """Take a person's login, name and settings for ever; what they have written stays."""
    _opened(data)
    from gecbench.core.errors import GecbenchError
    from gecbench.server.workflow import accounts
    from gecbench.server.workflow.forgetting import forget as nameless

    person = accounts.person_of(login)
    if not yes and not click.confirm(f"Forget who {login} is? This cannot be undone", err=True):
        raise GecbenchError(f"nothing was done: {login} stays who they are")
    made = nameless(person)
    click.echo(f"gecbench: {login} is {made.login} now; backups from before still know", err=True)


@user.command("data")
@data_option
@click.argument("login")
@click.option("-o", "--output", type=FILE, default=Path("-"), help="File, instead of the terminal.")
def own(data: Path, login: str, output: Path) -> None:
    """Write all that the site keeps of a person, one JSON object a line."""
    _opened(data)
    from gecbench.core.files import check_target, write_stream
    from gecbench.server.exchange.own import own_data
    from gecbench.server.workflow import accounts

    person = accounts.person_of(login)
    check_target(output)
    write_stream(output, own_data(person))


@user.command()
@data_option
@click.argument("login")
@click.option("--no-more", is_flag=True, help="Make them an administrator no longer.")
def promote(data: Path, login: str, *, no_more: bool) -> None:
    """Make a person an administrator of the whole site."""
    _opened(data)
    from gecbench.server.workflow import accounts

    accounts.promote(accounts.person_of(login), administrator=not no_more)
    said = "is no administrator any more" if no_more else "is an administrator"
    click.echo(f"gecbench: {login} {said}", err=True)
