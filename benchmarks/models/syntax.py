"""Trains parsers and correctors, with and without syntax, on made errors, and scores both.

    nice python benchmarks/models/syntax.py --ewt ud_english_ewt --fce fce.m2 --folder FOLDER

A third of UD English EWT's training sentences teaches a parser: their trees, projected onto two
versions with made errors. The other two thirds, in other versions, teach a tiny BART with random
weights to correct. From there it goes on twice for each seed, with as many steps and the same new
layers: once with the parser's trees, once with a parser that parses nothing, so that in these
layers each word sees itself alone. All weights learn. What is scored is made errors in EWT's test
part, and learners' errors in FCE.
Everything runs on one core; what is in the folder already is not done again.

With --speed instead: what the graph encoder costs a BART of the size of "base" with random weights,
for given trees, in CPU time.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from measure import machine, run_once

import gecbench
from gecbench.core.files import read_lines, write_text
from gecbench.core.score import Counts
from gecbench.models.syntax.parser import Parse, Parser, read_parser
from gecbench.models.syntax.trees import conllu_lines, read_conllu
from gecbench.models.tagger.encoding import TaggerEncoding

LONGEST = 25
"""Words of a sentence."""
VERSIONS = 12
"""Of each sentence, with other errors, for the encoder-decoder."""
MORE = 8000
"""Pairs that the correctors learn from after it."""
TEST = 650
"""Sentences of EWT's test part that errors are made in, and of FCE's."""
TRAINING = {"schedule": "linear", "threads": 1, "patience": 0, "log_every": 100}
MODEL = {"max_length": 40, "correcting": {"beams": 2}}
SYSTEMS = ("encoder-decoder alone", "new layers without trees", "new layers with trees")


def main() -> None:
    """Train what is not trained yet, and print tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ewt", type=Path, required=True, help="folder of UD English EWT")
    parser.add_argument("--fce", type=Path, help="FCE's test part, M2")
    parser.add_argument("--speed", action="store_true", help="measure speed alone")
    parser.add_argument("--folder", type=Path, required=True, help="for all that is made")
    parser.add_argument("--seeds", type=int, default=3)
    args = parser.parse_args()
    folder = args.folder
    folder.mkdir(parents=True, exist_ok=True)
    prepare(args.ewt, folder)
    if args.speed:
        train_parser(folder, 1)
        speed(folder)
        return
    if not args.fce:
        parser.error("--fce is needed, but for --speed")
    write_short(args.fce, folder / "fce.m2")
    base = train_base(folder)
    scores: dict[tuple[str, str], list[tuple[float, ...]]] = {}
    label_scores = []
    for seed in range(1, args.seeds + 1):
        label_scores.append(train_parser(folder, seed))
        places = (base, *train_correctors(folder, seed))
        for system, place in zip(SYSTEMS, places, strict=True):
            for corpus in ("test.jsonl", "fce.m2"):
                score = correct(folder, place, folder / corpus)
                scores.setdefault((system, corpus), []).append(score)
    print(f"{machine()}; {args.seeds} seeds\n")
    print("| parser | UAS | LAS | F of `S` | of `R` | of `M` |\n|---|---:|---:|---:|---:|---:|")
    print(f"| made errors in EWT's dev part | {shown(label_scores)} |\n")
    print("| corrector | errors | P | R | F0.5 |\n|---|---|---:|---:|---:|")
    for (system, corpus), rows in scores.items():
        print(f"| {system} | {'made' if corpus == 'test.jsonl' else 'FCE'} | {shown(rows)} |")


def shown(rows: Sequence[Sequence[float]]) -> str:
    """Return means and standard deviations as cells of a table, percent."""
    cells = []
    for values in zip(*rows, strict=True):
        spread = statistics.stdev(values) if len(values) > 1 else 0.0
        cells.append(f"{100 * statistics.fmean(values):.2f} ± {100 * spread:.2f}")
    return " | ".join(cells)


def gecbench_command(*words: object) -> str:
    """Run a command of gecbench, and return what it says."""
    return run_once([sys.executable, "-m", "gecbench", *map(str, words)]).output


