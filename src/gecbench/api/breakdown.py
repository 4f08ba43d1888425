"""Scores by parts: where systems are good and bad."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gecbench.analysis.dissection import Dissection, Wanted, dissect
from gecbench.api.edits import Watch, unwatched
from gecbench.api.judge import judge
from gecbench.api.options import Options
from gecbench.core.sample import Corpus, SystemOutput
from gecbench.core.scheme import Scheme


def breakdown(
    corpus: Corpus,
    systems: Sequence[SystemOutput],
    *,
    by: Sequence[str] = (),
    length_ends: Sequence[int] = (),
    between: Sequence[str] = (),
    least: int = 10,
    most: int = 10,
    scheme: Scheme | str | Callable[[], Scheme] | None = None,
    options: Options | None = None,
    watch: Watch = unwatched,
) -> Dissection:
    """Return scores by type, position, length, number of errors, state and metadata.

    Args:
        corpus: With at least one reference for every sentence.
        systems: Their outputs, joined to this corpus.
        by: Kinds of groups: type-1, type-2, type-3, position, length, errors, state, field:NAME;
            () means all that say something.
        length_ends: Greatest lengths of all bins but the last; () means the usual ones.
        between: Names of the two systems to set against each other; () means the best two.
        least: Groups with fewer sentences or edits are not compared.
        most: How many deciding sentences to find.
        scheme: As for `score`.
        options: How to score.
        watch: Wraps long loops, to show progress.

    Raises:
        GecbenchError: Something does not fit together.
    """
    wanted = Wanted(tuple(by), tuple(length_ends), tuple(between), least, most)
    judged = judge(corpus, systems, scheme=scheme, options=options, watch=watch)
    return dissect(judged, wanted)
