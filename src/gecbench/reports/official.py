"""What ERRANT's and ChERRANT's comparison scripts and m2scorer print, byte for byte.

compare_m2.py (errant 3.0.2), compare_m2_for_evaluation.py (MuCGEC 3922193), m2scorer cb874a7.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from gecbench.core.case import Case, Level
from gecbench.core.sample import Rewrite
from gecbench.core.score import Counts, Score
from gecbench.scoring.results import RunStats
from gecbench.scoring.spans import ERROR_FREE, UNANNOTATABLE, Key, Pairing, SpanF, keys

Script = Literal["errant", "cherrant"]
"""Whose script prints."""

_TITLES: Mapping[Level, str] = {
    "detection-token": " Token-Based Detection ",
    "detection-span": " Span-Based Detection ",
    "correction": " Span-Based Correction ",
    "correction-type": " Span-Based Correction + Classification ",
}
_OFFICIAL_NAMES = {ERROR_FREE: "noop", UNANNOTATABLE: "NA"}
_RULE = "-" * 40
_SIDES = ("HYPOTHESIS EDITS :", "REFERENCE EDITS  :")


def render_comparison(
    run: RunStats,
    script: Script,
    *,
    tier: int | None = None,
    verbose: bool = False,
    first_number: int = 0,
) -> str:
    """What a comparison script prints.

    Args:
        run: One system by one metric over spans.
        script: Whose script; they differ in what they say of single sentences.
        tier: Counts by type, as -cat has them; None leaves them out.
        verbose: Whether each sentence stands before the totals.
        first_number: The place in the file of the sentence that the script numbers 0.
    """
    ((name, metric),) = run.metrics.items()
    (system,) = run.systems
    span_metric = metric.span_metric
    if span_metric is None:
        raise AssertionError("the scripts compare edits by place and replacement")
    rows: Sequence[tuple[Pairing, ...] | None] = run.rows[system, name]
    score = span_metric.aggregate([row for row in rows if row is not None])
    counts, beta = score.counts or Counts(), span_metric.beta
    lines: list[str] = []
    if verbose:
        lines += _sentences(run, span_metric, rows, script, first_number)
    title = _TITLES[span_metric.level]
    if tier is not None:
        lines += ["", f"{title:=^66}", _columns("Category", "TP", "FP", "FN", "P", "R", f"F{beta}")]
        lines += [
            _columns(part, *_numbers(counts_of_part, beta))
            for part, counts_of_part in _by_part(score.by_type or {}, tier).items()
        ]
    lines += [
        "",
        f"{title:=^46}",
        "\t".join(["TP", "FP", "FN", "Prec", "Rec", f"F{beta}"]),
        "\t".join(map(str, _numbers(counts, beta))),
        "=" * 46,
        "",
    ]
    return "".join(f"{line}\n" for line in lines)


def _numbers(counts: Counts, beta: float) -> list[object]:
    return [counts.tp, counts.fp, counts.fn, *_ratios(counts, beta)]


def _ratios(counts: Counts, beta: float) -> list[float]:
    return [round(value, 4) for value in (counts.precision, counts.recall, counts.f(beta))]


def _columns(name: str, *values: object) -> str:
    *most, last = values
    return " ".join([name.ljust(14), *(str(value).ljust(8) for value in most), str(last)])


def _by_part(by_type: Mapping[str, Counts], tier: int) -> dict[str, Counts]:
    """Counts by a part of the type: its first letter, what stands from the third on, or all."""
    parts: dict[str, Counts] = {}
    for label, counts in by_type.items():
        part = _OFFICIAL_NAMES.get(label, label)
        if tier < 3 and part != "UNK":
            part = part[:1] if tier == 1 else part[2:]
        parts[part] = parts.get(part, Counts()) + counts
    return dict(sorted(parts.items()))


# What -v says of each sentence.


def _sentences(
    run: RunStats,
    metric: SpanF,
    rows: Sequence[tuple[Pairing, ...] | None],
    script: Script,
    first_number: int,
) -> Iterator[str]:
    ((system, output),) = run.systems.items()
    chosen = iter(metric.choose([row for row in rows if row is not None]))
    so_far = Counts()
    for sample, case, row in zip(run.corpus.samples, run.cases[system], rows, strict=True):
        if row is None:
            continue
        number = int(sample.id) - 1 - first_number  # the ids of M2 are places in the file
        source = " ".join(output.tokens.get(sample.id) or sample.tokens)
        if script == "errant":
            yield from (_RULE, f"Original sentence {number}: {source}")
        hypotheses = list(map(_coder, output.hypotheses[sample.id]))
        references = list(map(_coder, sample.references))
        for pairing in row:
            if script == "cherrant":
                yield from (_RULE, f"SENTENCE {number} {source}")
            coders = f"HYP {hypotheses[pairing.hypothesis]} - REF {references[pairing.reference]}"
            yield from (_RULE, f"SENTENCE {number} - {coders}")
            yield from _edits(case, pairing, metric, script)
            yield from _counts("Local", pairing.counts, metric.beta)
            yield from _counts("Global", so_far + pairing.counts, metric.beta)
        best = next(chosen)
        so_far += best.counts
        coders = f"HYP {hypotheses[best.hypothesis]}, REF {references[best.reference]}"
        yield from (_RULE, f"^^ {coders} chosen for sentence {number}")
        if script == "errant":
            yield "Local results:"
            yield from _table(best)


def _coder(rewrite: Rewrite) -> int:
    """The number of a coder; 0 where a block has no line of any."""
    return int(rewrite.annotator or 0)


def _edits(case: Case, pairing: Pairing, metric: SpanF, script: Script) -> Iterator[str]:
    versions = case.hypotheses[pairing.hypothesis], case.references[pairing.reference]
    for what, version in zip(_SIDES, versions, strict=True):
        labels: Mapping[tuple[Any, ...], list[str]] = keys(
            version, metric.level, metric.chosen, metric.rule
        )
        edits = sorted(
            _official_key(key, metric.level)
            if script == "cherrant"
            else (*key, _OFFICIAL_NAMES.get(types[0], types[0]))
            for key, types in labels.items()
        )
        yield f"{what} {[] if edits and edits[0][0] == -1 else edits}"


def _official_key(key: Key, level: Level) -> tuple[Any, ...]:
    """A key as ChERRANT has it, which writes -NONE- where nothing stands instead."""
    is_deletion = level.startswith("correction") and key[-1] == ""
    return (*key[:-1], "-NONE-") if is_deletion else key


def _counts(where: str, counts: Counts, beta: float) -> Iterator[str]:
    precision, recall, f = _ratios(counts, beta)
    yield f"{where} TP/FP/FN".ljust(17) + f": {counts.tp} {counts.fp} {counts.fn}"
    yield f"{where} P/R/F{beta}  : {precision} {recall} {f}"


def _table(best: Pairing) -> Iterator[str]:
    rows = [["Category", "TP", "FP", "FN"]] + [
        [_OFFICIAL_NAMES.get(label, label), str(counts.tp), str(counts.fp), str(counts.fn)]
        for label, counts in best.by_type.items()
    ]
    widths = [max(map(len, column)) + 3 for column in zip(*rows, strict=True)]
    for row in rows:
        yield "".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))


# m2scorer.


def render_m2scorer(score: Score, beta: float) -> str:
    """The three lines that m2scorer prints."""
    counts = score.counts or Counts()
    return (
        f"Precision   : {counts.precision:.4f}\n"
        f"Recall      : {counts.recall:.4f}\n"
        f"F_{beta:.1f}       : {score.value:.4f}\n"
    )
