"""Where typed text could slip away: answers lost, pages left, keys pressed at the wrong moment."""

from __future__ import annotations

import contextlib
import json

import pytest
from playwright.sync_api import Error, expect
from server.browser.atwork import (
    at_work,
    drafts_on_server,
    number,
    project,
    replace_all,
    texts_on_server,
    wait_for_state,
)

GONE = "was => document.getElementById('task-number').textContent !== was"


@pytest.fixture
def page(live, browser):
    """The work page of "li" in project "one"."""
    project(live, "li")
    return at_work(live, browser, "li")


def keep_copies(page):
    return page.evaluate(
        "Object.entries(localStorage).filter(([name]) => name.includes('/draft/'))"
    )


def test_a_page_left_while_a_save_hangs_keeps_the_text(page):
    replace_all(page, "先存一稿。")
    wait_for_state(page, "saved")
    left = []

    def never(route):  # neither the save nor the beacon is ever answered
        if left:
            route.abort()

    page.route("**/draft/*", never)
    with page.expect_request("**/draft/*"):
        replace_all(page, "保存还没有回音。")
    left.append(True)
    page.reload()
    page.locator("#reference-0").wait_for()
    expect(page.locator("#reference-0")).to_have_value("保存还没有回音。")


def test_a_page_fetched_before_the_last_save_was_taken_shows_what_was_saved(live, page):
    replace_all(page, "先存一稿。")
    wait_for_state(page, "saved")
    page.wait_for_function("() => JSON.stringify(localStorage).includes('先存一稿。')")
    ((name, text),) = keep_copies(page)
    copy = json.loads(text)
    assert not copy["unsaved"]
    page.route("**/draft/*", lambda route: route.abort())
    for rev, at, shown in ((9, 1000, "先存一稿。"), (9, 9e12, "答复赶在离开之前。")):
        late = copy | {"rev": rev, "at": at}
        late["payload"] = copy["payload"] | {"texts": ["答复赶在离开之前。"]}
        page.evaluate(
            "([name, text]) => localStorage.setItem(name, text)", [name, json.dumps(late)]
        )
        page.reload()
        expect(page.locator("#reference-0")).to_have_value(shown)
    page.unroute("**/draft/*")
    wait_for_state(page, "saved")
    assert ["答复赶在离开之前。"] in drafts_on_server(live)


def test_what_arrived_unheard_is_no_other_windows_version(live, page):
    lost = []

    def lose_first(route):
        if lost:
            return route.continue_()
        lost.append(route.fetch())  # the server has it, the page never hears of it
        return route.abort()

    page.route("**/draft/*", lose_first)
    replace_all(page, "第一句。")
    wait_for_state(page, "offline")
    page.keyboard.insert_text("第二句。")
    wait_for_state(page, "saved")
    assert lost[0].status == 200
    assert page.locator("#conflict").is_hidden()
    assert ["第一句。第二句。"] in drafts_on_server(live)


def test_a_save_that_arrives_after_the_page_was_left_does_not_hide_what_was_typed_since(page):
    replace_all(page, "旧的。")
    wait_for_state(page, "saved")
    ((name, text),) = keep_copies(page)
    copy = json.loads(text)
    sent = copy["payload"]
    copy |= {"payload": {**sent, "texts": ["旧的。新的。"]}, "unsaved": True, "rev": 0, "at": 1000}
    copy["sent"] = [sent]  # it was on its way; the server has it now, and is ahead
    page.route("**/draft/*", lambda route: route.abort())
    page.evaluate("([name, text]) => localStorage.setItem(name, text)", [name, json.dumps(copy)])
    page.reload()
    page.locator("#reference-0").wait_for()
    expect(page.locator("#reference-0")).to_have_value("旧的。新的。")


def test_no_key_changes_an_answer_that_waits_to_be_handed_in(live, page):
    task = number(page)
    replace_all(page, "等着提交。")
    page.context.set_offline(True)
    page.keyboard.press("Control+Enter")
    page.locator("#keep-editing").wait_for()
    for key in ("Alt+a", "Alt+m", "Alt+r", "Alt+c", "Alt+n", "Alt+g", "Alt+p", "Alt+Backspace"):
        page.keyboard.press(key)
    assert page.locator("#boxes textarea").count() == 1
    expect(page.locator("#reference-0")).to_have_value("等着提交。")
    assert page.locator("#rewriting").is_visible()
    page.context.set_offline(False)
    page.wait_for_function(GONE, arg=task)
    assert ["等着提交。"] in texts_on_server(live)


