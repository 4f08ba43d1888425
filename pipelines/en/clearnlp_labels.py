"""The labels of Universal Dependencies put into those of ClearNLP."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from trees import Tree, children

NEGATIONS = frozenset({"not", "n't", "n’t", "nt", "never"})

# fmt: off
SAME = frozenset({
    "acl", "acomp", "advcl", "advmod", "agent", "amod", "appos", "attr", "aux", "case", "cc",
    "ccomp", "compound", "conj", "csubj", "dative", "dep", "det", "dobj", "mark", "nmod",
    "nsubj", "nummod", "oprd", "parataxis", "pcomp", "pobj", "poss", "prep", "punct", "quantmod",
    "xcomp"
})
# fmt: on
"""Labels that both schemes have, or that earlier steps have given."""

LABELS = {
    "acl:relcl": "relcl",
    "advcl:relcl": "advcl",
    "aux:pass": "auxpass",
    "cc:preconj": "preconj",
    "compound:prt": "prt",
    "cop": "dep",
    "csubj:outer": "csubj",
    "csubj:pass": "csubjpass",
    "det:predet": "predet",
    "discourse": "intj",
    "dislocated": "dep",
    "goeswith": "dep",
    "iobj": "dative",
    "list": "dep",
    "nmod:desc": "compound",
    "nmod:poss": "poss",
    "nmod:unmarked": "npadvmod",
    "nsubj:outer": "nsubj",
    "nsubj:pass": "nsubjpass",
    "obj": "dobj",
    "obl": "npadvmod",
    "obl:agent": "npadvmod",
    "obl:unmarked": "npadvmod",
    "orphan": "dep",
    "reparandum": "dep",
    "root": "ROOT",
    "vocative": "npadvmod",
}


def labels(tree: Tree) -> Tree:
    """Return the tree with the remaining labels of UD put into ClearNLP's."""
    return tuple(replace(word, label=_label(tree, place)) for place, word in enumerate(tree))


def _label(tree: Tree, place: int) -> str:
    word = tree[place]
    special = _SPECIAL.get(word.label)
    if special:
        return special(tree, place)
    return word.label if word.label in SAME else LABELS[word.label]


def _mark(tree: Tree, place: int) -> str:
    return "aux" if tree[place].tag == "TO" else "mark"


def _advmod(tree: Tree, place: int) -> str:
    word = tree[place]
    if word.form.lower() in NEGATIONS:
        return "neg"
    return "quantmod" if tree[word.head].tag == "CD" and place < word.head else "advmod"


def _expletive(tree: Tree, place: int) -> str:
    return "expl" if tree[place].form.lower() == "there" else "nsubj"


def _flat(tree: Tree, place: int) -> str:
    return "nummod" if tree[place].tag == "CD" else "compound"


def _xcomp(tree: Tree, place: int) -> str:
    word = tree[place]
    with_object = any(
        tree[child].label in {"obj", "dobj"} and child < place
        for child in children(tree, word.head)
    )
    if word.tag.startswith("JJ"):
        return "oprd" if with_object else "acomp"
    if word.tag.startswith("NN"):
        return "oprd" if with_object else "attr"
    return "xcomp"


def _fixed(tree: Tree, place: int) -> str:
    word, first = tree[place], tree[tree[place].head]
    if word.tag in {"IN", "RP"}:
        if first.label == "mark":
            return "mark"
        return "quantmod" if first.tag == "JJR" else "prep"
    if word.tag == "NN":
        return "advmod" if first.label == "advmod" else "pobj"
    by_tag = {"RB": "advmod", "DT": "det", "TO": "aux", "CC": "cc", "JJ": "amod"}
    return by_tag.get(word.tag, "dep")


_SPECIAL: dict[str, Callable[[Tree, int], str]] = {
    "advmod": _advmod,
    "expl": _expletive,
    "fixed": _fixed,
    "flat": _flat,
    "mark": _mark,
    "xcomp": _xcomp,
}
