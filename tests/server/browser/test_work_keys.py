"""The whole annotation step by keyboard only, and the contract with input methods (4.6, 4.7)."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect
from server.browser.atwork import (
    EN,
    ZH,
    at_work,
    number,
    project,
    replace_all,
    texts_on_server,
    wait_for_state,
)

from gecbench.server.models import Person


def next_task(page, was):
    """Wait until another task is shown."""
    page.wait_for_function(
        "was => document.getElementById('task-number').textContent !== was", arg=was
    )


def focused(page):
    return page.evaluate("document.activeElement.id")


def test_each_button_of_each_box_shows_the_key_that_the_person_chose(live, browser):
    project(live, "li")
    with live.rows():
        chosen = {"keys": {"remove": "Alt+X", "copy": "Alt+Q"}}
        Person.objects.filter(login="li").update(preferences=chosen)
    page = at_work(live, browser, "li")
    page.keyboard.press("Alt+a")
    for act, key in (("remove", "Alt+X"), ("copy", "Alt+Q"), ("reset", "Alt+R")):
        expect(page.locator(f"#boxes section:last-child [data-act={act}] kbd")).to_have_text(key)
    page.keyboard.press("Alt+x")
    assert page.locator("#boxes textarea").count() == 1
    page.context.close()


def test_what_a_hint_says_is_not_said_again_when_it_is_asked_con_6(live, browser):
    project(live, "li")
    page = at_work(live, browser, "li")
    replace_all(page, "下雨了,我们没去公园。")
    expect(page.locator(".hints li")).to_have_count(1)
    page.keyboard.press("Control+Enter")
    problem = page.locator("[data-part=problems] .problem")
    expect(problem).to_have_count(1)
    expect(page.locator(".hints li")).to_have_count(0)
    problem.get_by_role("button").click()  # the repair came with it
    expect(page.locator("#reference-0")).to_have_value("下雨了，我们没去公园。")
    expect(problem).to_have_count(0)
    page.context.close()


@pytest.mark.parametrize(("lang", "language"), [("zh", "zh-hans"), ("en", "en")])
def test_a_key_and_a_button_show_the_text_of_a_box_clean(live, browser, lang, language):
    project(live, "li", lang=lang, language=language)
    page = at_work(live, browser, "li")
    shown = page.locator("#boxes .diff").first
    button = page.locator("#boxes [data-act=clean]")
    text = "我昨天去图书馆借了书！" if lang == "zh" else "He speaks Chinese well!"
    replace_all(page, text)
    expect(shown.locator("del").first).to_be_visible()
    page.keyboard.press("Alt+l")
    expect(button).to_have_attribute("aria-pressed", "true")
    assert shown.inner_text() == text
    page.keyboard.insert_text("!")
    assert shown.inner_text() == f"{text}!"
    page.keyboard.press("Alt+a")  # each box for itself
    expect(button.nth(1)).to_have_attribute("aria-pressed", "false")
    button.first.click()
    expect(button.first).to_have_attribute("aria-pressed", "false")
    expect(shown.locator("del").first).to_be_visible()
    page.context.close()


@pytest.mark.parametrize(("lang", "language"), [("zh", "zh-hans"), ("en", "en")])
def test_ann_1_to_5_boxes_by_keyboard_only(live, browser, lang, language):
    project(live, "li", lang=lang, language=language)
    page = at_work(live, browser, "li")
    source = page.locator("#sentence").inner_text()
    assert source in (ZH if lang == "zh" else EN)
    box, second = page.locator("#reference-0"), page.locator("#reference-1")
    assert box.input_value() == source  # ANN-3
    assert focused(page) == "reference-0"
    assert page.evaluate("document.activeElement.selectionStart") == 0
    page.keyboard.insert_text("甲" if lang == "zh" else "Well ")
    page.keyboard.press("Alt+a")  # ANN-4: from the original
    assert second.input_value() == source
    page.keyboard.press("Alt+c")
    assert second.input_value() == box.input_value()
    page.keyboard.press("Control+z")  # what a key typed is taken back like typing
    assert second.input_value() == source
    page.keyboard.press("Alt+m")
    assert second.input_value().count("[") == 1
    page.keyboard.press("Alt+r")
    assert second.input_value() == source
    page.keyboard.press("Alt+Backspace")  # ANN-5
    assert page.locator("#boxes textarea").count() == 1
    page.keyboard.press("Alt+u")
    assert page.locator("#boxes textarea").count() == 2
    page.keyboard.press("Alt+1")
    assert focused(page) == "reference-0"
    page.keyboard.press("Alt+ArrowDown")
    assert focused(page) == "reference-1"
    page.context.close()


@pytest.mark.parametrize(("lang", "language"), [("zh", "zh-hans"), ("en", "en")])
def test_ann_6_to_14_decisions_by_keyboard_only(live, browser, lang, language):
    project(live, "li", lang=lang, language=language)
    page = at_work(live, browser, "li")
    page.keyboard.insert_text("甲" if lang == "zh" else "Well ")
    task = number(page)
    page.keyboard.press("Control+Enter")  # ANN-8
    next_task(page, task)
    assert focused(page) == "reference-0"
    assert len(texts_on_server(live)) == 1
    following = number(page)
    page.keyboard.press("Alt+z")  # ANN-13
    next_task(page, following)
    assert number(page) == task
    page.keyboard.press("Control+Enter")
    next_task(page, task)
    second = number(page)
    page.keyboard.press("Alt+p")  # ANN-14
    next_task(page, second)
    page.keyboard.press("Alt+n")  # ANN-6
    assert focused(page) == "reason"
    page.keyboard.press("Control+Enter")
    page.locator("#reason-problem:not(:empty)").wait_for()
    page.keyboard.press("ArrowDown")
    with page.expect_navigation():
        page.keyboard.press("Control+Enter")
    assert page.locator("#undo").is_visible()
    assert page.locator("h1").inner_text() in ("Nothing to do now", "现在没有任务")
    with page.expect_navigation():
        page.keyboard.press("Alt+z")
    assert page.locator("#reason").input_value() == "incomprehensible"
    page.context.close()


def test_ann_10_the_source_is_answered_with_an_offer_that_one_key_takes(live, browser):
    project(live, "li", texts=(ZH[0],))
    page = at_work(live, browser, "li")
    page.keyboard.press("Control+Enter")
    page.locator("#offer").wait_for()
    assert page.locator(".box .problem").inner_text() == "This is the original sentence."
    page.keyboard.press("Control+Enter")  # the same again is no answer to the question
    page.locator("#submit:not([disabled])").wait_for()
    assert texts_on_server(live) == []
    with page.expect_navigation():
        page.keyboard.press("Alt+g")
    from gecbench.server.models import Submission

    with live.rows():
        assert Submission.objects.get().decision == "error_free"
    page.context.close()


def test_ann_11_and_warnings_are_shown_once_and_confirmed_by_the_same_key(live, browser):
    project(live, "li", texts=(ZH[0],))
    page = at_work(live, browser, "li")
    replace_all(page, "我去了图书馆,借了书。")
    page.keyboard.press("Alt+a")
    replace_all(page, "我去了图书馆,借了书。")
    page.keyboard.press("Control+Enter")
    page.locator("#said:not([hidden])").wait_for()
    assert page.locator("#boxes textarea").count() == 1
    assert "merged" in page.locator("#said").inner_text()
    with page.expect_navigation():
        page.keyboard.press("Control+Enter")
    assert texts_on_server(live) == [["我去了图书馆,借了书。"]]
    page.context.close()


def test_gui_3_the_drawer_never_covers_the_box_keeps_its_place_and_gives_the_focus_back(
    live, browser
):
    project(live, "li")
    page = at_work(live, browser, "li", viewport={"width": 1280, "height": 800})
    page.keyboard.insert_text("甲")
    page.keyboard.press("F1")
    page.locator("#drawer .guide-body").wait_for()
    page.wait_for_function("document.activeElement.type === 'search'")
    box = page.locator("#reference-0").bounding_box()
    drawer = page.locator("#drawer").bounding_box()
    assert box["x"] + box["width"] <= drawer["x"]
    page.evaluate("document.querySelector('#drawer [data-part=guide]').scrollTop = 700")
    page.keyboard.press("Escape")
    assert not page.locator("#drawer").is_visible()
    assert page.evaluate("[document.activeElement.id, document.activeElement.selectionStart]") == [
        "reference-0",
        1,
    ]
    page.keyboard.press("Control+/")
    page.locator("#drawer").wait_for()
    page.wait_for_function(
        "Math.abs(document.querySelector('#drawer [data-part=guide]').scrollTop - 700) < 2"
    )
    page.keyboard.insert_text("没有")
    page.locator("#drawer-hits li").first.wait_for()
    page.locator("#drawer-hits a").first.click()
    assert page.url.endswith("/work")
    page.context.close()


def composed(page, cdp, text):
    cdp.send(
        "Input.imeSetComposition",
        {"text": text, "selectionStart": len(text), "selectionEnd": len(text)},
    )


def key_229(cdp, key="Enter", code="Enter", modifiers=0):
    """A key that the input method takes: the page sees code 229."""
    for kind in ("rawKeyDown", "keyUp"):
        cdp.send(
            "Input.dispatchKeyEvent",
            {
                "type": kind,
                "key": key,
                "code": code,
                "modifiers": modifiers,
                "windowsVirtualKeyCode": 229,
                "nativeVirtualKeyCode": 229,
            },
        )


@pytest.fixture
def pinyin(live, browser):
    """A page in whose box the letters of pinyin stand, not committed yet."""
    project(live, "li")
    page = at_work(live, browser, "li")
    cdp = page.context.new_cdp_session(page)
    page.evaluate("""() => {
        window.sent = [];
        const plain = window.fetch;
        window.fetch = (url, options) => {
            window.sent.push(options.method + ' ' + url);
            return plain(url, options);
        };
    }""")
    composed(page, cdp, "sushe")
    yield page, cdp
    page.context.close()


def sent(page):
    return page.evaluate("window.sent")


def test_4_7_no_key_does_anything_while_an_input_method_composes(pinyin):
    page, cdp = pinyin
    for key, code, modifiers in (
        ("Enter", "Enter", 0),
        ("Enter", "Enter", 2),
        (" ", "Space", 0),
        ("2", "Digit2", 0),
        ("Escape", "Escape", 0),
        ("g", "KeyG", 1),
        ("a", "KeyA", 1),
    ):
        key_229(cdp, key, code, modifiers)
        page.wait_for_timeout(200)
        assert page.locator("#boxes textarea").count() == 1, key
        assert page.locator("#rewriting").is_visible(), key
        assert not any("submit" in address for address in sent(page)), key
    cdp.send("Input.insertText", {"text": "宿舍"})
    assert page.locator("#reference-0").input_value().startswith("宿舍")


def test_4_7_nothing_is_saved_or_drawn_before_the_commit_and_ctrl_enter_works_after_it(pinyin):
    page, cdp = pinyin
    page.wait_for_timeout(1500)
    assert sent(page) == []
    assert page.locator("[data-part=count]").inner_text() == "no change yet"
    cdp.send("Input.insertText", {"text": "宿舍"})
    page.wait_for_function("document.querySelector('[data-part=count]').textContent === '1 edit'")
    task = number(page)
    page.keyboard.press("Enter")  # a plain one: a sentence is one line, and nothing is handed in
    assert "\n" not in page.locator("#reference-0").input_value()
    assert number(page) == task
    page.keyboard.press("Control+Enter")
    page.wait_for_function(
        "was => document.getElementById('task-number').textContent !== was", arg=task
    )
    assert sum("submit" in address for address in sent(page)) == 1


def test_4_7_the_commit_can_be_undone_by_the_browsers_own_key(pinyin):
    page, cdp = pinyin
    before = page.locator("#sentence").inner_text()
    cdp.send("Input.insertText", {"text": "宿舍"})
    page.keyboard.press("Control+z")
    assert page.locator("#reference-0").input_value() in (before, "sushe" + before)


def test_4_7_a_key_right_after_the_end_of_a_composition_still_belongs_to_it(live, browser):
    """Safari's order: compositionend comes before the keydown that caused it."""
    project(live, "li")
    page = at_work(live, browser, "li")
    task = number(page)
    page.keyboard.insert_text("甲")
    wait_for_state(page, "saved")
    page.evaluate("""() => {
        const box = document.getElementById('reference-0');
        box.dispatchEvent(new CompositionEvent('compositionstart', { bubbles: true }));
        box.dispatchEvent(new CompositionEvent('compositionend', { bubbles: true }));
        box.dispatchEvent(new KeyboardEvent('keydown', {
            key: 'Enter', code: 'Enter', ctrlKey: true, bubbles: true, cancelable: true }));
    }""")
    page.wait_for_timeout(400)
    assert (number(page), texts_on_server(live)) == (task, [])
    page.keyboard.press("Control+Enter")
    page.wait_for_function(
        "was => document.getElementById('task-number').textContent !== was", arg=task
    )
    page.context.close()


