"""Quality inspection: samples, two judges blind to each other, disagreements (JUD-1 to JUD-4)."""

from __future__ import annotations

from datetime import timedelta
from threading import Event
from time import sleep
from uuid import uuid4

import pytest
from django.db import transaction
from django.utils import timezone
from server.web.asking import Asking
from server.workflow.inspecting import JUDGES, REWRITING, TWO, begun, both, inspected, rated
from server.workflow.perturbing import a_perturbation, done_case
from server.workflow.races import together
from server.workflow.reviewing import GOOD, finalised, member_of, waiting
from server.workflow.stories import joined, sentence_of, submitted

from gecbench.server.models import (
    Audit,
    Message,
    Notice,
    Project,
    Rating,
    RatingAnswer,
    Reading,
    Resolution,
    SlotEvent,
)
from gecbench.server.workflow import checks, inspection, members
from gecbench.server.workflow.errors import (
    ConflictError,
    NotAllowedError,
    NotYoursError,
    RefusedError,
)
from gecbench.server.workflow.inspection import Criterion, load_items


def codes(refusal: pytest.ExceptionInfo[RefusedError]) -> list[str]:
    return [problem.code for problem in refusal.value.problems]


def test_jud_1_the_seed_is_recorded_and_draws_the_same_sample_again(site):
    project = inspected(20)
    first, again = begun(project, 8), begun(project, 8, name="again")
    other = begun(project, 8, name="other", seed=None)
    texts = [
        [item.reference.text for item in round_.items.order_by("position")]
        for round_ in (first, again, other)
    ]
    assert texts[0] == texts[1] != texts[2]
    assert len(set(texts[0])) == 8
    assert (first.seed, first.population, first.size) == (7, 20, 8)
    assert other.seed is not None
    assert Notice.objects.filter(kind="inspection_begun", person__login="jane").count() == 3
    assert Audit.objects.filter(what="inspection.begun").first().data["seed"] == 7
    assert checks.check() == ()


def test_nothing_is_rated_once_a_round_is_closed_whoever_races(database):
    project = inspected()
    drawn = begun(project)
    item = drawn.items.first()

    def act(n: int) -> object:
        if n:
            is_closing.wait(60)
            return rated(project, "jane", item)
        with transaction.atomic():
            closed = inspection.close(member_of(project, "boss"), drawn.pk)
            is_closing.set()
            sleep(0.5)
        return closed

    is_closing = Event()
    assert isinstance(together(2, act)[1], ConflictError)
    assert not Rating.objects.exists()


def test_jud_1_nobody_judges_what_they_annotated_or_reviewed(site):
    project = waiting(texts=1)
    finalised(project, [GOOD])
    for login in ("a1", "rita", "jane", "john"):
        joined(project, login, "judge", "reviewer")
    people = {login: member_of(project, login) for login in ("a1", "rita", "jane", "john")}
    for worker in ("a1", "rita"):
        assert not inspection.candidates(project, [people[worker]]).exists()
    assert inspection.candidates(project, [people["jane"], people["john"]]).count() == 1
    with pytest.raises(RefusedError) as refusal:
        begun(project, 1, judges=[people["a1"].pk, people["jane"].pk])
    assert codes(refusal) == ["inspection-empty"]


def test_jud_1_the_judges_are_blind_until_both_have_rated(site):
    project = inspected()
    item = begun(project).items.get(position=1)
    jane, john = (member_of(project, login) for login in JUDGES)
    rated(project, "jane", item, True, False, note="odd")
    for member in (john, member_of(project, "boss")):
        if member is john:
            view = inspection.view_item(member, item.pk)
            assert (view.result.settled, view.mine, view.result.ratings) == (False, None, ())
        else:
            with pytest.raises(NotYoursError):
                inspection.view_item(member, item.pk)
    for refused in (
        lambda: inspection.add_message(jane, item.pk, text="why?", client_key=uuid4()),
        lambda: inspection.resolve(jane, item.pk, criterion="meaning", accept=True),
    ):
        with pytest.raises(NotYoursError):
            refused()
    assert inspection.waiting(john.person_id, project) == inspection.Waiting(4, 0)
    rated(project, "john", item, True, True)
    view = inspection.view_item(john, item.pk)
    assert view.result.decisions == {"grammaticality": (True, True), "meaning": (False, True)}
    assert view.result.ratings[0].note == "odd"
    assert inspection.view_item(member_of(project, "boss"), item.pk).judge is None
    assert Reading.objects.filter(person=john.person, sentence=item.sentence).exists()


