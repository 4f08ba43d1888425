"""Nothing typed is ever lost: offline, two tabs, an ended session, a reload, a crash (4.9)."""

from __future__ import annotations

import contextlib
import json

from playwright.sync_api import expect
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


def test_offline_typing_goes_on_and_is_saved_when_the_connection_is_back(live, browser):
    project(live, "li")
    page = at_work(live, browser, "li")
    page.context.set_offline(True)
    page.keyboard.insert_text("离线")
    wait_for_state(page, "offline")
    page.keyboard.insert_text("还在写")
    assert drafts_on_server(live) == []
    page.context.set_offline(False)
    wait_for_state(page, "saved")
    assert drafts_on_server(live)[-1][0].startswith("离线还在写")
    page.context.close()


def test_a_submission_made_offline_waits_and_goes_out_once(live, browser):
    project(live, "li")
    page = at_work(live, browser, "li")
    task = number(page)
    replace_all(page, "离线写好的句子。")
    page.context.set_offline(True)
    page.keyboard.press("Control+Enter")
    page.locator("#said:not([hidden])").wait_for()
    assert "kept here" in page.locator("#said").inner_text()
    page.context.set_offline(False)
    page.wait_for_function(GONE, arg=task)
    assert texts_on_server(live) == [["离线写好的句子。"]]
    assert page.evaluate("Object.keys(localStorage).filter(one => one.includes('submit'))") == []
    page.context.close()


def test_a_queued_submission_can_be_taken_out_and_edited(live, browser):
    project(live, "li")
    page = at_work(live, browser, "li")
    replace_all(page, "第一稿。")
    page.context.set_offline(True)
    page.keyboard.press("Control+Enter")
    page.locator("#keep-editing").click()
    replace_all(page, "第二稿。")
    page.context.set_offline(False)
    task = number(page)
    page.keyboard.press("Control+Enter")
    page.wait_for_function(GONE, arg=task)
    assert texts_on_server(live) == [["第二稿。"]]
    page.context.close()


def test_a_queued_submission_goes_out_after_the_page_was_closed_and_opened_again(live, browser):
    project(live, "li")
    page = at_work(live, browser, "li")
    task = number(page)
    replace_all(page, "关掉也不丢。")
    page.route("**/submit/*", lambda route: route.abort())
    page.keyboard.press("Control+Enter")
    page.locator("#keep-editing").wait_for()
    again = page.context.new_page()
    page.close()
    again.goto("/p/one/work")
    again.wait_for_function(GONE, arg=task)
    assert texts_on_server(live) == [["关掉也不丢。"]]
    again.context.close()


def test_the_answer_to_a_submission_may_be_lost_and_it_is_one_submission(live, browser):
    project(live, "li")
    page = at_work(live, browser, "li")
    task = number(page)
    replace_all(page, "只提交一次。")
    lost = []

    def lose_first(route):
        if lost:
            return route.continue_()
        lost.append(route.fetch())  # the server has it, the page never hears of it
        return route.abort()

    page.route("**/submit/*", lose_first)
    page.keyboard.press("Control+Enter")
    page.wait_for_function(GONE, arg=task)
    assert lost[0].status == 200
    assert texts_on_server(live) == [["只提交一次。"]]
    page.context.close()


def test_two_tabs_409_shows_both_versions_and_keeps_both(live, browser):
    project(live, "li")
    page = at_work(live, browser, "li")
    two = page.context.new_page()
    two.goto("/p/one/work")
    two.locator("#reference-0").wait_for()
    page.locator("#reference-0").focus()
    replace_all(page, "第一个窗口。")
    wait_for_state(page, "saved")
    two.locator("#reference-0").focus()
    replace_all(two, "第二个窗口。")
    wait_for_state(two, "conflict")
    assert two.locator("#conflict-theirs-text").inner_text() == "第一个窗口。"
    assert two.locator("#reference-0").input_value() == "第二个窗口。"
    two.keyboard.press("Alt+o")  # take the other one
    assert two.locator("#reference-0").input_value() == "第一个窗口。"
    wait_for_state(two, "saved")
    two.keyboard.press("Alt+o")  # and mine is one key away
    assert two.locator("#reference-0").input_value() == "第二个窗口。"
    two.locator('#saving[data-state="saved"]').wait_for()
    two.wait_for_timeout(1200)
    assert drafts_on_server(live)[-1] == ["第二个窗口。"]
    assert ["第一个窗口。"] in drafts_on_server(live)
    page.context.close()


def test_two_tabs_the_second_to_submit_is_told_and_keeps_its_text(live, browser):
    project(live, "li")
    page = at_work(live, browser, "li")
    two = page.context.new_page()
    two.goto("/p/one/work")
    two.locator("#reference-0").wait_for()
    two.locator("#reference-0").focus()
    replace_all(two, "我也写了。")
    wait_for_state(two, "saved")
    page.locator("#reference-0").focus()
    replace_all(page, "先交了。")
    page.locator("#conflict, #saving[data-state=conflict]").first.wait_for()
    task = number(page)
    page.locator("#conflict-mine").click()
    page.keyboard.press("Control+Enter")
    page.wait_for_function(GONE, arg=task)
    two.keyboard.press("Control+Enter")
    wait_for_state(two, "gone")  # nothing is saved from here any more, and it says so
    assert "another window" in two.locator("#gone-said").inner_text()
    assert two.locator("#gone-text").input_value() == "我也写了。"
    assert two.locator("#reference-0").get_attribute("readonly") is not None
    assert texts_on_server(live) == [["先交了。"]]
    page.context.close()


