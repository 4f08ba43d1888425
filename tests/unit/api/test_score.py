"""Scoring by the Python API: which sentences and references count, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from messages import expect_error
from score_corpus import BAD, COPY, CORPUS, FREE, GOOD, IMPOSSIBLE, counts, system, texts

import gecbench
from gecbench.api.files import load, sample, save
from gecbench.api.options import AnyScheme, Options, SchemeSpec
from gecbench.api.schemes import Places, extract, load_scheme
from gecbench.api.score import score
from gecbench.core.edit import Edit
from gecbench.core.errors import CorpusError, ResourceError, UnknownNameError, UsageError
from gecbench.core.sample import Corpus, Rewrite, Sample, SystemOutput
from gecbench.core.score import WarningNote
from gecbench.lang.zh.char import scheme as zh_char
from gecbench.scoring.languages import default_scheme


def test_systems_come_in_their_order():
    report, body = counts(COPY, GOOD, BAD)
    assert [result.system for result in report.results] == ["copy", "good", "bad"]
    # copying: one of three references misses one edit; the fifth is taken as not annotatable
    assert body == [(0, 0, 2), (3, 0, 0), (1, 2, 1)]
    assert (report.sentences, report.scored) == (5, 4)


@pytest.mark.parametrize(
    "function",
    [
        *(gecbench.score, gecbench.breakdown, gecbench.references, gecbench.difficulty),
        *(gecbench.combine, gecbench.report),
    ],
)
def test_one_system_is_as_good_as_a_list_of_one(function):
    scheme = zh_char()
    assert function(CORPUS, GOOD, scheme=scheme) == function(CORPUS, [GOOD], scheme=scheme)


def test_what_takes_several_systems_refuses_one_in_a_sentence():
    with expect_error(UsageError, "two systems", "1"):
        gecbench.compare(CORPUS, GOOD, scheme=zh_char())
    with expect_error(UsageError, "three", "good"):
        gecbench.correlation(CORPUS, GOOD, scheme=zh_char())


@pytest.mark.parametrize("outputs", ["good.txt", ["good.txt"], Path("good.txt"), 3])
def test_what_is_no_output_is_refused_with_the_way_to_load_one(outputs):
    with pytest.raises(UsageError, match=r"gecbench\.load_system"):
        gecbench.score(CORPUS, outputs, scheme=zh_char())


@pytest.mark.parametrize(
    ("metrics", "over"),
    [(["cherrant"], ["edits"]), (["gleu"], ["texts"]), (["cherrant", "gleu"], ["texts", "edits"])],
)
def test_several_versions_of_a_sentence_by_a_system_are_counted(metrics, over):
    versions = {**GOOD.hypotheses, "1": GOOD.hypotheses["1"] * 2}
    several = replace(GOOD, hypotheses=versions)
    report = gecbench.score(
        CORPUS, several, scheme=zh_char(), options=Options(metrics=tuple(metrics))
    )
    notes = [note for note in report.notes if "several versions" in note]
    assert len(notes) == len(over)
    assert all("good 1" in note for note in notes)
    assert all(f"over {what}" in note for note, what in zip(notes, over, strict=True))


def test_what_no_annotator_could_correct_is_left_out_and_counted():
    report, _ = counts(GOOD)
    assert report.left_out == {"no annotator could correct it": 1}
    assert report.results[0].score.sentences == 4
    assert [s.values is None for s in report.per_sentence["good", "cherrant"]] == [
        False,
        False,
        False,
        True,
        False,
    ]


@pytest.mark.parametrize(("most", "want"), [(1, (2, 1, 2)), (2, (2, 1, 2)), (3, (3, 0, 0))])
def test_only_the_first_references_count(most: int, want):
    report, body = counts(GOOD, corpus=replace(CORPUS, samples=CORPUS.samples[:3]))
    assert body == [(2, 0, 0)]
    report, body = counts(GOOD, max_references=most)
    assert ("first", str(most)) == tuple(
        report.results[0].score.signature.parts["references"].split()
    )
    corpus = replace(CORPUS, samples=CORPUS.samples[:1])
    _, (first,) = counts(GOOD, corpus=corpus, max_references=most)
    assert first == ((1, 0, 0) if most == 3 else (0, 1, 1))


@pytest.mark.parametrize("most", [4, 5, 1000])
def test_more_references_than_there_are_is_all_of_them(most: int):
    """The official flag returns F = 1.0 from 4 up."""
    assert counts(GOOD, BAD, max_references=most)[1] == counts(GOOD, BAD)[1]


def test_sentences_with_just_so_many_references():
    report, body = counts(GOOD, references_exactly=1)
    assert body == [(1, 0, 0)]
    assert report.left_out == {
        "no annotator could correct it": 1,
        "other number of references": 2,
    }
    assert (report.scored, report.results[0].score.sentences) == (2, 2)
    assert report.results[0].score.signature.parts["references"] == "all, exactly 1"
    assert [sentence.id for sentence in report.per_sentence["good", "cherrant"]] == ["2", "3", "4"]


def test_just_so_many_references_are_counted_after_the_first():
    report, _ = counts(GOOD, max_references=2, references_exactly=2)
    assert [sentence.id for sentence in report.per_sentence["good", "cherrant"]] == ["1", "5"]
    assert report.results[0].score.signature.parts["references"] == "first 2, exactly 2"


def test_no_sentence_with_so_many_references_is_refused():
    with expect_error(CorpusError, "dev", "4 references"):
        counts(GOOD, references_exactly=4)


def test_subsets_follow_the_whole_in_order_of_appearance_and_add_up():
    report, body = counts(GOOD, BAD, by="origin", choice="sentence-best")
    assert [(r.system, r.subset) for r in report.results] == [
        ("good", None),
        ("good", "b"),
        ("good", "a"),
        ("bad", None),
        ("bad", "b"),
        ("bad", "a"),
    ]
    for at in (0, 3):
        assert body[at] == tuple(map(sum, zip(body[at + 1], body[at + 2], strict=True)))
    assert [r.score.sentences for r in report.results[:3]] == [4, 2, 2]


def test_a_subset_is_scored_as_a_corpus_of_its_own():
    report, body = counts(BAD, by="origin")
    for result, counts_of_part in zip(report.results[1:], body[1:], strict=True):
        part = tuple(s for s in CORPUS.samples if s.meta["origin"] == result.subset)
        assert counts(BAD, corpus=replace(CORPUS, samples=part))[1] == [counts_of_part]


def test_the_choice_of_references_starts_anew_in_each_subset():
    """The sentence of specification, section 11, item 19, behind another that changes it."""
    source = "一二三四五六七八九十甲乙丙丁戊己"
    few = source[1:]
    both = source[1] + source[3:]
    many = source[1::2]
    corpus = Corpus(
        "dev",
        (
            Sample("1", source, texts(both), {"part": "a"}),
            Sample("2", source, texts(few, many), {"part": "b"}),
        ),
        "zh",
    )
    report, body = counts(system("x", both, both), corpus=corpus, by="part")
    assert body == [(3, 1, 0), (2, 0, 0), (2, 0, 6)]
    assert report.per_sentence["x", "cherrant"][1].values["chosen"] == 0


def test_a_sentence_that_two_annotators_gave_up_is_left_out_but_by_the_official_choice():
    twice = Corpus("dev", (Sample("1", "口口", (IMPOSSIBLE, IMPOSSIBLE)),), "zh")
    output = system("x", "口")
    official, body = counts(output, corpus=twice, choice="corpus-greedy")
    assert (body, official.scored) == ([(0, 1, 1)], 1)
    ours = score(twice, [output], scheme=zh_char(), options=Options(choice="sentence-best"))
    assert (ours.results[0].score, ours.scored) == (None, 0)
    assert ours.results[0].note == "cherrant: no sentence to score"


def test_a_subset_without_a_sentence_to_score_has_no_number():
    report = score(CORPUS, [GOOD], scheme=zh_char(), options=Options(by="origin", part=(2, 4)))
    assert [(r.subset, r.note) for r in report.results if r.score is None] == [
        ("b", "cherrant: no sentence to score in subset 'b'")
    ]


def test_a_field_that_a_sentence_lacks_is_refused():
    with expect_error(CorpusError, "dev", "sentence '1'", "'level'", "origin"):
        counts(GOOD, by="level")
    bare = replace(CORPUS, samples=tuple(replace(s, meta={}) for s in CORPUS.samples))
    with expect_error(CorpusError, "none", "--meta"):
        counts(GOOD, corpus=bare, by="level")


def test_excluded_types_take_no_part():
    _, body = counts(GOOD, exclude=("M",))
    assert body == [(2, 0, 0)]
    report, body = counts(GOOD, exclude=("M", "S"))
    assert body == [(1, 0, 0)]
    assert report.results[0].score.signature.parts["without"] == "M,S"


def test_an_exclusion_that_meets_nothing_is_said():
    report, _ = counts(GOOD, exclude=("M", "Q"))
    assert report.notes == (
        "no edit has a type that was to be left out: Q; types here are M, R, S",
    )


def test_sizes_divide_the_edits():
    corpus = Corpus("dev", (Sample("1", "一二三四五", texts("三四六")),), "zh")
    output = system("a", "三四六")
    assert counts(output, corpus=corpus)[1] == [(2, 0, 0)]
    single, multi = (counts(output, corpus=corpus, size=size) for size in ("single", "multi"))
    assert (single[1], multi[1]) == ([(1, 0, 0)], [(1, 0, 0)])
    assert single[0].results[0].score.signature.parts["edits"] == "single"


def test_the_range_is_a_part_of_the_corpus():
    part = replace(CORPUS, samples=CORPUS.samples[1:3])
    report, body = counts(GOOD, corpus=part)
    assert (body, report.sentences) == ([(1, 0, 0)], 2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": "x"}, "level is 'x'; it is one of correction, correction-type, detection-s"),
        ({"choice": "x"}, "choice is 'x'; it is one of corpus-greedy, sentence-best"),
        ({"size": "x"}, "size is 'x'"),
        ({"beta": 0}, "beta is 0; it must be a number from 0.001 to 1000"),
        ({"beta": -1.5}, "beta is -1.5; it must be a number from 0.001 to 1000"),
        ({"beta": float("nan")}, "beta is nan; it must be a number from 0.001 to 1000"),
        ({"beta": float("inf")}, "beta is inf; it must be a number from 0.001 to 1000"),
        ({"max_references": 0}, "max-references is 0; it must be a whole number of at least 1"),
        (
            {"references_exactly": -1},
            "references-exactly is -1; it must be a whole number of at least 1",
        ),
        ({"exclude": ("M", "NOOP")}, "'NOOP' is no type of edit and cannot be excluded"),
        ({"exclude": ("",)}, "'' is no type of edit"),
        ({"metrics": ("cherrant",) * 2}, "a metric is named twice in cherrant,cherrant"),
    ],
)
def test_options_without_meaning_are_refused(options: dict, message: str):
    with pytest.raises(UsageError) as error:
        Options(**options)
    assert str(error.value).startswith(message)


def test_an_unknown_metric_is_refused_before_any_work():
    def scheme():
        raise AssertionError("work was done")

    with expect_error(UnknownNameError, "'cherant'", "cherrant"):
        score(CORPUS, [GOOD], scheme=scheme, options=Options(metrics=("cherant",)))


def test_systems_of_one_name_are_refused():
    with expect_error(UsageError, "both called good;"):
        counts(GOOD, COPY, GOOD)


@pytest.mark.parametrize("scheme", ["zh-char", SchemeSpec("zh-char"), zh_char()])
def test_a_scheme_of_another_language_is_refused(scheme: AnyScheme):
    with expect_error(UsageError, "dev", "zh-char", "'zh'", "'en'"):
        score(replace(CORPUS, lang="en"), [GOOD], scheme=scheme)
    with expect_error(UsageError, "dev", "zh-char", "'zh'", "'en'"):
        extract(replace(CORPUS, lang="en"), zh_char())


def test_both_right_and_wrong_languages_of_the_default_scheme():
    assert default_scheme(CORPUS) == "zh-cherrant"
    assert default_scheme(replace(CORPUS, lang=None)) == "zh-cherrant"
    assert default_scheme(replace(CORPUS, lang="en")) == "en-errant"
    assert default_scheme(replace(CORPUS, lang="de")) == "xx-word"


def test_the_default_scheme_is_asked_for_its_resources(tmp_path, monkeypatch):
    monkeypatch.setattr("gecbench.datasets.catalog.data_folder", lambda: tmp_path)
    with pytest.raises(ResourceError, match="run: gecbench data get cherrant"):
        score(CORPUS, [GOOD])


def test_a_scheme_has_only_its_own_options():
    assert load_scheme("zh-char").name == "zh-char"
    with expect_error(UsageError, "zh-char", "strategy", "simplify"):
        load_scheme("zh-char", strategy="all", simplify=False)
    with pytest.raises(UnknownNameError, match="did you mean zh-char"):
        load_scheme("zh-chars")


def test_a_resource_of_the_right_size_and_wrong_content_is_refused(tmp_path):
    from gecbench.datasets.catalog import data_set

    (tmp_path / "cherrant").mkdir()
    for file in data_set("cherrant").files:
        (tmp_path / "cherrant" / file.name).write_bytes(bytes(file.size))
    with expect_error(
        ResourceError, f"{tmp_path}/cherrant/cilin.txt", "sha256", "gecbench data get cherrant"
    ):
        load_scheme("zh-cherrant", places=Places(folder=tmp_path, cache=tmp_path / "cache"))
    assert not (tmp_path / "cache").exists()


@pytest.mark.slow
def test_resources_that_are_right_are_taken_from_a_mirror(shared, cache):
    scheme = load_scheme("zh-cherrant", places=Places(mirror=shared / "data", cache=cache))
    assert scheme.signature["strategy"] == "all"
    first = Places(mirror=shared / "data", cache=cache)
    assert load_scheme("zh-cherrant", strategy="first", places=first).signature["strategy"] == (
        "first"
    )


def test_extracting_gives_every_rewrite_its_edits():
    extracted = extract(CORPUS, zh_char())
    assert extracted.samples[0].tokens == tuple("我去了")
    assert extracted.samples[1].references[0].edit_sets == ((Edit(2, 2, ("了",), "M"),),)
    assert extracted.samples[2].references[0] == replace(FREE, edit_sets=((),))
    assert extracted.samples[3].references[0] == IMPOSSIBLE
    assert extracted.provenance["scheme"] == "zh-char"
    assert extract(extracted, zh_char()) == extracted


def test_an_error_that_nobody_corrected_stays_among_the_extracted_edits():
    open_end = Rewrite(edit_sets=((Edit(1, 2, ("去",), "X"), Edit(0, 1, None, "Um")),))
    corpus = Corpus("dev", (Sample("1", "我来", (open_end,), tokens=("我", "来")),))
    (reference,) = extract(corpus, zh_char()).samples[0].references
    assert reference.edit_sets == ((Edit(0, 1, None, "UNK"), Edit(1, 2, ("去",), "S")),)


def test_scored_as_texts_or_as_their_edits_the_counts_are_the_same():
    edited = extract(CORPUS, zh_char())
    as_texts = counts(GOOD, BAD, COPY, corpus=CORPUS)
    as_edits = counts(GOOD, BAD, COPY, corpus=edited)
    again = counts(GOOD, BAD, COPY, corpus=edited, re_extract=True)
    assert as_texts[1] == as_edits[1] == again[1]
    assert "edits" not in again[0].results[0].score.signature.parts
    parts = as_edits[0].results[0].score.signature.parts
    assert parts["edits"] == "as given (zh-char) and extracted"


def test_edits_of_both_sides_are_taken_as_given():
    edited = extract(CORPUS, zh_char())
    hypotheses = {sample.id: sample.references[:1] for sample in edited.samples}
    tokens = {sample.id: sample.tokens for sample in edited.samples}
    report = score(edited, [SystemOutput("a", hypotheses, tokens)])
    assert report.results[0].score.value == 1.0
    parts = report.results[0].score.signature.parts
    assert (parts["edits"], "scheme" in parts) == ("as given (zh-char)", False)


def test_capped_sentences_are_noted():
    plain = zh_char()

    def extract_some(first, second):
        return replace(plain.extract(first, second), capped=second.text in ("他来了", "我"))

    scheme = replace(plain, extract=extract_some, count_matches=None)
    report = score(CORPUS, [GOOD], scheme=scheme)
    assert report.notes == (
        "2 sentences have more than 1000 different edit sets, of which the first was kept, "
        "as by strategy first: 2, 5",
    )


def test_one_thing_is_loaded_and_saved_as_it_is_named(tmp_path):
    corpus = load(str(sample("zh", "corpus.jsonl")))
    assert save(corpus, tmp_path / "x.jsonl", format="jsonl") == []
    assert load(tmp_path / "x.jsonl") == corpus
    with expect_error(UsageError, "lines", "5", "--output"):
        save(corpus, "-", format="lines")
    assert save(corpus, tmp_path / "x", format="lines")
    both = load(tmp_path / "x.src", references=[tmp_path / "x.ref0"])
    assert [len(sample.references) for sample in both.samples] == [1] * 76
    with expect_error(UsageError, "lines", "m2"):
        load("x", format="m2", references=(tmp_path,))


def test_what_looks_like_a_mistake_in_a_file_is_noted():
    corpus = Corpus(
        "dev", tuple(Sample(str(n), "我们都很好", texts("我们很好")) for n in range(1, 6)), "zh"
    )
    slipped = system("slipped", *["今天天气"] * 2, *["我们很好"] * 2, " ")
    report, _ = counts(slipped, corpus=corpus)
    assert report.notes == (
        "slipped: empty outputs: 1 (first: 5)",
        "slipped: outputs that share almost nothing with their source: 2 (first: 1); "
        "are they in the order of the corpus?",
    )
    report, _ = counts(system("fine", *["我们很好"] * 4, "今天天气"), corpus=corpus)
    assert report.notes == ()


def test_a_scheme_may_be_named():
    by_name = score(CORPUS, [GOOD], scheme="zh-char").results
    assert by_name == score(CORPUS, [GOOD], scheme=load_scheme("zh-char")).results


@pytest.mark.parametrize("part", [(2, 2), (3, 2), (0, 6), (5, 5), (-1, 3)])
def test_a_range_that_no_corpus_has_is_refused(part):
    with expect_error(UsageError, f"range {part[0]}:{part[1]}", "5"):
        counts(GOOD, part=part)


def test_what_lies_outside_the_range_is_counted_and_signed():
    report, _ = counts(GOOD, part=(1, 3))
    assert report.left_out["outside the range"] == 3
    assert (report.sentences, report.scored) == (5, 2)
    assert report.results[0].score.signature.parts["range"] == "1-3"


def test_a_system_that_lacks_a_sentence_is_refused():
    few = SystemOutput("few", {"1": (Rewrite("他去了"),), "2": ()})
    with expect_error(CorpusError, "system few", "4 sentences", "'dev'", "2, 3, 4, 5"):
        counts(few)


def test_given_edits_that_leave_the_source_are_refused():
    edited = extract(CORPUS, zh_char())
    wild = Rewrite("x", edit_sets=((Edit(0, 99, ("x",), "S"),),))
    hypotheses = {sample.id: (wild,) for sample in edited.samples}
    tokens = {sample.id: sample.tokens for sample in edited.samples}
    with expect_error(CorpusError, "a", "sentence '1'", "span 0 99", "3 tokens"):
        score(edited, [SystemOutput("a", hypotheses, tokens)])


def test_blank_lines_that_are_scored_as_sentences_are_counted():
    """A file with blank lines between its sentences was scored without a word."""
    sources = ("a b", "", " ")
    samples = [Sample(str(n), text, (Rewrite(text),)) for n, text in enumerate(sources)]
    corpus = Corpus("c", tuple(samples), "en")
    system = SystemOutput("s", {sample.id: sample.references for sample in samples})
    report = score(corpus, [system], scheme="xx-word", options=Options(metrics=("edits",)))
    warning = report.notes[0]
    assert isinstance(warning, WarningNote)
    assert warning.startswith("c: sentences without text: 2 (first: 1)")
