"""The chained log of who did what."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC
from typing import Any

from django.db import connection, transaction
from django.db.models import QuerySet
from django.utils import timezone

from gecbench.server.models import Audit, Member, Person, Project
from gecbench.server.models.base import compiled, insert

START = "0" * 64
"""What the first row names as the hash before it."""

_LOCK = 0x6765_6362  # any number, the same for all processes: "gecb"
_MOST = 1000
_address: ContextVar[str] = ContextVar("address", default="")


@contextmanager
def request_address(address: str) -> Iterator[None]:
    """Let all rows recorded inside name this network address."""
    token = _address.set(address)
    try:
        yield
    finally:
        _address.reset(token)


def record(
    what: str,
    *,
    who: Person | None,
    project: Project | None = None,
    about: tuple[str, object] = ("", ""),
    data: Mapping[str, object] | None = None,
    address: str = "",
) -> Audit:
    """Add a row to the chain, inside the caller's transaction where there is one.

    Call it last: until the transaction ends nobody else can add a row.

    Args:
        what: A dotted name as "member.changed".
        who: Whose act it was; None is the operator's, or nobody's.
        project: Where.
        about: Kind and id of the thing.
        data: What a reader needs to understand it: no sentence texts, and numbers are whole.
        address: Where the request came from; "" is what `coming_from` says.
    """
    # A part of the caller's transaction: a savepoint of its own would only cost two statements.
    with transaction.atomic(savepoint=False):
        if connection.vendor == "postgresql":
            # Two rows after the same one would fork the chain.
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
        last = head()
        row = Audit(
            seq=last[0] + 1,
            at=timezone.now(),
            who=who,
            project=project,
            address=(address or _address.get())[:64],
            what=what,
            object_kind=about[0],
            object_id=str(about[1]),
            data=json.loads(json.dumps(dict(data or {}), allow_nan=False, default=str)),
            previous_hash=last[1],
        )
        row.hash = hash_of(row)
        insert(row)
    return row


def record_by(
    member: Member,
    what: str,
    *,
    about: tuple[str, object] = ("", ""),
    data: Mapping[str, object] | None = None,
) -> Audit:
    """Add a row about what a member did in their project; call it last, as `record`."""
    return record(what, who=member.person, project=member.project, about=about, data=data)


def hash_of(row: Audit) -> str:
    """The SHA-256 of a row and, through the hash it names, of all before it."""
    content = [
        row.seq,
        row.at.astimezone(UTC).isoformat(timespec="microseconds"),
        row.who_id,
        row.project_id,
        row.address,
        row.what,
        row.object_kind,
        row.object_id,
        row.data,
        row.previous_hash,
    ]
    text = json.dumps(content, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def head() -> tuple[int, str]:
    """Number and hash of the last row: whoever notes them can tell if rows vanish."""
    for seq, last_hash in _last():
        return seq, last_hash
    return 0, START


@compiled
def _last() -> QuerySet[Any, Any]:
    return Audit.objects.order_by("-seq").values_list("seq", "hash")[:1]


def verify(*, noted: tuple[int, str] | None = None) -> tuple[str, ...]:
    """What is wrong with the chain: one line for each row that does not fit.

    Args:
        noted: What `head` said at an earlier time. Rows that were removed from the end, or a chain
            that was made again as a whole, are found by this alone.
    """
    problems: list[str] = []
    seq, previous = 0, START
    seen = noted is None or noted[0] == 0
    for row in Audit.objects.order_by("seq").iterator(chunk_size=2000):
        if row.seq != seq + 1:
            problems.append(f"audit {row.seq}: {row.seq - seq - 1} rows before it are missing")
        if row.previous_hash != previous:
            problems.append(f"audit {row.seq}: does not follow the row before it")
        if row.hash != hash_of(row):
            problems.append(f"audit {row.seq}: was changed after it was written")
        if noted is not None and row.seq == noted[0]:
            seen = True
            if row.hash != noted[1]:
                problems.append(f"audit {row.seq}: is not the row that was noted earlier")
        seq, previous = row.seq, row.hash
        if len(problems) >= _MOST:
            return (*problems, "and so on; the rest was not looked at")
    if not seen and noted is not None:
        problems.append(f"audit {noted[0]}: was noted earlier and is missing; the last is {seq}")
    return tuple(problems)
