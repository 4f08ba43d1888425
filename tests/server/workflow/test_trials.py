"""Training and trial: what is right, who passes, and that nothing of it is real work."""

from __future__ import annotations

import json
from dataclasses import replace
from uuid import uuid4

import pytest
from server.workflow.practising import (
    answered,
    candidate,
    finish_trial,
    known,
    practising,
    reference,
    source,
)
from server.workflow.stories import (
    a_project,
    claimed,
    correction,
    joined,
    sentence_of,
    somebody,
    submit_answer,
)

from gecbench.server.choices import Decision, MemberStatus, Purpose, Role
from gecbench.server.import_export import personal_data
from gecbench.server.import_export.exports import ExportOptions, export, formats_of
from gecbench.server.models import (
    Audit,
    Draft,
    Figures,
    Member,
    Notice,
    Person,
    PracticeAnswer,
    Sentence,
    Slot,
    SlotEvent,
    Submission,
    Trial,
)
from gecbench.server.statistics import refresh
from gecbench.server.statistics.members import people
from gecbench.server.statistics.report import chart_of, quality
from gecbench.server.statistics.scoring import AGREEMENT, SCORES, TABLE4
from gecbench.server.workflow import claims, drafts, management, members, practice, submissions
from gecbench.server.workflow.answers import Answer, is_right
from gecbench.server.workflow.checks import check
from gecbench.server.workflow.errors import (
    ConflictError,
    NotAllowedError,
    NotYoursError,
    RefusedError,
    WorkflowError,
)
from gecbench.server.workflow.sentences import NewGolden, NewSentence, add_sentences


def training_answer(member: Member, number: int, *texts: str, decision=Decision.CORRECTED):
    answer = Answer(decision, texts)
    return practice.train(member, number, client_key=uuid4(), answer=answer)


def first_number(purpose: Purpose) -> int:
    return Sentence.objects.filter(purpose=purpose).order_by("number").first().number


# What is right.


@pytest.mark.parametrize(
    ("lang", "source", "golden", "decision", "texts", "right"),
    [
        ("zh", "我门去。", ["我们去。"], "corrected", ["我们去。"], True),
        ("zh", "我门去。", ["我们去。"], "corrected", ["我 们去。"], True),
        ("zh", "我门去。", ["我们去。"], "corrected", ["咱们去。"], False),
        ("zh", "我门去。", ["我们去。", "咱们去。"], "corrected", ["咱们去。", "我们去。"], True),
        ("zh", "我门去。", ["我们去。"], "corrected", ["我们去。", "咱们去。"], False),
        ("zh", "我门去。", ["我们去。"], "error_free", [], False),
        ("en", "He go .", ["He goes."], "corrected", ["He  goes ."], True),
        ("en", "He go .", ["He goes."], "corrected", ["He goes!"], False),
        ("zh", "我们去。", [], "error_free", [], True),
        ("zh", "我们去。", [], "corrected", ["我们走。"], False),
        ("zh", "我们去。", [], "not_annotatable", [], False),
    ],
)
def test_an_answer_is_right_if_text_edits_or_decision_are_those_known(
    site, lang, source, golden, decision, texts, right
):
    project = a_project(0, lang=lang)
    kind = Decision.CORRECTED if golden else Decision.ERROR_FREE
    add_sentences(
        project,
        [NewSentence("k", source, purpose=Purpose.TRIAL, golden=NewGolden(kind, tuple(golden)))],
    )
    assert is_right(sentence_of(project), decision, texts) is right


# Training.


def test_tri_1_training_answers_at_once_may_be_repeated_and_has_no_effect(site):
    project = practising()
    member = candidate(project)
    number = first_number(Purpose.TRAINING)
    assert practice.training_status(member) == practice.TrainingStatus(3, 0, 0)
    wrong = training_answer(member, number, source("training", 1).replace("句句", "段句"))
    right = training_answer(member, number, reference("training", 1))
    again = training_answer(member, number, reference("training", 1))
    assert [wrong.right, right.right, again.right] == [False, True, True]
    assert practice.training_status(member) == practice.TrainingStatus(3, 1, 1)
    assert practice.training_task(member).number != number, "the least practised comes next"
    assert not Submission.objects.exists()
    assert not SlotEvent.objects.exists()
    assert check() == ()


