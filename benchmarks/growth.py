"""Measures how the cost of one extraction grows with the length; writes a CSV and a plot.

    python benchmarks/growth.py --data FOLDER

The texts are random, of the characters of the bundled Chinese samples as often as they occur
there. Related texts differ in every tenth place; unrelated ones are drawn apart. Explosive texts
have nothing in common and every pair of their characters costs the same, so that the number of
their least-cost alignments is a binomial coefficient and all are one edit. Reversed texts are of
characters that all differ, which is the worst known for the search of transpositions.
"""

from __future__ import annotations

import argparse
import csv
import io
import math
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from statistics import median

from measure import load, machine
from svg import axis, plot

import gecbench
from gecbench.core.edit import Sentence
from gecbench.core.scheme import Scheme
from gecbench.edits.alignment import kernel_name

LENGTHS = (10, 20, 50, 100, 200, 500, 1000, 2000)
FITTED = (200, 2000)
EXPLOSIVE = (18, 20, 22, 24, 50, 100, 200)
FEWER = 10
"""Target characters fewer than source characters; above 10 ChERRANT keeps one alignment only."""

# From the measurements in cherrant_spec, section 6: each of these for one of those costs 1.75.
THESE, THOSE = "的一是在不了有和人这", "分进理应表看气道"

ENOUGH = 2.0
"""Seconds of CPU after which a measurement is not repeated further."""

DOCS = Path(__file__).parent.parent / "docs"


@dataclass(frozen=True, slots=True)
class Point:
    """One measurement.

    Args:
        scheme: How edits are found.
        texts: As in the description of this file.
        characters: In the source.
        seconds: CPU for one extraction, median.
        sets: Different edit sets found.
        capped: There are more sets than a scheme lists, so it gave the first.
        alignments: Least-cost alignments, where their number is known.
    """

    scheme: str
    texts: str
    characters: int
    seconds: float
    sets: int
    capped: bool
    alignments: int | None = None


def main() -> int:
    """Measure, write, print, and return the exit code."""
    arguments = _arguments()
    places = gecbench.Places(mirror=arguments.data)
    try:
        schemes = [
            # Unsimplified, so that the texts are aligned as they were made.
            gecbench.load_scheme("zh-cherrant", simplify=False, places=places, say=_tell),
            gecbench.load_scheme("zh-char"),
        ]
    except gecbench.GecbenchError as error:
        print(f"growth.py: {error}", file=sys.stderr)
        return 2
    before = load()
    points = [*_random_points(schemes, arguments), *_explosive_points(schemes[0], arguments)]
    arguments.out.mkdir(parents=True, exist_ok=True)
    (arguments.out / "growth.csv").write_text(_table(points), encoding="utf-8")
    (arguments.out / "growth.svg").write_text(_plot(points), encoding="utf-8")
    sys.stdout.write("\n".join(_report(points, before)) + "\n")
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument("--data", type=Path, help="folder with the data set cherrant")
    parser.add_argument("--out", type=Path, default=DOCS, help="folder to write to (docs)")
    parser.add_argument("--repeat", type=int, default=7, help="measurements of each (7)")
    parser.add_argument("--longest", type=int, default=2000, help="leave out longer texts (2000)")
    parser.add_argument("--seed", type=int, default=2024)
    return parser.parse_args()


