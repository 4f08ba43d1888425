"""Difficulty as tables, figures and JSON, and its chunks as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from gecbench.analysis.difficulty import (
    MEASURES,
    Difficulty,
    Measure,
    Tier,
    TypeDifficulty,
    system_means,
)
from gecbench.core.errors import Message, count_noun
from gecbench.core.frames import columns_of
from gecbench.core.score import best_places
from gecbench.reports.report import (
    NO_CATEGORY,
    Category,
    Column,
    Figure,
    Report,
    Series,
    Table,
    Value,
    Words,
    are_errant_types,
    data_of,
    join_texts,
    translate,
    type_words,
)

_SYSTEM = Column.of("system")
_PARTS: dict[Tier, Words] = {
    1: translate("operation"),
    2: translate("category"),
    3: translate("type"),
}
_MOST_TYPES = 30
"""Types in the figure; the table has all."""


def build_report(
    results: Sequence[Difficulty], tier: Tier | None = None, *, page: bool = False
) -> Report:
    """Show what was found of one corpus or several.

    Args:
        results: At least one; one for each corpus, or each reference of it.
        tier: The part of types in the table of types: operation (1), category (2), whole (3);
            None means the category, and the whole where most types have none.
        page: As the report page has it: types in words beside their labels.
    """
    level: Tier = tier or (2 if _have_categories(results) else 3)
    figures = [_scores_figure(results)]
    if any(result.types[level] for result in results):
        figures.append(_types_figure(results, level, page=page))
    if any(len(result.scores) > 1 for result in results):
        figures.append(_ranks_figure(results))
    return Report(
        name="difficulty",
        title=translate("How difficult the errors are"),
        corpus=" + ".join(dict.fromkeys(result.corpus for result in results)),
        tables=tuple(_tables(results, level, in_words=page)),
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
        table = result.table
        about = Message(
            "{reference}: {sentences}, {chunks}, {errors}; weights of {systems} ({origin})",
            reference=Message(result.reference),
            sentences=count_noun(len(table.ids), "sentence"),
            chunks=count_noun(table.size, "chunk"),
            errors=count_noun(table.errors, "error"),
            systems=count_noun(result.voters, "system"),
            origin=Message(result.origin),
            numbers=(len(table.ids), table.size, table.errors, result.voters),
        )
        for note in (about, *result.notes):
            yield Message("{name}: {value}", name=result.corpus, value=note) if several else note


def _heads(results: Sequence[Difficulty]) -> dict[Column, list[str]]:
    """The columns that tell results apart, with the names of each result."""
    heads = {
        Column.of("corpus"): [result.corpus for result in results],
        Column.of("reference"): [result.reference for result in results],
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
    return Words(_f(results), f" {_f(results)} ") if measure == "f" else translate("accuracy")


# The tables.


def _tables(results: Sequence[Difficulty], level: Tier, *, in_words: bool) -> Iterator[Table]:
    yield _scores(results)
    yield from (_ranking(results, measure) for measure in MEASURES)
    yield _types(results, level, in_words=in_words)
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
    title = translate("Scores weighted by difficulty, and plain scores of the same chunks")
    weighted = {
        "weighted P": "P",
        "weighted R": "R",
        "weighted {f}": f,
        "weighted A": "A",
    }
    plain = ("plain P", "plain R", "plain {f}", "plain A")
    columns = (
        *heads,
        *(Column.of(head, "percent", key=key, f=f) for head, key in weighted.items()),
        *(Column.of(head, "percent", f=f) for head in plain),
    )
    return Table("scores", title, columns, tuple(rows), frozenset(marks))


def _ranking(results: Sequence[Difficulty], measure: Measure) -> Table:
    words = _measure_words(results, measure)
    head = "A" if measure == "accuracy" else words.en
    title = translate("Rank by weighted {words}, against plain {words}", words=words)
    columns = (
        *_heads(results),
        _SYSTEM,
        Column.of("rank", "count"),
        Column(f"weighted {head}", "percent", zh=f"加权{words.zh}".rstrip(), key=head),
        Column.of("plain rank", "count"),
        Column(f"plain {head}", "percent", zh=f"未加权{words.zh}".rstrip()),
        Column.of("change", "count"),
    )
    rows: tuple[tuple[Value, ...], ...] = tuple(
        (*names, rank.system, rank.rank, rank.value, rank.plain_rank, rank.plain, rank.change)
        for result, names in zip(results, _names(results), strict=True)
        for rank in result.ranking[measure]
    )
    return Table("ranking" if measure == "f" else "ranking-accuracy", title, columns, rows)


def _types(results: Sequence[Difficulty], level: Tier, *, in_words: bool) -> Table:
    """The difficulty of types, the most difficult of the first corpus first."""
    part = _PARTS[level]
    by_label = [{kind.label: kind for kind in result.types[level]} for result in results]
    labels = list(dict.fromkeys(chain(*by_label)))
    errant = _are_errant(results)
    words = {label: type_words(label, errant=errant) for label in labels}
    in_words = in_words and any(words.values())
    columns = [Column(part.en, zh=part.zh), *[Column.of("in words")] * in_words]
    for names in _names(results):
        head = f"{', '.join(names)} " if names else ""
        columns += [
            Column.of("{head}mean", "number", head=head),
            Column.of("{head}SD", "number", head=head),
            Column.of("{head}errors", "count", head=head),
        ]
    rows: list[tuple[Value, ...]] = []
    for label in labels:
        types = (kinds.get(label) for kinds in by_label)
        cells = ((o.mean, o.deviation, o.errors) if o else (None, None, 0) for o in types)
        heads = (label or NO_CATEGORY, *[words[label]] * in_words)
        rows.append((*heads, *chain(*cells)))
    title = translate("Weights of errors by {part}, the most difficult first", part=part)
    return Table(f"types-{level}", title, tuple(columns), tuple(rows))


def _unlike(results: Sequence[Difficulty]) -> Table:
    columns = (
        *_heads(results),
        _SYSTEM,
        Column.of("errors", "count"),
        Column.of("corrects", "count"),
        Column.of("alone", "count"),
        Column.of("catches up at", "number", key="level at"),
        Column.of("ahead at", "count", key="ahead from"),
    )
    rows: list[tuple[Value, ...]] = []
    for result, names in zip(results, _names(results), strict=True):
        for scores in result.scores:
            even = scores.break_even
            cells = (scores.system, result.table.errors, scores.corrected, scores.alone)
            ahead = even.ahead if even and even.possible else None
            rows.append((*names, *cells, even.level if even else None, ahead))
    title = translate(
        "If all other systems were like the one in the row: how many other errors must one "
        "different system correct to catch up?"
    )
    return Table("unlike", title, columns, tuple(rows))


def _means(results: Sequence[Difficulty], measure: Measure) -> Table:
    columns = [_SYSTEM]
    for head in _labels(results):
        columns += [Column(head, "percent"), Column.of("{head} rank", "count", head=head)]
    columns += [Column.of("mean", "percent"), Column.of("SD", "percent")]
    rows = tuple(
        (
            *(means.system, *chain(*zip(means.values, means.ranks, strict=True))),
            *(means.mean, means.deviation),
        )
        for means in system_means(results, measure)
    )
    words = _measure_words(results, measure)
    title = translate("Weighted {words} and rank on each, the highest mean first", words=words)
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
            translate(
                "{label}: {system} is highest with {high:.2f} (plain {other:.2f}), {last} lowest "
                "with {low:.2f}",
                label=label,
                system=best.system,
                high=high,
                other=other,
                last=last.system,
                low=low,
            )
        )
    systems_alt = join_texts(alt, "; ")
    return Figure.of(
        "difficulty-scores",
        "points",
        title="{f} weighted by difficulty against plain {f}",
        alt="Weighted {f} in percent. {systems}.",
        x="plain {f} (%)",
        y="weighted {f} (%)",
        series=series,
        f=f,
        systems=systems_alt,
    )


def _types_figure(results: Sequence[Difficulty], level: Tier, *, page: bool) -> Figure:
    """The mean weight of each type with its standard deviation."""
    frequent = [_most_frequent(result.types[level]) for result in results]
    first = [f"{o.label or NO_CATEGORY} {o.mean:.2f}" for o in next(filter(None, frequent))]
    hardest, easiest = (
        Words(", ".join(types), "、".join(types)) for types in (first[:3], first[-3:][::-1])
    )
    figure = Figure.of(
        "difficulty-types",
        "intervals",
        title="Weight of errors by type: mean and standard deviation",
        alt="Most difficult: {hardest}. Least difficult: {easiest}.",
        x="type of error",
        y="weight",
        series=tuple(
            Series(
                label,
                tuple(kind.label or NO_CATEGORY for kind in types),
                tuple(kind.mean for kind in types),
                tuple(kind.low for kind in types),
                tuple(kind.high for kind in types),
            )
            for label, types in zip(_labels(results), frequent, strict=True)
        ),
        hardest=hardest,
        easiest=easiest,
    )
    if not page or len(results) > 1:
        return figure
    errant = _are_errant(results)
    categories = tuple(_category(kind, level, errant=errant) for kind in frequent[0])
    return replace(figure, categories=categories)


def _are_errant(results: Sequence[Difficulty]) -> bool:
    return are_errant_types(kind.label for result in results for kind in result.types[3])


def _category(kind: TypeDifficulty, level: Tier, *, errant: bool) -> Category:
    """What the page knows of a type."""
    label = kind.label or NO_CATEGORY
    filters = {"type": f":{label}" if level == 2 else label}
    return Category(Words(label, label), type_words(label, errant=errant), kind.errors, filters)


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
                translate(
                    "{name}: {value}",
                    name=words,
                    value=moves if moves.en else translate("no change"),
                )
            )
    changes = join_texts(alt, "; ")
    return Figure.of(
        "difficulty-ranks",
        "bars",
        title="Ranks gained and lost when errors are weighted by difficulty",
        alt="{changes}.",
        x="system",
        y="ranks gained",
        series=series,
        changes=changes,
    )


# JSON, not rounded.


def _values(result: Difficulty) -> dict[str, object]:
    """The difficulty of one corpus under one of its references, without the intervals of types."""
    return {
        "corpus": result.corpus,
        "reference": result.reference,
        "sentences": len(result.table.ids),
        "chunks": result.table.size,
        "errors": result.table.errors,
        "weights": data_of(result.weighting) | {"systems": result.voters, "from": result.origin},
        "beta": result.beta,
        "systems": result.scores,
        "ranking": result.ranking,
        "types": {
            level: [data_of(kind, "low", "high") for kind in kinds]
            for level, kinds in result.types.items()
        },
        "difficulty": list(result.sentences),
        "notes": result.notes,
        "signature": str(result.signature),
    }


def _data(results: Sequence[Difficulty]) -> Mapping[str, object]:
    data: dict[str, object] = {"results": list(map(_values, results))}
    if len(results) > 1:
        data["across"] = {
            "results": [
                {"corpus": result.corpus, "reference": result.reference} for result in results
            ],
            **{str(name): system_means(results, name) for name in MEASURES},
        }
    return data


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
