"""What commands print and write, row by row of commands.toml."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

HERE = Path(__file__).parent
TABLE = tomllib.loads((HERE / "commands.toml").read_text("utf-8"))
CODES = TABLE.pop("exit-codes")
ROWS = {f"{group}/{name}": row for group, rows in TABLE.items() for name, row in rows.items()}
SLOW = {
    *("report/zh", "report/en", "breakdown/figures", "segmentation/json"),
    *("correct/zh-homophone", "correct/zh-homophone-m2"),
}
"""Rows that draw all figures, or load dictionaries; `make test` leaves them to `make test-rest`."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name for name in ROWS]
)
def test_commands_print_and_write_what_they_did(gecbench, expect, name: str):
    row = ROWS[name]
    parts = []
    for line in [row] if isinstance(row, str) else row:
        code, results = gecbench(line)
        assert code == 0, line
        parts.append(results)
    expect(name, "".join(parts))


@pytest.mark.parametrize(
    ("code", "line"), [(int(code), line) for code, lines in CODES.items() for line in lines]
)
def test_wrong_use_ends_with_2_and_a_failed_run_with_1(gecbench, code: int, line: str):
    assert gecbench(line)[0] == code


def test_every_expected_file_has_a_row():
    expected = HERE / "expected"
    names = {str(path.relative_to(expected).with_suffix("")) for path in expected.glob("*/*.txt")}
    assert {name for name in names if not name.startswith(("options/", "server/"))} == set(ROWS)
