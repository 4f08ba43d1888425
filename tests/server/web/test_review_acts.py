"""What the review screen does: examines, saves, decides once, gives away, and loses nothing."""

from __future__ import annotations

import re
from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone
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
from server.workflow.reviewing import BAD, FAIR, GOOD, golden_texts, member_of, opened, waiting
from server.workflow.stories import TEXTS, correction, error_free, sentence_of

from gecbench.server.models import Reference, Review, Study, Verdict
from gecbench.server.workflow import reviews

pytestmark = pytest.mark.usefixtures("site")

REVIEW = "/p/story/review"
SOURCE = TEXTS[0]
RIGHT = {
    GOOD: verdict(True),
    FAIR: verdict(True),
    BAD: verdict(False, "erroneous", note="缺了动词"),
}


def shown_problems(answer: object) -> list[tuple[str, str, bool]]:
    return [
        (problem["code"], problem["place"], problem["blocking"])
        for problem in answer.json()["problems"]
    ]


def test_a_decision_makes_the_golden_set_and_sends_on_rev_8_rev_11():
    project = waiting()
    client = signed_in(project, "rita")
    answer = decide(client, opened(project), payload(RIGHT, note="好句子", active_ms=1200))
    assert answer.json() == {"next": REVIEW}
    assert sorted(golden_texts(sentence_of(project))) == sorted([GOOD, FAIR])
    (review,) = Review.objects.all()
    assert (review.note, review.active_ms) == ("好句子", 1200)
    verdict = Verdict.objects.get(correct=False)
    assert (verdict.reasons, verdict.note) == (["erroneous"], "缺了动词")
    assert Study.objects.count() == 1
    assert "#1 is decided: 2 golden texts." in page_of(client, REVIEW)


def test_a_row_without_verdict_and_one_without_reason_are_refused_where_they_are_rev_2_rev_3():
    project = waiting()
    client, task = signed_in(project, "rita"), opened(project)
    keys = [candidate.key for candidate in reviews.candidates(task, member_of(project, "rita"))]
    held = payload({GOOD: verdict(True), BAD: verdict(False)})
    rows = {name: keys.index(payload({name: {}})["rows"].popitem()[0]) for name in (FAIR, BAD)}
    answer = decide(client, task, held)
    assert answer.status_code == 422
    assert set(shown_problems(answer)) == {
        ("REV-2", f"row-{rows[FAIR]}", True),
        ("REV-3", f"row-{rows[BAD]}", True),
    }
    assert {problem["words"] for problem in answer.json()["problems"]} == {
        "Not judged yet.",
        "Say why it is wrong: choose at least one reason.",
    }
    assert not Review.objects.exists()


def test_a_mended_text_is_golden_and_remembers_what_it_was_made_from_rev_4():
    project = waiting(correction(BAD))
    better = "我昨天去了图书馆借书。"
    held = payload({BAD: verdict(False, "incomplete", modified=better)})
    assert decide(signed_in(project, "rita"), opened(project), held).status_code == 200
    reference = Reference.objects.get(text=better)
    assert (reference.origin, reference.parent.text) == ("modified", BAD)
    assert Reference.objects.get(pk=reference.parent_id).text == BAD


def test_a_text_restored_by_switches_is_known_as_restored_rev_9():
    over = "我昨日去了图书馆借书。"  # 昨天 -> 昨日 goes too far, the second 了 is rightly gone
    project = waiting(correction(over))
    held = payload(
        {over: verdict(False, "overcorrection", modified="我昨天去了图书馆借书。", off=[1])}
    )
    assert decide(signed_in(project, "rita"), opened(project), held).status_code == 200
    assert Reference.objects.get(review__isnull=False).origin == "restored"


def test_a_text_typed_after_restoring_is_a_modified_one():
    over = "我昨日去了图书馆借书。"
    project = waiting(correction(over))
    held = payload(
        {over: verdict(False, "overcorrection", modified="昨天我去图书馆借书。", off=[1])}
    )
    assert decide(signed_in(project, "rita"), opened(project), held).status_code == 200
    assert Reference.objects.get(review__isnull=False).origin == "modified"


