"""Perturbation: errors stay, contexts differ, each variant is checked (PER-1 to PER-9)."""

from __future__ import annotations

from threading import Barrier
from types import SimpleNamespace
from uuid import uuid4

import pytest
from django.conf import settings
from django.db import connection
from server.remembering import remembered
from server.workflow.perturbing import (
    CHINESE,
    a_perturbation,
    accept,
    checked,
    done_case,
    edit,
    gaps_of,
    give_back,
    perturbed,
    reviewer,
    submit_variant,
    waiting_case,
)
from server.workflow.races import together
from server.workflow.stories import claimed, expired, joined, sentence_of, somebody

from gecbench.api import training_data
from gecbench.api.verb_options import PerturbOptions
from gecbench.server.choices import Role
from gecbench.server.import_export import personal_data
from gecbench.server.models import (
    Draft,
    DraftRevision,
    Golden,
    GoldenVariant,
    Member,
    Project,
    Proposal,
    Slot,
    Submission,
    Variant,
    VariantCheck,
)
from gecbench.server.workflow import (
    claims,
    drafts,
    management,
    perturbation,
    projects,
    review_tasks,
    reviews,
    submissions,
    variant_checks,
)
from gecbench.server.workflow.answers import Answer, CaseAnswer, ReviewAnswer
from gecbench.server.workflow.checks import check
from gecbench.server.workflow.errors import (
    ConflictError,
    NotYoursError,
    RefusedError,
    UnavailableError,
    WorkflowError,
)
from gecbench.server.workflow.perturbation import make_proposals, task_of


def codes(refused: pytest.ExceptionInfo[RefusedError]) -> list[tuple[str, str]]:
    return [(problem.code, problem.field) for problem in refused.value.problems]


# What a case is, and what becomes of its gaps.


def test_per_1_a_case_has_its_errors_by_the_scheme(site):
    sentence = sentence_of(a_perturbation(), 3)
    assert [(chip["source"], chip["target"], chip["type"]) for chip in sentence.case.chips] == [
        ("门", "们", "S"),
        ("帅", "师", "S"),
    ]
    assert len(sentence.case.gaps) == 3
    assert sentence_of(a_perturbation(slug="b"), 2).case.chips == []


def test_per_1_english_errors_are_errants(site):
    project = a_perturbation([("He go home .", "He goes home .")], lang="en", annotators=5)
    assert sentence_of(project).case.chips == [
        {"source": "go", "target": "goes", "type": "R:VERB:SVA", "start": 1, "end": 2}
    ]


def test_per_2_gaps_are_all_that_somebody_sends(site):
    project = a_perturbation()
    member, sentence = joined(project, "li"), sentence_of(project)
    slot = claimed(member, sentence)
    task = task_of(slot)
    assert (task.gaps, [chip.source for chip in task.chips]) == (
        ("我", "昨天去学校看老师。"),
        ["门"],
    )
    assert (task.proposal, task.returned) == (None, None)
    for gaps in ((), ("我",), ("我", "今天去学校", "。")):
        with pytest.raises(RefusedError) as refused:
            submit_variant(member, slot, *gaps)
        assert codes(refused) == [("PER-2", "")]
    assert not Submission.objects.exists()


def test_per_3_source_and_target_are_derived_of_the_gaps(site):
    project = a_perturbation()
    done = perturbed(joined(project, "li"), sentence_of(project), "今\u200b天")
    variant = done.variant
    assert variant.gaps == ["我", "今天去学校看老师。"]
    assert (variant.source, variant.target) == ("我门今天去学校看老师。", "我们今天去学校看老师。")
    assert (variant.position, variant.origin, variant.moved) == (1, "person", [])
    assert not done.references.exists()
    assert drafts.payload_of_submission(done)["texts"] == variant.gaps
    assert check() == ()


