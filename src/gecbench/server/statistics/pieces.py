"""Figures of a project's sentences, stored in pieces until a sentence of the piece changes.

What is found in a sentence rests on its rows alone, and each act that writes one counts up the
version of the sentence. A piece is some hundred sentences that are neighbours in the order of
work, so that a day's work changes few pieces; how many there are grows with the project.
"""

from __future__ import annotations

import multiprocessing
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from typing import Any

from django.db import OperationalError, connections
from django.db.models import Count, F, Max, Q, QuerySet, Sum
from django.utils import timezone

from gecbench.server.choices import Purpose
from gecbench.server.import_export.corpora import read_snapshot
from gecbench.server.models import Figures, Project, Sentence

LAYOUT = 2
"""Counted up when what is stored of a piece changes its meaning."""

SIZE = 500
"""Sentences of a piece, about."""

_ORDER_BITS = 64
"""Of `order_key`. A piece is a part of its range, which is divided into a power of two of them."""

_STORED_AT_ONCE = 16

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
    bits = max(1, (Sentence.objects.filter(project=project).count() // SIZE).bit_length())
    sentences: QuerySet[Any] = Sentence.objects.annotate(
        piece=F("order_key").bitrightshift(_ORDER_BITS - bits)
    )
    sentences = sentences.filter(project=project).order_by()
    layout = f"{LAYOUT} {bits} {project.rules.placeholder}"
    bases = {f"{kind} {piece}": basis for piece, basis in _bases(sentences, layout).items()}
    stored = Figures.objects.filter(project=project, kind__startswith=f"{kind} ")
    current = [row.pk for row in stored.defer("data") if bases.get(row.kind) == row.basis]
    for row in stored.filter(pk__in=current).iterator(_STORED_AT_ONCE):
        del bases[row.kind]
        yield row.data
    members = defaultdict(list)
    stale = [int(name.split()[-1]) for name in bases]
    for piece, sentence in sentences.filter(piece__in=stale).values_list("piece", "pk"):
        members[piece].append(sentence)

    def compute_piece(keys: Collection[int]) -> tuple[str, Any]:
        with read_snapshot():
            (basis,) = _bases(sentences.filter(pk__in=keys), layout).values()
            return basis, compute(keys)

    rows = []
    results = _map(compute_piece, members.values(), processes)
    for piece, (basis, data) in zip(members, results, strict=True):
        rows.append(Figures(project=project, kind=f"{kind} {piece}", basis=basis, data=data))
        yield data
        if len(rows) == _STORED_AT_ONCE:
            _store(rows)
            rows.clear()
    _store(rows)


def _map(
    function: Callable[[Collection[int]], Any], pieces: Collection[Collection[int]], processes: int
) -> Iterator[Any]:
    if processes == 1 or len(pieces) < _FORKED_FOR:
        yield from map(function, pieces)
        return
    connections.close_all()  # a connection must not be shared by two processes
    fork = multiprocessing.get_context("fork")
    with fork.Pool(processes, _set_function, (function,)) as pool:
        yield from pool.imap(_call_function, pieces)


_function: Callable[[Collection[int]], Any]


def _set_function(function: Callable[[Collection[int]], Any]) -> None:
    """Keep what a new process calls: it is a closure, which only a fork inherits."""
    global _function  # noqa: PLW0603
    _function = function


def _call_function(piece: Collection[int]) -> Any:
    return _function(piece)


def _bases(sentences: QuerySet[Any], layout: str) -> dict[int, str]:
    """What the figures of each piece rest on: versions only grow, rows are never deleted."""
    rows = sentences.values("piece").annotate(
        count=Count("pk"), real=Count("pk", filter=Q(purpose=Purpose.REAL)), versions=Sum("version")
    )
    suggestions = dict(
        sentences.filter(suggestions__isnull=False)
        .values_list("piece")
        .annotate(last=Max("suggestions"))
    )
    return {
        row["piece"]: f"{row['count']} {row['real']} {row['versions']} "
        f"{suggestions.get(row['piece'])} {layout}"[:200]
        for row in rows
    }


def _store(rows: Iterable[Figures]) -> None:
    now = timezone.now()
    for row in rows:
        row.computed_at = now
    with suppress(OperationalError):  # a full disk: figures are shown all the same
        Figures.objects.bulk_create(
            rows,
            update_conflicts=True,
            unique_fields=["project", "kind"],
            update_fields=["basis", "data", "computed_at"],
        )
