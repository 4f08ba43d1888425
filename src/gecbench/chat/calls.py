"""Calls of a chat server, again until they succeed, within limits of rate, number and time."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import random
import sqlite3
import time
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar

from gecbench.backends import need
from gecbench.backends.chat import (
    ChatClient,
    Reply,
    Server,
    TemporaryError,
    UnsuitableTextError,
    answers_folder,
)
from gecbench.chat.profile import SAMPLING, ChatMessage, ChatProfile
from gecbench.core.corrector import Correction
from gecbench.core.errors import GecbenchError, UsageError, count_noun
from gecbench.core.files import check_target, make_folder

if TYPE_CHECKING:
    from anyio.from_thread import BlockingPortal

# What asking has cost: totals of a run, and a log with a line for each call.

_MILLION = 1_000_000


@dataclass(slots=True)
class Totals:
    """Counts of a corrector, and a log of its calls in which no text and no key is.

    Args:
        log: The file that a JSON line is added to for each call; None writes none.
        profile: With the model and its prices.
        sentences: Corrected, equal ones as often as they came.
        calls: Questions answered by the server.
        cached: Questions answered by the cache.
        retries: Calls that had to be made again.
        failed_batches: Batches whose answers could not be divided and were asked for one by one.
        tokens_in: As the server counted them.
        tokens_out: As the server counted them.
        uncounted: Answers whose tokens the server did not say.
        cost: By the prices; of answers that were counted.
        flags: How many sentences were flagged, by flag.
        last_trouble: The last reason why no answer came; "" where one always came.
    """

    log: Path | None
    profile: ChatProfile
    sentences: int = 0
    calls: int = 0
    cached: int = 0
    retries: int = 0
    failed_batches: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    uncounted: int = 0
    cost: float = 0.0
    flags: Counter[str] = field(default_factory=Counter)
    last_trouble: str = ""

    def count(self, corrections: Iterable[Correction]) -> None:
        """Count sentences and their flags."""
        for correction in corrections:
            self.sentences += 1
            self.flags.update(correction.flags)

    def add_call(self, reply: Reply, *, sentences: int = 1, tries: int = 1) -> None:
        """Count a call and write its line.

        Args:
            reply: The answer.
            sentences: That it is about.
            tries: How often it was asked for; 0 where it was in the cache.

        Raises:
            GecbenchError: The log cannot be written.
        """
        cached = not tries
        ins, outs = (0, 0) if cached else (reply.tokens_in, reply.tokens_out)
        known = ins is not None and outs is not None
        prices = self.profile.price_in, self.profile.price_out
        cost = ((ins or 0) * prices[0] + (outs or 0) * prices[1]) / _MILLION
        self.cached += cached
        self.calls += not cached
        self.uncounted += not known
        self.tokens_in += ins or 0
        self.tokens_out += outs or 0
        self.cost += cost
        line = {
            "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "model": self.profile.model,
            "sentences": sentences,
            "tokens_in": ins,
            "tokens_out": outs,
            "cost": cost if known else None,
            "cached": cached,
            "tries": tries,
            "finish": reply.finish,
        }
        if self.log is None:
            return
        try:
            # One write in append mode: lines of several processes do not mix.
            with self.log.open("ab", buffering=0) as file:
                file.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")
        except OSError as error:
            raise GecbenchError(
                f"{self.log}: the log of costs cannot be written: {error.strerror}; name another "
                "file in log"
            ) from error

    def lines(self) -> tuple[str, ...]:
        """Say what a user wants to know at the end, in a few lines."""
        lines = [
            f"{count_noun(self.sentences, 'sentence')}: {count_noun(self.calls, 'answer')} of the "
            f"server, {self.cached} from the cache, {count_noun(self.retries, 'call')} made again",
            f"{count_noun(self.tokens_in, 'token')} in, {self.tokens_out} out, "
            f"cost {self.cost:.6f}",
        ]
        if self.uncounted:
            lines.append(f"{self.uncounted} answers came without their number of tokens: not in it")
        if self.failed_batches:
            lines.append(f"{self.failed_batches} batches had to be asked sentence by sentence")
        if self.flags:
            flags = ", ".join(f"{n} {flag}" for flag, n in sorted(self.flags.items()))
            lines.append(f"flagged: {flags}")
        if self.last_trouble:
            lines.append(f"last trouble: {self.last_trouble}")
        return tuple(lines)


# Rate limits: how many requests and tokens go out in any minute.


_MINUTE = 60.0


class Rates:
    """Lets callers through so that no minute holds more than is allowed.

    Args:
        requests: In any 60 seconds; 0 does not limit.
        tokens: In any 60 seconds; 0 does not limit. One call that needs more alone is let
            through when nothing else is under way in its minute.
        clock: Seconds that never go back.
        sleep: Waits for seconds.
    """

    def __init__(
        self,
        requests: int = 0,
        tokens: int = 0,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Start with an empty minute."""
        self._requests, self._tokens = requests, tokens
        self._clock, self._sleep = clock, sleep
        self._past: deque[list[float]] = deque()
        self._closed_until = 0.0
        self._turn = asyncio.Lock()

    async def admit(self, tokens: int) -> list[float]:
        """Wait until a call may go out; first come, first served.

        Args:
            tokens: That the call is expected to take, in and out.

        Returns:
            What `settle` needs to put the true number in the place of the expected one.
        """
        async with self._turn:
            while (wait := self._wait(tokens)) > 0:
                await self._sleep(wait)
            entry = [self._clock(), float(tokens)]
            self._past.append(entry)
            return entry

    def settle(self, entry: list[float], tokens: int) -> None:
        """Say how many tokens an admitted call really took."""
        entry[1] = float(tokens)

    def hold(self, seconds: float) -> None:
        """Let nobody through for so long: the server has asked for it."""
        self._closed_until = max(self._closed_until, self._clock() + seconds)

    def _wait(self, tokens: int) -> float:
        """Compute for how many seconds a call must wait; 0 or less where it may go."""
        now = self._clock()
        while self._past and self._past[0][0] <= now - _MINUTE:
            self._past.popleft()
        wait = self._closed_until - now
        if self._requests and len(self._past) >= self._requests:
            wait = max(wait, self._past[-self._requests][0] + _MINUTE - now)
        if self._tokens and self._past:
            spare = self._tokens - tokens - sum(tokens_used for _, tokens_used in self._past)
            for when, tokens_used in self._past:
                if spare >= 0:
                    break
                wait = max(wait, when + _MINUTE - now)
                spare += tokens_used
        return wait


