"""Moving through the report page in a real browser: links, reloads, keys, focus, sizes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from report_pages import Opened, samples_page
from report_pages import opened as opened_in

from gecbench.api.files import sample
from gecbench.api.options import Options
from gecbench.api.report import report
from gecbench.api.robustness import load_perturbed, robustness
from gecbench.core.sample import Corpus, Rewrite, Sample, SystemOutput
from gecbench.formats.perturbed import read_outputs
from gecbench.lang.zh.char import scheme
from gecbench.reports.page import render_html
from gecbench.reports.robustness import build_report

DESKTOP = {"width": 1440, "height": 900}
PHONE = {"width": 390, "height": 844}
ZOOMED = {"width": 720, "height": 450}
TOP = "one => one.getBoundingClientRect().top"

opened = partial(opened_in, language="en")


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory, once: Callable[..., str]) -> Path:
    """The page of the Chinese samples."""
    folder = tmp_path_factory.mktemp("page") / "zh.html"
    folder.write_text(samples_page(once), encoding="utf-8")
    return folder


@pytest.fixture
def shown(browser, file: Path) -> Iterator[Opened]:
    """The page, just opened."""
    with opened(browser, file, viewport=DESKTOP) as page:
        yield page


def pick(shown: Opened, name: str, value: str) -> None:
    shown.page.locator(f".filters [name={name}]").select_option(value)


def reload(shown: Opened) -> None:
    shown.page.reload()
    shown.page.wait_for_function("document.documentElement.dataset.ready === 'yes'")


def top(shown: Opened, place: str) -> float:
    """How far below the window's upper edge a place begins, once the page rests."""
    shown.page.wait_for_timeout(100)
    return shown.page.locator(place).evaluate(TOP)


def focused(shown: Opened) -> str:
    return shown.page.evaluate(
        "document.activeElement.dataset.key ?? document.activeElement.className"
    )


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("hash_of", ["#sentences", "#difficulty", "#s=zh-020"])
def test_a_link_opens_at_what_it_names(browser, file: Path, hash_of: str, size: dict):
    place = "#explorer" if "=" in hash_of else hash_of
    with opened(browser, file, hash_of, viewport=size) as shown:
        bar = shown.page.locator(".bar").bounding_box()["height"]
        assert bar <= top(shown, place) <= bar + 40


def test_a_link_to_a_section_is_followed_at_once(shown: Opened):
    shown.page.locator(".bar nav a[href='#sentences']").click()
    assert shown.page.locator("#sentences").evaluate(TOP) < 100


def test_filters_outlast_a_look_at_another_part_and_a_reload(shown: Opened):
    pick(shown, "system", "eager")
    pick(shown, "outcome", "false")
    shown.page.locator("#row-2").click()
    result, sentence = shown.result_count(), shown.shown()
    assert 2 < result < 76
    shown.page.locator(".bar nav a[href='#difficulty']").click()
    assert (shown.result_count(), shown.shown()) == (result, sentence)
    reload(shown)
    assert shown.page.evaluate("location.hash") == "#difficulty"
    assert (shown.result_count(), shown.shown()) == (result, sentence)
    assert shown.page.locator("[name=outcome]").input_value() == "false"
    shown.page.go_back()
    assert (shown.result_count(), shown.shown()) == (result, sentence)


def test_a_look_at_another_part_leaves_a_search_that_found_nothing(shown: Opened):
    shown.page.locator("[name=q]").fill("不在任何句子里的话")
    shown.page.locator(".bar nav a[href='#difficulty']").click()
    shown.page.wait_for_timeout(50)
    assert shown.result_count() == 0
    shown.page.locator("#language").click()
    assert "没有符合条件的句子" in shown.page.locator(".sentence").inner_text()


@pytest.mark.parametrize("where", [500, 1500])
def test_a_reload_stays_where_the_reader_was(shown: Opened, where: int):
    shown.page.locator("#row-2").click()  # now the address names a sentence
    shown.page.evaluate(f"scrollTo(0, {where})")
    shown.page.wait_for_timeout(100)
    reload(shown)
    shown.page.wait_for_timeout(200)
    assert abs(shown.page.evaluate("scrollY") - where) < 5


