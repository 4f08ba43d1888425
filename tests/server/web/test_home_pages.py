"""My day, the news, the goal, a project's front door, and one's own figures."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.utils import timezone
from server.web.asking import Asking, answer
from server.workflow.stories import (
    a_project,
    correction,
    error_free,
    joined,
    people,
    sentence_of,
    somebody,
    submitted,
)

from gecbench.server.models import (
    Complaint,
    Golden,
    GoldenReference,
    Member,
    Notice,
    Person,
    Review,
    ReviewTask,
    Study,
    Submission,
    Verdict,
)
from gecbench.server.statistics import member_figures
from gecbench.server.web.navigation import standings
from gecbench.server.workflow import assignments, projects


@pytest.fixture
def li(site):
    return Asking(people(a_project(4, annotators=1), 1)[0])


def test_the_day_needs_somebody_who_is_signed_in(site, client_of_nobody):
    assert client_of_nobody.get("/")["Location"].startswith("/login")


@pytest.fixture
def client_of_nobody():
    from django.test import Client

    return Client()


def test_the_day_shows_projects_with_continue_and_what_waits(li):
    page = li.html("/")
    assert "Hello, A1" in page
    assert "Story" in page
    assert re.search(r'href="/p/story/work">\s*Continue', page)
    assert "Nothing urgent." in page


def test_a_project_in_which_something_waits_comes_first(li):
    joined(a_project(1, slug="aaa", annotators=1), "a1")
    assert [project.member.project.slug for project in li.get("/").context["projects"]] == [
        "aaa",
        "story",
    ]
    boss = Member.objects.get(project__slug="story", is_manager=True)
    mine = Member.objects.get(project__slug="story", person__login="a1")
    assignments.give_quota(boss, mine, number=1, due_at=timezone.now() + timedelta(days=1))
    assert [project.member.project.slug for project in li.get("/").context["projects"]] == [
        "story",
        "aaa",
    ]


def test_somebody_without_a_project_is_told_what_to_do(site):
    assert "You are in no project yet" in Asking(somebody("new")).html("/")


def test_who_is_paused_is_told_and_gets_no_continue(li):
    Member.objects.filter(person__login="a1").update(status="paused")
    page = li.html("/")
    assert "You are paused here" in page
    assert "Continue" not in page


@pytest.mark.parametrize(
    ("status", "words"), [("training", "in training"), ("trial", "on trial here")]
)
def test_who_is_no_annotator_yet_is_told_and_goes_on_with_training_or_trial(li, status, words):
    Member.objects.filter(person__login="a1").update(status=status)
    page = li.html("/")
    assert words in page
    assert f'href="/p/story/{status}"' in page


def test_a_closed_project_is_marked_and_one_that_was_left_is_not_there(li):
    project = sentence_project()
    projects.archive_project(project, by=project.created_by)
    page = li.html("/")
    assert "closed" in page
    assert "Continue" not in page
    Member.objects.filter(person__login="a1").update(status="left")
    assert "Story" not in li.html("/")


def sentence_project():
    from gecbench.server.models import Project

    return Project.objects.get()


def test_an_administrator_sees_all_projects(li):
    boss = Asking(somebody("root", is_administrator=True))
    assert "Story" in boss.html("/")


def test_the_goal_is_a_setting_of_ones_own(li):
    li.form("/goal", goal="3")
    page = li.html("/")
    assert '<progress max="3" value="0"' in page
    for _ in range(3):
        task = li.page()["task"]
        li.send("POST", task["submitUrl"], answer(task, "改好了。"))
    page = li.html("/")
    assert "goal reached" in page
    assert "3 sentences today" in page
    for strange in ("99999", "-3", "many", "²"):  # nothing is changed, and it is said why
        li.form("/goal", goal=strange)
        assert Person.objects.get(login="a1").preferences["goal"] == 3
        assert "up to 1000" in li.html("/")
    li.form("/goal", goal="")
    assert Person.objects.get(login="a1").preferences["goal"] == 0
    Person.objects.filter(login="a1").update(preferences={"goal": True})
    assert "<progress" not in li.html("/")


def test_work_of_yesterday_is_not_done_today(li):
    from django.db import connection

    member = Member.objects.get(person__login="a1")
    submitted(member, sentence_of(sentence_project(), 1))
    assert standings(member.person_id, [member.project_id])[member.project_id]["done"] == 1
    with connection.cursor() as cursor:  # rows of submissions are for ever; this one is made old
        cursor.execute("SELECT name FROM sqlite_master WHERE type='trigger'")
        for (name,) in cursor.fetchall():
            if "submission" in name:
                cursor.execute(f'DROP TRIGGER "{name}"')
    Submission.objects.update(at=timezone.now() - timedelta(days=2))
    standing = standings(member.person_id, [member.project_id])[member.project_id]
    assert (standing["done"], standing["last"]) == (0, 1)


NOTICES = [
    ("guideline", {"version": 2, "note": "加了一节"}, "new version: 2", "/p/story/guide"),
    ("study_opened", {"number": 7, "count": 1}, "1 study item is open", "/p/story/study"),
    ("study_opened", {"number": 7, "count": 2}, "2 study items are open", "/p/story/study"),
    ("study_closed", {"number": 7, "count": "x"}, "of yours is closed", "/p/story/study"),
    ("study_waived", {"number": 7, "note": "ok"}, "A manager has closed", "/p/story/study"),
    ("complaint_message", {"number": 7, "complaint": 5}, "new message", "/p/story/problems/5"),
    ("inspection_message", {"number": 7, "item": 5, "name": "May"}, "of May", "/p/story/judge/5"),
    (
        "complaint_decided",
        {"number": 7, "complaint": 5, "outcome": "upheld"},
        "was upheld.",
        "/p/story/problems/5",
    ),
    (
        "complaint_decided",
        {"number": 7, "complaint": 5, "outcome": "upheld_changed"},
        "upheld with a change",
        "/p/story/problems/5",
    ),
    (
        "complaint_decided",
        {"number": 7, "complaint": 5, "outcome": "dismissed"},
        "was dismissed",
        "/p/story/problems/5",
    ),
    (
        "complaint_decided",
        {"number": 7, "complaint": 5},
        "was decided",
        "/p/story/problems/5",
    ),
    ("something_else", {}, "Something new", "/p/story/"),
]


@pytest.mark.parametrize(("kind", "data", "words", "url"), NOTICES)
def test_a_notice_says_what_happened_and_where(li, kind, data, words, url):
    Notice.objects.create(
        person=Person.objects.get(login="a1"), project=sentence_project(), kind=kind, data=data
    )
    page = li.html("/")
    assert words in page
    assert f'href="{url}"' in page
    assert str(data.get("note", "")) in page


def test_the_newest_five_notices_are_shown_and_older_ones_can_be_opened(li):
    me = Person.objects.get(login="a1")
    for number in range(7):
        data = {"version": f"v{number}"}
        Notice.objects.create(person=me, project=sentence_project(), kind="guideline", data=data)
    shown, opened = li.html("/").split("<details>")
    assert [n for n in range(7) if f"v{n}." in shown] == [2, 3, 4, 5, 6]
    assert [n for n in range(7) if f"v{n}." in opened] == [0, 1]
    assert "2 older ones" in opened


def test_news_of_study_items_are_no_news_once_these_are_closed(li):
    me, project = Person.objects.get(login="a1"), sentence_project()
    done = submitted(Member.objects.get(person=me), sentence_of(project, 1))
    golden = Golden.objects.create(sentence=done.sentence, version=1, kind="error_free")
    item = Study.objects.create(
        project=project,
        person=me,
        sentence=done.sentence,
        submission=done,
        golden=golden,
        state="open",
    )
    data = {"number": done.sentence.number, "count": 1}
    Notice.objects.create(person=me, project=project, kind="study_opened", data=data)
    assert "1 study item is open" in li.html("/")
    Study.objects.filter(pk=item.pk).update(
        state="closed", close_reason="matched", closed_at=timezone.now()
    )
    assert "1 study item is open" not in li.html("/")


def test_a_notice_of_the_site_leads_nowhere(li):
    Notice.objects.create(person=Person.objects.get(login="a1"), kind="news", data={})
    assert "Something new" in li.html("/")


def test_a_malformed_address_in_a_notice_leads_to_the_project(li):
    Notice.objects.create(
        person=Person.objects.get(login="a1"),
        project=sentence_project(),
        kind="complaint_message",
        data={"number": 1, "complaint": "odd"},
    )
    assert 'href="/p/story/"' in li.html("/")


def test_notices_are_marked_as_read_one_by_one_or_all_that_were_shown(li):
    me, other = Person.objects.get(login="a1"), somebody("other")
    first, two = (
        Notice.objects.create(person=me, project=sentence_project(), kind="study_opened", data={})
        for _ in range(2)
    )
    foreign = Notice.objects.create(person=other, kind="study_opened", data={})
    li.form("/notices/read", notice=foreign.pk)
    li.form("/notices/read", notice=first.pk)
    assert [n.read_at is None for n in Notice.objects.order_by("pk")] == [False, True, True]
    li.form("/notices/read", notice="²")  # no number: nothing is marked
    li.form("/notices/read", upto="x")
    assert Notice.objects.filter(read_at=None).count() == 2
    later = Notice.objects.create(person=me, kind="study_opened", data={})
    li.form("/notices/read", upto=two.pk)
    later.refresh_from_db()
    assert later.read_at is None
    assert Notice.objects.get(pk=two.pk).read_at is not None


@pytest.mark.parametrize(
    ("roles", "url"),
    [
        (["annotator", "reviewer"], "/p/story/work"),
        (["reviewer"], "/p/story/review"),
        (["manager"], "/p/story/manage/"),
        (["judge"], "/p/story/judge"),
    ],
)
def test_a_projects_front_door_leads_to_ones_own_work(li, roles, url):
    who = Asking(joined(sentence_project(), "wang", *roles))
    assert who.get("/p/story/")["Location"] == url


def test_the_menu_has_what_a_role_may_open_with_counts(li):
    project = sentence_project()
    page = li.html("/p/story/guide")
    names = ("Annotation", "Review", "Study", "Problems", "Guideline", "Information")
    menu = re.search(r'<nav class="menu".*?</nav>', page, re.S)[0]
    assert [name for name in names if re.search(rf">\s*{name}", menu)] == [
        "Annotation",
        "Study",
        "Problems",
        "Guideline",
        "Information",
    ]
    assert re.search(r'href="/p/story/guide" aria-current="page"', menu)
    reviewer = joined(project, "wang", "reviewer")
    member = Member.objects.get(person__login="a1")
    submitted(member, sentence_of(project, 1))
    menu = re.search(r'<nav class="menu".*?</nav>', Asking(reviewer).html("/p/story/guide"), re.S)[
        0
    ]
    assert 'Review <span class="count">1</span>' in menu
    assert ">Annotation" not in menu


def answer_and_golden(member, number, answer, golden_texts, kind="corrected", reasons=()):
    """A sentence with a golden set, after the member's answer."""
    from gecbench.server.models import Reference
    from gecbench.server.rules.text import digest

    sentence = sentence_of(member.project, number)
    submission = submitted(member, sentence, answer)
    reviewer = somebody("wang")
    review = Review.objects.create(
        sentence=sentence,
        reviewer=reviewer,
        kind="first",
        decision=kind,
        client_key=f"00000000-0000-4000-8000-{number:012d}",
    )
    golden = Golden.objects.create(sentence=sentence, version=1, kind=kind, review=review)
    for position, text in enumerate(golden_texts):
        reference = submission.references.filter(text=text).first() or Reference.objects.create(
            sentence=sentence, review=review, text=text, digest=digest(text), origin="added"
        )
        GoldenReference.objects.create(golden=golden, reference=reference, position=position)
    for wrong in submission.references.exclude(text__in=golden_texts):
        Verdict.objects.create(
            review=review, digest=wrong.digest, correct=False, reasons=list(reasons)
        )
    type(sentence).objects.filter(pk=sentence.pk).update(golden=golden, state="golden")
    return submission, golden


