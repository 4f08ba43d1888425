"""Figures of a project's sentences, stored in pieces until a sentence of the piece changes.

What is found in a sentence rests on its rows alone, and each act that writes one counts up the
version of the sentence. A piece is some hundred sentences that are neighbours in the order of
work, so that a day's work changes few pieces; how many there are grows with the project.
"""

from __future__ import annotations

import gc
import hashlib
import json
import multiprocessing
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import chain, islice
from math import inf
from time import monotonic
from typing import TYPE_CHECKING, Any

from django.db import OperationalError, connection, connections
from django.db.models import BigIntegerField, Count, F, Func, Max, Q, QuerySet, Sum
from django.db.models.expressions import RawSQL
from django.utils import timezone

from gecbench.server.choices import Purpose
from gecbench.server.import_export.corpora import read_snapshot
from gecbench.server.models import Figures, Project, Sentence, Suggestion
from gecbench.server.models.base import compiled

if TYPE_CHECKING:
    from django.db.backends.base.base import BaseDatabaseWrapper
    from django.db.models.sql.compiler import SQLCompiler

LAYOUT = 4
"""Counted up when what is stored of a piece changes its meaning."""

SIZE = 500
"""Sentences of a piece, about."""

_ORDER_BITS = 64
"""Of `order_key`. A piece is a part of its range, which is divided into a power of two of them."""

_STORED_AT_ONCE = 16

_MOST_IN_TIME = 32
"""Pieces that are begun where there is little time: their sentences are looked for first."""

_FORKED_FOR = 16
"""Pieces from which on other processes pay."""


