"""What the user brings to an experiment: where each thing lies, and what is missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gecbench.api.experiment.recipe import Input
from gecbench.core.errors import GecbenchError, UnknownNameError, UsageError

_SAMPLE, _MADE = "sample:", "made:"


@dataclass(frozen=True, slots=True)
class Found:
    """Where an input lies.

    Args:
        given: What the recipe says of it.
        place: A path, a name on the hub, or a corrector; "" where there is none.
        here: Whether steps can use it.
        made: Name of the tiny model that is made there; "" for all else.
    """

    given: Input
    place: str
    here: bool
    made: str = ""


def inputs_of(
    inputs: Sequence[Input], chosen: Sequence[str], *, small: bool, folder: Path
) -> Mapping[str, Found]:
    """Return every input by its name.

    Args:
        inputs: Of the recipe.
        chosen: "NAME=PLACE" of the command line.
        small: Whether samples and tiny models stand in for them.
        folder: The experiment's, in which tiny models are made.

    Raises:
        UsageError: A choice is none.
        UnknownNameError: There is no such input.
    """
    names = [each.name for each in inputs]
    places: dict[str, str] = {}
    for choice in chosen:
        name, equals, place = choice.partition("=")
        if not equals or not place:
            raise UsageError(f"--input {choice}: write NAME=PLACE")
        if name not in names:
            raise UnknownNameError("input", name, names)
        places[name] = place
    found = {}
    for each in inputs:
        if each.name in places:
            place = places[each.name]
            found[each.name] = Found(each, place, _here(each, place))
        elif small:
            found[each.name] = _small(each, folder)
        else:
            found[each.name] = Found(each, each.default, _here(each, each.default))
    return found


def file_of(given: Input, place: str) -> Path:
    """Return the file or folder that a place names: of "chat:PROFILE.toml" the profile."""
    if given.kind == "profile" and place.endswith(".toml"):
        return Path(place.partition(":")[2] or place)
    return Path(place)


def _here(given: Input, place: str) -> bool:
    if not place or file_of(given, place).exists():
        return bool(place)
    if given.kind == "model":  # on the hub, unless it can only be a path
        return place.count("/") <= 1 and not place.startswith((".", "/", "~"))
    return given.kind == "profile" and not place.endswith(".toml")


def _small(given: Input, folder: Path) -> Found:
    if given.small.startswith(_SAMPLE):
        from gecbench.api.files import sample

        language, _, name = given.small.removeprefix(_SAMPLE).partition("/")
        return Found(given, str(sample(language, name)), here=True)
    if given.small.startswith(_MADE):
        name = given.small.removeprefix(_MADE)
        return Found(given, str(folder / "made" / name), here=True, made=name)
    return Found(given, "", here=False)


def make_missing(found: Mapping[str, Found]) -> None:
    """Make the tiny models that are not there yet.

    Raises:
        MissingExtraError: torch or transformers is not installed.
    """
    wanted = {each.made: Path(each.place) for each in found.values() if each.made}
    missing = {name: path for name, path in wanted.items() if not path.exists()}
    if not missing:
        return
    from gecbench.models.untrained import make_untrained

    for name, path in missing.items():
        make_untrained(name, path)


def refuse_missing(missing: Sequence[Found]) -> None:
    """Name all that is missing at once, and how to get it.

    Raises:
        GecbenchError: Something is.
    """
    if missing:
        said = "; ".join(f"{each.given.name}: {describe(each)}" for each in missing)
        raise GecbenchError(
            f"{len(missing)} of the inputs are not there: {said}. Name others by --input "
            "NAME=PLACE, or run what can be run by --available"
        )


def describe(found: Found) -> str:
    """Return what an input is, where it was looked for, and how to get it."""
    place = f" (not at {found.place})" if found.place else ""
    return f"{found.given.what}{place}; {found.given.get}"
