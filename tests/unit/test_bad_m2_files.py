"""Bad M2 files: what is wrong, where, and what to do, word for word."""

from __future__ import annotations

from pathlib import Path

import pytest

from gecbench.core.errors import FormatError
from gecbench.formats.reading import read

A = "|||REQUIRED|||-NONE-|||0"
OR_MAXMATCH = ", or read the file as the MaxMatch scorer does: --from m2-maxmatch"


def m(*lines: str) -> bytes:
    """An M2 file."""
    return ("\n".join(lines) + "\n").encode()


M2 = [
    (
        m("S a b", "A 0 1|||S|||b|||REQUIRED|||-NONE-|||０"),
        "2: the coder is '０'; number the coders from 0",
    ),
    (
        m("S a b", f"A 0 {'1' * 5000}|||S|||b" + A),
        f"2: the span is '0 {'1' * 37}…'; it is two token numbers, start end",
    ),
    (b"\n  \n", "1: there is no S line; M2 begins with one: S token token"),
    (
        m("A 0 1|||S|||b" + A),
        (
            "1: the block begins with 'A 0 1|||S|||b|||REQUIRED|||-NONE-|||0'; it begins "
            "with an S line, and blank lines stand only between blocks"
        ),
    ),
    (
        m("S a b", "", "A 0 1|||S|||b" + A),
        (
            "3: the block begins with 'A 0 1|||S|||b|||REQUIRED|||-NONE-|||0'; it begins "
            "with an S line, and blank lines stand only between blocks"
        ),
    ),
    (m("S"), "1: the S line has no token; remove the block"),
    (m("S ", "A 0 1|||S|||b" + A), "1: the S line has no token; remove the block"),
    (
        m("S a  b", "A 0 1|||S|||b" + A),
        (
            "1: the S line has an empty token: two spaces in a row, or one at an end; part "
            "tokens by one space"
        ),
    ),
    (
        m("S a b ", "A 0 1|||S|||b" + A),
        (
            "1: the S line has an empty token: two spaces in a row, or one at an end; part "
            "tokens by one space"
        ),
    ),
    (
        m("S a\u00a0x b", "A 0 1|||S|||b" + A),
        ("1: the S line has white space inside the token 'a\\xa0x'; part tokens by one space"),
    ),
    (
        m("S a b", "S a c", "A 0 1|||S|||b" + A),
        "2: a second S line in the block; put a blank line before it",
    ),
    (
        m("S a b", "I a b", "A 0 1|||S|||b" + A),
        ("2: 'I a b' is no line of M2, which begin with S, A, or T and a number; remove it"),
    ),
    (
        m("S a b", "A 0 1|||S|||b|||REQUIRED|||0"),
        (
            "2: 5 fields instead of 6, as A start "
            "end|||type|||correction|||REQUIRED|||-NONE-|||coder; is there a ||| inside a "
            "text?"
        ),
    ),
    (
        m("S a b", "A 0 1|||S|||b|||c" + A),
        (
            "2: 7 fields instead of 6, as A start "
            "end|||type|||correction|||REQUIRED|||-NONE-|||coder; is there a ||| inside a "
            "text?"
        ),
    ),
    (
        m("S a b", "A 0 1|||S|||b|" + A),
        (
            "2: more than three bars in a row, so where a field ends is not certain; "
            "replace the | at the end of the type or correction"
        ),
    ),
    (
        m("S a b", "A 0 1||||S|||b" + A),
        (
            "2: more than three bars in a row, so where a field ends is not certain; "
            "replace the | at the end of the type or correction"
        ),
    ),
    (
        m("S a b", "A 0 1|||S|||b|||REQUIRED|||-NONE-|||Ann"),
        "2: the coder is 'Ann'; number the coders from 0",
    ),
    (
        m("S a b", "A 0 1|||S|||b|||REQUIRED|||-NONE-|||"),
        "2: the coder is ''; number the coders from 0",
    ),
    (m("S a b", "A 1 0|||S|||b" + A), "2: edit span '1 0' is reversed; M2 spans are start end"),
    (
        m("S a b", "A 1 3|||S|||b" + A),
        "2: edit span '1 3' ends after the source, which has 2 tokens; correct it" + OR_MAXMATCH,
    ),
    (
        m("S a b", "A 3 3|||M|||b" + A),
        "2: edit span '3 3' ends after the source, which has 2 tokens; correct it" + OR_MAXMATCH,
    ),
    (m("S a b", "A -1 -1|||S|||b" + A), "2: span -1 -1 belongs to the types noop and NA alone"),
    (
        m("S a b", "A -2 -1|||S|||b" + A),
        "2: the span is '-2 -1'; it is two token numbers, start end",
    ),
    (m("S a b", "A 0 x|||S|||b" + A), "2: the span is '0 x'; it is two token numbers, start end"),
    (m("S a b", "A 0  1|||S|||b" + A), "2: the span is '0  1'; it is two token numbers, start end"),
    (m("S a b", "A 0|||S|||b" + A), "2: the span is '0'; it is two token numbers, start end"),
    (
        m("S a b", "A ０ １|||S|||b" + A),
        "2: the span is '０ １'; it is two token numbers, start end",
    ),
    (
        m("S a b", "A 0 1|||S|||b  c" + A),
        (
            "2: the correction has an empty token: two spaces in a row, or one at an end; "
            "part tokens by one space"
        ),
    ),
    (
        m("S a b", "A 0 1|||S|||b|| c" + A),
        (
            "2: the correction has an empty token: two spaces in a row, or one at an end; "
            "part tokens by one space"
        ),
    ),
    (
        m("S a b", "A 0 1|||S|||b\tc" + A),
        ("2: the correction has white space inside the token 'b\\tc'; part tokens by one space"),
    ),
    (
        m("S a b", "A 0 2|||S|||b" + A, "A 1 2|||R|||" + A),
        "3: edit span 1 2 overlaps edit span 0 2; remove one of them" + OR_MAXMATCH,
    ),
    (
        m("S a b c", "A 1 3|||S|||b" + A, "A 0 1|||S|||x" + A, "A 0 2|||R|||-NONE-" + A),
        "4: edit span 0 2 overlaps edit span 0 1; remove one of them" + OR_MAXMATCH,
    ),
    (
        m("S a b", "A 0 0|||noop|||-NONE-" + A),
        "2: type noop needs span -1 -1 and correction -NONE-",
    ),
    (m("S a b", "A -1 -1|||NA|||b" + A), "2: type NA needs span -1 -1 and correction -NONE-"),
    (
        m("S a b", "A 0 1|||S|||b" + A, "A -1 -1|||noop|||-NONE-" + A),
        "3: type noop stands beside another line of coder 0; remove one of them",
    ),
    (
        m("S a b", "A -1 -1|||NA|||-NONE-" + A, "A -1 -1|||noop|||-NONE-" + A),
        "2: type NA stands beside another line of coder 0; remove one of them",
    ),
]

