"""How a field of an options class is written on the command line, declared beside the field.

    beta: Annotated[float, Option("--beta", "Weight of recall in F.")] = 0.5

`gecbench.cli.command` makes command-line options of it; nothing else has to repeat it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, overload

from gecbench.core.errors import MissingExtraError, ResourceError, UsageError

Complete = Collection[str] | Callable[[], Collection[str]]


@dataclass(frozen=True, slots=True)
class Option:
    """A command-line option. Its type and default are those of the field.

    Args:
        name: As "--beta"; "--simplify/--no-simplify" for a flag that can be switched off.
        help: One line.
        short: As "-o".
        metavar: What help calls the value, where its type does not say enough.
        envvar: Environment variable that is read where the option is not given.
        commas: One text with commas between the values, instead of an option that is repeated.
        repeated: `read` gets all texts of an option that is repeated. So it is for a mapping, and
            for a tuple that nothing reads, without saying.
        choices: What the value may be, where the type does not say.
        default: The default as text, for a field that `read` makes; None takes the field's.
        show_default: What help says of the default, where its value would not be understood.
        read: Makes the field's value of the text; raises UsageError.
        complete: Values that shells offer, where the type does not say, or what lists them.
        needs: Names of options, as "--figures". If none of them is set, this one has no effect,
            and is refused if it is given.
        writes: Of an option that names a file to write, what is put behind the name: ("",) for
            the file itself, ("", ".json") for two files. They are checked before any work.
        makes: Whether the option names a folder for files, which is checked likewise.
        greedy: Whether all words up to the next option are values, as argparse's nargs="+" has it;
            of a tuple in a command without arguments.
    """

    name: str
    help: str
    short: str | None = None
    metavar: str | None = None
    envvar: str | None = None
    commas: bool = False
    repeated: bool = False
    choices: Sequence[str] | None = None
    default: str | None = None
    show_default: str | None = None
    read: Callable[[Any], object] | None = None
    complete: Complete | None = None
    needs: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    makes: bool = False
    greedy: bool = False


@dataclass(frozen=True, slots=True)
class Argument:
    """A positional argument, required unless it has a default."""

    metavar: str | None = None
    complete: Complete | None = None


@dataclass(frozen=True, slots=True)
class Without:
    """Fields of an options class that a command does not offer; they keep their defaults."""

    fields: frozenset[str]

    def __init__(self, *fields: str) -> None:
        object.__setattr__(self, "fields", frozenset(fields))


def pairs(
    option: str, form: str, *, last: bool = False, empty: bool = True
) -> Callable[[Sequence[str]], dict[str, str]]:
    """A function that reads the NAME=VALUE texts of a repeated option.

    Args:
        option: Its name, for messages.
        form: What each should look like, as "NAME=W".
        last: Divide at the last equals sign instead of the first.
        empty: Whether a value may be empty.
    """

    def read(texts: Sequence[str]) -> dict[str, str]:
        values: dict[str, str] = {}
        for text in texts:
            name, equals, value = text.rpartition("=") if last else text.partition("=")
            if not (equals and name and (empty or value)):
                raise UsageError(f"{option} {text!r} must be {form}")
            if name in values:
                raise UsageError(f"{option} {name} is given twice; give it once")
            values[name] = value
        return values

    return read


# Refuses values of options that it cannot work with.


def check_choice(option: str, value: str, allowed: tuple[str, ...]) -> None:
    """Refuse a value that is none of those allowed.

    Raises:
        UsageError: Names the option, the value and what is allowed.
    """
    if value not in allowed:
        raise UsageError(f"{option} is {value!r}; it is one of {', '.join(allowed)}")


def check_list(option: str, names: Sequence[str]) -> None:
    """Refuse a single text where a list of names belongs: its letters would be the names.

    Raises:
        UsageError: Names the option, and writes the tuple that was meant.
    """
    if isinstance(names, str):
        raise UsageError(f"{option} {names!r} is a text; write a tuple: ({names!r},)")
    if not isinstance(names, Iterable):
        raise UsageError(f"{option} {names!r} is no list of names; write a tuple, () for none")


def check_once(kind: str, names: Sequence[str]) -> None:
    """Refuse a name that stands twice in a list.

    Raises:
        UsageError: Names the kind of what is named, and the list.
    """
    if len(set(names)) < len(names):
        raise UsageError(f"a {kind} is named twice in {','.join(names)}; name it once")


def check_least(option: str, value: int, least: int) -> None:
    """Refuse a number below the least one allowed.

    Raises:
        UsageError: Names the option, the value and what is allowed.
    """
    if not isinstance(value, int) or value < least:
        raise UsageError(f"{option} is {value!r}; it must be a whole number of at least {least}")


_SECONDS = 5
"""How long an address may take to answer."""
_SETTINGS = b"\x04"
_HTTP2 = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0" + _SETTINGS + b"\0\0\0\0\0"
"""How a client of gRPC, which Ray's head serves, begins; the server answers with a frame of its
settings, whose kind is the fourth byte."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """A Ray cluster, for all that takes `jobs`: it works in place of processes of this machine.

    Args:
        address: HOST:PORT of the head; "auto" is the cluster that this machine belongs to, or
            that RAY_ADDRESS names.
        workers: How many, each with a CPU; None takes all CPUs but one, which Ray needs itself.
        gpus: Of each worker; 0.25 lets four share one.
        resume: Folder that keeps the results of parts, each in a file that is pickled Python. The
            same run goes on from there when its driver was killed.
        inputs: Hashes or versions of what workers read besides; a run with others does not go on.
    """

    address: Annotated[
        str,
        Option(
            "--address",
            "HOST:PORT of the cluster, or auto: the one that this machine belongs to.",
            needs=("--engine",),
        ),
    ] = "auto"
    workers: int | None = None
    gpus: Annotated[
        float, Option("--gpus", "GPUs of each worker; 0.25: four share one.", needs=("--engine",))
    ] = 0.0
    resume: Annotated[
        Path | str | None,
        Option(
            "--resume",
            "Folder that keeps finished parts; the same command goes on from there.",
            metavar="FOLDER",
            needs=("--engine",),
            makes=True,
        ),
    ] = None
    inputs: Mapping[str, str] = field(default_factory=dict)

    def check(self) -> None:
        """Refuse an address where nothing listens, before any work; Ray would try for minutes.

        Raises:
            UsageError: It is no address, or a number is below what it must be.
            MissingExtraError: Ray is not installed.
            ResourceError: Nothing listens there, or something else than Ray.
        """
        if self.workers is not None:
            check_least("jobs", self.workers, 1)
        if not (0 <= self.gpus <= 1 or float(self.gpus).is_integer()) or self.gpus < 0:
            raise UsageError(f"gpus is {self.gpus:g}; it is a share up to 1, or a whole number")
        from importlib.util import find_spec

        if find_spec("ray") is None:
            raise MissingExtraError("ray", "ray")
        if self.address == "auto":
            return
        host, colon, port = self.address.rpartition(":")
        if not (host and colon and port.isdecimal() and int(port) < 1 << 16):
            raise UsageError(
                f"address {self.address!r} must be HOST:PORT, as 10.0.0.1:6379, or auto"
            )
        import socket  # most commands need none

        try:
            with socket.create_connection((host, int(port)), _SECONDS) as connection:
                connection.sendall(_HTTP2)
                answer = connection.recv(9)
            if answer[3:4] != _SETTINGS and os.environ.get("RAY_USE_TLS", "0") == "0":
                raise ResourceError(
                    f"what answers at {self.address} is no Ray cluster; take the address that ray "
                    "start --head shows, its port is 6379 where none was chosen"
                )
        except OSError as error:
            raise ResourceError(
                f"no Ray cluster answers at {self.address} ({error.strerror or error}); start one: "
                "ray start --head --port 6379"
            ) from error


Workers = int | Cluster | None
"""What works: so many processes, a cluster, or as many processes as are quickest."""


@overload
def jobs_of_step(
    jobs: int | Cluster, step: str = ..., inputs: Mapping[str, str] | None = ...
) -> int | Cluster: ...
@overload
def jobs_of_step(jobs: None, step: str = ..., inputs: Mapping[str, str] | None = ...) -> None: ...
def jobs_of_step(jobs: Workers, step: str = "", inputs: Mapping[str, str] | None = None) -> Workers:
    """The jobs of one of several steps: a cluster keeps the parts of each by themselves.

    Args:
        jobs: Of all steps.
        step: Name of its folder.
        inputs: See `Cluster`.
    """
    if not isinstance(jobs, Cluster):
        return jobs
    from gecbench.core.files import path_of  # help needs no files

    resume = None if jobs.resume is None else path_of(jobs.resume) / step
    return replace(jobs, resume=resume, inputs={**jobs.inputs, **(inputs or {})})


def jobs_error(jobs: Workers, reason: str, instead: str) -> UsageError:
    """An error that refuses several processes, or a cluster.

    Args:
        jobs: What was asked for.
        reason: Why they cannot work.
        instead: What to do where they are processes.
    """
    if isinstance(jobs, Cluster):
        return UsageError(
            f"a Ray cluster cannot do this: {reason}; leave --engine out (in Python, jobs)"
        )
    return UsageError(f"jobs {jobs}: {reason}; {instead}")


def check_jobs(jobs: Workers) -> None:
    """Refuse a number of processes that is none, or a cluster that does not answer.

    Raises:
        UsageError: It is below 1, or neither.
        GecbenchError: As `Cluster.check`.
    """
    if isinstance(jobs, Cluster):
        jobs.check()
    elif jobs is not None:
        if not isinstance(jobs, int) or isinstance(jobs, bool):
            raise UsageError(f"jobs {jobs!r} is no number of processes, as 2, and no Cluster")
        check_least("jobs", jobs, 1)


def check_between(option: str, value: float, low: float, high: float) -> None:
    """Refuse a number outside an interval whose ends are allowed.

    Raises:
        UsageError: Names the option, the value and what is allowed.
    """
    if not isinstance(value, int | float) or not low <= value <= high:
        text = f"{value:g}" if isinstance(value, int | float) else repr(value)
        raise UsageError(f"{option} is {text}; it must be a number from {low:g} to {high:g}")
