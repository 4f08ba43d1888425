"""Measures the annotation platform under load: real server processes, real HTTP, one scenario.

    python benchmarks/annotate/load.py --sentences 20000 --annotators 50 --seconds 60
    python benchmarks/annotate/load.py --sentences 100000 --database postgresql://me@localhost/x
    python benchmarks/annotate/load.py --sentences 20000 --think 0        # saturation
    python benchmarks/annotate/load.py --sentences 100000 --finished      # after months of work
    python benchmarks/annotate/load.py --annotators 50 --think 1 --only-load  # one table, quickly
    python benchmarks/annotate/load.py --annotators 50 --think 1 --only-load --perturb
    python benchmarks/annotate/load.py --database postgresql://me@localhost/x --hosts 2 \
        --annotators 200 --think 5 --only-load --restart  # hosts restarted one after the other

It makes a site of its own (on PostgreSQL a database of its own on the server of the URL, dropped
at the end), prints Markdown, and exits 1 where an answer was an error or `check` finds something.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import team
from clients import Clock, Person, Work, crowd
from place import Ended, Hosts, LoadError, Place, fresh_database, write_sentences

WARM_UP = 10
"""Seconds at the beginning whose requests are not in the table: connections open, files cached."""

TARGETS = {"work page": 150, "draft": 100, "submit and next": 100, "review page": 150}
TARGETS |= {"list of sentences": 200}
"""Milliseconds that 95 of 100 requests stay below, on a machine with nothing else to do."""

COSTS = {"work page": 8.0, "draft": 5.0, "submit and next": 10.0}
"""Milliseconds of CPU of one request; handing in is two acts, a submission and a claim."""


def options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--sentences", type=int, default=20_000)
    parser.add_argument("--annotators", type=int, default=50)
    parser.add_argument("--reviewers", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=60, help="after the warm-up")
    parser.add_argument("--think", type=float, default=2, help="seconds between drafts; 0: none")
    parser.add_argument("--workers", type=int, default=3)
    parser.add_argument("--database", default="", help="postgresql://...; else SQLite")
    parser.add_argument("--hosts", type=int, default=0, help="behind nginx; on PostgreSQL")
    parser.add_argument("--restart", action="store_true", help="each host in turn, meanwhile")
    parser.add_argument("--finished", action="store_true", help="all but 5000 are done already")
    parser.add_argument("--perturb", action="store_true", help="variants of cases, by zh-char")
    parser.add_argument("--folder", type=Path, help="keep the data folder and the log there")
    parser.add_argument("--only-load", action="store_true", help="no commands, nothing by itself")
    return parser.parse_args()


def main() -> int:
    """Measure one scenario."""
    arguments = options()
    if arguments.finished and arguments.database:
        sys.exit("load.py: --finished is for SQLite; leave --database out")
    if arguments.perturb and arguments.finished:
        sys.exit("load.py: --finished is for rewriting; leave --perturb out")
    if arguments.hosts and not (arguments.database and arguments.only_load):
        sys.exit("load.py: --hosts needs --database and --only-load")
    if arguments.restart and not arguments.hosts:
        sys.exit("load.py: --restart is for --hosts")
    print(
        f"{arguments.sentences} sentences, {3 * arguments.sentences} slots,"
        f" {arguments.annotators} annotators,"
    )
    print(f"{arguments.reviewers} reviewers, 1 manager, think time {arguments.think:g} s,")
    hosts = f"{arguments.hosts} hosts behind nginx, " if arguments.hosts else ""
    database = "PostgreSQL" if arguments.database else "SQLite"
    print(f"{database}, {hosts}{arguments.workers} workers{' each' if hosts else ''}.")
    print(f"Ten million additions in Python take {yardstick():.2f} s of CPU now.")
    with TemporaryDirectory() as temporary, fresh_database(arguments.database) as url:
        folder = (arguments.folder or Path(temporary)) / "site"
        folder.parent.mkdir(parents=True, exist_ok=True)
        place = Place(folder, url, arguments.workers)
        place = Hosts(place, arguments.hosts) if arguments.hosts else place
        try:
            return measure(place, arguments)
        finally:
            place.stop()


def yardstick() -> float:
    """Return the CPU of a fixed piece of work: it grows where others press the same cores."""
    began = time.process_time()
    total = 0
    for n in range(10_000_000):
        total += n
    return time.process_time() - began


def measure(place: Place, arguments: argparse.Namespace) -> int:
    """Seed, work, look at what each request costs, and check."""
    table("Seeding", "job", COMMAND)
    seed(place, arguments)
    if arguments.finished:
        finish(place, arguments)
    cold = [place.start()]
    place.stop()
    cold.append(place.start())
    row("cold start to first answer", f"{cold[0]:.1f}", "", "", f"< 3 s; again {cold[1]:.1f} s")
    clock = Clock()
    clock.retries = [] if arguments.hosts else None
    work(place, arguments, clock)
    if not arguments.only_load and not arguments.perturb:
        each_alone(place, clock)
    print(f"\nMemory of all server processes: {place.memory():.0f} MB.")
    place.stop()
    table("Afterwards", "job", COMMAND)
    job(place, "check", "< 60 s", "check", "--data", place.folder)
    if place.database:
        clock.errors += lost(place.database, clock)
    if not arguments.only_load and not arguments.perturb:
        commands(place, arguments)
    for error in clock.errors[:10]:
        print(f"error: {error}", file=sys.stderr)
    print(f"\n{len(clock.errors)} errors.")
    return 1 if clock.errors else 0


def lost(database: str, clock: Clock) -> list[str]:
    """What was acknowledged and is not in the database, or is there and was not acknowledged."""
    import psycopg

    with psycopg.connect(database) as opened:
        keys = {str(key) for (key,) in opened.execute("SELECT client_key FROM submission")}
        drafts = set(opened.execute("SELECT slot_id, rev FROM draft_revision").fetchall())
    print(
        f"\n{len(clock.submissions)} submissions and {len(clock.drafts)} drafts were acknowledged;"
        f" {len(clock.submissions - keys)} and {len(clock.drafts - drafts)} of them are lost,"
        f" {len(keys - clock.submissions)} submissions are there that nobody was told of."
    )
    wrong = [f"lost: submission {key}" for key in clock.submissions - keys]
    wrong += [f"lost: draft {draft}" for draft in clock.drafts - drafts]
    return wrong + [f"not acknowledged: {key}" for key in keys - clock.submissions]


def commands(place: Place, arguments: argparse.Namespace) -> None:
    """Compute statistics and export."""
    if arguments.finished:
        job(place, "stats, computed again", "", "stats", team.SLUG, "--data", place.folder)
    for kind in ("sentences", "annotations", *(["mucgec", "jsonl"] if arguments.finished else [])):
        out = place.folder.parent / f"out.{kind}"
        words = ("--project", team.SLUG, "--to", kind, "-o", out, "--data", place.folder)
        job(place, f"export {kind}", "< 60 s, < 200 MB", "export", *words)


COMMAND = ("wall s", "CPU s", "peak MB", "target, load average")


def table(title: str, *columns: object) -> None:
    """Begin a table."""
    print(f"\n{title}\n")
    names = [
        column for some in columns for column in (some if isinstance(some, tuple) else (some,))
    ]
    print(f"| {' | '.join(names)} |\n|---|{'--:|' * (len(names) - 1)}", flush=True)


def row(*cells: object) -> None:
    """Print a row of a table."""
    print(f"| {' | '.join(map(str, cells))} |", flush=True)


def job(place: Place, name: str, target: str, *words: object) -> Ended:
    """Run a command of the platform and print what it cost."""
    done = place.gecbench(*map(str, words))
    notes = (
        f"{target}; load {os.getloadavg()[0]:.1f}" if target else f"load {os.getloadavg()[0]:.1f}"
    )
    row(name, f"{done.wall:.1f}", f"{done.cpu:.1f}", f"{done.peak:.0f}", notes)
    return done


def seed(place: Place, arguments: argparse.Namespace) -> None:
    """Make the site, its people and its sentences."""
    job(place, "init", "", "init", place.folder)
    template = "robustgec" if arguments.perturb else "mucgec"
    people = (arguments.annotators, arguments.reviewers)
    place.python(Path(__file__).with_name("team.py"), place.folder, *people, template)
    text = place.folder.parent / ("cases.tsv" if arguments.perturb else "sentences.txt")
    write_sentences(text, arguments.sentences, wrong=arguments.perturb)
    words = ("--project", team.SLUG, "--data", place.folder)
    words += ("--scheme", "zh-char") if arguments.perturb else ()
    job(place, f"import {arguments.sentences} sentences", "< 60 s", "import", text, *words)


SAMPLED = 20
"""Seconds in which people make the sentences that the finished ones are like."""
LEFT, REVISIONS = 5000, 4
"""Sentences that stay open with `--finished`, and revisions of each draft."""


def finish(place: Place, arguments: argparse.Namespace) -> None:
    """Let people do some sentences, and make the others like them."""
    place.start()
    doing = Work(place.port, Clock(), 0)
    threads = crowd(doing, team.logins(arguments.annotators, arguments.reviewers))
    for thread in threads:
        thread.start()
    time.sleep(SAMPLED)
    doing.stopping.set()
    for thread in threads:
        thread.join(120)
    place.stop()
    done = place.python(Path(__file__).with_name("finished.py"), place.folder, REVISIONS, LEFT)
    row("finish by copies", f"{done.wall:.0f}", f"{done.cpu:.0f}", f"{done.peak:.0f}", "")
    print(f"<!-- {done.output.strip()} -->")


@contextmanager
def counting(place: Place) -> Iterator[list[float]]:
    """Yield a list that holds seconds of CPU and of the clock at the end."""
    numbers: list[float] = []
    cpu, began, own = place.cpu(), time.monotonic(), time.process_time()
    yield numbers
    numbers += [place.cpu() - cpu, time.monotonic() - began, time.process_time() - own]


def work(place: Place, arguments: argparse.Namespace, clock: Clock) -> None:
    """Let everybody work, and print how long their requests took."""
    doing = Work(place.port, clock, arguments.think)
    threads = crowd(doing, team.logins(arguments.annotators, arguments.reviewers))
    for thread in threads:
        thread.start()
    time.sleep(WARM_UP)
    clock.since = time.monotonic()
    with counting(place) as spent:
        if isinstance(place, Hosts) and arguments.restart:
            time.sleep(arguments.seconds / 4)
            place.restart(arguments.seconds / 8)
        time.sleep(max(0, clock.since + arguments.seconds - time.monotonic()))
    measured = {kind: list(times) for kind, times in clock.times.items()}
    doing.stopping.set()
    for thread in threads:
        thread.join(120)
    load = os.getloadavg()[0]
    if clock.retries is not None:
        print(f"\n{len(clock.retries)} requests were sent again: {Counter(clock.retries)}")
    requests = [
        seconds for kind, times in measured.items() if kind != "review page" for seconds in times
    ]
    table(f"Requests of {spent[1]:.0f} s (load average {load:.1f})", "kind", TIMES)
    for kind, times in sorted(measured.items()):
        if times and not kind.startswith(("sign", "review, asked")):
            print_times(kind, times)
    print_times("all", requests)
    print(
        f"\n{len(requests) / spent[1]:.0f} requests/s, {len(clock.errors)} errors, "
        f"{1000 * spent[0] / len(requests):.1f} ms of server CPU per request, "
        f"{100 * spent[0] / spent[1]:.0f} % of one core; the clients took"
        f" {1000 * spent[2] / len(requests):.1f} ms per request,"
        f" {100 * spent[2] / spent[1]:.0f} % of one core."
    )


TIMES = ("requests", "p50 ms", "p95 ms", "p99 ms", "max ms", "target of p95")


def print_times(kind: str, times: Sequence[float]) -> None:
    """Print how long requests of a kind took."""
    ordered = sorted(times)
    quantiles = [ordered[int(len(ordered) * q)] for q in (0.5, 0.95, 0.99)] + [ordered[-1]]
    target = f"< {TARGETS[kind]}" if kind in TARGETS else ""
    row(kind, len(times), *(f"{1000 * seconds:.0f}" for seconds in quantiles), target)


def each_alone(place: Place, clock: Clock) -> None:
    """Send one request after the other while nobody else works: CPU by kind of request."""
    quiet = Work(place.port, Clock(), 0)
    me, reviewer = quiet.person("annotator0"), quiet.person("reviewer0")
    boss = quiet.person(team.MANAGER)
    held: dict[str, Any] = {"task": quiet.task(me), "path": f"/p/{team.SLUG}/manage/sentences"}

    def page() -> None:
        held["task"] = quiet.task(me)

    def draft() -> None:
        rev = held["task"]["draft"]["rev"] if held["task"]["draft"] else 0
        _draft(me, held["task"], held.get("rev") or rev, held)

    def submit() -> None:
        held["task"] = quiet.submit(me, held["task"])

    def listed() -> None:
        held["path"] = quiet.list_page(boss, held["path"])

    def review() -> None:
        data = quiet.review_page(reviewer)
        if data is not None:
            quiet.decide(reviewer, data)

    table(f"One at a time (load average {os.getloadavg()[0]:.1f})", "kind", ALONE)
    print_cost(place, "draft", 200, draft)
    print_cost(place, "work page", 100, page)
    print_cost(place, "submit and next", 60, submit)
    print_cost(place, "list of sentences", 60, listed)
    print_cost(place, "review page and decision", 30, review)
    clock.errors += quiet.clock.errors


ALONE = ("requests", "ms of server CPU", "mean ms", "target of CPU")


def _draft(me: Person, task: Any, rev: int, held: dict[str, Any]) -> None:
    body = {"rev": rev, "payload": {"decision": "corrected", "texts": [f"{task['text']}{rev}"]}}
    status, answer = me.ask("draft", "PUT", task["draftUrl"], body)
    held["rev"] = json.loads(answer)["rev"] if status == 200 else rev


def print_cost(place: Place, kind: str, times: int, act: Callable[[], None]) -> None:
    """Print what a request costs that nobody else is in the way of."""
    for _ in range(6):  # every worker has its templates compiled
        act()
    with counting(place) as spent:
        for _ in range(times):
            act()
    cost = f"{1000 * spent[0] / times:.1f}"
    row(
        kind,
        times,
        cost,
        f"{1000 * spent[1] / times:.1f}",
        f"< {COSTS[kind]:g}" if kind in COSTS else "",
    )


if __name__ == "__main__":
    try:
        sys.exit(main())
    except LoadError as error:
        sys.exit(f"load.py: {error}")
