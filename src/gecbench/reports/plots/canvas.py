"""From a figure to SVG, PDF and PNG: fonts, settings, layout and output of matplotlib."""

from __future__ import annotations

import io
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

import matplotlib as mpl
from matplotlib.backends.backend_svg import FigureCanvasSVG, RendererSVG
from matplotlib.figure import Figure as Drawing
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.text import Text
from matplotlib.transforms import IdentityTransform

from gecbench.core.errors import GecbenchError
from gecbench.reports.plots import vector
from gecbench.reports.plots.charts import KINDS
from gecbench.reports.plots.style import NO_DATA, SIZE, WIDTH, Look, place, wrapped

if TYPE_CHECKING:
    from matplotlib.backend_bases import GraphicsContextBase
    from matplotlib.font_manager import FontProperties

    from gecbench.reports.plots import FileFormat
    from gecbench.reports.report import Figure, Language
    from gecbench.reports.theme import Theme

_DPI = 72
_PNG_DPI = 220
_PAD = 0.04
_TITLE_COLUMNS = 68
_TITLE_HEIGHT = 16 / 72
_ANCHORED: Mapping[str | None, tuple[Literal["center", "right"], float]] = {
    "ha-center": ("center", 0.5),
    "ha-right": ("right", 1.0),
}


def page_svg(figure: Figure, language: Language) -> str:
    """Return a figure as `plots.svg` promises."""
    look = Look("light", language)
    _require_numbers(figure, look)
    with _settings(look, [vector.LATIN], "none", figure.name):
        drawing = _painted(figure, look, titled=False, renderer=_PageRenderer)
        width, height = (side * _DPI for side in drawing.get_size_inches())
        out = io.StringIO()
        renderer = _PageRenderer(  # type: ignore[no-untyped-call]
            width, height, out, image_dpi=_DPI, metadata={"Date": None}
        )
        drawing.draw(renderer)
        renderer.finalize()  # type: ignore[no-untyped-call]
    return vector.themed(out.getvalue(), figure, language)


def file_bytes(figure: Figure, format: FileFormat, language: Language, theme: Theme) -> bytes:
    """Return a figure as `plots.draw` promises."""
    look = Look(theme, language)
    _require_numbers(figure, look)
    with _settings(look, vector.families(_texts(figure, look)), "path", figure.name):
        drawing = _painted(figure, look, titled=True, renderer=RendererSVG)
        out = io.BytesIO()
        metadata = {
            "svg": {"Date": None, "Creator": None, "Format": None, "Type": None},
            "pdf": {"CreationDate": None, "Title": look.said(figure.title)},
            "png": {
                "Software": None,
                "Title": look.said(figure.title),
                "Description": look.said(figure.alt),
            },
        }
        drawing.savefig(
            out,
            format=format,
            dpi=_PNG_DPI if format == "png" else _DPI,
            facecolor=look.colour("paper"),
            metadata=metadata[format],
        )
    if format != "svg":
        return out.getvalue()
    return vector.standalone(out.getvalue().decode("utf-8"), figure, language).encode("utf-8")


def _texts(figure: Figure, look: Look) -> Sequence[str]:
    """Return all that a figure may write."""
    words = [figure.title, figure.x_label, figure.y_label, NO_DATA, "…−"]
    for series in figure.series:
        words += [series.name, *series.labels]
        words += [x for x in series.x if not isinstance(x, int | float)]
    return [look.said(text) for text in words]


@contextmanager
def _settings(look: Look, families: list[str], letters: str, salt: str) -> Iterator[None]:
    """Draw by our settings, whatever those of the user are, and leave his alone."""
    ink, muted, line = (look.colour(name) for name in ("ink", "muted", "line"))
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(
            {
                "font.family": families,
                "font.size": SIZE,
                "text.color": ink,
                "text.parse_math": False,
                "axes.edgecolor": line,
                "axes.labelcolor": muted,
                "axes.labelsize": SIZE,
                "axes.titlesize": SIZE,
                "axes.titlecolor": muted,
                "axes.titlepad": 8,
                "figure.facecolor": "none",
                "axes.facecolor": "none",
                "axes.axisbelow": True,
                "axes.spines.top": False,
                "axes.spines.right": False,
                "axes.formatter.useoffset": False,
                "axes.formatter.limits": (-6, 9),
                "grid.color": line,
                "grid.linewidth": 0.6,
                "xtick.color": line,
                "ytick.color": line,
                "xtick.labelcolor": ink,
                "ytick.labelcolor": ink,
                "xtick.labelsize": SIZE,
                "ytick.labelsize": SIZE,
                "xtick.major.size": 3,
                "ytick.major.size": 0,
                "ytick.major.pad": 5,
                "legend.frameon": False,
                "legend.fontsize": SIZE,
                "legend.borderaxespad": 0.2,
                "legend.handlelength": 2.2,
                "legend.labelspacing": 0.55,
                "lines.linewidth": 1.5,
                "lines.markersize": 4.8,
                "svg.fonttype": letters,
                "svg.hashsalt": salt,
                "pdf.compression": 9,
            }
        )
        yield


