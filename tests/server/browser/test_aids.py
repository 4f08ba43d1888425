"""What helps at a sentence, in a real browser: its neighbours, and in both languages."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect
from server.browser.atwork import at_work, number, project
from server.workflow.stories import submitted

from gecbench.server.models import Member, Sentence
from gecbench.server.workflow import members, sentences

ESSAY = tuple(f"这是我的作文的第{n}句话，写得还不太好。" for n in "一二三四五")


def essay(live, *people, language="en", **options):
    """A project whose sentences are one document, and its name in addresses."""
    made = project(live, *people, texts=("没有出处的句子。",), language=language, **options)
    rows = [
        sentences.NewSentence(f"e{n}", text, meta={"document": "作文"}, priority=1)
        for n, text in enumerate(ESSAY)
    ]
    with live.rows():
        sentences.add_sentences(made, rows)
    return made


@pytest.mark.parametrize(
    ("language", "words"), [("en", "Sentences around it"), ("zh-hans", "上下文")]
)
def test_the_sentences_around_are_fetched_when_they_are_opened(live, browser, language, words):
    essay(live, "li", language=language)
    page = at_work(live, browser, "li")
    asked = []
    page.on("request", lambda one: asked.append(one.url) if "/context/" in one.url else None)
    for _ in range(2):  # the second task comes without loading the page again
        expect(page.locator(".document")).to_have_count(0)
        page.get_by_text(words, exact=True).click()
        expect(page.locator(".document .here")).to_have_text(page.locator("#sentence").inner_text())
        assert page.locator(".document li").count() >= 3
        shown = number(page)
        page.locator("#reference-0").fill("我改过了这个句子。")
        page.keyboard.press("Control+Enter")
        expect(page.locator("#task-number")).not_to_have_text(shown)
    assert len(asked) == 2
    page.context.close()


def test_reviewers_open_them_too(live, browser):
    made = essay(live, "li", annotators=1)
    with live.rows():
        rita = live.person("rita", language="zh-hans")
        members.add_member(made, rita, roles=["reviewer"], by=None)
        li = Member.objects.select_related("person", "project").get(person__login="li")
        sentence = Sentence.objects.get(project=made, external_id="e2")
        submitted(li, sentence)
    page = live.page(browser, "rita")
    page.goto("/p/one/review")
    page.get_by_text("上下文", exact=True).click()
    expect(page.locator(".document li")).to_have_text(ESSAY)
    page.context.close()