def test_4_7_losing_the_focus_in_mid_composition_ends_it(pinyin):
    page, _ = pinyin
    page.locator("#sentence").click()
    page.wait_for_timeout(50)
    page.locator("#reference-0").focus()
    page.keyboard.press("Alt+a")
    assert page.locator("#boxes textarea").count() == 2


def test_4_7_a_saved_draft_arriving_while_composing_touches_nothing(live, browser):
    """A PUT is held back by the network; its answer (which renews the lease) comes in mid-word."""
    project(live, "li")
    page = at_work(live, browser, "li")
    cdp = page.context.new_cdp_session(page)
    held = []

    def hold(route):
        held.append(route)

    page.route("**/draft/*", hold)
    page.keyboard.insert_text("甲")
    for _ in range(100):
        if held:
            break
        page.wait_for_timeout(50)
    composed(page, cdp, "sushe")
    node = page.evaluate_handle("document.getElementById('reference-0')")
    held[0].continue_()
    page.wait_for_timeout(500)
    assert page.locator("#reference-0").input_value().startswith("甲sushe")
    cdp.send("Input.insertText", {"text": "宿舍"})
    assert page.evaluate("node => node === document.activeElement", node)
    assert page.locator("#reference-0").input_value().startswith("甲宿舍")
    page.context.close()


def test_remapped_keys_and_enter_that_submits_hold_for_the_person(live, browser):
    project(live, "li")
    with live.rows():
        from gecbench.server.models import Person

        Person.objects.filter(login="li").update(
            preferences={"keys": {"add": "Alt+K", "suggestion": "Alt+X"}, "enter_submits": True}
        )
    page = at_work(live, browser, "li")
    page.keyboard.press("Alt+a")
    assert page.locator("#boxes textarea").count() == 1
    page.keyboard.press("Alt+k")
    assert page.locator("#boxes textarea").count() == 2
    assert page.locator("#add kbd").inner_text() == "Alt+K"
    page.keyboard.press("Alt+Backspace")
    page.keyboard.insert_text("甲")
    task = number(page)
    page.keyboard.press("Enter")
    page.wait_for_function(
        "was => document.getElementById('task-number').textContent !== was", arg=task
    )
    page.context.close()
