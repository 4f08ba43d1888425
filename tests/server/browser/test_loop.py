"""The whole loop in a real browser, by keyboard alone: from a file of sentences to a release.

A manager, two annotators and two reviewers work in browsers of their own; Chinese is written
through a simulated input method. Only the system's own window for choosing a file has no keys.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from server.browser.test_manage_loop import tab_to, typed
from server.live import Live

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")

PASSWORD = "four words are easy"


@dataclass(frozen=True, slots=True)
class Story:
    """What is written in the loop.

    Args:
        first: Source, what the careful one writes, what the eager one writes too freely, and what
            is left of that when the free part is put back.
        free: Number of the edit that goes too far.
        second: Source, the usual text, and one that is right, too, but refused at first.
        third: A sentence without errors.
    """

    first: tuple[str, str, str, str]
    free: int
    second: tuple[str, str, str]
    third: str

    @property
    def sources(self) -> tuple[str, str, str]:
        return self.first[0], self.second[0], self.third

    @property
    def golden(self) -> Mapping[str, list[str]]:
        """What is golden in the end."""
        return {
            self.first[0]: sorted([self.first[1], self.first[3]]),
            self.second[0]: sorted(self.second[1:]),
            self.third: [],
        }


STORY = Story(
    first=(
        "因为昨天下雨，但是我们没去公园玩。",
        "因为昨天下雨，所以我们没去公园玩。",
        "因为昨日下雨，因此我们没去公园玩。",
        "因为昨天下雨，因此我们没去公园玩。",
    ),
    free=1,
    second=("他的汉语说得很好多。", "他的汉语说得很好。", "他的汉语说得好多了。"),
    third="我们一起去看电影吧。",
)


@dataclass
class Stage:
    """A server, and people with browsers of their own."""

    live: Live
    browser: Browser
    story: Story
    pages: dict[str, Page]
    errors: list[str]

    def enter(self, name: str) -> Page:
        """Somebody new opens a browser."""
        context = self.browser.new_context(base_url=self.live.url, locale="zh-CN")
        page = context.new_page()
        page.set_default_timeout(30_000)
        page.on("console", lambda message: self._heard(name, message.type, message.text))
        page.on("pageerror", lambda error: self.errors.append(f"{name}: {error}"))
        self.pages[name] = page
        return page

    def _heard(self, name: str, kind: str, text: str) -> None:
        if kind == "error" and "status of 422" not in text:  # a refusal that the page shows
            self.errors.append(f"{name}: {text}")

    def write(self, page: Page, text: str) -> None:
        """Type over what is in the box that has the focus, by an input method."""
        page.keyboard.press("Control+A")
        cdp = page.context.new_cdp_session(page)
        for composed in ("yin", "yin wei"):
            place = {"selectionStart": len(composed), "selectionEnd": len(composed)}
            cdp.send("Input.imeSetComposition", {"text": composed, **place})
        page.keyboard.press("Control+Enter")  # while composing it means nothing
        cdp.send("Input.insertText", {"text": text})
        cdp.detach()
        # The page hears keys again a moment after the composition, and no person is as quick.
        page.evaluate("() => new Promise((resolve) => setTimeout(resolve, 50))")


@pytest.fixture
def stage(live, browser) -> Iterator[Stage]:
    stage_ = Stage(live, browser, STORY, {}, [])
    with live.rows():
        live.person("root", language="zh-hans", is_administrator=True)
    yield stage_
    for page in stage_.pages.values():
        page.context.close()


def follow(page: Page, selector: str) -> None:
    """Go to a link or button by Tab, and press it."""
    tab_to(page, selector, most=150)
    page.keyboard.press("Enter")


def opened(page: Page, place: str) -> None:
    """Take an entry of the menu."""
    follow(page, f'.menu a[href$="{place}"]')
    page.wait_for_url(f"**{place}")


def test_from_a_file_to_a_release_without_a_mouse(stage, tmp_path):
    """Section 5.4: import, annotation, review, study, complaint, ruling, release, export."""
    boss = stage.enter("root")
    sign_in(boss, "root", stage.live.PASSWORD)
    new_project(boss)
    bring_in(boss, stage.story, tmp_path / "sentences.txt")
    roles = {"anna": 0, "otto": 0, "rita": 1, "ruth": 1}
    for name, link in {name: invited(boss, role) for name, role in roles.items()}.items():
        join(stage.enter(name), name, link, work="review" if roles[name] else "work")
    annotate(stage, "anna", {stage.story.first[0]: 1, stage.story.second[0]: 1})
    annotate(stage, "otto", {stage.story.first[0]: 2, stage.story.second[0]: 2})
    review(stage, stage.pages["rita"])
    study(stage, stage.pages["otto"])
    rule(stage.pages["ruth"])
    stage.pages["otto"].goto("/p/loop/study")
    expect(stage.pages["otto"].locator(".note.good")).to_be_visible()
    assert golden(stage.live) == stage.story.golden
    release(boss)
    assert exported(boss, stage.story) == stage.story.golden
    assert stage.errors == []
    for page in stage.pages.values():
        assert page.locator("html").get_attribute("lang") == "zh-Hans"


def sign_in(page: Page, login: str, password: str) -> None:
    page.goto("/login")
    page.locator("input[name=login]:focus").wait_for()
    page.keyboard.type(login)
    page.keyboard.press("Tab")
    page.keyboard.type(password)
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/$"))


def new_project(page: Page) -> None:
    page.goto("/projects/new")
    page.locator("input:focus").wait_for()
    page.keyboard.type("Loop")
    typed(page, "#slug", "loop")
    tab_to(page, "input[name=lang]")
    assert page.locator("input[name=lang]:checked").get_attribute("value") == "zh"
    follow(page, "button.primary")
    page.wait_for_url("**/p/loop/manage/")
    follow(page, '.tabs a[href$="/manage/settings"]')
    page.wait_for_url("**/manage/settings")
    tab_to(page, "#annotators")
    page.keyboard.press("Control+A")
    page.keyboard.type("2")
    follow(page, "form.settings button.primary")
    page.locator(".message.success").wait_for()


def bring_in(page: Page, story: Story, path: Path) -> None:
    path.write_text("".join(f"{source}\n" for source in story.sources), "utf-8")
    follow(page, '.tabs a[href$="/manage/import"]')
    page.wait_for_url("**/manage/import")
    tab_to(page, "#file")
    page.locator("#file").set_input_files(path)
    follow(page, "main button.primary")
    page.wait_for_url(re.compile("/manage/import/[0-9a-f]{32}"))
    follow(page, "main button.primary")
    page.wait_for_url("**/manage/import")
    expect(page.locator(".message.success")).to_contain_text("3")


def invited(page: Page, role: int) -> str:
    """Make a link; 0 is an annotator, 1 a reviewer."""
    follow(page, '.tabs a[href$="/manage/members"]')
    page.wait_for_url("**/manage/members")
    if role:
        tab_to(page, "input[value=annotator]")
        page.keyboard.press("Space")
        tab_to(page, "input[value=reviewer]")
        page.keyboard.press("Space")
    tab_to(page, "#people")
    page.keyboard.type("somebody")
    follow(page, 'form[action$="/invite"] button.primary')
    return page.locator("input[readonly]").input_value()


def join(page: Page, name: str, link: str, *, work: str) -> None:
    """Come by a link, choose a password, go to work, and read the guideline."""
    page.goto(link)
    page.locator("input:focus").wait_for()
    page.keyboard.type(name)
    for field, words in (("#name", name.title()), ("#password", PASSWORD), ("#again", PASSWORD)):
        typed(page, field, words)
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/$"))
    follow(page, "a.continue")
    page.wait_for_url(f"**/p/loop/{work}")
    follow(page, '.announcement a[href$="/guide"]')
    page.wait_for_url("**/p/loop/guide")
    follow(page, ".announcement form button")
    page.locator(".announcement").wait_for(state="detached")


def annotate(stage: Stage, name: str, chosen: Mapping[str, int]) -> None:
    """Do all three tasks: write where there is something to write, else say that it is right."""
    page, story = stage.pages[name], stage.story
    texts = {case[0]: case[chosen[case[0]]] for case in (story.first, story.second)}
    opened(page, "/p/loop/work")
    for _ in story.sources:
        page.locator("#reference-0").wait_for()
        source = page.locator("#sentence").inner_text()
        expect(page.locator("#reference-0")).to_be_focused()
        if source in texts:
            stage.write(page, texts[source])
            expect(page.locator("#reference-0")).to_have_value(texts[source])
        else:
            page.keyboard.press("Alt+G")
        page.keyboard.press("Control+Enter")
        page.wait_for_function(
            "source => document.getElementById('sentence')?.textContent !== source", arg=source
        )


def review(stage: Stage, page: Page) -> None:
    """Judge what is there; put back what goes too far; refuse one text that is right.

    Where "free of errors" is judged correct, that is the decision.
    """
    story = stage.story
    acts: Mapping[str, Callable[[Mapping[str, str]], list[str]]] = {
        story.first[0]: lambda row: [
            row[story.first[1]],
            "QW"[int(row[story.first[2]]) - 1],
            "F",
            f"Alt+{story.free}",
        ],
        story.second[0]: lambda row: [
            row[story.second[1]],
            "QW"[int(row[story.second[2]]) - 1],
            "S",
        ],
        story.third: lambda _: ["1"],
    }
    opened(page, "/p/loop/review")
    for _ in story.sources:
        page.locator("[data-current]").wait_for()
        data = page.evaluate("JSON.parse(document.getElementById('review-data').textContent)")
        rows = {row["text"]: str(n) for n, row in enumerate(data["rows"], 1)}
        for key in acts[data["source"]](rows):
            page.keyboard.press(key)
        if data["source"] == story.first[0]:
            n = int(rows[story.first[2]]) - 1
            expect(page.locator(f"#modified-{n}")).to_have_value(story.first[3])
        with page.expect_navigation():
            page.keyboard.press("Control+Enter")
        page.locator("#undo").wait_for()
    assert page.locator("#review-data").count() == 0


def study(stage: Stage, page: Page) -> None:
    """Mend the text that went too far; insist on the one that is right."""
    story = stage.story
    opened(page, "/p/loop/study")
    for _ in range(2):
        follow(page, ".item-link")
        page.wait_for_url(re.compile(r"/study/\d+$"))
        data = page.evaluate("JSON.parse(document.getElementById('study-data').textContent)")
        expect(page.locator("#text")).to_be_focused()
        if data["source"] == story.first[0]:
            stage.write(page, story.first[1])
            expect(page.locator("#text")).to_have_value(story.first[1])
            page.keyboard.press("Control+Enter")
            page.locator("[data-next]").wait_for()
            opened(page, "/p/loop/study")
            continue
        page.keyboard.press("Alt+I")
        expect(page.locator("#argument")).to_be_focused()
        page.keyboard.type("It is right, too.")
        follow(page, ".insist button")
        page.wait_for_url(re.compile(r"/problems/\d+$"))
        opened(page, "/p/loop/study")
        # What is complained about stays open; the other item is the one to go on with.
        tab_to(page, ".item-link")


def rule(page: Page) -> None:
    """The other reviewer upholds the complaint."""
    opened(page, "/p/loop/problems")
    follow(page, ".item-link")
    page.wait_for_url(re.compile(r"/problems/\d+$"))
    tab_to(page, "input[name=outcome]")
    page.keyboard.press("Space")
    follow(page, "#ruling-form button.primary")
    page.locator(".message.success, .warning").first.wait_for()
    expect(page.locator("#ruling-form")).to_have_count(0)


def golden(live: Live) -> dict[str, list[str]]:
    """The golden texts on the server, by source."""
    from gecbench.server.models import Sentence

    with live.rows():
        return {
            sentence.text: sorted(
                sentence.golden.entries.values_list("reference__text", flat=True)
                if sentence.golden
                else []
            )
            for sentence in Sentence.objects.all()
        }


def release(page: Page) -> None:
    opened(page, "/p/loop/manage/")
    follow(page, '.tabs a[href$="/manage/releases"]')
    page.wait_for_url("**/manage/releases")
    typed(page, "#name", "v1")
    follow(page, "button[data-once]")
    page.wait_for_url(re.compile(r"/manage/releases/\d+$"))


def exported(page: Page, story: Story) -> dict[str, list[str]]:
    """Download MuCGEC's table; its texts by source."""
    follow(page, '.tabs a[href$="/manage/export"]')
    page.wait_for_url("**/manage/export")
    tab_to(page, "main form button.primary")
    with page.expect_download() as waiting:
        page.keyboard.press("Enter")
    content = Path(waiting.value.path()).read_text("utf-8")
    rows = [line.split("\t")[1:] for line in content.splitlines()]
    return {source: sorted(text for text in texts if text != "没有错误") for source, *texts in rows}
