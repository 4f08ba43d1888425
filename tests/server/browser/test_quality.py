"""The page Quality in a real browser: pictures load under the strict policy, axe finds nothing."""

from __future__ import annotations

import os

import pytest
from server.browser.looks import each_theme_and_language, findings

os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")


@pytest.fixture
def site(live):
    """A site with a project in which much has happened, computed."""
    from server.statistics.worked import worked

    from gecbench.server import statistics

    with live.rows():
        live.person("boss")
        statistics.refresh(worked())
    return live


@each_theme_and_language
def test_section_4_4_the_page_is_whole_in_both_themes_and_languages(site, browser, theme, language):
    from gecbench.server.models import Person

    with site.rows():
        Person.objects.filter(login="boss").update(language=language)
    page = site.page(browser, "boss", color_scheme=theme)
    console: list[str] = []
    page.on("console", lambda message: console.append(message.text))
    page.goto("/p/story/manage/quality")
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    for image in page.locator("img").all():
        image.scroll_into_view_if_needed()
        page.wait_for_function("image => image.complete", arg=image.element_handle())
        assert image.evaluate("image => image.naturalWidth") > 0
        assert f"theme={theme}" in image.evaluate("image => image.currentSrc")
        assert image.get_attribute("alt")
    assert page.locator(".chart").count() == 5
    assert findings(page) == []
    assert console == []
    page.context.close()


def test_section_4_4_the_page_fits_a_phone_and_computes_anew(site, browser):
    page = site.page(browser, "boss", viewport={"width": 390, "height": 800})
    page.goto("/p/story/manage/quality")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.locator("main form button").click()
    assert page.locator(".message.success").count() == 1
    page.context.close()


def test_a_page_on_which_figures_are_computed_goes_on_by_itself(site, browser):
    page = site.page(browser, "boss")
    page.goto("/p/story/manage/quality?computing")  # as after a request that was too short
    page.locator(".message.success").wait_for()
    assert page.url.endswith("/manage/quality")
    assert page.locator("#counting").count() == 0
    page.context.close()
