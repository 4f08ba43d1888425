"""The problems: a complaint is argued, discussed and decided; both decisions stay to be read."""

from __future__ import annotations

import re
from uuid import uuid4

import pytest
from django.http import HttpResponse
from django.test import Client
from server.remembering import remembered
from server.web.reviewing import page_of, shows_golden, signed_in
from server.workflow.reviewing import (
    BAD,
    GOOD,
    finalised,
    golden_texts,
    member_of,
    review_answer,
    study_of,
    waiting,
    word,
)
from server.workflow.stories import correction, error_free, joined, sentence_of

from gecbench.server.choices import Decision
from gecbench.server.models import Complaint, GuidelineCase, Message, Project, Study
from gecbench.server.rules.text import digest
from gecbench.server.workflow import complaints

pytestmark = pytest.mark.usefixtures("site")


@remembered
def disputed(*reviewers: str, login: str = "a2", **options: object) -> Project:
    """A project in which a2 complains about the verdict on a text."""
    project = waiting(reviewers=reviewers or ("rita", "ruth"), **options)
    about = word(digest(BAD), False, "incomplete", note="少了“借”")
    finalised(project, answer=review_answer(project, words={digest(BAD): about}))
    complain(project, login)
    return project


def complain(project: Project, login: str) -> None:
    study = study_of(project, login)
    complaints.complain(
        member_of(project, login), study.pk, argument="口语里可以。", client_key=uuid4()
    )


def the_complaint() -> Complaint:
    return Complaint.objects.select_related("project", "study").latest("pk")


def path_of(complaint: Complaint, what: str = "") -> str:
    return f"/p/{complaint.project.slug}/problems/{complaint.pk}{what}"


def ruled(client: Client, outcome: str, **fields: object) -> HttpResponse:
    complaint = the_complaint()
    form = {"version": complaint.version, "client_key": str(uuid4()), "outcome": outcome}
    return client.post(path_of(complaint, "/rule"), {**form, **fields}, follow=True)


def test_the_page_shows_text_argument_first_verdict_and_golden_texts_cmp_2_cmp_4():
    project = disputed()
    page = page_of(signed_in(project, "ruth"), path_of(the_complaint()))
    assert "waits for an answer" in page
    assert "口语里可以。" in page
    assert "少了“借”" in page
    assert "Incomplete correction" in page
    assert page.count("golden-line") == 2
    assert "Decide the complaint" in page


def test_the_author_reads_no_golden_text_before_it_is_revealed_stu_4():
    project = disputed()
    page = page_of(signed_in(project, "a2"), path_of(the_complaint()))
    assert not shows_golden(page)
    assert "It waits for a decision." in page
    assert "Decide the complaint" not in page


def test_reviewers_do_not_read_who_complains_and_authors_not_who_decides_rol_6():
    project = disputed()
    complaint = the_complaint()
    page = page_of(signed_in(project, "ruth"), path_of(complaint))
    assert "The author" in page
    assert not re.search(r"\bA2\b", page)
    signed_in(project, "ruth").post(path_of(complaint, "/say"), {"text": "哪里说？"})
    own_page = page_of(signed_in(project, "a2"), path_of(complaint))
    assert "A reviewer" in own_page
    assert "Ruth" not in own_page
    assert "You" in own_page
    boss = page_of(signed_in(project, "boss"), path_of(complaint))
    assert "A2" in boss
    assert "Ruth" in boss


def test_the_first_reviewer_reads_and_another_one_decides_cmp_2():
    project = disputed()
    page = page_of(signed_in(project, "rita"), path_of(the_complaint()))
    assert "Somebody else decides this one." in page
    refused = ruled(signed_in(project, "rita"), "upheld")
    assert refused.status_code == 404
    assert the_complaint().state == "open"


def test_an_upheld_text_becomes_golden_and_both_decisions_are_shown_cmp_3_cmp_5():
    project = disputed()
    client = signed_in(project, "ruth")
    page = ruled(client, "upheld", note="可以", section="word-missing").content.decode()
    assert "The complaint is decided." in page
    assert BAD in golden_texts(sentence_of(project))
    assert page.index("judged wrong") < page.index("judged correct")
    assert '<span class="tag good">upheld</span>' in page
    assert 'href="/p/story/guide/word-missing"' in page
    own_page = page_of(signed_in(project, "a2"), f"/p/story/study/{the_complaint().study_id}")
    assert "The complaint was upheld" in own_page


