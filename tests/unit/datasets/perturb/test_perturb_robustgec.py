"""On all of RobustGEC's cases that are here, and in part on MuCGEC: no error is ever touched."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from error_checks import problems
from messages import expect_error

from gecbench.api import training_data
from gecbench.api.files import load
from gecbench.api.robustness import check_perturbed, load_perturbed
from gecbench.api.training_data import Perturbation, perturb
from gecbench.api.verb_options import PerturbOptions
from gecbench.core.errors import UsageError
from gecbench.core.perturbed import PerturbedSet
from gecbench.core.sample import Corpus

pytestmark = pytest.mark.golden


@pytest.fixture(scope="module")
def published(shared: Path) -> PerturbedSet:
    return load_perturbed(shared / "data" / "robustgec")


@pytest.fixture(scope="module")
def perturbation(published: PerturbedSet) -> Perturbation:
    return perturb(published, options=PerturbOptions(pos=False))


@pytest.mark.slow
def test_several_processes_make_what_one_makes(
    published: PerturbedSet, perturbation: Perturbation, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(training_data, "_PAYS", 1)
    monkeypatch.setattr(training_data, "cores", lambda: 2)
    assert perturb(published, options=PerturbOptions(pos=False), jobs=None) == perturbation


def test_processes_that_cannot_be_are_refused(published: PerturbedSet):
    with expect_error(UsageError, "jobs", "0"):
        perturb(published, jobs=0)
    with expect_error(UsageError, "jobs 2", "masked language model"):
        perturb(published, options=PerturbOptions(filler="mask:nowhere"), jobs=2)


def test_every_gold_edit_is_still_there_with_its_correction(perturbation: Perturbation):
    assert perturbation.report.sentences == 2493
    assert perturbation.report.cases == len(perturbation.cases.cases) == 2491
    assert perturbation.report.left_out == {"empty references": ["conll14/14", "conll14/574"]}
    wrong = {
        case.id: faults for case in perturbation.cases.cases if (faults := problems(case, "space"))
    }
    assert wrong == {}


def test_our_own_check_of_published_cases_finds_nothing_either(perturbation: Perturbation):
    kinds = Counter(finding.kind for finding in check_perturbed(perturbation.cases).findings)
    assert not kinds


def test_operations_are_equally_likely(perturbation: Perturbation):
    shares = [count / (5 * 2491) for count in perturbation.report.operations.values()]
    assert all(abs(share - 1 / 3) < 0.02 for share in shares)


def test_what_becomes_of_a_case_depends_on_no_other(
    published: PerturbedSet, perturbation: Perturbation
):
    from dataclasses import replace

    whole = published.subsets[1]
    subset = replace(whole, cases=whole.cases[:300])
    turned = replace(published, subsets=(replace(subset, cases=subset.cases[::-1]),))
    # The words that others are replaced by are of the whole corpus: here, of the subset alone.
    plain = perturb(replace(published, subsets=(subset,)), options=PerturbOptions(pos=False))
    again = perturb(turned, options=PerturbOptions(pos=False))
    assert again.cases.cases[::-1] == plain.cases.cases
    assert again.cases.provenance["filler"] == plain.cases.provenance["filler"]


def test_chinese_sentences_of_mucgec(shared: Path):
    corpus = load(shared / "data" / "mucgec" / "MuCGEC_dev.txt")
    some = Corpus(corpus.name, corpus.samples[:150], corpus.lang)
    perturbed = perturb(some, options=PerturbOptions(each_reference=True))
    assert perturbed.report.left_out.keys() <= {"references that say unannotatable"}
    assert perturbed.report.cases > 300
    wrong = {case.id: faults for case in perturbed.cases.cases if (faults := problems(case, "zh"))}
    assert wrong == {}
    assert "jieba" in perturbed.cases.provenance["words"]
