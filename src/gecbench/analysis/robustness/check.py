"""What is wrong with a set of perturbed cases: variants that test nothing, or something else.

Every finding is made from texts alone: no system, scheme or pipeline takes part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from gecbench.analysis.robustness.mapping import Region, Tokens, perturbations
from gecbench.core.perturbed import PerturbedCase, PerturbedSet, marks

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
    """Something odd in a case.

    Args:
        kind: One of `KINDS`.
        subset: Where it is.
        case: Its id.
        mark: The sentence, as "A2"; "O" where it is the case as a whole.
        detail: The words that matter.
    """

    kind: str
    subset: str
    case: str
    mark: str
    detail: str


@dataclass(frozen=True, slots=True)
class Checked:
    """What a look at a set of cases found.

    Args:
        name: Of the set.
        subsets: Names, numbers of cases and numbers of variants.
        findings: In the order of the cases.
    """

    name: str
    subsets: tuple[tuple[str, int, int], ...]
    findings: tuple[Finding, ...]

    def count(self, kind: str, subset: str | None = None) -> int:
        """Return how many findings are of a kind, in one subset or all."""
        return sum(f.kind == kind and subset in (None, f.subset) for f in self.findings)


def check(cases: PerturbedSet, divide: Callable[[str], Tokens]) -> Checked:
    """Return what is odd in a set of cases.

    Args:
        cases: Perturbed cases.
        divide: Tokens of a text.
    """
    findings = [
        Finding(kind, subset.name, case.id, mark, detail)
        for subset in cases.subsets
        for case in subset.cases
        for kind, mark, detail in _odd(case, divide)
    ]
    return Checked(
        cases.name,
        tuple(
            (subset.name, len(subset.cases), sum(len(case.variants) for case in subset.cases))
            for subset in cases.subsets
        ),
        tuple(findings),
    )


def _odd(case: PerturbedCase, divide: Callable[[str], Tokens]) -> Iterator[tuple[str, str, str]]:
    """Yield kind, mark and detail of what is odd in a case."""
    sources = [divide(each.source) for each in case.all]
    references = [divide(each.reference) for each in case.all]
    names = list(marks(len(sources)))
    errors = _lost(sources[0], references[0])
    for k, mark in enumerate(names):
        if not references[k]:
            yield EMPTY, mark, _said(sources[k])
        if k:
            regions = perturbations(sources[0], sources[k])
            yield from _odd_variant(k, mark, sources, names, regions, errors)
            here = _words(regions, sources[0], sources[k])
            there = _words(
                perturbations(references[0], references[k]), references[0], references[k]
            )
            if here != there:
                yield UNEVEN, mark, f"source: {_shown(here)}; reference: {_shown(there)}"
            added = [
                c
                for c in _BRACKETS
                if c in case.all[k].source + case.all[k].reference
                and c not in case.original.source + case.original.reference
            ]
            if added:
                yield BRACKETS, mark, case.all[k].source
    free = [one == two for one, two in zip(sources, references, strict=True)]
    if any(free) and not all(free):
        which = ", ".join(mark for mark, each in zip(names, free, strict=True) if each)
        yield HALF_FREE, "O", f"free of errors: {which}; the others are not"


def _odd_variant(
    k: int,
    mark: str,
    sources: Sequence[Tokens],
    names: Sequence[str],
    regions: Sequence[Region],
    errors: Sequence[range],
) -> Iterator[tuple[str, str, str]]:
    if not regions:
        yield UNCHANGED, mark, _said(sources[k])
    earlier = sources.index(sources[k], 1)
    if earlier < k:
        yield REPEATED, mark, f"as {names[earlier]}: {_said(sources[k])}"
    if not regions or not errors:
        return
    lost = _lost(sources[0], sources[k])
    touched = next(((p, e) for p in lost for e in errors if set(p) & set(e)), None)
    if touched:
        perturbed, error = (_said(sources[0][each.start : each.stop]) for each in touched)
        yield TOUCHES, mark, f"perturbs {perturbed}, where the error is {error}"


def _lost(one: Tokens, two: Tokens) -> list[range]:
    """Return the runs of a sentence's tokens that another has not, by longest common runs.

    Least edit distance would pair off the words of a stretch that was moved or written anew, and
    call each of them replaced.
    """
    blocks = SequenceMatcher(None, one, two, autojunk=False).get_opcodes()
    return [range(start, end) for tag, start, end, _, _ in blocks if tag in ("replace", "delete")]


def _words(
    regions: Sequence[Region], one: Tokens, two: Tokens
) -> tuple[tuple[Tokens, Tokens], ...]:
    return tuple((one[r.start : r.end], two[r.to_start : r.to_end]) for r in regions)


def _shown(changes: Sequence[tuple[Tokens, Tokens]]) -> str:
    return ", ".join(f"{_said(one)} > {_said(two)}" for one, two in changes) or "nothing"


def _said(tokens: Tokens) -> str:
    return " ".join(tokens) or "-"
