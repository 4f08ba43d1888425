"""Types of edits of any length: ERRANT's rules in their order."""

from __future__ import annotations

import pytest
from en_sentence import analysed, unparsed
from messages import expect_error

from gecbench.core.errors import GecbenchError
from gecbench.core.sentence import Sentence
from gecbench.lang.en.classify import Classifier

CLASSIFIER = Classifier(frozenset(("a", "doctor", "cat")), str.lower)


def label(source: str, target: str) -> str | None:
    """The type of the edit that puts one whole sentence in the place of another."""
    one, two = analysed(source), analysed(target)
    return CLASSIFIER.label(one, two, (0, len(one.tokens), 0, len(two.tokens)))


@pytest.mark.parametrize(
    ("source", "target", "want"),
    [
        ("", "", "UNK"),
        ("a b", "a b", "UNK"),
        ("", "cat", "M:NOUN"),
        ("cat", "", "U:NOUN"),
        ("a_DT cat", "A_DT Cat", "R:ORTH"),
        ("doctor", "The_DT Doctor", "M:DET"),  # the last token does not count
        ("The_DT doctor", "Doctor", "U:DET"),
        ("x_IN The_DT Doctor", "y_IN the_DT doctor", "R:PREP"),
        ("Doctor", "doctor", "R:ORTH"),  # but the only one does
        ("x doctor", "X Doctor", "R:ORTH"),
        ("acat", "a_DT cat", "R:ORTH"),
        ("red_JJ big_JJ", "Big_JJ red_JJ", "R:WO"),
        ("red_JJ red_JJ big_JJ", "big_JJ big_JJ red_JJ", "R:ADJ"),  # not the same tokens
    ],
)
def test_which_side_has_tokens(source: str, target: str, want: str):
    assert label(source, target) == want


@pytest.mark.parametrize(
    ("tokens", "want"),
    [
        ("'s_POS", "NOUN:POSS"),
        ("n't_RB", "CONTR"),
        ("'S_VBZ", "CONTR"),
        ("To_TO", "VERB:FORM"),
        ("to_TO_PART_to_prep", "PART"),
        ("to_IN", "PREP"),
        ("'s_POS x_POS", "PART"),  # these three rules are for one token
        ("have_VB_AUX_have_aux been_VBN_AUX_be_auxpass", "VERB:TENSE"),
        ("have_VB_AUX_have_aux:pass", "VERB"),
        ("a_VB b_MD", "VERB"),
        ("100_CD", "OTHER"),
        ("100_CD_NUM_100_amod", "ADJ"),
        ("x_JJ_ADJ_x_det y_NN_NOUN_y_det", "DET"),
        ("x_JJ_ADJ_x_det y_NN_NOUN_y_amod", "OTHER"),
        ("to_TO eat_VB", "VERB"),
        ("to_TO", "VERB:FORM"),
        ("Ann_NNP", "NOUN"),
        ("and_CC", "CONJ"),
        ("his_PRP$", "DET"),
        ("``_``", "PUNCT"),
        ("x_SP", "SPACE"),
    ],
)
def test_one_sided(tokens: str, want: str):
    assert label(tokens, "") == f"U:{want}"
    assert label("", tokens) == f"M:{want}"


