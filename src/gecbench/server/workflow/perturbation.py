"""Perturbation: what a case asks of somebody, what their gaps become, what a program proposes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db.models import Exists, F, OuterRef, QuerySet

from gecbench.api.correct import open_corrector
from gecbench.api.schemes import load_scheme
from gecbench.core.corrector import Corrector
from gecbench.core.errors import GecbenchError, UsageError
from gecbench.core.sample import Corpus, Rewrite, Sample
from gecbench.core.scheme import Scheme, Watch, no_progress
from gecbench.server.choices import ProjectKind, Proposals, Purpose, SlotEventKind, VariantOrigin
from gecbench.server.models import (
    GoldenVariant,
    Member,
    PerturbationCase,
    Project,
    Proposal,
    Sentence,
    Slot,
    SlotEvent,
    Variant,
    VariantCheck,
)
from gecbench.server.models.base import compiled_models
from gecbench.server.rules.perturbation import (
    Chip,
    Division,
    Fault,
    clean_gap,
    derive,
    divide,
    faults,
    moves,
    subtlety,
    variant_digest,
)
from gecbench.server.rules.text import LONGEST, TextError
from gecbench.server.workflow import audit
from gecbench.server.workflow.errors import (
    NotYoursError,
    Problem,
    RefusedError,
    UnavailableError,
)
from gecbench.server.workflow.sentences import WORKABLE, open_slots, require_active
from gecbench.server.workflow.suggestions import LONGEST_NAME
from gecbench.server.workflow.transactions import lock_project, require_kind, transactional

if TYPE_CHECKING:
    from gecbench.api.verb_options import PerturbOptions

# The scheme that finds errors: when cases come in, and again when a variant is handed in.


SCHEMES = {"zh": ("zh-cherrant", "zh-char"), "en": ("en-errant",)}
"""Language to the schemes that cases may be made with; the first is usual."""

_RELOADED_AFTER = 5_000
_lock = Lock()


def load_aligner(name: str, lang: str, *, types: bool = True) -> Scheme:
    """Load the scheme that finds the errors of cases: one set of edits, of the texts as they are.

    Raises:
        UsageError: There is no such scheme for the language.
        ResourceError: Something that it needs is missing; names the command that gets it.
    """
    if name not in SCHEMES[lang]:
        raise UsageError(
            "there is no scheme {name!r} that finds the errors of cases in {lang!r}; known: "
            "{names}",
            name=name,
            lang=lang,
            names=", ".join(SCHEMES[lang]),
        )
    if name == "zh-cherrant":
        return load_scheme(
            name, strategy="first", simplify=False, types=types, places=settings.PLACES
        )
    return load_scheme(name, types=types, places=settings.PLACES)


@dataclass(slots=True)
class _Aligner:
    """A scheme for many requests, and how often it was used."""

    scheme: Scheme
    uses: int = 0


_aligners: dict[str, _Aligner] = {}


def _aligner(name: str, lang: str) -> Scheme:
    """A scheme that is loaded once. It remembers sentences, so it is loaded again now and then."""
    aligner = _aligners.get(name)
    if aligner is None or aligner.uses >= _RELOADED_AFTER:
        aligner = _aligners[name] = _Aligner(load_aligner(name, lang, types=False))
    aligner.uses += 1
    return aligner.scheme


def _divide(case: PerturbationCase, lang: str, source: str, target: str) -> Division:
    """Divide a variant as its case was divided.

    Raises:
        UnavailableError: This server cannot do it.
    """
    try:
        with _lock:  # pipelines are not for several threads at once
            return divide(_aligner(case.scheme, lang), [(source, target)])[0]
    except GecbenchError as error:
        raise UnavailableError(
            "the server cannot compare the errors of this variant; what you wrote is kept, tell a "
            "manager: {error}",
            error=str(error),
        ) from error


def chips_of(case: PerturbationCase) -> tuple[Chip, ...]:
    """The errors of a case."""
    return tuple(Chip(**chip) for chip in case.chips)


# What somebody who perturbs a case needs for it.


@dataclass(frozen=True, slots=True)
class Return:
    """Why a variant came back to its author.

    Args:
        reasons: Each a VariantReason; none where a manager reopened it.
        note: Free words.
    """

    reasons: tuple[str, ...]
    note: str


@dataclass(frozen=True, slots=True)
class Task:
    """A case for the holder of one of its slots.

    Args:
        gaps: Of the original.
        chips: Its errors.
        proposal: What a program proposes for this slot, where the project begins with that.
        returned: Why the variant came back, until it is handed in again.
    """

    gaps: tuple[str, ...]
    chips: tuple[Chip, ...]
    proposal: Proposal | None
    returned: Return | None


def task_of(slot: Slot) -> Task:
    """What the holder of a slot needs; nothing in it is another person's."""
    (case,) = _cases(slot.sentence_id)
    return Task(tuple(case.gaps), chips_of(case), proposal_for(slot), _return_of(slot))


