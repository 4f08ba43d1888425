"""A whole review by keyboard alone, on a real server; nothing is lost when others are faster."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect
from server.browser.atreview import (
    EN,
    SAMPLES,
    WRONG,
    ZH,
    at_review,
    golden,
    press,
    row_of,
    waiting,
)
from server.workflow.reviewing import member_of
from server.workflow.stories import correction, error_free

from gecbench.server.workflow import reviews


@pytest.mark.parametrize(("lang", "language"), [("zh", "zh-hans"), ("en", "en")])
def test_three_texts_are_judged_restored_and_decided_by_keys_rev_9(live, browser, lang, language):
    waiting(live, lang=lang, language=language)
    sample = SAMPLES[lang]
    page = at_review(live, browser)
    good, fair, over = (row_of(page, sample[name]) for name in ("good", "fair", "over"))
    press(page, str(good), WRONG[fair - 1], "A", WRONG[over - 1], "F")
    row = page.locator(f"#row-{over - 1}")
    expect(row.locator("[data-modify]")).to_have_attribute("open", "")
    switches = row.locator("[data-switch]")
    assert switches.count() >= 3
    box = row.locator("textarea")
    expect(box).to_have_value(sample["over"])
    press(page, "Alt+1")
    expect(switches.first).to_have_attribute("aria-pressed", "false")
    assert box.input_value() != sample["over"]
    press(page, "U")
    expect(box).to_have_value(sample["over"])
    press(page, "Alt+1")
    restored = box.input_value()
    press(page, "Control+Enter")
    page.wait_for_url("**/p/story/review")
    page.locator("#undo").wait_for()
    assert golden(live) == sorted([sample["good"], restored])
    page.context.close()


@pytest.mark.parametrize(("lang", "language"), [("zh", "zh-hans"), ("en", "en")])
def test_a_key_and_a_button_show_a_row_clean(live, browser, lang, language):
    waiting(live, lang=lang, language=language)
    page = at_review(live, browser)
    row = page.locator("[data-current]")
    shown, button = row.locator(".diff").first, row.locator("[data-act=clean]")
    number = int(row.get_attribute("data-row") or 0)
    text = page.evaluate(
        "n => JSON.parse(document.getElementById('review-data').textContent).rows[n].text", number
    )
    press(page, "Alt+L")
    expect(button).to_have_attribute("aria-pressed", "true")
    assert shown.inner_text().replace("\n", "") == text
    expect(page.locator(".aligned-row ins").first).to_be_visible()  # the others stay marked
    button.click()
    expect(button).to_have_attribute("aria-pressed", "false")
    page.context.close()


def test_a_text_restored_to_another_row_says_so_and_settles_the_warning_rev_9(live, browser):
    waiting(live)
    page = at_review(live, browser)
    good, fair, over = (row_of(page, ZH[name]) for name in ("good", "fair", "over"))
    press(page, str(good), str(fair), WRONG[over - 1], "F", "Alt+1", "Alt+3")
    row = page.locator(f"#row-{over - 1}")
    expect(row.locator("textarea")).to_have_value(ZH["good"])
    expect(row.locator("[data-same]")).to_have_text(f"= the same as text {good}")
    press(page, "Control+Enter")
    page.locator("#undo").wait_for()
    assert golden(live) == sorted([ZH["good"], ZH["fair"]])
    page.context.close()


def test_what_is_missing_is_shown_at_its_row_and_everything_stays_rev_2(live, browser):
    waiting(live)
    page = at_review(live, browser)
    good, fair, over = (row_of(page, ZH[name]) for name in ("good", "fair", "over"))
    press(page, str(good), WRONG[over - 1], "Control+Enter")
    page.locator(f'[data-problems="row-{fair - 1}"] .problem').wait_for()
    page.locator(f'[data-problems="row-{over - 1}"] .problem').wait_for()
    assert page.locator(f"#row-{good - 1} [value=correct]").is_checked()
    press(page, str(fair), WRONG[over - 1], "F")
    press(page, "Alt+Backspace")  # the box goes: the rule to restore is a warning now
    press(page, "Control+Enter")
    page.locator(".warning").wait_for()
    press(page, "Control+Enter")
    page.locator("#undo").wait_for()
    page.context.close()


def test_rows_are_walked_boxes_are_left_and_texts_added_by_keys_rev_5(live, browser):
    waiting(live)
    page = at_review(live, browser)
    press(page, "J")
    assert page.locator("#row-1[data-current]").count() == 1
    press(page, "K", "K")
    assert page.locator("#row-0[data-current]").count() == 1
    press(page, "M")
    focus = "document.activeElement.id"
    assert page.evaluate(focus) == "modified-0"
    page.keyboard.insert_text("1qf")  # letters type in a box; they judge outside of it
    assert page.locator("#row-0 [value=wrong]").is_checked()
    press(page, "Escape")
    assert page.evaluate(focus) == "row-0"
    press(page, "1")
    assert page.locator("#row-0 [value=correct]").is_checked()
    press(page, "Alt+A")
    box = page.locator("[data-additions] textarea")
    expect(box).to_have_value(ZH["source"])
    expect(page.locator("[data-additions] [data-same]")).to_have_text("= the original")
    press(page, "Control+A")
    page.keyboard.insert_text("昨天下雨，")
    press(page, "Alt+M", "Enter")
    expect(box).to_have_value("昨天下雨，[缺失成分]")
    expect(page.locator(".broken")).to_contain_text("placeholder in all or none")
    press(page, "Alt+Backspace")
    assert page.locator("[data-additions] textarea").count() == 0
    press(page, "U")
    expect(box).to_have_value("昨天下雨，[缺失成分]")
    page.context.close()


def test_the_decision_and_the_row_that_says_the_same_go_together_rev_6(live, browser):
    waiting(live, correction(ZH["over"]), error_free(), annotators=2)
    page = at_review(live, browser)
    press(page, "2")  # texts come first, then decisions
    assert page.locator("[name=decision][value=error_free]").is_checked()
    press(page, "U")
    assert page.locator("[name=decision][value=corrected]").is_checked()
    for _ in range(2):  # a verdict that was given is not taken back by saying it again
        press(page, "Alt+G")
        assert page.locator("#row-1 [value=correct]").is_checked()
        assert page.locator("[name=decision][value=error_free]").is_checked()
    press(page, "U")
    assert page.locator("[name=decision][value=corrected]").is_checked()
    press(page, "2", "Q", "F")  # the box that opens holds no text of its own: it hinders nothing
    expect(page.locator("#row-0 [data-same]")).to_have_text("not changed yet: this adds no text")
    press(page, "Control+Enter")
    page.locator("#undo").wait_for()
    page.context.close()


def test_a_composing_input_method_is_never_disturbed(live, browser):
    waiting(live)
    page = at_review(live, browser)
    press(page, "Alt+A", "Control+A")
    client = page.context.new_cdp_session(page)
    client.send("Input.imeSetComposition", {"text": "gong", "selectionStart": 4, "selectionEnd": 4})
    for key in ("Enter", "Escape"):
        client.send(
            "Input.dispatchKeyEvent",
            {"type": "keyDown", "key": key, "windowsVirtualKeyCode": 229, "modifiers": 2},
        )
    assert page.evaluate("document.activeElement.tagName") == "TEXTAREA"
    assert page.get_by_text("Not judged yet.").count() == 0
    client.send("Input.insertText", {"text": "公园"})
    expect(page.locator("[data-additions] textarea")).to_have_value("公园")
    expect(page.locator("[data-additions] [data-box-diff] del")).not_to_have_count(0)
    page.context.close()


def test_what_was_done_is_there_again_after_a_reload(live, browser):
    waiting(live)
    page = at_review(live, browser)
    press(page, "1", WRONG[1], "F", "Alt+1", "Alt+A")
    page.keyboard.insert_text("新写的。")
    text = page.locator("#modified-1").input_value()
    page.locator('[data-saving][data-state="saved"]').wait_for()
    page.reload()
    page.locator("[data-current]").wait_for()
    assert page.locator("#row-0 [value=correct]").is_checked()
    expect(page.locator("#modified-1")).to_have_value(text)
    expect(page.locator("#row-1 [data-switch]").first).to_have_attribute("aria-pressed", "false")
    assert page.locator("[data-additions] textarea").input_value().startswith("新写的。")
    page.context.close()


def test_offline_work_stays_on_the_machine_and_is_saved_later(live, browser):
    waiting(live)
    page = at_review(live, browser)
    page.context.set_offline(True)
    press(page, "1")
    page.locator('[data-saving][data-state="offline"]').wait_for()
    press(page, "Control+Enter")
    page.get_by_text("Nothing is lost; try again.").wait_for()
    page.context.set_offline(False)
    page.locator('[data-saving][data-state="saved"]').wait_for()
    page.reload()
    assert page.locator("#row-0 [value=correct]").is_checked()
    page.context.close()


def test_two_windows_never_overwrite_one_another(live, browser):
    waiting(live)
    context = live.context(browser, "rita")
    first, second = context.new_page(), context.new_page()
    for page in (first, second):
        page.goto("/p/story/review")
        page.locator("[data-current]").wait_for()
    press(first, "1")
    first.locator('[data-saving][data-state="saved"]').wait_for()
    press(second, "Q")
    second.locator('[data-saving][data-state="conflict"]').wait_for()
    second.get_by_role("button", name="Load what the other window saved").click()
    assert second.locator("#row-0 [value=correct]").is_checked()
    second.locator('[data-saving][data-state="saved"]').wait_for()
    context.close()


def test_the_slower_of_two_reviewers_keeps_the_text_rev_12(live, browser):
    project = waiting(live, reviewers=("rita", "ruth"))
    first = at_review(live, browser)
    press(first, "Alt+A", "Control+A")
    first.keyboard.insert_text("我写的答案。")
    sentence = first.evaluate(
        "JSON.parse(document.getElementById('review-data').textContent).urls.sentence"
    )
    second = live.page(browser, "ruth")
    second.goto(sentence)
    second.get_by_text("Being reviewed by Rita").wait_for()
    assert second.locator("[data-submit]").is_disabled()
    second.locator("[data-act=clean]").first.click()  # to look is not to change
    second.locator("[data-act=clean][aria-pressed=true]").wait_for()
    with live.rows():
        rita = member_of(project, "rita")
        from gecbench.server.models import ReviewTask

        task = ReviewTask.objects.get()
        reviews.hand_on(rita, task.sentence_id, version=task.version, note="?")
    second.reload()
    second.locator("[data-current]").wait_for()
    press(first, "Control+Enter")
    first.get_by_text("Ruth has this sentence now.").wait_for()
    expect(first.locator("[data-additions] textarea")).to_have_value("我写的答案。")
    press(second, "1", "2", "3", "Control+Enter")
    second.locator("#undo").wait_for()
    assert len(golden(live)) == 3
    first.context.close()
    second.context.close()


def test_same_changes_stand_one_below_the_other(live, browser):
    waiting(live, lang="en")
    page = at_review(live, browser)
    places = page.evaluate(
        """() => {
          const found = {};
          for (const cell of document.querySelectorAll("[data-aligned] [data-region]")) {
            (found[cell.dataset.region] ??= []).push(Math.round(cell.getBoundingClientRect().left));
          }
          return found;
        }"""
    )
    assert len(places) >= 3
    assert all(len(lefts) == 4 and len(set(lefts)) == 1 for lefts in places.values())
    assert EN["source"] in page.locator(".source-row .aligned").text_content()
    page.context.close()


def test_a_session_that_ends_is_entered_again_in_the_page(live, browser):
    waiting(live)
    with live.rows():
        from django.contrib.auth.hashers import make_password

        from gecbench.server.models import Person

        Person.objects.filter(login="rita").update(password=make_password(live.PASSWORD))
    page = at_review(live, browser)
    page.context.clear_cookies(name="gecbench_session")
    press(page, "1")
    page.locator("#signin-password").fill(live.PASSWORD)
    press(page, "Enter")
    page.locator('[data-saving][data-state="saved"]').wait_for()
    assert page.locator("#row-0 [value=correct]").is_checked()
    page.context.close()
