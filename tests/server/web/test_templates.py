"""Templates are text that a person reads and compares."""

from __future__ import annotations

from pathlib import Path

import gecbench.server

TEMPLATES = Path(gecbench.server.__file__).parent / "web" / "templates"


def test_lines_are_short_and_indented_with_spaces():
    long = [
        f"{path.relative_to(TEMPLATES)}:{number}"
        for path in sorted(TEMPLATES.rglob("*.html"))
        for number, line in enumerate(path.read_text("utf-8").split("\n"), 1)
        if len(line) > 120 or "\t" in line
    ]
    assert long == []
