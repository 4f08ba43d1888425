"""Laws of scoring, on cases where ties, repeats and uneven references abound."""

from __future__ import annotations

import itertools
import random
import subprocess
import sys
from collections.abc import Callable
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gecbench.api.options import Options
from gecbench.api.score import collect_stats
from gecbench.core.case import CHOICES, LEVELS, Case, CaseRewrite
from gecbench.core.edit import Edit, Sentence, apply
from gecbench.core.sample import Corpus, Rewrite, Sample, SystemOutput
from gecbench.core.scheme import Scheme
from gecbench.core.score import Counts, total
from gecbench.edits import alignment
from gecbench.edits.features import FeatureCosts, Features, Weights, build
from gecbench.lang.zh import char
from gecbench.lang.zh.char import parse
from gecbench.lang.zh.char import scheme as zh_char
from gecbench.lang.zh.cherrant import _extract
from gecbench.metrics.edits import Cherrant as SpanF
from gecbench.scoring.resample import draws
from gecbench.scoring.run import summarise
from gecbench.scoring.spans import ERROR_FREE, Filter, keys, pair

LETTERS = ["甲", "乙", "丙", "，", "。", "a", "[缺失成分]", "😀"]
TEXTS = st.lists(st.sampled_from(LETTERS), max_size=9).map("".join)
LONGER = st.lists(st.sampled_from(LETTERS), max_size=30).map("".join)
WEIGHTS = Weights((1.0, 2 / 3, 1 / 3, 0.0), 4 / 6.0, 0.5, 0.25, 0.499, 0.0, 0.25)


@cache
def some_costs(seed: int) -> FeatureCosts:
    """Random facts about the letters, as `test_alignment` makes them."""
    dice = random.Random(seed)
    features = {
        ord(letter): Features(
            components=tuple(dice.randrange(1, 3) for _ in range(3))
            if dice.random() < 0.7
            else None,
            sounds=frozenset(dice.sample(range(4), dice.randrange(3))),
            sounded=letter not in "，。",
            mark=letter in "，。",
        )
        for letter in LETTERS
        if len(letter) == 1
    }
    return FeatureCosts(build(features, {ord("甲"): [ord("丙")]}, WEIGHTS, {}))


def cherrant_sets(seed: int, *, first: bool) -> Callable[[Sentence, Sentence], tuple]:
    costs = some_costs(seed)
    return lambda source, target: _extract(source, target, costs, first=first).edit_sets


def char_sets(source: Sentence, target: Sentence) -> tuple:
    return zh_char().extract(source, target).edit_sets


SCHEMES = {
    "zh-char": char_sets,
    **{f"zh-cherrant {n}": cherrant_sets(n, first=n > 3) for n in range(6)},
}


@pytest.mark.parametrize("kernel", ["compiled", "python"])
@pytest.mark.parametrize("name", list(SCHEMES))
def test_edits_applied_to_the_source_give_the_target(name: str, kernel: str):
    with pytest.MonkeyPatch.context() as patch:
        if kernel == "python":
            patch.setattr(alignment, "compiled", None)
            patch.setattr(char, "compiled", None)

        @given(TEXTS, TEXTS)
        def rule(first: str, second: str) -> None:
            source, target = parse(first), parse(second)
            sets = SCHEMES[name](source, target)
            assert len(set(sets)) == len(sets) > 0
            assert all(apply(edits, source.tokens) == target.tokens for edits in sets)
            assert (sets == ((),)) == (source.tokens == target.tokens)

        rule()


@given(first=LONGER, second=LONGER, anything=st.text(max_size=12))
def test_edits_of_the_real_scheme_give_the_target(make_cherrant, first, second, anything):
    for strategy in ("all", "first"):
        scheme = real(make_cherrant, strategy)
        for source, target in ((first, second), (first, anything), (anything, first + anything)):
            a, b = scheme.parse_source(source), scheme.parse_target(target)
            extraction = scheme.extract(a, b)
            assert all(apply(edits, a.tokens) == b.tokens for edits in extraction.edit_sets)


