"""Combining outputs of systems, whatever form they have."""

from __future__ import annotations

from pathlib import Path

import pytest
from messages import expect_error

import gecbench
from gecbench.api.combine import Combination
from gecbench.api.options import PLAIN
from gecbench.core.edit import Edit
from gecbench.core.errors import CorpusError, ResourceError, UnknownNameError, UsageError
from gecbench.core.sample import Corpus, Rewrite, Sample, SystemOutput

ZH = ("我今天很 高心。", "他们因该去打蓝球。", "我昨天见面了他。")
FIXED = ("我今天很 高兴。", "他们应该去打篮球。", "我昨天和他见面了。")
EN = ("He go  to school .", "I has a apple .")


def corpus(texts=ZH, lang="zh") -> Corpus:
    samples = (Sample(str(n), text) for n, text in enumerate(texts, 1))
    return Corpus("dev", tuple(samples), lang)


def system(name: str, *texts: str) -> SystemOutput:
    return SystemOutput(name, {str(n): (Rewrite(t),) for n, t in enumerate(texts, 1)})


def system_with_edits(name: str, tokens: str, *edits: Edit) -> SystemOutput:
    rewrite = Rewrite(edit_sets=(edits,)) if edits else Rewrite(error_free=True)
    return SystemOutput(name, {"1": (rewrite,)}, {"1": tuple(tokens)})


def voted(data: Corpus, *outputs: SystemOutput, scheme="zh-char", **more) -> Combination:
    return gecbench.combine(data, outputs, voting=gecbench.Voting(**more), scheme=scheme)


@pytest.mark.parametrize("scheme", ["zh-char", PLAIN])
def test_copies_of_a_system_are_that_system(scheme):
    combination = voted(corpus(), *(system(name, *FIXED) for name in "abc"), scheme=scheme)
    assert combination.texts == FIXED
    assert (combination.tally.changed, combination.tally.sentences) == (3, 3)
    assert voted(corpus(), system("a", *FIXED), scheme=scheme).texts == FIXED


def test_a_majority_of_edits_is_kept():
    first_system = system("one", FIXED[0], "他们应该去打蓝球。", ZH[2])
    two = system("two", FIXED[0], "他们应该去打篮球。", FIXED[2])
    three = system("three", ZH[0], "他们因该去打篮球！", ZH[2])
    for scheme in ("zh-char", PLAIN):
        combination = voted(corpus(), first_system, two, three, scheme=scheme)
        assert combination.texts == (FIXED[0], FIXED[1], ZH[2])
        other = voted(corpus(), three, first_system, two, scheme=scheme)
        assert (other.texts, other.tally) == (combination.texts, combination.tally)


def test_a_threshold_that_decides_nothing_is_said():
    first, second = system("one", *FIXED), system("two", *FIXED)
    combination = voted(corpus(), first, second, thresholds={"S": 2, "order": 1, "QQ": 2})
    assert combination.notes == ("no edit is of type QQ, order; these thresholds decided nothing",)
    plain = voted(corpus(), first, second, thresholds={"R": 2}, scheme=PLAIN)
    assert plain.notes == ("no edit is of type R; its threshold decided nothing",)
    assert voted(corpus(), first, second, thresholds={"R": 2}).notes == ()


def test_weights_and_thresholds_are_by_name():
    first, second = system("one", *FIXED), system("two", *ZH)
    assert voted(corpus(), first, second).texts == ZH
    assert voted(corpus(), first, second, weights={"one": 2}).texts == FIXED
    assert voted(corpus(), first, second, threshold=1).texts == FIXED
    # Word order needs one of the two; it is a deletion and an insertion, kept or dropped together.
    moved = system("one", ZH[0], ZH[1], "昨天我见面了他。")
    assert voted(corpus(), moved, second, relaxed="code", spelling="sound").texts[2] == (
        "昨天我见面了他。"
    )
    assert voted(corpus(), moved, second, thresholds={"order": 1}).texts[2] == "昨天我见面了他。"
    assert voted(corpus(), moved, second, thresholds={"M": 1}).texts == ZH


def test_spelling_errors_need_fewer_votes():
    first_system = system("one", "我今天真 高兴。", "他们应该去打篮球。", ZH[2])
    two = system("two", *ZH)
    for scheme in ("zh-char", PLAIN):
        combination = voted(
            corpus(), first_system, two, relaxed="code", spelling="sound", scheme=scheme
        )
        assert combination.texts == (ZH[0], "他们因该去打篮球。", ZH[2])  # 蓝 and 篮 sound alike


