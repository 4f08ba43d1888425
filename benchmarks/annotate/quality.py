"""Measures a project's statistics: `gecbench annotate stats` and the page on quality.

    python benchmarks/annotate/quality.py FOLDER --sentences 100000

It makes the data folder if there is none (some minutes), with sentences put together from the
bundled samples, each annotated by three people and decided. It prints Markdown: CPU seconds,
seconds of the clock (of the page its first answer, without the start of the process) and peak
memory, of both with nothing computed before, and again when nothing has changed and when some
sentences have.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any
from uuid import UUID

from place import Place

SLUG = "quality"
MANAGER = "manager"
ANNOTATORS, REVIEWERS, DAYS = 50, 5, 200
PIECE = 2000
REASONS = ("incomplete", "erroneous", "meaning", "overcorrection", "punctuation")
START = datetime(2026, 1, 5, 9, tzinfo=UTC)


def main() -> None:
    """Make the folder, and run each measurement in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sentences", type=int, default=100_000)
    parser.add_argument(
        "--job", choices=("make", "change", "page", "forget"), help=argparse.SUPPRESS
    )
    options = parser.parse_args()
    if options.job:
        from gecbench.server.site.folder import open_site

        open_site(options.folder)
        jobs = {"make": make_project, "change": change, "page": show_page, "forget": forget}
        jobs[options.job](options.sentences)
        return
    place = Place(options.folder, "", 1)
    if not options.folder.exists():
        place.gecbench("init", options.folder)
        place.python(__file__, options.folder, "--job", "make", "--sentences", options.sentences)
    print("| | CPU s | wall s | peak MB |\n|---|--:|--:|--:|", flush=True)
    stats = ("stats", SLUG, "--data", options.folder)
    page = (__file__, options.folder, "--job", "page")
    decide = (__file__, options.folder, "--job", "change", "--sentences", 1000)
    forget_all = (__file__, options.folder, "--job", "forget")
    for title, command, arguments in (
        ("(nothing is stored)", place.python, forget_all),
        ("the page, nothing stored", place.python, page),
        ("(nothing is stored)", place.python, forget_all),
        ("stats, first time", place.gecbench, stats),
        ("stats, nothing has changed", place.gecbench, stats),
        ("the page, nothing has changed", place.python, page),
        ("(1,000 sentences decided again)", place.python, decide),
        ("the page then", place.python, page),
        ("stats then", place.gecbench, stats),
    ):
        ended = command(*arguments)
        cpu, wall = ended.cpu, ended.wall
        if arguments is page:  # the answer alone, without the start of a process
            answer = json.loads(ended.output.splitlines()[-1])
            cpu, wall = answer["cpu"], answer["wall"]
        print(f"| {title} | {cpu:.2f} | {wall:.1f} | {ended.peak:.0f} |", flush=True)


# A project with people's work, row by row.


@dataclass(frozen=True, slots=True)
class Part:
    """A sample: its source, and what somebody may make of it."""

    source: str
    rewrites: tuple[str, ...]


def load_parts() -> list[Part]:
    """Read the bundled Chinese samples."""
    lines = (files("gecbench.samples") / "zh" / "corpus.jsonl").read_text("utf-8").splitlines()
    parts = []
    for row in map(json.loads, lines[1:]):
        texts = tuple(reference["text"] for reference in row["references"] if "text" in reference)
        if "[缺失成分]" not in "".join(texts):
            parts.append(Part(row["source"], texts or (row["source"],)))
    return parts


class Writer:
    """Makes sentences and answers by chance, the same ones each time."""

    def __init__(self) -> None:
        self.chance = random.Random(1)  # nothing secret
        self.parts = load_parts()

    def sentence(self) -> tuple[str, list[tuple[str, tuple[str, ...]]]]:
        """Return a text of some forty characters, and its parts with their rewrites."""
        parts = []
        for part in self.chance.choices(self.parts, k=self.chance.choice((2, 2, 3))):
            parts.append((self.add_error(part.source), part.rewrites))
        return "".join(source for source, _ in parts), parts

    def add_error(self, text: str) -> str:
        """Return a text with a character left out, doubled or moved; most often."""
        at = self.chance.randrange(len(text) - 1)
        return self.chance.choice(
            (
                text,
                text[:at] + text[at + 1 :],
                text[: at + 1] + text[at:],
                text[:at] + text[at + 1] + text[at] + text[at + 2 :],
            )
        )

    def rewrite(self, parts: list[tuple[str, tuple[str, ...]]]) -> str:
        """Return what somebody makes of it: most parts are right, the first way is usual."""
        texts = []
        for source, rewrites in parts:
            luck = self.chance.random()
            if luck < 0.1:
                texts.append(source)
            elif luck < 0.2:
                texts.append(self.add_error(rewrites[0]))
            else:
                texts.append(rewrites[0] if luck < 0.7 else self.chance.choice(rewrites))
        return "".join(texts)

    def uuid(self) -> UUID:
        """Return a key that nothing else has."""
        return UUID(int=self.chance.getrandbits(128), version=4)


