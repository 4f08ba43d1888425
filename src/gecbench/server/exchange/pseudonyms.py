"""Who people are in an export: stable pseudonyms, or their names where somebody asks for them."""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from django.conf import settings

from gecbench.server.models import Member, Person, Project

_LENGTH = 10


@dataclass(frozen=True, slots=True)
class Naming:
    """How people of one project are called.

    The same person has the same pseudonym in every export of a project, and another one in
    another project: without the site's secret nobody can tell who it is.

    Args:
        project: Row of the project.
        names: Person to name, where names are shown; None means pseudonyms.
    """

    project: int
    names: Mapping[int, str] | None = field(default=None, repr=False)

    def of(self, person: int | None) -> str:
        """Return what a person is called; nobody (an import, the platform) is "nobody"."""
        if person is None:
            return "nobody"
        if self.names is not None:
            return self.names.get(person) or f"person {person}"
        return _pseudonym(settings.SECRET_KEY, self.project, person)


@lru_cache(maxsize=4096)
def _pseudonym(secret: str, project: int, person: int) -> str:
    """Return what a person is called in a project; a large export asks a million times."""
    said = f"pseudonym {project} {person}".encode()
    made = hmac.new(secret.encode(), said, hashlib.sha256).digest()
    return "P" + base64.b32encode(made).decode()[:_LENGTH].lower()


def naming_of(project: Project, *, show: bool = False) -> Naming:
    """Return pseudonyms for a project's people, or their names."""
    if not show:
        return Naming(project.pk)
    people = Member.objects.filter(project=project).values_list("person_id", flat=True)
    names = Person.objects.filter(id__in=list(people)).values_list("id", "name", "login")
    twice = _repeated([name for _, name, _ in names])
    return Naming(
        project.pk,
        {key: f"{name} ({login})" if name in twice else name for key, name, login in names},
    )


def _repeated(names: list[str]) -> set[str]:
    return {name for name in names if names.count(name) > 1}