def test_per_4_a_moved_error_is_named_and_blocks(site):
    project = a_perturbation()
    member, sentence = joined(project, "li"), sentence_of(project, 3)
    slot = claimed(member, sentence)
    with pytest.raises(RefusedError) as refused:
        submit_variant(member, slot, "我", "", "。")
    assert codes(refused) == [("PER-4", "chip-1"), ("PER-4", "chip-2"), ("PER-4", "")]
    moved = [problem.values for problem in refused.value.problems]
    assert [(move["error"], move["source"], move["target"]) for move in moved] == [
        (1, "门", "们"),
        (2, "帅", "师"),
        (0, "门帅", "们师"),
    ]
    assert not Variant.objects.exists()
    assert submit_variant(member, slot, "我", "昨天看老", "。").variant.moved == []


def test_per_4_a_reviewer_may_allow_it(site):
    project = a_perturbation(CHINESE[2:], annotators=1)
    member, sentence = joined(project, "li"), sentence_of(project)
    slot, gaps = claimed(member, sentence), ("我", "", "。")
    with pytest.raises(RefusedError) as refused:
        submit_variant(member, slot, *gaps, ask_reviewer=True)
    assert codes(refused) == [("PER-4-note", "note")]
    submit_variant(member, slot, *gaps, ask_reviewer=True, note="口语里这样说")
    rita = reviewer(project)
    with pytest.raises(RefusedError) as refused:
        checked(rita, accept(1))
    assert codes(refused) == [("PER-4-allow", "check-1")]
    result = checked(rita, accept(1, allow_moved=True))
    assert result.golden is not None
    assert VariantCheck.objects.get().allows_moved
    assert check() == ()


def test_per_5_not_the_original_whatever_its_white_space(site):
    project = a_perturbation()
    member, sentence = joined(project, "li"), sentence_of(project)
    slot = claimed(member, sentence)
    for gaps in (sentence.case.gaps, ("我", "昨天 去学校 看老师。")):
        with pytest.raises(RefusedError) as refused:
            submit_variant(member, slot, *gaps)
        assert codes(refused) == [("PER-5-original", "")]


def test_per_5_not_the_variant_of_another_and_nothing_of_it_is_told(site):
    project = a_perturbation(annotators=3)
    sentence = sentence_of(project)
    perturbed(joined(project, "li"), sentence, "今天")
    wang = joined(project, "wang")
    slot = claimed(wang, sentence)
    with pytest.raises(RefusedError) as refused:
        submit_variant(wang, slot, *gaps_of(sentence, "今 天"))
    assert codes(refused) == [("PER-5-taken", "")]
    assert "今天" not in str(refused.value)
    assert DraftRevision.objects.filter(person=wang.person).exists(), "what was refused is kept"
    assert submit_variant(wang, slot, *gaps_of(sentence, "前天")).variant.position == 2


def test_per_5_equal_variants_at_once_are_one(database):
    project = a_perturbation()
    sentence = sentence_of(project)
    members = [joined(project, login) for login in ("li", "wang")]
    slots = [claimed(member, sentence) for member in members]
    gaps = gaps_of(sentence, "今天")
    outcomes = together(2, lambda n: submit_variant(members[n], slots[n], *gaps))
    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["RefusedError", "Submission"]
    assert Variant.objects.count() == 1
    assert check() == ()


def test_a_variant_is_taken_back_or_checked_whoever_races(database):
    project = a_perturbation()
    sentence, rita = waiting_case(project), reviewer(project)
    author = Member.objects.get(project=project, person__login="p1")
    slot = Slot.objects.get(sentence=sentence, no=1)
    acts = (
        lambda: submissions.reopen(author, slot.pk),
        lambda: checked(rita, accept(1), accept(2)),
    )
    outcomes = together(2, lambda n: acts[n]())
    assert sum(isinstance(outcome, Exception) for outcome in outcomes) == 1
    assert sentence_of(project).state in ("annotating", "golden")
    assert check() == ()


def test_per_5_a_variant_that_was_taken_back_is_free_for_nobody_but_its_author(site):
    project = a_perturbation(annotators=3)
    sentence, li = sentence_of(project), joined(project, "li")
    first = perturbed(li, sentence, "今天")
    slot = submissions.reopen(li, first.slot_id)
    submit_variant(li, slot, *gaps_of(sentence, "刚才"))
    perturbed(joined(project, "wang"), sentence, "今天")
    assert check() == ()