@compiled_models
def _cases(sentence: int) -> QuerySet[PerturbationCase]:
    return PerturbationCase.objects.filter(sentence=sentence)


def proposal_for(slot: Slot) -> Proposal | None:
    """The proposal for a slot; None where there is none, or the project does not begin with it."""
    if slot.project.rules.proposals != Proposals.FIRST:
        return None
    return _proposal_at(slot)


def _proposal_at(slot: Slot) -> Proposal | None:
    return Proposal.objects.filter(sentence=slot.sentence_id, position=slot.no).first()


def _return_of(slot: Slot) -> Return | None:
    if slot.person_id is None:
        return None
    last = next(iter(_last_turns(slot.pk, slot.person_id)), None)
    if last is None or last.kind != SlotEventKind.SEND_BACK:
        return None
    return Return(tuple(last.data.get("reasons", ())), last.data.get("note", ""))


@compiled_models
def _last_turns(slot: int, person: int) -> QuerySet[SlotEvent]:
    kinds = (SlotEventKind.SEND_BACK, SlotEventKind.SUBMIT, SlotEventKind.CLAIM)
    events = SlotEvent.objects.filter(slot=slot, person=person, kind__in=kinds)
    return events.order_by("-pk")[:1]


# What gaps become, and what is wrong with them.


@dataclass(frozen=True, slots=True)
class PreparedVariant:
    """Gaps after cleaning, and the variant that they make.

    Args:
        gaps: Cleaned; as they came where they cannot be.
        variant: Not stored yet, without its place; None where there is none.
        problems: What refuses it, or only warns.
        removed: How many invisible characters were removed.
    """

    gaps: tuple[str, ...]
    variant: Variant | None
    problems: tuple[Problem, ...]
    removed: int = 0


def prepare(
    sentence: Sentence, gaps: Sequence[str], *, asks: bool = False, has_note: bool = False
) -> PreparedVariant:
    """What gaps become and what is wrong with them (PER-2 to 6); writes nothing.

    Codes of problems: PER-2 not one gap more than there are errors; PER-empty no text; PER-4 an
    error has moved, or a new one was found; PER-4-note the reviewer is asked without a word;
    PER-5-original the same as the original; PER-6-edits and PER-6-tokens warn of too much change;
    ANN-12-nul, ANN-12-surrogate, ANN-12-too_long.

    Args:
        sentence: Of the case, its project with it.
        gaps: As they were typed.
        asks: Leave it to a reviewer that errors have moved.
        has_note: Whether there is a word to the reviewer.
    """
    (case,), lang = _cases(sentence.pk), sentence.project.lang
    chips = chips_of(case)
    if len(gaps) != len(chips) + 1:
        return PreparedVariant(tuple(gaps), None, (Problem("PER-2"),))
    problems: list[Problem] = []
    cleaned = []
    for n, gap in enumerate(gaps):
        try:
            cleaned.append(clean_gap(gap))
        except TextError as error:
            problems.append(Problem(f"ANN-12-{error.code}", f"gap-{n}", error.values, error.code))
    if problems:
        return PreparedVariant(tuple(gaps), None, tuple(problems))
    texts = tuple(gap.text for gap in cleaned)
    removed = sum(number for gap in cleaned for _, number in gap.removed)
    source, target = derive(texts, chips, lang)
    if not source or max(len(source), len(target)) > LONGEST:
        return PreparedVariant(texts, None, (_length_problem(source, target),), removed)
    variant = make_variant(sentence, source, target, gaps=texts)
    if variant.digest == variant_digest(sentence.text, lang):
        problems.append(Problem("PER-5-original"))
    else:
        division = _divide(case, lang, source, target)
        variant.moved = [asdict(move) for move in moves(chips, division, lang)]
        problems += _moved_problems(variant, asks=asks, has_note=has_note)
        problems += _strength_warnings(variant, sentence)
    return PreparedVariant(texts, variant, tuple(problems), removed)