def test_the_focus_stays_on_the_button_that_goes_on(shown: Opened):
    pick(shown, "sort", "position")
    shown.page.get_by_role("button", name="Next sentence (j)").focus()
    for number in (2, 3):
        shown.page.keyboard.press("Enter")
        assert shown.shown() == f"zh-{number:03}"
        assert focused(shown) == "next"
    shown.page.get_by_role("button", name="Previous sentence (k)").focus()
    for number in (2, 1, 1):
        shown.page.keyboard.press("Enter")
        assert shown.shown() == f"zh-{number:03}"
        assert focused(shown) == "previous"


def test_at_the_ends_the_buttons_say_that_they_lead_nowhere(shown: Opened):
    def spoken_states() -> list[str | None]:
        steps = shown.page.locator(".tools button")
        return [steps.nth(at).get_attribute("aria-disabled") for at in (0, 1)]

    shown.page.locator(".list").focus()
    shown.page.keyboard.press("Home")
    assert spoken_states() == ["true", None]
    shown.page.keyboard.press("End")
    assert spoken_states() == [None, "true"]


def test_a_key_in_the_text_leads_to_the_text_of_the_next_sentence(shown: Opened):
    shown.page.locator("#explorer .edit").first.focus()
    shown.page.keyboard.press("j")
    assert focused(shown) == "sentence-body"
    shown.page.keyboard.press("Tab")
    assert focused(shown).startswith("edit")
    shown.page.locator(".tools select").focus()
    shown.page.locator(".tools select").select_option("plain")
    assert focused(shown) == "shown"


@pytest.mark.parametrize("key", ["Enter", " "])
def test_an_edit_answers_the_keys_of_a_button(shown: Opened, key: str):
    hint, mark = shown.page.locator("#hint"), shown.page.locator("#explorer .edit").first
    mark.focus()
    assert hint.is_visible()
    before = shown.page.evaluate("scrollY")
    shown.page.keyboard.press(key)
    assert not hint.is_visible()
    shown.page.keyboard.press(key)
    assert hint.is_visible()
    assert shown.page.evaluate("scrollY") == before


COVERED = """() => {
  const bar = document.querySelector(".bar");
  const one = document.activeElement;
  const found = one.getClientRects()[0];
  if (!found || one === document.body || bar.contains(one) || one.matches(".skip")) return null;
  return found.top < bar.getBoundingClientRect().bottom - 1 ? one.outerHTML.slice(0, 90) : null;
}"""


@pytest.mark.parametrize("size", [PHONE, ZOOMED], ids=["phone", "zoomed"])
def test_what_has_the_focus_is_never_under_the_bar(browser, file: Path, size: dict):
    with opened(browser, file, "#s=zh-001", viewport=size) as shown:
        shown.page.locator("[name=q]").focus()
        covered = []
        for key in ("Tab", "Shift+Tab"):
            for _ in range(40):
                shown.page.keyboard.press(key)
                covered.append(shown.page.evaluate(COVERED))
        assert [item for item in covered if item] == []


def test_details_stay_beside_an_edit_that_the_focus_scrolled_to(browser, file: Path):
    with opened(browser, file, "#s=zh-001", viewport=ZOOMED) as shown:
        shown.page.evaluate("scrollTo(0, 0)")
        shown.page.locator("#explorer .edit").last.focus()
        shown.page.wait_for_timeout(200)
        assert shown.page.locator("#hint").is_visible()


@pytest.mark.parametrize("size", [PHONE, ZOOMED], ids=["phone", "zoomed"])
def test_a_key_brings_the_sentence_that_it_shows_into_sight(browser, file: Path, size: dict):
    with opened(browser, file, "#s=zh-001", viewport=size) as shown:
        for key in "jkv":
            shown.page.evaluate("scrollTo(0, 0)")
            shown.page.locator("h1").click()
            shown.page.keyboard.press(key)
            assert 0 <= top(shown, ".sentence") <= size["height"] / 2
        shown.page.keyboard.press("/")
        assert 0 <= top(shown, "[name=q]") <= size["height"]


