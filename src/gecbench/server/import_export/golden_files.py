"""Golden sets and perturbed cases as files: what a project has now, or a release froze."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC
from typing import Any, TypeVar

from django.conf import settings
from django.db.models import Count, F, Prefetch

from gecbench.api.schemes import extract, load_scheme
from gecbench.core.errors import UsageError
from gecbench.core.perturbed import PerturbedCase, PerturbedSet, Subset
from gecbench.core.perturbed import Variant as Pair
from gecbench.core.sample import Corpus, Sample
from gecbench.core.scheme import Scheme
from gecbench.formats import load_format
from gecbench.formats.perturbed import write_blocks, write_perturbed, write_sources
from gecbench.lang import SCHEMES
from gecbench.server.choices import SUBMITTED_OR_LATER, SentenceState
from gecbench.server.import_export.corpora import (
    GoldenRow,
    Look,
    Naming,
    by_number,
    lines_of,
    real_sentences,
    samples,
)
from gecbench.server.models import (
    GoldenReference,
    GoldenVariant,
    Project,
    Proposal,
    Sentence,
    Variant,
    VariantCheck,
)

Pieces = Callable[[], Iterable[list[GoldenRow]]]
"""Begins again at each call."""

_PieceT = TypeVar("_PieceT")

CASE_FORMATS: Mapping[str, tuple[str, ...]] = {
    "robustgec": (".para.txt", ".input.txt"),
    "cases": (".jsonl",),
}
"""Format of perturbed cases to the endings of its files."""

LANGUAGES: Mapping[str, str] = {"zh-char": "zh", "zh-cherrant": "zh", "en-errant": "en"}
"""Scheme to its language: known without loading it."""


@dataclass(frozen=True, slots=True)
class GoldenFile:
    """One file of golden sets, before it is written.

    Args:
        format: Of golden sets or cases, by its name.
        part: Of parallel text: ".src", ".ref0", ...; else "".
        scheme: Of M2: how edits are found; else "".
        wide: Of parallel text: how many files of references there are.
    """

    format: str
    part: str = ""
    scheme: str = ""
    wide: int = 1


@dataclass(frozen=True, slots=True)
class Frame:
    """What all pieces of a file share.

    Args:
        name: Of the corpus.
        lang: Its language.
        look: How texts and facts leave the site.
        provenance: Where the corpus comes from; in JSONL alone.
    """

    name: str
    lang: str
    look: Look
    provenance: Mapping[str, str] = field(default_factory=dict)

    def corpus(self, piece: Iterable[Sample]) -> Corpus:
        """A piece as a corpus."""
        return Corpus(self.name, tuple(piece), self.lang, self.provenance)


def check_scheme(name: str, lang: str) -> None:
    """Refuse a scheme that there is not, or that is for another language.

    Raises:
        UsageError: Names those that there are.
    """
    schemes = [scheme for scheme in SCHEMES if LANGUAGES.get(scheme) == lang]
    if name not in schemes:
        raise UsageError(
            "M2 needs a scheme of edits for language {lang!r}, not {name!r}; there are: {names}",
            lang=lang,
            name=name,
            names=", ".join(schemes),
        )


def golden_file(file: GoldenFile, pieces: Pieces, frame: Frame) -> Iterator[bytes]:
    """Yield the content of a file, some hundred sentences at a time.

    Raises:
        CorpusError: A text that the format cannot hold; names the sentence.
    """
    write = golden_writer(file, frame)
    for piece in pieces():
        yield write(piece)


def golden_writer(file: GoldenFile, frame: Frame) -> Callable[[Sequence[GoldenRow]], bytes]:
    """What makes the next piece of a file of the next golden versions."""
    if file.format in CASE_FORMATS:
        write_cases = _case_writer(file, frame)
        return lambda rows: write_cases(cases_of(rows)).encode()
    write = sample_writer(file, frame)
    return lambda rows: write(samples(rows, frame.look))


def sample_writer(file: GoldenFile, frame: Frame) -> Callable[[Sequence[Sample]], bytes]:
    """What makes the next piece of a file of the next sentences."""
    write = _WRITERS[file.format](file, frame)
    return lambda piece: write(frame.corpus(piece)).encode()


def _case_writer(file: GoldenFile, frame: Frame) -> Callable[[Sequence[PerturbedCase]], str]:
    if file.format == "robustgec":
        return write_sources if file.part == ".input.txt" else write_blocks

    def rows(cases: Sequence[PerturbedCase]) -> str:
        subset = Subset(frame.name, tuple(cases))
        return write_perturbed(PerturbedSet(frame.name, (subset,), frame.lang, frame.provenance))

    return _with_one_header(rows)


def _with_one_header(write: Callable[[_PieceT], str]) -> Callable[[_PieceT], str]:
    """Write pieces that each begin with the same line, which stands once in the file."""
    headers = iter([True])

    def rows(piece: _PieceT) -> str:
        text = write(piece)
        return text if next(headers, False) else text.partition("\n")[2]

    return rows


def width(pieces: Pieces) -> int:
    """How many references the sentence with most of them has, at least one."""
    most = 1
    for piece in pieces():
        counts = (
            GoldenReference.objects.filter(golden_id__in=[row.golden for row in piece])
            .order_by()
            .values_list("golden_id")
            .annotate(references=Count("id"))
        )
        most = max([most, *(count for _, count in counts)])
    return most


_Write = Callable[[Corpus], str]


def _whole(file: GoldenFile, frame: Frame) -> _Write:
    del frame
    write = load_format(file.format).write
    return lambda corpus: write(corpus)[""]


def _jsonl(file: GoldenFile, frame: Frame) -> _Write:
    del file, frame
    write = load_format("jsonl").write
    return _with_one_header(lambda corpus: write(corpus)[""])


def _parallel(file: GoldenFile, frame: Frame) -> _Write:
    del frame
    write = load_format("lines").write

    def lines(corpus: Corpus) -> str:
        # One sentence with as many references as any in the file makes all files appear.
        first, *rest = corpus.samples
        filled = first.references + first.references[:1] * (file.wide - len(first.references))
        padded = replace(corpus, samples=(replace(first, references=filled), *rest))
        return write(padded)[file.part]

    return lines


def _m2(file: GoldenFile, frame: Frame) -> _Write:
    check_scheme(file.scheme, frame.lang)
    scheme: Scheme = load_scheme(file.scheme, places=settings.PLACES)
    write = load_format("m2").write
    return lambda corpus: write(extract(corpus, scheme))[""]


_WRITERS: Mapping[str, Callable[[GoldenFile, Frame], _Write]] = {
    "mucgec": _whole,
    "jsonl": _jsonl,
    "parallel": _parallel,
    "m2": _m2,
}


def cases_of(rows: Sequence[GoldenRow]) -> list[PerturbedCase]:
    """Cases with the variants of a golden version, in the order given."""
    texts = {
        key: (name, text, target or "")
        for key, name, text, target in Sentence.objects.filter(
            pk__in=[row.sentence for row in rows]
        ).values_list("pk", "external_id", "text", "target")
    }
    variants: dict[int, list[Pair]] = defaultdict(list)
    entries = GoldenVariant.objects.filter(golden__in=[row.golden for row in rows])
    for golden, source, target in entries.order_by("golden", "position").values_list(
        "golden", "variant__source", "variant__target"
    ):
        variants[golden].append(Pair(source, target))
    return [
        PerturbedCase(
            texts[row.sentence][0], Pair(*texts[row.sentence][1:]), tuple(variants[row.golden])
        )
        for row in rows
    ]


def widths(rows: Sequence[GoldenRow]) -> set[int]:
    """The numbers of variants that cases have."""
    counts: dict[int, int] = defaultdict(int)
    entries = GoldenVariant.objects.filter(golden__in=[row.golden for row in rows])
    for golden in entries.values_list("golden", flat=True):
        counts[golden] += 1
    return set(counts.values())


def export_variants(project: Project, look: Look, naming: Naming) -> Iterator[bytes]:
    """Yield an object a line: a case, all its variants, who made what, and each check."""
    checks = VariantCheck.objects.select_related("review").order_by("pk")
    variants = Variant.objects.select_related("submission__slot", "proposal")
    variants = variants.annotate(guideline=F("submission__guideline__version"))
    variants = variants.prefetch_related(Prefetch("checks", checks)).order_by("position", "pk")
    cases = real_sentences(project).exclude(state=SentenceState.WITHDRAWN)
    cases = cases.filter(case__isnull=False).select_related("case", "golden")
    cases = cases.prefetch_related(
        Prefetch("variants", variants),
        Prefetch("proposals", Proposal.objects.order_by("position")),
        "golden__variants",
    )

    def rows(piece: Sequence[Sentence]) -> list[dict[str, object]]:
        return [_case(sentence, look, naming) for sentence in piece]

    for objects in by_number(cases, rows):
        yield from lines_of(objects)


def _case(sentence: Sentence, look: Look, naming: Naming) -> dict[str, object]:
    golden = sentence.golden
    accepted = {entry.variant_id for entry in golden.variants.all()} if golden else set()
    return {
        "id": sentence.external_id,
        "number": sentence.number,
        "source": sentence.text,
        "target": sentence.target,
        "meta": look.meta(sentence.meta, sentence.source_id),
        "state": sentence.state,
        "golden_version": golden.version if golden else None,
        "scheme": sentence.case.scheme,
        "signature": sentence.case.signature,
        "gaps": sentence.case.gaps,
        "errors": sentence.case.chips,
        "proposals": [_proposal(proposal) for proposal in sentence.proposals.all()],
        "variants": [_variant(variant, naming, accepted) for variant in sentence.variants.all()],
    }


def _proposal(proposal: Proposal) -> Mapping[str, Any]:
    return {
        "position": proposal.position,
        "source": proposal.source,
        "target": proposal.target,
        "model": proposal.model,
        "version": proposal.model_version,
        "at": _time(proposal),
    }


def _variant(variant: Any, naming: Naming, golden: set[int]) -> Mapping[str, Any]:
    submission, proposal = variant.submission, variant.proposal
    return {
        "position": variant.position,
        "source": variant.source,
        "target": variant.target,
        "gaps": variant.gaps,
        "origin": variant.origin,
        "golden": variant.pk in golden,
        "annotator": naming.of(submission.person_id) if submission else None,
        "no": submission.no if submission else None,
        "stands": submission.slot.state in SUBMITTED_OR_LATER if submission else None,
        "note": submission.reason_note if submission else "",
        "guideline": variant.guideline,
        "active_ms": submission.active_ms if submission else None,
        "proposal": {"model": proposal.model, "version": proposal.model_version}
        if proposal
        else None,
        "edits": variant.edits,
        "changed_tokens": variant.changed,
        "tokens": variant.tokens,
        "moved": variant.moved,
        "at": _time(variant),
        "checks": [
            {
                "reviewer": naming.of(check.review.reviewer_id),
                "at": check.review.at.astimezone(UTC).isoformat(timespec="milliseconds"),
                "decision": check.decision,
                "reasons": check.reasons,
                "note": check.note,
                "allows_moved": check.allows_moved,
            }
            for check in variant.checks.all()
        ],
    }


def _time(row: Proposal | Variant) -> str:
    return row.at.astimezone(UTC).isoformat(timespec="milliseconds")
