"""Builders of perturbation projects: cases, five perturbers, and what they hand in.

They go through the real services. Use::

    from server.workflow.perturbing import a_perturbation, perturbed
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from uuid import uuid4

from server.remembering import remembered
from server.workflow.stories import claimed, joined, sentence_of, somebody

from gecbench.core.scheme import Scheme
from gecbench.server.choices import CheckDecision, Decision, Role
from gecbench.server.models import Member, Project, Sentence, Slot, Submission
from gecbench.server.rules.perturbation import divide
from gecbench.server.workflow import projects, reviews, sentences, submissions, variant_checks
from gecbench.server.workflow.answers import Answer, CaseAnswer, CheckAnswer
from gecbench.server.workflow.perturbation import load_aligner
from gecbench.server.workflow.variant_checks import CheckResult

CHINESE = (
    ("我门昨天去学校看老师。", "我们昨天去学校看老师。"),
    ("他明天去公园玩。", "他明天去公园玩。"),
    ("我门昨天在学校看老帅。", "我们昨天在学校看老师。"),
)
"""Sources and corrections; the second is free of errors."""

WORDS = ("今天", "前天", "后天", "刚才", "上周", "现在", "去年")


@cache
def scheme(name: str, lang: str) -> Scheme:
    return load_aligner(name, lang)


def add_cases(project: Project, pairs: Sequence[tuple[str, str]]) -> None:
    """Add cases c1, c2, ... to a project."""
    name = "zh-char" if project.lang == "zh" else "en-errant"
    divisions = divide(scheme(name, project.lang), pairs)
    rows = [
        sentences.NewSentence(
            external_id=f"c{n}",
            text=source,
            source="story",
            case=sentences.NewCase(target, division, name, "test"),
        )
        for n, ((source, target), division) in enumerate(zip(pairs, divisions, strict=True), 1)
    ]
    sentences.add_sentences(project, rows)


@remembered
def a_perturbation(
    pairs: Sequence[tuple[str, str]] = CHINESE,
    *,
    slug: str = "perturb",
    lang: str = "zh",
    annotators: int = 2,
    manager: str = "boss",
    **options: object,
) -> Project:
    """A perturbation project with cases; options by keyword."""
    project = projects.create_project(
        slug=slug,
        name=slug.title(),
        lang=lang,
        by=somebody(manager),
        template="robustgec",
        annotators=annotators,
        options=options,
    )
    add_cases(project, pairs)
    return Project.objects.get(pk=project.pk)


def gaps_of(sentence: Sentence, word: str) -> tuple[str, ...]:
    """The gaps of a case of CHINESE with the first two characters that fit changed to a word."""
    gaps = list(sentence.case.gaps)
    for old in ("昨天", "明天"):
        if any(old in gap for gap in gaps):
            return tuple(gap.replace(old, word) for gap in gaps)
    raise AssertionError(gaps)


def answer_of(*gaps: str, **fields: object) -> Answer:
    return Answer(Decision.CORRECTED, gaps, **fields)


def submit_variant(member: Member, slot: Slot, *gaps: str, **fields: object) -> Submission:
    """What a member hands in for a slot; fields of the answer by keyword."""
    return submissions.submit(
        member, slot.pk, version=slot.version, client_key=uuid4(), answer=answer_of(*gaps, **fields)
    )


@remembered
def perturbed(member: Member, sentence: Sentence, word: str) -> Submission:
    """A variant of a member for a case of CHINESE."""
    return submit_variant(member, claimed(member, sentence), *gaps_of(sentence, word))


@remembered
def waiting_case(project: Project, number: int = 1) -> Sentence:
    """A case with all its variants, by p1, p2, ..., that waits for a reviewer."""
    sentence = sentence_of(project, number)
    for n in range(sentence.needed):
        perturbed(joined(project, f"p{n + 1}"), sentence, WORDS[n])
    return sentence_of(project, number)


def reviewer(project: Project, login: str = "rita") -> Member:
    return joined(project, login, Role.REVIEWER)


def accept(position: int, **fields: object) -> CheckAnswer:
    return CheckAnswer(position, CheckDecision.ACCEPTED, **fields)


def give_back(position: int, *reasons: str, note: str = "") -> CheckAnswer:
    return CheckAnswer(
        position, CheckDecision.RETURNED, reasons=reasons or ("unnatural",), note=note
    )


def edit(position: int, *gaps: str, **fields: object) -> CheckAnswer:
    return CheckAnswer(position, CheckDecision.EDITED, gaps=gaps, **fields)


def checked(member: Member, *checks: CheckAnswer) -> CheckResult:
    """What a reviewer decides about the case that they get."""
    task = reviews.current_review(member).task
    assert task is not None
    return variant_checks.finalise(
        member,
        task.sentence_id,
        version=task.version,
        client_key=uuid4(),
        answer=CaseAnswer(checks),
    )


@remembered
def done_case(project: Project, number: int = 1) -> Sentence:
    """A case whose variants were all accepted."""
    sentence = waiting_case(project, number)
    checked(reviewer(project), *(accept(n) for n in range(1, sentence.needed + 1)))
    return sentence_of(project, number)