def test_per_6_what_is_too_much_is_a_warning(site):
    project = a_perturbation(perturb_edits=1, perturb_percent=20)
    sentence, li = sentence_of(project), joined(project, "li")
    prepared = submissions.prepare(
        sentence,
        Answer("corrected", ("他", "明天去公园看妈妈。")),  # 4 changes
    )
    warned = {problem.code: dict(problem.values) for problem in prepared.problems}
    assert set(warned) == {"PER-6-edits", "PER-6-tokens"}
    assert not any(problem.blocking for problem in prepared.problems)
    variant = submit_variant(li, claimed(li, sentence), "他", "明天去公园看妈妈。").variant
    assert warned["PER-6-edits"] == {"found": variant.edits, "most": 1}
    assert (variant.changed, variant.tokens) == (6, 11)


def test_per_8_n_distinct_people_write_one_variant_each(site):
    project = a_perturbation(annotators=5)
    sentence = waiting_case(project)
    assert sentence.state == "review_ready"
    variants = Variant.objects.filter(sentence=sentence).order_by("position")
    assert [variant.position for variant in variants] == [1, 2, 3, 4, 5]
    assert variants.values("submission__person").distinct().count() == 5
    li = joined(project, "li")
    assert claims.current(li).slot.sentence_id != sentence.pk
    assert check() == ()


def test_per_8_an_error_free_original_has_error_free_variants(site):
    project = a_perturbation()
    variant = perturbed(joined(project, "li"), sentence_of(project, 2), "后天").variant
    assert variant.source == variant.target == "他后天去公园玩。"


# Each variant is checked.


def test_per_9_each_variant_is_accepted_edited_or_returned(site):
    project = a_perturbation(annotators=3)
    sentence = waiting_case(project)
    rita = reviewer(project)
    better = ("我", "刚刚去学校看老师。")
    result = checked(rita, accept(1), edit(2, *better), give_back(3, "unnatural", note="没人说"))
    assert (result.golden, result.returned) == (None, 1)
    sentence = sentence_of(project)
    assert (sentence.state, sentence.submitted) == ("annotating", 2)
    states = Slot.objects.filter(sentence=sentence).order_by("no").values_list("state", flat=True)
    assert list(states) == ["passed", "passed", "open"]
    author = Member.objects.get(project=project, person__login="p3")
    slot = claims.current(author).slot
    returned = task_of(slot).returned
    assert (slot.no, returned.reasons, returned.note) == (3, ("unnatural",), "没人说")
    assert check() == ()
    submit_variant(author, slot, *gaps_of(sentence, "昨晚"))
    assert task_of(Slot.objects.get(pk=slot.pk)).returned is None
    assert len(variant_checks.variants_to_check(sentence)) == 1
    golden = checked(rita, accept(3)).golden
    entries = GoldenVariant.objects.filter(golden=golden).select_related("variant")
    assert [(entry.position, entry.variant.source, entry.variant.origin) for entry in entries] == [
        (1, "我门今天去学校看老师。", "person"),
        (2, "我门刚刚去学校看老师。", "reviewer"),
        (3, "我门昨晚去学校看老师。", "person"),
    ]
    assert sentence_of(project).state == "golden"
    assert check() == ()


@pytest.mark.parametrize(
    ("checks", "code", "field"),
    [
        ([accept(1)], "PER-9", "check-2"),
        ([accept(1), accept(2), accept(3)], "PER-9", "check-3"),
        ([accept(1), give_back(2, "nonsense")], "PER-9-reason", "reason-2"),
        ([accept(1), give_back(2, "other")], "PER-9-reason", "reason-2"),
        ([accept(1), edit(2, "我", "前天去学校看老师。")], "PER-9", "check-2"),
        ([accept(1), edit(2, "我", "今天去学校看老师。")], "PER-5-taken", "check-2"),
        ([accept(1), edit(2, "我", "昨天去学校看老师。")], "PER-5-original", "check-2"),
        ([edit(1, "我", "刚才去。"), edit(2, "我", "刚才去。")], "PER-5-taken", "check-1"),
    ],
)
def test_per_9_what_a_reviewer_leaves_open_or_makes_wrong_is_refused(site, checks, code, field):
    project = a_perturbation()
    waiting_case(project)
    rita = reviewer(project)
    with pytest.raises(RefusedError) as refused:
        checked(rita, *checks)
    assert (code, field) in codes(refused)
    assert not VariantCheck.objects.exists()
    assert DraftRevision.objects.filter(task__isnull=False).exists(), "it is kept"
    assert check() == ()


