"""gecbench annotate: the commands about a whole site: its start, its backups, its checks."""

from __future__ import annotations

import math
import os
import re
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import click

from gecbench.cli.command import command
from gecbench.cli.output import OutputFile
from gecbench.core.errors import GecbenchError, UsageError, count_noun
from gecbench.core.files import STDIO, write_text
from gecbench.core.options import Argument, Option
from gecbench.server.site.folder import DEFAULT

if TYPE_CHECKING:
    from gecbench.server.site.folder import Site
    from gecbench.server.site.serving import Address

FOLDER = click.Path(path_type=Path, file_okay=False)
FILE = click.Path(path_type=Path, dir_okay=False)

DataFolder = Annotated[
    Path,
    Option("--data", "The data folder.", envvar="GECBENCH_SITE", show_default="./gecbench-data"),
    FOLDER,
]
"""Its default is `DEFAULT`; commands call `server.site.opening.open_site` with it first."""

Hosts = Annotated[tuple[str, ...], Option("--host", "A name by which people reach the site.")]

TimeZone = Annotated[
    str | None,
    Option("--time-zone", "Where days begin, as Asia/Shanghai; else where this machine is."),
]

OLD = timedelta(hours=26)
"""A daily backup that is older than this was missed."""


@command
def serve(
    data: DataFolder = DEFAULT,
    bind: Annotated[
        str, Option("--bind", "HOST:PORT; port 0 takes a free one.")
    ] = "127.0.0.1:8700",
    database: Annotated[
        str, Option("--database", "postgresql://...; else SQLite in the data folder.")
    ] = "",
    workers: Annotated[int, Option("--workers", "Processes."), click.IntRange(1, 64)] = 3,
    hosts: Hosts = (),
    behind_proxy: Annotated[
        bool, Option("--behind-proxy", "A proxy with https stands before it: trust its headers.")
    ] = False,
    insecure: Annotated[
        bool, Option("--insecure", "Plain HTTP to other machines, on a trusted network.")
    ] = False,
    no_copy: Annotated[
        bool, Option("--no-copy", "Migrate without saving the database first.")
    ] = False,
    no_migrate: Annotated[
        bool,
        Option("--no-migrate", "One of several hosts: refuse a database that is not up to date."),
    ] = False,
    drain: Annotated[
        float,
        Option("--drain", "Seconds to go on after SIGTERM, until the proxy has seen /readyz."),
        click.FloatRange(0, 600),
    ] = 0,
    log: Annotated[
        Literal["text", "json"] | None, Option("--log", "How requests are logged.")
    ] = None,
    time_zone: TimeZone = None,
) -> None:
    """Start the site; Ctrl-C ends it.

    The first start makes the data folder, the database and a link for the first administrator.

    \b
    gecbench annotate serve
    gecbench annotate serve --data /srv/gecbench --behind-proxy --host annotate.example.org
    gecbench annotate serve --database postgresql://gecbench@localhost/gecbench
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.server.site import serving
    from gecbench.server.site.folder import (
        alone,
        apply_environment,
        check_extras,
        check_zone,
        make_site,
        make_upload_folder,
        private_folder,
    )

    check_extras(database)
    if math.isnan(drain):
        raise UsageError("--drain is nan; it is a number of seconds")
    address = serving.address_of(bind)
    variables = environment(
        address, database, hosts, behind_proxy=behind_proxy, insecure=insecure, log=log
    )
    check_zone(time_zone)
    if no_migrate:
        refuse_missing_database(data, variables)
    site = existing_site(data, variables)
    serving.refuse_exposure(
        address, behind_proxy=site.behind_proxy, insecure=insecure, hosts=site.hosts
    )
    with ExitStack() as stack:
        bound = stack.enter_context(serving.bind(address))  # before anything is made
        site = make_site(data, os.environ.get("GECBENCH_SECRET_KEY", ""))
        lock = stack.enter_context(alone(data))
        # Counters are mapped files: on a disk that is full, counting would end the process.
        memory = Path("/dev/shm")
        counters_in = memory if os.access(memory, os.W_OK) else data
        counters = stack.enter_context(private_folder(counters_in, ".gecbench-metrics-"))
        settle_time_zone(apply_environment(site, os.environ), time_zone)
        variables["PROMETHEUS_MULTIPROC_DIR"] = str(counters)  # read by web/metrics.py
        site = open_up_to_date(data, variables, copy=not no_copy, migrate=not no_migrate)
        address = serving.Address(address.host, bound.getsockname()[1])
        message = start_message(site, address, alone=not no_migrate)
        make_upload_folder(site)
        serving.collect_static_files()
        serving.run(
            bound,
            workers=workers,
            ready=lambda: click.echo(message),
            close_in_workers=lock,
            drain=drain,
        )
    click.echo("gecbench: ended", err=True)


@command
def init(
    folder: Annotated[Path, Argument(), FOLDER],
    database: Annotated[
        str | None, Option("--database", "postgresql://...; else SQLite in the folder.")
    ] = None,
    language: Annotated[
        Literal["zh-hans", "en"] | None, Option("--language", "Of the interface.")
    ] = None,
    hosts: Hosts = (),
    https: Annotated[bool | None, Option("--https", "A proxy with https stands before it.")] = None,
    time_zone: TimeZone = None,
) -> None:
    """Make a data folder and its database; print a link for the first administrator.

    What the options say is kept in the folder's site.toml, and can be changed there.

    \b
    gecbench annotate init /srv/gecbench --host annotate.example.org --https
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.server.site.databases import check_reach
    from gecbench.server.site.folder import (
        alone,
        apply_environment,
        check_extras,
        check_zone,
        make_site,
        write_options,
    )

    check_extras()
    if database:
        check_reach(database)  # before the folder is made: half of one would be in the way
    check_zone(time_zone)
    site = existing_site(folder, {})
    exists = bool(site.secret)
    if time_zone is None and not site.time_zone and at_terminal():
        time_zone = ask_time_zone()  # before the folder is made: whoever gives up leaves nothing
    options = {"database": database, "language": language, "hosts": hosts or None, "https": https}
    if https:
        options["behind_proxy"] = True
    site = write_options(
        make_site(folder, os.environ.get("GECBENCH_SECRET_KEY", "")),
        **{name: value for name, value in options.items() if value is not None},
    )
    with alone(folder):
        site = apply_environment(site, os.environ)
        settle_time_zone(site, time_zone)
        open_up_to_date(folder, {})
        link = administrator_link(base_url(site))
    done = f"{folder} is there already, and up to date" if exists else f"made {folder}"
    click.echo(f"{done}; start it: gecbench annotate serve --data {folder}")
    if link:
        click.echo(f"Then open this link once, within 7 days, to be its administrator:\n{link}")


