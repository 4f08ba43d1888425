"""RobustGEC in miniature, through the pages: from the trial of candidates to the statements of pay.

Sixty published cases go through all that section 3.2 of the paper tells: a trial with a threshold
of 90 per cent, five people who perturb each case, reviewers who check every variant, two judges of
a sample, the export, what a system makes of it, and the pay of everybody. The team notes what it
did by itself; each step is compared with these notes, as a lead would.
"""

from __future__ import annotations

import json
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from datetime import timedelta
from decimal import ROUND_HALF_EVEN, Decimal
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

import pytest
from click.testing import CliRunner
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone
from server.web.asking import Asking, answer
from server.workflow.perturbing import scheme
from server.workflow.reviewing import member_of
from server.workflow.stories import somebody

from gecbench.analysis.perturbed_cases import EMPTY, HALF_FREE, REPEATED, UNCHANGED
from gecbench.api.robustness import check_perturbed, load_perturbed
from gecbench.cli.analyse.scores import robustness
from gecbench.core.perturbed import PerturbedCase
from gecbench.server.models import (
    InspectionItem,
    InspectionRound,
    PayPeriod,
    PayStatement,
    Project,
    Rating,
    Review,
    SlotEvent,
)
from gecbench.server.rules.perturbation import Chip, derive, divide
from gecbench.server.workflow import claims, pay, practice, review_tasks
from gecbench.server.workflow.checks import check
from gecbench.server.workflow.perturbation import find_faults

SLUG = "mini"
HERE, MANAGE = f"/p/{SLUG}", f"/p/{SLUG}/manage"

CANDIDATES = {
    "amy": (10,),
    "ben": (9,),
    "cem": (10,),
    "dan": (8, 9),
    "eva": (9,),
    "fay": (10,),
    "gus": (9,),
    "hal": (8, 8),
    "ida": (4, 7),
}
"""How many of ten answers each gets right, in the first trial and in the retake."""

SIZE, ENOUGH = 10, 9
PERTURBERS = [login for login, right in CANDIDATES.items() if right[-1] >= ENOUGH]
REVIEWERS = ("rita", "ron", "amy")
"""The last one was promoted, and perturbs as well."""

JUDGES = ("jane", "john")
CASES = 60
SAMPLE = 30
REJECTED = {
    "jane": {"correctness": {1, 2, 3, 4}, "faithfulness": {10}},
    "john": {"correctness": {3, 4, 5}, "faithfulness": {10}},
}
"""Places of the sample that a judge rejects."""

MISSPELT, NOTE = "definately", "It is spelled definitely."
WORDY, SHORT = "as everybody who reads this will certainly know", "certainly"
WORDS = ("indeed", "perhaps", "really", "often", "clearly", "now")
"""What people write into the longest gap where the published variant is refused."""

RATES = {"perturbation": "0.75", "check": "0.125", "rating": "0.2"}
LENGTHS = "0: 100\n10: 115\n16: 130"
FACTORS = "0: 50\n80: 90\n95: 110"


class Handed(NamedTuple):
    """A variant that was handed in."""

    login: str
    number: int
    source: str


class Checked(NamedTuple):
    """A decision about one; `final` is the source after it."""

    login: str
    number: int
    source: str
    decision: str
    final: str


class Team:
    """Everybody, and what they did.

    Args:
        cases: The published ones, of which the originals are perturbed again.
        folder: For files.
    """

    def __init__(self, cases: Sequence[PerturbedCase], folder: Path) -> None:
        self.cases = {case.original.source: case for case in cases}
        self.folder = folder
        texts = [(variant.source, variant.reference) for case in cases for variant in case.all[1:]]
        self.divisions = dict(zip(texts, divide(scheme("en-errant", "en"), texts), strict=True))
        self.browsers: dict[str, Asking] = {}
        self.places: dict[int, list[str]] = defaultdict(list)
        self.handed: list[Handed] = []
        self.checked: list[Checked] = []
        self.refused: Counter[str] = Counter()
        self.words: dict[int, int] = {}
        self.errors: dict[str, int] = {}

    def at(self, login: str) -> Asking:
        """The browser of somebody."""
        if login not in self.browsers:
            self.browsers[login] = Asking(somebody(login))
        return self.browsers[login]

    @property
    def boss(self) -> Asking:
        return self.at("boss")

    @property
    def project(self) -> Project:
        return Project.objects.get(slug=SLUG)

    def author(self, number: int, source: str) -> str:
        """Who handed a variant in; no two are the same (PER-5)."""
        (login,) = {
            submission.login for submission in self.handed if submission[1:] == (number, source)
        }
        return login


