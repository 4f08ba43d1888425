"""Taking back, putting off, taking up again; several tasks at once."""

from __future__ import annotations

import pytest
from server.web.asking import Asking, answer, draft
from server.workflow.stories import (
    a_project,
    claimed,
    joined,
    people,
    sentence_of,
)

from gecbench.server.models import Slot, Submission
from gecbench.server.workflow import reviews, submissions

FIXED = "我去了图书馆。"


@pytest.fixture
def li(database):
    """An annotator at a project with three sentences of three slots."""
    return Asking(people(a_project(), 1)[0])


@pytest.fixture
def alone(site):
    """An annotator; for what does not depend on the database."""
    return Asking(people(a_project(), 1)[0])


def people_of(asking):
    """The project that somebody works in."""
    from gecbench.server.models import Project

    return Project.objects.get()


def test_the_last_submission_is_answered_with_a_page_that_says_why_and_can_take_it_back(alone):
    page = alone.page()
    for _ in range(3):
        task = alone.page()["task"]
        data = alone.send("POST", task["submitUrl"], answer(task, FIXED)).json()
    assert page["after"] is None
    assert data["next"] is None
    after = alone.page(data["url"])["after"]
    assert after["number"] == task["number"]
    assert 0 < after["seconds"] <= 10
    assert alone.send("POST", after["reopenUrl"], {}).json()["next"]["slot"] == task["slot"]
    assert alone.page(data["url"])["after"] is None


def test_ann_13_the_bar_takes_the_last_submission_back_although_the_next_is_begun(li):
    task = li.page()["task"]
    data = li.send("POST", task["submitUrl"], answer(task, FIXED)).json()
    following = data["next"]
    li.send("PUT", following["draftUrl"], {"rev": 0, "payload": draft("已经开始写。")})
    back = li.send("POST", data["submitted"]["reopenUrl"], {})
    assert back.status_code == 200
    assert back.json()["next"]["slot"] == task["slot"]
    assert back.json()["next"]["draft"]["payload"]["texts"] == [FIXED]
    again = li.send("POST", task["submitUrl"], answer(back.json()["next"], "我去图书馆了。"))
    assert again.json()["next"]["slot"] == following["slot"]  # offered again, with its draft
    assert again.json()["next"]["draft"]["payload"]["texts"] == ["已经开始写。"]


def test_ann_13_what_a_reviewer_has_begun_is_not_taken_back(site):
    project = a_project(1, annotators=1)
    li = Asking(people(project, 1)[0])
    task = li.page()["task"]
    data = li.send("POST", task["submitUrl"], answer(task, FIXED)).json()
    reviews.current_review(joined(project, "wang", "reviewer"))
    response = li.send("POST", data["submitted"]["reopenUrl"], {})
    assert response.status_code == 409
    assert Submission.objects.get().slot.state == "submitted"
    assert "taken back" not in li.html(f"/p/story/work/t/{task['number']}")


def test_the_history_takes_back_by_a_form_but_not_over_a_begun_task(alone):
    task = alone.page()["task"]
    data = alone.send("POST", task["submitUrl"], answer(task, FIXED)).json()
    url = data["submitted"]["reopenUrl"]
    alone.send("PUT", data["next"]["draftUrl"], {"rev": 0, "payload": draft("写了一半")})
    refused = alone.form(url)
    assert (refused.status_code, refused["Location"]) == (302, "/p/story/work/history")
    assert Slot.objects.get(pk=task["slot"]).state == "submitted"
    alone.send("POST", data["next"]["skipUrl"], {"version": data["next"]["version"]})
    assert alone.form(url)["Location"] == f"/p/story/work?task={task['number']}"
    assert alone.page()["task"]["slot"] == task["slot"]


def test_ann_14_a_skip_is_answered_with_another_task_and_taken_up_by_hand(alone):
    task = alone.page()["task"]
    response = alone.send("POST", task["skipUrl"], {"version": task["version"]})
    assert response.json()["next"]["slot"] != task["slot"]
    page = alone.html("/p/story/work/skipped")
    assert task["text"] in page
    sentence = Slot.objects.get(pk=task["slot"]).sentence_id
    busy = alone.form(f"/p/story/work/recall/{sentence}", back="skipped")
    assert busy["Location"] == "/p/story/work/skipped"
    assert "Submit or skip the open task first" in alone.html("/p/story/work/skipped")
    other = response.json()["next"]
    alone.send("POST", other["submitUrl"], answer(other, FIXED))
    last = alone.page()["task"]
    alone.send("POST", last["submitUrl"], answer(last, FIXED))
    assert alone.form(f"/p/story/work/recall/{sentence}", back="skipped").status_code == 302
    assert alone.page()["task"]["text"] == task["text"]


def test_ann_14_too_many_skips_are_refused_in_words(site):
    alone = Asking(people(a_project(open_skips=0), 1)[0])
    task = alone.page()["task"]
    response = alone.send("POST", task["skipUrl"], {"version": task["version"]})
    assert response.status_code == 422
    assert "At most 0 tasks" in response.json()["message"]
    assert alone.send("POST", task["skipUrl"], {"version": 99}).status_code == 409


def test_several_open_tasks_where_the_project_lets_people_hold_them(site):
    li = Asking(people(a_project(open_tasks=2), 1)[0])
    first = li.page()["task"]
    assert "Take one more task" in li.html("/p/story/work")
    url = li.form("/p/story/work/claim")["Location"]
    second = li.page(url)["task"]
    assert second["slot"] != first["slot"]
    page = li.html(url)
    assert f"?task={first['number']}" in page
    assert "Take one more task" not in page
    assert li.page(f"/p/story/work?task={first['number']}")["task"]["slot"] == first["slot"]


def test_history_knows_what_may_be_taken_back(alone):
    task = alone.page()["task"]
    alone.send("POST", task["submitUrl"], answer(task, FIXED))
    assert submissions.may_reopen(Submission.objects.select_related("slot", "sentence").get())
    assert "Take it back" in alone.html(f"/p/story/work/t/{task['number']}")


def test_the_undo_bar_comes_only_while_its_seconds_last_and_for_ones_own(site):
    project = a_project(1, annotators=2, undo_seconds=0)
    li, wang = (Asking(person) for person in people(project, 2))
    task = li.page()["task"]
    data = li.send("POST", task["submitUrl"], answer(task, FIXED)).json()
    assert data["submitted"]["seconds"] == 0
    assert li.page(data["url"])["after"] is None
    project.options = {"undo_seconds": 600}
    project.save()
    assert li.page(data["url"])["after"]["number"] == task["number"]
    other = wang.page(data["url"])
    assert other["after"] is None


def test_a_sentence_that_was_put_off_and_filled_since_is_said_so(site):
    project = a_project(1, annotators=1)
    li, wang = people(project, 2)
    asking = Asking(li)
    task = asking.page()["task"]
    assert asking.send("POST", task["skipUrl"], {"version": task["version"]}).json()["next"] is None
    sentence = sentence_of(project)
    claimed(wang, sentence)
    response = asking.form(f"/p/story/work/recall/{sentence.pk}", back="skipped")
    assert response["Location"] == "/p/story/work/skipped"
    assert "not for you" in asking.html("/p/story/work/skipped")
