"""The five small charts of the page Quality, with their words in both languages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import accumulate

from gecbench.analysis.agreement import Agreement
from gecbench.reports import agreement
from gecbench.reports.report import Figure, Series, Words
from gecbench.server.guide.taxonomy import REJECT_REASONS
from gecbench.server.models import Project
from gecbench.server.progress.accepting import reasons
from gecbench.server.progress.counting import AGES, Day, ages, progress
from gecbench.server.progress.keeping import AGREEMENT
from gecbench.server.progress.team import PersonFigures, people
from gecbench.server.progress.whole import Quality, agreed

NAMES = ("progress", AGREEMENT, "volume", "reasons", "ages")
"""In the order of reading."""


def chart_of(project: Project, name: str) -> Figure:
    """Return one of NAMES, and ask only for what it shows."""
    if name == "progress":
        return _progress(progress(project).days)
    if name == AGREEMENT:
        return _agreement(agreed(project))
    if name == "volume":
        return _volume(people(project))
    if name == "reasons":
        return _reasons(sum(reasons(project).values(), Counter()))
    return _ages(ages(project))


def charts(found: Quality) -> tuple[Figure, ...]:
    """Return all of them, in the order of NAMES."""
    return (
        _progress(found.progress.days),
        _agreement(found.agreement),
        _volume(found.people),
        _reasons(found.refusals),
        _ages(found.ages),
    )


def reason_words(name: str) -> Words:
    """Return what a reason of refusal is called."""
    known = {one.id: Words(one.en, one.zh) for one in REJECT_REASONS}
    return known.get(name, Words(name, name))


def age_words() -> tuple[Words, ...]:
    """Return the classes of age of study items, the youngest first."""
    ends = [0, *AGES]
    between = [
        Words(f"{start}–{end} days", f"{start}–{end} 天")
        for start, end in zip(ends, AGES, strict=False)
    ]
    return (*between, Words(f"over {AGES[-1]} days", f"超过 {AGES[-1]} 天"))


def _progress(days: Sequence[Day]) -> Figure:
    numbers = tuple(range(1, len(days) + 1))
    series, said, said_zh = [], [], []
    for words, counts in (
        (Words("answers handed in", "已提交答案"), [one.submitted for one in days]),
        (Words("reviews", "审核"), [one.reviewed for one in days]),
        (Words("golden sentences", "定稿句子"), [one.golden for one in days]),
    ):
        grown = tuple(float(one) for one in accumulate(counts))
        series.append(Series(words, numbers, grown))
        said.append(f"{words.en} {sum(counts)}")
        said_zh.append(f"{words.zh} {sum(counts)}")
    first = f"{days[0].day:%Y-%m-%d}" if days else "-"
    return Figure(
        name="quality-progress",
        kind="lines",
        title=Words("Progress", "进度"),
        alt=Words(
            f"Lines: work done since {first}, all in all: {', '.join(said)}.",
            f"折线图：自 {first} 起的累计量：{'，'.join(said_zh)}。",
        ),
        x_label=Words(f"days (first: {first})", f"天数（首日 {first}）"),
        y_label=Words("done so far", "累计"),
        series=tuple(series) if days else (),
    )


def _agreement(found: Agreement | None) -> Figure:
    if found is not None:
        return agreement.figure(found)
    words = Words("Agreement of edits between annotators", "标注者之间的编辑一致性")
    nothing = Words("Not computed yet.", "尚未计算。")
    axis = Words("annotators", "标注者"), Words("F0.5 (percent)", "F0.5（%）")
    return Figure("agreement-edits", "bars", words, nothing, *axis, ())


def _volume(team: Sequence[PersonFigures]) -> Figure:
    known = [(one, 100 * one.f05) for one in team if one.f05 is not None]
    said = [f"{one.name} {value:.2f} ({one.submitted})" for one, value in known]
    return Figure(
        name="quality-volume",
        kind="points",
        title=Words("F0.5 and volume of annotators", "标注者的 F0.5 与数量"),
        alt=Words(
            "Points: F0.5 in percent, and number of sentences in brackets, of each annotator: "
            f"{', '.join(said) or 'none yet'}.",
            f"散点图：各标注者的 F0.5（%），括号内为句数：{'，'.join(said) or '暂无'}。",
        ),
        x_label=Words("sentences handed in", "提交句数"),
        y_label=Words("F0.5 (percent)", "F0.5（%）"),
        series=(
            Series(
                Words("annotators", "标注者"),
                tuple(one.submitted for one, _ in known),
                tuple(value for _, value in known),
                labels=tuple(one.name for one, _ in known),
            ),
        )
        if known
        else (),
    )


def _reasons(refusals: Counter[str]) -> Figure:
    counted = refusals.most_common()
    whole = sum(count for _, count in counted)
    names = [reason_words(name) for name, _ in counted]
    shares = [100 * count / whole for _, count in counted]
    return _bars(
        "quality-reasons",
        Words("Why answers were refused", "未通过的原因"),
        Words("Bars: share of each reason in percent", "柱状图：各原因的比例（%）"),
        (Words("reasons", "原因"), Words("of all reasons (percent)", "占全部原因（%）")),
        list(zip(names, shares, strict=True)),
        "{:.1f}",
    )


def _ages(counts: Sequence[int]) -> Figure:
    counted = list(zip(age_words(), map(float, counts), strict=True)) if any(counts) else []
    return _bars(
        "quality-ages",
        Words("Age of open study items", "未完成学习项的时长"),
        Words("Bars: open study items by age", "柱状图：按时长统计的未完成学习项"),
        (Words("open for", "已开启"), Words("study items", "学习项")),
        counted,
        "{:.0f}",
    )


def _bars(
    name: str,
    title: Words,
    lead: Words,
    axes: tuple[Words, Words],
    rows: Sequence[tuple[Words, float]],
    form: str,
) -> Figure:
    en = _listed((f"{words.en} {form.format(value)}" for words, value in rows), ", ")
    zh = _listed((f"{words.zh} {form.format(value)}" for words, value in rows), "，")
    said = Words(f"{lead.en}: {en}", f"{lead.zh}：{zh}")
    series = Series(title, tuple(words for words, _ in rows), tuple(value for _, value in rows))
    return Figure(name, "bars", title, said, *axes, (series,) if rows else ())


def _listed(parts: Iterable[str], comma: str) -> str:
    return comma.join(parts) or "-"