def settle_time_zone(site: Site, name: str | None) -> None:
    """Keep where a site's days begin, and say it.

    It is what was said here, else where the machine is. One that is nowhere in particular, as many
    servers are, decides nothing: its UTC is not kept, and said each time.
    """
    from gecbench.server.site.folder import machine_zone, write_options

    if name is None and site.time_zone:
        return
    zone = name or machine_zone(os.environ)
    if name is None and zone == "UTC":
        click.echo(
            "gecbench: warning: days begin at midnight UTC, for this machine names no other time "
            "zone; say where people work: --time-zone Asia/Shanghai",
            err=True,
        )
        return
    write_options(site, time_zone=zone)
    whose = "" if name else ", as on this machine; another one: --time-zone NAME"
    click.echo(f"gecbench: days begin at midnight of {zone}{whose}", err=True)


def at_terminal() -> bool:
    """Whether somebody can be asked; a job in the background that asks would be stopped."""
    try:
        return sys.stdin is not None and sys.stdin.isatty() and os.tcgetpgrp(0) == os.getpgrp()
    except OSError:
        return False


def ask_time_zone() -> str | None:
    """What somebody answers; None for a UTC that was only proposed, which decides nothing."""
    from gecbench.server.site.folder import machine_zone

    proposed = machine_zone(os.environ)
    question = "Time zone in which days begin, as Asia/Shanghai"
    zone: str = click.prompt(question, default=proposed, value_proc=_zone, err=True)
    return None if zone == proposed == "UTC" else zone


def _zone(answer: str) -> str:
    """An answer that names a time zone; else it is asked for again."""
    from gecbench.server.site.folder import check_zone

    try:
        check_zone(answer, "the answer")
    except UsageError as error:
        raise click.BadParameter(str(error)) from error
    return answer


