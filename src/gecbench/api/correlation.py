"""Correlations of metrics over systems: of systems scored here, or of a table of scores."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from gecbench.analysis.correlation import Correlations, SystemScores, correlations, scores_of
from gecbench.api.edits import Watch, unwatched
from gecbench.api.judge import judge
from gecbench.api.options import Options
from gecbench.core.errors import UnknownNameError, UsageError
from gecbench.core.sample import Corpus, SystemOutput
from gecbench.core.scheme import Scheme
from gecbench.formats.numbers import read_numbers


def correlation(
    data: Corpus | Path | str,
    systems: Sequence[SystemOutput] = (),
    *,
    scheme: Scheme | str | Callable[[], Scheme] | None = None,
    options: Options | None = None,
    lower: Collection[str] = (),
    oriented: bool = False,
    watch: Watch = unwatched,
) -> Correlations:
    """Return how far metrics agree with one another over systems.

    Args:
        data: A corpus, whose systems are scored by the metrics of the options; or the path of a
            table with a row for each system and a column for each metric, TSV or CSV.
        systems: With a corpus: three or more.
        scheme: With a corpus: as in `gecbench.score`.
        options: With a corpus: how to score, with two metrics or more.
        lower: With a table: columns of which a lower score is a better system.
        oriented: Turn the sign of metrics of which lower is better.
        watch: Wraps loops over sentences, to show progress.

    Raises:
        GecbenchError: Something does not fit together; fewer than three systems or two metrics.
    """
    if isinstance(data, Corpus):
        if lower:
            raise UsageError("lower is of a table; metrics say themselves which way is better")
        judged = judge(data, systems, scheme=scheme, options=options, watch=watch)
        return correlations(scores_of(judged), oriented=oriented)
    if systems or options or scheme:
        raise UsageError(
            "a table has the scores already; systems, scheme and options need a corpus"
        )
    return correlations(table_scores(Path(data), lower), oriented=oriented)


def table_scores(path: Path, lower: Collection[str] = ()) -> SystemScores:
    """Return the scores that a table holds.

    Raises:
        FormatError: It is no table of numbers.
        UnknownNameError: It has no column of a name that is said to be lower for the better.
    """
    table = read_numbers(path)
    for name in lower:
        if name not in table.columns:
            raise UnknownNameError(f"column of {path}", name, table.columns)
    return SystemScores(table.name, table.rows, table.columns, frozenset(lower))
