"""Quality inspection: a random sample of finished work, rated by two judges (JUD-1 to JUD-4).

The judges are blind to each other: until both have rated an item and neither can take the rating
back any more (`undo_seconds`), nobody learns more of it than how many items a judge has rated.
Then an item is settled, its ratings are final, and what they differ in can be discussed and
resolved. A judge can be replaced: what they have rated stays, the other one rates what is open.
"""

from __future__ import annotations

import random
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery
from django.utils import timezone

from gecbench.core.seeding import number
from gecbench.server.choices import (
    MemberStatus,
    ProjectKind,
    Purpose,
    Role,
    RoundState,
    SentenceState,
)
from gecbench.server.models import (
    GoldenReference,
    GoldenVariant,
    InspectionItem,
    InspectionJudge,
    InspectionRound,
    Member,
    Message,
    Notice,
    Project,
    Rating,
    RatingAnswer,
    Resolution,
    Review,
    SlotEvent,
)
from gecbench.server.rules.keys import MOST_CRITERIA
from gecbench.server.rules.text import LONGEST_NOTE, whole
from gecbench.server.workflow import audit
from gecbench.server.workflow.answers import Key
from gecbench.server.workflow.errors import ConflictError, NotYoursError, Problem, RefusedError
from gecbench.server.workflow.review_tasks import clean_note, record_reading
from gecbench.server.workflow.transactions import (
    authorize,
    lock_member,
    lock_project,
    transactional,
)

SIZE = 300
"""Items of a sample, as in RobustGEC."""

_LARGEST_ID = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Criterion:
    """What judges are asked of each item.

    Args:
        key: Its name in files.
        en: The question in English.
        zh: And in Chinese; one of the two may be empty.
    """

    key: str
    en: str
    zh: str


CRITERIA: Mapping[str, tuple[Criterion, ...]] = {
    ProjectKind.PERTURB: (
        Criterion(
            "correctness",
            "Is the sentence free of errors that the original does not have?",
            "除原有错误外，句子是否没有新的错误？",
        ),
        Criterion(
            "faithfulness",
            "Are the errors of the original still there, unchanged?",
            "原句的错误是否都原样保留？",
        ),
    ),
    ProjectKind.REWRITE: (
        Criterion("grammaticality", "Is the text grammatical?", "修改后的句子是否没有语法错误？"),
        Criterion(
            "meaning", "Does it say what the original means to say?", "是否保留了原句的意思？"
        ),
        Criterion("fluency", "Does it read naturally?", "读起来是否自然流畅？"),
    ),
}
"""What is asked in projects of a kind unless the manager writes something else."""


# Rounds: what can be drawn, and drawing it.


def _worked_on(person: int, sentence: str = "sentence") -> Q:
    """Whether a person ever held a slot of a sentence or reviewed it, so that they cannot judge."""
    mine = {"sentence": OuterRef(sentence)}
    held = SlotEvent.objects.filter(**mine, person=person)
    reviewed = Review._base_manager.filter(**mine, reviewer=person)
    return Q(Exists(held)) | Q(Exists(reviewed))


def candidates(
    project: Project, judges: Iterable[Member] = ()
) -> QuerySet[GoldenReference] | QuerySet[GoldenVariant]:
    """The golden references, or variants, that hold now.

    Sentences that one of the judges worked on are left out.
    """
    kind = GoldenVariant if project.kind == ProjectKind.PERTURB else GoldenReference
    entries = kind.objects.filter(
        golden=F("golden__sentence__golden"),
        golden__sentence__project=project,
        golden__sentence__purpose=Purpose.REAL,
        golden__sentence__state=SentenceState.GOLDEN,
    )
    for judge in judges:
        entries = entries.exclude(_worked_on(judge.person_id, "golden__sentence"))
    return entries


def possible_judges(project: Project) -> QuerySet[Member]:
    """The active judges of a project, by name."""
    rows = Member.objects.filter(project=project, is_judge=True, status=MemberStatus.ACTIVE)
    return rows.select_related("person").order_by("person__name", "pk")


