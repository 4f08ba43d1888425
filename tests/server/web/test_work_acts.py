"""What the work screen sends and what it is answered: drafts and submissions."""

from __future__ import annotations

import json
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from server.web.asking import Asking, answer, draft
from server.workflow.stories import (
    a_project,
    all_submitted,
    joined,
    people,
    sentence_of,
    time_passes,
)

from gecbench.server.models import DraftRevision, Slot, Submission

FIXED = "我去了图书馆。"


@pytest.fixture
def li(site):
    """An annotator at a project with three sentences of three slots."""
    return Asking(people(a_project(), 1)[0])


def test_a_draft_is_saved_with_its_revision_and_comes_back_on_load(li):
    task = li.page()["task"]
    assert task["draft"] is None
    response = li.send("PUT", task["draftUrl"], {"rev": 0, "payload": draft("我去")})
    assert response.status_code == 200
    assert response.json()["rev"] == 1
    again = li.page()["task"]
    assert (again["slot"], again["draft"]["payload"]["texts"]) == (task["slot"], ["我去"])


def test_a_beacon_saves_a_form_with_its_token_in_the_body(site):
    li = Asking(people(a_project(), 1)[0], csrf=True)
    page = li.page()
    payload = json.dumps({"rev": 0, "payload": draft("离开时的字")})
    url = page["task"]["draftUrl"]
    assert li.form(url, payload=payload).status_code == 403
    response = li.client.post(
        url,
        f"csrfmiddlewaretoken={page['token']}&payload={payload}",
        content_type="application/x-www-form-urlencoded",
    )
    assert response.status_code == 200
    assert DraftRevision.objects.get().payload["texts"] == ["离开时的字"]


def test_a_stale_draft_gets_409_with_the_other_one_and_both_are_kept(li):
    url = li.page()["task"]["draftUrl"]
    li.send("PUT", url, {"rev": 0, "payload": draft("一")})
    response = li.send("PUT", url, {"rev": 0, "payload": draft("二")})
    assert response.status_code == 409
    assert (response.json()["rev"], response.json()["payload"]["texts"]) == (1, ["一"])
    texts = {draft_revision.payload["texts"][0] for draft_revision in DraftRevision.objects.all()}
    assert texts == {"一", "二"}


@pytest.mark.parametrize(
    "body",
    [
        "no json",
        b"\xff",
        "[]",
        {"rev": 0},
        {"rev": 0, "payload": "text"},
        {"rev": -1, "payload": {}},
        {"rev": True, "payload": {}},
        {"rev": "1", "payload": {}},
        {"rev": 0, "payload": {}, "person": 7},
    ],
)
def test_a_malformed_draft_gets_400_and_one_line(li, body):
    response = li.send("PUT", li.page()["task"]["draftUrl"], body)
    assert response.status_code == 400
    assert response.json()["error"] == "malformed"
    assert response.json()["message"].count("\n") == 0


def test_a_strange_clock_of_the_client_is_no_reason_to_lose_a_draft(li):
    url = li.page()["task"]["draftUrl"]
    for rev, moment in enumerate(("2026-13-45T00:00:00Z", "soon", 7, "2026-11-21T10:00:00")):
        body = {"rev": rev, "payload": draft(str(rev)), "client_at": moment}
        assert li.send("PUT", url, body).status_code == 200
    body = {"rev": 4, "payload": draft("z"), "client_at": "2026-11-21T10:00:00.000Z"}
    assert li.send("PUT", url, body).status_code == 200
    assert [
        draft_revision.client_at is None for draft_revision in DraftRevision.objects.order_by("rev")
    ] == [
        *[True] * 4,
        False,
    ]


def test_ann_8_the_answer_to_a_submission_is_the_next_task_in_one_round_trip(li):
    task = li.page()["task"]
    response = li.send("POST", task["submitUrl"], answer(task, FIXED))
    assert response.status_code == 200
    data = response.json()
    assert data["submitted"]["number"] == task["number"]
    assert data["next"]["slot"] == li.page()["task"]["slot"] != task["slot"]
    assert data["done"] == 1
    assert Submission.objects.get().references.get().text == FIXED


def test_inv_9_the_same_key_twice_is_one_submission_and_one_answer(li):
    task = li.page()["task"]
    body = answer(task, FIXED)
    first = li.send("POST", task["submitUrl"], body).json()
    second = li.send("POST", task["submitUrl"], body).json()
    assert second["submitted"] == first["submitted"]
    assert second["next"]["slot"] == first["next"]["slot"]
    assert Submission.objects.count() == 1


