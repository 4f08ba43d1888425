"""What data sets there are: `catalog.toml` as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from gecbench.core.errors import ResourceError, UnknownNameError
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
        """The file of that name.

        Raises:
            UnknownNameError: The data set has no such file; the nearest names are given.
        """
        for file in self.files:
            if file.name == name:
                return file
        known = [file.name for file in self.files]
        raise UnknownNameError(f"file of the data set {self.name!r}:", name, known)


def catalogue() -> Mapping[str, DataSet]:
    """Every data set that gecbench knows, by name, in the order of the catalogue."""
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
    """The data set of that name.

    Raises:
        UnknownNameError: The catalogue does not hold the name; the nearest names are given.
    """
    known = catalogue()
    try:
        return known[name]
    except KeyError:
        raise UnknownNameError("data set", name, known) from None


# Where the files of a data set lie on this machine, and whether they are what they should be.


SAMPLES = "samples"


def data_folder() -> Path:
    """The folder that data sets are fetched into unless another is named."""
    import platformdirs  # 22 ms, which a run with a named folder need not pay

    return Path(platformdirs.user_data_dir("gecbench")) / "data"


def cache_folder() -> Path:
    """The folder for what can be computed again, as compiled tables."""
    import platformdirs

    return Path(platformdirs.user_cache_dir("gecbench"))


def locate(data_set: DataSet, file: str, *, folder: Path, mirror: Path | None) -> Path:
    """Locate a file, which has the size that the catalogue states.

    The content is not hashed here, so that scoring may ask at every start: see `verify`.

    Args:
        data_set: Its files lie in a folder of its name.
        file: A name that the data set lists.
        folder: Where `fetch.get` puts data sets.
        mirror: A folder that is asked before `folder`; None means that there is none.

    Raises:
        UnknownNameError: The data set has no such file.
        ResourceError: The file is not here, or has another size.
    """
    entry = data_set.file(file)
    for root in (folder,) if mirror is None else (mirror, folder):
        path = root / data_set.name / entry.name
        if path.is_file():
            size = path.stat().st_size
            if size == entry.size:
                return path
            raise ResourceError(
                "has {bytes} bytes, but the catalogue says {expected}; remove it and run: "
                "gecbench data get {name}",
                at=path,
                bytes=size,
                expected=entry.size,
                name=data_set.name,
            )
    raise ResourceError(
        "{file} of the data set {name!r} is not here; run: gecbench data get {name} (or set "
        "GECBENCH_DATA_MIRROR to a folder that has {name}/{file})",
        file=file,
        name=data_set.name,
    )


def find_verified_file(name: str, file: str, *, folder: Path | None, mirror: Path | None) -> Path:
    """Locate a file of the data set of that name, and hash it.

    Args:
        name: Of the data set.
        file: Of the file.
        folder: As in `locate`; None means the user's.
        mirror: As in `locate`.

    Raises:
        UnknownNameError: There is no such data set, or no such file in it.
        ResourceError: The file is not here, or has another content.
    """
    owner = data_set(name)
    path = locate(owner, file, folder=folder or data_folder(), mirror=mirror)
    if sha256_of(path) != owner.file(file).sha256:
        raise ResourceError(
            "its content is not what the catalogue promises (sha256 differs); run: "
            "gecbench data get {name}",
            at=path,
            name=name,
        )
    return path


def home(data_set: DataSet, *, folder: Path, mirror: Path | None) -> Path:
    """The one folder that holds every file of a data set.

    Raises:
        ResourceError: A file is not here or has another size, or they lie in two folders.
    """
    parents = [
        locate(data_set, file.name, folder=folder, mirror=mirror).parent for file in data_set.files
    ]
    for parent in parents:
        if parent != parents[0]:
            raise ResourceError(
                f"the files of the data set {data_set.name!r} lie in two folders, {parents[0]} "
                f"and {parent}; ask for one file, or complete the mirror"
            )
    return parents[0]


def verify(data_set: DataSet, *, folder: Path, mirror: Path | None) -> list[Path]:
    """The paths of all files of a data set, each hashed and found right.

    Raises:
        ResourceError: A file is not here or has another content.
    """
    paths = []
    for file in data_set.files:
        path = locate(data_set, file.name, folder=folder, mirror=mirror)
        check_content(path, file, origin=str(path))
        paths.append(path)
    return paths


def check_content(path: Path, file: DataFile, *, origin: str) -> None:
    """Refuse a file whose sha256 is not the catalogue's.

    Args:
        path: The file to read.
        file: What it should be.
        origin: Where its content comes from, for the message.

    Raises:
        ResourceError: Names both hashes.
    """
    digest = sha256_of(path)
    if digest != file.sha256:
        raise ResourceError(
            f"{origin}: its sha256 is {digest}, but the catalogue says {file.sha256}; "
            f"it is refused, get {file.name} again, or from elsewhere"
        )


def sha256_of(path: Path) -> str:
    """The sha256 of a file's content in hexadecimal."""
    import hashlib  # not needed to locate a file

    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def samples_folder() -> Path:
    """The folder of the samples that the package brings."""
    return Path(__file__).parent.parent / SAMPLES


def sample_files() -> tuple[str, ...]:
    """The names of the bundled samples, as zh/corpus.jsonl."""
    folder = samples_folder()
    return tuple(
        sorted(path.relative_to(folder).as_posix() for path in folder.glob("*/*") if path.is_file())
    )


def locate_sample(file: str) -> Path:
    """Locate a bundled sample.

    Raises:
        UnknownNameError: There is no such sample; the nearest names are given.
    """
    known = sample_files()
    if file not in known:
        raise UnknownNameError("sample", file, known)
    return samples_folder() / file
