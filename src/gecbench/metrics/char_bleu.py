"""char-bleu: BLEU over characters, as sacrebleu computes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, ClassVar, Literal, get_args

from gecbench.core.case import Case, Part
from gecbench.core.errors import Message, MissingExtraError
from gecbench.core.options import check_choice
from gecbench.core.score import Score
from gecbench.scoring.metric import Metric
from gecbench.scoring.resample import sums
from gecbench.scoring.texts import references

if TYPE_CHECKING:
    from sacrebleu.metrics.bleu import BLEU

    from gecbench.scoring.metric import Draws, Values


Smoothing = Literal["none", "exp"]

_ORDER = 4


@cache
def _bleu() -> BLEU:
    """Sacrebleu's BLEU over characters, made once.

    Raises:
        MissingExtraError: sacrebleu is not installed.
    """
    try:
        from sacrebleu.metrics.bleu import BLEU
    except ImportError as error:
        raise MissingExtraError("sacrebleu", "bleu") from error
    return BLEU(tokenize="char")


@dataclass(frozen=True, slots=True)
class BleuCounts:
    """sacrebleu's sufficient statistics of a sentence.

    Each is the length, that of the closest reference, then the matches and the n-grams for n =
    1 to 4.

    Args:
        hypothesis: Of what the system wrote.
        source: Of the source, as if a system had changed nothing.
    """

    hypothesis: tuple[int, ...]
    source: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CharBleu(Metric[BleuCounts]):
    """BLEU over characters without white space, against all references.

    Papineni et al., ACL 2002, as Lin, Lin, Yang and Jiang, 2022 (arXiv 2205.00217) take it for
    Chinese; sacrebleu's corpus score
    with tokenize="char", divided by 100 and at most 1 (sacrebleu's rounding gives a little
    more). Of two references equally close in length the shorter decides the brevity penalty. A
    corpus whose texts are all shorter than 4 characters scores 0, as there; otherwise a
    hypothesis that equals a reference everywhere scores 1. Of several versions of a hypothesis
    the first counts.

    Args:
        smoothing: "none", as in the paper: 0 where an order has no match; "exp": such an order
            counts half of what the one before such would. On corpora of usual size they agree;
            single sentences want "exp".
    """

    name: ClassVar[str] = "char-bleu"
    needs: ClassVar[Part] = "texts"

    smoothing: Smoothing = "none"

    def __post_init__(self) -> None:
        """Refuse options that mean nothing."""
        check_choice("char-bleu.smoothing", self.smoothing, get_args(Smoothing))

    def settings(self) -> Mapping[str, str]:
        """Its options, as signatures show them."""
        return {"smoothing": self.smoothing, "sacrebleu": _version()}

    def stats(self, case: Case) -> BleuCounts | None:
        """What sacrebleu counts; None where none can be annotated.

        Raises:
            MissingExtraError: sacrebleu is not installed.
        """
        texts, hypothesis = references(case), case.hypotheses[0].text
        if not texts:
            return None
        source = _count(case.source, texts)
        is_unchanged = hypothesis == case.source
        return BleuCounts(source if is_unchanged else _count(hypothesis, texts), source)

    def aggregate(self, stats: Sequence[BleuCounts]) -> Score:
        """BLEU of these sentences together, 0 where there is none.

        Its parts are the precisions, the brevity penalty and the two lengths.
        """
        return self._score([counts.hypothesis for counts in stats])

    def sentences(self, stats: Sequence[BleuCounts]) -> Sequence[Mapping[str, object]]:
        """BLEU of each sentence with the smoothing of this metric."""
        import numpy as np

        rows = np.array([counts.hypothesis for counts in stats], dtype=np.float64)
        values = _scores(rows.reshape(-1, 2 + 2 * _ORDER), self.smoothing)
        return [{"value": value} for value in values.tolist()]

    def resample(self, stats: Sequence[BleuCounts], draws: Draws) -> Values:
        """BLEU of each resample."""
        import numpy as np

        rows = np.array([counts.hypothesis for counts in stats], dtype=np.int64)
        return _scores(sums(rows.reshape(-1, 2 + 2 * _ORDER), draws), self.smoothing)

    def notes(self, stats: Sequence[BleuCounts]) -> tuple[str, ...]:
        """Say so where the unchanged source scores higher."""
        source = self._score([counts.source for counts in stats]).value
        value = self.aggregate(stats).value
        if source <= value:
            return ()
        return (
            Message(
                "char-bleu: the unchanged source scores {source:.4f} on these data, this system "
                "{value:.4f}; BLEU rewards leaving texts alone",
                source=source,
                value=value,
            ),
        )

    def _score(self, rows: Sequence[tuple[int, ...]]) -> Score:
        totals = [sum(column) for column in zip(*rows, strict=True)] or [0] * (2 + 2 * _ORDER)
        bleu = _bleu().compute_bleu(
            correct=totals[2 : 2 + _ORDER],
            total=totals[2 + _ORDER :],
            sys_len=totals[0],
            ref_len=totals[1],
            smooth_method=self.smoothing,
        )
        parts = {f"precision-{n}": p / 100 for n, p in enumerate(bleu.precisions, 1)}
        parts |= {"brevity": bleu.bp, "length": totals[0], "reference-length": totals[1]}
        return Score(min(1.0, bleu.score / 100), self.signature, len(rows), parts=parts)


def _version() -> str:
    _bleu()
    import sacrebleu

    return str(sacrebleu.__version__)


def _count(text: str, references: Sequence[str]) -> tuple[int, ...]:
    """Sacrebleu's counts of one text, by way of its score of a corpus of one.

    It drops white space itself.
    """
    bleu = _bleu().corpus_score([text], [[reference] for reference in references])
    return (bleu.sys_len, bleu.ref_len, *bleu.counts, *bleu.totals)


def _scores(totals: Values, smoothing: Smoothing) -> Values:
    """Sacrebleu's formula for many sums at once, in [0, 1].

    Args:
        totals: Sums of rows, shape (..., 10).
        smoothing: As in the metric.
    """
    import numpy as np

    length, closest = totals[..., 0], totals[..., 1]
    right, total = totals[..., 2 : 2 + _ORDER], totals[..., 2 + _ORDER :]
    with np.errstate(divide="ignore", invalid="ignore"):
        brevity = np.minimum(0, 1 - closest / length)
        precision = right / total
        if smoothing == "exp":
            halves = 2.0 ** np.cumsum(right == 0, axis=-1)
            precision = np.where(right == 0, 1 / (halves * total), precision)
        values = np.exp(brevity + np.log(precision).mean(axis=-1))
    defined = (total > 0).all(-1) & (right > 0).any(-1)
    return np.where(defined, values, 0.0)