def test_one_key_is_one_answer_in_training(site):
    project = practising()
    member, key = candidate(project), uuid4()
    number = first_number(Purpose.TRAINING)
    answer = Answer(Decision.CORRECTED, (reference("training", 1),))
    first = practice.train(member, number, client_key=key, answer=answer)
    assert practice.train(member, number, client_key=key, answer=answer) == first
    with pytest.raises(ConflictError):
        practice.train(candidate(project, "wu"), number, client_key=key, answer=answer)


def test_another_text_under_a_key_is_kept_and_the_key_of_another_task_is_refused(site):
    project = practising(trial_size=2)
    member, key = candidate(project), uuid4()
    number = first_number(Purpose.TRAINING)
    answer = Answer(Decision.CORRECTED, (reference("training", 1),))
    first = practice.train(member, number, client_key=key, answer=answer)
    other = Answer(Decision.CORRECTED, ("另一句。",))
    assert practice.train(member, number, client_key=key, answer=other) == first
    assert PracticeAnswer.objects.get(counted=False).text == "另一句。"
    with pytest.raises(ConflictError):
        practice.train(member, number + 1, client_key=key, answer=answer)
    task = practice.begin(member).tasks.get(position=1)
    with pytest.raises(ConflictError):
        practice.answer_task(member, task.pk, client_key=key, answer=answer)


def test_what_training_refuses_is_kept_and_not_counted(site):
    project = practising()
    member = candidate(project)
    with pytest.raises(RefusedError):
        training_answer(member, first_number(Purpose.TRAINING), source("training", 1))
    answer = PracticeAnswer.objects.get()
    assert (answer.text, answer.counted) == (source("training", 1), False)
    assert practice.training_status(member).tried == 0


@pytest.mark.parametrize("purpose", [Purpose.REAL, Purpose.TRIAL])
def test_only_the_training_set_is_for_training(site, purpose):
    project = practising()
    member = candidate(project)
    with pytest.raises(NotYoursError):
        training_answer(member, first_number(purpose), "句。")


# The trial.


@pytest.mark.parametrize(("right", "status"), [(18, "active"), (17, "training"), (20, "active")])
def test_tri_2_eighteen_of_twenty_pass_and_seventeen_do_not(site, right, status):
    member = candidate(practising())
    trial = finish_trial(member, right)
    assert (trial.size, trial.percent, trial.accepted) == (20, 90, right)
    assert trial.state == ("passed" if right >= 18 else "failed")
    assert member.status == status
    (notice,) = Notice.objects.filter(person=member.person)
    assert notice.kind == f"my_trial_{trial.state}"
    assert notice.data == {"no": 1, "right": right, "size": 20}
    assert check() == ()


@pytest.mark.parametrize(
    ("right", "size", "percent", "passed"),
    [(9, 10, 90, True), (8, 9, 90, False), (2, 3, 67, False), (0, 5, 0, True), (5, 5, 100, True)],
)
def test_tri_2_the_threshold_is_exact(right, size, percent, passed):
    assert practice.passes(right, size, percent) is passed


def test_tri_2_size_and_threshold_are_the_projects_when_the_trial_begins(site):
    project = practising(trial_size=4, trial_percent=50)
    member = candidate(project)
    trial = practice.begin(member)
    project.options = {**project.options, "trial_size": 9, "trial_percent": 100}
    project.save()
    member.refresh_from_db()
    for n in range(4):
        answered(member, right=n < 2)
    trial.refresh_from_db()
    assert (trial.size, trial.percent, trial.state) == (4, 50, "passed")


def test_a_trial_says_its_result_to_the_managers(site):
    finish_trial(candidate(practising(trial_size=2)), 2)
    assert Notice.objects.get(person__login="boss").kind == "trial_passed"


