"""Study until the text is right, a complaint until it is upheld; both by keyboard."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect
from server.browser.atreview import SAMPLES, ZH, golden, in_study, press


def at_item(live, browser, study: int, login: str = "a3", **options: object):
    page = live.page(browser, login, **options)
    page.set_default_timeout(20_000)
    page.goto(f"/p/story/study/{study}")
    page.locator("#text:focus").wait_for()
    return page


def typed(page, text: str) -> None:
    press(page, "Control+A")
    page.keyboard.insert_text(text)


@pytest.mark.parametrize(("lang", "language"), [("zh", "zh-hans"), ("en", "en")])
def test_a_failed_try_reveals_and_a_golden_text_closes_stu_3_stu_4(live, browser, lang, language):
    _, study = in_study(live, lang=lang, language=language)
    sample = SAMPLES[lang]
    page = at_item(live, browser, study)
    assert page.locator("#golden").count() == 0
    typed(page, sample["over"] + "!")
    press(page, "Control+Enter")
    page.locator(".golden-line").first.wait_for()
    expect(page.locator("#text")).to_have_value(sample["over"] + "!")
    assert page.locator("[data-told]").inner_text() != ""
    typed(page, sample["good"])
    press(page, "Control+Enter")
    page.locator("[data-next]:focus").wait_for()
    assert page.locator("#study-form").count() == 0
    press(page, "Enter")
    page.wait_for_url("**/p/story/study")
    page.context.close()


def test_what_was_typed_stays_after_a_reload_and_refused_texts_say_why(live, browser):
    _, study = in_study(live, reveal_after=None)
    page = at_item(live, browser, study)
    typed(page, "因为昨天下")
    page.reload()
    expect(page.locator("#text")).to_have_value("因为昨天下")
    assert "typed before" in page.locator("[data-told]").inner_text()
    typed(page, ZH["source"])
    expect(page.locator("[data-told]")).to_have_text("This is the original.")
    page.set_viewport_size({"width": 390, "height": 420})  # a phone with its keyboard open
    page.evaluate("scrollTo(0, 0)")
    press(page, "Control+Enter")
    expect(page.locator("[data-problems] .problem")).to_be_in_viewport()
    press(page, "Alt+R")
    expect(page.locator("#text")).to_have_value(ZH["over"])
    press(page, "Alt+M")
    assert "[缺失成分]" in page.locator("#text").input_value()
    press(page, "Control+Enter")
    expect(page.locator("[data-told]")).to_contain_text("Not right yet:")
    press(page, "Alt+G")
    expect(page.locator("[data-told]")).to_contain_text("Not right yet:")
    assert page.locator(".golden-line").count() == 0
    page.context.close()


def test_enter_in_a_composition_tries_nothing(live, browser):
    _, study = in_study(live)
    page = at_item(live, browser, study)
    client = page.context.new_cdp_session(page)
    client.send("Input.imeSetComposition", {"text": "ni", "selectionStart": 2, "selectionEnd": 2})
    client.send(
        "Input.dispatchKeyEvent",
        {"type": "keyDown", "key": "Enter", "windowsVirtualKeyCode": 229, "modifiers": 2},
    )
    client.send("Input.insertText", {"text": "你"})
    expect(page.locator("#text")).to_have_value("你" + ZH["over"])
    press(page, "Enter")
    expect(page.locator("#text")).to_have_value("你" + ZH["over"])
    assert page.locator("[data-told]").inner_text() == ""
    page.context.close()


def test_an_unreached_server_loses_nothing(live, browser):
    _, study = in_study(live)
    page = at_item(live, browser, study)
    typed(page, "因为昨天下雨。")
    page.context.set_offline(True)
    press(page, "Control+Enter")
    page.get_by_text("Nothing is lost; try again.").wait_for()
    page.context.set_offline(False)
    typed(page, ZH["good"])
    press(page, "Control+Enter")
    page.locator("[data-next]").wait_for()
    page.context.close()


def test_i_insist_until_it_is_upheld_cmp_1_cmp_3(live, browser):
    _, study = in_study(live, reviewers=("rita", "ruth"))
    author = at_item(live, browser, study)
    press(author, "Alt+I")
    author.keyboard.insert_text("游玩更自然。")
    press(author, "Tab", "Enter")
    author.wait_for_url("**/problems/*")
    judge = live.page(browser, "ruth")
    judge.goto("/p/story/problems")
    judge.locator(".item-link").press("Enter")
    judge.get_by_text("游玩更自然。").wait_for()
    judge.locator("#say").fill("有道理。")
    judge.get_by_role("button", name="Send").press("Enter")
    judge.get_by_text("is discussed").wait_for()
    judge.locator("[value=upheld_changed]").press("Space")
    changed = "因为昨天下雨，所以我们没去公园游玩。"
    judge.locator("#ruling-text").fill(changed)
    expect(judge.locator("#ruling-form ins")).not_to_have_count(0)
    judge.locator("#ruling-form button").press("Enter")
    judge.get_by_text("The complaint is decided.").wait_for()
    assert changed in golden(live)
    author.reload()
    author.get_by_text("有道理。").wait_for()
    author.get_by_role("link", name="To the study item").press("Enter")
    author.get_by_text("The complaint was upheld").wait_for()
    author.context.close()
    judge.context.close()
