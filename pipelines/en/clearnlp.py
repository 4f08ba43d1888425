"""Universal Dependencies made into trees of ClearNLP's style, whose labels ERRANT asks for.

Each step is a function from tree to tree; README.md explains the rules one by one.
Sources: the English guidelines of Universal Dependencies 2, and the guidelines of ClearNLP's
dependency labels (Choi and Palmer 2012), whose labels spaCy's English pipelines have.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

from clearnlp_labels import NEGATIONS, labels
from trees import Tree, Word, change, children, rehead

# fmt: off
PREPOSITIONS = frozenset({
    "about", "after", "against", "at", "before", "besides", "between", "beyond", "by", "despite",
    "for", "from", "in", "instead", "into", "of", "on", "over", "since", "through", "to",
    "toward", "towards", "upon", "with", "without"
})
# fmt: on
"""What makes a prepositional phrase of a gerund; "while", "if", "as" and others do not."""

# fmt: off
_KEEPS_ITS_LABEL = frozenset({
    "root", "conj", "parataxis", "ccomp", "csubj", "appos", "list", "orphan", "reparandum",
    "discourse", "dislocated", "dep"
})
# fmt: on
# fmt: off
_CLAUSAL = frozenset({
    "advcl", "aux", "aux:pass", "csubj", "csubj:outer", "csubj:pass", "discourse", "dislocated",
    "expl", "mark", "nsubj", "nsubj:outer", "nsubj:pass", "obl:unmarked", "parataxis",
    "vocative"
})
# fmt: on
"""What belongs to the clause, not to the words of its predicate."""


def convert(tree: Tree) -> Tree:
    """Return the tree in ClearNLP's style; words, order and tags stay as they are."""
    steps: tuple[Callable[[Tree], Tree], ...] = (
        names,
        reciprocals,
        copulas,
        prepositions,
        gerunds,
        coordination,
        labels,
    )
    return reduce(lambda made, step: step(made), steps, tree)


def names(tree: Tree) -> Tree:
    """Return the tree with names headed by their last word: UD's "flat" by their first.

    Only unbroken runs of proper nouns are turned.
    """
    for first, word in enumerate(tree):
        parts = [place for place in children(tree, first) if tree[place].label == "flat"]
        if not parts or not all(tree[place].tag.startswith("NNP") for place in [first, *parts]):
            continue
        inside = set(range(first, parts[-1] + 1))
        if any(tree[place].head not in inside for place in inside - {first}):
            continue
        tree = rehead(tree, first, parts[-1], word.label, "compound")
        tree = change(tree, dict.fromkeys(parts[:-1], (parts[-1], "compound")))
    return tree


def reciprocals(tree: Tree) -> Tree:
    """Return the tree with "each other" headed by "other"."""
    for place, word in enumerate(tree):
        first = tree[word.head]
        if word.label == "fixed" and first.tag == "DT" and word.tag == "JJ":
            tree = rehead(tree, word.head, place, first.label, "det")
    return tree


def copulas(tree: Tree) -> Tree:
    """Return the tree with copulas as heads of their predicates, and so of their clauses."""
    for place, word in enumerate(tree):
        if word.label == "cop" and word.head != place:
            tree = _raise_copula(tree, place)
    return tree


def _raise_copula(tree: Tree, copula: int) -> Tree:
    predicate = tree[copula].head
    old = tree[predicate]
    others = [child for child in children(tree, predicate) if child != copula]
    outer = any(tree[child].label.endswith(":outer") for child in others)
    belongs = _is_outer if outer else _is_clausal
    words = [child for child in others if tree[child].label != "punct"]
    moved = [child for child in words if belongs(tree, child, copula)]
    last = max([predicate, *(child for child in words if child not in moved)])
    moved += [
        child
        for child in others
        if tree[child].label == "punct" and (child < copula or child > last)
    ]
    changes = {child: (copula, tree[child].label) for child in moved}
    changes[copula] = (copula if old.head == predicate else old.head, old.label)
    changes[predicate] = (copula, _predicate_label(tree, predicate, outer=outer))
    return change(tree, changes)


def _is_outer(tree: Tree, child: int, copula: int) -> bool:
    """Whether it is outside a predicate that is a clause ("the point is that he left")."""
    return tree[child].label.endswith(":outer") or child < copula


def _is_clausal(tree: Tree, child: int, copula: int) -> bool:
    """Whether it belongs to the whole clause, not to the words of its predicate."""
    word, predicate = tree[child], tree[copula].head
    if word.label in _CLAUSAL:
        return True
    if word.label == "advmod":
        near = child == predicate - 1 and tree[predicate].tag[:2] in {"JJ", "RB", "VB"}
        return word.form.lower() in NEGATIONS or child < copula or (child < predicate and not near)
    if word.label == "conj":
        below = {tree[grandchild].label for grandchild in children(tree, child)}
        return bool(below & (_CLAUSAL | {"cop"})) or word.tag in {"VBD", "VBP", "VBZ"}
    if word.label == "cc":
        return child < min(copula, predicate)
    early = child < min(copula, predicate)
    return word.label[:3] in {"obl", "obj"} and (early or tree[predicate].tag.startswith("N"))


def _predicate_label(tree: Tree, predicate: int, *, outer: bool) -> str:
    word = tree[predicate]
    if outer and word.tag[:2] in {"VB", "MD"}:
        marks = {tree[child].tag for child in children(tree, predicate)}
        return "xcomp" if "TO" in marks or word.tag == "VBG" else "ccomp"
    if outer and any(tree[child].label == "nsubj" for child in children(tree, predicate)):
        return "ccomp"
    if word.tag.startswith(("JJ", "VB")):
        return "acomp"
    return "advmod" if word.tag in {"RB", "RBR", "RBS", "WRB"} else "attr"


