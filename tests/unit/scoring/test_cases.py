"""Edits: each pair of texts is extracted once, and edits of files are used where they can be."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from messages import expect_error

from gecbench.core.case import Case
from gecbench.core.edit import Edit
from gecbench.core.errors import CorpusError
from gecbench.core.sample import Corpus, Rewrite, Sample, SystemOutput
from gecbench.core.scheme import Extraction, Scheme
from gecbench.lang.zh.char import scheme
from gecbench.scoring.cases import Cases, make_cases
from gecbench.scoring.extractor import CorpusEdits, Extractor
from gecbench.scoring.run import first_references


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
        extraction = self.plain.extract(source, target)
        return replace(extraction, capped=target.text in self.capped)


def texts(*rewrites: str) -> tuple[Rewrite, ...]:
    return tuple(map(Rewrite, rewrites))


CORPUS = Corpus(
    "dev",
    (Sample("1", "我去了", texts("我去", "你去了")), Sample("2", "他来", texts("他来了", "他来"))),
)


def system(name: str, *rewrites: str) -> SystemOutput:
    return SystemOutput(name, {str(n): texts(text) for n, text in enumerate(rewrites, 1)})


def cases(spy: Spy, corpus: Corpus, *systems: SystemOutput, **more: object) -> Cases:
    needs = frozenset(more.pop("needs", {"edits"}))
    corpus = first_references(corpus, more.pop("max_references", None))
    return make_cases(corpus, systems, needs, Extractor(spy), **more)


def case(spy: Spy, corpus: Corpus, system: SystemOutput, **more: object) -> Case:
    return cases(spy, corpus, system, **more).by_system[system.system][0]


def extracted(
    corpus: Corpus, *systems: SystemOutput, re_extract: bool | None = None, spy: Spy | None = None
) -> CorpusEdits:
    return Extractor(spy or Spy(), re_extract).extract(corpus, systems)


def test_each_source_is_parsed_once_and_each_distinct_text_extracted_once():
    spy = Spy()
    outputs = [
        system("a", "我去", "他来啦"),
        system("b", "我去", "他来了"),
        system("c", "我", "他来啦"),
    ]
    by_system = cases(spy, CORPUS, *outputs).by_system
    assert [[sentence_case.id for sentence_case in by_system[name]] for name in by_system] == [
        ["1", "2"]
    ] * 3
    assert spy.made == spy.asked["source", "我去了"] == spy.asked["source", "他来"] == 1
    pairs = {key[1:]: count for key, count in spy.asked.items() if key[0] == "extract"}
    assert set(pairs.values()) == {1}
    assert set(pairs) == {
        ("我去了", "我去"),
        ("我去了", "你去了"),
        ("我去了", "我"),
        ("他来", "他来了"),
        ("他来", "他来"),
        ("他来", "他来啦"),
    }


def test_cases_hold_the_edits_of_both_sides():
    new_cases = cases(Spy(), CORPUS, system("a", "我去", "他来啦"))
    first, second = new_cases.by_system["a"]
    assert first.hypotheses[0].edits == first.references[0].edits == (Edit(2, 3, (), "R"),)
    assert first.references[1].edits == (Edit(0, 1, ("你",), "S"),)
    assert second.references[1].edits == ()
    assert new_cases.edits is not None
    assert (new_cases.edits.extracted, new_cases.edits.from_files) == (True, False)


def test_only_the_first_references_are_extracted():
    spy = Spy()
    single_case = case(spy, CORPUS, system("a", "我去了", "他来"), max_references=1)
    assert len(single_case.references) == 1
    assert ("extract", "我去了", "你去了") not in spy.asked


def test_more_edit_sets_than_are_listed_are_told_once_for_a_sentence():
    spy = Spy(capped=("他来了", "他来啦"))
    outputs = [
        system(name, "我去", text)
        for name, text in (("a", "他来了"), ("b", "他来啦"), ("c", "他来"))
    ]
    assert extracted(CORPUS, *outputs, spy=spy).capped == {"2"}


ALTERNATIVES = Rewrite("我去", edit_sets=((Edit(2, 3, (), "R"),), (Edit(1, 3, ("去",), "S"),)))
EDITED = Corpus("dev", (Sample("1", "我去了", (ALTERNATIVES,), tokens=tuple("我去了")),))


def test_edits_on_both_sides_need_no_scheme_and_are_pooled():
    spy = Spy()
    output = SystemOutput("a", {"1": (ALTERNATIVES,)}, {"1": tuple("我去了")})
    single_case = case(spy, EDITED, output)
    assert [edit.label for edit in single_case.references[0].edits] == ["R", "S"]
    assert single_case.hypotheses == single_case.references
    assert spy.made == 0


def test_edits_of_a_file_that_are_like_the_schemes_stay_beside_extracted_ones():
    corpus_edits = extracted(EDITED, system("a", "我去"))
    assert corpus_edits.corpus.samples[0].references == (ALTERNATIVES,)
    assert corpus_edits.systems[0].hypotheses["1"][0].edit_sets == ((Edit(2, 3, (), "R"),),)
    assert (corpus_edits.from_files, corpus_edits.extracted, corpus_edits.warning) == (
        True,
        True,
        None,
    )


def annotated(label: str | None = "Mec", tokens: str = "我去了", **provenance: str) -> Corpus:
    rewrite = Rewrite("我去", edit_sets=((Edit(1, 3, ("去",), label),),))
    sample = Sample("1", "我去了", (rewrite,), tokens=tuple(tokens))
    return Corpus("dev", (sample,), "zh", provenance)


@pytest.mark.parametrize(
    ("corpus", "why"),
    [
        (annotated(), "of types as Mec"),
        (annotated(None), "of types as none"),
        (annotated("S", "我去吧"), "in other tokens, as in sentence '1'"),
        (annotated("S", scheme="zh-cherrant"), "made by zh-cherrant"),
        (annotated("S", scheme="zh-char", spans="annotators"), "with the spans of annotators"),
    ],
)
def test_edits_of_others_are_extracted_again_on_both_sides_unless_that_is_forbidden(
    corpus: Corpus, why: str
):
    again = extracted(corpus, system("a", "我去"))
    assert again.corpus.samples[0].references[0].edit_sets == ((Edit(2, 3, (), "R"),),)
    assert again.corpus.samples[0].tokens == tuple("我去了")
    assert (again.from_files, again.extracted) == (False, True)
    assert again.warning is not None
    assert why in again.warning
    if "tokens" not in why:
        corpus_edits = extracted(corpus, system("a", "我去"), re_extract=False)
        assert corpus_edits.corpus.samples[0].references == corpus.samples[0].references
        assert (corpus_edits.from_files, corpus_edits.extracted) == (True, True)
        assert corpus_edits.warning is not None
        assert why in corpus_edits.warning


def test_a_side_of_hypotheses_is_extracted_again_likewise():
    people = SystemOutput("a", {"1": annotated().samples[0].references}, {"1": tuple("我去了")})
    corpus = Corpus("dev", (Sample("1", "我去了", texts("我去")),), "zh")
    corpus_edits = extracted(corpus, people)
    assert corpus_edits.systems[0].hypotheses["1"][0].edit_sets == ((Edit(2, 3, (), "R"),),)
    assert corpus_edits.warning is not None


def test_all_edits_are_extracted_again_where_that_is_asked_for():
    output = SystemOutput("a", {"1": (ALTERNATIVES,)}, {"1": tuple("我去了")})
    corpus_edits = extracted(EDITED, output, re_extract=True)
    assert corpus_edits.corpus.samples[0].references[0].edit_sets == ((Edit(2, 3, (), "R"),),)
    assert corpus_edits.systems[0].hypotheses["1"][0].edit_sets == ((Edit(2, 3, (), "R"),),)
    assert (corpus_edits.from_files, corpus_edits.warning) == (False, None)


def zh_char_with(option: str) -> Scheme:
    return replace(
        scheme(), signature={"scheme": "zh-char", "merging": option}, defaults={"merging": "rules"}
    )


@pytest.mark.parametrize(
    ("provenance", "option", "again"),
    [
        ({}, "rules", False),
        ({}, "all-split", True),
        ({"scheme": "zh-char", "merging": "all-split"}, "all-split", False),
        ({"scheme": "zh-char", "merging": "all-split"}, "rules", True),
        ({"scheme": "zh-char"}, "all-split", True),
        ({"scheme": "zh-char"}, "rules", False),
    ],
)
def test_edits_are_not_the_schemes_own_unless_its_options_are_those_of_the_file(
    provenance: dict[str, str], option: str, again: bool
):
    corpus = replace(EDITED, provenance=provenance)
    edits = Extractor(lambda: zh_char_with(option)).extract(corpus, [system("a", "我去")])
    assert edits.from_files is not again
    assert bool(edits.warning) is again


PEOPLE = SystemOutput("a", {"1": annotated().samples[0].references}, {"1": tuple("我去了")})
"""A system whose edits have the types of people."""


def test_edits_of_files_without_a_common_type_are_extracted_again_on_both_sides():
    edits = extracted(EDITED, PEOPLE)
    assert edits.systems[0].hypotheses["1"][0].edit_sets == ((Edit(2, 3, (), "R"),),)
    assert (edits.from_files, edits.extracted) == (False, True)
    assert edits.warning is not None
    assert "of types as Mec" in edits.warning
    assert "--no-re-extract" in edits.warning


def test_a_system_has_the_same_edits_whether_another_has_a_text_or_not():
    alone, beside = extracted(EDITED, PEOPLE), extracted(EDITED, PEOPLE, system("b", "我去"))
    assert alone.systems[0] == beside.systems[0]
    assert alone.corpus == beside.corpus


def test_edits_of_files_without_a_common_type_can_be_compared_as_they_are():
    spy = Spy()
    edits = extracted(EDITED, PEOPLE, spy=spy, re_extract=False)
    assert (spy.made, edits.from_files, edits.extracted) == (0, True, False)
    assert edits.warning is not None
    assert "no type in common with those of a" in edits.warning


def test_edits_of_the_scheme_stay_though_few_share_no_type():
    inserted = Rewrite("我们去了", edit_sets=((Edit(1, 1, ("们",), "M"),),))
    edits = extracted(EDITED, SystemOutput("a", {"1": (inserted,)}, {"1": tuple("我去了")}))
    assert (edits.from_files, edits.extracted, edits.warning) == (True, False, None)


def test_what_is_only_detected_changes_no_text_and_stays_among_extracted_edits():
    detected = Edit(0, 1, None, "Um", (("你",),))
    rewrite = Rewrite(edit_sets=((Edit(2, 3, (), "X"), detected),))
    corpus = Corpus("dev", (Sample("1", "我去了", (rewrite,), tokens=tuple("我去了")),))
    corpus_edits = extracted(corpus, system("a", "我去"))
    assert corpus_edits.corpus.samples[0].references[0].edit_sets == (
        (replace(detected, label="UNK"), Edit(2, 3, (), "R")),
    )


def test_states_need_no_extraction():
    sample = Sample("1", "我", (Rewrite(error_free=True), Rewrite(unannotatable=True)))
    spy = Spy()
    output = SystemOutput("a", {"1": (Rewrite(error_free=True),)})
    single_case = case(spy, Corpus("dev", (sample,)), output)
    assert [version.unannotatable for version in single_case.references] == [False, True]
    assert single_case.hypotheses[0].edits == ()
    assert single_case.edit_tokens == ("我",)
    assert not any(key[0] == "extract" for key in spy.asked)


@pytest.mark.parametrize("tokens", [tuple("我去"), ("我", "去了"), ()])
def test_edits_in_other_tokens_are_refused(tokens: tuple[str, ...]):
    output = SystemOutput("a", {"1": (ALTERNATIVES,)}, {"1": tokens})
    with expect_error(CorpusError, "a", "sentence '1'", "tokens"):
        case(Spy(), EDITED, output)


def test_edits_that_overlap_are_refused():
    corpus = Corpus(
        "dev", (Sample("1", "我去了", (Rewrite(edit_sets=(OVER,)),), {}, tuple("我去了")),)
    )
    with expect_error(CorpusError, "dev", "sentence '1'", "span 1 3", "span 0 2"):
        extracted(corpus)
    with expect_error(CorpusError, "sentence '1'", "span 1 3", "no text"):
        extracted(corpus, re_extract=True)


def test_a_sentence_without_reference_is_named():
    with expect_error(CorpusError, "dev", "sentence '7'", "no reference"):
        cases(Spy(), Corpus("dev", (Sample("7", "我"),)))


OVER = (Edit(0, 2, ("你",), "S"), Edit(1, 3, (), "R"))
TWICE = (Edit(2, 3, (), "R"), Edit(2, 3, (), "R"))


def with_golds(rewrite: Rewrite, *references: Rewrite, spy: Spy | None = None) -> Case:
    sample = Sample("1", "我去了", references, {}, tuple("我去了"))
    output = SystemOutput("a", {"1": (rewrite,)}, {"1": tuple("我去了")})
    corpus = Corpus("dev", (sample,), "zh")
    return case(spy or Spy(), corpus, output, needs={"gold_edits"}, segment=tuple)


def tokens_of(rewrite: Rewrite) -> tuple[str, ...]:
    return with_golds(rewrite, Rewrite(edit_sets=(TWICE,))).hypotheses[0].tokens


def test_golds_of_a_file_are_used_as_they_are_whatever_edits_are_compared():
    spy = Spy()
    case = with_golds(Rewrite("我去"), Rewrite(edit_sets=(TWICE,)), spy=spy)
    assert (case.references[0].gold_edits, spy.made) == (TWICE, 0)


def test_golds_are_extracted_where_a_reference_has_none():
    case = with_golds(Rewrite("我去"), ALTERNATIVES, Rewrite("去了"))
    assert [version.gold_edits for version in case.references] == [
        ALTERNATIVES.edit_sets[0],
        (Edit(0, 1, (), "R"),),
    ]
    assert case.hypotheses[0].tokens == ("我", "去")


def test_an_output_whose_edit_stands_twice_has_the_text_that_it_says():
    assert tokens_of(Rewrite("我去", edit_sets=(TWICE,))) == ("我", "去")
    assert tokens_of(Rewrite("你们", edit_sets=(OVER,))) == ("你", "们")


def test_an_output_known_by_overlapping_edits_alone_is_named():
    with expect_error(CorpusError, "sample '1'", "span 1 3", "span 0 2", "a"):
        tokens_of(Rewrite(edit_sets=(OVER,)))


def test_a_reference_known_by_overlapping_edits_alone_has_no_text():
    sample = Sample("1", "我去了", (Rewrite(edit_sets=(OVER,)),), {}, tuple("我去了"))
    with expect_error(CorpusError, "m2", "sent-m2"):
        cases(Spy(), Corpus("dev", (sample,), "zh"), needs={"texts"})