@pytest.mark.parametrize(
    ("source", "target", "want"),
    [
        ("has_VBZ_AUX_h_aux been_VBN_AUX_b_auxpass", "was_VBD_AUX_w_auxpass", "VERB:TENSE"),
        ("has_VBZ_VERB_have eaten_VBN_VERB_eat", "eats_VBZ_VERB_eat", "VERB:TENSE"),
        ("eats_VBZ_VERB_eat", "has_VBZ eaten_VBN_VERB_eat", "VERB:TENSE"),
        ("will_MD go_VB", "stays_VBZ", "VERB"),
        ("in_IN front_IN", "before_IN", "PREP"),
        ("1_CD 2_CD", "12x_CD", "OTHER"),
        ("1_CD_NUM_1_amod 2_CD_NUM_2_amod", "3_CD_NUM_3_amod", "ADJ"),
        ("1_CD_NUM_1_amod 2_CD_NUM_2_amod", "3_CD_NUM_3_advmod", "OTHER"),
        ("x_JJ_ADJ_x_prt y_IN_ADP_y_prt", "z_RB_ADV_z_prt", "PART"),
        ("to_TO eat_VB", "eating_VBG_VERB_eat", "VERB:FORM"),
        ("to_TO eat_VB", "consuming_VBG_VERB_consume", "VERB"),
        ("look_VB to_TO", "see_VB", "VERB"),
        ("friends_NNS_NOUN_friend", "friend_NN 's_POS", "NOUN:POSS"),
        ("friend_NN 's_POS", "friendly_JJ_ADJ_friend", "NOUN:POSS"),
        ("friends_NNS_NOUN_friends", "friend_NN 's_POS", "OTHER"),
        ("more_RBR free_JJ", "freer_JJR_ADJ_free", "ADJ:FORM"),
        ("tallest_JJS_ADJ_tall", "Most_RBS tall_JJ", "ADJ:FORM"),
        ("more_RBR free_JJ", "open_JJ", "OTHER"),
        ("the_DT more_RBR free_JJ", "freer_JJR_ADJ_free", "OTHER"),
        ("more_RBR and_CC free_JJ", "freer_JJR_ADJ_free", "OTHER"),
        ("a_DT car_NN", "it_PRP", "OTHER"),
    ],
)
def test_several_words(source: str, target: str, want: str):
    assert label(source, target) == f"R:{want}"


def test_one_word_may_be_typed_by_the_rules_for_several():
    # Lengths of 2 and 4 are no misspelling, and no other rule for two single words has an answer.
    assert label("a_TO", "took_VBD") == "R:VERB"
    assert label("a_TO_PART_take", "took_VBD_VERB_take") == "R:VERB:FORM"
    assert label("a_TO_PART_to_prt", "took_JJ_ADJ_t_prep") == "R:PART"


@pytest.mark.parametrize(
    ("source", "target", "want"),
    [
        ("a b", "a b", "UNK"),
        ("a_DT cat", "A_DT Cat", "R:ORTH"),
        ("red_JJ big_JJ", "big_JJ red_JJ", "R:WO"),
        ("'s_POS", "", "U:NOUN:POSS"),
        ("", "n't_RB", "M:CONTR"),
        ("to_TO", "", None),
        ("", "to_TO", None),
        ("", "cat", None),
        ("doctor", "The_DT Doctor", None),
        ("a_DT b_NN", "c_IN", None),
        ("was_VBD", "were_VBD", "R:VERB:SVA"),
        ("cat", "cats_NNS_NOUN_cat", "R:NOUN:NUM"),
        ("cat", "dog", None),
    ],
)
def test_none_where_a_dependency_decides_and_there_is_none(source, target, want):
    one, two = analysed(source), analysed(target)
    span = (0, len(one.tokens), 0, len(two.tokens))
    assert CLASSIFIER.label(unparsed(one), unparsed(two), span) == want
    if want:
        assert CLASSIFIER.label(one, two, span) == want


def test_each_side_is_asked_for_its_own_dependencies_only():
    one, two = analysed("a_DT cat"), analysed("it_PRP")
    span = (0, 2, 0, 1)
    assert CLASSIFIER.label(one, two, span) == "R:OTHER"
    assert CLASSIFIER.label(unparsed(one), two, span) is None
    assert CLASSIFIER.label(one, unparsed(two), span) is None
    assert CLASSIFIER.label(unparsed(one), two, (0, 0, 0, 1)) == "M:PRON"
    assert CLASSIFIER.label(one, unparsed(two), (0, 1, 0, 0)) == "U:DET"


@pytest.mark.parametrize(("source", "target"), [("x_NOUN", ""), ("X_ADJ a_DT", "x_JJ A_DT")])
def test_other_tags_than_those_of_the_penn_treebank_are_refused(source: str, target: str):
    with pytest.raises(GecbenchError, match=r"'[xX]' the fine tag '(NOUN|ADJ)', which is not"):
        label(source, target)


def test_a_sentence_without_analysis_is_refused():
    bare = Sentence("x y", ("x", "y"))
    with expect_error(GecbenchError, "'x y'", "lemmas"):
        CLASSIFIER.label(bare, analysed("a"), (0, 2, 0, 1))