@pytest.mark.parametrize(
    ("fields", "code", "field"),
    [
        ({"texts": [], "decision": "corrected"}, "ANN-9", "decision"),
        ({"texts": [FIXED], "decision": "error_free"}, "ANN-9", "decision"),
        ({"texts": [], "decision": "not_annotatable"}, "ANN-6", "reason"),
        ({"texts": [], "decision": "not_annotatable", "reason": "other"}, "ANN-6", "note"),
        ({"texts": [FIXED, " \n"]}, "ANN-12", "reference-1"),
        ({"texts": [FIXED, "a\0b"]}, "ANN-12-nul", "reference-1"),
        ({"texts": [f"句{n}。" for n in range(6)]}, "ANN-4", "reference-5"),
    ],
)
def test_ann_9_to_12_a_broken_rule_is_answered_at_its_box(li, fields, code, field):
    task = li.page()["task"]
    response = li.send("POST", task["submitUrl"], answer(task, **fields))
    assert response.status_code == 422
    (problem,) = response.json()["problems"]
    assert (problem["code"], problem["field"], problem["blocking"]) == (code, field, True)
    assert problem["message"]
    assert not Submission.objects.exists()


def test_ann_10_the_source_itself_is_refused_with_a_code_that_the_page_answers(li):
    task = li.page()["task"]
    response = li.send("POST", task["submitUrl"], answer(task, f" {task['text']} "))
    assert response.status_code == 422
    assert [(problem["code"], problem["field"]) for problem in response.json()["problems"]] == [
        ("ANN-10", "reference-0")
    ]
    accepted = li.send("POST", task["submitUrl"], answer(task, decision="error_free"))
    assert accepted.status_code == 200
    assert Submission.objects.get().decision == "error_free"


def test_ann_11_equal_boxes_are_merged_with_a_notice_before_submission(li):
    task = li.page()["task"]
    response = li.send("POST", task["submitUrl"], answer(task, FIXED, FIXED + " "))
    assert (response.status_code, response.json()["confirm"], response.json()["texts"]) == (
        422,
        True,
        [FIXED],
    )
    assert "merged" in response.json()["problems"][-1]["message"]
    assert li.send("POST", task["submitUrl"], answer(task, FIXED)).status_code == 200


def test_warnings_are_asked_once_and_confirmed(li):
    task = li.page()["task"]
    body = answer(task, "我去了图书馆,他也去了。")
    response = li.send("POST", task["submitUrl"], body)
    assert (response.status_code, response.json()["confirm"]) == (422, True)
    assert {problem["code"] for problem in response.json()["problems"]} == {"CON-6"}
    assert not any(problem["blocking"] for problem in response.json()["problems"])
    done = li.send("POST", task["submitUrl"], {**body, "confirmed": True})
    assert done.status_code == 200


def test_a_blocking_problem_is_not_asked_about_even_if_confirmed(li):
    task = li.page()["task"]
    body = answer(task, "我去了图书馆,他也去了。", "", confirmed=True)
    response = li.send("POST", task["submitUrl"], body)
    assert response.status_code == 422
    assert "confirm" not in response.json()


def test_ann_12_invisible_characters_are_removed_with_a_notice(li):
    task = li.page()["task"]
    response = li.send("POST", task["submitUrl"], answer(task, "我\u200b去了图\ufeff书馆。"))
    assert "2 invisible characters" in response.json()["submitted"]["notice"]
    assert Submission.objects.get().references.get().text == FIXED


@pytest.mark.parametrize(
    "fields",
    [
        {"decision": "maybe"},
        {"texts": "text"},
        {"texts": [1]},
        {"client_key": "7"},
        {"client_key": 7},
        {"version": None},
        {"active_ms": -1},
        {"person": 1},
        {"reason": 5},
    ],
)
def test_a_malformed_submission_gets_400(li, fields):
    task = li.page()["task"]
    response = li.send("POST", task["submitUrl"], answer(task, FIXED) | fields)
    assert response.status_code == 400
    assert not Submission.objects.exists()


def test_two_tabs_the_second_submission_gets_409_and_its_text_is_kept(li):
    task = li.page()["task"]
    li.send("POST", task["submitUrl"], answer(task, FIXED))
    response = li.send("POST", task["submitUrl"], answer(task, "第二个窗口。"))
    assert (response.status_code, response.json()["version"]) == (409, None)
    assert "another window" in response.json()["message"]
    assert DraftRevision.objects.filter(payload__texts=["第二个窗口。"]).exists()
    late = li.send("PUT", task["draftUrl"], {"rev": 0, "payload": draft("还在写")})
    assert late.status_code == 410
    assert DraftRevision.objects.filter(payload__texts=["还在写"]).exists()


def test_a_task_reopened_elsewhere_says_its_version_and_can_be_handed_in_after_all(li):
    task = li.page()["task"]
    data = li.send("POST", task["submitUrl"], answer(task, FIXED)).json()
    li.send("POST", data["submitted"]["reopenUrl"], {})
    response = li.send("POST", task["submitUrl"], answer(task, "旧窗口。"))
    assert response.status_code == 409
    task["version"] = response.json()["version"]
    assert li.send("POST", task["submitUrl"], answer(task, "旧窗口。")).status_code == 200


def test_inv_15_a_lost_task_gets_410_and_the_text_is_found_again(li):
    project = sentence_of(people_of(li)).project
    task = li.page()["task"]
    sentence = Slot.objects.get(pk=task["slot"]).sentence
    time_passes()
    from gecbench.server.workflow import claims

    claims.expire(project)
    others = people(project, 3, prefix="b")
    all_submitted(sentence, others)
    response = li.send("PUT", task["draftUrl"], {"rev": 0, "payload": draft("晚来的字。")})
    assert response.status_code == 410
    assert "kept" in response.json()["message"]
    assert "晚来的字。" in li.html("/p/story/work/kept")
    assert li.send("POST", task["submitUrl"], answer(task, "晚来的字。")).status_code == 410


