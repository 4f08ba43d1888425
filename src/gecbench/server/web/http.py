"""What comes with a request: its address, JSON, numbers; how often one may ask; files to save."""

from __future__ import annotations

import hashlib
import ipaddress
import json
import logging
import math
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache, wraps
from http import HTTPStatus
from typing import Annotated, Any, NoReturn, TypeVar
from urllib.parse import quote
from uuid import UUID, uuid4

from django import forms
from django.conf import settings
from django.db import connection
from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext, gettext_lazy
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    InstanceOf,
    StrictInt,
    ValidationError,
)

from gecbench.server.choices import Decision
from gecbench.server.web import errors
from gecbench.server.web.errors import MalformedError
from gecbench.server.workflow.answers import Answer
from gecbench.server.workflow.management import PRIORITIES

_LOG = logging.getLogger("gecbench.failures")


def client_address(request: HttpRequest) -> str | None:
    """Find the network address of whoever asks; None where it is not known.

    Behind a proxy it is the last one in X-Forwarded-For: the one that the proxy itself has seen.
    What stands before it, anybody may have written.
    """
    address = request.META.get("REMOTE_ADDR", "")
    if settings.SITE.behind_proxy:
        forwarded = request.META.get("HTTP_X_FORWARDED_FOR", "").rpartition(",")[2].strip()
        address = forwarded or address
    try:
        return str(ipaddress.ip_address(address))
    except ValueError:
        return None


def parse_int(text: str | None, *, digits: int = 18) -> int | None:
    """Read a whole number from 0 on that fits a column of the database; None for anything else.

    >>> parse_int("12"), parse_int("²"), parse_int("-1"), parse_int("9" * 30)
    (12, None, None, None)
    """
    plain = text is not None and text.isascii() and text.isdigit()
    return int(text) if text and plain and len(text) <= digits else None


_DEEPEST = 20


def parse_json(raw: str | bytes) -> object:
    """Read JSON strictly.

    Raises:
        ValueError: It is none (nor are NaN and Infinity), or nested so deep that reading it, or
            writing it down, would break.

    >>> parse_json('{"texts": ["a"]}')
    {'texts': ['a']}
    """
    try:
        value = json.loads(raw, parse_constant=_refuse_constant)
    except RecursionError:
        raise ValueError("it is nested too deep") from None
    level: list[object] = [value]
    for _ in range(_DEEPEST):
        level = [child for parent in level for child in _children(parent)]
        if not level:
            return value
    raise ValueError("it is nested too deep")


def _children(value: object) -> list[object]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")


# What the scripts of pages send.


class Payload(BaseModel):
    """A JSON object that a page sends; a field that nobody knows is refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def _parse_client_time(value: object) -> datetime | None:
    try:
        moment = parse_datetime(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return moment if moment and timezone.is_aware(moment) else None


Count = Annotated[StrictInt, Field(ge=0, lt=2**31)]
Version = Annotated[int, BeforeValidator(lambda text: parse_int(text, digits=9) or 0)]
"""What a form was made from; one that is no number is none, and comes too late."""
RowNumber = Annotated[StrictInt, Field(ge=0, lt=2**63)]
Text = InstanceOf[str]
"""As it comes; the rules of texts say what is wrong with half a character."""
ClientTime = Annotated[datetime | None, BeforeValidator(_parse_client_time)]
"""A remark of the client's clock, which never decides anything: a strange one is dropped."""


class DraftPayload(Payload):
    """A draft to be saved, and the revision that it was made from."""

    rev: Count
    payload: dict[str, object]
    client_at: ClientTime = None


class TextPayload(Payload):
    """A text that somebody hands in; sending it twice with one key is one act."""

    text: str = ""
    client_key: UUID = Field(default_factory=uuid4)


class AnswerPayload(Payload):
    """An annotator's answer; pages that were offline may send `suggestion`, which means nothing."""

    version: Count
    client_key: UUID
    decision: Decision
    texts: list[Text] = []
    reason: Text = ""
    note: Text = ""
    active_ms: Count = 0
    proposal: Count = 0
    ask_reviewer: bool = False
    suggestion: object = None
    confirmed: object = False

    @property
    def answer(self) -> Answer:
        """The answer as the workflow takes it."""
        return Answer(
            self.decision,
            tuple(self.texts),
            self.reason,
            self.note,
            self.active_ms,
            self.proposal,
            self.ask_reviewer,
        )


