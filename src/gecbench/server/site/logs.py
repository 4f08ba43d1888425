"""Lines of the log: for people, or one JSON object each for programs."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime

_OURS = ("request", "person", "status", "milliseconds")


def _moment(record: logging.LogRecord) -> str:
    return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")


class TextLine(logging.Formatter):
    """Time, level, logger, message, and who and which request where that is known."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, a traceback after it."""
        known = [
            f"{name}={getattr(record, name)}"
            for name in ("person", "request")
            if isinstance(getattr(record, name, None), str | int)
        ]
        words = super().format(record)
        first, _, rest = words.partition("\n")
        line = " ".join([_moment(record), record.levelname, record.name, first, *known])
        return f"{line}\n{rest}" if rest else line


class JsonLine(logging.Formatter):
    """The same as JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line; a traceback is a part of it."""
        said: dict[str, object] = {
            "time": _moment(record),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        for name in _OURS:
            value = getattr(record, name, None)
            if isinstance(value, str | int | float):
                said[name] = value
        if record.exc_info:
            said["traceback"] = self.formatException(record.exc_info)
        return json.dumps(said, ensure_ascii=False)
