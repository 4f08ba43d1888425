"""People, how they get in, and what belongs to them alone: sessions, notices, limits of pace."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, ClassVar

from django.contrib.auth import SESSION_KEY
from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.sessions.backends import db
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import models
from django.db.models import PROTECT, Q, QuerySet
from django.utils import timezone

from gecbench.server.models.base import compiled_models


class People(BaseUserManager["Person"]):
    """Finds and makes people; logins are compared without case."""

    def get(self, *args: Any, **columns: Any) -> Person:
        """As usual; by the key alone, as each request asks, by a statement that is written once."""
        # A manager of a relation, or of another database, asks something else.
        plain = type(self) is People and self._db is None
        if plain and not args and columns.keys() == {"pk"} and isinstance(columns["pk"], int):
            for person in _people(columns["pk"]):
                return person
        return super().get(*args, **columns)

    def get_by_natural_key(self, username: str | None) -> Person:
        """The person with a login, however its letters are written."""
        return self.get(login=(username or "").strip().casefold())

    def create_person(self, login: str, password: str | None = None, **fields: Any) -> Person:
        """Make a person; without a password nobody can sign in as them."""
        person = self.model(login=login.strip().casefold(), **fields)
        person.set_password(password)
        person.save(using=self._db)
        return person


class Person(AbstractBaseUser):
    """Somebody who can sign in; never deleted, at most made nameless."""

    login = models.CharField(max_length=150, unique=True)
    name = models.CharField(max_length=150)
    email = models.EmailField(blank=True, default="", db_default="")
    language = models.CharField(max_length=10, blank=True, default="")
    time_zone = models.CharField(max_length=64, blank=True, default="", db_default="")
    theme = models.CharField(max_length=5, default="auto")
    preferences = models.JSONField(default=dict)
    is_administrator = models.BooleanField(default=False)
    is_active = models.BooleanField(default=True)
    created_at = models.DateTimeField(default=timezone.now)
    deleted_at = models.DateTimeField(null=True)

    objects: ClassVar[People] = People()

    USERNAME_FIELD = "login"
    REQUIRED_FIELDS: ClassVar[list[str]] = ["name"]

    class Meta:
        db_table = "person"
        constraints = (
            models.CheckConstraint(condition=~Q(login=""), name="person_has_login"),
            models.CheckConstraint(
                condition=Q(theme__in=["auto", "light", "dark"]), name="person_theme_known"
            ),
        )

    def __str__(self) -> str:
        return self.name


@compiled_models
def _people(key: int) -> QuerySet[Person]:
    return Person.objects.filter(pk=key)


class Invitation(models.Model):
    """A link that lets one person in, once, for a few days; only its hash is kept."""

    token_hash = models.CharField(max_length=64, unique=True)
    project = models.ForeignKey("Project", PROTECT, null=True, related_name="invitations")
    administrator = models.BooleanField(default=False)
    for_person = models.ForeignKey(Person, PROTECT, null=True, related_name="resets")
    roles = models.JSONField(default=list)
    status = models.CharField(max_length=24, default="active")
    note = models.CharField(max_length=200, blank=True, default="")
    by = models.ForeignKey(Person, PROTECT, null=True, related_name="invited")
    at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    used_by = models.ForeignKey(Person, PROTECT, null=True, related_name="came_by")
    used_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "invitation"


class Token(models.Model):
    """Lets a program use the REST API as a person; only its hash is kept."""

    person = models.ForeignKey(Person, PROTECT, related_name="tokens")
    name = models.CharField(max_length=100)
    token_hash = models.CharField(max_length=64, unique=True)
    scopes = models.JSONField(default=list)
    created_at = models.DateTimeField(default=timezone.now)
    last_used_at = models.DateTimeField(null=True)
    expires_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "token"


class Notices(models.Manager["Notice"]):
    """Notices, and how people get them."""

    def tell(
        self, people: Iterable[int], project: int, kind: str, data: Mapping[str, object]
    ) -> None:
        """Give people, by their numbers, a notice of a kind about a project."""
        fields = {"project_id": project, "kind": kind, "data": dict(data)}
        self.bulk_create(Notice(person_id=person, **fields) for person in people)


class Notice(models.Model):
    """A message to one person: an item closed itself, a complaint was decided, a new guideline."""

    objects: ClassVar[Notices] = Notices()

    person = models.ForeignKey(Person, PROTECT, related_name="notices")
    project = models.ForeignKey("Project", PROTECT, null=True, related_name="+")
    kind = models.CharField(max_length=40)
    data = models.JSONField(default=dict)
    at = models.DateTimeField(default=timezone.now)
    read_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "notice"
        indexes = (models.Index(fields=["person", "read_at", "at"], name="notice_of_person"),)


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


class RateLimit(models.Model):
    """How far somebody has used up what they may do at once, on PostgreSQL (web/http.py).

    May be emptied at any time. On PostgreSQL it is not logged: a crash empties it.
    """

    key = models.CharField(max_length=100, primary_key=True)
    full_at = models.FloatField()
    """When all may be done at once again, in seconds since 1970 by the database's clock."""

    class Meta:
        db_table = "rate_limit"