PayloadT = TypeVar("PayloadT", bound=BaseModel)


def validate(data: object, model: type[PayloadT]) -> PayloadT:
    """Validate what a page sent.

    Raises:
        MalformedError: It is not of that form.
    """
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise MalformedError("the page sent what the server cannot read; load it again") from error


def read_payload(request: HttpRequest, model: type[PayloadT]) -> PayloadT:
    """Read the JSON of a request; a beacon sends it as the field `payload` of a form.

    Raises:
        MalformedError: It is not of that form.
    """
    form = request.content_type in ("application/x-www-form-urlencoded", "multipart/form-data")
    try:
        data = parse_json(request.POST.get("payload", "") if form else request.body)
    except ValueError as error:
        raise MalformedError("the page sent no JSON; load it again") from error
    return validate(data, model)


def read_form(request: HttpRequest, model: type[PayloadT]) -> PayloadT:
    """Read the fields of a form; what is left empty is not sent.

    Raises:
        MalformedError: It is not of that form.
    """
    sent = {name: text for name in model.model_fields if (text := request.POST.get(name))}
    try:
        return model.model_validate_strings(sent)
    except ValueError as error:
        raise MalformedError("the form is not complete") from error


# How often one person may do something: a bucket of tokens for each.
#
# All processes of all hosts count together, in rows of PostgreSQL or in Redis (`cache` in
# site.toml). On SQLite, where a site has one host, each process counts in its memory: with three
# somebody may be three times as fast as the figures say, which is what the limits can bear. A row
# would cost 0.2 ms for each draft when nobody else writes, but 5 ms at the 95th percentile and
# 226 ms at worst when eight do, which is too much for what is saved at every pause.
# `rate_limits = false` in site.toml turns them off, for load tests.


@dataclass(frozen=True, slots=True)
class Limit:
    """How fast something may go on.

    Args:
        rate: Times a second, in the long run.
        burst: How many may come at once.
    """

    rate: float
    burst: int


LIMITS: Mapping[str, Limit] = {
    "draft": Limit(5, 20),
    "submit": Limit(1, 10),
    "export": Limit(2 / 60, 4),
    "sign-in": Limit(0.5, 20),
    "password-mail": Limit(1 / 60, 5),
    "add-person": Limit(10 / 60, 20),
}
"""What is limited; sign-in and mails by network address (IPv6: /64), all others by person."""

_MOST = 10_000
_MICROSECOND = 1e-6
_ROUNDING = 1e-9  # so that who waits as long as was said finds a whole token
View = Callable[..., HttpResponseBase]