def test_a_changed_text_becomes_golden_cmp_3():
    project = disputed()
    client = signed_in(project, "ruth")
    same = ruled(client, "upheld_changed", text=BAD)
    assert same.status_code == 422
    assert "uphold it without a change" in same.content.decode()
    better = "我昨天去了图书馆看书。"
    assert ruled(client, "upheld_changed", text=better).status_code == 200
    assert better in golden_texts(sentence_of(project))


def test_dismissing_needs_a_reason_and_what_was_typed_stays_cmp_3():
    project = disputed()
    client = signed_in(project, "ruth")
    refused = ruled(client, "dismissed", note=" ", section="word-missing")
    page = refused.content.decode()
    assert refused.status_code == 422
    assert "Say why, in a few words." in page
    assert 'value="dismissed" checked' in page
    assert 'value="word-missing"' in page
    done = ruled(client, "dismissed", note="缺了动词，句子不通").content.decode()
    assert "dismissed</span>" in done
    assert done.count("judged wrong") == 2
    assert "缺了动词，句子不通" in done


def test_a_ruling_without_a_choice_is_refused():
    project = disputed()
    answer = ruled(signed_in(project, "ruth"), "")
    assert answer.status_code == 422
    assert "Choose one of the three decisions." in answer.content.decode()


def test_a_late_ruling_is_answered_409_and_keeps_its_words():
    project = disputed()
    client = signed_in(project, "ruth")
    late = ruled(client, "dismissed", note="我的理由", version=the_complaint().version + 1)
    assert late.status_code == 409
    assert "我的理由</textarea>" in late.content.decode()
    assert ruled(client, "dismissed", note="我的理由", version="x").status_code == 409


def test_warnings_of_the_new_golden_set_are_confirmed_con_6():
    half = "我昨天去了图书馆,借了书。"
    project = waiting(correction(GOOD), correction(half), reviewers=("rita", "ruth"))
    finalised(project, (GOOD,))
    study = study_of(project, "a2")
    complaints.complain(member_of(project, "a2"), study.pk, argument="?", client_key=uuid4())
    client = signed_in(project, "ruth")
    warned = ruled(client, "upheld")
    assert warned.status_code == 422
    assert 'name="confirmed"' in warned.content.decode()
    assert 'class="warning"' in warned.content.decode()
    assert ruled(client, "upheld", confirmed="yes").status_code == 200
    assert half in golden_texts(sentence_of(project))


def test_a_ruling_says_before_it_is_made_that_a_text_replaces_a_golden_decision_con_1():
    project = waiting(correction(BAD), error_free(), reviewers=("rita", "ruth"))
    finalised(project, answer=review_answer(project, decision=Decision.ERROR_FREE))
    complain(project, "a1")
    client = signed_in(project, "ruth")
    page = page_of(client, path_of(the_complaint()))
    assert "The text takes the place of the decision “Free of errors”" in page
    assert ruled(client, "upheld").status_code == 200
    assert golden_texts(sentence_of(project)) == [BAD]
    assert study_of(project, "a2").state == "open"


def test_an_upheld_decision_replaces_the_golden_set_cmp_3():
    project = waiting(correction(GOOD), error_free(), reviewers=("rita", "ruth"))
    finalised(project, (GOOD,))
    study = study_of(project, "a2")
    complaints.complain(member_of(project, "a2"), study.pk, argument="没错", client_key=uuid4())
    client = signed_in(project, "ruth")
    page = page_of(client, path_of(the_complaint()))
    assert "Uphold: the decision is right" in page
    assert "Submitted decision" in page
    ruled(client, "upheld")
    assert sentence_of(project).golden.kind == "error_free"
    assert "Free of errors" in page_of(client, path_of(the_complaint()))


def test_a_dismissed_complaint_goes_to_a_manager_once_whose_word_is_final_cmp_3():
    project = disputed()
    ruled(signed_in(project, "ruth"), "dismissed", note="不行")
    author = signed_in(project, "a2")
    first = the_complaint()
    assert "Bring it to a manager" in page_of(author, path_of(first))
    study = f"/p/story/study/{first.study_id}/complain"
    empty = author.post(study, {"argument": ""})
    assert empty.status_code == 422
    assert 'name="argument"' in empty.content.decode()
    author.post(study, {"argument": "请再看", "client_key": str(uuid4())})
    second = the_complaint()
    assert (second.level, second.pk > first.pk) == (2, True)
    assert "Bring it to a manager" not in page_of(author, path_of(first))
    boss = signed_in(project, "boss")
    page = page_of(boss, path_of(second))
    assert "second complaint, a manager decides" in page
    assert f'href="{path_of(first)}"' in page  # what was said then
    ruled(boss, "dismissed", note="仍然不行")
    assert "Bring it to a manager" not in page_of(author, path_of(second))


