"""Variants in a real browser: written and checked by keyboard, in both languages, on two widths."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from uuid import uuid4

import pytest
from playwright.sync_api import expect
from server.browser.atreview import press
from server.browser.atwork import wait_for_state
from server.browser.looks import findings
from server.browser.test_review_edges import copy_of, put
from server.live import Live
from server.workflow.perturbing import CHINESE, a_perturbation, waiting_case
from server.workflow.stories import joined

from gecbench.server.models import Acknowledgement, Person, Project, Variant

PICTURES = os.environ.get("GECBENCH_PICTURES", "")
"""A folder where pictures of the pages are put, to be looked at."""

ENGLISH = (
    ("She have lived in this town since ten years .", "She has lived in this town for ten years ."),
    ("We went school by bus .", "We went to school by bus ."),
)
SIZES = pytest.mark.parametrize(
    ("lang", "language", "width", "theme"),
    [("en", "en", 1280, "light"), ("zh", "zh-hans", 390, "dark")],
)


def cases(
    live,
    lang: str,
    language: str,
    *logins: str,
    role: str,
    pairs: Sequence[tuple[str, str]] = (),
    **options: object,
) -> Project:
    """A project of variants on the server, and members who have read its guideline."""
    pairs = pairs or (ENGLISH if lang == "en" else [CHINESE[0], CHINESE[2]])
    project = a_perturbation(pairs, lang=lang, perturb_edits=1, **options)
    for login in logins:
        joined(project, login, role)
    Person.objects.update(language=language)
    for person in Person.objects.all():
        Acknowledgement.objects.get_or_create(guideline=project.guideline, person=person)
    return project


class Look:
    """Looks at a page: for people, for axe, and for what is too wide."""

    def __init__(self, page, language: str) -> None:
        self.page, self.language, self.found = page, language, []

    def __call__(self, name: str) -> None:
        if PICTURES:
            width = self.page.viewport_size["width"]
            path = Path(PICTURES) / f"{name}-{self.language}-{width}.png"
            self.page.screenshot(path=path, full_page=True)
        self.found += [f"{name}: {finding}" for finding in findings(self.page)]
        wide = self.page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0, name


def texts(page) -> list[str]:
    return page.locator(".gap").all_inner_texts()


@SIZES
def test_per_2_per_6_a_variant_is_written_by_keyboard(live, browser, lang, language, width, theme):
    with live.rows():
        cases(live, lang, language, "li", role="annotator")
    size = {"width": width, "height": 800}
    page = live.page(browser, "li", viewport=size, color_scheme=theme)
    page.set_default_timeout(20_000)
    look = Look(page, language)
    page.goto("/p/perturb/work")
    page.locator(".gap:focus").wait_for()
    look("perturb")
    chips, gaps = page.locator(".chip").count(), texts(page)
    # What is between the gaps is reached by no key.
    for key in ("Home", "Backspace", "End", "Delete", "ArrowRight", "Backspace"):
        press(page, key)
    assert page.locator(".gap").nth(1).evaluate("one => one === document.activeElement")
    press(page, "ArrowLeft")
    assert page.locator(".gap").first.evaluate("one => one === document.activeElement")
    assert (page.locator(".chip").count(), texts(page)) == (chips, gaps)
    # The original is refused.
    press(page, "Control+Enter")
    page.locator("#said:not([hidden])").wait_for()
    # An input method writes, undo takes it back, a line end becomes a space.
    cdp = page.context.new_cdp_session(page)
    cdp.send("Input.imeSetComposition", {"text": "jin", "selectionStart": 3, "selectionEnd": 3})
    press(page, "Control+Enter")
    assert page.locator(".gap").first.inner_text().endswith("jin")
    cdp.send("Input.insertText", {"text": "今"})
    assert page.locator(".gap").first.inner_text().endswith("今")
    press(page, "Control+Z")
    page.wait_for_function(
        "texts => document.querySelector('.gap').innerText === texts", arg=gaps[0]
    )
    page.evaluate(
        """() => {
          const data = new DataTransfer();
          data.setData("text/plain", "x\\ny");
          const event = { clipboardData: data, bubbles: true, cancelable: true };
          document.activeElement.dispatchEvent(new ClipboardEvent("paste", event));
        }"""
    )
    page.wait_for_function("document.querySelector('.gap').innerText.includes('x y')")
    wait_for_state(page, "saved")
    page.reload()
    page.locator(".gap:focus").wait_for()
    assert "x y" in texts(page)[0]
    press(page, "Alt+r")
    page.wait_for_function(
        "texts => document.querySelector('.gap').innerText === texts", arg=gaps[0]
    )
    # Two changes are more than the project wants: it warns, and asks once more.
    number = page.locator("#task-number").inner_text()
    press(page, "Alt+1")
    press(page, "Home")
    page.keyboard.insert_text("Now " if lang == "en" else "现在")
    press(page, f"Alt+{chips + 1}")
    press(page, "End")
    page.keyboard.insert_text(" there" if lang == "en" else "吧")
    page.locator("[data-part=limits]:not([hidden])").wait_for()
    look("perturb-much")
    press(page, "Control+Enter")
    page.locator("#said:not([hidden])").wait_for()
    look("perturb-asked")
    press(page, "Control+Enter")
    page.locator("#undo:not([hidden])").wait_for()
    assert page.locator("#task-number").inner_text() != number
    press(page, "Alt+z")
    page.wait_for_function(
        "n => document.getElementById('task-number').innerText === n", arg=number
    )
    press(page, "Control+Enter")
    page.locator("#said:not([hidden])").wait_for()
    press(page, "Control+Enter")
    page.locator("#undo:not([hidden])").wait_for()
    page.goto("/p/perturb/work/history")
    look("perturb-history")
    page.goto(f"/p/perturb/work/t/{number}")
    look("perturb-mine")
    page.goto("/p/perturb/guide")
    look("perturb-guide")
    with live.rows():
        assert Variant.objects.get(submission__no=2).edits == 2
    assert look.found == []
    page.context.close()


def test_per_4_per_6_a_reviewer_is_asked_about_a_variant_that_changes_much(live, browser):
    with live.rows():
        cases(live, "zh", "en", "li", role="annotator")
    page = live.page(browser, "li")
    page.set_default_timeout(20_000)
    page.goto("/p/perturb/work")
    page.locator(".gap:focus").wait_for()
    if page.locator(".chip").count() == 1:
        press(page, "Alt+p")
        page.locator(".chip").nth(1).wait_for()
    press(page, "Alt+2")
    press(page, "Control+a")
    press(page, "Delete")
    press(page, "Control+Enter")
    page.locator("#ask:not([hidden])").wait_for()
    page.fill("#ask-note", "一样的错误")
    page.click("#ask-send")
    page.locator("#said", has_text="Submit again").wait_for()
    press(page, "Control+Enter")
    page.locator("#undo:not([hidden])").wait_for()
    with live.rows():
        assert Variant.objects.get().submission.reason_note == "一样的错误"
    page.context.close()


@SIZES
def test_per_9_variants_are_checked_by_keyboard(live, browser, lang, language, width, theme):
    del lang
    with live.rows():
        project = cases(live, "zh", language, "rita", role="reviewer")
        waiting_case(project)
        Person.objects.update(language=language)
        for person in Person.objects.all():
            Acknowledgement.objects.get_or_create(guideline=project.guideline, person=person)
    size = {"width": width, "height": 800}
    page = live.page(browser, "rita", viewport=size, color_scheme=theme)
    page.set_default_timeout(20_000)
    look = Look(page, language)
    page.goto("/p/perturb/review")
    page.locator("[data-row='0']:focus").wait_for()
    press(page, "1")
    press(page, "q")
    press(page, "u")
    assert page.locator("[data-row='0'] [value=accepted]").is_checked()
    press(page, "w")
    press(page, "s")
    look("check")
    wait_for_state(page, "saved")
    page.reload()
    page.locator("[data-row='0']").wait_for()
    assert page.locator("[data-row='1'] .reasons input").nth(1).is_checked()
    page.locator("[data-row='0']").focus()
    press(page, "m")
    page.locator("[data-row='0'] .gap:focus").first.wait_for()
    press(page, "Alt+Enter")
    page.locator("[data-row='0'] .gap").last.click()
    press(page, "Home")
    page.keyboard.insert_text("又")
    look("check-edited")
    press(page, "Control+Enter")
    page.wait_for_url("**/p/perturb/review")
    page.locator("#undo").wait_for()
    look("checked")
    press(page, "Alt+z")
    page.locator("[data-row='0']").wait_for()
    assert page.locator("[data-row='0'] [value=edited]").is_checked()
    press(page, "Control+Enter")
    page.locator("#undo").wait_for()
    page.goto("/p/perturb/review/history")
    page.locator("tbody a").click()
    page.locator(".variant .tag.bad").wait_for()
    look("check-over")
    # The author finds the variant again, with the reason.
    page.context.close()
    page = live.page(browser, "p2", viewport=size, color_scheme=theme)
    look.page = page
    page.goto("/p/perturb/work")
    page.locator("#returned:not([hidden])").wait_for()
    look("returned")
    page.goto("/p/perturb/work/t/1")
    look("returned-mine")
    page.context.close()
    page = live.page(browser, "boss", viewport=size, color_scheme=theme)
    look.page = page
    for name, url in (
        ("case", "/p/perturb/manage/sentences/1"),
        ("perturb-settings", "/p/perturb/manage/settings"),
    ):
        page.goto(url)
        look(name)
    assert look.found == []
    page.context.close()


def test_an_older_copy_of_a_check_is_offered_and_overwrites_nothing(live, browser):
    with live.rows():
        project = cases(live, "zh", "en", "rita", role="reviewer")
        waiting_case(project)
        for person in Person.objects.all():
            Acknowledgement.objects.get_or_create(guideline=project.guideline, person=person)
    page = live.page(browser, "rita")
    page.goto("/p/perturb/review")
    page.locator("[data-row='0']:focus").wait_for()
    press(page, "1")
    wait_for_state(page, "saved")
    name, copy = copy_of(page)
    first, *rest = copy["payload"]["checks"]
    old = {**copy["payload"], "checks": [{**first, "decision": "returned"}, *rest]}
    put(page, name, {**copy, "payload": old, "unsaved": True, "rev": 0, "at": 1000, "sent": []})
    page.route("**/draft", lambda route: route.abort())
    page.reload()
    note = page.locator(".note.warn")
    expect(note).to_contain_text("kept on this computer")
    expect(page.locator("[data-row='0'] [value=accepted]")).to_be_checked()
    note.get_by_role("button", name="Load that version").click()
    expect(page.locator("[data-row='0'] [value=returned]")).to_be_checked()
    page.context.close()


@pytest.fixture
def site(make_live) -> Live:
    """A server where a corrector gives hints."""
    return make_live("--workers", "1", GECBENCH_HINTS_EN="en-rules")


def test_per_7_a_hint_is_asked_for_and_goes_when_something_else_is_typed(site, browser):
    with site.rows():
        # One alone: which of several comes first is a matter of chance.
        cases(site, "en", "en", "mary", pairs=ENGLISH[:1], role="annotator", hints=True)
    page = site.page(browser, "mary")
    page.set_default_timeout(60_000)  # the first hint loads the corrector
    page.goto("/p/perturb/work")
    page.locator(".gap:focus").wait_for()
    press(page, "Alt+k")
    page.locator("#hint-none:not([hidden])").wait_for()
    assert page.locator("#hint-who").inner_text() == "en-rules"
    press(page, "Alt+1", "End")
    page.keyboard.type("a apple ")
    page.locator("#hint[hidden]").wait_for(state="attached")
    press(page, "Alt+k")
    # What is drawn says in hidden words, too, what it is.
    inserted = page.locator("#hint-diff ins").filter(has_text=re.compile(r"\ban\b"))
    expect(inserted).not_to_have_count(0)
    assert page.locator("#hint-none").is_hidden()
    page.context.close()


def test_per_2_a_variant_is_written_and_submitted_by_touch(live, browser):
    with live.rows():
        project = cases(
            live, "zh", "zh-hans", "mei", role="annotator", slug=f"touch-{uuid4().hex[:6]}"
        )
    size = {"width": 390, "height": 700}
    page = live.page(browser, "mei", viewport=size, has_touch=True, is_mobile=True)
    page.set_default_timeout(20_000)
    page.goto(f"/p/{project.slug}/work")
    page.locator(".gap:focus").wait_for()
    number = page.locator("#task-number").inner_text()
    # Whoever taps an error writes behind it.
    page.locator(".chip-source").first.tap()
    assert page.locator(".gap").nth(1).evaluate("one => one === document.activeElement")
    page.keyboard.insert_text("今天")
    page.locator("#submit").tap()
    page.locator("#undo:not([hidden])").wait_for()
    assert page.locator("#task-number").inner_text() != number
    wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0
    page.context.close()
