"""How often one person may do something: a bucket of tokens for each, in each server process.

In memory, so that counting costs no write; with three processes somebody may be three times as
fast as the figures say, which is what the limits can bear. A program that runs wild is stopped
all the same. `rate_limits = false` in site.toml turns them off, for load tests.
"""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase

from gecbench.server.web import failures


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
}
"""What is limited; sign-in by network address, all others by person."""

_MOST = 10_000
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
            left = level - 1 if level >= 1 else level
            self._levels[kind, whose] = (left, now)
            if len(self._levels) > _MOST:
                self._levels.popitem(last=False)
        return 0 if level >= 1 else math.ceil((1 - level) / limit.rate)


_BUCKETS = Buckets()


def limited(kind: str) -> Callable[[View], View]:
    """Answer 429 to whoever calls a view too often; stands below the decorator of `policy`."""

    def declare(view: View) -> View:
        @wraps(view)
        def guarded(request: HttpRequest, *args: object, **words: object) -> HttpResponseBase:
            seconds = waiting(kind, request)
            if not seconds:
                return view(request, *args, **words)
            response = failures.failed(request, 429)
            response["Retry-After"] = str(seconds)
            return response

        return guarded

    return declare


def waiting(kind: str, request: HttpRequest) -> int:
    """Count a request and return 0, or return the seconds until it may be made."""
    return _BUCKETS.wait(kind, whose(request)) if settings.SITE.rate_limits else 0


def whose(request: HttpRequest) -> object:
    """Return whom a request counts for: the person, else the network address."""
    from gecbench.server.web.addresses import client_address

    return request.user.pk if request.user.is_authenticated else client_address(request)
