"""The model card: what a trained model is, what from, how good, and what it cannot do."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from gecbench.models.folder import Card
from gecbench.models.training.config import RunConfig


def readme(config: RunConfig, card: Card) -> str:
    """Return the card as Markdown, with the fields that model hubs read at its head.

    Args:
        config: Of the run.
        card: With `made`, what the run kept of its making.
    """
    made: Mapping[str, Any] = card.made
    parts = [
        _head(config),
        f"# {config.name}",
        config.about or f"A {config.kind} that corrects {_language(config)} sentences.",
        _use(config),
        _scores(config, made),
        _robust(config),
        _data(made),
        _training(made),
        _limits(config),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _language(config: RunConfig) -> str:
    return {"zh": "Chinese", "en": "English"}[config.language]


def _head(config: RunConfig) -> str:
    return (
        f"---\nlibrary_name: gecbench\nlanguage: {config.language}\n"
        f"tags: [grammatical-error-correction, {config.kind}]\n---"
    )


def _use(config: RunConfig) -> str:
    return (
        "## Use\n\n```bash\ngecbench correct FOLDER sentences.txt -o corrected.txt\n```\n\n"
        f"where FOLDER is this one: a {config.kind} of gecbench, weights in safetensors."
    )


def _scores(config: RunConfig, made: Mapping[str, Any]) -> str:
    history = made.get("history", [])
    names = ["loss", *(n for n in ("divergence", "score") if any(n in each for each in history))]
    rows = [[str(each["step"]), *(_number(each.get(name)) for name in names)] for each in history]
    signature = made.get("scored by", "")
    chosen = " They are the last, whatever dev says." if config.scoring.by == "last" else ""
    return "\n".join(
        [
            "## Scores on the dev sentences",
            "",
            f"The weights are those after step {made.get('best_step')}, of {made.get('steps')}; "
            f"the run ended because of: {made.get('ended')}.{chosen}",
            *([f"Scored by `{signature}`."] if signature else []),
            "",
            f"| {' | '.join(['step', *names])} |",
            f"|{'---:|' * (1 + len(names))}",
            *(f"| {' | '.join(row)} |" for row in rows),
        ]
    )


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"


def _robust(config: RunConfig) -> str:
    robust = config.robust
    if robust is None:
        return ""
    how = {
        "cpr": "each sentence beside the same errors in other contexts",
        "r-drop": "each sentence twice, under two dropouts",
    }
    return (
        f"## Robustness\n\nTrained by {robust.method} with alpha {robust.alpha:g}: "
        f"{how[robust.method]}, and predictions brought together. Whoever corrects less is "
        "consistent more easily: read CRS and P-CRS beside F only, and beside an untreated model "
        "with a bias for keeping."
    )


def _data(made: Mapping[str, Any]) -> str:
    files = [f"| `{name}` | `{digest}` |" for name, digest in made.get("data", {}).items()]
    prepared = made.get("prepared", {})
    counts = {
        **made.get("counts", {}),
        **prepared.get("dropped", {}),
        **prepared.get("counted", {}),
    }
    return "\n".join(
        [
            "## Data",
            "",
            "Whoever passes these weights on must look at the terms of the corpora that they come "
            "from, one by one: several corpora of learners' texts allow research only.",
            "",
            "| file | SHA-256 |",
            "|---|---|",
            *files,
            "",
            *(f"- {name}: {n:,}" for name, n in counts.items()),
        ]
    )


def _training(made: Mapping[str, Any]) -> str:
    libraries = ", ".join(f"{name} {number}" for name, number in made["libraries"].items())
    return "\n".join(
        [
            "## Training",
            "",
            f"gecbench {made['gecbench']}, Python {made['python']}, {libraries}; "
            f"device {made.get('device')}, {made.get('devices')} in all; "
            f"{made.get('seconds')} seconds.",
            "",
            "```json",
            json.dumps(made["configuration"], ensure_ascii=False, indent=1),
            "```",
        ]
    )


def _limits(config: RunConfig) -> str:
    return (
        "## Limits\n\nWhat it learnt to correct is what its training data correct. It may change "
        f"what was right; score it on {_language(config)} sentences like yours before you rely "
        "on it, and have people read what it writes."
    )