def test_ones_own_figures_count_answers_that_were_judged_and_those_that_are_golden(li):
    member = Member.objects.get(person__login="a1")
    assert member_figures(member).acceptance is None
    assert "nothing reviewed yet" in li.html("/p/story/me")
    answer_and_golden(
        member,
        1,
        correction("好一。", "坏一。", active_ms=1_800_000),
        ["好一。"],
        reasons=["meaning", "overcorrection"],
    )
    answer_and_golden(member, 2, correction("坏二。"), ["别人的。"], reasons=["meaning"])
    answer_and_golden(member, 3, error_free(), [], kind="error_free")
    submission, golden = answer_and_golden(member, 4, error_free(), ["要改。"])
    Study.objects.create(
        project=member.project,
        sentence=submission.sentence,
        submission=submission,
        person=member.person,
        golden=golden,
    )
    figures = member_figures(member)
    assert (figures.today, figures.done) == (4, 4)
    assert (figures.judged, figures.accepted, figures.acceptance) == (5, 2, 0.4)
    assert figures.open_study == 1
    assert (
        dict(figures.reasons) == {"Meaning change": 2, "Over-correction": 1}
        or len(figures.reasons) == 2
    )
    assert figures.hours == pytest.approx(0.5)
    page = li.html("/p/story/me")
    assert "40.0 %" in page
    assert "2 of 5 answers" in page
    assert "Meaning change" in page
    assert member_figures(member).signature in page
    assert f"{100 * member_figures(member).f05:.2f}" in page


