"""Sentences that wait for review on a real server, and what reviewers press."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from server.live import Live
from server.workflow.reviewing import finalised, review_answer, study_of, word
from server.workflow.stories import (
    a_project,
    all_submitted,
    correction,
    joined,
    people,
    sentence_of,
)

from gecbench.server.models import Acknowledgement, Person, Project
from gecbench.server.rules.text import digest
from gecbench.server.workflow.answers import Answer

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ZH = {
    "source": "因为昨天下雨，但是我们没去公园玩。",
    "good": "因为昨天下雨，所以我们没去公园玩。",
    "fair": "虽然昨天没下雨，但是我们没去公园玩。",
    "over": "因为昨日下雨，所以我们没去公园游玩。",
}
EN = {
    "source": "He go to school by foot every days.",
    "good": "He goes to school on foot every day.",
    "fair": "He goes to school by foot every day.",
    "over": "He walks to class on foot every day.",
}
SAMPLES = {"zh": ZH, "en": EN}


def waiting(
    live: Live,
    *answers: Answer,
    lang: str = "zh",
    language: str = "en",
    reviewers: Sequence[str] = ("rita",),
    annotators: int = 3,
    **options: Any,
) -> Project:
    """A project on the server whose one sentence waits for review."""
    sample = SAMPLES[lang]
    answers = answers or tuple(correction(sample[name]) for name in ("good", "fair", "over"))
    with live.rows():
        project = a_project([sample["source"]], lang=lang, annotators=annotators, **options)
        for name in reviewers:
            joined(project, name, "reviewer")
        all_submitted(sentence_of(project), people(project, len(answers)), answers)
        Person.objects.update(language=language)
        for person in Person.objects.all():
            Acknowledgement.objects.create(guideline=project.guideline, person=person)
    return project


def in_study(live: Live, **options: Any) -> tuple[Project, int]:
    """A project whose third text was judged wrong, and its author's study item."""
    project = waiting(live, **options)
    sample = SAMPLES[project.lang]
    with live.rows():
        key = digest(sample["over"])
        words = {key: word(key, False, "overcorrection", note="!", section="limits-overcorrection")}
        finalised(
            project, answer=review_answer(project, (sample["good"], sample["fair"]), words=words)
        )
        return project, study_of(project, "a3").pk


def at_review(live: Live, browser: Browser, login: str = "rita", **options: Any) -> Page:
    """The review screen of somebody, ready for keys."""
    page = live.page(browser, login, **options)
    page.set_default_timeout(20_000)
    page.goto("/p/story/review")
    page.locator("[data-current]").wait_for()
    return page


def row_of(page: Page, text: str) -> int:
    """The number, from 1, under which a text is shown."""
    rows = page.evaluate("JSON.parse(document.getElementById('review-data').textContent).rows")
    return 1 + [row["text"] for row in rows].index(text)


WRONG = "QWERTYIOP"


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def golden(live: Live) -> list[str]:
    """The golden texts on the server, sorted."""
    from gecbench.server.models import GoldenReference

    with live.rows():
        rows = GoldenReference.objects.select_related("reference")
        return sorted(row.reference.text for row in rows)