def load_pieces(
    project: Project, kind: str, compute: Callable[[Collection[int]], Any], processes: int = 1
) -> Iterator[Any]:
    """Yield the figures of all pieces; those that have changed are computed again, and stored.

    Args:
        project: Whose sentences.
        kind: What the figures are.
        compute: Makes JSON values of sentences, of which the row numbers are given. All that it
            reads is of one moment.
        processes: How many compute. More than one are forked, so only a process without threads or
            an open transaction may ask for them.
    """
    division = _Division.of(project)
    current = division.stored(kind)
    yield from _read(current.values())
    stale = dict.fromkeys(division.bases.keys() - current, (kind,))
    for _, figures in _compute(division, stale, _of_kind(kind, compute), processes):
        yield figures[kind]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far figures are computed.

    Args:
        sentences: How many real ones the project has.
        remaining: How many of them are in pieces whose figures are still to be computed.
    """

    sentences: int
    remaining: int

    @property
    def done(self) -> int:
        """How many sentences the figures are of."""
        return self.sentences - self.remaining


def load_sum(
    project: Project,
    kind: str,
    compute: Callable[[Collection[int]], Any],
    add: Callable[[Iterable[Any]], Any],
    processes: int = 1,
    seconds: float | None = None,
) -> tuple[Any, Progress]:
    """Add up the figures of all pieces that are known; the sum of all is stored until one changes.

    Args:
        project: As in `load_pieces`.
        kind: As there.
        compute: As there.
        add: Makes the sum.
        processes: As there.
        seconds: For so long pieces are computed, and one at least; None computes all.
    """
    division = _Division.of(project)
    bases = {f"{kind} {piece}": basis for piece, basis in division.bases.items()}
    basis = hashlib.sha256(json.dumps(sorted(bases.items())).encode()).hexdigest()
    stored = Figures.objects.filter(project=project, kind=kind, basis=basis).first()
    if stored is not None:
        return stored.data, division.progress()
    current = division.stored(kind)
    stale = dict.fromkeys(division.bases.keys() - current, (kind,))
    made = dict(_compute(division, stale, _of_kind(kind, compute), processes, seconds))
    data = add(chain(_read(current.values()), (figures[kind] for figures in made.values())))
    progress = division.progress(stale.keys() - made)
    if not progress.remaining:
        _store_if_possible([Figures(project=project, kind=kind, basis=basis, data=data)])
    return data, progress


def store_pieces(
    project: Project,
    kinds: Collection[str],
    compute: Callable[[Collection[int], Collection[str]], Mapping[str, Any]],
    processes: int = 1,
    seconds: float | None = None,
) -> Progress:
    """Compute and store the figures of several kinds of the pieces that have changed.

    Args:
        project: Whose sentences.
        kinds: What the figures are.
        compute: Makes those of some of the kinds of sentences, as in `load_pieces`.
        processes: As there.
        seconds: As in `load_sum`.

    Raises:
        OperationalError: They cannot be stored: whoever calls again would begin again.
    """
    division = _Division.of(project)
    stale = defaultdict(list)
    for kind in kinds:
        for piece in division.stale(kind):
            stale[piece].append(kind)
    made = [piece for piece, _ in _compute(division, stale, compute, processes, seconds, _store)]
    return division.progress(stale.keys() - made)


@dataclass(frozen=True, slots=True)
class _Division:
    """The real sentences of a project in pieces; gold tasks and training count nowhere.

    Args:
        sentences: With the number of their piece.
        layout: What of the project the figures of all pieces rest on.
        bases: By piece, what its figures rest on.
        sizes: By piece, how many sentences it has.
    """

    project: Project
    sentences: QuerySet[Any]
    layout: str
    bases: Mapping[int, str]
    sizes: Mapping[int, int]

    @classmethod
    def of(cls, project: Project) -> _Division:
        bits = max(1, (Sentence.objects.filter(project=project).count() // SIZE).bit_length())
        sentences: QuerySet[Any] = Sentence.objects.annotate(
            piece=F("order_key").bitrightshift(_ORDER_BITS - bits)
        )
        sentences = sentences.filter(project=project, purpose=Purpose.REAL).order_by()
        layout = f"{LAYOUT} {bits} {project.rules.placeholder}"
        return cls(project, sentences, layout, *_bases(sentences, layout))

    def stored(self, kind: str) -> Mapping[int, int]:
        """By piece the row of its figures, of those that have not changed."""
        rows = Figures.objects.filter(project=self.project, kind__startswith=f"{kind} ")
        pieces = {}
        for pk, name, basis in rows.values_list("pk", "kind", "basis"):
            piece = int(name.split()[-1])
            if self.bases.get(piece) == basis:
                pieces[piece] = pk
        return pieces

    def stale(self, kind: str) -> Collection[int]:
        """The pieces whose figures have changed."""
        return self.bases.keys() - self.stored(kind)

    def progress(self, stale: Iterable[int] = ()) -> Progress:
        """How far figures are computed where those of some pieces are not."""
        remaining = sum(self.sizes[piece] for piece in stale)
        return Progress(sum(self.sizes.values()), remaining)


def _read(rows: Collection[int]) -> Iterator[Any]:
    """Yield stored figures, some at a time."""
    stored = Figures.objects.filter(pk__in=rows).values_list("data")
    for (data,) in stored.iterator(_STORED_AT_ONCE):
        yield data


def _of_kind(
    kind: str, compute: Callable[[Collection[int]], Any]
) -> Callable[[Collection[int], Collection[str]], Mapping[str, Any]]:
    return lambda keys, _: {kind: compute(keys)}


def _store(rows: Iterable[Figures]) -> None:
    now = timezone.now()
    for row in rows:
        row.computed_at = now
    Figures.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["project", "kind"],
        update_fields=["basis", "data", "computed_at"],
    )


def _store_if_possible(rows: Iterable[Figures]) -> None:
    with suppress(OperationalError):  # a full disk: figures are shown all the same
        _store(rows)


def _compute(
    division: _Division,
    pieces: Mapping[int, Collection[str]],
    compute: Callable[[Collection[int], Collection[str]], Mapping[str, Any]],
    processes: int,
    seconds: float | None = None,
    store: Callable[[Iterable[Figures]], None] = _store_if_possible,
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Compute the figures of pieces, of the kinds that each has to have, store and yield them."""
    end = inf if seconds is None else monotonic() + seconds
    if seconds is not None:
        pieces = dict(islice(pieces.items(), _MOST_IN_TIME))
    members = defaultdict(list)
    rows = division.sentences.filter(piece__in=pieces.keys())
    for piece, sentence in rows.values_list("piece", "pk"):
        members[piece].append(sentence)

    def compute_piece(piece: int) -> tuple[str, Mapping[str, Any]]:
        keys = members[piece]
        packed = pack_keys(keys)
        with read_snapshot(), _no_collection():
            ((count, real, versions),) = _versions(packed)
            ((suggestion,),) = _last_suggestion(packed) or [(None,)]
            return _basis(count, real, versions, suggestion, division.layout), compute(
                keys, pieces[piece]
            )

    unstored: list[Figures] = []
    results = _map(compute_piece, members, processes)
    for piece, (basis, figures) in zip(members, results, strict=True):
        unstored += [
            Figures(project=division.project, kind=f"{kind} {piece}", basis=basis, data=data)
            for kind, data in figures.items()
        ]
        yield piece, figures
        if monotonic() > end:
            break
        if len(unstored) >= _STORED_AT_ONCE:
            store(unstored)
            unstored.clear()
    store(unstored)


