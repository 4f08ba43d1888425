"""The only place that opens text files: UTF-8 in, whole files out or none."""

from __future__ import annotations

import codecs
import os
import re
import stat
import sys
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from io import BufferedReader, RawIOBase
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, BinaryIO, Literal, TextIO, cast

from gecbench.core.errors import (
    FormatError,
    GecbenchError,
    Message,
    MissingExtraError,
    Place,
    UsageError,
    printed_path,
    reason,
)

if TYPE_CHECKING:
    from zipfile import ZipFile, ZipInfo

STDIO = "-"
_BLOCK = 1 << 18
_PIECE = 1 << 20
_COMPRESSED = (b"\x1f\x8b", b"PK\x03\x04", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd")
"""How files of gzip, zip, bzip2, xz and zstd begin."""

_GZIP, _ZIP = ".gz", ".zip"
_GZIP_STREAM = 16 + zlib.MAX_WBITS
_HEAD = 4096
_LOCKED = 0x7FFF_FFFE
"""The byte that is locked on Windows, where nobody else reads a locked byte: far behind the end."""

_NAMED = 10


def without_packing(path: Path) -> Path:
    """The path without the ending that says that the file is compressed."""
    return path.with_suffix("") if path.suffix.lower() in (_GZIP, _ZIP) else path


def is_parquet(path: Path) -> bool:
    """Whether a file is Parquet, as its name says."""
    return path.suffix.lower() == ".parquet"


def name_of(path: Path) -> str:
    """What the content of a file is called: its name without the ending.

    "dev.m2" and "dev.m2.gz" are both "dev". Bytes that are not UTF-8 become U+FFFD, so that the
    name can be printed.
    """
    if str(path) == STDIO:
        return "stdin"
    return os.fsencode(without_packing(path).stem).decode("utf-8", errors="replace")


def is_folder(path: Path) -> bool:
    """Whether a path to read is a folder; "-" is standard input, whatever is called so."""
    return str(path) != STDIO and path.is_dir()


def address_of(path: Path) -> str | None:
    """The address of a file elsewhere, as s3://bucket/dev.tsv; None of a local file.

    A path keeps one of the two slashes. Where a folder "s3:" is here, it is meant.

    >>> address_of(Path("s3://bucket/dev.tsv"))
    's3://bucket/dev.tsv'
    >>> address_of(Path("C:/dev.tsv"))
    """
    scheme, slash, rest = path.as_posix().partition(":/")
    if not (slash and rest and len(scheme) > 1 and scheme.isalnum()) or Path(f"{scheme}:").exists():
        return None
    return f"{scheme}:///{rest}" if scheme == "file" else f"{scheme}://{rest}"


def path_of(text: Path | str) -> Path:
    """The path that somebody wrote, perhaps behind NAME=.

    Raises:
        UsageError: It is file:// without a third slash, which would be another file without a word.
    """
    if re.match(r"([^/=]*=)?file://[^/]", str(text)):
        raise UsageError(f"{text}: such an address has three slashes, as file:///tmp/dev.tsv")
    return Path(text)


_READ, _WRITTEN = "cannot be read", "cannot be written"
_STORES = {
    "abfs": "adlfs",
    "az": "adlfs",
    "gcs": "gcsfs",
    "gs": "gcsfs",
    "hdfs": "pyarrow",
    "http": "requests aiohttp",
    "https": "requests aiohttp",
    "s3": "s3fs",
    "s3a": "s3fs",
    "sftp": "paramiko",
    "ssh": "paramiko",
}
"""What fsspec needs for the addresses of a store, where it needs another package."""


def _file_system(address: str, failure: str) -> tuple[Any, str]:
    """What fsspec reads and writes an address with, and the path in it.

    Raises:
        MissingExtraError: fsspec is not installed.
        GecbenchError: Nothing is known of such addresses, the library for them is missing, or the
            store does not answer.
    """
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        raise MissingExtraError("fsspec", "remote") from None
    with _explain_store_errors(address, failure):
        return cast("tuple[Any, str]", url_to_fs(address))


class _StoreFile(RawIOBase):
    """A file of a store whose errors are explained."""

    def __init__(self, file: Any, address: str, failure: str) -> None:
        self._file, self._address, self._failure = file, address, failure

    def readable(self) -> bool:
        return self._failure == _READ

    def writable(self) -> bool:
        return self._failure == _WRITTEN

    def seekable(self) -> bool:
        return bool(self._file.seekable())

    def readinto(self, buffer: Any) -> int:
        with _explain_store_errors(self._address, self._failure):
            return int(self._file.readinto(buffer))

    def write(self, content: Any) -> int:
        with _explain_store_errors(self._address, self._failure):
            return int(self._file.write(content))

    def seek(self, offset: int, whence: int = 0) -> int:
        with _explain_store_errors(self._address, self._failure):
            return int(self._file.seek(offset, whence))

    def tell(self) -> int:
        return int(self._file.tell())


@contextmanager
def _open_address(address: str, mode: Literal["rb", "wb"]) -> Iterator[RawIOBase]:
    """Open a file elsewhere; one that is written is there when the block ends well, or not at all.

    Raises:
        GecbenchError: It cannot be opened, or not read or written to its end.
    """
    failure = _READ if mode == "rb" else _WRITTEN
    system, path = _file_system(address, failure)
    transaction = file = None
    try:
        with _explain_store_errors(address, failure):
            transaction = system.start_transaction() if mode == "wb" else None
            file = system.open(path, mode)
        yield _StoreFile(file, address, failure)
        with _explain_store_errors(address, failure):
            file.close()
            if transaction:
                transaction.complete()
    except BaseException:
        with suppress(Exception):
            if file:
                file.close()
        with suppress(Exception):
            if transaction:
                transaction.complete(commit=False)
        raise


@contextmanager
def _explain_store_errors(address: str, failure: str) -> Iterator[None]:
    """Say in one line what the library of a store raises, as about credentials.

    Raises:
        GecbenchError: It raises anything.
    """
    with explain_read_errors(address) if failure == _READ else explain_errors(address, failure):
        try:
            yield
        except OSError:
            raise
        except Exception as error:
            package = _STORES.get(address.partition(":")[0])
            advice = (
                f"; run: pip install {package}"
                if package and isinstance(error, ImportError)
                else ""
            )
            why = reason(error).replace(address, printed_path(address))
            raise GecbenchError(f"{printed_path(address)}: {failure}: {why}{advice}") from error


def file_exists(path: Path) -> bool:
    """Whether there is a file, or what else has its name, here or at an address."""
    address = address_of(path)
    if address is None:
        return path.exists()
    system, inside = _file_system(address, _READ)
    with _explain_store_errors(address, _READ):
        return bool(system.exists(inside))


@contextmanager
def explain_read_errors(path: Path | str) -> Iterator[None]:
    """Say in one line why a file cannot be read.

    Raises:
        GecbenchError: The file is missing, is a folder, or may not be read.
    """
    try:
        yield
    except FileNotFoundError:
        raise GecbenchError(f"{printed_path(path)}: no such file; check the path") from None
    except IsADirectoryError:
        raise GecbenchError(f"{printed_path(path)}: is a folder; name a file in it") from None
    except OSError as error:
        why = error.strerror or reason(error)
        raise GecbenchError(f"{printed_path(path)}: cannot be read: {why}") from error


@contextmanager
def explain_errors(path: Path | str | None, failure: str = "cannot be written") -> Iterator[None]:
    """Say in one line what the system has against writing a file, or another `failure`.

    Raises:
        GecbenchError: The system refuses.
    """
    try:
        yield
    except OSError as error:
        why = error.strerror or reason(error)
        raise GecbenchError(f"{printed_path(path)}: {failure}: {why}") from error


@contextmanager
def _open_to_read(path: Path) -> Iterator[BufferedReader]:
    """Open a file, or standard input where the path is "-"; explain a failure to read it."""
    if str(path) == STDIO:
        if sys.stdin is None:
            raise GecbenchError("standard input is closed; name a file instead of '-'")
        try:
            yield cast("BufferedReader", sys.stdin.buffer)
        except OSError as error:
            raise GecbenchError(f"standard input cannot be read: {error}") from error
        return
    if address := address_of(path):
        with _open_address(address, "rb") as file:
            yield BufferedReader(file, _BLOCK)
        return
    with explain_read_errors(path), path.open("rb") as file:
        yield file


def read_bytes(path: Path) -> bytes:
    """The content of a file, or of standard input where the path is "-".

    Raises:
        GecbenchError: The file is missing, is a folder, or may not be read.
    """
    with _open_to_read(path) as file:
        return file.read()


def read_lines(path: Path) -> list[str]:
    """The lines of a UTF-8 text file as `stream_lines` yields them."""
    return list(stream_lines(path))


def stream_lines(path: Path) -> Iterator[str]:
    r"""Yield the lines of a UTF-8 text file without their ends; "-" is standard input.

    A file whose name ends in .gz or .zip is unpacked while it is read. Of one that ends in .parquet
    each row is a line of JSON.

    A byte-order mark is dropped, CRLF and lone CR end a line as LF does, and a missing last
    line end makes no difference. Only these end a line: U+2028, U+0085 and the like are text.

    Raises:
        FormatError: Names the line with the first byte that is not UTF-8, or the row of Parquet.
        GecbenchError: The file cannot be read.
    """
    if is_parquet(path):
        from gecbench.core.parquet import read_rows

        with _open_to_read(path) as file:
            yield from read_rows(path, file)
        return
    count = 0
    for block in _blocks(path):
        try:
            text = block.decode()
        except UnicodeDecodeError as error:
            *lines, _ = block[: error.start].decode().split("\n")
            yield from lines
            raise FormatError(
                f"{Place(path, count + len(lines) + 1)}: byte 0x{block[error.start]:02x} is not "
                f"UTF-8; {_advice(block)}"
            ) from None
        lines = text.split("\n")
        if not lines[-1]:
            lines.pop()
        count += len(lines)
        yield from lines


def _advice(block: bytes) -> str:
    """What to do about a file whose content is not UTF-8."""
    if block.startswith(_COMPRESSED):
        return (
            "the file is compressed; give it its ending, .gz or .zip, or unpack it if it is packed "
            "otherwise"
        )
    if b"\0" in block:
        return "the file is binary, no text; check the path"
    return (
        "save the file as UTF-8 (Chinese is often in GB18030: iconv -f GB18030 -t UTF-8; western "
        "European languages in Latin-1: iconv -f LATIN1 -t UTF-8)"
    )


def _blocks(path: Path) -> Iterator[bytes]:
    """Yield a text file in blocks of whole lines that end in LF, without its byte-order mark."""
    is_packed = path.suffix.lower() in (_GZIP, _ZIP)
    with _open_to_read(path) as raw, unpack(path, raw) if is_packed else nullcontext(raw) as file:
        content = file.read(len(codecs.BOM_UTF8))
        if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            raise FormatError(f"{Place(path, 1)}: the file is UTF-16; save it as UTF-8")
        content = content.removeprefix(codecs.BOM_UTF8)
        while more := cast("BufferedReader", file).read1(_BLOCK):  # of a pipe, what is there
            content += more
            # A CR at the end may be the first half of CRLF.
            end = max(content.rfind(b"\n"), content.rfind(b"\r", 0, -1)) + 1
            if end:
                yield content[:end].replace(b"\r\n", b"\n").replace(b"\r", b"\n")
                content = content[end:]
        if content:
            yield content.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


@contextmanager
def unpack(path: Path, file: BinaryIO) -> Iterator[IO[bytes]]:
    """Yield what a file holds: its text, where its name ends in .gz or .zip, else the file itself.

    Of a zip it is the only member, or else the only one that is a text. Folders and hidden files
    are no members.

    Raises:
        FormatError: The file is not what its ending says, or is damaged or encrypted; or a zip
            has no text or several.
    """
    ending = path.suffix.lower()
    if ending not in (_GZIP, _ZIP):
        yield file
        return
    from gzip import BadGzipFile, GzipFile
    from zipfile import BadZipFile, ZipFile

    try:
        if ending == _GZIP:
            with GzipFile(fileobj=file) as text:
                yield cast("IO[bytes]", text)
        else:
            with ZipFile(file) as archive, archive.open(_text_member(path, archive)) as text:
                yield text
    except (BadGzipFile, BadZipFile, EOFError, NotImplementedError, zlib.error) as error:
        raise FormatError(
            "the file ends in {ending} and cannot be unpacked: {problem}; pack it again, or give a "
            "file that is not packed its own ending",
            at=Place(path, 1),
            ending=ending,
            problem=str(error),
        ) from error


def _text_member(path: Path, archive: ZipFile) -> ZipInfo:
    """The one member of a zip that is read.

    Raises:
        FormatError: There is none, or several, or it is encrypted.
    """
    members = [
        member
        for member in archive.infolist()
        if not member.is_dir()
        and not any(part.startswith((".", "__MACOSX")) for part in member.filename.split("/"))
    ]
    names = ", ".join(member.filename for member in members[:_NAMED])
    if len(members) > _NAMED:
        names += ", ..."
    for member in members:
        if member.flag_bits & 1:
            raise FormatError(
                "the zip is encrypted ({names}); unpack it first", at=Place(path, 1), names=names
            )
    texts = members if len(members) == 1 else [m for m in members if _is_text(archive, m)]
    if len(texts) == 1:
        return texts[0]
    raise FormatError(
        "the zip has {count} texts, and one is read; its files are: {names}; unpack it and name "
        "the file",
        at=Place(path, 1),
        count=len(texts),
        names=names or Message("none"),
    )


def _is_text(archive: ZipFile, member: ZipInfo) -> bool:
    with archive.open(member) as file:
        head = file.read(_HEAD)
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False
    return b"\0" not in head


def pack(path: Path, pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield content as it is written, the same each time: compressed in .gz, rows in .parquet.

    Raises:
        UsageError: A name ends in .parquet, and the content is no corpus in jsonl.
    """
    if is_parquet(path):
        from gecbench.core.parquet import write_rows

        yield from write_rows(path, pieces)
        return
    if path.suffix.lower() != _GZIP:
        yield from pieces
        return
    compressor = zlib.compressobj(wbits=_GZIP_STREAM)
    for piece in pieces:
        yield compressor.compress(piece)
    yield compressor.flush()


@contextmanager
def _open_to_replace(path: Path) -> Iterator[BinaryIO]:
    """Yield a binary file that takes the place of `path` when the block ends well."""
    from tempfile import NamedTemporaryFile  # 4 ms that reading commands need not pay

    with (
        explain_errors(path),
        NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file,
    ):
        temporary = Path(file.name)
        try:
            yield cast("BinaryIO", file)
            file.close()  # on Windows an open file can be neither moved nor removed
            temporary.chmod(_mode(path))
            temporary.replace(path)
        except BaseException:
            with suppress(OSError):
                file.close()
            temporary.unlink(missing_ok=True)
            raise


def _mode(path: Path) -> int:
    """The permissions of a file, or those that a new one gets: not mkstemp's private."""
    if path.exists():
        return stat.S_IMODE(path.stat().st_mode)
    umask = os.umask(0)
    os.umask(umask)
    return 0o666 & ~umask


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file whole, as `write_files`: a reader sees the old content or the new, never a part.

    Raises:
        GecbenchError: The folder is missing or may not be written to.
    """
    write_files({path: content})


def write_files(contents: Mapping[Path, bytes | Iterable[bytes]]) -> None:
    """Write several files, each whole, and none unless all can be written; .gz is compressed.

    Args:
        contents: By file: its content, or pieces of it that are made one after another.

    Raises:
        GecbenchError: A folder is missing or may not be written to.
    """
    with ExitStack() as stack:
        for path, content in contents.items():
            pieces = pack(path, [content] if isinstance(content, bytes) else content)
            stack.enter_context(_open_to_write(path)).writelines(pieces)


def write_stream(path: Path, pieces: Iterable[bytes], *, packed: bool = False) -> None:
    """Write a file whole from pieces that are made one after another; "-" is standard output.

    Args:
        path: The file; one that ends in .gz is compressed.
        pieces: Its content.
        packed: Whether `pack` has seen to that already.

    Raises:
        GecbenchError: The folder is missing or may not be written to.
    """
    if str(path) == STDIO:
        if sys.stdout is None:
            raise GecbenchError("standard output is closed; nothing can be written to it")
        sys.stdout.buffer.writelines(pieces)
        return
    with _open_to_write(path) as file:
        file.writelines(pieces if packed else pack(path, pieces))


@contextmanager
def temporary_file(folder: Path | None) -> Iterator[BinaryIO]:
    """Yield a file without a name, which goes with the process.

    Args:
        folder: On the disk that has room; None takes the system's.

    Raises:
        GecbenchError: No file can be made there.
    """
    from tempfile import TemporaryFile

    with explain_errors(folder, "no file can be made there"):
        file = cast("BinaryIO", TemporaryFile(dir=folder))  # noqa: SIM115 - closed below
    try:
        yield file
    finally:
        with suppress(OSError):  # a full disk was told of when it was found
            file.close()


def check_target(path: Path) -> None:
    """Refuse a file that surely cannot be written, before long work is done for it.

    Raises:
        GecbenchError: It is a folder, or its folder is missing, or is a file.
    """
    if address := address_of(path):
        _file_system(address, _WRITTEN)
    elif str(path) != STDIO:
        _target(path)


def check_new(path: Path, *, overwrite: bool) -> None:
    """Refuse to replace a file that is there, unless it may be; devices and pipes may always.

    Raises:
        GecbenchError: It is there.
    """
    is_there = file_exists(path) if address_of(path) else path.is_file()
    if not overwrite and str(path) != STDIO and is_there:
        raise GecbenchError(
            f"{printed_path(path)}: already exists; name another file, or add --overwrite"
        )


def check_folder(path: Path) -> None:
    """Refuse a folder that surely cannot be made, before long work is done for it.

    Raises:
        UsageError: It is "-", which is standard output and no folder.
        GecbenchError: It, or one above it, is a file.
    """
    if str(path) == STDIO:
        raise UsageError("'-' is standard output, and no folder; name one")
    if address := address_of(path):
        raise UsageError(f"{printed_path(address)}: folders are local, or mounted; name one")
    for folder in (path, *path.parents):
        if folder.exists():  # first, as another process may make it meanwhile
            if not folder.is_dir():
                raise GecbenchError(
                    f"{path}: the folder cannot be made: {folder} is no folder; name another"
                )
            return


def is_stream(path: Path) -> bool:
    """Whether a path is standard output, a device, a pipe or an address, without folder beside it.

    Raises:
        GecbenchError: As `check_target`.
    """
    return str(path) == STDIO or bool(address_of(path)) or _target(path) is None


def _target(path: Path) -> Path | None:
    """The file to replace, behind links; None for a device or a pipe."""
    with explain_errors(path):
        target = path.resolve() if path.is_symlink() else path
        if path.is_dir():
            raise GecbenchError(f"{path}: is a folder; name a file in it")
        if not target.parent.exists():
            raise GecbenchError(f"{path}: the folder {target.parent} does not exist; make it first")
        if not target.parent.is_dir():
            raise GecbenchError(f"{path}: {target.parent} is a file, no folder; name another")
        return None if path.exists() and not path.is_file() else target


@contextmanager
def _open_to_write(path: Path) -> Iterator[BinaryIO]:
    """Yield what becomes a file when the block ends well, or a device or a pipe itself."""
    if address := address_of(path):
        with _open_address(address, "wb") as file:
            yield cast("BinaryIO", file)
        return
    target = _target(path)
    if target is not None:
        with _open_to_replace(target) as file:
            yield file
        return
    with explain_errors(path), path.open("wb") as file:
        yield file


def make_folder(path: Path) -> None:
    """Make a folder and those above it, where they are missing.

    Raises:
        UsageError: It is "-".
        GecbenchError: It cannot be made.
    """
    check_folder(path)
    with explain_errors(path, "the folder cannot be made"):
        path.mkdir(parents=True, exist_ok=True)


def remove_file(path: Path) -> None:
    """Remove a file.

    Raises:
        GecbenchError: It cannot be removed.
    """
    with explain_errors(path, "cannot be removed"):
        path.unlink()


def try_lock(file: IO[bytes]) -> bool:
    """Lock an open file, or return False if another process has locked it.

    Closing the file unlocks it, and so does the end of the process. Others can still read it.

    Raises:
        OSError: The file system has no locks.
    """
    if sys.platform == "win32":  # pragma: no cover
        import msvcrt

        place = file.tell()
        file.seek(_LOCKED)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        finally:
            file.seek(place)
    else:
        import fcntl

        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def encode_text(path: Path, text: str) -> bytes:
    """A text as UTF-8.

    Raises:
        GecbenchError: The text has half a character, which UTF-8 cannot hold.
    """
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise GecbenchError(
            f"{printed_path(path)}: cannot be written: half a character "
            f"(U+{ord(text[error.start]):04X}) stands in "
            f"{text[max(0, error.start - 10) : error.start]!r}...; fix the text"
        ) from None


def encode_pieces(path: Path, pieces: Iterable[str]) -> Iterator[bytes]:
    """Yield pieces of a text as UTF-8, joined to larger ones.

    Raises:
        GecbenchError: As `encode_text`.
    """
    return (encode_text(path, text) for text in _joined(pieces))


def _joined(pieces: Iterable[str]) -> Iterator[str]:
    """Yield the same text in pieces of about a million characters."""
    waiting: list[str] = []
    length = 0
    for piece in pieces:
        waiting.append(piece)
        length += len(piece)
        if length >= _PIECE:
            yield "".join(waiting)
            waiting, length = [], 0
    if waiting:
        yield "".join(waiting)


def write_text(path: Path, text: str | Iterable[str], stdout: TextIO | None = None) -> None:
    """Write a UTF-8 file whole, compressed if it ends in .gz; "-" means standard output.

    Args:
        path: The file.
        text: Its content, or pieces of it that are made one after another.
        stdout: Takes the place of standard output, to which what comes before an error is written.

    Raises:
        GecbenchError: The text has half a character, or the folder is missing or may not be
            written to.
    """
    pieces = [text] if isinstance(text, str) else text
    if str(path) != STDIO:
        write_stream(path, encode_pieces(path, pieces))
        return
    stream = stdout or sys.stdout
    for piece in _joined(pieces):
        encode_text(path, piece)  # half a character is told of before its piece is written
        if stream is None:
            raise GecbenchError("standard output is closed; nothing can be written to it")
        stream.write(piece)
