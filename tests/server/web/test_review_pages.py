"""The review screen: all candidates side by side, without names, in one page of few queries."""

from __future__ import annotations

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from server.web.asking import Asking
from server.web.reviewing import page_of, payload, send, signed_in, task_of, verdict
from server.workflow.reviewing import (
    BAD,
    FAIR,
    GOOD,
    finalised,
    member_of,
    opened,
    waiting,
    word,
)
from server.workflow.stories import (
    a_project,
    all_submitted,
    correction,
    error_free,
    joined,
    not_annotatable,
    people,
    sentence_of,
)

from gecbench.server.choices import Decision
from gecbench.server.models import Project
from gecbench.server.rules.text import digest
from gecbench.server.workflow import management, projects, reviews
from gecbench.server.workflow.answers import Addition

pytestmark = pytest.mark.usefixtures("site")

REVIEW = "/p/story/review"


def test_every_distinct_text_is_shown_once_with_its_count_rev_1():
    page = page_of(signed_in(waiting(), "rita"), REVIEW)
    assert len(re.findall(r'id="row-\d+"', page)) == 3
    assert len(re.findall(r"2 annotators\s*</span>", page)) == 1
    # One of the three wrote two of them.
    assert re.search(r"3 annotators\s+·\s+3 distinct texts", page)


def test_no_verdict_is_preset_rev_2():
    page = page_of(signed_in(waiting(), "rita"), REVIEW)
    assert page.count('value="correct"') == page.count('value="wrong"') == 3
    assert not re.search(r'value="(correct|wrong)" checked', page)


def test_all_reasons_can_be_given_with_their_sections_rev_3_gui_4():
    page = page_of(signed_in(waiting(), "rita"), REVIEW)
    for name in ("incomplete", "erroneous", "meaning", "overcorrection", "placeholder"):
        assert len(re.findall(rf'name="reasons-\d" value="{name}"', page)) == 3
    assert '<option value="修改不完全">' in page


def test_reviewers_see_no_names_unless_the_project_shows_them_rol_6():
    page = page_of(signed_in(waiting(), "rita"), REVIEW)
    assert not re.search(r"\bA[123]\b", page)
    shown = page_of(
        signed_in(waiting(slug="open", reviewer_sees_names=True), "rita"), "/p/open/review"
    )
    assert {"A1", "A2", "A3"} <= set(re.findall(r"\bA[123]\b", shown))


def test_each_reviewer_has_an_own_order_that_stays_rol_6():
    project = waiting(reviewers=("rita",))
    client = signed_in(project, "rita")
    orders = [re.findall(r'"key": "(\w+)"', page_of(client, REVIEW)) for _ in range(2)]
    assert orders[0] == orders[1]
    shown = reviews.candidates(task_of(project), member_of(project, "rita"))
    assert orders[0] == [row.key for row in shown]


def test_decisions_of_annotators_are_rows_with_their_reasons():
    project = waiting(correction(GOOD), error_free(), not_annotatable("other", "看不清"))
    page = page_of(signed_in(project, "rita"), REVIEW)
    assert "Free of errors" in page
    assert "Cannot be annotated" in page
    assert "看不清" in page
    assert page.count("data-modify") == 1


def test_nothing_to_review_says_why():
    project = a_project(1)
    joined(project, "rita", "reviewer")
    page = page_of(signed_in(project, "rita"), REVIEW)
    assert "Every sentence that had enough submissions has been decided" in page
    held = waiting(slug="held", reviewers=("rita", "ruth"))
    opened(held, "ruth")
    page = page_of(signed_in(held, "rita"), "/p/held/review")
    assert "The sentences that wait are not for you" in page


def test_the_second_reviewer_reads_only_and_sees_who_has_it_rev_12():
    project = waiting(reviewers=("rita", "ruth"))
    task = opened(project, "ruth")
    page = page_of(signed_in(project, "rita"), f"{REVIEW}/{task.sentence_id}")
    assert "Being reviewed by Ruth" in page
    assert 'data-mine="no"' in page
    assert '<fieldset class="whole" disabled>' in page
    assert "Give it to somebody else" not in page