def environment(
    address: Address,
    database: str,
    hosts: Sequence[str],
    *,
    behind_proxy: bool,
    insecure: bool,
    log: str | None,
) -> dict[str, str]:
    """The environment variables that mean the same as the options of `serve`."""
    variables: dict[str, str] = {}
    if database:
        variables["GECBENCH_DATABASE_URL"] = database
    for host in hosts:
        if re.fullmatch(r"[^:]*:\d+", host):
            raise UsageError(
                f"--host {host}: a host has no port; the address to listen at is --bind {host}"
            )
    names = [*hosts]
    if not (address.loopback or address.everywhere):
        names.append(str(address).rpartition(":")[0])
    if names:
        variables["GECBENCH_HOSTS"] = ",".join(names)
    if behind_proxy:
        variables["GECBENCH_BEHIND_PROXY"] = "1"
    if insecure or behind_proxy:
        variables["GECBENCH_HTTPS"] = "0" if insecure else "1"
    if log:
        variables["GECBENCH_LOG"] = log
    return variables


def existing_site(data: Path, variables: Mapping[str, str]) -> Site:
    """The site that a folder holds or, without a secret, the one that would be made of it."""
    from gecbench.server.site.folder import SECRET, Site, apply_environment, read_site

    site = read_site(data) if (data / SECRET).exists() else Site(folder=data, secret="")
    return apply_environment(site, {**os.environ, **variables})


def refuse_missing_database(data: Path, variables: Mapping[str, str]) -> None:
    """Refuse a site on SQLite that has no database yet, and make nothing.

    Raises:
        GecbenchError: There is none.
    """
    sqlite = existing_site(data, variables).sqlite
    if sqlite is not None and not sqlite.exists():
        raise GecbenchError(
            f"{sqlite}: there is no database, and --no-migrate makes none; make it: gecbench "
            f"annotate init {data}, or name that of all hosts: --database URL"
        )


def open_up_to_date(
    data: Path, variables: dict[str, str], *, copy: bool = True, migrate: bool = True
) -> Site:
    """Open a site, migrating its database first if need be.

    Args:
        data: Its folder.
        variables: Environment variables that overrule its options.
        copy: Save the database before it is migrated.
        migrate: Refuse a database that is not up to date, if false.

    Raises:
        GecbenchError: It cannot be opened, or brought up to date.
    """
    from gecbench.server.site.folder import apply_environment, open_site, read_site, refuse_network

    if apply_environment(read_site(data), {**os.environ, **variables}).sqlite is not None:
        refuse_network(data)
    site = open_site(data, **variables)
    from gecbench.server.site.migration import bring_up_to_date, missing_migrations

    if not migrate:
        if missing := missing_migrations():
            words = f"{data}" if site.sqlite else "FOLDER --database URL"
            raise GecbenchError(
                f"the database is not up to date ({len(missing)} migrations from {missing[0]}), "
                "and --no-migrate leaves it so; bring it up to date on one host: gecbench annotate "
                f"init {words}"
            )
        return site
    saved = bring_up_to_date(site, copy=copy)
    if saved is not None:
        click.echo(f"gecbench: the database is new now; before, it was saved: {saved}", err=True)
    return site


def base_url(site: Site, address: Address | None = None) -> str:
    """What links begin with: the site's first name, else where it listens."""
    names = [name for name in site.hosts if "*" not in name]
    if site.https and names:
        return f"https://{names[0]}"
    if address is None:
        return "http://127.0.0.1:8700"
    if address.everywhere and names:
        return f"http://{names[0]}:{address.port}"
    return f"http://{address}"


def start_message(site: Site, address: Address, *, alone: bool = True) -> str:
    """What `serve` prints when people may come; warns of old backups.

    One of several hosts makes no link, for `init` printed one, and has no backups.
    """
    from gecbench.server.models import Project

    base = base_url(site, address)
    lines = [f"gecbench: people work at {base} (Ctrl-C ends it)"]
    if not alone:
        return lines[0]
    link = administrator_link(base)
    if link:
        lines += ["", "There is no administrator yet. Open this link once, within 7 days:", link]
    elif Project.objects.exists():
        _warn_of_old_backups(site)
    return "\n".join(lines)


def administrator_link(base: str) -> str:
    """Make a link for the first administrator; "" where there is one."""
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


