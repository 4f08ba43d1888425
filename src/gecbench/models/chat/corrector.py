"""The corrector that asks a chat server, by profile, or by model and address."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from gecbench.backends import need
from gecbench.backends.chat import ChatClient, Reply, Server, UnsuitableTextError, answers_folder
from gecbench.core.corrector import Correction, Corrector, CorrectorInfo
from gecbench.core.errors import GecbenchError, UsageError, count_noun
from gecbench.core.files import check_target
from gecbench.lang import language_of
from gecbench.models import CorrectorKind
from gecbench.models.chat.answers import is_encodable, keep_source, parse_answer
from gecbench.models.chat.client import (
    BYTES_A_TOKEN,
    AnswerCache,
    NoAnswerError,
    Sender,
    Totals,
    hash_question,
)
from gecbench.models.chat.prompts import (
    SAMPLING,
    ChatMessage,
    ChatProfile,
    Prompt,
    load_chat_profile,
    load_prompt,
    read_examples,
    split_numbered,
)

if TYPE_CHECKING:
    from anyio.from_thread import BlockingPortal

_UNCACHED = {"cut", "empty", "refused"}
"""Flags of answers that may be better another time: these never go into the cache."""


@dataclass(slots=True)
class ChatCorrector(Corrector):
    """Asks a chat server for the correction of each text, and lets only corrections through.

    Args:
        info: What it is.
        profile: How it asks.
        prompt: What it says.
        tokens: The kind of tokens that edits consist of.
        client: Of the server.
        cache: Of answers; None where there is none.
        totals: What was asked and what it cost; also after `close`.
    """

    info: CorrectorInfo
    profile: ChatProfile
    prompt: Prompt
    tokens: str
    client: ChatClient
    cache: AnswerCache | None
    totals: Totals
    _sender: Sender = field(init=False)
    _portal: BlockingPortal = field(init=False)
    _resources: ExitStack = field(default_factory=ExitStack, init=False)
    _failures: int = field(default=0, init=False)
    _reached: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        from anyio.from_thread import start_blocking_portal

        self._sender = Sender(self.client, self.profile, self.totals)
        # An event loop in a thread: it also works inside a running loop, as in a notebook.
        self._portal = self._resources.enter_context(start_blocking_portal(name="chat"))
        self._resources.callback(self._portal.call, self.client.close)
        if self.cache is not None:
            self._resources.callback(self.cache.close)

    def correct(self, texts: Sequence[str]) -> list[Correction]:
        """Correct each text; equal texts are asked for once.

        Answers that came before an error or Ctrl-C are in the cache.

        Raises:
            ServerError: The server takes no question: a wrong key, no such model.
            GecbenchError: No server is there, or too many sentences in a row got no answer.
        """
        future = self._portal.start_task_soon(self._correct, list(dict.fromkeys(texts)))
        try:
            answers = future.result()
        except BaseException:
            future.cancel()  # by Ctrl-C: calls that are under way end
            raise
        corrections = [answers[text] for text in texts]
        self.totals.count(corrections)
        return corrections

    def report(self) -> tuple[str, ...]:
        """Say in a few lines what was asked, what it cost and what was not a correction."""
        return self.totals.lines()

    def close(self) -> None:
        """Close connections, the thread and the cache."""
        self._resources.close()

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
            elif self.cache is not None and (reply := self.cache.get(self._key(text))) is not None:
                self.totals.add_call(reply, tries=0)
                answers[text] = self._parse(text, reply)
            else:
                missing.append(text)
        if self.profile.replay and missing:
            raise GecbenchError(
                f"the cache holds no answer to {len(missing)} of "
                f"{count_noun(len(texts), 'sentence')}, the first {missing[0][:40]!r}; run without "
                "replay to ask for them"
            )
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
        try:
            reply = await self._send(self.prompt.several(texts), texts)
        except UnsuitableTextError:
            return None
        if reply is None or reply.finish in ("length", "refused"):
            return None
        lines = split_numbered(reply.text, len(texts))
        return None if lines is None else [Reply(line) for line in lines]

    async def _ask_alone(self, text: str) -> Correction:
        """Ask for the correction of one text."""
        stripped = text.strip()
        try:
            reply = await self._send(self.prompt.single(stripped), [stripped])
        except UnsuitableTextError as unsuitable:
            self._reached, self._failures = True, 0
            self.totals.last_trouble = str(unsuitable)
            return keep_source(text, unsuitable.kind)
        return keep_source(text, "failed") if reply is None else self._store(text, reply)

    async def _send(self, messages: Sequence[ChatMessage], texts: Sequence[str]) -> Reply | None:
        """Ask a question about texts; None where no answer came, which is counted.

        Raises:
            UnsuitableTextError: The server does not take these texts.
        """
        body = self._body(messages, len(texts))
        try:
            sizes = (len(text.encode("utf-8", errors="surrogatepass")) for text in texts)
            expected = sum(size // BYTES_A_TOKEN + 8 for size in sizes)
            reply = await self._sender.send(body, expected, len(texts))
        except NoAnswerError as failure:
            self._count_failure(failure)
            return None
        self._reached, self._failures = True, 0
        return reply

    def _store(self, text: str, reply: Reply) -> Correction:
        """Parse the correction in an answer, and cache the answer if it is a good one."""
        correction = self._parse(text, reply)
        if self.cache is not None and not _UNCACHED & set(correction.flags):
            self.cache.add(self._key(text), reply)
        return correction

    def _parse(self, text: str, reply: Reply) -> Correction:
        return parse_answer(
            text, reply.text, tokens=self.tokens, bounds=self.profile, finish=reply.finish
        )

    def _body(self, messages: Sequence[ChatMessage], sentences: int) -> dict[str, object]:
        """Build what is sent for a conversation."""
        profile = self.profile
        body: dict[str, object] = {
            "model": profile.model,
            "messages": [message._asdict() for message in messages],
            **{name: getattr(profile, name) for name in SAMPLING if name not in profile.omit},
        }
        if profile.max_tokens:
            body[profile.max_tokens_name] = profile.max_tokens * sentences
        if profile.stream:
            body["stream"] = True
        return body | profile.extra

    def _key(self, text: str) -> str:
        """Compute the key of a text's answer in the cache."""
        body = self._body(self.prompt.single(text.strip()), 1)
        body.pop("stream", None)
        question = {"url": self.client.server.address, "body": body, "batch": self.profile.batch}
        if self.profile.batch > 1:
            question["asked"] = self.prompt.batch
        return hash_question(question)

    def _count_failure(self, failure: NoAnswerError) -> None:
        """Count a failure; end the run where it is hopeless.

        Raises:
            GecbenchError: No server was ever reached, or too many sentences in a row failed.
        """
        address = self.client.server.address
        self.totals.last_trouble = str(failure)
        if not self._reached and not failure.reached:
            raise GecbenchError(f"{address}: {failure}; is the server running, and base_url right?")
        self._failures += 1
        limit = self.profile.failures_in_a_row
        if limit and self._failures >= limit:
            cache = "; the answers so far are in the cache" if self.cache is not None else ""
            raise GecbenchError(
                f"{address}: {self._failures} questions in a row got no answer, the last: "
                f"{failure}{cache}; run again when the server is well, or set failures_in_a_row=0"
            )


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

    def path(name: str, value: str) -> Path:
        """Make a path, which counts from the profile's folder unless an option names it."""
        in_profile = name not in options and place.endswith(".toml")
        return (Path(place).parent if in_profile else Path()) / value

    prompt = _prompt(profile, place, path)
    language = profile.language or prompt.language
    if not language:
        raise UsageError(
            f"chat:{place}: of which language are the sentences? The prompt does not say; "
            "set language, as zh or en"
        )
    key, address = _key(profile, place), profile.base_url
    server = Server(address, key, profile.key_header, profile.timeout, profile.concurrency)
    folder = None
    if profile.cache != "none":
        folder = path("cache", profile.cache) if profile.cache else answers_folder()
    elif profile.replay:
        raise UsageError(f"chat:{place}: replay takes answers from a cache, but cache is none")
    log = folder and folder / "costs.jsonl"
    if profile.log:
        log = path("log", profile.log)
        check_target(log)
    return ChatCorrector(
        _describe(profile, prompt, language, server.address),
        profile,
        prompt,
        language_of(language).tokens,
        ChatClient(server),
        AnswerCache(folder) if folder else None,
        Totals(log, profile),
    )


