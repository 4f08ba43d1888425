"""The corrector that asks a chat server."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from gecbench.backends.chat import ChatClient, Reply, Unsuitable
from gecbench.core.corrector import Correction, CorrectorInfo
from gecbench.core.errors import GecbenchError
from gecbench.models.chat.answers import is_whole, judged, kept
from gecbench.models.chat.batches import told_apart
from gecbench.models.chat.cache import AnswerCache, key_of
from gecbench.models.chat.costs import Totals
from gecbench.models.chat.loop import LoopThread
from gecbench.models.chat.profile import Profile
from gecbench.models.chat.prompts import Message, Prompt
from gecbench.models.chat.sending import Failed, Sender

_BYTES_A_TOKEN = 3
_NOT_KEPT = {"cut", "empty", "refused"}
"""Flags of answers that may be better another time: these never go into the cache."""


@dataclass(slots=True)
class ChatCorrector:
    """Asks a chat server for the correction of each text, and lets only corrections through.

    Args:
        info: What it is.
        profile: How it asks.
        prompt: What it says.
        tokens: The kind of tokens that edits consist of.
        sender: Sends questions; it belongs to the loop.
        client: Of the server, to be closed.
        cache: Of answers; None where none are kept.
        loop: Runs the questions.
        totals: What was asked and what it cost; also after `close`.
    """

    info: CorrectorInfo
    profile: Profile
    prompt: Prompt
    tokens: str
    sender: Sender
    client: ChatClient
    cache: AnswerCache | None
    loop: LoopThread
    totals: Totals
    _failures: int = field(default=0, init=False)
    _reached: bool = field(default=False, init=False)

    def correct(self, texts: Sequence[str]) -> list[Correction]:
        """Return a correction for each text; equal texts are asked once.

        Answers that came before an error or Ctrl-C are in the cache.

        Raises:
            ServerError: The server takes no question: a wrong key, no such model.
            GecbenchError: No server is there, or too many sentences in a row got no answer.
        """
        found = self.loop.run(self._corrected(list(dict.fromkeys(texts))))
        corrections = [found[text] for text in texts]
        self.totals.count(corrections)
        return corrections

    def report(self) -> tuple[str, ...]:
        """Return in a few lines what was asked, what it cost and what was not a correction."""
        return self.totals.lines()

    def close(self) -> None:
        """Close connections, the thread and the cache."""
        if self.loop.closed:
            return
        self.loop.run(self.client.close())
        self.loop.close()
        if self.cache is not None:
            self.cache.close()

    async def _corrected(self, texts: Sequence[str]) -> dict[str, Correction]:
        """Return the corrections of different texts."""
        found = {text: Correction(text, text) for text in texts if not text.strip()}
        found |= {text: self._unsendable(text) for text in texts if not is_whole(text)}
        for text in texts:
            if text not in found and (known := self._known(text)) is not None:
                found[text] = known
        missing = [text for text in texts if text not in found]
        if self.profile.replay and missing:
            raise GecbenchError(
                f"the cache holds no answer to {len(missing)} of {len(texts)} sentences, the first "
                f"{missing[0][:40]!r}; run without replay to ask for them"
            )
        try:
            async with asyncio.TaskGroup() as tasks:
                for group in self._groups(missing):
                    tasks.create_task(self._ask(group, found))
        except BaseExceptionGroup as group:
            raise group.exceptions[0] from None
        return found

    def _unsendable(self, text: str) -> Correction:
        """Return the source of a text that cannot be sent."""
        self.totals.last_trouble = f"half a character in {text[:40]!r} cannot be sent"
        return kept(text, "failed")

    def _known(self, text: str) -> Correction | None:
        """Return the correction of a text whose answer is in the cache."""
        if self.cache is None:
            return None
        reply = self.cache.get(self._key(text))
        if reply is None:
            return None
        self.sender.costs.add(reply, cached=True)
        return self._judged(text, reply)

    def _groups(self, texts: Sequence[str]) -> list[list[str]]:
        """Return texts as they are asked for; one with a line end goes alone."""
        size = self.profile.batch
        lines = [text for text in texts if size > 1 and not {"\n", "\r"} & set(text.strip())]
        in_lines = set(lines)
        alone = [[text] for text in texts if text not in in_lines]
        return alone + [lines[start : start + size] for start in range(0, len(lines), size)]

    async def _ask(self, group: Sequence[str], found: dict[str, Correction]) -> None:
        """Put the corrections of texts, asked for together, to what is found."""
        if len(group) > 1:
            answers = await self._several(group)
            if answers is not None:
                for text, reply in zip(group, answers, strict=True):
                    found[text] = self._settled(text, reply)
                return
            self.totals.undivided += 1
        for text in group:
            found[text] = await self._single(text)

    async def _several(self, group: Sequence[str]) -> list[Reply] | None:
        """Return the answers to several texts; None where they must be asked one by one."""
        asked = [text.strip() for text in group]
        size = sum(map(_tokens, asked))
        body = self._body(self.prompt.several(asked), len(group))
        try:
            reply = await self.sender.send(body, size, len(group))
        except Unsuitable:
            return None
        except Failed as failed:
            self._note(failed)
            return None
        self._answered()
        if reply.finish in ("length", "refused"):
            return None
        texts = told_apart(reply.text, len(group))
        return None if texts is None else [Reply(text) for text in texts]

    async def _single(self, text: str) -> Correction:
        """Return the correction of one text."""
        try:
            body = self._body(self.prompt.single(text.strip()), 1)
            reply = await self.sender.send(body, _tokens(text))
        except Unsuitable as unsuitable:
            self._answered()
            self.totals.last_trouble = str(unsuitable)
            return kept(text, unsuitable.kind)
        except Failed as failed:
            self._note(failed)
            return kept(text, "failed")
        self._answered()
        return self._settled(text, reply)

    def _settled(self, text: str, reply: Reply) -> Correction:
        """Return the correction in an answer, and keep the answer if it is a good one."""
        correction = self._judged(text, reply)
        if self.cache is not None and not _NOT_KEPT & set(correction.flags):
            self.cache.put(self._key(text), reply)
        return correction

    def _judged(self, text: str, reply: Reply) -> Correction:
        bounds = self.profile.bounds()
        return judged(text, reply.text, tokens=self.tokens, bounds=bounds, finish=reply.finish)

    def _body(self, messages: Sequence[Message], sentences: int) -> dict[str, object]:
        """Return what is sent for a conversation."""
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
        """Return the key of a text's answer in the cache."""
        body = self._body(self.prompt.single(text.strip()), 1)
        body.pop("stream", None)
        question = {"url": self.client.server.address, "body": body, "batch": self.profile.batch}
        if self.profile.batch > 1:
            question["asked"] = self.prompt.batch
        return key_of(question)

    def _answered(self) -> None:
        self._reached, self._failures = True, 0

    def _note(self, failed: Failed) -> None:
        """Count a failure; end the run where it is hopeless.

        Raises:
            GecbenchError: No server was ever reached, or too many sentences in a row failed.
        """
        address = self.client.server.address
        self.totals.last_trouble = str(failed)
        if not self._reached and not failed.reached:
            raise GecbenchError(f"{address}: {failed}; is the server running, and base_url right?")
        self._failures += 1
        limit = self.profile.failures_in_a_row
        if limit and self._failures >= limit:
            kept_in = "; the answers so far are in the cache" if self.cache is not None else ""
            raise GecbenchError(
                f"{address}: {self._failures} questions in a row got no answer, the last: "
                f"{failed}{kept_in}; run again when the server is well, or set failures_in_a_row=0"
            )


def _tokens(text: str) -> int:
    """Return about how many tokens an answer that corrects a text has."""
    return len(text.encode("utf-8", errors="surrogatepass")) // _BYTES_A_TOKEN + 8
