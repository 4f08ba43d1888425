"""Whether a variant keeps the errors of its original, found out again from the texts."""

from __future__ import annotations

from gecbench.core.perturbed import PerturbedCase, Variant
from gecbench.edits.alignment import changes
from gecbench.text.tokens import tokens_of

Change = tuple[int, tuple[str, ...], tuple[str, ...]]


def tokens(text: str, kind: str) -> tuple[str, ...]:
    return tuple(token.text for token in tokens_of(text, kind))


def errors(pair: Variant, kind: str) -> list[Change]:
    """Start, tokens and correction of each gold edit."""
    source = tokens(pair.source, kind)
    edits = changes(source, tokens(pair.reference, kind))
    return [(edit.start, source[edit.start : edit.end], edit.replacement) for edit in edits]


def one_change(old: tuple[str, ...], new: tuple[str, ...]) -> tuple[int, int, int]:
    """Start, end and new end of the one stretch in which two sentences differ."""
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    behind = 0
    while behind < min(len(old), len(new)) - start and old[-1 - behind] == new[-1 - behind]:
        behind += 1
    return start, len(old) - behind, len(new) - behind


def problems(case: PerturbedCase, kind: str) -> list[str]:
    """What is wrong with a case: an error that moved by itself, is lost or new, or was touched."""
    faults = []
    if len({text.source for text in case.all}) < len(case.all):
        faults.append("not all different")
    expected = errors(case.original, kind)
    old, old_target = (
        tokens(text, kind) for text in (case.original.source, case.original.reference)
    )
    for variant in case.variants:
        new, new_target = tokens(variant.source, kind), tokens(variant.reference, kind)
        start, end, new_end = one_change(old, new)
        t_start, t_end, t_new_end = one_change(old_target, new_target)
        if (end - start, new_end - start) != (t_end - t_start, t_new_end - t_start):
            faults.append(f"another change in the reference: {variant}")
        step = len(new) - len(old)
        new_errors = errors(variant, kind)
        if [error[1:] for error in new_errors] != [error[1:] for error in expected]:
            faults.append(f"errors {new_errors}, not {expected}: {variant}")
        elif any(
            first[0] not in (second[0], second[0] + step)
            for first, second in zip(new_errors, expected, strict=True)
        ):
            faults.append(f"errors moved: {variant}")
        if not (variant.source.strip() and variant.reference.strip()):
            faults.append(f"empty: {variant}")
    return faults
