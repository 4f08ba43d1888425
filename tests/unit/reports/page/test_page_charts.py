"""Charts of the page: their bars and cells lead to the sentences that they are of."""

from __future__ import annotations

import pytest

from gecbench.reports.page import Charts
from gecbench.reports.report import Figure, FigureKind, Series, Words

TEXT = Words("x", "x")
SYSTEMS = ("good", "bad")


def links(kind: FigureKind, *series: Series, edits: bool = True) -> list[str]:
    figure = Figure("name", kind, TEXT, TEXT, TEXT, TEXT, series)
    chart = Charts(SYSTEMS, edits=edits).chart(figure)
    return [bar.link for group in chart.groups for bar in group.bars]


@pytest.mark.parametrize(
    ("kind", "series"),
    [
        ("points", [Series(TEXT, (1.0, 2.0), (3.0, 4.0), labels=SYSTEMS)]),
        ("lines", [Series(name, (1, 2), (3.0, 4.0)) for name in SYSTEMS]),
        ("bars", [Series(TEXT, SYSTEMS, (3.0, 4.0)), Series(Words("y", "y"), SYSTEMS, (1.0, 2.0))]),
    ],
)
def test_what_is_of_one_system_leads_to_its_sentences(kind: FigureKind, series: list[Series]):
    want = ["#system=good&outcome=edits"] * 2 + ["#system=bad&outcome=edits"] * 2
    assert links(kind, *series) == want
    assert links(kind, *series, edits=False) == ["#system=good"] * 2 + ["#system=bad"] * 2


def test_what_is_of_no_system_leads_nowhere():
    assert links("lines", Series(TEXT, (1, 2), (3.0, 4.0))) == ["", ""]
