"""Signing in and one's own pages are for everybody: no serious finding, no width lost."""

from __future__ import annotations

from server.browser.looks import THEMES, findings, wide

from gecbench.server.workflow import accounts

OWN = (
    "account",
    "account/password",
    "account/keys",
    "account/sessions",
    "account/tokens",
    "nowhere",
)


def a_link(live, login: str = "new") -> str:
    """The secret of a link for somebody who is new."""
    with live.rows(), live.own_secret():
        return accounts.password_link(accounts.add_person(login, name="新人"))


def visitor(live, browser, language: str, **options: object):
    """A page of somebody who is not signed in."""
    locale = {"zh-hans": "zh-CN", "en": "en-GB"}[language]
    context = browser.new_context(base_url=live.url, locale=locale, **options)
    return context.new_page()


def test_axe_finds_nothing_serious_at_the_door(live, browser):
    secret = a_link(live)
    for theme, language in THEMES:
        page = visitor(live, browser, language, color_scheme=theme)
        for path in ("login", f"password/{secret}", "password", "invitation/none", "nowhere"):
            page.goto(f"/{path}")
            assert findings(page) == [], (theme, language, path)
            assert page.locator("html").get_attribute("lang").casefold() == language
        page.goto("/login")
        page.fill("[name=login]", f"somebody-{theme}-{language}")
        page.fill("[name=password]", "wrong wrong")
        page.keyboard.press("Enter")
        page.locator("[role=alert]").first.wait_for()
        assert findings(page) == [], (theme, language)
        page.context.close()


def test_axe_finds_nothing_serious_on_ones_own_pages_and_a_telephone_is_wide_enough(live, browser):
    with live.rows():
        for theme, language in THEMES:
            live.person(f"{theme}-{language}", language=language)
    for theme, language in THEMES:
        page = live.page(browser, f"{theme}-{language}", color_scheme=theme)
        for path in OWN:
            page.goto(f"/{path}")
            for summary in page.locator("main summary").all():
                summary.click()
            assert findings(page) == [], (theme, language, path)
        page.goto("/account/tokens")
        page.fill("[name=name]", "nightly export")
        page.keyboard.press("Enter")
        page.locator("input[value^=gecb_]").wait_for()
        page.locator("[data-copy]").click()
        copied = {"zh-hans": "已复制", "en": "Copied"}[language]
        assert page.locator("[data-copy]").inner_text() == copied
        assert findings(page) == [], (theme, language)
        page.set_viewport_size({"width": 390, "height": 800})
        for path in (*OWN, "login"):
            page.goto(f"/{path}")
            assert wide(page) == [390, 390], (language, path)
        page.context.close()
