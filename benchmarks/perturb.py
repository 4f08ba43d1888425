"""Cases per second of `gecbench perturb`: words of similar frequency, and a masked model.

The model is a BERT of the asked size with random weights and the words of the cases; what it
offers is nonsense, what it costs is not.

    python benchmarks/perturb.py --cases robustgec --limit 300 --size base
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

from measure import load, machine

from gecbench.api.files import sample
from gecbench.api.robustness import load_perturbed
from gecbench.api.training_data import perturb
from gecbench.api.verb_options import PerturbOptions
from gecbench.core.perturbed import PerturbedSet

_SIZES = {"tiny": (2, 64, 2), "base": (12, 768, 12)}
_VOCABULARY = 28_996  # of bert-base-cased


def write_bert(folder: Path, cases: PerturbedSet, size: str) -> Path:
    """Write a masked model with random weights."""
    from transformers import BertConfig, BertForMaskedLM, BertTokenizer
    from transformers.utils import logging

    logging.disable_progress_bar()
    often = Counter(word for case in cases.cases for word in case.original.reference.split())
    words = [word for word, _ in often.most_common(_VOCABULARY // 2)]
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *dict.fromkeys(words)]
    words += [f"##{n}" for n in range(_VOCABULARY - len(words))]
    vocabulary = {word: n for n, word in enumerate(words)}
    BertTokenizer(vocab=vocabulary, do_lower_case=False).save_pretrained(folder)
    layers, width, heads = _SIZES[size]
    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=width,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        intermediate_size=4 * width,
    )
    BertForMaskedLM(config).save_pretrained(folder)
    return folder


def measure(what: str, cases: PerturbedSet, options: PerturbOptions) -> None:
    """Print a line for one run in this process, loading included."""
    started, cpu = time.perf_counter(), time.process_time()
    perturbed = perturb(cases, options=options)
    wall, cpu = time.perf_counter() - started, time.process_time() - cpu
    print(
        f"{what}: {wall:.1f} s ({cpu:.1f} CPU), {perturbed.report.cases / wall:.0f} cases/s by the "
        f"clock, {perturbed.report.cases / cpu:.0f} by CPU"
    )


def main() -> None:
    """Print a line for each filler."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=Path, help="perturbed cases; else the samples")
    parser.add_argument("--limit", type=int, default=300, help="cases for the masked model")
    parser.add_argument("--size", choices=_SIZES, default="tiny")
    parser.add_argument("--device", default="")
    arguments = parser.parse_args()
    cases = load_perturbed(arguments.cases or sample("en", "perturbed.txt"))
    first = cases.subsets[0]
    few = replace(cases, subsets=(replace(first, cases=first.cases[: arguments.limit]),))
    print(f"{machine()}; load {load()}; {len(cases.cases)} cases, {sys.version.split()[0]}")
    measure("frequency, no parts of speech", cases, PerturbOptions(pos=False))
    measure("frequency and parts of speech", cases, PerturbOptions())
    with tempfile.TemporaryDirectory() as name:
        place = write_bert(Path(name), cases, arguments.size)
        options = PerturbOptions(filler=f"mask:{place}", device=arguments.device)
        print(f"BERT, {arguments.size}, {len(few.cases)} cases:")
        measure("mask, random insertions", few, options)
        measure("mask, insertions filled", few, replace(options, insertion="fill"))


if __name__ == "__main__":
    main()