@transactional
def begin(
    member: Member,
    *,
    name: str,
    size: int,
    judges: Sequence[int],
    criteria: Sequence[Criterion],
    seed: int | None = None,
) -> InspectionRound:
    """Draw a sample and give it to two judges (JUD-1, JUD-4).

    Args:
        member: A manager.
        name: Of the round; no other one of the project has it.
        size: How many items.
        judges: Ids of two members who are judges.
        criteria: What they are asked.
        seed: Of the draw; None takes one by chance. It is recorded.

    Raises:
        RefusedError: One of them cannot be; the problem names the field.
    """
    project = lock_project(member.project_id)
    member = authorize(member, Role.MANAGER)
    name = whole(name.strip())
    chosen = list(possible_judges(project).filter(pk__in=judges))
    kind = "variant" if project.kind == ProjectKind.PERTURB else "reference"
    population = list(
        candidates(project, chosen)
        .order_by("golden__sentence__number", "position")
        .values_list("golden__sentence", kind)
    )
    problems = [
        *_name_problems(project, name),
        *_judge_problems(judges, chosen),
        *_criteria_problems(criteria),
    ]
    if not problems and not 1 <= size <= len(population):
        code = "inspection-size" if population else "inspection-empty"
        problems = [Problem(code, "size", {"most": len(population)})]
    if problems:
        raise RefusedError(problems)
    if seed is None:
        seed = secrets.randbelow(2**31)
    begun = InspectionRound.objects.create(
        project=project,
        name=name,
        seed=seed,
        size=size,
        population=len(population),
        criteria=[asdict(criterion) for criterion in criteria],
        undo_seconds=project.rules.undo_seconds,
        by=member.person,
    )
    InspectionJudge.objects.bulk_create(
        InspectionJudge(round=begun, member=judge, no=no) for no, judge in enumerate(chosen, 1)
    )
    sample = random.Random(number(seed, "inspection")).sample(population, size)
    InspectionItem.objects.bulk_create(
        InspectionItem(round=begun, position=n, sentence_id=sentence, **{f"{kind}_id": text})
        for n, (sentence, text) in enumerate(sample, 1)
    )
    notice_data = {"name": name, "size": size}
    people = [judge.person_id for judge in chosen]
    Notice.objects.tell(people, project.pk, "inspection_begun", notice_data)
    data = {**notice_data, "seed": seed, "population": len(population), "for": people}
    audit.record_by(member, "inspection.begun", about=("inspection", begun.pk), data=data)
    return begun


def _name_problems(project: Project, name: str) -> list[Problem]:
    if not 1 <= len(name) <= 100:
        return [Problem("inspection-name", "name")]
    if InspectionRound.objects.filter(project=project, name=name).exists():
        return [Problem("inspection-name-taken", "name")]
    return []


def _judge_problems(judges: Sequence[int], chosen: Sequence[Member]) -> list[Problem]:
    if len(set(judges)) == len(chosen) == 2:
        return []
    return [Problem("inspection-judges", "judges")]


def _criteria_problems(criteria: Sequence[Criterion]) -> list[Problem]:
    keys = [criterion.key for criterion in criteria]
    if not 1 <= len(criteria) <= MOST_CRITERIA:
        return [Problem("inspection-criteria", "criteria")]
    problems = []
    for n, criterion in enumerate(criteria):
        field, key = f"criterion-{n}", criterion.key
        if not (key.isidentifier() and len(key) <= 40) or keys.count(key) > 1:
            problems.append(Problem("inspection-key", field))
        if not (criterion.en or criterion.zh):
            problems.append(Problem("inspection-question", field))
    return problems


def _current_judges() -> QuerySet[InspectionJudge]:
    """The judges of all rounds without those who were replaced."""
    later = InspectionJudge.objects.filter(
        round=OuterRef("round"), no=OuterRef("no"), pk__gt=OuterRef("pk")
    )
    return InspectionJudge.objects.filter(~Exists(later))