class Buckets:
    """Tokens of many people; those used longest ago are forgotten first.

    Args:
        clock: Seconds that never go back.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._levels: OrderedDict[tuple[str, object], tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def wait(self, kind: str, who: object) -> int:
        """Take a token; the seconds until there is one, 0 where one was taken."""
        limit = LIMITS[kind]
        with self._lock:
            now = self._clock()
            level, then = self._levels.pop((kind, who), (float(limit.burst), now))
            level = min(limit.burst, level + (now - then) * limit.rate)
            whole = level > 1 - _ROUNDING
            left = max(0.0, level - 1) if whole else level
            self._levels[kind, who] = (left, now)
            if len(self._levels) > _MOST:
                self._levels.popitem(last=False)
        return 0 if whole else math.ceil((1 - level) / limit.rate)


_BUCKETS = Buckets()

# Rows and Redis hold for each person the moment at which the bucket will be full again, by the
# clock of their server. A token is there while that is at most burst - 1 tokens away.
_TAKE = """
WITH clock AS (SELECT extract(epoch FROM clock_timestamp())::float8 AS now)
INSERT INTO rate_limit AS bucket (key, full_at) SELECT %(key)s, now + %(token)s FROM clock
ON CONFLICT (key) DO UPDATE
SET full_at = greatest(bucket.full_at, (SELECT now FROM clock)) + %(token)s
WHERE bucket.full_at - (SELECT now FROM clock) <= %(tolerance)s RETURNING 0
"""
_WAIT = """
SELECT full_at - extract(epoch FROM clock_timestamp())::float8 FROM rate_limit WHERE key = %(key)s
"""
_FORGET = "DELETE FROM rate_limit WHERE full_at < extract(epoch FROM clock_timestamp())"
_FORGOTTEN_EVERY = 1000
_SCRIPT = """
local time = redis.call('TIME')
local now = time[1] + time[2] / 1e6
local full_at = math.max(tonumber(redis.call('GET', KEYS[1]) or now), now)
local token, tolerance = tonumber(ARGV[1]), tonumber(ARGV[2])
if full_at - now > tolerance then return tostring(full_at - now - tolerance) end
local lasts = math.ceil((full_at + token - now) * 1000)
redis.call('SET', KEYS[1], string.format('%.6f', full_at + token), 'PX', lasts)
return '0'
"""


def _wait_in_rows(kind: str, who: object) -> int:
    limit = LIMITS[kind]
    tolerance = (limit.burst - 1) / limit.rate + _MICROSECOND
    filled: dict[str, str | float] = {
        "key": f"{kind} {who}",
        "token": 1 / limit.rate,
        "tolerance": tolerance,
    }
    with connection.cursor() as cursor:
        if not secrets.randbelow(_FORGOTTEN_EVERY):
            cursor.execute(_FORGET)
        cursor.execute(_TAKE, filled)
        if cursor.fetchone():
            return 0
        cursor.execute(_WAIT, filled)
        (left,) = cursor.fetchone() or (tolerance,)
    return max(1, math.ceil(left - tolerance))


class _Outage:
    """Redis that did not answer is left alone for a while, so that no request waits for it."""

    def __init__(self) -> None:
        self.since: float | None = None
        self.ask_again_at = 0.0

    def failed(self, error: Exception) -> None:
        now = time.monotonic()
        self.ask_again_at = now + _REDIS_RESTS
        if self.since is None:
            self.since = now
            _LOG.error("nobody's pace is limited, for Redis failed: %s", type(error).__name__)

    def ended(self) -> None:
        if self.since is not None:
            seconds, self.since = time.monotonic() - self.since, None
            _LOG.warning("Redis answers again after %.0f s: paces are limited", seconds)


_REDIS_TIMEOUT = 0.1
_REDIS_RESTS = 5.0
_OUTAGE = _Outage()


def _wait_in_redis(kind: str, who: object) -> int:
    """Without Redis nobody is held up, and the log says so, once."""
    from redis import RedisError

    if time.monotonic() < _OUTAGE.ask_again_at:
        return 0
    limit = LIMITS[kind]
    tolerance = (limit.burst - 1) / limit.rate + _MICROSECOND
    try:
        left = _redis_script(settings.SITE.cache)(
            keys=[f"gecbench {_site_name(settings.SITE.secret)} rate {kind} {who}"],
            args=[1 / limit.rate, tolerance],
        )
    except RedisError as error:
        _OUTAGE.failed(error)
        return 0
    _OUTAGE.ended()
    return math.ceil(float(left))


@cache
def _redis_script(url: str) -> Callable[..., bytes]:
    from redis import Redis
    from redis.backoff import NoBackoff
    from redis.retry import Retry

    client = Redis.from_url(
        url,
        socket_timeout=_REDIS_TIMEOUT,
        socket_connect_timeout=_REDIS_TIMEOUT,
        retry=Retry(NoBackoff(), 0),
    )
    script: Callable[..., bytes] = client.register_script(_SCRIPT)
    return script


@cache
def _site_name(secret: str) -> str:
    """What tells the keys of sites apart that share a Redis."""
    return hashlib.blake2b(secret.encode(), digest_size=6, person=b"redis keys").hexdigest()


def limited(kind: str) -> Callable[[View], View]:
    """Answer 429 to whoever calls a view too often.

    It stands below the decorators of permissions and methods: what they refuse counts for nothing.
    """

    def declare(view: View) -> View:
        @wraps(view)
        def guarded(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
            seconds = seconds_to_wait(kind, request)
            if not seconds:
                return view(request, *args, **kwargs)
            return errors.too_fast(request, seconds)

        return guarded

    return declare


def seconds_to_wait(kind: str, request: HttpRequest) -> int:
    """Count a request; the seconds until it may be made, 0 for now."""
    if not settings.SITE.rate_limits:
        return 0
    # A person's requests count wherever they come from.
    who = request.user.pk if request.user.is_authenticated else _network(client_address(request))
    if settings.SITE.cache:
        return _wait_in_redis(kind, who)
    in_rows = connection.vendor == "postgresql"
    return _wait_in_rows(kind, who) if in_rows else _BUCKETS.wait(kind, who)


def _network(address: str | None) -> str | None:
    """The address, or an IPv6 one's /64: one line of a provider has all of those.

    >>> _network("192.0.2.7"), _network("2001:db8:1:2:3:4:5:6")
    ('192.0.2.7', '2001:db8:1:2::/64')
    """
    if address is None or ":" not in address:
        return address
    ip = ipaddress.IPv6Address(address)
    if ip.ipv4_mapped:
        return str(ip.ipv4_mapped)
    return str(ipaddress.ip_network((ip.packed[:8] + bytes(8), 64)))


class RowField(forms.Field):
    """The number of a row, of a version, or one that is typed; None for what is no such number.

    What is wanted is then said by whoever needs it, in words of its own.
    """

    def __init__(self) -> None:
        super().__init__(required=False)

    def to_python(self, value: str | None) -> int | None:
        """The number."""
        return parse_int((value or "").strip())


class RowsField(forms.Field):
    """The numbers of rows; what is no such number is left out."""

    widget = forms.MultipleHiddenInput

    def __init__(self) -> None:
        super().__init__(required=False)

    def to_python(self, value: Sequence[str] | None) -> list[int]:
        """The numbers."""
        numbers = (parse_int(text.strip()) for text in value or ())
        return [number for number in numbers if number is not None]


_TOO_LONG = gettext_lazy(
    "%(show_value)d characters, and at most %(limit_value)d go in; shorten it."
)


class NoteField(forms.CharField):
    """Words that somebody adds to an act, without what no row can hold.

    The workflow says where they are wanted, and how long they may be where no length is given.
    """

    def __init__(self, **options: Any) -> None:
        long = {"max_length": _TOO_LONG}
        super().__init__(required=False, error_messages=long, **options)

    def to_python(self, value: Any) -> str:
        """The words."""
        return str(super().to_python(value)).replace("\0", "")


_TOO_LONG = gettext_lazy(
    "%(show_value)d characters, and at most %(limit_value)d go in; shorten it."
)
_PRIORITY = gettext_lazy("A priority is a whole number from -1000000 to 1000000.")


class PriorityField(forms.IntegerField):
    """The priority of sentences: small numbers come first."""

    def __init__(self, **options: Any) -> None:
        least, most = PRIORITIES
        wrong = dict.fromkeys(("invalid", "min_value", "max_value"), _PRIORITY)
        super().__init__(min_value=least, max_value=most, error_messages=wrong, **options)


def form_problems(form: forms.BaseForm) -> str:
    """What is wrong with a form, in a line; for pages that show it above their forms.

    A field has a label where its messages do not name it.
    """
    lines = []
    for name, problems in form.errors.items():
        label = form.fields[name].label if name in form.fields else None
        words = " ".join(map(str, problems))
        template = gettext("%(field)s: %(problem)s") if label else "%(problem)s"
        lines.append(template % {"field": label, "problem": words})
    return " ".join(lines)


def form_status(wrong: object, *, stale: object = False) -> HTTPStatus:
    """The status of the page of a form: 409 where it came too late, 422 where it is wrong."""
    if stale:
        return HTTPStatus.CONFLICT
    return HTTPStatus.UNPROCESSABLE_ENTITY if wrong else HTTPStatus.OK


def attachment(name: str, media: str, content: Iterator[bytes]) -> StreamingHttpResponse:
    """Stream a file that the browser saves under a name, whatever letters it has."""
    response = StreamingHttpResponse(content, content_type=media)
    response["Content-Disposition"] = f"attachment; filename*=UTF-8''{quote(name, safe='')}"
    response["Cache-Control"] = "no-store"
    return response
