"""What the golden tests of ERRANT share: analysed sentences, and M2 blocks as it writes them."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from gecbench.core.edit import Edit, Sentence, TokenAttributes
from gecbench.lang.en.alignment import Strategy, merge, steps
from gecbench.lang.en.classify import Classifier
from gecbench.lang.en.errant import load_resources

Parse = Callable[[str], Sentence]
NOOP = "A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||"


def recorded(shared: Path) -> Parse:
    """Return the analysis of a sentence that was recorded when ERRANT ran."""
    known = {(): Sentence("", (), words=TokenAttributes((), (), ()))}
    with gzip.open(shared / "golden/errant/features.jsonl.gz", "rt", encoding="utf-8") as file:
        for line in file:
            text, rows = json.loads(line)
            tokens = tuple(text.split())
            known[tokens] = Sentence(text, tokens, words=TokenAttributes(*zip(*rows, strict=True)))
    return lambda text: known[tuple(text.split())]


def lines(path: Path) -> list[str]:
    return path.read_text("utf-8").split("\n")


def blocks(path: Path) -> list[str]:
    return [block for block in path.read_text("utf-8").split("\n\n") if block]


def extract(
    source: Sentence,
    target: Sentence,
    *,
    strategy: Strategy = "rules",
    levenshtein: bool = False,
) -> list[Edit]:
    """The automatic edits between two sentences."""
    resources = load_resources()
    classifier = Classifier(resources.dictionary, resources.stem)
    edits = []
    for span in merge(steps(source, target, levenshtein=levenshtein), source, target, strategy):
        start, end, target_start, target_end = span
        label = classifier.label(source, target, span)
        edits.append(Edit(start, end, target.tokens[target_start:target_end], label))
    return edits


def parallel(parse: Parse, sides: Sequence[Iterable[str]], **options: object) -> list[str]:
    """The blocks that errant_parallel writes for a source and its rewritings."""
    blocks = []
    for source, *targets in zip(*sides, strict=False):  # it stops at the shortest file
        if not source.strip():
            continue
        sentence = parse(source)
        block = [f"S {' '.join(sentence.tokens)}"]
        for coder, target in enumerate(targets):
            if " ".join(sentence.tokens) == target.strip():
                block.append(f"{NOOP}{coder}")
            else:
                edits = extract(sentence, parse(target), **options)
                block += [line(edit, sentence.tokens, coder) for edit in edits]
        blocks.append("\n".join(block))
    return blocks


def line(edit: Edit, source: tuple[str, ...], coder: object) -> str:
    text = edit.replacement
    if text is None:
        text = edit.alternatives[0] if edit.alternatives else source[edit.start : edit.end]
    fields = (f"A {edit.start} {edit.end}", edit.label, " ".join(text), "REQUIRED", "-NONE-")
    return "|||".join((*fields, str(coder)))
