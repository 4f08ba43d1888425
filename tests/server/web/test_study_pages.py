"""The study screen: an own text, what was said of it, and a box until it is right."""

from __future__ import annotations

import json
import re
from uuid import uuid4

import pytest
from django.http import HttpResponse
from django.test import Client
from server.remembering import remembered
from server.web.reviewing import JSON, page_of, shows_golden, signed_in
from server.workflow.reviewing import (
    BAD,
    FAIR,
    GOOD,
    finalised,
    member_of,
    review_answer,
    study_of,
    waiting,
    word,
)
from server.workflow.stories import TEXTS, correction, error_free, sentence_of

from gecbench.server.choices import ComplaintState, Decision
from gecbench.server.models import Complaint, Person, Project, Study, StudyTry
from gecbench.server.rules.text import digest
from gecbench.server.workflow import complaints, management, studies
from gecbench.server.workflow.answers import Answer, Ruling

pytestmark = pytest.mark.usefixtures("site")


@remembered
def rejected(**options: object) -> Project:
    """A project in which a2's second text was judged wrong, with words about it."""
    project = waiting(**options)
    about = word(digest(BAD), False, "incomplete", note="少了“借”", section="word-missing")
    answer = review_answer(project, words={digest(BAD): about}, note="请看例句")
    finalised(project, answer=answer)
    return project


def path_of(study: Study, what: str = "") -> str:
    return f"/p/{study.project.slug}/study/{study.pk}{what}"


def tried(client: Client, study: Study, text: str | None, **more: object) -> HttpResponse:
    study.refresh_from_db()
    body = {
        "version": study.version,
        "client_key": str(uuid4()),
        "decision": "corrected",
        "texts": [] if text is None else [text],
        **more,
    }
    return client.post(path_of(study, "/try"), json.dumps(body), **JSON)


def test_the_item_shows_text_verdict_reasons_notes_and_sections_stu_2_gui_4():
    project = rejected()
    page = page_of(signed_in(project, "a2"), path_of(study_of(project, "a2")))
    assert TEXTS[0] in page
    assert 'class="diff-delete"' in page
    assert "judged wrong" in page
    assert "Incomplete correction" in page
    assert "少了“借”" in page
    assert "请看例句" in page
    assert 'href="/p/story/guide/word-missing"' in page
    assert 'href="/p/story/guide/reject-incomplete"' in page
    assert f">{BAD}</textarea>" in page


def test_golden_texts_are_hidden_until_a_try_has_failed_stu_4():
    project = rejected()
    client, study = signed_in(project, "a2"), study_of(project, "a2")
    assert not shows_golden(page_of(client, path_of(study)))
    answer = tried(client, study, "我昨天去了图书馆看书了。")
    assert answer.json()["matched"] is False
    assert answer.json()["revealed"] is True
    assert GOOD not in answer.content.decode()
    page = page_of(client, path_of(study))
    assert "What is golden" in page
    assert page.count("golden-line") == 2
    assert "1 try so far" in page
    assert ">我昨天去了图书馆看书了。</textarea>" in page


def test_golden_texts_stay_hidden_where_the_project_never_reveals_stu_4():
    project = rejected(reveal_after=None)
    client, study = signed_in(project, "a2"), study_of(project, "a2")
    for _ in range(3):
        assert tried(client, study, "我昨天去了图书馆看书了。").json()["revealed"] is False
    assert not shows_golden(page_of(client, path_of(study)))


def test_a_failed_try_says_how_far_it_is_without_giving_it_away():
    project = rejected(reveal_after=3)
    client, study = signed_in(project, "a2"), study_of(project, "a2")
    words = tried(client, study, "我昨天去了图书馆借书了。。").json()["words"]
    assert re.fullmatch(r"Not right yet: \d edits? away from the nearest golden text\.", words)
    first = Study.objects.get(pk=study.pk)
    assert tried(client, study, "我去。").json()["version"] == first.version + 1
    assert Study.objects.get(pk=study.pk).attempts == 2