def test_errors_of_an_edit_are_found_before_anybody_waits_for_the_database(site, monkeypatch):
    project = a_perturbation()
    waiting_case(project)
    seen = []

    def divide(*arguments):
        seen.append(connection.in_atomic_block)
        return find_errors(*arguments)

    find_errors = perturbation._divide
    monkeypatch.setattr(perturbation, "_divide", divide)
    checked(reviewer(project), accept(1), edit(2, "我", "刚才去学校看老师。"))
    assert seen == [False]


def test_each_scheme_is_loaded_once_and_again_after_many_uses(monkeypatch):
    loads = []

    def load(name, _lang, **_options):
        loads.append(name)
        return len(loads)

    monkeypatch.setattr(perturbation, "_aligners", {})
    monkeypatch.setattr(perturbation, "load_aligner", load)
    monkeypatch.setattr(perturbation, "_RELOADED_AFTER", 3)
    names = ("zh-cherrant", "zh-char", "en-errant")
    assert [perturbation._aligner(name, "") for name in names * 3] == [1, 2, 3] * 3
    assert perturbation._aligner("zh-char", "") == 4
    assert loads == [*names, "zh-char"]


def test_inv_10_what_no_server_can_compare_is_kept(site, monkeypatch):
    def fail(*_arguments):
        raise UnavailableError("out of order")

    project = a_perturbation()
    waiting_case(project)
    monkeypatch.setattr(perturbation, "_divide", fail)
    with pytest.raises(UnavailableError):
        checked(reviewer(project), accept(1), edit(2, "我", "刚才去学校看老师。"))
    assert DraftRevision.objects.filter(task__isnull=False).exists()
    assert sentence_of(project).state == "in_review"


def test_per_9_a_check_can_be_undone_while_nobody_went_on(site):
    project = a_perturbation()
    sentence, rita = waiting_case(project), reviewer(project)
    checked(rita, accept(1), give_back(2))
    task = variant_checks.undo(rita, sentence.pk)
    draft = Draft.objects.get(task=task)
    assert [row["decision"] for row in draft.payload["checks"]] == ["accepted", "returned"]
    assert sentence_of(project).state == "in_review"
    assert check() == ()
    done = checked(rita, accept(1), accept(2))
    assert done.golden is not None
    variant_checks.undo(rita, sentence.pk)
    assert sentence_of(project).golden is None
    assert check() == ()
    assert checked(rita, accept(1), accept(2)).golden.version == 2
    assert check() == ()


def test_per_9_a_check_stays_once_the_author_went_on(site):
    project = a_perturbation()
    sentence, rita = waiting_case(project), reviewer(project)
    checked(rita, accept(1), give_back(2))
    author = Member.objects.get(project=project, person__login="p2")
    slot = claims.current(author).slot
    draft = drafts.get_draft(author, slot.pk)
    drafts.save_draft(author, slot.pk, rev=draft.rev, payload={"texts": ["我", "再去。"]})
    with pytest.raises(ConflictError):
        variant_checks.undo(rita, sentence.pk)


def test_per_9_a_check_stays_once_the_project_wants_more_variants(site):
    project = a_perturbation()
    sentence, rita = waiting_case(project), reviewer(project)
    checked(rita, accept(1), give_back(2))
    projects.change_project(project, by=somebody("boss"), annotators=3)
    with pytest.raises(ConflictError):
        variant_checks.undo(rita, sentence.pk)
    assert sentence_of(project).state == "annotating"
    assert check() == ()


