"""Systems that correct, and how they are trained, run and combined.

A new corrector is one file with a `CorrectorKind` and one line in the table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from gecbench.core.corrector import Corrector
from gecbench.core.errors import GecbenchError, UnknownNameError, UsageError
from gecbench.core.options import check_choice
from gecbench.core.registry import is_known, resolve

CORRECTORS: Mapping[str, str] = {
    "copying": "gecbench.models.folder:KIND",
    "zh-homophone": "gecbench.models.lexical.chinese:KIND",
    "zh-lm": "gecbench.models.lexical.chinese_lm:KIND",
    "en-rules": "gecbench.models.lexical.english:KIND",
    "en-lm": "gecbench.models.lexical.english_lm:KIND",
    "tagger": "gecbench.models.tagger.loading:KIND",
    "seq2seq": "gecbench.models.seq2seq.loading:KIND",
    "scratch": "gecbench.models.scratch.loading:KIND",
    "causal": "gecbench.models.causal.loading:KIND",
    "syntax": "gecbench.models.syntax.loading:KIND",
    "chat": "gecbench.models.chat.corrector:KIND",
    "ensemble": "gecbench.models.combine.ensemble:KIND",
}
"""Name to the `CorrectorKind`."""

Load = Callable[[str, Mapping[str, object]], Corrector]
"""Takes the place behind the colon ("" where nothing stands there) and options by name."""


@dataclass(frozen=True, slots=True)
class CorrectorKind:
    """A kind of corrector. What languages a corrector is for is in its `info`.

    Args:
        load: Loads the corrector of a place.
        place: Whether a place must, may or must not follow the name: "tagger:FOLDER", "en-rules".
    """

    load: Load
    place: Literal["required", "optional", "none"] = "required"

    def __post_init__(self) -> None:
        """Refuse a place that is none of these, as another package may write it."""
        check_choice("place", self.place, ("required", "optional", "none"))


HUB = "hub"
"""Before the name on the hub of a model that gecbench made: "hub:NAME" or "hub:NAME@REVISION"."""

CARD, MODEL = "gecbench.json", "model"
"""The file in a model's folder that says of which kind it is; the model's folder in a run's."""


def load_corrector(spec: str, options: Mapping[str, object] | None = None) -> Corrector:
    """Load a corrector by its specification.

    Args:
        spec: A kind alone ("zh-homophone"); a kind and a place ("tagger:runs/one/model",
            "seq2seq:fnlp/bart-large-chinese", "chat:profile.toml", "ensemble:six.toml"); or a
            model that gecbench made: its folder, or its name on the hub ("hub:mine/tagger").
        options: Of the kind, by name; strings are converted.

    Raises:
        UnknownNameError: There is no such kind, or no such option.
        UsageError: The kind needs a place, or takes none.
        GecbenchError: The place does not hold such a model.
    """
    name, place = _parse_spec(spec)
    kind = cast("CorrectorKind | Load", resolve("corrector", name, CORRECTORS))
    if not isinstance(kind, CorrectorKind):  # another package may offer a function alone
        kind = CorrectorKind(kind, "optional")
    if place and kind.place == "none":
        raise UsageError(f"{spec}: {name} takes nothing behind the colon; write {name}")
    if not place and kind.place == "required":
        raise UsageError(f"{spec}: say which {name}, as {name}:PLACE")
    return kind.load(place, options or {})


def _parse_spec(spec: str) -> tuple[str, str]:
    """Split a specification into the kind of a corrector and its place."""
    kind, colon, place = spec.partition(":")
    if kind in CORRECTORS:
        return kind, place
    if kind == HUB and colon:
        return _download(place)
    folder = Path(spec)
    try:
        is_folder, is_file = folder.is_dir(), folder.is_file()
    except OSError:  # no file system takes such a name
        is_folder = is_file = False
    if is_folder:
        for model in (folder, folder / MODEL):
            if (model / CARD).is_file():
                return kind_of(model), str(model)
        raise GecbenchError(
            f"{spec}: no {CARD} in this folder, so it is no model that gecbench made; say what "
            f"it is, as tagger:{spec} or seq2seq:{spec}"
        )
    if is_file:
        raise UsageError(
            f"{spec}: is a file; the model comes first, then the input; a profile of a chat "
            f"service is named chat:{spec}, a file of an ensemble ensemble:{spec}"
        )
    if is_known("corrector", kind, CORRECTORS):
        return kind, place
    if "/" in spec and not colon:
        raise GecbenchError(f"{spec}: no such folder; name the folder of a model, or KIND:PLACE")
    kinds = {name: resolve("corrector", name, CORRECTORS) for name in CORRECTORS}
    written = {
        name: f"{name}:PLACE"
        for name, known in kinds.items()
        if isinstance(known, CorrectorKind) and known.place == "required"
    }
    more = f"; or the folder of a model, or {HUB}:NAME"
    name = kind if colon else spec
    raise UnknownNameError("corrector", name, CORRECTORS, written=written, more=more)


def _download(place: str) -> tuple[str, str]:
    """Download a model that gecbench made, or one in the folder of a run, if it is one by its card.

    Returns:
        Its kind and its folder.
    """
    if not place.partition("@")[0]:
        raise UsageError(f"{HUB}:{place}: a name is missing; write {HUB}:NAME or {HUB}:NAME@COMMIT")
    from gecbench.backends.transformers import download

    cards = download(place, (CARD, f"{MODEL}/{CARD}"), prefix=f"{HUB}:")
    for inside in ("", MODEL):
        if (cards / inside / CARD).is_file():
            kind = kind_of(cards / inside)
            files = f"{inside}/*" if inside else "*"
            return kind, str(download(place, (files,), prefix=f"{HUB}:") / inside)
    raise GecbenchError(
        f"{HUB}:{place}: no {CARD} in this repository, so it is no model that gecbench made; say "
        f"what it is, as tagger:{place} or seq2seq:{place}"
    )


def kind_of(folder: Path) -> str:
    """Look up of which kind the model in a folder is.

    Raises:
        GecbenchError: The folder's card does not say it.
    """
    from gecbench.models.folder import read_card

    kind = read_card(folder).kind
    if not is_known("corrector", kind, CORRECTORS):
        raise GecbenchError(
            f"{folder / CARD}: kind {kind!r} is no corrector that is known; a parser is for "
            "gecbench parse, and of another kind a newer gecbench may have made it"
        )
    return kind
