"""A reviewer takes a decision back: all that it made is as it was, and it is refused too late."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import pytest
from django.forms import model_to_dict
from django.utils import timezone
from server.workflow.races import BrokenError, breaking, together
from server.workflow.reviewing import (
    BAD,
    FAIR,
    GOOD,
    all_waiting,
    golden_texts,
    member_of,
    now,
    opened,
    review_answer,
    study_of,
    waiting,
    word,
)
from server.workflow.reviewing import finalised as remembered_decision
from server.workflow.stories import correction, error_free, sentence_of

from gecbench.core.errors import GecbenchError
from gecbench.server.choices import CloseReason, Decision, MemberStatus
from gecbench.server.import_export import releases
from gecbench.server.models import (
    Audit,
    Draft,
    Golden,
    Member,
    Notice,
    Project,
    Review,
    ReviewTask,
    Study,
    StudyTry,
    Verdict,
)
from gecbench.server.rules.text import digest
from gecbench.server.statistics.members import reviewers
from gecbench.server.statistics.work import add_up_work, load_counts
from gecbench.server.workflow import complaints, drafts, management, reviews, studies
from gecbench.server.workflow.answers import Addition, Answer
from gecbench.server.workflow.checks import check
from gecbench.server.workflow.errors import ConflictError, NotAllowedError, NotYoursError

finalised = remembered_decision.__wrapped__
"""Now, for it can be taken back for a minute only."""


def standing(project: Project) -> dict[str, object]:
    """All that a decision changes, but for versions, which only count up."""
    sentence = sentence_of(project)
    return {
        "sentence": (sentence.state, sentence.golden_id, sentence.submitted, sentence.needed),
        "slots": [
            model_to_dict(slot, exclude=["version"]) for slot in sentence.slots.order_by("pk")
        ],
        "studies": [
            model_to_dict(study, exclude=["version"]) for study in sentence.studies.order_by("pk")
        ],
        "notices": list(Notice.objects.order_by("pk").values("pk", "person", "kind", "data")),
        "reviews": list(Review.objects.order_by("pk").values_list("pk", flat=True)),
        "verdicts": list(Verdict.objects.order_by("pk").values_list("pk", flat=True)),
        "goldens": list(Golden.objects.order_by("pk").values_list("pk", flat=True)),
        "progress": add_up_work(load_counts(project)),
        "reviewers": reviewers(project, load_counts(project)),
    }


def undone(project: Project, login: str = "rita", number: int = 1) -> ReviewTask:
    return reviews.undo(member_of(project, login), sentence_of(project, number).pk)


def later(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    moment = timezone.now() + timedelta(seconds=seconds)
    monkeypatch.setattr(timezone, "now", lambda: moment)


def test_undo_gives_back_the_golden_set_slots_study_items_and_notices(database):
    project = waiting()
    opened(project)
    before = standing(project)
    finalised(project)
    assert standing(project) != before
    assert {notice.kind for notice in Notice.objects.all()} == {"study_opened"}
    task = undone(project)
    assert standing(project) == before
    assert (task.state, task.reviewer, task.kind) == (
        "open",
        member_of(project, "rita").person,
        "first",
    )
    assert reviews.current_review(member_of(project, "rita")).task == task
    assert check(project.pk) == ()
    # What was decided stays stored, and who did what is in the log.
    assert Review._base_manager.count() == Golden._base_manager.count() == 1
    acts = Audit.objects.filter(what__startswith="review.").order_by("seq")
    assert [(entry.what, entry.who.login) for entry in acts] == [
        ("review.finalised", "rita"),
        ("review.undone", "rita"),
    ]


def test_undo_opens_the_review_with_its_verdicts_notes_and_texts(site):
    project = waiting(correction(GOOD), correction(BAD), error_free(), lease_minutes=30)
    words = {
        digest(BAD): word(digest(BAD), False, "meaning", note="换了意思", section="limits"),
        "error_free": word("error_free", False, note="有错"),
    }
    mended = [Addition(FAIR, digest(BAD)), Addition("我昨天在图书馆借了书。")]
    finalised(project, (GOOD,), words=words, additions=mended, note="看清楚", active_ms=700)
    task = undone(project)
    payload = Draft.objects.get(task=task).payload
    row = {"correct": False, "reasons": ["meaning"], "note": "换了意思", "section": "limits"}
    assert payload["rows"][digest(BAD)] == {**row, "modified": FAIR}
    assert payload["rows"][digest(GOOD)]["correct"] is True
    assert payload["rows"]["error_free"]["note"] == "有错"
    assert payload["additions"] == ["我昨天在图书馆借了书。"]
    assert (payload["decision"], payload["note"], payload["active_ms"]) == (
        "corrected",
        "看清楚",
        700,
    )


def test_undo_keeps_what_only_the_draft_knew(site):
    project = waiting()
    task = opened(project)
    rows = {digest(BAD): {"correct": False, "off": [2], "modified": BAD, "reasons": ["symbol"]}}
    drafts.save_review_draft(
        member_of(project, "rita"), task.sentence, rev=0, payload={"rows": rows}
    )
    finalised(project)
    row = Draft.objects.get(task=undone(project)).payload["rows"][digest(BAD)]
    assert (row["off"], row["modified"], row["reasons"]) == ([2], BAD, ["erroneous"])


def test_a_decision_after_an_undo_is_a_first_one_with_the_next_number(site):
    project = waiting()
    finalised(project, (GOOD,))
    undone(project)
    done = finalised(project, (GOOD, FAIR))
    assert done.golden.version == 2
    assert done.golden.review.base_version == 0
    assert sorted(golden_texts(sentence_of(project))) == sorted([GOOD, FAIR])
    assert [day.golden for day in add_up_work(load_counts(project)).days if day.golden] == [1]
    assert check(project.pk) == ()


def test_a_page_from_before_the_undo_is_stale(site):
    project = waiting()
    task, answer, key = opened(project), review_answer(project), uuid4()
    rita = member_of(project, "rita")
    sent = {"version": task.version, "client_key": key, "answer": answer}
    reviews.finalise(rita, task.sentence_id, **sent)
    undone(project)
    with pytest.raises(ConflictError):
        reviews.finalise(rita, task.sentence_id, **sent)
    assert sentence_of(project).golden is None


@pytest.mark.parametrize("decision", [Decision.ERROR_FREE, Decision.NOT_ANNOTATABLE])
def test_undo_of_a_decision_without_texts(site, decision):
    project = waiting(
        correction(GOOD), error_free(), Answer(Decision.NOT_ANNOTATABLE, reason="other", note="?")
    )
    opened(project)
    before = standing(project)
    finalised(project, decision=decision, reason="personal" if "not" in decision else "")
    task = undone(project)
    assert standing(project) == before
    assert Draft.objects.get(task=task).payload["decision"] == decision


def reopened(project: Project) -> None:
    """The first decision stands, its study item was mended, another reviewer looks again."""
    finalised(project, (GOOD,))
    for item in Study.objects.order_by("pk"):
        studies.attempt(
            member_of(project, item.person.login),
            item.pk,
            version=item.version,
            client_key=uuid4(),
            answer=Answer(Decision.CORRECTED, (GOOD,)),
        )
        break
    boss = member_of(project, "boss")
    management.reopen_sentence(boss, sentence_of(project).pk, reason="再看")
    opened(project, "rolf")


def test_undo_of_a_second_decision_gives_back_the_first_one_and_its_items(site):
    project = waiting(reviewers=("rita", "rolf"))
    reopened(project)
    before = standing(project)
    assert {study["state"] for study in before["studies"]} == {"open", "closed"}
    finalised(project, (BAD,), login="rolf")  # GOOD is wrong now, BAD right: items open and close
    assert {study.state for study in Study.objects.all()} == {"open", "closed"}
    assert standing(project)["studies"] != before["studies"]
    undone(project, "rolf")
    assert standing(project) == before
    assert sentence_of(project).golden.version == 1
    assert check(project.pk) == ()


def test_the_next_review_makes_room_and_keeps_its_draft(site):
    project = all_waiting(2)
    finalised(project)
    rita = member_of(project, "rita")
    following = reviews.current_review(rita).task
    drafts.save_review_draft(rita, following.sentence, rev=0, payload={"note": "开始了"})
    task = undone(project)
    assert (now(task).state, now(following).state, now(following).reviewer) == (
        "open",
        "free",
        None,
    )
    assert Draft.objects.get(task=following).payload == {"note": "开始了"}
    assert check(project.pk) == ()


def test_undo_is_refused_when_the_time_is_over(site, monkeypatch):
    project = waiting(undo_seconds=10)
    finalised(project)
    rita = member_of(project, "rita")
    assert reviews.last_decision(rita) is not None
    later(monkeypatch, 11)
    assert reviews.last_decision(rita) is None
    with pytest.raises(ConflictError, match="no longer"):
        undone(project)
    assert sentence_of(project).state == "golden"


def test_a_project_without_the_window_has_no_undo(site):
    project = waiting(undo_seconds=0)
    finalised(project)
    with pytest.raises(ConflictError):
        undone(project)


def test_only_the_one_who_decided_takes_it_back_and_only_once(site):
    project = waiting(reviewers=("rita", "rolf"))
    finalised(project)
    with pytest.raises(ConflictError):
        undone(project, "rolf")
    with pytest.raises(NotAllowedError):
        undone(project, "boss")
    undone(project)
    with pytest.raises(ConflictError):
        undone(project)
    with pytest.raises(NotYoursError):
        reviews.undo(member_of(project, "rita"), 12345)


def test_who_is_no_active_reviewer_any_more_takes_nothing_back(site):
    project = waiting()
    finalised(project)
    Member.objects.filter(person__login="rita").update(status=MemberStatus.PAUSED)
    with pytest.raises(NotAllowedError):
        undone(project)


def tried(project: Project, text: str = GOOD) -> object:
    item = study_of(project, "a2")
    return studies.attempt(
        member_of(project, "a2"),
        item.pk,
        version=item.version,
        client_key=uuid4(),
        answer=Answer(Decision.CORRECTED, (text,)),
    )


def complained(project: Project) -> None:
    item = study_of(project, "a2")
    complaints.complain(member_of(project, "a2"), item.pk, argument="我是对的", client_key=uuid4())


def waived(project: Project) -> None:
    studies.waive(member_of(project, "boss"), study_of(project, "a2").pk, note="算了")


def in_a_release(project: Project) -> None:
    releases.make_release(project, name="v1", by=member_of(project, "boss").person)


def sent_back(project: Project) -> None:
    boss = member_of(project, "boss")
    management.reopen_sentence(boss, sentence_of(project).pk, reason="再看")


def withdrawn(project: Project) -> None:
    management.withdraw(member_of(project, "boss"), [sentence_of(project).pk], reason="重复")


@pytest.mark.parametrize(
    "act",
    [
        tried,
        lambda project: tried(project, BAD + "。"),
        complained,
        waived,
        in_a_release,
        sent_back,
        withdrawn,
    ],
    ids=["mended", "tried", "complained", "waived", "released", "reopened", "withdrawn"],
)
def test_what_was_built_upon_is_not_taken_back(site, act):
    project = waiting()
    finalised(project)
    act(project)
    before = standing(project)
    with pytest.raises(ConflictError, match="no longer"):
        undone(project)
    assert standing(project) == before


@pytest.mark.slow
def test_undo_is_all_or_nothing_rev_11(site, monkeypatch):
    project = waiting(reviewers=("rita", "rolf"))
    reopened(project)
    finalised(project, (BAD,), login="rolf")
    before = standing(project)
    later(monkeypatch, 0)  # the clock stands still, however long this takes
    at = 0
    while True:
        at += 1
        try:
            with breaking(at):
                undone(project, "rolf")
        except BrokenError:
            assert standing(project) == before
        else:
            break
    assert at > 10
    assert sentence_of(project).golden.version == 1


def test_of_two_undos_at_once_one_happens(database):
    project = waiting()
    finalised(project)
    outcomes = together(2, lambda _: undone(project))
    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["ConflictError", "ReviewTask"]
    assert ReviewTask.objects.filter(state="open").count() == 1
    assert check(project.pk) == ()


def test_of_an_undo_and_a_try_at_once_one_happens(database):
    project = waiting()
    finalised(project)
    acts = (lambda: undone(project), lambda: tried(project, BAD + "。"))
    outcomes = together(2, lambda n: acts[n]())
    failed = [outcome for outcome in outcomes if isinstance(outcome, Exception)]
    assert len(failed) == 1
    assert isinstance(failed[0], ConflictError | NotYoursError | Study.DoesNotExist)
    assert StudyTry.objects.count() == (sentence_of(project).golden_id is not None)
    assert check(project.pk) == ()


def test_undone_items_are_those_of_the_decision_alone(site):
    """Items of other sentences, and notices about them, stay."""
    project = all_waiting(2)
    finalised(project)
    opened(project, number=2)
    first = standing(project)
    finalised(project, (), number=2, additions=[Addition("另一句。")])
    undone(project, number=2)
    assert standing(project) == first
    assert {study.close_reason for study in Study.objects.all()} <= {"", CloseReason.MATCHED}


def test_a_release_that_began_before_an_undo_is_not_made(site, monkeypatch):
    project = waiting()
    finalised(project)
    manifest = releases._manifest

    def slowly(*arguments: object) -> object:
        undone(project)
        return manifest(*arguments)

    monkeypatch.setattr(releases, "_manifest", slowly)
    with pytest.raises(GecbenchError, match="took a decision back"):
        releases.make_release(project, name="v1", by=None)
    assert not releases.Release.objects.exists()
