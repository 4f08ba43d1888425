"""The corrector that asks a chat server."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gecbench.backends.chat import ChatClient, Reply, UnsuitableTextError
from gecbench.core.corrector import Correction, Corrector, CorrectorInfo
from gecbench.core.errors import GecbenchError, count_noun
from gecbench.models.chat.answers import is_encodable, keep_source, parse_answer
from gecbench.models.chat.client import AnswerCache, NoAnswerError, Sender, Totals, key_of
from gecbench.models.chat.prompts import Message, Profile, Prompt, split_numbered

if TYPE_CHECKING:
    from anyio.from_thread import BlockingPortal

_BYTES_A_TOKEN = 3
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
    profile: Profile
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

    async def _send(self, messages: Sequence[Message], texts: Sequence[str]) -> Reply | None:
        """Ask a question about texts; None where no answer came, which is counted.

        Raises:
            UnsuitableTextError: The server does not take these texts.
        """
        body = self._body(messages, len(texts))
        try:
            reply = await self._sender.send(body, sum(map(_tokens, texts)), len(texts))
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

    def _body(self, messages: Sequence[Message], sentences: int) -> dict[str, object]:
        """Build what is sent for a conversation."""
        profile = self.profile
        body: dict[str, object] = {
            "model": profile.model,
            "messages": [message._asdict() for message in messages],
            "temperature": profile.temperature,
            "seed": profile.seed,
        }
        for name in profile.omit:
            body.pop(name, None)
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
        return key_of(question)

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


def _tokens(text: str) -> int:
    """Estimate how many tokens an answer that corrects a text has."""
    return len(text.encode("utf-8", errors="surrogatepass")) // _BYTES_A_TOKEN + 8