def make_project(sentences: int) -> None:
    """Write a project whose sentences are all decided.

    Sentences and their places lie in the order of an import, what people did in the order of work.
    """
    from django.db import connection, transaction

    from gecbench.server.models import Person, Project, Source
    from gecbench.server.workflow import members, projects
    from gecbench.server.workflow.sentences import order_key

    boss = Person.objects.create(login="boss", name="Boss", is_administrator=True)
    created = projects.create_project(slug=SLUG, name="Quality", lang="zh", by=boss, annotators=3)
    project = Project.objects.get(pk=created.pk)
    people = []
    for login, role in (
        *((f"annotator{n}", "annotator") for n in range(ANNOTATORS)),
        *((f"reviewer{n}", "reviewer") for n in range(REVIEWERS)),
        (MANAGER, "manager"),
    ):
        person = Person.objects.create(login=login, name=login.title(), password="!")
        members.add_member(project, person, roles=[role], by=boss)
        people.append(person.pk)
    origins = [Source.objects.create(project=project, name=f"essays {n}").pk for n in range(4)]
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA synchronous=OFF")
    writer = Writer()
    rows = Rows(project, people[:ANNOTATORS], people[ANNOTATORS:-1], origins, writer)
    numbers = sorted(range(1, sentences + 1), key=partial(order_key, project))
    for first in range(0, sentences, PIECE):
        with transaction.atomic():
            rows.write(numbers[first : first + PIECE])
    Project.objects.filter(pk=project.pk).update(next_number=sentences + 1)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


class Rows:
    """Writes pieces of sentences with all that belongs to them."""

    def __init__(
        self,
        project: Any,
        annotators: list[int],
        reviewers: list[int],
        origins: list[int],
        writer: Writer,
    ) -> None:
        self.project, self.annotators, self.reviewers = project, annotators, reviewers
        self.origins, self.writer = origins, writer
        self.ids: Counter[str] = Counter()
        self.lists: dict[str, list[Any]] = {}

    def add(self, model: Any, **fields: Any) -> Any:
        """Keep a row for later, with the next id of its table if none is named."""
        name = model.__name__
        self.ids[name] += 1
        row = model(**{"id": self.ids[name], **fields})
        self.lists.setdefault(name, []).append(row)
        return row

    def write(self, numbers: Sequence[int]) -> None:
        """Make and write the sentences with these task numbers."""
        from gecbench.server.models import Sentence

        self.lists.clear()
        for number in numbers:
            self.add_sentence(number)
        goldens = {}
        for row in self.lists["Sentence"]:
            goldens[row.pk], row.golden_id = row.golden_id, None
        for rows in self.lists.values():
            type(rows[0])._base_manager.bulk_create(rows, batch_size=500)
        for row in self.lists["Sentence"]:
            row.golden_id = goldens[row.pk]
        Sentence.objects.bulk_update(self.lists["Sentence"], ["golden"], batch_size=100)

    def add_sentence(self, number: int) -> None:
        """Add a sentence with its submissions, its review and its golden set."""
        from gecbench.server.models import Sentence, Slot
        from gecbench.server.rules.text import digest
        from gecbench.server.workflow.sentences import order_key

        chance = self.writer.chance
        text, parts = self.writer.sentence()
        at = START + timedelta(days=number % DAYS, minutes=chance.randrange(480))
        sentence = self.add(
            Sentence,
            id=number,
            project=self.project,
            source_id=chance.choice(self.origins),
            number=number,
            order_key=order_key(self.project, number),
            external_id=f"q-{number}",
            text=text,
            digest=digest(text),
            state="golden",
            needed=3,
            submitted=3,
            version=8,
            created_at=START,
            updated_at=at + timedelta(hours=3),
        )
        answers = []
        for no, person in enumerate(chance.sample(self.annotators, 3), 1):
            slot = self.add(
                Slot,
                id=3 * (number - 1) + no,
                project=self.project,
                sentence=sentence,
                no=no,
                person_id=person,
                state="passed",
                claimed_at=at,
                submitted_at=at + timedelta(minutes=no),
                version=5,
            )
            answers.append(self.add_submission(sentence, slot, at, parts))
        self.add_review(sentence, at + timedelta(hours=3), answers)

    def add_submission(self, sentence: Any, slot: Any, at: datetime, parts: Any) -> Any:
        """Add what a person handed in; return it with its references."""
        from gecbench.server.models import Reference, Submission
        from gecbench.server.rules.text import digest

        chance = self.writer.chance
        decision, texts = "corrected", {}
        luck = chance.random()
        if luck < 0.02:
            decision = "not_annotatable"
        elif luck < 0.08:
            decision = "error_free"
        else:
            for _ in range(2 if luck > 0.85 else 1):
                texts[self.writer.rewrite(parts)] = None
            texts.pop(sentence.text, None)
            decision = "corrected" if texts else "error_free"
        submission = self.add(
            Submission,
            slot=slot,
            sentence=sentence,
            person_id=slot.person_id,
            no=1,
            decision=decision,
            reason="incomprehensible" if decision == "not_annotatable" else "",
            active_ms=chance.randrange(8_000, 90_000),
            client_key=self.writer.uuid(),
            at=at + timedelta(minutes=slot.no),
        )
        references = [
            self.add(
                Reference,
                sentence=sentence,
                submission=submission,
                position=position,
                text=text,
                digest=digest(text),
                origin="annotator",
                at=submission.at,
            )
            for position, text in enumerate(texts)
        ]
        return submission, references

    def add_review(self, sentence: Any, at: datetime, answers: list[Any]) -> None:
        """Decide: the commonest text is right, the others by chance; what is wrong is studied."""
        from gecbench.server.models import (
            Golden,
            GoldenReference,
            Review,
            ReviewTask,
            Study,
            Verdict,
        )

        chance = self.writer.chance
        reviewer = chance.choice(self.reviewers)
        of_digest = {reference.digest: reference for _, some in answers for reference in some}
        counts = Counter(reference.digest for _, some in answers for reference in some)
        decisions = Counter(submission.decision for submission, _ in answers)
        kind = decisions.most_common(1)[0][0]
        task = self.add(
            ReviewTask, project=self.project, sentence=sentence, state="done", reviewer_id=reviewer
        )
        review = self.add(
            Review,
            sentence=sentence,
            task=task,
            reviewer_id=reviewer,
            kind="first",
            decision=kind,
            active_ms=chance.randrange(10_000, 60_000),
            client_key=self.writer.uuid(),
            at=at,
        )
        golden = self.add(Golden, sentence=sentence, version=1, kind=kind, review=review, at=at)
        sentence.golden_id = golden.pk
        right = []
        for n, (digest, _) in enumerate(counts.most_common()):
            correct = kind == "corrected" and (n == 0 or chance.random() < 0.3)
            reasons = [] if correct else chance.sample(REASONS, chance.choice((1, 1, 2)))
            self.add(Verdict, review=review, digest=digest, correct=correct, reasons=reasons)
            if correct:
                right.append(digest)
        for position, digest in enumerate(right):
            self.add(
                GoldenReference,
                golden=golden,
                reference=of_digest[digest],
                position=position,
            )
        for decision in decisions.keys() - {"corrected"}:
            reasons = [] if decision == kind else ["erroneous"]
            correct = decision == kind
            self.add(Verdict, review=review, decision=decision, correct=correct, reasons=reasons)
        for submission, references in answers:
            wrong = [reference for reference in references if reference.digest not in right]
            if submission.decision not in ("corrected", kind):
                wrong.append(None)
            for reference in wrong:
                open_item = chance.random() < 0.01
                if open_item:
                    submission.slot.state = "study"
                self.add(
                    Study,
                    project=self.project,
                    sentence=sentence,
                    submission=submission,
                    reference=reference,
                    person_id=submission.person_id,
                    golden=golden,
                    state="open" if open_item else "closed",
                    close_reason="" if open_item else "matched",
                    opened_at=at,
                    closed_at=None if open_item else at + timedelta(days=1),
                )


