"""The report page in a real browser: what is on it, languages, themes, files, accessibility."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from report_pages import HOSTILE, hostile_page, opened, samples_page

DESKTOP = {"width": 1440, "height": 900}
PHONE = {"width": 390, "height": 844}
COUNTS = ("TP", "FP", "FN")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, once: Callable[..., str]) -> Path:
    """A folder with the pages."""
    folder = tmp_path_factory.mktemp("pages")
    (folder / "zh.html").write_text(samples_page(once), encoding="utf-8")
    (folder / "hostile.html").write_text(once("hostile page", hostile_page), encoding="utf-8")
    return folder


@pytest.mark.parametrize("name", ["zh", "hostile"])
def test_it_opens_without_a_complaint_and_asks_for_nothing(browser, folder: Path, name: str):
    with opened(browser, folder / f"{name}.html") as shown:
        assert shown.console_messages == []
        assert [address for address in shown.asked if not address.startswith("file:")] == []
        assert len(shown.asked) == 1


def test_hostile_texts_are_shown_as_text(browser, folder: Path):
    with opened(browser, folder / "hostile.html") as shown:
        assert shown.page.evaluate("window.broken") is None
        assert shown.page.locator("h1").inner_text() == "<script>window.broken = 1</script>"
        assert "<script>window.broken" in shown.page.locator("#table-scores").inner_text()
        for number in range(shown.page.locator(".row").count()):
            shown.page.locator(f"#row-{number}").click()
            for view in ("aligned", "plain", "marked"):
                shown.page.locator(".tools select").select_option(view)
        assert shown.page.evaluate("window.broken") is None
        assert shown.page.locator("main img").count() == 0
        assert shown.console_messages == []


def test_a_policy_forbids_what_the_page_does_not_need(browser, folder: Path):
    with opened(browser, folder / "zh.html") as shown:
        shown.page.evaluate(
            """() => {
              const script = document.createElement("script");
              script.textContent = "window.broken = 1";
              document.body.append(script);
              const image = document.createElement("img");
              image.src = "https://example.org/x.png";
              document.body.append(image);
              document.body.setAttribute("style", "display: none");
            }"""
        )
        assert shown.page.evaluate("window.broken") is None
        assert shown.page.locator("body").is_visible()
        expected = ("Executing inline script", "Applying inline style", "Loading the image")
        assert all(map(str.startswith, shown.console_messages, expected))
        assert len(shown.console_messages) == len(expected)


def test_the_language_changes_everywhere(browser, folder: Path):
    with opened(browser, folder / "zh.html", language="en") as shown:
        page = shown.page
        assert page.locator("html").get_attribute("lang") == "en"
        before = page.locator("main").inner_text()
        page.click("#language")
        assert page.locator("html").get_attribute("lang") == "zh-Hans"
        after = page.locator("main").inner_text()
        for english, chinese in (
            ("Scores", "总分"),
            ("system", "系统"),
            ("recall in percent", "召回率"),
            ("Every sentence with its source", "每个句子的原文"),
            ("Reference 1", "参考答案 1"),
            ("Two systems differ", "两个系统不同"),
            ("CSV", "CSV"),
        ):
            assert english in before
            assert chinese in after
        assert page.locator("figure h3:visible").count() == page.locator("figure").count() > 5
        assert {
            element.get_attribute("lang") for element in page.locator(".plot:visible").all()
        } == {"zh-Hans"}


def test_the_first_screen_says_who_leads(browser, folder: Path):
    with opened(browser, folder / "zh.html", language="en", viewport=DESKTOP) as shown:
        headline = shown.page.locator(".headline")
        assert headline.inner_text().startswith("cautious leads with F0.5 ")
        shown.page.click("#language")
        assert headline.inner_text().startswith("cautious 得分最高（F0.5 ")
        bars = shown.page.locator("#table-scores svg.interval")
        widths = [bar.locator("rect").evaluate("r => r.width.baseVal.value") for bar in bars.all()]
        assert widths == sorted(widths, reverse=True)
        assert min(widths) > 0
        assert len({bar.bounding_box()["x"] for bar in bars.all()}) == 1
        box = bars.last.bounding_box()
        assert box["y"] + box["height"] < DESKTOP["height"]
    with opened(browser, folder / "hostile.html") as shown:
        assert shown.page.locator("#table-scores .remark").inner_text() == "no edits"


def test_the_choice_of_a_language_is_kept(browser, folder: Path):
    with opened(browser, folder / "hostile.html") as shown:
        shown.page.click("#language")
        shown.page.reload()
        shown.page.wait_for_function("document.documentElement.dataset.ready === 'yes'")
        assert shown.page.locator("html").get_attribute("lang") == "zh-Hans"


def background(page) -> str:
    return page.evaluate("getComputedStyle(document.documentElement).backgroundColor")


def test_the_theme_follows_the_system_until_it_is_chosen(browser, folder: Path):
    with opened(browser, folder / "zh.html", color_scheme="dark") as shown:
        assert background(shown.page) == "rgb(20, 23, 27)"
        shown.page.emulate_media(color_scheme="light")
        assert background(shown.page) == "rgb(255, 255, 255)"
        shown.page.select_option("#theme", "dark")
        assert background(shown.page) == "rgb(20, 23, 27)"
        line = shown.page.locator("figure svg:visible text").first
        assert line.evaluate("one => getComputedStyle(one).fill") != "rgb(28, 33, 39)"


def test_on_paper_nothing_is_folded_and_then_it_is_again(browser, folder: Path):
    with opened(browser, folder / "zh.html") as shown:
        locator = shown.page.locator("main details.made")
        assert locator.count() > 0
        shown.page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert locator.evaluate_all("all => all.every(one => one.open)")
        assert "metric:cherrant" in locator.first.inner_text()
        shown.page.evaluate("dispatchEvent(new Event('afterprint'))")
        assert not locator.evaluate_all("all => all.some(one => one.open)")


def test_columns_sort_and_what_is_absent_stands_last(browser, folder: Path):
    with opened(browser, folder / "zh.html") as shown:
        table = shown.page.locator("#table-scores")
        assert table.locator("tbody th").all_inner_texts() == ["cautious", "eager", "fluent"]
        head = table.locator("thead th").nth(2)
        head.get_by_role("button").click()
        assert head.get_attribute("aria-sort") == "descending"
        head.get_by_role("button").click()
        assert head.get_attribute("aria-sort") == "ascending"
        assert table.locator("tbody th").all_inner_texts() == ["fluent", "eager", "cautious"]
        values = table.locator("tbody tr td:nth-child(3)").all_inner_texts()
        assert [float(value) for value in values] == sorted(map(float, values))
        shown.page.locator("#compare details.more summary").click()
        matrix = shown.page.locator("#table-compare-p-cherrant")
        for _ in ("descending", "ascending"):
            matrix.locator("thead th").nth(1).get_by_role("button").click()
            assert matrix.locator("tbody tr:last-child td").first.inner_text() == "-"


def test_tables_and_figures_come_as_files(browser, folder: Path, tmp_path: Path):
    with opened(browser, folder / "zh.html", accept_downloads=True) as shown:
        texts = {}
        for name in ("scores.csv", "scores.tex", "scores-cherrant-plane.csv"):
            with shown.page.expect_download() as download:
                shown.page.click(f"button[data-file='{name}']")
            assert download.value.suggested_filename == name
            download.value.save_as(tmp_path / name)
            texts[name] = (tmp_path / name).read_text("utf-8-sig")
        rows = list(csv.DictReader(io.StringIO(texts["scores.csv"])))
        assert [row["system"] for row in rows] == ["cautious", "eager", "fluent"]
        assert 0.5 < float(rows[0]["F0.5"]) < 1
        assert r"\toprule" in texts["scores.tex"]
        assert "metric:cherrant" in texts["scores.tex"]
        figure = list(csv.DictReader(io.StringIO(texts["scores-cherrant-plane.csv"])))
        assert {row["label"] for row in figure} == {"cautious", "eager", "fluent"}
        assert shown.page.locator("button[data-file]:disabled").count() == 0


def test_the_sentences_in_the_list_come_as_files(browser, folder: Path, tmp_path: Path):
    with opened(browser, folder / "hostile.html", accept_downloads=True) as shown:
        shown.page.locator("[name=q]").fill("来")
        texts = {}
        for kind in ("CSV", "JSONL"):
            with shown.page.expect_download() as download:
                shown.page.locator("#explorer .files button", has_text=kind).click()
            texts[kind] = Path(download.value.path()).read_text("utf-8-sig")
    (line,) = texts["JSONL"].splitlines()
    (row,) = csv.DictReader(io.StringIO(texts["CSV"]))
    of = json.loads(line)
    assert of["source"] == HOSTILE[-1]
    assert of["references"] == [f"{HOSTILE[-1]}!", None]
    assert of["outputs"]["empty"] == row["empty"] == ""
    assert row["source"] == f"'{HOSTILE[-1]}"  # no spreadsheet computes it
    assert of["counts"]["empty"] == {kind.lower(): int(row[f"empty {kind}"]) for kind in COUNTS}


def test_figures_have_alternative_texts(browser, folder: Path):
    with opened(browser, folder / "zh.html") as shown:
        for plot in shown.page.locator(".plot svg").all():
            assert plot.get_attribute("role") == "img"
            assert len(plot.locator("desc").text_content()) > 20
        ids = shown.page.evaluate("[...document.querySelectorAll('[id]')].map((one) => one.id)")
        assert len(ids) == len(set(ids))


PIXELS = """(text) => {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 64;
  const pen = canvas.getContext("2d");
  pen.font = "48px " + getComputedStyle(document.querySelector(".text")).fontFamily;
  pen.fillText(text, 4, 52);
  return pen.getImageData(0, 0, 64, 64).data.join();
}"""


def test_chinese_characters_are_not_boxes(browser, folder: Path):
    with opened(browser, folder / "zh.html") as shown:
        drawn = [shown.page.evaluate(PIXELS, text) for text in "\U0010ffff语法错"]
        assert len(set(drawn)) == 4
        assert all(any(value != "0" for value in line.split(",")) for line in drawn[1:])


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_the_page_never_scrolls_sideways(browser, folder: Path, size: dict):
    for name in ("zh", "hostile"):
        with opened(browser, folder / f"{name}.html", viewport=size) as shown:
            for view in ("marked", "aligned", "plain"):
                shown.page.locator(".tools select").select_option(view)
                width = shown.page.evaluate("document.documentElement.scrollWidth")
                assert width <= size["width"]


@pytest.mark.parametrize(
    ("scheme", "language", "size"),
    [("light", "en", PHONE), ("dark", "zh", DESKTOP)],
    ids=["phone-en-light", "desktop-zh-dark"],
)
def test_axe_finds_nothing(browser, folder: Path, scheme: str, language: str, size: dict):
    from axe_playwright_python.sync_playwright import Axe

    options = {"color_scheme": scheme, "viewport": size}
    options["language"] = language
    with opened(browser, folder / "zh.html", "#s=zh-001", **options) as shown:
        for details in shown.page.locator("details").all():
            details.evaluate("one => { one.open = true; }")
        for view, part in (("aligned", None), ("marked", "#explorer")):
            shown.page.locator(".tools select").select_option(view)
            report = Axe().run(shown.page, part, {"resultTypes": ["violations"]})
            assert report.violations_count == 0, report.generate_report()


def test_an_old_browser_is_told_what_is_missing(browser, folder: Path):
    context = browser.new_context()
    page = context.new_page()
    page.add_init_script("delete window.DecompressionStream")
    page.goto((folder / "hostile.html").as_uri())
    page.wait_for_selector(".failure")
    assert "Chrome 80" in page.locator("#explorer").inner_text()
    page.click("#language")
    assert "此浏览器" in page.locator("#explorer").inner_text()
    context.close()


def test_without_scripts_tables_and_figures_can_be_read(browser, folder: Path):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((folder / "hostile.html").as_uri())
    assert "empty" in page.locator("#table-scores").inner_text()
    assert page.locator("figure svg:visible").count() > 5
    assert "need JavaScript" in page.locator("#sentences").inner_text()
    context.close()


def test_on_paper_the_sentence_is_there_and_the_tools_are_not(browser, folder: Path):
    with opened(browser, folder / "zh.html", "#s=zh-001", color_scheme="dark") as shown:
        shown.page.emulate_media(media="print", color_scheme="dark")
        assert background(shown.page) == "rgb(255, 255, 255)"
        assert not shown.page.locator(".bar").is_visible()
        assert not shown.page.locator(".list").is_visible()
        assert shown.page.locator(".versions").is_visible()


def test_the_table_of_pairs_fits_a_window_of_1280_pixels(browser, folder: Path):
    with opened(browser, folder / "zh.html", viewport={"width": 1280, "height": 900}) as shown:
        box = shown.page.locator(".scroll:has(> #table-compare-pairs)")
        assert box.evaluate("box => box.scrollWidth <= box.clientWidth")


@pytest.mark.parametrize("size", [DESKTOP, PHONE])
def test_scores_beside_their_bars_stay_in_their_column(browser, folder: Path, size: dict):
    with opened(browser, folder / "zh.html", viewport=size) as shown:
        cells = shown.page.locator("td:has(> .interval)")
        assert cells.count() >= 2
        beyond = cells.evaluate_all(
            """cells => cells.filter(cell => {
              const range = document.createRange();
              range.selectNodeContents(cell);
              const box = cell.getBoundingClientRect();
              const boxes = [...range.getClientRects()];
              return boxes.some(r => r.right > box.right || r.left < box.left);
            }).length"""
        )
        assert beyond == 0