def test_what_waits_counts_only_what_a_person_may_do(li):
    project = sentence_project()
    member = Member.objects.get(person__login="a1")
    submission, golden = answer_and_golden(member, 1, correction("坏。"), ["好。"])
    study = Study.objects.create(
        project=project,
        sentence=submission.sentence,
        submission=submission,
        person=member.person,
        golden=golden,
    )
    first, second = (joined(project, name, "reviewer") for name in ("wang", "zhao"))
    manager = joined(project, "m", "manager")
    complaint = Complaint.objects.create(
        project=project, study=study, person=member.person, first_reviewer=first.person
    )

    def count(name):
        return [
            standings(judge.person_id, [project.pk])[project.pk][name]
            for judge in (member, first, second, manager)
        ]

    assert count("study") == [1, 0, 0, 0]
    assert count("complaints") == [0, 0, 1, 0]
    Complaint.objects.filter(pk=complaint.pk).update(handler=first.person)
    assert count("complaints") == [0, 1, 0, 0]
    Complaint.objects.filter(pk=complaint.pk).update(level=2)
    assert count("complaints") == [0, 0, 0, 1]
    ReviewTask.objects.all().delete()
    task = ReviewTask.objects.create(project=project, sentence=submission.sentence)
    assert count("reviews") == [0, 1, 1, 1]
    ReviewTask.objects.filter(pk=task.pk).update(not_for=first.person)
    assert count("reviews") == [0, 0, 1, 1]