def test_whoever_held_a_slot_finds_no_review_there_rol_2():
    project = waiting()
    joined(project, "a1", "annotator", "reviewer")
    client = signed_in(project, "a1")
    assert client.get(f"{REVIEW}/{sentence_of(project).pk}").status_code == 404
    assert "not for you" in page_of(client, REVIEW)


@pytest.mark.parametrize("login", ["a1", "boss"])
def test_only_reviewers_have_the_screen(login: str):
    client = signed_in(waiting(), login)
    assert client.get(REVIEW).status_code == 404
    assert client.get(f"{REVIEW}/history").status_code == 404


def test_a_decided_sentence_is_read_with_what_is_golden():
    project = waiting()
    finalised(project)
    client = signed_in(project, "rita")
    page = page_of(client, f"{REVIEW}/{sentence_of(project).pk}")
    assert "This review is over" in page
    assert page.count("golden now") == 2
    assert page.count("judged wrong") == 1
    assert f"/p/story/review/{sentence_of(project).pk}" in page_of(client, f"{REVIEW}/history")


def test_a_reopened_sentence_says_so_and_what_was_judged():
    project = waiting(reviewers=("rita", "ruth"))
    finalised(project)
    boss = member_of(project, "boss")
    management.reopen_sentence(boss, sentence_of(project).pk, reason="new rule")
    page = page_of(signed_in(project, "ruth"), f"{REVIEW}/{sentence_of(project).pk}")
    assert "is reviewed again" in page
    assert "new rule" in page