def prepare(ewt: Path, folder: Path) -> None:
    """Write sentences with errors, their trees, and an encoder-decoder with random weights."""
    if (folder / "bart").exists():
        return
    for part in ("train", "dev", "test"):
        treebank = ewt / f"en_ewt-ud-{part}.conllu"
        trees = list({tree.words: tree for tree in read_conllu(treebank)}.values())
        if part == "train":
            text_file(folder / "for-parser.txt", [tree.words for tree in trees[::3]])
            others = [tree.words for k, tree in enumerate(trees) if k % 3]
            text_file(folder / "for-corrector.txt", others)
        else:
            some = trees[:TEST] if part == "test" else trees
            text_file(folder / f"{part}.txt", [tree.words for tree in some])
        write_text(folder / f"{part}.conllu", "".join(map(conllu_lines, trees)))
    for seed in (101, 102):
        corrupt(folder, "for-parser", f"parser-{seed}", seed)
        project(folder, "train", f"parser-{seed}")
    for seed in range(1, VERSIONS + 1):
        corrupt(folder, "for-corrector", f"corrector-{seed}", seed)
    for part, seed in (("dev", 103), ("test", 104)):
        corrupt(folder, part, part, seed)
    project(folder, "dev", "dev")
    write_bart(folder, folder / "bart")


def text_file(path: Path, sentences: Sequence[Sequence[str]]) -> None:
    """Write sentences, a line each."""
    write_text(path, "".join(f"{' '.join(words)}\n" for words in sentences))


def corrupt(folder: Path, texts: str, name: str, seed: int) -> None:
    """Make errors in a file of sentences."""
    options = ("--lang", "en", "--set", "tokens=space", "--set", f"longest={LONGEST}")
    output = ("--seed", seed, "--overwrite", "-o", folder / f"{name}.jsonl")
    gecbench_command("corrupt", folder / f"{texts}.txt", *options, *output)


def project(folder: Path, trees: str, name: str) -> None:
    """Project trees of right sentences onto those with errors."""
    files = (folder / f"{trees}.conllu", folder / f"{name}.jsonl", "--project")
    output = ("-o", folder / f"{name}-errors.conllu", "--overwrite")
    print(gecbench_command("parse", *files, "--scheme", "xx-word", "--lang", "en", *output))


def write_short(gold: Path, path: Path) -> None:
    """Write the sentences of an M2 file that are as short as those of the training."""
    blocks = "\n".join(read_lines(gold)).strip().split("\n\n")
    short = [block for block in blocks if len(block.splitlines()[0].split()) <= LONGEST + 1]
    write_text(path, "\n\n".join(short[:TEST]) + "\n\n")


def write_bart(folder: Path, place: Path) -> None:
    """Write a tiny BART with random weights, whose tokens are words, a rare one being unknown."""
    import torch
    from tokenizers.pre_tokenizers import WhitespaceSplit
    from transformers import BartConfig, BartForConditionalGeneration, BertTokenizer

    counts = Counter(" ".join(read_lines(folder / "for-corrector.txt")).split())
    words = [word for word, count in counts.most_common() if count >= 6]
    tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words]
    tokenizer = BertTokenizer(
        vocab={token: k for k, token in enumerate(tokens)}, do_lower_case=False
    )
    tokenizer.backend_tokenizer.pre_tokenizer = WhitespaceSplit()
    torch.manual_seed(0)
    config = BartConfig(
        vocab_size=len(tokens),
        d_model=128,
        encoder_layers=2,
        decoder_layers=2,
        encoder_attention_heads=4,
        decoder_attention_heads=4,
        encoder_ffn_dim=512,
        decoder_ffn_dim=512,
        max_position_embeddings=64,
        init_std=0.05,
        pad_token_id=0,
        bos_token_id=2,
        eos_token_id=3,
        decoder_start_token_id=3,
        forced_eos_token_id=3,
    )
    network = BartForConditionalGeneration(config)
    # Positions begin as the same vectors on both sides: where to look first needs no learning.
    with torch.no_grad():
        encoder, decoder = network.model.encoder, network.model.decoder
        decoder.embed_positions.weight.copy_(encoder.embed_positions.weight)
    tokenizer.save_pretrained(place)
    network.save_pretrained(place)


