"""Perturbed cases (RobustGEC, Zhang et al., EMNLP 2023): where they were perturbed, and problems.

Every problem is found in texts alone: no system, scheme or pipeline takes part.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import takewhile
from typing import Literal

from gecbench.core.perturbed import PerturbedCase, PerturbedSet, marks
from gecbench.edits.alignment import changes

Tokens = tuple[str, ...]

# Through the perturbation: where a place of the original stands in a variant.

Action = Literal["substitution", "insertion", "deletion"]


@dataclass(frozen=True, slots=True)
class Region:
    """One perturbation: neighbouring tokens of the original that a variant has not, or others.

    Half-open token spans; one of them may be empty.

    Args:
        start: In the original.
        end: In the original.
        to_start: In the variant.
        to_end: In the variant.
    """

    start: int
    end: int
    to_start: int
    to_end: int

    @property
    def action(self) -> Action:
        """What was done to the original."""
        if self.start == self.end:
            return "insertion"
        return "deletion" if self.to_start == self.to_end else "substitution"


def perturbations(original: Tokens, variant: Tokens) -> tuple[Region, ...]:
    """Find what is different between two token sequences, by least edit distance.

    Equal beginnings and ends are matched first, which never makes the distance longer.

    >>> perturbations(tuple("abcd"), tuple("axcde"))
    (Region(start=1, end=2, to_start=1, to_end=2), Region(start=4, end=4, to_start=4, to_end=5))
    """
    if original == variant:
        return ()
    head = _common(original, variant)
    tail = _common(original[head:][::-1], variant[head:][::-1])
    regions = []
    shift = 0
    for edit in changes(original[head : len(original) - tail], variant[head : len(variant) - tail]):
        start, end, size = head + edit.start, head + edit.end, len(edit.replacement or ())
        regions.append(Region(start, end, start + shift, start + shift + size))
        shift += size - (end - start)
    return tuple(regions)


def _common(first: Tokens, second: Tokens) -> int:
    """Count the tokens that two sequences begin with alike."""
    pairs = takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False))
    return sum(1 for _ in pairs)


def start_image(regions: Sequence[Region], at: int) -> tuple[int, int]:
    """The first and last place of the variant where the left side of a token may stand.

    It is one place, unless the token is inside a perturbation.
    """
    shift = 0
    for region in regions:
        if at < region.start:
            break
        if at < region.end:
            return region.to_start, region.to_start if at == region.start else region.to_end
        shift = region.to_end - region.end
    return at + shift, at + shift


def end_image(regions: Sequence[Region], at: int) -> tuple[int, int]:
    """Likewise where the right side of the token before `at` may stand."""
    shift = 0
    for region in regions:
        if at <= region.start:
            break
        if at <= region.end:
            return region.to_end if at == region.end else region.to_start, region.to_end
        shift = region.to_end - region.end
    return at + shift, at + shift


def span_image(
    regions: Sequence[Region], start: int, end: int
) -> tuple[tuple[int, int], tuple[int, int]]:
    """Where the start and where the end of a span of the original may stand.

    An empty span is a place between two tokens; if something was put in just there, it may
    stand before, behind or within what is new, and both are that range.
    """
    if start == end:
        low, high = end_image(regions, start)[0], start_image(regions, start)[1]
        return (low, high), (low, high)
    return start_image(regions, start), end_image(regions, end)


# The problems of cases.

UNCHANGED = "unchanged"
REPEATED = "repeated"
TOUCHES = "touches-error"
UNEVEN = "uneven-perturbation"
HALF_FREE = "half-error-free"
EMPTY = "empty-reference"
BRACKETS = "stray-bracket"

KINDS = (UNCHANGED, REPEATED, TOUCHES, UNEVEN, HALF_FREE, EMPTY, BRACKETS)

_BRACKETS = "[]{}<>【】"


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem of a case.

    Args:
        kind: One of `KINDS`.
        subset: Where it is.
        case: Its id.
        sentence: As "A2"; "O" where it is the case as a whole.
        detail: The words that matter.
    """

    kind: str
    subset: str
    case: str
    sentence: str
    detail: str


