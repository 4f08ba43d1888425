"""The heat map in a real browser: marks, details, filters, languages, themes, hostile texts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from axe_playwright_python.sync_playwright import Axe

from gecbench.api.files import sample

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

Show = Callable[..., "Page"]

HOSTILE = '</script><script>document.title="caught"</script><img src=x onerror="x()">&amp;'
SOURCES = (
    HOSTILE,
    "我喜换吃平果。",
    "\u202eأنا أحب \u2067القط\u2069 ق",
    "🧪👩‍👩‍👧 语法" + "很" * 3000,
    "a",
)
OUTPUTS = (HOSTILE.replace("x()", "'y'<b>"), "我喜欢吃苹果。", "ق", "🧪 语发" + "很" * 2999, "b")


@pytest.fixture
def show(browser: Browser, tmp_path: Path) -> Iterator[Show]:
    """Open a page; nothing may be asked of a host, and the console stays silent."""
    console: list[str] = []
    calls: list[str] = []
    contexts = []

    def show(path: Path, *, width: int = 1440, theme: str = "light", wait: bool = True) -> Page:
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=theme, offline=True
        )
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: console.append(message.text))
        page.on("pageerror", lambda error: console.append(str(error)))
        page.on("request", lambda request: calls.append(request.url))
        page.goto(path.as_uri())
        if wait:
            page.wait_for_selector("li.sentence")
        return page

    yield show
    for context in contexts:
        context.close()
    assert console == []
    assert all(url.startswith("file:") for url in calls)


@pytest.fixture
def zh_page(run, once: Callable[..., str], tmp_path: Path) -> Path:
    """The bundled Chinese samples, each reference by itself; made once a run."""

    def make_page() -> str:
        systems = [sample("zh", f"{name}.txt") for name in ("cautious", "eager", "fluent")]
        words = ("--scheme", "zh-char", "--reference-number", "each", "--language", "zh")
        ended = run(
            *("analyse", "difficulty", sample("zh", "corpus.jsonl"), *systems),
            *(*words, "--heat-map", "page.html"),
        )
        assert ended.returncode == 0, ended.stderr
        return (tmp_path / "page.html").read_text("utf-8")

    page = once("heat map", make_page)
    (tmp_path / "page.html").write_text(page, "utf-8")
    return tmp_path / "page.html"


@pytest.fixture
def hostile_page(run, tmp_path: Path) -> Path:
    """Texts that try to break out of the page."""
    head = {"format": "gecbench-corpus", "schema": 1, "name": "<i>corpus</i>", "lang": "zh"}
    rows = [
        {"id": f"<u>{at}</u>", "source": source, "references": [{"text": output}]}
        for at, (source, output) in enumerate(zip(SOURCES, OUTPUTS, strict=True))
    ]
    corpus = tmp_path / "corpus.jsonl"
    lines = [json.dumps(row, ensure_ascii=False) for row in (head, *rows)]
    corpus.write_text("\n".join(lines) + "\n", "utf-8")
    (tmp_path / "it's <b>.txt").write_text("\n".join(OUTPUTS) + "\n", "utf-8")
    (tmp_path / "same.txt").write_text("\n".join(SOURCES) + "\n", "utf-8")
    ended = run(
        *("analyse", "difficulty", "corpus.jsonl", "it's <b>.txt", "same.txt"),
        *("--scheme", "zh-char", "--heat-map", "page.html"),
    )
    assert ended.returncode == 0, ended.stderr
    return tmp_path / "page.html"


def until(page: Page, true: str) -> None:
    """Wait for something, by means that the page's policy allows."""
    for _ in range(200):
        if page.evaluate(true):
            return
        page.wait_for_timeout(25)
    pytest.fail(f"never: {true}")


def counted(page: Page) -> tuple[int, int]:
    """Sentences and marks that the page says it shows."""
    words = page.inner_text("#count").replace("，", " ").split()
    numbers = [int(word) for word in words if word.isdigit()]
    return (numbers[1], numbers[2]) if "句" in "".join(words) else (numbers[0], numbers[2])


def test_sentences_are_whole_and_errors_have_their_details(show: Show, zh_page: Path):
    page = show(zh_page)
    assert page.locator("li.sentence").count() == 75
    sentence = page.locator("li.sentence").first
    assert sentence.locator(".id").inner_text() == "zh-001"
    text = sentence.locator(".text").evaluate(
        "each => [...each.childNodes].map(n => n.nodeType === 3 ? n.data :"
        " n.firstChild.data).join('').replaceAll('∧', '')"
    )
    assert text == "我在图书馆借了三个书，打算周末看完了。"
    error = sentence.locator(".mark.error").first
    error.hover()
    assert page.inner_text("#tip .head") == "错误: 个"
    parts = page.inner_text("#tip dl").split("\n")
    assert dict(zip(parts[::2], parts[1::2], strict=True)) == {
        "类型": "S",
        "修改为": "本",
        "权重": "0.00",
        "改对的系统": "cautious, eager, fluent",
    }
    page.mouse.move(2, 2)
    assert page.locator("#tip").is_hidden()


