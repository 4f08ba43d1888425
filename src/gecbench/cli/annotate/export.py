"""gecbench annotate export: what a project has made, as files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from gecbench.cli.annotate.project_option import opened, project_option
from gecbench.cli.annotate.site_option import data_option
from gecbench.cli.options import FILE, say

FORMATS = (
    *("mucgec", "jsonl", "parallel", "m2"),
    *("submissions", "counts", "annotations", "sentences"),
)
"""Formats of export; a test holds them to those of the server."""


@click.command()
@data_option
@project_option
@click.option("--to", "target", type=click.Choice(FORMATS), required=True, help="Format to write.")
@click.option(
    "-o",
    "--output",
    type=FILE,
    default=Path("-"),
    help="File to write, instead of the terminal; parallel text adds .src, .ref0, ... to it.",
)
@click.option("--scheme", default="", help="For m2: zh-char, zh-cherrant or en-errant.")
@click.option("--names", is_flag=True, help="Show people's names instead of pseudonyms.")
@click.option("--placeholder", "alias", help="What stands for the placeholder, as [MC].")
@click.option(
    "--unannotatable",
    type=click.Choice(["keep", "leave_out"]),
    help="Whether sentences that cannot be annotated are in the file (default: keep).",
)
def export(data: Path, slug: str, target: str, output: Path, **given: Any) -> None:
    """Write golden sets, submissions or everything; a SHA-256 is put beside each file.

    \b
    gecbench annotate export --project dev --to mucgec -o dev.tsv
    gecbench annotate export --project dev --to submissions -o round1.jsonl
    """  # noqa: D301 - \b keeps click from joining lines
    project = opened(data, slug)
    from gecbench.server.exchange.exports import ExportOptions, notes, write_export
    from gecbench.server.exchange.exports import export as made

    options = ExportOptions(target, **given)
    for path, sha256, size in write_export(made(project, options), output):
        if str(path) != "-":
            say(f"{sha256}  {path} ({size:,} bytes)")
    for note in notes(project, options):
        say(f"note: {note}")
