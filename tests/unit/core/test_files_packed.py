"""Files in .gz and .zip: read as what they hold, and refused where that is not one text."""

from __future__ import annotations

import gzip
import io
import zipfile
from itertools import product
from pathlib import Path

import pytest
from messages import expect_error

from gecbench.core.errors import FormatError
from gecbench.core.files import name_of, read_lines, write_stream, write_text
from gecbench.formats.reading import read

TEXT = b"\xef\xbb\xbfHe go .\r\n\r\nHe goes .\n"
LINES = ["He go .", "", "He goes ."]
PICTURE = b"\x89PNG\r\n\x1a\n\x00\x00"


def zipped(**members: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in members.items():
            archive.writestr(name.replace("__", "/", 1).replace("_", "."), content)
    return buffer.getvalue()


def test_gzip_is_read_as_its_text(tmp_path: Path) -> None:
    path = tmp_path / "a.txt.gz"
    path.write_bytes(gzip.compress(TEXT))
    assert read_lines(path) == LINES


def test_a_file_of_a_megabyte_comes_in_blocks(tmp_path: Path) -> None:
    path = tmp_path / "a.GZ"
    lines = [f"line {n} " + "x" * 100 for n in range(10_000)]
    path.write_bytes(gzip.compress("\n".join(lines).encode()))
    assert read_lines(path) == lines


@pytest.mark.parametrize(
    "members",
    [
        {"a_txt": TEXT},
        {"folder__a_m2": TEXT},
        {"a_txt": TEXT, "logo_png": PICTURE},
        {"a_txt": TEXT, "_DS_Store": b"x"},
    ],
)
def test_the_one_text_of_a_zip_is_read(tmp_path: Path, members: dict[str, bytes]) -> None:
    path = tmp_path / "sub.zip"
    path.write_bytes(zipped(**members))
    assert read_lines(path) == LINES


@pytest.mark.parametrize(
    ("members", "named"),
    [
        ({"a_txt": TEXT, "b_txt": TEXT}, "a.txt, b.txt"),
        ({"a_png": PICTURE, "b_png": PICTURE}, "a.png, b.png"),
        ({}, "none"),
    ],
)
def test_a_zip_without_one_text_is_refused_with_its_members(
    tmp_path: Path, members: dict[str, bytes], named: str
) -> None:
    path = tmp_path / "sub.zip"
    path.write_bytes(zipped(**members))
    with expect_error(FormatError, f"{path}:1", named):
        read_lines(path)


@pytest.mark.parametrize(
    ("ending", "content"),
    [
        *product([".gz", ".zip"], [TEXT, b"\x1f\x8b\x08", b"PK\x03\x04"]),
        (".zip", b""),  # gzip takes it for an empty text
    ],
)
def test_what_is_not_as_its_ending_says_is_refused(
    tmp_path: Path, ending: str, content: bytes
) -> None:
    path = tmp_path / f"a{ending}"
    path.write_bytes(content)
    with expect_error(FormatError, f"{path}:1", ending):
        read_lines(path)


def test_a_damaged_end_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(TEXT * 1000)[:-4])
    with expect_error(FormatError, f"{path}:1"):
        read_lines(path)


@pytest.mark.parametrize("name", ["dev.m2", "dev.m2.gz", "dev.zip", "dev.M2.GZ"])
def test_a_file_is_called_without_its_endings(name: str) -> None:
    assert name_of(Path(name)) == "dev"


def test_the_ending_inside_counts(tmp_path: Path) -> None:
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(b"He go .,He goes .\n"))
    with expect_error(FormatError, "CSV"):
        read(path)


def test_what_ends_in_gz_is_written_packed_and_the_same_each_time(tmp_path: Path) -> None:
    first, second = tmp_path / "a.gz", tmp_path / "b.gz"
    write_text(first, "好\n")
    write_stream(second, ["好".encode(), b"\n"])
    assert first.read_bytes() == second.read_bytes()
    assert gzip.decompress(first.read_bytes()).decode() == "好\n"