def make_variant(
    sentence: Sentence, source: str, target: str, *, gaps: Sequence[str] | None
) -> Variant:
    """A variant that is not stored yet, measured against its original."""
    lang = sentence.project.lang
    measured = subtlety(sentence.text, source, lang)
    return Variant(
        sentence=sentence,
        gaps=None if gaps is None else list(gaps),
        source=source,
        target=target,
        digest=variant_digest(source, lang),
        edits=measured.edits,
        changed=measured.changed,
        tokens=measured.tokens,
    )


def _length_problem(source: str, target: str) -> Problem:
    if not source:
        return Problem("PER-empty")
    values = {"length": max(len(source), len(target)), "longest": LONGEST}
    return Problem("ANN-12-too_long", values=values, kind="too_long")


def _moved_problems(variant: Variant, *, asks: bool, has_note: bool) -> list[Problem]:
    if not variant.moved:
        return []
    if asks and has_note:
        return []
    if asks:
        return [Problem("PER-4-note", "note")]
    problems = []
    for move in variant.moved:
        values = {**move, "edit": f"{move['source'] or '▾'} → {move['target'] or '–'}"}
        field = f"chip-{move['error']}" if move["error"] else ""
        problems.append(Problem("PER-4", field, values, "" if field else "PER-4-new"))
    return problems


def _strength_warnings(variant: Variant, sentence: Sentence) -> list[Problem]:
    rules = sentence.project.rules
    percent = round(100 * variant.changed / variant.tokens) if variant.tokens else 0
    limits = (
        ("PER-6-edits", variant.edits, rules.perturb_edits),
        ("PER-6-tokens", percent, rules.perturb_percent),
    )
    return [
        Problem(code, values={"found": value, "most": most}, blocking=False)
        for code, value, most in limits
        if value > most
    ]


# A variant takes its place: called inside a transaction that holds the sentence.


def fit_slot(variant: Variant, slot: Slot, *, proposal: int = 0) -> list[Problem]:
    """Give a prepared variant the place of a slot; say what the others have against it.

    Codes of problems: PER-5-taken somebody else has the same; PER-proposal the proposal that it
    was made from is not the one of this slot.
    """
    variant.position, variant.origin = slot.no, VariantOrigin.PERSON
    variant.proposal = shown = proposal_for(slot)
    if proposal:
        # It may have been shown before the project's option was changed.
        variant.proposal = shown = _proposal_at(slot)
        if shown is None or shown.pk != proposal:
            return [Problem("PER-proposal")]
        same = variant.digest == shown.digest
        variant.origin = VariantOrigin.MACHINE if same else VariantOrigin.MACHINE_EDITED
    return find_same_variant(variant, slot)


def find_same_variant(variant: Variant, slot: Slot) -> list[Problem]:
    """The problem that another place of the case has the same variant; nothing of it is told."""
    others = _others_like(slot.sentence_id, variant.digest, slot.no)
    if not any(_counts(other, slot.sentence.golden_id) for other in others):
        return []
    return [Problem("PER-5-taken")]


@compiled_models
def _others_like(sentence: int, digest: str, position: int) -> QuerySet[Variant]:
    others = Variant.objects.filter(sentence=sentence, digest=digest).exclude(position=position)
    return others.select_related("submission__slot")


def _counts(variant: Variant, golden: int | None) -> bool:
    """Whether a variant holds its place now."""
    if variant.submission is not None:
        slot, submission = variant.submission.slot, variant.submission
        later = slot.submissions.filter(no__gt=submission.no)
        return slot.person_id == submission.person_id and not later.exists()
    if GoldenVariant.objects.filter(golden=golden, variant=variant).exists():
        return True
    return current_variants(variant.sentence_id).get(variant.position) == variant


