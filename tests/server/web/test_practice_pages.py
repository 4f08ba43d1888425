"""The pages of candidates and of those who look at their answers; the gate at every address."""

from __future__ import annotations

import re
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext
from server.web.asking import Asking, answer
from server.web.routes import ROUTES, UNSAFE
from server.workflow.practising import candidate, finish_trial, known, practising, reference, source
from server.workflow.stories import a_project, claimed, joined, sentence_of, submit_answer

from gecbench.server.choices import Purpose
from gecbench.server.models import (
    GoldResult,
    Member,
    PracticeAnswer,
    Reading,
    ReviewTask,
    Sentence,
    Slot,
    Submission,
    Trial,
)
from gecbench.server.web import practice as pages
from gecbench.server.workflow import claims, members, practice


def form(*, text: str = "", decision: str = "corrected") -> dict[str, str]:
    return {"decision": decision, "text": text, "version": "0", "client_key": str(uuid4())}


@pytest.fixture
def project(site):
    return practising(trial_size=2, trial=4, training=2)


def test_tri_1_a_training_answer_is_judged_at_once_beside_the_known_one(project):
    li = Asking(candidate(project))
    html = li.html("/p/story/training")
    number = Sentence.objects.filter(purpose=Purpose.TRAINING).order_by("number")[0].number
    assert f"#{number}" in html
    assert reference("training", 1) not in html, "the answer is not shown before"
    sent = form(text=source("training", 1).replace("句句", "段句"))
    page = li.client.post(f"/p/story/training/{number}", sent, follow=True)
    assert "Not one of the known answers" in page.content.decode()
    right = form(text=reference("training", 1))
    page = li.client.post(f"/p/story/training/{number}", right, follow=True)
    assert "Right." in page.content.decode()
    assert "1 of 2 training tasks" in page.content.decode()


def test_what_cannot_be_an_answer_is_shown_again(project):
    li = Asking(candidate(project))
    number = Sentence.objects.filter(purpose=Purpose.TRAINING).order_by("number")[0].number
    page = li.client.post(f"/p/story/training/{number}", form(text=" "))
    assert page.status_code == 422
    assert 'class="problem"' in page.content.decode()


def test_tri_2_a_trial_from_begin_to_the_first_real_task(project):
    member = candidate(project)
    li = Asking(member)
    assert li.get("/p/story/").headers["Location"] == "/p/story/training"
    assert "Begin the trial" in li.html("/p/story/trial")
    li.form("/p/story/trial/begin")
    for position in (1, 2):
        html = li.html("/p/story/trial")
        assert f"Task {position} of 2" in html
        task = practice.next_task(Trial.objects.select_related("member__project").get())
        assert task.sentence.text in html
        text = task.sentence.text.replace("句句", "句")
        page = li.client.post(f"/p/story/trial/{task.pk}", form(text=text), follow=True)
    assert "You have passed the trial" in page.content.decode()
    assert "2 / 2" in page.content.decode()
    assert "To the tasks" in page.content.decode()
    assert li.page()["task"], "a real one"


def test_inv_10_a_guideline_that_changes_in_a_trial_loses_no_answer(project):
    member = candidate(project)
    task = practice.next_task(practice.begin(member))
    project.options = {**project.options, "guideline_gate": True}
    project.save()
    page = Asking(member).client.post(f"/p/story/trial/{task.pk}", form(text="我写的答案"))
    html = page.content.decode()
    assert page.status_code == 403
    assert "The guideline has changed" in html
    assert "/p/story/guide" in html
    assert "我写的答案" in html
    assert not PracticeAnswer.objects.exists()


def test_nothing_is_said_of_single_answers_before_the_end(project):
    li = Asking(candidate(project))
    li.form("/p/story/trial/begin")
    task = practice.next_task(Trial.objects.select_related("member__project").get())
    page = li.client.post(f"/p/story/trial/{task.pk}", form(text="错的。"), follow=True)
    html = page.content.decode()
    assert task.sentence.golden.entries.get().reference.text not in html
    answered = PracticeAnswer.objects.get()
    assert li.get(f"/p/story/training/answers/{answered.pk}").status_code == 404


def test_who_has_no_attempt_left_is_told_so(project):
    member = candidate(project)
    li = Asking(member)
    for _ in range(2):
        finish_trial(member, 0)
    assert "no attempts left" in li.html("/p/story/trial")
    li.form("/p/story/trial/begin")
    assert Trial.objects.count() == 2


