"""A project in which much has happened: right and wrong answers of all kinds, all decided."""

from __future__ import annotations

from server.remembering import remembered
from server.workflow.reviewing import BAD, FAIR, GOOD, finalised
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

from gecbench.server.choices import Decision
from gecbench.server.models import Project

SECOND = "他的汉语说得很好。"
FOURTH = "我们应该认识到保护环境的重要性。"


@remembered
def worked(slug: str = "story", *, prefix: str = "a", **options: object) -> Project:
    """Five sentences of three annotators; four are decided, the fifth waits for review.

    a1 is right on the first, says error free of the second, which is wrong; a2 has one text of
    two right on the first; a1 and a2 call the fourth not annotatable, which is what it becomes.
    """
    project = a_project(5, slug=slug, **options)
    joined(project, "rita", "reviewer")
    team = people(project, 3, prefix=prefix)
    second, fourth = correction(SECOND), correction(FOURTH)
    story = (
        (correction(GOOD), correction(FAIR, BAD), correction(GOOD)),
        (error_free(), second, second),
        (error_free(), error_free(), error_free()),
        (not_annotatable(), not_annotatable(), fourth),
        (correction("五号句子。"), error_free(), correction("五号句子。")),
    )
    for number, answers in enumerate(story, 1):
        all_submitted(sentence_of(project, number), team, answers)
    finalised(project, (GOOD, FAIR), number=1, active_ms=60_000)
    finalised(project, (SECOND,), number=2, active_ms=60_000)
    finalised(project, number=3, decision=Decision.ERROR_FREE, active_ms=60_000)
    finalised(
        project,
        number=4,
        decision=Decision.NOT_ANNOTATABLE,
        reason="incomprehensible",
        active_ms=60_000,
    )
    return Project.objects.get(pk=project.pk)
