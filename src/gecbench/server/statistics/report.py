"""All statistics of a project as a report: for the terminal, for files, for the page Quality."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from itertools import accumulate

from django.utils.translation import override

from gecbench.analysis.agreement import Agreement
from gecbench.analysis.references import References
from gecbench.reports import agreement, references
from gecbench.reports.report import Column, Figure, Report, Series, Table, Value, Words
from gecbench.server.choices import RejectReason, SentenceState, VariantReason
from gecbench.server.import_export.corpora import Naming, naming_of
from gecbench.server.models import Project
from gecbench.server.statistics.members import PersonFigures, Reviewer, people, reviewers
from gecbench.server.statistics.pieces import Progress
from gecbench.server.statistics.scoring import (
    AGREEMENT,
    SCORES,
    TABLE4,
    Cell,
    Scores,
    basis_of,
    compares_texts,
    load_figures,
    parse_agreement,
    parse_scores,
    parse_table4,
)
from gecbench.server.statistics.work import (
    AGES,
    RETURNED,
    Day,
    Influence,
    WorkTotals,
    add_up_work,
    ages,
    count_within,
    influence,
    reasons,
)
from gecbench.server.workflow.practice import Accuracy, gold_accuracies

# All statistics of a project as the page Quality and the command line show them.


@dataclass(frozen=True, slots=True)
class Quality:
    """What is known of a project's quality.

    Args:
        project: Its slug.
        work: By day and state.
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
        compares: Whether answers are compared with golden texts, and studied; variants are not.
        suggestions: What they did to answers; empty where the project has none.
        progress: How many sentences all counts are of; more are counted when it is asked for again.
        gold: What gold tasks say of annotators, by name; real work is none of it.
    """

    project: str
    work: WorkTotals
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
    compares: bool
    progress: Progress
    suggestions: Mapping[str, Influence] = field(default_factory=dict)
    gold: tuple[tuple[str, Accuracy], ...] = ()

    @property
    def refusals(self) -> Counter[str]:
        """Reasons of all refusals."""
        return sum(self.reasons.values(), Counter())


def quality(project: Project, processes: int = 1, seconds: float | None = None) -> Quality:
    """Collect what is known now: counts as they are, scores as they are stored.

    Args:
        project: Whose figures.
        processes: How many compute, as in `load_pieces`.
        seconds: For so long sentences are counted whose counts have changed; None counts all.
    """
    basis, compares = basis_of(project), compares_texts(project)
    stored = [
        load_figures(project, kind, basis) if compares else None
        for kind in (SCORES, AGREEMENT, TABLE4)
    ]
    scores_row, agreement_row, table4_row = stored
    scores = parse_scores(scores_row.data) if scores_row else None
    naming = naming_of(project, show=True)
    counts, progress = count_within(seconds, project, processes)
    refusals, team = reasons(counts), reviewers(project, counts)
    months = scores.months if scores else {}
    ids = {
        *refusals,
        *(reviewer.person for reviewer in team),
        *(int(key.split()[0]) for key in months),
    }
    annotators = people(project, counts, scores or Scores())
    return Quality(
        project=project.slug,
        work=add_up_work(counts),
        people=tuple(person for person in annotators if person.submitted),
        reasons=refusals,
        reviewers=team,
        ages=ages(project),
        names={person: naming.of(person) for person in ids},
        scores=scores,
        agreement=_with_names(parse_agreement(agreement_row.data), naming)
        if agreement_row
        else None,
        table4=parse_table4(table4_row.data) if table4_row else None,
        at=min((figures.at for figures in stored if figures), default=None),
        stale=compares and any(figures is None or figures.stale for figures in stored),
        compares=compares,
        progress=progress,
        suggestions=influence(counts),
        gold=_gold(project, naming),
    )


def _gold(project: Project, naming: Naming) -> tuple[tuple[str, Accuracy], ...]:
    rows = [(naming.of(person), gold) for person, gold in gold_accuracies(project).items()]
    return tuple(sorted(rows, key=lambda row: row[0]))


def load_agreement(project: Project) -> Agreement | None:
    """Load agreement as it is stored, annotators called by their names; None where never."""
    figures = load_figures(project, AGREEMENT, "")
    if figures is None:
        return None
    return _with_names(parse_agreement(figures.data), naming_of(project, show=True))


def _with_names(result: Agreement, naming: Naming) -> Agreement:
    """Agreement with people's names instead of the numbers of their rows."""
    return replace(
        result,
        each=tuple(replace(person, name=naming.of(int(person.name))) for person in result.each),
        pairs=tuple(
            replace(pair, one=naming.of(int(pair.one)), other=naming.of(int(pair.other)))
            for pair in result.pairs
        ),
    )