def test_rol_4_the_menu_of_candidates_has_training_and_trial_and_no_tasks(project):
    html = Asking(candidate(project)).html("/p/story/training")
    assert "/p/story/trial" in html
    assert 'href="/p/story/work"' not in html
    day = Asking(candidate(project)).html("/")
    assert "You are in training here" in day


@pytest.mark.slow
@pytest.mark.parametrize("status", ["training", "trial"])
def test_tri_3_no_address_lets_a_candidate_write_anything_real(site, status):
    """Somebody who held places of real sentences asks at every address, by every way to write."""
    project = practising(6, trial_size=2)
    member = joined(project, "li")
    done = submit_answer(member, claimed(member, sentence_of(project, 1)))
    held = claimed(member, sentence_of(project, 2))
    Member.objects.filter(pk=member.pk).update(status=status, is_reviewer=True)
    li = Asking(member)
    things = {
        **{name: 1 for route in ROUTES for name in route.names},
        **dict.fromkeys(("section", "name", "file", "waiting", "secret", "uidb64", "token"), "x"),
        "format": "mucgec",
        "maker": 0,
    }
    before = _real()
    for slot in (held, done.slot):
        body = answer({"version": slot.version}, "我改过了。", confirmed=True)
        for route in ROUTES:
            if "slug" not in route.names or route.path.endswith("trial/begin"):
                continue  # to begin a trial gives back what was held
            if slot is not held and not {"slot_id", "sentence_id"}.intersection(route.names):
                continue  # it has been asked, and has nothing of the place
            path = route.at(
                "story", {**things, "slot_id": slot.pk, "sentence_id": slot.sentence_id}
            )
            for method in UNSAFE:
                li.send(method, path, body)
                if method in route.methods:
                    li.client.generic(method, path)
            li.form(path, back="x", **{key: str(value) for key, value in body.items()})
    assert _real() == before


def _real() -> list[object]:
    return [
        Submission.objects.count(),
        ReviewTask.objects.count(),
        sorted(Slot.objects.values_list("pk", "state", "version", "person")),
        sorted(Sentence.objects.values_list("pk", "state", "submitted", "version")),
    ]


# Leads.


@pytest.mark.parametrize("purpose", ["training", "trial", "gold"])
def test_a_manager_imports_sets_on_the_page(site, purpose):
    a_project(1)
    boss = Asking(Member.objects.get(person__login="boss"))
    file = SimpleUploadedFile("set.tsv", "a\t我去校\t我去学校\n".encode())
    page = boss.client.post("/p/story/manage/import", {"file": file})
    report = page.headers["Location"]
    html = boss.html(f"{report}?purpose={purpose}")
    assert f'value="{purpose}" selected' in html
    boss.form(f"{report}/run", purpose=purpose)
    sentence = Sentence.objects.get(purpose=purpose)
    assert sentence.golden.entries.get().reference.text == "我去学校"


@pytest.fixture
def boss(project):
    return Asking(Member.objects.get(project=project, person__login="boss"))


def test_the_lead_sees_each_answer_beside_the_reference_and_overrules(project, boss):
    member = candidate(project)
    trial = finish_trial(member, 1)
    html = boss.html("/p/story/manage/trials")
    assert "1 / 2" in html
    html = boss.html(f"/p/story/manage/trials/{trial.pk}")
    wrong = practice.answers_of(trial)[1]
    assert "Golden 1" in html
    assert "The answer" in html
    url = f"/p/story/manage/trials/answers/{wrong.pk}"
    boss.form(url, right="yes", reason="")
    assert Trial.objects.get().state == "failed"
    page = boss.client.post(url, {"right": "yes", "reason": "as good"}, follow=True)
    assert "The trial is passed now" in page.content.decode()
    (wrong_answer,) = [answer for answer in page.context["answers"] if answer.key == wrong.pk]
    assert wrong_answer.right
    # Only what stands above says how it was judged: no mark of the text says the opposite.
    assert [line.right for line in wrong_answer.shown["lines"]] == [None, None, True]
    assert "as good" in page.content.decode()
    member.refresh_from_db()
    assert member.status == "active"


