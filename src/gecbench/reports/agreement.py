"""How far annotators agree, as tables and a figure."""

from __future__ import annotations

from collections.abc import Mapping

from gecbench.analysis.agreement import Agreement, Why
from gecbench.reports.report import (
    Column,
    Figure,
    Report,
    Series,
    Table,
    Words,
    data_of,
    join_texts,
)

WHY: Mapping[Why, Words] = {
    "alone": Words("nobody shares a sentence with anybody", "没有两人标注过同一句"),
    "one-decision": Words(
        "everybody always decided the same, which chance alone would give",
        "所有判断始终相同，偶然也会如此",
    ),
    "no-text": Words("no two answers have edits to compare", "没有可比较编辑的两份答案"),
}
"""Why a value is undefined, for people."""

_SHOWN = 20
"""Annotators in the figure: more would not be legible."""


def build_report(result: Agreement) -> Report:
    """Show the whole, each annotator against the others, and all pairs."""
    return Report(
        name="agreement",
        title=Words("Agreement of annotators", "标注一致性"),
        corpus=result.corpus,
        tables=(overall_table(result), annotators_table(result), pairs_table(result)),
        figures=(figure(result),),
        data=data_of(result),
        notes=result.notes,
        signatures=result.signatures,
    )


def figure(result: Agreement) -> Figure:
    """How well each annotator's edits agree with those of the others, both ways."""
    known = [annotator for annotator in result.each if annotator.made.value is not None][:_SHOWN]
    names = [annotator.name for annotator in known]
    theirs = Words("their edits against the others'", "本人编辑对他人")
    others = Words("the others' edits against theirs", "他人编辑对本人")
    scores = join_texts(f"{a.name} {100 * (a.made.value or 0):.1f}" for a in known)
    alpha = WHY[result.alpha.why or "alone"]
    if result.alpha.value is not None:
        alpha = join_texts([f"{result.alpha.value:.3f}"])
    return Figure(
        name="agreement-edits",
        kind="bars",
        title=Words("Agreement of edits between annotators", "标注者之间的编辑一致性"),
        alt=Words(
            f"Bars: F0.5 in percent of each annotator against the others: {scores.en}. "
            f"Krippendorff's alpha of decisions: {alpha.en}.",
            f"柱状图：各标注者对他人的 F0.5（%）：{scores.zh}。判断的 Krippendorff α：{alpha.zh}。",
        ),
        x_label=Words("annotators", "标注者"),
        y_label=Words("F0.5 (percent)", "F0.5（%）"),
        series=(
            Series.of_shares(theirs, names, [annotator.made.value for annotator in known]),
            Series.of_shares(others, names, [annotator.met.value for annotator in known]),
        ),
    )


def overall_table(result: Agreement) -> Table:
    """The few numbers of the whole; what is undefined says why."""
    rates = (
        (Words("decisions: Krippendorff's alpha", "判断：Krippendorff α"), result.alpha),
        (Words("decisions: alike", "判断：相同比例"), result.decisions),
        (Words("answers: just the same", "答案：完全相同比例"), result.exact),
        (Words("answers: one in common", "答案：至少一个相同的比例"), result.common),
        (Words("edits: F0.5, both ways", "编辑：F0.5（双向）"), result.edits),
    )
    return Table.of(
        "agreement",
        Words("Agreement of annotators", "标注一致性"),
        rates,
        (Column("agreement", zh="指标"), lambda row: row[0]),
        (Column("value", "number", 4, zh="值"), lambda row: row[1].value),
        (Column("over", "count", zh="样本数"), lambda row: row[1].of),
        (
            Column("undefined because", zh="无值原因"),
            lambda row: WHY[row[1].why] if row[1].why else Words("", ""),
        ),
    )


def annotators_table(result: Agreement) -> Table:
    """Each annotator against the others."""
    return Table.of(
        "annotators",
        Words("Each annotator against the others", "各标注者与他人的一致性"),
        result.each,
        (Column("annotator", zh="标注者"), lambda row: row.name),
        (Column("sentences", "count", zh="句数"), lambda row: row.sentences),
        (Column("decisions alike", "percent", zh="判断相同"), lambda row: row.decisions.value),
        (Column("just the same", "percent", zh="完全相同"), lambda row: row.exact.value),
        (Column("F0.5 against others", "percent", zh="对他人 F0.5"), lambda row: row.made.value),
        (Column("F0.5 of others", "percent", zh="他人对其 F0.5"), lambda row: row.met.value),
    )


def pairs_table(result: Agreement) -> Table:
    """All pairs of annotators with enough sentences in common."""
    return Table.of(
        "pairs",
        Words("Pairs of annotators", "标注者两两比较"),
        result.pairs,
        (Column("one", zh="甲"), lambda pair: pair.one),
        (Column("other", zh="乙"), lambda pair: pair.other),
        (Column("sentences", "count", zh="共同句数"), lambda pair: pair.sentences),
        (Column("decisions alike", "percent", zh="判断相同"), lambda pair: pair.decisions.value),
        (Column("just the same", "percent", zh="完全相同"), lambda pair: pair.exact.value),
        (Column("F0.5 one to other", "percent", zh="甲对乙 F0.5"), lambda pair: pair.forth.value),
        (Column("F0.5 other to one", "percent", zh="乙对甲 F0.5"), lambda pair: pair.back.value),
    )