def train_parser(folder: Path, seed: int) -> tuple[float, ...]:
    """Train a parser, and return UAS, LAS and the F of the labels of errors."""
    out = folder / f"parser-{seed}"
    train(
        {
            "kind": "parser",
            "name": out.name,
            "data": {
                "train": ["parser-101-errors.conllu", "parser-102-errors.conllu"],
                "dev": "dev-errors.conllu",
            },
            "model": {
                "tokens": "space",
                "arc_width": 200,
                "label_width": 50,
                "convolution": {"dilations": [1, 2, 4, 8, 1]},
            },
            "training": {"epochs": 6, "learning_rate": 2e-3, "batch_size": 32, "seed": seed},
            "scoring": {"by": "last"},
        },
        out,
    )
    if not (nothing := folder / f"nothing-{seed}").exists():
        parser = read_parser(out / "model")
        layout = msgspec.structs.replace(parser.encoding.layout, max_tokens=1)
        nothing.mkdir()
        parser.save(nothing, {})
        TaggerEncoding(layout, parser.encoding.pieces).save(nothing)
    card = json.loads((out / "model" / "gecbench.json").read_text("utf-8"))
    last = card["made"]["history"][-1]
    return tuple(last[name] for name in ("uas", "las", "f-S", "f-R", "f-M"))


def train_base(folder: Path) -> str:
    """Train the encoder-decoder that all correctors begin with, and return what loads it."""
    out = folder / "base"
    config = {"kind": "seq2seq", "name": "base", "model": {**MODEL, "place": "bart"}}
    train({**config, **corrector_tables(1, rate=2e-3)}, out)
    return f"seq2seq:{out / 'model'}"


def corrector_tables(seed: int, rate: float, limit: int = 0) -> dict[str, dict[str, object]]:
    """Return what the configurations of all correctors have."""
    data = [f"corrector-{k}.jsonl" for k in range(1, (2 if limit else VERSIONS) + 1)]
    rise = 40 if limit else 100
    training = {"epochs": 1, "learning_rate": rate, "warmup_steps": rise, "batch_size": 64}
    return {
        "data": {"train": data, "dev": "dev.jsonl", "limit": limit},
        "training": {**training, "beta2": 0.98, "seed": seed},
        "scoring": {"by": "last", "sentences": 1},
    }


def train_correctors(folder: Path, seed: int) -> list[str]:
    """Train the correctors of a seed, and return what loads them."""
    places = []
    for name, parser in (("without", f"nothing-{seed}"), ("with", f"parser-{seed}/model")):
        out = folder / f"{name}-{seed}"
        table = {**MODEL, "place": "base/model", "parser": parser, "trains": "all"}
        config = {"kind": "syntax", "name": out.name, "model": table}
        train({**config, **corrector_tables(seed, rate=1e-3, limit=MORE)}, out)
        places.append(f"syntax:{out / 'model'}")
    return places


def train(config: dict[str, object], out: Path) -> None:
    """Train a model in a folder, if it is not there yet."""
    if (out / "model").exists():
        return
    path = out.with_suffix(".toml")
    training = {**TRAINING, **config["training"]}
    lines = [f"{name} = {json.dumps(config[name])}" for name in ("kind", "name")]
    lines.append('language = "en"')
    for name, table in {**config, "training": training}.items():
        if isinstance(table, dict):
            lines += (f"[{name}]", *(f"{key} = {toml(value)}" for key, value in table.items()))
    write_text(path, "\n".join(lines) + "\n")
    run = run_once([sys.executable, "-m", "gecbench", "train", str(path), "-o", str(out)])
    print(f"{out.name}: {run.cpu:.0f} s of CPU", flush=True)


def toml(value: object) -> str:
    """Write a value as TOML."""
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{key} = {toml(each)}' for key, each in value.items())} }}"
    return json.dumps(value)


def correct(folder: Path, place: str, gold: Path) -> tuple[float, ...]:
    """Correct the sources of a corpus, and return precision, recall and F0.5 (MaxMatch)."""
    output = folder / f"{Path(place).parent.name}-{gold.stem}.txt"
    if not output.exists():
        options = ("--to", "lines", "--set", "threads=1", "--set", "beams=2")
        gecbench_command("correct", place, gold, *options, "-o", output)
    corpus = gecbench.load(gold)
    options = gecbench.Options(metrics=("m2",))
    system = gecbench.load_system(output, corpus)
    score = gecbench.score(corpus, [system], options=options).results[0].score
    counts = score.counts or Counts()
    precision = counts.tp / max(counts.tp + counts.fp, 1)
    return precision, counts.tp / max(counts.tp + counts.fn, 1), score.value


