"""What asking has cost: totals of a run, and a log with a line for each call."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from gecbench.backends.chat import Reply
from gecbench.core.corrector import Correction
from gecbench.core.errors import GecbenchError

_MILLION = 1_000_000


@dataclass(slots=True)
class Totals:
    """Counts of a corrector since it was made.

    Args:
        sentences: Corrected, equal ones as often as they came.
        calls: Questions answered by the server.
        cached: Questions answered by the cache.
        retries: Calls that had to be made again.
        undivided: Batches whose answers could not be told apart and were asked for one by one.
        tokens_in: As the server counted them.
        tokens_out: As the server counted them.
        uncounted: Answers whose tokens the server did not say.
        cost: By the prices of the profile; of answers that were counted.
        flags: How many sentences were flagged, by flag.
        last_trouble: The last reason why no answer came; "" where one always came.
    """

    sentences: int = 0
    calls: int = 0
    cached: int = 0
    retries: int = 0
    undivided: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    uncounted: int = 0
    cost: float = 0.0
    flags: Counter[str] = field(default_factory=Counter)
    last_trouble: str = ""

    def count(self, corrections: Iterable[Correction]) -> None:
        """Count sentences and their flags."""
        for correction in corrections:
            self.sentences += 1
            self.flags.update(correction.flags)

    def lines(self) -> tuple[str, ...]:
        """Return what a user wants to know at the end, in a few lines."""
        told = [
            f"{self.sentences} sentences: {self.calls} answers of the server, {self.cached} from "
            f"the cache, {self.retries} calls made again",
            f"{self.tokens_in} tokens in, {self.tokens_out} out, cost {self.cost:.6f}",
        ]
        if self.uncounted:
            told.append(f"{self.uncounted} answers came without their number of tokens: not in it")
        if self.undivided:
            told.append(f"{self.undivided} batches had to be asked sentence by sentence")
        if self.flags:
            named = ", ".join(f"{n} {flag}" for flag, n in sorted(self.flags.items()))
            told.append(f"flagged: {named}")
        if self.last_trouble:
            told.append(f"last trouble: {self.last_trouble}")
        return tuple(told)


@dataclass(slots=True)
class CostLog:
    """Counts calls, and adds a JSON line for each to a file. No text and no key is in it.

    Args:
        path: The file; None writes none.
        model: As the server calls it.
        price_in: Of a million tokens in.
        price_out: Of a million tokens out.
        totals: Where calls are counted, too.
    """

    path: Path | None
    model: str
    price_in: float
    price_out: float
    totals: Totals

    def add(self, reply: Reply, *, cached: bool, sentences: int = 1, tries: int = 1) -> None:
        """Count a call and write its line.

        Raises:
            GecbenchError: The file cannot be written.
        """
        known = reply.tokens_in is not None and reply.tokens_out is not None
        ins, outs = (0, 0) if cached else (reply.tokens_in or 0, reply.tokens_out or 0)
        cost = (ins * self.price_in + outs * self.price_out) / _MILLION
        self._sum(ins, outs, cost, cached=cached, known=known)
        if self.path is None:
            return
        line = {
            "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "model": self.model,
            "sentences": sentences,
            "tokens_in": ins if cached else reply.tokens_in,
            "tokens_out": outs if cached else reply.tokens_out,
            "cost": cost if known or cached else None,
            "cached": cached,
            "tries": 0 if cached else tries,
            "finish": reply.finish,
        }
        self._append(self.path, json.dumps(line, ensure_ascii=False))

    def _sum(self, ins: int, outs: int, cost: float, *, cached: bool, known: bool) -> None:
        totals = self.totals
        totals.cached += cached
        totals.calls += not cached
        totals.uncounted += not (cached or known)
        totals.tokens_in += ins
        totals.tokens_out += outs
        totals.cost += cost

    def _append(self, path: Path, line: str) -> None:
        try:
            # One write in append mode: lines of several processes do not mix.
            with path.open("ab", buffering=0) as file:
                file.write(line.encode() + b"\n")
        except OSError as error:
            raise GecbenchError(
                f"{path}: the log of costs cannot be written: {error.strerror}; name another "
                "file in log"
            ) from error
