"""Figures of all kinds, with what figures may hold."""

from __future__ import annotations

from gecbench.reports.report import Figure, FigureKind, Series, Words

SYSTEMS = tuple(f"system-{at:02d}" for at in range(15))
TYPES = (Words("missing", "缺失"), Words("redundant", "冗余"), Words("word order", "词序"))
LONG = "a-system-whose-name-is-longer-than-any-figure-can-show-in-one-line-or-even-in-two"
F = Words("F0.5 (%)", "F0.5（%）")


def figure(kind: FigureKind, *series: Series, name: str = "", iso_f: float | None = None) -> Figure:
    return Figure(
        name=name or f"trial-{kind}",
        kind=kind,
        title=Words(f"A trial of {kind}", "试验图"),
        alt=Words("The first of them is 31.", "第一个是 31。"),
        x_label=Words("sentences", "句数"),
        y_label=F,
        series=series,
        iso_f=iso_f,
    )


def values(at: int, count: int) -> tuple[float, ...]:
    return tuple(31.0 + at * 1.7 + step * 2.3 for step in range(count))


LINES = figure(
    "lines",
    *(
        Series(name, (1, 2, 3), (31.0 + at, None if at == 2 else 33.0 + at, 34.5 + at))
        for at, name in enumerate(SYSTEMS)
    ),
)
BANDS = figure(
    "lines",
    Series("a", (1, 2, 3), (1.5, None, 2.5), (1.0, None, 2.0), (2.0, None, 3.0)),
    Series("b", (1, 2, 3), (None, None, None)),
    name="trial-bands",
)
OVER_TYPES = figure("lines", Series("a", TYPES, values(0, 3)), name="trial-over-types")
BARS = figure("bars", Series(Words("all", "全部"), ("1", "2", "3"), (12, None, -3)))
GROUPS = figure(
    "bars",
    *(
        Series(name, TYPES, values(at, 3), (30.0, None, 31.0), (36.0, None, 37.0))
        for at, name in enumerate(SYSTEMS[:3])
    ),
    name="trial-groups",
)
LYING = figure(
    "bars",
    Series("a", (LONG, "二", "三"), (-1.25, 0.5, 2.0), (-2.0, 0.4, 1.0), (-1.0, 0.6, 3.0)),
    name="trial-lying",
)
DOTS = figure(
    "bars",
    *(Series(name, TYPES, (31.0, None, 33.0)) for name in SYSTEMS),
    name="trial-dots",
)
POINTS = figure(
    "points",
    *(
        Series(name, (20.0 + at % 4,), (40.0 + at % 3,), labels=(name,))
        for at, name in enumerate((*SYSTEMS, LONG))
    ),
    iso_f=0.5,
)
CLOUD = figure(
    "points",
    Series("annotators", (1, 2, 3), (60.0, None, 70.0), (59.0, None, 69.0), (61.0, None, 71.0)),
    Series("mean", (2,), (65.0,), labels=("mean",)),
    name="trial-cloud",
)
INTERVALS = figure(
    "intervals",
    Series("a", SYSTEMS, values(-1, 15), values(-2, 15), values(0, 15)),
    Series(Words("b", "乙"), SYSTEMS[:2], (-3.0, None)),
)
MATRIX = figure(
    "matrix",
    Series("a", ("a", "b"), (None, -0.25)),
    Series("b", ("a", "b"), (0.25, None)),
)
TABLE = figure(
    "matrix",
    *(Series(name, SYSTEMS, values(at, 15)) for at, name in enumerate(SYSTEMS)),
    name="trial-table",
)
NAMED = figure("matrix", Series("a", ("a",), (3,), labels=("3 **",)), name="trial-named")
WHOLE = figure("matrix", Series("a", ("a", "b"), (3, 4)), name="trial-whole")
FRACTIONS = figure("lines", Series("a", (0.25, 0.5), (1.0, 2.0)), name="trial-fractions")
ABOVE_ZERO = figure(
    "intervals", Series("a", ("x", "y"), (5.0, 6.0), (4.0, 5.0), (6.0, 7.0)), name="trial-above"
)
CROWD = figure(
    "points",
    Series(
        "a",
        tuple(float(at % 7) for at in range(60)),
        tuple(float(at % 5) for at in range(60)),
        labels=tuple(f"sentence number {at}" for at in range(60)),
    ),
    name="trial-crowd",
)
EMPTY = figure("lines", name="trial-empty")

ALL = (
    LINES,
    BANDS,
    OVER_TYPES,
    BARS,
    GROUPS,
    LYING,
    DOTS,
    POINTS,
    CLOUD,
    INTERVALS,
    MATRIX,
    TABLE,
    NAMED,
    WHOLE,
    FRACTIONS,
    ABOVE_ZERO,
    CROWD,
    EMPTY,
)