# What is measured.


def change(sentences: int) -> None:
    """Give sentences a golden set again: most are neighbours in the order of work, some are not."""
    from django.db import transaction
    from django.db.models import F
    from django.utils import timezone

    from gecbench.server.models import Golden, GoldenReference, Sentence

    rows = list(Sentence.objects.order_by("order_key").select_related("golden"))
    rows = rows[20_000 : 20_000 + sentences] + rows[:20_000:1000]
    with transaction.atomic():
        for row in rows:
            old = row.golden
            golden = Golden.objects.create(sentence=row, version=old.version + 1, kind=old.kind)
            for entry in old.entries.all():
                GoldenReference.objects.create(
                    golden=golden, reference_id=entry.reference_id, position=entry.position
                )
            Sentence.objects.filter(pk=row.pk).update(
                golden=golden, version=F("version") + 1, updated_at=timezone.now()
            )


def forget(_: int) -> None:
    """Delete all stored figures."""
    from gecbench.server.models import Figures

    Figures.objects.all().delete()


def show_page(_: int) -> None:
    """Ask for the page as a manager; print what its first answer in this process takes."""
    from django.conf import settings
    from django.contrib.auth import get_user_model
    from django.test import Client

    settings.ALLOWED_HOSTS = ["*"]
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = {**settings.STORAGES, "staticfiles": plain}
    client = Client(SERVER_NAME="localhost")
    client.force_login(get_user_model().objects.get(login=MANAGER))
    client.get("/login")
    began, cpu_before = time.monotonic(), time.process_time()
    answer = client.get(f"/p/{SLUG}/manage/quality")
    wall, cpu = time.monotonic() - began, time.process_time() - cpu_before
    if answer.status_code != 200:
        sys.exit(f"the page answers {answer.status_code}")
    print(json.dumps({"cpu": cpu, "wall": wall}))


if __name__ == "__main__":
    main()
