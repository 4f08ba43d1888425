"""The door to chat servers: one call of an OpenAI-compatible endpoint, and what may come of it."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import SplitResult, urlsplit

from gecbench.core.errors import GecbenchError, MissingExtraError, UsageError

if TYPE_CHECKING:
    import httpx

_LARGEST = 16 * 2**20
"""Bytes of an answer that are read; a sentence needs a few thousand."""

_TEMPORARY = (408, 409, 425, 429)
_UNSUITABLE = (400, 413, 422)
_TOO_LONG = re.compile(
    r"context|too (?:long|large|many tokens)|maximum.{0,20}(?:length|tokens)", re.I
)
_FILTERED = re.compile(r"content.?(?:filter|policy|management)|safety|inspection", re.I)
_QUOTA = re.compile(r"insufficient_quota|exceeded your current quota|billing.?hard.?limit", re.I)
_SOON = re.compile(r"retry.?(?:delay|in|after)|per.?minute", re.I)
_HEADER = re.compile(r"[\w!#$%&'*+.^`|~-]+", re.ASCII)
_LINE_END = re.compile(r"\r\n|\n|\r")
_HALF = re.compile("[\ud800-\udfff]")


class Trouble(Exception):  # noqa: N818 (it is no error of the user's, and is tried again)
    """A call that may well succeed later.

    Args:
        why: In one line.
        retry_after: Seconds that the server wants us to wait; None where it does not say.
        reached: Whether a server answered at all.
    """

    def __init__(self, why: str, retry_after: float | None = None, *, reached: bool = True) -> None:
        super().__init__(why)
        self.retry_after = retry_after
        self.reached = reached


class Unsuitable(Exception):  # noqa: N818 (what the server has against one text, not against us)
    """The server does not take this one text.

    Args:
        kind: "too long" for its window, or "refused" by its filter.
        why: What the server said.
    """

    def __init__(self, kind: Literal["too long", "refused"], why: str) -> None:
        super().__init__(why)
        self.kind = kind


class ServerError(GecbenchError):
    """A server that will say the same to every call: no such model, a wrong key."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a server answered.

    Args:
        text: The message; "" where there is none.
        finish: Why it ended: "stop", "length", "refused" by the server itself, or what else
            the server calls it.
        tokens_in: That the server counted in the question; None where it does not say.
        tokens_out: In the answer.
    """

    text: str
    finish: str = "stop"
    tokens_in: int | None = None
    tokens_out: int | None = None


@dataclass(frozen=True, slots=True)
class Server:
    """Where a chat server is, and how it is asked.

    Args:
        base_url: Up to what precedes "/chat/completions".
        key: Sent with each call; "" sends none. Never shown.
        key_header: The header it is sent in; in "Authorization" it follows "Bearer".
        timeout: Seconds for one call, from its start to the last byte of its answer.
        connections: At most, at once.
    """

    base_url: str
    key: str = field(default="", repr=False)
    key_header: str = "Authorization"
    timeout: float = 120.0
    connections: int = 8

    def __post_init__(self) -> None:
        """Refuse an address that is none, or that holds a secret, and what no header can hold.

        Raises:
            UsageError: It is no http address, or has a user or a query; or the key cannot stand
                in a header.
        """
        if not (self.key.isascii() and (self.key.isprintable() or not self.key)):
            # Refused here: libraries would show the key in their messages.
            raise UsageError("the key holds characters that no header can; check it")
        if not _HEADER.fullmatch(self.key_header):
            raise UsageError(
                "key_header is no name of a header; write it as Authorization or api-key"
            )
        parts = urlsplit(self.base_url)
        if "@" in parts.netloc:
            raise UsageError(
                f"base_url of {parts.hostname}: holds a user or password, which would stand in "
                "logs; put a key into an environment variable and name that in key_env"
            )
        if not _is_address(parts):
            raise UsageError(
                f"base_url {self.base_url!r}: is no address; write it as http://127.0.0.1:8000/v1"
            )
        if parts.query or parts.fragment:
            raise UsageError(
                f"base_url of {parts.hostname}: ends in a query; give what precedes "
                "/chat/completions alone"
            )

    @property
    def address(self) -> str:
        """Where questions are sent."""
        base = self.base_url.rstrip("/")
        return base if base.endswith("/chat/completions") else f"{base}/chat/completions"


def need_httpx() -> None:
    """Refuse to go on without httpx.

    Raises:
        MissingExtraError: It is not installed.
    """
    if find_spec("httpx") is None:
        raise MissingExtraError("httpx", "chat")


def answers_folder() -> Path:
    """Return where answers of chat servers are kept unless a folder is named."""
    import platformdirs

    return Path(platformdirs.user_cache_dir("gecbench")) / "chat"


def _is_address(parts: SplitResult) -> bool:
    """Say whether an address has a host, and a port that one can have."""
    host = parts.hostname or ""
    try:
        return parts.port != 0 and parts.scheme in ("http", "https") and host.split() == [host]
    except ValueError:
        return False


class ChatClient:
    """Asks one server. Belongs to the event loop in which it is first used."""

    def __init__(self, server: Server) -> None:
        """Make the client; nothing is sent yet.

        Raises:
            MissingExtraError: httpx is not installed.
            GecbenchError: The environment names a proxy that cannot be used.
        """
        need_httpx()
        import httpx

        headers = {"Accept": "application/json, text/event-stream"}
        if server.key:
            bearer = server.key_header.lower() == "authorization"
            headers[server.key_header] = f"Bearer {server.key}" if bearer else server.key
        self.server = server
        try:
            self._http = httpx.AsyncClient(
                headers=headers,
                timeout=server.timeout,
                limits=httpx.Limits(max_connections=server.connections),
                follow_redirects=False,  # the key is for this server only
            )
        except (ImportError, ValueError):
            # The message of httpx may show the proxy's password.
            raise GecbenchError(
                "a proxy that the environment names (as ALL_PROXY) is no http address, or needs "
                "pip install 'httpx[socks]'; unset it"
            ) from None

    async def ask(self, body: Mapping[str, object]) -> Reply:
        """Return the answer to one question.

        Raises:
            Trouble: Something that may pass: no connection, 429, 5xx, half an answer.
            Unsuitable: The server does not take this text.
            ServerError: The server takes none: wrong key, no such model.
        """
        import httpx

        try:
            async with asyncio.timeout(self.server.timeout):
                status, headers, content = await self._sent(body)
        except TimeoutError:
            why = f"no whole answer within {self.server.timeout:g} seconds"
            raise Trouble(why) from None
        except httpx.TimeoutException as error:
            why = f"no answer within {self.server.timeout:g} seconds ({_named(error)})"
            raise Trouble(why, reached=not isinstance(error, httpx.ConnectTimeout)) from None
        except (httpx.ConnectError, httpx.UnsupportedProtocol, httpx.ProxyError) as error:
            raise Trouble(f"no connection: {self._clean(str(error))}", reached=False) from None
        except httpx.HTTPError as error:
            raise Trouble(f"the connection broke: {self._clean(_named(error))}") from None
        text = content.decode("utf-8", errors="replace")
        if status != 200:
            raise self._failure(status, headers, text)
        streamed = "text/event-stream" in headers.get("content-type", "")
        return self._streamed(text) if streamed else self._whole(text)

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def _sent(self, body: Mapping[str, object]) -> tuple[int, httpx.Headers, bytes]:
        pieces = bytearray()
        async with self._http.stream("POST", self.server.address, json=dict(body)) as response:
            async for piece in response.aiter_bytes():
                pieces += piece
                if len(pieces) > _LARGEST:
                    raise Trouble(f"the answer is longer than {_LARGEST // 2**20} MiB")
            return response.status_code, response.headers, bytes(pieces)

    def _whole(self, text: str) -> Reply:
        """Return the answer in one JSON object."""
        found = _decoded(text)
        if not isinstance(found, dict):
            raise Trouble(f"the answer is not JSON: {self._clean(text)}")
        self._check_error(found)
        choice = _first(found)
        if not isinstance(choice.get("message"), dict):
            raise Trouble(f"the answer has no message: {self._clean(text)}")
        return _reply(choice["message"], choice.get("finish_reason"), found.get("usage"))

    def _streamed(self, text: str) -> Reply:
        """Return the answer in server-sent events; one without its end is no answer."""
        said: list[str] = []
        usage: object = None
        finish: object = None
        done = False
        for line in _LINE_END.split(text):  # not at every mark that Python takes for one
            if not line.startswith("data:"):
                continue
            data = line.removeprefix("data:").strip()
            if data == "[DONE]":
                done = True
                break
            event = _decoded(data)
            if not isinstance(event, dict):
                raise Trouble(f"the stream holds what is not JSON: {self._clean(data)}")
            self._check_error(event)
            choice = _first(event)
            delta = choice.get("delta")
            said.append(_content(delta) if isinstance(delta, dict) else "")
            finish = choice.get("finish_reason") or finish
            usage = event.get("usage") or usage
        if not done and finish is None:
            raise Trouble(f"the stream broke off after {len(''.join(said))} characters")
        return _reply({"content": "".join(said)}, finish, usage)

    def _check_error(self, found: Mapping[str, object]) -> None:
        """Refuse an error that comes as 200, as some gateways send it."""
        if error := found.get("error"):
            code = error.get("code") if isinstance(error, dict) else None
            status = code if isinstance(code, int) else 500
            raise self._failure(status, {}, json.dumps({"error": error}, ensure_ascii=False))

    def _failure(self, status: int, headers: Mapping[str, str], text: str) -> Exception:
        """Return what an answer of another status than 200 means."""
        said = self._clean(_said(text))
        why = f"{status}: {said}" if said else f"{status} without a word"
        if status >= 500 or (status in _TEMPORARY and not (status == 429 and _is_spent(text))):
            return Trouble(f"the server said {why}", _retry_after(headers.get("retry-after")))
        if status in _UNSUITABLE:
            if _FILTERED.search(text):
                return Unsuitable("refused", why)
            if status == 413 or _TOO_LONG.search(text):
                return Unsuitable("too long", why)
        if 300 <= status < 400:
            why = f"{status}: look at {self._clean(headers.get('location', '?'))}"
        return ServerError(f"{self.server.address}: the server said {why}{_advice(status)}")

    def _clean(self, text: str) -> str:
        """Return a text in one short line without the key, which servers like to repeat."""
        if self.server.key:
            text = text.replace(self.server.key, "[key]")
        line = " ".join(text.split())
        return line if len(line) <= 300 else f"{line[:300]}..."


def _named(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".removesuffix(": ")


def _is_spent(text: str) -> bool:
    """Say whether a refusal for too many calls is for good: some servers word both alike."""
    spent = _QUOTA.search(text)
    return bool(spent) and ("insufficient_quota" in text or not _SOON.search(text))


def _decoded(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):  # also a number of thousands of digits
        return None


def _joined(text: str) -> str:
    """Return a text whose halves of characters are joined; one alone becomes U+FFFD."""
    if not _HALF.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _first(found: Mapping[str, object]) -> Mapping[str, Any]:
    """Return the first choice of an answer or event; {} where there is none."""
    choices = found.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    return first if isinstance(first, dict) else {}


def _reply(message: Mapping[str, Any], finish: object, usage: object) -> Reply:
    counts = usage if isinstance(usage, dict) else {}
    ended = finish if isinstance(finish, str) else "stop"
    if message.get("refusal") or ended == "content_filter":
        ended = "refused"
    return Reply(
        _joined(_content(message)),
        ended,
        _count(counts, "prompt_tokens"),
        _count(counts, "completion_tokens"),
    )


def _content(message: Mapping[str, Any]) -> str:
    """Return the text of a message, which some servers give in parts."""
    content = message.get("content")
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def _count(counts: Mapping[str, object], name: str) -> int | None:
    value = counts.get(name)
    return value if isinstance(value, int) and value >= 0 else None


def _said(text: str) -> str:
    """Return the message in a server's error, or all of it where it is not JSON."""
    found = _decoded(text)
    for name in ("error", "message", "detail"):
        while isinstance(found, dict) and name in found:
            found = found[name]
    return found if isinstance(found, str) else text


def _retry_after(value: str | None) -> float | None:
    """Return the seconds that a Retry-After header asks for: a number, or until a date."""
    if value is None:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        when = parsedate_to_datetime(value)
    except ValueError:
        return None
    when = when if when.tzinfo else when.replace(tzinfo=UTC)
    return max(0.0, (when - datetime.now(UTC)).total_seconds())


def _advice(status: int) -> str:
    return {
        401: "; check the key in the variable that key_env names",
        402: "; the account has no credit",
        403: "; the key may not use this model",
        404: "; check base_url and model",
        429: "; the account has no credit",
    }.get(status, "")