@pytest.fixture
def published(shared: Path) -> list[PerturbedCase]:
    """The published cases of at most twenty words that have a correction."""
    cases = load_perturbed(shared / "data" / "robustgec" / "conll14").cases
    return [
        case
        for case in cases
        if len(case.original.source.split()) <= 20 and case.original.reference
    ]


@pytest.fixture
def team(site, published, tmp_path, monkeypatch) -> Team:
    """Nothing is made yet; all draws are the same each time."""
    for module in (claims, review_tasks, practice):
        monkeypatch.setattr(module, "_CHANCE", random.Random(7))
    # Variants of these repeat one another or the original, or have other errors.
    return Team([published[116], *published[423:482]], tmp_path)


def test_sixty_cases_go_from_the_trial_to_the_statements_of_pay(team, published, monkeypatch):
    begin(team, published[:40])
    pass_or_fail(team, published[:40])
    perturb_and_check(team)
    everything_is_there_once(team)
    inspect(team)
    measure(team, export(team))
    settle(team, monkeypatch)
    assert check() == ()


# The project is made, people come in, sentences and formula too.


def begin(team: Team, tasks: Sequence[PerturbedCase]) -> None:
    somebody("boss", is_administrator=True)
    make_project(team, SLUG)
    change_settings(team, trial_first="on", trial_size=str(SIZE), undo_seconds="0")
    for logins, role in (
        (CANDIDATES, "annotator"),
        (("rita", "ron"), "reviewer"),
        (JUDGES, "judge"),
    ):
        for login in logins:
            somebody(login)
            added = team.boss.form(f"{MANAGE}/members/add", login=login, roles=role)
            assert added.status_code == 302
    sentences = [(case.id, case.original.source, case.original.reference) for case in tasks]
    bring(team, SLUG, "trial.tsv", "".join("\t".join(row) + "\n" for row in sentences), "trial")
    cases = [
        (case.id, case.original.source, case.original.reference) for case in team.cases.values()
    ]
    bring(team, SLUG, "cases.tsv", "".join("\t".join(row) + "\n" for row in cases))
    assert team.boss.get(f"{MANAGE}/").context["total"] == len(team.cases) == CASES
    steps = {"lengths": LENGTHS, "factors": FACTORS, "window": "200", "least": "20"}
    formula = {"currency": "CNY", "quality": "acceptance", **RATES, **steps}
    response = team.boss.form(f"{MANAGE}/pay/formula", **formula)
    assert team.boss.form(f"{response['Location']}/activate").status_code == 302


def make_project(team: Team, slug: str) -> None:
    fields = {"name": slug, "slug": slug, "lang": "en", "template": "robustgec"}
    assert team.boss.form("/projects/new", **fields).status_code == 302


def change_settings(team: Team, **changed: str) -> None:
    page = team.boss.get(f"{MANAGE}/settings").context
    form = page["form"]
    values = {name: form.initial[name] for name in form.fields}
    values = {name: value for name, value in values.items() if value not in (None, False)}
    sent = {**values, "seen": page["seen"], **changed}
    assert team.boss.form(f"{MANAGE}/settings", **sent).status_code == 302


def bring(team: Team, slug: str, name: str, text: str, purpose: str = "real") -> None:
    """Upload a file and import it."""
    file = SimpleUploadedFile(name, text.encode())
    report = team.boss.form(f"/p/{slug}/manage/import", file=file)["Location"]
    assert team.boss.form(f"{report}/run", purpose=purpose).status_code == 302


# The trial (TRI-2 to TRI-4).


def pass_or_fail(team: Team, tasks: Sequence[PerturbedCase]) -> None:
    known = {case.original.source: case.original.reference for case in tasks}
    for login, attempts in CANDIDATES.items():
        seen: set[str] = set()
        for right in attempts:
            seen |= take_trial(team.at(login), known, right)
        assert len(seen) == SIZE * len(attempts), "the retake has other tasks"
        passed = attempts[-1] >= ENOUGH
        status = "active" if passed else "training"
        assert member_of(team.project, login).status == status
        if not passed:
            assert team.at(login).page(f"{HERE}/work")["task"] is None
            team.at(login).form(f"{HERE}/trial/begin")
    rows = {
        row.member.person.login: [(trial.state, trial.accepted, trial.size) for trial in row.trials]
        for row in team.boss.get(f"{MANAGE}/trials").context["candidates"]
    }
    assert rows == {
        login: [("passed" if n >= ENOUGH else "failed", n, SIZE) for n in attempts]
        for login, attempts in CANDIDATES.items()
    }
    amy = member_of(team.project, "amy")
    page = f"{MANAGE}/members/{amy.pk}"
    roles = {"roles": ["annotator", "reviewer"], "status": "active"}
    team.boss.form(page, **roles, seen=team.boss.get(page).context["seen"])
    assert member_of(team.project, "amy").is_reviewer


