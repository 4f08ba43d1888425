"""Agreement of annotators: decisions, whole answers, edits, and why a value is undefined."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner
from messages import expect_error

from gecbench.analysis.agreement import works_of
from gecbench.api.analyse import agreement
from gecbench.cli import gecbench
from gecbench.core.errors import CorpusError, UsageError
from gecbench.core.sample import Corpus, Rewrite, Sample
from gecbench.reports.agreement import WHY, build_report
from gecbench.reports.report import render


def by(name: str | None, *texts: str) -> tuple[Rewrite, ...]:
    return tuple(Rewrite(text, annotator=name) for text in texts)


def free(name: str) -> tuple[Rewrite, ...]:
    return (Rewrite(error_free=True, annotator=name),)


def never(name: str) -> tuple[Rewrite, ...]:
    return (Rewrite(unannotatable=True, annotator=name),)


def corpus(*sentences: tuple[Rewrite, ...], source: str = "我去了学校") -> Corpus:
    samples = tuple(Sample(str(n), source, sentence) for n, sentence in enumerate(sentences, 1))
    return Corpus("round", samples, "zh")


def measure(*sentences: tuple[Rewrite, ...], least: int = 1):
    return agreement(corpus(*sentences), scheme="zh-char", least=least)


MIXED = (
    by("A", "我去学校") + by("B", "我去学校"),
    by("A", "我去学校") + by("B", "他去学校", "我去学校"),
    by("A", "我去学校") + free("B"),
    free("A") + free("B"),
    never("A") + free("B"),
    by("A", "我去学校"),
)


def test_sta_5_alpha_is_krippendorffs_of_decisions_by_hand():
    """Krippendorff's formula on the coincidence matrix of five shared sentences."""
    pairs = [("c", "c"), ("c", "c"), ("c", "f"), ("f", "f"), ("n", "f")]
    values = [value for pair in pairs for value in pair]
    observed = sum(first != other for first, other in pairs) / len(pairs)
    n = len(values)
    expected = sum(
        values.count(letter) * values.count(other)
        for letter in "cfn"
        for other in "cfn"
        if letter != other
    ) / (n * (n - 1))
    alpha = measure(*MIXED).alpha
    assert alpha.value == pytest.approx(1 - observed / expected)
    assert alpha.of == 5


def test_sta_5_shares_are_over_pairs_of_annotators_of_a_sentence():
    whole = measure(*MIXED)
    assert (whole.sentences, whole.decisions.value, whole.decisions.of) == (5, 3 / 5, 5)
    assert whole.exact.value == 2 / 5
    assert whole.common.value == 3 / 5


def test_sta_5_three_annotators_make_three_pairs():
    whole = measure(by("A", "我去学校") + by("B", "我去学校") + free("C"))
    assert (whole.decisions.value, whole.decisions.of) == (1 / 3, 3)
    assert [(pair.one, pair.other, pair.exact.value) for pair in whole.pairs] == [
        ("A", "B", 1.0),
        ("A", "C", 0.0),
        ("B", "C", 0.0),
    ]


def test_sta_5_edits_are_scored_both_ways_each_text_one_sample():
    """A deletes one character; B does too, and also replaces one: P and R change places."""
    (pair,) = measure(by("A", "我去学校") + by("B", "他去学校")).pairs
    assert pair.forth.value == pytest.approx(1.25 * 1 * 0.5 / (0.25 * 1 + 0.5))
    assert pair.back.value == pytest.approx(1.25 * 0.5 * 1 / (0.25 * 0.5 + 1))
    assert pair.forth.of == pair.back.of == 1
    several = measure(by("A", "我去学校") + by("B", "他去学校", "我去学校")).pairs[0]
    assert (several.forth.value, several.forth.of, several.back.of) == (1.0, 1, 2)


def test_sta_5_each_annotator_is_set_against_all_others():
    by_name = {annotator.name: annotator for annotator in measure(*MIXED).each}
    assert by_name["A"].sentences == 5
    assert by_name["A"].made.value == by_name["B"].met.value
    assert by_name["A"].decisions == by_name["B"].decisions