def speed(folder: Path) -> None:
    """Print how fast an encoder-decoder corrects and learns without and with given trees."""
    import torch
    from transformers import AutoTokenizer, BartConfig, BartForConditionalGeneration

    from gecbench.models.seq2seq.corrector import Seq2SeqOptions
    from gecbench.models.seq2seq.network import TorchSearch, build_subword_encoding
    from gecbench.models.syntax.graph import (
        GraphEncoder,
        SyntaxNetwork,
        SyntaxSearch,
        parse_arcs,
        stack_arcs,
    )

    torch.set_num_threads(1)
    torch.manual_seed(0)
    tokenizer = AutoTokenizer.from_pretrained(folder / "bart")
    sizes = {"encoder_layers": 6, "decoder_layers": 6, "d_model": 768}
    wide = {"encoder_ffn_dim": 3072, "decoder_ffn_dim": 3072}
    ends = {"bos_token_id": 2, "pad_token_id": 0, "eos_token_id": 3, "decoder_start_token_id": 3}
    config = BartConfig(vocab_size=50_000, **sizes, **wide, **ends, forced_eos_token_id=None)
    network = BartForConditionalGeneration(config).eval()
    encoding = build_subword_encoding(tokenizer, config, name="base", forced=True)
    parser = GivenTrees(read_parser(folder / "parser-1" / "model"))
    graph = GraphEncoder(
        len(parser.shape.labels) + 3, 768, 3072, layers=3, dropout=0.1, activation="gelu", share=0.5
    ).eval()
    syntax = SyntaxNetwork(network, graph)
    lines = read_lines(folder / "for-corrector.txt")
    # With a token at both ends, and none of two pieces: all are as long.
    texts = [line for line in lines if len(encoding.source_ids(line)) == LONGEST + 2]
    texts = [line for line in texts if len(line.split()) == LONGEST][:8]
    sources = [encoding.source(text) for text in texts]
    parse_arcs(parser, encoding, texts)  # parses: from now on trees are given
    options = Seq2SeqOptions(beams=5)
    plain = TorchSearch(network, encoding.specials, options)
    searches = (plain, SyntaxSearch(syntax, parser, encoding, options))
    ids = torch.tensor([source.ids for source in sources])
    mask = torch.ones_like(ids)
    arcs = stack_arcs(parse_arcs(parser, encoding, texts))

    def learn(with_trees: bool) -> None:
        read = {"input_ids": ids, "attention_mask": mask, "decoder_input_ids": ids}
        trees = {"weights": arcs[0], "arc_labels": arcs[1]}
        logits = syntax(**read, **trees) if with_trees else network(**read, use_cache=False).logits
        logits.float().logsumexp(-1).sum().backward()

    print("| BART-base, 8 sentences of 25 words | without | with trees | speed |")
    print("|---|---:|---:|---:|")
    for name, work in (
        ("correcting, 5 beams", lambda k: searches[k].answers(sources, LONGEST + 5)),
        ("a training step, all weights", lambda k: learn(bool(k))),
    ):
        seconds = [min(cpu_of(work, k) for _ in range(3)) for k in (0, 1)]
        cells = f"{seconds[0]:.2f} s | {seconds[1]:.2f} s | {seconds[0] / seconds[1]:.2f}"
        print(f"| {name} | {cells} |")


class GivenTrees:
    """A parser that parses each sentence once."""

    def __init__(self, parser: Parser) -> None:
        """Take what parses."""
        self.card, self.shape = parser.card, parser.shape
        self._parser = parser
        self._known: dict[tuple[str, ...], Parse | None] = {}

    def parse(self, sentences: Sequence[Sequence[str]]) -> list[Parse | None]:
        """Return trees, parsed now or before."""
        for words in map(tuple, sentences):
            if words not in self._known:
                (self._known[words],) = self._parser.parse([words])
        return [self._known[tuple(words)] for words in sentences]


def cpu_of(work: Callable[[int], object], which: int) -> float:
    """Return the seconds of CPU that work takes."""
    started = time.process_time()
    work(which)
    return time.process_time() - started


if __name__ == "__main__":
    main()
