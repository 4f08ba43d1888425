"""What the team needs: servers on both databases, and the command line beside them."""

from __future__ import annotations

from server.survival.conftest import new_database

__all__ = ["new_database"]
