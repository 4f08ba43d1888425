"""What a survival test begins with, and what must be true at its end."""

from __future__ import annotations

import sqlite3
from collections import ChainMap, Counter
from contextlib import closing

from server.live import Live
from server.survival.clients import Record
from server.survival.conftest import database_of, run_cli
from server.workflow.perturbing import a_perturbation

from gecbench.server.choices import SUBMITTED_OR_LATER
from gecbench.server.models import (
    DraftRevision,
    Project,
    Reference,
    Review,
    Sentence,
    Slot,
    Submission,
    Variant,
)
from gecbench.server.workflow import members, projects, sentences


def scene(
    live: Live,
    count: int,
    *,
    slug: str = "one",
    annotators: int = 8,
    reviewers: int = 0,
    needed: int = 3,
    perturb: bool = False,
) -> tuple[list[str], list[str]]:
    """A project with so many sentences or cases; logins of its annotators and reviewers."""
    writing = [f"{slug}-a{n}" for n in range(annotators)]
    deciding = [f"{slug}-r{n}" for n in range(reviewers)]
    texts = [f"这是第{n}个有错误的句子了。" for n in range(count)]
    with live.rows():
        boss = live.person(f"{slug}-boss")
        if perturb:
            cases = [(text, text.replace("句子了", "句子")) for text in texts]
            project_ = a_perturbation(cases, slug=slug, annotators=needed)
        else:
            project_ = projects.create_project(
                slug=slug, name=slug, lang="zh", by=boss, annotators=needed, options={}
            )
            rows = [
                sentences.NewSentence(external_id=f"s{n}", text=text)
                for n, text in enumerate(texts)
            ]
            sentences.add_sentences(project_, rows)
        project = Project.objects.get(pk=project_.pk)
        for login in [*writing, *deciding]:
            role = "annotator" if login in writing else "reviewer"
            somebody = live.person(login, password="!")  # they come with a cookie
            members.add_member(project, somebody, roles=[role], by=boss)
            projects.acknowledge(project.guideline, somebody)
    return writing, deciding


def nothing_lost(live: Live, *records: Record) -> None:
    """All that was acknowledged is there once, nothing else, and every rule holds."""
    acknowledged = ChainMap(*(record.submissions for record in records))
    reviewed = ChainMap(*(record.reviews for record in records))
    drafts = {draft for record in records for draft in record.drafts}
    with live.rows():
        texts = dict(Reference.objects.values_list("submission", "text"))
        texts |= dict(Variant.objects.values_list("submission", "source"))
        submissions_ = {
            str(key): (slot, texts.get(pk, ""))
            for pk, key, slot in Submission.objects.values_list("pk", "client_key", "slot")
        }
        lost = acknowledged.keys() - submissions_.keys()
        assert not lost, f"{len(lost)} of {len(acknowledged)} submissions are lost"
        unknown = submissions_.keys() - acknowledged.keys()
        assert not unknown, f"{len(unknown)} submissions nobody was told of"
        assert submissions_ == acknowledged, "a text is not what was handed in"
        assert max(Counter(Submission.objects.values_list("slot", flat=True)).values()) == 1
        revisions = set(DraftRevision.objects.filter(slot__isnull=False).values_list("slot", "rev"))
        assert drafts <= revisions
        reviews = Review.objects.values_list("client_key", "sentence")
        assert {str(key): sentence for key, sentence in reviews} == reviewed
        counted = Counter(Submission.objects.values_list("sentence", flat=True))
        counters = dict(Sentence.objects.filter(submitted__gt=0).values_list("pk", "submitted"))
        assert counters == dict(counted)
        count = Slot.objects.filter(state__in=SUBMITTED_OR_LATER).count()
        assert count == len(submissions_)
    clean(live)


def clean(live: Live) -> None:
    """The file is whole, and `gecbench annotate check` finds nothing."""
    if not database_of(live):
        with closing(sqlite3.connect(live.folder / "gecbench.sqlite3")) as opened:
            assert opened.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    run_cli("check", "--data", live.folder, database=database_of(live))


def submissions(live: Live) -> int:
    """How many there are now."""
    with live.rows():
        return Submission.objects.count()
