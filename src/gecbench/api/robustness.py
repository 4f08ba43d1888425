"""Do corrections stay the same when the context changes?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from gecbench.analysis.perturbed_cases import CaseCheck, check_cases
from gecbench.analysis.robustness import CountWords, Robustness, measure_robustness
from gecbench.api.files import in_language
from gecbench.api.options import AnyScheme, Options, SchemeSpec
from gecbench.api.score import collect_stats
from gecbench.core.case import Level
from gecbench.core.errors import CorpusError, UsageError, count_noun
from gecbench.core.files import path_of, write_text
from gecbench.core.options import check_list
from gecbench.core.perturbed import PerturbedSet
from gecbench.core.sample import SystemOutput
from gecbench.core.scheme import Watch, no_progress
from gecbench.formats.perturbed import (
    read_frequencies,
    read_outputs,
    read_perturbed,
    write_perturbed,
)
from gecbench.lang import language_of
from gecbench.scoring.cases import split_at_spaces
from gecbench.scoring.languages import corpus_language

ORDERS = 10
_MOST_ORDERS = 1000


def load_perturbed(path: Path | str, *, lang: str | None = None) -> PerturbedSet:
    """Load perturbed cases from a file or folder: RobustGEC's blocks, our JSONL, or subsets.

    Args:
        path: The file or folder.
        lang: Code of the language; None takes the file's.

    Raises:
        GecbenchError: It cannot be read, or breaks a rule; see `formats.perturbed`.
    """
    return in_language(read_perturbed(path_of(path)), lang)


def save_perturbed(cases: PerturbedSet, path: Path | str) -> None:
    """Write perturbed cases as our JSONL, which holds all of them.

    Raises:
        GecbenchError: The file cannot be written.
    """
    write_text(path_of(path), write_perturbed(cases))


def robustness(
    cases: PerturbedSet | Path | str,
    systems: SystemOutput | Path | str | Sequence[SystemOutput | Path | str],
    *,
    scheme: AnyScheme = None,
    beta: float | Sequence[float] = 0.5,
    level: Level = "correction",
    normalise: Sequence[str] = (),
    orders: int = ORDERS,
    seed: int = 0,
    frequency: Path | str | None = None,
    lang: str | None = None,
    watch: Watch = no_progress,
) -> Robustness:
    """Measure how far the corrections of systems depend on the context of the errors.

    Args:
        cases: Perturbed cases, or where they lie.
        systems: Outputs for each sentence of the cases, or where they lie.
        scheme: How edits are found; None means the default of the language.
        beta: Weight of recall in F; of several the first is the main one, and the scores by the
            others are in `others`.
        level: What has to agree for an edit to count as found.
        normalise: Names of changes that are made to all texts first.
        orders: In how many orders of the cases the official rule is tried; 0 for none.
        seed: Of the random ones among them.
        frequency: A training text, or a table of words and counts.
        lang: Code of the language of the texts; None takes that of the cases.
        watch: Wraps long loops, to show progress.

    Raises:
        GecbenchError: Something cannot be read or does not fit together.
    """
    if orders < 0 or orders == 1:
        raise UsageError(f"orders is {orders}; give 2 or more, or 0 for none but the file's own")
    if orders > _MOST_ORDERS:
        raise UsageError(f"orders is {orders}; give {_MOST_ORDERS} at most")
    several = (systems,) if isinstance(systems, (SystemOutput, Path, str)) else systems
    cases = _load(cases, lang)
    outputs = [
        system if isinstance(system, SystemOutput) else read_outputs(path_of(system), cases)
        for system in several
    ]
    _check_versions(outputs)
    corpus, spec = cases.corpus(), SchemeSpec.of(scheme)
    metrics = (corpus_language(corpus, spec.name).metric,)
    check_list("normalise", normalise)
    betas = (beta,) if isinstance(beta, (int, float, str)) else tuple(dict.fromkeys(beta))
    if not betas:
        raise UsageError("no beta is given; give one or several")
    options, *_ = [
        Options(metrics=metrics, level=level, beta=weight, normalise=tuple(normalise))
        for weight in betas  # to refuse any of them
    ]
    spec = replace(spec, types=level == "correction-type" and spec.types)
    run_stats = collect_stats(corpus, outputs, scheme=spec, options=options, watch=watch)
    tokens = [case.edit_tokens for case in next(iter(run_stats.cases.values()))]
    count = _frequencies(frequency, run_stats.lang)
    return measure_robustness(
        cases, run_stats, tokens, orders=orders, seed=seed, count_words=count, betas=betas
    )


def check_perturbed(cases: PerturbedSet | Path | str, *, lang: str | None = None) -> CaseCheck:
    """Look for problems in perturbed cases: variants that test nothing, or something else.

    Args:
        cases: Perturbed cases, or where they lie.
        lang: Code of the language of the texts; None takes that of the cases.

    Raises:
        GecbenchError: They cannot be read.
    """
    cases = _load(cases, lang)
    if corpus_language(cases.corpus()).joiner:
        return check_cases(cases, split_at_spaces)
    from gecbench.lang.zh.char import parse

    return check_cases(cases, lambda text: parse(text).tokens)


def _frequencies(path: Path | str | None, lang: str) -> CountWords | None:
    if path is None:
        return None
    file = path_of(path)
    return lambda words: read_frequencies(file, words, has_spaces=bool(language_of(lang).joiner))


def _load(cases: PerturbedSet | Path | str, lang: str | None) -> PerturbedSet:
    loaded = cases if isinstance(cases, PerturbedSet) else load_perturbed(cases)
    return in_language(loaded, lang)


def _check_versions(outputs: Sequence[SystemOutput]) -> None:
    """Refuse systems that offer several versions of a sentence: which is to be the same?"""
    if not outputs:
        raise UsageError("no system is given; give the outputs of at least one")
    for output in outputs:
        several = [key for key, versions in output.hypotheses.items() if len(versions) > 1]
        if several:
            raise CorpusError(
                f"system {output.system}: {count_noun(len(several), 'sentence', ' has', ' have')} "
                f"several versions (first: {several[0]}); robustness is of one, so give one of each"
            )
