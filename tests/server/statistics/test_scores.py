"""Annotators' F0.5 on the platform is that of the command line on an export (STA-3, STA-7)."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import numpy as np
import pytest
from django.db import connection
from hypothesis import given
from hypothesis import strategies as st
from server.import_export.files import the_file
from server.statistics.worked import SECOND, worked
from server.workflow.reviewing import BAD, GOOD, finalised, member_of, study_of
from server.workflow.stories import (
    a_project,
    all_submitted,
    correction,
    joined,
    not_annotatable,
    people,
    sentence_of,
)

from gecbench.api.analyse import human
from gecbench.api.files import load
from gecbench.server import statistics
from gecbench.server.choices import Purpose
from gecbench.server.models import Person, Sentence, Source, StudyTry
from gecbench.server.statistics import scoring
from gecbench.server.statistics.scoring import AGREEMENT, SCORES, TABLE4, load_figures, scores
from gecbench.server.workflow import studies


def by_name(project) -> dict[str, object]:
    people = dict(Person.objects.values_list("id", "name"))
    return {people[int(who)]: cell for who, cell in scores(project).people.items()}


def command_line(project, tmp_path):
    """What `gecbench analyse human` finds on an export, without "not annotatable"."""
    final = tmp_path / "final.jsonl"
    final.write_text(the_file(project, "jsonl"), "utf-8")
    path = tmp_path / "submissions.jsonl"
    path.write_text(the_file(project, "submissions", names=True), "utf-8")
    return human(load(final), load(path), least=1, scheme="zh-char")


def test_sta_3_the_scores_are_those_of_the_command_line_on_an_export(database, tmp_path):
    project = a_project(4)
    joined(project, "rita", "reviewer")
    team = people(project, 3)
    undecided = sentence_of(project, 4)
    all_submitted(undecided, team, [correction(undecided.text + "!") for _ in team])
    rounds = (
        ((GOOD,), (BAD, GOOD), ("我昨天去了图书馆借书了吧。",)),
        ((SECOND,), ("他的汉语很好。",), (SECOND, "他汉语说得很好。")),
        (("这个电影我很感兴趣。",), ("这个电影对我很有趣。",), ("我对这个电影很感兴趣。",)),
    )
    right = ((GOOD,), (SECOND, "他汉语说得很好。"), ("我对这个电影很感兴趣。",))
    for number, (texts, golden) in enumerate(zip(rounds, right, strict=True), 1):
        all_submitted(sentence_of(project, number), team, [correction(*answer) for answer in texts])
        finalised(project, golden, number=number)
    official = command_line(project, tmp_path)
    assert any(note.endswith("undecided: 1") for note in official.notes)
    ours = by_name(project)
    assert {annotator.name for annotator in official.annotators} == ours.keys()
    for annotator in official.annotators:
        score, cell = annotator.scores["cherrant"], ours[annotator.name]
        assert (cell.scored, cell.kept, cell.value) == (
            annotator.scored,
            annotator.kept,
            score.value,
        )
        assert (cell.tp, cell.fp, cell.fn) == (score.counts.tp, score.counts.fp, score.counts.fn)
    total = scores(project)
    assert total.total.value == official.together["cherrant"].value
    assert total.signature == official.signatures[0]
    assert 0 < total.total.value < 1


def test_sta_3_each_text_is_a_sample_error_free_is_the_source_unannotatable_is_left_out(site):
    project = worked()
    result = scores(project)
    assert {name: cell.scored for name, cell in by_name(project).items()} == {
        "A1": 3,
        "A2": 4,
        "A3": 3,
    }
    assert result.left_out == 0
    assert by_name(project)["A1"].recall == 0.5


def test_sta_3_who_says_not_annotatable_of_a_good_sentence_is_not_scored_and_counted(site):
    project = a_project(1)
    joined(project, "rita", "reviewer")
    answers = [correction(GOOD), correction(GOOD), not_annotatable()]
    all_submitted(sentence_of(project), people(project, 3), answers)
    finalised(project, (GOOD,))
    result = scores(project)
    assert (result.left_out, result.total.scored, result.total.value) == (1, 2, 1.0)


def test_sta_3_by_week_and_source_the_parts_make_the_whole(site):
    project = worked()
    other = Source.objects.create(project=project, name="other")
    with connection.cursor() as cursor:
        cursor.execute("DROP TRIGGER sentence_facts_kept")
    Sentence.objects.filter(project=project, number=1).update(source=None)
    Sentence.objects.filter(project=project, number=3).update(source=other)
    result = scores(project)
    assert {name: cell.scored for name, cell in result.sources.items()} == {
        "": 4,
        "story": 3,
        "other": 3,
    }
    assert sum(cell.scored for cell in result.weeks.values()) == result.total.scored == 10


def moved(project, number: int, back: timedelta) -> None:
    """Set the submissions of a sentence back in time, past the trigger that forbids it."""
    keys = list(sentence_of(project, number).submissions.values_list("id", flat=True))
    at = sentence_of(project, number).submissions.first().at - back
    with connection.cursor() as cursor:
        cursor.execute("DROP TRIGGER submission_no_update")
        for key in keys:
            moment = at.strftime("%Y-%m-%d %H:%M:%S")
            cursor.execute("UPDATE submission SET at = %s WHERE id = %s", [moment, key])


def test_sta_7_the_first_month_is_told_from_what_came_later(site):
    project = worked()
    moved(project, 1, timedelta(days=40))
    result = scores(project)
    first = {who: cell.scored for who, cell in result.early.items()}
    then = {who: cell.scored for who, cell in result.later.items()}
    assert sorted(first.values()) == [1, 1, 2]
    assert sorted(then.values()) == [2, 2, 2]
    assert len(result.weeks) == 2
    assert len(result.months) == 6
    assert sum(cell.scored for cell in result.months.values()) == 10


def test_stu_6_texts_redone_in_self_study_never_count(site):
    project = worked()
    before = scores(project)
    member = member_of(project, "a2")
    study = study_of(project, "a2")
    studies.attempt(
        member, study.pk, version=study.version, client_key=uuid4(), answer=correction(GOOD)
    )
    assert StudyTry.objects.filter(matched=True).exists()
    assert scores(project) == before


@pytest.mark.parametrize("purpose", [Purpose.TRAINING, Purpose.TRIAL])
def test_inv_12_nothing_of_training_or_trials_is_counted(site, purpose):
    project = worked()
    Sentence.objects.filter(project=project).update(purpose=purpose)
    statistics.refresh(project)
    quality = statistics.quality(project)
    assert (quality.people, quality.reasons, quality.reviewers) == ((), {}, ())
    assert (quality.work.states, quality.work.days) == ({}, ())
    assert set(quality.ages) == {0}
    assert quality.scores.total is None
    assert quality.agreement.sentences == 0
    assert quality.table4.statistics == ()
    figures = statistics.member_figures(member_of(project, "a1"))
    assert (figures.done, figures.judged, figures.open_study, figures.f05) == (0, 0, 0, None)


def test_a_projects_own_placeholder_is_scored_as_one_token(site):
    plain = _with_placeholder("plain", "[缺失成分]")
    own_placeholder = _with_placeholder("own", "[MC]")
    assert scores(own_placeholder).total == scores(plain).total


def _with_placeholder(slug: str, token: str):
    project = a_project(
        ["我父亲以前经常我。"], slug=slug, placeholder=token, placeholder_aliases=[]
    )
    joined(project, "rita", "reviewer")
    texts = (f"我父亲以前经常{token}我。", f"我父亲以前{token}我。", "我父亲经常打我。")
    answers = [correction(text) for text in texts]
    all_submitted(sentence_of(project), people(project, 3), answers)
    finalised(project, texts[:1])
    return project


def test_figures_are_kept_and_say_when_there_is_more(site):
    project = worked()
    assert statistics.quality(project).scores is None
    statistics.refresh(project)
    quality = statistics.quality(project)
    assert not quality.stale
    assert quality.scores == scores(project)
    assert quality.table4.statistics == statistics.table4(project).statistics
    assert quality.table4.erroneous == statistics.table4(project).erroneous == {1: 1, 2: 1}
    assert quality.agreement.alpha == statistics.agreement(project).alpha
    finalised(project, ("五号句子。",), number=5)
    again = statistics.quality(project)
    assert again.stale
    assert again.scores == quality.scores
    statistics.refresh(project)
    assert not statistics.quality(project).stale
    assert {
        load_figures(project, kind, "").data is not None for kind in (SCORES, AGREEMENT, TABLE4)
    } == {True}


def test_the_mean_is_over_people_with_enough(site, monkeypatch):
    from gecbench.server.statistics import scoring

    project = worked()
    assert scores(project).average is None
    monkeypatch.setattr(scoring, "LEAST", 3)
    result = scores(project)
    values = [cell.value for cell in result.people.values()]
    assert (result.averaged, result.average) == (3, pytest.approx(sum(values) / 3))


def test_what_is_left_out_and_the_mean_are_said(site, monkeypatch):
    from gecbench.server.statistics import scoring
    from gecbench.server.statistics.report import notes

    monkeypatch.setattr(scoring, "LEAST", 1)
    project = a_project(1)
    joined(project, "rita", "reviewer")
    answers = [correction(GOOD), correction(GOOD), not_annotatable()]
    all_submitted(sentence_of(project), people(project, 3), answers)
    finalised(project, (GOOD,))
    statistics.refresh(project)
    text = " / ".join(notes(statistics.quality(project)))
    assert "which are not scored: 1" in text
    assert "mean F0.5 of 2 annotators with enough scored answers: 100.00" in text


@given(
    st.integers(1, 4).flatmap(
        lambda width: st.lists(
            st.lists(st.tuples(*[st.integers(0, 4)] * 3), min_size=width, max_size=width),
            min_size=1,
            max_size=30,
        )
    ),
    st.sampled_from([0.5, 1.0, 2.0]),
)
def test_the_kernel_chooses_references_as_the_loop_does(texts, beta):
    candidates = np.array(texts, np.int32).reshape(len(texts), -1, 3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scoring, "kernel_name", lambda: "python")
        slow = scoring.sum_counts(candidates, beta)
    assert scoring.sum_counts(candidates, beta) == slow
