"""scribendi, some and impara: networks judge the hypothesis; no reference is needed.

The networks are loaded by name or path, and are not part of gecbench.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from math import exp, isfinite
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from gecbench.core.case import Case, Part
from gecbench.core.errors import UsageError
from gecbench.core.options import check_between, check_least
from gecbench.core.score import Score
from gecbench.scoring.metric import MeanMetric
from gecbench.scoring.resample import mean
from gecbench.scoring.texts import longest_common, references

if TYPE_CHECKING:
    from gecbench.backends.scorers import LanguageModel, Regressor


class Judgment(NamedTuple):
    """What a network says of one sentence.

    Args:
        value: Its score.
        parts: What it is made of, by name.
        cut: Whether a text was longer than the network reads.
    """

    value: float
    parts: Mapping[str, float]
    cut: bool


@dataclass(frozen=True, slots=True)
class NetworkMetric(MeanMetric[Judgment]):
    """What metrics share that ask a network, and no annotator.

    A sentence that no annotator could correct is left out, as everywhere. Of several versions of
    a hypothesis the first counts.
    """

    needs: ClassVar[Part] = "texts"
    needs_references: ClassVar[bool] = False
    by_part: ClassVar[bool] = False
    approximation: ClassVar[str] = "only the beginning was read of texts too long for the network"

    def stats(self, case: Case) -> Judgment | None:
        """The judgment of one sentence; None where there are references, none of use."""
        (judgment,) = self.stats_of([case])
        return judgment

    def stats_of(self, cases: Sequence[Case]) -> Sequence[Judgment | None]:
        """The judgments of many sentences, in batches; None as for one."""
        scored = [not case.references or bool(references(case)) for case in cases]
        pairs = [(case.source, case.hypotheses[0].text) for case in compress(cases, scored)]
        judgments = iter(self.judge(pairs) if pairs else ())
        return tuple(next(judgments) if needs_score else None for needs_score in scored)

    @abstractmethod
    def judge(self, pairs: Sequence[tuple[str, str]]) -> Sequence[Judgment]:
        """The judgments of sources with their hypotheses."""

    def values(self, stats: Sequence[Judgment]) -> Sequence[float]:
        """The score of each sentence."""
        return [judgment.value for judgment in stats]

    def aggregate(self, stats: Sequence[Judgment]) -> Score:
        """The mean over the sentences, and that of each part."""
        score = MeanMetric.aggregate(self, stats)
        names = stats[0].parts if stats else ()
        parts = {name: mean([judgment.parts[name] for judgment in stats]) for name in names}
        return replace(score, parts=parts)

    def sentences(self, stats: Sequence[Judgment]) -> Sequence[Mapping[str, object]]:
        """The score of each sentence, and what it is made of."""
        return [{"value": judgment.value, **judgment.parts} for judgment in stats]

    def is_approximate(self, stats: Judgment) -> bool:
        """Whether the network could not read all of it."""
        return stats.cut


# Scribendi: has the text become likelier, and is it still the same text?


@dataclass(frozen=True, slots=True)
class Scribendi(NetworkMetric):
    """How many more sentences a language model finds better than worse, from -1 to 1.

    Islam and Magnani, "Is this the end of the gold standard?", EMNLP 2021, section 3: a sentence
    that stays has 0; one of lower perplexity has 1 if the greater of token sort ratio and
    Levenshtein ratio reaches the threshold, every other -1. The paper adds them up, and here
    their mean is taken; the sum is among the parts. Met is gec-metrics 0.1.1.

    Args:
        model: A causal language model: a folder, or a name on the hub, with "@REVISION" or not.
        threshold: The least ratio, in [0, 1].
    """

    name: ClassVar[str] = "scribendi"
    experimental: ClassVar[str] = "checked with tiny models only, not with GPT-2"

    model: str = "openai-community/gpt2"
    threshold: float = 0.8

    def __post_init__(self) -> None:
        """Refuse options that mean nothing."""
        check_between("scribendi.threshold", self.threshold, 0, 1)

    def settings(self) -> Mapping[str, str]:
        """Its options with the model's revision; the model is loaded for that."""
        return {"model": self._network.description, "threshold": f"{self.threshold:g}"}

    def judge(self, pairs: Sequence[tuple[str, str]]) -> Sequence[Judgment]:
        """1, 0 or -1 for each sentence; the parts are perplexities and the greater ratio."""
        network = self._network
        texts = [(text,) for pair in pairs for text in pair]
        perplexities = network.values(texts)
        cuts = list(map(network.is_cut, texts))
        rows = zip(pairs, perplexities[::2], perplexities[1::2], cuts[::2], cuts[1::2], strict=True)
        return [self._judgment(*row) for row in rows]

    def aggregate(self, stats: Sequence[Judgment]) -> Score:
        """The mean over the sentences; its parts are the sum and how many are what."""
        values = self.values(stats)
        counts = {"better": 1, "unchanged": 0, "worse": -1}
        parts = {name: float(values.count(value)) for name, value in counts.items()}
        return Score(mean(values), self.signature, len(stats), parts={"sum": sum(values), **parts})

    @property
    def _network(self) -> LanguageModel:
        from gecbench.backends.scorers import language_model

        return language_model(self.model)

    def _judgment(
        self,
        pair: tuple[str, str],
        before: float,
        after: float,
        *cuts: bool,
    ) -> Judgment:
        ratio = max(token_sort_ratio(*pair), levenshtein_ratio(*pair))
        value = 1.0 if before > after and ratio >= self.threshold else -1.0
        if pair[0] == pair[1]:
            value = 0.0
        known = {"source_perplexity": before, "perplexity": after, "ratio": ratio}
        parts = {name: number for name, number in known.items() if isfinite(number)}
        return Judgment(value, parts, any(cuts))


