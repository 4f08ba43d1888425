"""A reviewer takes a decision back, sees what was decided, and the author sees why: in Chromium."""

from __future__ import annotations

import pytest
from server.browser.atreview import WRONG, at_review, press, row_of, waiting
from server.browser.looks import findings, wide
from server.browser.test_practice import look
from server.workflow.stories import correction, error_free

from gecbench.server.models import Sentence, Study

GOOD = {"zh": "因为昨天下雨，所以我们没去公园玩。", "en": "He goes to school on foot every day."}
OVER = {"zh": "因为昨日下雨，所以我们没去公园游玩。", "en": "He walks to class on foot every day."}


def judge(page, lang: str) -> None:
    """One text is right, one is wrong with a reason and a note, and so is a decision."""
    press(page, str(row_of(page, GOOD[lang])))
    over = row_of(page, OVER[lang])
    press(page, WRONG[over - 1])
    row = page.locator(f"#row-{over - 1}")
    row.locator('label:has([value="meaning"])').click()
    row.locator(f'[name="note-{over - 1}"]').fill("goes too far")
    page.locator(".whole-decision .pick.bad").click()
    page.locator('.whole-decision [name^="note-"]').fill("look at the verb")
    press(page, "Escape")


def state(live) -> str:
    with live.rows():
        return Sentence.objects.get().state


@pytest.mark.parametrize(("lang", "width"), [("zh", 390), ("en", 1280)])
def test_undo_review_and_study_walk(live, browser, lang, width):
    answers = (correction(GOOD[lang]), correction(OVER[lang]), error_free())
    language = {"zh": "zh-hans", "en": "en"}[lang]
    waiting(live, *answers, lang=lang, language=language, reveal_after=0)
    size = {"width": width, "height": 800}
    page = at_review(live, browser, viewport=size)
    judge(page, lang)
    press(page, "Control+Enter")
    page.locator("#undo").wait_for()
    assert state(live) == "golden"
    assert findings(page) == []
    look(page, "review-undo-bar", language)
    press(page, "Alt+z")
    page.locator("[data-current]").wait_for()
    assert state(live) == "in_review"
    assert page.locator('.whole-decision [name^="note-"]').input_value() == "look at the verb"
    over = row_of(page, OVER[lang]) - 1
    assert page.locator(f'#row-{over} [value="meaning"]').is_checked()
    assert page.locator(f'[name="note-{over}"]').input_value() == "goes too far"
    look(page, "review-open-again", language)
    press(page, "Control+Enter")
    page.locator("#undo").wait_for()
    page.locator("#undo").wait_for(state="hidden", timeout=15_000)
    with live.rows():
        sentence, items = Sentence.objects.get(), list(Study.objects.order_by("submission"))
        paths = {item.person.login: f"/p/story/study/{item.pk}" for item in items}
    page.goto(f"/p/story/review/{sentence.pk}")
    for note in ("goes too far", "look at the verb"):
        assert page.get_by_text(note).is_visible()
    assert page.locator(".tag.good, .tag.bad").count() >= 3
    assert findings(page) == []
    assert wide(page)[0] <= wide(page)[1]
    look(page, "review-decided", language)
    page.context.close()
    for login, note in (("a2", "goes too far"), ("a3", "look at the verb")):
        page = live.page(browser, login, viewport=size)
        page.goto(paths[login])
        assert page.get_by_text(note).count() == 1
        assert page.locator(".lines .tag.good").count() == 1
        assert page.locator(".lines .tag.bad").count() == (login == "a2")
        assert findings(page) == []
        assert wide(page)[0] <= wide(page)[1]
        look(page, f"study-{login}", language)
        page.context.close()
