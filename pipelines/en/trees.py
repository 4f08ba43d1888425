"""Words with heads and labels, and changing them."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a tree.

    Args:
        form: As written.
        lemma: Its base form, as the treebank has it.
        pos: Universal part of speech.
        tag: Part of speech of the Penn Treebank, which English UD keeps as its own.
        head: The place of its head in the sentence, from 0; a root is its own head.
        label: What it is to its head.
    """

    form: str
    lemma: str
    pos: str
    tag: str
    head: int
    label: str


Tree = tuple[Word, ...]


def children(tree: Tree, place: int) -> list[int]:
    """Return the places of the words below one, from left to right."""
    return [child for child, word in enumerate(tree) if word.head == place != child]


def change(tree: Tree, changes: dict[int, tuple[int, str]]) -> Tree:
    """Return the tree with other heads and labels at some places."""
    return tuple(
        replace(word, head=changes[place][0], label=changes[place][1]) if place in changes else word
        for place, word in enumerate(tree)
    )


def rehead(tree: Tree, old: int, new: int, label: str, below: str) -> Tree:
    """Return the tree where a phrase's head is another of its words.

    Args:
        tree: Any.
        old: Head of the phrase.
        new: Its child that becomes the head.
        label: Of the new head.
        below: What the old head is to the new.
    """
    head = new if tree[old].head == old else tree[old].head
    changes = {child: (new, tree[child].label) for child in children(tree, old) if child != new}
    return change(tree, changes | {new: (head, label), old: (new, below)})
