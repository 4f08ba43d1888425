"""Ratings by a chat model: rubrics, packaged ones by name, and what in an answer is a rating."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from gecbench.backends.chat import Reply, UnsuitableTextError
from gecbench.chat.profile import ChatMessage, load_chat_profile
from gecbench.chat.session import ChatSession, Conversation, open_session
from gecbench.core.errors import FormatError
from gecbench.formats.validation import load_packaged

_FOLDER = Path(__file__).parent / "rubrics"
_PLACE = re.compile(r"\{(source|hypothesis|lowest|highest)\}")
_THOUGHT = re.compile(r"^.*</(?:think|thinking|reasoning)>", re.DOTALL)
_ANSWER_TOKENS = 60


class Rubric(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a rubric's TOML file holds.

    Args:
        user: What is said; {source}, {hypothesis}, {lowest} and {highest} stand for their values.
            It must ask for a JSON object with "score".
        system: What is said before; "" says nothing.
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