def test_unfolded_filters_say_so_in_each_language(browser, file: Path):
    with opened(browser, file, viewport=PHONE) as shown:
        unfold = shown.page.locator(".unfold")
        assert unfold.get_attribute("aria-expanded") == "false"
        unfold.click()
        shown.page.locator("#language").click()
        assert unfold.get_attribute("aria-expanded") == "true"
        assert shown.page.locator("[name=min]").is_visible()


def test_a_field_that_says_nothing_alone_is_shut(shown: Opened):
    def shut() -> list[bool]:
        names = ("outcome", "differ", "b")
        return [shown.page.locator(f".filters [name={name}]").is_disabled() for name in names]

    assert shut() == [True, True, True]
    pick(shown, "system", "eager")
    pick(shown, "a", "eager")
    assert shut() == [False, False, False]
    assert shown.page.locator("[name=b] option[value=eager]").is_disabled()
    pick(shown, "outcome", "right")
    pick(shown, "b", "fluent")
    assert shown.result_count() < 76
    pick(shown, "system", "")
    pick(shown, "a", "")
    assert (shut(), shown.result_count()) == ([True, True, True], 76)
    assert shown.page.locator("[name=outcome]").input_value() == ""
    assert "outcome" not in shown.view()
    assert "b" not in shown.view()


def test_a_system_and_a_type_find_what_the_system_made_of_that_type(shown: Opened):
    pick(shown, "type", "M")
    anybody = shown.result_count()
    result = {}
    for outcome in ("", "true", "false"):
        pick(shown, "system", "cautious")
        pick(shown, "outcome", outcome)
        result[outcome] = shown.result_count()
    assert (
        max(result["true"], result["false"]) <= result[""] <= result["true"] + result["false"] + 1
    )
    assert 0 < result[""] < anybody


CUT = """() => [...document.querySelectorAll("figure .plot")].filter((one) => one.clientHeight &&
  one.scrollHeight > one.clientHeight + 1).map((one) => one.closest("figure").id)"""


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_no_figure_is_cut(browser, file: Path, size: dict):
    with opened(browser, file, viewport=size) as shown:
        assert shown.page.locator(".plot:visible, .cards:visible").count() > 5
        figure = "document.querySelector('.plot:not([lang=zh-Hans]) svg')"
        shown.page.evaluate(f"{figure}.setAttribute('viewBox', '0 0 300 900')")
        assert shown.page.evaluate(CUT) == []


def test_on_a_phone_figures_fit_and_the_way_to_the_sentences_is_in_sight(browser, file: Path):
    wide = """() => [...document.querySelectorAll("figure .plot, figure .cards")].filter((one) =>
      one.scrollWidth > one.clientWidth).map((one) => one.closest("figure").id)"""
    with opened(browser, file, viewport=PHONE) as shown:
        assert shown.page.evaluate(wide) == []
        link = shown.page.locator(".bar nav a[href='#sentences']").bounding_box()
        nav = shown.page.locator(".bar nav").bounding_box()
        assert link["x"] + link["width"] <= nav["x"] + nav["width"]