CHERRANT = [
    (
        m("S 好", f"T{'1' * 5000}-A0 好"),
        f"2: 'T{'1' * 38}…' is no reference; write T0, T0-A0 and so on",
    ),
    (
        m("S 好 吗", "A 0 1|||S|||你" + A, "T0-A0 你 吗"),
        (
            "2: an A line before the first T line; in a file with T lines every reference "
            "begins with one"
        ),
    ),
    (
        m("S 好 吗", "T0-A0 你 吗", "A 0 1|||S|||他" + A),
        (
            "2: T0-A0 goes on with '你吗' after 0 characters, its A lines make '他吗'; "
            "correct one of them"
        ),
    ),
    (
        m("S 好 吗", "T0-A0 你 吗 啊", "A 0 1|||S|||你" + A),
        ("2: T0-A0 goes on with '啊' after 2 characters, its A lines make ''; correct one of them"),
    ),
    (
        m("S 好 吗", "T0-A0 你  吗", "A 0 1|||S|||你" + A),
        (
            "2: the T line has an empty token: two spaces in a row, or one at an end; part "
            "tokens by one space"
        ),
    ),
    (
        m("S 好 吗", "T0-A0 你 吗", "A 0 1|||S|||你|||REQUIRED|||-NONE-|||1"),
        "3: coder 1 under T0-A0; write 0",
    ),
    (
        m("S 好 吗", "T1-A0 你 吗", "A 0 1|||S|||你|||REQUIRED|||-NONE-|||1"),
        ("2: T1-A0 at the beginning is out of order; references count from T0, edit sets from A0"),
    ),
    (
        m("S 好 吗", "T0-A1 你 吗", "A 0 1|||S|||你" + A),
        ("2: T0-A1 at the beginning is out of order; references count from T0, edit sets from A0"),
    ),
    (
        m("S 好 吗", "T0-A0 你 吗", "A 0 1|||S|||你" + A, "T0-A2 你 吗", "A 0 1|||S|||你" + A),
        ("4: T0-A2 after T0-A0 is out of order; references count from T0, edit sets from A0"),
    ),
    (
        m(
            "S 好 吗",
            "T0 没有错误",
            "A -1 -1|||noop|||-NONE-" + A,
            "T0-A0 你 吗",
            "A 0 1|||S|||你" + A,
        ),
        "4: T0-A0 after T0 is out of order; references count from T0, edit sets from A0",
    ),
    (
        m("S 好 吗", "T0-A0 你 吗", "A 0 1|||S|||你" + A, "T2 没有错误"),
        "4: T2 after T0-A0 is out of order; references count from T0, edit sets from A0",
    ),
    (
        m("S 好 吗", "T0-A0 你 吗", "A 0 1|||S|||你" + A, "T0-A1 他 吗", "A 0 1|||S|||他" + A),
        "4: T0-A1 is another text than T0-A0; edit sets of one reference make one text",
    ),
    (
        m("S 好 吗", "T0-A0 你 吗", "", "S 好", "T0-A0 好"),
        ("2: T0-A0 has no A line; a reference without edits is T0 没有错误 and a noop line"),
    ),
    (
        m("S 好 吗", "T0 你 吗", "A 0 1|||S|||你" + A),
        "2: T0 stands before '你 吗'; without -A it stands before 没有错误 or 无法标注",
    ),
    (
        m("S 好 吗", "T0-B0 你 吗", "A 0 1|||S|||你" + A),
        "2: 'T0-B0' is no reference; write T0, T0-A0 and so on",
    ),
    (
        m("S 好 吗", "T0-A 你 吗", "A 0 1|||S|||你" + A),
        "2: 'T0-A' is no reference; write T0, T0-A0 and so on",
    ),
    (
        m("S 好 吗", "T0 没有错误", "A -1 -1|||NA|||-NONE-" + A),
        "2: T0 没有错误 needs exactly one A line, of type noop",
    ),
    (
        m("S 好 吗", "T0-A0 你 吗", "A 0 1|||UNK|||你" + A),
        (
            "2: T0-A0 goes on with '你吗' after 0 characters, its A lines make '好吗'; "
            "correct one of them"
        ),
    ),
    (
        m("S 好 吗", "T0 无法标注", "", "S 好"),
        "2: T0 无法标注 needs exactly one A line, of type NA",
    ),
    (
        m("S 好 吗", "T0-A0 你 吗", "A 0 1|||S|||你" + A, "A -1 -1|||noop|||-NONE-" + A),
        ("4: type noop under T0-A0, which is a target; it belongs under T0 没有错误 or 无法标注"),
    ),
    (
        m("S 好 吗", "T0-A0 你 吗", "A 0 1|||S|||你" + A, "A 0 1|||S|||你" + A),
        "4: edit span 0 1 overlaps edit span 0 1; remove one of them",
    ),
    (
        m("S 好 吗", "T0-A0 你 吗", "A 1 3|||S|||你" + A),
        "3: edit span '1 3' ends after the source, which has 2 tokens",
    ),
    (
        m("S 好 吗", "T0-A0 你 吗", "A 0 1|||S|||你" + A, "Target 好"),
        ("4: 'Target 好' is no line of M2, which begin with S, A, or T and a number; remove it"),
    ),
]


@pytest.mark.parametrize(("content", "message"), [*M2, *CHERRANT])
def test_a_bad_file_is_refused_with_path_line_and_mend(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").write_bytes(content)
    with pytest.raises(FormatError) as error:
        read(Path("file"), format="m2")
    assert str(error.value) == f"file:{message}"
    assert len(message.splitlines()) == 1


@pytest.mark.parametrize("content", [content for content, _ in CHERRANT])
def test_a_bad_file_is_not_taken_for_lines(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(FormatError):
        read(path)
