"""A session with a chat server: questions in, answers out, of the cache or of the server."""

from __future__ import annotations

import json
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar

from gecbench.backends import need
from gecbench.backends.chat import ChatClient, Reply, Server, UnsuitableTextError, answers_folder
from gecbench.chat.calls import (
    BYTES_A_TOKEN,
    AnswerCache,
    NoAnswerError,
    Sender,
    Totals,
    hash_question,
)
from gecbench.chat.profile import SAMPLING, ChatMessage, ChatProfile
from gecbench.core.errors import GecbenchError, UsageError, count_noun
from gecbench.core.files import check_target

if TYPE_CHECKING:
    from anyio.from_thread import BlockingPortal

Value = TypeVar("Value")
Conversation = tuple[ChatMessage, ...]


@dataclass(slots=True)
class ChatSession:
    """Asks one server, in a thread of its own; what was answered once is not asked again.

    Args:
        profile: How it asks.
        client: Of the server.
        cache: Of answers; None where there is none.
        totals: What was asked and what it cost; also after `close`.
    """

    profile: ChatProfile
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

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close connections, the thread and the cache."""
        self._resources.close()

    def run(self, work: Callable[[], Awaitable[Value]]) -> Value:
        """Do work in the thread of the session; Ctrl-C ends calls that are under way."""
        future = self._portal.start_task_soon(work)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def body(self, messages: Sequence[ChatMessage], sentences: int = 1) -> dict[str, object]:
        """Build what is sent for a conversation about so many sentences."""
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

    def key(self, messages: Sequence[ChatMessage], **more: object) -> str:
        """Compute the key of a conversation in the cache.

        Args:
            messages: The conversation.
            more: What else its answer depends on.
        """
        body = self.body(messages)
        body.pop("stream", None)
        return hash_question({"url": self.client.server.address, "body": body, **more})

    def look_up(self, key: str) -> Reply | None:
        """Look up an answer in the cache and count it."""
        reply = None if self.cache is None else self.cache.get(key)
        if reply is not None:
            self.totals.add_call(reply, tries=0)
        return reply

    def store(self, key: str, reply: Reply) -> None:
        """Put an answer into the cache, where there is one."""
        if self.cache is not None:
            self.cache.add(key, reply)

    def refuse_replay(self, missing: Sequence[str], total: int) -> None:
        """Refuse to ask where answers are to come from the cache alone.

        Raises:
            GecbenchError: Some are missing; names the first text.
        """
        if self.profile.replay and missing:
            raise GecbenchError(
                f"the cache holds no answer to {len(missing)} of "
                f"{count_noun(total, 'sentence')}, the first {missing[0][:40]!r}; run without "
                "replay to ask for them"
            )

    async def send(
        self, messages: Sequence[ChatMessage], expected: int, sentences: int = 1
    ) -> Reply | None:
        """Ask a question; None where no answer came, which is counted.

        Args:
            messages: The conversation.
            expected: Tokens that the answer may take, for the limits.
            sentences: That it is about.

        Raises:
            UnsuitableTextError: The server does not take these texts.
            GecbenchError: The server takes none, too many in a row failed, or the budget is spent.
        """
        try:
            reply = await self._sender.send(self.body(messages, sentences), expected, sentences)
        except NoAnswerError as failure:
            self._count_failure(failure)
            return None
        except UnsuitableTextError as unsuitable:
            self._reached, self._failures = True, 0
            self.totals.last_trouble = str(unsuitable)
            raise
        self._reached, self._failures = True, 0
        return reply

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


def expected_tokens(texts: Sequence[str]) -> int:
    """Estimate how many tokens answers of the size of these texts take."""
    sizes = (len(text.encode("utf-8", errors="surrogatepass")) for text in texts)
    return sum(size // BYTES_A_TOKEN + 8 for size in sizes)


def file_of(place: str, options: Mapping[str, object], name: str, value: str) -> Path:
    """Locate a file that a profile names; it counts from the profile's folder.

    Args:
        place: Of the profile.
        options: What was set beside it, which counts from the working folder.
        name: The key that names the file.
        value: What it says.
    """
    in_profile = name not in options and place.endswith(".toml")
    return (Path(place).parent if in_profile else Path()) / value


def open_session(
    place: str, profile: ChatProfile, options: Mapping[str, object] | None = None
) -> ChatSession:
    """Open a session by a profile.

    Args:
        place: Where the profile was loaded from.
        profile: How to ask.
        options: What was set beside it.

    Raises:
        UsageError: An option is wrong, or the key's variable is not set.
        MissingExtraError: httpx is not installed.
    """
    need("chat", "httpx", "anyio")
    options = options or {}
    key, address = _key(profile, place), profile.base_url
    server = Server(address, key, profile.key_header, profile.timeout, profile.concurrency)
    folder = None
    if profile.cache != "none":
        in_profile = file_of(place, options, "cache", profile.cache)
        folder = in_profile if profile.cache else answers_folder()
    elif profile.replay:
        raise UsageError(f"chat:{place}: replay takes answers from a cache, but cache is none")
    log = folder and folder / "costs.jsonl"
    if profile.log:
        log = file_of(place, options, "log", profile.log)
        check_target(log)
    cache = AnswerCache(folder) if folder else None
    return ChatSession(profile, ChatClient(server), cache, Totals(log, profile))


def sampling_settings(profile: ChatProfile) -> dict[str, str]:
    """Describe what answers depend on beside the question, for signatures."""
    return {
        name: "not sent" if name in profile.omit else f"{getattr(profile, name):g}"
        for name in SAMPLING
    } | {
        "max_tokens": str(profile.max_tokens),
        "extra": json.dumps(profile.extra, sort_keys=True, ensure_ascii=False),
    }


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
