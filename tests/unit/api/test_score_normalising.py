"""Changes made of corpora and outputs: texts, tokens and given edits alike."""

from __future__ import annotations

from unicodedata import unidata_version

import pytest
from messages import expect_error

from gecbench.api.options import Options
from gecbench.api.score import score
from gecbench.core.edit import Edit
from gecbench.core.errors import CorpusError, UnknownNameError
from gecbench.core.sample import Corpus, Rewrite, Sample, SystemOutput
from gecbench.lang.zh.char import scheme
from gecbench.scoring.texts import change_notes, normalise


def corpus(*samples: Sample) -> Corpus:
    return Corpus("dev", samples, "en", {"from": "x"})


def corpus_with(source: str, *edits: Edit, text: str | None = None, tokens: str = "") -> Corpus:
    """One sample, whose tokens stand between spaces, with a reference of these edits."""
    reference = Rewrite(text, edit_sets=(edits,))
    words = tuple((tokens or source).split(" "))
    return corpus(Sample("7", source, (reference,), tokens=words))


def edits_of(result: Corpus) -> tuple[Edit, ...]:
    return result.samples[0].references[0].edit_sets[0]


def lowered(corpus: Corpus) -> Corpus:
    return normalise(corpus, (), ["lower"])[0]


def test_sources_references_and_outputs_are_changed_in_the_order_of_the_names():
    references = (Rewrite("ＡＢ"), Rewrite(error_free=True), Rewrite("Ｃ　d", annotator="Ann"))
    single_corpus = corpus(Sample("1", "Ａ b", references, {"k": "Ｋ"}))
    system = SystemOutput("s", {"1": (Rewrite("Ｂ"), Rewrite("x"))})
    changed, systems, parts = normalise(single_corpus, (system,), ["halfwidth", "lower"])
    expected = (Rewrite("ab"), Rewrite(error_free=True), Rewrite("c d", annotator="Ann"))
    assert changed == corpus(Sample("1", "a b", expected, {"k": "Ｋ"}))
    assert systems == (SystemOutput("s", {"1": (Rewrite("b"), Rewrite("x"))}),)
    assert parts == {"normalise": "halfwidth+lower"}


def test_the_order_makes_a_difference():
    single_corpus = corpus(Sample("1", "ﬁ ´"))
    changed = [
        normalise(single_corpus, (), names)[0]
        for names in (["nfkc", "squeeze"], ["squeeze", "nfkc"])
    ]
    assert [corpus_changed.samples[0].source for corpus_changed in changed] == [
        "fi \u0301",
        "fi  \u0301",
    ]


def test_no_name_changes_nothing_and_says_nothing():
    corpus, systems = corpus_with("A", Edit(0, 1, ("B",))), (SystemOutput("s", {}),)
    changed, same, parts = normalise(corpus, systems, [])
    assert changed is corpus
    assert same is systems
    assert parts == {}


def test_tokens_replacements_and_alternatives_are_changed_one_by_one():
    edit = Edit(0, 1, ("X", "Y"), "R", (("Z",), ()))
    single_corpus = corpus_with(
        "A B", edit, Edit(1, 2, None, "UNK"), Edit(2, 2, (), "M"), text="X Y B"
    )
    sample = lowered(single_corpus).samples[0]
    assert (sample.source, sample.tokens) == ("a b", ("a", "b"))
    assert sample.references[0].text == "x y b"
    assert edits_of(corpus(sample)) == (
        Edit(0, 1, ("x", "y"), "R", (("z",), ())),
        Edit(1, 2, None, "UNK"),
        Edit(2, 2, (), "M"),  # it changed nothing before, either
    )


def test_edits_that_change_nothing_any_more_are_left_out():
    an_alternative = Edit(1, 2, ("b",), "R", (("c",),))
    corpus = lowered(corpus_with("A B", Edit(0, 1, ("a",)), an_alternative))
    assert edits_of(corpus) == (an_alternative,)


def test_edit_sets_that_become_equal_are_one_and_those_that_were_stay():
    upper, lower = (Edit(0, 1, ("B",)),), (Edit(0, 1, ("b",)),)
    both = Rewrite(edit_sets=(upper, lower))
    twice = Rewrite(edit_sets=(lower, lower))
    single_corpus = corpus(Sample("1", "a", (both, twice), tokens=("a",)))
    references = lowered(single_corpus).samples[0].references
    assert references == (Rewrite(edit_sets=(lower,)), twice)


def test_the_tokens_of_systems_are_changed_too():
    hypotheses = {
        "1": (Rewrite("X", edit_sets=((Edit(0, 1, ("X",)),),)),),
        "2": (Rewrite("A"),),
    }
    system = SystemOutput("s", hypotheses, {"1": ("A",)})
    _, (output,), _ = normalise(corpus(), (system,), ["lower"])
    assert output.tokens == {"1": ("a",)}
    assert output.hypotheses["1"] == (Rewrite("x", edit_sets=((Edit(0, 1, ("x",)),),)),)
    assert output.hypotheses["2"] == (Rewrite("a"),)