def people_of(asking):
    """The project that somebody works in."""
    from gecbench.server.models import Project

    return Project.objects.get()


def test_foreign_tasks_do_not_exist(li):
    other = Asking(joined(people_of(li), "zhao"))
    task = other.page()["task"]
    assert li.send("PUT", task["draftUrl"], {"rev": 0, "payload": draft("x")}).status_code == 404
    for text in ("x", task["text"], ""):  # nor is it said what is wrong with an answer
        assert li.send("POST", task["submitUrl"], answer(task, text)).status_code == 404
    assert li.send("POST", task["skipUrl"], {"version": 1}).status_code == 404
    assert li.form(f"/p/story/work/reopen/{task['slot']}").status_code in (302, 404)
    assert li.send("POST", f"/p/story/work/reopen/{task['slot']}", {}).status_code == 404
    assert li.send("POST", "/p/story/submit/999999", answer(task, "x")).status_code == 404
    assert li.send("POST", "/p/story/work/recall/999999", {}).status_code == 404


def test_a_paused_annotator_can_read_but_not_write(li):
    task = li.page()["task"]
    from gecbench.server.models import Member

    Member.objects.filter(person__login="a1").update(status="paused")
    assert li.get("/p/story/work/history").status_code == 200
    assert li.send("POST", task["submitUrl"], answer(task, FIXED)).status_code == 404


def test_submit_and_next_cost_few_queries(li):
    task = li.page()["task"]
    with CaptureQueriesContext(connection) as first:
        response = li.send("POST", task["submitUrl"], answer(task, FIXED))
    assert response.status_code == 200
    # 27 are the workflow's own: each act locks and reads again what it decides about.
    assert len(seen_in(first)) <= 35, "\n".join(seen_in(first))


def seen_in(captured):
    """The statements of a context, without those that begin and end transactions."""
    ends = ("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE")
    return [
        captured_query["sql"]
        for captured_query in captured.captured_queries
        if not captured_query["sql"].startswith(ends)
    ]


def test_a_draft_costs_few_queries(li):
    url = li.page()["task"]["draftUrl"]
    li.send("PUT", url, {"rev": 0, "payload": draft("一")})
    with CaptureQueriesContext(connection) as seen:
        li.send("PUT", url, {"rev": 1, "payload": draft("二")})
    assert len(seen) <= 16, "\n".join(q["sql"] for q in seen.captured_queries)


def test_rol_5_no_answer_of_this_screen_has_the_text_of_another_person(site):
    project = a_project(1, annotators=2)
    li, wang = (Asking(person) for person in people(project, 2))
    secret = "别人写的句子。"
    task = wang.page()["task"]
    wang.send("PUT", task["draftUrl"], {"rev": 0, "payload": draft(secret)})
    wang.send("POST", task["submitUrl"], answer(task, secret))
    mine = li.page()["task"]
    urls = ("work", "work/history", "work/kept", "work/skipped", "me", "guide")
    pages = [li.get(f"/p/story/{url}").content.decode() for url in urls]
    pages.append(
        li.send("PUT", mine["draftUrl"], {"rev": 0, "payload": draft("我")}).content.decode()
    )
    pages.append(li.send("POST", mine["submitUrl"], answer(mine, "我的句子。")).content.decode())
    assert not any(secret in page or json.dumps(secret)[1:-1] in page for page in pages)


def test_keys_of_requests_must_be_new(li):
    task = li.page()["task"]
    body = answer(task, FIXED)
    li.send("POST", task["submitUrl"], body)
    following = li.page()["task"]
    response = li.send(
        "POST", following["submitUrl"], answer(following, FIXED, client_key=body["client_key"])
    )
    assert response.status_code == 409
    assert response.json()["version"] == following["version"]
    fresh = answer(following, FIXED, client_key=str(uuid4()))
    assert li.send("POST", following["submitUrl"], fresh).status_code == 200


def test_con_3_4_a_placeholder_in_one_correction_only_is_asked_about_at_its_box(li):
    task = li.page()["task"]
    some = ("我去了[缺失成分]图书馆。", "我去了图书馆了。")
    response = li.send("POST", task["submitUrl"], answer(task, *some))
    (problem,) = response.json()["problems"]
    assert (response.status_code, response.json()["confirm"]) == (422, True)
    assert (problem["field"], problem["blocking"]) == ("reference-1", False)
    assert "has no [缺失成分] and others have it" in problem["message"]
    more = (some[0], "我[缺失成分]去了[缺失成分]图书馆。")
    response = li.send("POST", task["submitUrl"], answer(task, *more))
    assert response.json()["problems"][0]["message"].endswith("2 times; correction 1: 1 times.")
    assert not Submission.objects.exists()
    response = li.send("POST", task["submitUrl"], answer(task, *more, confirmed=True))
    assert (response.status_code, Submission.objects.count()) == (200, 1)
