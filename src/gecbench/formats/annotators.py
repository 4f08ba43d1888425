"""Several systems in one file: each annotator of the file is a system, as in GoToScorer's M2."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from gecbench.core.errors import CorpusError, UsageError
from gecbench.core.sample import Corpus, Rewrite, SystemOutput
from gecbench.formats.reading import read_system

_UNCHANGED = Rewrite(error_free=True, edit_sets=((),))


def read_systems(
    path: Path, corpus: Corpus, *, names: Sequence[str] = (), format: str | None = None
) -> list[SystemOutput]:
    """Return what the annotators of a file made of the sentences of a corpus.

    A sentence without a line of a system is one that it leaves as it is. With names, annotators
    are the numbers from 0, as many as there are names, and one without any line at all is a system
    that changes nothing (the official program would read neither it nor those after it).

    Args:
        path: The file, in any format; usually M2.
        corpus: What the systems were run on.
        names: Of the systems, in the order of the annotators' numbers; () takes the numbers or
            names that the file has.
        format: Name of the file's format; None means find out.

    Raises:
        FormatError: The file breaks a rule of its format; begins with path:line.
        CorpusError: It does not fit the corpus, or the names.
        UsageError: A name stands twice.
    """
    whole = read_system(path, corpus, format=format)
    found = _annotators(path, whole)
    if names:
        wanted = [str(number) for number in range(len(names))]
        extra = [name for name in found if name not in wanted]
        if extra:
            raise CorpusError(
                f"{path}: has annotator {extra[0]}, but the {len(names)} names given are of "
                f"annotators 0 to {len(names) - 1}; name as many systems as there are"
            )
        if len(set(names)) < len(names):
            raise UsageError(f"a system is named twice in {','.join(names)}; name them apart")
    else:
        wanted = _in_order(path, found)
    return [
        SystemOutput(
            name,
            {
                key: tuple(r for r in versions if r.annotator == annotator) or (_UNCHANGED,)
                for key, versions in whole.hypotheses.items()
            },
            whole.tokens,
        )
        for annotator, name in zip(wanted, names or wanted, strict=True)
    ]


def _annotators(path: Path, whole: SystemOutput) -> list[str]:
    found: dict[str, None] = {}
    for key, versions in whole.hypotheses.items():
        for version in versions:
            if version.annotator is not None:
                found[version.annotator] = None
            elif not version.error_free:
                raise CorpusError(
                    f"{path}: sentence {key!r} has a rewrite that does not say whose it is; a "
                    "file of several systems names an annotator with each"
                )
    return list(found)


def _in_order(path: Path, found: Sequence[str]) -> list[str]:
    """Return the annotators, numbers in order; refuse a gap, which may be a system."""
    if not found:
        raise CorpusError(f"{path}: has no annotator; say by --names how many systems it has")
    if not all(name.isdecimal() for name in found):
        return list(found)
    ordered = sorted(found, key=int)
    numbers = {int(name) for name in found}
    missing = next((n for n in range(max(numbers)) if n not in numbers), None)
    if missing is not None:
        raise CorpusError(
            f"{path}: has annotator {ordered[-1]} but no line of annotator {missing}; say by "
            "--names how many systems there are: one without a line changes nothing"
        )
    return ordered
