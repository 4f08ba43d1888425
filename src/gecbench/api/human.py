"""How annotators fare against the final references."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from gecbench.analysis.human import Against, Asked, Human, of_judged, scorable, submissions_of
from gecbench.api.edits import Watch, unwatched
from gecbench.api.judge import judge
from gecbench.api.options import Options
from gecbench.api.parts import places
from gecbench.api.schemes import language
from gecbench.core.sample import Corpus
from gecbench.core.scheme import Scheme


def human(
    corpus: Corpus,
    submissions: Corpus,
    *,
    against: Against = "final",
    least: int = 10,
    anonymous: bool = False,
    scheme: Scheme | str | Callable[[], Scheme] | None = None,
    options: Options | None = None,
    watch: Watch = unwatched,
) -> Human:
    """Return the scores of annotators, each of whose submissions is one sample.

    Args:
        corpus: With the final references.
        submissions: The same sentences or some of them, whose references are what annotators
            handed in, each with its `annotator`.
        against: "final": all final references; "others": those that somebody else wrote, too.
        least: Annotators with fewer scored submissions are not in the mean.
        anonymous: Name annotators A1, A2, ..., the one with most submissions first.
        scheme: As for `score`.
        options: How to score; parts of the corpus are taken before submissions are looked at.
        watch: Wraps long loops, to show progress.

    Raises:
        GecbenchError: Something does not fit together.
    """
    asked, options = Asked(against, least, anonymous), options or Options()
    lang = language(corpus)
    wanted = set(places(corpus, options)[0])
    made = submissions_of(corpus, submissions, lang, asked, wanted)
    options = replace(options, part=None, references_exactly=None)
    each, output = scorable(replace(corpus, lang=lang), submissions, made)
    judged = judge(each, [output], scheme=scheme, options=options, watch=watch)
    return of_judged(judged, corpus, made, asked)
