"""Review, study and problems are for everybody: no serious finding, no width lost."""

from __future__ import annotations

import pytest
from server.browser.atreview import at_review, in_study, press, waiting
from server.browser.looks import each_theme_and_language, findings, wide
from server.workflow.reviewing import member_of

from gecbench.server.workflow import complaints


def busy_review(page) -> None:
    """Every part of the review screen open, with a problem and a mended text."""
    press(page, "1", "W", "F", "Alt+1", "Alt+A", "Alt+N", "Control+Enter")
    page.locator(".problem").first.wait_for()
    for summary in page.locator("summary").all():
        if summary.is_visible() and not summary.evaluate("one => one.parentElement.open"):
            summary.click()


@each_theme_and_language
def test_axe_finds_nothing_serious_in_review(live, browser, theme, language):
    waiting(live, lang=language[:2], language=language)
    page = at_review(live, browser, color_scheme=theme)
    busy_review(page)
    assert findings(page) == []
    page.goto("/p/story/review/history")
    assert findings(page) == []
    page.context.close()


def disputed(live, **options: object) -> tuple[int, int]:
    """An item of study with a failed try, and a complaint about it."""
    from uuid import uuid4

    from gecbench.server.choices import Decision
    from gecbench.server.models import Study
    from gecbench.server.workflow import studies
    from gecbench.server.workflow.answers import Answer

    project, item = in_study(live, reviewers=("rita", "ruth"), **options)
    with live.rows():
        author, study = member_of(project, "a3"), Study.objects.get(pk=item)
        answer = Answer(Decision.CORRECTED, ("甲",))
        studies.attempt(author, item, version=study.version, client_key=uuid4(), answer=answer)
        complaint = complaints.complain(author, item, argument="游玩更好", client_key=uuid4())
        return item, complaint.pk


@each_theme_and_language
def test_axe_finds_nothing_serious_in_study_and_problems(live, browser, theme, language):
    item, complaint = disputed(live, lang=language[:2], language=language)
    for login, paths in {
        "a3": (f"study/{item}", "study", f"problems/{complaint}", "problems"),
        "ruth": (f"problems/{complaint}",),
        "boss": (f"problems/{complaint}", "problems?state=all"),
    }.items():
        page = live.page(browser, login, color_scheme=theme)
        for path in paths:
            page.goto(f"/p/story/{path}")
            assert findings(page) == [], path
        page.context.close()


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_a_telephone_needs_no_sideways_scrolling(live, browser, lang):
    item, complaint = disputed(live, lang=lang)
    small = {"viewport": {"width": 390, "height": 800}}
    for login, path in (
        ("a3", f"study/{item}"),
        ("a3", "study"),
        ("ruth", f"problems/{complaint}"),
    ):
        page = live.page(browser, login, **small)
        page.goto(f"/p/story/{path}")
        assert wide(page) == [390, 390], path
        page.context.close()


def test_the_review_needs_none_either_at_400_percent_zoom(live, browser):
    waiting(live, lang="en")
    page = at_review(live, browser, viewport={"width": 320, "height": 800})
    busy_review(page)
    for width in (320, 390, 640):
        page.set_viewport_size({"width": width, "height": 800})
        assert wide(page) == [width, width]
    page.context.close()