def test_the_talk_is_open_to_those_who_see_it_and_says_each_thing_once_cmp_4():
    project = disputed()
    complaint, author = the_complaint(), signed_in(project, "a2")
    path = path_of(complaint, "/say")
    silent = author.post(path, {"text": " "})
    assert (silent.status_code, "Write something." in silent.content.decode()) == (422, True)
    form = {"text": "还有一点。", "client_key": str(uuid4())}
    for _ in range(2):
        assert author.post(path, form).status_code == 302
    assert Message.objects.filter(text="还有一点。").count() == 1
    assert signed_in(project, "ruth").post(path, {"text": "好。"}).status_code == 302
    assert "is discussed" in page_of(author, path_of(complaint))


def test_others_find_no_complaint_that_is_not_theirs():
    project = disputed()
    joined(project, "a9")
    complaint = the_complaint()
    for login in ("a1", "a9"):
        client = signed_in(project, login)
        assert client.get(path_of(complaint)).status_code == 404
        assert client.post(path_of(complaint, "/say"), {"text": "x"}).status_code == 404
        assert client.post(path_of(complaint, "/rule"), {}).status_code == 404
        assert client.post(path_of(complaint, "/case"), {}).status_code == 404
        assert "There are no complaints here." in page_of(client, "/p/story/problems?state=all")


def test_a_manager_marks_a_case_for_the_guideline_cmp_4():
    project = disputed()
    complaint, boss = the_complaint(), signed_in(project, "boss")
    path = path_of(complaint, "/case")
    assert signed_in(project, "ruth").post(path, {"note": "x"}).status_code == 404
    long = boss.post(path, {"note": "长" * 10_001})
    assert (long.status_code, "This note is too long;" in long.content.decode()) == (422, True)
    boss.post(path, {"note": "写明口语"})
    assert GuidelineCase.objects.get().note == "写明口语"
    page = page_of(boss, path_of(complaint))
    assert "写明口语" in page
    assert "Mark as a case" not in page


def test_the_list_shows_undecided_ones_first_and_filters_by_state():
    project = disputed()
    client = signed_in(project, "ruth")
    assert "#1" in page_of(client, "/p/story/problems")
    assert "There are no complaints here." in page_of(client, "/p/story/problems?state=dismissed")
    ruled(client, "dismissed", note="不")
    assert "There are no complaints here." in page_of(client, "/p/story/problems")
    assert "dismissed</span>" in page_of(client, "/p/story/problems?state=dismissed")
    mine = page_of(signed_in(project, "a2"), "/p/story/problems?state=all")
    assert ">yours</span>" in mine
    assert "There are no" in page_of(client, "/p/story/problems?state=strange")


def test_a_long_list_says_how_many_are_not_listed(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("gecbench.server.web.complaints.PAGE", 0)
    project = disputed()
    page = page_of(signed_in(project, "ruth"), "/p/story/problems?state=undecided")
    assert "1 older one is not listed." in page


def test_a_sentence_in_a_release_is_decided_for_the_next_one_cmp_6():
    from gecbench.server.models import Release, ReleaseItem

    project = disputed()
    sentence = sentence_of(project)
    release = Release.objects.create(
        project=project,
        name="one",
        by=member_of(project, "boss").person,
        manifest={},
        manifest_sha256="0" * 64,
    )
    ReleaseItem.objects.create(
        release=release, sentence=sentence, golden=sentence.golden, position=1
    )
    page = page_of(signed_in(project, "ruth"), path_of(the_complaint()))
    assert "counts for the next one" in page


def test_complaints_about_study_items_of_others_benefit_too_cmp_5():
    project = waiting(
        correction(GOOD), correction(BAD), correction(BAD), reviewers=("rita", "ruth")
    )
    finalised(project, (GOOD,))
    for login in ("a2", "a3"):
        study = Study.objects.get(person__login=login)
        complaints.complain(member_of(project, login), study.pk, argument="?", client_key=uuid4())
    ruled(signed_in(project, "ruth"), "upheld")
    assert set(Complaint.objects.values_list("state", flat=True)) == {"upheld"}
    page = page_of(signed_in(project, "a2"), "/p/story/study?state=closed")
    assert "The text became golden" in page
