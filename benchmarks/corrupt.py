"""Compares synthetic errors with real ones, type by type, and measures speed; prints Markdown.

    python benchmarks/corrupt.py compare --corpus MuCGEC_dev.txt --corpus nlpcc18.gold=m2-maxmatch
    python benchmarks/corrupt.py speed --texts big.txt

Of each corpus every second sentence is held out. The real errors are those between its sources and
their first references. Both generators corrupt the same references: the fixed one, and one fitted
to the other half, of which it sees all references. All edits are found by one scheme, so the types
are those of the scheme, whatever the generator calls its errors.
"""

from __future__ import annotations

import argparse
import gc
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from measure import load, machine

from gecbench.api.files import load as load_corpus
from gecbench.api.options import Places
from gecbench.api.schemes import extract, load_scheme
from gecbench.api.training_data import corrupt, fit
from gecbench.core.edit import Edit
from gecbench.core.errors import GecbenchError
from gecbench.core.files import write_text
from gecbench.core.sample import Corpus, Rewrite, Sample
from gecbench.core.scheme import Scheme
from gecbench.datasets.corrupt.profile import Profile, load_profile
from gecbench.formats.reading import read
from gecbench.formats.texts import text_of
from gecbench.lang.detection import is_chinese
from gecbench.lang.zh.sounds import homophones
from gecbench.scoring.languages import corpus_language, default_scheme

_FUNCTION = frozenset("的了是在有和就也都会能要着过把被对从给为到上里地得很这那个们一不")
_MARKS = frozenset("，。、！？；：“”‘’《》（）…—,.!?;:\"'()")
_MOST = 6
_SHOWN = 0.004


class Seen(NamedTuple):
    """The errors of a text.

    Args:
        types: Edits by type.
        lengths: Edits by length: units in the error > in its correction.
        numbers: Sentences by number of edits.
        units: Of the correct texts.
    """

    types: Counter[str]
    lengths: Counter[str]
    numbers: Counter[int]
    units: int


