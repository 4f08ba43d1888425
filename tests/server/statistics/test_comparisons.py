"""Stored pieces: the figures are those of the slow computation, and only what changed is anew."""

from __future__ import annotations

from dataclasses import asdict, replace
from datetime import UTC, datetime
from random import Random

import pytest
from server.statistics import reference
from server.statistics.worked import worked
from server.workflow.reviewing import finalised, member_of
from server.workflow.stories import (
    a_project,
    all_submitted,
    correction,
    error_free,
    joined,
    not_annotatable,
    people,
    sentence_of,
)

from gecbench.server import statistics
from gecbench.server.choices import Decision, Purpose
from gecbench.server.models import Figures, Project, Sentence
from gecbench.server.statistics import comparisons, pieces, scoring, work
from gecbench.server.workflow import management

CHARACTERS = "我你他天学了的是在不"


def busy(seed: int, sentences: int = 24, slug: str = "busy", **options: object) -> Project:
    """A project of short texts with several references each, in which choices depend on sums."""
    chance = Random(seed)

    def text() -> str:
        return "".join(chance.choices(CHARACTERS, k=chance.randrange(4, 9))) + "。"

    project = a_project([f"{text()[:-1]}{n}。" for n in range(sentences)], slug=slug, **options)
    joined(project, "rita", "reviewer")
    team = people(project, 5)
    for number in range(1, sentences + 1):
        answers = [
            chance.choice(
                (
                    error_free(),
                    not_annotatable(),
                    *(correction(*{text() for _ in range(chance.randrange(1, 4))}),) * 6,
                )
            )
            for _ in range(3)
        ]
        all_submitted(sentence_of(project, number), chance.sample(team, 3), answers)
        texts = [text for answer in answers for text in answer.texts]
        if number % 5 and texts:
            golden = tuple(dict.fromkeys(chance.choices(texts, k=3)))
            finalised(project, golden, number=number)
        elif number % 2:
            finalised(project, number=number, decision=Decision.ERROR_FREE)
    return Project.objects.get(pk=project.pk)


@pytest.mark.parametrize(
    ("database", "seed"),
    [
        pytest.param("sqlite", 1, marks=pytest.mark.slow),
        pytest.param("sqlite", 2, marks=pytest.mark.slow),
        ("postgresql", 1),
    ],
    indirect=["database"],
)
def test_figures_equal_those_of_the_slow_computation(database, seed, monkeypatch):
    monkeypatch.setattr(pieces, "SIZE", 5)
    monkeypatch.setattr(scoring, "LEAST", 2)
    monkeypatch.setattr(reference, "LEAST", 2)
    project = busy(seed)
    scores, expected = statistics.scores(project), reference.cells(project)
    assert scores.total == expected["total"][""]
    for group in ("people", "weeks", "sources", "months", "early", "later"):
        assert getattr(scores, group) == expected[group], group
    assert replace(statistics.agreement(project), notes=()) == replace(
        reference.agreement(project), notes=()
    )
    table4 = statistics.table4(project)
    assert replace(table4, signatures=()) == reference.table4(project)


def test_what_has_not_changed_is_not_compared_again(site, monkeypatch):
    monkeypatch.setattr(pieces, "SIZE", 2)
    project = worked()
    statistics.refresh(project)
    before = dict(Figures.objects.values_list("kind", "computed_at"))
    assert len([kind for kind in before if kind.startswith("comparisons")]) > 1
    management.withdraw(member_of(project, "boss"), [sentence_of(project, 2).pk], reason="x")
    statistics.refresh(project)
    changed = [
        kind
        for kind, at in Figures.objects.values_list("kind", "computed_at")
        if kind.startswith("comparisons") and at != before[kind]
    ]
    assert len(changed) == 1
    assert statistics.scores(project).people == reference.cells(project)["people"]


def test_what_is_stored_of_a_piece_is_not_computed_with_what_is_missing(site, monkeypatch):
    project = worked()
    statistics.refresh(project)
    Figures.objects.filter(kind__startswith="comparisons ").delete()
    monkeypatch.setattr(scoring, "count_rows", lambda _: pytest.fail("counts were computed again"))
    statistics.refresh(project)
    assert Figures.objects.filter(kind__startswith="comparisons ").exists()


