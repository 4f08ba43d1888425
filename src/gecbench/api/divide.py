"""Perturbed cases divided into files for training, dev and test."""

from __future__ import annotations

from pathlib import Path

import gecbench
from gecbench.api.inputs import fingerprint_of
from gecbench.core.errors import GecbenchError, UsageError
from gecbench.core.files import check_folder, encoded, make_folder, write_files
from gecbench.core.perturbed import PerturbedSet
from gecbench.datasets.divide import PARTS, Divided
from gecbench.datasets.divide import divide as run
from gecbench.formats.perturbed import read_perturbed, write_perturbed

TEST, DEV, SEED = 2500, 500, 1


def divide(
    cases: PerturbedSet | Path | str,
    folder: Path | str,
    *,
    test: int = TEST,
    dev: int = DEV,
    seed: int = SEED,
) -> Divided:
    """Write train.jsonl, dev.jsonl and test.jsonl, all of them or none, and return the parts.

    Args:
        cases: Perturbed cases, or where they lie.
        folder: Made if need be; a part without cases has no file.
        test: How many cases are for the test.
        dev: How many to stop training by; all others are to train on.
        seed: Chooses them.

    Raises:
        GecbenchError: There are too few cases, something cannot be read or written, or a file of
            an earlier division would stay.
    """
    folder = Path(folder)
    check_folder(folder)
    files = {name: folder / f"{name}.jsonl" for name in PARTS}
    if isinstance(cases, PerturbedSet):
        source = cases.name
    else:
        path = Path(cases)
        if path.resolve() in [part.resolve() for part in files.values()]:
            raise UsageError(f"{path}: a part would take its place; name another folder")
        source, cases = fingerprint_of(path), read_perturbed(path)
    told = {"division input": source, "division gecbench": gecbench.__version__}
    divided = run(cases, test=test, dev=dev, seed=seed, provenance=told)
    stale = [path for name, path in files.items() if name not in divided.parts and path.exists()]
    if stale:
        raise GecbenchError(f"{stale[0]}: is of another division and would stay; remove it")
    made = {files[name]: write_perturbed(part) for name, part in divided.parts.items()}
    content = {path: encoded(path, text) for path, text in made.items()}
    make_folder(folder)
    write_files(content)
    return divided
