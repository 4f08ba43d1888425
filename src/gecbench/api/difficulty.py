"""Difficulty of errors: from files and options to chunks, verdicts and weights."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, cast

from gecbench.analysis.difficulty.fitting import check_fits, fingerprint
from gecbench.analysis.difficulty.references import (
    ABSENT,
    CHOSEN,
    Absent,
    Reference,
    chosen,
    chosen_before,
    names,
    numbered,
)
from gecbench.analysis.difficulty.result import Difficulty, Named, analysed
from gecbench.analysis.difficulty.sheet import sheet
from gecbench.analysis.difficulty.weights import Weighting
from gecbench.api.edits import Watch, unwatched
from gecbench.api.judge import judge
from gecbench.api.options import Options
from gecbench.api.schemes import default_scheme, load_scheme
from gecbench.core.case import Case
from gecbench.core.edit import Edit
from gecbench.core.errors import UsageError
from gecbench.core.files import encoded, write_files
from gecbench.core.sample import Corpus, Rewrite, Sample, SystemOutput
from gecbench.core.scheme import Extraction, Scheme
from gecbench.core.sentence import Sentence
from gecbench.edits.chunks import corrects
from gecbench.formats.weights import Label, WeightFile, beside, read_weights, written_weights
from gecbench.scoring.judged import Judged

_MORE = (
    "there are {} references, of which the first counts; --reference-number takes another, each, "
    "or the chosen"
)

_ALONE = (
    "the weights are made of one system, so that all it gets right weighs nothing; give more "
    "systems, or weights from a file"
)

Which = int | Literal["each", "chosen"]


@dataclass(frozen=True, slots=True)
class DifficultyOptions:
    """How difficulty is measured.

    Args:
        weighting: From numbers of systems to weights.
        beta: Weight of recall in F.
        reference: The number of a reference, from 1, as `references.numbered` counts them;
            "each" by itself; or "chosen": for each sentence the one that systems come nearest to.
        absent: What of the sentences that have no such reference: they are left out, or are
            taken as free of errors ("unchanged"), as the official program takes them.
        weights: A weight file; None makes weights of these systems.
        part: Only the sentences from the first place (from 0) to before the second.
        normalise: Named changes of all texts before anything else, in their order.

    Raises:
        UsageError: A value that has no meaning.
    """

    weighting: Weighting = field(default_factory=Weighting)
    beta: float = 0.5
    reference: Which = 1
    absent: Absent = "left-out"
    weights: Path | str | None = None
    part: tuple[int, int] | None = None
    normalise: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse what has no meaning."""
        if isinstance(self.reference, str) and self.reference not in ("each", "chosen"):
            raise UsageError(
                f"reference number {self.reference!r} must be a number from 1, each, or chosen"
            )
        if self.absent not in ABSENT:
            raise UsageError(f"absent {self.absent!r} is unknown; one of: {', '.join(ABSENT)}")
        if self.weights is not None and self.reference == "each":
            raise UsageError("a weight file fits one reference; choose it, not each")


def difficulty(
    corpus: Corpus,
    systems: Sequence[SystemOutput],
    *,
    scheme: Scheme | str | Callable[[], Scheme] | None = None,
    options: DifficultyOptions | None = None,
    watch: Watch = unwatched,
) -> tuple[Difficulty, ...]:
    """Return how difficult the errors of a corpus are, and how systems fare with that.

    GoToScorer (Gotou et al., COLING 2020); see `gecbench.analysis.difficulty`. Of alternative
    edit sets, and of several versions of a system, the first counts.

    Args:
        corpus: With at least one reference for every sentence.
        systems: Their outputs, joined to this corpus; the weights are made of them unless the
            options name a weight file.
        scheme: As for `score`.
        options: How difficulty is measured.
        watch: Wraps long loops, to show progress.

    Returns:
        One result, or one for each reference.

    Raises:
        GecbenchError: Something does not fit together.
    """
    options = options or DifficultyOptions()
    if not systems:
        raise UsageError("difficulty needs at least one system")
    file = None if options.weights is None else read_weights(Path(options.weights))
    notes = _notes(corpus, systems)
    judged = judge(
        _first(corpus),
        [_first_of(system) for system in systems],
        scheme=_single(corpus, scheme),
        options=Options(beta=options.beta, part=options.part, normalise=options.normalise),
        watch=watch,
    )
    notes = (*judged.notes, *notes, *_unchanging(judged.cases))
    if options.reference == 1 and len(names(corpus.samples)) > 1:
        notes = (*notes, _MORE.format(len(names(corpus.samples))))
    references = _references(judged, corpus.samples, options, file)
    return tuple(_result(judged, one, options, file, notes) for one in references)


