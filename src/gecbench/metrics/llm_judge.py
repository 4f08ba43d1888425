"""llm-judge: a language model behind a chat server rates each correction by a rubric."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import msgspec

from gecbench.backends.chat import Reply, UnsuitableTextError
from gecbench.chat.calls import ChatSession, Conversation, open_session, sampling_settings
from gecbench.chat.profile import ChatMessage, load_chat_profile
from gecbench.core.case import Case, Part
from gecbench.core.errors import FormatError, GecbenchError, UsageError, count_noun
from gecbench.core.options import check_between
from gecbench.core.score import Score, WarningNote
from gecbench.formats.validation import load_packaged
from gecbench.scoring.metric import Metric
from gecbench.scoring.resample import mean, sums
from gecbench.scoring.texts import references

if TYPE_CHECKING:
    from gecbench.scoring.metric import Draws, Values


# Ratings: rubrics, packaged ones by name, and what in an answer is a rating.

_FOLDER = Path(__file__).parent / "rubrics"
_PLACE = re.compile(r"\{(source|hypothesis|lowest|highest)\}")
_THOUGHT = re.compile(r"^.*</(?:think|thinking|reasoning)>", re.DOTALL)
_ANSWER_TOKENS = 60


class Rubric(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a rubric's TOML file holds.

    Args:
        user: The message; {source}, {hypothesis}, {lowest} and {highest} stand for their values.
            It must ask for a JSON object with "score".
        system: The message before it; "" says nothing.
        lowest: The worst rating.
        highest: The best.
        about: One line for people.
    """

    user: str
    system: str = ""
    lowest: float = 1
    highest: float = 5
    about: str = ""

    def question(self, source: str, hypothesis: str) -> Conversation:
        """Build the conversation that asks for the rating of a hypothesis."""
        values = {"source": source, "hypothesis": hypothesis}
        values |= {"lowest": f"{self.lowest:g}", "highest": f"{self.highest:g}"}

        def fill(template: str) -> str:
            # At once: what the texts hold is never a place.
            return _PLACE.sub(lambda place: values[place[1]], template.strip())

        system = (ChatMessage("system", fill(self.system)),) if self.system else ()
        return (*system, ChatMessage("user", fill(self.user)))

    def hash(self) -> str:
        """Hash all that a model would see, in 16 hexadecimal digits."""
        parts = [self.system, self.user, self.lowest, self.highest]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]


def load_rubric(which: str) -> Rubric:
    """Load a rubric by the name of a packaged one, or by the path of a TOML file.

    Raises:
        UnknownNameError: There is neither.
        FormatError: The file is no rubric: a text does not stand in it, or there is no scale.
    """
    rubric = load_packaged("rubric", which, _FOLDER, Rubric)
    for place in ("{source}", "{hypothesis}"):
        if place not in rubric.user:
            raise FormatError(f"{which}: user does not say where a text goes; write {place} there")
    if not rubric.lowest < rubric.highest:
        raise FormatError(
            f"{which}: lowest is {rubric.lowest:g} and highest {rubric.highest:g}; that is no scale"
        )
    return rubric


class Verdict(NamedTuple):
    """What came of one question.

    Args:
        rating: On the scale of the rubric; None where none could be read.
        why: Why none could be.
    """

    rating: float | None
    why: str = ""


def read_rating(answer: str, rubric: Rubric) -> Verdict:
    """Read the rating in an answer: the "score" of the JSON object in it.

    Thoughts before it and words around it are nothing. There is none where no number on the scale
    is there, or several objects say different ones.
    """
    text = _THOUGHT.sub("", answer)
    scores = {_number(value["score"]) for value in _objects(text) if "score" in value}
    if len(scores) == 1:
        (score,) = scores
        if score is not None and rubric.lowest <= score <= rubric.highest:
            return Verdict(score)
    line = " ".join(answer.split())
    shown = line if len(line) <= 80 else f"{line[:80]}..."
    return Verdict(None, f"the answer was {shown!r}")


def rate(
    place: str, rubric: Rubric, pairs: Sequence[tuple[str, str]]
) -> dict[tuple[str, str], Verdict]:
    """Ask for the ratings of hypotheses; equal questions are asked once.

    Ratings that came before an error or Ctrl-C are in the cache; answers that none could be read in
    are not.

    Args:
        place: Of the chat profile: the path of a TOML file, or MODEL@URL.
        rubric: What is asked.
        pairs: Sources and hypotheses.

    Raises:
        GecbenchError: No server is there, too many in a row failed, or the budget is spent.
        MissingExtraError: httpx is not installed.
    """
    with open_session(place, load_chat_profile(place, {})) as session:
        return session.run(partial(_rate, session, rubric, list(dict.fromkeys(pairs))))