def test_jud_1_a_rating_can_be_taken_back_and_shows_nothing_before_that_is_over(site, monkeypatch):
    project = inspected(undo_seconds=60)
    item = begun(project).items.get(position=1)
    jane, john = (member_of(project, login) for login in JUDGES)
    both(project, item, (True, True), (True, False))
    (state,) = load_items(item.round, item.pk)
    assert not state.settled
    assert inspection.waiting(jane.person_id, project).disagreements == 0
    assert inspection.last_rating(john).item_id == item.pk
    inspection.undo(john, item.pk)
    assert inspection.last_rating(john) is None
    assert inspection.next_item(john) == item
    later = timezone.now() + timedelta(minutes=5)
    monkeypatch.setattr(timezone, "now", lambda: later)
    assert not load_items(item.round, item.pk)[0].settled
    inspection.undo(jane, item.pk)  # as long as the other has not rated there is time
    rated(project, "jane", item, True, True)
    rated(project, "john", item, False, False)
    monkeypatch.setattr(timezone, "now", lambda: later + timedelta(seconds=61))
    assert load_items(item.round, item.pk)[0].differing == ("grammaticality", "meaning")
    assert inspection.waiting(jane.person_id, project) == inspection.Waiting(3, 1)
    Project.objects.update(options={"undo_seconds": 600})
    with pytest.raises(ConflictError):
        inspection.undo(john, item.pk)
    assert Rating.objects.filter(item=item, judge__member=john).count() == 3
    assert checks.check() == ()


def test_jud_3_disagreements_are_discussed_and_resolved_and_first_ratings_stay(site):
    project = inspected()
    inspection_round = begun(project)
    items = list(inspection_round.items.order_by("position"))
    both(project, items[0], (True, True), (True, True))
    both(project, items[1], (False, True), (True, False))
    jane, john = (member_of(project, login) for login in JUDGES)
    assert [result.item.pk for result in load_items(inspection_round) if result.differing] == [
        items[1].pk
    ]
    key = uuid4()
    for _ in range(2):  # INV-9
        inspection.add_message(jane, items[1].pk, text="“了” is missing", client_key=key)
    assert Message.objects.get().item == items[1]
    before = list(Rating.objects.values())
    inspection.resolve(john, items[1].pk, criterion="grammaticality", accept=False, note="agreed")
    inspection.resolve(jane, items[1].pk, criterion="meaning", accept=False)
    inspection.resolve(jane, items[1].pk, criterion="meaning", accept=True)
    assert list(Rating.objects.values()) == before
    state = load_items(inspection_round, items[1].pk)[0]
    assert state.unresolved == ()
    assert {key: resolution.accept for key, resolution in state.resolutions.items()} == {
        "grammaticality": False,
        "meaning": True,
    }
    assert Resolution.objects.count() == 3
    with pytest.raises(RefusedError) as refusal:
        inspection.resolve(jane, items[0].pk, criterion="meaning", accept=True)
    assert codes(refusal) == ["JUD-3"]
    assert inspection.waiting(jane.person_id, project) == inspection.Waiting(2, 0)
    assert checks.check() == ()


def test_jud_3_a_message_is_told_to_those_who_talk_about_the_item_once(site):
    project = inspected()
    drawn = begun(project)
    item = drawn.items.get(position=2)
    rated(project, "jane", item, True, True)
    jane, john, boss = (member_of(project, login) for login in (*JUDGES, "boss"))
    notices = Notice.objects.filter(kind="inspection_message").order_by("pk")
    with pytest.raises(NotYoursError):
        inspection.add_message(jane, item.pk, text="odd", client_key=uuid4())
    assert not notices.exists(), "before both have rated nothing is told"
    rated(project, "john", item, False, True)
    key = uuid4()
    for _ in range(2):  # INV-9
        inspection.add_message(jane, item.pk, text="odd", client_key=key)
    assert [notice.person for notice in notices] == [john.person]
    assert notices.get().data == {"item": item.pk, "number": 2, "name": drawn.name}
    notices.delete()
    inspection.add_message(boss, item.pk, text="why?", client_key=uuid4())
    assert {notice.person for notice in notices} == {jane.person, john.person}
    notices.delete()
    inspection.add_message(john, item.pk, text="see 3.2", client_key=uuid4())
    assert {notice.person for notice in notices} == {jane.person, boss.person}


