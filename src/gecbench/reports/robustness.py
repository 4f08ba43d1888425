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
from gecbench.core.errors import count_noun
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
)

_RULES: Mapping[ConsistencyRule, Words] = {
    "official": Words("official rule", "官方规则"),
    "edits": Words("edits", "按编辑"),
}
_ACTIONS: Mapping[str, Words] = {
    "substitution": Words("substitution", "替换"),
    "insertion": Words("insertion", "插入"),
    "deletion": Words("deletion", "删除"),
    "mixed": Words("mixed", "混合"),
    "none": Words("none", "无扰动"),
}
_ALL = Words("all", "全部")
_TRIVIAL = {
    PERFECT: Words(PERFECT, "（完美系统）"),
    COPY: Words(COPY, "（照抄输入）"),
}
_SHOWN = 10
"""Cases of a system, or findings of a kind, in tables; JSON has all."""
_LONGEST = 60
"""Characters of corrections in a table."""

_PLACE = (Column("subset", zh="子集"), Column("system", zh="系统"))


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
        title=Words("Robustness to context", "对上下文的鲁棒性"),
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
    yield (
        "CRS and P-CRS never stand alone: a system that copies its input has them too; the rows "
        "(perfect) and (copies its input) say how far they reach on these data"
    )
    yield (
        "official: one variant is best and worst for the running F, P-CRS: the F of a variant "
        "alone is the original's; edits: the corrections are the same after mapping"
    )
    if result.unpaired_errors:
        yield (
            f"{count_noun(result.unpaired_errors, 'error', ' stands', ' stand')} in the reference "
            "of an original or a variant and not in the other; correcting them counts for neither "
            "side of edits"
        )
    systems = [case.system for case in result.disagreements]
    counts = {system: systems.count(system) for system in systems}
    if any(count > _SHOWN for count in counts.values()):
        yield (
            f"cases the two rules call differently, of which {_SHOWN} a system are shown and "
            "--format json has all: "
            + ", ".join(f"{system}: {count}" for system, count in counts.items())
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
            Column(f"{en}{name}", "percent", zh=f"{zh}{name}")
            for en, zh in heads
            for name in ("P", "R", f)
        ),
        Column(f"delta {f}", "percent", zh=f"Δ{f}"),
        Column("CRS", "percent"),
        Column("P-CRS", "percent"),
    )
    rows: list[tuple[Value, ...]] = []
    for place, system in _rows(result):
        bounds = (system.original, system.upper, system.lower)
        scores = [v for scores in bounds for v in (scores.precision, scores.recall, scores.f)]
        rows.append((*place, *scores, system.delta_f, system.official.crs, system.official.p_crs))
    title = Words(
        "Original sentences, upper and lower bound over variants, and consistency",
        "原句得分、各变体的上界与下界及一致性",
    )
    return Table("scores", title, columns, tuple(rows))


def _consistency(result: Robustness) -> Table:
    columns = (
        *_PLACE,
        Column("cases", "count", zh="用例"),
        Column("CRS official", "percent", zh="CRS（官方）"),
        Column("CRS edits", "percent", zh="CRS（编辑）"),
        Column("P-CRS official", "percent", zh="P-CRS（官方）"),
        Column("P-CRS edits", "percent", zh="P-CRS（编辑）"),
        Column("both", "count", zh="两者一致"),
        Column("official only", "count", zh="仅官方"),
        Column("edits only", "count", zh="仅编辑"),
        Column("neither", "count", zh="均不一致"),
        Column("edits/sentence", "number", zh="每句编辑数"),
    )
    rows: list[tuple[Value, ...]] = []
    for place, system in _rows(result):
        both, agreement = (system.official, system.edits), system.agreement
        cases = (agreement.both, agreement.official_only, agreement.edits_only, agreement.neither)
        shares = (*(rule.crs for rule in both), *(rule.p_crs for rule in both))
        rows.append((*place, system.cases, *shares, *cases, system.edits_per_sentence))
    title = Words("Consistency by the official rule and by edits", "按官方规则与按编辑的一致性")
    return Table("consistency", title, columns, tuple(rows))