def former_judges(inspection: InspectionRound) -> QuerySet[InspectionJudge]:
    """Those who were replaced."""
    judges = inspection.judges.exclude(pk__in=_current_judges().filter(round=inspection))
    return judges.select_related("member__person").order_by("no", "pk")


def possible_successors(inspection: InspectionRound) -> QuerySet[Member]:
    """The active judges of a project who never were judges of the round."""
    judges = inspection.judges.values("member")
    return possible_judges(inspection.project).exclude(pk__in=judges)


@transactional
def replace_judge(member: Member, round_id: int, *, no: int, successor: int) -> InspectionJudge:
    """Name another judge, who rates what the one before has not.

    Ratings that stand stay, and are of the one who gave them. The new judge sees them where any
    judge would: once an item is settled.

    Args:
        member: A manager.
        round_id: Of an open round.
        no: Number of the judge, 1 or 2.
        successor: Id of a member who is a judge and never was one of this round.

    Raises:
        RefusedError: They cannot be.
        ConflictError: The round is closed.
        NotYoursError: The project has no such round, or the round no such judge.
    """
    lock_project(member.project_id)
    member = authorize(member, Role.MANAGER)
    inspection = get_round(member.project, round_id)
    if inspection.state != RoundState.OPEN:
        raise ConflictError("the round is closed; its ratings are final")
    former = _current_judges().filter(round=inspection, no=no).select_related("member__person")
    replaced = former.first()
    if replaced is None:
        raise NotYoursError("there is no judge {no} in this round", no=no)
    lock_member(replaced.member)  # a rating of theirs comes before, or not at all
    judge = possible_successors(inspection).filter(pk=successor).first()
    if judge is None:
        raise RefusedError([Problem("inspection-successor", "successor")])
    named = InspectionJudge.objects.create(round=inspection, member=judge, no=no)
    notice_data = {"name": inspection.name, "size": _to_rate(named, judge.person_id).count()}
    Notice.objects.tell([judge.person_id], member.project_id, "inspection_begun", notice_data)
    people = [replaced.member.person_id, judge.person_id]
    data = {"name": inspection.name, "no": no, "of": people[0], "for": people[1]}
    audit.record_by(member, "inspection.replaced", about=("inspection", inspection.pk), data=data)
    return named


@transactional
def close(member: Member, round_id: int) -> InspectionRound:
    """End a round: nothing is rated or resolved in it any more.

    Raises:
        NotYoursError: The project has no such round.
        ConflictError: It is closed already.
    """
    member = authorize(member, Role.MANAGER)
    ended = get_round(member.project, round_id)
    values = {"state": RoundState.CLOSED, "closed_at": timezone.now()}
    if not InspectionRound.objects.filter(pk=ended.pk, state=RoundState.OPEN).update(**values):
        raise ConflictError("the round is closed already")
    data = {"name": ended.name}
    audit.record_by(member, "inspection.closed", about=("inspection", ended.pk), data=data)
    return get_round(member.project, round_id)


def get_round(project: Project, round_id: int) -> InspectionRound:
    """A round of a project.

    Raises:
        NotYoursError: There is none such.
    """
    rows = InspectionRound.objects.filter(project=project, pk=round_id)
    row = rows.select_related("project", "by").first()
    if row is None:
        raise NotYoursError("there is no round {round} in this project", round=round_id)
    return row


def criteria_of(inspection: InspectionRound) -> tuple[Criterion, ...]:
    """What is asked in a round."""
    return tuple(Criterion(**criterion) for criterion in inspection.criteria)


# Items and what is known of them: ratings only once they are settled.


