"""Types of edits of one word for one: each of ERRANT's rules, and the rule before it."""

from __future__ import annotations

import pytest
from en_sentence import analysed, unparsed

from gecbench.lang.en.classify import Classifier

KNOWN = """
cat car musical health i ii in is to too the that all everything off of out then than form hole
whole high height good well after later where were thing think house domestic Paris therefor
though thought stress stressed exiting exciting learning studying a b no not your other up on
abcdefghij there their knew new go goes gone has have quick quickly run
"""
DICTIONARY = frozenset(KNOWN.split())


def stem(word: str) -> str:
    return word.lower()[:4]


def label(source: str, target: str, at: int = 0, target_at: int = 0) -> str | None:
    """The type without R: of the edit of one token."""
    found = Classifier(DICTIONARY, stem).label(
        analysed(source), analysed(target), (at, at + 1, target_at, target_at + 1)
    )
    assert found.startswith("R:")
    return found[2:]


@pytest.mark.parametrize(
    ("source", "target", "want"),
    [
        ("'s_POS", "of_IN", "NOUN:POSS"),
        ("is_VBZ", "'s_POS", "NOUN:POSS"),
        ("'m_VBP", "am_VBP", "CONTR"),
        ("not_RB", "N'T_RB", "CONTR"),
        ("n't_RB", "no_DT", "OTHER"),  # not of one class, and not alphabetic
        ("Ca_MD", "can_MD", "CONTR"),
        ("will_MD", "wo_MD", "CONTR"),
        ("sha_MD", "can_MD", "VERB:TENSE"),
        ("might_MD", "ca_MD", "VERB:TENSE"),
        ("Was_VBD", "were_VBD", "VERB:SVA"),
        ("were_VBD", "was_VBD", "VERB:SVA"),
    ],
)
def test_short_forms(source: str, target: str, want: str):
    assert label(source, target) == want


@pytest.mark.parametrize(
    ("source", "target", "want"),
    [
        ("childs_NNS_NOUN_child", "children_NNS_NOUN_child", "NOUN:INFL"),
        ("eated_VBD_VERB_eat", "ate_VBD_VERB_eat", "VERB:INFL"),
        ("eated_VBD_VERB_eat", "eaten_JJ_ADJ_eat", "MORPH"),
        ("freeer_JJ_ADJ_free", "freer_JJ_ADJ_free", "MORPH"),
        ("recieve", "receive", "SPELL"),  # 0.714
        ("abcdefghjk", "abcdefxxyy", "SPELL"),  # 0.6
        ("abcdxyz", "abcdpqr", "SPELL"),  # 0.571
        ("abcdefghxx", "abcdeyyyyy_JJ", "ADJ"),  # 0.5, but long
        ("abxy", "abcdef_RB", "ADV"),  # 0.333, but one of them is long
        ("cx", "xx", "SPELL"),  # 0.5
        ("abc", "axy", "SPELL"),  # 0.333
        ("abcxyz", "abdddd_RB", "ADV"),  # 0.333, but long
        ("wxyz", "qrsz_RB", "ADV"),  # 0.25
        ("wxyz", "1000_CD", "OTHER"),
        ("Paris", "London", "NOUN"),  # listed in its own case
        ("CAT", "dog", "NOUN"),  # listed in lower case
        ("paris", "Parks", "SPELL"),
        ("x1y", "x1z_VB", "OTHER"),  # not alphabetic, so no misspelling
    ],
)
def test_misspellings(source: str, target: str, want: str):
    assert label(source, target) == want


def verb(form: str, tag: str, *, dep: str = "ROOT") -> str:
    return f"{form}_{tag}_VERB_go_{dep}"


@pytest.mark.parametrize(
    ("source", "target", "want"),
    [
        ("quick_JJ", "quicker_JJR_ADJ_quick", "ADJ:FORM"),
        ("cat", "cats_NNS_NOUN_cat", "NOUN:NUM"),
        (verb("go", "VB"), verb("going", "VBG"), "VERB:FORM"),
        (verb("gone", "VBN"), verb("went", "VBD"), "VERB:FORM"),
        (verb("go", "VB"), verb("went", "VBD"), "VERB:TENSE"),
        (verb("goes", "VBZ"), verb("went", "VBD"), "VERB:TENSE"),
        (verb("go", "VBP"), verb("goes", "VBZ"), "VERB:SVA"),
        (verb("go", "VB", dep="aux"), verb("might", "MD", dep="auxpass"), "VERB:TENSE"),
        (verb("go", "VB"), verb("gone", "VBP"), "MORPH"),
        (verb("go", "VB", dep="amod"), verb("gone", "VBP", dep="acomp"), "ADJ:FORM"),
        ("quick_RB_ADV_q", "quickly_RB_ADV_q", "MORPH"),
        ("musical_JJ_ADJ_m", "musicals_NNS_NOUN_m", "NOUN:NUM"),
        ("musical_NN_NOUN_m", "musical-like_JJ_ADJ_m", "MORPH"),
        ("run_NN_NOUN_r", "running_VBG_VERB_r", "VERB:FORM"),
        ("run_NN_NOUN_r", "ran_VBD_VERB_r", "VERB:TENSE"),
        ("run_NN_NOUN_r", "runs_VBZ_VERB_r", "VERB:SVA"),
        ("quick_JJ_ADJ_q_amod", "quickly_RB_ADV_q_acomp", "ADJ:FORM"),
        ("have_VB_AUX_h", "of_IN_ADP_h", "OTHER"),  # not both of an open class
    ],
)
def test_words_of_one_lemma(source: str, target: str, want: str):
    assert label(source, target) == want


