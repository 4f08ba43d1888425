"""All statistics of a project as a report: for the terminal, for files, for the page Quality."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from itertools import accumulate

from gecbench.analysis.agreement import Agreement
from gecbench.analysis.references import References
from gecbench.reports import agreement, references
from gecbench.reports.report import Column, Figure, Report, Series, Table, Value, Words
from gecbench.server.choices import SentenceState
from gecbench.server.guidelines.taxonomy import REJECT_REASONS
from gecbench.server.import_export.corpora import Naming, naming_of
from gecbench.server.models import Project
from gecbench.server.statistics.members import PersonFigures, Reviewer, people, reviewers
from gecbench.server.statistics.scoring import (
    AGREEMENT,
    SCORES,
    TABLE4,
    Cell,
    Scores,
    basis_of,
    load_figures,
    parse_agreement,
    parse_scores,
    parse_table4,
)
from gecbench.server.statistics.work import (
    AGES,
    Day,
    Influence,
    Progress,
    ages,
    influence,
    load_counts,
    progress,
    reasons,
)

# All statistics of a project as the page Quality and the command line show them.


@dataclass(frozen=True, slots=True)
class Quality:
    """What is known of a project's quality.

    Args:
        project: Its slug.
        progress: By day and state.
        people: Annotators, the busiest first.
        reasons: Of refusals, by row of the person.
        reviewers: The busiest first.
        ages: Open study items by class of age.
        names: Row of a person to their name.
        scores: As they were kept; None where they were never computed. So with the next two.
        agreement: Annotators called by their names.
        table4: Of the golden sets.
        at: When what was kept was computed; None where it never was.
        stale: Whether there is more by now.
        suggestions: What they did to answers; empty where the project has none.
    """

    project: str
    progress: Progress
    people: tuple[PersonFigures, ...]
    reasons: Mapping[int, Counter[str]]
    reviewers: tuple[Reviewer, ...]
    ages: tuple[int, ...]
    names: Mapping[int, str]
    scores: Scores | None
    agreement: Agreement | None
    table4: References | None
    at: datetime | None
    stale: bool
    suggestions: Mapping[str, Influence] = field(default_factory=dict)

    @property
    def refusals(self) -> Counter[str]:
        """Reasons of all refusals."""
        return sum(self.reasons.values(), Counter())


def quality(project: Project, processes: int = 1) -> Quality:
    """Return what is known now: counts as they are, scores as they were kept.

    Args:
        project: Whose figures.
        processes: How many compute, as in `load_pieces`.
    """
    basis = basis_of(project)
    found = {kind: load_figures(project, kind, basis) for kind in (SCORES, AGREEMENT, TABLE4)}
    was, agreed, counted = (found[kind] for kind in (SCORES, AGREEMENT, TABLE4))
    scored = parse_scores(was.data) if was else None
    naming = naming_of(project, show=True)
    counts = load_counts(project, processes)
    refused, reviewed = reasons(counts), reviewers(project, counts)
    known = {*refused, *(one.person for one in reviewed)}
    return Quality(
        project=project.slug,
        progress=progress(counts),
        people=tuple(one for one in people(project, counts, scored or Scores()) if one.submitted),
        reasons=refused,
        reviewers=reviewed,
        ages=ages(project),
        names={who: naming.of(who) for who in known}
        | {int(key.split()[0]): naming.of(int(key.split()[0])) for key in _months(scored)},
        scores=scored,
        agreement=_named(parse_agreement(agreed.data), naming) if agreed else None,
        table4=parse_table4(counted.data) if counted else None,
        at=min((one.at for one in found.values() if one), default=None),
        stale=any(one is None or one.stale for one in found.values()),
        suggestions=influence(counts),
    )


def agreed(project: Project) -> Agreement | None:
    """Return agreement as it was kept, annotators called by their names; None where never."""
    was = load_figures(project, AGREEMENT, "")
    if was is None:
        return None
    return _named(parse_agreement(was.data), naming_of(project, show=True))


def _months(scored: Scores | None) -> tuple[str, ...]:
    return tuple(scored.months) if scored else ()


def _named(found: Agreement, naming: Naming) -> Agreement:
    """Return agreement with people's names instead of the numbers of their rows."""
    return replace(
        found,
        each=tuple(replace(one, name=naming.of(int(one.name))) for one in found.each),
        pairs=tuple(
            replace(one, one=naming.of(int(one.one)), other=naming.of(int(one.other)))
            for one in found.pairs
        ),
    )


# The tables of a project's statistics, with their words in both languages.


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


def people_tables(found: Quality) -> Table:
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


def reviewer_table(found: Quality) -> Table:
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


def reason_table(found: Quality) -> Table:
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