_SCHEMES: dict[str, Scheme] = {}


def real(make: Callable[..., Scheme], strategy: str) -> Scheme:
    """One scheme of each kind for all examples."""
    if strategy not in _SCHEMES:
        _SCHEMES[strategy] = make(strategy=strategy)
    return _SCHEMES[strategy]


SPACED = st.lists(st.sampled_from([*LETTERS, " ", "\u3000"]), max_size=200).map("".join)
REWRITES = st.one_of(
    st.just(Rewrite(unannotatable=True)),
    st.just(Rewrite(error_free=True)),
    st.one_of(TEXTS, SPACED).map(Rewrite),
)


@st.composite
def texts(draw: st.DrawFn) -> tuple[Corpus, list[SystemOutput]]:
    """Sentences with two systems; rewrites change some characters, or all."""
    samples, outputs = [], ({}, {})
    for number in range(draw(st.integers(1, 5))):
        source = draw(st.one_of(TEXTS, SPACED))
        cut = st.integers(0, len(source))
        changed = st.builds(
            lambda a, b, new, source=source: Rewrite(source[:a] + new + source[b:]), cut, cut, TEXTS
        )
        rewrites = st.lists(st.one_of(REWRITES, changed), min_size=1, max_size=3).map(tuple)
        samples.append(Sample(str(number), source, draw(rewrites)))
        for of_system in outputs:
            of_system[str(number)] = draw(rewrites)
    systems = [SystemOutput(name, extracted) for name, extracted in zip("ab", outputs, strict=True)]
    return Corpus("dev", tuple(samples), "zh"), systems


LITTLE_MEMORY = """
import resource
from gecbench.lang.zh import _char
source = "".join(map(chr, range(0x4e00, 0x4e00 + 20_000)))
with open("/proc/self/statm") as file:
    now = int(file.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (now + 20_000_000,) * 2)
((pair,),), _ = _char.count_matches([(source, ("我是一个人",), (source[:-3],))])
assert sum(sum(counts[1:]) for counts in pair) > 1
"""


@pytest.mark.skipif(char.compiled is None, reason="nothing was compiled")
@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux for its memory")
def test_a_long_source_against_a_short_hypothesis_takes_little_memory():
    subprocess.run([sys.executable, "-c", LITTLE_MEMORY], check=True)


