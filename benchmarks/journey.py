"""Counts the functions and files of gecbench that a command goes through, file by file.

    python benchmarks/journey.py score corpus.jsonl system.txt --scheme zh-char >/dev/null

Whoever wants to know how a command works has these to read. Named functions and methods count, once
each; lambdas, comprehensions, the methods that dataclasses write, and what runs while modules are
imported, such as declarations of options, do not. The table goes to standard error.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path
from types import CodeType, FrameType

import gecbench
from gecbench.cli import main

ROOT = Path(gecbench.__file__).parent


def functions_of(words: list[str]) -> dict[str, list[CodeType]]:
    """Run a command and return the functions that it went through, by file."""
    codes: set[CodeType] = set()

    def note(frame: FrameType, event: str, _argument: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(f"{ROOT}/") and not importing(frame):
            codes.add(code)

    sys.setprofile(note)
    try:
        main(words)
    except SystemExit as end:
        if end.code:
            raise
    finally:
        sys.setprofile(None)
    by_file: dict[str, list[CodeType]] = defaultdict(list)
    for code in sorted(codes, key=lambda code: code.co_firstlineno):
        if not code.co_name.startswith("<"):
            by_file[str(Path(code.co_filename).relative_to(ROOT))].append(code)
    return by_file


def importing(frame: FrameType | None) -> bool:
    """Return whether a module of gecbench is being imported."""
    while frame is not None:
        if frame.f_code.co_name == "<module>" and frame.f_code.co_filename.startswith(f"{ROOT}/"):
            return True
        frame = frame.f_back
    return False


if __name__ == "__main__":
    by_file = functions_of(sys.argv[1:])
    for file, codes in sorted(by_file.items()):
        names = " ".join(code.co_qualname for code in codes)
        print(f"{len(codes):4}  {file}: {names}", file=sys.stderr)
    count = sum(map(len, by_file.values()))
    print(f"{count} functions in {len(by_file)} files", file=sys.stderr)