# The tables of a project's statistics, with their words in both languages.


def label_words(label: object) -> Words:
    """A label of the interface, in both languages."""
    with override("en"):
        english = str(label)
    with override("zh-hans"):
        return Words(english, str(label))


_SCORE = (
    Column("scored", "count", zh="评分数"),
    Column("P", "percent"),
    Column("R", "percent"),
    Column("F0.5", "percent"),
)


def people_tables(quality: Quality) -> Table:
    """Annotators: volume, acceptance, F0.5, time."""
    compares = quality.compares
    rows: list[tuple[Value, ...]] = [
        (
            *(person.name, person.submitted, person.accepted.judged, person.acceptance),
            *(_score(person.score) if compares else ()),
            *(person.skips, person.unannotatable),
            *((person.open_study,) if compares else ()),
            person.hours,
        )
        for person in quality.people
    ]
    return Table(
        "people",
        Words("Annotators", "标注者"),
        (
            Column("annotator", zh="标注者"),
            Column("sentences", "count", zh="提交句数"),
            Column("judged", "count", zh="已审答案"),
            Column("accepted (%)", "percent", 1, zh="通过（%）"),
            *(_SCORE if compares else ()),
            Column("put off (%)", "percent", 1, zh="跳过（%）"),
            Column("not annotatable (%)", "percent", 1, zh="无法标注（%）"),
            *((Column("open study", "count", zh="未完成学习"),) if compares else ()),
            Column("hours", "number", 1, zh="小时"),
        ),
        tuple(rows),
    )


def score_tables(quality: Quality) -> tuple[Table, ...]:
    """F0.5 by week, by source, and by person and month, first month against later."""
    scores = quality.scores
    if scores is None or scores.total is None:
        return ()
    all_of = (Words("all together", "合计"), *_score(scores.total))
    weeks: list[tuple[Value, ...]] = [(key, *_score(cell)) for key, cell in scores.weeks.items()]
    sources: list[tuple[Value, ...]] = [
        (key or Words("(no source)", "（无来源）"), *_score(cell))
        for key, cell in scores.sources.items()
    ]
    months: list[tuple[Value, ...]] = []
    for key, cell in scores.months.items():
        person, _, month = key.partition(" ")
        months.append((quality.names[int(person)], month, *_score(cell)))
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
        _course(quality),
    )


def _course(quality: Quality) -> Table:
    early = quality.scores.early if quality.scores else {}
    later = quality.scores.later if quality.scores else {}
    rows: list[tuple[Value, ...]] = []
    for person in {**early, **later}:
        first, then = early.get(person), later.get(person)
        cells = [
            value
            for cell in (first, then)
            for value in (cell.scored if cell else 0, cell.value if cell else None)
        ]
        rows.append((quality.names[int(person)], *cells))
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


_COMPLAINTS = (Column("complaints", "count", zh="被申诉"), Column("upheld", "count", zh="申诉成立"))


def reviewer_table(quality: Quality) -> Table:
    """What reviewers did (STA-6)."""
    rows: list[tuple[Value, ...]] = [
        (
            *(
                quality.names[reviewer.person],
                reviewer.reviews,
                reviewer.per_hour,
                reviewer.judged,
                reviewer.accepted,
            ),
            *((reviewer.complaints, reviewer.upheld) if quality.compares else ()),
        )
        for reviewer in quality.reviewers
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
            *(_COMPLAINTS if quality.compares else ()),
        ),
        tuple(rows),
    )


def reason_table(quality: Quality) -> Table:
    """Why answers were refused, with shares (STA-4)."""
    whole = sum(quality.refusals.values())
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
            for name, count in quality.refusals.most_common()
        ),
    )