def test_an_ended_session_asks_for_the_password_in_the_page_and_goes_on(live, browser):
    project(live, "li")
    page = at_work(live, browser, "li")
    page.keyboard.insert_text("写到一半")
    wait_for_state(page, "saved")
    page.context.clear_cookies(name="gecbench_session")
    page.keyboard.insert_text("登录过期")
    page.locator("#signin:not([hidden])").wait_for()
    assert page.locator("#saving").get_attribute("data-state") == "signedout"
    page.keyboard.type("wrong password")
    page.keyboard.press("Enter")
    page.locator("#signin [data-problem]:not([hidden])").wait_for()
    page.locator("#signin-password").fill(live.PASSWORD)
    page.keyboard.press("Enter")
    page.locator("#signin").wait_for(state="hidden")
    wait_for_state(page, "saved")
    assert page.evaluate("document.activeElement.id") == "reference-0"
    assert drafts_on_server(live)[-1][0].startswith("写到一半登录过期")
    task = number(page)
    page.keyboard.press("Control+Enter")  # with the new token
    page.wait_for_function(GONE, arg=task)
    page.context.close()


def test_a_reload_right_after_typing_keeps_the_text(live, browser):
    project(live, "li")
    page = at_work(live, browser, "li")
    replace_all(page, "马上刷新。")
    page.keyboard.press("Alt+a")
    page.reload()
    page.locator("#reference-1").wait_for()
    expect(page.locator("#reference-0")).to_have_value("马上刷新。")
    page.context.close()


def test_a_crash_of_the_renderer_keeps_the_text(live, browser):
    project(live, "li")
    page = at_work(live, browser, "li")
    page.route("**/draft/*", lambda route: route.abort())  # not even one save went through
    replace_all(page, "崩溃之前。")
    wait_for_state(page, "offline")
    with contextlib.suppress(Exception):
        page.goto("chrome://crash", timeout=2000)
    again = page.context.new_page()
    again.goto("/p/one/work")
    again.locator("#reference-0").wait_for()
    assert again.locator("#reference-0").input_value() == "崩溃之前。"
    wait_for_state(again, "saved")
    assert drafts_on_server(live) == [["崩溃之前。"]]
    again.context.close()


def test_on_load_the_newest_wins_and_the_other_one_is_one_key_away(live, browser):
    project(live, "li")
    page = at_work(live, browser, "li")
    replace_all(page, "服务器上的。")
    wait_for_state(page, "saved")
    name = page.evaluate("Object.keys(localStorage).find(one => one.includes('/draft/'))")
    copy = json.loads(page.evaluate("name => localStorage.getItem(name)", name))
    copy["payload"]["texts"] = ["本机上的。"]
    copy |= {"unsaved": True, "rev": 0, "at": 1000}  # an old one, from before
    page.evaluate("([name, text]) => localStorage.setItem(name, text)", [name, json.dumps(copy)])
    page.reload()
    page.locator("#other:not([hidden])").wait_for()
    expect(page.locator("#reference-0")).to_have_value("服务器上的。")
    page.keyboard.press("Alt+o")
    expect(page.locator("#reference-0")).to_have_value("本机上的。")
    wait_for_state(page, "saved")
    copy |= {"rev": 99}
    page.evaluate("([name, text]) => localStorage.setItem(name, text)", [name, json.dumps(copy)])
    page.reload()
    page.locator("#reference-0").wait_for()
    expect(page.locator("#reference-0")).to_have_value("本机上的。")
    page.context.close()


def test_inv_15_a_lost_task_keeps_the_text_with_a_button_to_copy_it(live, browser):
    new_project = project(live, "li", "wang", annotators=1, texts=("他的汉语说得很好多。",))
    page = at_work(live, browser, "li")
    replace_all(page, "写了很久。")
    wait_for_state(page, "saved")
    from server.workflow.stories import expired

    with live.rows():
        expired(new_project)
    other = at_work(live, browser, "wang")
    page.keyboard.insert_text("再写")
    page.locator("#gone:not([hidden])").wait_for()
    assert page.locator("#gone-text").input_value() == "写了很久。再写"
    page.locator("#gone-copy").click()
    page.locator("#gone-copied:not([hidden])").wait_for()
    page.goto("/p/one/work/kept")
    assert page.locator("textarea").input_value() == "写了很久。再写"
    other.context.close()
    page.context.close()


def test_a_server_that_cannot_save_leaves_the_text_and_says_so(live, browser):
    project(live, "li")
    page = at_work(live, browser, "li")
    page.route("**/draft/*", lambda route: route.fulfill(status=507, body="{}"))
    page.route("**/submit/*", lambda route: route.fulfill(status=507, body="{}"))
    task = number(page)
    replace_all(page, "磁盘满了。")
    wait_for_state(page, "full")
    page.keyboard.press("Control+Enter")
    page.locator("#keep-editing").wait_for()
    expect(page.locator("#reference-0")).to_have_value("磁盘满了。")
    page.unroute("**/submit/*")
    page.wait_for_function(GONE, arg=task)
    assert texts_on_server(live) == [["磁盘满了。"]]
    page.context.close()


def test_two_people_at_one_machine_do_not_meet(live, browser):
    project(live, "li", "wang", annotators=2, texts=("他的汉语说得很好多。",))
    page = at_work(live, browser, "li")
    page.route("**/draft/*", lambda route: route.abort())
    replace_all(page, "李的草稿。")
    wait_for_state(page, "offline")
    page.context.clear_cookies()
    page.context.add_cookies([live.cookie("wang")])
    page.goto("/p/one/work")
    page.locator("#reference-0").wait_for()
    expect(page.locator("#reference-0")).to_have_value("他的汉语说得很好多。")
    page.context.close()
