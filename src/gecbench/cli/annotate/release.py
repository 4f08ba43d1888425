"""gecbench annotate release: golden sets frozen under a name, the same bytes for ever."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import click

from gecbench.cli.annotate.project import ProjectName, open_project
from gecbench.cli.annotate.site import DataFolder
from gecbench.cli.command import command
from gecbench.cli.options import say
from gecbench.core.errors import GecbenchError, UnknownNameError, count_noun
from gecbench.core.files import make_folder, write_stream, write_text
from gecbench.core.options import Argument, Option
from gecbench.server.site.folder import DEFAULT


@click.group()
def release() -> None:
    """Freeze golden references under a name; write and verify what was frozen."""


@command
def make(
    name: Annotated[str, Argument()],
    project: ProjectName,
    data: DataFolder = DEFAULT,
    note: Annotated[str, Option("--note", "What people should know of it.")] = "",
    schemes: Annotated[
        tuple[str, ...],
        Option(
            "--scheme", "M2 by this scheme of edits; repeatable (default: zh-char for Chinese)."
        ),
    ] = (),
) -> None:
    """Freeze the golden sets that hold now."""
    row = open_project(data, project)
    from gecbench.server.import_export.releases import make_release, release_files

    new = make_release(row, name=name, note=note, schemes=schemes or None, by=None)
    for file, about in release_files(new).items():
        click.echo(f"{about['sha256']}  {file}")
    sentences = count_noun(new.manifest["counts"]["sentences"], "sentence")
    say(f"released {sentences} of {project} as {name}")


@command
def list_(project: ProjectName, data: DataFolder = DEFAULT) -> None:
    """Name the releases of a project, oldest first."""
    for row in open_project(data, project).releases.order_by("id"):
        sentences = count_noun(row.manifest["counts"]["sentences"], "sentence")
        click.echo(f"{row.name}\t{row.at:%Y-%m-%d}\t{sentences}\t{row.manifest_sha256}")


@command
def export(
    name: Annotated[str, Argument()],
    project: ProjectName,
    output: Annotated[Path, Option("--output", "Folder for the files.", short="-o")],
    data: DataFolder = DEFAULT,
) -> None:
    """Write all files of a release, its manifest, and SHA256SUMS."""
    releases = open_project(data, project).releases
    from gecbench.server.import_export.releases import companions, export_release, release_files

    row = releases.filter(name=name).first()
    if row is None:
        raise UnknownNameError("release", name, releases.values_list("name", flat=True))
    make_folder(output)
    files = release_files(row)
    for file in files:
        write_stream(output / file, export_release(row, file).content)
    for file, text in companions(row).items():
        write_text(output / file, text)
    say(
        f"wrote {count_noun(len(files), 'file')} of {name} to {output}; "
        "check: sha256sum -c SHA256SUMS"
    )


@command
def verify(project: ProjectName, data: DataFolder = DEFAULT) -> None:
    """Make every file of every release again and compare."""
    row = open_project(data, project)
    from gecbench.server.import_export.releases import verify_releases

    problems = verify_releases(row)
    for line in problems:
        click.echo(line)
    if problems:
        raise GecbenchError(f"{len(problems)} files or releases are not what was released")
    count = row.releases.count()
    verb = "is" if count == 1 else "are"
    say(f"{count_noun(count, 'release')} of {project} {verb} what was released")


for _command in (make, list_, export, verify):
    release.add_command(_command)
