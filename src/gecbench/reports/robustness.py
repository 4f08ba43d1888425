"""What an analysis of robustness shows: scores and bounds, two kinds of consistency, kinds."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from gecbench.analysis.robustness.analyse import COPY, PERFECT
from gecbench.analysis.robustness.results import (
    RULES,
    Cell,
    Disagreement,
    Part,
    Robustness,
    ShownSentence,
)
from gecbench.reports.exhibit import Column, Exhibit, Table, Value
from gecbench.reports.robustness_data import data
from gecbench.reports.robustness_figures import ACTIONS, figures
from gecbench.reports.words import Words

_ALL = Words("all", "全部")
_YES = Words("yes", "是")
_NO = Words("no", "否")
_TRIVIAL = {
    PERFECT: Words(PERFECT, "（完美系统）"),
    COPY: Words(COPY, "（照抄输入）"),
}
_SHOWN = 10
_BEHIND = 60

_PLACE = (Column("subset", zh="子集"), Column("system", zh="系统"))

_CONSISTENCY = (
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


def exhibit(found: Robustness) -> Exhibit:
    """Return the tables, figures and data of an analysis of robustness."""
    tables = [_scores(found), _consistency(found), _disagreements(found.disagreements)]
    if any(part.orders for part in found.parts):
        tables.append(_orders(found))
    unit = Words(f"{found.unit}s", "词" if found.unit == "word" else "字")
    for name, title, cells in (
        ("action", Words("By perturbing action", "按扰动方式"), found.actions),
        (
            "distance",
            Words(
                f"By {unit.en} between perturbation and error, where both are single",
                f"按扰动与错误之间的{unit.zh}数（单一扰动、单一错误）",
            ),
            found.distances,
        ),
        (
            "frequency",
            Words("By frequency of the rarest word put in", "按插入的最罕见词的频次"),
            found.frequencies or (),
        ),
    ):
        if cells:
            tables.append(_kinds(name, title, cells, found))
    return Exhibit(
        name="robustness",
        title=Words("Robustness to context", "对上下文的鲁棒性"),
        corpus=found.name,
        tables=tuple(tables),
        figures=figures(found),
        data=data(found),
        notes=(*_notes(found), *found.notes),
        signatures=(found.signature,),
    )


def _notes(found: Robustness) -> list[str]:
    said = [
        "CRS and P-CRS never stand alone: a system that copies its input has them too; the rows "
        "(perfect) and (copies its input) say how far they reach on these data",
        "official: one variant is best and worst for the running F, P-CRS: the F of a variant "
        "alone is the original's; edits: the corrections are the same after mapping",
    ]
    if found.unpaired:
        said.append(
            f"{found.unpaired} errors stand in the reference of an original or a variant and not "
            "in the other; correcting them counts for neither side of edits"
        )
    hidden = [
        f"{system}: {len(list(group))}"
        for system, group in groupby(found.disagreements, key=lambda each: each.system)
    ]
    if any(int(each.rsplit(" ", 1)[1]) > _SHOWN for each in hidden):
        said.append(
            f"cases the two rules call differently, of which {_SHOWN} a system are shown and "
            f"--format json has all: {', '.join(hidden)}"
        )
    return said


def _system(part: Part) -> str | Words:
    return _TRIVIAL.get(part.system, part.system)


def _rows(found: Robustness) -> list[Part]:
    """Return systems, then the trivial ones, subset by subset."""
    names = list(dict.fromkeys(part.subset for part in found.parts))
    return [
        part for name in names for part in (*found.parts, *found.trivial) if part.subset == name
    ]


def _scores(found: Robustness) -> Table:
    f = f"F{found.beta:g}"
    heads = [("", ""), ("upper ", "上界 "), ("lower ", "下界 ")]
    columns = [
        Column(f"{en}{each}", "percent", zh=f"{zh}{each}")
        for en, zh in heads
        for each in ("P", "R", f)
    ]
    rows = []
    for part in _rows(found):
        bounds = (part.rule.original, part.rule.upper, part.rule.lower)
        values: list[Value] = [
            value
            for counts in bounds
            for value in (counts.precision, counts.recall, counts.f(found.beta))
        ]
        rows.append(
            (
                part.subset or _ALL,
                _system(part),
                *values,
                bounds[1].f(found.beta) - bounds[2].f(found.beta),
                part.consistent("official") / part.cases,
                part.equal("official") / part.variants,
            )
        )
    return Table(
        "scores",
        Words(
            "Original sentences, upper and lower bound over variants, and consistency",
            "原句得分、各变体的上界与下界及一致性",
        ),
        (
            *_PLACE,
            *columns,
            Column(f"delta {f}", "percent", zh=f"Δ{f}"),
            Column("CRS", "percent"),
            Column("P-CRS", "percent"),
        ),
        tuple(rows),
    )


def _consistency(found: Robustness) -> Table:
    rows: list[tuple[Value, ...]] = []
    for part in _rows(found):
        rows.append(
            (
                part.subset or _ALL,
                _system(part),
                part.cases,
                *(part.consistent(rule) / part.cases for rule in RULES),
                *(part.equal(rule) / part.variants for rule in RULES),
                *part.agreement().values(),
                part.edits_per_sentence,
            )
        )
    return Table(
        "consistency",
        Words("Consistency by the official rule and by edits", "按官方规则与按编辑的一致性"),
        _CONSISTENCY,
        tuple(rows),
    )


def _orders(found: Robustness) -> Table:
    f = f"F{found.beta:g}"
    rows: list[tuple[Value, ...]] = [
        (
            part.subset or _ALL,
            _system(part),
            orders.orders,
            *(each / part.cases for each in orders.consistent),
            *orders.upper,
            *orders.lower,
            orders.unsettled,
        )
        for part in _rows(found)
        if (orders := part.orders)
    ]
    return Table(
        "orders",
        Words("The official rule when the cases come in other orders", "用例顺序改变时的官方规则"),
        (
            *_PLACE,
            Column("orders", "count", zh="顺序数"),
            Column("CRS least", "percent", zh="CRS 最低"),
            Column("CRS most", "percent", zh="CRS 最高"),
            Column(f"upper {f} least", "percent", zh=f"上界 {f} 最低"),
            Column(f"upper {f} most", "percent", zh=f"上界 {f} 最高"),
            Column(f"lower {f} least", "percent", zh=f"下界 {f} 最低"),
            Column(f"lower {f} most", "percent", zh=f"下界 {f} 最高"),
            Column("unsettled cases", "count", zh="随顺序变化的用例"),
        ),
        tuple(rows),
    )


def _disagreements(found: Sequence[Disagreement]) -> Table:
    rows: list[tuple[Value, ...]] = []
    for _, group in groupby(found, key=lambda each: each.system):
        for case in list(group)[:_SHOWN]:
            first, *rest = case.sentences
            other = next((each for each in rest if not each.same), None) or next(
                (each for each in rest if not each.equal), rest[0]
            )
            rows.append(
                (
                    case.system,
                    case.subset,
                    case.case,
                    *(_YES if said else _NO for said in (case.official, case.edits)),
                    _changed(first),
                    f"{other.mark}: {_changed(other)}",
                )
            )
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


def _changed(sentence: ShownSentence) -> str:
    """Return the corrections of a sentence in short; a star stands at wrong ones."""
    said = "; ".join(
        f"{each.before or '-'} > {each.after or '-'}{'' if each.right else ' *'}"
        for each in sentence.changes
    )
    said = said or "nothing"
    return said if len(said) <= _BEHIND else f"{said[: _BEHIND - 1]}…"


def _kinds(name: str, title: Words, cells: Sequence[Cell], found: Robustness) -> Table:
    names = [part.system for part in found.whole]
    return Table(
        name,
        title,
        (
            Column(name, zh=title.zh.removeprefix("按")),
            Column("variants", "count", zh="变体数"),
            *(
                Column(f"{system} {rule}", "percent", zh=f"{system}（{zh}）")
                for system in names
                for rule, zh in zip(RULES, ("官方", "编辑"), strict=True)
            ),
        ),
        tuple(
            (
                ACTIONS.get(cell.name, cell.name),
                cell.pairs,
                *(cell.equal[rule, system] / cell.pairs for system in names for rule in RULES),
            )
            for cell in cells
        ),
    )
