"""What data sets there are: `catalog.toml` as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from gecbench.core.errors import UnknownNameError
from gecbench.core.files import read_bytes


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file at its public origin; `size` is in bytes."""

    name: str
    url: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class DataSet:
    """A data set and whose it is; `note` is what its licence leaves open, or empty."""

    name: str
    title: str
    homepage: str
    licence: str
    note: str
    citation: str
    files: tuple[DataFile, ...]

    def file(self, name: str) -> DataFile:
        """Return the file of that name.

        Raises:
            UnknownNameError: The data set has no such file; the nearest names are given.
        """
        for file in self.files:
            if file.name == name:
                return file
        known = [file.name for file in self.files]
        raise UnknownNameError(f"file of the data set {self.name!r}:", name, known)


def catalogue() -> Mapping[str, DataSet]:
    """Return every data set that gecbench knows, by name, in the order of the catalogue."""
    import tomllib  # reading the catalogue is not part of every start

    text = read_bytes(Path(__file__).with_name("catalog.toml")).decode("utf-8")
    return {
        name: DataSet(
            name=name,
            title=entry["title"],
            homepage=entry["homepage"],
            licence=entry["licence"],
            note=entry["note"],
            citation=entry["citation"],
            files=tuple(
                DataFile(file["name"], entry["base"] + file["path"], file["size"], file["sha256"])
                for file in entry["files"]
            ),
        )
        for name, entry in tomllib.loads(text).items()
    }


def data_set(name: str) -> DataSet:
    """Return the data set of that name.

    Raises:
        UnknownNameError: The catalogue does not hold the name; the nearest names are given.
    """
    known = catalogue()
    try:
        return known[name]
    except KeyError:
        raise UnknownNameError("data set", name, known) from None