def _references(
    judged: Judged, whole: Sequence[Sample], options: DifficultyOptions, file: WeightFile | None
) -> list[Reference]:
    samples = judged.corpus.samples
    if options.reference == "chosen" and file is not None:
        return [chosen_before(samples, file)]
    if options.reference == "chosen":
        return [chosen(samples, judged.cases, options.beta)]
    if options.reference != "each":
        return [numbered(samples, options.reference, options.absent, whole)]
    numbers = range(1, len(names(whole)) + 1)
    found = [numbered(samples, number, options.absent, whole) for number in numbers]
    some = [one for one in found if any(pick is not None for pick in one.picks)]
    if not some:
        return found
    empty = tuple(f"{one.name}: no sentence has it here" for one in found if one not in some)
    return [replace(one, notes=(*one.notes, *empty)) for one in some]


def _result(
    judged: Judged,
    reference: Reference,
    options: DifficultyOptions,
    file: WeightFile | None,
    notes: Sequence[str],
) -> Difficulty:
    made = sheet(judged.cases, reference.picks)
    said = [*notes, *reference.notes]
    if file is not None:
        check_fits(file, made, f"corpus {judged.corpus.name!r} with {reference.name}")
        said.append(_known(file))
    elif len(judged.systems) == 1:
        said.append(_ALONE)
    (metric,) = judged.metrics.values()
    context = cast("Any", metric).context
    named = Named(
        judged.corpus.name,
        reference.name,
        tuple(dict.fromkeys(said)),
        {name: value for name, value in context.items() if name != "references"},
    )
    return analysed(made, options.weighting, options.beta, file, named)


def _known(file: WeightFile) -> str:
    """Return how it is known that a weight file fits."""
    name = file.path.name
    if file.label is not None and file.label.chosen is not None:
        return f"{name}: made with these references, chosen by the systems that made the weights"
    if file.label is not None:
        return f"{name}: its fingerprint says that it was made with this reference"
    return (
        f"{name}: has no fingerprint beside it ({beside(file.path).name}); its numbers of chunks "
        "fit this reference"
    )


def write_weights(found: Difficulty, path: Path | str) -> tuple[Path, Path]:
    """Write the weights of these systems, and beside them the fingerprint of their reference.

    The weights are in the official format; the fingerprint is in FILE.json, of which the
    official program knows nothing. Where references were chosen, it says which.

    Args:
        found: What the weights are of; made of its systems, not read from a file.
        path: The file.

    Returns:
        Both files.

    Raises:
        UsageError: The weights come from a file, or would go to standard output.
        GecbenchError: The files cannot be written.
    """
    files = weight_files(found, path)
    write_files({one: encoded(one, text) for one, text in files.items()})
    first, second = files
    return first, second


def weight_files(found: Difficulty, path: Path | str) -> dict[Path, str]:
    """Return what `write_weights` writes, by the paths of the files.

    Raises:
        UsageError: As there.
    """
    path = Path(path)
    if found.origin != "these systems":
        raise UsageError(f"the weights are those of {found.origin}; there are no new ones to write")
    if str(path) == "-":
        raise UsageError("weights are two files, the second with their fingerprint; name a file")
    made = found.sheet
    picks = zip(made.ids, made.picks, strict=True)
    chosen_ones = {name: pick + 1 for name, pick in picks} if found.reference == CHOSEN else None
    label = Label(
        found.corpus, found.reference, fingerprint(made), tuple(made.letters), chosen_ones
    )
    return written_weights(path, len(made.letters), made.right, label)