def take_trial(candidate: Asking, known: dict[str, str], right: int) -> set[str]:
    """Answer all tasks, the first so many rightly; return their texts."""
    candidate.form(f"{HERE}/trial/begin")
    seen = set()
    for position in range(SIZE):
        task = candidate.get(f"{HERE}/trial").context["task"]
        text = task.sentence.text
        seen.add(text)
        is_free = known[text] == text
        # Who is wrong overlooks the errors, or finds some where there are none.
        finds = is_free != (position < right)
        target = (text + " !" if is_free else known[text]) if finds else ""
        form = {"version": "0", "client_key": str(uuid4()), "text": target}
        form["decision"] = "corrected" if finds else "error_free"
        assert candidate.form(f"{HERE}/trial/{task.pk}", **form).status_code == 302
    return seen


# Perturbation and the double check (PER-1 to PER-9).


def perturb_and_check(team: Team) -> None:
    perturb(team)
    assert team.boss.get(f"{MANAGE}/").context["decided"] == 0
    assert len(team.handed) == 5 * CASES
    for _ in range(5):
        left = list(REVIEWERS)
        while left:
            left = [login for login in left if check_next(team, login)]
        if team.boss.get(f"{MANAGE}/").context["decided"] == CASES:
            return
        perturb(team)
    raise AssertionError("variants go to and fro")


def perturb(team: Team) -> None:
    """Let everybody hand in one variant after another, in turn, until nothing is left."""
    tasks = {login: team.at(login).page(f"{HERE}/work")["task"] for login in PERTURBERS}
    while any(tasks.values()):
        for login, task in tasks.items():
            if task is not None:
                tasks[login] = hand_in(team, login, task)


def hand_in(team: Team, login: str, task: dict[str, Any]) -> Any:
    """Hand in the first variant that the server takes; return the next task."""
    habit = habit_of(login, task)
    chips = [Chip(**chip) for chip in task["chips"]]
    team.words[task["number"]] = len(task["text"].split())
    team.errors[task["text"]] = len(chips)
    if task["returned"] is not None:
        assert task["returned"]["note"] == NOTE
        assert MISSPELT in " ".join(task["draft"]["payload"]["texts"])
    for written in ideas(team, login, task):
        gaps = insert(written, habit) if habit else written
        body = answer(task, *gaps, active_ms=60_000)
        sent = team.at(login).send("POST", task["submitUrl"], body)
        if sent.status_code == 422 and sent.json().get("confirm"):
            team.refused.update(problem["code"] for problem in sent.json()["problems"])
            sent = team.at(login).send("POST", task["submitUrl"], {**body, "confirmed": True})
        if sent.status_code == 200:
            team.handed.append(Handed(login, task["number"], derive(gaps, chips, "en")[0]))
            return sent.json()["next"]
        codes = [problem["code"] for problem in sent.json()["problems"]]
        assert {*codes} <= {"PER-4", "PER-5-original", "PER-5-taken"}, sent.content
        team.refused.update(codes)
    raise AssertionError(task)


def habit_of(login: str, task: dict[str, Any]) -> str:
    """What somebody cannot help writing, until they are told."""
    if task["returned"] is None and login == "eva" and task["number"] % 4 == 0:
        return MISSPELT
    return WORDY if login == "gus" and task["number"] % 4 == 2 else ""


def ideas(team: Team, login: str, task: dict[str, Any]) -> Iterator[Sequence[str]]:
    """The gaps of the published variant of somebody's place, then of the original with a word.

    A published variant in which an error has changed cannot be written: errors are locked (PER-2).
    """
    place = team.places[task["number"]]
    if login not in place:
        place.append(login)
    variant = team.cases[task["text"]].variants[place.index(login)]
    division = team.divisions[variant.source, variant.reference]
    errors = [(chip.source, chip.target) for chip in division.chips]
    if errors == [(chip["source"], chip["target"]) for chip in task["chips"]]:
        yield division.gaps
    else:
        team.refused["PER-2"] += 1
    for word in WORDS:
        yield insert(task["gaps"], word)