def _painted(
    figure: Figure,
    look: Look,
    *,
    titled: bool,
    renderer: type[RendererSVG],
    listed: bool = False,
) -> Drawing:
    """Draw a figure and find the place of everything.

    Args:
        figure: What to draw.
        look: Its colours and language.
        titled: The title stands above it.
        renderer: What measures texts.
        listed: There is a legend even where labels say all that it does.
    """
    values = [y for series in figure.series for y in series.y if y is not None]
    kind = KINDS[figure.kind]
    height = kind.height(figure, look) if values else 1.2
    title = wrapped(look.said(figure.title), _TITLE_COLUMNS, 3) if titled else ""
    above = _TITLE_HEIGHT * (title.count("\n") + 1) + 0.08 if title else 0.0
    drawing = Drawing(figsize=(WIDTH, height + above), dpi=_DPI)
    _Canvas(drawing, renderer)
    axes = drawing.add_subplot()
    if not values:
        _entitle(drawing, title)
        axes.set_axis_off()
        axes.text(0.5, 0.5, look.said(NO_DATA), color=look.colour("muted"), ha="center")
        return _laid_out(drawing)
    entries = kind.draw(axes, figure, look)
    named = kind.named(figure, look) and not listed
    right, top = place(drawing, () if named else entries, above=above)
    _entitle(drawing, title)
    engine = ConstrainedLayoutEngine(w_pad=_PAD, h_pad=_PAD, rect=(0, 0, right, top))
    drawing.set_layout_engine(engine)
    _laid_out(drawing)
    if not kind.finish(axes, figure, look) and named:
        return _painted(figure, look, titled=titled, renderer=renderer, listed=True)
    return drawing


def _entitle(drawing: Drawing, title: str) -> None:
    """Write the title at the upper left."""
    if not title:
        return
    drawing.text(
        0.04 / WIDTH,
        1 - 0.05 / drawing.get_figheight(),
        title,
        size=SIZE + 2,
        weight="bold",
        verticalalignment="top",
        linespacing=1.25,
    ).set_in_layout(False)


def _require_numbers(figure: Figure, look: Look) -> None:
    """Refuse what has no place on an axis.

    Raises:
        GecbenchError: A number of the figure is nan or infinite.
    """
    for series in figure.series:
        for field in ("x", "y", "low", "high"):
            for at, value in enumerate(getattr(series, field), 1):
                if isinstance(value, int | float) and not math.isfinite(value):
                    raise GecbenchError(
                        f"figure {figure.name}, series {look.said(series.name)!r}: "
                        f"number {at} of its {field} is {value}; give a finite number, or None "
                        "where there is nothing to show"
                    )


def _laid_out(drawing: Drawing) -> Drawing:
    """Fix the layout, so that all formats have the same."""
    drawing.draw(drawing.canvas.get_renderer())  # type: ignore[attr-defined]
    drawing.set_layout_engine("none")
    for text in drawing.findobj(Text):
        if "\n" in text.get_text():
            text.set_gid(f"ha-{text.get_horizontalalignment()}")
    return drawing


class _Canvas(FigureCanvasSVG):
    """A canvas that measures text as the renderer of the output will."""

    def __init__(self, drawing: Drawing, renderer: type[RendererSVG]) -> None:
        super().__init__(drawing)
        self._renderer = renderer(100, 100, io.StringIO(), image_dpi=_DPI, metadata={"Date": None})

    def get_renderer(self) -> RendererSVG:
        return self._renderer


class _PageRenderer(RendererSVG):
    """Writes text for fonts that are not known yet."""

    _gid: str | None = None

    def get_text_width_height_descent(
        self, s: str, prop: FontProperties, ismath: bool | Literal["TeX"]
    ) -> tuple[float, float, float]:
        """Measure a text as wide as it will be, without a font that has its characters."""
        size: tuple[float, float, float] = super().get_text_width_height_descent(  # type: ignore[no-untyped-call]
            vector.measurable(s), prop, ismath
        )
        return size

    def open_group(self, s: str, gid: str | None = None) -> None:
        """Remember how the lines that follow are aligned."""
        self._gid = gid
        super().open_group(s, gid)  # type: ignore[no-untyped-call]

    def draw_text(
        self,
        gc: GraphicsContextBase,
        x: float,
        y: float,
        s: str,
        prop: FontProperties,
        angle: float,
        ismath: bool | Literal["TeX"] = False,
        mtext: Text | None = None,
    ) -> None:
        """Anchor each line of several where it is aligned; matplotlib does it for single ones."""
        if mtext is None and angle == 0 and self._gid in _ANCHORED:
            side, share = _ANCHORED[self._gid]
            at = x + share * self.get_text_width_height_descent(s, prop, ismath)[0]
            mtext = Text(at, self.height - y, s, horizontalalignment=side)
            mtext.set_transform(IdentityTransform())
        super().draw_text(gc, x, y, s, prop, angle, ismath=ismath, mtext=mtext)  # type: ignore[no-untyped-call]