def test_jud_4_criteria_are_what_the_manager_makes_them(site):
    project = inspected()
    tone = Criterion("tone", "Is the tone kept?", "")
    inspection_round = begun(project, 1, criteria=[*REWRITING, tone])
    assert inspection.criteria_of(inspection_round)[-1] == tone
    item = inspection_round.items.get()
    rated(project, "jane", item, True, True, False, False)
    john = member_of(project, "john")
    with pytest.raises(RefusedError) as refusal:
        inspection.rate(john, item.pk, client_key=uuid4(), answers={"tone": True})
    assert [problem.field for problem in refusal.value.problems] == [
        criterion.key for criterion in REWRITING
    ]


def test_jud_1_variants_of_a_perturbation_project_are_inspected_by_their_own_criteria(site):
    project = a_perturbation(undo_seconds=0)
    case = done_case(project)
    for login in (*JUDGES, "p1", "rita"):
        joined(project, login, "judge", "reviewer")
    assert not inspection.candidates(project, [member_of(project, "p1")]).exists()
    assert not inspection.candidates(project, [member_of(project, "rita")]).exists()
    criteria = inspection.CRITERIA[project.kind]
    assert [criterion.key for criterion in criteria] == ["correctness", "faithfulness"]
    inspection_round = begun(project, 2, criteria=criteria)
    items = list(inspection_round.items.all())
    assert {item.variant.position for item in items} == {1, 2}
    assert {item.sentence_id for item in items} == {case.pk}
    assert items[0].source != case.text
    assert items[0].target == items[0].variant.target
    both(project, items[0], (True, False), (True, True))
    assert load_items(inspection_round, items[0].pk)[0].unresolved == ("faithfulness",)
    page = Asking(member_of(project, "jane")).html("/p/perturb/judge")
    assert "In another context" in page
    assert checks.check() == ()


def test_jud_1_another_judge_rates_what_the_one_before_has_not(database):
    """Ratings that stand stay, and the new one is as blind as any judge."""
    project = inspected()
    inspection_round = begun(project)
    first, second, third, fourth = inspection_round.items.order_by("position")
    rated(project, "jane", first, True, False)
    both(project, second, (True, True), (True, False))
    rated(project, "jane", third)
    inspection.undo(member_of(project, "jane"), third.pk)
    members.change_member(member_of(project, "jane"), by=None, status="left")
    boss, mary = member_of(project, "boss"), joined(project, "mary", "judge")
    inspection.replace_judge(boss, inspection_round.pk, no=1, successor=mary.pk)
    assert Notice.objects.get(person=mary.person).data["size"] == 2
    assert inspection.next_item(mary) == third
    with pytest.raises(NotYoursError):
        inspection.view_item(mary, first.pk)  # Jane has rated it, John has not
    view = inspection.view_item(mary, second.pk)
    assert (view.result.differing, view.mine) == (("meaning",), None)
    inspection.resolve(mary, second.pk, criterion="meaning", accept=True)
    assert inspection.view_item(mary, third.pk).previous is None
    rated(project, "mary", third, True, True)
    rated(project, "john", third, False, True)
    rated(project, "mary", fourth)
    rated(project, "john", first, True, False)
    assert inspection.next_item(mary) is None
    assert [done for _, done in inspection.count_ratings(inspection_round)] == [4, 3]
    raters = [
        [rating.judge.member.person.login for rating in result.ratings]
        for result in load_items(inspection_round)
    ]
    assert raters == [["jane", "john"], ["jane", "john"], ["mary", "john"], []]
    assert Audit.objects.get(what="inspection.replaced").data["no"] == 1
    assert checks.check() == ()


def test_who_was_replaced_is_no_judge_of_the_round_any_more(site):
    project = inspected(undo_seconds=60)
    inspection_round = begun(project)
    item = inspection_round.items.get(position=1)
    rated(project, "jane", item)
    boss, mary = member_of(project, "boss"), joined(project, "mary", "judge")
    for wrong in (member_of(project, "john").pk, joined(project, "al").pk, 0):
        with pytest.raises(RefusedError) as refusal:
            inspection.replace_judge(boss, inspection_round.pk, no=1, successor=wrong)
        assert codes(refusal) == ["inspection-successor"]
    with pytest.raises(NotYoursError):
        inspection.replace_judge(boss, inspection_round.pk, no=3, successor=mary.pk)
    inspection.replace_judge(boss, inspection_round.pk, no=1, successor=mary.pk)
    jane = member_of(project, "jane")
    assert (inspection.next_item(jane), inspection.last_rating(jane)) == (None, None)
    assert inspection.rounds_of(jane) == ()
    for act in (inspection.view_item, inspection.undo):
        with pytest.raises(NotYoursError):
            act(jane, item.pk)
    with pytest.raises(RefusedError):
        inspection.replace_judge(boss, inspection_round.pk, no=2, successor=jane.pk)
    inspection.close(boss, inspection_round.pk)
    with pytest.raises(ConflictError):
        inspection.replace_judge(boss, inspection_round.pk, no=2, successor=mary.pk)


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"name": " "}, "inspection-name"),
        ({"size": 0}, "inspection-size"),
        ({"size": 7}, "inspection-size"),
        ({"judges": []}, "inspection-judges"),
        ({"criteria": ()}, "inspection-criteria"),
        ({"criteria": [*TWO, TWO[0]]}, "inspection-key"),
        ({"criteria": [Criterion("a b", "?", "")]}, "inspection-key"),
        ({"criteria": [Criterion("a", "", "")]}, "inspection-question"),
    ],
)
def test_a_round_that_cannot_be_says_what_is_wrong(site, changed, code):
    project = inspected()
    with pytest.raises(RefusedError) as refusal:
        begun(project, **changed)
    assert code in codes(refusal)


