"""gecbench annotate user: people of the whole site."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from gecbench.cli.annotate.site import DataFolder, base_url
from gecbench.cli.command import command
from gecbench.cli.output import OutputFile
from gecbench.core.errors import GecbenchError
from gecbench.core.files import STDIO, check_target, write_stream
from gecbench.core.options import Argument, Option
from gecbench.server.site import folder
from gecbench.server.site.folder import DEFAULT

if TYPE_CHECKING:
    from gecbench.server.models import Person
    from gecbench.server.site.folder import Site

Login = Annotated[str, Argument()]
Url = Annotated[str, Option("--url", "What links begin with; else by site.toml.")]


@click.group()
def user() -> None:
    """Add, list and change people; make links by which they choose a password.

    \b
    gecbench annotate user add li.wei --name "Li Wei"
    gecbench annotate user link li.wei
    """  # noqa: D301 - \b keeps click from joining lines


def _show_link(site: Site, url: str, person: Person) -> None:
    from gecbench.server.workflow import accounts

    secret = accounts.password_link(person)
    click.echo(f"{url.rstrip('/') or base_url(site)}/password/{secret}")
    click.echo(f"gecbench: give this link to {person.login}; it holds once, for 24 hours", err=True)


@command
def add(
    login: Login,
    data: DataFolder = DEFAULT,
    name: Annotated[str, Option("--name", "The name that others see.")] = "",
    administrator: Annotated[
        bool, Option("--administrator", "May do everything on the whole site.")
    ] = False,
    url: Url = "",
) -> None:
    """Make somebody, and print the link to choose a password."""
    site = folder.open_site(data)
    from gecbench.server.workflow import accounts

    _show_link(site, url, accounts.add_person(login, name=name, administrator=administrator))


@command
def link(login: Login, data: DataFolder = DEFAULT, url: Url = "") -> None:
    """Print a link by which a person chooses a new password, once."""
    site = folder.open_site(data)
    from gecbench.server.workflow import accounts

    _show_link(site, url, accounts.get_person(login))


@command
def unlock(login: Login, data: DataFolder = DEFAULT) -> None:
    """Let a person sign in at once who is locked after failed tries."""
    folder.open_site(data)
    from gecbench.server.workflow import accounts

    locked = accounts.unlock(accounts.get_person(login))
    state = "can try to sign in again" if locked else "was not locked"
    click.echo(f"gecbench: {login} {state}", err=True)


@command
def list_(data: DataFolder = DEFAULT) -> None:
    """List everybody: login, name, what they are, their projects."""
    folder.open_site(data)
    from gecbench.server.workflow import accounts

    rows = accounts.list_people()
    widths = [max((len(row[n]) for row in rows), default=0) for n in range(3)]
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row[:3], widths, strict=True)]
        click.echo("  ".join([*cells, row[3]]).rstrip())


@command
def deactivate(login: Login, data: DataFolder = DEFAULT) -> None:
    """Let a person sign in no more; what they have written stays."""
    folder.open_site(data)
    from gecbench.server.workflow import accounts

    accounts.deactivate(accounts.get_person(login))
    click.echo(f"gecbench: {login} cannot sign in any more", err=True)


@command
def activate(login: Login, data: DataFolder = DEFAULT) -> None:
    """Let a person sign in again."""
    folder.open_site(data)
    from gecbench.server.workflow import accounts

    accounts.activate(accounts.get_person(login))
    click.echo(f"gecbench: {login} can sign in again", err=True)


@command
def forget(
    login: Login,
    data: DataFolder = DEFAULT,
    yes: Annotated[bool, Option("--yes", "Do not ask; this cannot be undone.")] = False,
) -> None:
    """Forget who a person is, for ever; what they wrote stays.

    Their login, name and settings are taken away.
    """
    folder.open_site(data)
    from gecbench.server.workflow import accounts

    person = accounts.get_person(login)
    if not yes and not click.confirm(f"Forget who {login} is? This cannot be undone", err=True):
        raise GecbenchError(f"nothing was done: {login} stays who they are")
    pseudonym = accounts.forget(person).login
    click.echo(f"gecbench: {login} is {pseudonym} now; backups from before still know", err=True)


@command
def data(login: Login, data: DataFolder = DEFAULT, output: OutputFile = Path(STDIO)) -> None:
    """Write what the site keeps of a person, as JSON lines."""
    folder.open_site(data)
    from gecbench.server.import_export.personal_data import own_data
    from gecbench.server.workflow import accounts

    person = accounts.get_person(login)
    check_target(output)
    write_stream(output, own_data(person))


@command
def promote(
    login: Login,
    data: DataFolder = DEFAULT,
    no_more: Annotated[bool, Option("--no-more", "Make them an administrator no longer.")] = False,
) -> None:
    """Make a person an administrator of the whole site."""
    folder.open_site(data)
    from gecbench.server.workflow import accounts

    accounts.promote(accounts.get_person(login), administrator=not no_more)
    state = "is no administrator any more" if no_more else "is an administrator"
    click.echo(f"gecbench: {login} {state}", err=True)


for _command in (add, link, unlock, list_, deactivate, activate, forget, data, promote):
    user.add_command(_command)
