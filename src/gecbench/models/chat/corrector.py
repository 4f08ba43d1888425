"""The corrector that asks a chat server, by profile, or by model and address."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import msgspec

from gecbench.backends import need
from gecbench.backends.chat import Reply, UnsuitableTextError
from gecbench.chat.calls import (
    ChatSession,
    Totals,
    expected_tokens,
    file_of,
    open_session,
    sampling_settings,
)
from gecbench.chat.profile import ChatProfile, load_chat_profile
from gecbench.core.corrector import Correction, Corrector, CorrectorInfo
from gecbench.core.errors import UsageError
from gecbench.lang import language_of
from gecbench.models import CorrectorKind
from gecbench.models.chat.answers import is_encodable, keep_source, parse_answer
from gecbench.models.chat.prompts import Prompt, load_prompt, read_examples, split_numbered

_UNCACHED = {"cut", "empty", "refused"}
"""Flags of answers that may be better another time: these never go into the cache."""


@dataclass(slots=True)
class ChatCorrector(Corrector):
    """Asks a chat server for the correction of each text, and lets only corrections through.

    Args:
        info: What it is.
        prompt: What it says.
        tokens: The kind of tokens that edits consist of.
        session: With the server.
    """

    info: CorrectorInfo
    prompt: Prompt
    tokens: str
    session: ChatSession

    @property
    def totals(self) -> Totals:
        """What was asked and what it cost; also after `close`."""
        return self.session.totals

    @property
    def profile(self) -> ChatProfile:
        """How it asks."""
        return self.session.profile

    def correct(self, texts: Sequence[str]) -> list[Correction]:
        """Correct each text; equal texts are asked for once.

        Answers that came before an error or Ctrl-C are in the cache.

        Raises:
            ServerError: The server takes no question: a wrong key, no such model.
            GecbenchError: No server is there, or too many sentences in a row got no answer.
        """
        answers = self.session.run(partial(self._correct, list(dict.fromkeys(texts))))
        corrections = [answers[text] for text in texts]
        self.totals.count(corrections)
        return corrections

    def report(self) -> tuple[str, ...]:
        """Say in a few lines what was asked, what it cost and what was not a correction."""
        return self.totals.lines()

    def close(self) -> None:
        """Close the session."""
        self.session.close()

    async def _correct(self, texts: Sequence[str]) -> dict[str, Correction]:
        """Correct different texts."""
        answers: dict[str, Correction] = {}
        missing = []
        for text in texts:
            if not text.strip():
                answers[text] = Correction(text, text)
            elif not is_encodable(text):
                self.totals.last_trouble = f"half a character in {text[:40]!r} cannot be sent"
                answers[text] = keep_source(text, "failed")
            elif (reply := self.session.look_up(self._key(text))) is not None:
                answers[text] = self._parse(text, reply)
            else:
                missing.append(text)
        self.session.refuse_replay(missing, len(texts))
        try:
            async with asyncio.TaskGroup() as tasks:
                for batch in self._batches(missing):
                    tasks.create_task(self._ask(batch, answers))
        except BaseExceptionGroup as group:
            raise group.exceptions[0] from None
        return answers

    def _batches(self, texts: Sequence[str]) -> list[list[str]]:
        """Divide texts as they are asked for; one with a line end goes alone."""
        size = self.profile.batch
        lines = [text for text in texts if size > 1 and not {"\n", "\r"} & set(text.strip())]
        alone = [[text] for text in texts if text not in set(lines)]
        return alone + [lines[start : start + size] for start in range(0, len(lines), size)]

    async def _ask(self, batch: Sequence[str], answers: dict[str, Correction]) -> None:
        """Add the corrections of texts that are asked for together."""
        replies = await self._ask_together(batch) if len(batch) > 1 else None
        if replies is not None:
            for text, reply in zip(batch, replies, strict=True):
                answers[text] = self._store(text, reply)
            return
        self.totals.failed_batches += len(batch) > 1
        for text in batch:
            answers[text] = await self._ask_alone(text)

    async def _ask_together(self, batch: Sequence[str]) -> list[Reply] | None:
        """Ask for several texts together; None where they must be asked one by one."""
        texts = [text.strip() for text in batch]
        messages, expected = self.prompt.several(texts), expected_tokens(texts)
        try:
            reply = await self.session.send(messages, expected, len(texts))
        except UnsuitableTextError:
            return None
        if reply is None or reply.finish in ("length", "refused"):
            return None
        lines = split_numbered(reply.text, len(texts))
        return None if lines is None else [Reply(line) for line in lines]

    async def _ask_alone(self, text: str) -> Correction:
        """Ask for the correction of one text."""
        stripped = text.strip()
        messages = self.prompt.single(stripped)
        try:
            reply = await self.session.send(messages, expected_tokens([stripped]))
        except UnsuitableTextError as unsuitable:
            return keep_source(text, unsuitable.kind)
        return keep_source(text, "failed") if reply is None else self._store(text, reply)

    def _store(self, text: str, reply: Reply) -> Correction:
        """Parse the correction in an answer, and cache the answer if it is a good one."""
        correction = self._parse(text, reply)
        if not _UNCACHED & set(correction.flags):
            self.session.store(self._key(text), reply)
        return correction

    def _parse(self, text: str, reply: Reply) -> Correction:
        return parse_answer(
            text, reply.text, tokens=self.tokens, bounds=self.profile, finish=reply.finish
        )

    def _key(self, text: str) -> str:
        """Compute the key of a text's answer in the cache."""
        batch = self.profile.batch
        options = {"asked": self.prompt.batch} if batch > 1 else {}
        return self.session.key(self.prompt.single(text.strip()), batch=batch, **options)


