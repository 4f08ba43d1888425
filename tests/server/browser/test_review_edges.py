"""A review that two windows, lost answers or an old copy could spoil; none of them does."""

from __future__ import annotations

import json

from playwright.sync_api import expect
from server.browser.atreview import WRONG, ZH, at_review, golden, press, row_of, waiting

from gecbench.server.models import DraftRevision, Verdict


def saved(page):
    page.locator('[data-saving][data-state="saved"]').wait_for()


def copy_of(page):
    """The one draft on this machine: (its name, what it says)."""
    name = page.evaluate("Object.keys(localStorage).find(one => one.includes('/draft/'))")
    return name, json.loads(page.evaluate("name => localStorage.getItem(name)", name))


def put(page, name, copy):
    page.evaluate("([name, text]) => localStorage.setItem(name, text)", [name, json.dumps(copy)])


def test_an_older_copy_of_this_machine_is_offered_until_one_is_chosen(live, browser):
    waiting(live)
    page = at_review(live, browser)
    press(page, "Alt+A")
    page.keyboard.insert_text("甲")
    saved(page)
    name, copy = copy_of(page)
    old = {**copy["payload"], "additions": ["只在这台电脑上。"]}
    put(page, name, {**copy, "payload": old, "unsaved": True, "rev": 0, "at": 1000, "sent": []})
    page.route("**/draft", lambda route: route.abort())
    page.reload()
    note = page.locator(".note.warn")
    expect(note).to_contain_text("kept on this computer")
    box = page.locator("[data-addition] textarea")
    expect(box).to_have_value("甲" + ZH["source"])
    box.focus()
    page.keyboard.insert_text("乙")  # the question stays, whatever is edited
    page.wait_for_timeout(900)
    note.get_by_role("button", name="Load that version").click()
    expect(page.locator("[data-addition] textarea")).to_have_value("只在这台电脑上。")
    # What was on its way when the page was left is one's own: what came after it wins.
    sent = {**copy["payload"], "confirmed": True}
    put(page, name, {**copy, "payload": old, "unsaved": True, "rev": 0, "sent": [sent]})
    page.evaluate("addEventListener('pagehide', event => event.stopImmediatePropagation(), true)")
    page.goto("about:blank")
    page.goto("/p/story/review")
    expect(page.locator("[data-addition] textarea")).to_have_value("只在这台电脑上。")
    expect(note).to_have_count(0)
    page.context.close()


def test_a_review_fetched_before_the_last_save_was_taken_shows_what_was_saved(live, browser):
    waiting(live)
    page = at_review(live, browser)
    press(page, "Alt+A")
    page.keyboard.insert_text("甲")
    saved(page)
    page.wait_for_function("() => JSON.stringify(localStorage).includes('甲')")
    name, copy = copy_of(page)
    assert not copy["unsaved"]
    late = {**copy["payload"], "additions": ["答复赶在离开之前。"]}
    box = page.locator("[data-addition] textarea")
    for at, shown in ((1000, "甲" + ZH["source"]), (9e12, "答复赶在离开之前。")):
        put(page, name, {**copy, "payload": late, "rev": copy["rev"] + 1, "at": at})
        page.reload()
        expect(box).to_have_value(shown)
    saved(page)
    with live.rows():
        (last,) = DraftRevision.objects.order_by("-pk")[:1]
    assert last.payload["additions"] == ["答复赶在离开之前。"]
    page.context.close()


def test_a_conflict_is_asked_until_it_is_answered_and_order_is_no_difference(live, browser):
    waiting(live)
    page = at_review(live, browser)
    theirs = {}

    def conflict(route):
        body = route.request.post_data_json
        payload = body["payload"] | theirs
        payload["rows"] = {
            key: dict(reversed(row.items())) for key, row in reversed(payload["rows"].items())
        }
        conflict_body = {"rev": body["rev"] + 1, "at": "2026-01-01T00:00:00Z", "payload": payload}
        route.fulfill(status=409, content_type="application/json", body=json.dumps(conflict_body))

    page.route("**/draft", conflict)
    press(page, "1")
    saved(page)  # the same, as a database orders it: nobody is asked
    expect(page.locator(".note.warn")).to_have_count(0)
    theirs["additions"] = ["另一个窗口写的。"]
    press(page, "Alt+A")
    note = page.locator(".note.warn")
    note.wait_for()
    page.keyboard.insert_text("乙")
    page.wait_for_timeout(900)
    expect(note).to_be_visible()
    page.unroute("**/draft")
    page.route(
        "**/draft",
        lambda route: route.fulfill(status=200, json={"rev": 9, "at": "2026-01-01T00:00:00Z"}),
    )
    note.get_by_role("button", name="Go on with what stands here").click()
    saved(page)
    page.context.close()


def test_what_is_changed_after_a_lost_answer_is_not_taken_for_the_decision(live, browser):
    waiting(live)
    page = at_review(live, browser)
    good, fair, over = (row_of(page, ZH[name]) for name in ("good", "fair", "over"))
    press(page, str(good), str(fair), WRONG[over - 1], "A")
    lost = []

    def lose_first(route):
        if lost:
            return route.continue_()
        lost.append(route.fetch())
        return route.abort()

    page.route("**/finalise", lose_first)
    saved_or_gone = page.locator("[data-saving]")
    # A draft still on its way would be told that the review is gone, over what is waited for here.
    expect(saved_or_gone).to_have_attribute("data-state", "saved")
    press(page, "Control+Enter")
    page.get_by_text("The server was not reached.").wait_for()
    press(page, "Alt+A")
    page.keyboard.insert_text("后来才想到的。")
    expect(saved_or_gone).not_to_have_attribute("data-state", "saving")
    press(page, "Control+Enter")
    page.get_by_text("Nothing was decided; your work stays in this page.").wait_for()
    assert lost[0].status == 200
    assert golden(live) == sorted([ZH["good"], ZH["fair"]])
    with live.rows():
        additions = [
            revision.payload["additions"] for revision in DraftRevision.objects.order_by("pk")
        ]
    assert ["后来才想到的。" + ZH["source"]] in additions
    page.context.close()


def test_what_is_read_beside_the_review_judges_nothing(live, browser):
    waiting(live)
    page = at_review(live, browser)
    press(page, "F1")
    page.locator("#drawer:not([hidden])").wait_for()
    page.locator("#drawer [data-part=guide]").focus()
    press(page, "1", "q", "j", "2")
    assert page.locator("[name^=verdict]:checked").count() == 0
    press(page, "Escape")
    page.locator("#row-0").focus()
    press(page, "1")
    assert page.locator("[name^=verdict]:checked").count() == 1
    page.context.close()


def test_a_section_that_is_none_is_told_at_its_field_and_a_title_is_taken_gui_4(live, browser):
    waiting(live)
    page = at_review(live, browser)
    good, fair, over = (row_of(page, ZH[name]) for name in ("good", "fair", "over"))
    press(page, str(good), str(fair), WRONG[over - 1], "A")
    field = page.locator(f'[name="section-{over - 1}"]')
    field.fill("没有这一节")
    press(page, "Control+Enter")
    locator = page.locator(f'[data-problems="section-{over - 1}"]')
    expect(locator).to_contain_text("no such section")
    expect(field).to_be_focused()
    field.fill("修改不完全")
    expect(locator).to_be_empty()
    press(page, "Control+Enter")
    page.get_by_text("is decided").wait_for()
    with live.rows():
        assert Verdict.objects.get(correct=False).section == "reject-incomplete"
    page.context.close()
