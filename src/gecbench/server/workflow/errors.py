"""How the workflow says no; each has the HTTP status that the wire uses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gecbench.core.errors import GecbenchError


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with what was handed in.

    Args:
        code: A stable name as "ANN-10" or "CON-3"; the page has words for each.
        field: The box that caused it: "reference-0", "decision", "reason", "verdict-2"; "" is
            the whole.
        message: One English line, for the log, the API and the command line.
        values: What the page's words need.
        blocking: Whether it refuses; else it is a warning that may be confirmed.
    """

    code: str
    field: str
    message: str
    values: tuple[tuple[str, str], ...] = ()
    blocking: bool = True


class WorkflowError(GecbenchError):
    """Something that may not happen now; nothing was changed."""

    status = 409


class RefusedError(WorkflowError):
    """What was handed in breaks a rule; the problems say where."""

    status = 422

    def __init__(self, problems: Sequence[Problem]) -> None:
        """Keep the problems; the message is the first one's."""
        super().__init__("; ".join(problem.message for problem in problems))
        self.problems = tuple(problems)


class ConflictError(WorkflowError):
    """Somebody else, or another tab, was first; `current` is what the server has now."""

    status = 409

    def __init__(self, message: str, current: object = None, /, **values: object) -> None:
        """Keep what the server has."""
        super().__init__(message, **values)
        self.current = current


class GoneError(WorkflowError):
    """The lease is over and the place is not to be had again; the text was kept as a draft."""

    status = 410


class NotYoursError(WorkflowError):
    """No such thing for this person; the same answer as for what does not exist."""

    status = 404


class NotAllowedError(WorkflowError):
    """The member's role or status does not allow it."""

    status = 403


class EditFirstError(WorkflowError):
    """A suggestion is shown only after an edit of the annotator's own."""

    status = 403

    def __init__(self) -> None:
        """Say so."""
        super().__init__("a suggestion is shown after the first edit of your own")


class UnavailableError(WorkflowError):
    """The server lacks something that it needs for this; a manager sees to it."""

    status = 503


class GuidelineFirstError(NotAllowedError):
    """The project wants its guideline to be read first, and the member has not confirmed it."""

    def __init__(self) -> None:
        """Say so."""
        super().__init__("read the guideline and confirm it first; what you wrote is kept")
