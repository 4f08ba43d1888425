"""Do corrections stay the same when the context changes?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from gecbench.analysis.robustness.analyse import Counting, analyse
from gecbench.analysis.robustness.check import Checked, check
from gecbench.analysis.robustness.results import Robustness
from gecbench.api.edits import Watch, unwatched
from gecbench.api.judge import SPAN_METRICS, judge
from gecbench.api.options import Options
from gecbench.api.schemes import default_scheme, language, load_scheme
from gecbench.core.errors import CorpusError, UsageError
from gecbench.core.files import write_text
from gecbench.core.perturbed import PerturbedSet
from gecbench.core.sample import SystemOutput
from gecbench.core.scheme import Scheme
from gecbench.formats.frequencies import read_frequencies
from gecbench.formats.perturbed import read_perturbed, write_perturbed
from gecbench.formats.perturbed_outputs import read_outputs
from gecbench.scoring.cases import spaced
from gecbench.scoring.pairing import Level

ORDERS = 10
_MOST_ORDERS = 1000


def load_perturbed(path: Path | str) -> PerturbedSet:
    """Return the perturbed cases in a file or folder: RobustGEC's blocks, our JSONL, or subsets.

    Raises:
        GecbenchError: It cannot be read, or breaks a rule; see `formats.perturbed`.
    """
    return read_perturbed(Path(path))


def save_perturbed(cases: PerturbedSet, path: Path | str) -> None:
    """Write perturbed cases as our JSONL, which holds all of them.

    Raises:
        GecbenchError: The file cannot be written.
    """
    write_text(Path(path), write_perturbed(cases))


def robustness(
    cases: PerturbedSet | Path | str,
    systems: Sequence[SystemOutput | Path | str],
    *,
    scheme: Scheme | str | Callable[[], Scheme] | None = None,
    beta: float = 0.5,
    level: Level = "correction",
    normalise: Sequence[str] = (),
    orders: int = ORDERS,
    seed: int = 0,
    frequency: Path | str | None = None,
    watch: Watch = unwatched,
) -> Robustness:
    """Return how far the corrections of systems depend on the context of the errors.

    Args:
        cases: Perturbed cases, or where they lie.
        systems: Outputs for each sentence of the cases, or where they lie.
        scheme: How edits are found; None means the default of the language.
        beta: Weight of recall in F.
        level: What has to agree for an edit to count as found.
        normalise: Names of changes that are made to all texts first.
        orders: In how many orders of the cases the official rule is tried; 0 for none.
        seed: Of the random ones among them.
        frequency: A training text, or a table of words and counts.
        watch: Wraps long loops, to show progress.

    Raises:
        GecbenchError: Something cannot be read or does not fit together.
    """
    if orders < 0 or orders == 1:
        raise UsageError(f"orders is {orders}; give 2 or more, or 0 for none but the file's own")
    if orders > _MOST_ORDERS:
        raise UsageError(f"orders is {orders}; give {_MOST_ORDERS} at most")
    loaded, outputs = _loaded(cases, systems)
    corpus = loaded.corpus()
    made = _scheme(scheme, default_scheme(corpus), types=level == "correction-type")
    metrics = (SPAN_METRICS[language(corpus)],)
    options = Options(metrics=metrics, level=level, beta=beta, normalise=tuple(normalise))
    judged = judge(corpus, outputs, scheme=made, options=options, watch=watch)
    first = next(iter(judged.cases.values()))
    tokens = [case.edit_tokens for case in first]
    often = _frequencies(frequency, judged.lang)
    return analyse(loaded, judged, tokens, orders=orders, seed=seed, frequencies=often)


def check_perturbed(cases: PerturbedSet | Path | str) -> Checked:
    """Return what is odd in perturbed cases: variants that test nothing, or something else.

    Raises:
        GecbenchError: They cannot be read.
    """
    if not isinstance(cases, PerturbedSet):
        cases = load_perturbed(cases)
    if language(cases.corpus()) != "zh":
        return check(cases, spaced)
    from gecbench.lang.zh.parse import parse

    return check(cases, lambda text: parse(text).tokens)


def _scheme(
    wanted: Scheme | str | Callable[[], Scheme] | None, default: str, *, types: bool
) -> Scheme:
    if isinstance(wanted, Scheme):
        return wanted
    if wanted is None or isinstance(wanted, str):
        return load_scheme(wanted or default, types=types)
    return wanted()


def _frequencies(path: Path | str | None, lang: str) -> Counting | None:
    if path is None:
        return None
    return lambda words: read_frequencies(Path(path), words, spaced=lang != "zh")


def _loaded(
    cases: PerturbedSet | Path | str, systems: Sequence[SystemOutput | Path | str]
) -> tuple[PerturbedSet, list[SystemOutput]]:
    """Return cases and outputs, read where they are paths."""
    if not isinstance(cases, PerturbedSet):
        cases = load_perturbed(cases)
    outputs = [
        each if isinstance(each, SystemOutput) else read_outputs(Path(each), cases)
        for each in systems
    ]
    _check_versions(outputs)
    return cases, outputs


def _check_versions(outputs: Sequence[SystemOutput]) -> None:
    """Refuse systems that offer several versions of a sentence: which is to be the same?"""
    if not outputs:
        raise UsageError("no system is given; give the outputs of at least one")
    for output in outputs:
        several = [key for key, made in output.hypotheses.items() if len(made) > 1]
        if several:
            raise CorpusError(
                f"system {output.system}: {len(several)} sentences have several versions (first: "
                f"{several[0]}); robustness is of one, so give one of each"
            )
