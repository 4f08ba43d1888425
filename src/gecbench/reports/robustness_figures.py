"""The figures of robustness: bounds, consistency, and P-CRS by what was done to a variant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gecbench.analysis.robustness.results import RULES, Cell, Part, Robustness, Rule
from gecbench.reports.figure import Figure, Series
from gecbench.reports.words import Words

_RULES: Mapping[Rule, Words] = {
    "official": Words("official rule", "官方规则"),
    "edits": Words("edits", "按编辑"),
}

ACTIONS: Mapping[str, Words] = {
    "substitution": Words("substitution", "替换"),
    "insertion": Words("insertion", "插入"),
    "deletion": Words("deletion", "删除"),
    "mixed": Words("mixed", "混合"),
    "none": Words("none", "无扰动"),
}


def figures(found: Robustness) -> tuple[Figure, ...]:
    """Return all figures of an analysis, those of kinds once for each rule."""
    return (_bounds(found), _consistency(found), *_kinds(found))


def _bounds(found: Robustness) -> Figure:
    parts = found.whole
    f = f"F{found.beta:g}"
    values = [
        tuple(
            100 * counts.f(found.beta)
            for counts in (part.rule.original, part.rule.lower, part.rule.upper)
        )
        for part in parts
    ]
    said = [
        Words(
            f"{part.system} {own:.2f}, between {low:.2f} and {high:.2f}",
            f"{part.system} 原句 {own:.2f}，介于 {low:.2f} 与 {high:.2f} 之间",
        )
        for part, (own, low, high) in zip(parts, values, strict=True)
    ]
    return Figure(
        name="robustness-bounds",
        kind="intervals",
        title=Words(
            f"{f} on the original sentences, and its bounds when the context changes",
            f"原句上的 {f} 及上下文变化时的上下界",
        ),
        alt=Words(
            f"{f} in percent on {found.name}: {'; '.join(each.en for each in said)}.",
            f"{found.name} 上的 {f}（%）：{'；'.join(each.zh for each in said)}。",
        ),
        x_label=Words("system", "系统"),
        y_label=Words(f"{f} (%)", f"{f}（%）"),
        series=(
            Series(
                f,
                tuple(part.system for part in parts),
                tuple(each[0] for each in values),
                tuple(each[1] for each in values),
                tuple(each[2] for each in values),
            ),
        ),
    )


def _consistency(found: Robustness) -> Figure:
    parts = found.whole
    series = [
        Series(
            Words(f"{score}, {_RULES[rule].en}", f"{score}，{_RULES[rule].zh}"),
            tuple(part.system for part in parts),
            tuple(100 * _share(part, score, rule) for part in parts),
        )
        for score in ("CRS", "P-CRS")
        for rule in RULES
    ]
    said = [
        ", ".join(
            f"{score} {100 * _share(part, score, 'official'):.2f} / "
            f"{100 * _share(part, score, 'edits'):.2f}"
            for score in ("CRS", "P-CRS")
        )
        for part in parts
    ]
    told = "; ".join(f"{part.system} {each}" for part, each in zip(parts, said, strict=True))
    return Figure(
        name="robustness-consistency",
        kind="bars",
        title=Words(
            "Consistency of corrections when the context changes", "上下文变化时修改的一致性"
        ),
        alt=Words(
            f"Shares in percent on {found.name}, by the official rule / by edits: {told}.",
            f"{found.name} 上的比例（%，官方规则 / 按编辑）：{told}。",
        ),
        x_label=Words("system", "系统"),
        y_label=Words("share (%)", "比例（%）"),
        series=tuple(series),
    )


def _share(part: Part, score: str, rule: Rule) -> float:
    if score == "CRS":
        return part.consistent(rule) / part.cases
    return part.equal(rule) / part.variants


def _kinds(found: Robustness) -> Iterator[Figure]:
    unit = Words(f"{found.unit}s", "词" if found.unit == "word" else "字")
    for name, cells, title, axis in (
        (
            "action",
            found.actions,
            Words("P-CRS by perturbing action", "各扰动方式下的 P-CRS"),
            Words("what the perturbation did", "扰动方式"),
        ),
        (
            "distance",
            found.distances,
            Words("P-CRS by distance between perturbation and error", "P-CRS 与扰动到错误的距离"),
            Words(f"{unit.en} between perturbation and error", f"扰动与错误之间的{unit.zh}数"),
        ),
        (
            "frequency",
            found.frequencies or (),
            Words("P-CRS by frequency of the word put in", "P-CRS 与插入词的频次"),
            Words("occurrences in the training text", "在训练文本中的出现次数"),
        ),
    ):
        if cells:
            for rule in RULES:
                yield _kind(name, rule, cells, title, axis, found.whole)


def _kind(
    name: str,
    rule: Rule,
    cells: Sequence[Cell],
    title: Words,
    axis: Words,
    parts: Sequence[Part],
) -> Figure:
    names = [ACTIONS.get(cell.name, Words(cell.name, cell.name)) for cell in cells]
    shares = {
        part.system: [100 * cell.equal[rule, part.system] / cell.pairs for cell in cells]
        for part in parts
    }
    told = [
        "; ".join(
            f"{system} "
            + ", ".join(
                f"{each.in_(language)} {share:.1f}"
                for each, share in zip(names, values, strict=True)
            )
            for system, values in shares.items()
        )
        for language in ("en", "zh")
    ]
    return Figure(
        name=f"robustness-{name}" + ("" if rule == "official" else f"-{rule}"),
        kind="bars",
        title=Words(f"{title.en} ({_RULES[rule].en})", f"{title.zh}（{_RULES[rule].zh}）"),
        alt=Words(
            f"P-CRS in percent by {axis.en}: {told[0]}.", f"P-CRS（%），按{axis.zh}：{told[1]}。"
        ),
        x_label=axis,
        y_label=Words("P-CRS (%)", "P-CRS（%）"),
        series=tuple(
            Series(system, tuple(names), tuple(values)) for system, values in shares.items()
        ),
    )
