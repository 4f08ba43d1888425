"""The tables of a project's statistics, with their words in both languages."""

from __future__ import annotations

from collections.abc import Mapping

from gecbench.reports.report import Column, Table, Value, Words
from gecbench.server.laws.names import SentenceState
from gecbench.server.progress.charts import age_words, reason_words
from gecbench.server.progress.scoring import Cell
from gecbench.server.progress.whole import Quality

STATES: Mapping[str, Words] = {
    SentenceState.OPEN: Words("open", "待标注"),
    SentenceState.ANNOTATING: Words("annotating", "标注中"),
    SentenceState.REVIEW_READY: Words("ready for review", "待审核"),
    SentenceState.IN_REVIEW: Words("in review", "审核中"),
    SentenceState.GOLDEN: Words("golden", "已定稿"),
    SentenceState.DISPUTED: Words("disputed", "有申诉"),
    SentenceState.WITHDRAWN: Words("withdrawn", "已撤回"),
}

_SCORE = (
    Column("scored", "count", zh="评分数"),
    Column("P", "percent"),
    Column("R", "percent"),
    Column("F0.5", "percent"),
)


def people(found: Quality) -> Table:
    """Return annotators: volume, acceptance, F0.5, time."""
    rows: list[tuple[Value, ...]] = [
        (
            *(one.name, one.submitted, one.accepted.judged, one.acceptance),
            *_score(one.score),
            *(one.skips, one.unannotatable, one.open_study, one.hours),
        )
        for one in found.people
    ]
    return Table(
        "people",
        Words("Annotators", "标注者"),
        (
            Column("annotator", zh="标注者"),
            Column("sentences", "count", zh="提交句数"),
            Column("judged", "count", zh="已审答案"),
            Column("accepted (%)", "percent", 1, zh="通过（%）"),
            *_SCORE,
            Column("put off (%)", "percent", 1, zh="跳过（%）"),
            Column("not annotatable (%)", "percent", 1, zh="无法标注（%）"),
            Column("open study", "count", zh="未完成学习"),
            Column("hours", "number", 1, zh="小时"),
        ),
        tuple(rows),
    )


def scored_by(found: Quality) -> tuple[Table, ...]:
    """Return F0.5 by week, by source, and by person and month, first month against later."""
    scored = found.scores
    if scored is None or scored.total is None:
        return ()
    all_of = (Words("all together", "合计"), *_score(scored.total))
    weeks: list[tuple[Value, ...]] = [(key, *_score(one)) for key, one in scored.weeks.items()]
    sources: list[tuple[Value, ...]] = [
        (key or Words("(no source)", "（无来源）"), *_score(one))
        for key, one in scored.sources.items()
    ]
    months: list[tuple[Value, ...]] = []
    for key, one in scored.months.items():
        person, _, month = key.partition(" ")
        months.append((found.names[int(person)], month, *_score(one)))
    return (
        Table(
            "weeks",
            Words("F0.5 by week", "每周 F0.5"),
            (Column("week", zh="周"), *_SCORE),
            (*weeks, all_of),
        ),
        Table(
            "sources",
            Words("F0.5 by source", "各来源 F0.5"),
            (Column("source", zh="来源"), *_SCORE),
            (*sources, all_of),
        ),
        Table(
            "months",
            Words("F0.5 by annotator and month", "各标注者每月 F0.5"),
            (Column("annotator", zh="标注者"), Column("month", zh="月"), *_SCORE),
            tuple(months),
        ),
        _course(found),
    )


def _course(found: Quality) -> Table:
    early = found.scores.early if found.scores else {}
    later = found.scores.later if found.scores else {}
    rows: list[tuple[Value, ...]] = []
    for person in {**early, **later}:
        first, then = early.get(person), later.get(person)
        cells = [
            value
            for one in (first, then)
            for value in (one.scored if one else 0, one.value if one else None)
        ]
        rows.append((found.names[int(person)], *cells))
    return Table(
        "course",
        Words("F0.5 in the first thirty days, and later", "前三十天与之后的 F0.5"),
        (
            Column("annotator", zh="标注者"),
            Column("first: scored", "count", zh="前期评分数"),
            Column("first: F0.5", "percent", zh="前期 F0.5"),
            Column("later: scored", "count", zh="后期评分数"),
            Column("later: F0.5", "percent", zh="后期 F0.5"),
        ),
        tuple(rows),
    )