@command
def backup(
    data: DataFolder = DEFAULT,
    file: Annotated[Path | None, Argument(), FILE] = None,
    verify: Annotated[
        bool, Option("--verify", "Look at every byte of FILE instead; make none.")
    ] = False,
    keep: Annotated[
        bool, Option("--keep", "Then remove old ones: the last of 7 days and of 4 weeks stay.")
    ] = False,
) -> None:
    """Save database, secret and options into FILE, or into the data folder's own backups.

    Nobody has to wait while it is made. Beside it lies its SHA-256.

    \b
    gecbench annotate backup --keep
    gecbench annotate backup /mnt/other-disk/today.tar
    gecbench annotate backup --verify /mnt/other-disk/today.tar
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.server.site import backup as backups
    from gecbench.server.site.folder import open_site

    if verify:
        if file is None:
            raise UsageError("name the file to verify: gecbench annotate backup --verify FILE")
        about = backups.verify(file)
        click.echo(f"{file}: whole; {about.database} of {about.created_at:%Y-%m-%d %H:%M} UTC")
        return
    site = open_site(data)
    click.echo(str(backups.make(site, file)))
    if keep:
        click.echo(f"gecbench: {len(backups.prune(site))} old backups were removed", err=True)


@command
def restore(
    file: Annotated[Path, Argument(), FILE],
    folder: Annotated[Path, Argument(), FOLDER],
    database: Annotated[
        str, Option("--database", "The PostgreSQL database for a backup of one.")
    ] = "",
    replace: Annotated[
        bool, Option("--replace", "Put aside what FOLDER holds, and take its place.")
    ] = False,
) -> None:
    """Verify FILE and make of it the data folder FOLDER.

    \b
    gecbench annotate restore /mnt/other-disk/today.tar /srv/gecbench
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.server.site import backup

    aside = backup.restore(file, folder, replace=replace, database=database)
    if aside is not None:
        click.echo(f"gecbench: what was there lies in {aside}", err=True)
    click.echo(f"restored {folder}; look at it: gecbench annotate check --data {folder}")


@command
def check(
    data: DataFolder = DEFAULT,
    project: Annotated[str | None, Option("--project", "One project; else all.")] = None,
    output: OutputFile = Path(STDIO),
) -> None:
    """Recount all invariants, the chained log and the releases; exit 1 where one is broken."""
    from gecbench.server.site.folder import open_site

    open_site(data)
    broken = violations(project)
    write_text(output, "".join(f"{line}\n" for line in broken))
    if broken:
        raise GecbenchError(
            f"{len(broken)} invariants are broken; keep this list and the newest backup"
        )
    click.echo("gecbench: all is as it must be", err=True)


@command
def move(
    url: Annotated[str, Option("--to", "postgresql://... of an empty database.")],
    data: DataFolder = DEFAULT,
) -> None:
    """Copy all rows to an empty PostgreSQL database, verify them, and use it from now on.

    The SQLite file stays where it is, unused; delete it when you are sure.
    """
    from gecbench.server.site import migration
    from gecbench.server.site.folder import alone, open_site, write_options

    site = open_site(data)
    with alone(data):
        rows = migration.copy_rows(site, url)
        with migration.using(url):
            broken = violations()
        if broken:
            raise GecbenchError(
                f"the rows were copied, but {len(broken)} invariants are broken, as {broken[0]}; "
                "the site still uses SQLite; run: gecbench annotate check"
            )
        write_options(site, database=url)
    click.echo(f"moved {count_noun(rows, 'row')}; {data / 'site.toml'} names the new database")


def violations(slug: str | None = None) -> list[str]:
    """Describe each broken invariant and release of a project, or of all, in a line.

    Raises:
        UsageError: There is no such project.
    """
    from gecbench.server.import_export.releases import verify_releases
    from gecbench.server.models import Project
    from gecbench.server.workflow.checks import check as check_rows

    project = None
    if slug is not None:
        project = Project.objects.filter(slug=slug).first()
        if project is None:
            known = ", ".join(sorted(Project.objects.values_list("slug", flat=True))) or "none"
            raise UsageError(f"there is no project {slug!r}; known: {known}")
    lines = [
        f"{violation.invariant} {violation.where}: {violation.message}"
        for violation in check_rows(project.pk if project else None)
    ]
    return lines + [f"INV-14 {line}" for line in verify_releases(project)]