def levenshtein_ratio(first: str, second: str) -> float:
    """The share of characters that stay, where replacing one costs as much as two edits.

    >>> round(levenshtein_ratio("lewenstein", "levenshtein"), 4)
    0.8571
    """
    length = len(first) + len(second)
    return 2 * longest_common(first, second) / length if length else 1.0


_MARKS = re.compile(r"\W")
_NOT_ASCII = dict.fromkeys(range(0x80, 0x100))


def token_sort_ratio(first: str, second: str) -> float:
    """The Levenshtein ratio of the sorted words of two texts, in whole percent.

    fuzzywuzzy 0.18's, with all that it does to texts: characters of Latin-1 beyond ASCII are
    dropped, marks become blanks, capitals small letters; a text without words has 0.

    >>> token_sort_ratio("the cat sat", "Sat, the cat!")
    1.0
    """
    words = [
        " ".join(sorted(_MARKS.sub(" ", text.translate(_NOT_ASCII)).lower().split()))
        for text in (first, second)
    ]
    if words[0] == words[1]:
        return 1.0
    return round(100 * levenshtein_ratio(*words)) / 100 if all(words) else 0.0


# SOME: three regressors, trained on what people said of outputs.


@dataclass(frozen=True, slots=True)
class Some(NetworkMetric):
    """The weighted sum of grammaticality, fluency and meaning as three regressors see them.

    Yoshimura, Kaneko, Kajiwara and Komachi, "SOME: Reference-less Sub-Metrics Optimized for
    Manual Evaluations of Grammatical Error Correction", COLING 2020, section 4; kokeman/SOME
    212c4eb. The first two read the hypothesis, the third the source with it; their scale from 1
    to 4 becomes 0 to 1, which a regressor may pass.

    Args:
        grammaticality: Folder of the first regressor, or a name on the hub.
        fluency: Of the second.
        meaning: Of the third.
        grammaticality_weight: What it counts.
        fluency_weight: What it counts.
        meaning_weight: What it counts.
        longest: Pieces of a text that are read.
    """

    name: ClassVar[str] = "some"
    experimental: ClassVar[str] = "checked with tiny models only, not with the authors'"

    grammaticality: str = ""
    fluency: str = ""
    meaning: str = ""
    grammaticality_weight: float = 0.55
    fluency_weight: float = 0.43
    meaning_weight: float = 0.02
    longest: int = 128

    def __post_init__(self) -> None:
        """Refuse options that mean nothing."""
        for name in ("grammaticality", "fluency", "meaning"):
            check_model(f"some.{name}", getattr(self, name))
            check_between(f"some.{name}_weight", getattr(self, f"{name}_weight"), 0, 1)
        check_least("some.longest", self.longest, 1)

    def settings(self) -> Mapping[str, str]:
        """Its options with the revisions of the models, which are loaded for that."""
        names = "grammaticality", "fluency", "meaning"
        settings = dict(zip(names, (n.description for n in self._networks), strict=True))
        settings["weights"] = "/".join(f"{weight:g}" for weight in self._weights)
        return {**settings, "longest": str(self.longest)}

    def judge(self, pairs: Sequence[tuple[str, str]]) -> Sequence[Judgment]:
        """The weighted sum for each sentence, and its three parts."""
        inputs: tuple[Sequence[tuple[str, ...]], ...] = (
            [pair[1:] for pair in pairs],
            [pair[1:] for pair in pairs],
            pairs,
        )
        networks = self._networks
        rows = [
            [(value - 1) / 3 for value in network.values(texts)]
            for network, texts in zip(networks, inputs, strict=True)
        ]
        return [
            Judgment(
                sum(weight * part for weight, part in zip(self._weights, parts, strict=True)),
                dict(zip(("grammaticality", "fluency", "meaning"), parts, strict=True)),
                any(n.is_cut(text) for n, text in zip(networks, texts, strict=True)),
            )
            for texts, parts in zip(zip(*inputs, strict=True), zip(*rows, strict=True), strict=True)
        ]

    @property
    def _weights(self) -> tuple[float, float, float]:
        return self.grammaticality_weight, self.fluency_weight, self.meaning_weight

    @property
    def _networks(self) -> tuple[Regressor, Regressor, Regressor]:
        from gecbench.backends.scorers import regressor

        first, second, third = self.grammaticality, self.fluency, self.meaning
        longest = self.longest
        return regressor(first, longest), regressor(second, longest), regressor(third, longest)