def prepositions(tree: Tree) -> Tree:
    """Return the tree with prepositions between a noun and its head: prep, then pobj."""
    tops: dict[int, int] = {}  # from noun to the preposition that now stands for its phrase
    for noun, word in enumerate(tree):
        cases = [
            child
            for child in children(tree, noun)
            if tree[child].label == "case" and _is_preposition(tree[child])
        ]
        if not cases:
            continue
        changes, top = _chain(tree, cases)
        head = tops.get(word.head, word.head) if word.label == "conj" else word.head
        label = word.label if word.label in _KEEPS_ITS_LABEL else "prep"
        if word.label == "obl:agent" and tree[top].form.lower() == "by":
            label = "agent"
        bottom, _ = changes.pop(noun)
        changes[top] = (top if head == noun else head, label)
        changes[noun] = (bottom, "pcomp" if word.tag[:2] in {"RB", "WR", "VB"} else "pobj")
        moved = _outside(tree, noun, top, kept=label == word.label)
        changes |= {child: (top, tree[child].label) for child in moved}
        tops[noun] = top
        tree = change(tree, changes)
    return tree


def _is_preposition(word: Word) -> bool:
    return word.tag not in {"POS", "SYM"} and word.form[:1].isalpha()


def _chain(tree: Tree, cases: list[int]) -> tuple[dict[int, tuple[int, str]], int]:
    """Return the heads inside "out of the house", where one preposition hangs on the other.

    Returns:
        Changes, with the noun's head; and the place of the uppermost preposition.
    """
    changes: dict[int, tuple[int, str]] = {}
    tops = []
    below = -1
    for place in cases:
        top, bottom, inner = _complex(tree, place)
        changes |= inner
        changes[top] = (below, "prep")
        tops.append(top)
        below = bottom
    changes[tree[cases[0]].head] = (below, "pobj")
    return changes, tops[0]


def _outside(tree: Tree, noun: int, top: int, *, kept: bool) -> list[int]:
    """Return the children of a noun that belong to its prepositional phrase as a whole.

    Args:
        tree: Before the change.
        noun: Below the preposition.
        top: The preposition.
        kept: The phrase is a clause or conjunct, which has a subject, an "and" and a full stop.
    """
    others = [child for child in children(tree, noun) if tree[child].label != "case"]
    moved = [
        child
        for child in others
        if (child < top and tree[child].label in {"advmod", "cc", "mark", "punct"})
        or (kept and tree[child].label in {"advcl", "aux", "mark", "nsubj", "parataxis"})
    ]
    stay = [child for child in others if child not in moved and tree[child].label != "punct"]
    last = max([noun, *stay])
    moved += [child for child in others if kept and tree[child].label == "punct" and child > last]
    return moved


def _complex(tree: Tree, first: int) -> tuple[int, int, dict[int, tuple[int, str]]]:
    """Return top and bottom of a preposition of several words, and what is new inside it."""
    rest = [child for child in children(tree, first) if tree[child].label == "fixed"]
    if not rest:
        return first, first, {}
    form, last = tree[first].form.lower(), rest[-1]
    if form == "such":
        return last, last, {first: (last, "amod")}
    if tree[first].tag == "IN" or form == "due":
        return first, first, dict.fromkeys(rest, (first, "pcomp"))
    return first, last, dict.fromkeys(rest, (first, "prep"))


def gerunds(tree: Tree) -> Tree:
    """Return the tree with "by doing" as a preposition and its clause: prep, then pcomp."""
    for verb, word in enumerate(tree):
        marks = [
            child
            for child in children(tree, verb)
            if tree[child].label == "mark" and tree[child].form.lower() in PREPOSITIONS
        ]
        finite = any(tree[child].label.startswith("nsubj") for child in children(tree, verb))
        if word.tag != "VBG" or finite or not marks or tree[marks[0]].tag == "TO":
            continue
        mark = marks[0]
        label = word.label if word.label in _KEEPS_ITS_LABEL else "prep"
        changes = {
            child: (mark, tree[child].label)
            for child in children(tree, verb)
            if child < mark and tree[child].label in {"advmod", "cc", "punct"}
        }
        fixed = _complex(tree, mark)[2] if tree[mark].form.lower() != "such" else {}
        changes |= fixed
        changes[mark] = (mark if word.head == verb else word.head, label)
        changes[verb] = (mark, "pcomp")
        tree = change(tree, changes)
    return tree


def coordination(tree: Tree) -> Tree:
    """Return the tree with each conjunct below the one before, and "and" below that too."""
    for first in range(len(tree)):
        conjuncts = [
            child
            for child in children(tree, first)
            if tree[child].label == "conj" and child > first
        ]
        before = first
        for conjunct in conjuncts:
            changes = {
                child: (before, tree[child].label)
                for child in children(tree, conjunct)
                if child < conjunct
                and tree[child].label in {"cc", "punct"}
                and not _quotes(tree, child)
            }
            changes[conjunct] = (before, "conj")
            tree = change(tree, changes)
            before = conjunct
    return tree


def _quotes(tree: Tree, place: int) -> bool:
    return tree[place].tag in {"``", "''", "-LRB-", "-RRB-", "HYPH"}
