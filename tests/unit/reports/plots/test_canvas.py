"""Figures drawn: as SVG for pages, as files, in both languages and themes."""

from __future__ import annotations

import functools
import io
import re
import xml.etree.ElementTree as ET

import matplotlib as mpl
import pytest
from figure_cases import (
    ABOVE_ZERO,
    ALL,
    BANDS,
    BARS,
    CLOUD,
    DOTS,
    EMPTY,
    GROUPS,
    LINES,
    LONG,
    MATRIX,
    POINTS,
    SYSTEMS,
    TABLE,
    figure,
)
from messages import expect_error

from gecbench.core.errors import GecbenchError, MissingExtraError, UsageError
from gecbench.reports import plots
from gecbench.reports.plots import COLOURS, canvas, draw, svg, write_figures
from gecbench.reports.plots.charts import ABOVE, BELOW, DEEPEST, FAINTEST, opacity
from gecbench.reports.plots.style import wrap
from gecbench.reports.report import Figure, FigureKind, Series, Words

from ..test_report import contrast

every_figure = pytest.mark.parametrize("one", ALL, ids=lambda figure: figure.name)
SVG = "{http://www.w3.org/2000/svg}"


page = functools.cache(svg)
"""For tests that change nothing on which a drawing depends."""


def elements(svg_text: str) -> list[ET.Element]:
    return list(ET.fromstring(svg_text).iter())


def texts(svg_text: str) -> str:
    return " ".join(
        element.text or "" for element in elements(svg_text) if element.tag == SVG + "text"
    )


@pytest.mark.no_cover
@pytest.mark.parametrize(
    "figure", [BANDS, GROUPS, DOTS, CLOUD, ABOVE_ZERO, MATRIX], ids=lambda figure: figure.name
)
def test_the_same_figure_gives_the_same_page(figure: Figure):
    assert svg(figure, "en") == page(figure, "en")