def test_one_case_never_gets_more_variants_than_the_others(site):
    project = a_perturbation()
    sentence = waiting_case(project)
    boss = Member.objects.get(project=project, person__login="boss")
    with pytest.raises(NotYoursError):
        management.raise_needed(boss, sentence.pk, more=1)
    assert (sentence_of(project).state, sentence_of(project).needed) == ("review_ready", 2)


def test_per_9_one_key_is_one_check(site):
    project = a_perturbation()
    sentence, rita = waiting_case(project), reviewer(project)
    task, key = reviews.current_review(rita).task, uuid4()
    words = {
        "version": task.version,
        "client_key": key,
        "answer": CaseAnswer((accept(1), accept(2))),
    }
    first = variant_checks.finalise(rita, sentence.pk, **words)
    again = variant_checks.finalise(rita, sentence.pk, **words)
    assert (again.review, again.golden, again.answered_before) == (first.review, first.golden, True)
    assert Golden.objects.count() == 1


def test_a_note_on_a_check_is_kept_whole_or_refused(site):
    project = a_perturbation()
    sentence, rita = waiting_case(project), reviewer(project)
    task = reviews.current_review(rita).task
    words = {"version": task.version, "client_key": uuid4()}
    longest = "长" * 10_000
    with pytest.raises(RefusedError) as caught:
        variant_checks.finalise(
            rita, sentence.pk, **words, answer=CaseAnswer((accept(1), accept(2)), longest + "了")
        )
    assert [(p.code, p.field) for p in caught.value.problems] == [("note-too-long", "note")]
    done = variant_checks.finalise(
        rita, sentence.pk, **words, answer=CaseAnswer((accept(1), accept(2)), longest)
    )
    assert done.review.note == longest


def test_a_returned_variant_comes_on_top_of_the_open_task(site):
    project = a_perturbation()
    waiting_case(project)
    author = Member.objects.get(project=project, person__login="p1")
    second = claims.current(author).slot
    assert second is not None
    checked(reviewer(project), give_back(1), accept(2))
    assert [slot.no for slot in claims.open_tasks(author)] == [1, second.no]
    assert claims.current(author).slot.sentence.number == 1
    assert check() == ()


def test_a_returned_variant_of_somebody_who_left_is_a_free_place(site):
    project = a_perturbation()
    sentence = waiting_case(project)
    Member.objects.filter(person__login="p1").update(status="left")
    checked(reviewer(project), give_back(1), accept(2))
    assert Slot.objects.get(sentence=sentence, no=1).state == "free"
    assert check() == ()
    perturbed(joined(project, "new"), sentence_of(project), "昨晚")
    assert sentence_of(project).state == "review_ready"


def test_a_returned_variant_does_not_expire_with_the_usual_lease(site):
    project = a_perturbation()
    sentence = waiting_case(project)
    checked(reviewer(project), give_back(1), accept(2))
    expired(project)
    assert Slot.objects.get(sentence=sentence, no=1).state == "open"
    for _ in range(8):
        expired(project)
    slot = Slot.objects.get(sentence=sentence, no=1)
    assert slot.state == "free", "it does not stand again: it was returned"
    author = Member.objects.get(project=project, person__login="p1")
    assert drafts.get_draft(author, slot.pk).payload["texts"] == ["我", "今天去学校看老师。"]
    assert check() == ()


# Cases that are done are opened again.


def test_a_case_that_is_done_is_made_again_at_some_places(site):
    project = a_perturbation()
    sentence = done_case(project)
    boss = Member.objects.get(project=project, person__login="boss")
    (slot,) = variant_checks.reopen(boss, sentence.pk, positions=[2], note="重复")
    assert (slot.state, sentence_of(project).state) == ("open", "annotating")
    assert check() == ()
    author = Member.objects.get(project=project, person__login="p2")
    assert task_of(claims.current(author).slot).returned.note == "重复"
    submit_variant(author, claims.current(author).slot, *gaps_of(sentence, "昨晚"))
    golden = checked(reviewer(project), accept(2)).golden
    assert golden.version == 2
    sources = golden.variants.values_list("variant__source", flat=True)
    assert list(sources) == ["我门今天去学校看老师。", "我门昨晚去学校看老师。"]
    assert check() == ()


