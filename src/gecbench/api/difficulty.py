"""Difficulty of errors: from files and options to chunks, verdicts and weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from gecbench.analysis.difficulty import (
    LEFT_OUT,
    NEAREST,
    Difficulty,
    ReferenceChoice,
    measure_difficulty,
    nearest_references,
    reference_by_number,
    reference_names,
    references_of_weights,
)
from gecbench.api.files import in_language
from gecbench.api.options import AnyScheme, Options
from gecbench.api.score import collect_stats
from gecbench.api.verb_options import DifficultyOptions
from gecbench.core.case import Case
from gecbench.core.errors import CorpusError, UsageError
from gecbench.core.files import encode_text, path_of, write_files
from gecbench.core.sample import Corpus, Sample, SystemOutput, Systems, as_systems
from gecbench.core.scheme import Watch, no_progress
from gecbench.edits.chunks import corrects
from gecbench.formats.weights import Label, WeightFile, format_weights, label_path, read_weights
from gecbench.scoring.results import RunStats, first_edit_sets

_MORE = (
    "there are {} references, of which the first counts; --reference-number takes another, each, "
    "or the chosen"
)

_ALONE = (
    "the weights are made of one system, so that all it gets right weighs nothing; give more "
    "systems, or weights from a file"
)


def difficulty(
    corpus: Corpus,
    systems: Systems,
    *,
    scheme: AnyScheme = None,
    options: DifficultyOptions | None = None,
    lang: str | None = None,
    watch: Watch = no_progress,
) -> tuple[Difficulty, ...]:
    """Measure how difficult the errors of a corpus are, and how systems fare with that.

    GoToScorer (Gotou et al., COLING 2020); see `gecbench.analysis.difficulty`. Of alternative
    edit sets, and of several versions of a system, the first counts.

    Args:
        corpus: With at least one reference for every sentence.
        systems: Their outputs, joined to this corpus; the weights are made of them unless the
            options name a weight file.
        scheme: As for `score`.
        options: How difficulty is measured.
        lang: Code of the language of the texts; None takes that of the corpus.
        watch: Wraps long loops, to show progress.

    Returns:
        One result, or one for each reference.

    Raises:
        GecbenchError: Something does not fit together.
    """
    options = options or DifficultyOptions()
    corpus = in_language(corpus, lang)
    systems = as_systems(systems)
    if not systems:
        raise UsageError("difficulty needs at least one system")
    file = None if options.weights is None else read_weights(path_of(options.weights))
    notes = _notes(corpus, systems)
    run_stats = collect_stats(
        corpus,
        [_first_versions(system) for system in systems],
        scheme=scheme,
        options=Options(
            beta=options.beta,
            part=options.part,
            normalise=options.normalise,
            re_extract=options.re_extract,
        ),
        watch=watch,
    )
    run_stats = first_edit_sets(run_stats)
    notes = (*notes, *_unchanging(run_stats.cases))
    number = len(reference_names(corpus.samples))
    if options.reference == 1 and number > 1:
        notes = (*notes, _MORE.format(number))
    last = (_file_note(file),) if file else (_ALONE,) if len(run_stats.systems) == 1 else ()
    try:
        return tuple(
            measure_difficulty(
                run_stats,
                replace(choice, notes=(*choice.notes, *last)),
                options.weighting,
                options.beta,
                file=file,
                notes=notes,
            )
            for choice in _choices(run_stats, corpus.samples, options, file)
        )
    except CorpusError:
        if file is None or options.re_extract is not None:
            raise
        # Published weights fit the edits of the published file, not those extracted again.
        as_in_file = replace(options, re_extract=False)
        return difficulty(corpus, systems, scheme=scheme, options=as_in_file, watch=watch)


def _choices(
    run_stats: RunStats,
    whole: Sequence[Sample],
    options: DifficultyOptions,
    file: WeightFile | None,
) -> list[ReferenceChoice]:
    samples = run_stats.corpus.samples
    if options.reference == "chosen" and file is not None:
        return [references_of_weights(samples, file)]
    if options.reference == "chosen":
        return [nearest_references(samples, run_stats.cases, options.beta)]
    if options.reference != "each":
        return [reference_by_number(samples, options.reference, options.absent, whole)]
    numbers = range(1, len(reference_names(whole)) + 1)
    choices = [reference_by_number(samples, n, options.absent, whole) for n in numbers]
    usable = [choice for choice in choices if set(choice.choices) != {LEFT_OUT}]
    empty = tuple(
        f"{choice.name}: no sentence has it here" for choice in choices if choice not in usable
    )
    return [replace(choice, notes=(*choice.notes, *empty)) for choice in usable] or choices


def _file_note(file: WeightFile) -> str:
    """How it is known that a weight file fits."""
    name = file.path.name
    if file.label is not None and file.label.chosen is not None:
        return f"{name}: made with these references, chosen by the systems that made the weights"
    if file.label is not None:
        return f"{name}: its fingerprint says that it was made with this reference"
    return (
        f"{name}: has no fingerprint beside it ({label_path(file.path).name}); its "
        "numbers of chunks fit this reference"
    )


def write_weights(result: Difficulty, path: Path | str) -> tuple[Path, Path]:
    """Write the weights of these systems, and beside them the fingerprint of their reference.

    The weights are in the official format; the fingerprint is in FILE.json, of which the
    official program knows nothing. Where references were chosen, it says which.

    Args:
        result: What the weights are of; made of its systems, not read from a file.
        path: The file.

    Returns:
        Both files.

    Raises:
        UsageError: The weights come from a file, or would go to standard output.
        GecbenchError: The files cannot be written.
    """
    files = weight_files(result, path)
    write_files({file: encode_text(file, text) for file, text in files.items()})
    first, second = files
    return first, second


def weight_files(result: Difficulty, path: Path | str) -> dict[Path, str]:
    """Make what `write_weights` writes, by the paths of the files.

    Raises:
        UsageError: As there.
    """
    path = path_of(path)
    if result.origin != "these systems":
        raise UsageError(
            f"the weights are those of {result.origin}; there are no new ones to write"
        )
    if str(path) == "-":
        raise UsageError("weights are two files, the second with their fingerprint; name a file")
    table = result.table
    numbers = {name: at + 1 for name, at in zip(table.ids, table.choices, strict=True)}
    label = Label(
        corpus=result.corpus,
        reference=result.reference,
        fingerprint=table.fingerprint(),
        systems=tuple(table.verdicts),
        chosen=numbers if result.reference == NEAREST else None,
    )
    return format_weights(path, len(table.verdicts), table.right, label)


def _first_versions(system: SystemOutput) -> SystemOutput:
    """Leave the first version of each sentence; whoever gives one only is returned as it is."""
    if all(len(versions) <= 1 for versions in system.hypotheses.values()):
        return system
    first = {name: versions[:1] for name, versions in system.hypotheses.items()}
    return replace(system, hypotheses=first)


def _notes(corpus: Corpus, systems: Sequence[SystemOutput]) -> tuple[str, ...]:
    """What of the files takes no part or was put right."""
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
        spans = [[(edit.start, edit.end) for edit in edits] for edits in sets]
        jumbled = sum(edit_spans != sorted(edit_spans) for edit_spans in spans)
        for number, what in (
            (pooled, "rewrites with alternative sets of edits, of which the first counts"),
            (detected, "edits that only detect (UNK, Um) and are no chunk"),
            (jumbled, "rewrites with edits out of order, which were put in order"),
        ):
            if number:
                notes.append(f"{name}: {what}: {number}")
    return tuple(notes)


def _unchanging(cases: Mapping[str, Sequence[Case]]) -> list[str]:
    """Notes on systems that change nothing, and on edits that change nothing."""
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
