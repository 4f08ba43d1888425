"""What systems made of perturbed cases: a line for each sentence, or blocks with -P lines."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from gecbench.core.errors import CorpusError, GecbenchError
from gecbench.core.files import STDIO, name_of, read_lines
from gecbench.core.perturbed import PerturbedSet, Subset, marks, samples_of
from gecbench.core.sample import Corpus, Rewrite, SystemOutput
from gecbench.formats.reading import read_system
from gecbench.formats.robustgec import Block, read_blocks, sniff
from gecbench.formats.texts import shown
from gecbench.text.script import language_of


def read_outputs(path: Path, cases: PerturbedSet, *, name: str | None = None) -> SystemOutput:
    """Return what a system made of every sentence of perturbed cases.

    Args:
        path: A file with a line for each sentence in the order of input.txt, one of blocks with
            -P lines, or one in any format of corpora (by the ids of `PerturbedSet.corpus` where
            it has ids); or a folder with a file for each subset, named after it.
        cases: What the system was run on.
        name: Of the system; None takes the name of the file or folder.

    Raises:
        FormatError: A file breaks a rule of its format; begins with path:line.
        CorpusError: Sentences are missing or too many, or are not of these cases.
    """
    if path.is_dir():
        outputs = [
            _read(file, Corpus(subset.name, samples_of(subset), cases.lang), (subset,))
            for file, subset in _files(path, cases)
        ]
        called = name_of(Path(path.resolve().name))
    else:
        outputs = [_read(path, cases.corpus(), cases.subsets)]
        called = name_of(path)
    hypotheses = {key: made for output in outputs for key, made in output.hypotheses.items()}
    tokens = {key: made for output in outputs for key, made in output.tokens.items()}
    return SystemOutput(called if name is None else name, hypotheses, tokens)


def _files(folder: Path, cases: PerturbedSet) -> list[tuple[Path, Subset]]:
    """Return the file of each subset in a system's folder."""
    found: dict[str, list[Path]] = {}
    for path in sorted(folder.iterdir()):
        if not path.name.startswith("."):
            found.setdefault(path.stem, []).append(path)
    names = [subset.name for subset in cases.subsets]
    missing = [each for each in names if each not in found]
    strange = [each for each in found if each not in names]
    if missing or strange:
        said = [f"nothing for {', '.join(missing)}"] if missing else []
        said += [f"no such subset: {', '.join(strange)}"] if strange else []
        raise GecbenchError(
            f"{folder}: {'; '.join(said)}; a system's folder has a file for each subset of "
            f"{cases.name!r}, named after it: {', '.join(f'{each}.txt' for each in names)}"
        )
    for paths in found.values():
        if len(paths) > 1:
            raise GecbenchError(
                f"{folder}: {' and '.join(path.name for path in paths)} are both of one subset; "
                "leave one"
            )
    return [(found[subset.name][0], subset) for subset in cases.subsets]


def _read(path: Path, corpus: Corpus, subsets: Sequence[Subset]) -> SystemOutput:
    # Standard input can be read once only, so it holds lines.
    lines = [] if str(path) == STDIO else read_lines(path)
    if sniff(lines):
        blocks = read_blocks(path, lines)
        _check_blocks(path, blocks, subsets)
        texts = [text for block in blocks for text in block.predictions]
        ids = [sample.id for sample in corpus.samples]
        made = {key: (Rewrite(text=text),) for key, text in zip(ids, texts, strict=True)}
        return SystemOutput(name_of(path), made)
    output = read_system(path, corpus)
    _check_likeness(path, output, corpus)
    return output


def _check_blocks(path: Path, blocks: Sequence[Block], subsets: Sequence[Subset]) -> None:
    """Refuse blocks without predictions, or of other cases."""
    cases = [case for subset in subsets for case in subset.cases]
    if not blocks[0].predictions:
        raise CorpusError(
            f"{path}: the blocks have no -P lines, so there is nothing that a system made; "
            "give its outputs, a line for each sentence of input.txt"
        )
    if len(blocks) != len(cases):
        raise CorpusError(
            f"{path}: {len(blocks)} blocks, but there are {len(cases)} cases in "
            f"{', '.join(subset.name for subset in subsets)}; give one for each, in their order"
        )
    for block, case in zip(blocks, cases, strict=True):
        width = len(case.all)
        if len(block.case.all) != width:
            raise CorpusError(
                f"{path}:{block.line}: the block has {len(block.case.variants)} variants, "
                f"case {case.id!r} has {len(case.variants)}; these are other cases"
            )
        for place, mark in enumerate(marks(width)):
            here, there = block.case.all[place], case.all[place]
            for kind, one, two in (
                ("S", here.source, there.source),
                ("T", here.reference, there.reference),
            ):
                if one.split() != two.split():
                    line = block.line + 3 * place + (kind == "T")
                    raise CorpusError(
                        f"{path}:{line}: {mark}-{kind} is {shown(one)}, but case {case.id!r} has "
                        f"{shown(two)}; these blocks are of other cases"
                    )


def _check_likeness(path: Path, output: SystemOutput, corpus: Corpus) -> None:
    """Refuse outputs of which most share almost no word with the sentence they stand for."""
    spaced = (corpus.lang or language_of(each.source for each in corpus.samples)) != "zh"
    unlike = []
    for sample in corpus.samples:
        texts = [rewrite.text for rewrite in output.hypotheses[sample.id]]
        if any(text and not _alike(sample.source, text, spaced=spaced) for text in texts):
            unlike.append(sample.id)
    if 2 * len(unlike) > len(corpus.samples):
        raise CorpusError(
            f"{path}: {len(unlike)} of {len(corpus.samples)} outputs share almost no word with "
            f"their sentence (first: {unlike[0]}); give the outputs for {corpus.name!r}, in the "
            "order of its sentences"
        )


def _alike(source: str, text: str, *, spaced: bool) -> bool:
    """Return whether two texts share a third of their words; else of their characters.

    In Chinese white space says nothing: one side may be segmented and the other not.
    """
    if source == text:
        return True
    one, two = (
        set(words) if spaced else set("".join(words)) for words in (source.split(), text.split())
    )
    return 3 * len(one & two) >= min(len(one), len(two))