@pytest.mark.parametrize(
    ("names", "corpus", "message"),
    [
        (
            ["nfkc"],
            corpus_with("a ´", Edit(0, 1, ("b",))),
            f"nfkc(unicode {unidata_version}) makes ' \u0301' of the token '´'",
        ),
        (["squeeze"], corpus_with("\u2003 a", tokens="\u2003 a"), "squeeze makes ''"),
        (["nfkc"], corpus_with("a", Edit(0, 1, ("´",))), "of the token '´'"),
        (["nfkc"], corpus_with("a", Edit(0, 1, ("b",), None, (("´",),))), "of the token '´'"),
        (  # a phrase of OpenCC in a text, by characters in its tokens
            ["t2s"],
            corpus_with("乾坤", tokens="乾 坤"),
            "makes '乾坤' of a text and '干 坤'",
        ),
        (
            ["t2s"],
            corpus_with("坤", Edit(0, 0, ("乾",)), text="乾坤"),
            "makes '乾坤' of a text and '干 坤'",
        ),
        (
            ["nfc"],
            corpus_with("e\u0301", tokens="e \u0301"),
            "makes 'é' of a text and 'e \u0301' of",
        ),
        (["nfkc"], corpus_with("㈱a", tokens="㈱ a"), "makes '(株)a' of a text and '(株) a' of"),
        (
            ["t2s"],
            corpus_with("乾坤大", tokens="乾 坤大"),
            "makes '乾坤大' of a text and '干 坤大' of",
        ),
    ],
)
def test_what_would_part_texts_from_their_tokens_is_refused(names, corpus: Corpus, message: str):
    with pytest.raises(CorpusError) as error:
        normalise(corpus, (), names)
    assert message in str(error.value)
    assert str(error.value).startswith("sample '7': ")


def test_the_refusal_names_the_system():
    system = SystemOutput("mine", {"7": (Rewrite(edit_sets=((),)),)}, {"7": ("´",)})
    with expect_error(CorpusError, "mine", "sample '7'", "nfkc", "'´'"):
        normalise(corpus(), (system,), ["nfkc"])


@pytest.mark.parametrize(
    "corpus",
    [
        corpus_with("乾坤 大", tokens="乾坤 大"),
        corpus_with(
            "乾坤", Edit(0, 1, ("x",)), text="乾坤", tokens="别 的"
        ),  # unlike from the start
        corpus_with("大", Edit(0, 9, ("乾", "坤")), text="乾坤"),  # cannot be applied
        corpus(Sample("7", "乾坤", (Rewrite("乾坤"),))),
    ],
)
def test_what_was_not_so_before_is_no_reason_to_refuse(corpus: Corpus):
    changed = normalise(corpus, (), ["t2s"])[0]
    assert changed.samples[0].source == corpus.samples[0].source


def test_a_space_in_a_token_may_stay_and_change():
    single_corpus = corpus(Sample("1", "Ａ　Ｂ", tokens=("Ａ　Ｂ", "")))
    assert normalise(single_corpus, (), ["halfwidth"])[0].samples[0].tokens == ("A B", "")


def test_unknown_names_are_refused():
    with expect_error(UnknownNameError, "'Lower'"):
        normalise(corpus(), (), ["Lower"])


def test_what_was_changed_can_be_told():
    references = (Rewrite("ab"), Rewrite("Ab", edit_sets=((Edit(0, 1, ("Ab",)),),)))
    single_corpus = corpus(Sample("1", "AB", references, tokens=("ab",)), Sample("2", "´"))
    system = SystemOutput("s", {"1": (Rewrite("C"),), "2": (Rewrite("d"), Rewrite("e"))})
    changed, systems, _ = normalise(single_corpus, (system,), ["lower"])
    assert change_notes((single_corpus, (system,)), (changed, systems)) == [
        "normalising changed 1 of 2 sources, 1 of 2 references, 1 of 3 outputs of s",
        "edits that change nothing any more, or repeat another edit set, left out: 1",
    ]
    changed, systems, _ = normalise(single_corpus, (system,), ["nfkc"])
    assert change_notes((single_corpus, (system,)), (changed, systems)) == [
        "normalising changed 1 of 2 sources, 0 of 2 references, 0 of 3 outputs of s",
        "texts that normalising put white space into: 1",
    ]


def test_scores_are_of_the_changed_texts_and_say_so():
    corpus = Corpus("dev", (Sample("1", "這個ＡB", (Rewrite("那个AB"),)),), "zh")
    system = SystemOutput("s", {"1": (Rewrite("那個AB"),)})
    score_of = {}
    for names in ((), ("t2s", "halfwidth")):
        report = score(corpus, (system,), scheme=scheme(), options=Options(normalise=names))
        score_of[names] = report.results[0].score
    plain, changed = score_of.values()
    assert (plain.counts.tp, plain.counts.fp, plain.counts.fn) == (0, 2, 1)
    assert (changed.counts.tp, changed.counts.fp, changed.counts.fn) == (1, 0, 0)
    assert "normalise" not in plain.signature.parts
    normalise = changed.signature.parts["normalise"]
    assert normalise.startswith("t2s(opencc ")
    assert normalise.endswith(")+halfwidth")
