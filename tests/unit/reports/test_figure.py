"""Figures as data, and the colours that they are drawn in."""

from __future__ import annotations

import pytest

from gecbench.reports.plots import COLOURS, properties
from gecbench.reports.report import Figure, Series, Words, figure_csv

LABEL = Words("value", "值")


def figure(*series: Series) -> Figure:
    return Figure("trial-one", "lines", LABEL, LABEL, LABEL, LABEL, series)


def test_the_data_of_a_figure_are_a_row_for_each_point_unrounded():
    one = Series("a", (1, 2), (0.123456789, None), (0.1, None), (0.2, None), ("x", "y"))
    two = Series(Words("all", "全部"), (Words("essays", "作文"), "chats"), (1.0, 2.0))
    assert figure_csv(figure(one, two)) == (
        "series,x,y,low,high,label\n"
        "a,1,0.123456789,0.1,0.2,x\n"
        "a,2,,,,y\n"
        "all,essays,1.0,,,\n"
        "all,chats,2.0,,,\n"
    )


def test_a_series_with_more_places_than_values_is_a_mistake():
    with pytest.raises(ValueError, match="zip"):
        figure_csv(figure(Series("a", (1, 2), (0.1,))))


def test_both_themes_name_the_same_colours():
    assert list(COLOURS["light"]) == list(COLOURS["dark"])
    assert properties("dark").count("\n") == len(COLOURS["dark"]) - 1


def luminance(colour: str) -> float:
    """Relative luminance of a colour, as WCAG 2.2 defines it."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, two: str) -> float:
    low, high = sorted((luminance(one), luminance(two)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("ground", ["paper", "surface"])
def test_text_stands_out_by_4_5_and_series_by_3(theme: str, ground: str):
    colours = COLOURS[theme]
    for name in ("ink", "muted", "accent", "true", "false", "missed"):
        assert contrast(colours[name], colours[ground]) >= 4.5, name
    for name in colours:
        if name.startswith("series-"):
            assert contrast(colours[name], colours[ground]) >= 3, name
