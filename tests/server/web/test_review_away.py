"""Others are faster, windows are two, reviews are given away: nothing that was written is lost."""

from __future__ import annotations

import json
import re

import pytest
from server.web.reviewing import (
    JSON,
    decide,
    form_of,
    page_of,
    payload,
    send,
    signed_in,
    task_of,
    verdict,
)
from server.workflow.reviewing import BAD, FAIR, GOOD, member_of, opened, waiting
from server.workflow.stories import people, sentence_of

from gecbench.server.models import Review, ReviewTask
from gecbench.server.workflow import reviews

pytestmark = pytest.mark.usefixtures("site")

REVIEW = "/p/story/review"
RIGHT = {
    GOOD: verdict(True),
    FAIR: verdict(True),
    BAD: verdict(False, "erroneous", note="缺了动词"),
}


def test_two_reviewers_race_and_the_second_keeps_the_text_rev_12():
    project = waiting(reviewers=("rita", "ruth"))
    late, task = signed_in(project, "rita"), opened(project, "rita")
    reviews.hand_on(member_of(project, "rita"), task.sentence_id, version=task.version, note="?")
    opened(project, "ruth")
    answer = decide(late, task, payload(RIGHT))
    assert answer.status_code == 409
    assert answer.json()["error"].startswith("Ruth has this sentence now.")
    assert send(late, task, "examine", {"payload": payload(RIGHT)}).status_code == 409
    form = late.post(f"{REVIEW}/{task.sentence_id}/finalise", form_of(task, addition=["我写的。"]))
    assert form.status_code == 409
    assert "我写的。</textarea>" in form.content.decode()
    assert not Review.objects.exists()


def test_a_stale_version_of_an_own_review_is_late_too():
    project = waiting()
    client, task = signed_in(project, "rita"), opened(project)
    answer = decide(client, task, payload(RIGHT), version=task.version - 1)
    assert answer.status_code == 409
    assert answer.json()["error"].startswith("This sentence has changed meanwhile.")


def test_a_draft_is_saved_by_script_and_by_beacon_and_never_over_another_window():
    project = waiting()
    client, task = signed_in(project, "rita"), opened(project)
    first = send(client, task, "draft", {"rev": 0, "payload": payload(RIGHT)}, "put")
    assert first.json()["rev"] == 1
    beacon = {"rev": 1, "payload": payload({}), "client_at": "2026-01-01T00:00:00Z"}
    path = f"{REVIEW}/{task.sentence_id}/draft"
    sent = client.post(path, f"payload={json.dumps(beacon)}", "application/x-www-form-urlencoded")
    assert sent.json()["rev"] == 2
    other = send(client, task, "draft", {"rev": 1, "payload": payload(RIGHT)}, "put")
    assert (other.status_code, other.json()["rev"]) == (409, 2)
    assert other.json()["payload"] == payload({})


def test_drafts_of_foreign_or_decided_sentences_are_refused():
    project = waiting()
    client, task = signed_in(project, "rita"), opened(project)
    body = {"rev": 0, "payload": payload({})}
    unknown = client.put(f"{REVIEW}/999/draft", json.dumps(body), **JSON)
    assert unknown.status_code == 404
    decide(client, task, payload(RIGHT))
    assert send(client, task, "draft", body, "put").status_code in {404, 409, 410}


def test_a_review_is_handed_on_with_a_note_rev_10():
    project = waiting(reviewers=("rita", "ruth"))
    client, task = signed_in(project, "rita"), opened(project)
    path = f"{REVIEW}/{task.sentence_id}/hand"
    refused = client.post(path, form_of(task, note=" "), follow=True)
    assert "Say why, in a few words." in refused.content.decode()
    answer = client.post(path, form_of(task, note="专名我不熟"), follow=True)
    assert "The review went to another reviewer." in answer.content.decode()
    assert "专名我不熟" in page_of(signed_in(project, "ruth"), REVIEW)
    assert "not for you" in page_of(client, REVIEW)


def test_a_second_opinion_is_asked_for_rev_10():
    project = waiting(reviewers=("rita", "ruth"))
    client, task = signed_in(project, "rita"), opened(project)
    client.post(f"{REVIEW}/{task.sentence_id}/second", form_of(task, note="对吗？"))
    page = page_of(signed_in(project, "ruth"), REVIEW)
    assert "A second opinion is asked for." in page
    assert "<strong>Rita:</strong> 对吗？" in page


def test_without_another_reviewer_nothing_is_handed_on():
    project = waiting()
    client, task = signed_in(project, "rita"), opened(project)
    path = f"{REVIEW}/{task.sentence_id}/hand"
    answer = client.post(path, form_of(task, note="x"), follow=True)
    assert "Nobody else can review this sentence" in answer.content.decode()
    assert task_of(project).reviewer_id == member_of(project, "rita").person_id


def test_a_sentence_is_returned_for_more_annotators_wfl_5():
    project = waiting()
    people(project, 2, prefix="new")
    client, task = signed_in(project, "rita"), opened(project)
    path = f"{REVIEW}/{task.sentence_id}/more"
    refused = client.post(path, form_of(task, more="9"), follow=True).content.decode()
    assert "Only 2 annotators have not worked on this sentence." in refused
    assert client.post(path, form_of(task, more="x")).status_code == 422
    answer = client.post(path, form_of(task, more="2", note="意见不一"), follow=True)
    assert "The sentence waits for 2 more annotators." in answer.content.decode()
    assert sentence_of(project).needed == 5


@pytest.mark.parametrize("act", ["hand", "second", "more"])
def test_a_note_that_is_refused_or_too_late_stays_where_it_was_typed(act: str):
    project = waiting(reviewers=("rita", "ruth"))
    client, task = signed_in(project, "rita"), opened(project, "rita")
    path = f"{REVIEW}/{task.sentence_id}/{act}"
    late = client.post(path, {"version": 0, "note": "我想了很久。", "more": "2"})
    assert late.status_code == 409
    shown = late.content.decode()
    box = re.search(rf'<textarea id="{act}-note"[^>]*>([^<]*)<', shown)
    assert box is not None
    assert box[1] == "我想了很久。"
    assert shown.count("我想了很久。") == 1  # in this box alone
    too_much = client.post(path, form_of(task, note="长" * 10_001, more="1"))
    assert too_much.status_code == 422
    assert "长" * 10_001 in too_much.content.decode()
    reviews.hand_on(member_of(project, "rita"), task.sentence_id, version=task.version, note="?")
    opened(project, "ruth")
    lost = client.post(path, form_of(task, note="还在。", more="1"))
    assert lost.status_code == 409
    assert re.search('<textarea id="kept-note"[^>]*>还在。<', lost.content.decode())


@pytest.mark.parametrize("version", ["0", "x"])
def test_what_is_given_away_too_late_stays(version: str):
    project = waiting(reviewers=("rita", "ruth"))
    client, task = signed_in(project, "rita"), opened(project)
    path = f"{REVIEW}/{task.sentence_id}/hand"
    answer = client.post(path, {"version": version, "note": "x"}, follow=True)
    assert "This sentence has changed meanwhile." in answer.content.decode()
    assert ReviewTask.objects.get(state="open").pk == task.pk