@dataclass(frozen=True, slots=True)
class ItemResult:
    """An item of a round and what may be known of it.

    Args:
        item: With sentence and text.
        ratings: Of judge 1 and of judge 2, once the item is settled; else none.
        decisions: Criterion to what they said, likewise.
        resolutions: Criterion to the resolution that counts.
    """

    item: InspectionItem
    ratings: tuple[Rating, ...]
    decisions: Mapping[str, tuple[bool, bool]]
    resolutions: Mapping[str, Resolution]

    @property
    def settled(self) -> bool:
        """Whether both have rated it and cannot take it back."""
        return bool(self.ratings)

    @property
    def differing(self) -> tuple[str, ...]:
        """The criteria on which the judges differ."""
        return tuple(key for key, (first, second) in self.decisions.items() if first != second)

    @property
    def unresolved(self) -> tuple[str, ...]:
        """Those of them that are not resolved."""
        return tuple(key for key in self.differing if key not in self.resolutions)


def load_items(inspection: InspectionRound, item_id: int | None = None) -> tuple[ItemResult, ...]:
    """The items of a round, or one of them, in their order."""
    items = inspection.items.select_related("sentence", "reference", "variant").order_by("position")
    ratings = Rating.objects.filter(item__round=inspection).select_related("judge__member__person")
    resolutions = Resolution.objects.filter(item__round=inspection).select_related("by")
    if item_id is not None:
        items, ratings = items.filter(pk=item_id), ratings.filter(item=item_id)
        resolutions = resolutions.filter(item=item_id)
    last: dict[tuple[int, int], Rating] = {}
    for rating in ratings.prefetch_related("answers").order_by("pk"):
        last[rating.item_id, rating.judge.no] = rating
    resolved: dict[int, dict[str, Resolution]] = {}
    for resolution in resolutions.order_by("pk"):
        resolved.setdefault(resolution.item_id, {})[resolution.criterion] = resolution
    results = []
    for item in items:
        both = [last[item.pk, no] for no in (1, 2) if (item.pk, no) in last]
        settled = tuple(both) if _is_settled(inspection, both) else ()
        results.append(
            ItemResult(item, settled, _decisions(inspection, settled), resolved.get(item.pk, {}))
        )
    return tuple(results)


def _is_settled(inspection: InspectionRound, ratings: Sequence[Rating]) -> bool:
    if len(ratings) < 2 or any(rating.undone for rating in ratings):
        return False
    if inspection.state == RoundState.CLOSED:
        return True
    return max(rating.at for rating in ratings) <= _undo_since(inspection)


def _undo_since(inspection: InspectionRound) -> datetime:
    """Ratings from before this moment cannot be undone if the other judge has rated, too."""
    return timezone.now() - timedelta(seconds=inspection.undo_seconds)


def _decisions(
    inspection: InspectionRound, ratings: Sequence[Rating]
) -> dict[str, tuple[bool, bool]]:
    if not ratings:
        return {}
    first, second = (answers_of(rating) for rating in ratings)
    return {
        criterion.key: (first[criterion.key], second[criterion.key])
        for criterion in criteria_of(inspection)
    }


def answers_of(rating: Rating) -> dict[str, bool]:
    """Criterion to whether a rating accepts."""
    return {answer.criterion: answer.accept for answer in rating.answers.all()}


def count_ratings(inspection: InspectionRound) -> tuple[tuple[InspectionJudge, int], ...]:
    """Each judge with how many items they, or who they replaced, have rated."""
    judges = _current_judges().filter(round=inspection).select_related("member__person")
    judges = judges.order_by("no")
    return tuple((judge, _with_last(judge).filter(undone=False).count()) for judge in judges)


def _with_last(judge: InspectionJudge) -> QuerySet[Any]:
    """A judge's items with `undone`, of the last rating by one of their number; None if none."""
    mine = Rating.objects.filter(item=OuterRef("pk"), judge__no=judge.no).order_by("-pk")
    return judge.round.items.annotate(undone=Subquery(mine.values("undone")[:1]))


# What judges do.


