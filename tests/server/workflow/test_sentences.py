"""Sentences come in with their free slots, in a mixed but reproducible order; N changes."""

from __future__ import annotations

import pytest
from django.db import transaction
from server.workflow.races import together
from server.workflow.stories import (
    a_project,
    all_submitted,
    claimed,
    correction,
    expired,
    joined,
    people,
    sentence_of,
    submitted,
)

from gecbench.core.errors import UsageError
from gecbench.server.choices import Decision, Purpose
from gecbench.server.models import ImportBatch, Project, Sentence, Slot, Source
from gecbench.server.rules.text import digest
from gecbench.server.workflow import claims, management, projects, review_tasks, sentences
from gecbench.server.workflow.sentences import NewGolden, NewSentence, add_sentences


def rows(count: int, *, start: int = 0, **fields: object) -> list[NewSentence]:
    return [NewSentence(f"r{n}", f"第{n}句。", **fields) for n in range(start, start + count)]


def test_inv_1_a_sentence_comes_with_its_n_free_slots(database):
    project = a_project(0, annotators=4)
    batch = ImportBatch.objects.create(
        project=project, file_name="a.txt", file_sha256="0" * 64, format="lines"
    )
    new = NewSentence("x", "一句。", "NLPCC18", {"page": 3}, priority=7)
    assert add_sentences(project, [new, *rows(2)], batch=batch) == 3
    row = Sentence.objects.get(external_id="x")
    assert (row.text, row.digest, row.meta) == ("一句。", digest("一句。"), {"page": 3})
    assert (row.source.name, row.batch, row.priority) == ("NLPCC18", batch, 7)
    assert (row.number, row.state, row.needed, row.purpose) == (1, "open", 4, "real")
    slots = row.slots.order_by("no").values_list("no", "state", "priority", "order_key")
    assert list(slots) == [(no, "free", 7, row.order_key) for no in (1, 2, 3, 4)]
    assert Slot.objects.count() == 12
    assert Project.objects.get().next_number == 4


def test_the_order_is_mixed_and_the_same_everywhere(site):
    project = a_project(0)
    add_sentences(project, rows(50))
    numbers = list(Sentence.objects.order_by("order_key").values_list("number", flat=True))
    assert numbers != sorted(numbers)
    assert numbers == sorted(range(1, 51), key=lambda n: sentences.order_key(project, n))
    assert numbers[:5] == [17, 32, 43, 34, 25]  # by the project's short name, on every machine


def test_numbers_go_on_and_an_id_left_out_is_the_number(site):
    project = a_project(2)
    add_sentences(project, [NewSentence("", "无名。")])
    assert Sentence.objects.get(number=3).external_id == "3"


def test_all_batches_are_added(site, monkeypatch):
    monkeypatch.setattr(sentences, "BATCH", 3)
    project = a_project(0)
    assert add_sentences(project, iter(rows(8, source="Lang8"))) == 8
    assert sorted(Sentence.objects.values_list("number", flat=True)) == list(range(1, 9))
    assert Source.objects.get().sentences.count() == 8


@pytest.mark.parametrize(
    ("new", "message"),
    [
        (NewSentence("s1", "又来。"), "1 sentence ids are there already: s1"),
        (NewSentence("r0", "又来。"), "1 sentence ids are there already: r0"),
        (NewSentence("x", " "), "sentence 'x' is empty"),
        (
            NewSentence("x", "一。", golden=NewGolden(Decision.CORRECTED)),
            "it is corrected with 0",
        ),
        (
            NewSentence("x", "一。", golden=NewGolden(Decision.ERROR_FREE, ("二。",))),
            "it is error_free with 1",
        ),
        (
            NewSentence("x", "一。", golden=NewGolden(Decision.CORRECTED, ("二。", "二。 "))),
            "two golden references are the same",
        ),
    ],
)
def test_a_batch_with_something_wrong_is_not_added(database, new, message):
    project = a_project(1)
    with pytest.raises(UsageError, match=message):
        add_sentences(project, [*rows(2), new])
    assert Sentence.objects.count() == 1
    assert Project.objects.get().next_number == 2


def test_golden_sentences_come_without_slots(database):
    project = a_project(0)
    goldens = [
        NewGolden(Decision.CORRECTED, ("甲。", "乙。")),
        NewGolden(Decision.ERROR_FREE),
        NewGolden(Decision.NOT_ANNOTATABLE, reason="personal"),
        None,
    ]
    add_sentences(
        project, [NewSentence(f"g{n}", "一。", golden=golden) for n, golden in enumerate(goldens)]
    )
    sentences = Sentence.objects.order_by("number")
    assert [sentence.state for sentence in sentences] == ["golden"] * 3 + ["open"]
    assert [sentence.golden.kind for sentence in sentences[:3]] == [
        "corrected",
        "error_free",
        "not_annotatable",
    ]
    assert sentences[2].golden.reason == "personal"
    entries = sentences[0].golden.entries.all()
    assert [(e.position, e.reference.text, e.reference.origin) for e in entries] == [
        (0, "甲。", "import"),
        (1, "乙。", "import"),
    ]
    assert [sentence.needed for sentence in sentences] == [0, 0, 0, 3]
    assert Slot.objects.count() == 3
    assert claims.current(people(project, 1)[0]).slot.sentence == sentences[3]


def test_two_imports_at_once_share_no_number(database):
    project = a_project(0)
    counts = together(4, lambda n: add_sentences(project, rows(20, start=100 * n)))
    assert counts == [20] * 4
    assert sorted(Sentence.objects.values_list("number", flat=True)) == list(range(1, 81))


def grow(project: Project, annotators: int) -> None:
    projects.change_project(project, by=project.created_by, annotators=annotators)