@pytest.mark.parametrize("positions", [[], [3], [0]])
def test_only_places_that_there_are_are_opened_again(site, positions):
    project = a_perturbation()
    sentence = done_case(project)
    boss = Member.objects.get(project=project, person__login="boss")
    with pytest.raises(RefusedError):
        variant_checks.reopen(boss, sentence.pk, positions=positions, note="x")


def test_what_a_kind_of_project_does_not_have_is_refused(site):
    project = a_perturbation()
    sentence, rita = waiting_case(project), reviewer(project)
    task = reviews.current_review(rita).task
    boss = Member.objects.get(project=project, person__login="boss")
    words = {"version": task.version, "client_key": uuid4()}
    for act in (
        lambda: reviews.finalise(rita, sentence.pk, answer=ReviewAnswer("corrected", {}), **words),
        lambda: reviews.undo(rita, sentence.pk),
        lambda: review_tasks.return_for_more(rita, sentence.pk, version=task.version, more=1),
        lambda: management.reopen_sentence(boss, sentence.pk, reason="x"),
    ):
        with pytest.raises(NotYoursError):
            act()


# Invariants.


def test_inv_1_and_2_nobody_has_two_places_of_a_case(site):
    project = a_perturbation(CHINESE[:1], annotators=3)
    sentence, li = sentence_of(project), joined(project, "li")
    perturbed(li, sentence, "今天")
    assert claims.current(li).slot is None
    assert Slot.objects.filter(sentence=sentence).count() == 3


def test_inv_3_who_held_a_place_never_checks_the_case(site):
    project = a_perturbation(CHINESE[:1])
    sentence = waiting_case(project)
    both = joined(project, "p1", Role.ANNOTATOR, Role.REVIEWER)
    assert reviews.current_review(both).task is None
    with pytest.raises(WorkflowError):
        variant_checks.finalise(
            both,
            sentence.pk,
            version=1,
            client_key=uuid4(),
            answer=CaseAnswer((accept(1), accept(2))),
        )
    assert reviews.current_review(reviewer(project)).task is not None


def test_inv_3_who_has_checked_a_case_never_perturbs_it(site):
    project = a_perturbation(CHINESE[:1])
    waiting_case(project)
    rita = joined(project, "rita", Role.ANNOTATOR, Role.REVIEWER)
    checked(rita, give_back(1), accept(2))
    Member.objects.filter(person__login="p1").update(status="left")
    for _ in range(8):
        expired(project)
    assert claims.current(rita).slot is None


# A program proposes first.


PERTURB = PerturbOptions(operations=("substitute", "delete"))


def to_propose(**options: object) -> Project:
    return a_perturbation(
        [(f"我门昨天在学{word}看老帅。", f"我们昨天在学{word}看老师。") for word in "校堂院区会"],
        **options,
    )


@remembered
def proposed() -> Project:
    """A project of three annotators whose cases a program has perturbed."""
    project = to_propose(annotators=3)
    run = make_proposals(project, PERTURB)
    assert run.count >= run.cases > 0
    return project


def proposing(**options: object) -> Project:
    project = proposed()
    project.options = {**project.options, **options}
    project.save(update_fields=["options"])
    return project


@pytest.mark.slow
def test_two_runs_at_once_propose_once(database, monkeypatch):
    """The slower one leaves the cases alone that the quicker one has done meanwhile."""
    project, both, real = to_propose(), Barrier(2), training_data.perturb

    def perturb(*args, **options):
        both.wait(60)  # both have seen that no case has proposals
        return real(*args, **options)

    monkeypatch.setattr(training_data, "perturb", perturb)
    runs = together(2, lambda _: make_proposals(project, PERTURB))
    slow, quick = sorted(runs, key=lambda run: run.count)
    assert (slow.count, slow.cases, slow.there) == (0, 0, quick.cases)
    assert quick.count == Proposal.objects.count() > 0
    assert slow.without == quick.without == 5 - quick.cases