def insert(gaps: Sequence[str], words: str) -> Sequence[str]:
    """Put words behind the first one of the longest gap, where no error is near."""
    longest = max(gaps, key=len)
    first, _, rest = longest.strip().partition(" ")
    place = gaps.index(longest)
    return (*gaps[:place], f" {first} {words} {rest} ", *gaps[place + 1 :])


def check_next(team: Team, login: str) -> bool:
    """Decide about the next case; whether there was one."""
    page = team.at(login).get(f"{HERE}/review").context
    if "data" not in page:
        return False
    data, number = page["data"], page["sentence"].number
    chips = [Chip(**chip) for chip in data["chips"]]
    checks = [decide(row["number"], row["gaps"]) for row in data["rows"]]
    payload = {"checks": checks, "note": "", "active_ms": 90_000}
    body = {"version": data["version"], "client_key": str(uuid4()), "payload": payload}
    sent = team.at(login).send("POST", data["urls"]["finalise"], body)
    assert sent.status_code == 200, sent.content
    for row, verdict in zip(data["rows"], checks, strict=True):
        source, final = (
            derive(gaps, chips, "en")[0] for gaps in (row["gaps"], verdict.get("gaps", row["gaps"]))
        )
        team.checked.append(Checked(login, number, source, verdict["decision"], final))
    return True


def decide(position: int, gaps: Sequence[str]) -> dict[str, Any]:
    """Return what is misspelt, shorten what is wordy, accept all else."""
    if MISSPELT in " ".join(gaps):
        words = {"reasons": ["new_error"], "note": NOTE}
        return {"position": position, "decision": "returned", **words}
    if WORDY in " ".join(gaps):
        shorter = [gap.replace(WORDY, SHORT) for gap in gaps]
        return {"position": position, "decision": "edited", "gaps": shorter}
    return {"position": position, "decision": "accepted"}


def everything_is_there_once(team: Team) -> None:
    """Five people a case, nobody twice, every variant checked by somebody else (INV-1 to 3)."""
    wrote: dict[int, Counter[str]] = defaultdict(Counter)
    for submission in team.handed:
        wrote[submission.number][submission.login] += 1
    assert {len(people) for people in wrote.values()} == {5}
    assert {login for people in wrote.values() for login in people} == {*PERTURBERS}
    again: Counter[str] = Counter()
    for number, people in wrote.items():
        for login, count in people.items():
            returned = login == "eva" and number % 4 == 0
            assert count == 1 + returned, (number, login)
            again[login] += returned
    decisions = Counter(verdict.decision for verdict in team.checked)
    edited = sum(
        submission.login == "gus" and submission.number % 4 == 2 for submission in team.handed
    )
    assert decisions == {"accepted": 5 * CASES - edited, "edited": edited, "returned": again["eva"]}
    assert min(decisions.values()) > 0
    assert {verdict.login for verdict in team.checked} == {*REVIEWERS}
    assert not [verdict for verdict in team.checked if verdict.login in wrote[verdict.number]]
    # What the server has is the same.
    held = set(
        SlotEvent.objects.filter(kind="submit").values_list("person__login", "sentence__number")
    )
    assert held == {(submission.login, submission.number) for submission in team.handed}
    reviewed = Review.objects.values_list("reviewer__login", "sentence__number")
    assert set(reviewed) == {(verdict.login, verdict.number) for verdict in team.checked}
    assert find_faults(team.project.pk) == []
    rows = team.boss.get(f"{MANAGE}/members").context["rows"]
    accepted = {row.member.person.login: row.accepted for row in rows if row.submitted}
    for login in PERTURBERS:
        mine = [submission for submission in team.handed if submission.login == login]
        places = len({submission.number for submission in mine})
        changed = again[login] + sum(
            login == "gus" and submission.number % 4 == 2 for submission in mine
        )
        assert accepted[login] == pytest.approx(1 - changed / places)
    # The published faults were met, and refused.
    assert {"PER-2", "PER-5-original", "PER-5-taken"} <= {*team.refused}


# Two judges (JUD-1 to JUD-3).


