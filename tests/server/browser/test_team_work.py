"""A manager invites, adds and gives work; members see it: in a real browser, in both languages."""

from __future__ import annotations

import os
from datetime import datetime, timedelta

import pytest

os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")

HERE = "/p/story/manage"
WORDS = {
    "en": ("Copied", "Kept sentences: 1 of 4 done", "1 member is behind", "{due} 23:59"),
    "zh-hans": ("已复制", "预留给您的句子：已完成 1 / 4", "1 个成员落后", "{due} 23:59"),
}


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_a_team_is_invited_given_work_and_watched(live, browser, language):
    copied, places, behind, until = WORDS[language]
    with live.rows():
        from server.workflow.stories import a_project, joined, somebody

        project = a_project(6, annotators=1)
        for login in ("li", "wang"):
            joined(project, login)
        people = [somebody(login) for login in ("boss", "li", "li.hua@example.org")]
        type(people[0]).objects.update(language=language)
    page = live.page(browser, "boss", viewport={"width": 390, "height": 844})

    page.goto(f"{HERE}/members")
    page.locator("#people").fill("Zhao\nwrong@\nZhao")
    page.locator("form[action$=invite] button.primary").click()
    page.locator("form[action$=invite] .errorlist li").wait_for()
    page.locator("#people").fill("Zhao\nWu <wu@example.org>")
    page.locator("form[action$=invite] button.primary").click()
    page.locator(".links input").nth(1).wait_for()
    assert page.locator(".links input").count() == 2
    page.locator(".links [data-copy]").last.click()
    page.get_by_text(copied, exact=True).wait_for()
    with page.expect_download() as download:
        page.locator("a[download]").click()
    assert download.value.suggested_filename == "story-invitations.csv"
    assert download.value.path().read_text("utf-8-sig").count("/invitation/") == 2

    page.locator("#login").fill("li.hua@example.org")
    page.locator("form[action$=add] button.primary").click()
    page.locator(".people .name", has_text="Li.Hua@Example.Org").wait_for()

    due = (datetime.now().astimezone() + timedelta(days=4)).date().isoformat()
    page.goto(f"{HERE}/members/work")
    page.get_by_label("Li ·", exact=False).check()
    page.locator("input[value=batch]").check()
    page.locator("#id_number").fill("4")
    page.locator("#id_due").fill(due)
    page.locator("button.primary").click()
    page.wait_for_url("**/manage/members")
    wide = page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    assert wide <= 0

    with live.rows():
        from server.workflow.reviewing import member_of
        from server.workflow.stories import submitted

        from gecbench.server.models import Assignment
        from gecbench.server.workflow import claims

        li = member_of(project, "li")
        submitted(li, claims.current(li).slot.sentence)
        begun = datetime.now().astimezone() - timedelta(days=40)
        Assignment.objects.update(at=begun)
    annotator = live.page(browser, "li", viewport={"width": 390, "height": 844})
    annotator.goto("/")
    words = annotator.locator(".project").inner_text()
    assert places in words
    assert until.format(due=due) in words

    with live.rows():
        Assignment.objects.update(due_at=datetime.now().astimezone() + timedelta(minutes=5))
    page.goto(f"{HERE}/members?sort=behind")
    assert behind in page.locator("main").inner_text()
    assert page.locator(".people tbody tr").first.locator(".name").inner_text() == "Li"
    page.locator(".people .name a").first.click()
    page.locator("button[value=end]").click()
    page.locator(".message").wait_for()
    annotator.goto("/")
    assert annotator.locator(".work").count() == 0
    for window in (page, annotator):
        window.context.close()
