"""gecbench install-aliases: launchers under the names of the original programs."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

import click

from gecbench.cli.command import command
from gecbench.core.errors import GecbenchError
from gecbench.core.files import explain_errors, read_bytes, write_files
from gecbench.core.options import Argument

COMMANDS = {
    "errant_parallel": "errant-parallel",
    "errant_m2": "errant-m2",
    "errant_compare": "errant-compare",
    "parallel_to_m2.py": "cherrant-parallel",
    "compare_m2_for_evaluation.py": "cherrant-compare",
    "m2scorer": "m2scorer",
    "m2scorer.py": "m2scorer",
}
"""The command of gecbench by the name of the original."""

_MARK = "written by gecbench install-aliases"

_SHELL = """\
#!/bin/sh
# {mark}
exec {python} -P -m gecbench {command} "$@"
"""

_PYTHON = """\
#!/usr/bin/env python3
# {mark}
import os
import sys

python = {python!r}
os.execv(python, [python, "-P", "-m", "gecbench", {command!r}] + sys.argv[1:])
"""


@command
def install_aliases(folder: Annotated[Path, Argument("DIR")]) -> None:
    """Write launchers under the names of ERRANT's, ChERRANT's and m2scorer's programs.

    Scripts that call these programs run gecbench where DIR stands first in PATH; those that end in
    .py are also run by `python DIR/parallel_to_m2.py`. Nothing that gecbench has not written is
    replaced.

    \b
    gecbench install-aliases ~/bin/gec
    """  # noqa: D301 - \b keeps click from joining lines
    files = {folder / name: launcher(name) for name in COMMANDS}
    for path in files:
        if path.is_symlink() or (path.exists() and not _is_ours(path)):
            raise GecbenchError(
                f"{path}: is not {_MARK} and stays as it is; nothing was written; name another "
                "folder"
            )
    with explain_errors(folder, "cannot be made"):
        folder.mkdir(parents=True, exist_ok=True)
    write_files({path: text.encode() for path, text in files.items()})
    for path in files:
        with explain_errors(path):
            path.chmod(0o755)
        click.echo(f"{path}: gecbench {COMMANDS[path.name]}")


def launcher(name: str) -> str:
    """The text of a launcher: of the shell, or of Python where its name says so."""
    template, python = (
        (_PYTHON, sys.executable) if name.endswith(".py") else (_SHELL, shlex.quote(sys.executable))
    )
    return template.format(mark=_MARK, python=python, command=COMMANDS[name])


def _is_ours(path: Path) -> bool:
    return _MARK.encode() in read_bytes(path)
