"""`gecbench data divide`: perturbed cases for training, dev and test."""

from __future__ import annotations

from pathlib import Path

import click

from gecbench.cli.options import FILE, say


@click.command()
@click.argument("cases", type=FILE)
@click.option("-o", "--output", type=FILE, required=True, help="Folder for the three files.")
@click.option(
    "--test", type=int, default=2500, show_default=True, help="Cases to evaluate on; 0 for none."
)
@click.option(
    "--dev", type=int, default=500, show_default=True, help="Cases to stop training by; 0 for none."
)
@click.option("--seed", type=int, default=1, show_default=True, help="Chooses the cases.")
def divide(cases: Path, output: Path, test: int, dev: int, seed: int) -> None:
    """Divide perturbed cases into train.jsonl, dev.jsonl and test.jsonl.

    CASES is RobustGEC's folder of subsets, a para.txt, or JSONL of cases. What is not for test or
    dev is for training. Cases that share a sentence stay in one part. The paper's sizes (3,000,
    500, 2,500) add up to more than the 4,996 cases that are published.

    \b
    gecbench data divide benchmark/ -o divided
    gecbench data divide benchmark/ -o divided --test 1200 --dev 250 --seed 2
    """  # noqa: D301 - \b keeps click from joining lines
    from gecbench.api.divide import divide as run

    divided = run(cases, output, test=test, dev=dev, seed=seed)
    for name, part in divided.parts.items():
        of = ", ".join(f"{subset.name} {len(subset.cases):,}" for subset in part.subsets)
        say(f"{output / f'{name}.jsonl'}: {divided.sizes[name]:,} cases ({of})")
    if divided.together:
        say(
            f"note: {sum(map(len, divided.together)):,} cases share a sentence with another, in "
            f"{len(divided.together):,} groups; each group is in one part"
        )
