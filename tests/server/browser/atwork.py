"""Somebody at the work screen in a real browser, on a real server."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from server.live import Live

from gecbench.server.models import Project

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ZH = ("我昨天去了图书馆借书了。", "他的汉语说得很好多。", "这个电影对我很兴趣。")
EN = ("He speak Chinese very good.", "She is more taller than me.", "We discussed about it.")
SAVED = re.compile(r"^Saved|^已保存")


def project(
    live: Live,
    *people: str,
    lang: str = "zh",
    language: str = "en",
    slug: str = "one",
    texts: tuple[str, ...] | None = None,
    annotators: int = 3,
    **options: object,
) -> Project:
    """A project on the server, with people who have read its guideline."""
    from gecbench.server.workflow import members, projects, sentences

    with live.rows():
        boss = live.person(f"boss-{slug}")
        project = projects.create_project(
            slug=slug,
            name=slug.title(),
            lang=lang,
            by=boss,
            annotators=annotators,
            options=options,
        )
        chosen = texts or (ZH if lang == "zh" else EN)
        sentences.add_sentences(
            project,
            [
                sentences.NewSentence(external_id=f"s{n}", text=text)
                for n, text in enumerate(chosen)
            ],
        )
        for login in people:
            somebody = live.person(login, language=language)
            members.add_member(project, somebody, roles=["annotator"], by=boss)
            project.refresh_from_db()
            projects.acknowledge(project.guideline, somebody)
        return project


def at_work(live: Live, browser: Browser, login: str, slug: str = "one", **options: Any) -> Page:
    """The work screen of somebody, ready for typing."""
    page = live.page(browser, login, **options)
    page.set_default_timeout(20_000)
    page.goto(f"/p/{slug}/work")
    page.locator("#reference-0").wait_for()
    return page


def number(page: Page) -> str:
    return page.locator("#task-number").inner_text()


def wait_for_state(page: Page, state: str) -> None:
    page.locator(f'#saving[data-state="{state}"]').wait_for()


def replace_all(page: Page, text: str) -> None:
    """Type over what is in the box that has the focus."""
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(text)


def texts_on_server(live: Live) -> list[list[str]]:
    """The texts of all submissions, oldest first."""
    from gecbench.server.models import Submission

    with live.rows():
        return [
            list(submission.references.order_by("position").values_list("text", flat=True))
            for submission in Submission.objects.order_by("pk")
        ]


def drafts_on_server(live: Live) -> list[list[str]]:
    """The texts of all revisions of drafts, oldest first."""
    from gecbench.server.models import DraftRevision

    with live.rows():
        return [draft.payload["texts"] for draft in DraftRevision.objects.order_by("pk")]