def test_the_tasks_of_a_trial_are_answered_once_and_in_turn(site):
    member = candidate(practising(trial_size=3))
    trial = practice.begin(member)
    first, second = trial.tasks.order_by("position")[:2]
    answer = Answer(Decision.ERROR_FREE)
    with pytest.raises(ConflictError):
        practice.answer_task(member, second.pk, client_key=uuid4(), answer=answer)
    key = uuid4()
    done = practice.answer_task(member, first.pk, client_key=key, answer=answer)
    assert practice.answer_task(member, first.pk, client_key=key, answer=answer) == done
    with pytest.raises(ConflictError):
        practice.answer_task(member, first.pk, client_key=uuid4(), answer=answer)
    with pytest.raises(NotYoursError):
        practice.answer_task(
            candidate(member.project, "wu"), second.pk, client_key=uuid4(), answer=answer
        )


def test_tri_4_one_retake_with_tasks_not_seen_before_and_all_attempts_kept(site):
    project = practising(trial=40)
    member = candidate(project)
    first = finish_trial(member, 17)
    second = finish_trial(member, 10)
    seen = [set(trial.tasks.values_list("sentence", flat=True)) for trial in (first, second)]
    assert seen[0].isdisjoint(seen[1])
    with pytest.raises(RefusedError) as refused:
        practice.begin(member)
    assert refused.value.problems[0].code == "trial-no_attempt_left"
    attempts = [(trial.no, trial.accepted, trial.state) for trial in practice.trials_of(member)]
    assert attempts == [(1, 17, "failed"), (2, 10, "failed")]
    assert PracticeAnswer.objects.filter(task__isnull=False).count() == 40


@pytest.mark.parametrize("way", [["trial"], ["paused", "training"], ["left", "training"]])
def test_tri_4_put_back_by_a_lead_somebody_has_all_attempts_again(site, way):
    project = practising(trial=6, trial_size=2)
    member = candidate(project)
    for _ in range(2):
        finish_trial(member, 0)
    boss = Person.objects.get(login="boss")
    members.change_member(member, by=boss, roles=[Role.ANNOTATOR, Role.REVIEWER])
    assert practice.attempts_left(member) == 0
    for status in way:
        members.change_member(member, by=boss, status=MemberStatus(status))
    assert practice.attempts_left(member) == 2
    assert finish_trial(member, 2).no == 3


def test_tri_4_the_same_sentence_in_two_rows_or_in_the_training_set_was_seen(site):
    project = a_project(1, trial_first=True, trial_size=1)
    known(project, Purpose.TRAINING, 1)
    for n, text in enumerate((source("training", 1), "二句句。", "二句句。", "三句句。")):
        golden = NewGolden(Decision.CORRECTED, (f"{text}改",))
        row = NewSentence(f"t{n}", text, purpose=Purpose.TRIAL, golden=golden)
        add_sentences(project, [row])
    member = candidate(project)
    training_answer(member, first_number(Purpose.TRAINING), reference("training", 1))
    texts = [finish_trial(member, 0).tasks.get().sentence.text for _ in range(2)]
    assert sorted(texts) == ["三句句。", "二句句。"]
    assert practice._unseen(member) == []


@pytest.mark.parametrize("status", ["paused", "training", "active", "left"])
def test_a_trial_is_stopped_when_its_candidate_gets_another_status(site, status):
    member = candidate(practising(trial_size=2))
    trial = practice.begin(member)
    answered(member, right=True)
    boss = Person.objects.get(login="boss")
    member.refresh_from_db()
    members.change_member(member, by=boss, status=MemberStatus(status))
    trial.refresh_from_db()
    assert (trial.state, trial.accepted) == ("stopped", 1)
    assert Audit.objects.get(what="trial.stopped").who == boss
    assert check() == ()
    answer = practice.answers_of(trial)[0]
    lead = Member.objects.select_related("project").get(person=boss)
    practice.overrule(lead, answer.pk, right=False, reason="no")
    trial.refresh_from_db()
    assert (trial.state, trial.accepted) == ("stopped", 0)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"trial": 19}, "too_few_tasks"),
        ({"status": "active"}, "not_candidate"),
        ({"status": "paused"}, "not_candidate"),
        ({"begun": True}, "under_way"),
        ({"closed": True}, "closed"),
        ({"guideline_gate": True}, "guideline_first"),
    ],
)
def test_a_trial_begins_only_for_candidates_and_with_enough_tasks(site, change, why):
    options = {key: value for key, value in change.items() if key == "guideline_gate"}
    project = practising(trial=change.get("trial", 20), **options)
    member = candidate(project)
    if "status" in change:
        members.change_member(member, by=None, status=MemberStatus(change["status"]))
    if "begun" in change:
        practice.begin(member)
    if "closed" in change:
        project.archived_at = member.since
        project.save()
        member.refresh_from_db()
    with pytest.raises(RefusedError) as refused:
        practice.begin(member)
    assert refused.value.problems[0].code == f"trial-{why}"