def test_sta_5_error_free_is_the_source_and_unannotatable_has_no_edits():
    (pair,) = measure(by("A", "我去学校") + free("B")).pairs
    assert pair.forth.value == 0.0
    (none,) = measure(by("A", "我去学校") + never("B")).pairs
    assert (none.forth.value, none.forth.why) == (None, "no-text")


def test_sta_5_an_undefined_value_says_why():
    alone = measure(by("A", "我去学校"), by("B", "我去学校"))
    assert {rate.why for rate in (alone.alpha, alone.decisions, alone.exact, alone.common)} == {
        "alone"
    }
    assert alone.edits.why == "no-text"
    same = measure(free("A") + free("B"))
    assert (same.alpha.value, same.alpha.why, same.alpha.of) == (None, "one-decision", 1)
    text = render(build_report(alone), "text")
    assert WHY["alone"].en in text
    assert WHY["no-text"].en in text


def test_a_text_that_is_the_source_is_error_free():
    assert measure(by("A", "我去了 学校") + free("B")).exact.value == 1.0


def test_english_answers_are_compared_word_by_word():
    samples = (Sample("1", "I goes", (*by("A", "I go"), *by("B", "I  go"))),)
    (work,) = works_of(Corpus("round", samples, "en"), "en")
    assert work["A"].texts == work["B"].texts


def test_two_decisions_of_one_annotator_are_refused():
    with expect_error(CorpusError, "annotator 'A'", "corrected", "error-free"):
        measure(by("A", "我去学校") + free("A"))


def test_submissions_without_names_are_refused_or_counted():
    with expect_error(CorpusError, "who wrote"):
        measure(by(None, "我去学校"))
    some = measure(by("A", "我去学校") + by("B", "我去学校") + by(None, "我去学校"))
    assert "left out: 1" in some.notes[-1]


def test_pairs_with_little_in_common_are_not_listed_and_counted():
    few = measure(*MIXED, least=6)
    assert few.pairs == ()
    assert "fewer than 6 sentences in common, not listed: 1" in few.notes[-1]
    assert few.each


def test_least_must_be_one_or_more():
    with pytest.raises(UsageError, match="least"):
        measure(*MIXED, least=0)


def test_edits_that_have_no_text_are_compared_as_edits():
    from gecbench.core.edit import Edit

    edits = (Edit(0, 1, "", "?"), Edit(0, 1, "x", "?"))
    rewrite = Rewrite(edit_sets=(edits,), annotator="A")
    sample = Sample("1", "我去", (rewrite,), tokens=("我", "去"))
    (work,) = works_of(Corpus("round", (sample,), "zh"), "zh")
    assert work["A"].texts == {(edits,)}


def test_the_command_shows_all_tables_with_their_signature(tmp_path):
    from gecbench.formats import load_format

    path = tmp_path / "submissions.jsonl"
    (text,) = load_format("jsonl").write(corpus(*MIXED)).values()
    path.write_text(text, "utf-8")
    words = ["analyse", "agreement", str(path), "--scheme", "zh-char", "--least", "1"]
    shown = CliRunner().invoke(gecbench, words)
    assert shown.exit_code == 0, shown.output
    assert "Krippendorff's alpha" in shown.output
    assert "metric:cherrant|scheme:zh-char" in shown.output
    data = json.loads(CliRunner().invoke(gecbench, [*words, "--format", "json"]).stdout)
    assert data["alpha"]["value"] == measure(*MIXED).alpha.value
    assert data["pairs"][0]["one"] == "A"


def test_the_figure_says_in_words_what_it_shows():
    (figure,) = build_report(measure(*MIXED)).figures
    assert "A " in figure.alt.en
    assert "alpha" in figure.alt.en
    alone = build_report(measure(by("A", "我去学校"))).figures[0]
    assert WHY["alone"].zh in alone.alt.zh


def test_without_the_package_it_says_what_to_install(monkeypatch):
    import sys

    from gecbench.core.errors import MissingExtraError

    monkeypatch.setitem(sys.modules, "krippendorff", None)
    with pytest.raises(MissingExtraError, match="annotate"):
        measure(*MIXED)