def test_over_correction_without_a_restored_text_warns_once_rev_9():
    project = waiting()
    client, task = signed_in(project, "rita"), opened(project)
    held = payload(RIGHT | {BAD: verdict(False, "overcorrection")})
    answer = decide(client, task, held)
    assert [(code, blocking) for code, _, blocking in shown_problems(answer)] == [("REV-9", False)]
    assert decide(client, task, {**held, "confirmed": True}).status_code == 200


def test_what_equals_a_correct_text_is_settled_and_not_added_twice_rev_9():
    project = waiting()
    held = payload(RIGHT | {BAD: verdict(False, "overcorrection", modified=f" {GOOD}")})
    assert decide(signed_in(project, "rita"), opened(project), held).status_code == 200
    assert sorted(golden_texts(sentence_of(project))) == sorted([GOOD, FAIR])


def test_an_own_twin_does_not_hide_another_rows_warning_rev_9():
    project = waiting(correction(GOOD), correction(BAD), correction(FAIR))
    held = payload(
        {
            GOOD: verdict(True),
            BAD: verdict(False, "overcorrection", modified=GOOD),
            FAIR: verdict(False, "overcorrection"),
        }
    )
    answer = decide(signed_in(project, "rita"), opened(project), held)
    assert [code for code, _, _ in shown_problems(answer)] == ["REV-9"]


def test_an_untouched_box_is_no_text_rev_4_rev_9():
    project = waiting(correction(GOOD), error_free(), correction(BAD))
    client, task = signed_in(project, "rita"), opened(project)
    rows = {
        BAD: verdict(False, "overcorrection", modified=f"{BAD} "),
        GOOD: verdict(True),
        "error_free": verdict(False),
    }
    asked_of = send(client, task, "examine", {"payload": payload(rows)}).json()
    assert asked_of["golden"] == 1
    assert [(problem["code"], problem["blocking"]) for problem in asked_of["problems"]] == [
        ("REV-9", False)
    ]
    rows |= {GOOD: verdict(False, "overcorrection", modified=GOOD), "error_free": verdict(True)}
    assert decide(client, task, payload(rows, decision="error_free")).status_code == 200
    assert sentence_of(project).golden.kind == "error_free"


def test_added_texts_are_golden_and_their_problems_stand_at_their_boxes_rev_5():
    project = waiting()
    client, task = signed_in(project, "rita"), opened(project)
    held = payload(RIGHT, additions=["昨天我去图书馆借书了。", SOURCE, "", BAD, GOOD])
    assert set(shown_problems(decide(client, task, held))) == {
        ("ANN-10", "addition-1", True),
        ("ANN-12", "addition-2", True),
        ("REV-4", "addition-3", True),
        ("CON-10", "addition-4", True),
    }
    held["additions"] = held["additions"][:1]
    assert decide(client, task, held).status_code == 200
    assert Reference.objects.get(text="昨天我去图书馆借书了。").origin == "added"


def test_problems_of_mended_texts_stand_at_their_boxes_rev_4():
    project = waiting()
    client, task = signed_in(project, "rita"), opened(project)
    shown = [candidate.text for candidate in reviews.candidates(task, member_of(project, "rita"))]
    rows = {FAIR: verdict(False, "incomplete"), BAD: verdict(False, "incomplete", modified=FAIR)}
    held = payload(RIGHT | rows, additions=[""])
    assert set(shown_problems(decide(client, task, held))) == {
        ("REV-4", f"modified-{shown.index(BAD)}", True),
        ("ANN-12", "addition-0", True),
    }


def test_a_sentence_can_be_error_free_and_then_no_text_is_right_rev_6():
    project = waiting(correction(BAD), error_free())
    client, task = signed_in(project, "rita"), opened(project)
    contradicted = payload({BAD: verdict(True), "error_free": verdict(True)}, decision="error_free")
    answer = decide(client, task, contradicted)
    assert [problem["words"] for problem in answer.json()["problems"]] == [
        "This contradicts the decision that the sentence is free of errors."
    ]
    held = payload(
        {BAD: verdict(False, "overcorrection"), "error_free": verdict(True)}, decision="error_free"
    )
    assert decide(client, task, held).status_code == 200
    assert sentence_of(project).golden.kind == "error_free"
    assert "#1 is decided: Free of errors." in page_of(client, REVIEW)


