"""How far annotators agree before anybody decides."""

from __future__ import annotations

from collections.abc import Callable

from gecbench.analysis.agreement import Agreement, compared, of_works, scorable
from gecbench.analysis.answers import works_of
from gecbench.api.edits import Watch, unwatched
from gecbench.api.judge import SPAN_METRICS, judge
from gecbench.api.options import Options
from gecbench.api.schemes import language
from gecbench.core.sample import Corpus
from gecbench.core.scheme import Scheme


def agreement(
    submissions: Corpus,
    *,
    least: int = 10,
    scheme: Scheme | str | Callable[[], Scheme] | None = None,
    watch: Watch = unwatched,
) -> Agreement:
    """Return how far annotators agree: decisions, whole answers, and edits by F0.5.

    Args:
        submissions: Sentences whose references are what annotators handed in, each with its
            `annotator`.
        least: Pairs with fewer sentences in common are not listed.
        scheme: As for `score`.
        watch: Wraps long loops, to show progress.

    Raises:
        GecbenchError: Something does not fit together.
    """
    lang = language(submissions)
    metric = SPAN_METRICS.get(lang, "errant")
    works = works_of(submissions, lang)
    rows = compared(works)
    judged = None
    if rows:
        corpus, output = scorable(submissions, rows)
        options = Options(metrics=(metric,))
        judged = judge(corpus, [output], scheme=scheme, options=options, watch=watch)
    return of_works(submissions, works, rows, judged, metric=metric, least=least)