def reviewers(found: Quality) -> Table:
    """Return what reviewers did (STA-6)."""
    rows: list[tuple[Value, ...]] = [
        (
            *(found.names[one.person], one.reviews, one.per_hour, one.judged, one.accepted),
            *(one.complaints, one.upheld),
        )
        for one in found.reviewers
    ]
    return Table(
        "reviewers",
        Words("Reviewers", "审核员"),
        (
            Column("reviewer", zh="审核员"),
            Column("sentences", "count", zh="审核句数"),
            Column("per hour", "number", 1, zh="每小时句数"),
            Column("judged", "count", zh="判断答案"),
            Column("accepted (%)", "percent", 1, zh="通过（%）"),
            Column("complaints", "count", zh="被申诉"),
            Column("upheld", "count", zh="申诉成立"),
        ),
        tuple(rows),
    )


def reasons(found: Quality) -> Table:
    """Return why answers were refused, with shares (STA-4)."""
    whole = sum(found.refusals.values())
    return Table(
        "reasons",
        Words("Why answers were refused", "未通过的原因"),
        (
            Column("reason", zh="原因"),
            Column("answers", "count", zh="答案数"),
            Column("of all reasons (%)", "percent", 1, zh="占全部原因（%）"),
        ),
        tuple(
            (reason_words(name), count, count / whole)
            for name, count in found.refusals.most_common()
        ),
    )


def reasons_of_people(found: Quality) -> Table:
    """Return why each annotator's answers were refused, the commonest reason first."""
    rows: list[tuple[Value, ...]] = []
    for who, counted in sorted(found.reasons.items(), key=lambda one: found.names[one[0]]):
        whole = sum(counted.values())
        rows += [
            (found.names[who], reason_words(name), count, count / whole)
            for name, count in counted.most_common()
        ]
    return Table(
        "reasons-of-people",
        Words("Why each annotator's answers were refused", "各标注者未通过的原因"),
        (
            Column("annotator", zh="标注者"),
            Column("reason", zh="原因"),
            Column("answers", "count", zh="答案数"),
            Column("of their reasons (%)", "percent", 1, zh="占本人原因（%）"),
        ),
        tuple(rows),
    )


def states(found: Quality) -> Table:
    """Return how many sentences are where."""
    counted = found.progress.states
    whole = found.progress.sentences
    return Table(
        "states",
        Words("Sentences by state", "各状态句数"),
        (
            Column("state", zh="状态"),
            Column("sentences", "count", zh="句数"),
            Column("of all (%)", "percent", 1, zh="占全部（%）"),
        ),
        tuple(
            (words, counted[name], counted[name] / whole)
            for name, words in STATES.items()
            if name in counted
        ),
    )


def days(found: Quality) -> Table:
    """Return what was done day by day."""
    return Table(
        "days",
        Words("Progress by day", "每日进度"),
        (
            Column("day", zh="日期"),
            Column("answers handed in", "count", zh="提交答案"),
            Column("reviews", "count", zh="审核"),
            Column("golden sentences", "count", zh="定稿句子"),
        ),
        tuple(
            (f"{one.day:%Y-%m-%d}", one.submitted, one.reviewed, one.golden)
            for one in found.progress.days
        ),
    )


def ages(found: Quality) -> Table:
    """Return open study items by age."""
    return Table(
        "ages",
        Words("Age of open study items", "未完成学习项的时长"),
        (Column("open for", zh="已开启"), Column("study items", "count", zh="学习项")),
        tuple(zip(age_words(), found.ages, strict=True)),
    )


def _score(one: Cell | None) -> tuple[Value, ...]:
    return (one.scored, one.precision, one.recall, one.value) if one else (0, None, None, None)
