"""Train gecbench's small English pipeline from UD English EWT; README.md says how and why."""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import tempfile
import time
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from clearnlp import convert
from figures import figures
from lemmas import BASE_FORMS, add_lemmas
from treebank import PARTS, part
from trees import Tree

if TYPE_CHECKING:
    from spacy.language import Language

HERE = Path(__file__).parent
NAME, VERSION = "gecbench_small", "1.0.0"
SOURCES = [
    {
        "name": "UD English EWT (Silveira et al. 2014)",
        "url": "https://github.com/UniversalDependencies/UD_English-EWT",
        "license": "CC BY-SA 4.0",
    },
    {
        "name": "English tables of spacy-lookups-data, from WordNet 3.0",
        "url": "https://github.com/explosion/spacy-lookups-data",
        "license": "MIT; WordNet License",
    },
]
MOST_BYTES = 8_000_000


def main() -> None:
    """Train, evaluate and write the pipeline."""
    asked = _arguments()
    trees = {name: part(asked.treebank, name) for name in PARTS}
    before = time.process_time()
    nlp = train(trees, seed=asked.seed, config=asked.config)
    seconds = time.process_time() - before
    add_lemmas(nlp, trees["train"])
    _describe(nlp, asked.seed, seconds)
    write(nlp, asked.output)
    _evaluate(asked.output, trees)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--treebank", type=Path, required=True, help="folder of the .conllu files")
    parser.add_argument("--output", type=Path, required=True, help="folder; replaced if there")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--config", type=Path, default=HERE / "config.cfg")
    return parser.parse_args()


def train(trees: Mapping[str, Sequence[Tree]], *, seed: int, config: Path) -> Language:
    """Return a trained tagger, morphologizer and parser.

    Args:
        trees: Unconverted, by part; "train" is learnt from, "dev" chooses the best step.
        seed: Of weights, order and dropout.
        config: spaCy's, without paths.
    """
    from spacy import util
    from spacy.training.initialize import init_nlp
    from spacy.training.loop import train as loop

    _one_thread()
    with tempfile.TemporaryDirectory() as folder:
        paths = {f"paths.{name}": str(Path(folder, f"{name}.spacy")) for name in ("train", "dev")}
        for name in ("train", "dev"):
            _write_docs(trees[name], Path(paths[f"paths.{name}"]))
        settings = util.load_config(
            config, overrides={**paths, "system.seed": seed}, interpolate=False
        )
        random.seed(seed)
        nlp = init_nlp(settings)
        made = Path(folder, "made")
        made.mkdir()
        loop(nlp, made)
        return util.load_model(made / "model-best")


def _one_thread() -> None:
    """Keep sums in one order: with several threads they differ in the last digits."""
    for name in ("OMP_NUM_THREADS", "BLIS_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[name] = "1"


def _write_docs(trees: Sequence[Tree], path: Path) -> None:
    from spacy.tokens import Doc, DocBin
    from spacy.vocab import Vocab

    vocab = Vocab()
    docs = DocBin(attrs=["TAG", "POS", "HEAD", "DEP"])
    for tree in map(convert, trees):
        docs.add(
            Doc(
                vocab,
                words=[word.form for word in tree],
                tags=[word.tag for word in tree],
                pos=[word.pos for word in tree],
                heads=[word.head for word in tree],
                deps=[word.label for word in tree],
            )
        )
    docs.to_disk(path)


def _describe(nlp: Language, seed: int, seconds: float) -> None:
    """Set what meta.json says, and take the machine's paths out of config.cfg."""
    nlp.config["paths"] = dict.fromkeys(nlp.config["paths"])
    nlp.meta.update(
        name=NAME,
        version=VERSION,
        spacy_version=">=3.8.0,<3.9.0",  # any other, and spaCy warns
        description="Tags, lemmas and ClearNLP dependencies of English, for ERRANT's edits.",
        author="The gecbench authors",
        license="CC BY-SA 4.0",
        sources=SOURCES,
        training={
            "command": "python pipelines/en/train.py --treebank FOLDER --output FOLDER",
            "seed": seed,
            "cpu_seconds": round(seconds),
            "spacy": version("spacy"),
            "thinc": version("thinc"),
            "numpy": version("numpy"),
            "spacy-lookups-data": version("spacy-lookups-data"),
        },
    )


def write(nlp: Language, folder: Path) -> None:
    """Write a pipeline, with the strings it needs and no others, and its licences.

    Raises:
        ValueError: The folder has become larger than a package should bring.
    """
    if folder.exists():
        shutil.rmtree(folder)
    nlp.to_disk(folder)
    _prune_strings(nlp, folder / "vocab" / "strings.json")
    for text in sorted((HERE / "licences").iterdir()):
        shutil.copyfile(text, folder / text.name)
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    if size > MOST_BYTES:
        raise ValueError(f"{folder}: {size} bytes; at most {MOST_BYTES} are bundled")


def _prune_strings(nlp: Language, path: Path) -> None:
    """Forget the words of the treebank: only the names of labels are looked up by their code."""
    from spacy.lang.en import English

    labels = {label for component in nlp.pipe_labels.values() for label in component}
    kept = set(English().vocab.strings) | labels | set(BASE_FORMS.values())
    path.write_text(json.dumps(sorted(kept), ensure_ascii=False, indent=0), encoding="utf-8")


def _evaluate(folder: Path, trees: Mapping[str, Sequence[Tree]]) -> None:
    """Write eval.json: figures of what lies on disk, not of what is in memory."""
    import spacy

    nlp = spacy.load(folder)
    made = {name: figures(nlp, trees[name]) for name in ("dev", "test")}
    (folder / "eval.json").write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(made, indent=1))


if __name__ == "__main__":
    main()