@pytest.mark.no_cover
@pytest.mark.parametrize("form", ["svg", "pdf", "png"])
@pytest.mark.usefixtures("chinese_font")
def test_files_are_the_same_each_day(form: str, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1000000000")
    before = draw(POINTS, format=form, language="zh")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1500000000")
    assert draw(POINTS, format=form, language="zh") == before


@every_figure
def test_a_page_can_restrict_styles_and_set_all_colours(one: Figure):
    for element in elements(page(one, "en")):
        assert element.tag.removeprefix(SVG) not in ("style", "metadata", "script", "image")
        assert "style" not in element.attrib
        for name in ("fill", "stroke"):
            assert element.get(name, "none") == "none" or re.fullmatch(
                r"var\(--[a-z0-9-]+, #[0-9a-f]{6}\)", element.attrib[name]
            )


@every_figure
def test_a_figure_says_what_it_shows_in_the_language_of_the_page(one: Figure):
    for language, title, alt in (
        ("en", one.title.en, one.alt.en),
        ("zh", one.title.zh, one.alt.zh),
    ):
        root = ET.fromstring(page(one, language))
        name, description = root.attrib["aria-labelledby"].split()
        assert root.attrib["role"] == "img"
        assert (root[0].get("id"), root[0].text) == (name, title)
        assert (root[1].get("id"), root[1].text) == (description, alt)
        assert "width" not in root.attrib
        assert root.attrib["viewBox"].startswith("0 0 468 ")


def test_ids_are_unique_over_all_figures_and_languages_and_all_are_used():
    pages = [page(figure, language) for figure in ALL for language in ("en", "zh")]
    ids = [
        element.attrib["id"] for page in pages for element in elements(page) if element.get("id")
    ]
    assert len(ids) == len(set(ids))
    joined = "".join(pages)
    used = set(re.findall(r'(?:url\(#|href="#)([\w-]+)', joined))
    assert used <= set(ids)
    assert set(re.findall(r'aria-labelledby="([^"]+) ([^"]+)"', joined)) == {
        (f"{figure.name}-{language}-title", f"{figure.name}-{language}-alt")
        for figure in ALL
        for language in ("en", "zh")
    }


def test_text_stays_text_in_pages_and_becomes_outlines_in_files():
    assert "系统" not in page(LINES, "zh")
    assert "句数" in texts(page(LINES, "zh"))
    assert "system-14" in texts(page(LINES, "zh"))
    assert "<text" not in draw(LINES, format="svg", language="en").decode()


@every_figure
def test_every_series_and_category_is_named_once_at_least(one: Figure):
    if one is POINTS:
        return  # one name is too long; see below
    shown = texts(page(one, "en"))
    names = [series.name for series in one.series] if len(one.series) > 1 else []
    names += [x for series in one.series for x in series.x if not isinstance(x, int | float)]
    for name in names:
        name = name.en if isinstance(name, Words) else name
        assert name in shown or name == LONG


def test_a_name_too_long_ends_with_an_ellipsis():
    assert "…" in texts(page(POINTS, "en"))
    assert "system-07" in texts(page(POINTS, "en"))


def places(svg_text: str) -> list[tuple[str, float, float]]:
    """Texts with where they begin, in units of the picture."""
    places = []
    for element in elements(svg_text):
        if element.tag == SVG + "text":
            moved = re.match(r"translate\(([\d.-]+) ([\d.-]+)\)", element.get("transform", ""))
            x, y = moved.groups() if moved else (element.attrib["x"], element.attrib["y"])
            places.append((element.text or "", float(x), float(y)))
    return places


def like(kind: FigureKind, count: int) -> Figure:
    """A figure of systems whose long names differ at the end only."""
    names = [f"university-of-somewhere-seq2seq-large-v{at}" for at in range(count)]
    xs = (1, 2) if kind in ("lines", "points") else ("a", "b")
    return figure(kind, *(Series(name, xs, (1.0 + at, 2.0)) for at, name in enumerate(names)))


@pytest.mark.no_cover
@pytest.mark.parametrize("count", [2, 8, 15, 25])
@pytest.mark.parametrize("kind", ["lines", "bars", "points", "intervals"])
def test_a_legend_is_never_cut_off_and_tells_names_apart(kind: FigureKind, count: int):
    svg_text = page(like(kind, count), "en")
    height = float(ET.fromstring(svg_text).attrib["viewBox"].split()[3])
    assert all(8 < y < height and 0 <= x < 468 for _, x, y in places(svg_text))
    assert height < 29 * count + 320
    shown = texts(svg_text).replace("- ", "-").replace("… ", "…")
    for at in range(count):
        assert len(re.findall(rf"large-v{at}(?!\d)", shown)) == 1


def test_the_title_of_a_file_stands_above_a_legend_that_needs_more_height():
    from PIL import Image

    pixels = []
    for count in (8, 15):
        file = draw(like("bars", count), format="png", language="en")
        size = Image.open(io.BytesIO(file)).size
        on_page = float(ET.fromstring(page(like("bars", count), "en")).attrib["viewBox"].split()[3])
        pixels.append((size[1] * 72 / 220 - on_page, size[0]))
    assert pixels[0] == pytest.approx(pixels[1], abs=1)
    assert pixels[0][0] == pytest.approx(16 + 0.08 * 72, abs=6)


def test_rows_and_columns_of_systems_that_share_a_prefix_are_told_apart():
    names = tuple(f"university-of-somewhere-seq2seq-transformer-v{at}-big" for at in range(12))
    square = figure("matrix", *(Series(name, names, tuple(range(12))) for name in names))
    shown = texts(page(square, "en")).replace("- ", "-")
    for at in range(12):
        assert len(re.findall(rf"[-…]v{at}[-…]", shown)) == 2


@pytest.mark.parametrize(
    "zeros",
    [
        figure("bars", Series("a", ("x", "y"), (0.0, 0.0))),
        figure("bars", Series("a", (LONG, "y"), (0.0, None))),
        figure("bars", *(Series(name, ("x",), (0.0,)) for name in SYSTEMS)),
        figure("lines", Series("a", (1, 2), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0))),
    ],
    ids=["standing", "lying", "dots", "lines"],
)
def test_an_axis_on_which_all_is_zero_does_not_go_below(zeros: Figure):
    labels = [text for text, *_ in places(page(zeros, "en")) if re.fullmatch(r"−?[\d.]+", text)]
    assert "1" in labels
    assert not any(text.startswith("−") for text in labels)


def test_whole_numbers_have_whole_marks():
    won = figure("bars", Series("a", ("x", "y", "z"), (-1.0, 0.0, 1.0)))
    labels = {text for text, *_ in places(page(won, "en")) if re.fullmatch(r"−?[\d.]+", text)}
    assert labels == {"−1", "0", "1"}


@pytest.mark.parametrize(("counts", "whole"), [((4, 4, 4), {"4"}), ((2, 3, 4), {"2", "3", "4"})])
def test_points_over_counts_have_whole_marks(counts: tuple[int, ...], whole: set[str]):
    svg_text = page(figure("points", Series("a", counts, (31.5, 47.2, 49.9))), "en")
    labels = {text for text, *_ in places(svg_text) if re.fullmatch(r"\d(\.\d+)?", text)}
    assert labels == whole