def test_a_name_is_used_once(site):
    project = inspected()
    begun(project)
    with pytest.raises(RefusedError) as refusal:
        begun(project)
    assert codes(refusal) == ["inspection-name-taken"]


def test_one_key_is_one_rating_and_a_second_one_is_refused(site):
    project = inspected()
    item = begun(project).items.get(position=1)
    jane, key = member_of(project, "jane"), uuid4()
    answers = {"grammaticality": True, "meaning": True}
    ratings = {inspection.rate(jane, item.pk, client_key=key, answers=answers).pk for _ in range(2)}
    assert len(ratings) == 1
    with pytest.raises(ConflictError):
        inspection.rate(jane, item.pk, client_key=uuid4(), answers=answers)
    with pytest.raises(ConflictError):
        inspection.rate(member_of(project, "john"), item.pk, client_key=key, answers=answers)


def test_a_judge_rates_only_items_of_their_own_rounds(site):
    project = inspected()
    item = begun(project).items.get(position=1)
    third = joined(project, "third", "judge")
    with pytest.raises(NotYoursError):
        inspection.view_item(third, item.pk)
    with pytest.raises(NotYoursError):
        rated(project, "third", item)
    with pytest.raises(NotAllowedError):
        rated(project, "boss", item)
    assert inspection.next_item(third) is None


def test_jud_1_the_check_finds_what_may_not_be(site):
    project = inspected()
    inspection_round = begun(project)
    first, second, third = inspection_round.items.filter(position__lte=3)
    rated(project, "jane", first)
    jane, john = (inspection_round.judges.get(no=no) for no in (1, 2))
    Rating.objects.create(item=second, judge=jane, no=1, client_key=uuid4())
    Resolution.objects.create(
        item=first, criterion="meaning", accept=True, by=member_of(project, "john").person
    )
    later = timezone.now() + timedelta(minutes=5)
    submitted(joined(project, "john"), sentence_of(project, 1))
    slot = SlotEvent.objects.filter(person__login="john").first().slot
    SlotEvent.objects.create(
        slot=slot, sentence=third.sentence, person=john.member.person, kind="claim"
    )
    rating = Rating.objects.create(item=third, judge=john, no=1, client_key=uuid4(), at=later)
    for key in ("grammaticality", "meaning"):
        RatingAnswer.objects.create(rating=rating, criterion=key, accept=True)
    violations = [
        violation for violation in checks.check() if violation.invariant.startswith("JUD")
    ]
    assert {(violation.invariant, violation.where) for violation in violations} == {
        ("JUD-1", f"story #{second.sentence.number}"),
        ("JUD-1", f"story #{third.sentence.number}"),
        ("JUD-3", f"story #{first.sentence.number}"),
    }


def test_a_closed_round_stays_as_it_is(site):
    project = inspected(undo_seconds=60)
    inspection_round = begun(project)
    first, second = inspection_round.items.filter(position__lte=2)
    both(project, first, (True, True), (True, False))
    rated(project, "jane", second)
    inspection.close(member_of(project, "boss"), inspection_round.pk)
    with pytest.raises(ConflictError):
        rated(project, "john", second)
    with pytest.raises(ConflictError):
        inspection.resolve(member_of(project, "jane"), first.pk, criterion="meaning", accept=True)
    with pytest.raises(ConflictError):
        inspection.close(member_of(project, "boss"), inspection_round.pk)
    closed = inspection.get_round(project, inspection_round.pk)
    assert [result.settled for result in load_items(closed)] == [True, False, False, False]
    assert inspection.waiting(member_of(project, "john").person_id, project) == (
        inspection.Waiting(0, 0)
    )
    assert checks.check() == ()
