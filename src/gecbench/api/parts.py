"""Which sentences are scored, and in which groups."""

from __future__ import annotations

from gecbench.api.options import Options
from gecbench.core.errors import CorpusError, UsageError
from gecbench.core.sample import Corpus


def places(corpus: Corpus, options: Options) -> tuple[list[int], dict[str, int]]:
    """Return which sentences are wanted, and how many are not, by reason."""
    total = len(corpus.samples)
    wanted = list(range(total))
    if options.part:
        first, last = options.part
        if not 0 <= first < last <= total:
            raise UsageError(
                f"range {first}:{last} must be A:B with 0 <= A < B <= {total}, the number of "
                "sentences; it means sentences A+1 to B"
            )
        wanted = wanted[first:last]
    inside = len(wanted)
    if options.references_exactly is not None:
        most, exactly = options.max_references, options.references_exactly
        wanted = [p for p in wanted if len(corpus.samples[p].references[:most]) == exactly]
        if not wanted:
            raise CorpusError(f"{corpus.name}: no sentence has exactly {exactly} references")
    return wanted, {
        "outside the range": total - inside,
        "other number of references": inside - len(wanted),
    }


def subsets(corpus: Corpus, by: str | None) -> dict[str | None, list[int]]:
    """Return the places of all sentences, then of those that share a value of a field."""
    groups: dict[str | None, list[int]] = {None: list(range(len(corpus.samples)))}
    for place, sample in enumerate(corpus.samples):
        if by is None:
            break
        if by not in sample.meta:
            known = sorted({name for one in corpus.samples for name in one.meta})
            raise CorpusError(
                f"{corpus.name}: sentence {sample.id!r} has no metadata field {by!r}; "
                f"fields are: {', '.join(known) or 'none (add some with --meta)'}"
            )
        groups.setdefault(sample.meta[by], []).append(place)
    return groups