@pytest.mark.parametrize("kind", ["lines", "bars", "points", "intervals", "matrix"])
@pytest.mark.parametrize("wrong", [float("nan"), float("inf")])
def test_a_number_that_is_none_is_refused_in_every_kind(kind: FigureKind, wrong: float):
    single_figure = figure(kind, Series(Words("ours", "我们的"), (1, 2), (1.0, wrong)))
    message = (
        f"figure trial-{kind}, series 'ours': number 2 of its y is {wrong}; "
        "give a finite number, or None where there is nothing to show"
    )
    with pytest.raises(GecbenchError, match=f"^{re.escape(message)}$"):
        svg(single_figure, "en")
    with pytest.raises(GecbenchError, match=f"^{re.escape(message)}$"):
        draw(single_figure, format="pdf", language="en")
    ends = figure(kind, Series("a", (1,), (1.0,), (wrong,), (2.0,)))
    with expect_error(GecbenchError, f"trial-{kind}", "number 1", "low", str(wrong)):
        svg(ends, "en")


def test_lines_are_listed_as_they_end_from_above():
    shown = texts(page(LINES, "en"))
    places = [shown.index(f"system-{at:02d}") for at in range(15)]
    assert places == sorted(places, reverse=True)


def test_many_groups_of_bars_become_dots_with_a_marker_for_each_series():
    svg_text = page(DOTS, "en")
    markers = {
        (element.get("href"), element.get("fill"))
        for element in elements(svg_text)
        if element.tag == SVG + "use" and element.get("stroke-width") != "0.8"
    }
    assert len({href for href, _ in markers}) == 15


def test_a_single_group_of_bars_has_its_values_in_words():
    assert {"12", "−3"} <= set(texts(page(BARS, "en")).split())


def test_lines_of_equal_f_are_named():
    assert page(POINTS, "en").count(">F0.5<") == 1
    assert page(figure("points", *POINTS.series), "en").count(">F0.5<") == 0


def test_a_matrix_shows_each_number_as_exactly_as_its_neighbours():
    assert {"0.25", "−0.25"} <= set(texts(page(MATRIX, "en")).split())
    assert "31.0" in texts(page(TABLE, "en")).split()


def test_a_matrix_never_shows_as_zero_what_is_not():
    small = figure("matrix", Series("a", ("p", "q", "r", "s"), (0.0004, -0.0004, 0.0, 0.3)))
    assert texts(page(small, "en")).split()[-6:-2] == ["<0.01", ">−0.01", "0.00", "0.30"]


def test_grounds_of_a_matrix_grow_with_values_and_p_values_are_held_against_one():
    assert opacity(0.0004, [0.0004, 0.0005]) < FAINTEST + 0.001
    assert opacity(1.0, [0.2, 1.0]) == DEEPEST
    assert opacity(-50.0, [-50.0, 20.0]) == DEEPEST
    assert opacity(40.0, [40.0, 60.0]) == FAINTEST
    assert opacity(10.0, [10.0, 60.0]) > FAINTEST
    assert opacity(7.0, [7.0, 7.0]) == (FAINTEST + DEEPEST) / 2


def blend(colour: str, ground: str, share: float) -> str:
    pairs = [(int(colour[at : at + 2], 16), int(ground[at : at + 2], 16)) for at in (1, 3, 5)]
    return "#" + "".join(f"{round(share * a + (1 - share) * b):02x}" for a, b in pairs)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("colour", [ABOVE, BELOW])
@pytest.mark.parametrize("ground", ["paper", "surface"])
def test_numbers_of_a_matrix_are_legible_on_every_ground(theme: str, colour: str, ground: str):
    colours = COLOURS[theme]
    for share in (FAINTEST, DEEPEST):
        cell = blend(colours[colour], colours[ground], share)
        assert contrast(colours["ink"], cell) >= 4.5


def test_an_empty_figure_says_so():
    assert texts(page(EMPTY, "en")) == "no data"
    assert texts(page(EMPTY, "zh")) == "没有数据"
    gaps = figure("bars", Series("a", ("x",), (None,)))
    assert texts(page(gaps, "en")) == "no data"


def test_themes_of_files_differ_in_colours_only():
    light = draw(LINES, format="svg", language="en").decode()
    dark = draw(LINES, format="svg", language="en", theme="dark").decode()
    assert COLOURS["dark"]["paper"] in dark
    assert COLOURS["dark"]["paper"] not in light
    for name, colour in COLOURS["dark"].items():
        dark = dark.replace(colour, COLOURS["light"][name])
    assert dark == light


