"""ChERRANT's command-line flags as our options."""

from __future__ import annotations

from collections.abc import Sequence

from gecbench.api.options import Options

_PLAIN = {
    "-cs": {},
    "-cse": {"level": "correction-type"},
    "-ds": {"level": "detection-span"},
    "-dt": {"level": "detection-token"},
    "-single": {"size": "single"},
    "-multi": {"size": "multi"},
    "-multi_hyp_avg": {},  # accepted and never read
    "-multi_hyp_max": {},  # likewise
}
_NUMBERS = {
    "-b": ("beta", float),
    "--max_answer_num": ("max_references", int),
    "--reference_num": ("references_exactly", int),
}


def options(flags: Sequence[str]) -> tuple[Options, int | None, slice]:
    """Return options, the tier of -cat, and the range of sentences."""
    options: dict[str, object] = {}
    tier, start, end = None, 0, None
    at = 0
    while at < len(flags):
        flag, at = flags[at], at + 1
        if flag in _PLAIN:
            options |= _PLAIN[flag]
            continue
        if flag == "-filt":
            labels = []
            while at < len(flags) and not flags[at].startswith("-"):
                labels.append(flags[at])
                at += 1
            # "noop" is no type of edit: excluding it changes nothing, in the official script too
            options["exclude"] = tuple(label for label in labels if label != "noop")
            continue
        value, at = flags[at], at + 1
        if flag == "-cat":
            tier = int(value)
        elif flag == "--start":
            start = int(value)
        elif flag == "--end":
            end = int(value)
        else:
            name, kind = _NUMBERS[flag]
            options[name] = kind(value)
    # The official range acts only if both ends are given.
    return Options(**options), tier, slice(start, end) if end is not None else slice(None)