def test_charts_show_five_systems_of_the_reader_s_choice(browser, tmp_path: Path):
    corpus = Corpus(
        "c", tuple(Sample(n, f"他去校{n}", (Rewrite(f"他去了校{n}"),)) for n in "ab"), "zh"
    )
    outputs = {"one": "他去了校", "two, 2": "他去了校", "three": "他去的校", "four": "他去了了校"}
    outputs |= {"five": "她去校", "six": "他们去校", "copy": "他去校"}
    systems = [
        SystemOutput(name, {n: (Rewrite(f"{text}{n}"),) for n in "ab"})
        for name, text in outputs.items()
    ]
    page = report(corpus, systems, scheme="zh-char", options=Options())
    (tmp_path / "r.html").write_text(render_html(page, "en"), encoding="utf-8")
    with opened_in(browser, tmp_path / "r.html", "#breakdown", viewport=PHONE) as shown:
        chart, buttons = (
            shown.page.locator("#breakdown-type-1"),
            shown.page.locator("#scores .systems"),
        )
        names = chart.locator(".card").first.locator(".bar-name:visible")
        assert shown.page.locator(".plot:visible").count() == 0
        assert names.all_inner_texts() == list(page.systems[:5])
        assert page.systems[-1] == "copy"
        buttons.get_by_role("button", name=page.systems[5]).press("Enter")
        assert (
            f"{page.systems[5]} is shown in place of"
            in shown.page.locator("#choice-status").inner_text()
        )
        buttons.get_by_role("button", name=page.systems[0]).click()
        left = names.all_inner_texts()
        assert len(left) == 4
        assert left == [*page.systems[1:4], page.systems[5]]
        assert "two, 2" in left  # a comma in the address divides nothing
        reload(shown)
        assert names.all_inner_texts() == left
        pressed = shown.page.locator("#references, #compare, #breakdown").locator(
            ".systems [aria-pressed=true]"
        )
        assert {button.inner_text() for button in pressed.all()} == set(left)
        small = "all => all.filter((one) => parseFloat(getComputedStyle(one).fontSize) < 10).length"
        assert shown.page.locator("body :visible").evaluate_all(small) == 0


def test_files_stand_beside_the_title_that_they_are_of(shown: Opened):
    apart = """() => [...document.querySelectorAll(".part figure .caption, .tables .caption")]
      .filter((one) => one.clientHeight)
      .map((one) => [...one.children].map((child) => child.getBoundingClientRect()))
      .filter(([title, files]) => files.left < title.right || files.top > title.bottom).length"""
    assert shown.page.locator(".caption:visible").count() > 10
    longer = (
        "all => all.forEach((one) => { one.firstChild.textContent = 'A long title '.repeat(20); })"
    )
    shown.page.locator(".part figure h3, .tables h3").evaluate_all(longer)
    assert shown.page.evaluate(apart) == 0


def test_the_bar_of_difficulty_says_what_it_is(shown: Opened):
    attribute = shown.page.locator(".row .difficulty").first.get_attribute("title")
    assert attribute.startswith("difficulty ")


def test_names_are_shown_whole(shown: Opened):
    cut = """() => [...document.querySelectorAll(".sortable .word")].filter((one) =>
      one.scrollWidth > one.clientWidth + 1).length"""
    name = "a-system-of-a-very-long-name-" * 6
    shown.page.locator("#table-scores tbody th bdi").first.evaluate(
        "(one, name) => { one.textContent = name; }", name
    )
    assert shown.page.evaluate(cut) == 0
    page = "document.documentElement"
    assert shown.page.evaluate(f"{page}.scrollWidth <= {page}.clientWidth")


def test_a_wide_table_fits_on_paper_and_its_cells_are_in_the_language(browser, tmp_path: Path):
    cases = load_perturbed(sample("zh", "perturbed.txt"))
    outputs = [read_outputs(sample("zh", "perturbed-swayed.txt"), cases, name="swayed")]
    more = build_report(robustness(cases, outputs, scheme=scheme()))
    corpus = Corpus("c", (Sample("s", "他去校", (Rewrite("他去了校"),)),), "zh")
    system = SystemOutput("a", {"s": (Rewrite("他去校"),)})
    page = report(corpus, [system], scheme="zh-char", options=Options(), more=(more,))
    (tmp_path / "r.html").write_text(render_html(page, "zh"), encoding="utf-8")
    with opened_in(browser, tmp_path / "r.html", viewport={"width": 720, "height": 1000}) as shown:
        table = shown.page.locator("#table-robustness-scores")
        assert "（照抄输入）" in table.inner_text()
        assert "copies" not in table.inner_text()
        shown.page.emulate_media(media="print")
        assert table.evaluate("one => one.offsetWidth") <= 720
        assert shown.page.evaluate("document.documentElement.scrollWidth") <= 720
