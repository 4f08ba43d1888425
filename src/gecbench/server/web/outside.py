"""What the database could not do, in words for whoever runs a command."""

from __future__ import annotations

from django.db import DatabaseError, InterfaceError

from gecbench.core.errors import GecbenchError
from gecbench.server.web.failures import status_of


def worded(error: Exception) -> GecbenchError | None:
    """Return the one line for a failure of the database; None for all else."""
    if not isinstance(error, DatabaseError | InterfaceError):
        return None
    said = (str(error).strip().splitlines() or [type(error).__name__])[0]
    status = status_of(error)
    if status == 507:
        return GecbenchError(
            f"the disk is full or not to be written to ({said}); make room and run it again, "
            "nothing half done was kept"
        )
    if status == 503:
        return GecbenchError(
            f"the database is busy or cannot be reached ({said}); try again, nothing half done "
            "was kept"
        )
    if "no such table" in said or "no such column" in said or "does not exist" in said:
        return GecbenchError(
            f"the database is not up to date ({said}); start the server once: gecbench annotate "
            "serve, or make the database: gecbench annotate init"
        )
    return None
