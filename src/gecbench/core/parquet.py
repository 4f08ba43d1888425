"""Parquet as JSON lines: a row of a file is a line, and so is one of a corpus that is written."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from gecbench.core.errors import (
    FormatError,
    MissingExtraError,
    Place,
    UsageError,
    printed_path,
    quote,
    reason,
)

_HEADER = b"gecbench"
"""The metadata of a file that have the header line of a corpus of ours."""

_ROWS, _GROUP = 1000, 20_000
"""Rows that are in memory as objects, and those that are written as one row group."""

_BUFFER = 1 << 18


def read_rows(path: Path, file: BinaryIO) -> Iterator[str]:
    """Yield the rows of a file as JSON, one a line; before those of a corpus of ours its header.

    Args:
        path: Its name, for errors.
        file: Its content, in which one can seek.

    Raises:
        FormatError: It is no Parquet, two columns have one name, or a row holds what is no text.
        MissingExtraError: pyarrow is not installed.
    """
    arrow, parquet = _libraries()
    encode = json.JSONEncoder(ensure_ascii=False, default=_as_text).encode
    n = 0
    try:
        content = parquet.ParquetFile(file, buffer_size=_BUFFER)  # no more of a row group at a time
        names = content.schema_arrow.names
        if len(set(names)) < len(names):
            raise FormatError(
                "two columns have the same name; give each a name of its own", at=Place(path, 1)
            )
        header = (content.metadata.metadata or {}).get(_HEADER)
        if header is not None:
            yield header.decode()
        for batch in content.iter_batches(_ROWS, use_threads=False):
            before = n
            try:
                for row in batch.to_pylist():
                    line = encode(row if header is None else _sample(row))
                    n += 1
                    yield line
            except UnicodeDecodeError:
                raise _error_of_bytes(path, batch, before) from None
    except (arrow.ArrowException, OSError) as error:
        raise FormatError(
            "row {row} cannot be read as Parquet: {problem}; write the file again",
            at=Place(path, n + 1),
            row=n + 1,
            problem=reason(error),
        ) from error


def require_pyarrow() -> None:
    """Say what to install before long work whose result is Parquet.

    Raises:
        MissingExtraError: pyarrow is not installed.
    """
    _libraries()


def _libraries() -> tuple[Any, Any]:
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise MissingExtraError("pyarrow", "parquet") from None
    return pa, parquet


def _error_of_bytes(path: Path, batch: Any, before: int) -> FormatError:
    """The error of the first cell of a batch that is no text; rows before it are `before`."""
    columns = list(zip(batch.schema.names, batch.columns, strict=True))
    cells = ((n, name, column[n]) for n in range(batch.num_rows) for name, column in columns)
    row, name = next((n, name) for n, name, cell in cells if not _is_text(cell))
    return FormatError(
        "column {name} holds bytes that are no text in UTF-8; write the file without it",
        at=Place(path, before + row + 1),
        name=quote(name),
    )


def _is_text(cell: Any) -> bool:
    try:
        json.dumps(cell.as_py(), default=_as_text)
    except UnicodeDecodeError:
        return False
    return True


def _as_text(value: object) -> str:
    """What JSON has no form for, as a date; bytes are text to older programs.

    Raises:
        UnicodeDecodeError: They are none.
    """
    return value.decode() if isinstance(value, bytes) else str(value)


def _sample(row: dict[str, Any]) -> dict[str, Any]:
    """A row of a corpus of ours as it was written: a column without a value is a key left out."""
    if row.get("meta") is not None:
        row["meta"] = dict(row["meta"])
    whole: dict[str, Any] = _without_nulls(row)
    return whole


def _without_nulls(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_nulls(item) for item in value]
    if not isinstance(value, dict):
        return value
    # An edit that has no replacement detects an error and corrects nothing.
    return {
        key: _without_nulls(item)
        for key, item in value.items()
        if item is not None or key == "replacement"
    }


def write_rows(path: Path, pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield Parquet that holds the lines of a corpus in jsonl.

    Raises:
        UsageError: It is something else.
        MissingExtraError: pyarrow is not installed.
    """
    arrow, parquet = _libraries()
    lines = _lines(pieces)
    header = next(lines, b"")
    if b'"gecbench-corpus"' not in header:
        raise UsageError(
            f"{printed_path(path)}: Parquet holds corpora in jsonl; choose that format, or another "
            "ending"
        )
    schema = _schema(arrow).with_metadata({_HEADER: header.rstrip(b"\n")})
    sink = _Sink()
    with parquet.ParquetWriter(
        arrow.PythonFile(sink, mode="w"), schema, compression="zstd"
    ) as writer:
        rows = map(_row, lines)
        blocks = iter(lambda: list(islice(rows, _ROWS)), [])
        batches = (arrow.RecordBatch.from_pylist(block, schema) for block in blocks)
        while group := list(islice(batches, _GROUP // _ROWS)):
            writer.write_table(arrow.Table.from_batches(group), row_group_size=_GROUP)
            yield sink.take()
    yield sink.take()


def _lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    rest = b""
    for piece in pieces:
        *lines, rest = (rest + piece).split(b"\n")
        yield from lines
    yield from filter(None, [rest])


def _row(line: bytes) -> dict[str, Any]:
    row: dict[str, Any] = json.loads(line)
    return {**row, "meta": [*row["meta"].items()]} if "meta" in row else row


def _schema(arrow: Any) -> Any:
    """The columns of a corpus, with the names of jsonl."""
    text, flag, number = arrow.string(), arrow.bool_(), arrow.int64()
    tokens = arrow.list_(text)
    edit = [
        ("start", number),
        ("end", number),
        ("replacement", tokens),
        ("label", text),
        ("alternatives", arrow.list_(tokens)),
    ]
    rewrite = [
        ("text", text),
        ("error_free", flag),
        ("unannotatable", flag),
        ("annotator", text),
        ("edit_sets", arrow.list_(arrow.list_(arrow.struct(edit)))),
        ("capped", flag),
    ]
    return arrow.schema(
        [
            ("id", text),
            ("source", text),
            ("references", arrow.list_(arrow.struct(rewrite))),
            ("meta", arrow.map_(text, text)),
            ("tokens", tokens),
        ]
    )


class _Sink:
    """A file whose content is taken away while it is written."""

    closed = False

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def write(self, content: Any) -> int:
        self._pieces.append(bytes(content))
        return len(content)

    def flush(self) -> None:
        """There is nothing to wait for."""

    def close(self) -> None:
        """The content stays until it is taken."""

    def take(self) -> bytes:
        content = b"".join(self._pieces)
        self._pieces.clear()
        return content
