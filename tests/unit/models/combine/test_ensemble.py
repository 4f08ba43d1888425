"""Correctors that vote: "ensemble:FILE.toml"."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from corrector_checks import EN, ZH, check_corrector
from messages import expect_error

import gecbench.models as models
from gecbench.core.corrector import Correction, Corrector, CorrectorInfo, TextEdit
from gecbench.core.errors import FormatError, GecbenchError, UnknownNameError, UsageError
from gecbench.models import load_corrector
from gecbench.models.combine.ensemble import align_answer
from gecbench.models.text import edits_between

CLOSED: list[str] = []


class Replacing:
    """Replaces texts by others, as an option says."""

    def __init__(self, name: str, options: dict) -> None:
        self.options = dict(options)
        languages = tuple(self.options.pop("languages", ["zh"]))
        self.fails = self.options.pop("fails", "")
        self.flag = self.options.pop("flag", "")
        self.score = self.options.pop("score", None)
        signature = {"corrector": name, "table": repr(sorted(self.options.items()))}
        self.info = CorrectorInfo(name, "replacing", languages, "For tests.", signature, window=7)

    def correct(self, texts):
        if self.fails:
            raise GecbenchError(self.fails)
        return [self._one(text) for text in texts]

    def _one(self, text: str) -> Correction:
        result = text
        for old, new in self.options.items():
            result = result.replace(old, new)
        edits = tuple(
            TextEdit(e.start, e.end, e.replacement, self.score, "mine")
            for e in edits_between(text, result, tokens="zh")
        )
        return Correction(text, result, edits, flags=(self.flag,) if self.flag else ())

    def close(self) -> None:
        CLOSED.append(self.info.name)


def load(place: str, options) -> Corrector:
    if place == "broken":
        raise GecbenchError("the weights are gone")
    return Replacing(place, dict(options))


@pytest.fixture(autouse=True)
def table(monkeypatch: pytest.MonkeyPatch) -> None:
    CLOSED.clear()
    kinds = {**models.CORRECTORS, "replacing": f"{__name__}:load"}
    monkeypatch.setattr(models, "CORRECTORS", kinds)
    monkeypatch.setattr("gecbench.models.combine.ensemble.CORRECTORS", kinds)


@pytest.fixture
def plan(tmp_path: Path) -> Callable[..., str]:
    """Write an ensemble; return its specification."""

    def write(*members: str, head: str = "") -> str:
        body = "\n".join(f"[[members]]\n{member}\n" for member in members)
        (tmp_path / "six.toml").write_text(f"{head}\n{body}", encoding="utf-8")
        return f"ensemble:{tmp_path / 'six.toml'}"

    return write


def member(name: str, weight: float = 1, **options: str) -> str:
    table = ", ".join(f"{key!r} = {value!r}" for key, value in options.items())
    return f"corrector = 'replacing:{name}'\nweight = {weight}\noptions = {{ {table} }}"


def correct_text(spec: str, text: str, options=None) -> Correction:
    corrector = load_corrector(spec, options)
    try:
        (result,) = corrector.correct([text])
    finally:
        corrector.close()
    return result


ONE = member("one", 心="兴", 天="日")
TWO = member("two", 心="兴", 很="真")
THREE = member("three", 天="日")


def test_it_keeps_to_the_laws(plan):
    spec = plan(ONE, TWO, THREE)
    corrections = check_corrector(lambda: load_corrector(spec), [*ZH, *EN])
    assert corrections[0].text == "我今日很高兴。"
    assert CLOSED[:3] == ["three", "two", "one"]


def test_the_score_of_an_edit_is_its_share_of_the_votes(plan):
    corrections = correct_text(plan(ONE, member("two", 2, 心="兴")), "我今天很高心。")
    assert corrections.edits == (TextEdit(5, 6, "兴", 1.0, "mine"),)
    corrections = correct_text(plan(ONE, TWO, THREE), "我今天很高心。")
    assert [(e.start, e.replacement, round(e.score, 3)) for e in corrections.edits] == [
        (2, "日", 0.667),
        (5, "兴", 0.667),
    ]


def test_the_command_may_say_another_threshold(plan):
    spec = plan(ONE, TWO, THREE, head="threshold = 3")
    assert correct_text(spec, "我今天很高心。").text == "我今天很高心。"
    assert correct_text(spec, "我今天很高心。", {"threshold": "1"}).text == "我今日真高兴。"
    heard = plan(member("one", 再="在", 见="看"), member("two"), head='relaxed = "code"')
    assert correct_text(heard, "再不见").text == "在不见"
    assert correct_text(heard, "再不见", {"relaxed": "none"}).text == "再不见"
    assert correct_text(heard, "再不见", {"relaxed": "none", "threshold": "1"}).text == "在不看"
    with expect_error(UnknownNameError, "ensemble", "'treshold'"):
        load_corrector(spec, {"treshold": 1})


def test_surer_edits_win_where_votes_are_even(plan):
    sure = member("sure", 心="兴")[:-1] + ", score = 0.9 }"
    unsure = member("unsure", 心="新")[:-1] + ", score = 0.2 }"
    for pair in ((sure, unsure), (unsure, sure)):
        corrections = correct_text(plan(*pair, head="threshold = 1"), "高心")
        assert corrections.text == "高兴"


def test_members_mean_the_same_by_the_same_edit_whatever_they_call_it():
    whole = Correction("他很高心", "他很高兴", (TextEdit(0, 4, "他很高兴", 0.5, "all"),))
    exact = Correction("他很高心", "他很高兴", (TextEdit(3, 4, "兴", 0.8),))
    assert (
        align_answer(whole, "zh").edits[0].replacement
        == align_answer(exact, "zh").edits[0].replacement
    )
    assert align_answer(whole, "zh").scores == (0.5,)
    assert align_answer(whole, "zh").edits[0].label == "all"
    assert align_answer(exact, "zh").scores == (0.8,)
    added = Correction("他高", "他很高", (TextEdit(0, 1, "他很", 0.3),))
    assert align_answer(added, "zh").scores == (0.3,)


def test_flags_of_any_member_are_told(plan):
    flagged = member("slow")[:-1] + "flag = 'failed' }"
    corrections = correct_text(plan(ONE, TWO, flagged), "高心")
    assert (corrections.text, corrections.flags) == ("高兴", ("failed",))


def test_it_says_what_it_is(plan):
    info = load_corrector(plan(ONE, TWO, head="veto = true")).info
    assert (info.name, info.kind, info.languages, info.window) == ("six", "ensemble", ("zh",), 7)
    assert info.deterministic
    assert info.signature["rule"] == "votes: more than 1 of 2 votes; veto of unchanged"
    assert info.signature["replacing:one corrector"] == "one"
    assert info.signature["replacing:two weight"] == "1"
    assert (
        info.about == "2 correctors that vote on one another's edits: replacing:one, replacing:two."
    )
    other = load_corrector(plan(ONE, member("two", 2, 心="兴", 很="真"))).info
    assert other.signature != info.signature


def test_english_members_vote_on_words(plan):
    english = "corrector = 'replacing:{}'\noptions = {{ languages = ['en'], {} }}"
    spec = plan(
        english.format("one", "has = 'have', cat = 'dog'"), english.format("two", "has = 'have'")
    )
    assert correct_text(spec, "I has a cat").text == "I have a cat"
    assert load_corrector(spec).info.signature["tokens"] == "en"


def test_members_of_no_language_need_tokens_that_somebody_named(plan):
    members = [f"corrector = 'replacing:{name}'\noptions = {{ languages = [] }}" for name in "ab"]
    with expect_error(UsageError, "six.toml", "tokens"):
        load_corrector(plan(*members))
    named = load_corrector(plan(*members, head='tokens = "space"'))
    assert named.info.signature["tokens"] == "space"


def test_places_count_from_the_folder_of_the_file(plan, tmp_path: Path):
    (tmp_path / "near").mkdir()
    info = load_corrector(plan("corrector = 'replacing:near'\nname = 'a'")).info
    assert info.signature["a corrector"] == str(tmp_path / "near")


def test_a_member_that_fails_is_named_and_all_are_closed(plan):
    with expect_error(GecbenchError, "member replacing:broken", "six.toml", "the weights"):
        load_corrector(plan(ONE, member("broken")))
    assert CLOSED == ["one"]
    failing = member("late")[:-1] + "fails = 'no answer' }"
    with expect_error(GecbenchError, "member replacing:late", "no answer"):
        correct_text(plan(ONE, failing), "高心")
    with expect_error(GecbenchError, "member zh-homophon", "zh-homophone"):
        load_corrector(plan("corrector = 'zh-homophon'"))


@pytest.mark.parametrize(
    ("members", "head", "error", "message"),
    [
        ([], "members = []", FormatError, r"six.toml: members: there is none; add \[\[members\]\]"),
        ([ONE, ONE], "", FormatError, "two members are called 'replacing:one'; give each a name"),
        ([ONE], "rule = 'mucgec-official'", FormatError, "not for correctors that run.*combine"),
        ([ONE], "treshold = 2", FormatError, "unknown key .*'treshold'; did you mean threshold"),
        ([ONE], "threshold = 2", UsageError, "the threshold is 2, but all systems together have 1"),
        ([ONE], "threshold = -1", UsageError, "six.toml: the threshold is -1.0; it must be"),
        ([ONE], "relaxed = 'lax'", UsageError, "six.toml: relaxed is 'lax'; it is none, code, pap"),
        ([member("one", 0)], "", UsageError, "six.toml: the weight of replacing:one is 0"),
        (["corrector = 'ensemble:six.toml'"], "", FormatError, "is an ensemble itself; list its"),
        ([ONE + "\nwieght = 2"], "", FormatError, "unknown key .*'members.wieght'"),
        (
            [ONE, "corrector = 'replacing:x'\noptions = { languages = ['en'] }"],
            *("", UsageError),
            r"members correct different languages \(replacing:one: zh; replacing:x: en\); part",
        ),
    ],
)
def test_what_is_wrong_in_the_file_is_one_line(plan, members, head, error, message):
    with pytest.raises(error, match=message) as caught:
        load_corrector(plan(*members, head=head))
    assert "\n" not in str(caught.value)


def test_a_table_of_characters_tells_spelling_errors(plan, tmp_path: Path):
    """The shapes of 问 and 间 are alike in two of three parts, and so are the readings written."""
    rows = "U+1\t问\tabc;null\t⿵门口\nU+2\t间\tabd;null\t⿵门日\nU+3\t国\txyz;null\t⿴囗玉\n"
    (tmp_path / "char_meta.txt").write_text(rows, encoding="utf-8")
    head = 'relaxed = "code"\ncharacters = "char_meta.txt"'
    spec = plan(member("one", 问="间", 口="国"), member("two"), head=head)
    assert correct_text(spec, "问").text == "间"
    assert correct_text(spec, "口").text == "口"
    assert load_corrector(spec).info.signature["spelling"].startswith("shape and sound, char_meta")
    (tmp_path / "char_meta.txt").write_text("U+1 问\n", encoding="utf-8")
    with expect_error(FormatError, "char_meta.txt:1", "'U+1 问'"):
        correct_text(spec, "问")


def test_the_papers_ensemble_is_a_recipe(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    with expect_error(GecbenchError, "member tagger:runs/seq2edit-1/model", "mucgec-3"):
        load_corrector("ensemble:mucgec-3+3")
