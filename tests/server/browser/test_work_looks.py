"""The pages of annotators are for everybody: no serious finding, no width lost, little to load."""

from __future__ import annotations

import pytest
from server.browser.atwork import at_work, project, replace_all, wait_for_state
from server.browser.looks import each_theme_and_language, findings, wide

from gecbench.server.models import Person, Project

PAGES = (
    "/",
    "/p/one/guide",
    "/p/one/guide/task",
    "/p/one/guide/search?q=a",
    "/p/one/me",
    "/p/one/work/history",
    "/p/one/work/skipped",
    "/p/one/work/kept",
)


HIDDEN = ("conflict", "gone", "other", "offer", "signin", "undo", "said", "not-annotatable",
          "error-free", "keep-editing")  # fmt: skip


@each_theme_and_language
def test_axe_finds_nothing_serious(live, browser, theme, language):
    project(
        live, "li", lang=language[:2], language=language, texts=("One two .", "Three four.", "一二")
    )
    page = at_work(live, browser, "li", color_scheme=theme)
    replace_all(page, "Owt 「one three ,宿舍 Owt 「one")
    page.keyboard.press("Alt+a")
    wait_for_state(page, "saved")
    faults = findings(page)
    page.keyboard.press("F1")
    page.locator("#drawer .guide-body").wait_for()
    faults += findings(page)
    page.keyboard.press("Escape")
    page.evaluate(
        "ids => ids.forEach(id => { document.getElementById(id).hidden = false; })", HIDDEN
    )
    page.evaluate("document.getElementById('keys-list').open = true")
    faults += findings(page)
    page.evaluate("document.getElementById('signin').hidden = true")
    page.keyboard.press("Alt+n")
    for url in PAGES:
        page.goto(url)
        faults += [f"{url} {fault}" for fault in findings(page)]
    assert faults == []
    page.context.close()


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_a_phone_and_400_percent_have_no_horizontal_scroll(live, browser, lang):
    long = "我们" * 110 + "。" if lang == "zh" else "Pneumonoultramicroscopic " * 9 + "x" * 60
    language = "zh-hans" if lang == "zh" else "en"
    project(live, "li", lang=lang, language=language, texts=(long, long[1:]))
    # 640 by 400 is what a window of 1280 by 800 has at 200 percent, 320 by 256 one of 1280 by 1024
    # at 400 percent (WCAG 1.4.10).
    sizes = ((390, 844), (640, 400), (320, 256))
    page = at_work(live, browser, "li", viewport={"width": 390, "height": 844})

    def fits(what: str) -> None:
        for width, height in sizes:
            page.set_viewport_size({"width": width, "height": height})
            assert wide(page) == [width, width], what

    page.keyboard.insert_text("Q")
    page.keyboard.press("Alt+a")
    fits("work")
    page.keyboard.press("F1")
    page.locator("#drawer .guide-body").wait_for()
    fits("drawer")
    for url in PAGES:
        page.goto(url)
        fits(url)
    page.context.close()


@pytest.mark.parametrize("language", ["zh-hans", "en"])
def test_the_bar_above_the_work_has_as_few_rows_as_fit(live, browser, language):
    project(live, "anna", language=language)
    with live.rows():
        Project.objects.update(name="Essays of learners")
        Person.objects.update(name="Anna Karenina", preferences={"goal": 20})
    page = at_work(live, browser, "anna")
    for width, rows in ((1200, 1), (1000, 1), (390, 2)):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.locator(".bar").evaluate("one => one.offsetHeight") < 20 + 45 * rows, width
    page.context.close()


def test_the_first_visit_weighs_less_than_200_kb_and_asks_no_foreign_host(live, browser):
    project(live, "li")
    context = live.context(browser, "li")
    page = context.new_page()
    answers, console = [], []

    def answered(response):
        answers.append(response)

    def spoken(message):
        console.append(message.text)

    page.on("response", answered)
    page.on("console", spoken)
    page.goto("/p/one/work", wait_until="networkidle")
    weights = {answer.url: len(answer.body()) for answer in answers}
    assert all(url.startswith(live.url) for url in weights)
    assert sum(weights.values()) < 200_000, weights
    assert all(size < 25_000 for url, size in weights.items() if "/static/gecbench/" in url)
    assert console == []  # the content security policy among others has nothing to say
    context.close()