def _first(corpus: Corpus) -> Corpus:
    """Return a corpus with the first of alternative edit sets alone."""
    samples = tuple(
        replace(sample, references=tuple(map(_first_set, sample.references)))
        for sample in corpus.samples
    )
    return replace(corpus, samples=samples)


def _first_of(system: SystemOutput) -> SystemOutput:
    hypotheses = {
        name: tuple(map(_first_set, versions[:1])) for name, versions in system.hypotheses.items()
    }
    return replace(system, hypotheses=hypotheses)


def _first_set(rewrite: Rewrite) -> Rewrite:
    return replace(rewrite, edit_sets=rewrite.edit_sets[:1])


def _single(
    corpus: Corpus, scheme: Scheme | str | Callable[[], Scheme] | None
) -> Scheme | Callable[[], Scheme]:
    """Return the scheme, or how to get it, with the first of alternative edit sets alone."""
    if isinstance(scheme, str):
        return _first_only(load_scheme(scheme))
    if isinstance(scheme, Scheme):
        return _first_only(scheme)
    make = scheme
    if make is None:
        return lambda: _first_only(load_scheme(default_scheme(corpus)))
    return lambda: _first_only(make())


def _first_only(scheme: Scheme) -> Scheme:
    def extract(source: Sentence, target: Sentence) -> Extraction:
        return _only(scheme.extract(source, target))

    batch = scheme.batch
    signature = dict(scheme.signature)
    if "strategy" in signature:
        signature["strategy"] = "first"
    return replace(
        scheme,
        extract=extract,
        batch=None if batch is None else lambda pairs: [_only(one) for one in batch(pairs)],
        signature=signature,
    )


def _only(found: Extraction) -> Extraction:
    return Extraction(found.edit_sets[:1])


def _notes(corpus: Corpus, systems: Sequence[SystemOutput]) -> tuple[str, ...]:
    """Return what of the files takes no part or was put right."""
    references = [rewrite for sample in corpus.samples for rewrite in sample.references]
    sides = {corpus.name: references}
    notes = []
    for system in systems:
        several = sum(len(versions) > 1 for versions in system.hypotheses.values())
        if several:
            notes.append(
                f"{system.system}: sentences with several versions, of which the first counts: "
                f"{several} (if they are several systems, give the file by --systems-in)"
            )
        sides[system.system] = [v[0] for v in system.hypotheses.values() if v]
    for name, rewrites in sides.items():
        pooled = sum(len(rewrite.edit_sets) > 1 for rewrite in rewrites)
        sets = [rewrite.edit_sets[0] for rewrite in rewrites if rewrite.edit_sets]
        detected = sum(not corrects(edit) for edits in sets for edit in edits)
        jumbled = sum(map(_is_jumbled, sets))
        for number, what in (
            (pooled, "rewrites with alternative sets of edits, of which the first counts"),
            (detected, "edits that only detect (UNK, Um) and are no chunk"),
            (jumbled, "rewrites with edits out of order, which were put in order"),
        ):
            if number:
                notes.append(f"{name}: {what}: {number}")
    return tuple(notes)


def _is_jumbled(edits: Sequence[Edit]) -> bool:
    spans = [(edit.start, edit.end) for edit in edits]
    return spans != sorted(spans)


def _unchanging(cases: Mapping[str, Sequence[Case]]) -> list[str]:
    """Return notes on systems that change nothing, and on edits that change nothing."""
    notes = []
    for system, row in cases.items():
        edits = [(case.edit_tokens, edit) for case in row for edit in case.hypotheses[0].edits]
        if not edits:
            notes.append(f"{system}: changes nothing at all")
        same = sum(edit.replacement == tokens[edit.start : edit.end] for tokens, edit in edits)
        if same:
            notes.append(
                f"{system}: edits that leave the text as it is, which count as right changes as "
                f"in the official program: {same}"
            )
    return notes
