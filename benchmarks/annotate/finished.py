"""Makes a project look as after months of work; run by load.py in a process of its own.

python benchmarks/annotate/finished.py FOLDER REVISIONS LEAVE

What real people of the benchmark did to some sentences, from the first claim to the golden set, is
copied row by row to all that nobody has touched, but for the last LEAVE. Drafts get so many
revisions each. SQLite only: a quarter of an hour of work of others, in minutes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

PIECE = 500
DAYS = 200
_WHERE = {
    "ReviewTask": "sentence",
    "Submission": "sentence",
    "Review": "sentence",
    "Reference": "sentence",
    "Verdict": "review__sentence",
    "Golden": "sentence",
    "GoldenReference": "golden__sentence",
    "Study": "sentence",
    "StudyTry": "study__sentence",
    "Draft": "slot__sentence",
    "DraftRevision": "slot__sentence",
    "SlotEvent": "sentence",
    "Reading": "sentence",
}
"""Tables in the order in which their rows can be written, and the way to their sentence."""


class History:
    """All rows of one sentence, to be written again for others.

    Args:
        sentence: One that is done.
        revisions: How many each draft gets.
        ids: The next free row of each table.
    """

    def __init__(self, sentence: Any, revisions: int, ids: dict[str, int]) -> None:
        from django.apps import apps

        self.sentence, self.revisions, self.ids = sentence, revisions, ids
        self.models = {name: apps.get_model("server", name) for name in _WHERE}
        self.rows = {
            name: list(self.models[name].objects.filter(**{way: sentence}).order_by("pk").values())
            for name, way in _WHERE.items()
        }
        self.slots = {slot.no: slot for slot in sentence.slots.all()}
        self.earlier = timedelta(0)

    def copied(self, other: Any) -> Iterator[tuple[str, Any]]:
        """Yield rows for another sentence: the name of the table, and a row of it."""
        slots = {self.slots[slot.no].pk: slot.pk for slot in other.slots.all()}
        known: dict[str, dict[int, int]] = {"sentence": {self.sentence.pk: other.pk}, "slot": slots}
        for name, rows in self.rows.items():
            for row in rows:
                for moment in self._times(name, row):
                    yield name, self._row(name, moment, known)
        other.golden_id = known["golden"][self.sentence.golden_id]

    def _times(self, name: str, row: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Yield a draft's last revision as often as it is asked for, everything else once."""
        if name != "DraftRevision":
            yield row
            return
        mine = [draft for draft in self.rows["Draft"] if draft["slot_id"] == row["slot_id"]]
        if row["conflicting"] or all(draft["rev"] != row["rev"] for draft in mine):
            return
        for n in range(self.revisions):
            yield {**row, "rev": n + 1, "at": row["at"] + timedelta(seconds=2 * n)}

    def _row(self, name: str, row: dict[str, Any], known: dict[str, dict[int, int]]) -> Any:
        model = self.models[name]
        values = dict(row)
        for column in model._meta.concrete_fields:
            if column.is_relation and values[column.attname] is not None:
                table = column.related_model._meta.db_table
                values[column.attname] = known.get(table, {}).get(
                    values[column.attname], values[column.attname]
                )
        if "client_key" in values:
            values["client_key"] = uuid4()
        if name == "Draft":
            values["rev"] = self.revisions
        for key, value in values.items():
            if isinstance(value, datetime):
                values[key] = value - self.earlier
        old, values["id"] = values["id"], self.ids[name]
        known.setdefault(model._meta.db_table, {})[old] = values["id"]
        self.ids[name] += 1
        return model(**values)


def main(folder: Path, revisions: int, leave: int) -> None:
    """Copy the histories of done sentences to all but the last ones."""
    from gecbench.server.site.folder import open_site

    open_site(folder)
    from django.apps import apps
    from django.db import connection, transaction
    from django.db.models import Max

    from gecbench.server.models import Sentence

    models = {name: apps.get_model("server", name) for name in _WHERE}
    ids = {
        name: (model.objects.aggregate(last=Max("pk"))["last"] or 0) + 1
        for name, model in models.items()
    }
    done = Sentence.objects.filter(state="golden").prefetch_related("slots")
    histories = [History(sentence, revisions, ids) for sentence in done[:200]]
    waiting = list(
        Sentence.objects.filter(state="open").order_by("pk").values_list("pk", flat=True)
    )
    waiting = waiting[: len(waiting) - leave]
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA synchronous=OFF")
    for begin in range(0, len(waiting), PIECE):
        keys = waiting[begin : begin + PIECE]
        others = Sentence.objects.filter(pk__in=keys).order_by("pk").prefetch_related("slots")
        with transaction.atomic():
            _write(histories, list(others), begin, models)
    print(f"{len(waiting)} sentences are like {len(histories)} that people have done;")
    print(f"{models['DraftRevision'].objects.count()} revisions of drafts.")


def _write(
    histories: list[History], others: list[Any], begin: int, models: Mapping[str, Any]
) -> None:
    from gecbench.server.models import Sentence, Slot

    rows: dict[str, list[Any]] = {name: [] for name in _WHERE}
    slots = []
    for n, other in enumerate(others, start=begin):
        history = histories[n % len(histories)]
        history.earlier = timedelta(days=1 + n % DAYS)  # what was done today would all be counted
        for name, row in history.copied(other):
            rows[name].append(row)
        for column in ("state", "submitted", "version", "updated_at"):
            setattr(other, column, getattr(history.sentence, column))
        for slot in other.slots.all():
            model = history.slots[slot.no]
            for column in ("person_id", "state", "claimed_at", "submitted_at", "version"):
                setattr(slot, column, getattr(model, column))
            slots.append(slot)
    for name, some in rows.items():
        models[name].objects.bulk_create(some, batch_size=2000)
    Slot.objects.bulk_update(
        slots, ["person", "state", "claimed_at", "submitted_at", "version"], batch_size=100
    )
    Sentence.objects.bulk_update(
        others, ["state", "submitted", "version", "updated_at", "golden"], batch_size=100
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
