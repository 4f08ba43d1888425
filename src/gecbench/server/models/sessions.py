"""Sessions that say whose they are, as Django's documentation extends its own."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends import db
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import models
from django.db.models import QuerySet
from django.utils import timezone

from gecbench.server.models.people import Person
from gecbench.server.models.statements import compiled_models


class Session(AbstractBaseSession):
    """A browser that is signed in, or has been."""

    person = models.ForeignKey(Person, models.CASCADE, null=True, related_name="sessions")

    class Meta(AbstractBaseSession.Meta):
        db_table = "session"

    @classmethod
    def get_session_store_class(cls) -> type[db.SessionStore]:
        """What reads and writes rows."""
        return SessionStore


class SessionStore(db.SessionStore):
    """Reads and writes them; its name is a part of the key that signs them, and stays."""

    @classmethod
    def get_model_class(cls) -> type[Session]:
        """The rows' model."""
        return Session

    def _get_session_from_db(self) -> Session | None:
        """The row, as each request asks for it; None where it has ended."""
        row = next(iter(_sessions(self.session_key or "", timezone.now())), None)
        if row is None:
            self._session_key = None
        return row

    def create_model_instance(self, data: dict[str, Any]) -> Session:
        """A row of the session, with its person."""
        row: Session = super().create_model_instance(data)  # type: ignore[assignment]
        row.person_id = int(data[SESSION_KEY]) if SESSION_KEY in data else None
        return row


@compiled_models
def _sessions(key: str, now: datetime) -> QuerySet[Session]:
    return Session.objects.filter(session_key=key, expire_date__gt=now)
