"""How systems are scored, and the metrics that the options ask for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal, cast

from gecbench.core.errors import UnknownNameError, UsageError
from gecbench.core.registry import resolve
from gecbench.metrics import METRICS
from gecbench.scoring.choose import CHOICES, Choice
from gecbench.scoring.metric import Metric
from gecbench.scoring.pairing import LEVELS, Filter, Level

_GENERAL = ("level", "beta", "choice", "chosen", "context")
"""Fields of metrics that options of the same meaning fill for all of them."""


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
        part: Only the sentences from the first place (from 0) to before the second.
        by: A metadata field; each of its values is scored as a subset, too.
        settings: Options of single metrics, by "metric.option", as texts.
        segmenter: How texts are divided for metrics that compare them with given edits; None
            means as the corpus is.
        normalise: Named changes of all texts before anything else, in their order.
        resamples: How many bootstrap resamples make the intervals; 0 for none.
        seed: Of the resamples.
        per_sentence: Whether the report has what each metric says of each sentence.

    Raises:
        UsageError: Names the option, its value and what it may be.
    """

    metrics: tuple[str, ...] = ()
    level: Level = "correction"
    beta: float = 0.5
    choice: Choice = "corpus-greedy"
    size: Literal["any", "single", "multi"] = "any"
    exclude: tuple[str, ...] = ()
    max_references: int | None = None
    references_exactly: int | None = None
    part: tuple[int, int] | None = None
    by: str | None = None
    settings: Mapping[str, str] = field(default_factory=dict)
    segmenter: str | None = None
    normalise: tuple[str, ...] = ()
    resamples: int = 0
    seed: int = 0
    per_sentence: bool = True

    def __post_init__(self) -> None:
        """Refuse values that would give numbers without meaning."""
        for option, value, allowed in (
            ("level", self.level, LEVELS),
            ("choice", self.choice, CHOICES),
            ("size", self.size, ("any", "single", "multi")),
        ):
            if value not in allowed:
                raise UsageError(f"{option} {value!r} is unknown; one of: {', '.join(allowed)}")
        for name in self.metrics:
            if name not in METRICS:
                raise UnknownNameError("metric", name, METRICS)
        if len(set(self.metrics)) < len(self.metrics):
            raise UsageError(f"a metric is named twice in {','.join(self.metrics)}; name it once")
        self._check_numbers()
        self._check_labels()

    def _check_numbers(self) -> None:
        if not 0.001 <= self.beta <= 1000:
            raise UsageError(f"beta {self.beta:g} must be a number from 0.001 to 1000")
        for option, number in (
            ("max-references", self.max_references),
            ("references-exactly", self.references_exactly),
        ):
            if number is not None and number < 1:
                raise UsageError(f"{option} {number} must be at least 1")
        if self.resamples < 0 or 0 < self.resamples < 100:
            raise UsageError(
                f"resamples {self.resamples} must be at least 100, or 0 for no intervals"
            )

    def _check_labels(self) -> None:
        for label in self.exclude:
            if "|" in label:
                raise UsageError(f"{label!r} is no type of edit: types have no bars")
            if label.lower() in ("noop", "na", ""):
                raise UsageError(
                    f"{label!r} is no type of edit and cannot be excluded; types are as in the "
                    "labels that --by-type 3 shows"
                )


def make_metrics(names: Sequence[str], options: Options, lang: str) -> list[Metric[Any]]:
    """Return the metrics of these names with their options set.

    Metrics over texts take words, and characters in Chinese, unless they are set.

    Raises:
        UsageError: A setting is of a metric that is not asked for, unknown, or wrong.
    """
    for setting in options.settings:
        name, dot, _ = setting.partition(".")
        if not dot or name not in names:
            raise UsageError(
                f"setting {setting!r} is of no metric asked for ({', '.join(names)}); "
                "write METRIC.OPTION=VALUE"
            )
    _check_taken(names, options)
    return [_make(name, options, lang) for name in names]


def _check_taken(names: Sequence[str], options: Options) -> None:
    """Refuse an option that no metric of the run takes."""
    kinds = [cast("type[Any]", resolve("metric", name, METRICS)) for name in names]
    taken = {one.name for kind in kinds for one in fields(kind)}
    plain = Options()
    changed = (
        ("level", "level", options.level != plain.level),
        ("beta", "beta", options.beta != plain.beta),
        ("choice", "choice", options.choice != plain.choice),
        ("edits", "chosen", options.size != plain.size),
        ("exclude", "chosen", bool(options.exclude)),
    )
    for option, field_, is_changed in changed:
        if is_changed and field_ not in taken:
            raise UsageError(
                f"no metric of {', '.join(names)} has the option {option}; leave it out"
            )
    if options.segmenter and not any(kind.needs == "golds" for kind in kinds):
        raise UsageError(
            f"no metric of {', '.join(names)} divides texts by a segmenter; leave it out"
        )


def _make(name: str, options: Options, lang: str) -> Metric[Any]:
    kind = cast("type[Any]", resolve("metric", name, METRICS))
    known = {one.name: one.default for one in fields(kind) if one.init}
    general = {
        "level": options.level,
        "beta": options.beta,
        "choice": options.choice,
        "chosen": Filter(options.size, frozenset(options.exclude)),
    }
    values: dict[str, object] = {key: value for key, value in general.items() if key in known}
    if "unit" in known:
        values["unit"] = "character" if lang == "zh" else "word"
    for setting, text in options.settings.items():
        if setting.startswith(f"{name}."):
            option = setting.removeprefix(f"{name}.").replace("-", "_")
            own = sorted(name for name in known if name not in _GENERAL)
            if option not in own:
                raise UsageError(
                    f"metric {name} has no option {option!r} of its own; "
                    f"it has: {', '.join(own) or 'none'}"
                )
            values[option] = _value(setting, text, known[option])
    return cast("Metric[Any]", kind(**values))


def _value(setting: str, text: str, default: object) -> object:
    """Return a text as what its default is; the metric checks what it may be."""
    if isinstance(default, bool):
        if text.lower() not in ("yes", "no", "true", "false"):
            raise UsageError(f"{setting} is {text!r}; yes or no")
        return text.lower() in ("yes", "true")
    if isinstance(default, (int, float)):
        try:
            return type(default)(text)
        except ValueError:
            raise UsageError(f"{setting} is {text!r}; it takes a number") from None
    return text