def test_english_keeps_its_white_space_without_a_scheme():
    data = corpus(EN, "en")
    first_system = system("one", "He goes  to school .", "I have an apple .")
    two = system("two", "He goes  to school.", "I have a apple .")
    combination = voted(data, first_system, two, scheme=PLAIN)
    assert combination.texts == ("He goes  to school .", "I have a apple .")
    assert voted(data, two, two_named(two, "again"), scheme=PLAIN).texts == (
        "He goes  to school.",
        "I have a apple .",
    )
    noted = voted(data, first_system, two, scheme=PLAIN, relaxed="code")
    assert noted.notes == ("scheme none has no types: spelling errors are not told from others",)


def two_named(output: SystemOutput, name: str) -> SystemOutput:
    return SystemOutput(name, output.hypotheses, output.tokens)


def test_given_edits_need_no_scheme():
    tokens = "我去。"
    insertion, other = Edit(0, 0, ("今", "天"), "M"), Edit(0, 1, ("你",), "S")
    data = corpus((tokens,))
    outputs = [
        system_with_edits("one", tokens, insertion, other),
        system_with_edits("two", tokens, insertion),
        system_with_edits("three", tokens, other),
    ]
    combination = voted(data, *outputs, scheme=None)
    assert combination.texts == ("今天你去。",)
    assert combination.m2() == (
        "S 我 去 。\nT0-A0 今 天 你 去 。\nA 0 0|||M|||今 天|||REQUIRED|||-NONE-|||0\n"
        "A 0 1|||S|||你|||REQUIRED|||-NONE-|||0\n\n"
    )
    nothing = voted(data, *outputs, system_with_edits("four", tokens), scheme=None, threshold=4)
    assert (
        nothing.m2()
        == "S 我 去 。\nT0 没有错误\nA -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0\n\n"
    )
    (sample,) = combination.corpus.samples
    assert sample.references[0].edit_sets == ((insertion, other),)
    assert combination.corpus.provenance["rule"] == "votes: more than 1.5 of 3 votes"
    assert combination.corpus.provenance["systems"] == "one, two, three"


def test_edits_of_files_vote_with_extracted_ones_that_they_can_be_compared_with():
    data = corpus((ZH[0],))
    text = system("text", FIXED[0])
    tokens = "".join(ZH[0].split())
    same = system_with_edits("edits", tokens, Edit(5, 6, ("兴",), "S"))
    combination, alike = voted(data, text, same), voted(data, text, system("edits", FIXED[0]))
    assert (combination.texts, combination.tally, combination.notes) == (
        alike.texts,
        alike.tally,
        alike.notes,
    )
    words = system_with_edits("words", tokens, Edit(2, 3, ("高兴",), "S"))
    words = SystemOutput("words", words.hypotheses, {"1": ("我今天", "很", "高心", "。")})
    combination = voted(data, text, words)
    assert combination.texts == FIXED[:1]
    assert "extracted again, on both sides" in combination.notes[0]
    with expect_error(CorpusError, "words", "sentence '1'", "tokens"):
        gecbench.combine(data, [text, words], scheme="zh-char", re_extract=False)
    overlapping = system_with_edits("bad", tokens, Edit(0, 2, ()), Edit(1, 3, ()))
    with expect_error(CorpusError, "bad", "sentence '1'", "span 1 3"):
        voted(data, overlapping, scheme=None)


def test_edits_of_files_are_extracted_again_where_that_is_asked_for():
    tokens = "我去。"
    coarse = (Edit(0, 3, ("你", "去", "。"), "S"),)
    hypotheses = {"1": (Rewrite("你去。", edit_sets=(coarse,)),)}
    system_output = SystemOutput("one", hypotheses, {"1": tuple(tokens)})
    two = system("two", "你去。")
    data = corpus((tokens,))
    assert "A 0 3|||S|||你 去 。|||" in voted(data, system_output).m2()
    again = gecbench.combine(data, [system_output, two], scheme="zh-char", re_extract=True)
    assert again.texts == ("你去。",)
    assert "A 0 1|||S|||你|||" in again.m2()
    without_text = system_with_edits("edits", tokens, *coarse)
    again = gecbench.combine(data, [without_text], scheme="zh-char", re_extract=True)
    assert "A 0 1|||S|||你|||" in again.m2()


