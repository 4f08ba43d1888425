"""Templates are text that a person reads and compares."""

from __future__ import annotations

from pathlib import Path

import pytest

import gecbench.server

TEMPLATES = Path(gecbench.server.__file__).parent / "web" / "templates"


@pytest.mark.parametrize(
    "path", sorted(TEMPLATES.rglob("*.html")), ids=lambda path: f"{path.parent.name}/{path.name}"
)
def test_lines_are_short_and_indented_with_spaces(path: Path):
    lines = path.read_text("utf-8").split("\n")
    long = [n for n, line in enumerate(lines, 1) if len(line) > 120 or "\t" in line]
    assert long == []
