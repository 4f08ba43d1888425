"""Lemmas: the rules of spaCy's English lemmatizer, and closed classes as in the treebank."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from trees import Tree

if TYPE_CHECKING:
    from spacy.language import Language

BASE_FORMS = {
    "JJ": "Degree=Pos",
    "NN": "Number=Sing",
    "NNP": "Number=Sing",
    "VB": "VerbForm=Inf",
    "VBP": "Tense=Pres|VerbForm=Fin",
}
"""What spaCy's rules know base forms by, which they leave as they are.

Other tags get no features: each rule costs time, and nobody asks for them.
"""

CLOSED = ("AUX", "PART", "PRON")

SEEN_OFTEN = 8
"""Rarer lemmas of closed classes are mostly of misspelt words, as "the" for "they"."""


def add_lemmas(nlp: Language, trees: Iterable[Tree]) -> None:
    """Give a trained pipeline its lemmas.

    Args:
        nlp: Has a tagger and a morphologizer; is changed.
        trees: The treebank's part for training.
    """
    ruler: Any = nlp.add_pipe("attribute_ruler", before="parser")
    for tag, features in BASE_FORMS.items():
        # An auxiliary may be short in any form: "I should 've".
        pattern = {"TAG": tag, "POS": {"NOT_IN": ["AUX"]}} if tag == "VB" else {"TAG": tag}
        ruler.add(patterns=[[pattern]], attrs={"MORPH": features})
    lemmatizer: Any = nlp.add_pipe("lemmatizer", config={"mode": "rule"}, before="parser")
    lemmatizer.initialize(nlp=nlp)
    closed = closed_lemmas(trees)
    for pos in CLOSED:
        exceptions = {form: [lemma] for (form, its), lemma in sorted(closed.items()) if its == pos}
        lemmatizer.lookups.get_table("lemma_exc")[pos.lower()] = exceptions
        # Without a rule, what is no exception would keep its capitals.
        lemmatizer.lookups.get_table("lemma_rules")[pos.lower()] = [["", ""]]


def closed_lemmas(trees: Iterable[Tree]) -> dict[tuple[str, str], str]:
    """Return the lemmas of auxiliaries, particles and personal pronouns that are not their form.

    Returns:
        The most frequent lemma by lower form and universal part of speech.
    """
    seen: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for word in (word for tree in trees for word in tree):
        if word.pos in {"AUX", "PART"} or (word.pos == "PRON" and word.tag == "PRP"):
            seen[word.form.lower(), word.pos][word.lemma] += 1
    best = {key: lemmas.most_common(1)[0] for key, lemmas in seen.items()}
    return {key: lemma for key, (lemma, n) in best.items() if n >= SEEN_OFTEN and lemma != key[0]}