def test_what_takes_no_part_is_counted_and_said():
    tokens = "我去。"
    data = corpus((tokens,))
    detected = system_with_edits("detects", tokens, Edit(0, 1, None, "UNK"))
    several = SystemOutput("several", {"1": (Rewrite("你去。"), Rewrite("他去。"))})
    unannotatable = SystemOutput("gone", {"1": (Rewrite(unannotatable=True),)})
    combination = voted(data, detected, several, unannotatable, threshold=1, scheme=CHAR)
    assert combination.texts == ("你去。",)
    assert [note for note in combination.notes if ":" in note] == [
        "several: of several versions of 1 sentence the first votes",
        "gone: 1 sentence declared unannotatable: counted as unchanged",
        "detects: 1 sentence with errors detected, not corrected: no votes",
    ]


CHAR = gecbench.load_scheme("zh-char")


@pytest.mark.golden
def test_the_official_rule_loses_what_it_loses(shared: Path):
    tokens = "我去。"
    data = corpus((tokens,))
    system_output = system_with_edits(
        "one", tokens, Edit(0, 0, ("今",), "M"), Edit(0, 1, ("你",), "S")
    )
    places = gecbench.Places(mirror=shared / "data")
    voting = gecbench.Voting("mucgec-official", 1)
    combined = gecbench.combine(data, [system_output], voting=voting, places=places)
    assert combined.texts == ("你 去 。",)
    assert combined.m2().splitlines()[0] == "S 我 去 。"
    assert "T0" not in combined.m2()
    assert voted(data, system_output, scheme=None).texts == ("今你去。",)
    # A correction that is the letter W is taken for an edit of word order, so one vote is enough.
    letter = system_with_edits("letter", tokens, Edit(2, 3, ("W",), "S"))
    silent = system_with_edits("silent", tokens)
    voting = gecbench.Voting("mucgec-official", 2)
    combined = gecbench.combine(data, [letter, silent], voting=voting, places=places)
    assert combined.texts == ("我 去 W",)
    unannotatable = SystemOutput(
        "gone", {"1": (Rewrite(unannotatable=True),)}, {"1": tuple(tokens)}
    )
    combined = gecbench.combine(
        data, [unannotatable, two_named(unannotatable, "too")], voting=voting, places=places
    )
    assert combined.m2() == "S 我 去 。\nA -1 -1|||NA|||-NONE-|||REQUIRED|||-NONE-|||0\n\n"
    assert combined.texts == ("我 去 。",)


@pytest.mark.parametrize(
    ("more", "error", "message"),
    [
        ({"rule": "vote"}, UnknownNameError, "unknown rule 'vote'; did you mean votes"),
        ({"threshold": 3}, UsageError, "the threshold is 3, but all systems together have 2"),
        ({"threshold": "two"}, UsageError, "the threshold is 'two'; it must be a number above 0"),
        ({"weights": {"onn": 1}}, UnknownNameError, "unknown system of a weight: 'onn'"),
        ({"weights": {"one": 0}}, UsageError, "the weight of one is 0; it must be a number above"),
        ({"relaxed": "lax"}, UsageError, "the relaxed threshold is 'lax'; it is none, code, paper"),
        ({"rule": "mucgec-official"}, UsageError, "mucgec-official needs a threshold"),
        ({"rule": "mucgec-official", "threshold": "1.5"}, UsageError, "counts whole systems"),
    ],
)
def test_wrong_options_are_one_line(more, error, message):
    with pytest.raises(error, match=message) as caught:
        voted(corpus(), system("one", *ZH), system("two", *FIXED), **more)
    assert "\n" not in str(caught.value)


def test_outputs_that_do_not_fit_are_one_line(tmp_path: Path):
    with expect_error(UsageError, "both called a;"):
        voted(corpus(), system("a", *ZH), system("a", *ZH))
    with expect_error(CorpusError, "system a", "1 sentence", "'dev'", "3"):
        voted(corpus(), system("a", *ZH[:2]))
    with expect_error(UsageError, "no system"):
        voted(corpus())
    with expect_error(UsageError, "zh-char", "'zh'", "'en'"):
        voted(corpus(EN, "en"), system("a", *EN))
    with expect_error(UsageError, "scheme none", "M2"):
        voted(corpus(), system("a", *FIXED), scheme=PLAIN).m2()
    places = gecbench.Places(folder=tmp_path)
    with expect_error(ResourceError, "char_meta.txt", "'cherrant'"):
        gecbench.combine(
            corpus(),
            [system("a", *FIXED)],
            voting=gecbench.Voting(relaxed="code"),
            scheme="zh-char",
            places=places,
        )