_LONGEST_PAUSE = 60.0
BYTES_A_TOKEN = 3


class NoAnswerError(Exception):
    """No answer came, even after trying again; the run goes on.

    Args:
        why: In one line.
        reached: Whether a server answered at all.
    """

    def __init__(self, why: str, *, reached: bool) -> None:
        super().__init__(why)
        self.reached = reached


@dataclass(slots=True)
class Sender:
    """Sends questions to a server, and again where that may help.

    A call that failed is made again after a pause, which doubles each time, up to a minute, and is
    shortened by up to a half at random so that callers do not come back together.

    Args:
        client: Of the server.
        profile: With the limits of rate, number and time.
        totals: Where each answer is counted.
    """

    client: ChatClient
    profile: ChatProfile
    totals: Totals
    _rates: Rates = field(init=False)
    _questions: asyncio.Semaphore = field(init=False)

    def __post_init__(self) -> None:
        self._rates = Rates(self.profile.requests_per_minute, self.profile.tokens_per_minute)
        self._questions = asyncio.Semaphore(self.profile.concurrency)

    async def send(self, body: Mapping[str, object], expected: int, sentences: int = 1) -> Reply:
        """Ask a question until it is answered.

        Args:
            body: Of the call.
            expected: Tokens that the answer may take, for the limits.
            sentences: That it is about, for the log.

        Raises:
            NoAnswerError: No answer came.
            UnsuitableTextError: The server does not take this text.
            ServerError: The server takes none.
            GecbenchError: The budget is spent, or the server does not say what answers cost.
        """
        expected += len(json.dumps(body, ensure_ascii=False).encode()) // BYTES_A_TOKEN
        deadline = self.profile.deadline
        async with self._questions:
            self._check_budget()
            entry = await self._rates.admit(expected)
            end = time.monotonic() + deadline
            for attempt in range(1, self.profile.retries + 2):
                try:
                    async with asyncio.timeout(max(0.0, end - time.monotonic())):
                        reply = await self.client.ask(body)
                except TimeoutError:
                    why = f"no answer within {deadline:g} seconds in all"
                    raise NoAnswerError(why, reached=True) from None
                except TemporaryError as trouble:
                    await self._pause(trouble, attempt, end)
                    entry = await self._rates.admit(expected)
                else:
                    used = (reply.tokens_in, reply.tokens_out)
                    if used != (None, None):
                        self._rates.settle(entry, sum(n or 0 for n in used))
                    self.totals.add_call(reply, sentences=sentences, tries=attempt)
                    return reply
        raise AssertionError("the last attempt either returns or raises")

    def _check_budget(self) -> None:
        """Refuse to ask more once the budget is spent; answers so far may be in the cache."""
        budget, totals, address = self.profile.budget, self.totals, self.client.server.address
        if budget and totals.uncounted:
            raise GecbenchError(
                f"{address}: does not say how many tokens an answer has, so that the budget cannot "
                "be kept; leave budget out"
            )
        if budget and totals.cost >= budget:
            raise GecbenchError(
                f"{address}: the budget of {budget:g} is spent: {totals.cost:.6f} for "
                f"{count_noun(totals.calls, 'answer')}, which are in the cache where there is one; "
                "raise budget and run again"
            )

    async def _pause(self, trouble: TemporaryError, attempt: int, end: float) -> None:
        """Wait before a call is made again.

        Raises:
            NoAnswerError: It is not to be made again.
        """
        why = self.totals.last_trouble = str(trouble)
        if attempt > self.profile.retries:
            times = f"; tried {attempt} times" if attempt > 1 else ""
            raise NoAnswerError(f"{why}{times}", reached=trouble.reached)
        pause = min(self.profile.backoff * 2 ** (attempt - 1), _LONGEST_PAUSE)
        pause = max(pause * random.uniform(0.5, 1), trouble.retry_after or 0.0)
        if time.monotonic() + pause > end:
            raise NoAnswerError(
                f"{why}; trying again in {pause:.0f} seconds would pass the deadline of "
                f"{self.profile.deadline:g} seconds",
                reached=trouble.reached,
            )
        self._rates.hold(trouble.retry_after or 0.0)
        self.totals.retries += 1
        await asyncio.sleep(pause)


