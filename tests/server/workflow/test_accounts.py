"""People who are shut out and let in again."""

from __future__ import annotations

from django.contrib.auth import SESSION_KEY

from gecbench.server.models import Person
from gecbench.server.models.people import SessionStore
from gecbench.server.workflow import accounts


def test_nothing_of_before_holds_when_somebody_is_let_in(database, person):
    """Neither what was there, nor what requests made that were on their way meanwhile."""
    li, links = person("li"), accounts.PasswordLinks()
    _, before = accounts.make_token(li, name="before")
    link = links.make_token(li)
    accounts.deactivate(li)
    _, meanwhile = accounts.make_token(li, name="meanwhile")
    session = SessionStore()
    session[SESSION_KEY] = str(li.pk)
    session.save()
    assert li.sessions.exists()
    accounts.activate(li)
    assert not li.sessions.exists()
    assert [accounts.find_token(token) for token in (before, meanwhile)] == [None, None]
    now = Person.objects.get(pk=li.pk)
    assert not links.check_token(now, link)
    assert links.check_token(now, links.make_token(now))
    _, after = accounts.make_token(now, name="after")
    assert accounts.find_token(after) is not None
