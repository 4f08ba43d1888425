"""A small corpus and systems for the tests of scoring."""

from __future__ import annotations

from gecbench.api.options import Options
from gecbench.api.score import score
from gecbench.core.sample import Corpus, Rewrite, Sample, SystemOutput
from gecbench.lang.zh.char import scheme as zh_char

IMPOSSIBLE = Rewrite(unannotatable=True)
FREE = Rewrite(error_free=True)


def texts(*rewrites: str) -> tuple[Rewrite, ...]:
    return tuple(map(Rewrite, rewrites))


CORPUS = Corpus(
    "dev",
    (
        Sample("1", "我去了", texts("我去", "你去", "他去了"), {"origin": "b"}),
        Sample("2", "他来", texts("他来了"), {"origin": "a"}),
        Sample("3", "好", (FREE,), {"origin": "a"}),
        Sample("4", "口口", (IMPOSSIBLE,), {"origin": "b"}),
        Sample("5", "我们", (IMPOSSIBLE, *texts("我")), {"origin": "b"}),
    ),
    "zh",
)


def system(name: str, *rewrites: str) -> SystemOutput:
    return SystemOutput(name, {str(n): texts(text) for n, text in enumerate(rewrites, 1)})


COPY = system("copy", "我去了", "他来", "好", "口口", "我们")
GOOD = system("good", "他去了", "他来了", "好", "口口", "我")
BAD = system("bad", "我去来", "他来了", "很好", "日", "我们")


def counts(*systems: SystemOutput, corpus: Corpus = CORPUS, **options: object):
    report = score(corpus, systems, scheme=zh_char(), options=Options(**options))
    counts = [result.score.counts for result in report.results]
    return report, [(count.tp, count.fp, count.fn) for count in counts]
