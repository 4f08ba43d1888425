"""Uploaded files that wait to be confirmed: private, in the data folder, and soon forgotten.

Names that people give are kept beside the bytes and are never part of a path.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.http import Http404

from gecbench.core.errors import UsageError
from gecbench.server.exchange.content import MOST_BYTES, Content, Encoding, content_of
from gecbench.server.models import Member

FOLDER = "uploads"
KEPT_SECONDS = 24 * 3600
MOST_FILES = 10

_TOKEN = re.compile(r"[0-9a-f]{32}")
_ABOUT = "about.json"


@dataclass(frozen=True, slots=True)
class Waiting:
    """Files that were uploaded and not yet imported.

    Args:
        token: Names them in addresses.
        folder: Where they lie.
        names: As the person calls them; the first is the file, others have references.
    """

    token: str
    folder: Path
    names: tuple[str, ...]

    def contents(self, encoding: Encoding) -> tuple[Content, ...]:
        """Return what the files hold.

        Raises:
            FormatError: One is empty, too large, or of another encoding.
        """
        return tuple(
            content_of(name, (self.folder / str(n)).read_bytes(), encoding=encoding)
            for n, name in enumerate(self.names)
        )

    def forget(self) -> None:
        """Remove the files."""
        shutil.rmtree(self.folder, ignore_errors=True)


def keep(member: Member, files: Sequence[UploadedFile[bytes]]) -> Waiting:
    """Keep uploaded files until they are confirmed, for this person and project alone.

    Raises:
        UsageError: They are too large or too many.
    """
    _forget_old()
    if len(files) > MOST_FILES + 1:
        raise UsageError(f"at most {MOST_FILES} files of references go with a file of sources")
    for one in files:
        if (one.size or 0) > MOST_BYTES:
            raise UsageError(
                f"{one.name}: has {one.size:,} bytes; at most {MOST_BYTES:,} are read at once, "
                "divide it"
            )
    token = secrets.token_hex(16)
    folder = _root() / token
    folder.mkdir(mode=0o700)
    names = tuple((one.name or "file")[-200:] for one in files)
    for n, one in enumerate(files):
        with _private(folder / str(n)) as target:
            for chunk in one.chunks():
                target.write(chunk)
    about = {"project": member.project_id, "person": member.person_id, "names": names}
    with _private(folder / _ABOUT) as target:
        target.write(json.dumps(about).encode())
    return Waiting(token, folder, names)


def waiting(member: Member, token: str) -> Waiting:
    """Return files that this person uploaded for this project.

    Raises:
        Http404: There are none such, or not any more.
    """
    folder = _root() / token
    if not _TOKEN.fullmatch(token) or not (folder / _ABOUT).is_file():
        raise Http404
    about = json.loads((folder / _ABOUT).read_text("utf-8"))
    if (about["project"], about["person"]) != (member.project_id, member.person_id):
        raise Http404
    return Waiting(token, folder, tuple(about["names"]))


def _root() -> Path:
    folder: Path = settings.SITE.folder / FOLDER
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def _private(path: Path) -> BinaryIO:
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")


def _forget_old() -> None:
    """Remove what nobody has confirmed for a day."""
    for folder in _root().iterdir():
        with suppress(FileNotFoundError):  # somebody else was as tidy
            if folder.stat().st_mtime < time.time() - KEPT_SECONDS:
                shutil.rmtree(folder, ignore_errors=True)