HAS = "has_VBZ_AUX_have_aux_1"
IS = "is_VBZ_AUX_be_auxpass_1"


@pytest.mark.parametrize(
    ("source", "target", "at", "target_at", "want"),
    [
        (f"{HAS} go_VB_VERB_go", f"{IS} went_VBD_VERB_go", 1, 1, "VERB:FORM"),
        (f"{HAS} go_VB_VERB_go", "is_VBZ_AUX_be_aux:pass_1 went_VBD_VERB_go", 1, 1, "VERB:TENSE"),
        (f"{HAS} go_VB_VERB_go", "went_VBD_VERB_go", 1, 0, "VERB:TENSE"),
        ("go_VB_VERB_go", f"{IS} went_VBD_VERB_go", 0, 1, "VERB:TENSE"),
        # Auxiliaries themselves: neither may be the first of its verb.
        (
            "will_MD_AUX_will_aux_2 go_VB_AUX_go_aux_2 x_VB",
            "may_MD_AUX_may_aux_2 goes_VBZ_AUX_go_aux_2 x_VB",
            1,
            1,
            "VERB:FORM",
        ),
        (
            "will_MD_AUX_will_aux_2 go_VB_AUX_go_aux_2 x_VB",
            "goes_VBZ_AUX_go_aux_1 x_VB",
            1,
            0,
            "VERB:SVA",
        ),
        (
            "go_VB_AUX_go_aux_1 x_VB",
            "may_MD_AUX_may_aux_2 goes_VBZ_AUX_go_aux_2 x_VB",
            0,
            1,
            "VERB:SVA",
        ),
        # A root called aux does not depend on itself, so neither it nor its head has an auxiliary.
        (
            "will_MD_AUX_will_aux_2 go_VB_AUX_go_aux_2 x_VB",
            "goes_VBZ_AUX_go_aux",
            1,
            0,
            "VERB:SVA",
        ),
        ("go_VB_VERB_go_aux", f"{HAS} went_VBD_VERB_go", 0, 1, "VERB:TENSE"),
        (
            "go_VB_AUX_go_aux",
            "may_MD_AUX_may_aux_2 goes_VBZ_AUX_go_aux_2 x_VB",
            0,
            1,
            "VERB:SVA",
        ),
    ],
)
def test_verbs_after_an_auxiliary(source, target, at: int, target_at: int, want: str):
    assert label(source, target, at, target_at) == want


def test_whether_an_auxiliary_stands_before_is_not_guessed():
    one, two = analysed(f"{HAS} go_VB_VERB_go"), analysed("went_VBD_VERB_go")
    classifier = Classifier(DICTIONARY, stem)
    assert classifier.label(one, two, (1, 2, 0, 1)) == "R:VERB:TENSE"
    assert classifier.label(one, unparsed(two), (1, 2, 0, 1)) is None
    assert classifier.label(unparsed(one), two, (1, 2, 0, 1)) is None


@pytest.mark.parametrize(
    ("source", "target", "want"),
    [
        ("stress", "stresslike_JJ", "MORPH"),  # one stem
        ("Health", "HEALthy_JJ", "MORPH"),
        ("then_RB", "thenx_IN", "SPELL"),  # one stem, but not both of an open class
        ("cat_NN_NOUN_c_aux", "is_IN_ADP_b_aux:pass", "VERB:TENSE"),
        ("cat", "dog", "NOUN"),
        ("1_CD", "2_CD", "OTHER"),
        ("1_CD_NUM_1_amod", "2_CD_NUM_2_amod", "ADJ"),
        ("1_CD_NUM_1_conj", "2_CD_NUM_2_conj", "OTHER"),
        ("up_RP", "on_IN", "PART"),
        ("off_RB_ADV_off_prt", "of_JJ_ADJ_of_prep", "PART"),
    ],
)
def test_words_of_one_stem_or_class(source: str, target: str, want: str):
    assert label(source, target) == want