def test_edits_after_taking_it_out_of_the_queue_are_kept_though_it_had_arrived(live, page):
    replace_all(page, "交出去的。")
    keys, held = [], []

    def unheard(route):
        keys.append(route.request.post_data_json["client_key"])
        if len(keys) == 1:
            return route.abort()
        return held.append((route, route.fetch()))  # the server has it; the page waits

    page.route("**/submit/*", unheard)
    page.keyboard.press("Control+Enter")
    page.locator("#keep-editing").wait_for()
    page.wait_for_timeout(2500)
    assert len(set(keys)) == 1
    page.locator("#keep-editing").click()
    replace_all(page, "又改了。")
    with contextlib.suppress(Error):  # nobody waits for it any more
        held[0][0].fulfill(response=held[0][1])
    page.locator("#gone:not([hidden])").wait_for()
    assert page.locator("#gone-text").input_value() == "又改了。"
    assert "handed in" in page.locator("#gone-said").inner_text()
    assert ["交出去的。"] in texts_on_server(live)
    assert ["又改了。"] in drafts_on_server(live)


def test_the_page_of_a_foreign_network_is_not_taken_for_saved(page):
    portal = {"status": 200, "content_type": "text/html", "body": "<h1>Pay for the network</h1>"}
    page.route("**/draft/*", lambda route: route.fulfill(**portal))
    replace_all(page, "没有保存。")
    wait_for_state(page, "offline")


def test_where_nothing_can_be_kept_the_page_says_so(page):
    page.evaluate("() => { Storage.prototype.setItem = () => { throw new Error('full') } }")
    page.route("**/draft/*", lambda route: route.abort())
    page.route("**/submit/*", lambda route: route.abort())
    replace_all(page, "哪儿也没有。")
    wait_for_state(page, "unkept")
    assert page.locator("#saving").inner_text() == "Not saved anywhere, leave this page open"
    page.keyboard.press("Control+Enter")
    page.locator("#keep-editing").wait_for()
    assert "leave this page open" in page.locator("#said").inner_text()


def test_a_token_that_another_window_made_new_is_taken_up(live, page):
    new = {"name": "gecbench_csrf", "value": "n" * 32, "url": live.url}
    page.context.add_cookies([new])  # page signed in again in another window
    replace_all(page, "继续写。")
    wait_for_state(page, "saved")
    assert ["继续写。"] in drafts_on_server(live)


def test_a_second_press_of_skip_does_not_skip_the_next_task(live, page):
    from gecbench.server.models import Skip

    task = number(page)
    page.keyboard.press("Alt+p")
    page.keyboard.press("Alt+p")
    page.wait_for_function(GONE, arg=task)
    page.wait_for_timeout(500)
    assert page.locator("#said").is_hidden()  # nor is the next task told of the first one
    with live.rows():
        assert Skip.objects.filter(person__login="li").count() == 1


def test_a_draft_left_on_this_machine_reaches_the_server_though_another_task_is_open(live, page):
    page.route("**/draft/*", lambda route: route.abort())
    replace_all(page, "上星期写的。")
    wait_for_state(page, "offline")
    task = number(page)
    page.keyboard.press("Alt+p")
    page.wait_for_function(GONE, arg=task)
    before = len(drafts_on_server(live))
    page.evaluate(
        """() => { for (const [name, text] of Object.entries(localStorage))
            if (text.includes("上星期写的。"))
                localStorage.setItem(name, JSON.stringify({ ...JSON.parse(text), at: 1 })); }"""
    )
    page.unroute("**/draft/*")
    with page.expect_response("**/draft/*") as answer:
        page.reload()
    assert answer.value.status == 410
    assert len(drafts_on_server(live)) == before + 1
    assert ["上星期写的。"] in drafts_on_server(live)
    page.wait_for_function("Object.values(localStorage).every(text => !JSON.parse(text).unsaved)")


def test_a_composition_is_neither_saved_by_halves_nor_cut_off(page):
    page.keyboard.press("Alt+n")
    page.locator("#reason-note").focus()
    wait_for_state(page, "saved")
    cdp = page.context.new_cdp_session(page)
    saves = []
    over = {"status": 410, "content_type": "application/json", "body": '{"message": "It is over."}'}
    page.route("**/draft/*", lambda route: (saves.append(1), route.fulfill(**over)))
    composing = {"text": "yuan", "selectionStart": 4, "selectionEnd": 4}
    cdp.send("Input.imeSetComposition", composing)
    page.wait_for_timeout(1200)
    assert saves == []
    cdp.send("Input.insertText", {"text": "原因"})
    page.locator("#gone:not([hidden])").wait_for()
    assert saves == [1]


def test_a_task_that_is_lost_in_mid_composition_waits_for_its_end(page):
    cdp = page.context.new_cdp_session(page)
    over = {"status": 410, "content_type": "application/json", "body": '{"message": "It is over."}'}
    page.route("**/draft/*", lambda route: route.fulfill(**over))
    with page.expect_response("**/draft/*"):
        replace_all(page, "写了一半")
        page.wait_for_timeout(300)
        cdp.send("Input.imeSetComposition", {"text": "de", "selectionStart": 2, "selectionEnd": 2})
    page.wait_for_timeout(300)
    assert page.locator("#gone").is_hidden()
    assert page.evaluate("document.activeElement.id") == "reference-0"
    cdp.send("Input.insertText", {"text": "的"})
    page.locator("#gone:not([hidden])").wait_for()
    assert page.locator("#gone-text").input_value() == "写了一半的"
