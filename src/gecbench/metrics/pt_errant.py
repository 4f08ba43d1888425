"""pt-errant: F over edits that weigh what they do to the likeness of the text to the reference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from gecbench.core.case import Case, Part
from gecbench.core.edit import Edit, apply
from gecbench.core.options import check_between, check_least
from gecbench.core.score import BETAS, Score
from gecbench.scoring.metric import Metric
from gecbench.scoring.resample import choose_running, f_scores, ratios

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gecbench.backends.scorers import BertScore
    from gecbench.scoring.metric import Draws, Values

Key = tuple[int, int, str]
"""What an edit is compared by: its span, and its replacement as text."""


class Weights(NamedTuple):
    """Weights of the edits of a hypothesis against one reference, added up."""

    tp: float
    fp: float
    fn: float


class SentenceWeights(NamedTuple):
    """One sentence.

    Args:
        candidates: The weights with each reference.
        cut: Whether a text was longer than the network reads.
    """

    candidates: tuple[Weights, ...]
    cut: bool


class Comparison(NamedTuple):
    """A hypothesis and a reference, before edits are weighed.

    Args:
        hypothesis: Its edits.
        reference: Its edits.
        before: The source, and the text of the reference.
        after: For each edit of either, the source with it alone, and the text of the reference.
    """

    hypothesis: frozenset[Key]
    reference: frozenset[Key]
    before: tuple[str, str]
    after: Mapping[Key, tuple[str, str]]


@dataclass(frozen=True, slots=True)
class PtErrant(Metric[SentenceWeights]):
    """Precision, recall and F of English edits, each weighed by what it does to BERTScore.

    Gong, Liu, Huang and Zhang, "Revisiting Grammatical Error Correction Evaluation and Beyond",
    EMNLP 2022, section 3: the weight of an edit is by how much the BERTScore of the source with the
    reference changes if this edit alone is made. Met is gec-metrics 0.1.1, and so the choice of the
    reference: that which makes F of the running totals greatest, not rounded; then more true
    positives in all, fewer false positives, fewer false negatives, the first. BERTScore is not
    rescaled, which would multiply all weights alike. Of several versions of a hypothesis the first
    counts, of alternative edit sets the first.

    Args:
        model: The encoder of BERTScore: a folder, or a name on the hub, with "@REVISION" or not.
        layer: Whose vectors are compared; bert-score takes 9 for BERT.
        beta: Weight of recall in F.
    """

    name: ClassVar[str] = "pt-errant"
    needs: ClassVar[Part] = "edits"
    languages: ClassVar[tuple[str, ...]] = ("en",)
    perfect: ClassVar[float] = 1.0
    by_part: ClassVar[bool] = False
    experimental: ClassVar[str] = "checked with a tiny model only, not with BERT"
    approximation: ClassVar[str] = "only the beginning was read of texts too long for the network"

    model: str = "google-bert/bert-base-uncased"
    layer: int = 9
    beta: float = 0.5

    def __post_init__(self) -> None:
        """Refuse options that mean nothing."""
        check_least("pt-errant.layer", self.layer, 0)
        check_between("pt-errant.beta", self.beta, *BETAS)

    def settings(self) -> Mapping[str, str]:
        """Its options with the model's revision; the model is loaded for that."""
        model = self._network.description
        return {"model": model, "layer": str(self.layer), "beta": f"{self.beta:g}"}

    def stats(self, case: Case) -> SentenceWeights | None:
        """The weights with each reference; None where no annotator could correct the sentence."""
        (weighed,) = self.stats_of([case])
        return weighed

    def stats_of(self, cases: Sequence[Case]) -> Sequence[SentenceWeights | None]:
        """The weights of many sentences; BERTScore is computed in batches."""
        rows = [compare(case) for case in cases]
        network = self._network
        pairs = dict.fromkeys(
            pair for row in rows for edit in row for pair in (edit.before, *edit.after.values())
        )
        values = dict(zip(pairs, network.values(list(pairs)), strict=True))
        cuts = {pair for pair in pairs if network.is_cut(pair)}
        return tuple(
            SentenceWeights(
                tuple(_weigh(edit, values) for edit in row),
                any(not cuts.isdisjoint((edit.before, *edit.after.values())) for edit in row),
            )
            if row
            else None
            for row in rows
        )

    def aggregate(self, stats: Sequence[SentenceWeights]) -> Score:
        """F of the weights with the references chosen; its parts are its precisions and weights."""
        import numpy as np

        totals, _ = self._choose(stats, np.arange(len(stats))[None])
        precision, recall = ratios(totals)
        weights = dict(zip(("tp", "fp", "fn"), totals[0].tolist(), strict=True))
        parts = {"precision": float(precision[0]), "recall": float(recall[0]), **weights}
        value = float(f_scores(totals, self.beta)[0])
        return Score(value, self.signature, len(stats), parts=parts)

    def sentences(self, stats: Sequence[SentenceWeights]) -> Sequence[Mapping[str, object]]:
        """F of each sentence by itself, with the reference best for it, and the weights."""
        import numpy as np

        rows = []
        for row in stats:
            totals, chosen = self._choose([row], np.zeros((1, 1), dtype=np.intp))
            value = float(f_scores(totals, self.beta)[0])
            best = int(chosen[0, 0])
            rows.append({"value": value, "chosen": best, **row.candidates[best]._asdict()})
        return rows

    def resample(self, stats: Sequence[SentenceWeights], draws: Draws) -> Values:
        """F of each resample, its references chosen again."""
        return f_scores(self._choose(stats, draws)[0], self.beta)

    def is_approximate(self, stats: SentenceWeights) -> bool:
        """Whether the network could not read all of it."""
        return stats.cut

    @property
    def _network(self) -> BertScore:
        from gecbench.backends.scorers import bert_score

        return bert_score(self.model, self.layer)

    def _choose(
        self, stats: Sequence[SentenceWeights], draws: Draws
    ) -> tuple[Values, NDArray[np.intp]]:
        """The totals of each resample, and the reference chosen at each place of it."""
        import numpy as np

        width = max((len(row.candidates) for row in stats), default=1)
        rows = np.array(
            [[*c, *c[-1:] * (width - len(c))] for c in (row.candidates for row in stats)],
            dtype=np.float64,
        ).reshape(len(stats), width, 3, 1)

        def rank(totals: Values, _: Values) -> Sequence[Values]:
            # Sums in another order differ in their last digits, which must not decide.
            tp, fp, fn = np.moveaxis(totals.round(12), -1, 0)
            return f_scores(totals, self.beta).round(12), tp, -fp, -fn

        return choose_running(rows, draws, rank)