def test_the_item_closes_when_the_text_is_golden_and_the_next_one_is_offered_stu_3():
    project = waiting(correction(GOOD), correction(BAD, "我昨天去图书馆了。"))
    finalised(project, (GOOD,))
    client = signed_in(project, "a2")
    first, second = Study.objects.filter(person__login="a2").order_by("pk")
    page = page_of(client, path_of(first))
    assert "A golden text was found" not in page
    assert tried(client, first, f" {GOOD}").json()["matched"] is True
    page = page_of(client, path_of(first))
    assert "A golden text was found" in page
    assert path_of(second) in page
    assert 'id="study-form"' not in page
    assert tried(client, second, GOOD).json()["matched"] is True
    assert "Nothing else is open" in page_of(client, path_of(second))


def test_what_cannot_be_right_is_told_at_the_box_and_kept():
    project = rejected()
    client, study = signed_in(project, "a2"), study_of(project, "a2")
    empty = tried(client, study, " ")
    assert empty.status_code == 422
    assert empty.json()["problems"][0]["words"] == "This text is empty."
    same = tried(client, study, TEXTS[0])
    assert same.json()["problems"][0]["words"].startswith("This is the sentence itself.")
    (study_try,) = StudyTry.objects.all()
    assert (study_try.text, study_try.counted) == (TEXTS[0], False)
    assert "Refused: does not count." in page_of(client, path_of(study))


def test_a_lost_decision_is_mended_by_the_right_one_stu_5():
    project = waiting(correction(GOOD), error_free())
    finalised(project, (GOOD,))
    client, study = signed_in(project, "a2"), study_of(project, "a2")
    page = page_of(client, path_of(study))
    assert "Your decision" in page
    assert f">{TEXTS[0]}</textarea>" in page
    assert tried(client, study, None, decision="not_annotatable").json()["matched"] is False
    assert "Cannot be annotated" in page_of(client, path_of(study))
    assert tried(client, study, GOOD).json()["matched"] is True


def test_a_text_is_mended_by_the_decision_that_there_are_no_errors_stu_5():
    project = waiting(correction(BAD), error_free())
    finalised(project, (), decision=Decision.ERROR_FREE)
    client, study = signed_in(project, "a1"), study_of(project, "a1")
    far = tried(client, study, "我昨天去了图书馆书。")
    assert far.json()["words"].startswith("Not right yet: ")
    assert "Free of errors" in page_of(client, path_of(study))
    assert tried(client, study, None, decision="error_free").json()["matched"] is True


def test_where_no_text_is_right_the_page_says_so():
    project = waiting(correction(BAD))
    finalised(project, (), decision=Decision.NOT_ANNOTATABLE, reason="personal")
    client, study = signed_in(project, "a1"), study_of(project, "a1")
    assert "No text is right here" in tried(client, study, GOOD).json()["words"]


def test_a_form_without_scripts_tries_too():
    project = rejected()
    client, study = signed_in(project, "a2"), study_of(project, "a2")
    path = path_of(study, "/try")
    form = {"version": study.version, "client_key": str(uuid4()), "decision": "corrected"}
    refused = client.post(path, {**form, "text": ""})
    assert refused.status_code == 422
    assert "This text is empty." in refused.content.decode()
    missed = client.post(path, {**form, "text": "我昨天去了。"}, follow=True)
    assert "Not right yet:" in missed.content.decode()
    late = client.post(path, {**form, "client_key": str(uuid4()), "text": "我去。"})
    assert late.status_code == 409
    assert ">我去。</textarea>" in late.content.decode()
    wrong = client.post(path, {**form, "client_key": str(uuid4()), "decision": "error_free"})
    assert wrong.status_code == 409
    study.refresh_from_db()
    done = client.post(
        path, {**form, "version": study.version, "client_key": str(uuid4()), "text": GOOD}
    )
    assert (done.status_code, done["Location"]) == (302, path_of(study))
    no_text = client.post(path, {**form, "client_key": str(uuid4()), "decision": "error_free"})
    assert no_text.status_code == 409