def test_known_answers_are_not_sent_to_review(site):
    project = practising()
    boss = members.add_member(project, somebody("boss"), roles=(Role.MANAGER,), by=None)
    for sentence in Sentence.objects.exclude(purpose=Purpose.REAL)[:5]:
        with pytest.raises(ConflictError):
            management.reopen_sentence(boss, sentence.pk, reason="again")


def test_one_s_own_data_tell_no_result_of_an_open_trial(site):
    member = candidate(practising(trial_size=2))

    def verdicts() -> list[object]:
        lines = b"".join(personal_data.export_personal_data(member.person)).decode().splitlines()
        rows = [json.loads(line) for line in lines if line]
        return [row["right"] for row in rows if "counted" in row and "right" in row]

    practice.begin(member)
    answered(member, right=True)
    assert verdicts() == [None]
    answered(member, right=True)
    assert verdicts() == [True, True]


# The gate.


@pytest.mark.parametrize("status", ["training", "trial", "paused"])
def test_tri_3_who_is_not_active_gets_no_real_task(site, status):
    project = practising()
    member = candidate(project)
    if status != "training":
        members.change_member(member, by=None, status=MemberStatus(status))
    for ask in (claims.current, claims.claim):
        assert ask(member).nothing == claims.NoTask.NOT_ACTIVE
    assert not claims.has_task(member)
    assert not claims.free_slots_for(member).exists(), "the query itself has the gate"
    assert Slot.objects.filter(state="open").count() == 0


@pytest.mark.parametrize("status", ["training", "trial"])
def test_tri_3_who_goes_on_trial_can_hand_in_nothing_real(site, status):
    """Somebody who held and handed in real tasks before, and asks with every known number."""
    project = practising(6)
    member = joined(project, "li")
    done = submissions.submit(
        member,
        (slot := claimed(member, sentence_of(project, 1))).pk,
        version=slot.version,
        client_key=uuid4(),
        answer=correction(),
    )
    held = claimed(member, sentence_of(project, 2))
    drafts.save_draft(member, held.pk, rev=0, payload={"texts": ["草稿"]})
    Member.objects.filter(pk=member.pk).update(status=status)
    member.refresh_from_db()
    before = Submission.objects.count(), Slot.objects.filter(state="submitted").count()
    acts = (
        lambda: submissions.submit(
            member, held.pk, version=held.version, client_key=uuid4(), answer=correction()
        ),
        lambda: submissions.reopen(member, done.slot_id),
    )
    for act in acts:
        with pytest.raises(NotAllowedError):
            act()
    assert (Submission.objects.count(), Slot.objects.filter(state="submitted").count()) == before
    assert claims.open_tasks(member) == ()
    assert Draft.objects.filter(person=member.person).exists(), "what was typed is kept"


@pytest.mark.parametrize(
    ("roles", "status"),
    [
        (("annotator",), "training"),
        (("annotator", "reviewer"), "training"),
        (("reviewer",), "active"),
        (("annotator", "manager"), "active"),
    ],
)
def test_rol_4_new_annotators_begin_in_training_where_a_trial_comes_first(site, roles, status):
    project = a_project(1, trial_first=True)
    _, secret = members.invite(project, roles=[Role(role) for role in roles], by=None)
    person = members.accept(secret, login="li", name="Li", password="correct horse battery")
    assert Member.objects.get(person=person).status == status
    somebody("wu")
    added = members.add_existing(project, "wu", roles=[Role(role) for role in roles], by=None)
    assert added.status == status


def test_rol_4_without_the_setting_new_annotators_are_active(site):
    project = a_project(1)
    somebody("wu")
    assert members.add_existing(project, "wu", roles=[Role.ANNOTATOR], by=None).status == "active"


