"""Proposals of variants, made by the program that perturbs corpora: outside of any request."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.db.models import Exists, OuterRef, QuerySet

from gecbench.api.options import PerturbOptions
from gecbench.api.training_data import perturb
from gecbench.core.sample import Corpus, Rewrite, Sample
from gecbench.core.scheme import Scheme, Watch, no_progress
from gecbench.server.choices import ProjectKind, Purpose
from gecbench.server.models import PerturbationCase, Project, Proposal
from gecbench.server.rules.perturbation import divide, moves, variant_digest
from gecbench.server.workflow import audit
from gecbench.server.workflow.perturbation import chips_of, load_aligner
from gecbench.server.workflow.sentences import WORKABLE
from gecbench.server.workflow.suggestions import LONGEST_NAME
from gecbench.server.workflow.transactions import lock_project, require_kind, transactional


@dataclass(frozen=True, slots=True)
class ProposalRun:
    """What a run came to.

    Args:
        count: How many proposals were kept.
        cases: Of how many cases.
        without: Cases for which the program found too few variants.
        moved: Variants that were given up because an error would have moved.
        there: Cases that had proposals already, or got them of another run meanwhile.
    """

    count: int = 0
    cases: int = 0
    without: int = 0
    moved: int = 0
    there: int = 0


def cases_without(project: Project) -> QuerySet[PerturbationCase]:
    """The cases that people may begin and that have no proposals."""
    proposals = Proposal.objects.filter(sentence=OuterRef("sentence"))
    return _cases(project).filter(~Exists(proposals))


def _cases(project: Project) -> QuerySet[PerturbationCase]:
    cases = PerturbationCase.objects.filter(
        sentence__project=project, sentence__purpose=Purpose.REAL, sentence__state__in=WORKABLE
    )
    return cases.select_related("sentence").order_by("sentence__number")


def make_proposals(
    project: Project, options: PerturbOptions, *, watch: Watch = no_progress
) -> ProposalRun:
    """Propose a variant for each place of all cases that have no proposals yet.

    Args:
        project: Of perturbation.
        options: How sentences are perturbed; as many variants as the project has places.
        watch: Wraps long loops, to show progress.

    Raises:
        NotYoursError: The project is of another kind.
        GecbenchError: The program cannot perturb any of the cases.
    """
    require_kind(project, ProjectKind.PERTURB)
    cases = {str(case.sentence_id): case for case in cases_without(project)}
    there = _cases(project).count() - len(cases)
    if not cases:
        return ProposalRun(there=there)
    samples = tuple(
        Sample(key, case.sentence.text, (Rewrite(text=case.sentence.target or ""),))
        for key, case in cases.items()
    )
    corpus = Corpus(project.slug, samples, project.lang)
    perturbed = perturb(corpus, options=replace(options, variants=project.annotators), watch=watch)
    signature = "|".join(
        f"{name}:{value}"
        for name, value in perturbed.cases.provenance.items()
        if name not in ("synthetic", "input")
    )
    aligners: dict[str, Scheme] = {}
    rows: list[Proposal] = []
    moved = 0
    for result in perturbed.cases.cases:
        case = cases[result.id]
        if case.scheme not in aligners:
            aligners[case.scheme] = load_aligner(case.scheme, project.lang, types=False)
        chips = chips_of(case)
        pairs = [(variant.source, variant.reference) for variant in result.variants]
        digests: set[str] = {variant_digest(case.sentence.text, project.lang)}
        for (source, target), division in zip(
            pairs, divide(aligners[case.scheme], pairs), strict=True
        ):
            digest = variant_digest(source, project.lang)
            if moves(chips, division, project.lang) or len(division.chips) != len(chips):
                moved += 1
                continue
            if digest in digests:
                continue
            digests.add(digest)
            rows.append(
                Proposal(
                    sentence=case.sentence,
                    position=len(digests) - 1,
                    gaps=list(division.gaps),
                    source=source,
                    target=target,
                    digest=digest,
                    model=f"gecbench perturb, {options.filler}"[:LONGEST_NAME],
                    model_version=signature[:LONGEST_NAME],
                )
            )
    stored = _store(project, rows)
    with_proposals, proposed = ({row.sentence_id for row in some} for some in (rows, stored))
    there += len(with_proposals) - len(proposed)
    return ProposalRun(len(stored), len(proposed), len(cases) - len(with_proposals), moved, there)


@transactional
def _store(project: Project, rows: Sequence[Proposal]) -> list[Proposal]:
    """Store the proposals of cases that have none; another run may have been quicker."""
    lock_project(project.pk)
    proposals = Proposal.objects.filter(sentence__project=project)
    existing = set(proposals.values_list("sentence", flat=True).distinct())
    free = [row for row in rows if row.sentence_id not in existing]
    Proposal.objects.bulk_create(free, batch_size=500)
    data = {"made": len(free), "model": free[0].model if free else ""}
    audit.record("proposals.made", who=None, project=project, data=data)
    return free
