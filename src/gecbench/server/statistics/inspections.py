"""What an inspection found: its settled items as figures, as a report, and as rows of ratings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gecbench.analysis.inspection import Inspection, ItemRating, inspect
from gecbench.reports.inspection import Disagreement, build_report
from gecbench.reports.report import Report
from gecbench.server.import_export.corpora import Naming
from gecbench.server.models import InspectionRound, Rating
from gecbench.server.workflow.inspection import ItemResult, count_ratings, criteria_of, load_items


def measure_round(inspection: InspectionRound, items: Sequence[ItemResult] = ()) -> Inspection:
    """Measure what both judges have said; the seed of the draw is that of the resamples, too.

    Args:
        inspection: The round.
        items: Its items where they are loaded already.
    """
    settled = [result for result in items or load_items(inspection) if result.settled]
    ratings = {
        criterion.key: [_rating(result, criterion.key) for result in settled]
        for criterion in criteria_of(inspection)
    }
    return inspect(
        ratings,
        corpus=inspection.project.slug,
        round_name=inspection.name,
        size=inspection.size,
        population=inspection.population,
        seed=inspection.seed,
    )


def _rating(result: ItemResult, criterion: str) -> ItemRating:
    resolution = result.resolutions.get(criterion)
    accept = None if resolution is None else resolution.accept
    return ItemRating(*result.decisions[criterion], resolution=accept)


def disagreements(items: Sequence[ItemResult]) -> tuple[Disagreement, ...]:
    """The items on which the judges differ, once for each criterion."""
    return tuple(
        Disagreement(
            result.item.position, result.item.sentence.number, key, rating.first, rating.second,
            rating.resolution,
        )
        for result in items
        for key in result.differing
        for rating in [_rating(result, key)]
    )  # fmt: skip


def round_report(inspection: InspectionRound, naming: Naming) -> Report:
    """The report of a round; JSON has every rating that may be shown."""
    items = load_items(inspection)
    data = {
        "state": inspection.state,
        "judges": [naming.of(judge.member.person_id) for judge, _ in count_ratings(inspection)],
        "questions": inspection.criteria,
        "items": [item_values(result, naming) for result in items],
    }
    return build_report(measure_round(inspection, items), disagreements(items), data)


def item_values(result: ItemResult, naming: Naming) -> dict[str, object]:
    """An item with what may be shown of it: no rating before it is settled."""
    item = result.item
    return {
        "position": item.position,
        "number": item.sentence.number,
        "id": item.sentence.external_id,
        "source": item.source,
        "target": item.target,
        "ratings": [_rating_values(rating, naming) for rating in result.ratings],
        "resolutions": {
            key: {
                "accept": resolution.accept,
                "note": resolution.note,
                "by": naming.of(resolution.by_id),
                "at": resolution.at,
            }
            for key, resolution in result.resolutions.items()
        },
    }


def _rating_values(rating: Rating, naming: Naming) -> Mapping[str, object]:
    return {
        "judge": naming.of(rating.judge.member.person_id),
        "accept": {answer.criterion: answer.accept for answer in rating.answers.all()},
        "note": rating.note,
        "at": rating.at,
    }
