"""gecbench annotate release: golden sets frozen under a name, the same bytes for ever."""

from __future__ import annotations

from pathlib import Path

import click

from gecbench.cli.annotate.project_option import opened, project_option
from gecbench.cli.annotate.site_option import data_option
from gecbench.cli.options import FILE, say
from gecbench.core.errors import counted


@click.group()
def release() -> None:
    """Freeze golden references under a name; write and verify what was frozen."""


@release.command()
@click.argument("name")
@data_option
@project_option
@click.option("--note", default="", help="What people should know of it.")
@click.option(
    "--scheme",
    "schemes",
    multiple=True,
    help="M2 by this scheme of edits; repeatable (default: zh-char for Chinese).",
)
def make(name: str, data: Path, slug: str, note: str, schemes: tuple[str, ...]) -> None:
    """Freeze the golden sets that hold now."""
    project = opened(data, slug)
    from gecbench.server.exchange.releases import make_release, release_files

    made = make_release(project, name=name, note=note, schemes=schemes or None, by=None)
    for file, about in release_files(made).items():
        click.echo(f"{about['sha256']}  {file}")
    say(f"released {counted(made.manifest['counts']['sentences'], 'sentence')} of {slug} as {name}")


@release.command("list")
@data_option
@project_option
def list_(data: Path, slug: str) -> None:
    """Name the releases of a project, oldest first."""
    project = opened(data, slug)
    for one in project.releases.order_by("id"):
        sentences = counted(one.manifest["counts"]["sentences"], "sentence")
        click.echo(f"{one.name}\t{one.at:%Y-%m-%d}\t{sentences}\t{one.manifest_sha256}")


@release.command()
@click.argument("name")
@data_option
@project_option
@click.option("-o", "--output", type=FILE, required=True, help="Folder for the files.")
def export(name: str, data: Path, slug: str, output: Path) -> None:
    """Write all files of a release, its manifest, and SHA256SUMS."""
    project = opened(data, slug)
    from gecbench.core.errors import UnknownNameError
    from gecbench.core.files import make_folder, write_stream, write_text
    from gecbench.server.exchange.companions import companions
    from gecbench.server.exchange.releases import export_release, release_files

    found = project.releases.filter(name=name).first()
    if found is None:
        known = project.releases.values_list("name", flat=True)
        raise UnknownNameError("release", name, known)
    make_folder(output)
    files = release_files(found)
    for file in files:
        write_stream(output / file, export_release(found, file).content)
    for file, text in companions(found).items():
        write_text(output / file, text)
    say(
        f"wrote {counted(len(files), 'file')} of {name} to {output}; check: sha256sum -c SHA256SUMS"
    )


@release.command()
@data_option
@project_option
def verify(data: Path, slug: str) -> None:
    """Make every file of every release again and compare with what was released."""
    project = opened(data, slug)
    from gecbench.core.errors import GecbenchError
    from gecbench.server.exchange.releases import verify_releases

    wrong = verify_releases(project)
    for line in wrong:
        click.echo(line)
    if wrong:
        raise GecbenchError(f"{len(wrong)} files or releases are not what was released")
    count = project.releases.count()
    say(f"{counted(count, 'release')} of {slug} {'is' if count == 1 else 'are'} what was released")