def shape(project: Project, number: int) -> tuple[object, ...]:
    row = sentence_of(project, number)
    nos = list(row.slots.order_by("no").values_list("no", flat=True))
    return row.state, row.needed, nos


def test_wfl_1_a_higher_n_gives_new_free_slots_to_all_that_wait(database):
    project = a_project(8, annotators=2)
    *trio, busy = people(project, 4)
    claimed(busy, sentence_of(project, 2))
    all_submitted(sentence_of(project, 3), trio[:2])
    all_submitted(sentence_of(project, 4), trio[:2])
    task = sentence_of(project, 4).review_tasks.get()
    reviewer = joined(project, "r", "reviewer")
    with transaction.atomic():
        review_tasks.claim_task(reviewer, task.pk, task.sentence_id)
    Sentence.objects.filter(number=5).update(state="withdrawn")
    golden = sentence_of(project, 6).goldens.create(version=1, kind="error_free")
    Sentence.objects.filter(number=6).update(state="golden", golden=golden)
    again = sentence_of(project, 8).goldens.create(version=1, kind="error_free")
    Sentence.objects.filter(number=8).update(state="annotating", golden=again)
    Sentence.objects.filter(number=7).update(needed=4)
    Slot.objects.bulk_create(
        Slot(project=project, sentence=sentence_of(project, 7), no=no) for no in (3, 4)
    )
    grow(project, 3)
    assert shape(project, 1) == ("open", 3, [1, 2, 3])
    assert shape(project, 2) == ("annotating", 3, [1, 2, 3])
    assert shape(project, 3) == ("annotating", 3, [1, 2, 3])
    assert shape(project, 4) == ("in_review", 2, [1, 2])
    assert shape(project, 5) == ("withdrawn", 2, [1, 2])
    assert shape(project, 6) == ("golden", 2, [1, 2])
    assert shape(project, 7) == ("open", 3, [1, 2, 3])
    assert shape(project, 8) == ("annotating", 2, [1, 2])  # decided once, and asked for anew
    assert [review_task.state for review_task in sentence_of(project, 3).review_tasks.all()] == [
        "returned"
    ]
    assert project.annotators == 3
    # The new slot is a begun sentence's, and completes it.
    new = Slot.objects.get(sentence__number=3, no=3)
    assert (new.state, new.priority) == ("free", 100 - sentences.BEGUN)
    row = all_submitted(sentence_of(project, 3), trio[2:])
    assert (row.state, row.submitted) == ("review_ready", 3)


def test_wfl_1_a_lower_n_reaches_untouched_sentences_only(database):
    project = a_project(3, annotators=3)
    first, second = people(project, 2)
    submitted(first, sentence_of(project, 1))
    slot = claimed(second, sentence_of(project, 2))
    claims.skip(second, slot.pk, version=slot.version)
    assert sentence_of(project, 2).state == "open"
    grow(project, 2)
    assert [shape(project, n)[1:] for n in (1, 2, 3)] == [
        (3, [1, 2, 3]),
        (3, [1, 2, 3]),
        (2, [1, 2]),
    ]
    add_sentences(project, rows(1))
    assert shape(project, 4) == ("open", 2, [1, 2])


def test_wfl_1_what_was_interrupted_is_finished_by_the_same_number(site, monkeypatch):
    project = a_project(5)
    monkeypatch.setattr(management, "BATCH", 2)
    monkeypatch.setattr(projects, "fit_slots", lambda _: 0)
    grow(project, 4)
    assert set(Sentence.objects.values_list("needed", flat=True)) == {3}
    monkeypatch.undo()
    monkeypatch.setattr(management, "BATCH", 2)
    grow(project, 4)
    assert set(Sentence.objects.values_list("needed", flat=True)) == {4}
    assert Slot.objects.count() == 20
    assert management.fit_slots(project.pk) == 0


def test_wfl_1_n_rises_while_people_work(database):
    project = a_project(6, annotators=2)
    team = people(project, 4)
    for n, member in enumerate(team, 1):
        claimed(member, sentence_of(project, n))

    def act(n: int) -> object:
        if n == 4:
            return management.fit_slots(project.pk)
        slot = claims.current(team[n]).slot
        return submitted(team[n], slot.sentence)

    Project.objects.update(annotators=3)
    results = together(5, act)
    assert [result for result in results if isinstance(result, Exception)] == []
    for row in Sentence.objects.all():
        done = row.slots.filter(state="submitted").count()
        assert (row.needed, row.slots.count(), row.submitted) == (3, 3, done)
        assert row.state == ("annotating" if done else "open")


def test_wfl_5_a_reopened_sentence_comes_back_to_review_as_such(site):
    project = a_project(1, annotators=1)
    first, second = people(project, 2)
    row = all_submitted(sentence_of(project), [first])
    golden = row.goldens.create(version=1, kind="error_free")
    review_tasks.remove_from_queue(row)
    Sentence.objects.filter(pk=row.pk).update(state="annotating", needed=2, golden=golden)
    Slot.objects.create(project=project, sentence=row, no=2)
    slot = claims.current(second).slot
    claims.skip(second, slot.pk, version=slot.version)
    assert sentence_of(project).state == "annotating"  # it was decided once: never merely open
    submitted(people(project, 3)[2], row, correction("好。"))
    row = sentence_of(project)
    assert row.state == "review_ready"
    assert [review_task.kind for review_task in row.review_tasks.filter(state="free")] == [
        "reopened"
    ]


def test_purposes_are_kept(site):
    project = a_project(0)
    add_sentences(project, rows(1, purpose=Purpose.TRAINING))
    assert Sentence.objects.get().purpose == "training"
    assert expired(project) == 0
