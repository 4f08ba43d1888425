"""Cases: work is shared between systems, and given edits are taken as they are."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from gecbench.core.edit import Edit
from gecbench.core.errors import CorpusError
from gecbench.core.sample import Corpus, Rewrite, Sample, SystemOutput
from gecbench.core.scheme import Extraction, Scheme
from gecbench.lang.zh.char import scheme
from gecbench.scoring.cases import Cases


class Spy:
    """zh-char, counting what it is asked."""

    def __init__(self, capped: tuple[str, ...] = ()) -> None:
        self.asked: Counter[tuple[str, ...]] = Counter()
        self.made = 0
        self.capped = capped
        self.plain = scheme()

    def __call__(self) -> Scheme:
        self.made += 1
        return replace(
            self.plain,
            parse_source=self._parse("source"),
            parse_target=self._parse("target"),
            extract=self._extract,
        )

    def _parse(self, side: str):
        def parse(text: str):
            self.asked[side, text] += 1
            return self.plain.parse_source(text)

        return parse

    def _extract(self, source, target) -> Extraction:
        self.asked["extract", source.text, target.text] += 1
        found = self.plain.extract(source, target)
        return replace(found, capped=target.text in self.capped)


def texts(*rewrites: str) -> tuple[Rewrite, ...]:
    return tuple(map(Rewrite, rewrites))


CORPUS = Corpus(
    "dev",
    (Sample("1", "我去了", texts("我去", "你去了")), Sample("2", "他来", texts("他来了", "他来"))),
)


def system(name: str, *rewrites: str) -> SystemOutput:
    return SystemOutput(name, {str(n): texts(text) for n, text in enumerate(rewrites, 1)})


def prepared(spy: Spy, corpus: Corpus = CORPUS, **options: int) -> Cases:
    cases = Cases(spy)
    cases.prepare(corpus, **options)
    return cases


def test_each_source_is_parsed_once_and_each_distinct_text_extracted_once():
    spy = Spy()
    cases = prepared(spy)
    outputs = [
        system("a", "我去", "他来啦"),
        system("b", "我去", "他来了"),
        system("c", "我", "他来啦"),
    ]
    for each in outputs:
        assert [case.id for case in cases.of(each)] == ["1", "2"]
    assert spy.asked["source", "我去了"] == spy.asked["source", "他来"] == 1
    extracted = {key[1:]: count for key, count in spy.asked.items() if key[0] == "extract"}
    assert set(extracted.values()) == {1}
    assert set(extracted) == {
        ("我去了", "我去"),
        ("我去了", "你去了"),
        ("我去了", "我"),
        ("他来", "他来了"),
        ("他来", "他来"),
        ("他来", "他来啦"),
    }


def test_cases_hold_the_edits_of_both_sides():
    cases = prepared(Spy())
    one, two = cases.of(system("a", "我去", "他来啦"))
    assert one.hypotheses[0].edits == one.references[0].edits == (Edit(2, 3, (), "R"),)
    assert one.references[1].edits == (Edit(0, 1, ("你",), "S"),)
    assert two.references[1].edits == ()
    assert cases.extracted
    assert not cases.given


def test_only_the_first_references_are_extracted():
    spy = Spy()
    cases = prepared(spy, max_references=1)
    (one, _) = cases.of(system("a", "我去了", "他来"))
    assert len(one.references) == 1
    assert ("extract", "我去了", "你去了") not in spy.asked


def test_more_edit_sets_than_are_listed_are_told_once_for_a_sentence():
    cases = prepared(Spy(capped=("他来了", "他来啦")))
    for text in ("他来了", "他来啦", "他来啦"):
        list(cases.of(system("a", "我去", text)))
    assert cases.capped == {"2"}


GIVEN = Rewrite("我去", edit_sets=((Edit(2, 3, (), "R"),), (Edit(1, 3, ("去",), "S"),)))
EDITED = Corpus("dev", (Sample("1", "我去了", (GIVEN,), tokens=tuple("我去了")),))


def test_given_edits_need_no_scheme_and_are_pooled():
    spy = Spy()
    cases = prepared(spy, EDITED)
    output = SystemOutput("a", {"1": (GIVEN,)}, {"1": tuple("我去了")})
    (case,) = cases.of(output)
    assert [edit.label for edit in case.references[0].edits] == ["R", "S"]
    assert case.hypotheses == case.references
    assert (spy.made, cases.given, cases.extracted) == (0, True, False)


def test_texts_can_be_held_against_given_edits_of_the_same_tokens():
    spy = Spy()
    cases = prepared(spy, EDITED)
    for text in ("我去", "我去"):
        (case,) = cases.of(system("a", text))
        assert case.hypotheses[0].edits == (Edit(2, 3, (), "R"),)
    assert spy.asked["source", "我去了"] == 1
    assert cases.given
    assert cases.extracted


def test_states_need_no_extraction():
    sample = Sample("1", "我", (Rewrite(error_free=True), Rewrite(unannotatable=True)))
    spy = Spy()
    cases = prepared(spy, Corpus("dev", (sample,)))
    (case,) = cases.of(SystemOutput("a", {"1": (Rewrite(error_free=True),)}))
    assert [version.unannotatable for version in case.references] == [False, True]
    assert case.hypotheses[0].edits == ()
    assert not any(key[0] == "extract" for key in spy.asked)


@pytest.mark.parametrize("given", [tuple("我去"), ("我", "去了"), ()])
def test_edits_in_other_tokens_are_refused(given: tuple[str, ...]):
    cases = prepared(Spy(), EDITED)
    output = SystemOutput("a", {"1": (GIVEN,)}, {"1": given})
    with pytest.raises(CorpusError, match="sentence '1': the edits on the two sides count in diff"):
        list(cases.of(output))


def test_texts_are_not_held_against_edits_in_words():
    words = Sample("1", "我去了", (GIVEN,), tokens=("我", "去了", "。"))
    cases = prepared(Spy(), Corpus("dev", (words,)))
    with pytest.raises(
        CorpusError, match=r"\('我 去了 。' and '我 去 了'\); give both sides as texts"
    ):
        list(cases.of(system("a", "我去")))


def test_a_sentence_without_reference_is_named():
    with pytest.raises(CorpusError) as error:
        prepared(Spy(), Corpus("dev", (Sample("7", "我"),)))
    assert str(error.value) == (
        "dev: sentence '7' has no reference; give a TSV, M2 or JSONL that has them, "
        "or text files with --reference"
    )


OVER = (Edit(0, 2, ("你",), "S"), Edit(1, 3, (), "R"))
TWICE = (Edit(2, 3, (), "R"), Edit(2, 3, (), "R"))


def with_golds(*references: Rewrite) -> Cases:
    cases = Cases(Spy(), needs=frozenset({"golds"}), segment=tuple)
    cases.prepare(Corpus("dev", (Sample("1", "我去了", references, {}, tuple("我去了")),), "zh"))
    return cases


def tokens_of(rewrite: Rewrite) -> tuple[str, ...]:
    cases = with_golds(Rewrite(edit_sets=(TWICE,)))
    (case,) = cases.of(SystemOutput("a", {"1": (rewrite,)}, {"1": tuple("我去了")}))
    return case.hypotheses[0].tokens


def test_an_output_whose_edit_stands_twice_has_the_text_that_it_says():
    assert tokens_of(Rewrite("我去", edit_sets=(TWICE,))) == ("我", "去")
    assert tokens_of(Rewrite("你们", edit_sets=(OVER,))) == ("你", "们")


def test_an_output_known_by_overlapping_edits_alone_is_named():
    with pytest.raises(
        CorpusError,
        match=r"^sample '1': edit span 1 3 overlaps edit span 0 2, so that no text can be made of "
        r"the edits; give the output of a as texts$",
    ):
        tokens_of(Rewrite(edit_sets=(OVER,)))


def test_a_reference_known_by_overlapping_edits_alone_has_no_text():
    cases = Cases(Spy(), needs=frozenset({"texts"}))
    sample = Sample("1", "我去了", (Rewrite(edit_sets=(OVER,)),), {}, tuple("我去了"))
    with pytest.raises(CorpusError, match="of the edits; score such references by m2 or sent-m2, "):
        cases.prepare(Corpus("dev", (sample,), "zh"))
