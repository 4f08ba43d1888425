"""The scheme zh-cherrant: exactly ChERRANT's edits at character level."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal

from gecbench.core.edit import Edit
from gecbench.core.errors import MissingExtraError
from gecbench.core.scheme import Extraction, Scheme
from gecbench.core.sentence import Sentence
from gecbench.edits.align import lattice
from gecbench.edits.features import FeatureCosts
from gecbench.edits.sets import edit_sets
from gecbench.lang.zh.merge import windows
from gecbench.lang.zh.parse import join, parse
from gecbench.lang.zh.resources import load_costs

Strategy = Literal["all", "first"]

_LABELS = {"T": "W", "D": "R", "I": "M", "S": "S"}

_SINGLE_PATH_ABOVE = 10
"""Lengths that differ by more tokens than this have one alignment only (alignment.py)."""


def scheme(
    *,
    strategy: Strategy = "all",
    simplify: bool = True,
    resource: Callable[[str], bytes],
    cache: Path,
    say: Callable[[str], None],
) -> Scheme:
    """Return the scheme.

    Args:
        strategy: "all" keeps each distinct edit set of the co-optimal alignments, "first" the
            first one.
        simplify: Convert targets, never sources, to simplified characters by OpenCC t2s, as
            ChERRANT does.
        resource: Verified content of a file of the data set "cherrant", by its name.
        cache: Folder for the compiled resources.
        say: Told once when resources are compiled.

    Raises:
        MissingExtraError: OpenCC or pypinyin is needed and absent.
    """
    costs = load_costs(resource, cache, say)
    simplified, opencc = _simplifier() if simplify else (_unchanged, "none")

    def parse_target(text: str) -> Sentence:
        return parse(simplified("".join(text.split())))  # phrases may span white space

    def extract(source: Sentence, target: Sentence) -> Extraction:
        return _extract(source, target, costs, first=strategy == "first")

    made = costs.provenance
    return Scheme(
        name="zh-cherrant",
        lang="zh",
        parse_source=parse,
        parse_target=parse_target,
        extract=extract,
        join=join,
        signature={
            "scheme": "zh-cherrant",
            "granularity": "char",
            "strategy": strategy,
            "simplify": f"t2s(opencc {opencc})" if simplify else "no",
            "cilin": made["cilin"],
            "confusion": made["confusion"],
            "pypinyin": made["pypinyin"],
        },
    )


def _unchanged(text: str) -> str:
    return text


def _simplifier() -> tuple[Callable[[str], str], str]:
    try:
        import opencc  # 14 ms that the other scheme need not pay
    except ImportError:
        raise MissingExtraError("OpenCC, which zh-cherrant simplifies targets by,", "zh") from None
    converter = opencc.OpenCC("t2s")
    convert: Callable[[str], str] = converter.convert
    return convert, str(opencc.__version__)


def _extract(source: Sentence, target: Sentence, costs: FeatureCosts, *, first: bool) -> Extraction:
    if source.codes == target.codes:
        return Extraction(((),))
    n, m = len(source.tokens), len(target.tokens)
    found = edit_sets(
        lattice(source.codes, target.codes, costs),
        n,
        m,
        window=windows(source.tokens, target.tokens),
        first=first or abs(n - m) > _SINGLE_PATH_ABOVE,
    )
    # ChERRANT then drops edits whose two sides are equal and trims common ends of
    # substitutions. At character level neither can occur: matching equal ends costs strictly
    # less than any alignment that does not, as each substitution costs between 0 and 2.
    sets = [
        tuple(
            [
                Edit(start, end, target.tokens[target_start:target_end], _LABELS[kind])
                for kind, start, end, target_start, target_end in segments
            ]
        )
        for segments in found.sets
    ]
    return Extraction(tuple(sets), capped=found.capped)