def inspect(team: Team) -> None:
    form = team.boss.get(f"{MANAGE}/inspection/new").context["form"]
    fields = {name: form[name].value() or "" for name in form.fields}
    assert fields["size"] == 5 * CASES
    fields |= {"size": SAMPLE, "seed": 3, "name": "first"}
    fields["judges"] = [member_of(team.project, login).pk for login in JUDGES]
    assert team.boss.form(f"{MANAGE}/inspection/new", **fields).status_code == 302
    report = f"{MANAGE}/inspection/{InspectionRound.objects.get().pk}"
    for login in JUDGES:
        assert team.boss.get(report).context["result"].rated == 0, "they are blind to each other"
        rate_all(team.at(login), REJECTED[login])
    before = list(Rating.objects.order_by("pk").values())
    jane, john = team.at("jane"), team.at("john")
    rows = jane.get(f"{HERE}/judge/disagreements").context["rounds"][0]["rows"]
    items = {row["judged"].item.position: row["judged"].item.pk for row in rows}
    assert {*items} == {1, 2, 5}
    assert team.boss.get(report).context["unresolved"] == len(items)
    for position, item in items.items():
        assert jane.form(f"{HERE}/judge/{item}/say", text="Why?").status_code == 302
        words = {"criterion": "correctness", "accept": "yes" if position == 5 else "no"}
        assert john.form(f"{HERE}/judge/{item}/resolve", **words).status_code == 302
    assert list(Rating.objects.order_by("pk").values()) == before, "first ratings are kept"
    shown = team.boss.get(report).context
    assert (shown["unresolved"], [row["talk"] for row in shown["disagreements"]]) == (0, [1, 1, 1])
    result = shown["result"]
    assert (result.rated, result.population, result.seed) == (SAMPLE, 5 * CASES, 3)
    correctness, faithfulness = result.criteria
    assert (correctness.criterion, faithfulness.criterion) == ("correctness", "faithfulness")
    both, chance = 27 / 30, (26 * 27 + 4 * 3) / 30**2
    assert correctness.equal.value == pytest.approx(both)
    assert correctness.kappa.value == pytest.approx((both - chance) / (1 - chance))
    assert correctness.accept.value == pytest.approx(26 / 30), "after three were settled"
    assert correctness.reject.value == pytest.approx(4 / 30)
    assert (faithfulness.equal.value, faithfulness.kappa.value) == (1, 1)
    assert faithfulness.accept.value == pytest.approx(29 / 30)
    assert team.boss.form(f"{report}/close").status_code == 302


def rate_all(judge: Asking, rejected: dict[str, set[int]]) -> None:
    page = judge.get(f"{HERE}/judge").context
    for position in range(1, SAMPLE + 1):
        assert page["item"].position == position
        accept = {
            f"accept-{key}": "no" if position in places else "yes"
            for key, places in rejected.items()
        }
        sent = judge.client.post(f"{HERE}/judge/{page['item'].pk}", accept, follow=True)
        assert sent.status_code == 200
        page = sent.context
    assert "item" not in page


# The files, and what a system makes of them (PER-10).


def export(team: Team) -> Path:
    for part in (".para.txt", ".input.txt"):
        save(team, SLUG, part)
    path = team.folder / f"{SLUG}.para.txt"
    cases = load_perturbed(path)
    texts = {case.original.source: case for case in cases.cases}
    assert {*texts} == {*team.cases}
    final: dict[int, set[str]] = defaultdict(set)
    for verdict in team.checked:
        if verdict.decision != "returned":
            final[verdict.number].add(verdict.final)
    assert sorted(
        sorted(variant.source for variant in case.variants) for case in cases.cases
    ) == sorted(map(sorted, final.values()))
    sources = [variant.source for case in cases.cases for variant in case.all]
    assert (team.folder / f"{SLUG}.input.txt").read_text("utf-8").splitlines() == sources
    kinds = {finding.kind for finding in check_perturbed(cases).findings}
    assert kinds.isdisjoint({UNCHANGED, REPEATED, HALF_FREE, EMPTY})
    make_project(team, "again")
    bring(team, "again", "para.txt", path.read_text("utf-8"))
    assert save(team, "again", ".para.txt") == path.read_bytes()
    return path


def save(team: Team, slug: str, part: str) -> bytes:
    address = f"/p/{slug}/manage/export/download"
    content = team.boss.form(address, format="robustgec", part=part).getvalue()
    (team.folder / f"{slug}{part}").write_bytes(content)
    return content


