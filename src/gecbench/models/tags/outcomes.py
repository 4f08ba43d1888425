"""What labels make of tokens, before anybody asks how it is written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gecbench.models.tags.labels import KEEP, Parts, parts
from gecbench.models.tags.transforms import Transforms

_JOINTS = {"SPACE": "", "HYPHEN": "-"}


class Outcome(NamedTuple):
    """What becomes of one token, or of two that changed places.

    Args:
        first: Its place among the tokens; -1 for $START.
        end: The place after the last that it stands for.
        words: What stands there now; () where it is deleted, and for $START.
        behind: What is inserted behind it; "" for nothing.
        joint: What joins it with the next word that stands; None where nothing does.
    """

    first: int
    end: int
    words: tuple[str, ...]
    behind: str = ""
    joint: str | None = None


def outcomes(tokens: Sequence[str], labels: Sequence[str], transforms: Transforms) -> list[Outcome]:
    """Return what becomes of $START and each token.

    A label that cannot be done keeps its token: one that is unknown, a transform that the token
    does not have, a merge at the end, an exchange with a token that has a label of its own,
    anything but an insertion at $START.

    Args:
        tokens: Without $START.
        labels: One for $START and one for each token.
        transforms: What labels may name.
    """
    taken = [parts(label) for label in labels]
    start, *own = taken
    behind = _plain(start.argument) if start.kind == "append" else ""
    made = [Outcome(-1, 0, (), behind)]
    for at, (token, part) in enumerate(zip(tokens, own, strict=True)):
        if at < made[-1].end:
            continue  # it has changed places with the one before
        if part.argument == "SWAP" and part.kind == "merge":
            if at + 1 < len(tokens) and labels[at + 2] == KEEP:
                made.append(Outcome(at, at + 2, (tokens[at + 1], token)))
            else:
                made.append(Outcome(at, at + 1, (token,)))
        else:
            made.append(_outcome(at, token, part, transforms))
    return made


def _outcome(at: int, token: str, part: Parts, transforms: Transforms) -> Outcome:
    kept = Outcome(at, at + 1, (token,))
    match part.kind:
        case "delete":
            return kept._replace(words=())
        case "append":
            return kept._replace(behind=_plain(part.argument))
        case "replace":
            return kept._replace(words=tuple(part.argument.split()) or (token,))
        case "transform":
            made = transforms.apply(part.argument, token)
            return kept._replace(words=tuple((made or token).split()))
        case "merge":
            return kept._replace(joint=_JOINTS[part.argument])
    return kept


def _plain(argument: str) -> str:
    return " ".join(argument.split())
