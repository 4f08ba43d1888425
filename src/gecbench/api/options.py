"""Options of the functions of this package, and of the commands; light to import."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Literal

from gecbench.backends import SEGMENTERS
from gecbench.core.case import CHOICES, LEVELS, Choice, Level
from gecbench.core.errors import UnknownNameError, UsageError
from gecbench.core.options import (
    Option,
    Workers,
    check_between,
    check_choice,
    check_jobs,
    check_least,
    check_list,
    check_once,
    pairs,
)
from gecbench.core.registry import is_known
from gecbench.core.scheme import Scheme, Watch, no_progress
from gecbench.core.score import BETAS, LEAST_RESAMPLES
from gecbench.lang import SCHEMES
from gecbench.metrics import METRICS
from gecbench.text import NORMALISATIONS

PLAIN = "none"
"""The name for no scheme: edits are those of a plain alignment of the texts, white space too."""


def read_range(text: str) -> tuple[int, int | None]:
    """Read A:B, of which either may be left out."""
    start, colon, end = text.partition(":")
    if not colon or not ((start or "0") + (end or "0")).isdecimal():
        raise UsageError(f"range {text!r} must be A:B, as 0:500 or 500:, for sentences A+1 to B")
    return int(start or 0), int(end) if end else None


def read_settings(texts: Sequence[str]) -> dict[str, str]:
    """Read METRIC.OPTION=VALUE texts; options may be written with hyphens."""

    def normal(text: str) -> str:
        name, equals, value = text.partition("=")
        metric, dot, option = name.strip().partition(".")
        return f"{metric}{dot}{option.replace('-', '_')}{equals}{value.strip()}"

    return pairs("--set", "METRIC.OPTION=VALUE, as gleu.unit=character")(
        [normal(text) for text in texts]
    )


RANGE = Option("--range", "Score sentences A+1 to B of the corpus.", metavar="A:B", read=read_range)
NORMALISE = Option(
    "--normalise",
    "Changes of all texts first, with commas: t2s, nfkc, ...",
    metavar="NAMES",
    commas=True,
    complete=NORMALISATIONS,
)
BETA = Option("--beta", "Weight of recall in F.")
RE_EXTRACT = Option(
    "--re-extract/--no-re-extract",
    "Extract edits of files again, or use them as they are (default: again where they cannot be "
    "compared with extracted ones).",
)
LEVEL = Option("--level", "What has to agree for an edit to count as found.")


@dataclass(frozen=True, slots=True)
class Options:
    """How systems are scored.

    Args:
        metrics: Names of metrics; () means the span metric of the corpus's language.
        level: What has to agree for an edit to count.
        beta: Weight of recall in F, from 0.001 to 1000.
        choice: How the reference of a sentence is chosen.
        size: Edits that take part by the source tokens they span: any, single, multi.
        exclude: Edit labels that take no part.
        max_references: Only the first this many references of each sentence.
        references_exactly: Only sentences with this many references, after `max_references`.
        part: Only the sentences from the first place (from 0) to before the second, or to the
            end where that is None.
        by: A metadata field; each of its values is scored as a subset, too.
        settings: Options of single metrics, by "metric.option", as texts.
        segmenter: How texts are divided for metrics that compare them with given edits; None
            means as the corpus is.
        normalise: Named changes of all texts before anything else, in their order.
        resamples: How many bootstrap resamples make the intervals; 0 for none.
        seed: Of the resamples.
        per_sentence: Whether the report has what each metric says of each sentence.
        re_extract: Whether edits that files have are extracted again: None means where they
            cannot be compared with extracted ones; see `scoring.extractor.Extractor`.
        jobs: How many processes work, or a `Cluster`; None means one for each processor where that
            is quicker.
            A script that asks for several keeps its own work under `if __name__ == "__main__":`.

    Raises:
        UsageError: Names the option, its value and what it may be.
    """

    metrics: Annotated[
        tuple[str, ...],
        Option(
            "--metric",
            "Metrics, with commas; else the language's span metric.",
            commas=True,
            complete=METRICS,
        ),
    ] = ()
    level: Annotated[Level, LEVEL] = "correction"
    beta: Annotated[float, BETA] = 0.5
    choice: Annotated[
        Choice,
        Option(
            "--choice",
            "How a sentence's reference is chosen: as the official scripts, or free of order.",
        ),
    ] = "corpus-greedy"
    size: Annotated[
        Literal["any", "single", "multi"],
        Option("--edits", "Only edits of up to one token, or only longer ones."),
    ] = "any"
    exclude: Annotated[
        tuple[str, ...],
        Option(
            "--exclude",
            "Leave out edits of these types, with commas.",
            metavar="TYPES",
            commas=True,
        ),
    ] = ()
    max_references: Annotated[
        int | None, Option("--max-references", "Use only the first K references.")
    ] = None
    references_exactly: Annotated[
        int | None, Option("--references-exactly", "Score sentences with just K references.")
    ] = None
    part: Annotated[tuple[int, int | None] | None, RANGE] = None
    by: Annotated[
        str | None,
        Option("--by", "Score each value of a metadata field apart, too.", metavar="FIELD"),
    ] = None
    settings: Annotated[
        Mapping[str, str],
        Option(
            "--set",
            "An option of one metric, as gleu.unit=character; repeatable.",
            metavar="METRIC.OPTION=VALUE",
            read=read_settings,
        ),
    ] = field(default_factory=dict)
    segmenter: Annotated[
        str | None,
        Option(
            "--segmenter",
            "How texts become words for MaxMatch; see docs/texts.md.",
            metavar="NAME",
            complete=SEGMENTERS,
        ),
    ] = None
    normalise: Annotated[tuple[str, ...], NORMALISE] = ()
    resamples: int = 0
    seed: int = 0
    per_sentence: bool = True
    re_extract: Annotated[bool | None, RE_EXTRACT] = None
    jobs: Workers = 1

    def __post_init__(self) -> None:
        """Refuse values that would give numbers without meaning."""
        if self.metrics != ():
            _check_metrics(self.metrics)
        if self.exclude != ():
            _check_types(self.exclude)
        if self.normalise != ():
            check_list("normalise", self.normalise)
        check_choice("level", self.level, LEVELS)
        check_choice("choice", self.choice, CHOICES)
        check_choice("size", self.size, ("any", "single", "multi"))
        check_between("beta", self.beta, *BETAS)
        for option, number in (
            ("max-references", self.max_references),
            ("references-exactly", self.references_exactly),
        ):
            if number is not None:
                check_least(option, number, 1)
        check_jobs(self.jobs)
        if self.resamples and self.resamples < LEAST_RESAMPLES:
            raise UsageError(
                f"resamples {self.resamples} must be at least {LEAST_RESAMPLES}, or 0 for no "
                "intervals"
            )


def _check_metrics(names: Sequence[str]) -> None:
    check_list("metrics", names)
    for name in names:
        if not is_known("metric", name, METRICS):
            raise UnknownNameError("metric", name, METRICS)
    check_once("metric", names)


def _check_types(labels: Sequence[str]) -> None:
    check_list("exclude", labels)
    for label in labels:
        if "|" in label:
            raise UsageError(f"{label!r} is no type of edit: types have no bars")
        if label.lower() in ("noop", "na", ""):
            raise UsageError(
                f"{label!r} is no type of edit and cannot be excluded; types are as in the labels "
                "that --by-type 3 shows"
            )


_PLAIN_OPTIONS = Options()


def chosen_for_metrics(options: Options) -> dict[str, str]:
    """Options of all metrics that somebody set, to the field of a metric that each fills."""
    fields = {"level": "level", "beta": "beta", "choice": "choice", "size": "chosen"}
    fields["exclude"] = "chosen"
    return {
        "edits" if option == "size" else option: field
        for option, field in fields.items()
        if getattr(options, option) != getattr(_PLAIN_OPTIONS, option)
    }


# Where resources lie, and which scheme finds edits.


@dataclass(frozen=True, slots=True)
class Places:
    """Where resources lie.

    Args:
        folder: The data folder; None means the user's.
        mirror: A folder with data sets that is looked at first.
        cache: For compiled resources; None means the user's.
    """

    folder: Annotated[
        Path | None,
        Option("--folder", "Data folder, instead of the user's.", envvar="GECBENCH_DATA"),
    ] = None
    mirror: Annotated[
        Path | None,
        Option(
            "--mirror",
            "Folder with data sets, each in a folder of its name, looked at first.",
            envvar="GECBENCH_DATA_MIRROR",
        ),
    ] = None
    cache: Path | None = None


def quiet(_: str) -> None:
    """Show no message."""


@dataclass(frozen=True, slots=True)
class SchemeSpec:
    """Which scheme finds edits, and how; loaded when a corpus first needs it (`scheme_for`).

    Args:
        name: As "zh-cherrant"; None is the default of the corpus's language.
        strategy: This and the next five as in `load_scheme`; None takes the scheme's default.
        simplify: See there.
        spacy_model: See there.
        merging: See there.
        levenshtein: See there.
        parse_cache: See there.
        settings: Further options that the scheme's factory has, by name; texts become what the
            factory says.
        places: Where resources lie.
        types: Whether edits get their types; spans and corrections are found faster without.
        preferences: Those of these fields that are not refused where they have no effect: options
            from the environment, and the name of a scheme in Python, one for many corpora.
        say: Told what happens that takes time.
        watch: Wraps long loops, to show progress.
        may_be_unused: Whether the scheme and its options may be without effect, as on one corpus
            of several; else they are refused then.
        loaded: The scheme itself, where it is here already.
    """

    name: Annotated[
        str | None,
        Option(
            "--scheme",
            "How edits are found: zh-cherrant, zh-char, en-errant, errant, xx-word or xx-char.",
            complete=tuple(SCHEMES),
        ),
    ] = None
    strategy: Annotated[
        Literal["all", "first"] | None,
        Option("--strategy", "zh-cherrant: all distinct edit sets (default) or the first."),
    ] = None
    simplify: Annotated[
        bool | None,
        Option(
            "--simplify/--no-simplify",
            "zh-cherrant: turn targets into simplified characters, or not.",
        ),
    ] = None
    spacy_model: Annotated[
        str | Path | None,
        Option(
            "--spacy-model",
            "en-errant, errant: an installed spaCy pipeline or a folder with one.",
            metavar="NAME",
            envvar="GECBENCH_SPACY_MODEL",
        ),
    ] = None
    merging: Annotated[
        Literal["rules", "all-split", "all-merge", "all-equal"] | None,
        Option(
            "--merging",
            "en-errant, errant: how steps of the alignment become edits (default: rules).",
        ),
    ] = None
    levenshtein: Annotated[
        bool | None, Option("--lev", "en-errant, errant: align by plain edit distance.")
    ] = None
    parse_cache: Annotated[
        Path | None,
        Option(
            "--parse-cache",
            "en-errant, errant: keep in this folder how the pipeline parsed sentences.",
            envvar="GECBENCH_PARSE_CACHE",
        ),
    ] = None
    settings: Annotated[
        Mapping[str, object],
        Option(
            "--scheme-set",
            "An option of a scheme that another package brings, as size=3; repeatable.",
            metavar="OPTION=VALUE",
            read=pairs("--scheme-set", "OPTION=VALUE"),
        ),
    ] = field(default_factory=dict)
    places: Places = field(default_factory=Places)
    types: bool = True
    preferences: frozenset[str] = frozenset()
    say: Callable[[str], None] = quiet
    watch: Watch = no_progress
    may_be_unused: bool = False
    loaded: Scheme | None = None

    def __post_init__(self) -> None:
        """Refuse a name that no scheme has, before anything is read."""
        if self.loaded or self.name in (None, PLAIN, *SCHEMES):
            return
        if not is_known("scheme", str(self.name), SCHEMES):
            raise UnknownNameError("scheme", str(self.name), SCHEMES)

    @classmethod
    def of(cls, scheme: AnyScheme, places: Places | None = None) -> SchemeSpec:
        """What names a scheme in the Python interface, as a spec.

        Args:
            scheme: Anything that names one.
            places: Where resources lie for a scheme that is given by name alone.
        """
        if isinstance(scheme, SchemeSpec):
            return scheme
        spec = cls(places=places or Places(), preferences=frozenset(("name",)))
        if isinstance(scheme, Scheme):
            return replace(spec, name=scheme.name, loaded=scheme)
        return replace(spec, name=scheme)

    @property
    def options(self) -> dict[str, object]:
        """The options that somebody set."""
        values = {name: getattr(self, name) for name in SCHEME_OPTIONS}
        return {n: value for n, value in values.items() if value is not None} | {**self.settings}

    @property
    def chosen(self) -> dict[str, str]:
        """The fields that somebody chose and that are refused where they have no effect.

        To each what it is called on the command line.
        """
        called = {"name": "--scheme", "levenshtein": "--lev"}
        called |= dict.fromkeys(self.settings, "--scheme-set")
        fields = ["name", *self.options] if self.name else [*self.options]
        return {
            field: called.get(field, f"--{field.replace('_', '-')}")
            for field in fields
            if field not in self.preferences
        }


AnyScheme = Scheme | SchemeSpec | str | None
"""How users of the Python interface name a scheme; None is the default of the language."""

SCHEME_OPTIONS = (
    "strategy",
    "simplify",
    "spacy_model",
    "merging",
    "levenshtein",
    "parse_cache",
)
"""Options of our schemes, which have their own on the command line."""
