"""Difficulty as tables, figures and JSON, and its chunks as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from gecbench.analysis.difficulty import (
    MEASURES,
    Difficulty,
    Level,
    Measure,
    TypeDifficulty,
    system_means,
)
from gecbench.core.errors import count_noun
from gecbench.core.score import best_places
from gecbench.reports.report import (
    Column,
    Figure,
    Report,
    Series,
    Table,
    Value,
    Words,
    columns_of,
    data_of,
    join_texts,
)

_SYSTEM = Column("system", zh="系统")
_PARTS: dict[Level, Words] = {
    1: Words("operation", "编辑操作"),
    2: Words("category", "错误类别"),
    3: Words("type", "错误类型"),
}
_NO_PART = "-"
"""Stands for what a type lacks, as in the tables of scores."""

_MOST_TYPES = 30
"""Types in the figure; the table has all."""


def build_report(results: Sequence[Difficulty], tier: Level | None = None) -> Report:
    """Show what was found of one corpus or several.

    Args:
        results: At least one; one for each corpus, or each reference of it.
        tier: The part of types in the table of types: operation (1), category (2), whole (3);
            None means the category, and the whole where most types have none.
    """
    level: Level = tier or (2 if _have_categories(results) else 3)
    figures = [_scores_figure(results)]
    if any(result.types[level] for result in results):
        figures.append(_types_figure(results, level))
    if any(len(result.scores) > 1 for result in results):
        figures.append(_ranks_figure(results))
    return Report(
        name="difficulty",
        title=Words("How difficult the errors are", "错误的难度"),
        corpus=" + ".join(dict.fromkeys(result.corpus for result in results)),
        tables=tuple(_tables(results, level)),
        figures=tuple(figures),
        data=_data(results),
        notes=tuple(dict.fromkeys(_notes(results))),
        signatures=tuple(dict.fromkeys(str(result.signature) for result in results)),
    )


def _have_categories(results: Sequence[Difficulty]) -> bool:
    """Say whether most errors have a category behind their operation."""
    types = [kind for result in results for kind in result.types[2]]
    return 2 * sum(kind.errors for kind in types if kind.label) > sum(kind.errors for kind in types)


def _notes(results: Sequence[Difficulty]) -> Iterator[str]:
    """Yield the notes of all results, with the corpus where there are several."""
    several = len({result.corpus for result in results}) > 1
    for result in results:
        about = (
            f"{result.reference}: {count_noun(len(result.table.ids), 'sentence')}, "
            f"{count_noun(result.table.size, 'chunk')}, {count_noun(result.table.errors, 'error')}"
            f"; weights of {count_noun(result.voters, 'system')} ({result.origin})"
        )
        head = f"{result.corpus}: " if several else ""
        yield from (f"{head}{note}" for note in (about, *result.notes))


def _heads(results: Sequence[Difficulty]) -> dict[Column, list[str]]:
    """The columns that tell results apart, with the names of each result."""
    heads = {
        Column("corpus", zh="语料"): [result.corpus for result in results],
        Column("reference", zh="参考答案"): [result.reference for result in results],
    }
    return {column: names for column, names in heads.items() if len(set(names)) > 1}


def _names(results: Sequence[Difficulty]) -> list[tuple[str, ...]]:
    """What tells each result from the others; () where there is one."""
    return list(zip(*_heads(results).values(), strict=True)) or [()] * len(results)


def _f(results: Sequence[Difficulty]) -> str:
    """What the F of these results is called, as F0.5."""
    return f"F{results[0].beta:g}"


def _measure_words(results: Sequence[Difficulty], measure: Measure) -> Words:
    """The name of a measure, with the spaces that it has inside Chinese text."""
    return Words(_f(results), f" {_f(results)} ") if measure == "f" else Words("accuracy", "准确率")


# The tables.


def _tables(results: Sequence[Difficulty], level: Level) -> Iterator[Table]:
    yield _scores(results)
    yield from (_ranking(results, measure) for measure in MEASURES)
    yield _types(results, level)
    if any(scores.break_even for result in results for scores in result.scores):
        yield _unlike(results)
    if len(results) > 1:
        yield from (_means(results, measure) for measure in MEASURES)


def _scores(results: Sequence[Difficulty]) -> Table:
    f = _f(results)
    heads = (*_heads(results), _SYSTEM)
    rows: list[tuple[Value, ...]] = []
    marks: set[tuple[int, int]] = set()
    for result, names in zip(results, _names(results), strict=True):
        block = [
            [
                value
                for counts in (scores.weighted, scores.plain)
                for value in (counts.precision, counts.recall, counts.f, counts.accuracy)
            ]
            for scores in result.scores
        ]
        for index, column in enumerate(zip(*block, strict=True), len(heads)):
            marks |= {(len(rows) + row, index) for row in best_places(column)}
        rows += [
            (*names, scores.system, *values)
            for scores, values in zip(result.scores, block, strict=True)
        ]
    title = Words(
        "Scores weighted by difficulty, and plain ones of the same chunks",
        "按难度加权的得分，以及同一组语块的未加权得分",
    )
    measures = {"P": "精确率", "R": "召回率", f: f, "A": "准确率"}
    columns = (
        *heads,
        *(Column(name, "percent", zh=zh) for name, zh in measures.items()),
        *(
            Column(f"plain {name}", "percent", zh=f"未加权 {f}" if name == f else f"未加权{zh}")
            for name, zh in measures.items()
        ),
    )
    return Table("scores", title, columns, tuple(rows), frozenset(marks))


def _ranking(results: Sequence[Difficulty], measure: Measure) -> Table:
    words = _measure_words(results, measure)
    head = "A" if measure == "accuracy" else words.en
    title = Words(
        f"Rank by weighted {words.en}, against plain {words.en}",
        f"加权{words.zh}排名与未加权{words.zh}排名的对比",
    )
    columns = (
        *_heads(results),
        _SYSTEM,
        Column("rank", "count", zh="排名"),
        Column(head, "percent", zh=f"加权{words.zh}".rstrip()),
        Column("plain rank", "count", zh="未加权排名"),
        Column(f"plain {head}", "percent", zh=f"未加权{words.zh}".rstrip()),
        Column("change", "count", zh="名次变化"),
    )
    rows: tuple[tuple[Value, ...], ...] = tuple(
        (*names, rank.system, rank.rank, rank.value, rank.plain_rank, rank.plain, rank.change)
        for result, names in zip(results, _names(results), strict=True)
        for rank in result.ranking[measure]
    )
    return Table("ranking" if measure == "f" else "ranking-accuracy", title, columns, rows)


def _types(results: Sequence[Difficulty], level: Level) -> Table:
    """The difficulty of types, the most difficult of the first corpus first."""
    part = _PARTS[level]
    columns = [Column(part.en, zh=part.zh)]
    for names in _names(results):
        head = f"{', '.join(names)} " if names else ""
        columns += [
            Column(f"{head}mean", "number", zh=f"{head}平均"),
            Column(f"{head}SD", "number", zh=f"{head}标准差"),
            Column(f"{head}errors", "count", zh=f"{head}错误数"),
        ]
    by_label = [{kind.label: kind for kind in result.types[level]} for result in results]
    rows: list[tuple[Value, ...]] = []
    for label in dict.fromkeys(chain(*by_label)):
        types = (kinds.get(label) for kinds in by_label)
        cells = ((o.mean, o.deviation, o.errors) if o else (None, None, 0) for o in types)
        rows.append((label or _NO_PART, *chain(*cells)))
    title = Words(
        f"Weights of errors by {part.en}, the most difficult first", f"各{part.zh}的权重，难的在前"
    )
    return Table(f"types-{level}", title, tuple(columns), tuple(rows))


def _unlike(results: Sequence[Difficulty]) -> Table:
    columns = (
        *_heads(results),
        _SYSTEM,
        Column("errors", "count", zh="错误数"),
        Column("corrects", "count", zh="改对数"),
        Column("alone", "count", zh="独自改对数"),
        Column("level at", "number", zh="持平点"),
        Column("ahead from", "count", zh="领先点"),
    )
    rows: list[tuple[Value, ...]] = []
    for result, names in zip(results, _names(results), strict=True):
        for scores in result.scores:
            even = scores.break_even
            cells = (scores.system, result.table.errors, scores.corrected, scores.alone)
            ahead = even.ahead if even and even.possible else None
            rows.append((*names, *cells, even.level if even else None, ahead))
    title = Words(
        "If all others were like it: how many other errors an unlike system must correct",
        "若其他系统都与它相同：一个与众不同的系统须改对多少个别的错误",
    )
    return Table("unlike", title, columns, tuple(rows))


def _means(results: Sequence[Difficulty], measure: Measure) -> Table:
    columns = [_SYSTEM]
    for head in _labels(results):
        columns += [Column(head, "percent"), Column(f"{head} rank", "count", zh=f"{head} 排名")]
    columns += [Column("mean", "percent", zh="平均"), Column("SD", "percent", zh="标准差")]
    rows = tuple(
        (
            *(means.system, *chain(*zip(means.values, means.ranks, strict=True))),
            *(means.mean, means.deviation),
        )
        for means in system_means(results, measure)
    )
    words = _measure_words(results, measure)
    title = Words(
        f"Weighted {words.en} and rank on each, the highest mean first",
        f"各处的加权{words.zh}与排名，平均高的在前",
    )
    return Table(f"across-{measure}", title, tuple(columns), rows)


# The figures.


def _labels(results: Sequence[Difficulty]) -> list[str]:
    pairs = zip(results, _names(results), strict=True)
    return [", ".join(names) or result.corpus for result, names in pairs]


def _scores_figure(results: Sequence[Difficulty]) -> Figure:
    f = _f(results)
    series, alt = [], []
    for result, label in zip(results, _labels(results), strict=True):
        scores = [(o.system, 100 * o.plain.f, 100 * o.weighted.f) for o in result.scores]
        systems, plain, weighted = zip(*scores, strict=True)
        series.append(Series(label, plain, weighted, labels=systems))
        best = max(result.scores, key=lambda scores: scores.weighted.f)
        last = min(result.scores, key=lambda scores: scores.weighted.f)
        high, low, other = 100 * best.weighted.f, 100 * last.weighted.f, 100 * best.plain.f
        alt.append(
            Words(
                f"{label}: {best.system} is highest with {high:.2f} (plain {other:.2f}), "
                f"{last.system} lowest with {low:.2f}",
                f"{label}：{best.system} 最高，为 {high:.2f}（未加权 {other:.2f}），"
                f"{last.system} 最低，为 {low:.2f}",
            )
        )
    systems_alt = join_texts(alt, "; ")
    return Figure(
        name="difficulty-scores",
        kind="points",
        title=Words(f"{f} weighted by difficulty against plain {f}", f"加权 {f} 与未加权 {f}"),
        alt=Words(
            f"Weighted {f} in percent. {systems_alt.en}.",
            f"加权 {f}（百分比）。{systems_alt.zh}。",
        ),
        x_label=Words(f"plain {f} (%)", f"未加权 {f}（%）"),
        y_label=Words(f"weighted {f} (%)", f"加权 {f}（%）"),
        series=tuple(series),
    )


def _types_figure(results: Sequence[Difficulty], level: Level) -> Figure:
    """The mean weight of each type with its standard deviation."""
    frequent = [_most_frequent(result.types[level]) for result in results]
    first = [f"{o.label or _NO_PART} {o.mean:.2f}" for o in next(filter(None, frequent))]
    hardest, easiest = ", ".join(first[:3]), ", ".join(first[-3:][::-1])
    return Figure(
        name="difficulty-types",
        kind="intervals",
        title=Words(
            "Weight of errors by type: mean and standard deviation", "各类错误的权重：平均与标准差"
        ),
        alt=Words(
            f"Most difficult: {hardest}. Least difficult: {easiest}.",
            f"最难：{hardest}。最易：{easiest}。",
        ),
        x_label=Words("type of error", "错误类型"),
        y_label=Words("weight", "权重"),
        series=tuple(
            Series(
                label,
                tuple(kind.label or _NO_PART for kind in types),
                tuple(kind.mean for kind in types),
                tuple(kind.low for kind in types),
                tuple(kind.high for kind in types),
            )
            for label, types in zip(_labels(results), frequent, strict=True)
        ),
    )


def _most_frequent(types: Sequence[TypeDifficulty]) -> list[TypeDifficulty]:
    """The types with most errors, still the most difficult first."""
    frequent = sorted(types, key=lambda kind: -kind.errors)[:_MOST_TYPES]
    return [kind for kind in types if kind in frequent]


def _ranks_figure(results: Sequence[Difficulty]) -> Figure:
    series, alt = [], []
    for result, names in zip(results, _names(results), strict=True):
        systems = tuple(scores.system for scores in result.scores)
        for measure, ranking in result.ranking.items():
            words = _measure_words(results, measure)
            head = f"{', '.join(names)} " if names else ""
            words = Words(f"{head}{words.en}", f"{head}{words.zh.strip()}")
            change = {rank.system: rank.change for rank in ranking}
            series.append(Series(words, systems, tuple(map(change.__getitem__, systems))))
            moves = join_texts(f"{system} {move:+d}" for system, move in change.items() if move)
            alt.append(
                Words(
                    f"{words.en}: {moves.en or 'no change'}",
                    f"{words.zh}：{moves.zh or '没有变化'}",
                )
            )
    changes = join_texts(alt, "; ")
    return Figure(
        name="difficulty-ranks",
        kind="bars",
        title=Words(
            "Ranks won and lost when errors are weighted by difficulty", "按难度加权后名次的升降"
        ),
        alt=Words(f"{changes.en}.", f"{changes.zh}。"),
        x_label=Words("system", "系统"),
        y_label=Words("ranks won", "上升的名次"),
        series=tuple(series),
    )


# JSON, not rounded.


def _data(results: Sequence[Difficulty]) -> Mapping[str, object]:
    data: dict[str, object] = {"results": [_result(result) for result in results]}
    if len(results) > 1:
        data["across"] = {
            "results": [
                {"corpus": result.corpus, "reference": result.reference} for result in results
            ],
            **{str(name): system_means(results, name) for name in MEASURES},
        }
    return data


def _result(result: Difficulty) -> dict[str, object]:
    types = {
        level: [data_of(type_difficulty, "low", "high") for type_difficulty in types]
        for level, types in result.types.items()
    }
    weights = {"systems": result.voters, "from": result.origin}
    return {
        "corpus": result.corpus,
        "reference": result.reference,
        "sentences": len(result.table.ids),
        "chunks": result.table.size,
        "errors": result.table.errors,
        "weights": data_of(result.weighting) | weights,
        "beta": result.beta,
        "systems": result.scores,
        "ranking": result.ranking,
        "types": types,
        "difficulty": list(result.sentences),
        "notes": result.notes,
        "signature": str(result.signature),
    }


# The chunks of each sentence as text: source, reference, weight and type, one above the other.


def chunk_lines(result: Difficulty) -> str:
    """Write the chunks as the official program writes them into a file.

    Cells are centred, a blank too many at the right; weights have two decimals at most. Cells of
    Han characters are as wide as a terminal shows them, those of the program as many characters.
    """
    lines = []
    for index, reference in enumerate(result.table.references):
        columns = []
        for chunk, weight in zip(result.table.chunks[index], result.weights[index], strict=True):
            source = " ".join(reference.tokens[chunk.start : chunk.end])
            edit = None if chunk.edit is None else reference.edits[chunk.edit]
            target = " ".join(edit.replacement or ()) if edit else source
            label = result.table.label(index, chunk) or ""
            cells = (source, target, str(round(weight, 2)), label)
            width = max(map(columns_of, cells))
            columns.append([_centre(cell, width) for cell in cells])
        for head, row in zip(
            ("orig", "gold", "weight", "cat"), zip(*columns, strict=True), strict=True
        ):
            lines.append(f"{head:6}: |{'|'.join(row)}|\n")
        lines.append("\n")
    return "".join(lines)


def _centre(cell: str, width: int) -> str:
    space = width - columns_of(cell)
    return " " * (space // 2) + cell + " " * (space - space // 2)
