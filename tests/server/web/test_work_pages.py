"""What the pages of annotators show, to whom, and with how many queries."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from server.web.asking import Asking, answer, draft
from server.workflow.stories import a_project, joined, people, sentence_of, submitted

from gecbench.server.models import Member, Study, Submission
from gecbench.server.web import annotation
from gecbench.server.web.messages import refusal_message
from gecbench.server.workflow import projects
from gecbench.server.workflow.errors import (
    ConflictError,
    GoneError,
    NotAllowedError,
    NotYoursError,
)


@pytest.fixture
def project(site):
    return a_project()


@pytest.fixture
def li(project):
    return Asking(people(project, 1)[0])


def test_ann_1_and_2_the_header_has_the_person_the_number_and_the_sentence(li):
    page = li.html("/p/story/work")
    task = li.page()["task"]
    assert f'<span id="task-number">{task["number"]}</span>' in page
    assert ">A1</a>" in page
    assert task["text"] in page
    assert '<span id="task-source" class="tag">story</span>' in page


def test_the_work_page_costs_at_most_8_queries(li):
    li.page()  # claims
    li.page()
    with CaptureQueriesContext(connection) as seen:
        li.page()
    assert len(seen) <= 8, "\n".join(
        captured_query["sql"] for captured_query in seen.captured_queries
    )


def test_the_queries_of_lists_do_not_grow_with_their_rows(site):
    project = a_project(8, annotators=1)
    member = people(project, 1)[0]
    li = Asking(member)
    urls = ("/", "/p/story/work/history", "/p/story/me", "/p/story/work/skipped")

    def cost():
        numbers = []
        for url in urls:
            with CaptureQueriesContext(connection) as seen:
                li.html(url)
            numbers.append(len(seen))
        return numbers

    cost()
    submitted(member, sentence_of(project, 1))
    few = cost()
    for number in range(2, 8):
        submitted(member, sentence_of(project, number))
    assert cost() == few
    assert max(few) <= 25


def test_strangers_reviewers_and_managers_do_not_find_the_work_page(project, li):
    outsider = joined(a_project(1, slug="other"), "out")
    for who in (outsider, joined(project, "wang", "reviewer"), joined(project, "m", "manager")):
        assert Asking(who).get("/p/story/work").status_code == 404
    assert li.client.get("/p/nowhere/work").status_code == 404


@pytest.mark.parametrize(
    ("story", "message"),
    [
        ({"status": "paused"}, "no active annotator"),
        ({"archived": True}, "closed for work"),
        ({"texts": 0}, "all the answers"),
        ({"taken": True}, "all the answers"),
        ({"mine": True}, "not for you"),
    ],
)
def test_nothing_to_do_says_why_and_what_else_there_is(site, story, message):
    project = a_project(1 if "texts" not in story else [], annotators=2)
    member, other, third = people(project, 3)
    if "status" in story:
        Member.objects.filter(pk=member.pk).update(status=story["status"])
    if "archived" in story:
        projects.archive_project(project, by=project.created_by)
    if "taken" in story:
        submitted(other, sentence_of(project))
        submitted(third, sentence_of(project))
    if "mine" in story:
        submitted(member, sentence_of(project))
    page = Asking(member).html("/p/story/work")
    assert "Nothing to do now" in page
    assert message in page
    assert "History" in page


def test_stu_7_study_comes_first_where_the_project_says_so(site):
    from datetime import timedelta

    from django.utils import timezone

    from gecbench.server.models import Golden

    project = a_project(2, annotators=1, study_gate=True, study_days=1)
    member = people(project, 1)[0]
    submission = submitted(member, sentence_of(project, 1))
    golden = Golden.objects.create(sentence=submission.sentence, version=1, kind="error_free")
    Study.objects.create(
        project=project,
        sentence=submission.sentence,
        submission=submission,
        person=member.person,
        golden=golden,
        reference=submission.references.get(),
        opened_at=timezone.now() - timedelta(days=2),
    )
    page = Asking(member).html("/p/story/work")
    assert "Study first" in page
    assert 'class="button primary" href="/p/story/study"' in page


def test_gui_2_a_new_guideline_is_announced_once_until_it_is_acknowledged(project, li):
    assert "Please read the guideline" in li.html("/p/story/work")
    response = li.form("/p/story/guide/acknowledge/1", next="/p/story/work")
    assert (response.status_code, response["Location"]) == (302, "/p/story/work")
    assert 'class="announcement"' not in li.html("/p/story/work")
    text = project.guideline.markdown + "\n## 新的一节 {#new}\n\n新规则。\n"
    projects.publish_guideline(project, markdown=text, note="加了一节", by=project.created_by)
    page = li.html("/p/story/work")
    assert "The guideline has changed: version 2" in page
    assert "加了一节" in page
    li.form("/p/story/guide/acknowledge/2")
    li.form("/p/story/guide/acknowledge/2")
    assert 'class="announcement"' not in li.html("/p/story/work")


def test_acknowledging_leads_nowhere_else(li):
    for url in ("https://evil.example/", "//evil.example", "javascript:alert(1)"):
        response = li.form("/p/story/guide/acknowledge/1", next=url)
        assert response["Location"] == "/p/story/guide"
    assert li.form("/p/story/guide/acknowledge/77").status_code == 404


def test_history_pages_by_keys_and_shows_only_ones_own(site, monkeypatch):
    monkeypatch.setattr(annotation, "PAGE", 2)
    project = a_project(5, annotators=2)
    member, other = people(project, 2)
    for number in (1, 2, 3):
        submitted(member, sentence_of(project, number))
    submitted(other, sentence_of(project, 5))
    li = Asking(member)
    first = li.html("/p/story/work/history")
    assert [f"#{n}<" in first for n in (1, 2, 3, 5)] == [False, True, True, False]
    before = Submission.objects.get(sentence__number=2, person=member.person).pk
    assert f"?before={before}" in first
    second = li.html(f"/p/story/work/history?before={before}")
    assert [f"#{n}<" in second for n in (1, 2, 3)] == [True, False, False]
    assert li.get("/p/story/work/history?before=x").status_code == 200
    assert li.get("/p/story/work/t/5").status_code == 404


def test_one_task_shows_its_answers_and_its_neighbours(li):
    numbers = []
    for text in ("一。", "二。"):
        task = li.page()["task"]
        numbers.append(task["number"])
        li.send("POST", task["submitUrl"], answer(task, text, text + "！"))
    first, second = (li.html(f"/p/story/work/t/{number}") for number in numbers)
    assert "一。！" in first
    assert 'rel="next" href="/p/story/work/t/' in first
    assert 'rel="prev"' not in first
    assert f'rel="prev" href="/p/story/work/t/{numbers[0]}"' in second
    assert 'rel="next" href="/p/story/work"' in second


def test_an_answer_that_was_taken_back_and_changed_keeps_its_earlier_versions(li):
    task = li.page()["task"]
    data = li.send("POST", task["submitUrl"], answer(task, "第一次。")).json()
    task = li.send("POST", data["submitted"]["reopenUrl"], {}).json()["next"]
    body = answer(task, decision="not_annotatable", reason="other", note="看不懂")
    assert li.send("POST", task["submitUrl"], body).status_code == 200
    page = li.html(f"/p/story/work/t/{task['number']}")
    assert "Earlier versions" in page
    assert "第一次。" in page
    assert "看不懂" in page
    assert "Other" in page


def test_a_goal_and_the_done_of_today_are_in_the_bar(li):
    assert 'id="done-bar"' not in li.html("/p/story/work")
    li.form("/goal", goal="40")
    page = li.html("/p/story/work")
    assert '<progress id="done-bar" max="40" value="0">' in page
    li.form("/goal", goal="many")
    assert 'max="40"' in li.html("/p/story/work")
    li.form("/goal", goal="")
    assert 'id="done-bar"' not in li.html("/p/story/work")


def test_the_instructions_of_a_project_stand_above_the_sentence(site):
    li = Asking(people(a_project(instructions="只改错的。"), 1)[0])
    assert "只改错的。" in li.html("/p/story/work")


def test_chinese_is_spoken_to_those_who_chose_it(project):
    li = Asking(people(project, 1)[0], language="zh-hans")
    page = li.html("/p/story/work")
    assert "您正在标注任务" in page
    assert "没有错误" in page
    assert '<html lang="zh-Hans"' in page
    reasons = li.client.get("/p/story/work").context["reasons"]
    assert {reason.value: reason.label for reason in reasons}["traditional"] == "繁体字"


def test_script_in_a_sentence_is_text(site):
    evil = "<script>alert(1)</script></textarea><img src=x onerror=alert(1)>"
    li = Asking(people(a_project([evil]), 1)[0])
    page = li.html("/p/story/work")
    assert "<script>alert" not in page
    assert "<img" not in page
    task = li.page()["task"]
    li.send("PUT", task["draftUrl"], {"rev": 0, "payload": draft(evil + "!")})
    li.send("POST", task["submitUrl"], answer(task, evil + "!"))
    shown = li.html(f"/p/story/work/t/{task['number']}")
    assert "<img" not in shown


def test_every_refusal_and_reason_has_words():
    for error in (GoneError("x"), NotYoursError("x"), NotAllowedError("x"), ConflictError("x")):
        assert refusal_message(error)


@pytest.mark.parametrize("odd", ["²", "-1", "9" * 40, "x"])
def test_odd_numbers_in_addresses_are_no_failures(li, odd):
    assert li.get(f"/p/story/work?after={odd}&task={odd}").status_code == 200
    assert li.get(f"/p/story/work/history?before={odd}").status_code == 200
    huge = "9" * 40
    assert li.get(f"/p/story/work/t/{huge}").status_code == 404
    assert (
        li.send("POST", f"/p/story/submit/{huge}", answer({"version": 1}, "x")).status_code == 404
    )
    body = {"rev": 0, "payload": draft("x")}
    assert li.send("PUT", f"/p/story/draft/{huge}", body).status_code == 404
