"""English words in other forms, and the names of the changes."""

import pytest

from gecbench.core.language import Transforms
from gecbench.lang import transforms_for
from gecbench.lang.en.inflection import FORMS, regular

EN = transforms_for("en")

TABLE = [
    ("CASE_LOWER", "The", "the"),
    ("CASE_CAPITAL", "the", "The"),
    ("CASE_CAPITAL", "iPhone", "Iphone"),
    ("CASE_UPPER", "usa", "USA"),
    ("CASE_CAPITAL_1", "iphone", "iPhone"),
    ("CASE_UPPER_-1", "dvds", "DVDs"),
    ("AGREEMENT_PLURAL", "student", "students"),
    ("AGREEMENT_SINGULAR", "informations", "information"),
    ("SPLIT_HYPHEN", "well-known", "well known"),
    ("SPLIT_HYPHEN", "up-to-date", "up to date"),
    ("VERB_VB_VBZ", "go", "goes"),
    ("VERB_VB_VBZ", "study", "studies"),
    ("VERB_VBZ_VB", "watches", "watch"),
    ("VERB_VBG_VB", "making", "make"),
    ("VERB_VBG_VBD", "running", "ran"),
    ("VERB_VBN_VBD", "written", "wrote"),
    ("VERB_VBD_VBN", "did", "done"),
    ("VERB_VB_VBG", "begin", "beginning"),
    ("VERB_VB_VBG", "die", "dying"),
    ("VERB_VB_VBG", "see", "seeing"),
    ("VERB_VB_VBD", "plan", "planned"),
    ("VERB_VB_VBD", "visit", "visited"),
    ("VERB_VB_VBD", "play", "played"),
    ("VERB_VB_VBG", "picnic", None),
    ("VERB_VB_VBZ", "be", "is"),
    ("VERB_VBZ_VBD", "is", "was"),
    ("VERB_VB_VBZ", "have", "has"),
    ("VERB_VB_VBD", "Go", "Went"),
    ("VERB_VB_VBD", "GO", "WENT"),
    # What cannot be done keeps the token.
    ("CASE_LOWER", "the", None),
    ("CASE_CAPITAL_1", "a", None),
    ("VERB_VB_VBD", "table-top", None),
    ("VERB_VBD_VB", "go", None),
    ("VERB_VB_VBD", "put", None),
    ("AGREEMENT_SINGULAR", "book", None),
    ("AGREEMENT_SINGULAR", "s", None),
    ("AGREEMENT_PLURAL", ",", None),
    ("SPLIT_HYPHEN", "-", None),
    ("SPLIT_HYPHEN", "co-", None),
    ("VERB_VB_VB", "go", None),
    ("CASE_NOTHING", "go", None),
]


@pytest.mark.parametrize(("name", "token", "form"), TABLE)
def test_a_transform_makes_a_form(name, token, form):
    assert EN.apply(name, token) == form


@pytest.mark.parametrize(
    ("token", "target", "name"),
    [
        ("the", "The", "CASE_CAPITAL"),
        ("goes", "went", "VERB_VBZ_VBD"),
        ("walked", "walk", "VERB_VBD_VB"),
        ("walk", "walked", "VERB_VB_VBD"),
        ("Walk", "Walked", "VERB_VB_VBD"),
        ("Walk", "walked", None),
        ("student", "students", "AGREEMENT_PLURAL"),
        ("box", "boxes", "VERB_VB_VBZ"),
        ("child", "children", None),
        ("well-known", "well known", "SPLIT_HYPHEN"),
        ("well-known", "wellknown", None),
        ("same", "same", None),
    ],
)
def test_a_change_of_form_is_explained(token, target, name):
    assert EN.explain(token, target) == name


def test_what_explains_also_makes():
    words = ["go", "goes", "went", "gone", "Going", "the", "The", "THE", "cat", "cats", "lie"]
    words += ["lay", "lying", "lies", "a-b", "a b", "found", "find", "founded", "wound", "wind"]
    explained = [(a, b, EN.explain(a, b)) for a in words for b in words]
    assert all(EN.apply(name, a) == b for a, b, name in explained if name)
    assert sum(name is not None for *_, name in explained) > 30


def test_the_released_transforms_are_there():
    verbs = {f"VERB_{a}_{b}" for a in FORMS for b in FORMS if a != b}
    others = {"CASE_LOWER", "CASE_CAPITAL", "CASE_UPPER", "CASE_CAPITAL_1", "SPLIT_HYPHEN"}
    assert verbs | others | {"AGREEMENT_PLURAL", "AGREEMENT_SINGULAR"} <= set(EN.functions)


def test_other_languages_have_none():
    assert transforms_for("zh") == Transforms()
    assert transforms_for("zh").explain("a", "A") is None


@pytest.mark.parametrize(
    ("marked", "past", "progressive", "third"),
    [
        ("stop", "stopped", "stopping", "stops"),
        ("quit", "quitted", "quitting", "quits"),
        ("quiz", "quizzed", "quizzing", "quizzes"),
        ("waltz", "waltzed", "waltzing", "waltzes"),
        ("fix", "fixed", "fixing", "fixes"),
        ("play", "played", "playing", "plays"),
        ("carry", "carried", "carrying", "carries"),
        ("agree", "agreed", "agreeing", "agrees"),
        ("panic", "panicked", "panicking", "panics"),
        ("prefer*", "preferred", "preferring", "prefers"),
        ("veto", "vetoed", "vetoing", "vetoes"),
        ("dye", "dyed", "dyeing", "dyes"),
        ("need", "needed", "needing", "needs"),
        ("tie", "tied", "tying", "ties"),
    ],
)
def test_the_rules_of_spelling(marked, past, progressive, third):
    _, pasts, progressives, _, thirds = regular(marked)
    assert (pasts[0], progressives[0], thirds[0]) == (past, progressive, third)