def test_a_decision_by_form_that_is_refused_comes_back():
    project = rejected()
    client, study = signed_in(project, "a2"), study_of(project, "a2")
    body = {"version": study.version, "client_key": str(uuid4()), "decision": "error_free"}
    sent = client.post(path_of(study, "/try"), json.dumps({**body, "texts": ["x"]}), **JSON)
    assert sent.status_code == 422
    assert sent.json()["problems"][0]["words"] == "Write one text, or decide otherwise."


def test_a_stale_try_is_late_and_says_that_the_text_is_kept():
    project = rejected()
    client, study = signed_in(project, "a2"), study_of(project, "a2")
    late = tried(client, study, GOOD, version=study.version + 1)
    assert late.status_code == 409
    assert "Your text is kept" in late.json()["error"]


@pytest.mark.parametrize(
    "body", [{"version": "x"}, {"client_key": "x"}, {"decision": "maybe"}, {"strange": 1}]
)
def test_what_no_page_sends_is_refused(body: dict[str, object]):
    project = rejected()
    client, study = signed_in(project, "a2"), study_of(project, "a2")
    assert tried(client, study, GOOD, **body).status_code == 400
    form = {"version": "1", "client_key": str(uuid4()), "decision": "corrected", "text": "x"}
    assert client.post(path_of(study, "/try"), {**form, **body, "version": "x"}).status_code == 400


def test_nobody_finds_the_items_of_others_rol_5():
    project = rejected()
    study = study_of(project, "a2")
    for login in ("a1", "rita", "boss"):
        client = signed_in(project, login)
        assert client.get(path_of(study)).status_code == 404
        assert tried(client, study, GOOD).status_code == 404
        assert client.post(path_of(study, "/complain"), {"argument": "x"}).status_code == 404


def test_the_list_has_open_items_oldest_first_with_their_age_and_closed_ones_apart():
    project = waiting(correction(GOOD), correction(BAD), error_free())
    finalised(project, (GOOD,))
    client, study = signed_in(project, "a2"), study_of(project, "a2")
    page = page_of(client, "/p/story/study")
    assert "today" in page
    assert path_of(study) in page
    assert path_of(study_of(project, "a3")) not in page
    assert "Nothing was closed yet" in page_of(client, "/p/story/study?state=closed")
    tried(client, study, "我昨天去了。")
    tried(client, study, GOOD)
    assert "Nothing is open" in page_of(client, "/p/story/study")
    closed = page_of(client, "/p/story/study?state=closed")
    assert "A golden text was found" in closed
    assert "1 try" in closed
    decision = page_of(signed_in(project, "a3"), "/p/story/study")
    assert "Free of errors" in decision


def test_old_items_show_their_days():
    from datetime import timedelta

    project = rejected()
    study = study_of(project, "a2")
    Study.objects.update(opened_at=study.opened_at - timedelta(days=4, hours=1))
    assert "4 days old" in page_of(signed_in(project, "a2"), "/p/story/study")


def test_i_insist_opens_a_complaint_with_the_text_attached_cmp_1():
    project = rejected()
    client, study = signed_in(project, "a2"), study_of(project, "a2")
    path = path_of(study, "/complain")
    refused = client.post(path, {"argument": " "})
    assert refused.status_code == 422
    assert "Say why your text is right." in refused.content.decode()
    key = str(uuid4())
    done = client.post(path, {"argument": "口语里可以这样说。", "client_key": key})
    complaint = Complaint.objects.get()
    assert done["Location"] == f"/p/story/problems/{complaint.pk}"
    assert "You have complained about this." in page_of(client, path_of(study))
    again = client.post(path, {"argument": "再说一次", "client_key": str(uuid4())})
    assert "is not decided yet" in again.content.decode()
    assert "再说一次</textarea>" in again.content.decode()