def measure(team: Team, path: Path) -> None:
    """A system corrects every second case in any context, and the others only as learners wrote."""
    cases = load_perturbed(path).cases
    lines = [
        variant.reference if place == 0 or number % 2 == 0 else variant.source
        for number, case in enumerate(cases)
        for place, variant in enumerate(case.all)
    ]
    output = team.folder / "half.txt"
    output.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    words = (str(path), str(output), "--orders", "0", "--format", "json")
    data = json.loads(CliRunner().invoke(robustness, words, catch_exceptions=False).stdout)
    errors = [team.errors[case.original.source] for case in cases]
    steady = sum(number % 2 == 0 or not count for number, count in enumerate(errors))
    assert 0 < steady < len(cases)
    (half,) = data["systems"]
    for rule in ("official", "edits"):
        assert half[rule]["consistent_cases"] == steady
        assert half[rule]["crs"] == half[rule]["p_crs"] == pytest.approx(steady / len(cases))
    total, right = sum(errors), sum(errors[::2])
    for name, hits in (("original", total), ("upper", total), ("lower", right)):
        counts = half[name]
        assert (counts["tp"], counts["fp"], counts["fn"]) == (hits, 0, total - hits), name
    # The published cases reach 99.09 per cent: some of their variants have other errors.
    for trivial in data["trivial"]:
        assert trivial["official"]["consistent_cases"] == trivial["cases"] == CASES
        assert trivial["official"]["like_original"] == trivial["variants"] == 5 * CASES


# Pay (PAY-1, PAY-2, INV-13).


def settle(team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    today = timezone.localdate(timezone=timezone.get_default_timezone())
    later = timezone.now() + timedelta(days=2)
    monkeypatch.setattr(timezone, "now", lambda: later)
    team.browsers.clear()  # sessions have ended meanwhile
    closed = team.boss.form(f"{MANAGE}/pay/close", through=today)
    period = PayPeriod.objects.get()
    assert closed["Location"] == f"{MANAGE}/pay/periods/{period.pk}"
    statements = {
        statement.person.login: statement
        for statement in PayStatement.objects.select_related("person")
    }
    assert {*statements} == {*PERTURBERS, *REVIEWERS, *JUDGES}
    expected = lines_by_hand(team)
    for login, statement in statements.items():
        entries = statement.entries.select_related(
            *("submission__sentence", "variant_check__review__sentence", "rating__item__sentence")
        )
        lines = sorted((str(entry.kind), entry.task[0], entry.amount) for entry in entries)
        assert lines == sorted(expected[login]), login
        assert statement.total == sum(amount for *_, amount in expected[login])
        page = team.at(login).get(f"{HERE}/pay/{statement.pk}").context
        assert len(page["lines"]) == len(lines)
    assert list(pay.recompute(team.project)) == []
    again = team.boss.form(f"{MANAGE}/pay/close", through=today + timedelta(days=1))
    assert again["Location"] != closed["Location"]
    assert PayStatement.objects.count() == len(statements), "nothing is paid twice"


def lines_by_hand(team: Team) -> dict[str, list[tuple[str, int, int]]]:
    """Kind, case and amount of each line, by what the team noted."""
    lines: dict[str, list[tuple[str, int, int]]] = defaultdict(list)
    judged: dict[str, Counter[str]] = defaultdict(Counter)
    for verdict in team.checked:
        judged[team.author(verdict.number, verdict.source)][verdict.decision] += 1
        lines[verdict.login].append(
            ("check", verdict.number, cents("check", team.words[verdict.number]))
        )
    for verdict in team.checked:
        if verdict.decision != "returned":
            login = team.author(verdict.number, verdict.source)
            share = Decimal(judged[login]["accepted"]) / judged[login].total()
            percent = 110 if share >= Decimal("0.95") else 90 if share >= Decimal("0.8") else 50
            amount = cents("perturbation", team.words[verdict.number], percent)
            lines[login].append(("perturbation", verdict.number, amount))
    for number in InspectionItem.objects.values_list("sentence__number", flat=True):
        for login in JUDGES:
            lines[login].append(("rating", number, cents("rating", team.words[number])))
    return lines


def cents(kind: str, words: int, quality: int = 100) -> int:
    length = 130 if words >= 16 else 115 if words >= 10 else 100
    exact = Decimal(RATES[kind]) * length * quality / 100
    return int(exact.quantize(Decimal(1), ROUND_HALF_EVEN))