def test_rol_4_who_has_passed_comes_back_active(site):
    project = practising(trial_size=2)
    member = candidate(project)
    finish_trial(member, 2)
    members.change_member(member, by=None, status=MemberStatus.LEFT)
    back = members.add_existing(project, "li", roles=[Role.ANNOTATOR], by=None)
    assert back.status == "active"


def test_rol_1_status_and_roles_are_of_one_project(site):
    """A candidate here works elsewhere."""
    project, other = practising(), a_project(2, slug="other")
    candidate(project)
    elsewhere = joined(other, "li")
    assert claims.current(elsewhere).slot is not None


# Nothing of it is real.


def poisoned(project, *, gold: bool = True) -> str:
    """Everybody has trained and tried, and handed in a gold task; the word stands in all of it."""
    known(project, Purpose.GOLD, 2)
    member = candidate(project)

    def answer(sentence: Sentence) -> Answer:
        return Answer(Decision.CORRECTED, (sentence.text.replace("句句", "毒句"),), note="毒")

    for sentence in Sentence.objects.filter(purpose=Purpose.TRAINING):
        training_answer(member, sentence.number, *answer(sentence).texts)
    trial = practice.begin(member)
    for task in trial.tasks.order_by("position"):
        practice.answer_task(member, task.pk, client_key=uuid4(), answer=answer(task.sentence))
    if gold:
        writer = joined(project, "wu")
        sentence = Sentence.objects.get(external_id="gold-1")
        submit_answer(writer, claimed(writer, sentence), answer(sentence))
    return "毒"


@pytest.mark.parametrize("name", list(formats_of("rewrite")))
def test_tri_5_and_inv_12_trial_training_and_gold_reach_no_export(site, name):
    project = practising(trial_size=2)
    golden = NewGolden(Decision.CORRECTED, ("我们去。",))
    add_sentences(project, [NewSentence("real", "我门去。", golden=golden)])
    word = poisoned(project)
    content = b"".join(
        b"".join(file.content) for file in export(project, ExportOptions(name))
    ).decode()
    for text in (word, "这是training", "这是trial", "这是gold"):
        assert text not in content


def test_inv_12_statistics_are_the_same_with_and_without_training_trial_and_gold(site):
    project = practising(trial_size=2)
    submit_answer(joined(project, "wu"), claimed(joined(project, "wu"), sentence_of(project, 1)))
    scored = refreshed(project)
    before, listed, chart = quality(project), people(project), chart_of(project, "volume")
    poisoned(project)
    assert refreshed(project) == scored
    after = quality(project)
    assert replace(after, gold=(), at=before.at, progress=before.progress) == before
    assert {person.name for person in people(project)} == {person.name for person in listed} | {
        "Li"
    }
    assert [annotator for annotator in people(project) if annotator.name != "Li"] == list(listed)
    assert chart_of(project, "volume") == chart


def refreshed(project) -> list[object]:
    """Scores, agreement and Table 4, computed again."""
    refresh(project)
    rows = Figures.objects.filter(project=project, kind__in=(SCORES, AGREEMENT, TABLE4))
    return list(rows.order_by("kind").values_list("data", flat=True))


def test_inv_13_training_and_trial_make_nothing_that_could_be_paid(site):
    """Pay is for submissions and reviews of real sentences: there are none."""
    poisoned(practising(trial_size=2), gold=False)
    assert not Submission.objects.exists()
    assert not Slot.objects.exclude(state="free").exists()


# Leads overrule.


def test_a_lead_overrules_with_a_reason_and_the_trial_is_judged_again(site):
    project = practising()
    boss = Member.objects.get(project=project, person__login="boss")
    member = candidate(project)
    trial = finish_trial(member, 17)
    wrong = practice.answers_of(trial)[17]
    with pytest.raises(RefusedError):
        practice.overrule(boss, wrong.pk, right=True, reason="  ")
    with pytest.raises(RefusedError):
        practice.overrule(boss, wrong.pk, right=False, reason="no change")
    practice.overrule(boss, wrong.pk, right=True, reason="as good")
    trial.refresh_from_db()
    member.refresh_from_db()
    assert (trial.accepted, trial.state, member.status) == (18, "passed", "active")
    row = Audit.objects.filter(what="trial.overruled").get()
    assert row.data == {"right": True, "reason": "as good", "trial": trial.pk}
    assert practice.answers_of(trial)[17].ruled is True
    assert not practice.answers_of(trial)[17].right, "the first judgement is kept"
    practice.overrule(boss, wrong.pk, right=False, reason="not after all")
    trial.refresh_from_db()
    member.refresh_from_db()
    assert (trial.state, member.status) == ("failed", "active"), "a lead changes the status"
    assert check() == ()