# IMPARA: a quality estimator, for hypotheses that still mean the same.


@dataclass(frozen=True, slots=True)
class Impara(NetworkMetric):
    """The quality of the hypothesis as a network sees it; 0 where the meaning has changed.

    Maeda, Kaneko and Okazaki, "IMPARA: Impact-Based Metric for GEC Using Parallel Data", COLING
    2022, section 3: the sigmoid of the quality estimator, if the cosine of the mean vectors of
    source and hypothesis reaches the threshold. Met is gec-metrics 0.1.1.

    Args:
        quality: The quality estimator: a folder, or a name on the hub.
        similarity: The encoder, likewise.
        threshold: The least cosine, in [-1, 1].
        longest: Pieces of a text that are read.
    """

    name: ClassVar[str] = "impara"
    experimental: ClassVar[str] = "checked with tiny models only; the authors released none"

    quality: str = "gotutiyan/IMPARA-QE"
    similarity: str = "google-bert/bert-base-cased"
    threshold: float = 0.9
    longest: int = 128

    def __post_init__(self) -> None:
        """Refuse options that mean nothing."""
        check_between("impara.threshold", self.threshold, -1, 1)
        check_least("impara.longest", self.longest, 1)

    def settings(self) -> Mapping[str, str]:
        """Its options with the revisions of the models, which are loaded for that."""
        from gecbench.backends.scorers import encoder, regressor

        return {
            "quality": regressor(self.quality, self.longest).description,
            "similarity": encoder(self.similarity, self.longest).description,
            "threshold": f"{self.threshold:g}",
            "longest": str(self.longest),
        }

    def judge(self, pairs: Sequence[tuple[str, str]]) -> Sequence[Judgment]:
        """The quality of each hypothesis, or 0; the parts are quality and similarity."""
        from gecbench.backends.scorers import encoder, regressor

        estimator = regressor(self.quality, self.longest)
        similar = encoder(self.similarity, self.longest)
        sources, texts = zip(*pairs, strict=True)
        qualities = [1 / (1 + exp(-x)) for x in estimator.values([(text,) for text in texts])]
        cosines = similar.similarity(sources, texts)
        return [
            Judgment(
                quality if cosine >= self.threshold else 0.0,
                {"quality": quality, "similarity": cosine},
                any(map(similar.is_cut, ((source,), (text,)))) or estimator.is_cut((text,)),
            )
            for source, text, quality, cosine in zip(
                sources, texts, qualities, cosines, strict=True
            )
        ]


def check_model(option: str, place: str) -> None:
    """Refuse to go on without a model that has no usual place.

    Raises:
        UsageError: It is not named.
    """
    if not place:
        raise UsageError(f"{option} names no model; set it: --set {option}=FOLDER")
