"""All breakdowns of systems at once, and what separates two of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gecbench.analysis.breakdown import (
    Breakdown,
    by_errors,
    by_field,
    by_length,
    by_position,
    by_state,
    by_type,
    fields,
)
from gecbench.analysis.deciding import (
    Deciding,
    Difference,
    best_two,
    check_pair,
    deciding,
    differences,
)
from gecbench.analysis.facts import length_unit, signatures
from gecbench.core.errors import CorpusError, UnknownNameError, UsageError
from gecbench.scoring.judged import Judged
from gecbench.scoring.options import check_least, check_once
from gecbench.scoring.spans import SpanF

FIELD = "field:"
OF_EDITS = ("type-1", "type-2", "type-3", "position")
OF_SENTENCES = ("length", "errors", "state")
KINDS = (*OF_EDITS, *OF_SENTENCES)
"""All kinds of groups but metadata fields, which are `field:NAME`."""

_VALUES = 20
"""Fields with more values are no groups, unless they are asked for."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to look at.

    Args:
        by: Kinds of groups; () means all that say something.
        length_ends: Greatest lengths of all bins but the last; () means the usual ones.
        between: Names of the two systems to set against each other; () means the best two.
        least: Groups with fewer sentences or edits are not compared.
        most: How many deciding sentences to find.

    Raises:
        UsageError: A number is below what means something, a kind stands twice, or length bins
            are given and no lengths asked for.
    """

    by: tuple[str, ...] = ()
    length_ends: tuple[int, ...] = ()
    between: tuple[str, ...] = ()
    least: int = 10
    most: int = 10

    def __post_init__(self) -> None:
        """Refuse what means nothing."""
        check_least("least", self.least, 1)
        check_least("most", self.most, 0)
        for kind in self.by:
            if kind not in KINDS and not (kind.startswith(FIELD) and kind != FIELD):
                raise UnknownNameError("kind of groups", kind, [*KINDS, f"{FIELD}{kind}"])
        check_once("kind of groups", self.by)
        if self.length_ends and self.by and "length" not in self.by:
            raise UsageError(
                f"length bins are for groups by length, and --by is {','.join(self.by)}; "
                "add length to it, or leave the bins out"
            )


@dataclass(frozen=True, slots=True)
class Dissection:
    """The breakdowns of some systems.

    Args:
        corpus: Name of the corpus.
        systems: Their names.
        breakdowns: Metric by metric.
        pairs: By metric, the two systems that are set against each other; none for one system.
        differences: By metric, the groups in which they differ most, the widest first.
        deciding: By metric, the sentences that do most to their difference.
        notes: What the reader should know.
        signatures: How the numbers were made.
    """

    corpus: str
    systems: tuple[str, ...]
    breakdowns: tuple[Breakdown, ...]
    pairs: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    differences: Mapping[str, tuple[Difference, ...]] = field(default_factory=dict)
    deciding: Mapping[str, tuple[Deciding, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    signatures: tuple[str, ...] = ()


def dissect(judged: Judged, wanted: Wanted | None = None) -> Dissection:
    """Return the breakdowns of all systems by all metrics that apply.

    Raises:
        GecbenchError: A field or system that is asked for is not there, or no metric of the run
            can be grouped as asked.
    """
    wanted = wanted or Wanted()
    metrics = [name for name in judged.metrics if name not in judged.refused]
    made = {name: _breakdowns(judged, name, wanted) for name in metrics}
    _check_all_made(judged, made, wanted)
    pairs = {name: pair for name in metrics if (pair := _pair(judged, name, wanted))}
    flat = tuple(each for own in made.values() for each in own)
    decide = {name: deciding(judged, name, *pair, most=wanted.most) for name, pair in pairs.items()}
    return Dissection(
        corpus=judged.corpus.name,
        systems=tuple(judged.systems),
        breakdowns=flat,
        pairs=pairs,
        differences={
            name: differences(made[name], *pair, least=wanted.least) for name, pair in pairs.items()
        },
        deciding=decide,
        notes=(
            *(*judged.notes, *judged.refused.values(), *_notes(judged, flat)),
            *_notes_on_sentences(judged, decide, wanted),
        ),
        signatures=signatures(judged, metrics),
    )


def _breakdowns(judged: Judged, metric: str, wanted: Wanted) -> list[Breakdown]:
    if not wanted.by:
        return _telling(judged, metric, wanted)
    of_edits = isinstance(judged.metrics[metric], SpanF)
    kinds = [kind for kind in wanted.by if of_edits or kind not in OF_EDITS]
    found = [_made(judged, metric, kind, wanted) for kind in kinds]
    return [each for each in found if each is not None]


def _made(judged: Judged, metric: str, kind: str, wanted: Wanted) -> Breakdown | None:
    if kind.startswith(FIELD):
        return by_field(judged, metric, kind.removeprefix(FIELD))
    if kind.startswith("type-"):
        return by_type(judged, metric, int(kind[-1]))
    if kind == "length":
        return by_length(judged, metric, wanted.length_ends)
    plain = {"position": by_position, "errors": by_errors, "state": by_state}
    return plain[kind](judged, metric)


def _telling(judged: Judged, metric: str, wanted: Wanted) -> list[Breakdown]:
    """Return breakdowns of all kinds, without tiers of types that repeat another."""
    samples = judged.corpus.samples
    kinds = [*OF_EDITS] * isinstance(judged.metrics[metric], SpanF) + [*OF_SENTENCES]
    for name in fields(judged):
        values = {sample.meta.get(name) for sample in samples}
        if None not in values and 1 < len(values) <= _VALUES:
            kinds.append(f"{FIELD}{name}")
    found: list[Breakdown] = []
    for kind in kinds:
        each = _made(judged, metric, kind, wanted)
        known = [one.groups for one in found if one.unit == "edits"]
        repeats = kind.startswith("type-") and each and (each.groups in [*known, ("-",)])
        if each is not None and not repeats:
            found.append(each)
    return found


def _check_all_made(
    judged: Judged, made: Mapping[str, Sequence[Breakdown]], wanted: Wanted
) -> None:
    known = {each.by for own in made.values() for each in own}
    for kind in wanted.by:
        if kind not in known:
            needs = "a span metric, as cherrant or errant"
            if kind == "errors":
                if any(judged.metrics[name].needs != "texts" for name in made):
                    raise CorpusError(
                        f"{judged.corpus.name}: --by errors needs references with edits, and "
                        "nobody could correct any sentence; leave it out"
                    )
                needs = "a metric that reads edits of the references, as cherrant, errant or m2"
            raise UsageError(f"--by {kind} needs {needs}; here is {', '.join(made)}")


def _pair(judged: Judged, metric: str, wanted: Wanted) -> tuple[str, str] | None:
    if wanted.between:
        return check_pair(judged, wanted.between)
    return best_two(judged, metric)


def _notes_on_sentences(
    judged: Judged, decide: Mapping[str, Sequence[Deciding]], wanted: Wanted
) -> list[str]:
    notes = [
        f"{name}: one sentence alone is scored; what it decides cannot be told, as nothing is left "
        "without it"
        for name in decide
        if wanted.most and len(judged.scored(name)) == 1
    ]
    shown = {each.id: each for own in decide.values() for each in own}
    lost = sum((each.one, each.two, *each.references).count(None) for each in shown.values())
    if lost:
        notes.append(
            f"{lost} texts of the sentences that decide are known only by edits that overlap and "
            "cannot be shown"
        )
    return notes


def _notes(judged: Judged, made: Sequence[Breakdown]) -> list[str]:
    kinds = {each.by for each in made}
    notes = []
    if any(each.unit == "edits" for each in made):
        notes.append(
            "types and positions: the edits of the whole corpus's choice of references, so that "
            "the counts of all groups make up the score's"
        )
    if any(each.unit == "sentences" for each in made):
        notes.append("groups of sentences are scored each as a corpus of its own")
    if "length" in kinds:
        notes.append(f"length: in {length_unit(judged)} of the source")
    if "errors" in kinds:
        notes.append(
            "errors: mean number of edits of a sentence's references, halves rounded up; of "
            "alternative edit sets the first"
        )
    if "state" in kinds:
        notes.append(
            "state: erroneous if all annotators correct something, disputed if some do, "
            "error-free if none does"
        )
    return notes