def _orders(result: Robustness) -> Table:
    f = f"F{result.beta:g}"
    columns = (
        *_PLACE,
        Column("orders", "count", zh="顺序数"),
        Column("CRS least", "percent", zh="CRS 最低"),
        Column("CRS most", "percent", zh="CRS 最高"),
        Column(f"upper {f} least", "percent", zh=f"上界 {f} 最低"),
        Column(f"upper {f} most", "percent", zh=f"上界 {f} 最高"),
        Column(f"lower {f} least", "percent", zh=f"下界 {f} 最低"),
        Column(f"lower {f} most", "percent", zh=f"下界 {f} 最高"),
        Column("unsettled cases", "count", zh="随顺序变化的用例"),
    )
    rows: list[tuple[Value, ...]] = []
    for place, system in _rows(result):
        if orders := system.orders:
            crs = [count / system.cases for count in orders.consistent_cases]
            extremes = (*crs, *orders.upper_f, *orders.lower_f)
            rows.append((*place, orders.orders, *extremes, orders.unsettled_cases))
    title = Words(
        "The official rule when the cases come in other orders", "用例顺序改变时的官方规则"
    )
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
        Words(
            "Cases that one rule calls consistent and the other does not (*: a wrong correction)",
            "两种规则判断不同的用例（*：错误的修改）",
        ),
        (
            Column("system", zh="系统"),
            Column("subset", zh="子集"),
            Column("case", zh="用例"),
            Column("official", zh="官方"),
            Column("edits", zh="编辑"),
            Column("original's corrections", zh="原句的修改"),
            Column("a variant's", zh="某变体的修改"),
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


class _Kind(NamedTuple):
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


def _kinds(result: Robustness) -> tuple[_Kind, ...]:
    unit = Words(f"{result.unit}s", "词" if result.unit == "word" else "字")
    return (
        _Kind(
            "action",
            result.actions,
            Words("By perturbing action", "按扰动方式"),
            Words("P-CRS by perturbing action", "各扰动方式下的 P-CRS"),
            Words("what the perturbation did", "扰动方式"),
        ),
        _Kind(
            "distance",
            result.distances,
            Words(
                f"By {unit.en} between perturbation and error, where both are single",
                f"按扰动与错误之间的{unit.zh}数（单一扰动、单一错误）",
            ),
            Words("P-CRS by distance between perturbation and error", "P-CRS 与扰动到错误的距离"),
            Words(f"{unit.en} between perturbation and error", f"扰动与错误之间的{unit.zh}数"),
        ),
        _Kind(
            "frequency",
            result.frequencies or (),
            Words("By frequency of the rarest word put in", "按插入的最罕见词的频次"),
            Words("P-CRS by frequency of the word put in", "P-CRS 与插入词的频次"),
            Words("occurrences in the training text", "在训练文本中的出现次数"),
        ),
    )


def _kind_table(kind: _Kind) -> Table:
    columns = [Column(kind.name, zh=kind.table_title.zh.removeprefix("按"))]
    columns.append(Column("variants", "count", zh="变体数"))
    for system in kind.groups[0].systems:
        columns += [
            Column(f"{system.system} official", "percent", zh=f"{system.system}（官方）"),
            Column(f"{system.system} edits", "percent", zh=f"{system.system}（编辑）"),
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


def _kind_figure(kind: _Kind, rule: ConsistencyRule) -> Figure:
    series, alt = [], []
    for index, name in enumerate(system.system for system in kind.groups[0].systems):
        percents = tuple(
            100 * group.systems[index].share(rule).like_original / group.variants
            for group in kind.groups
        )
        series.append(Series(name, kind.names, percents))
        pairs = [(words, f"{share:.1f}") for words, share in zip(kind.names, percents, strict=True)]
        en = ", ".join(f"{words.en} {share}" for words, share in pairs)
        zh = ", ".join(f"{words.zh} {share}" for words, share in pairs)
        alt.append(Words(f"{name} {en}", f"{name} {zh}"))
    axis, words = kind.axis, _RULES[rule]
    return Figure(
        name=f"robustness-{kind.name}" + ("" if rule == "official" else f"-{rule}"),
        kind="bars",
        title=Words(f"{kind.title.en} ({words.en})", f"{kind.title.zh}（{words.zh}）"),
        alt=Words(
            f"P-CRS in percent by {axis.en}: {'; '.join(one.en for one in alt)}.",
            f"P-CRS（%），按{axis.zh}：{'; '.join(one.zh for one in alt)}。",
        ),
        x_label=axis,
        y_label=Words("P-CRS (%)", "P-CRS（%）"),
        series=tuple(series),
    )


# The other figures.


def _bounds_figure(result: Robustness) -> Figure:
    f = f"F{result.beta:g}"
    alt = []
    for system in result.whole:
        bounds = (system.original, system.lower, system.upper)
        score, low, high = (f"{100 * counts.f:.2f}" for counts in bounds)
        alt.append(
            Words(
                f"{system.system} {score}, between {low} and {high}",
                f"{system.system} 原句 {score}，介于 {low} 与 {high} 之间",
            )
        )
    values = join_texts(alt, "; ")
    return Figure(
        name="robustness-bounds",
        kind="intervals",
        title=Words(
            f"{f} on the original sentences, and its bounds when the context changes",
            f"原句上的 {f} 及上下文变化时的上下界",
        ),
        alt=Words(
            f"{f} in percent on {result.corpus}: {values.en}.",
            f"{result.corpus} 上的 {f}（%）：{values.zh}。",
        ),
        x_label=Words("system", "系统"),
        y_label=Words(f"{f} (%)", f"{f}（%）"),
        series=(
            Series.of_shares(
                f,
                (system.system for system in result.whole),
                (system.original.f for system in result.whole),
                (system.lower.f for system in result.whole),
                (system.upper.f for system in result.whole),
            ),
        ),
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
    return Figure(
        name="robustness-consistency",
        kind="bars",
        title=Words(
            "Consistency of corrections when the context changes", "上下文变化时修改的一致性"
        ),
        alt=Words(
            f"Shares in percent on {result.corpus}, by the official rule / by edits: {alt}.",
            f"{result.corpus} 上的比例（%，官方规则 / 按编辑）：{alt}。",
        ),
        x_label=Words("system", "系统"),
        y_label=Words("share (%)", "比例（%）"),
        series=tuple(
            Series(
                Words(f"{score}, {_RULES[rule].en}", f"{score}，{_RULES[rule].zh}"), names, percents
            )
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
        Words("What is odd in the cases", "用例中的异常"),
        (
            Column("finding", zh="发现"),
            Column("meaning", zh="含义"),
            *(Column(n or "all", "count", zh=None if n else "合计") for n in names),
        ),
        tuple(
            (kind, _MEANINGS[kind], *(check.count(kind, name) for name in names)) for kind in KINDS
        ),
    )
    places = Table(
        "places",
        Words("Where", "位置"),
        (
            Column("finding", zh="发现"),
            Column("subset", zh="子集"),
            Column("case", zh="用例"),
            Column("sentence", zh="句子"),
            Column("detail", zh="详情"),
        ),
        tuple(
            (finding.kind, finding.subset, finding.case, finding.sentence, finding.detail)
            for finding in findings
        ),
    )
    return Report(
        name="robustness",
        title=Words("A look at perturbed cases", "扰动用例检查"),
        corpus=check.corpus,
        tables=(counts, places),
        data=data_of(check),
        notes=(f"{hidden} more findings are not shown; --format json has all",) if hidden else (),
    )