def test_hostile_names_are_text():
    name = "<script>'$x$'&\x0b\u202e\ud800"
    single_figure = figure("lines", Series(name, (1,), (1.0,)), Series("b", (1,), (2.0,)))
    page = svg(single_figure, "en")
    assert "<script" not in page
    assert "<script>'$x$'&" in texts(page)
    draw(single_figure, format="png", language="en")


def test_settings_of_the_user_neither_matter_nor_change():
    before = svg(LINES, "en")
    with mpl.rc_context({"font.size": 30, "axes.ymargin": 0.4}):
        assert svg(LINES, "en") == before
        assert mpl.rcParams["font.size"] == 30


@pytest.mark.usefixtures("chinese_font")
def test_chinese_letters_of_files_are_those_of_a_font():
    from PIL import Image

    files = [draw(LINES, format="png", language=language) for language in ("en", "zh")]
    pictures = [Image.open(io.BytesIO(file)) for file in files]
    assert pictures[0].size == pictures[1].size
    assert pictures[1].text["Title"] == "试验图"
    assert pictures[0].tobytes() != pictures[1].tobytes()


def test_a_character_that_no_font_has_is_an_error_not_a_box():
    single_figure = figure("lines", Series("a\U0001f9ea", (1,), (1.0,)))
    with expect_error(GecbenchError, "'🧪'", "U+1F9EA", "'a🧪'"):
        draw(single_figure, format="png", language="en")
    assert "🧪" not in texts(svg(single_figure, "en"))


def test_without_a_chinese_font_the_package_that_brings_one_is_named(monkeypatch):
    monkeypatch.setattr(canvas, "_font_families", lambda: frozenset({"DejaVu Sans"}))
    with expect_error(GecbenchError, "fonts-noto-cjk"):
        draw(LINES, format="pdf", language="zh")
    draw(LINES, format="pdf", language="en")


def test_pages_need_no_chinese_font(monkeypatch):
    before = svg(LINES, "zh")
    monkeypatch.setattr(canvas, "_font_families", lambda: frozenset({"DejaVu Sans"}))
    assert svg(LINES, "zh") == before


@pytest.mark.usefixtures("chinese_font")
def test_fonts_that_came_after_matplotlib_made_its_list_are_found(monkeypatch):
    canvas._font_families.cache_clear()
    listed = canvas.font_manager.fontManager.ttflist
    monkeypatch.setattr(
        canvas.font_manager.fontManager,
        "ttflist",
        [font for font in listed if "CJK" not in font.name],
    )
    assert "Noto Sans CJK JP" in canvas._font_families()
    canvas._font_families.cache_clear()


def test_files_are_named_after_figures_and_have_their_data_beside(tmp_path):
    folder = tmp_path / "new" / "figures"
    written = write_figures([LINES, BARS], folder, formats=("png", "svg"), language="en")
    assert [path.name for path in written] == [
        "trial-lines.svg",
        "trial-lines.png",
        "trial-lines.csv",
        "trial-bars.svg",
        "trial-bars.png",
        "trial-bars.csv",
    ]
    assert sorted(path.name for path in folder.iterdir()) == sorted(p.name for p in written)
    assert (folder / "trial-lines.png").read_bytes().startswith(b"\x89PNG")
    assert (folder / "trial-bars.csv").read_text("utf-8").startswith("series,x,y,low,high,label\n")


def test_no_figures_is_an_empty_folder(tmp_path):
    assert write_figures([], tmp_path / "none", formats=("svg",), language="en") == []


def test_nothing_is_written_where_one_figure_cannot_be_drawn(tmp_path):
    bad = figure("lines", Series("a\U0001f9ea", (1,), (1.0,)))
    with pytest.raises(GecbenchError, match="no font here"):
        write_figures([LINES, bad], tmp_path / "none", formats=("png",), language="en")
    assert not (tmp_path / "none").exists()


def test_a_line_narrower_than_a_character_still_moves_on():
    assert wrap("语法错误", 1, 4) == "语\n法\n错\n误"
    assert wrap("语法错误", 1, 2) == "语\n法…"


def test_an_unknown_format_is_refused():
    with expect_error(UsageError, "'gif'", "svg, pdf, png"):
        draw(LINES, format="gif", language="en")


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    monkeypatch.setattr(plots, "find_spec", lambda _: None)
    with pytest.raises(MissingExtraError, match=r"matplotlib.*gecbench\[report\]"):
        svg(LINES, "en")
    with pytest.raises(MissingExtraError, match=r"matplotlib.*gecbench\[report\]"):
        draw(LINES, format="png", language="en")