def current_variants(sentence: int) -> dict[int, Variant]:
    """By place of a case, the last variant handed in, or what a reviewer made of that."""
    edits = {edit.edit_of.variant_id: edit for edit in _edits(sentence) if edit.edit_of}
    last = {variant.position: variant for variant in _submission_variants(sentence)}
    return {place: edits.get(variant.pk, variant) for place, variant in last.items()}


@compiled_models
def _submission_variants(sentence: int) -> QuerySet[Variant]:
    return Variant.objects.filter(sentence=sentence, submission__isnull=False).order_by("pk")


@compiled_models
def _edits(sentence: int) -> QuerySet[Variant]:
    edits = Variant.objects.filter(sentence=sentence, edit_of__in=VariantCheck.objects.all())
    return edits.select_related("edit_of").order_by("pk")


# What is wrong with variants of a file.


@dataclass(frozen=True, slots=True)
class FaultyVariant:
    """A variant of a case that is done, and what is wrong with it."""

    number: int
    position: int
    fault: Fault


def find_faults(project_id: int) -> list[FaultyVariant]:
    """The variants of a project's cases that are done and break a rule, by task number."""
    entries = GoldenVariant.objects.filter(
        golden__sentence__project=project_id, golden=F("golden__sentence__golden")
    )
    rows = entries.order_by("golden__sentence__number", "position").values_list(
        *("golden__sentence__number", "golden__sentence__text", "golden__sentence__target"),
        *("golden__sentence__project__lang", "position"),
        *("variant__source", "variant__target", "variant__moved"),
    )
    cases: dict[int, Any] = {}
    for number, text, target, lang, position, *variant in rows:
        case = cases.setdefault(number, ((text, target or ""), lang, [], []))
        case[2].append(position)
        case[3].append((variant[0], variant[1], bool(variant[2])))
    return [
        FaultyVariant(number, positions[index - 1], fault)
        for number, (original, lang, positions, variants) in cases.items()
        for index, fault in faults(original, variants, lang)
    ]


# What a corrector would change in a variant, on demand (PER-7); nothing of it is stored.

_corrector_lock = Lock()


@dataclass(frozen=True, slots=True)
class Hint:
    """What a corrector makes of the correction of a variant.

    Args:
        target: Of the variant.
        text: What the corrector would write; equal where it has nothing to say.
        corrector: Its name.
    """

    target: str
    text: str
    corrector: str


@cache
def _load_corrector(name: str) -> Corrector:
    return open_corrector(name)


def hint(member: Member, slot_id: int, gaps: Sequence[str]) -> Hint:
    """Say what the site's corrector would change in the correction that gaps make.

    Raises:
        NotYoursError: The project or the site has no hints, or the task is not open and theirs.
        RefusedError: The gaps are not those of the case.
        UnavailableError: The corrector does not answer.
        NotAllowedError: The member may not work now.
    """
    require_active(member)
    slots = open_slots(member, slot_id)
    case = PerturbationCase.objects.filter(sentence__slots__in=slots).first()
    name = settings.HINT_CORRECTORS[member.project.lang]
    if case is None or not member.project.rules.hints or not name:
        raise NotYoursError("there is no hint for task {slot_id}", slot_id=slot_id)
    chips = chips_of(case)
    if len(gaps) != len(chips) + 1:
        raise RefusedError([Problem("PER-2")])
    try:
        cleaned = [clean_gap(gap).text for gap in gaps]
    except TextError as error:
        code = f"ANN-12-{error.code}"
        raise RefusedError([Problem(code, "", error.values, error.code)]) from error
    target = derive(cleaned, chips, member.project.lang)[1]
    if not target:
        return Hint(target, target, name)
    try:
        with _corrector_lock:  # models are not for several threads at once
            (correction,) = _load_corrector(name).correct([target])
    except GecbenchError as error:
        raise UnavailableError(
            "the corrector of hints does not answer: {error}", error=str(error)
        ) from error
    return Hint(target, correction.text, name)


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
    return _open_cases(project).filter(~Exists(proposals))


def _open_cases(project: Project) -> QuerySet[PerturbationCase]:
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
    from gecbench.api.training_data import perturb  # heavy, and no page needs it

    require_kind(project, ProjectKind.PERTURB)
    cases = {str(case.sentence_id): case for case in cases_without(project)}
    there = _open_cases(project).count() - len(cases)
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
