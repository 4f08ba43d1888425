"""The page Quality in a real browser: pictures load under the strict policy, axe finds nothing."""

from __future__ import annotations

import os
import re

import pytest
from server.browser.looks import each_theme_and_language, findings, wide

os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")

COMPUTING = "/p/story/manage/quality?computing"


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
    polls: list[str] = []

    def answer(route):
        polls.append(route.request.method)
        if len(polls) < 4:  # as a server answers that needs longer
            route.fulfill(body=line, content_type="text/html")
        else:
            route.continue_()

    html = page.request.get(COMPUTING).text()
    line = re.search(r'(?s)<div id="counting".*?</div>', html)[0]
    page.route("**/quality/compute", answer)
    page.goto(COMPUTING)  # as after a request that was too short
    page.locator(".message.success").wait_for()
    assert polls == ["POST"] * 4
    assert page.url.endswith("/manage/quality")
    assert page.locator("#counting").count() == 0
    page.context.close()


@pytest.mark.parametrize(
    ("language", "status", "reason"),
    [
        ("en", 507, "The disk of the server is full"),
        ("en", 502, "The server did not answer"),  # a proxy's own page
        ("zh-hans", 0, "服务器没有响应"),
    ],
)
def test_where_the_server_fails_the_line_says_so_and_asks_no_more(
    site, browser, language, status, reason
):
    from gecbench.server.models import Person

    with site.rows():
        Person.objects.filter(login="boss").update(language=language)
    page = site.page(browser, "boss", viewport={"width": 390, "height": 800})
    failure = f'<section class="failure"><h1>{reason}</h1></section>' if status == 507 else "<h1>?"
    polls: list[str] = []

    def answer(route):
        polls.append(route.request.method)
        if status:
            route.fulfill(status=status, body=failure, content_type="text/html")
        else:
            route.abort()

    page.route("**/quality/compute", answer)
    page.goto(COMPUTING)
    stopped = page.locator("[role=alert]")
    stopped.wait_for()
    assert stopped.locator(".reason").inner_text() == reason
    assert page.locator("#counting").count() == 0
    assert findings(page) == []
    assert wide(page) == [390, 390]
    page.wait_for_timeout(500)
    assert len(polls) == 1
    stopped.locator("a").click()
    page.wait_for_url("**/manage/quality")
    page.context.close()


def test_whoever_is_signed_out_meanwhile_signs_in_and_comes_back(site, browser):
    from gecbench.server.models import Session

    page = site.page(browser, "boss")

    def sign_out(route):
        with site.rows():
            Session.objects.all().delete()
        route.continue_()

    page.route("**/quality/compute", sign_out, times=1)
    page.goto(COMPUTING)
    page.locator("#password").wait_for()
    page.fill("#login", "boss")
    page.fill("#password", site.PASSWORD)
    page.keyboard.press("Enter")
    page.locator(".message.success").wait_for()
    assert page.url.endswith("/manage/quality")
    page.context.close()