# The cache: what was paid for once is not asked again.


_FILE = "answers.sqlite"
_PATIENCE = 60.0
_SCHEMA = """
CREATE TABLE IF NOT EXISTS answers (
    question TEXT PRIMARY KEY,
    answer TEXT NOT NULL,
    tokens_in INTEGER,
    tokens_out INTEGER,
    kept_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
) WITHOUT ROWID
"""


def hash_question(question: Mapping[str, object]) -> str:
    """Hash a question: its key is made of all that its answer depends on."""
    text = json.dumps(question, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


class AnswerCache:
    """Whole answers by question, in one SQLite file; several processes may share it.

    Answers are stored as they came, so that other bounds can apply to them. Sources are not
    stored, but answers hold most of their words.
    """

    def __init__(self, folder: Path) -> None:
        """Open the cache in a folder; both are made where they are missing.

        Raises:
            GecbenchError: The folder cannot be made, or its file is no cache.
        """
        make_folder(folder)
        self.path = folder / _FILE
        with self._name_errors():
            # Answers hold what people have written: a new file is its owner's alone.
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))
            # Opened by one thread and used by another, but never by both at once.
            self._rows = sqlite3.connect(
                self.path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False
            )
            self._rows.execute(_SCHEMA)

    def get(self, question: str) -> Reply | None:
        """Look up the answer to a question by its key; None where there is none."""
        with self._name_errors():
            row = self._rows.execute(
                "SELECT answer, tokens_in, tokens_out FROM answers WHERE question = ?", (question,)
            ).fetchone()
        return row and Reply(row[0], "stop", row[1], row[2])

    def add(self, question: str, reply: Reply) -> None:
        """Store an answer; it is on the disk when this returns. The first one stays."""
        with self._name_errors():
            self._rows.execute(
                "INSERT OR IGNORE INTO answers (question, answer, tokens_in, tokens_out) "
                "VALUES (?, ?, ?, ?)",
                (question, reply.text, reply.tokens_in, reply.tokens_out),
            )

    def close(self) -> None:
        """Close the file."""
        self._rows.close()

    @contextmanager
    def _name_errors(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError, UnicodeEncodeError) as error:
            raise GecbenchError(
                f"{self.path}: the cache of answers cannot be used: {error}; name another folder "
                "in cache, or cache=none to keep no answers"
            ) from error


# A session: calls of one server, and their sums.


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