@given(texts(), st.sampled_from(CHOICES))
@pytest.mark.skipif(char.compiled is None, reason="nothing was compiled")
def test_counts_without_edits_are_those_of_the_edits(data, choice):
    options = Options(metrics=("cherrant", "edits"), choice=choice)
    counted = collect_stats(*data, scheme=zh_char(), options=options, keep_cases=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(char, "compiled", None)
        extracted = collect_stats(*data, scheme=zh_char(), options=options, keep_cases=False)
    assert counted.rows == extracted.rows
    assert counted.notes == extracted.notes
    assert summarise(counted) == summarise(extracted)
    orders = [
        [[list(pairing.by_type) for pairing in row or ()] for row in run.rows["a", "cherrant"]]
        for run in (counted, extracted)
    ]
    assert orders[0] == orders[1]


@given(st.lists(st.tuples(SPACED, st.lists(st.one_of(TEXTS, SPACED), max_size=4)), max_size=3))
@pytest.mark.skipif(char.compiled is None, reason="nothing was compiled")
def test_shared_edits_without_edits_are_those_of_the_edits(sentences):
    scheme = zh_char()
    sentences = [(source, (source, source[1:], *texts)) for source, texts in sentences]
    counted = iter(memoryview(scheme.count_shared_edits(sentences)).cast("i").tolist())
    for source, texts in sentences:
        extracted = [
            {
                (edit.start, edit.end, edit.replacement)
                for edits in scheme.extract(parse(source), parse(text)).edit_sets
                for edit in edits
            }
            for text in texts
        ]
        for one, other in itertools.product(extracted, repeat=2):
            assert next(counted) == len(one & other)
    assert next(counted, None) is None


# Few places, texts and labels, so that edits agree in part, wholly, and more than once.
EDITS = st.builds(
    lambda start, width, text, label: Edit(
        start, start + width, None if text is None else tuple(text), label
    ),
    st.integers(0, 2),
    st.integers(0, 2),
    st.sampled_from(["", "甲", "乙甲", None]),
    st.sampled_from(["M", "S", "R:VERB", None]),
).filter(lambda edit: edit.start < edit.end or edit.replacement != ())
VERSIONS = st.one_of(
    st.just(CaseRewrite((), unannotatable=True)),
    st.lists(EDITS, max_size=5).map(lambda edits: CaseRewrite(tuple(edits))),
)


@st.composite
def cases(draw: st.DrawFn) -> list[Case]:
    return [
        Case(
            str(number),
            tuple(draw(st.lists(VERSIONS, min_size=1, max_size=2))),
            tuple(draw(st.lists(VERSIONS, min_size=1, max_size=4))),
        )
        for number in range(draw(st.integers(0, 6)))
    ]


METRIC_OPTIONS = st.fixed_dictionaries(
    {
        "level": st.sampled_from(LEVELS),
        "beta": st.sampled_from([0.5, 1.0, 2.0]),
        "chosen": st.builds(
            Filter,
            st.sampled_from(["any", "single", "multi"]),
            st.sampled_from([frozenset(), frozenset({"M"})]),
        ),
    }
)


def score(metric: SpanF, some: list[Case]):
    return metric.aggregate([row for row in map(metric.stats, some) if row is not None])


@given(cases(), METRIC_OPTIONS, st.randoms(use_true_random=False))
def test_order_does_not_matter_where_promised(some: list[Case], options: dict, dice):
    metric = SpanF(choice="sentence-best", **options)
    mixed = list(some)
    dice.shuffle(mixed)
    assert score(metric, mixed) == score(metric, some)


def slow_greedy(metric: SpanF, some: list[Case]) -> list[tuple[int, int, int, int, int]]:
    """The official loop, written out from the specification, section 9."""
    chosen = []
    tp = fp = fn = 0
    for case in some:
        best = None
        for h, r in itertools.product(range(len(case.hypotheses)), range(len(case.references))):
            single_keys = keys(case.hypotheses[h], metric.level, metric.chosen)
            two = keys(case.references[r], metric.level, metric.chosen)
            pairing = pair(single_keys, two).counts
            p = (tp + pairing.tp) / (tp + pairing.tp + fp + pairing.fp) if fp + pairing.fp else 1.0
            q = (tp + pairing.tp) / (tp + pairing.tp + fn + pairing.fn) if fn + pairing.fn else 1.0
            square = metric.beta**2
            f = round((1 + square) * p * q / (square * p + q), 4) if p + q else 0.0
            this = (f, pairing.tp, -pairing.fp, -pairing.fn)
            if best is None or this > best[0]:
                best = (this, (h, r, pairing.tp, pairing.fp, pairing.fn))
        if metric.stats(case):
            chosen.append(best[1])
            tp, fp, fn = (a + b for a, b in zip((tp, fp, fn), best[1][2:], strict=True))
    return chosen


@given(cases(), METRIC_OPTIONS)
def test_corpus_greedy_is_the_slow_official_loop(some: list[Case], options: dict):
    metric = SpanF(choice="corpus-greedy", **options)
    chosen = metric.choose([row for row in map(metric.stats, some) if row is not None])
    actual_choices = [
        (c.hypothesis, c.reference, c.counts.tp, c.counts.fp, c.counts.fn) for c in chosen
    ]
    assert actual_choices == slow_greedy(metric, some)


@given(cases(), METRIC_OPTIONS, st.sampled_from(CHOICES))
def test_what_equals_a_reference_everywhere_is_perfect(some, options: dict, choice):
    """For corpus-greedy on small corpora: see test_choose for where its rounding gives way."""
    metric = SpanF(choice=choice, **options)
    equal = [Case(c.id, (c.references[-1],), c.references) for c in some]
    assert score(metric, equal).value == metric.perfect == 1.0


def plain(some: list[Edit]) -> CaseRewrite:
    """Edits of which no two have one key at any level, as a single edit set has them."""
    places = {at for edit in some for at in range(edit.start, max(edit.end, edit.start + 1))}
    wide = sum(max(edit.end - edit.start, 1) for edit in some)
    return CaseRewrite(tuple(some) if len(places) == wide else tuple(some[:1]))


@given(st.lists(EDITS, max_size=4), st.lists(EDITS, max_size=4), st.sampled_from(LEVELS))
def test_hits_and_misses_make_up_each_side(first: list[Edit], second: list[Edit], level):
    sides = [keys(plain(edits), level, Filter()) for edits in (first, second)]
    pairing = pair(*sides)
    counts, by_type = pairing.counts, pairing.by_type
    proposed, needed = (sum(k[:2] != (-1, -1) for k in side) for side in sides)
    assert counts.tp + counts.fp == proposed
    assert counts.tp + counts.fn == needed
    assert total(by_type.values()) == counts


@given(VERSIONS, VERSIONS, st.sampled_from(LEVELS))
def test_every_edit_of_a_reference_is_found_or_missed(
    first: CaseRewrite, second: CaseRewrite, level
):
    """Pooled alternatives, too: there a hit counts as often as the reference has it."""
    sides = [keys(rewrite, level, Filter()) for rewrite in (first, second)]
    pairing = pair(*sides)
    counts, by_type = pairing.counts, pairing.by_type
    missed = [labels for key, labels in sides[1].items() if key not in sides[0]]
    hit = [labels for key, labels in sides[1].items() if key in sides[0]]
    wrong = [labels for key, labels in sides[0].items() if key not in sides[1]]
    for number, rows in ((counts.fn, missed), (counts.fp, wrong)):
        assert number == sum(len(labels) for labels in rows if labels != [ERROR_FREE])
    if first.edits:
        assert counts.tp == sum(map(len, hit))
    assert total(by_type.values()) == counts
    assert ERROR_FREE not in by_type or first.unannotatable


@given(VERSIONS, VERSIONS)
def test_detection_finds_no_less_than_correction(first: CaseRewrite, second: CaseRewrite):
    def hits(level: str) -> int:
        return pair(keys(first, level, Filter()), keys(second, level, Filter())).counts.tp

    assert hits("correction-type") <= hits("correction")
    assert hits("correction") <= hits("detection-span") <= hits("detection-token")


@given(cases(), METRIC_OPTIONS, st.sampled_from(CHOICES))
def test_a_score_is_finite_says_what_it_is_and_sums_up(some, options: dict, choice):
    actual_score = score(SpanF(choice=choice, **options), some)
    assert 0.0 <= actual_score.value <= 1.0
    assert total(actual_score.by_type.values()) == actual_score.counts
    assert actual_score.value == actual_score.counts.f(options["beta"])
    assert list(actual_score.by_type) == sorted(actual_score.by_type)


@given(cases(), METRIC_OPTIONS, st.sampled_from(CHOICES), st.integers(0, 9))
def test_a_resample_is_scored_as_the_corpus_that_it_is(some, options: dict, choice, seed: int):
    metric = SpanF(choice=choice, **options)
    rows = [row for row in map(metric.stats, some) if row is not None]
    if rows:
        places = draws(len(rows), resamples=20, seed=seed)
        slow = [metric.aggregate([rows[at] for at in row]).value for row in places.tolist()]
        assert metric.resample(rows, places).tolist() == slow


def test_counts_of_nothing_are_perfect_as_in_the_official_script():
    assert score(SpanF(), []).counts == Counts(0, 0, 0)
    assert score(SpanF(), []).value == 1.0
