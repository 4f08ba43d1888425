"""Chat servers: one call of an OpenAI-compatible endpoint, its answer and its errors."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import SplitResult, urlsplit

from gecbench.core.errors import GecbenchError, UsageError

if TYPE_CHECKING:
    import ssl

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
_ADVICE = {
    401: "; check the key in the variable that key_env names",
    402: "; the account has no credit",
    403: "; the key may not use this model",
    404: "; check base_url and model",
    429: "; the account has no credit",
}
_HEADER = re.compile(r"[\w!#$%&'*+.^`|~-]+", re.ASCII)
_LINE_END = re.compile(r"\r\n|\n|\r")
_HALF = re.compile("[\ud800-\udfff]")


class TemporaryError(Exception):
    """A call that may well succeed later: it is tried again.

    Args:
        why: In one line.
        retry_after: Seconds that the server wants us to wait; None where it does not say.
        reached: Whether a server answered at all.
    """

    def __init__(self, why: str, retry_after: float | None = None, *, reached: bool = True) -> None:
        super().__init__(why)
        self.retry_after = retry_after
        self.reached = reached


class UnsuitableTextError(Exception):
    """The server does not take this one text; the run goes on.

    Args:
        kind: "too long" for its window, or "refused" by its filter.
        why: The message of the server.
    """

    def __init__(self, kind: Literal["too long", "refused"], why: str) -> None:
        super().__init__(why)
        self.kind = kind


class ServerError(GecbenchError):
    """A server that refuses every call: no such model, a wrong key."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer of a server.

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
    """Where a chat server is, and how it is called.

    Args:
        base_url: Up to what precedes "/chat/completions".
        key: Sent with each call; "" sends none. Never shown.
        key_header: The header it is sent in; in "Authorization" it follows "Bearer".
        timeout: Seconds for one call, from its start to the last byte of its answer.
        connections: At most, at once.

    Raises:
        UsageError: The address is none, or has a user or a query; or no header can hold the key.
    """

    base_url: str
    key: str = field(default="", repr=False)
    key_header: str = "Authorization"
    timeout: float = 120.0
    connections: int = 8

    def __post_init__(self) -> None:
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


def answers_folder() -> Path:
    """Locate the folder of the cache of answers, unless another is named."""
    import platformdirs

    return Path(platformdirs.user_cache_dir("gecbench")) / "chat"


def _is_address(parts: SplitResult) -> bool:
    """Say whether an address has a host, and a valid port."""
    host = parts.hostname or ""
    try:
        return parts.port != 0 and parts.scheme in ("http", "https") and host.split() == [host]
    except ValueError:
        return False


@cache
def _certificates() -> ssl.SSLContext:
    """What servers are checked against, read once: it takes 50 ms."""
    import httpx

    return httpx.create_ssl_context()