@pytest.mark.parametrize(
    ("source", "target", "want"),
    [
        ("his_PRP$", "he_PRP_PRON_he_nsubj", "PRON"),
        ("he_PRP", "his_PRP$_PRON_his_poss", "DET"),
        ("the_DT", "it_PRP_PRON_it_dep", "OTHER"),
        ("a_DT", "1_CD", "DET"),
        ("in_CD", "the_DT", "DET"),
        ("other_JJ", "Another_DT", "DET"),
        ("another_DT", "other_JJ", "DET"),
        ("your_PRP$", "Yours_PRP", "PRON"),
        ("yours_PRP", "your_PRP$", "SPELL"),
        ("No_DT", "not_RB", "OTHER"),
        ("not_RB", "no_DT", "OTHER"),
    ],
)
def test_function_words(source: str, target: str, want: str):
    known = DICTIONARY | {"his", "he", "another", "yours"}
    one, two = analysed(source), analysed(target)
    assert Classifier(known, stem).label(one, two, (0, 1, 0, 1)) == f"R:{want}"


@pytest.mark.parametrize(
    ("source", "target", "want"),
    [
        ("a", "b1_VB", "OTHER"),  # not alphabetic: an end
        ("i_NN", "in_IN", "SPELL"),
        ("i_NN", "on_IN", "OTHER"),
        ("i_NN", "ion_JJ", "OTHER"),
        ("in_IN", "is_VBZ", "SPELL"),
        ("to_TO", "too_RB", "SPELL"),
        ("to_IN", "took_VBD", "OTHER"),
        ("in_IN", "ax_JJ", "OTHER"),
        ("The_DT", "that_IN", "PRON"),
        ("that_IN", "the_DT", "OTHER"),  # one way only, and 0.5 is less than it takes
        ("all_DT", "everything_NN", "PRON"),
        ("off_IN", "of_RB", "SPELL"),
        ("out_IN", "our_PRP$", "SPELL"),
        ("new_JJ", "knew_VBD", "SPELL"),
        ("out_IN", "outer_JJ", "OTHER"),
        ("that_IN", "What_WP", "PRON"),
        ("good_JJ", "well_RB", "ADV"),
        ("good_JJ", "well_UH", "OTHER"),
        ("knew_VBD", "new_JJ", "SPELL"),
        ("then_RB", "than_IN", "SPELL"),
        ("form_NN", "from_IN", "SPELL"),
        ("hole_NN", "whole_JJ", "SPELL"),
        ("hole_NN", "wholx_JJ", "OTHER"),
        ("high_JJ", "height_NN", "NOUN"),
        ("high_JJ", "heightx_UH", "OTHER"),
        ("high_JJ", "abcdef_NN", "OTHER"),
        ("after_IN", "later_RB", "ADV"),
        ("after_IN", "later_UH", "SPELL"),
        ("where_WRB", "were_VBD", "SPELL"),
        ("thing_NN", "think_VB", "SPELL"),
        ("house_NN", "horxe_VB", "SPELL"),  # 0.6
        ("house_NN", "horxx_VB", "OTHER"),
        ("house_NN", "domestic_JJ", "ADJ"),
        ("house_NN", "domestic_UH", "OTHER"),
        ("therefor_IN", "therefore_RB", "SPELL"),
        ("though_IN", "thought_NN", "SPELL"),
        ("thought_NN", "Though_IN", "SPELL"),
        ("abcdefghij_IN", "abcdefgh_JJ", "MORPH"),
        ("stressed_IN", "stress_NN", "MORPH"),
        ("exiting_IN", "exciting_JJ", "SPELL"),
        ("learning_IN", "studying_NN", "NOUN"),
        ("learning_IN", "studying_UH", "OTHER"),
        ("abcdefghij_IN", "abcdefgxyz_JJ", "OTHER"),  # 0.7: neither one nor the other
        ("abcdxyz_IN", "abcdpqr_JJ", "OTHER"),  # 0.571
        ("abcdefghij_IN", "abxdefghiy_JJ", "OTHER"),  # 0.8
        ("stressed_IN", "in_NN", "OTHER"),
    ],
)
def test_similar_words(source: str, target: str, want: str):
    # Every word is in the dictionary, and no stem is another's.
    known = DICTIONARY | {source.split("_")[0].lower()}
    one, two = analysed(source), analysed(target)
    found = Classifier(known, lambda word: word).label(one, two, (0, 1, 0, 1))
    assert found == f"R:{want}"