def test_people_accept_edit_or_reject_a_proposal_and_it_is_kept_which(site):
    project = proposing(proposals="first")
    sentence = Proposal.objects.filter(position=3).first().sentence
    sentence.project = project
    origins = []
    for n, login in enumerate(("li", "wang", "wu")):
        member = joined(project, login)
        slot = claimed(member, sentence)
        proposal = task_of(slot).proposal
        assert proposal.position == slot.no
        first, middle, last = proposal.gaps
        if n == 0:
            done = submit_variant(member, slot, *proposal.gaps, proposal=proposal.pk)
        elif n == 1:
            done = submit_variant(member, slot, first, f"{middle}很", last, proposal=proposal.pk)
        else:
            with pytest.raises(RefusedError) as refused:
                submit_variant(
                    member, slot, first, f"{middle}又", last, proposal=proposal.pk + 1000
                )
            assert codes(refused) == [("PER-proposal", "")]
            done = submit_variant(member, slot, "我", "去年在街上看老", "。")
        assert done.variant.proposal == proposal
        origins.append(done.variant.origin)
    assert origins == ["machine", "machine_edited", "person"]
    assert check() == ()


def test_proposals_are_seen_only_where_the_project_says_so(site):
    project = proposing()
    sentence = Proposal.objects.first().sentence
    sentence.project = project
    slot = claimed(joined(project, "li"), sentence)
    assert task_of(slot).proposal is None


def test_a_proposal_that_was_begun_with_is_handed_in_whatever_the_option_says_now(site):
    project = proposing(proposals="first")
    sentence = Proposal.objects.first().sentence
    sentence.project = project
    li = joined(project, "li")
    slot = claimed(li, sentence)
    proposal = task_of(slot).proposal
    Project.objects.update(options={**project.options, "proposals": "off"})
    li.project.refresh_from_db()
    done = submit_variant(li, slot, *proposal.gaps, proposal=proposal.pk)
    assert (done.variant.proposal, done.variant.origin) == (proposal, "machine")


# A corrector hints.


class Corrects:
    def correct(self, texts):
        return [SimpleNamespace(text=text.replace("好", "很好")) for text in texts]


def test_per_7_a_corrector_shows_what_it_would_change_and_nothing_is_stored(site, monkeypatch):
    monkeypatch.setitem(settings.HINT_CORRECTORS, "zh", "fake")
    monkeypatch.setattr(perturbation, "_load_corrector", lambda _: Corrects())
    project = a_perturbation(hints=True)
    member, sentence = joined(project, "li"), sentence_of(project)
    slot = claimed(member, sentence)
    hint = perturbation.hint(member, slot.pk, ["我", "好去。"])
    assert (hint.target, hint.text, hint.corrector) == ("我们好去。", "我们很好去。", "fake")
    assert not DraftRevision.objects.exists()
    with pytest.raises(RefusedError):
        perturbation.hint(member, slot.pk, ["我"])
    with pytest.raises(NotYoursError):
        perturbation.hint(joined(project, "wang"), slot.pk, ["我", "好去。"])


def test_per_7_without_the_option_or_a_corrector_there_is_no_hint(site, monkeypatch):
    for n, (options, name) in enumerate((({}, "fake"), ({"hints": True}, ""))):
        monkeypatch.setitem(settings.HINT_CORRECTORS, "zh", name)
        project = a_perturbation(slug=f"hints-{n}", **options)
        member = joined(project, "li")
        slot = claimed(member, sentence_of(project))
        with pytest.raises(NotYoursError):
            perturbation.hint(member, slot.pk, ["我", "去。"])


def test_ones_own_data_have_variants_and_checks(site):
    project = a_perturbation(annotators=1)
    waiting_case(project)
    rita = reviewer(project)
    checked(rita, edit(1, "我", "刚才去学校看老师。"))
    author = Member.objects.get(project=project, person__login="p1").person
    text = b"".join(personal_data.export_personal_data(author)).decode()
    assert "我门今天去学校看老师。" in text
    assert "我门刚才去学校看老师。" not in text
    rita_text = b"".join(personal_data.export_personal_data(rita.person)).decode()
    assert "我门刚才去学校看老师。" in rita_text
