"""The manager's loop in a real browser against a real server, by keyboard alone."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from server.browser.looks import each_theme_and_language, findings

os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")


PLACES = (
    *("", "sentences", "sentences/1", "import", "export", "releases", "members", "guideline"),
    *("settings", "audit"),
)


@pytest.fixture
def page(live, browser) -> Iterator[object]:
    with live.rows():
        live.person("root", language="en", is_administrator=True)
    opened = live.page(browser, "root")
    yield opened
    opened.context.close()


def tab_to(page, selector: str, *, most: int = 80) -> None:
    """Press Tab until something has the focus."""
    for _ in range(most):
        page.keyboard.press("Tab")
        if page.evaluate("selector => document.activeElement?.matches(selector)", selector):
            return
    pytest.fail(f"{selector} is not reached by {most} tabs on {page.url}")


def typed(page, selector: str, text: str) -> None:
    tab_to(page, selector)
    page.keyboard.type(text)


def new_project(page) -> None:
    page.goto("/projects/new")
    page.locator("input:focus").wait_for()
    page.keyboard.type("Essays")
    typed(page, "#slug", "essays")
    tab_to(page, "button.primary")
    page.keyboard.press("Enter")
    page.wait_for_url("**/p/essays/manage/")


def upload(page, path: Path) -> None:
    page.goto("/p/essays/manage/import")
    tab_to(page, "#file")
    page.locator("#file").set_input_files(path)  # the system's own window has no keys here
    tab_to(page, "button.primary")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/manage/import/[0-9a-f]{32}"))


def test_a_changed_option_shows_what_it_does_before_anything_is_imported(page, live, tmp_path):
    """The import runs with the options that the report was made with, never with others."""
    new_project(page)
    twice = tmp_path / "dev.txt"
    twice.write_text("我昨天去了图书馆借书了。\n我昨天去了图书馆借书了。\n", "utf-8")
    upload(page, twice)
    run = page.locator("#run")
    assert run.is_disabled()
    page.get_by_label("Leave them out").check()
    page.get_by_text("1 new sentence is ready").wait_for()
    page.locator("#priority").fill("7")
    page.locator("#priority").press("Tab")
    page.wait_for_url("**priority=7**")
    assert page.locator("form[method=post] input[name=priority]").get_attribute("value") == "7"
    assert page.evaluate("document.activeElement.id") == "clean"
    page.get_by_label("Take them in once more").check()
    page.get_by_text("2 new sentences are ready").wait_for()
    run.click()
    page.wait_for_url("**/manage/import")
    assert "2 sentences were imported" in page.locator(".message").inner_text()


def test_a_project_is_made_filled_staffed_and_set_by_keyboard(page, live, tmp_path):
    new_project(page)
    assert "There are no sentences yet" in page.locator("main").inner_text()
    good = tmp_path / "dev.txt"
    good.write_text("我昨天去了图书馆借书了。\n他的汉语说得很好多。\n", "utf-8")
    upload(page, good)
    assert "2 new sentences are ready" in page.locator("main").inner_text()
    tab_to(page, "button.primary")
    page.keyboard.press("Enter")
    page.wait_for_url("**/manage/import")
    assert "2 sentences were imported" in page.locator(".message").inner_text()
    page.goto("/p/essays/manage/members")
    tab_to(page, "input[value=reviewer]")
    page.keyboard.press("Space")
    typed(page, "#people", "for Li")
    tab_to(page, "button.primary")
    page.keyboard.press("Enter")
    field = page.locator("input[readonly]")
    field.wait_for()
    assert field.input_value().startswith(f"{live.url}/invitation/")
    tab_to(page, "[data-copy]")
    page.keyboard.press("Enter")
    page.get_by_text("Copied").wait_for()
    page.goto("/p/essays/manage/settings")
    tab_to(page, "#annotators")
    page.keyboard.press("Control+a")
    page.keyboard.type("2")
    tab_to(page, "form.settings button.primary")
    page.keyboard.press("Enter")
    page.get_by_text("The settings are saved").wait_for()
    with live.rows():
        from gecbench.server.models import Invitation, Project, Sentence

        assert Project.objects.get().annotators == 2
        assert set(Sentence.objects.values_list("needed", flat=True)) == {2}
        assert Invitation.objects.get(project__isnull=False).roles == ["annotator", "reviewer"]


def test_a_broken_import_shows_ten_problems_with_lines_and_changes_nothing(page, live, tmp_path):
    new_project(page)
    broken = tmp_path / "broken.tsv"
    broken.write_text("s0\t好。\n" + "".join(f"\t句子{n}。\n" for n in range(12)), "utf-8")
    upload(page, broken)
    page.goto(f"{page.url}?format=mucgec&references=ignore")
    lines = page.locator(".problems .line").all_inner_texts()
    assert lines == [f"Line {n}" for n in range(2, 12)]
    assert page.locator("button[data-once]").is_disabled()
    with live.rows():
        from gecbench.server.models import ImportBatch, Sentence

        assert not Sentence.objects.exists()
        assert not ImportBatch.objects.exists()


def test_the_guideline_is_previewed_in_place(page):
    new_project(page)
    page.goto("/p/essays/manage/guideline")
    page.locator("#markdown").fill("# One {#one}\n\n**Bold**\n\n<img src=x onerror=alert(1)>\n")
    page.get_by_role("button", name="Preview").click()
    page.locator("#preview strong").wait_for()
    assert page.locator("#preview img").count() == 0
    assert page.url.endswith("/manage/guideline")


@each_theme_and_language
def test_every_page_is_accessible_and_fits_a_phone(live, browser, theme, language):
    with live.rows():
        from server.workflow import reviewing
        from server.workflow.stories import somebody

        project = reviewing.waiting(texts=3)
        reviewing.finalised(project)
        boss = somebody("boss")
        type(boss).objects.filter(pk=boss.pk).update(language=language, is_administrator=True)
    page = live.page(browser, "boss", color_scheme=theme, viewport={"width": 390, "height": 844})
    errors: list[str] = []
    page.on("console", lambda item: errors.append(item.text) if item.type == "error" else None)
    for place in (*(f"/p/story/manage/{place}" for place in PLACES), "/projects/", "/projects/new"):
        page.goto(place)
        wide = page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        assert wide <= 0, f"{place} is {wide} px too wide"
        assert findings(page) == [], place
    assert errors == []
    page.context.close()