def test_while_a_sentence_is_reviewed_anew_no_complaint_is_taken_and_nothing_is_lost():

    project = rejected()
    client, study = signed_in(project, "a2"), study_of(project, "a2")
    management.reopen_sentence(member_of(project, "boss"), sentence_of(project).pk, reason="x")
    answer = client.post(path_of(study, "/complain"), {"argument": "我坚持"})
    assert answer.status_code == 409
    assert "我坚持</textarea>" in answer.content.decode()


def test_items_that_closed_otherwise_say_why_stu_8():
    project = rejected()
    study = study_of(project, "a2")
    studies.waive(member_of(project, "boss"), study.pk, note="旧规范")
    page = page_of(signed_in(project, "a2"), path_of(study))
    assert "Closed by a manager" in page


def test_a_text_that_a_later_version_dropped_has_no_verdict_to_show():
    project = waiting(correction(FAIR), correction(GOOD), reviewers=("rita",))
    finalised(project)

    management.reopen_sentence(member_of(project, "boss"), sentence_of(project).pk, reason="x")
    finalised(project, (GOOD,), decision=Decision.CORRECTED)
    client, study = signed_in(project, "a1"), study_of(project, "a1")
    assert "judged wrong" in page_of(client, path_of(study))


def test_a_rejected_decision_shows_its_reason_and_notes():
    unclear = Answer(Decision.NOT_ANNOTATABLE, reason="incomprehensible", note="看不懂")
    project = waiting(correction(GOOD), error_free(), unclear)
    words = {
        "error_free": word("error_free", False, "incomplete", note="漏了一处"),
        "not_annotatable": word("not_annotatable", False, note="其实能改"),
    }
    finalised(project, (GOOD,), words=words)
    page = page_of(signed_in(project, "a2"), path_of(study_of(project, "a2")))
    for shown in ("judged wrong", "Incomplete correction", "漏了一处"):
        assert shown in page
    page = page_of(signed_in(project, "a3"), path_of(study_of(project, "a3")))
    assert "看不懂" in page  # the author's own words
    assert "其实能改" in page


def test_what_cannot_be_annotated_says_why_once_it_is_shown():
    project = waiting(reveal_after=0)
    finalised(project, decision=Decision.NOT_ANNOTATABLE, reason="personal", note="有地址")
    page = page_of(signed_in(project, "a1"), path_of(study_of(project, "a1")))
    assert "Cannot be annotated: Personal" in page
    assert "有地址" in page


def test_the_texts_beside_one_another_say_in_words_which_is_right():
    project = rejected(reveal_after=0)
    page = page_of(signed_in(project, "a2"), path_of(study_of(project, "a2")))
    tags = re.findall(r'class="tag (good|bad)"><span aria-hidden="true">(.)</span> (\w+)<', page)
    assert tags == [("bad", "✗", "wrong"), ("good", "✓", "right"), ("good", "✓", "right")]


def test_examples_of_the_guideline_say_in_words_which_is_right():
    project = rejected()
    page = page_of(signed_in(project, "a2"), path_of(study_of(project, "a2")))
    examples = page[page.index('id="guide-part"') :]
    assert "✗ wrong: " in examples
    assert "✓ right: " in examples
    Person.objects.filter(login="a2").update(language="zh-hans")
    page = page_of(signed_in(project, "a2"), path_of(study_of(project, "a2")))
    assert "✗ 错：" in page


def test_the_note_of_a_dismissal_is_shown_once_cmp_3():
    project = waiting(reviewers=("rita", "rolf"))
    finalised(project)
    study = study_of(project, "a2")
    author = member_of(project, "a2")
    complaint = complaints.complain(author, study.pk, argument="我是对的", client_key=uuid4())
    complaints.decide(
        member_of(project, "rolf"),
        complaint.pk,
        version=complaint.version,
        client_key=uuid4(),
        ruling=Ruling(ComplaintState.DISMISSED, note="缺了动词，句子不通"),
    )
    client = signed_in(project, "a2")
    assert page_of(client, path_of(study)).count("缺了动词，句子不通") == 1
    problem = page_of(client, f"/p/story/problems/{complaint.pk}")
    assert problem.count("缺了动词，句子不通") == 1