def suggestion_table(found: Quality) -> Table:
    """Return what answers are like with a suggestion and without."""
    words = {
        "taken": Words("taken over", "已采用"),
        "shown": Words("shown, not taken over", "已显示，未采用"),
        "unseen": Words("not shown", "未显示"),
    }
    whole = sum(one.answers for one in found.suggestions.values())
    rows: list[tuple[Value, ...]] = [
        (
            *(words[name], one.answers, one.answers / whole if whole else None),
            *(one.equal / one.answers if one.answers else None,),
            *(one.accepted.judged, one.accepted.share),
        )
        for name, one in found.suggestions.items()
    ]
    return Table(
        "suggestions",
        Words("Answers and suggestions", "答案与建议"),
        (
            Column("suggestion", zh="建议"),
            Column("answers", "count", zh="答案数"),
            Column("of all (%)", "percent", 1, zh="占全部（%）"),
            Column("equal to it (%)", "percent", 1, zh="与建议相同（%）"),
            Column("judged", "count", zh="已审答案"),
            Column("accepted (%)", "percent", 1, zh="通过（%）"),
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


def age_table(found: Quality) -> Table:
    """Return open study items by age."""
    return Table(
        "ages",
        Words("Age of open study items", "未完成学习项的时长"),
        (Column("open for", zh="已开启"), Column("study items", "count", zh="学习项")),
        tuple(zip(age_words(), found.ages, strict=True)),
    )


def _score(one: Cell | None) -> tuple[Value, ...]:
    return (one.scored, one.precision, one.recall, one.value) if one else (0, None, None, None)


# The five small charts of the page Quality, with their words in both languages.


NAMES = ("progress", AGREEMENT, "volume", "reasons", "ages")
"""In the order of reading."""


def chart_of(project: Project, name: str) -> Figure:
    """Return one of NAMES, and ask only for what it shows."""
    if name == "progress":
        return _progress(progress(load_counts(project)).days)
    if name == AGREEMENT:
        return _agreement(agreed(project))
    if name == "volume":
        return _volume(people(project))
    if name == "reasons":
        return _reasons(sum(reasons(load_counts(project)).values(), Counter()))
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


# All statistics of a project as one report: for the terminal, for files, for the page.


def build_report(found: Quality) -> Report:
    """Return everything, the table of people first."""
    return Report(
        name="stats",
        title=Words("Statistics of the project", "项目统计"),
        corpus=found.project,
        tables=_tables(found),
        figures=charts(found),
        data=_data(found),
        notes=notes(found),
        signatures=signatures(found),
    )


def signatures(found: Quality) -> tuple[str, ...]:
    """Return how the numbers that are scores were made."""
    said = [found.scores.signature] if found.scores and found.scores.signature else []
    said += found.agreement.signatures if found.agreement else ()
    said += found.table4.signatures if found.table4 else ()
    return tuple(dict.fromkeys(said))


def notes(found: Quality) -> tuple[str, ...]:
    """Return what the reader should know."""
    said = []
    if found.at is None:
        said.append("F0.5, agreement and Table 4 were never computed")
    elif found.stale:
        said.append(f"F0.5, agreement and Table 4 are of {found.at:%Y-%m-%d %H:%M} UTC")
    if found.scores and found.scores.left_out:
        said.append(
            "answers that say nobody can annotate the sentence, which are not scored: "
            f"{found.scores.left_out}"
        )
    if found.scores and found.scores.average is not None:
        said.append(
            f"mean F0.5 of {found.scores.averaged} annotators with enough scored answers: "
            f"{100 * found.scores.average:.2f}"
        )
    return (*said, *(found.agreement.notes if found.agreement else ()))


def _tables(found: Quality) -> tuple[Table, ...]:
    made = [people_tables(found)]
    if found.table4 is not None and found.table4.statistics:
        made += references.build_report(found.table4).tables
    made += scored_by(found)
    if found.agreement is not None:
        agreed = found.agreement
        made += [
            agreement.overall_table(agreed),
            agreement.annotators_table(agreed),
            agreement.pairs_table(agreed),
        ]
    made += [reason_table(found), reasons_of_people(found), reviewer_table(found)]
    made += [states(found), days(found), age_table(found)]
    if found.suggestions:
        made.append(suggestion_table(found))
    return tuple(made)


def _data(found: Quality) -> dict[str, object]:
    """Return JSON values; people by their names."""
    suggestions = {name: asdict(one) for name, one in found.suggestions.items()}
    return {
        "computed_at": found.at.isoformat() if found.at else None,
        "stale": found.stale,
        "people": [asdict(one) for one in found.people],
        "scores": asdict(found.scores) if found.scores else None,
        "names": {str(who): name for who, name in found.names.items()},
        "agreement": asdict(found.agreement) if found.agreement else None,
        "table4": asdict(found.table4) if found.table4 else None,
        "reasons": {found.names[who]: dict(one) for who, one in found.reasons.items()},
        "reviewers": [{"name": found.names[one.person], **asdict(one)} for one in found.reviewers],
        "states": dict(found.progress.states),
        "days": [{**asdict(one), "day": f"{one.day:%Y-%m-%d}"} for one in found.progress.days],
        "ages": list(found.ages),
        **({"suggestions": suggestions} if suggestions else {}),
    }