def test_stored_tables_are_put_together_without_reading_a_sentence(site, monkeypatch):
    project = worked()
    statistics.refresh(project)
    comparer = comparisons.Comparer.of(project)
    monkeypatch.setattr(
        comparisons, "load_rows", lambda _: pytest.fail("rows of sentences were read")
    )
    assert len(comparer.load_tables()["answers"])


def test_counts_of_pieces_are_those_of_all_sentences_together(site, monkeypatch):
    project = worked()
    rows = project.sentences.values_list("pk", flat=True)
    whole = work.count_sentences(rows)
    monkeypatch.setattr(pieces, "SIZE", 1)
    assert work.load_counts(project) == whole
    with monkeypatch.context() as patch:
        patch.setattr(pieces, "_read", lambda *_: pytest.fail("pieces were read"))
        assert work.load_counts(project) == whole, "as the sum was stored"
    Figures.objects.filter(kind="counts").delete()
    assert work.load_counts(project) == whole, "as the pieces were stored"
    management.withdraw(member_of(project, "boss"), [sentence_of(project, 2).pk], reason="x")
    assert work.load_counts(project) == work.count_sentences(rows) != whole


def test_counting_for_a_while_is_of_whole_pieces_and_goes_on_the_next_time(site, monkeypatch):
    project = worked()
    project.sentences.filter(number=1).update(purpose=Purpose.GOLD)  # which counts nowhere
    rows = list(project.sentences.filter(purpose=Purpose.REAL).values_list("pk", flat=True))
    whole = work.count_sentences(rows)
    monkeypatch.setattr(pieces, "SIZE", 1)
    remaining = [len(rows)]
    while remaining[-1]:
        counts, progress = work.count_within(0, project)
        assert sum(counts["states"].values()) == progress.done
        assert progress.sentences == len(rows)
        assert progress.remaining < remaining[-1]
        remaining.append(progress.remaining)
    assert len(remaining) > 3
    assert counts == whole
    assert work.count_within(0, project) == (whole, pieces.Progress(len(rows), 0))


def test_comparing_for_a_while_shows_nothing_new_before_all_is_compared(site, monkeypatch):
    project = worked()
    expected = asdict(statistics.scores(project))
    Figures.objects.all().delete()
    monkeypatch.setattr(pieces, "SIZE", 1)
    calls = 1
    while statistics.refresh(project, seconds=0).remaining:
        assert not Figures.objects.filter(kind__in=scoring.KINDS).exists()
        calls += 1
    assert calls > 2
    assert Figures.objects.get(kind="scores").data == expected


def test_several_processes_compute_what_one_does(site, monkeypatch):
    project = worked()
    rows = project.sentences.values_list("pk", flat=True)
    whole = work.count_sentences(rows)
    alone = statistics.scores(project)
    Figures.objects.all().delete()
    monkeypatch.setattr(pieces, "SIZE", 1)
    monkeypatch.setattr(pieces, "_FORKED_FOR", 1)
    statistics.refresh(project, processes=2)
    assert statistics.scores(project) == alone
    assert work.load_counts(project, processes=2) == whole


@pytest.mark.parametrize("database", ["sqlite", "postgresql"], indirect=True)
def test_moments_are_read_to_the_microsecond(database):
    project = worked()
    at = datetime(2026, 11, 27, 9, 30, tzinfo=UTC)
    ids = list(project.sentences.order_by("pk").values_list("pk", flat=True)[:3])
    fractions = (0, 250, 999_999)
    for pk, fraction in zip(ids, fractions, strict=True):
        Sentence.objects.filter(pk=pk).update(updated_at=at.replace(microsecond=fraction))
    rows = Sentence.objects.filter(pk__in=pieces.among(pieces.pack_keys(ids))).order_by("pk")
    read = rows.values_list("pk", pieces.Microseconds("updated_at"))
    whole = int(at.timestamp()) * 10**6
    assert list(read) == [(pk, whole + n) for pk, n in zip(ids, fractions, strict=True)]
