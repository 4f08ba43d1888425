"""The real corpora that metrics over texts were run on."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from gecbench.api.files import load
from gecbench.core.case import Case, CaseRewrite
from gecbench.core.sample import Rewrite

MUCGEC = {
    "MuCGEC_dev example_pred": "prediction",
    "MuCGEC_dev source unchanged": "source",
    "MuCGEC_dev first reference as hypothesis": "first",
    "MuCGEC_dev first reference vs the others (sentences with >1)": "first against others",
}
NLPCC = {
    "NLPCC18 (annotator 0 of nlpcc18.gold applied) half of the edits": "half",
    "NLPCC18 source unchanged": "src",
}


def lines(path: Path) -> list[str]:
    """The lines of a file, of which the last may or may not end."""
    return path.read_text("utf-8").removesuffix("\n").split("\n")


def cases(sources: Sequence[str], hypotheses: Sequence[str], references: Sequence) -> list[Case]:
    """One case for each line; references are lists of lines, one for each annotator."""
    return [
        Case(
            str(n),
            (CaseRewrite(text=hypothesis),),
            tuple(CaseRewrite(text=r) for r in texts),
            source,
        )
        for n, (source, hypothesis, *texts) in enumerate(
            zip(sources, hypotheses, *references, strict=True), 1
        )
    ]


def jfleg(shared: Path, part: str, name: str) -> list[str]:
    return lines(shared / f"data/jfleg/{part}.{name}")


def conll(shared: Path, *annotators: int) -> list[Case]:
    """CoNLL-2014 as T5 rewrote it, with the corrections of these annotators."""
    outputs = shared / "data/seeda/outputs"
    references = [lines(shared / f"golden/errant/REF{annotator}.txt") for annotator in annotators]
    return cases(lines(outputs / "INPUT.txt"), lines(outputs / "T5.txt"), references)


@cache
def chinese(shared: Path, name: str) -> list[Case]:
    """The sentences of a run by its name in golden/cgec/char_metrics.json."""
    if name in NLPCC:
        folder = shared / "golden/m2/m2data"
        texts = {kind: lines(folder / f"nlpcc18.{kind}") for kind in ("src", "half", "ref")}
        return cases(texts["src"], texts[NLPCC[name]], [texts["ref"]])
    return mucgec(shared, MUCGEC[name])


def mucgec(shared: Path, hypothesis: str) -> list[Case]:
    predictions = lines(shared / "data/mucgec/example_pred_dev.txt")
    cases = []
    for sample, line in zip(
        load(shared / "data/mucgec/MuCGEC_dev.txt").samples, predictions, strict=True
    ):
        texts = [_written(reference, sample.source) for reference in sample.references]
        if hypothesis == "first against others":
            if len(texts) == 1:
                continue
            hypothesis_text, *texts = texts
        else:
            written = {"prediction": line.split("\t")[2], "source": sample.source}
            hypothesis_text = written.get(hypothesis, texts[0])
        versions = tuple(CaseRewrite(text=text) for text in texts)
        cases.append(Case(sample.id, (CaseRewrite(text=hypothesis_text),), versions, sample.source))
    return cases


def _written(reference: Rewrite, source: str) -> str:
    """The text of a cell as the golden figures took it.

    They overlooked that the three cells which declare a sentence impossible to annotate are no
    texts. gecbench leaves these sentences out; docs/metrics says what difference it makes.
    """
    if reference.unannotatable:
        return "无法标注"
    return reference.text if reference.text is not None else source
