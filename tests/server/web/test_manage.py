"""The manager's pages: who sees them, what they show, and that acts act."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.urls import reverse
from server.web.asking import Asking
from server.workflow import reviewing
from server.workflow.stories import (
    a_project,
    all_submitted,
    correction,
    error_free,
    joined,
    people,
    sentence_of,
    somebody,
    submitted,
)

from gecbench.server.choices import ComplaintState, MemberStatus, Role, SentenceState
from gecbench.server.models import Audit, Member, Project, Sentence, Study
from gecbench.server.workflow import complaints, members, review_tasks
from gecbench.server.workflow.answers import Ruling

PAGES = (
    *("manage", "manage-sentences", "manage-import", "manage-export", "manage-releases"),
    *("manage-members", "manage-guideline", "manage-settings", "manage-audit"),
)


@pytest.fixture
def project(site) -> Project:
    return a_project(5, annotators=2)


@pytest.fixture
def boss(project) -> Asking:
    return Asking(somebody("boss"))


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_each_page_opens_in_both_languages(project, name, language):
    asking = Asking(somebody("boss"), language=language)
    assert "<h1>" in asking.html(reverse(name, args=["story"]))


@pytest.mark.parametrize("name", PAGES)
def test_for_annotators_and_reviewers_the_pages_do_not_exist(project, name):
    joined(project, "li", Role.ANNOTATOR, Role.REVIEWER)
    assert Asking(somebody("li")).get(reverse(name, args=["story"])).status_code == 404


@pytest.mark.parametrize("name", PAGES)
def test_for_managers_of_another_project_the_pages_do_not_exist(project, name):
    a_project(1, slug="other", manager="stranger")
    assert Asking(somebody("stranger")).get(reverse(name, args=["story"])).status_code == 404


def test_a_paused_manager_looks_and_does_not_act(project, boss):
    joined(project, "second", Role.MANAGER)
    mine = Member.objects.get(project=project, person__login="boss")
    members.change_member(mine, by=None, status=MemberStatus.PAUSED)
    assert boss.get("/p/story/manage/").status_code == 200
    answer = boss.form("/p/story/manage/sentences/1/withdraw", reason="no")
    assert answer.status_code == 404
    assert sentence_of(project).state == SentenceState.OPEN
    assert boss.form("/p/story/manage/settings", name="X").status_code == 404
    assert boss.form("/p/story/manage/guideline", markdown="# X").status_code == 404


def test_an_administrator_who_is_no_member_acts_as_a_manager(project):
    asking = Asking(somebody("root", is_administrator=True))
    answer = asking.form("/p/story/manage/sentences/1/withdraw", reason="personal data")
    assert answer.status_code == 302
    assert sentence_of(project).state == SentenceState.WITHDRAWN
    assert Audit.objects.get(what="sentence.withdrawn").who.login == "root"


def test_the_overview_counts_states_and_says_what_is_stuck(project, boss):
    a, b = people(project, 2)
    all_submitted(sentence_of(project, 1), (a, b))
    page = boss.get("/p/story/manage/").context
    assert {name: count for name, _, count, _ in page["states"]}["review_ready"] == 1
    assert page["total"] == 5
    html = boss.html("/p/story/manage/")
    assert "there is no active reviewer" in html
    assert page["stuck"] == ()  # the line about reviewers tells of all of them
    joined(project, "rev", Role.REVIEWER)
    page = boss.get("/p/story/manage/").context
    assert (page["stuck"], page["waiting"]) == ((), ())


def test_a_sentence_that_no_reviewer_may_take_is_named(project, boss):
    a, b = people(project, 2)
    all_submitted(sentence_of(project, 1), (a, b))
    Member.objects.filter(pk=a.pk).update(is_reviewer=True)
    page = boss.get("/p/story/manage/").context
    assert [task.sentence.number for task in page["stuck"]] == [1]


def test_too_few_annotators_are_told_while_places_are_free(project, boss):
    a, b = people(project, 2)
    members.change_member(b, by=None, status=MemberStatus.LEFT)
    assert "some may never be finished" in boss.html("/p/story/manage/")
    members.change_member(b, by=None, status=MemberStatus.ACTIVE)
    for number in range(1, 6):
        all_submitted(sentence_of(project, number), (a, b))
    members.change_member(b, by=None, status=MemberStatus.LEFT)
    assert "some may never be finished" not in boss.html("/p/story/manage/")


def test_only_administrators_are_warned_about_backups(project, boss, tmp_path, settings_site):
    assert "no backup yet" not in boss.html("/p/story/manage/")
    root = Asking(somebody("root", is_administrator=True))
    html = root.html("/p/story/manage/")
    assert "no backup yet" in html
    assert f"<code>gecbench annotate backup --data {settings_site}</code>" in html
    from datetime import UTC, datetime, timedelta

    folder = settings_site / "backups"
    folder.mkdir()
    now = datetime.now(UTC)
    (folder / f"gecbench-{now - timedelta(hours=30):%Y%m%dT%H%M%S}Z.tar").touch()
    assert "more than a day ago" in root.html("/p/story/manage/")
    (folder / f"gecbench-{now - timedelta(hours=1):%Y%m%dT%H%M%S}Z.tar").touch()
    assert "more than a day ago" not in root.html("/p/story/manage/")


def test_the_page_of_a_sentence_tells_its_whole_history(site):
    project = reviewing.waiting()
    boss = Asking(somebody("boss"))
    reviewing.finalised(project)
    page = boss.get("/p/story/manage/sentences/1")
    kinds = [entry.kind for entry in page.context["entries"]]
    assert kinds[0] == "in"
    assert {"place", "text", "queue", "review", "golden", "study"} <= set(kinds)
    assert [entry.kind for entry in page.context["entries"]].count("golden") == 1
    lesson = Study.objects.get()
    boss.form(f"/p/story/manage/sentences/1/waive/{lesson.pk}", note="an old rule")
    assert Study.objects.get().close_reason == "waived"
    boss.form("/p/story/manage/sentences/1/reopen", reason="a new rule")
    assert sentence_of(project).state == SentenceState.REVIEW_READY
    assert "a new rule" in boss.html("/p/story/manage/sentences/1")


def test_the_history_names_who_had_a_sentence_reviewed_again_and_who_added_places(site):
    project = reviewing.waiting()
    boss, mina = Asking(somebody("boss")), joined(project, "mina", Role.MANAGER)
    people(project, 2, prefix="b")
    task = reviewing.opened(project)
    rita, page = reviewing.member_of(project, "rita"), "/p/story/manage/sentences/1"
    review_tasks.return_for_more(rita, task.sentence_id, version=task.version, more=1)

    def entries(kind: str, word: str) -> list[str]:
        entries = boss.get(page).context["entries"]
        return [entry.who for entry in entries if entry.kind == kind and word in entry.title]

    assert entries("place", "a place was added") == [rita.person.name]
    submitted(reviewing.member_of(project, "b1"), sentence_of(project))
    reviewing.finalised(project)
    boss.form(f"{page}/reopen", reason="a new rule")
    reviewing.finalised(project)
    Asking(mina).form(f"{page}/reopen", reason="a new rule")
    assert entries("queue", "") == ["the site", "the site", "Boss", mina.person.name]


def test_complaints_are_in_the_history_and_wait_in_the_overview(site):
    project = reviewing.waiting(reviewers=("rita", "rolf"))
    reviewing.finalised(project)
    author, boss = reviewing.member_of(project, "a2"), Asking(somebody("boss"))
    first = complaints.complain(
        author, Study.objects.get().pk, argument="it is idiomatic", client_key=uuid4()
    )
    assert "it is idiomatic" in boss.html("/p/story/manage/sentences/1")
    assert "1 complaint is undecided" in boss.html("/p/story/manage/")
    complaints.mark_case(reviewing.member_of(project, "boss"), first.pk, note="spoken")
    assert "1 case waits" in boss.html("/p/story/manage/")
    complaints.decide(
        reviewing.member_of(project, "rolf"),
        first.pk,
        version=1,
        client_key=uuid4(),
        ruling=Ruling(ComplaintState.DISMISSED, note="a verb is missing"),
    )
    assert "a verb is missing" in boss.html("/p/story/manage/sentences/1")
    complaints.complain(author, Study.objects.get().pk, argument="still", client_key=uuid4())
    html = boss.html("/p/story/manage/")
    assert "1 complaint waits for a manager&#x27;s last word" in html
    assert "undecided" not in html


def test_a_decision_that_lost_is_in_the_history(site):
    project = reviewing.waiting(correction(reviewing.GOOD), error_free(), correction())
    reviewing.finalised(project, right=(reviewing.GOOD,))
    entries = Asking(somebody("boss")).get("/p/story/manage/sentences/1").context["entries"]
    titles = [entry.title for entry in entries]
    assert "self-study begins: a decision" in titles
    notes = [line.note for entry in entries if entry.kind == "review" for line in entry.lines]
    assert any(note.startswith("free of errors: wrong") for note in notes)


def test_a_study_item_of_another_sentence_is_not_found(site):
    project = reviewing.waiting(texts=2)
    reviewing.finalised(project)
    boss = Asking(somebody("boss"))
    url = f"/p/story/manage/sentences/2/waive/{Study.objects.get().pk}"
    assert boss.form(url, note="x").status_code == 404
    assert Study.objects.get().state == "open"


def test_a_sentence_is_withdrawn_restored_raised_and_assigned(project, boss):
    a, b = people(project, 2)
    rev = joined(project, "rev", Role.REVIEWER)
    page = "/p/story/manage/sentences/1"
    boss.form(f"{page}/withdraw", reason="personal data")
    assert sentence_of(project).state == SentenceState.WITHDRAWN
    assert "personal data" in boss.html(page)
    boss.form(f"{page}/restore")
    assert sentence_of(project).state == SentenceState.OPEN
    boss.form(f"{page}/raise", more="1")
    assert sentence_of(project).needed == 3
    second = all_submitted(sentence_of(project, 2), (a, b))
    answer = boss.form("/p/story/manage/sentences/2/assign", reviewer=rev.pk, note="please")
    assert answer.status_code == 302
    task = second.review_tasks.get()
    assert (task.reviewer.login, task.note) == ("rev", "please")


def test_what_an_act_refuses_is_said_and_changes_nothing(project, boss):
    page = "/p/story/manage/sentences/1"
    answer = boss.client.post(f"{page}/withdraw", {"reason": " "}, follow=True)
    assert "Say why" in answer.content.decode()
    assert sentence_of(project).state == SentenceState.OPEN
    answer = boss.client.post(f"{page}/reopen", {"reason": "x"}, follow=True)
    assert "its state does not allow this" in answer.content.decode()
    answer = boss.client.post(f"{page}/raise", {"more": "99"}, follow=True)
    assert "at most 18 more" in answer.content.decode()


def test_what_is_of_another_project_is_not_found(project, boss):
    other = a_project(9, slug="other", manager="stranger")
    stranger = joined(other, "rev", Role.REVIEWER)
    assert boss.get("/p/story/manage/sentences/6").status_code == 404
    assert boss.get(f"/p/story/manage/members/{stranger.pk}").status_code == 404
    submitted(joined(project, "a1"), sentence_of(project))
    answer = boss.form("/p/story/manage/sentences/1/assign", reviewer=stranger.pk)
    assert answer.status_code == 404
    foreign = sentence_of(other)
    data = {"act": "withdraw", "ids": str(foreign.pk), "typed": "1", "reason": "x"}
    assert boss.client.post("/p/story/manage/sentences/bulk/do", data).status_code == 404
    assert sentence_of(other).state == SentenceState.OPEN


@pytest.mark.parametrize("number", [2**31, 2**63, 2**70])
def test_numbers_that_no_row_can_have_are_not_found(project, boss, number):
    assert boss.get(f"/p/story/manage/sentences/{number}").status_code == 404
    assert boss.get(f"/p/story/manage/members/{number}").status_code == 404
    assert boss.get(f"/p/story/manage/releases/{number}").status_code == 404


def test_many_are_changed_only_after_their_number_was_typed(project, boss):
    ids = [str(sentence.pk) for sentence in Sentence.objects.filter(project=project, number__lte=3)]
    shown = boss.client.post("/p/story/manage/sentences/bulk", {"act": "withdraw", "sentence": ids})
    assert (shown.context["count"], shown.context["changing"]) == (3, 3)
    do = {"act": "withdraw", "ids": shown.context["form"]["ids"].value(), "reason": "copies"}
    assert (
        boss.client.post("/p/story/manage/sentences/bulk/do", {**do, "typed": "2"}).status_code
        == 422
    )
    assert not Sentence.objects.filter(state=SentenceState.WITHDRAWN).exists()
    boss.client.post("/p/story/manage/sentences/bulk/do", {**do, "typed": "3"})
    assert Sentence.objects.filter(state=SentenceState.WITHDRAWN).count() == 3
    shown = boss.client.post(
        "/p/story/manage/sentences/bulk", {"act": "restore", "scope": "all", "state": "withdrawn"}
    )
    do = {"act": "restore", "ids": shown.context["form"]["ids"].value(), "typed": "3"}
    boss.client.post("/p/story/manage/sentences/bulk/do", do)
    assert not Sentence.objects.filter(state=SentenceState.WITHDRAWN).exists()


def test_a_priority_moves_sentence_places_and_review_together(project, boss):
    a, b = people(project, 2)
    ready = all_submitted(sentence_of(project), (a, b))
    submitted(a, sentence_of(project, 2))
    ids = ",".join(str(sentence_of(project, n).pk) for n in (1, 2, 3))
    do = {"act": "priority", "ids": ids, "typed": "3", "priority": "7"}
    boss.client.post("/p/story/manage/sentences/bulk/do", do)
    assert ready.review_tasks.get().priority == 7
    assert sentence_of(project, 3).slots.filter(priority=7).count() == 2
    assert sentence_of(project, 2).slots.get(state="free").priority == 6
    answer = boss.client.post("/p/story/manage/sentences/bulk/do", {**do, "priority": "soon"})
    assert answer.status_code == 422


LARGE = "9" * 20


@pytest.mark.parametrize("more", ["-1", "0", "x", "", LARGE])
@pytest.mark.parametrize(
    ("language", "words"),
    [("en", "at most 18 more are possible"), ("zh-hans", "这里最多再加 18 位")],
)
def test_a_wrong_number_of_annotators_is_answered_with_how_many_can_be(
    project, more, language, words
):
    boss = Asking(somebody("boss"), language=language)
    answer = boss.client.post(
        "/p/story/manage/sentences/1/raise", {"more": more}, follow=True
    ).content.decode()
    assert words in answer
    assert sentence_of(project).needed == 2


@pytest.mark.parametrize("typed", ["two", "-2", "", LARGE, "2.0"])
@pytest.mark.parametrize(
    ("language", "words"), [("en", "Type 2 to confirm."), ("zh-hans", "输入 2")]
)
def test_who_types_something_else_is_told_what_to_type(project, typed, language, words):
    boss = Asking(somebody("boss"), language=language)
    ids = ",".join(str(sentence_of(project, n).pk) for n in (1, 2))
    sent = {"act": "withdraw", "ids": ids, "reason": "copies", "typed": typed}
    answer = boss.client.post("/p/story/manage/sentences/bulk/do", sent)
    assert answer.status_code == 422
    alert = answer.content.decode().split('role="alert">')[1].split("<")[0]
    assert words in alert


def test_a_reason_is_kept_without_what_no_row_can_hold(project, boss):
    boss.form("/p/story/manage/sentences/1/withdraw", reason="cop\0ies")
    assert sentence_of(project).state == SentenceState.WITHDRAWN
    assert "copies" in str(Audit.objects.get(what="sentence.withdrawn").data)


def test_nobody_reviews_it_whose_number_is_none(project, boss):
    all_submitted(sentence_of(project), people(project, 2))
    for reviewer in ("x", "-1", LARGE, ""):
        answer = boss.form("/p/story/manage/sentences/1/assign", reviewer=reviewer, note="")
        assert answer.status_code == 404


def test_nothing_chosen_is_answered_with_a_message(project, boss):
    answer = boss.client.post("/p/story/manage/sentences/bulk", {"act": "withdraw"}, follow=True)
    assert "Choose some sentences" in answer.content.decode()


@pytest.fixture
def settings_site(tmp_path, monkeypatch):
    """A data folder of its own."""
    from dataclasses import replace

    from django.conf import settings

    folder = tmp_path / "data"
    folder.mkdir()
    monkeypatch.setattr(settings, "SITE", replace(settings.SITE, folder=folder))
    return folder