def reasons_of_people(quality: Quality) -> Table:
    """Why each annotator's answers were refused, the commonest reason first."""
    rows: list[tuple[Value, ...]] = []
    for who, counts in sorted(quality.reasons.items(), key=lambda item: quality.names[item[0]]):
        whole = sum(counts.values())
        rows += [
            (quality.names[who], reason_words(name), count, count / whole)
            for name, count in counts.most_common()
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


def suggestion_table(quality: Quality) -> Table:
    """What answers are like with a suggestion and without."""
    words = {
        "taken": Words("taken over", "已采用"),
        "shown": Words("shown, not taken over", "已显示，未采用"),
        "unseen": Words("not shown", "未显示"),
    }
    whole = sum(group.answers for group in quality.suggestions.values())
    rows: list[tuple[Value, ...]] = [
        (
            *(words[name], group.answers, group.answers / whole if whole else None),
            *(group.equal / group.answers if group.answers else None,),
            *(group.accepted.judged, group.accepted.share),
        )
        for name, group in quality.suggestions.items()
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


def gold_table(quality: Quality) -> Table:
    """How many gold tasks each annotator did rightly."""
    return Table(
        "gold",
        Words("Gold tasks", "质检题"),
        (
            Column("annotator", zh="标注者"),
            Column("gold tasks", "count", zh="质检题数"),
            Column("right", "count", zh="做对"),
            Column("right (%)", "percent", 1, zh="正确率（%）"),
        ),
        tuple((name, gold.judged, gold.right, gold.share) for name, gold in quality.gold),
    )


def states(quality: Quality) -> Table:
    """How many sentences are where."""
    counts = quality.work.states
    whole = quality.work.sentences
    return Table(
        "states",
        Words("Sentences by state", "各状态句数"),
        (
            Column("state", zh="状态"),
            Column("sentences", "count", zh="句数"),
            Column("of all (%)", "percent", 1, zh="占全部（%）"),
        ),
        tuple(
            (label_words(state.label), counts[state], counts[state] / whole)
            for state in SentenceState
            if state in counts
        ),
    )


def days(quality: Quality) -> Table:
    """What was done day by day."""
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
            (f"{day.day:%Y-%m-%d}", day.submitted, day.reviewed, day.golden)
            for day in quality.work.days
        ),
    )


def age_table(quality: Quality) -> Table:
    """Open study items by age."""
    return Table(
        "ages",
        Words("Age of open study items", "未完成学习项的时长"),
        (Column("open for", zh="已开启"), Column("study items", "count", zh="学习项")),
        tuple(zip(age_words(), quality.ages, strict=True)),
    )


def _score(cell: Cell | None) -> tuple[Value, ...]:
    return (cell.scored, cell.precision, cell.recall, cell.value) if cell else (0, None, None, None)


# The five small charts of the page Quality, with their words in both languages.


NAMES = ("progress", AGREEMENT, "volume", "reasons", "ages")
"""In the order of reading."""

COUNTED = ("progress", "volume", "reasons")
"""Those that are drawn of counts."""


def chart_of(project: Project, name: str, seconds: float | None = None) -> Figure | None:
    """Draw one of NAMES; ask only for what it shows. None while sentences are to be counted.

    Args:
        project: Whose figures.
        name: Of the chart.
        seconds: As in `quality`.
    """
    if name == AGREEMENT:
        return _agreement(load_agreement(project))
    if name == "ages":
        return _ages(ages(project))
    counts, progress = count_within(seconds, project)
    if progress.remaining:
        return None
    if name == "progress":
        return _day_chart(add_up_work(counts).days)
    if name == "volume":
        return _volume(people(project, counts))
    return _reasons(sum(reasons(counts).values(), Counter()))


def charts(quality: Quality) -> dict[str, Figure]:
    """Draw those of NAMES that the project has, in their order."""
    chart, refusals = _day_chart(quality.work.days), _reasons(quality.refusals)
    if not quality.compares:
        return {"progress": chart, "reasons": refusals}
    return {
        "progress": chart,
        AGREEMENT: _agreement(quality.agreement),
        "volume": _volume(quality.people),
        "reasons": refusals,
        "ages": _ages(quality.ages),
    }


def reason_words(name: str) -> Words:
    """What a reason of refusal is called."""
    return label_words(reason_label(name))


