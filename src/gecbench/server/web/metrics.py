"""Numbers for Prometheus: requests, errors of the database, and where the work stands.

All processes of a server write their counters into files of one folder, and any of them answers
for all: https://prometheus.github.io/client_python/multiprocess/.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable

from django.conf import settings
from django.core.cache import cache
from django.db import DatabaseError, InterfaceError
from django.db.models import Count
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, Counter, Histogram
from prometheus_client import generate_latest as write_metrics
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from gecbench.server.models import Project, Sentence, Slot
from gecbench.server.web.permissions import anyone

FOLDER_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
"""The environment variable that names the folder of all processes, before this is imported."""

_REQUESTS = Counter("gecbench_requests", "Requests answered.", ("method", "route", "status"))
_SECONDS = Histogram(
    "gecbench_request_seconds",
    "How long requests took in the server.",
    ("route",),
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.25, 0.5, 1, 2.5, 5, 10, 30),
)
_DATABASE_ERRORS = Counter(
    "gecbench_database_errors", "Requests that failed by the database.", ("kind",)
)
_COUNTED_EVERY = 60
"""Seconds for which a process keeps the counts of rows."""
_AGAIN_AFTER = 10
"""Seconds until a database that did not answer is asked again."""
_LOG = logging.getLogger("gecbench.failures")


def count_request(method: str, route: str, status: int, seconds: float) -> None:
    """Count a request that was answered; its route names no ids."""
    _REQUESTS.labels(method, route, status).inc()
    _SECONDS.labels(route).observe(seconds)


def count_database_error(kind: str) -> None:
    """Count a request that failed by the database."""
    _DATABASE_ERRORS.labels(kind).inc()


class _Work(Collector):
    """Sentences and places of all projects by their state, as the database has them."""

    def collect(self) -> Iterable[GaugeMetricFamily]:
        """Count them, at most once in a while; nothing if the database does not answer."""
        counts = cache.get("gecbench.work")
        if counts is None:
            try:
                counts = _count_work()
            except (DatabaseError, InterfaceError) as error:
                _LOG.error("the work cannot be counted: %s", type(error).__name__)
                counts = {}
            cache.set("gecbench.work", counts, _COUNTED_EVERY if counts else _AGAIN_AFTER)
        for name, (what, rows) in counts.items():
            family = GaugeMetricFamily(name, what, labels=("project", "state"))
            for project, state, count in rows:
                family.add_metric((project, state), count)
            yield family


def _count_work() -> dict[str, tuple[str, list[tuple[str, str, int]]]]:
    slugs = dict(Project.objects.values_list("pk", "slug"))
    sentences = Sentence.objects.filter(purpose="real", project__in=list(slugs))  # by an index
    counts = {}
    for name, what, rows in (
        ("gecbench_sentences", "Sentences; review_ready ones wait for a reviewer.", sentences),
        ("gecbench_tasks", "Places of annotators; free ones wait.", Slot.objects.all()),
    ):
        states = rows.order_by().values_list("project", "state").annotate(Count("pk"))
        counts[name] = (
            what,
            [(slugs[key], state, count) for key, state, count in states if key in slugs],
        )
    return counts


@anyone
@csrf_exempt
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """Answer whoever has the site's token; for anybody else there is no such page."""
    token = settings.SITE.metrics_token
    scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
    right = constant_time_compare(secret.strip(), token)
    if not token or scheme.lower() != "bearer" or not right:
        raise Http404
    return _write(request)


@require_safe
def _write(request: HttpRequest) -> HttpResponse:
    del request
    processes = REGISTRY
    if FOLDER_VARIABLE in os.environ:
        processes = CollectorRegistry()
        MultiProcessCollector(processes)  # type: ignore[no-untyped-call]
    work = CollectorRegistry()
    work.register(_Work())
    content = write_metrics(processes) + write_metrics(work)
    return HttpResponse(content, content_type=CONTENT_TYPE_LATEST)
