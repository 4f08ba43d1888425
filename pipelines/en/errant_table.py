"""ERRANT's F0.5 of systems, made with several pipelines through the errant package itself."""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

from figures import BATCH

Lines = Sequence[str]

PUBLISHED = {
    "BERT-fuse": 58.99,
    "GECToR-BERT": 58.05,
    "GECToR-ens": 61.43,
    "INPUT": 0.0,
    "LM-Critic": 52.38,
    "PIE": 55.89,
    "REF-F": 33.24,
    "REF-M": 54.77,
    "Riken-Tohoku": 61.88,
    "T5": 60.65,
    "TemplateGEC": 51.34,
}
"""SEEDA's table of scores (README of tmu-nlp/SEEDA, commit 0c6c07f), made with en_core_web_sm."""


def main() -> None:
    """Print a table for each kind of references: a row for a system, a column for a pipeline."""
    asked = _arguments()
    systems = {path.stem: _lines(path) for path in sorted(asked.systems.glob("*.txt"))}
    texts: dict[str, dict[str, float]] = {}
    gold: dict[str, dict[str, float]] = {}
    for name in asked.pipelines:
        before = time.process_time()
        annotator = _Annotator(name)
        source = systems["INPUT"]
        references = [_lines(path) for path in asked.references]
        annotator.analyse([line for lines in (*references, *systems.values()) for line in lines])
        found = {
            system: list(annotator.edits([source, lines])) for system, lines in systems.items()
        }
        texts[name] = _scores(list(annotator.edits([source, *references])), found)
        gold[name] = _scores(annotator.gold(asked.gold), found)
        print(f"{name}: {time.process_time() - before:.0f} s of CPU", flush=True)
    print("\nReferences: edits found between the texts, for both annotators alike\n")
    _show(list(systems), texts)
    print("\nReferences: the annotators' own M2, edits found again by errant_m2 -auto\n")
    _show(list(systems), gold)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pipelines", nargs="+", help="folders, or names of installed pipelines")
    parser.add_argument("--systems", type=Path, required=True, help="folder of outputs, *.txt")
    parser.add_argument("--references", type=Path, nargs="+", required=True, help="texts")
    parser.add_argument("--gold", type=Path, required=True, help="the same as M2: conll14.gold")
    return parser.parse_args()


def _lines(path: Path) -> list[str]:
    return path.read_text("utf-8").rstrip("\n").split("\n")


def _scores(gold: Lines, systems: dict[str, list[str]]) -> dict[str, float]:
    return {name: _f(gold, found) for name, found in systems.items()}


class _Annotator:
    """The errant package's annotator, which analyses each text once."""

    def __init__(self, pipeline: str) -> None:
        import errant
        import spacy

        self._nlp = spacy.load(pipeline)
        self._errant: Any = errant.load("en", self._nlp)
        self._docs: dict[str, Any] = {}

    def analyse(self, lines: Sequence[str]) -> None:
        """Analyse texts, in batches."""
        from spacy.tokens import Doc

        texts = list(dict.fromkeys(lines))
        made = (Doc(self._nlp.vocab, words=text.split()) for text in texts)
        self._docs = dict(zip(texts, self._nlp.pipe(made, batch_size=BATCH), strict=True))

    def edits(self, texts: Sequence[Lines]) -> Iterator[str]:
        """Yield each sentence's block of M2, as errant_parallel writes it.

        Args:
            texts: The source, then its rewritings.
        """
        for source, *targets in zip(*texts, strict=True):
            block = [f"S {source}"]
            for coder, target in enumerate(targets):
                if target == source:
                    block.append(f"A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||{coder}")
                    continue
                found = self._errant.annotate(self._docs[source], self._docs[target])
                block += [edit.to_m2(coder) for edit in found]
            yield "\n".join(block)

    def gold(self, path: Path) -> list[str]:
        """Return the blocks that errant_m2 -auto makes of an M2 file."""
        import errant
        from errant.commands import m2_to_m2

        with tempfile.TemporaryDirectory() as folder:
            made = Path(folder, "made.m2")
            words = ["errant_m2", "-auto", str(path), "-out", str(made)]
            with (
                mock.patch.object(errant, "load", return_value=self._errant),
                mock.patch.object(sys, "argv", words),
                contextlib.redirect_stdout(io.StringIO()),
            ):
                m2_to_m2.main()
            return made.read_text("utf-8").strip().split("\n\n")


def _f(gold: Sequence[str], found: Sequence[str]) -> float:
    """Return F0.5 in percent, by the functions of errant_compare."""
    from errant.commands import compare_m2

    asked = SimpleNamespace(
        beta=0.5, verbose=False, dt=False, ds=False, cs=True, cse=False, single=False, multi=False,
        filt=[], cat=None,
    )  # fmt: skip
    best = {"tp": 0, "fp": 0, "fn": 0}
    for number, blocks in enumerate(zip(found, gold, strict=True)):
        edits = [
            compare_m2.process_edits(compare_m2.simplify_edits(block), asked) for block in blocks
        ]
        counts, _ = compare_m2.evaluate_edits(*edits, best, number, "", asked)
        best = {key: best[key] + counts[key] for key in best}
    return 100 * float(compare_m2.computeFScore(*best.values(), 0.5)[2])


def _show(systems: Sequence[str], columns: dict[str, dict[str, float]]) -> None:
    shown = {"published": PUBLISHED} | columns
    print("| system | " + " | ".join(shown) + " |")
    print("|---" + "|--:" * len(shown) + "|")
    for system in systems:
        cells = [f"{column[system]:.2f}" for column in shown.values()]
        print(f"| {system} | " + " | ".join(cells) + " |")
    for name, column in columns.items():
        for other in ["published", *(known for known in columns if known < name)]:
            apart = [abs(column[system] - shown[other][system]) for system in systems]
            print(f"{name} to {other}: mean {sum(apart) / len(apart):.2f}, most {max(apart):.2f}")


if __name__ == "__main__":
    main()