def reason_label(name: str) -> object:
    """What it is called in the language of whoever asks."""
    returned = {f"{RETURNED}{reason}": label for reason, label in VariantReason.choices}
    return {**dict(RejectReason.choices), **returned}.get(name, name)


def age_words() -> tuple[Words, ...]:
    """The classes of age of study items, the youngest first."""
    ends = [0, *AGES]
    between = [
        Words(f"{start}–{end} days", f"{start}–{end} 天")
        for start, end in zip(ends, AGES, strict=False)
    ]
    return (*between, Words(f"over {AGES[-1]} days", f"超过 {AGES[-1]} 天"))


def _day_chart(days: Sequence[Day]) -> Figure:
    numbers = tuple(range(len(days) + 1))  # nothing is done before the first
    series, english, chinese = [], [], []
    for words, counts in (
        (Words("answers handed in", "已提交答案"), [day.submitted for day in days]),
        (Words("reviews", "审核"), [day.reviewed for day in days]),
        (Words("golden sentences", "定稿句子"), [day.golden for day in days]),
    ):
        totals = tuple(float(total) for total in accumulate(counts, initial=0))
        series.append(Series(words, numbers, totals))
        english.append(f"{words.en} {sum(counts)}")
        chinese.append(f"{words.zh} {sum(counts)}")
    first = f"{days[0].day:%Y-%m-%d}" if days else "-"
    return Figure(
        name="quality-progress",
        kind="lines",
        title=Words("Progress", "进度"),
        alt=Words(
            f"Lines: work done since {first}, all in all: {', '.join(english)}.",
            f"折线图：自 {first} 起的累计量：{'，'.join(chinese)}。",
        ),
        x_label=Words(f"days (first: {first})", f"天数（首日 {first}）"),
        y_label=Words("done so far", "累计"),
        series=tuple(series) if days else (),
    )


def _agreement(result: Agreement | None) -> Figure:
    if result is not None:
        return agreement.figure(result)
    words = Words("Agreement of edits between annotators", "标注者之间的编辑一致性")
    nothing = Words("Not computed yet.", "尚未计算。")
    axis = Words("annotators", "标注者"), Words("F0.5 (percent)", "F0.5（%）")
    return Figure("agreement-edits", "bars", words, nothing, *axis, ())


def _volume(team: Sequence[PersonFigures]) -> Figure:
    scored_people = [(person, 100 * person.f05) for person in team if person.f05 is not None]
    captions = [
        f"{person.name} {value:.2f} ({person.submitted})" for person, value in scored_people
    ]
    return Figure(
        name="quality-volume",
        kind="points",
        title=Words("F0.5 and volume of annotators", "标注者的 F0.5 与数量"),
        alt=Words(
            "Points: F0.5 in percent, and number of sentences in brackets, of each annotator: "
            f"{', '.join(captions) or 'none yet'}.",
            f"散点图：各标注者的 F0.5（%），括号内为句数：{'，'.join(captions) or '暂无'}。",
        ),
        x_label=Words("sentences handed in", "提交句数"),
        y_label=Words("F0.5 (percent)", "F0.5（%）"),
        series=(
            Series(
                Words("annotators", "标注者"),
                tuple(person.submitted for person, _ in scored_people),
                tuple(value for _, value in scored_people),
                labels=tuple(person.name for person, _ in scored_people),
            ),
        )
        if scored_people
        else (),
    )


def _reasons(refusals: Counter[str]) -> Figure:
    counts = refusals.most_common()
    whole = sum(count for _, count in counts)
    names = [reason_words(name) for name, _ in counts]
    shares = [100 * count / whole for _, count in counts]
    return _bars(
        "quality-reasons",
        Words("Why answers were refused", "未通过的原因"),
        Words("Bars: share of each reason in percent", "柱状图：各原因的比例（%）"),
        (Words("reasons", "原因"), Words("of all reasons (percent)", "占全部原因（%）")),
        list(zip(names, shares, strict=True)),
        "{:.1f}",
    )


