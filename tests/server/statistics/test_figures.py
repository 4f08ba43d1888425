"""Volumes, acceptance, reasons, reviewers, Table 4, people, own figures, and what it costs."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date, timedelta
from itertools import pairwise
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone, translation
from server.statistics.worked import FOURTH, worked
from server.web.asking import Asking
from server.workflow.perturbing import (
    a_perturbation,
    accept,
    checked,
    edit,
    gaps_of,
    give_back,
    perturbed,
    reviewer,
    waiting_case,
)
from server.workflow.reviewing import BAD, GOOD, finalised, member_of, study_of, word
from server.workflow.stories import (
    a_project,
    all_submitted,
    correction,
    joined,
    people,
    sentence_of,
    submitted,
)

from gecbench.core.errors import MissingExtraError
from gecbench.reports.report import render
from gecbench.server import statistics
from gecbench.server.choices import ComplaintState, VariantReason
from gecbench.server.models import Figures, Skip, Study
from gecbench.server.rules.text import digest
from gecbench.server.statistics import report
from gecbench.server.statistics.members import reviewers
from gecbench.server.statistics.pieces import load_pieces
from gecbench.server.statistics.report import build_report
from gecbench.server.statistics.scoring import basis_of
from gecbench.server.statistics.work import (
    AGES,
    Acceptance,
    acceptance,
    add_up_work,
    ages,
    load_counts,
    reasons,
)
from gecbench.server.workflow import complaints, management
from gecbench.server.workflow.answers import Ruling

REASONS = {
    digest(BAD): word(digest(BAD), False, "incomplete", "meaning"),
}


def row(project, login: str):
    (person,) = [person for person in statistics.people(project) if person.name == login.title()]
    return person


def upheld(project, login: str = "a2", outcome: ComplaintState = ComplaintState.UPHELD) -> None:
    study = study_of(project, login)
    complaint = complaints.complain(
        member_of(project, login), study.pk, argument="看规范", client_key=uuid4()
    )
    joined(project, "rolf", "reviewer")
    complaints.decide(
        member_of(project, "rolf"),
        complaint.pk,
        version=complaint.version,
        client_key=uuid4(),
        ruling=Ruling(outcome, note="不对", confirmed=True),
    )


def test_sta_4_reasons_are_counted_for_all_and_for_each(site):
    project = a_project(1)
    joined(project, "rita", "reviewer")
    answers = [correction(BAD), correction(BAD, GOOD), correction(GOOD)]
    all_submitted(sentence_of(project), people(project, 3), answers)
    finalised(project, (GOOD,), words=REASONS)
    quality = statistics.quality(project)
    assert quality.refusals == {"incomplete": 2, "meaning": 2}
    assert row(project, "a1").accepted.share == 0.0
    assert row(project, "a2").accepted.share == 0.5
    assert statistics.member_figures(member_of(project, "a3")).reasons == ()
    assert dict(statistics.member_figures(member_of(project, "a1")).reasons) == {
        "incomplete": 1,
        "meaning": 1,
    }


@pytest.fixture
def perturbation(site):
    """Of three variants one is accepted, one edited, one returned and then accepted."""
    project = a_perturbation(annotators=3)
    case = waiting_case(project)
    rita = reviewer(project)
    returned = give_back(3, "unnatural", "meaning")
    checked(rita, accept(1), edit(2, *gaps_of(case, "大前天")), returned)
    perturbed(member_of(project, "p3"), case, "上周")
    checked(rita, accept(3))
    return project


def test_per_9_variants_count_by_their_checks_as_in_pay(perturbation):
    quality = statistics.quality(perturbation)
    assert {person.name: person.accepted for person in quality.people} == {
        "P1": Acceptance(1, 1),
        "P2": Acceptance(1, 0),
        "P3": Acceptance(2, 1),
    }
    assert quality.refusals == {"return_unnatural": 1, "return_meaning": 1}
    (rita,) = quality.reviewers
    assert (rita.reviews, rita.judged, rita.right) == (2, 4, 2)
    labels = (VariantReason.UNNATURAL.label, VariantReason.MEANING.label)
    for language, code in (("en", "en"), ("zh-hans", "zh")):
        with translation.override(language):
            shown = {row[0].in_(code) for row in report.reason_table(quality).rows}
            assert shown == {*map(str, labels)}
            me = Asking(member_of(perturbation, "p3"), language=language).get("/p/perturb/me")
            assert (me.context["figures"].judged, me.context["accepted_percent"]) == (2, 50)
            assert all(str(label) in me.content.decode() for label in labels)


def test_variants_are_not_scored_as_corrections(perturbation):
    """They have no golden texts to be compared with, and are different by rule."""
    statistics.refresh(perturbation)
    quality = statistics.quality(perturbation)
    assert (quality.scores, quality.agreement, quality.table4, quality.stale) == (
        None,
        None,
        None,
        False,
    )
    boss = Asking(member_of(perturbation, "boss"))
    page = boss.get("/p/perturb/manage/quality")
    names = [chart["name"] for side in page.context["sides"] for chart in side]
    assert names == ["progress", "reasons"]
    heads = {table["name"]: {name for name, _ in table["head"]} for table in page.context["tables"]}
    assert {"annotator", "hours"} <= heads["people"]
    assert not {"scored", "F0.5", "open study"} & heads["people"]
    assert "judged" in heads["reviewers"]
    assert not {"complaints", "upheld"} & heads["reviewers"]
    report = build_report(quality)
    assert [figure.name for figure in report.figures] == ["quality-progress", "quality-reasons"]
    assert all(len(table.columns) == len(row) for table in report.tables for row in table.rows)
    assert report.notes == ()
    assert "/quality/compute" not in page.content.decode()


def test_cmp_5_what_a_complaint_makes_golden_is_accepted_and_no_refusal(site):
    project = worked()
    who = member_of(project, "a2").person_id
    before = acceptance(load_counts(project))[who]
    assert reasons(load_counts(project))[who] == {"erroneous": 1}
    upheld(project)
    assert acceptance(load_counts(project))[who] == replace(before, accepted=before.accepted + 1)
    assert who not in reasons(load_counts(project))


def test_sta_6_reviewers_have_speed_strictness_and_complaints(site):
    project = worked()
    upheld(project)
    upheld(project, "a1", ComplaintState.DISMISSED)
    rita = {reviewer.person: reviewer for reviewer in reviewers(project, load_counts(project))}[
        member_of(project, "rita").person_id
    ]
    assert (rita.reviews, rita.per_hour) == (4, 60.0)
    assert (rita.judged, rita.right) == (8, 5)
    assert (rita.complaints, rita.upheld) == (2, 1)
    assert rita.accepted == 5 / 8
    assert [reviewer.person for reviewer in reviewers(project, load_counts(project))] == [
        rita.person
    ]


def test_a_ruling_about_a_complaint_is_no_review_of_a_day(site):
    project = worked()
    upheld(project)
    assert sum(day.reviewed for day in add_up_work(load_counts(project)).days) == 4


def test_a_reviewer_without_counted_time_has_no_speed(site):
    project = a_project(1, annotators=1)
    joined(project, "rita", "reviewer")
    all_submitted(sentence_of(project), people(project, 1), [correction(GOOD)])
    finalised(project, (GOOD,))
    (rita,) = reviewers(project, load_counts(project))
    assert (rita.per_hour, rita.accepted) == (None, 1.0)
    assert replace(rita, judged=0).accepted is None


@pytest.mark.slow
def test_sta_1_and_2_table_4_is_that_of_the_public_dev_set(site, shared):
    from gecbench.api.files import load
    from gecbench.server.workflow.sentences import NewSentence, add_sentences

    dev = load(shared / "data" / "mucgec" / "MuCGEC_dev.txt")
    project = a_project(0)
    add_sentences(
        project,
        [NewSentence(sample.id, sample.source, golden=golden_of(sample)) for sample in dev.samples],
    )
    table4 = statistics.table4(project)
    whole = table4.statistics[0]
    # The three sentences that nobody could annotate are among the 287 with one reference.
    assert dict(table4.everywhere) == {0: 3, 1: 284, 2: 462, 3: 313, 4: 62, 5: 10, 6: 2, 7: 1}
    assert (whole.sentences, whole.discarded, whole.erroneous) == (1134, 3, 1079)
    assert round(whole.references, 2) == 2.17


def golden_of(sample):
    from gecbench.server.workflow.sentences import NewGolden

    (first, *_) = sample.references
    if first.unannotatable:
        return NewGolden("not_annotatable", reason="incomprehensible")
    if first.error_free:
        return NewGolden("error_free")
    return NewGolden("corrected", tuple(reference.text for reference in sample.references))


def test_sta_1_table_4_by_source_counts_what_is_discarded(site):
    table4 = statistics.table4(worked())
    assert [
        (statistic.name, statistic.sentences, statistic.discarded, statistic.erroneous)
        for statistic in table4.statistics
    ] == [
        ("all", 3, 1, 2),
        ("story", 3, 1, 2),
    ]
    assert dict(table4.everywhere) == {0: 1, 1: 2, 2: 1}
    assert dict(table4.erroneous) == {1: 1, 2: 1}
    assert table4.signatures == ("edits:extracted|scheme:zh-char|granularity:char",)


def test_progress_counts_days_of_the_sites_own_clock(database):
    project = worked()
    (day,) = add_up_work(load_counts(project)).days
    assert (day.day, day.submitted, day.reviewed, day.golden) == (
        timezone.localdate(),
        15,
        4,
        4,
    )
    assert add_up_work(load_counts(project)).states == {"golden": 4, "review_ready": 1}


@pytest.mark.parametrize(
    ("zone", "expected"),
    [
        ("Asia/Shanghai", date(2026, 3, 2)),
        ("UTC", date(2026, 3, 1)),
        ("Asia/Kathmandu", date(2026, 3, 2)),
    ],
)
def test_a_day_begins_by_the_clock_of_the_site(database, zone, expected):
    from zoneinfo import ZoneInfo

    project = worked()
    with connection.cursor() as cursor:
        on = " ON golden" if database == "postgresql" else ""
        cursor.execute(f"DROP TRIGGER golden_no_update{on}")
        cursor.execute("UPDATE golden SET at = '2026-03-01 18:20:00'")
    with timezone.override(ZoneInfo(zone)):
        days = add_up_work(load_counts(project)).days
    assert [day.day for day in days if day.golden] == [expected]
    assert len(days) > 1
    assert {(b.day - a.day).days for a, b in pairwise(days)} == {1}


def test_study_items_are_counted_by_age(site):
    project = worked()
    assert ages(project) == (3, 0, 0, 0, 0, 0)
    now = timezone.now()
    for study, days in zip(Study.objects.order_by("id"), (2, 10, 40), strict=True):
        Study.objects.filter(pk=study.pk).update(opened_at=now - timedelta(days=days))
    assert ages(project, now) == (0, 1, 0, 1, 0, 1)
    assert len(ages(project)) == len(AGES) + 1


def test_people_have_volume_acceptance_and_what_they_put_off(site):
    project = worked()
    Skip.objects.create(
        sentence=sentence_of(project, 5), project=project, person=member_of(project, "a1").person
    )
    joined(project, "newby")
    statistics.refresh(project)
    people = {person.name: person for person in statistics.people(project)}
    assert (people["A1"].submitted, people["A1"].acceptance, people["A1"].skips) == (5, 0.75, 1 / 6)
    assert people["A1"].unannotatable == 1 / 5
    assert people["A3"].f05 == 1.0
    new = people["Newby"]
    assert (new.submitted, new.acceptance, new.f05, new.skips, new.unannotatable, new.hours) == (
        *(0, None, None, None, None),
        0,
    )


def test_own_figures_are_a_members_own(site):
    project = worked()
    member_figures = statistics.member_figures(member_of(project, "a1"))
    assert (
        member_figures.today,
        member_figures.done,
        member_figures.judged,
        member_figures.accepted,
    ) == (5, 5, 4, 3)
    assert (
        member_figures.acceptance,
        member_figures.open_study,
        member_figures.why,
        member_figures.scored,
    ) == (0.75, 1, "", 3)
    assert (
        member_figures.f05
        == statistics.scores(project).people[str(member_of(project, "a1").person_id)].value
    )
    assert member_figures.signature.startswith("metric:cherrant|scheme:zh-char")


@translation.override("en")
def test_own_figures_say_why_there_is_no_score(site, monkeypatch):
    project = a_project(2, annotators=1)
    joined(project, "rita", "reviewer")
    (member,) = people(project, 1)
    assert statistics.member_figures(member).why == "nothing reviewed yet"
    submitted(member, sentence_of(project), correction(FOURTH))
    finalised(project, (FOURTH,))
    monkeypatch.setattr(statistics.members, "AT_ONCE", 0)
    assert statistics.member_figures(member).why == "not computed yet"
    statistics.refresh(project)
    assert statistics.member_figures(member).f05 == 1.0

    def missing(project, person):
        raise MissingExtraError("errant", "en")

    monkeypatch.setattr(statistics.members, "AT_ONCE", 9)
    monkeypatch.setattr(statistics.members, "scores_of_person", missing)
    assert statistics.member_figures(member).why == "cannot be computed on this site"


def test_own_figures_rest_for_a_while_and_then_are_computed_anew(site):
    project = worked()
    member = member_of(project, "a3")
    assert statistics.member_figures(member).scored == 3
    finalised(project, ("五号句子。",), number=5)
    assert statistics.member_figures(member).scored == 3
    Figures.objects.update(computed_at=timezone.now() - statistics.members.REST)
    assert statistics.member_figures(member).scored == 4


def test_issue_5_withdrawing_and_restoring_make_figures_stale(site):
    project = worked()
    boss, author = member_of(project, "boss"), member_of(project, "a3")
    statistics.refresh(project)
    mine = basis_of(project, author.person_id)
    first, second = sentence_of(project, 1).pk, sentence_of(project, 2).pk
    management.withdraw(boss, [first], reason="x")
    assert statistics.quality(project).stale
    assert basis_of(project, author.person_id) != mine
    statistics.refresh(project)
    assert not statistics.quality(project).stale
    management.withdraw(boss, [second], reason="x")
    management.restore(boss, [first])
    assert statistics.quality(project).stale, "as many are withdrawn, but others"
    management.restore(boss, [second])
    assert basis_of(project, author.person_id) == mine


def test_own_figures_do_not_mind_what_others_wrote_and_was_withdrawn(site):
    project = worked()
    newby = joined(project, "newby")
    before = basis_of(project, newby.person_id)
    management.withdraw(member_of(project, "boss"), [sentence_of(project, 1).pk], reason="x")
    assert basis_of(project, newby.person_id) == before


@pytest.mark.parametrize("sentences", [1, 4])
def test_no_figure_costs_more_questions_with_more_people_or_sentences(site, sentences):
    project = a_project(sentences)
    joined(project, "rita", "reviewer")
    team = people(project, 3)
    for number in range(1, sentences + 1):
        all_submitted(sentence_of(project, number), team)
        finalised(project, (f"{sentence_of(project, number).text}（a1）",), number=number)
    statistics.refresh(project)
    statistics.quality(project)
    with CaptureQueriesContext(connection) as queries:
        statistics.quality(project)
    assert len(queries) <= 27
    with CaptureQueriesContext(connection) as queries:
        statistics.people(project)
    assert len(queries) <= 12


def test_the_report_is_whole_in_all_formats(site):
    project = worked()
    before = build_report(statistics.quality(project))
    assert "never computed" in before.notes[0]
    statistics.refresh(project)
    report = build_report(statistics.quality(project))
    data = json.loads(render(report, "json"))
    assert data["scores"]["total"]["scored"] == 10
    assert data["agreement"]["alpha"]["of"] == 5
    text = render(report, "text")
    for message in (
        "Annotators",
        "Reviewers",
        "F0.5 by week",
        "Krippendorff",
        "Sentences by state",
    ):
        assert message in text
    assert text.count("signature: ") == 2
    assert "\\begin{tabular}" in render(report, "latex")
    assert render(report, "csv").startswith("annotator,sentences")
    assert len({table.name for table in report.tables}) == len(report.tables)
    assert report.figures[0].name == "quality-progress"


def test_the_report_says_that_there_is_more_by_now(site):
    project = worked()
    statistics.refresh(project)
    finalised(project, ("五号句子。",), number=5)
    assert any(
        "Table 4 are of 20" in note for note in build_report(statistics.quality(project)).notes
    )


def test_figures_are_shown_on_a_full_disk_and_stored_when_there_is_room(site):
    project = a_project(2)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM")  # no free page is left
        (pages,) = cursor.execute("PRAGMA page_count").fetchone()
        cursor.execute(f"PRAGMA max_page_count = {pages}")
        try:
            full = list(load_pieces(project, "room", lambda rows: ["x" * 50_000, len(rows)]))
            stored = Figures.objects.filter(kind__startswith="room ").count()
        finally:
            cursor.execute("PRAGMA max_page_count = 4294967294")
    assert (sum(count for _, count in full), stored) == (2, 0)
    again = list(load_pieces(project, "room", lambda rows: ["x" * 50_000, len(rows)]))
    assert again == full
    assert Figures.objects.filter(kind__startswith="room ").count() == len(full)
    assert list(load_pieces(project, "room", lambda _: pytest.fail("computed again"))) == full
