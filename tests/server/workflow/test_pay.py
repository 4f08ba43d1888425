"""Pay from beginning to end: formulas, periods, corrections, and the same cents from history."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from unittest.mock import patch
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st
from server.remembering import remembered
from server.workflow.inspecting import begun, inspected, rated
from server.workflow.paying import PLAIN, closed, entries, nobody_measures, paying, soon, totals
from server.workflow.perturbing import (
    a_perturbation,
    accept,
    checked,
    done_case,
    edit,
    gaps_of,
    give_back,
    perturbed,
    reviewer,
    waiting_case,
)
from server.workflow.practising import candidate, finish_trial, known
from server.workflow.races import together
from server.workflow.reviewing import BAD, FAIR, GOOD, finalised, member_of, study_of, waiting
from server.workflow.stories import (
    a_project,
    all_submitted,
    correction,
    error_free,
    people,
    sentence_of,
    submitted,
)
from server.workflow.test_complaints_upheld import ruled

from gecbench.server.choices import Decision, PayQuality, Purpose
from gecbench.server.models import (
    Audit,
    Notice,
    PayEntry,
    PayPeriod,
    PayStatement,
    Sentence,
)
from gecbench.server.rules.pay import (
    TEMPLATES,
    Formula,
    Line,
    Step,
    Unit,
    Version,
    apply_lines,
    pay_lines,
)
from gecbench.server.statistics.scoring import f05_by_person
from gecbench.server.workflow import (
    complaints,
    inspection,
    members,
    pay,
    studies,
    variant_checks,
)
from gecbench.server.workflow.checks import check
from gecbench.server.workflow.errors import ConflictError, RefusedError
from gecbench.server.workflow.pay_history import (
    History,
    Judgement,
    Source,
    Submitted,
    Text,
    facts_at,
)


@pytest.fixture(autouse=True, scope="module")
def at_once():
    """A period may end now: nothing here is undone after it was paid."""
    with patch.object(pay, "SETTLED", timedelta(seconds=-9)):
        yield


@remembered
def decided(*answers, right=(GOOD, FAIR), **fields):
    project = waiting(*answers, reviewers=["rita", "rolf"])
    finalised(project, right, **fields)
    return project


def complained(project, login="a2"):
    complaints.complain(
        member_of(project, login),
        study_of(project, login).pk,
        argument="可以。",
        client_key=uuid4(),
    )


def test_pay_1_accepted_tasks_and_reviews_are_paid_and_rejected_ones_are_not(site):
    project = decided(correction(GOOD), correction(BAD), correction(GOOD, FAIR))
    paying(project)
    period = closed(project)
    assert totals(period) == {"a1": 50, "a2": 0, "a3": 75, "rita": 60}
    assert entries(period, "a3") == [
        ("annotation", "work", 50),
        ("extra_reference", "work", 25),
    ]
    assert check() == ()
    logins = Notice.objects.filter(kind="pay_statement").values_list("person__login", flat=True)
    assert set(logins) == set(totals(period))
    assert Audit.objects.filter(project=project, what="pay.closed").exists()


def test_pay_1_decisions_without_a_text_are_paid_like_others(site):
    project = decided(error_free(), correction(GOOD), decision=Decision.ERROR_FREE)
    paying(project)
    assert totals(closed(project)) == {"a1": 50, "a2": 0, "rita": 60}


def test_pay_1_self_study_earns_nothing(site):
    project = decided(correction(GOOD), correction(BAD))
    paying(project)
    closed(project)
    item = study_of(project, "a2")
    studies.attempt(
        member_of(project, "a2"),
        item.pk,
        version=item.version,
        client_key=uuid4(),
        answer=correction(GOOD),
    )
    assert totals(closed(project)) == {}
    assert check() == ()


def test_pay_1_a_complaint_upheld_is_paid_back_with_the_next_statement(site):
    project = decided(correction(GOOD), correction(BAD), correction(BAD))
    paying(project)
    assert totals(closed(project)) == {"a1": 50, "a2": 0, "a3": 0, "rita": 60}
    complained(project)
    ruled(project)
    period = closed(project)
    # a3 wrote the same and did not complain; the decision itself is work, too.
    assert totals(period) == {"a2": 50, "a3": 50, "rolf": 70}
    assert entries(period, "a2") == [("annotation", "complaint", 50)]
    complaint = PayEntry.objects.get(statement__period=period, statement__person__login="a2")
    assert complaint.complaint.person.login == "a2"
    assert totals(closed(project)) == {}
    assert check() == ()


def test_pay_2_what_a_complaint_makes_wrong_is_a_line_of_its_own(site):
    project = decided(error_free(), correction(GOOD), decision=Decision.ERROR_FREE)
    paying(project)
    closed(project)
    complained(project)
    ruled(project)
    period = closed(project)
    assert entries(period, "a1") == [("annotation", "reversal", -50)]
    assert entries(period, "a2") == [("annotation", "complaint", 50)]
    assert check() == ()


def test_pay_2_lines_point_to_what_is_paid_and_statements_are_for_ever(site):
    project = decided(correction(GOOD, FAIR), correction(GOOD))
    formula = paying(project)
    period = closed(project)
    statement = PayStatement.objects.get(period=period, person__login="a1")
    task, extra = statement.entries.order_by("pk")
    assert task.submission.person == statement.person
    assert extra.reference.text == FAIR
    assert {task.formula, extra.formula} == {formula}
    for statement_of_sql in (
        "UPDATE pay_entry SET amount = 1",
        "DELETE FROM pay_statement",
        "UPDATE pay_formula SET version = 9",
        "DELETE FROM pay_period",
        "UPDATE pay_activation SET by_id = NULL",
    ):
        with pytest.raises(Exception, match="append-only"), connection.cursor() as cursor:
            cursor.execute(statement_of_sql)


def test_pay_2_periods_follow_one_another_and_none_is_closed_twice_or_too_early(site, monkeypatch):
    project = decided(correction(GOOD))

    def refusal(end):
        with pytest.raises(RefusedError) as caught:
            closed(project, end)
        return caught.value.problems[0].code

    assert refusal(soon()) == "PAY-no-formula"
    paying(project)
    first = closed(project)
    assert refusal(first.end) == "PAY-closed"
    second = closed(project)
    assert second.begin == first.end
    monkeypatch.setattr(pay, "SETTLED", timedelta(minutes=10))
    assert refusal(soon()) == "PAY-too-early"


def test_pay_2_a_period_is_closed_once_whoever_races_and_whatever_formula_comes(database):
    project = waiting(correction(GOOD))
    finalised(project)
    paying(project)
    dearer = pay.save_formula(project, PLAIN.model_copy(update={"review": Decimal(1)}), by=None)
    end = soon()
    acts = (
        lambda: closed(project, end),
        lambda: closed(project, end),
        lambda: pay.activate(project, dearer.version, by=None),
    )
    outcomes = together(3, lambda n: acts[n]())
    closings = outcomes[:2]
    assert all(
        isinstance(closing, PayPeriod | RefusedError | ConflictError) for closing in closings
    )
    assert outcomes[2] == dearer
    periods = PayPeriod.objects.count()
    assert periods == sum(isinstance(closing, PayPeriod) for closing in closings) <= 1
    assert list(pay.recompute(project)) == []


def test_pay_3_near_copies_and_rejected_texts_are_no_further_references(site):
    near = GOOD.replace("昨天", "昨天 ")
    project = decided(correction(GOOD, near, BAD), right=(GOOD, near))
    paying(project)
    assert entries(closed(project), "a1") == [("annotation", "work", 50)]
    assert check() == ()


def test_pay_4_a_preview_says_who_would_earn_what_and_writes_nothing(site):
    project = decided(correction(GOOD), correction(BAD), correction(GOOD, FAIR))
    before = Audit.objects.count()
    with CaptureQueriesContext(
        connection,
    ) as few:
        rows = {row.person: row for row in pay.preview(project, PLAIN, nobody_measures)}
    by_login = {member_of(project, login).person_id: login for login in ("a1", "a2", "a3", "rita")}
    shown = {
        by_login[person]: (row.total, row.tasks, row.accepted, row.answers, row.decisions)
        for person, row in rows.items()
    }
    assert shown == {
        "a1": (50, 1, 1, 1, 0),
        "a2": (0, 1, 0, 1, 0),
        "a3": (75, 1, 2, 2, 0),
        "rita": (60, 0, 0, 0, 1),
    }
    assert (PayEntry.objects.count(), Audit.objects.count()) == (0, before)
    assert pay.preview(project, PLAIN, nobody_measures, since=soon()) == []
    for n in (2, 3):
        more = waiting(correction(GOOD), slug=f"more-{n}")
        finalised(more)
    with CaptureQueriesContext(connection) as as_few:
        pay.preview(project, PLAIN, nobody_measures)
    assert len(as_few) == len(few) <= 9


def test_pay_4_quality_may_be_f05(site):
    project = decided(correction(GOOD), correction(BAD), correction(GOOD))
    steps = (Step(at_least=0, percent=50), Step(at_least=100, percent=120))
    by_f05 = {"quality": PayQuality.F05, "least": 1, "factors": steps}
    paying(project, PLAIN.model_copy(update=by_f05))
    period = closed(project, measure=f05_by_person)
    assert totals(period) == {"a1": 60, "a2": 0, "a3": 60, "rita": 60}
    worse = PayStatement.objects.get(period=period, person__login="a2").facts
    assert 0 <= next(iter(worse["quality"].values()))["f05"] < 1
    assert check() == ()


def test_pay_5_hours_stand_beside_amounts_and_change_none(site):
    answers = [correction(GOOD, active_ms=ms) for ms in (0, 36_000, 3_600_000)]
    project = decided(*answers)
    paying(project)
    period = closed(project)
    rows = {
        statement.person.login: pay.earnings_of(statement)
        for statement in period.statements.select_related("person")
    }
    assert [rows[login].total for login in ("a1", "a2", "a3")] == [50, 50, 50]
    assert [rows[login].hourly for login in ("a1", "a2", "a3")] == [None, 5000, 50]


def test_pay_1_variants_and_their_checks_are_paid(site):
    project = a_perturbation(annotators=3)
    paying(project, Formula(perturbation=Decimal(1), check=Decimal("0.30"), review=Decimal(9)))
    case = waiting_case(project)
    rita = reviewer(project)
    checked(rita, accept(1), edit(2, *gaps_of(case, "大前天")), give_back(3))
    period = closed(project)
    assert totals(period) == {"p1": 100, "p2": 100, "p3": 0, "rita": 90}
    shares = {
        statement.person.login: pay.earnings_of(statement).share
        for statement in period.statements.select_related("person")
    }
    assert shares == {"p1": 1, "p2": 0, "p3": 0, "rita": None}
    perturbed(member_of(project, "p3"), case, "上周")
    assert totals(closed(project)) == {}
    checked(rita, accept(3))
    assert totals(closed(project)) == {"p3": 100, "rita": 30}
    assert [violation for violation in check() if violation.invariant == "INV-13"] == []


def test_pay_2_a_variant_that_is_made_again_stays_paid_until_another_one_of_its_place_passed(site):
    project = a_perturbation(annotators=2)
    paying(project, Formula(perturbation=Decimal(1), check=Decimal(0)))
    case = done_case(project)

    def earned() -> dict[str, int]:
        return {login: sum_ for login, sum_ in totals(closed(project)).items() if login != "rita"}

    assert earned() == {"p1": 100, "p2": 100}
    boss = member_of(project, "boss")
    variant_checks.reopen(boss, case.pk, positions=[1], note="once more")
    assert earned() == {}, "nothing is made yet"
    perturbed(member_of(project, "p1"), case, "上周")
    assert earned() == {}, "nobody has checked it"
    checked(reviewer(project), give_back(1))
    assert earned() == {"p1": 0}, "it was returned: that is judged, and takes nothing back"
    perturbed(member_of(project, "p1"), case, "前年")
    checked(reviewer(project), accept(1))
    assert earned() == {"p1": 0}, "a place is paid once"
    lines = PayEntry.objects.filter(statement__person__login="p1").order_by("pk")
    assert sorted(line.amount for line in lines) == [-100, 100, 100]
    assert [violation for violation in check() if violation.invariant == "INV-13"] == []


def test_pay_1_ratings_of_judges_are_paid_unless_they_are_taken_back(site):
    project = inspected(2, undo_seconds=600)
    first, second = begun(project, 2).items.order_by("position")
    paying(project, Formula(rating=Decimal("0.30")))
    rated(project, "jane", first)
    rated(project, "jane", second)
    rated(project, "john", first, False, True)
    period = closed(project)
    assert totals(period) == {"jane": 60, "john": 30}
    inspection.undo(member_of(project, "john"), first.pk)
    assert entries(closed(project), "john") == [("rating", "reversal", -30)]
    rated(project, "john", first)
    assert totals(closed(project)) == {"john": 30}
    assert [violation for violation in check() if violation.invariant == "INV-13"] == []


def test_inv_12_training_and_trial_are_not_paid(site):
    project = a_project(1, annotators=1, trial_first=True, trial_size=2)
    for purpose in (Purpose.TRAINING, Purpose.TRIAL):
        known(project, purpose, 4)
    finish_trial(candidate(project, "a1"), 2)
    paying(project)
    assert totals(closed(project)) == {}
    assert pay.preview(project, PLAIN, nobody_measures) == []


def test_a_statement_does_not_tell_gold_tasks_from_others(site):
    """A gold task is paid with a task that was handed in after it, or after a month."""
    project = waiting(correction(GOOD), texts=2, gold_percent=50, reviewers=["rita"])
    known(project, Purpose.GOLD, 2)
    annotator = member_of(project, "a1")
    for number in (1, 2):
        gold = Sentence.objects.get(project=project, external_id=f"gold-{number}")
        submitted(annotator, gold, correction(f"这是gold第{number}句。" if number == 1 else "错。"))
    finalised(project, (GOOD,))
    paying(project)
    assert totals(closed(project)) == {"a1": 50, "rita": 60}
    last = sentence_of(project, 2)
    submitted(annotator, last, correction(GOOD))
    assert totals(closed(project)) == {}
    finalised(project, (GOOD,), number=2)
    period = closed(project)
    assert totals(period) == {"a1": 100, "rita": 60}
    assert entries(period, "a1") == [("annotation", "work", 50)] * 2
    assert [violation for violation in check() if violation.invariant == "INV-13"] == []


def test_f05_is_measured_before_anything_is_locked_and_another_period_is_noticed(site):
    project = decided(correction(GOOD), correction(BAD))
    by_f05 = {"quality": PayQuality.F05, "least": 1}
    paying(project, PLAIN.model_copy(update=by_f05))

    def measure(project, sentences):
        closed(project, measure=lambda *_: {})  # which would wait for ever behind a lock
        return {}

    with pytest.raises(RefusedError) as refused:
        closed(project, measure=measure)
    assert [problem.code for problem in refused.value.problems] == ["PAY-closed"]
    assert project.pay_periods.count() == 1


def test_inv_13_history_gives_the_same_cents_whenever_periods_were_closed(database):
    """Formulas change in between, a complaint is upheld, a sentence is reviewed again."""
    project = waiting(correction(GOOD, FAIR), correction(BAD), texts=4, reviewers=["rita", "rolf"])
    first = TEMPLATES["acceptance"].formula.model_copy(update={"least": 2, "window": 3})
    paying(project, first)
    annotators = people(project, 2)
    closed(project)
    finalised(project)
    for number in (2, 3):
        all_submitted(sentence_of(project, number), annotators)
    closed(project)
    complained(project)
    for number in (2, 3):
        text = f"{sentence_of(project, number).text}（a1）"
        finalised(project, (text,), number=number)
    paying(project, first.model_copy(update={"annotation": Decimal("0.77"), "window": 1}))
    closed(project)
    ruled(project)
    all_submitted(sentence_of(project, 4), annotators)
    closed(project)
    finalised(project, ("无",), number=4, decision=Decision.ERROR_FREE)
    members.change_member(member_of(project, "a2"), by=None, status="left")
    closed(project)
    entries_of_all = PayEntry.objects.all()
    assert set(entries_of_all.values_list("reason", flat=True)) == {"work", "complaint"}
    assert len(set(entries_of_all.values_list("formula", "detail__quality_percent"))) >= 3
    assert check() == ()


def test_inv_13_a_ledger_that_history_contradicts_is_found(site):
    project = decided(correction(GOOD))
    paying(project)
    closed(project)
    with connection.cursor() as cursor:
        cursor.execute("DROP TRIGGER pay_entry_no_update")
        cursor.execute("UPDATE pay_entry SET amount = amount + 1 WHERE kind = 'annotation'")
    problems = [violation for violation in check() if violation.invariant == "INV-13"]
    assert len(problems) == 3
    assert {problem.where for problem in problems} == {"story pay"}


def test_a_formula_in_force_keeps_its_currency_and_versions_are_not_repeated(site):
    project = a_project(1)
    row = paying(project)
    assert pay.save_formula(project, PLAIN, by=None) == row
    with pytest.raises(RefusedError, match="in force"):
        pay.activate(project, 1, by=None)
    pay.save_formula(project, PLAIN.model_copy(update={"currency": "EUR"}), by=None)
    with pytest.raises(RefusedError, match="EUR"):
        pay.activate(project, 2, by=None)
    with pytest.raises(RefusedError, match="no version 3"):
        pay.activate(project, 3, by=None)


# Histories that never happened in a database: any events, and closings at any moments.


BEGIN = datetime(2026, 11, 1, tzinfo=UTC)
FIRST = Formula(annotation=Decimal("0.37"), extra_reference=Decimal("0.11"), least=2, window=3,
                factors=(Step(at_least=0, percent=33), Step(at_least=60, percent=117)))  # fmt: skip
DEARER = FIRST.model_copy(update={"annotation": Decimal("0.53"), "window": 2})
EVENT = st.tuples(
    st.sampled_from(["submit", "verdict", "verdict", "close"]),
    st.integers(0, 3),  # place of a task
    st.integers(0, 3),  # which of the texts
    st.booleans(),
)


def history_of_events(events) -> History:
    """Submissions of two people for four sentences, and verdicts on four texts, one a minute."""
    answers, verdicts = [], {}
    for minute, (what, slot, text, correct) in enumerate(events):
        at = BEGIN + timedelta(minutes=minute)
        if what == "submit":
            texts = tuple(Text(100 * minute + n, str(n), (str(n),)) for n in range(text + 1))
            answers.append(
                Submitted(minute, slot, slot, slot % 2, at, Decision.CORRECTED, 60_000, texts)
            )
        elif what == "verdict":
            complaints = {slot % 2: minute} if minute % 3 == 0 else {}
            about = slot, Decision.CORRECTED, str(text)
            verdicts.setdefault(about, []).append(Judgement(at, correct, complaints))
    sources = {slot: Source(10 + slot, ("source",)) for slot in range(4)}
    return History(answers, verdicts, {}, [], [], [], sources)


def closings(history_at, events) -> list[Sequence[Line]]:
    """The lines of each period; `history_at` says what is known when a minute is over."""
    versions = [Version(1, BEGIN, FIRST), Version(2, BEGIN + timedelta(minutes=9), DEARER)]
    paid: dict[Unit, Line] = {}
    periods = []
    for minute, (what, *_) in enumerate([*events, ("close", 0, 0, True)]):
        if what == "close":
            facts = facts_at(history_at(minute), BEGIN + timedelta(minutes=minute))
            percents = pay._percents(pay._qualities(facts.reviewed_tasks, versions, dict), versions)
            lines = pay_lines(facts.works, paid, versions, percents)
            paid = apply_lines(paid, lines)
            periods.append(lines)
    return periods


@given(events=st.lists(EVENT, max_size=40))
def test_inv_13_any_history_gives_the_same_cents_again_corrections_included(events):
    """Closed with what was known then, and made again with all that is known in the end."""
    everything = history_of_events(events)
    known_then = closings(lambda minute: history_of_events(events[:minute]), events)
    assert closings(lambda _: everything, events) == known_then
    ledger = [line for lines in known_then for line in lines]
    due = facts_at(everything, BEGIN + timedelta(days=1)).works
    nets: dict[Unit, int] = defaultdict(int)
    for line in ledger:
        nets[line.unit] += line.amount
    units = {work.unit for work in due if work.due}
    assert {unit for unit, amount in nets.items() if amount} <= units
    last = apply_lines({}, ledger)
    assert set(last) == units
    assert sum(nets.values()) == sum(line.amount for line in last.values())