def _random_points(schemes: list[Scheme], arguments: argparse.Namespace) -> Iterator[Point]:
    for scheme in schemes:
        for texts, make in _KINDS.items():
            for length in LENGTHS:
                if length > arguments.longest:
                    continue
                # Several pairs, since one may happen to have many edit sets.
                seeds = range(arguments.seed, arguments.seed + (1 if make is _reversed else 3))
                pairs = [make(length, seed) for seed in seeds]
                measured = [_point(scheme, texts, *pair, arguments.repeat) for pair in pairs]
                yield sorted(measured, key=lambda point: point.seconds)[len(pairs) // 2]


def _explosive_points(scheme: Scheme, arguments: argparse.Namespace) -> Iterator[Point]:
    for length in EXPLOSIVE:
        if length > arguments.longest:
            continue
        source, target = _cycle(THESE, length), _cycle(THOSE, length - FEWER)
        point = _point(scheme, "explosive", source, target, arguments.repeat)
        yield Point(
            **{field.name: getattr(point, field.name) for field in fields(Point)[:-1]},
            alignments=math.comb(length, FEWER),
        )


def _cycle(characters: str, length: int) -> str:
    return (characters * (length // len(characters) + 1))[:length]


def _drawing(seed: int) -> Callable[[int], str]:
    """Return a function that draws that many characters."""
    corpus = gecbench.load(gecbench.sample("zh", "corpus.jsonl"))
    counts = Counter(character for sample in corpus.samples for character in sample.source)
    characters, weights = list(counts), list(counts.values())
    drawn = random.Random(seed)
    return lambda number: "".join(drawn.choices(characters, weights, k=number))


def _related(length: int, seed: int) -> tuple[str, str]:
    """Return texts that differ in every tenth place, by each kind of edit in turn."""
    draw = _drawing(seed)
    source = draw(length)
    chance = random.Random(seed)
    target: list[str] = list(source)
    places = sorted(chance.sample(range(length - 1), length // 10), reverse=True)
    for number, place in enumerate(places):
        kind = number % 4
        if kind == 0:
            target[place] = draw(1)
        elif kind == 1:
            del target[place]
        elif kind == 2:
            target.insert(place, draw(1))
        else:
            target[place : place + 2] = target[place : place + 2][::-1]
    return source, "".join(target)


def _unrelated(length: int, seed: int) -> tuple[str, str]:
    draw = _drawing(seed)
    return draw(length), draw(length)


def _reversed(length: int, seed: int) -> tuple[str, str]:
    """Return texts without chance: one character after another of Unicode's, and backwards."""
    del seed
    source = "".join(chr(0x4E00 + at) for at in range(length))
    return source, source[::-1]


_KINDS = {"related": _related, "unrelated": _unrelated, "reversed": _reversed}


def _point(scheme: Scheme, texts: str, source: str, target: str, repeat: int) -> Point:
    parsed, other = scheme.parse_source(source), scheme.parse_target(target)
    extraction = scheme.extract(parsed, other)
    times = 1
    while True:
        spent = _spent(scheme, parsed, other, times)
        if spent > 0.02:
            break
        times *= 4
    rounds = [spent]
    while len(rounds) < repeat and sum(rounds) < ENOUGH:
        rounds.append(_spent(scheme, parsed, other, times))
    return Point(
        scheme=scheme.name,
        texts=texts,
        characters=len(parsed.tokens),
        seconds=median(rounds) / times,
        sets=len(extraction.edit_sets),
        capped=extraction.capped,
    )


def _spent(scheme: Scheme, source: Sentence, target: Sentence, times: int) -> float:
    started = time.process_time()
    for _ in range(times):
        scheme.extract(source, target)
    return time.process_time() - started


def _groups(points: list[Point]) -> dict[tuple[str, str], list[Point]]:
    groups: dict[tuple[str, str], list[Point]] = {}
    for point in points:
        groups.setdefault((point.scheme, point.texts), []).append(point)
    return groups


def exponent(points: list[Point]) -> float:
    """Return the slope of the least-squares line through the logarithms; 2 is quadratic.

    It is not a number where `--longest` left fewer than two points to fit.
    """
    chosen = [point for point in points if FITTED[0] <= point.characters <= FITTED[1]]
    if len(chosen) < 2:
        return math.nan
    x = [math.log(point.characters) for point in chosen]
    y = [math.log(point.seconds) for point in chosen]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    above = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    return above / sum((a - mean_x) ** 2 for a in x)


def _table(points: list[Point]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    names = [field.name for field in fields(Point)]
    writer.writerow(names)
    for point in points:
        row = {name: getattr(point, name) for name in names} | {"seconds": f"{point.seconds:.3g}"}
        writer.writerow("" if row[name] is None else row[name] for name in names)
    return text.getvalue()


def _plot(points: list[Point]) -> str:
    series = {
        " ".join(group): [(point.characters, point.seconds) for point in members]
        for group, members in _groups(points).items()
    }
    longest, most = max(series["zh-cherrant unrelated"])
    shortest = LENGTHS[0]
    guide = [(length, most * (length / longest) ** 2) for length in (shortest, longest)]
    y = [point.seconds for point in points]
    return plot(
        f"One extraction, {kernel_name()} kernel",
        axis("characters in the source", [shortest, longest], "{:,.0f}".format),
        axis("CPU time", y, _time),
        series,
        {"quadratic": guide},
    )


def _report(points: list[Point], before: str) -> Iterator[str]:
    yield f"Machine: {machine()}; {kernel_name()} kernel."
    yield f"Load average {before} at the start, {load()} at the end."
    groups = _groups(points)
    explosive = groups.pop(("zh-cherrant", "explosive"))
    yield ""
    yield f"| characters | {' | '.join(' '.join(group) for group in groups)} |"
    yield f"|--:|{'--:|' * len(groups)}"
    for row in zip(*groups.values(), strict=True):
        cells = (f"{_time(point.seconds)}{_sets(point)}" for point in row)
        yield f"| {row[0].characters:,} | {' | '.join(cells)} |"
    slopes = (f"{exponent(members):.2f}" for members in groups.values())
    most = min(FITTED[1], max(point.characters for point in points))
    if most > FITTED[0]:
        yield f"| exponent, {FITTED[0]} to {most:,} | {' | '.join(slopes)} |"
    yield ""
    yield "| characters | least-cost alignments | edit sets | time |"
    yield "|--:|--:|--:|--:|"
    for point in explosive:
        many = f"{point.alignments:,}" if point.alignments < 10**9 else f"{point.alignments:.1e}"
        yield f"| {point.characters:,} | {many} | {point.sets:,} | {_time(point.seconds)} |"


def _time(seconds: float) -> str:
    unit, factor = ("µs", 1e6) if seconds < 1e-3 else ("ms", 1e3) if seconds < 1 else ("s", 1)
    return f"{seconds * factor:.3g} {unit}"


def _sets(point: Point) -> str:
    if point.capped:
        return " (too many sets)"
    return f" ({point.sets:,} sets)" if point.sets > 1 else ""


def _tell(message: str) -> None:
    print(message, file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
