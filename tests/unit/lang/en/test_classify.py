"""Types of edits of any length: ERRANT's rules in their order."""

from __future__ import annotations

import pytest
from en_sentence import analysed, unparsed
from messages import expect_error

from gecbench.core.edit import Sentence
from gecbench.core.errors import GecbenchError
from gecbench.lang.en.classify import Classifier

CLASSIFIER = Classifier(frozenset(("a", "doctor", "cat")), str.lower)


def label(source: str, target: str) -> str | None:
    """The type of the edit that puts one whole sentence in the place of another."""
    first, second = analysed(source), analysed(target)
    return CLASSIFIER.label(first, second, (0, len(first.tokens), 0, len(second.tokens)))


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
    first, second = analysed(source), analysed(target)
    span = (0, len(first.tokens), 0, len(second.tokens))
    assert CLASSIFIER.label(unparsed(first), unparsed(second), span) == want
    if want:
        assert CLASSIFIER.label(first, second, span) == want


def test_each_side_is_asked_for_its_own_dependencies_only():
    first, second = analysed("a_DT cat"), analysed("it_PRP")
    span = (0, 2, 0, 1)
    assert CLASSIFIER.label(first, second, span) == "R:OTHER"
    assert CLASSIFIER.label(unparsed(first), second, span) is None
    assert CLASSIFIER.label(first, unparsed(second), span) is None
    assert CLASSIFIER.label(unparsed(first), second, (0, 0, 0, 1)) == "M:PRON"
    assert CLASSIFIER.label(first, unparsed(second), (0, 1, 0, 0)) == "U:DET"


@pytest.mark.parametrize(("source", "target"), [("x_NOUN", ""), ("X_ADJ a_DT", "x_JJ A_DT")])
def test_other_tags_than_those_of_the_penn_treebank_are_refused(source: str, target: str):
    with pytest.raises(GecbenchError, match=r"'[xX]' the fine tag '(NOUN|ADJ)', which is not"):
        label(source, target)


def test_a_sentence_without_analysis_is_refused():
    bare = Sentence("x y", ("x", "y"))
    with expect_error(GecbenchError, "'x y'", "lemmas"):
        CLASSIFIER.label(bare, analysed("a"), (0, 2, 0, 1))


KNOWN = """
cat car musical health i ii in is to too the that all everything off of out then than form hole
whole high height good well after later where were thing think house domestic Paris therefor
though thought stress stressed exiting exciting learning studying a b no not your other up on
abcdefghij there their knew new go goes gone has have quick quickly run
"""
DICTIONARY = frozenset(KNOWN.split())


def stem(word: str) -> str:
    return word.lower()[:4]


def type_of_pair(source: str, target: str, at: int = 0, target_at: int = 0) -> str | None:
    """The type without R: of the edit of one token."""
    label = Classifier(DICTIONARY, stem).label(
        analysed(source), analysed(target), (at, at + 1, target_at, target_at + 1)
    )
    assert label.startswith("R:")
    return label[2:]


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
    assert type_of_pair(source, target) == want


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
    assert type_of_pair(source, target) == want


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
    assert type_of_pair(source, target) == want


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
    assert type_of_pair(source, target, at, target_at) == want


def test_whether_an_auxiliary_stands_before_is_not_guessed():
    first, second = analysed(f"{HAS} go_VB_VERB_go"), analysed("went_VBD_VERB_go")
    classifier = Classifier(DICTIONARY, stem)
    assert classifier.label(first, second, (1, 2, 0, 1)) == "R:VERB:TENSE"
    assert classifier.label(first, unparsed(second), (1, 2, 0, 1)) is None
    assert classifier.label(unparsed(first), second, (1, 2, 0, 1)) is None


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
    assert type_of_pair(source, target) == want


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
    first, second = analysed(source), analysed(target)
    assert Classifier(known, stem).label(first, second, (0, 1, 0, 1)) == f"R:{want}"


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
    first, second = analysed(source), analysed(target)
    label = Classifier(known, lambda word: word).label(first, second, (0, 1, 0, 1))
    assert label == f"R:{want}"
