"""The rule mucgec-official is MuCGEC's rule_ensemble and m2convertor, byte for byte."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from messages import expect_error

import gecbench
from gecbench.api.combine import Combination
from gecbench.api.verb_options import Voting
from gecbench.core.errors import UsageError
from gecbench.core.files import read_lines
from gecbench.core.sample import Corpus, SystemOutput
from gecbench.formats.m2 import fields_of
from gecbench.models.combine import voting as official
from gecbench.models.combine.candidates import Similar
from gecbench.models.combine.voting import by_shape_and_sound, by_sound

pytestmark = pytest.mark.golden

SHAPES = [("问", "间"), ("睛", "晴"), ("孩", "该")]
RUNS = [*[("six", 6, t) for t in range(1, 7)], ("two", 2, 1), ("two", 2, 2), ("three", 3, 2)]


@pytest.fixture(scope="module")
def folder(shared: Path) -> Path:
    return shared / "golden/cherrant/ensemble"


@pytest.fixture(scope="module")
def corpus(folder: Path) -> Corpus:
    return gecbench.load(folder / "sys1.para")


@pytest.fixture(scope="module")
def systems(folder: Path, corpus: Corpus) -> list[SystemOutput]:
    return [gecbench.load_system(folder / f"sys{k}.m2", corpus) for k in range(1, 7)]


@pytest.fixture(scope="module")
def similar(shared: Path) -> Similar:
    table = shared / "data/cherrant/char_meta.txt"
    return by_shape_and_sound(table, read_lines(table))


def combined(
    shared: Path, corpus: Corpus, systems: list[SystemOutput], threshold: int, **more: object
) -> Combination:
    return gecbench.combine(
        corpus,
        systems,
        voting=Voting("mucgec-official", threshold),
        places=gecbench.Places(mirror=shared / "data"),
        **more,
    )


@pytest.mark.parametrize(("name", "count", "threshold"), RUNS)
def test_edits_and_texts_are_the_official_ones(
    shared, folder, corpus, systems, name, count, threshold
):
    combination = combined(shared, corpus, systems[:count], threshold)
    assert combination.m2() == (folder / f"{name}.T{threshold}.m2").read_text("utf-8")
    want = (folder / f"{name}.T{threshold}.output").read_text("utf-8")
    assert "".join(f"{text}\n" for text in combination.texts) == want


def test_edits_that_are_found_in_texts_lead_to_the_same(shared, folder, corpus, make_cherrant):
    names = ("sys1", "sys2", "sys3")
    texts = [gecbench.load_system(folder / f"{name}.para", corpus) for name in names]
    combination = combined(shared, corpus, texts, 2, scheme=make_cherrant())
    assert combination.m2() == (folder / "three.T2.m2").read_text("utf-8")


def demo(shared: Path) -> dict[str, dict]:
    text = (shared / "golden/cherrant/ensemble_demo.json").read_text("utf-8")
    return json.loads(text)


def line_of(text: str) -> official.OfficialLine:
    head, label, correction, _ = fields_of(text)
    start, end = head[2:].split(" ")
    return official.OfficialLine(int(start), int(end), label, correction)


def test_edge_cases_are_the_official_ones(shared: Path, similar: Similar):
    tokens = "我们昨天去公园玩。"
    cases = demo(shared)
    assert len(cases) > 15
    for name, case in cases.items():
        lines = [[line_of(text) for text in system] for system in case["systems"]]
        outcome = official.combine_lines(tokens, lines, case["T"], similar)
        assert [str(line) for line in outcome.lines] == case["edits"], name
        assert official.convert_lines(tokens, outcome.lines) == case["text"], name


def test_the_faults_of_the_demonstration_are_mended_by_votes(shared: Path):
    """What the official program loses or mistakes, and the rule votes does not."""
    from gecbench.core.edit import Edit
    from gecbench.core.sample import Rewrite, Sample

    tokens = tuple("我们昨天去公园玩。")
    samples = Corpus("demo", (Sample("1", "".join(tokens)),), "zh")

    def text(name: str, threshold: int | None) -> str:
        outputs = []
        for k, lines in enumerate(demo(shared)[name]["systems"]):
            edits = tuple(
                Edit(
                    ln.start,
                    ln.end,
                    () if ln.correction == "-NONE-" else tuple(ln.correction.split(" ")),
                    ln.label,
                )
                for ln in map(line_of, lines)
                if ln.start >= 0
            )
            rewrite = Rewrite(edit_sets=(edits,)) if edits else Rewrite(error_free=True)
            outputs.append(SystemOutput(f"s{k}", {"1": (rewrite,)}, {"1": tokens}))
        combined = gecbench.combine(samples, outputs, voting=Voting(threshold=threshold))
        return combined.texts[0]

    assert text("insertion then substitution at 0 (converter loses insertion)", 1) == (
        "今天你们昨天去公园玩。"
    )
    assert text("insertion at 0 after substitution at 0 order", 1) == "今天你们昨天去公园玩。"
    assert text("earlier start beats more votes", 1) == "我门昨天去公园玩。"
    assert text("votes ignored at equal start: first-seen wins", 1) == "你们昨天去公园玩。"
    eight = "8 systems T=5: x has 6 votes, 2 noop (hard-coded 6: noop>1)"
    assert text(eight, 5) == "我们昨天到公园玩。"
    assert text("10 systems T=6: x has 9 votes, 1 noop (noop>0)", 6) == "我们昨天到公园玩。"
    assert text("2 systems T=2: W from one system", None) == "".join(tokens)


@pytest.mark.slow
def test_votes_keep_what_the_official_rule_keeps_where_it_has_no_fault(
    shared, corpus, systems, folder
):
    """Six systems, T = 4, relaxed as in the code; without its veto nine edits more are kept."""
    places = gecbench.Places(mirror=shared / "data")
    voting = Voting(threshold=4, relaxed="code", veto=True)
    ours = gecbench.combine(corpus, systems, voting=voting, places=places)
    theirs = (folder / "six.T4.output").read_text("utf-8").splitlines()
    assert ["".join(text.split()) for text in ours.texts] == [
        "".join(text.split()) for text in theirs
    ]
    without = gecbench.combine(
        corpus, systems, voting=Voting(threshold=4, relaxed="code"), places=places
    )
    assert without.tally.of("kept") == ours.tally.of("kept") + ours.tally.of("unchanged by most")
    assert ours.tally.of("unchanged by most") == 9


def test_what_the_table_of_characters_says(similar: Similar):
    sound = by_sound()
    for first, second in (("园", "圆"), ("在", "再"), ("高兴", "兴高"), ("他", "她")):
        assert similar(first, second)
        assert sound(first, second)
    for first, second in (("去", "不"), ("天", "地"), ("a", "b"), ("去", "a"), ("好的", "好")):
        assert not similar(first, second)
        assert not sound(first, second)
    for first, second in SHAPES:
        assert similar(first, second)
        assert not sound(first, second)


def test_other_options_than_the_threshold_are_refused(shared, corpus, systems):
    for option in ({"relaxed": "code"}, {"weights": {"sys1": 2}}, {"veto": True}):
        with expect_error(UsageError, "mucgec-official", "threshold"):
            gecbench.combine(corpus, systems, voting=Voting("mucgec-official", 4, **option))
    with expect_error(UsageError, "zh-cherrant", "zh-char"):
        combined(shared, corpus, systems, 4, scheme="zh-char")
