"""All statistics of a project as one report: for the terminal, for files, for the page."""

from __future__ import annotations

from dataclasses import asdict

from gecbench.reports import agreement, references
from gecbench.reports.report import Report, Table, Words
from gecbench.server.progress import tables
from gecbench.server.progress.charts import charts
from gecbench.server.progress.whole import Quality


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
    made = [tables.people(found)]
    if found.table4 is not None and found.table4.statistics:
        made += references.build_report(found.table4).tables
    made += tables.scored_by(found)
    if found.agreement is not None:
        agreed = found.agreement
        made += [
            agreement.overall_table(agreed),
            agreement.annotators_table(agreed),
            agreement.pairs_table(agreed),
        ]
    made += [tables.reasons(found), tables.reasons_of_people(found), tables.reviewers(found)]
    made += [tables.states(found), tables.days(found), tables.ages(found)]
    return tuple(made)


def _data(found: Quality) -> dict[str, object]:
    """Return JSON values; people by their names."""
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
    }