@dataclass(frozen=True, slots=True)
class SubsetCheck:
    """One subset: its name, its size, and how many findings there are of each kind."""

    name: str
    cases: int
    variants: int
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class CaseCheck:
    """The problems of a set of cases.

    Args:
        corpus: Name of the set.
        subsets: In their order.
        findings: In the order of the cases.
    """

    corpus: str
    subsets: tuple[SubsetCheck, ...]
    findings: tuple[Finding, ...]

    def count(self, kind: str, subset: str | None = None) -> int:
        """Count the findings of a kind, in one subset or all."""
        checks = [check for check in self.subsets if subset in (None, check.name)]
        return sum(check.counts[kind] for check in checks)


def check_cases(cases: PerturbedSet, tokenise: Callable[[str], Tokens]) -> CaseCheck:
    """Look for problems in a set of perturbed cases."""
    findings = [
        Finding(kind, subset.name, case.id, sentence, detail)
        for subset in cases.subsets
        for case in subset.cases
        for kind, sentence, detail in _problems(case, tokenise)
    ]
    counts = Counter((finding.subset, finding.kind) for finding in findings)
    return CaseCheck(
        cases.name,
        tuple(
            SubsetCheck(
                subset.name,
                len(subset.cases),
                sum(len(case.variants) for case in subset.cases),
                {kind: counts[subset.name, kind] for kind in KINDS},
            )
            for subset in cases.subsets
        ),
        tuple(findings),
    )


def _problems(
    case: PerturbedCase, tokenise: Callable[[str], Tokens]
) -> Iterator[tuple[str, str, str]]:
    """Yield kind, sentence and detail of each problem of a case."""
    sources = [tokenise(sentence.source) for sentence in case.all]
    references = [tokenise(sentence.reference) for sentence in case.all]
    names = list(marks(len(sources)))
    errors = _differing_runs(sources[0], references[0])
    for k, (name, variant) in enumerate(zip(names, case.all, strict=True)):
        if not references[k]:
            yield EMPTY, name, _text(sources[k])
        if not k:
            continue
        yield from ((kind, name, text) for kind, text in _of_variant(k, sources, names, errors))
        here, there = (_replacements(side[0], side[k]) for side in (sources, references))
        if here != there:
            yield UNEVEN, name, f"source: {_describe(here)}; reference: {_describe(there)}"
        brackets = set(_BRACKETS) - {*case.original.source, *case.original.reference}
        if brackets & {*variant.source, *variant.reference}:
            yield BRACKETS, name, variant.source
    free = [source == reference for source, reference in zip(sources, references, strict=True)]
    if any(free) and not all(free):
        which = ", ".join(name for name, is_free in zip(names, free, strict=True) if is_free)
        yield HALF_FREE, "O", f"free of errors: {which}; the others are not"


def _of_variant(
    k: int, sources: Sequence[Tokens], names: Sequence[str], errors: Sequence[range]
) -> Iterator[tuple[str, str]]:
    """Yield kind and detail of what is wrong with the source of a variant."""
    original, variant = sources[0], sources[k]
    if original == variant:
        yield UNCHANGED, _text(variant)
    earlier = sources.index(variant, 1)
    if earlier < k:
        yield REPEATED, f"as {names[earlier]}: {_text(variant)}"
    if original == variant:
        return
    lost = _differing_runs(original, variant)
    touched = next(((p, e) for p in lost for e in errors if set(p) & set(e)), None)
    if touched:
        perturbed, error = (_text(original[span.start : span.stop]) for span in touched)
        yield TOUCHES, f"perturbs {perturbed}, where the error is {error}"


def _differing_runs(tokens: Tokens, other: Tokens) -> list[range]:
    """The runs of a sentence's tokens that another has not, by longest common runs.

    Least edit distance would pair off the words of a stretch that was moved or rewritten, and
    call each of them replaced.
    """
    blocks = SequenceMatcher(None, tokens, other, autojunk=False).get_opcodes()
    return [range(start, end) for tag, start, end, _, _ in blocks if tag in ("replace", "delete")]


def _replacements(before: Tokens, after: Tokens) -> list[tuple[Tokens, Tokens]]:
    """Tokens that a perturbation takes out, and those that it puts in."""
    regions = perturbations(before, after)
    return [(before[r.start : r.end], after[r.to_start : r.to_end]) for r in regions]


def _describe(replaced: Sequence[tuple[Tokens, Tokens]]) -> str:
    return ", ".join(f"{_text(before)} > {_text(after)}" for before, after in replaced) or "nothing"


def _text(tokens: Tokens) -> str:
    return " ".join(tokens) or "-"