@contextmanager
def _no_collection() -> Iterator[None]:
    """Look for no cycles of garbage: of what a piece makes there are none, and it takes a tenth."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


# Statements about a piece: they are written once, and filled with its sentences.


def pack_keys(sentences: Collection[int]) -> str:
    """Make one parameter of the rows of sentences, for `among`."""
    return json.dumps(list(sentences))


def among(keys: str) -> RawSQL:
    """What a row is looked for in, as `pk__in=among(keys)`.

    To Django 500 parameters cost more than what they find costs the database.
    """
    if connection.vendor == "postgresql":
        return RawSQL("SELECT value::bigint FROM jsonb_array_elements_text(%s::jsonb)", (keys,))
    return RawSQL("SELECT value FROM json_each(%s)", (keys,))


@compiled
def _versions(keys: str) -> QuerySet[Any, Any]:
    rows = Sentence.objects.filter(pk__in=among(keys)).order_by().values("project")
    return rows.annotate(**_VERSIONS).values_list(*_VERSIONS)


_VERSIONS = {
    "count": Count("pk"),
    "real": Count("pk", filter=Q(purpose=Purpose.REAL)),
    "versions": Sum("version"),
}


@compiled
def _last_suggestion(keys: str) -> QuerySet[Any, Any]:
    rows = Suggestion.objects.filter(sentence__in=among(keys))
    return rows.order_by("-pk").values_list("pk")[:1]


class Microseconds(Func):
    """A moment in whole microseconds since 1970; reading it as a datetime costs ten times more."""

    output_field = BigIntegerField()
    template = "CAST(ROUND(EXTRACT(EPOCH FROM %(expressions)s) * 1000000) AS BIGINT)"

    def as_sqlite(
        self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **extra: Any
    ) -> tuple[str, tuple[str | int, ...]]:
        """SQLite keeps texts, as "2026-11-27 09:30:00.000250" or without a fraction."""
        (moment,) = self.source_expressions
        sql, params = compiler.compile(moment)
        seconds = f"strftime('%%s', substr({sql}, 1, 19)) * 1000000"  # with a fraction it rounds
        return (
            f"({seconds} + CAST(substr(substr({sql}, 21) || '000000', 1, 6) AS INTEGER))",
            (*params, *params),
        )


def _map(function: Callable[[int], Any], pieces: Collection[int], processes: int) -> Iterator[Any]:
    if processes == 1 or len(pieces) < _FORKED_FOR:
        yield from map(function, pieces)
        return
    connections.close_all()  # a connection must not be shared by two processes
    import numpy  # noqa: F401, ICN001 - once, and not in each of them

    fork = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(processes, fork, _set_function, (function,)) as executor:
        yield from executor.map(_call_function, pieces)


_function: Callable[[int], Any]


def _set_function(function: Callable[[int], Any]) -> None:
    """Keep what a new process calls: it is a closure, which only a fork inherits."""
    global _function  # noqa: PLW0603
    _function = function
    gc.freeze()  # what was there before holds no garbage


def _call_function(piece: int) -> Any:
    return _function(piece)


def _bases(sentences: QuerySet[Any], layout: str) -> tuple[dict[int, str], dict[int, int]]:
    """What the figures of each piece rest on, and how many sentences it has.

    Versions only grow, and rows are never deleted.
    """
    rows = sentences.values("piece").annotate(**_VERSIONS)
    suggestions = dict(
        sentences.filter(suggestions__isnull=False)
        .values_list("piece")
        .annotate(last=Max("suggestions"))
    )
    bases, sizes = {}, {}
    for row in rows:
        piece = row["piece"]
        sizes[piece] = row["count"]
        bases[piece] = _basis(
            row["count"], row["real"], row["versions"], suggestions.get(piece), layout
        )
    return bases, sizes


def _basis(count: int, real: int, versions: int, suggestion: int | None, layout: str) -> str:
    return f"{count} {real} {versions} {suggestion} {layout}"[:200]
