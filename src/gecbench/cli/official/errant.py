"""gecbench errant-parallel, errant-m2 and errant-compare: the command lines of errant 3.0.2."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Literal

import click

from gecbench.api.options import SchemeSpec
from gecbench.cli.command import argparse_command, refuse
from gecbench.cli.official.comparison import NO_EDITS, SCORE_FROM, Flags, compare
from gecbench.cli.options import say, watch
from gecbench.core.errors import FormatError, UsageError
from gecbench.core.options import Argument, Option, Without
from gecbench.core.sample import Corpus, Rewrite, Sample

_PIPELINE = "en_core_web_sm"
"""What ERRANT loads."""

Strategy = Literal["rules", "all-split", "all-merge", "all-equal"]

Pipeline = Annotated[
    SchemeSpec,
    Without("name", "strategy", "simplify", "merging", "levenshtein", "settings", "places"),
]
Out = Annotated[Path, Option("-out", "The M2 file to write.", writes=("",))]
Levenshtein = Annotated[bool, Option("-lev", "Align by plain edit distance.")]
Merging = Annotated[
    Strategy,
    Option("-merge", "How steps of the alignment become edits."),
]


@argparse_command
def errant_parallel(
    original: Annotated[Path, Option("-orig", "The original text, a sentence a line.")],
    corrected: Annotated[
        tuple[Path, ...],
        Option("-cor", "The corrected texts.", metavar="FILE [FILE...]", greedy=True),
    ],
    output: Out,
    pipeline: Pipeline,
    tokenise: Annotated[bool, Option("-tok", "Refused: divide the texts before.")] = False,
    levenshtein: Levenshtein = False,
    merging: Merging = "rules",
) -> None:
    """ERRANT's errant_parallel: the edits between parallel texts, as M2.

    The texts are parsed by en_core_web_sm where it is installed, as by ERRANT, else by gecbench's
    own small pipeline, which a note says; --spacy-model names another.

    \b
    gecbench errant-parallel -orig source.txt -cor t5.txt -out t5.m2
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.api.files import load
    from gecbench.api.schemes import extract

    if tokenise:
        raise UsageError(
            "-tok is not offered: divide the texts into words before, and leave it out"
        )
    click.echo("Loading resources...")
    click.echo("Processing parallel files...")
    corpus = load(original, format="lines", references=corrected, lang="en")
    blank = [sample.id for sample in corpus.samples if not sample.source.strip()]
    if blank:
        say(f"note: lines without a source are left out, as by ERRANT: {', '.join(blank)}")
    samples = tuple(_pair(sample) for sample in corpus.samples if sample.id not in blank)
    scheme = _scheme(pipeline, merging, levenshtein=levenshtein)
    _write(extract(replace(corpus, samples=samples), scheme, watch=watch), output)


def _pair(sample: Sample) -> Sample:
    """A sentence whose references have numbers and say where they are the source."""
    source = " ".join(sample.source.split())

    def numbered(k: int, rewrite: Rewrite) -> Rewrite:
        if (rewrite.text or "").strip() == source:
            return Rewrite(error_free=True, edit_sets=((),), annotator=str(k))
        return replace(rewrite, annotator=str(k))

    references = [numbered(k, rewrite) for k, rewrite in enumerate(sample.references)]
    return replace(sample, references=tuple(references))


@argparse_command
def errant_m2(
    file: Annotated[Path, Argument("M2_FILE")],
    output: Out,
    pipeline: Pipeline,
    auto: Annotated[bool, Option("-auto", "Find the edits anew.")] = False,
    gold: Annotated[bool, Option("-gold", "Keep the spans of the edits.")] = False,
    no_minimise: Annotated[bool, Option("-no_min", "-gold: do not shorten edits.")] = False,
    old_types: Annotated[bool, Option("-old_cats", "-gold: keep the given types.")] = False,
    levenshtein: Levenshtein = False,
    merging: Merging = "rules",
) -> None:
    """ERRANT's errant_m2: the edits of an M2 file found anew, or given ERRANT's types.

    The texts are parsed as by errant-parallel.

    \b
    gecbench errant-m2 -gold conll14.m2 -out conll14.errant.m2
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.api.files import load
    from gecbench.api.schemes import extract

    if auto == gold:
        raise UsageError("give one of -auto and -gold")
    if auto:
        refuse("-auto finds edits anew", "no_min", "old_cats")
    else:
        refuse("-gold keeps edits as they are", "lev", "merge")
    click.echo("Loading resources...")
    click.echo("Processing M2 file...")
    try:
        corpus = load(file, format="m2", lang="en")
    except FormatError as error:
        raise error.with_option(SCORE_FROM) from error
    scheme = _scheme(pipeline, merging, levenshtein=levenshtein)
    extracted = extract(
        corpus, scheme, keep=gold, minimise=not no_minimise, relabel=not old_types, watch=watch
    )
    _write(extracted, output)


def _scheme(pipeline: SchemeSpec, merging: Strategy, *, levenshtein: bool) -> SchemeSpec:
    """The scheme as ERRANT has it; a note says which pipeline parses if it is not ERRANT's."""
    from gecbench.api.schemes import load_scheme

    model = pipeline.spacy_model or (_PIPELINE if find_spec(_PIPELINE) else None)
    scheme = load_scheme(
        "en-errant",
        spacy_model=model,
        merging=merging,
        levenshtein=levenshtein,
        parse_cache=pipeline.parse_cache,
        say=say,
        progress=watch,
    )
    for note in scheme.notes:
        say(f"note: {note}")
    return replace(SchemeSpec.of(scheme), say=say, watch=watch)


def _write(extracted: Corpus, output: Path) -> None:
    """Write M2 as ERRANT does.

    Coders stand in the order of their names, and one has no line whose edits change nothing but
    who does not say so.
    """
    from gecbench.api.files import save

    def ordered(references: tuple[Rewrite, ...]) -> tuple[Rewrite, ...]:
        with_lines = [r for r in references if r.error_free or r.unannotatable or any(r.edit_sets)]
        return tuple(sorted(with_lines, key=lambda r: r.annotator or "")) or NO_EDITS

    samples = tuple(replace(s, references=ordered(s.references)) for s in extracted.samples)
    save(replace(extracted, samples=samples), output, format="m2")


@argparse_command
def errant_compare(flags: Flags) -> None:
    """ERRANT's errant_compare: how a system's M2 file agrees with the references'.

    \b
    gecbench errant-compare -hyp t5.m2 -ref conll14.m2 -cat 2
    """  # noqa: D301 - \b keeps click from joining lines
    compare(flags, "errant", "edits", "xx")
