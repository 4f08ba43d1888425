"""Measures inference of models of real size against the plain loop that people write.

    python benchmarks/models/inference.py tagger --texts MuCGEC_dev.txt
    python benchmarks/models/inference.py seq2seq --sentences 48

Weights are random, which costs nothing but the meaning: figures of agreement are about
near-ties of random weights; `gecbench export` says it of trained ones. The plain loop is what the
documentation of transformers shows: sentences in their order, batches padded to their longest,
32-bit weights, eager.
"""

from __future__ import annotations

import argparse
import os
import shutil
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import torch
from made import encoder_decoder, sentences, seq2seq, tagger
from transformers import AutoModel, AutoTokenizer, BartForConditionalGeneration

from gecbench.api.train import export
from gecbench.models import load_corrector

ROW = "| {} | {:.1f} | {:.2f} | {} |"


def main() -> None:
    """Print a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("what", choices=["tagger", "seq2seq"])
    parser.add_argument("--texts", type=Path, help="A corpus; else the bundled sentences.")
    parser.add_argument("--sentences", type=int, default=256)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--layers", type=int)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--beams", type=int, default=5)
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--scratch", type=Path, default=Path("bench-models"))
    arguments = parser.parse_args()
    arguments.scratch.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(arguments.threads)
    texts = sentences(arguments.texts, arguments.sentences)
    average = sum(map(len, texts)) / len(texts)
    print(f"{len(texts)} sentences, {average:.1f} characters each; {arguments.threads} threads\n")
    print("| what | sentences/s | times the plain loop | |")
    print("|---|---:|---:|---|")
    (_tagger if arguments.what == "tagger" else _seq2seq)(arguments, texts)


def _timed(work: Callable[[], object], runs: int) -> float:
    """Return the least seconds of some runs, after one that warms up."""
    work()
    seconds = []
    for _ in range(runs):
        started = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - started)
    return min(seconds)


def _tagger(arguments: argparse.Namespace, texts: Sequence[str]) -> None:
    folder = tagger(arguments.scratch, arguments.layers or 12)
    tokenizer = AutoTokenizer.from_pretrained(arguments.scratch / "encoder")
    model = AutoModel.from_pretrained(arguments.scratch / "encoder", use_safetensors=True).eval()
    plain = _timed(lambda: _plain_tagger(arguments, texts, tokenizer, model), arguments.runs)
    print(ROW.format("plain loop of transformers, fp32", len(texts) / plain, 1, ""))
    out = arguments.scratch / "tagger-int8"
    shutil.rmtree(out, ignore_errors=True)
    agreement = export(folder, out, texts=list(texts[:64]))
    # So certain of keeping that nothing is edited: one round, the same work as the plain loop.
    calm = {"rounds": 1, "keep_bias": 1.0, "threads": arguments.threads}
    for name, place in (("gecbench, torch fp32", folder), ("gecbench, ONNX int8", out)):
        options = calm if place is out else {**calm, "batch_size": arguments.batch}
        corrector = load_corrector(f"tagger:{place}", options)
        seconds = _timed(lambda corrector=corrector: corrector.correct(texts), arguments.runs)
        note = str(agreement) if place is out else ""
        print(ROW.format(name, len(texts) / seconds, plain / seconds, note))
        corrector.close()


@torch.inference_mode()
def _plain_tagger(
    arguments: argparse.Namespace, texts: Sequence[str], tokenizer: object, model: torch.nn.Module
) -> None:
    """Do what a loop over batches does: the encoder, two heads, the best label of each token."""
    labels, detection = torch.nn.Linear(768, 7375), torch.nn.Linear(768, 2)
    for at in range(0, len(texts), arguments.batch):
        words = [list("".join(text.split())) for text in texts[at : at + arguments.batch]]
        batch = tokenizer(words, is_split_into_words=True, padding=True, return_tensors="pt")
        hidden = model(**batch).last_hidden_state
        labels(hidden).softmax(-1).max(-1)
        detection(hidden).softmax(-1)


def _seq2seq(arguments: argparse.Namespace, texts: Sequence[str]) -> None:
    layers = arguments.layers or 6
    folder = seq2seq(arguments.scratch, layers)
    if not (arguments.scratch / "bart").exists():
        encoder_decoder(arguments.scratch / "bart", layers)
    # Equally long, so that both say equally much: random weights do not end by themselves.
    joined = "".join("".join(texts).split())
    equal = [joined[k * 42 : k * 42 + 42] for k in range(min(len(texts), len(joined) // 42))]
    most = _limit(folder, equal)
    tokenizer = AutoTokenizer.from_pretrained(arguments.scratch / "bart")
    model = BartForConditionalGeneration.from_pretrained(
        arguments.scratch / "bart", use_safetensors=True
    ).eval()
    plain = _timed(lambda: _plain_seq2seq(arguments, equal, most, tokenizer, model), arguments.runs)
    print(
        ROW.format(
            f"plain `generate`, beams {arguments.beams}, fp32",
            len(equal) / plain,
            1,
            f"{most} new tokens each",
        )
    )
    out = arguments.scratch / "seq2seq-int8"
    shutil.rmtree(out, ignore_errors=True)
    agreement = export(folder, out, texts=equal[:8])
    options = {
        "beams": arguments.beams,
        "batch_size": arguments.batch,
        "threads": arguments.threads,
    }
    for name, place in (("gecbench, torch fp32", folder), ("gecbench, CTranslate2 int8", out)):
        corrector = load_corrector(f"seq2seq:{place}", options)
        seconds = _timed(lambda corrector=corrector: corrector.correct(equal), arguments.runs)
        note = str(agreement) if place is out else ""
        print(ROW.format(name, len(equal) / seconds, plain / seconds, note))
        corrector.close()


def _limit(folder: Path, texts: Sequence[str]) -> int:
    """Return how many new tokens gecbench allows each of these equally long texts."""
    corrector = load_corrector(f"seq2seq:{folder}", {"beams": 1})
    lengths: list[int] = []
    search = corrector.search
    original = type(search).answers

    def watching(self: object, sources: Sequence[Sequence[int]], most: int) -> object:
        lengths.append(most)
        return original(self, sources, most)

    type(search).answers = watching
    try:
        corrector.correct(texts[:1])
    finally:
        type(search).answers = original
    return lengths[0]


@torch.inference_mode()
def _plain_seq2seq(
    arguments: argparse.Namespace,
    texts: Sequence[str],
    most: int,
    tokenizer: object,
    model: torch.nn.Module,
) -> None:
    for at in range(0, len(texts), arguments.batch):
        batch = tokenizer(list(texts[at : at + arguments.batch]), padding=True, return_tensors="pt")
        batch.pop("token_type_ids", None)
        model.generate(**batch, num_beams=arguments.beams, max_new_tokens=most)


if __name__ == "__main__":
    main()
