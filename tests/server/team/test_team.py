"""A team of bots drives a project through the whole loop; all figures equal an independent count.

Section 5.5: annotators with known weaknesses must reproduce known F0.5 values.
"""

from __future__ import annotations

import hashlib
import io
import json
from contextlib import redirect_stdout
from pathlib import Path

import pytest
from server.survival.conftest import database_of, run_cli
from server.team.log import NOT_ANNOTATABLE, distribution, table4, tallies
from server.team.project import SOURCES, Team, parts_of
from server.team.sentences import chinese, english

from gecbench.cli import main

FORMATS = ("mucgec", "jsonl", "m2", "submissions", "counts", "annotations", "sentences")
CASES = {
    "sqlite": ("zh", [chinese(n) for n in range(60)]),
    "postgresql": ("en", [english(n) for n in range(20)]),
}


@pytest.fixture(params=CASES)
def team(request, make_live):
    """A project of a real server in which all is done."""
    words = ["--workers", "2"]
    if request.param == "postgresql":
        words += ["--database", request.getfixturevalue("new_database")()]
    live = make_live(*words, GECBENCH_RATE_LIMITS="0")
    with live.rows():
        live.person("root", is_administrator=True)
    team_ = Team(live, *CASES[request.param])
    try:
        team_.begin()
        team_.work()
        team_.learn()
        yield team_
    finally:
        team_.close()


def gecbench(*words: object) -> str:
    """What a command wrote to its standard output, in this process; it must end well."""
    output, code = io.StringIO(), 0
    with redirect_stdout(output):
        try:
            main([*map(str, words)])
        except SystemExit as ended:
            code = int(ended.code or 0)
    assert code == 0, words
    return output.getvalue()


def released(team: Team, folder: Path) -> dict[str, Path]:
    """Make a release and save all its files; each has the hash that its page says."""
    boss = team.boss.visitor
    boss.get(f"{team.manage}/releases")
    fields = {"name": "v1", "note": "by bots"} | (
        {"schemes": "zh-char"} if team.lang == "zh" else {}
    )
    page = boss.post(f"{team.manage}/releases", fields)
    saved = {}
    for address in page.all(rf'href="({team.manage}/releases/\d+/[^"]+)"'):
        content = boss.get(address).body
        if address.endswith("/SHA256SUMS"):
            sums = content.decode()
            continue
        if address.endswith(".zip"):  # of the same files, as other tests show
            continue
        assert hashlib.sha256(content).hexdigest() in page.text, address
        path = folder / address.rpartition("/")[2]
        path.write_bytes(content)
        if not path.name.endswith("manifest.json"):
            saved[path.name] = path
    for name, path in saved.items():
        assert f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {name}\n" in sums
    return saved


def exported(team: Team, folder: Path) -> dict[str, Path]:
    """Download every format of export."""
    boss, saved = team.boss.visitor, {}
    for name in FORMATS:
        if name == "m2" and team.lang == "en":
            continue  # finds its edits with the extra "en", as the command line does below
        boss.get(f"{team.manage}/export?format={name}")
        fields = {"format": name} | ({"names": "yes"} if name == "submissions" else {})
        saved[name] = folder / f"export.{name}.jsonl"
        saved[name].write_bytes(boss.post(f"{team.manage}/export/download", fields).body)
    return saved


def statistics(team: Team) -> dict[str, object]:
    """What the page Quality shows, by the command line."""
    words = ("stats", team.slug, "--data", team.live.folder, "--format", "json")
    return json.loads(run_cli(*words, database=database_of(team.live)))


def test_the_release_and_every_score_equal_what_is_counted_by_hand(team, tmp_path):
    """STA-1, STA-2, STA-3, WFL-7, section 5.5."""
    happened(team)
    files = released(team, tmp_path)
    the_files_hold_the_golden_sets(team, files)
    exports = exported(team, tmp_path)
    figures = statistics(team)
    table_4(team, figures["table4"])
    table_4(team, references_of(team, files["v1.jsonl"]))
    everybodys_score(team, figures, files["v1.jsonl"], exports["submissions"])
    the_table_scores(team, files, tmp_path)
    run_cli("check", "--data", team.live.folder, database=database_of(team.live))


def happened(team: Team) -> None:
    """The loop was gone through in all its parts, so that what follows means something."""
    log, count = team.log, len(team.sentences)
    assert len(log.handed) == 3 * count + bool(log.events["#24"])
    assert {sentence.kind for sentence in team.sentences} == set(log.kinds.values())
    events = ["drafts", "mended"]
    if team.lang == "zh":  # sure by the numbers of the sentences, whoever gets which
        events += ["skipped", "complaints", "upheld", "#21"]
        events += ["dismissed", "restored", "modified", "asked whether free of errors"]
    assert [event for event in events if not log.events[event]] == []
    assert set(log.reviewed.values()) == {"rita", "ron"}
    for annotator in team.annotators:
        assert "Nothing is open" in annotator.visitor.get(annotator.path("study")).text