KIND = CorrectorKind(load)


def _prompt(profile: ChatProfile, place: str, path: Callable[[str, str], Path]) -> Prompt:
    """Load the prompt of a profile, with its examples."""
    name = profile.prompt or language_of(profile.language or "en").chat_prompt
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


def _key(profile: ChatProfile, place: str) -> str:
    """Read the key from the variable that the profile names."""
    name = profile.key_env
    key = os.environ.get(name, "").strip() if name else ""
    if name and not key and not profile.replay:
        # A key that was written instead of a variable's name is not shown.
        variable = name if name.isidentifier() and len(name) < 40 else "that key_env names"
        raise UsageError(
            f"chat:{place}: the environment variable {variable} is not set; put the key of the "
            "server into it"
        )
    return key


def _describe(profile: ChatProfile, prompt: Prompt, language: str, address: str) -> CorrectorInfo:
    """Describe a chat corrector, with all that its answers depend on."""
    sampling: dict[str, str] = {
        name: "not sent" if name in profile.omit else f"{getattr(profile, name):g}"
        for name in SAMPLING
    }
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
            **sampling,
            "max_tokens": str(profile.max_tokens),
            "extra": json.dumps(profile.extra, sort_keys=True, ensure_ascii=False),
            "batch": str(profile.batch),
            "answers": f"{_RULES}:{profile.shortest:g}-{profile.longest:g}, "
            f"{profile.most_changed:g}, {profile.spacing}",
        },
        deterministic=profile.replay,
        window=max(64, 16 * profile.concurrency * profile.batch),
    )
