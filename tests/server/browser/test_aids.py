"""What helps at a sentence, in a real browser: its neighbours, the guideline first, suggestions."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect
from server.browser.atwork import ZH, at_work, number, project, texts_on_server
from server.workflow.stories import submitted

from gecbench.server.models import (
    Acknowledgement,
    Member,
    Sentence,
    Submission,
    Suggestion,
    SuggestionEvent,
)
from gecbench.server.workflow import members, sentences

ESSAY = tuple(f"这是我的作文的第{n}句话，写得还不太好。" for n in "一二三四五")


def essay(live, *people, language="en", **options):
    """A project whose sentences are one document, and its name in addresses."""
    project_ = project(live, *people, texts=("没有出处的句子。",), language=language, **options)
    rows = [
        sentences.NewSentence(f"e{n}", text, meta={"document": "作文"}, priority=1)
        for n, text in enumerate(ESSAY)
    ]
    with live.rows():
        sentences.add_sentences(project_, rows)
    return project_


@pytest.mark.parametrize(
    ("language", "words"), [("en", "Sentences around it"), ("zh-hans", "上下文")]
)
def test_the_sentences_around_are_fetched_when_they_are_opened(live, browser, language, words):
    essay(live, "li", language=language)
    page = at_work(live, browser, "li")
    requests = []
    page.on(
        "request",
        lambda request: requests.append(request.url) if "/context/" in request.url else None,
    )
    for _ in range(2):  # the second task comes without loading the page again
        if page.locator("#context").is_hidden():  # tasks are random, and one is from no document
            skipped = number(page)
            page.keyboard.press("Alt+p")
            expect(page.locator("#task-number")).not_to_have_text(skipped)
        expect(page.locator(".document")).to_have_count(0)
        page.get_by_text(words, exact=True).click()
        expect(page.locator(".document .here")).to_have_text(page.locator("#sentence").inner_text())
        assert page.locator(".document li").count() >= 3
        shown = number(page)
        page.locator("#reference-0").fill("我改过了这个句子。")
        page.keyboard.press("Control+Enter")
        expect(page.locator("#task-number")).not_to_have_text(shown)
    assert len(requests) == 2
    page.context.close()


def test_reviewers_open_them_too(live, browser):
    project = essay(live, "li", annotators=1)
    with live.rows():
        rita = live.person("rita", language="zh-hans")
        members.add_member(project, rita, roles=["reviewer"], by=None)
        li = Member.objects.select_related("person", "project").get(person__login="li")
        sentence = Sentence.objects.get(project=project, external_id="e2")
        submitted(li, sentence)
    page = live.page(browser, "rita")
    page.goto("/p/one/review")
    page.get_by_text("上下文", exact=True).click()
    expect(page.locator(".document li")).to_have_text(ESSAY)
    width = "one => one.getBoundingClientRect().width"
    sentence = page.locator(".source-row > .sentence").evaluate(width)
    assert page.locator(".document").evaluate(width) > sentence / 2  # not in the narrow column
    page.context.close()


@pytest.mark.parametrize(
    ("language", "title", "read"),
    [("en", "The guideline first", "I have read it"), ("zh-hans", "先读规范", "我已阅读")],
)
def test_the_guideline_is_read_and_confirmed_before_the_first_task(
    live, browser, language, title, read
):
    new_project = project(live, language=language, guideline_gate=True)
    with live.rows():
        members.add_member(
            new_project, live.person("li", language=language), roles=["annotator"], by=None
        )
    page = live.page(browser, "li")
    page.goto("/p/one/work")
    expect(page.get_by_role("heading", level=1)).to_have_text(title)
    page.locator("main a.primary").click()
    page.locator("main").get_by_role("button", name=read).click()  # at its end
    page.locator("#reference-0").wait_for()
    with live.rows():
        assert Acknowledgement.objects.filter(person__login="li").count() == 1
    page.context.close()


def proposed(live, mode, *, language="en", same=False):
    """A project with a suggestion for its one sentence."""
    new_project = project(
        live, "li", texts=ZH[:1], language=language, suggestions=mode, open_tasks=1, annotators=1
    )
    with live.rows():
        sentence = Sentence.objects.get(project=new_project)
        text = sentence.text if same else "我昨天去图书馆借书了。"
        Suggestion.objects.create(sentence=sentence, model="zh-homophone", text=text)
    return new_project


def events(live):
    with live.rows():
        return list(SuggestionEvent.objects.order_by("pk").values_list("kind", flat=True))


def test_on_demand_a_suggestion_comes_by_its_key_and_is_taken_over(live, browser):
    proposed(live, "on_demand")
    page = at_work(live, browser, "li")
    expect(page.locator("#suggestion")).to_be_hidden()
    page.keyboard.press("Alt+k")
    expect(page.locator("#suggestion-text")).to_have_text("我昨天去图书馆借书了。")
    expect(page.locator("#suggest")).to_be_hidden()
    assert events(live) == ["shown"]
    page.reload()
    expect(page.locator("#suggestion-text")).to_have_text("我昨天去图书馆借书了。")
    page.get_by_role("button", name="Take over").click()
    expect(page.locator("#reference-0")).to_have_value("我昨天去图书馆借书了。")
    assert events(live) == ["shown", "taken"]
    page.keyboard.press("Control+Enter")
    page.get_by_role("heading", name="Nothing to do now").wait_for()
    assert texts_on_server(live) == [["我昨天去图书馆借书了。"]]
    with live.rows():
        assert Submission.objects.get().suggestion == Suggestion.objects.get()
    page.context.close()


@pytest.mark.parametrize(("language", "take"), [("en", "Take over"), ("zh-hans", "采用")])
def test_after_the_first_own_edit_it_comes_by_itself_and_not_before(live, browser, language, take):
    proposed(live, "after_typing", language=language)
    page = at_work(live, browser, "li")
    page.keyboard.press("Alt+k")
    page.wait_for_timeout(300)
    expect(page.locator("#suggestion")).to_be_hidden()
    expect(page.locator("#suggest")).to_be_hidden()
    assert events(live) == []
    page.keyboard.insert_text("昨天")
    expect(page.locator("#suggestion-text")).to_have_text("我昨天去图书馆借书了。")
    expect(page.locator("#reference-0")).to_be_focused()
    assert events(live) == ["shown"]
    expect(page.get_by_role("button", name=take)).to_be_visible()
    page.context.close()


def test_one_that_changes_nothing_is_taken_over_as_error_free(live, browser):
    proposed(live, "on_demand", same=True)
    page = at_work(live, browser, "li")
    page.keyboard.press("Alt+k")
    expect(page.locator("#suggestion-same")).to_be_visible()
    page.get_by_role("button", name="Take over").click()
    expect(page.locator("#error-free")).to_be_visible()
    page.context.close()