def compare(case: Case) -> tuple[Comparison, ...]:
    """The first hypothesis with each reference that somebody could make."""
    tokens = case.edit_tokens
    hypothesis = _keys(case.hypotheses[0].first)
    comparisons = []
    for reference in case.references:
        if reference.unannotatable:
            continue
        edits = _keys(reference.first)
        text = " ".join(apply(reference.first, tokens))
        after = {
            key: (" ".join(apply([edit], tokens)), text)
            for key, edit in {**hypothesis, **edits}.items()
        }
        before = " ".join(tokens), text
        comparisons.append(Comparison(frozenset(hypothesis), frozenset(edits), before, after))
    return tuple(comparisons)


def _keys(edits: Sequence[Edit]) -> dict[Key, Edit]:
    """The edits that correct something."""
    return {
        (edit.start, edit.end, " ".join(edit.replacement)): edit
        for edit in edits
        if edit.replacement is not None
    }


def _weigh(comparison: Comparison, values: Mapping[tuple[str, str], float]) -> Weights:
    hypothesis, reference, before, after = comparison
    weights = {key: abs(values[pair] - values[before]) for key, pair in after.items()}
    groups = hypothesis & reference, hypothesis - reference, reference - hypothesis
    return Weights(*(sum(weights[key] for key in sorted(group)) for group in groups))
