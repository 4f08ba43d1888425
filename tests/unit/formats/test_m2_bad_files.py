"""Bad M2 files: what is wrong, where, and which value."""

from __future__ import annotations

from pathlib import Path

import pytest
from messages import assert_says

from gecbench.core.errors import FormatError
from gecbench.formats.reading import read

A = "|||REQUIRED|||-NONE-|||0"


def m(*lines: str) -> bytes:
    """An M2 file."""
    return ("\n".join(lines) + "\n").encode()


M2 = [
    (
        m("S a b", "A 0 1|||S|||b|||REQUIRED|||-NONE-|||０"),
        ("2:", "coder", "'０'", "0"),
    ),
    (
        m("S a b", f"A 0 {'1' * 5000}|||S|||b" + A),
        ("2:", "'0 1111111111111111111111111111111111111…'", "two token numbers"),
    ),
    (b"\n  \n", ("1:", "no S line")),
    (
        m("A 0 1|||S|||b" + A),
        ("1:", "'A 0 1|||S|||b|||REQUIRED|||-NONE-|||0'", "S line", "blank"),
    ),
    (
        m("S a b", "", "A 0 1|||S|||b" + A),
        ("3:", "'A 0 1|||S|||b|||REQUIRED|||-NONE-|||0'", "S line", "blank"),
    ),
    (m("S"), ("1:", "S line", "no token")),
    (m("S ", "A 0 1|||S|||b" + A), ("1:", "S line", "no token")),
    (
        m("S a  b", "A 0 1|||S|||b" + A),
        ("1:", "S line", "empty", "two spaces"),
    ),
    (
        m("S a b ", "A 0 1|||S|||b" + A),
        ("1:", "S line", "empty", "two spaces"),
    ),
    (
        m("S a\u00a0x b", "A 0 1|||S|||b" + A),
        ("1:", "S line", "white space", "'a\\xa0x'"),
    ),
    (
        m("S a b", "S a c", "A 0 1|||S|||b" + A),
        ("2:", "second S line", "blank"),
    ),
    (
        m("S a b", "I a b", "A 0 1|||S|||b" + A),
        ("2:", "'I a b'", "is no line of M2"),
    ),
    (
        m("S a b", "A 0 1|||S|||b|||REQUIRED|||0"),
        ("2:", "5", "fields instead", "6", "-NONE-"),
    ),
    (
        m("S a b", "A 0 1|||S|||b|||c" + A),
        ("2:", "7", "fields instead", "6", "-NONE-"),
    ),
    (
        m("S a b", "A 0 1|||S|||b|" + A),
        ("2:", "three bars", "not certain"),
    ),
    (
        m("S a b", "A 0 1||||S|||b" + A),
        ("2:", "three bars", "not certain"),
    ),
    (
        m("S a b", "A 0 1|||S|||b|||REQUIRED|||-NONE-|||Ann"),
        ("2:", "coder", "'Ann'", "0"),
    ),
    (
        m("S a b", "A 0 1|||S|||b|||REQUIRED|||-NONE-|||"),
        ("2:", "coder", "''", "0"),
    ),
    (m("S a b", "A 1 0|||S|||b" + A), ("2:", "'1 0'", "reversed")),
    (
        m("S a b", "A 1 3|||S|||b" + A),
        ("2:", "'1 3'", "ends after", "2", "--from m2-maxmatch"),
    ),
    (
        m("S a b", "A 3 3|||M|||b" + A),
        ("2:", "'3 3'", "ends after", "2", "--from m2-maxmatch"),
    ),
    (m("S a b", "A -1 -1|||S|||b" + A), ("2:", "-1 -1", "noop", "NA")),
    (
        m("S a b", "A -2 -1|||S|||b" + A),
        ("2:", "'-2 -1'", "two token numbers"),
    ),
    (m("S a b", "A 0 x|||S|||b" + A), ("2:", "'0 x'", "two token numbers")),
    (m("S a b", "A 0  1|||S|||b" + A), ("2:", "'0  1'", "two token numbers")),
    (m("S a b", "A 0|||S|||b" + A), ("2:", "'0'", "two token numbers")),
    (
        m("S a b", "A ０ １|||S|||b" + A),
        ("2:", "'０ １'", "two token numbers"),
    ),
    (
        m("S a b", "A 0 1|||S|||b  c" + A),
        ("2:", "empty", "two spaces"),
    ),
    (
        m("S a b", "A 0 1|||S|||b|| c" + A),
        ("2:", "empty", "two spaces"),
    ),
    (
        m("S a b", "A 0 1|||S|||b\tc" + A),
        ("2:", "white space", "'b\\tc'"),
    ),
    (
        m("S a b", "A 0 2|||S|||b" + A, "A 1 2|||R|||" + A),
        ("3:", "1 2", "overlaps", "0 2", "--from m2-maxmatch"),
    ),
    (
        m("S a b c", "A 1 3|||S|||b" + A, "A 0 1|||S|||x" + A, "A 0 2|||R|||-NONE-" + A),
        ("4:", "0 2", "overlaps", "0 1", "--from m2-maxmatch"),
    ),
    (
        m("S a b", "A 0 0|||noop|||-NONE-" + A),
        ("2:", "noop", "-1 -1", "-NONE-"),
    ),
    (m("S a b", "A -1 -1|||NA|||b" + A), ("2:", "NA", "-1 -1", "-NONE-")),
    (
        m("S a b", "A 0 1|||S|||b" + A, "A -1 -1|||noop|||-NONE-" + A),
        ("3:", "noop", "another line of coder", "0"),
    ),
    (
        m("S a b", "A -1 -1|||NA|||-NONE-" + A, "A -1 -1|||noop|||-NONE-" + A),
        ("2:", "NA", "another line of coder", "0"),
    ),
]

