"""The figures as the functions behind the command line make them of whole corpora: slow, and plain.

What `statistics` sums up of stored pieces is held to them.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from itertools import chain

from django.utils import timezone

from gecbench.analysis.agreement import Agreement, AgreementCounts
from gecbench.analysis.human import SUBMISSIONS, find_submissions, scorable
from gecbench.analysis.options import HumanOptions
from gecbench.analysis.references import References
from gecbench.api.analyse import compare_annotators, references
from gecbench.api.options import Options
from gecbench.api.schemes import load_scheme
from gecbench.api.score import collect_stats
from gecbench.core.sample import Corpus, Rewrite
from gecbench.lang import language_of
from gecbench.lang.zh.char import PLACEHOLDER
from gecbench.server.import_export.corpora import (
    Naming,
    current_golden,
    latest_submissions,
    look_of,
    samples,
    submission_samples,
    texts_of,
)
from gecbench.server.models import Project, Sentence, Source, Submission
from gecbench.server.statistics.comparisons import SCHEMES
from gecbench.server.statistics.scoring import EARLY, LEAST, Cell


class Numbers(dict):
    """Calls each person by the number of their row."""

    def get(self, key, default=None):
        return str(key)


def look(project: Project):
    return look_of(project, alias=PLACEHOLDER if project.lang == "zh" else "")


def cells(project: Project) -> dict[str, dict[str, Cell]]:
    """The cells of `Scores`, by group and name."""
    scheme = load_scheme(SCHEMES[project.lang], types=False)
    metric = language_of(project.lang).metric
    groups = defaultdict(list)
    first: dict[int, object] = {}
    everything = Submission.objects.filter(sentence__project=project).exclude(
        sentence__state="withdrawn"
    )
    for person, at in everything.order_by("-at").values_list("person_id", "at"):
        first[person] = at
    names = dict(Source.objects.values_list("id", "name"))
    decided = list(chain.from_iterable(current_golden(project, annotatable=True)))
    golden = Corpus(project.slug, tuple(samples(decided, look(project))), project.lang)
    samples_, facts = [], {}
    for decided_row, sample in zip(decided, golden.samples, strict=True):
        latest = latest_submissions([decided_row.sentence])
        texts = texts_of(latest)
        rewrites = []
        for submission in latest:
            row = Submission.objects.get(pk=submission.pk)
            origin = Sentence.objects.get(pk=decided_row.sentence).source_id
            facts[str(row.pk)] = (row.person_id, row.at, names.get(origin, ""))
            if row.decision == "error_free":
                rewrites.append(Rewrite(error_free=True, annotator=str(row.pk)))
            rewrites += [
                Rewrite(look(project).text(text), annotator=str(row.pk))
                for text, _ in texts[row.pk]
            ]
        if rewrites:
            samples_.append(replace(sample, references=tuple(rewrites)))
    corpus = Corpus("submissions", tuple(samples_), project.lang)
    places = range(len(golden.samples))
    submissions = find_submissions(golden, corpus, project.lang, HumanOptions(), places)
    run = collect_stats(
        *_run(scorable(golden, corpus, submissions)),
        scheme=scheme,
        options=Options(metrics=(metric,)),
    )
    for decided_row, row in zip(submissions, run.rows[SUBMISSIONS, metric], strict=True):
        person, at, source = facts[decided_row.annotator]
        local = timezone.localtime(at, timezone.get_default_timezone())
        when = "early" if at < first[person] + EARLY else "later"
        for key in (
            ("total", ""),
            ("people", str(person)),
            ("weeks", f"{local:%G-W%V}"),
            ("sources", source),
            ("months", f"{person} {local:%Y-%m}"),
            (when, str(person)),
        ):
            groups[key].append((row, decided_row.kept))
    result: dict[str, dict[str, Cell]] = defaultdict(dict)
    for (group, name), rows in sorted(groups.items()):
        score = run.metrics[metric].aggregate([row for row, _ in rows])
        counts = score.counts
        result[group][name] = Cell(
            len(rows),
            sum(unchanged for _, unchanged in rows),
            score.value,
            *(counts.precision, counts.recall, counts.tp, counts.fp, counts.fn),
        )
    return result


def _run(pair):
    corpus, output = pair
    return corpus, [output]


def agreement(project: Project) -> Agreement:
    counts = AgreementCounts(project.slug, project.lang, language_of(project.lang).metric)
    scheme = load_scheme(SCHEMES[project.lang], types=False)
    for piece in submission_samples(project, look(project), Naming(project.pk, Numbers())):
        corpus = Corpus(project.slug, tuple(piece), project.lang)
        compare_annotators(counts, corpus, scheme=scheme)
    return counts.measure(least=LEAST)


def table4(project: Project) -> References:
    decided = list(chain.from_iterable(current_golden(project)))
    samples_ = [
        replace(sample, meta={"source": sample.meta.get("source", "")})
        for sample in samples(decided, look(project))
    ]
    corpus = Corpus(project.slug, tuple(samples_), project.lang)
    scheme = load_scheme(SCHEMES[project.lang], types=False)
    return references(corpus, by="source", scheme=scheme)
