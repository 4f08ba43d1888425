"""llm-judge: a language model behind a chat server rates each correction by a rubric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from gecbench.chat import judging
from gecbench.chat.profile import load_chat_profile
from gecbench.chat.session import sampling_settings
from gecbench.core.case import Case, Part
from gecbench.core.errors import GecbenchError, UsageError, count_noun
from gecbench.core.options import check_between
from gecbench.core.score import Score, WarningNote
from gecbench.scoring.metric import Metric
from gecbench.scoring.resample import mean, sums
from gecbench.scoring.texts import references

if TYPE_CHECKING:
    from gecbench.scoring.metric import Draws, Values


class Rated(NamedTuple):
    """The rating of one sentence.

    Args:
        value: From 0, the worst of the scale, to 1; None where no rating could be read.
        rating: As the model gave it.
        why: Why there is none.
    """

    value: float | None
    rating: float | None
    why: str


@dataclass(frozen=True, slots=True)
class LlmJudge(Metric[Rated]):
    """The mean rating of a chat model, from 0 to 1; no reference is needed.

    Each correction is rated by itself, beside its source; Kobayashi, Mita and Komachi, "Large
    Language Models Are State-of-the-Art Evaluator for Grammatical Error Correction", BEA 2024,
    show several at once. Answers are cached as those of correctors. A sentence that no annotator
    could correct is left out, as everywhere. Of several versions of a hypothesis the first counts.

    Args:
        profile: A chat profile: the path of a TOML file, or MODEL@URL.
        rubric: Name of a packaged rubric, or path of a TOML file; it has the scale.
        most_unread: Share of answers, in [0, 1], that may hold no rating. Where there are more,
            scoring is refused; where there are fewer, these sentences are left out of the mean,
            and a warning counts them.
    """

    name: ClassVar[str] = "llm-judge"
    needs: ClassVar[Part] = "texts"
    needs_references: ClassVar[bool] = False
    by_part: ClassVar[bool] = False
    experimental: ClassVar[str] = (
        "it depends on the model and the rubric; `gecbench analyse meta` says how well they agree "
        "with people"
    )

    profile: str = ""
    rubric: str = "overall"
    most_unread: float = 0.0

    def __post_init__(self) -> None:
        """Refuse options that mean nothing."""
        if not self.profile:
            raise UsageError(
                "llm-judge.profile names no chat profile; set it: "
                "--set llm-judge.profile=profile.toml, or MODEL@URL"
            )
        check_between("llm-judge.most_unread", self.most_unread, 0, 1)

    def settings(self) -> Mapping[str, str]:
        """Model, address, rubric with a hash of what it says, and how answers are sampled."""
        profile, rubric = load_chat_profile(self.profile, {}), judging.load_rubric(self.rubric)
        return {
            "model": profile.model,
            "url": profile.base_url,
            "rubric": f"{Path(self.rubric).stem}:{rubric.hash()}",
            "scale": f"{rubric.lowest:g}-{rubric.highest:g}",
            **sampling_settings(profile),
        }

    def stats(self, case: Case) -> Rated | None:
        """The rating of one sentence; None where there are references, none of use."""
        (rated,) = self.stats_of([case])
        return rated

    def stats_of(self, cases: Sequence[Case]) -> Sequence[Rated | None]:
        """The ratings of many sentences; None as for one.

        Raises:
            GecbenchError: More answers than allowed hold no rating; or as `judging.rate`.
        """
        scored = [not case.references or bool(references(case)) for case in cases]
        pairs = [(case.source, case.hypotheses[0].text) for case in compress(cases, scored)]
        rubric = judging.load_rubric(self.rubric)
        verdicts = judging.rate(self.profile, rubric, pairs) if pairs else {}
        unread = [verdicts[pair] for pair in pairs if verdicts[pair].rating is None]
        if len(unread) > self.most_unread * len(pairs):
            raise GecbenchError(
                f"llm-judge: {len(unread)} of {count_noun(len(pairs), 'rating')} could not be "
                f"read; of the first, {unread[0].why}; run again to ask for these alone, change "
                "the rubric, or allow a share by llm-judge.most-unread"
            )

        def rated(rating: float | None, why: str) -> Rated:
            scale = rubric.highest - rubric.lowest
            return Rated(None if rating is None else (rating - rubric.lowest) / scale, rating, why)

        rows = (rated(*verdicts[pair]) for pair in pairs)
        return tuple(next(rows) if each else None for each in scored)

    def aggregate(self, stats: Sequence[Rated]) -> Score:
        """The mean of what was read, 0 where nothing was; its parts are how many were not."""
        values = [row.value for row in stats if row.value is not None]
        ratings = [row.rating for row in stats if row.rating is not None]
        parts = {"rating": mean(ratings), "unread": float(len(stats) - len(values))}
        return Score(mean(values), self.signature, len(stats), parts=parts)

    def sentences(self, stats: Sequence[Rated]) -> Sequence[Mapping[str, object]]:
        """The value and the rating of each sentence, or why there is none."""
        return [
            {"value": row.value, "rating": row.rating, **({"why": row.why} if row.why else {})}
            for row in stats
        ]

    def resample(self, stats: Sequence[Rated], draws: Draws) -> Values:
        """The mean of each resample."""
        import numpy as np

        rows = [(row.value or 0.0, float(row.value is not None)) for row in stats]
        values, read = sums(np.array(rows, dtype=np.float64).reshape(-1, 2), draws).T
        means: Values = values / np.maximum(read, 1)
        return means

    def notes(self, stats: Sequence[Rated]) -> Sequence[str]:
        """Count the sentences without a rating."""
        unread = sum(row.value is None for row in stats)
        if not unread:
            return ()
        return (
            WarningNote(
                "llm-judge: ratings that could not be read: {count}; these sentences are left out "
                "of the mean",
                count=unread,
            ),
        )