def _ages(counts: Sequence[int]) -> Figure:
    rows = list(zip(age_words(), map(float, counts), strict=True)) if any(counts) else []
    return _bars(
        "quality-ages",
        Words("Age of open study items", "未完成学习项的时长"),
        Words("Bars: open study items by age", "柱状图：按时长统计的未完成学习项"),
        (Words("open for", "已开启"), Words("study items", "学习项")),
        rows,
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
    en = _join((f"{words.en} {form.format(value)}" for words, value in rows), ", ")
    zh = _join((f"{words.zh} {form.format(value)}" for words, value in rows), "，")
    alt = Words(f"{lead.en}: {en}", f"{lead.zh}：{zh}")
    series = Series(title, tuple(words for words, _ in rows), tuple(value for _, value in rows))
    return Figure(name, "bars", title, alt, *axes, (series,) if rows else ())


def _join(parts: Iterable[str], comma: str) -> str:
    return comma.join(parts) or "-"


# All statistics of a project as one report: for the terminal, for files, for the page.


def build_report(quality: Quality) -> Report:
    """Build the report of everything, the table of people first."""
    return Report(
        name="stats",
        title=Words("Statistics of the project", "项目统计"),
        corpus=quality.project,
        tables=_tables(quality),
        figures=tuple(charts(quality).values()),
        data=_data(quality),
        notes=notes(quality),
        signatures=signatures(quality),
    )


def signatures(quality: Quality) -> tuple[str, ...]:
    """How the numbers that are scores were made."""
    names = [quality.scores.signature] if quality.scores and quality.scores.signature else []
    names += quality.agreement.signatures if quality.agreement else ()
    names += quality.table4.signatures if quality.table4 else ()
    return tuple(dict.fromkeys(names))


def notes(quality: Quality) -> tuple[str, ...]:
    """What the reader should know."""
    lines = []
    if quality.compares and quality.at is None:
        lines.append("F0.5, agreement and Table 4 were never computed")
    elif quality.stale:
        lines.append(f"F0.5, agreement and Table 4 are of {quality.at:%Y-%m-%d %H:%M} UTC")
    if quality.scores and quality.scores.left_out:
        lines.append(
            "answers that say nobody can annotate the sentence, which are not scored: "
            f"{quality.scores.left_out}"
        )
    if quality.scores and quality.scores.average is not None:
        lines.append(
            f"mean F0.5 of {quality.scores.averaged} annotators with enough scored answers: "
            f"{100 * quality.scores.average:.2f}"
        )
    return (*lines, *(quality.agreement.notes if quality.agreement else ()))


def _tables(quality: Quality) -> tuple[Table, ...]:
    tables = [people_tables(quality)]
    if quality.table4 is not None and quality.table4.statistics:
        tables += references.build_report(quality.table4).tables
    tables += score_tables(quality)
    if quality.agreement is not None:
        result = quality.agreement
        tables += [
            agreement.overall_table(result),
            agreement.annotators_table(result),
            agreement.pairs_table(result),
        ]
    tables += [reason_table(quality), reasons_of_people(quality), reviewer_table(quality)]
    tables += [states(quality), days(quality)]
    if quality.compares:
        tables.append(age_table(quality))
    if quality.suggestions:
        tables.append(suggestion_table(quality))
    if quality.gold:
        tables.append(gold_table(quality))
    return tuple(tables)


def _data(quality: Quality) -> dict[str, object]:
    """JSON values; people by their names."""
    suggestions = {name: asdict(group) for name, group in quality.suggestions.items()}
    gold = [{"name": name, **asdict(accuracy)} for name, accuracy in quality.gold]
    return {
        "computed_at": quality.at.isoformat() if quality.at else None,
        "stale": quality.stale,
        "people": [asdict(person) for person in quality.people],
        "scores": asdict(quality.scores) if quality.scores else None,
        "names": {str(who): name for who, name in quality.names.items()},
        "agreement": asdict(quality.agreement) if quality.agreement else None,
        "table4": asdict(quality.table4) if quality.table4 else None,
        "reasons": {quality.names[who]: dict(counts) for who, counts in quality.reasons.items()},
        "reviewers": [
            {"name": quality.names[reviewer.person], **asdict(reviewer)}
            for reviewer in quality.reviewers
        ],
        "states": dict(quality.work.states),
        "days": [{**asdict(day), "day": f"{day.day:%Y-%m-%d}"} for day in quality.work.days],
        "ages": list(quality.ages),
        **({"suggestions": suggestions} if suggestions else {}),
        **({"gold": gold} if gold else {}),
    }
