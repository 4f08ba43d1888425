"""i-measure: how much better a text has become, from -1 to 1, over an alignment of three texts.

Felice and Briscoe, "Towards a standard evaluation method for grammatical error detection and
correction", NAACL 2015; mfelice/imeasure fc79fdf, whose counts these are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, groupby, product
from math import prod
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple, get_args

from gecbench.core.case import Case, Part
from gecbench.core.edit import Edit
from gecbench.core.options import check_between, check_choice, check_least
from gecbench.core.score import BETAS, Score
from gecbench.edits.threeway import Column, align
from gecbench.scoring.metric import Metric
from gecbench.scoring.resample import choose_running, greatest, sums

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gecbench.scoring.metric import Draws, Values

Tokens = tuple[str, ...]
Change = tuple[int, int, Tokens]
"""Half-open span of the source, and what stands instead."""

Aspect = Literal["correction", "detection"]
Maximise = Literal["wacc", "i", "acc", "f", "p", "r", "tp", "tn", "fp", "fn"]
Optimise = Literal["sentence", "corpus"]


# References: what annotators offer for each error, mixed in all ways.


class Alternative(NamedTuple):
    """What one annotator does about an error."""

    annotator: int
    changes: tuple[Change, ...]


def errors(annotations: Sequence[Sequence[Change]]) -> list[tuple[Alternative, ...]]:
    """The errors of a sentence, from left to right, each with what annotators do about it.

    Changes that overlap are about one error. The longest come first, and each joins the first
    error that has a change which it overlaps; errors are not joined later.
    """
    rows = [
        Alternative(annotator, (change,))
        for annotator, changes in enumerate(annotations)
        for change in changes
    ]
    rows.sort(key=lambda row: row.changes[0][0] - row.changes[0][1])
    clusters: list[list[Alternative]] = []
    for row in rows:
        for cluster in clusters:
            if any(_overlap(row.changes[0], other.changes[0]) for other in cluster):
                cluster.append(row)
                break
        else:
            clusters.append([row])
    clusters.sort(key=lambda cluster: cluster[0].changes[0][:2])
    return [tuple(_by_annotator(cluster)) for cluster in clusters]


def _by_annotator(cluster: Sequence[Alternative]) -> Iterator[Alternative]:
    ordered = sorted(cluster, key=lambda row: row.annotator)
    for annotator, rows in groupby(ordered, lambda row: row.annotator):
        yield Alternative(annotator, tuple(row.changes[0] for row in rows))


def _overlap(first: Change, second: Change) -> bool:
    """Whether two spans overlap; an empty one only strictly inside the other, or equal to it."""
    (s1, e1, _), (s2, e2, _) = first, second
    return (s1, e1) == (s2, e2) or (s1 < e2 and s2 < e1)


def combinations(errors: Sequence[Sequence[Alternative]], annotators: int) -> int:
    """How many ways there are to mix the alternatives of all errors."""
    return prod(len(alternatives) + (len(alternatives) < annotators) for alternatives in errors)


def mix_alternatives(
    source: Tokens, errors: Sequence[Sequence[Alternative]], annotators: int
) -> Iterator[Tokens]:
    """Yield a text for each way to mix alternatives; what not all change may be left alone."""
    nothing = Alternative(-1, ())
    choices = [
        (*alternatives, nothing) if len(alternatives) < annotators else alternatives
        for alternatives in errors
    ]
    for alternatives in product(*choices):
        changes = list(
            chain.from_iterable(_join(alternative.changes) for alternative in alternatives)
        )
        if len({change[:2] for change in changes}) == len(changes):
            yield _apply(source, changes)


def texts_of_annotators(
    source: Tokens, errors: Sequence[Sequence[Alternative]], annotators: int
) -> Iterator[Tokens]:
    """Yield the text of each annotator, and the source where one changes nothing."""
    rows = sorted(chain.from_iterable(errors), key=lambda row: row.annotator)
    changed = 0
    for _, alternatives in groupby(rows, lambda row: row.annotator):
        changed += 1
        yield _apply(
            source,
            chain.from_iterable(_join(alternative.changes) for alternative in alternatives),
        )
    if changed < annotators or not changed:
        yield source


def _join(changes: Sequence[Change]) -> list[Change]:
    """Changes of one annotator with the same span as one, in their order."""
    texts: dict[tuple[int, int], Tokens] = {}
    for start, end, text in changes:
        texts[start, end] = texts.get((start, end), ()) + text
    return [(*span, text) for span, text in texts.items()]


def _apply(source: Tokens, changes: Iterable[Change]) -> Tokens:
    """Make changes from the right; one that would leave no token at all is not made."""
    tokens = source
    for start, end, text in sorted(changes, key=lambda change: change[:2], reverse=True):
        tokens = (*tokens[:start], *text, *tokens[end:]) or tokens
    return tokens


# Counts: what became of each column of the alignment.

Counts = tuple[int, ...]
"""TP, TN, FP, FN and FPN of correction, the same of detection; then both of the source itself.