def _judging(member_or_person: Q, project: int) -> QuerySet[InspectionJudge]:
    open_ones = {"round__project": project, "round__state": RoundState.OPEN}
    judges = _current_judges().filter(member_or_person, **open_ones, member__is_judge=True)
    return judges.select_related("round").order_by("round")


def _to_rate(judge: InspectionJudge, person_id: int) -> QuerySet[InspectionItem]:
    unrated = _with_last(judge).filter(Q(undone=None) | Q(undone=True))
    return unrated.exclude(_worked_on(person_id)).order_by("position")


def next_item(member: Member) -> InspectionItem | None:
    """The first item that a judge has not rated, of the oldest round; None where there is none."""
    for judge in _judging(Q(member=member.pk), member.project_id):
        item = _to_rate(judge, member.person_id).first()
        if item is not None:
            return item
    return None


@dataclass(frozen=True, slots=True)
class Waiting:
    """What waits for a judge.

    Args:
        items: To be rated.
        disagreements: Items on which they differ from the other judge, without a resolution.
    """

    items: int
    disagreements: int


def waiting(person_id: int, project: Project) -> Waiting:
    """What waits for a person in the open rounds of a project."""
    items = disagreements = 0
    for judge in _judging(Q(member__person=person_id), project.pk):
        items += _to_rate(judge, person_id).count()
        judge.round.project = project
        disagreements += _unresolved(judge.round).count()
    return Waiting(items, disagreements)


def _unresolved(inspection: InspectionRound) -> QuerySet[InspectionItem]:
    """The settled items of an open round with a disagreement that is not resolved."""
    later = Rating.objects.filter(
        item=OuterRef("rating__item"),
        judge=OuterRef("rating__judge"),
        no__gt=OuterRef("rating__no"),
    )
    counting = RatingAnswer.objects.filter(~Exists(later), rating__at__lte=_undo_since(inspection))
    other = counting.filter(
        rating__item=OuterRef("rating__item"),
        rating__judge__no=2,
        criterion=OuterRef("criterion"),
    ).exclude(accept=OuterRef("accept"))
    resolved = Resolution.objects.filter(
        item=OuterRef("rating__item"), criterion=OuterRef("criterion")
    )
    apart = counting.filter(
        Exists(other), ~Exists(resolved), rating__item__round=inspection, rating__judge__no=1
    )
    return InspectionItem.objects.filter(pk__in=apart.values("rating__item"))


@dataclass(frozen=True, slots=True)
class ItemView:
    """An item as one member may see it.

    Args:
        inspection: Its round.
        result: The item, with the ratings of both once it is settled.
        judge: Who the member is in the round; None for a manager.
        mine: The member's own last rating, also where it is undone; None where there is none.
        previous: The last one with answers: itself, or what it takes back.
    """

    inspection: InspectionRound
    result: ItemResult
    judge: InspectionJudge | None
    mine: Rating | None

    @property
    def item(self) -> InspectionItem:
        """The item itself."""
        return self.result.item

    previous: Rating | None = None

    @property
    def rated(self) -> bool:
        """Whether the member's own rating counts."""
        return self.mine is not None and not self.mine.undone

    @property
    def criteria(self) -> tuple[str, ...]:
        """The keys of what is asked."""
        return tuple(criterion.key for criterion in criteria_of(self.inspection))


def view_item(member: Member, item_id: int) -> ItemView:
    """An item for one of its judges, or for a manager once it is settled.

    Raises:
        NotYoursError: It is neither.
    """
    view = _find_item(member, item_id)
    if view.judge is not None:
        record_reading(view.item.sentence_id, member.person_id)
    return view


