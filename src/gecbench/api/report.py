"""The report: everything there is to say of some systems, for one page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from gecbench.analysis.difficulty.sentences import edit_weights
from gecbench.analysis.side_by_side import side_by_side
from gecbench.api.compare import Comparisons
from gecbench.api.edits import Watch, unwatched
from gecbench.api.exhibits import exhibits, tested
from gecbench.api.judge import SPAN_METRICS, judge
from gecbench.api.options import Options
from gecbench.api.schemes import language
from gecbench.api.score import summed
from gecbench.core.errors import UsageError
from gecbench.core.files import write_text
from gecbench.core.sample import Corpus, SystemOutput
from gecbench.core.scheme import Scheme
from gecbench.reports.exhibit import Exhibit
from gecbench.reports.page.content import Fact, Page
from gecbench.reports.page.html_of import html
from gecbench.reports.page.packing import packed_sentences
from gecbench.reports.page.words import WORDS
from gecbench.reports.words import Language, Words
from gecbench.scoring.judged import Judged
from gecbench.scoring.results import ScoreReport
from gecbench.scoring.spans import SpanF

_LANGUAGES = {"zh": Words("Chinese", "中文"), "en": Words("English", "英语")}
_REASONS = {
    "no annotator could correct it": Words("no annotator could correct it", "无法标注"),
    "outside the range": Words("outside the range", "不在所选范围内"),
    "other number of references": Words("other number of references", "参考答案数目不符"),
}
_PROVENANCE = {
    "origin": Words("Origin", "来源"),
    "licence": Words("Licence", "许可"),
    "scheme": Words("Edits by", "编辑抽取"),
}
_RESAMPLES = 1000


def report(
    corpus: Corpus,
    systems: Sequence[SystemOutput],
    *,
    scheme: Scheme | str | Callable[[], Scheme] | None = None,
    options: Options | None = None,
    title: str | None = None,
    date: str | None = None,
    more: Sequence[Exhibit] = (),
    watch: Watch = unwatched,
) -> Page:
    """Return a page with scores, significance, breakdowns, figures and all sentences.

    `save_report` writes it as HTML.

    Args:
        corpus: With at least one reference for every sentence.
        systems: Their outputs, joined to this corpus.
        scheme: As in `gecbench.score`.
        options: How to score; where no metric that compares edits is asked for, the span metric
            of the language is added, because sentences are shown with their edits. Intervals
            are made of `resamples`, if there are any.
        title: Of the page; None takes the corpus's name.
        date: As its author writes it; None shows none, so that the same input gives the same
            page.
        more: Further exhibits, as of robustness, which takes data of its own.
        watch: Wraps long loops, to show progress.

    Raises:
        GecbenchError: Something does not fit together.
    """
    options = options or Options(resamples=_RESAMPLES)
    if options.by:
        raise UsageError("a report breaks scores down by all metadata fields; leave 'by' out")
    options = _with_edits(options, corpus)
    judged = judge(corpus, systems, scheme=scheme, options=options, watch=watch)
    return _page(judged, options, (title, date), more)


def _page(
    judged: Judged,
    options: Options,
    about: tuple[str | None, str | None],
    more: Sequence[Exhibit],
) -> Page:
    """Return the page of judged systems; `about` is its title and its date."""
    title, date = about
    compared = tested(judged, options)
    once = replace(options, per_sentence=False, resamples=0 if compared else options.resamples)
    scores = _with_intervals(summed(judged, once), compared)
    metric = span_metric(judged)
    hard = edit_weights(judged.cases) if metric else []
    rows = side_by_side(judged, metric, hard)
    fields = list(dict.fromkeys(name for one in judged.corpus.samples for name in one.meta))
    sentences = packed_sentences(
        rows,
        list(judged.systems),
        judged.lang,
        fields,
        edits=metric is not None,
        tokens=options.level == "detection-token",
    )
    return Page(
        title=title or judged.corpus.name,
        facts=tuple(_facts(judged, scores, title, date)),
        exhibits=(*exhibits(judged, scores, compared, options, metric), *more),
        sentences=sentences,
        edits=metric is not None,
        example="字" if judged.lang == "zh" else "word",
    )


def _with_intervals(scores: ScoreReport, compared: Comparisons | None) -> ScoreReport:
    """Return scores with the intervals of the resamples by which systems were compared."""
    if compared is None:
        return scores
    found = {
        (system, one.metric): replace(spread, resamples=one.plan.resamples, seed=one.plan.seed)
        for one in compared.metrics
        for system, spread in one.intervals.items()
    }
    return replace(
        scores,
        results=tuple(
            replace(one, score=replace(one.score, interval=found[one.system, one.metric]))
            if one.score
            else one
            for one in scores.results
        ),
    )


def save_report(page: Page, path: Path | str, *, language: Language = "en") -> None:
    """Write a page as one HTML file that opens offline.

    Args:
        page: Made by `report`.
        path: The file; "-" is standard output.
        language: Of the interface when it is opened; a switch in the page changes that.

    Raises:
        MissingExtraError: jinja2 or matplotlib is not installed.
        GecbenchError: The file cannot be written.
    """
    write_text(Path(path), html(page, language))


def _with_edits(options: Options, corpus: Corpus) -> Options:
    """Return options with a metric that compares edits."""
    asked = options.metrics
    if not asked or set(asked) & set(SPAN_METRICS.values()):
        return options
    own = SPAN_METRICS.get(language(corpus))
    return replace(options, metrics=(*asked, own)) if own else options


def span_metric(judged: Judged) -> str | None:
    """Return the first metric that compares edits and applies; None where there is none."""
    for name, metric in judged.metrics.items():
        if isinstance(metric, SpanF) and name not in judged.refused:
            return name
    return None


def _facts(
    judged: Judged, scores: ScoreReport, title: str | None, date: str | None
) -> Iterator[Fact]:
    """Yield what a reader should know of the corpus first."""
    corpus = judged.corpus
    if title not in (None, corpus.name):
        yield WORDS["corpus"], corpus.name
    yield WORDS["texts"], _LANGUAGES.get(judged.lang, Words(judged.lang, judged.lang))
    yield (
        WORDS["sentencesHead"],
        str(scores.sentences)
        if scores.scored == scores.sentences
        else Words(
            f"{scores.sentences} ({scores.scored} scored)",
            f"{scores.sentences}（计分 {scores.scored}）",
        ),
    )
    yield WORDS["referencesHead"], str(sum(len(one.references) for one in corpus.samples))
    yield WORDS["systems"], str(len(judged.systems))
    for reason, count in scores.left_out.items():
        why = _REASONS.get(reason, Words(reason, reason))
        yield WORDS["leftOut"], Words(f"{count}: {why.en}", f"{count}：{why.zh}")
    for name, value in corpus.provenance.items():
        yield _PROVENANCE.get(name, Words(name, name)), value
    if date:
        yield WORDS["date"], date
