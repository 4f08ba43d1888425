"""Robustness as tables, figures and JSON; and the problems of perturbed cases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby, islice
from typing import NamedTuple

from gecbench.analysis.perturbed_cases import (
    BRACKETS,
    EMPTY,
    HALF_FREE,
    KINDS,
    REPEATED,
    TOUCHES,
    UNCHANGED,
    UNEVEN,
    CaseCheck,
)
from gecbench.analysis.robustness import (
    COPY,
    PERFECT,
    RULES,
    ConsistencyRule,
    Disagreement,
    Robustness,
    ShownSentence,
    SystemRobustness,
    VariantGroup,
)
from gecbench.core.errors import Message
from gecbench.reports.report import (
    NO,
    YES,
    Column,
    Figure,
    Report,
    Series,
    Table,
    Value,
    Words,
    data_of,
    join_texts,
    translate,
)

_RULES: Mapping[ConsistencyRule, Words] = {
    "official": translate("official rule"),
    "edits": translate("rule|edits"),
}
_ACTIONS: Mapping[str, Words] = {
    action: translate(action)
    for action in ("substitution", "insertion", "deletion", "mixed", "none")
}
_ALL = translate("all")
_TRIVIAL = {name: translate(name) for name in (PERFECT, COPY)}
_SHOWN = 10
"""Cases of a system, or findings of a kind, in tables; JSON has all."""
_LONGEST = 60
"""Characters of corrections in a table."""

_PLACE = (Column.of("subset"), Column.of("system"))


def build_report(result: Robustness) -> Report:
    """Show scores and bounds, consistency by two rules, and kinds of variants."""
    tables = [
        _scores(result),
        *(
            replace(_scores(other), name=f"scores-f{other.beta:g}".replace(".", "-"))
            for other in result.others
        ),
        _consistency(result),
        _disagreements(result.disagreements),
    ]
    if any(system.orders for system in result.systems):
        tables.append(_orders(result))
    kinds = [kind for kind in _kinds(result) if kind.groups]
    return Report(
        name="robustness",
        title=translate("Robustness to context"),
        corpus=result.corpus,
        tables=(*tables, *(_kind_table(kind) for kind in kinds)),
        figures=(
            _bounds_figure(result),
            _consistency_figure(result),
            *(_kind_figure(kind, rule) for kind in kinds for rule in RULES),
        ),
        data=_data(result),
        notes=(*_notes(result), *result.notes),
        signatures=result.signatures,
    )


def _data(result: Robustness) -> dict[str, object]:
    def systems(part: Robustness) -> dict[str, object]:
        return {
            "systems": [data_of(system, "verdicts") for system in part.systems],
            "trivial": [data_of(system, "verdicts") for system in part.trivial],
        }

    data = data_of(result, "others") | systems(result)
    if result.others:
        data["other_betas"] = [{"beta": other.beta, **systems(other)} for other in result.others]
    return data


def _notes(result: Robustness) -> Iterator[str]:
    yield Message(
        "Do not read CRS and P-CRS alone: a system that copies its input scores high on both. The "
        "rows (perfect) and (copies its input) give their values for the two extremes on these data"
    )
    yield Message(
        "official rule: CRS counts a case if the same sentence gives the best and the worst "
        "running F; P-CRS counts a variant if its own F equals the original's. By edits: a variant "
        "counts if its corrections are the original's"
    )
    if result.unpaired_errors:
        yield Message(
            "errors in the reference of an original or a variant and not in the other: {count}; "
            "correcting them counts for neither side of edits",
            count=result.unpaired_errors,
        )
    systems = [case.system for case in result.disagreements]
    counts = {system: systems.count(system) for system in systems}
    if any(count > _SHOWN for count in counts.values()):
        yield Message(
            "cases the two rules call differently, of which {shown} a system are shown and "
            "--format json has all: {counts}",
            shown=_SHOWN,
            counts=", ".join(f"{system}: {count}" for system, count in counts.items()),
        )


# The tables.


def _rows(result: Robustness) -> Iterator[tuple[tuple[Value, Value], SystemRobustness]]:
    """Yield systems, then the trivial ones, subset by subset, with their names."""
    for subset in dict.fromkeys(system.subset for system in result.systems):
        for system in (*result.systems, *result.trivial):
            if system.subset == subset:
                yield (subset or _ALL, _TRIVIAL.get(system.system, system.system)), system


def _scores(result: Robustness) -> Table:
    f = f"F{result.beta:g}"
    heads = [("", ""), ("upper ", "上界 "), ("lower ", "下界 ")]
    columns = (
        *_PLACE,
        *(
            Column.of("{en}{name}", "percent", en=en, name=name, zh=zh)
            for en, zh in heads
            for name in (Words("P", "精确率"), Words("R", "召回率"), f)
        ),
        Column.of("delta {f}", "percent", f=f),
        Column("CRS", "percent"),
        Column("P-CRS", "percent"),
    )
    rows: list[tuple[Value, ...]] = []
    for place, system in _rows(result):
        bounds = (system.original, system.upper, system.lower)
        scores = [v for scores in bounds for v in (scores.precision, scores.recall, scores.f)]
        rows.append((*place, *scores, system.delta_f, system.official.crs, system.official.p_crs))
    title = translate("Original sentences, upper and lower bound over variants, and consistency")
    return Table("scores", title, columns, tuple(rows))


def _consistency(result: Robustness) -> Table:
    columns = (
        *_PLACE,
        Column.of("cases", "count"),
        Column.of("CRS official", "percent"),
        Column.of("CRS edits", "percent"),
        Column.of("P-CRS official", "percent"),
        Column.of("P-CRS edits", "percent"),
        Column.of("both", "count"),
        Column.of("official only", "count"),
        Column.of("edits only", "count"),
        Column.of("neither", "count"),
        Column.of("edits/sentence", "number"),
    )
    rows: list[tuple[Value, ...]] = []
    for place, system in _rows(result):
        both, agreement = (system.official, system.edits), system.agreement
        cases = (agreement.both, agreement.official_only, agreement.edits_only, agreement.neither)
        shares = (*(rule.crs for rule in both), *(rule.p_crs for rule in both))
        rows.append((*place, system.cases, *shares, *cases, system.edits_per_sentence))
    title = translate("Consistency by the official rule and by edits")
    return Table("consistency", title, columns, tuple(rows))


def _orders(result: Robustness) -> Table:
    f = f"F{result.beta:g}"
    columns = (
        *_PLACE,
        Column.of("orders", "count"),
        Column.of("CRS least", "percent"),
        Column.of("CRS most", "percent"),
        Column.of("upper {f} least", "percent", f=f),
        Column.of("upper {f} most", "percent", f=f),
        Column.of("lower {f} least", "percent", f=f),
        Column.of("lower {f} most", "percent", f=f),
        Column.of("unsettled cases", "count"),
    )
    rows: list[tuple[Value, ...]] = []
    for place, system in _rows(result):
        if orders := system.orders:
            crs = [count / system.cases for count in orders.consistent_cases]
            extremes = (*crs, *orders.upper_f, *orders.lower_f)
            rows.append((*place, orders.orders, *extremes, orders.unsettled_cases))
    title = translate("The official rule when the cases come in other orders")
    return Table("orders", title, columns, tuple(rows))


def _disagreements(cases: Sequence[Disagreement]) -> Table:
    rows: list[tuple[Value, ...]] = []
    for _, group in groupby(cases, key=lambda case: case.system):
        for case in list(group)[:_SHOWN]:
            first, *rest = case.sentences
            other = min(rest, key=lambda other: 1 + other.equal_f if other.same_edits else 0)
            rules = (YES if consistent else NO for consistent in (case.official, case.edits))
            texts = (_corrections(first), f"{other.mark}: {_corrections(other)}")
            rows.append((case.system, case.subset, case.case, *rules, *texts))
    return Table(
        "disagreements",
        translate(
            "Cases that one rule calls consistent and the other does not (*: a wrong correction)"
        ),
        (
            Column.of("system"),
            Column.of("subset"),
            Column.of("case"),
            Column.of("official"),
            Column.of("edits"),
            Column.of("original's corrections"),
            Column.of("a variant's"),
        ),
        tuple(rows),
    )


def _corrections(sentence: ShownSentence) -> str:
    """The corrections of a sentence in short; a star stands at wrong ones."""
    corrections = [
        f"{change.before or '-'} > {change.after or '-'}{'' if change.right else ' *'}"
        for change in sentence.changes
    ]
    text = "; ".join(corrections) or "nothing"
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


# Kinds of variants.


class _VariantKind(NamedTuple):
    """A way to group variants, as its table and its figures show it."""

    name: str
    groups: Sequence[VariantGroup]
    table_title: Words
    title: Words
    axis: Words

    @property
    def names(self) -> tuple[Words, ...]:
        return tuple(
            _ACTIONS.get(group.name, Words(group.name, group.name)) for group in self.groups
        )


def _kinds(result: Robustness) -> tuple[_VariantKind, ...]:
    unit = translate(f"unit|{result.unit}s")
    return (
        _VariantKind(
            "action",
            result.actions,
            translate("By perturbing action"),
            translate("P-CRS by perturbing action"),
            translate("what the perturbation did"),
        ),
        _VariantKind(
            "distance",
            result.distances,
            translate("By {unit} between perturbation and error, where both are single", unit=unit),
            translate("P-CRS by distance between perturbation and error"),
            translate("{unit} between perturbation and error", unit=unit),
        ),
        _VariantKind(
            "frequency",
            result.frequencies or (),
            translate("By frequency of the rarest word put in"),
            translate("P-CRS by frequency of the word put in"),
            translate("occurrences in the training text"),
        ),
    )


def _kind_table(kind: _VariantKind) -> Table:
    columns = [Column(kind.name, zh=kind.table_title.zh.removeprefix("按"))]
    columns.append(Column.of("variants", "count"))
    for system in kind.groups[0].systems:
        columns += [
            Column.of("{system} official", "percent", system=system.system),
            Column.of("{system} edits", "percent", system=system.system),
        ]
    rows = tuple(
        (
            _ACTIONS.get(group.name, group.name),
            group.variants,
            *(system.share(rule).p_crs for system in group.systems for rule in RULES),
        )
        for group in kind.groups
    )
    return Table(kind.name, kind.table_title, tuple(columns), rows)


def _kind_figure(kind: _VariantKind, rule: ConsistencyRule) -> Figure:
    series, alt = [], []
    for index, name in enumerate(system.system for system in kind.groups[0].systems):
        percents = tuple(
            100 * group.systems[index].share(rule).like_original / group.variants
            for group in kind.groups
        )
        series.append(Series(name, kind.names, percents))
        shares = join_texts(
            translate("{name} {value}", name=group, value=f"{share:.1f}")
            for group, share in zip(kind.names, percents, strict=True)
        )
        alt.append(translate("{name} {value}", name=name, value=shares))
    return Figure.of(
        f"robustness-{kind.name}" + ("" if rule == "official" else f"-{rule}"),
        "bars",
        title=translate("{title} ({rule})", title=kind.title, rule=_RULES[rule]),
        alt="P-CRS in percent by {axis}: {shares}.",
        x=kind.axis,
        y="P-CRS (%)",
        series=series,
        axis=kind.axis,
        shares=join_texts(alt, "; "),
    )


# The other figures.


def _bounds_figure(result: Robustness) -> Figure:
    f = f"F{result.beta:g}"
    alt = []
    for system in result.whole:
        bounds = (system.original, system.lower, system.upper)
        score, low, high = (f"{100 * counts.f:.2f}" for counts in bounds)
        alt.append(
            translate(
                "{system} {score}, between {low} and {high}",
                system=system.system,
                score=score,
                low=low,
                high=high,
            )
        )
    values = join_texts(alt, "; ")
    return Figure.of(
        "robustness-bounds",
        "intervals",
        title="{f} on the original sentences, and its bounds when the context changes",
        alt="{f} in percent on {corpus}: {values}.",
        x="system",
        y="{f} (%)",
        series=(
            Series.of_shares(
                f,
                (system.system for system in result.whole),
                (system.original.f for system in result.whole),
                (system.lower.f for system in result.whole),
                (system.upper.f for system in result.whole),
            ),
        ),
        f=f,
        corpus=result.corpus,
        values=values,
    )


def _consistency_figure(result: Robustness) -> Figure:
    names = tuple(system.system for system in result.whole)
    shares = {
        (score, rule): tuple(
            100 * (share.crs if score == "CRS" else share.p_crs)
            for system in result.whole
            for share in (system.consistency(rule),)
        )
        for score in ("CRS", "P-CRS")
        for rule in RULES
    }
    alt = "; ".join(
        f"{name} CRS {crs:.2f} / {crs_edits:.2f}, P-CRS {p_crs:.2f} / {p_crs_edits:.2f}"
        for name, crs, crs_edits, p_crs, p_crs_edits in zip(names, *shares.values(), strict=True)
    )
    return Figure.of(
        "robustness-consistency",
        "bars",
        title="Consistency of corrections when the context changes",
        alt=translate(
            "Shares in percent on {corpus}, by the official rule / by edits: {alt}.",
            corpus=result.corpus,
            alt=alt,
        ),
        x="system",
        y="share (%)",
        series=tuple(
            Series(translate("{score}, {rule}", score=score, rule=_RULES[rule]), names, percents)
            for (score, rule), percents in shares.items()
        ),
    )


# The problems of perturbed cases: how many there are, and where.

_MEANINGS: Mapping[str, str] = {
    UNCHANGED: "variant whose source is the original's",
    REPEATED: "variant whose source is that of an earlier variant",
    TOUCHES: "perturbation of words that belong to an error of the original",
    UNEVEN: "source and reference are perturbed differently",
    HALF_FREE: "case free of errors in some sentences and not in others",
    EMPTY: "sentence whose reference is empty",
    BRACKETS: "variant with a bracket that the original has not",
}


def build_check_report(check: CaseCheck) -> Report:
    """Show the problems of perturbed cases."""
    findings = [
        finding
        for kind in KINDS
        for finding in islice((f for f in check.findings if f.kind == kind), _SHOWN)
    ]
    hidden = len(check.findings) - len(findings)
    names: list[str | None] = [subset.name for subset in check.subsets]
    names += [None] if len(names) > 1 else []
    counts = Table(
        "oddities",
        translate("What is odd in the cases"),
        (
            Column.of("finding"),
            Column.of("meaning"),
            *(Column(n or "all", "count", zh=None if n else "合计") for n in names),
        ),
        tuple(
            (kind, _MEANINGS[kind], *(check.count(kind, name) for name in names)) for kind in KINDS
        ),
    )
    places = Table(
        "places",
        translate("Where"),
        (
            Column.of("finding"),
            Column.of("subset"),
            Column.of("case"),
            Column.of("sentence"),
            Column.of("detail"),
        ),
        tuple(
            (finding.kind, finding.subset, finding.case, finding.sentence, finding.detail)
            for finding in findings
        ),
    )
    return Report(
        name="robustness",
        title=translate("A look at perturbed cases"),
        corpus=check.corpus,
        tables=(counts, places),
        data=data_of(check),
        notes=(f"{hidden} more findings are not shown; --format json has all",) if hidden else (),
    )