def _find_item(member: Member, item_id: int) -> ItemView:
    error = NotYoursError("there is no item {item} for you", item=item_id)
    rows = InspectionItem.objects.filter(pk=item_id, round__project=member.project_id)
    item = rows.select_related("round").first()
    if item is None:
        raise error
    inspection = item.round
    inspection.project = member.project
    (result,) = load_items(inspection, item.pk)
    judges = _current_judges().filter(round=inspection, member=member.pk, member__is_judge=True)
    judge = judges.first() if member.pk else None
    if judge is None:
        if not (member.is_manager and result.settled):
            raise error
        return ItemView(inspection, result, None, None)
    mine = list(Rating.objects.filter(item=item, judge=judge).order_by("-no"))
    last = Rating.objects.filter(item=item, judge__no=judge.no).order_by("-pk").first()
    if last and last.judge_id != judge.pk and not (last.undone or result.settled):
        raise error  # rated by who was judge before
    previous = next((rating for rating in mine if not rating.undone), None)
    return ItemView(inspection, result, judge, mine[0] if mine else None, previous)


def rounds_of(member: Member) -> tuple[InspectionRound, ...]:
    """The rounds in which a member is a judge now, the newest first."""
    judging = _current_judges().filter(member=member.pk).values("round")
    rounds = InspectionRound.objects.filter(pk__in=judging, project=member.project_id)
    inspection_rounds = tuple(rounds.order_by("-pk")) if member.pk else ()
    for inspection in inspection_rounds:
        inspection.project = member.project
    return inspection_rounds


def last_rating(member: Member) -> Rating | None:
    """What a judge rated last in an open round; None where they have taken that back."""
    ratings = Rating.objects.filter(
        judge__in=_current_judges().filter(member=member.pk),
        item__round__project=member.project_id,
        item__round__state=RoundState.OPEN,
    )
    last = ratings.select_related("item__round").order_by("-pk").first() if member.pk else None
    return None if last is None or last.undone else last


@transactional
def rate(
    member: Member, item_id: int, *, client_key: Key, answers: Mapping[str, bool], note: str = ""
) -> Rating:
    """Rate an item by all criteria of its round.

    Raises:
        RefusedError: A criterion has no answer, or the note is too long.
        ConflictError: It is rated already, or the round is closed.
        NotYoursError: It is no item of theirs, or they have worked on the sentence since.
    """
    member = authorize(member, Role.JUDGE)
    known = Rating.objects.filter(client_key=client_key).select_related("judge").first()
    if known is not None:
        if known.judge.member_id != member.pk or known.item_id != item_id:
            raise ConflictError("this key was used for something else; load the page again")
        return known
    view, judge = _find_open_item(member, item_id)
    if view.rated:
        raise ConflictError("you have rated this item already; take that back first")
    criteria = view.criteria
    problems = [Problem("JUD-1", key) for key in criteria if key not in answers]
    note = whole(note.strip())
    if len(note) > LONGEST_NOTE:
        problems.append(Problem("note-too-long", "note"))
    if problems:
        raise RefusedError(problems)
    no = view.mine.no + 1 if view.mine else 1
    rating = Rating.objects.create(
        item=view.item, judge=judge, no=no, note=note, client_key=client_key
    )
    RatingAnswer.objects.bulk_create(
        RatingAnswer(rating=rating, criterion=key, accept=answers[key]) for key in criteria
    )
    # What was said is no matter of the log, which managers read who may be judges, too.
    audit.record_by(member, "inspection.rated", about=("inspection_item", view.item.pk))
    return rating


def _find_open_item(member: Member, item_id: int) -> tuple[ItemView, InspectionJudge]:
    """An item of an open round with its judge, who has not worked on the sentence."""
    _lock_round(member, item_id)
    view = _find_item(member, item_id)
    touched = InspectionItem.objects.filter(_worked_on(member.person_id), pk=view.item.pk)
    if view.judge is None or touched.exists():
        raise NotYoursError("there is no item {item} for you", item=item_id)
    if view.inspection.state != RoundState.OPEN:
        raise ConflictError("the round is closed; its ratings are final")
    if view.result.settled:
        raise ConflictError("both judges have rated this item; the ratings are final")
    return view, view.judge