def test_not_annotatable_needs_a_reason_rev_7():
    project = waiting(correction(BAD))
    client, task = signed_in(project, "rita"), opened(project)
    held = payload({BAD: verdict(False)}, decision="not_annotatable")
    assert shown_problems(decide(client, task, held)) == [("REV-7", "reason", True)]
    assert decide(client, task, {**held, "reason": "personal"}).status_code == 200
    assert sentence_of(project).golden.reason == "personal"


def test_the_live_line_says_what_the_rules_make_of_it_while_rows_are_open_con_3():
    some, other = "我昨天[缺失成分]了图书馆借书。", "我昨天去了图书馆借书。"
    project = waiting(correction(some), correction(other), correction(BAD))
    client, task = signed_in(project, "rita"), opened(project)
    held = payload({some: verdict(True), other: verdict(True)})
    data = send(client, task, "examine", {"payload": held}).json()
    assert data["checks"] == {"placeholder": False, "distinct": True, "decision": True}
    assert data["golden"] == 2
    (missing,) = [problem for problem in data["problems"] if problem["code"] == "CON-3"]
    assert missing["words"] == (
        "This text has no [缺失成分] and others have it; all have it or none."
    )
    assert {problem["code"] for problem in data["problems"]} >= {"CON-3", "REV-2"}
    assert not Review.objects.exists()


def test_a_problem_names_the_other_text_as_the_page_does_con_4():
    first, two = "我[缺失成分]图书馆[缺失成分]书。", "我昨天[缺失成分]图书馆借书。"
    project = waiting(correction(first))
    client, task = signed_in(project, "rita"), opened(project)
    held = payload({first: verdict(True)}, additions=[two])
    data = send(client, task, "examine", {"payload": held}).json()
    (count,) = [problem for problem in data["problems"] if problem["code"] == "CON-4"]
    assert count["place"] == "addition-0"
    assert count["words"] == "This text has [缺失成分] 1 times; text 1: 2 times."
    assert data["checks"]["placeholder"] is False


def test_two_boxes_with_the_same_text_and_one_decision_too_many_are_told_live():
    project = waiting(correction(BAD))
    client, task = signed_in(project, "rita"), opened(project)
    held = payload({BAD: verdict(False, "incomplete")}, additions=[GOOD, GOOD])
    data = send(client, task, "examine", {"payload": held}).json()
    assert data["checks"]["distinct"] is False
    held = payload({BAD: verdict(True)}, decision="error_free")
    data = send(client, task, "examine", {"payload": held}).json()
    assert (data["checks"]["decision"], data["golden"]) == (False, 0)
    nothing = send(client, task, "examine", {"payload": payload({})}).json()
    assert nothing["golden"] == 0


def test_the_same_key_twice_is_one_decision_inv_9():
    project = waiting()
    client, task = signed_in(project, "rita"), opened(project)
    key = str(uuid4())
    for _ in range(2):
        assert decide(client, task, payload(RIGHT), client_key=key).status_code == 200
    assert Review.objects.count() == 1


def test_a_form_without_scripts_decides_and_comes_back_with_everything_kept():
    project = waiting(correction(BAD))
    client, task = signed_in(project, "rita"), opened(project)
    fields = {
        "verdict-0": "wrong",
        "reasons-0": ["overcorrection"],
        "note-0": "改多了",
        "section-0": "reject-overcorrection",
        "modified-0": "",
        "addition": ["", "我昨天去了图书馆借书。"],
        "note": "全句",
    }
    path = f"{REVIEW}/{task.sentence_id}/finalise"
    warned = client.post(path, form_of(task, **fields))
    assert warned.status_code == 422
    page = warned.content.decode()
    assert "restore what was over-corrected" in page
    assert 'value="改多了"' in page
    assert re.search(r'value="wrong"\s+checked', page)
    assert "我昨天去了图书馆借书。</textarea>" in page
    done = client.post(path, form_of(task, confirmed="yes", **fields))
    assert (done.status_code, done["Location"]) == (302, REVIEW)
    verdict = Verdict.objects.get()
    assert (verdict.note, verdict.section) == ("改多了", "reject-overcorrection")