def test_a_candidate_is_told_what_leads_change_once_the_trial_is_over(site):
    project = practising(trial_size=3, trial_percent=60)
    boss = Member.objects.get(project=project, person__login="boss")
    member = candidate(project)
    trial = practice.begin(member)
    first = answered(member, right=True)
    practice.overrule(boss, first.pk, right=False, reason="no")
    notices = Notice.objects.filter(person=member.person).order_by("pk")
    assert not notices.exists(), "nothing is said of single answers before the end"
    answered(member, right=True)
    answered(member, right=False)
    for right in (True, False):
        practice.overrule(boss, first.pk, right=right, reason="look")
    kinds = [(notice.kind, notice.data["right"]) for notice in notices]
    assert kinds == [("my_trial_failed", 1), ("my_trial_passed", 2), ("my_trial_overruled", 1)]
    trial.refresh_from_db()
    assert trial.state == "failed"


@pytest.mark.parametrize(("before", "after"), [("training", "active"), ("active", "paused")])
def test_who_was_paused_as_a_candidate_becomes_active_by_a_ruling(site, before, after):
    project = practising(trial_size=1)
    boss = Member.objects.get(project=project, person__login="boss")
    member = candidate(project)
    wrong = practice.answers_of(finish_trial(member, 0))[0]
    for status in dict.fromkeys((before, "paused")):
        members.change_member(member, by=boss.person, status=MemberStatus(status))
    practice.overrule(boss, wrong.pk, right=True, reason="as good")
    member.refresh_from_db()
    assert member.status == after


def test_nobody_judges_their_own_answers(site):
    project = practising(trial_size=1)
    member = candidate(project)
    wrong = practice.answers_of(finish_trial(member, 0))[0]
    roles = (Role.ANNOTATOR, Role.MANAGER)
    members.change_member(member, by=None, roles=roles, status=MemberStatus.ACTIVE)
    with pytest.raises(RefusedError) as refused:
        practice.overrule(member, wrong.pk, right=True, reason="as good")
    assert refused.value.problems[0].code == "overrule-own"


@pytest.mark.parametrize("who", ["annotator", "reviewer"])
def test_only_managers_of_the_project_overrule(site, who):
    project = practising(trial_size=1)
    trial = finish_trial(candidate(project), 0)
    answer = practice.answers_of(trial)[0]
    with pytest.raises(WorkflowError):
        practice.overrule(joined(project, "x", who), answer.pk, right=True, reason="please")
    other = a_project(1, slug="other")
    foreign = Member.objects.get(project=other, person__login="boss")
    with pytest.raises(NotYoursError):
        practice.overrule(foreign, answer.pk, right=True, reason="please")


def test_the_check_finds_a_trial_counted_wrongly_and_a_submission_in_the_trial_set(site):
    project = practising(trial_size=2)
    trial = finish_trial(candidate(project), 1)
    Trial.objects.filter(pk=trial.pk).update(accepted=2)
    sentence = sentence_of(project, 1)
    submit_answer(joined(project, "wu"), claimed(joined(project, "wu"), sentence))
    Sentence.objects.filter(pk=sentence.pk).update(purpose=Purpose.TRIAL)
    assert {violation.invariant for violation in check()} == {"TRI-2", "INV-12"}


def test_one_trial_at_a_time_also_where_two_windows_begin_it(database):
    from server.workflow.races import together

    project = practising(trial_size=2, trial=40)
    member = candidate(project)
    together(
        4, lambda _: practice.begin(Member.objects.select_related("project").get(pk=member.pk))
    )
    assert Trial.objects.count() == 1