def test_a_lead_may_choose_every_status_that_can_follow(project, boss):
    member = candidate(project)
    html = boss.html(f"/p/story/manage/members/{member.pk}")
    for status in ("training", "trial", "active", "paused", "left"):
        assert f'value="{status}"' in html


def test_gold_results_are_shown_and_overruled(site, monkeypatch):
    project = a_project(5, gold_percent=50)
    known(project, Purpose.GOLD, 2)
    member = joined(project, "li")
    monkeypatch.setattr(claims._CHANCE, "randrange", lambda _: 0, raising=False)
    li = Asking(member)
    task = li.page()["task"]
    assert "gold" not in str(task).replace(source("gold", 1), "").replace(source("gold", 2), "")
    wrong = task["text"].replace("句句", "段句")
    sent = li.send("POST", f"/p/story/submit/{task['slot']}", answer(task, wrong, confirmed=True))
    assert sent.status_code == 200
    assert sent.json()["done"] == 1, "it counts for the day as all tasks do"
    boss = Asking(Member.objects.get(project=project, person__login="boss"))
    assert "0 / 1" in boss.html("/p/story/manage/trials")
    html = boss.html(f"/p/story/manage/gold/{member.pk}")
    assert "Golden 1" in html
    read = Reading.objects.filter(person__login="boss")
    assert [submission.sentence.purpose for submission in read] == ["gold"], (
        "who has read it never annotates it"
    )
    result = GoldResult.objects.get()
    url = f"/p/story/manage/gold/results/{result.pk}"
    page = boss.client.post(url, {"right": "yes", "reason": "as good"}, follow=True)
    assert "1 of 1 right" in page.content.decode()


def test_lists_of_candidates_and_gold_tasks_have_pages_and_a_fixed_number_of_queries(
    site, monkeypatch
):
    project = practising(trial_size=1, trial=4, training=1, gold_percent=50)
    known(project, Purpose.GOLD, 4)
    monkeypatch.setattr(claims._CHANCE, "randrange", lambda _: 0, raising=False)
    monkeypatch.setattr(pages, "_ROWS", 2)
    monkeypatch.setattr(pages, "_ANSWERS", 2)
    boss = Asking(Member.objects.get(project=project, person__login="boss"))
    queries = []
    for n in range(3):
        finish_trial(candidate(project, f"c{n}"), 0)
        writer = joined(project, f"w{n}")
        for _ in range(n + 1):
            submit_answer(writer, claims.current(writer).slot)
        addresses = ("manage/trials", f"manage/gold/{writer.pk}")
        for path in addresses:
            boss.html(f"/p/story/{path}")  # which notes what was read
            with CaptureQueriesContext(connection) as executed:
                html = boss.html(f"/p/story/{path}")
            queries.append(len(executed))
    assert queries[2:4] == queries[4:6], "two or three candidates, two or three results"
    pk = dict(Member.objects.values_list("person__login", "pk"))
    first = boss.html("/p/story/manage/trials")
    rest = boss.html(f"/p/story/manage/trials?after={pk['c1']}&gold_after={pk['w1']}")
    assert f"?after={pk['c1']}" in first
    assert f"?gold_after={pk['w1']}" in first
    for n in range(3):
        for link in (f'/members/{pk[f"c{n}"]}"', f'/gold/{pk[f"w{n}"]}"'):
            assert (link in first, link in rest) == (n < 2, n == 2)
    (older,) = re.findall(r"\?before=(\d+)", html)
    assert boss.html(f"/p/story/manage/gold/{pk['w2']}?before={older}").count('id="answer-') == 1


def test_a_member_paused_by_gold_tasks_gets_no_next_task(site, monkeypatch):
    project = a_project(5, gold_percent=50, gold_pause_percent=50, gold_window=1)
    known(project, Purpose.GOLD, 2)
    li = Asking(joined(project, "li"))
    monkeypatch.setattr(claims._CHANCE, "randrange", lambda _: 0, raising=False)
    task = li.page()["task"]
    wrong = task["text"].replace("句句", "段句")
    sent = li.send("POST", f"/p/story/submit/{task['slot']}", answer(task, wrong, confirmed=True))
    assert sent.json()["next"] is None
    assert Member.objects.get(person__login="li").status == "paused"
    boss = Asking(Member.objects.get(project=project, person__login="boss"))
    assert "is paused" in boss.html("/")
    members.change_member(Member.objects.get(person__login="li"), by=None, status="active")
