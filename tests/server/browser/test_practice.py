"""Training and trial in a real browser: by keyboard, in both languages, on two widths."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from server.browser.atreview import press
from server.browser.looks import findings
from server.workflow.practising import answered, known

from gecbench.server.choices import MemberStatus, Purpose, Role
from gecbench.server.models import Member, Project, Trial

PICTURES = os.environ.get("GECBENCH_PICTURES", "")
"""A folder where pictures of the pages are put, to be looked at."""


def practising(live, language: str) -> Project:
    """A project with its sets, somebody in training, somebody who failed, and a gold result."""
    from gecbench.server.workflow import members, practice, projects, sentences

    with live.rows():
        boss = live.person("boss", language=language)
        options = {"trial_first": True, "trial_size": 2, "gold_percent": 5}
        project = projects.create_project(
            slug="one", name="One", lang="zh", by=boss, options=options
        )
        sentences.add_sentences(project, [sentences.NewSentence("s1", "我门去。")])
        for purpose, count in ((Purpose.TRAINING, 2), (Purpose.TRIAL, 4), (Purpose.GOLD, 1)):
            known(project, purpose, count)
        for login in ("li", "wu"):
            person = live.person(login, language=language)
            members.add_member(
                project, person, roles=[Role.ANNOTATOR], by=boss, status=MemberStatus.TRAINING
            )
            project.refresh_from_db()
            projects.acknowledge(project.guideline, person)
        wu = Member.objects.select_related("project", "person").get(person__login="wu")
        practice.begin(wu)
        answered(wu, right=True)
        answered(wu, right=False)
    return project


def look(page, name: str, language: str) -> None:
    """Keep a picture, where asked."""
    if PICTURES:
        width = page.viewport_size["width"]
        page.screenshot(path=Path(PICTURES) / f"{name}-{language}-{width}.png", full_page=True)


def examine(page, name: str, language: str) -> list[str]:
    """What axe finds, asked in one language: it reads no words; and no width may be lost."""
    look(page, name, language)
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, name
    return [f"{name}: {finding}" for finding in findings(page)] if language == "en" else []


@pytest.mark.parametrize(("language", "width"), [("en", 1280), ("zh-hans", 390)])
def test_from_training_to_the_first_real_task_by_keyboard(live, browser, language, width):
    practising(live, language)
    page = live.page(browser, "li", viewport={"width": width, "height": 800})
    page.set_default_timeout(20_000)
    faults = []

    def seen(name: str) -> None:
        faults.extend(examine(page, name, language))

    page.goto("/p/one/")
    page.locator("#text:focus").wait_for()
    seen("training")
    press(page, "Control+Enter")
    page.locator(".problem").wait_for()
    source = page.locator("#text").input_value()
    press(page, "Control+A")
    page.keyboard.insert_text(source.replace("句句", "段句"))
    page.locator("[data-box-diff] del, [data-box-diff] ins").first.wait_for()
    page.reload()
    press(page, "Control+Enter")
    page.locator("[data-next]:focus").wait_for()
    seen("feedback")
    press(page, "Enter")
    page.locator("#text:focus").wait_for()
    page.goto("/p/one/trial")
    seen("trial")
    page.locator("form [class=primary]").press("Enter")
    for _ in range(2):
        page.locator("#text:focus").wait_for()
        source = page.locator("#text").input_value()
        seen("trial-task")
        press(page, "Control+A")
        page.keyboard.insert_text(source.replace("句句", "句"))
        press(page, "Control+Enter")
        page.wait_for_url("**/p/one/trial")
        page.wait_for_function("text => document.body.innerText.indexOf(text) < 0", arg=source)
    page.locator("table .good").wait_for()
    seen("passed")
    page.goto("/p/one/work")
    page.locator("#reference-0").wait_for()
    assert faults == []
    page.context.close()


@pytest.mark.parametrize(("language", "width"), [("en", 1280), ("zh-hans", 390)])
def test_a_lead_reads_and_overrules(live, browser, language, width):
    practising(live, language)
    with live.rows():
        trial = Trial.objects.get().pk
    page = live.page(browser, "boss", viewport={"width": width, "height": 800})
    page.set_default_timeout(20_000)
    faults = []
    for name, url in (
        ("candidates", "/p/one/manage/trials"),
        ("answers", f"/p/one/manage/trials/{trial}"),
        ("settings", "/p/one/manage/settings"),
        ("import", "/p/one/manage/import"),
    ):
        page.goto(url)
        faults += examine(page, name, language)
    page.goto(f"/p/one/manage/trials/{trial}")
    page.locator("summary").last.click()
    page.locator("[name=reason]").last.fill("as good")
    page.keyboard.press("Enter")
    page.locator(".note.good, .messages").first.wait_for()
    look(page, "overruled", language)
    with live.rows():
        assert Trial.objects.get().state == "passed"
    assert faults == []
    page.context.close()