FPN is a column that is wrong and missed at once: source, hypothesis and reference all differ."""

_COUNTS = ("tp", "tn", "fp", "fn", "fpn")
_SIZE = len(_COUNTS)


@lru_cache(maxsize=50_000)
def count(source: Tokens, hypothesis: Tokens, reference: Tokens) -> Counts:
    """The counts of a hypothesis against one reference: correction, then detection."""
    columns: list[Column]
    if source == hypothesis == reference:
        columns = [(token, token, token) for token in source]
    elif source == hypothesis:
        columns = [(s, s, r) for s, r, _ in align(source, reference, ())]
    elif source == reference:
        columns = [(s, h, s) for s, h, _ in align(source, hypothesis, ())]
    else:
        columns = align(source, hypothesis, reference)
    tp = tn = fp = fn = both = 0
    for s, h, r in columns:
        if s == h:
            tn, fn = tn + (s == r), fn + (s != r)
        else:
            fp += s == r
            tp += h == r
            both += s != r and h != r
    return tp, tn, fp + both, fn + both, both, tp + both, tn, fp, fn, 0


class Candidates(NamedTuple):
    """What a sentence has of each reference.

    Args:
        counts: Of each, those of the source behind; each row once.
        fallback: Whether there were too many ways to mix alternatives, and none was.
    """

    counts: tuple[Counts, ...]
    fallback: bool


@dataclass(frozen=True, slots=True)
class IMeasure(Metric[Candidates]):
    """I-measure: weighted accuracy of the system beside that of the unchanged source.

    1 is perfect, 0 as good as the source, -1 the worst. Counts are summed before anything is
    divided. A reference mixes what annotators offer for each error, and each sentence takes the
    one that suits the system best. Of several versions of a hypothesis the first counts.

    Args:
        aspect: Which of the two is scored, and decides which reference is taken.
        mix: Whether alternatives of different annotators are mixed; False is -nomix.
        most: In a sentence with more ways to mix, nothing is mixed.
        maximise: What the reference makes greatest; then it is I, WAcc, Acc.
        optimise: Whether of the sentence, or of the corpus up to it, which depends on its order.
        weight: Of TP and FP in weighted accuracy.
        recall_weight: Weight of recall in F, which only `maximise` "f" uses.
    """

    name: ClassVar[str] = "i-measure"
    needs: ClassVar[Part] = "gold_edits"
    perfect: ClassVar[float] = 1.0
    approximation: ClassVar[str] = (
        "alternatives of annotators can be mixed in more ways than i-measure.most, so they were "
        "not mixed"
    )

    aspect: Aspect = "correction"
    mix: bool = True
    most: int = 256
    maximise: Maximise = "wacc"
    optimise: Optimise = "sentence"
    weight: float = 2.0
    recall_weight: float = 1.0

    def __post_init__(self) -> None:
        """Refuse options that mean nothing."""
        check_choice("i-measure.aspect", self.aspect, get_args(Aspect))
        check_least("i-measure.most", self.most, 1)
        check_choice("i-measure.maximise", self.maximise, get_args(Maximise))
        check_choice("i-measure.optimise", self.optimise, get_args(Optimise))
        check_between("i-measure.weight", self.weight, 0, 1000)
        check_between("i-measure.recall_weight", self.recall_weight, *BETAS)

    def stats(self, case: Case) -> Candidates | None:
        """The counts against each reference; None where no annotator could correct it."""
        annotations = [
            tuple(map(_change, version.gold_edits, [case.tokens] * len(version.gold_edits)))
            for version in case.references
            if not version.unannotatable
        ]
        if not annotations:
            return None
        error_alternatives, annotators = errors(annotations), len(annotations)
        fallback = self.mix and combinations(error_alternatives, annotators) > self.most
        texts = mix_alternatives if self.mix and not fallback else texts_of_annotators
        references = list(dict.fromkeys(texts(case.tokens, error_alternatives, annotators))) or [
            case.tokens
        ]
        hypothesis = case.hypotheses[0].tokens
        rows = [
            count(case.tokens, hypothesis, text) + count(case.tokens, case.tokens, text)
            for text in references
        ]
        return Candidates(tuple(dict.fromkeys(rows)), fallback)

    def aggregate(self, stats: Sequence[Candidates]) -> Score:
        """I of the summed counts; its parts are all counts and ratios of both aspects."""
        import numpy as np

        rows = _table(stats)
        totals = rows[np.arange(len(stats)), self._choose(rows)].sum(axis=0)
        parts = {}
        prefixes: Mapping[Aspect, str] = {"correction": "", "detection": "detection_"}
        for aspect, prefix in prefixes.items():
            for name, value in self._measures(totals, aspect).items():
                parts[f"{prefix}{name}"] = float(value)
        value = self._measures(totals, self.aspect)["i"]
        return Score(float(value), self.signature, len(stats), parts=parts)

    def sentences(self, stats: Sequence[Candidates]) -> Sequence[Mapping[str, object]]:
        """I of each sentence by itself, and its counts with the reference chosen."""
        import numpy as np

        rows = _table(stats)
        chosen = rows[np.arange(len(stats)), self._choose(rows)]
        measures = self._measures(chosen, self.aspect)
        counts = zip(*(measures[name].astype(int).tolist() for name in _COUNTS), strict=True)
        return [
            {"value": value, **dict(zip(_COUNTS, row, strict=True))}
            for value, row in zip(measures["i"].tolist(), counts, strict=True)
        ]

    def resample(self, stats: Sequence[Candidates], draws: Draws) -> Values:
        """I of each resample; with `optimise` "corpus" its references are chosen again."""
        import numpy as np

        rows = _table(stats)
        if self.optimise == "corpus":
            totals, _ = choose_running(rows[..., None], draws, self._rank)
        else:
            totals = sums(rows[np.arange(len(stats)), self._choose(rows)], draws)
        return self._measures(totals, self.aspect)["i"]

    def is_approximate(self, stats: Candidates) -> bool:
        """Whether there were too many ways to mix the alternatives."""
        return stats.fallback

    def _choose(self, rows: Values) -> NDArray[np.intp]:
        """The place of the reference of each sentence."""
        import numpy as np

        if self.optimise == "corpus":
            order = np.arange(len(rows))[None]
            places: NDArray[np.intp] = choose_running(rows[..., None], order, self._rank)[1][0]
            return places
        return greatest(self._rank(rows, rows))

    def _rank(self, totals: Values, candidates: Values) -> Sequence[Values]:
        """What decides between references: of the aspect first, then of the other."""
        del candidates
        aspects = sorted(get_args(Aspect), key=lambda aspect: aspect != self.aspect)
        return [
            measures[name]
            for measures in (self._measures(totals, aspect) for aspect in aspects)
            for name in (self.maximise, "i", "wacc", "acc")
        ]

    def _measures(self, totals: Values, aspect: Aspect) -> Mapping[str, Values]:
        """Counts and ratios of one aspect, of counts of shape (..., 20); 0 / 0 is 1, F's 0."""
        import numpy as np

        first = _SIZE * get_args(Aspect).index(aspect)
        tp, tn, fp, fn, fpn = np.moveaxis(totals[..., first : first + _SIZE], -1, 0)
        base = totals[..., 2 * _SIZE + first : 3 * _SIZE + first]
        p, r = _ratio(tp, tp + fp), _ratio(tp, tp + fn)
        square = self.recall_weight * self.recall_weight
        f = _ratio((1 + square) * p * r, square * p + r, 0.0)
        wacc, wacc_base = self._weigh(totals[..., first : first + _SIZE]), self._weigh(base)
        acc = _ratio(tp + tn, tp + tn + fp + fn - fpn)
        with np.errstate(divide="ignore", invalid="ignore"):
            gain, loss = (wacc - wacc_base) / (1 - wacc_base), wacc / wacc_base - 1
        i = np.where(wacc > wacc_base, gain, np.where(wacc < wacc_base, loss, np.floor(wacc)))
        counts = dict(zip(_COUNTS, (tp, tn, fp, fn, fpn), strict=True))
        ratios = {"p": p, "r": r, "f": f, "acc": acc, "wacc": wacc, "wacc_base": wacc_base}
        return {**counts, **ratios, "i": i}

    def _weigh(self, counts: Values) -> Values:
        import numpy as np

        tp, tn, fp, fn, fpn = np.moveaxis(counts, -1, 0)
        w = self.weight
        return _ratio(w * tp + tn, w * (tp + fp) + tn + fn - (w + 1) * fpn / 2)


def _change(edit: Edit, source: Tokens) -> Change:
    """An edit as a change; of a detected error what the file gives beside it."""
    text = edit.replacement
    if text is None:
        text = edit.alternatives[0] if edit.alternatives else source[edit.start : edit.end]
    return edit.start, edit.end, text


def _table(stats: Sequence[Candidates]) -> Values:
    """Counts, shape (sentences, candidates, 20), filled up by repeating a sentence's last."""
    import numpy as np

    width = max((len(sentence.counts) for sentence in stats), default=1)
    rows = [
        (*sentence.counts, *sentence.counts[-1:] * (width - len(sentence.counts)))
        for sentence in stats
    ]
    return np.array(rows, dtype=np.float64).reshape(len(stats), width, 4 * _SIZE)


def _ratio(part: Values, whole: Values, empty: float = 1.0) -> Values:
    import numpy as np

    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(whole == 0, empty, part / whole)
