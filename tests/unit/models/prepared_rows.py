"""Rows that tests prepare, and what came of them."""

from __future__ import annotations

from pathlib import Path

from gecbench.api.training_data import prepare
from gecbench.core.files import read_lines
from gecbench.datasets.prepare.recipe import Manifest

A, B, C = "我昨天去公园完。", "他是一个好学升。", "妈妈做的饭很好次。"
A2, B2, C2 = "我昨天去公园玩。", "他是一个好学生。", "妈妈做的饭很好吃。"


def table(name: str, *rows: str) -> str:
    Path(name).write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
    return name


def prepare_rows(
    *rows: str,
    format: str = "pairs",
    filters: tuple[str, ...] = (),
    jobs: int | None = 1,
    **settings: object,
) -> Manifest:
    """Prepare the rows of one corpus into out.tsv."""
    return prepare(
        output="out.tsv",
        corpora={"c": {"path": table("c.tsv", *rows), "format": format}},
        filters=filters,
        settings={"near": 0.0, "shuffle": False, **settings},
        format="pairs",
        jobs=jobs,
    )


def read_output(name: str = "out.tsv") -> list[str]:
    return read_lines(Path(name))


def dropped(manifest: Manifest) -> dict[str, int]:
    return {reason: n for first in manifest.corpora for reason, n in first.dropped.items() if n}


def balanced(manifest: Manifest) -> bool:
    return all(
        first.pairs + first.pieces == sum(first.dropped.values()) + first.kept
        and first.written == first.weight * (first.kept - first.dev)
        for first in manifest.corpora
    )