def _lock_round(member: Member, item_id: int) -> None:
    """Let nobody close the round of an item, or settle the item, before the transaction ends."""
    rows = InspectionRound.objects.select_for_update(of=("self",), no_key=True)
    rows.filter(items=min(item_id, _LARGEST_ID), project=member.project_id).first()


@transactional
def undo(member: Member, item_id: int) -> Rating:
    """Take a rating back before the item is settled; what was said stays stored.

    Raises:
        ConflictError: There is nothing to take back, or it is too late.
        NotYoursError: It is no item of theirs.
    """
    member = authorize(member, Role.JUDGE)
    view, judge = _find_open_item(member, item_id)
    if view.mine is None or view.mine.undone:
        raise ConflictError("you have not rated this item")
    undone = Rating.objects.create(
        item=view.item, judge=judge, no=view.mine.no + 1, undone=True, client_key=uuid4()
    )
    audit.record_by(member, "inspection.undone", about=("inspection_item", view.item.pk))
    return undone


# Disagreements: a thread, and one decision (JUD-3).


def _discussed_item(member: Member, item_id: int) -> ItemView:
    _lock_round(member, item_id)
    view = _find_item(member, item_id)
    if not view.result.settled:
        raise NotYoursError("there is no item {item} to discuss", item=item_id)
    if view.inspection.state != RoundState.OPEN:
        raise ConflictError("the round is closed; its ratings are final")
    return view


@transactional
def add_message(member: Member, item_id: int, *, text: str, client_key: Key) -> Message:
    """Say something about a settled item.

    Raises:
        RefusedError: There is no text, or too much of it.
        ConflictError: The round is closed.
        NotYoursError: It is not settled, or not theirs.
    """
    member = authorize(member, Role.JUDGE, Role.MANAGER)
    view = _discussed_item(member, item_id)
    known = Message.objects.filter(client_key=client_key).first()
    if known is not None:
        if known.person_id != member.person_id or known.item_id != view.item.pk:
            raise ConflictError("this key was used for something else; load the page again")
        return known
    words = clean_note(text, "CMP-4", field="text")
    message = Message.objects.create(
        item=view.item, person=member.person, text=words, client_key=client_key
    )
    _tell(view, but=member.person_id)
    return message


def _tell(view: ItemView, *, but: int) -> None:
    """Tell the judges, and managers who took part, that something was said about a settled item."""
    inspection, item = view.inspection, view.item
    judges = _current_judges().filter(round=inspection, member__is_judge=True)
    authors = Message.objects.filter(item=item).values("person")
    recipients = Member.objects.filter(project=inspection.project).filter(
        Q(pk__in=judges.values("member")) | Q(is_manager=True, person__in=authors)
    )
    people = recipients.exclude(person=but).order_by("person").values_list("person", flat=True)
    data = {"item": item.pk, "number": item.position, "name": inspection.name}
    Notice.objects.tell(people, inspection.project_id, "inspection_message", data)


@transactional
def resolve(
    member: Member, item_id: int, *, criterion: str, accept: bool, note: str = ""
) -> Resolution:
    """Write down what the judges settled on; their ratings stay (JUD-3).

    Raises:
        RefusedError: The judges do not differ in it, or the note is too long.
        ConflictError: The round is closed.
        NotYoursError: It is not settled, or not theirs.
    """
    member = authorize(member, Role.JUDGE, Role.MANAGER)
    view = _discussed_item(member, item_id)
    if criterion not in view.result.differing:
        raise RefusedError([Problem("JUD-3", "criterion")])
    words = clean_note(note, "JUD-3") if note.strip() else ""
    resolution = Resolution.objects.create(
        item=view.item, criterion=criterion, accept=accept, note=words, by=member.person
    )
    data = {"criterion": criterion, "accept": accept, "note": words}
    about = ("inspection_item", view.item.pk)
    audit.record_by(member, "inspection.resolved", about=about, data=data)
    return resolution
