"""What errant_compare and compare_m2_for_evaluation.py have in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Literal

from gecbench.api.options import Options
from gecbench.core.case import Level
from gecbench.core.edit import Edit
from gecbench.core.errors import FormatError, UsageError
from gecbench.core.files import STDIO, write_text
from gecbench.core.options import Option
from gecbench.core.sample import Corpus, Rewrite, SystemOutput
from gecbench.reports.official import Script, render_comparison

NO_EDITS = (Rewrite(error_free=True, edit_sets=((),)),)
"""What the scripts take a block without lines for."""

Choose = Callable[[tuple[Rewrite, ...]], tuple[Rewrite, ...]]
"""Which of the coders of a sentence take part."""

SCORE_FROM = "gecbench score --from"
"""What the advice of readers calls the option that these commands do not have."""


@dataclass(frozen=True, slots=True)
class Flags:
    """The flags of both scripts."""

    hypothesis: Annotated[Path, Option("-hyp", "M2 file of a system.")]
    reference: Annotated[Path, Option("-ref", "M2 file with the references.")]
    beta: Annotated[float, Option("--beta", "Weight of recall in F.", short="-b")] = 0.5
    verbose: Annotated[bool, Option("--verbose", "Show each sentence.", short="-v")] = False
    tokens: Annotated[bool, Option("-dt", "Detection, by tokens.")] = False
    spans: Annotated[bool, Option("-ds", "Detection, by spans.")] = False
    corrections: Annotated[bool, Option("-cs", "Correction, by spans (the default).")] = False
    types: Annotated[bool, Option("-cse", "Correction, by spans and types.")] = False
    single: Annotated[bool, Option("-single", "Only edits of up to one token.")] = False
    multi: Annotated[bool, Option("-multi", "Only longer edits.")] = False
    exclude: Annotated[
        tuple[str, ...],
        Option("-filt", "Types of edits to leave out.", metavar="TYPE [TYPE...]", greedy=True),
    ] = ()
    tier: Annotated[
        Literal[1, 2, 3] | None,
        Option("-cat", "Counts by type: operation (1), category (2), whole type (3)."),
    ] = None

    def __post_init__(self) -> None:
        """Refuse flags that exclude each other."""
        chosen = [name for name, is_chosen in self._levels if is_chosen]
        if len(chosen) > 1:
            raise UsageError(f"{' and '.join(chosen)} exclude each other; give one of them")
        if self.single and self.multi:
            raise UsageError("-single and -multi together leave no edit; give one of them")

    @property
    def _levels(self) -> Sequence[tuple[str, bool]]:
        return (
            ("-dt", self.tokens),
            ("-ds", self.spans),
            ("-cs", self.corrections),
            ("-cse", self.types),
        )

    @property
    def level(self) -> Level:
        """What has to agree."""
        if self.tokens or self.spans:
            return "detection-token" if self.tokens else "detection-span"
        return "correction-type" if self.types else "correction"

    @property
    def size(self) -> Literal["any", "single", "multi"]:
        """Which edits take part."""
        if self.single:
            return "single"
        return "multi" if self.multi else "any"


def compare(
    flags: Flags,
    script: Script,
    metric: str,
    lang: str,
    *,
    part: tuple[int, int] | None = None,
    references_exactly: int | None = None,
    choose_coders: Choose | None = None,
) -> None:
    """Score a file and print the script's block.

    Args:
        flags: Of the script.
        script: Whose block.
        metric: Which counts as the script does.
        lang: Code of the language, "xx" for any.
        part: Only the sentences from the first place to before the second, if there are as many.
        references_exactly: Only sentences with this many references.
        choose_coders: Gives those of a sentence that take part, on both sides; None means all.
    """
    from gecbench.api.files import load, load_system
    from gecbench.api.score import collect_stats

    try:
        corpus = load(flags.reference, format="m2", lang=lang)
        system = load_system(flags.hypothesis, corpus, format="m2")
    except FormatError as error:
        raise error.with_option(SCORE_FROM) from error
    corpus, system = _as_scripts_do(corpus, system, choose_coders or tuple)
    if part is not None:
        part = part[0], min(part[1], len(corpus.samples))
    options = Options(
        metrics=(metric,),
        level=flags.level,
        beta=flags.beta,
        size=flags.size,
        exclude=flags.exclude,
        part=part,
        references_exactly=references_exactly,
        re_extract=False,
    )
    text = render_comparison(
        collect_stats(corpus, system, options=options),
        script,
        tier=flags.tier,
        verbose=flags.verbose,
        first_number=part[0] if part else 0,
    )
    write_text(Path(STDIO), text)


def _as_scripts_do(
    corpus: Corpus, system: SystemOutput, choose: Choose
) -> tuple[Corpus, SystemOutput]:
    """A corpus and a system with the coders that take part, and edits of type Um as corrections.

    The scripts leave out UNK alone; CoNLL-2014's own M2 has 54 edits of NUCLE's type Um.
    """

    def correction(edit: Edit, tokens: tuple[str, ...]) -> Edit:
        if edit.label != "Um":
            return edit
        texts = (*edit.alternatives, tokens[edit.start : edit.end])
        return replace(edit, replacement=texts[0], alternatives=())

    def converted(rewrites: tuple[Rewrite, ...], tokens: tuple[str, ...]) -> tuple[Rewrite, ...]:
        return tuple(
            replace(
                r, edit_sets=tuple(tuple(correction(e, tokens) for e in s) for s in r.edit_sets)
            )
            for r in choose(rewrites)
        )

    samples = [replace(s, references=converted(s.references, s.tokens)) for s in corpus.samples]
    hypotheses = {
        name: converted(rewrites, system.tokens.get(name, ()))
        for name, rewrites in system.hypotheses.items()
    }
    return replace(corpus, samples=tuple(samples)), replace(system, hypotheses=hypotheses)