# From a profile to its corrector.

_RULES = "2"
"""Of taking answers: a new number where the same answer may become another correction."""


def load(place: str, options: Mapping[str, object]) -> Corrector:
    """Load the corrector that asks a chat server.

    Args:
        place: The path of a profile, or MODEL@URL.
        options: By the names of the profile's keys.

    Raises:
        UsageError: The place is neither, an option is wrong, or the key's variable is not set.
        FormatError: The profile or the prompt is none.
        MissingExtraError: httpx is not installed.
    """
    need("chat", "httpx", "anyio")
    profile = load_chat_profile(place, options)
    prompt = _prompt(profile, place, partial(file_of, place, options))
    language = profile.language or prompt.language
    if not language:
        raise UsageError(
            f"chat:{place}: of which language are the sentences? The prompt does not say; "
            "set language, as zh or en"
        )
    session = open_session(place, profile, options)
    address = session.client.server.address
    info = _describe(profile, prompt, language, address)
    return ChatCorrector(info, prompt, language_of(language).tokens, session)


KIND = CorrectorKind(load)


_DEFAULT_PROMPT = "robustgec"
"""Where a profile names neither a prompt nor a language; it says which language it is for."""


def _prompt(profile: ChatProfile, place: str, path: Callable[[str, str], Path]) -> Prompt:
    """Load the prompt of a profile, with its examples."""
    name = profile.prompt or _DEFAULT_PROMPT
    if profile.language and not profile.prompt:
        name = language_of(profile.language).chat_prompt
    if not name:
        raise UsageError(
            f"chat:{place}: there is no prompt for language {profile.language!r}; set prompt"
        )
    prompt = load_prompt(name, path("prompt", ""))
    if profile.examples:
        examples = read_examples(path("examples", profile.examples), profile.shots)
        prompt = msgspec.structs.replace(prompt, examples=examples)
    if profile.batch > 1 and not prompt.batch:
        raise UsageError(
            f"chat:{place}: prompt {prompt.name} has nothing to say for several sentences; add "
            "batch to it, or set batch to 1"
        )
    return prompt


def _describe(profile: ChatProfile, prompt: Prompt, language: str, address: str) -> CorrectorInfo:
    """Describe a chat corrector, with all that its answers depend on."""
    return CorrectorInfo(
        name=profile.name or profile.model,
        kind="chat",
        languages=(language,),
        about=(
            f"Asks {profile.model} at {address}; texts leave this machine unless that is here. "
            "Chat models change more than errors: expect recall, not precision."
        ),
        signature={
            "corrector": "chat",
            "url": address,
            "model": profile.model,
            "language": language,
            "prompt": f"{prompt.name}:{prompt.hash()}",
            **sampling_settings(profile),
            "batch": str(profile.batch),
            "answers": f"{_RULES}:{profile.shortest:g}-{profile.longest:g}, "
            f"{profile.most_changed:g}, {profile.spacing}",
        },
        deterministic=profile.replay,
        window=max(64, 16 * profile.concurrency * profile.batch),
        processes="one",
    )
