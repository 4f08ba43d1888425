"""The guideline comes before the first task, where the project says so; by every address."""

from __future__ import annotations

from uuid import uuid4

import pytest
from server.web.asking import Asking, answer, draft
from server.workflow.reviewing import opened, review_answer
from server.workflow.stories import (
    a_project,
    all_submitted,
    claimed,
    joined,
    people,
    sentence_of,
    submit_answer,
)

from gecbench.server.models import Acknowledgement, Draft, Slot, Submission
from gecbench.server.workflow import claims, projects, reviews, submissions
from gecbench.server.workflow.claims import NoTask
from gecbench.server.workflow.errors import GuidelineFirstError


def read(member):
    member.project.refresh_from_db()
    projects.acknowledge(member.project.guideline, member.person)


def test_nobody_gets_a_task_before_the_guideline_and_everybody_after_it(database):
    (li,) = people(a_project(guideline_gate=True), 1)
    assert claims.current(li).nothing == NoTask.GUIDELINE_FIRST
    assert claims.claim(li).nothing == NoTask.GUIDELINE_FIRST
    assert not claims.has_task(li)
    read(li)
    assert claims.has_task(li)
    assert claims.current(li).fresh


def test_without_the_setting_nothing_has_to_be_read(site):
    (li,) = people(a_project(), 1)
    assert claims.current(li).fresh
    assert not Acknowledgement.objects.filter(person=li.person).exists()


def test_a_new_version_is_to_be_read_again_and_the_open_task_stays(site):
    project = a_project(guideline_gate=True)
    (li,) = people(project, 1)
    read(li)
    slot = claims.current(li).slot
    projects.publish_guideline(project, markdown="# 新的规范", note="", by=project.created_by)
    li.refresh_from_db()
    assert claims.current(li).nothing == NoTask.GUIDELINE_FIRST
    with pytest.raises(GuidelineFirstError):
        submit_answer(li, slot)
    assert Draft.objects.get().payload["texts"] == ["我改过的句子。"]  # nothing typed is lost
    read(li)
    assert claims.current(li).slot == slot
    assert submit_answer(li, slot).guideline_id == li.project.guideline_id


def test_every_act_of_an_annotator_is_refused(site):
    project = a_project(open_tasks=2)
    (li,) = people(project, 1)
    slot = claimed(li, sentence_of(project, 1))
    done = submit_answer(li, claimed(li, sentence_of(project, 2)))
    skipped = claimed(li, sentence_of(project, 3))
    claims.skip(li, skipped.pk, version=skipped.version)
    projects.change_project(project, by=None, options={"guideline_gate": True})
    li.refresh_from_db()
    acts = (
        lambda: submit_answer(li, slot),
        lambda: claims.skip(li, slot.pk, version=slot.version),
        lambda: submissions.reopen(li, done.slot_id),
    )
    for act in acts:
        with pytest.raises(GuidelineFirstError):
            act()
    assert claims.recall(li, skipped.sentence_id).nothing == NoTask.GUIDELINE_FIRST
    assert (Submission.objects.count(), Slot.objects.get(pk=slot.pk).state) == (1, "open")


def test_reviewers_read_it_first_too(site):
    project = a_project(1, annotators=1)
    rita = joined(project, "rita", "reviewer")
    all_submitted(sentence_of(project), people(project, 1))
    task = opened(project)
    projects.change_project(project, by=None, options={"guideline_gate": True})
    rita.refresh_from_db()
    rita.project.refresh_from_db()
    assert reviews.current_review(rita).nothing == NoTask.GUIDELINE_FIRST
    with pytest.raises(GuidelineFirstError):
        reviews.open_review(rita, task.sentence_id)
    sent = {"version": task.version, "client_key": uuid4()}
    with pytest.raises(GuidelineFirstError):
        reviews.finalise(rita, task.sentence_id, answer=review_answer(project), **sent)
    with pytest.raises(GuidelineFirstError):
        reviews.hand_on(rita, task.sentence_id, version=task.version, note="x")
    read(rita)
    assert reviews.current_review(rita).task == task


@pytest.mark.parametrize(
    ("language", "words"), [("en", "The guideline first"), ("zh-hans", "先读规范")]
)
def test_the_pages_say_so_and_lead_on(site, language, words):
    project = a_project(guideline_gate=True)
    li = Asking(people(project, 1)[0], language=language)
    assert words in li.html("/p/story/work")
    form = 'action="/p/story/guide/acknowledge/1"'
    assert li.html("/p/story/guide").count(form) == 2  # above the text, and at its end
    response = li.form("/p/story/guide/acknowledge/1", next="/p/story/work")
    assert response["Location"] == "/p/story/work"
    assert li.page()["task"]
    assert form not in li.html("/p/story/guide")


def test_the_wire_refuses_in_the_persons_words_and_drafts_are_kept(site):
    project = a_project()
    li = Asking(people(project, 1)[0], language="zh-hans")
    task = li.page()["task"]
    projects.change_project(project, by=None, options={"guideline_gate": True})
    saved = li.send("PUT", task["draftUrl"], {"rev": 0, "payload": draft("写到一半")})
    assert saved.status_code == 200
    response = li.send("POST", task["submitUrl"], answer(task, "我改好了。"))
    assert (response.status_code, response.json()["message"]) == (
        403,
        "请先阅读规范并确认，然后再次提交。您写的内容已保存。",
    )
    assert li.send("POST", task["skipUrl"], {"version": task["version"]}).status_code == 403
    assert not Submission.objects.exists()