class ChatClient:
    """Calls one server. It belongs to the event loop in which it is first used.

    Raises:
        GecbenchError: The environment names a proxy that cannot be used.
    """

    def __init__(self, server: Server) -> None:
        import httpx

        headers = {"Accept": "application/json, text/event-stream"}
        if server.key:
            bearer = server.key_header.lower() == "authorization"
            headers[server.key_header] = f"Bearer {server.key}" if bearer else server.key
        self.server = server
        try:
            self._http = httpx.AsyncClient(
                headers=headers,
                verify=_certificates(),
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
        """Ask one question.

        Raises:
            TemporaryError: Something that may pass: no connection, 429, 5xx, half an answer.
            UnsuitableTextError: The server does not take this text.
            ServerError: The server takes none: wrong key, no such model.
        """
        import httpx

        try:
            async with asyncio.timeout(self.server.timeout):
                status, headers, content = await self._post(body)
        except TimeoutError:
            why = f"no whole answer within {self.server.timeout:g} seconds"
            raise TemporaryError(why) from None
        except httpx.TimeoutException as error:
            why = f"no answer within {self.server.timeout:g} seconds ({_describe(error)})"
            raise TemporaryError(why, reached=not isinstance(error, httpx.ConnectTimeout)) from None
        except (httpx.ConnectError, httpx.UnsupportedProtocol, httpx.ProxyError) as error:
            raise TemporaryError(
                f"no connection: {self._clean(str(error))}", reached=False
            ) from None
        except httpx.HTTPError as error:
            raise TemporaryError(f"the connection broke: {self._clean(_describe(error))}") from None
        text = content.decode("utf-8", errors="replace")
        if status != 200:
            raise self._failure(status, headers, text)
        stream = "text/event-stream" in headers.get("content-type", "")
        return self._parse_stream(text) if stream else self._parse_object(text)

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def _post(self, body: Mapping[str, object]) -> tuple[int, httpx.Headers, bytes]:
        pieces = bytearray()
        async with self._http.stream("POST", self.server.address, json=dict(body)) as response:
            async for piece in response.aiter_bytes():
                pieces += piece
                if len(pieces) > _LARGEST:
                    raise TemporaryError(f"the answer is longer than {_LARGEST // 2**20} MiB")
            return response.status_code, response.headers, bytes(pieces)

    def _parse_object(self, text: str) -> Reply:
        """Parse the answer in one JSON object."""
        answer = _decode(text)
        if not isinstance(answer, dict):
            raise TemporaryError(f"the answer is not JSON: {self._clean(text)}")
        self._check_error(answer)
        choice = _first_choice(answer)
        message = choice.get("message")
        if not isinstance(message, dict):
            raise TemporaryError(f"the answer has no message: {self._clean(text)}")
        return _reply(message, choice.get("finish_reason"), answer.get("usage"))

    def _parse_stream(self, text: str) -> Reply:
        """Parse the answer in server-sent events; one without its end is no answer."""
        pieces: list[str] = []
        usage = finish = None
        for line in _LINE_END.split(text):  # not at every mark that Python takes for one
            if not line.startswith("data:"):
                continue
            data = line.removeprefix("data:").strip()
            if data == "[DONE]":
                finish = finish or "stop"
                break
            event = _decode(data)
            if not isinstance(event, dict):
                raise TemporaryError(f"the stream holds what is not JSON: {self._clean(data)}")
            self._check_error(event)
            choice = _first_choice(event)
            delta = choice.get("delta")
            pieces.append(_content(delta) if isinstance(delta, dict) else "")
            finish = choice.get("finish_reason") or finish
            usage = event.get("usage") or usage
        if finish is None:
            raise TemporaryError(f"the stream broke off after {len(''.join(pieces))} characters")
        return _reply({"content": "".join(pieces)}, finish, usage)

    def _check_error(self, answer: Mapping[str, object]) -> None:
        """Refuse an error that comes as 200, as some gateways send it."""
        if error := answer.get("error"):
            code = error.get("code") if isinstance(error, dict) else None
            status = code if isinstance(code, int) else 500
            raise self._failure(status, {}, json.dumps({"error": error}, ensure_ascii=False))

    def _failure(self, status: int, headers: Mapping[str, str], text: str) -> Exception:
        """Explain an answer of another status than 200."""
        message = self._clean(_error_message(text))
        why = f"{status}: {message}" if message else f"{status} without a word"
        if status >= 500 or (status in _TEMPORARY and not (status == 429 and _is_spent(text))):
            return TemporaryError(
                f"the server said {why}", _retry_after(headers.get("retry-after"))
            )
        if status in _UNSUITABLE:
            if _FILTERED.search(text):
                return UnsuitableTextError("refused", why)
            if status == 413 or _TOO_LONG.search(text):
                return UnsuitableTextError("too long", why)
        if 300 <= status < 400:
            why = f"{status}: look at {self._clean(headers.get('location', '?'))}"
        return ServerError(f"{self.server.address}: the server said {why}{_ADVICE.get(status, '')}")

    def _clean(self, text: str) -> str:
        """Shorten a text to one line without the key, which servers like to repeat."""
        if self.server.key:
            text = text.replace(self.server.key, "[key]")
        line = " ".join(text.split())
        return line if len(line) <= 300 else f"{line[:300]}..."


def _describe(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".removesuffix(": ")


def _is_spent(text: str) -> bool:
    """Say whether a refusal for too many calls is for good: some servers word both alike."""
    spent = _QUOTA.search(text)
    return bool(spent) and ("insufficient_quota" in text or not _SOON.search(text))


def _decode(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):  # also a number of thousands of digits
        return None


def _join_halves(text: str) -> str:
    """Join halves of characters; one alone becomes U+FFFD."""
    if not _HALF.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _first_choice(answer: Mapping[str, object]) -> Mapping[str, Any]:
    """Read the first choice of an answer or event; {} where there is none."""
    choices = answer.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    return first if isinstance(first, dict) else {}


def _reply(message: Mapping[str, Any], finish: object, usage: object) -> Reply:
    if message.get("refusal") or finish == "content_filter":
        finish = "refused"
    counts = usage if isinstance(usage, dict) else {}
    tokens = (counts.get(name) for name in ("prompt_tokens", "completion_tokens"))
    return Reply(
        _join_halves(_content(message)),
        finish if isinstance(finish, str) else "stop",
        *(n if isinstance(n, int) and n >= 0 else None for n in tokens),
    )


def _content(message: Mapping[str, Any]) -> str:
    """Read the text of a message, which some servers send in parts."""
    content = message.get("content")
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def _error_message(text: str) -> str:
    """Read the message in a server's error, or all of it where it is not JSON."""
    error = _decode(text)
    for name in ("error", "message", "detail"):
        while isinstance(error, dict) and name in error:
            error = error[name]
    return error if isinstance(error, str) else text


def _retry_after(value: str | None) -> float | None:
    """Parse the seconds that a Retry-After header asks for: a number, or until a date."""
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
