"""What comes with a request: its address, JSON, numbers; and how often one person may ask."""

from __future__ import annotations

import ipaddress
import json
import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import NoReturn

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase

from gecbench.server.web import errors

# Where a request comes from, believed only as far as the operator says.


def client_address(request: HttpRequest) -> str | None:
    """Return the network address of whoever asks; None where it is not known.

    Behind a proxy it is the last one in X-Forwarded-For: the one that the proxy itself has seen.
    What stands before it, anybody may have written.
    """
    said = request.META.get("REMOTE_ADDR", "")
    if settings.SITE.behind_proxy:
        said = request.META.get("HTTP_X_FORWARDED_FOR", "").rpartition(",")[2].strip() or said
    try:
        return str(ipaddress.ip_address(said))
    except ValueError:
        return None


# JSON that comes in: strict, and never deeper than anything of ours.


_DEEPEST = 20


def json_in(raw: str | bytes) -> object:
    """Return what JSON says.

    Raises:
        ValueError: It is none (nor are NaN and Infinity), or nested so deep that reading it, or
            writing it down, would break.

    >>> json_in('{"texts": ["a"]}')
    {'texts': ['a']}
    """
    try:
        read = json.loads(raw, parse_constant=_refuse)
    except RecursionError:
        raise ValueError("it is nested too deep") from None
    level: list[object] = [read]
    for _ in range(_DEEPEST):
        level = [one for outer in level for one in _inside(outer)]
        if not level:
            return read
    raise ValueError("it is nested too deep")


def _inside(value: object) -> list[object]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")


# Numbers that come in an address or a form.


_DIGITS = 18
"""As many digits fit a column of the database."""


def number_in(given: str, *, digits: int = _DIGITS) -> int | None:
    """Return a whole number from 0 on; None for anything else.

    >>> number_in("12"), number_in("²"), number_in("-1"), number_in("9" * 30)
    (12, None, None, None)
    """
    plain = given.isascii() and given.isdigit()
    return int(given) if plain and len(given) <= digits else None


# How often one person may do something: a bucket of tokens for each, in each server process.
#
# In memory, so that counting costs no write; with three processes somebody may be three times as
# fast as the figures say, which is what the limits can bear. A program that runs wild is stopped
# all the same. `rate_limits = false` in site.toml turns them off, for load tests.


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
"""What is limited; sign-in and mails by network address, all others by person."""

_MOST = 10_000
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

    def wait(self, kind: str, whose: object) -> int:
        """Take a token and return 0, or return the seconds until there is one."""
        limit = LIMITS[kind]
        with self._lock:
            now = self._clock()
            level, then = self._levels.pop((kind, whose), (float(limit.burst), now))
            level = min(limit.burst, level + (now - then) * limit.rate)
            whole = level > 1 - _ROUNDING
            left = max(0.0, level - 1) if whole else level
            self._levels[kind, whose] = (left, now)
            if len(self._levels) > _MOST:
                self._levels.popitem(last=False)
        return 0 if whole else math.ceil((1 - level) / limit.rate)


_BUCKETS = Buckets()


def limited(kind: str) -> Callable[[View], View]:
    """Answer 429 to whoever calls a view too often.

    It stands below the decorators of permissions and methods: what they refuse counts for nothing.
    """

    def declare(view: View) -> View:
        @wraps(view)
        def guarded(request: HttpRequest, *args: object, **words: object) -> HttpResponseBase:
            seconds = waiting(kind, request)
            if not seconds:
                return view(request, *args, **words)
            return errors.too_fast(request, seconds)

        return guarded

    return declare


def waiting(kind: str, request: HttpRequest) -> int:
    """Count a request and return 0, or return the seconds until it may be made."""
    return _BUCKETS.wait(kind, whose(request)) if settings.SITE.rate_limits else 0


def whose(request: HttpRequest) -> object:
    """Return whom a request counts for: the person, else the network address."""
    return request.user.pk if request.user.is_authenticated else client_address(request)