def test_details_come_by_keyboard_stay_when_pinned_and_go_by_escape(show: Show, zh_page: Path):
    page = show(zh_page)
    page.locator("#sentences .mark").first.focus()
    assert page.locator("#tip").is_visible()
    first = page.inner_text("#tip")
    page.keyboard.press("Tab")
    assert page.inner_text("#tip") != first
    page.keyboard.press("Enter")
    page.mouse.wheel(0, 40)
    until(page, "scrollY > 0")
    assert page.locator("#tip").is_visible()
    page.keyboard.press("Escape")
    assert page.locator("#tip").is_hidden()


def test_details_stay_beside_a_mark_that_the_focus_has_scrolled_to(show: Show, zh_page: Path):
    page = show(zh_page)
    page.locator("#sentences .mark").nth(300).focus()
    until(page, "scrollY > 900")
    page.wait_for_timeout(200)
    assert page.locator("#tip").is_visible()
    gap = page.evaluate(
        "tip.getBoundingClientRect().top - document.activeElement.getBoundingClientRect().bottom"
    )
    height = page.evaluate("tip.getBoundingClientRect().height")
    assert 0 <= gap < 20 or -height - 60 < gap < -height


def test_marks_say_the_same_to_a_screen_reader(show: Show, zh_page: Path):
    page = show(zh_page)
    label = page.locator("#sentences .mark.error").first.get_attribute("aria-label")
    assert label == "错误: 个; 类型: S; 修改为: 本; 权重: 0.00; 改对的系统: cautious, eager, fluent"


def test_filters_narrow_what_is_shown_and_can_be_reset(show: Show, zh_page: Path):
    page = show(zh_page)
    whole = counted(page)
    page.select_option("#kind", "0")
    errors = counted(page)
    assert page.locator("#sentences .mark.wrong").count() == 0
    page.select_option("#kind", "1")
    assert counted(page)[1] + errors[1] == whole[1]
    page.select_option("#kind", "")
    page.select_option("#type", label=page.locator("#type option").nth(1).inner_text())
    assert 0 < counted(page)[1] < errors[1]
    label = page.locator("#type option").nth(1).inner_text()
    assert label.endswith(f"({counted(page)[1]})")
    page.select_option("#type", "")
    page.fill("#least", "1")
    hard = counted(page)[1]
    page.fill("#least", "0")
    page.fill("#most", "0.99")
    assert counted(page)[1] + hard == whole[1]
    page.click("button[type=reset]")
    until(page, f"document.getElementById('count').textContent.includes('{whole[1]}')")
    assert counted(page) == whole


def test_weights_can_be_chosen_by_the_numbers_that_the_page_shows(show: Show, zh_page: Path):
    page = show(zh_page)
    page.check("#weights")
    shown = page.locator("#sentences .mark .number").all_text_contents()
    assert {"0.33", "0.67"} <= set(shown)
    for number in set(shown):
        page.fill("#least", number)
        page.fill("#most", number)
        assert counted(page)[1] == shown.count(number)
        assert set(page.locator("#sentences .mark .number").all_text_contents()) == {number}
    page.fill("#least", "0.6666")
    page.fill("#most", "0.6668")
    assert counted(page)[1] == shown.count("0.67")
    page.fill("#most", "0.6665")
    assert page.inner_text("#count") == "没有符合条件的句子。"


def test_search_looks_into_sources_corrections_and_ids(show: Show, zh_page: Path):
    page = show(zh_page)
    for text, ids in (("图书馆借了三", ["zh-001"]), ("ZH-002", ["zh-002"]), ("三本", [])):
        page.fill("#search", text)
        shown = page.locator("li .id").all_text_contents()
        assert shown == ids
    assert page.inner_text("#count") == "没有符合条件的句子。"
    page.fill("#search", "本")
    assert "zh-001" in page.locator("li .id").all_text_contents()


def test_the_hardest_come_first_where_asked(show: Show, zh_page: Path):
    page = show(zh_page)
    page.select_option("#order", "hardest")
    values = [float(text_content) for text_content in page.locator("li .value").all_text_contents()]
    assert values == sorted(values, reverse=True)
    assert values[0] > values[-1]


def test_another_reference_has_other_sentences(show: Show, zh_page: Path):
    page = show(zh_page)
    page.select_option("#result", "3")
    assert page.inner_text("#corpus") == "zh-samples, 参考答案 4"
    assert page.locator("li.sentence").count() == 8


def test_weights_can_be_written_beside_marks(show: Show, zh_page: Path):
    page = show(zh_page)
    number = page.locator("#sentences .mark .number").first
    assert number.is_hidden()
    page.check("#weights")
    assert number.is_visible()
    assert 0 <= float(number.inner_text()) <= 1