CHERRANT = [
    (
        m("S 好", f"T{'1' * 5000}-A0 好"),
        ("2:", "'T11111111111111111111111111111111111111…'", "is no reference", "T0", "T0-A0"),
    ),
    (
        m("S 好 吗", "A 0 1|||S|||你" + A, "T0-A0 你 吗"),
        ("2:", "A line", "T line"),
    ),
    (
        m("S 好 吗", "T0-A0 你 吗", "A 0 1|||S|||他" + A),
        ("2:", "T0-A0", "'你吗'", "0", "A lines"),
    ),
    (
        m("S 好 吗", "T0-A0 你 吗 啊", "A 0 1|||S|||你" + A),
        ("2:", "T0-A0", "'啊'", "2", "A lines"),
    ),
    (
        m("S 好 吗", "T0-A0 你  吗", "A 0 1|||S|||你" + A),
        ("2:", "T line", "empty", "two spaces"),
    ),
    (
        m("S 好 吗", "T0-A0 你 吗", "A 0 1|||S|||你|||REQUIRED|||-NONE-|||1"),
        ("3:", "coder", "1", "T0-A0", "0"),
    ),
    (
        m("S 好 吗", "T1-A0 你 吗", "A 0 1|||S|||你|||REQUIRED|||-NONE-|||1"),
        ("2:", "T1-A0", "out of order", "T0"),
    ),
    (
        m("S 好 吗", "T0-A1 你 吗", "A 0 1|||S|||你" + A),
        ("2:", "T0-A1", "out of order", "T0"),
    ),
    (
        m("S 好 吗", "T0-A0 你 吗", "A 0 1|||S|||你" + A, "T0-A2 你 吗", "A 0 1|||S|||你" + A),
        ("4:", "T0-A2", "T0-A0", "out of order", "T0"),
    ),
    (
        m(
            "S 好 吗",
            "T0 没有错误",
            "A -1 -1|||noop|||-NONE-" + A,
            "T0-A0 你 吗",
            "A 0 1|||S|||你" + A,
        ),
        ("4:", "T0-A0", "T0", "out of order"),
    ),
    (
        m("S 好 吗", "T0-A0 你 吗", "A 0 1|||S|||你" + A, "T2 没有错误"),
        ("4:", "T2", "T0-A0", "out of order", "T0"),
    ),
    (
        m("S 好 吗", "T0-A0 你 吗", "A 0 1|||S|||你" + A, "T0-A1 他 吗", "A 0 1|||S|||他" + A),
        ("4:", "T0-A1", "is another text", "T0-A0"),
    ),
    (
        m("S 好 吗", "T0-A0 你 吗", "", "S 好", "T0-A0 好"),
        ("2:", "T0-A0", "A line", "T0", "noop"),
    ),
    (
        m("S 好 吗", "T0 你 吗", "A 0 1|||S|||你" + A),
        ("2:", "T0", "stands before", "'你 吗'"),
    ),
    (
        m("S 好 吗", "T0-B0 你 吗", "A 0 1|||S|||你" + A),
        ("2:", "'T0-B0'", "is no reference", "T0", "T0-A0"),
    ),
    (
        m("S 好 吗", "T0-A 你 吗", "A 0 1|||S|||你" + A),
        ("2:", "'T0-A'", "is no reference", "T0", "T0-A0"),
    ),
    (
        m("S 好 吗", "T0 没有错误", "A -1 -1|||NA|||-NONE-" + A),
        ("2:", "T0", "exactly one A line", "noop"),
    ),
    (
        m("S 好 吗", "T0-A0 你 吗", "A 0 1|||UNK|||你" + A),
        ("2:", "T0-A0", "'你吗'", "0", "A lines"),
    ),
    (
        m("S 好 吗", "T0 无法标注", "", "S 好"),
        ("2:", "T0", "exactly one A line", "NA"),
    ),
    (
        m("S 好 吗", "T0-A0 你 吗", "A 0 1|||S|||你" + A, "A -1 -1|||noop|||-NONE-" + A),
        ("4:", "noop", "T0-A0", "belongs under", "T0"),
    ),
    (
        m("S 好 吗", "T0-A0 你 吗", "A 0 1|||S|||你" + A, "A 0 1|||S|||你" + A),
        ("4:", "0 1", "overlaps"),
    ),
    (
        m("S 好 吗", "T0-A0 你 吗", "A 1 3|||S|||你" + A),
        ("3:", "'1 3'", "ends after", "2"),
    ),
    (
        m("S 好 吗", "T0-A0 你 吗", "A 0 1|||S|||你" + A, "Target 好"),
        ("4:", "'Target 好'", "is no line of M2"),
    ),
]


@pytest.mark.parametrize(("content", "facts"), [*M2, *CHERRANT])
def test_a_bad_file_is_refused_with_path_line_and_value(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes, facts: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").write_bytes(content)
    with pytest.raises(FormatError) as error:
        read(Path("file"), format="m2")
    assert_says(error.value, f"file:{facts[0]}", *facts[1:])


@pytest.mark.parametrize("content", [content for content, _ in CHERRANT])
def test_a_bad_file_is_not_taken_for_lines(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(FormatError):
        read(path)