def main() -> None:
    """Compare, or measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    compared = commands.add_parser("compare")
    compared.add_argument("--corpus", action="append", required=True, metavar="FILE[=FORMAT]")
    compared.add_argument("--mirror", type=Path, help="folder with data sets, for zh-cherrant")
    compared.add_argument("--seed", type=int, default=7)
    speedy = commands.add_parser("speed")
    speedy.add_argument("--texts", type=Path, required=True)
    args = parser.parse_args()
    try:
        if args.command == "speed":
            speed(args.texts)
            return
        for named in args.corpus:
            path, _, format_ = named.partition("=")
            compare(Path(path), format_ or None, args.mirror, args.seed)
    except GecbenchError as error:
        sys.exit(f"corrupt.py: {error}")


def compare(path: Path, format_: str | None, mirror: Path | None, seed: int) -> None:
    """Print the tables of a corpus."""
    corpus = load_corpus(path, format=format_)
    language = corpus_language(corpus).code
    name = default_scheme(corpus)
    scheme = load_scheme(name, places=Places(mirror=mirror))
    texts = [texts_of(sample, language) for sample in corpus.samples]
    known = [text for text in texts if text is not None]
    train = Corpus(corpus.name, tuple(known[1::2]), language)
    held = Corpus(corpus.name, tuple(first(sample) for sample in known[::2]), language)
    fitted = fit(train, scheme=scheme)
    columns = {
        "real": seen_in(held, scheme),
        "fixed": corrupt_and_count(held, load_profile(f"{language}-default"), scheme, seed),
        "fitted": corrupt_and_count(held, fitted.profile, scheme, seed),
    }
    print(f"\n### {corpus.name}, by {scheme.name}\n")
    print(
        f"{len(held.samples)} sentences held out; fitted to {fitted.pairs} pairs with "
        f"{fitted.edits} edits, of which {fitted.kept} became confusions.\n"
    )
    print_types("type", {key: column.types for key, column in columns.items()})
    print_types(
        "units in the error > correct", {k: column.lengths for k, column in columns.items()}
    )
    print_numbers(columns)


def texts_of(sample: Sample, language: str) -> Sample | None:
    """Return a sentence with its references as texts; None where none is usable."""
    references = []
    for rewrite in sample.references:
        if rewrite.error_free:
            references.append(rewrite)
        elif not rewrite.unannotatable:
            try:
                text = text_of(sample, rewrite, language)
            except GecbenchError:  # edits that overlap, as MaxMatch allows
                continue
            text = "".join(text.split()) if language == "zh" else text
            same = "".join(text.split()) == "".join(sample.source.split())
            references.append(Rewrite(error_free=True) if same else Rewrite(text=text))
    source = "".join(sample.source.split()) if language == "zh" else sample.source
    return Sample(sample.id, source, tuple(references)) if references and source else None


def first(sample: Sample) -> Sample:
    """Return a sentence with its first reference."""
    return Sample(sample.id, sample.source, sample.references[:1])


def corrupt_and_count(held: Corpus, profile: Profile, scheme: Scheme, seed: int) -> Seen:
    """Return the errors that a generator makes in the references."""
    targets = [
        s.source if s.references[0].error_free else s.references[0].text or "" for s in held.samples
    ]
    with TemporaryDirectory() as folder:
        texts, pairs = Path(folder) / "texts.txt", Path(folder) / "pairs.jsonl"
        write_text(texts, "".join(f"{target}\n" for target in targets))
        settings = {"unmade": "keep", "shortest": "1"}
        corrupt(texts, pairs, profile, seed=seed, settings=settings)
        return seen_in(read(pairs), scheme)


def seen_in(corpus: Corpus, scheme: Scheme) -> Seen:
    """Return the errors of a corpus of one reference a sentence, as a scheme finds them."""
    bare = Corpus(
        corpus.name,
        tuple(
            Sample(
                s.id,
                s.source,
                tuple(Rewrite(r.text, error_free=r.error_free) for r in s.references),
            )
            for s in corpus.samples
        ),
        corpus.lang,
    )
    types: Counter[str] = Counter()
    lengths: Counter[str] = Counter()
    numbers: Counter[int] = Counter()
    units = 0
    for sample in extract(bare, scheme).samples:
        edits = sample.references[0].edit_sets[0]
        units += len(sample.tokens)
        numbers[len(edits)] += 1
        for edit in edits:
            types[finer(edit, sample.tokens) if scheme.lang == "zh" else str(edit.label)] += 1
            lengths[f"{edit.end - edit.start}>{len(edit.replacement or ())}"] += 1
    return Seen(types, lengths, numbers, units)


def finer(edit: Edit, tokens: Sequence[str]) -> str:
    """Return the type of a Chinese edit, divided by what it is about."""
    wrong, right = "".join(tokens[edit.start : edit.end]), "".join(edit.replacement or ())
    label = str(edit.label)
    if label == "W":
        return "W"
    if all(character in _MARKS for character in wrong + right):
        return f"{label} mark"
    if label != "S":
        return f"{label} function" if wrong + right in _FUNCTION else f"{label} other"
    if len(wrong) != len(right):
        return "S of other length"
    if all(a == b or a in sounding(b) for a, b in zip(wrong, right, strict=True)):
        return "S of like sound"
    return "S one for one" if len(wrong) == 1 else "S several"


def sounding(character: str) -> Mapping[str, float]:
    """Return what sounds like a character."""
    return homophones().get(character, {})


def print_types(what: str, columns: Mapping[str, Counter[str]]) -> None:
    """Print shares in percent, and how far both generators are from the real ones."""
    total = {key: column.total() for key, column in columns.items()}
    print(f"| {what} | {' | '.join(columns)} |\n|---|{'---:|' * len(columns)}")
    names = sorted({name for column in columns.values() for name in column})
    names.sort(key=lambda name: -columns["real"][name])
    shown = [
        n for n in names if any(column[n] / total[k] >= _SHOWN for k, column in columns.items())
    ]
    for name in shown:
        cells = (f"{100 * column[name] / total[key]:.1f}" for key, column in columns.items())
        print(f"| {name} | {' | '.join(cells)} |")
    others = (
        f"{100 * sum(column[n] for n in names if n not in shown) / total[k]:.1f}"
        for k, column in columns.items()
    )
    print(f"| all others | {' | '.join(others)} |")
    far = (f"{distance(column, columns['real']):.3f}" for column in columns.values())
    print(f"| **total variation distance** | {' | '.join(far)} |\n")


def distance(first: Counter[str], second: Counter[str]) -> float:
    """Return the total variation distance of two distributions, in [0, 1]."""
    names = {*first, *second}
    return sum(abs(first[n] / first.total() - second[n] / second.total()) for n in names) / 2


def print_numbers(columns: Mapping[str, Seen]) -> None:
    """Print how many errors sentences have."""
    print(f"| edits in a sentence | {' | '.join(columns)} |\n|---|{'---:|' * len(columns)}")
    capped = {
        key: Counter({str(min(n, _MOST)): 0 for n in column.numbers})
        for key, column in columns.items()
    }
    for key, column in columns.items():
        for n, count in column.numbers.items():
            capped[key][str(min(n, _MOST))] += count
    for n in range(_MOST + 1):
        cells = (f"{100 * column[str(n)] / column.total():.1f}" for column in capped.values())
        print(f"| {n}{' and more' * (n == _MOST)} | {' | '.join(cells)} |")
    means = (f"{column.types.total() / column.numbers.total():.2f}" for column in columns.values())
    print(f"| mean | {' | '.join(means)} |")
    per = (f"{100 * column.types.total() / column.units:.2f}" for column in columns.values())
    print(f"| edits for 100 units of the source | {' | '.join(per)} |")
    far = (f"{distance(column, capped['real']):.3f}" for column in capped.values())
    print(f"| **total variation distance** | {' | '.join(far)} |")


def speed(texts: Path) -> None:
    """Print sentences per second of CPU, reading and writing included."""
    print(f"{machine()}; load {load()}\n")
    gc.set_threshold(100_000)  # as the command does
    lines = texts.read_text("utf-8").splitlines()
    language = "zh" if is_chinese(lines[:1000]) else "en"
    units = sum(map(len, lines)) / len(lines)
    print(f"{len(lines)} sentences ({language}) of {units:.1f} characters\n")
    print("| written | sentences per CPU-second | start, s |\n|---|---:|---:|")
    with TemporaryDirectory() as folder:
        single, out = Path(folder) / "one.txt", Path(folder) / "pairs"
        write_text(single, f"{lines[0]}\n")
        for what, options in (
            ("jsonl", {}),
            ("pairs", {"to": "pairs"}),
            ("jsonl and labels", {"labels": Path(folder) / "labels"}),
        ):
            begun = time.process_time()
            corrupt(single, out, f"{language}-default", **options)
            start = time.process_time() - begun
            spent = []
            for _ in range(3):
                begun = time.process_time()
                corrupt(texts, out, f"{language}-default", **options)
                spent.append(time.process_time() - begun)
            print(f"| {what} | {len(lines) / min(spent):,.0f} | {start:.2f} |")


if __name__ == "__main__":
    main()
