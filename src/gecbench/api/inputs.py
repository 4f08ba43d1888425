"""What an output says of the files that it was made from."""

from __future__ import annotations

import hashlib
from pathlib import Path

from gecbench.core.files import STDIO, name_of, read_bytes


def fingerprint_of(path: Path) -> str:
    """Return the name of a file or folder with a hash of its content; no more than a name of stdin.

    A folder's hash is of the names and hashes of its files, hidden ones aside.
    """
    if str(path) == STDIO:
        return name_of(path)
    if not path.is_dir():
        return f"{path.name} sha256 {hashlib.sha256(read_bytes(path)).hexdigest()}"
    made = hashlib.sha256()
    for each in sorted(path.rglob("*")):
        inside = each.relative_to(path)
        if each.is_file() and not any(part.startswith(".") for part in inside.parts):
            made.update(f"{inside.as_posix()}\0".encode())
            made.update(hashlib.sha256(read_bytes(each)).digest())
    return f"{path.resolve().name} sha256 {made.hexdigest()}"