@pytest.mark.parametrize(
    "held",
    [
        3,
        {"decision": "maybe"},
        {"rows": []},
        {"rows": {"x": 1}},
        {"rows": {"x": {"correct": "yes"}}},
        {"rows": {"x": {"reasons": ["dull"]}}},
        {"rows": {"x": {"reasons": "dull"}}},
        {"rows": {"x": {"reasons": [1]}}},
        {"rows": {"x": {"off": ["1"]}}},
        {"rows": {"x": {"modified": 1}}},
        {"additions": ["x"] * 51},
        {"note": None},
        {"reason": "dull"},
        {"active_ms": -1},
        {"active_ms": True},
    ],
)
def test_what_no_page_sends_is_refused_and_changes_nothing(held: object):
    project = waiting(correction(BAD))
    client, task = signed_in(project, "rita"), opened(project)
    for answer in (
        decide(client, task, held),
        send(client, task, "examine", {"payload": held}),
        send(client, task, "draft", {"rev": 0, "payload": held}, "put"),
    ):
        assert answer.status_code == 400
        assert "Load the page again" in answer.json()["message"]
    assert not Review.objects.exists()


def test_keys_versions_and_bodies_that_mean_nothing_are_refused():
    project = waiting(correction(BAD))
    client, task = signed_in(project, "rita"), opened(project)
    path = f"{REVIEW}/{task.sentence_id}/finalise"
    assert decide(client, task, payload({}), client_key="x").status_code == 400
    assert decide(client, task, payload({}), version="x").status_code == 400
    assert client.post(path, "{", **JSON).status_code == 400
    assert client.post(path, {"version": "x", "client_key": "x"}).status_code == 400
    assert send(client, task, "draft", {"rev": -1, "payload": {}}, "put").status_code == 400
    assert send(client, task, "draft", {"rev": 0}, "put").status_code == 400


def test_get_does_not_decide():
    project = waiting()
    client, task = signed_in(project, "rita"), opened(project)
    for what in ("finalise", "examine", "draft", "hand", "second", "more"):
        assert client.get(f"{REVIEW}/{task.sentence_id}/{what}").status_code == 405


def test_a_decision_is_taken_back_from_the_bar_for_ten_seconds(monkeypatch):
    project = waiting()
    client, task = signed_in(project, "rita"), opened(project)
    decide(client, task, payload(RIGHT, note="好句子"))
    page = page_of(client, REVIEW)
    path = f"{REVIEW}/{task.sentence_id}/undo"
    assert f'action="{path}"' in page
    assert "#1 is decided: 2 golden texts." in page
    answer = client.post(path, follow=True)
    assert "taken back" in answer.content.decode()
    assert task_of(project).state == "open"
    page = page_of(client, REVIEW)
    assert "缺了动词" in page
    assert "好句子" in page
    # Nothing is left to take back; and later it is refused in words.
    refused = client.post(path, follow=True).content.decode()
    assert "can no longer be taken back" in refused
    decide(client, task_of(project), payload(RIGHT))
    moment = timezone.now() + timedelta(seconds=11)
    monkeypatch.setattr(timezone, "now", lambda: moment)
    assert path not in page_of(client, REVIEW)
    assert "can no longer be taken back" in client.post(path, follow=True).content.decode()
    assert sentence_of(project).state == "golden"


def test_without_the_window_a_message_says_what_was_decided():
    project = waiting(undo_seconds=0)
    client = signed_in(project, "rita")
    decide(client, opened(project), payload(RIGHT))
    page = page_of(client, REVIEW)
    assert "#1 is decided: 2 golden texts." in page
    assert "/undo" not in page