def test_the_interface_changes_its_language(show: Show, zh_page: Path):
    page = show(zh_page)
    assert page.title() == "错误的难度: zh-samples"
    page.select_option("#language", "en")
    assert page.title() == "Difficulty of errors: zh-samples"
    assert page.get_attribute("html", "lang") == "en"
    assert page.inner_text("#corpus") == "zh-samples, reference 1"
    words = page.evaluate("document.querySelector('header').innerText + filters.innerText")
    assert not any("\u4e00" <= c <= "\u9fff" for c in words.replace("中文", ""))


GROUNDS = """() => [...document.querySelectorAll('.steps .mark')].flatMap((mark) => {
  const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const kind = mark.classList.contains('error');
  return Array.from({length: 51}, (_, at) => {
    colour(mark, at / 50);
    const style = getComputedStyle(mark);
    return [kind, at / 50, ...[style.backgroundColor, style.color].map((value) => {
      canvas.fillStyle = value;
      canvas.fillRect(0, 0, 1, 1);
      return [...canvas.getImageData(0, 0, 1, 1).data.slice(0, 3)];
    })];
  });
})"""


def luminance(colour: list[int]) -> float:
    parts = [part / 255 for part in colour]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_lightness_alone_carries_the_scale_and_letters_are_legible(
    show: Show, zh_page: Path, theme: str
):
    grounds = show(zh_page, theme=theme).evaluate(GROUNDS)
    assert len(grounds) == 10 * 51
    for kind in (True, False):
        lights = [
            (share, luminance(back)) for is_error, share, back, _ in grounds if is_error == kind
        ]
        ordered = [light for _, light in sorted(lights, reverse=theme == "light")]
        assert ordered == sorted(ordered)
        assert ordered[-1] - ordered[0] > 0.4
    for _, share, back, front in grounds:
        low, high = sorted((luminance(back), luminance(front)))
        assert (high + 0.05) / (low + 0.05) >= 4.5, (theme, share)


def test_the_dark_theme_follows_the_system_until_the_reader_chooses(show: Show, zh_page: Path):
    page = show(zh_page, theme="dark")
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    assert page.evaluate(ground) == "rgb(20, 23, 27)"
    page.select_option("#theme", "light")
    assert page.evaluate(ground) == "rgb(255, 255, 255)"


@pytest.mark.parametrize(("theme", "language"), [("light", "en"), ("dark", "zh")])
def test_axe_finds_nothing_to_complain_of(show: Show, zh_page: Path, theme: str, language: str):
    page = show(zh_page, theme=theme)
    page.select_option("#language", language)
    page.locator("#sentences .mark.error").first.focus()
    report = Axe().run(page, options={"resultTypes": ["violations"]})
    assert report.violations_count == 0, report.generate_report()


def test_hostile_texts_are_shown_as_they_are(show: Show, hostile_page: Path):
    page = show(hostile_page)
    assert page.title() == "Difficulty of errors: <i>corpus</i>"
    assert page.locator("#sentences img, #sentences script, #sentences b").count() == 0
    assert page.locator("li .id").first.inner_text() == "<u>0</u>"
    assert "</script>" in page.locator("li .text").first.inner_text()
    page.locator("li .mark.error").first.focus()
    assert "it's <b>" in page.inner_text("#tip")
    wide = "document.documentElement.scrollWidth <= innerWidth"
    assert page.evaluate(wide)
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate(wide)


def test_on_paper_all_sentences_are_there_with_their_colours(show: Show, run, tmp_path: Path):
    names = [f"{name}.txt" for name in ("corpus", "one")]
    (tmp_path / names[1]).write_text("我喜欢你。\n" * 400, "utf-8")
    (tmp_path / "corpus.para").write_text("1\t我喜换你。\t我喜欢你。\n" * 400, "utf-8")
    rows = [
        {"id": str(at), "source": "我喜换你。", "references": [{"text": "我喜欢你。"}]}
        for at in range(400)
    ]
    head = {"format": "gecbench-corpus", "schema": 1, "name": "many", "lang": "zh"}
    lines = [json.dumps(row, ensure_ascii=False) for row in (head, *rows)]
    (tmp_path / "many.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    ended = run(
        *("analyse", "difficulty", "many.jsonl", "one.txt", "--scheme", "zh-char"),
        *("--heat-map", "page.html"),
    )
    assert ended.returncode == 0, ended.stderr
    page = show(tmp_path / "page.html")
    assert page.locator("li.sentence").count() == 150
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    until(page, "document.querySelectorAll('li.sentence').length > 150")
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("li.sentence").count() == 400
    assert page.locator("form").is_hidden()
    exact = "getComputedStyle(document.querySelector('.mark.error')).printColorAdjust"
    assert page.evaluate(exact) == "exact"