async def _rate(
    session: ChatSession, rubric: Rubric, pairs: Sequence[tuple[str, str]]
) -> dict[tuple[str, str], Verdict]:
    verdicts: dict[tuple[str, str], Verdict] = {}
    missing = []
    for pair in pairs:
        reply = session.look_up(session.key(rubric.question(*pair)))
        if reply is None:
            missing.append(pair)
        else:
            verdicts[pair] = read_rating(reply.text, rubric)
    session.refuse_replay([hypothesis for _, hypothesis in missing], len(pairs))

    async def ask(pair: tuple[str, str]) -> None:
        verdicts[pair] = await _ask(session, rubric, rubric.question(*pair))

    try:
        async with asyncio.TaskGroup() as tasks:
            for pair in missing:
                tasks.create_task(ask(pair))
    except BaseExceptionGroup as group:
        raise group.exceptions[0] from None
    return verdicts


async def _ask(session: ChatSession, rubric: Rubric, messages: Conversation) -> Verdict:
    try:
        reply: Reply | None = await session.send(messages, _ANSWER_TOKENS)
    except UnsuitableTextError as unsuitable:
        return Verdict(None, f"the server said {unsuitable}")
    if reply is None:
        return Verdict(None, session.totals.last_trouble)
    verdict = read_rating(reply.text, rubric)
    if verdict.rating is not None:
        session.store(session.key(messages), reply)
    return verdict


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        return float(value)
    except (ValueError, OverflowError):
        return None


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """The JSON objects that stand in a text."""
    decoder = json.JSONDecoder()
    at = text.find("{")
    while at >= 0:
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            yield value
        at = text.find("{", end)


class Rating(NamedTuple):
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
class LlmJudge(Metric[Rating]):
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
        profile, rubric = load_chat_profile(self.profile, {}), load_rubric(self.rubric)
        return {
            "model": profile.model,
            "url": profile.base_url,
            "rubric": f"{Path(self.rubric).stem}:{rubric.hash()}",
            "scale": f"{rubric.lowest:g}-{rubric.highest:g}",
            **sampling_settings(profile),
        }

    def stats(self, case: Case) -> Rating | None:
        """The rating of one sentence; None where there are references, none of use."""
        (rated,) = self.stats_of([case])
        return rated

    def stats_of(self, cases: Sequence[Case]) -> Sequence[Rating | None]:
        """The ratings of many sentences; None as for one.

        Raises:
            GecbenchError: More answers than allowed hold no rating; or as `rate`.
        """
        scored = [not case.references or bool(references(case)) for case in cases]
        pairs = [(case.source, case.hypotheses[0].text) for case in compress(cases, scored)]
        rubric = load_rubric(self.rubric)
        verdicts = rate(self.profile, rubric, pairs) if pairs else {}
        unread = [verdicts[pair] for pair in pairs if verdicts[pair].rating is None]
        if len(unread) > self.most_unread * len(pairs):
            raise GecbenchError(
                f"llm-judge: {len(unread)} of {count_noun(len(pairs), 'rating')} could not be "
                f"read; of the first, {unread[0].why}; run again to ask for these alone, change "
                "the rubric, or allow a share by llm-judge.most-unread"
            )

        def scale_rating(rating: float | None, why: str) -> Rating:
            scale = rubric.highest - rubric.lowest
            return Rating(None if rating is None else (rating - rubric.lowest) / scale, rating, why)

        rows = (scale_rating(*verdicts[pair]) for pair in pairs)
        return tuple(next(rows) if needs_score else None for needs_score in scored)

    def aggregate(self, stats: Sequence[Rating]) -> Score:
        """The mean of what was read, 0 where nothing was; its parts are how many were not."""
        values = [row.value for row in stats if row.value is not None]
        ratings = [row.rating for row in stats if row.rating is not None]
        parts = {"rating": mean(ratings), "unread": float(len(stats) - len(values))}
        return Score(mean(values), self.signature, len(stats), parts=parts)

    def sentences(self, stats: Sequence[Rating]) -> Sequence[Mapping[str, object]]:
        """The value and the rating of each sentence, or why there is none."""
        return [
            {"value": row.value, "rating": row.rating, **({"why": row.why} if row.why else {})}
            for row in stats
        ]

    def resample(self, stats: Sequence[Rating], draws: Draws) -> Values:
        """The mean of each resample."""
        import numpy as np

        rows = [(row.value or 0.0, float(row.value is not None)) for row in stats]
        values, read = sums(np.array(rows, dtype=np.float64).reshape(-1, 2), draws).T
        means: Values = values / np.maximum(read, 1)
        return means

    def notes(self, stats: Sequence[Rating]) -> Sequence[str]:
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