def test_history_goes_on_page_by_page(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("gecbench.server.web.review.views.PAGE", 1)
    project = a_project(2, annotators=1)
    joined(project, "rita", "reviewer")
    (annotator,) = people(project, 1)
    for number in (1, 2):
        all_submitted(sentence_of(project, number), [annotator])
        finalised(project, (), number=number, decision="error_free")
    client = signed_in(project, "rita")
    first = page_of(client, f"{REVIEW}/history")
    (before,) = re.findall(r"\?before=(\d+)", first)
    second = page_of(client, f"{REVIEW}/history?before={before}")
    assert "?before=" not in second
    assert ">2</a>" in first
    assert ">1</a>" in second
    assert "You have not decided any sentence yet" not in first
    assert "You have not decided" in page_of(client, f"{REVIEW}/history?before=1")


def queries_of(project: Project, login: str, path: str) -> int:
    client = signed_in(project, login)
    page_of(client, path)
    with CaptureQueriesContext(
        connection,
    ) as queries:
        page_of(client, path)
    statements = [
        query["sql"]
        for query in queries
        if not query["sql"].startswith(("BEGIN", "SAVE", "RELE", "COMMIT"))
    ]
    return len(statements)


def test_the_page_takes_few_queries_however_many_texts_there_are():
    few = waiting(correction(GOOD))
    texts = [f"我昨天去图书馆借{n}本书了。" for n in "一二三四五六七八九十"]
    many = waiting(*(correction(text) for text in texts), slug="many")
    counts = [queries_of(few, "rita", REVIEW), queries_of(many, "rita", "/p/many/review")]
    assert counts[0] == counts[1]
    assert counts[0] <= 13


def test_a_draft_stands_in_the_page_again_and_an_unreadable_one_does_not_break_it():
    project = waiting()
    client = signed_in(project, "rita")
    task = opened(project)
    held = payload(
        {BAD: verdict(False, "overcorrection", modified=FAIR, off=[1]), GOOD: verdict(True)},
        additions=["我昨天到过图书馆。"],
        note="想一想",
    )
    saved = send(client, task, "draft", {"rev": 0, "payload": held}, "put")
    assert saved.json()["rev"] == 1
    page = page_of(client, REVIEW)
    assert 'value="correct" checked' in page
    assert re.search(r'value="overcorrection"\s+data-section="reject-overcorrection" checked', page)
    assert f">{FAIR}</textarea>" in page
    assert ">我昨天到过图书馆。</textarea>" in page
    assert ">想一想</textarea>" in page
    assert page.count('aria-pressed="false"') - page.count('data-act="clean"') == 1
    from gecbench.server.models import Draft

    Draft.objects.update(payload={"rows": 3})
    assert 'data-mine="yes"' in page_of(client, REVIEW)


def test_the_page_speaks_chinese_to_those_who_want_it():
    client = signed_in(waiting(), "rita", "zh-CN")
    page = page_of(client, REVIEW)
    assert "过度修改" in page
    assert "补充答案" in page


def test_markup_in_texts_stays_text():
    attack = "<img src=x onerror=alert(1)>"
    project = waiting(correction(f"{GOOD}{attack}"))
    page = page_of(signed_in(project, "rita"), REVIEW)
    assert attack not in page
    assert "&lt;img" in page


def test_a_withdrawn_sentence_says_so():
    project = waiting()
    finalised(project)
    management.withdraw(member_of(project, "boss"), [sentence_of(project).pk], reason="x")
    page = page_of(signed_in(project, "rita"), f"{REVIEW}/{sentence_of(project).pk}")
    assert "This sentence was withdrawn by a manager." in page


def test_a_review_that_is_over_shows_verdicts_reasons_notes_and_texts():
    project = waiting(correction(GOOD), correction(BAD), error_free())
    words = {
        digest(BAD): word(digest(BAD), False, "meaning", note="换了意思", section="limits"),
        "error_free": word("error_free", False, "incomplete", note="有一处错"),
    }
    corrected = [Addition(FAIR, digest(BAD)), Addition("我昨天在图书馆借了书。")]
    finalised(project, (GOOD,), words=words, additions=corrected, note="看清楚")
    page = page_of(signed_in(project, "rita"), f"{REVIEW}/{sentence_of(project).pk}")
    assert page.count("judged correct") == 1
    assert page.count("judged wrong") == 2
    for shown in (
        "换了意思",
        "有一处错",
        "看清楚",
        "The golden text made of it",
        "Added golden text",
    ):
        assert shown in page, shown
    reasons = re.findall(r'class="tag"\s+href="/p/story/guide/', page)
    assert len(reasons) == 2
    assert "<textarea" not in page
    assert "written by a reviewer" not in page  # what the review wrote was not judged by it


def test_a_manager_reads_a_review_that_is_over_and_decides_nothing():
    project = waiting(correction(GOOD), correction(BAD))
    finalised(project, (GOOD,))
    client = signed_in(project, "boss")
    sentence = sentence_of(project)
    review = f"{REVIEW}/{sentence.pk}"
    assert f'href="{review}"' in page_of(client, f"/p/story/manage/sentences/{sentence.number}")
    page = page_of(client, review)
    assert page.count("judged correct") == 1
    assert "<textarea" not in page
    assert f'href="{REVIEW}"' not in page
    assert client.post(f"{review}/finalise").status_code == 404
    assert client.post(f"{review}/undo").status_code == 404


def test_a_review_that_is_over_shows_why_it_cannot_be_annotated():
    project = waiting()
    finalised(project, decision=Decision.NOT_ANNOTATABLE, reason="personal", note="有电话号码")
    page = page_of(signed_in(project, "rita"), f"{REVIEW}/{sentence_of(project).pk}")
    assert "Cannot be annotated" in page
    assert "有电话号码" in page


def test_a_reviewer_who_has_to_read_the_guideline_first_is_led_to_it():
    project = waiting()
    projects.change_project(project, by=None, options={"guideline_gate": True})
    page = Asking(member_of(project, "rita")).html("/p/story/review")
    assert re.search(r"<h1>\s*The guideline first", page)
    assert 'class="button primary" href="/p/story/guide"' in page