def the_files_hold_the_golden_sets(team: Team, files: dict[str, Path]) -> None:
    """MuCGEC's table and the parallel text hold just what reviewers and complaints decided."""
    endings = {name.removeprefix("v1") for name in files}
    assert {".tsv", ".jsonl", ".src", ".ref0"} <= endings
    assert (".zh-char.m2" in endings) is (team.lang == "zh")
    rows = [line.split("\t") for line in files["v1.tsv"].read_text("utf-8").splitlines()]
    literal = {"error_free": "没有错误", NOT_ANNOTATABLE: "无法标注"}
    assert len(rows) == len(team.sentences)
    for key, source, *texts in rows:
        known = team.book[source]
        assert key == f"s{known.number}"
        kind, golden = team.log.kinds[known.number], team.log.golden[known.number]
        expected = {known.text(edits) for edits in golden} or {literal[kind]}
        assert (set(texts), len(texts)) == (expected, len(expected)), key
    fit = [sentence.source for sentence in team.sentences if sentence.kind != NOT_ANNOTATABLE]
    assert files["v1.src"].read_text("utf-8").splitlines() == fit


SCHEMES = {"zh": "zh-char", "en": "en-errant"}


def references_of(team: Team, corpus: Path) -> dict[str, object]:
    """Table 4 of the released file by the analyses of the command line."""
    words = ("analyse", "references", corpus, "--by", "source", "--scheme", SCHEMES[team.lang])
    data = json.loads(gecbench(*words, "--format", "json"))
    counted = {row["references"]: row["erroneous"] for row in data["distribution"]}
    return {**data, "erroneous": counted}


def table_4(team: Team, figures: dict[str, object]) -> None:
    """Every number of Table 4, of each source and of all, and the distribution of references."""
    parts = {"all": team.sentences, **parts_of(team.sentences)}
    rows = {statistic["name"]: statistic for statistic in figures["statistics"]}
    assert set(rows) == {"all", *SOURCES}
    for name, part in parts.items():
        row, counted = rows[name], table4(team.log, list(part))
        assert row["sentences"] == counted.sentences
        assert row["discarded"] == counted.discarded
        assert row["erroneous"] == counted.erroneous
        assert row["characters"] == pytest.approx(counted.characters / counted.sentences)
        assert row["references"] == pytest.approx(counted.references / counted.sentences)
        assert row["edits"] == pytest.approx(counted.edits / counted.edited)
    shown = {int(key): count for key, count in dict(figures["erroneous"]).items() if count}
    assert shown == distribution(team.log)


def everybodys_score(
    team: Team, figures: dict[str, object], final: Path, submissions: Path
) -> None:
    """F0.5 of each annotator: the page, `analyse human` and the count by hand are the same."""
    words = ("analyse", "human", final, submissions, "--scheme", SCHEMES[team.lang])
    by_files = json.loads(gecbench(*words, "--format", "json"))["annotators"]
    by_hand = tallies(team.log)
    people = {person["name"]: person["score"] for person in figures["people"]}
    assert set(people) == {annotator.login.title() for annotator in team.annotators}
    assert {row["annotator"] for row in by_files} == set(people)
    for row in by_files:
        name = row["annotator"]
        mine, page = by_hand[name.lower()], people[name]
        (score,) = row["scores"].values()
        assert (row["scored"], row["kept"]) == (mine.scored, mine.kept + mine.given_up), name
        assert (page["scored"], page["kept"]) == (mine.scored, mine.kept)
        assert (page["tp"], page["fp"], page["fn"]) == (mine.tp, mine.fp, mine.fn), name
        assert page["value"] == pytest.approx(mine.f05)
        assert score["value"] == pytest.approx(mine.f05)
    best = by_hand["good"].f05
    assert best > by_hand["polishing"].f05
    assert best > by_hand["lazy"].f05


def the_table_scores(team: Team, files: dict[str, Path], folder: Path) -> None:
    """A system that writes the usual right texts gets 100 of the table; who changes nothing, 0."""
    table = files["v1.tsv" if team.lang == "zh" else "v1.jsonl"]  # MuCGEC's is for Chinese
    for fixed, value in ((True, 1.0), (False, 0.0)):
        output = folder / "output.txt"
        texts = [sentence.text(sentence.usual() if fixed else ()) for sentence in team.sentences]
        output.write_text("".join(f"{text}\n" for text in texts), "utf-8")
        words = ("score", table, output, "--scheme", SCHEMES[team.lang])
        (result,) = json.loads(gecbench(*words, "--format", "json"))["results"]
        fit = [sentence for sentence in team.sentences if sentence.kind != NOT_ANNOTATABLE]
        edits = sum(len(sentence.errors) for sentence in fit)
        assert (result["sentences"], result["value"]) == (len(fit), value)
        assert (result["tp"], result["fp"], result["fn"]) == (edits * fixed, 0, edits * (not fixed))
