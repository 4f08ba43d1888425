"""Releases and the chained log of who did what, kept for ever; and what may be emptied."""

from __future__ import annotations

from django.db import models
from django.db.models import PROTECT
from django.utils import timezone

from gecbench.server.models.fields import AppendOnly
from gecbench.server.models.people import Person
from gecbench.server.models.projects import Project
from gecbench.server.models.reviews import Golden
from gecbench.server.models.sentences import Sentence


class Release(AppendOnly):
    """Golden versions frozen under a name; its exports never change (WFL-7, INV-14).

    `manifest` says how exports are made (options, format versions) and the sha256 of each.
    """

    project = models.ForeignKey(Project, PROTECT, related_name="releases")
    name = models.CharField(max_length=100)
    note = models.TextField(blank=True, default="")
    manifest = models.JSONField(default=dict)
    manifest_sha256 = models.CharField(max_length=64)
    by = models.ForeignKey(Person, PROTECT, null=True, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "release"
        constraints = (
            models.UniqueConstraint(fields=["project", "name"], name="release_name_once"),
        )


class ReleaseItem(AppendOnly):
    """A sentence of a release with the golden version it has there."""

    release = models.ForeignKey(Release, PROTECT, related_name="items")
    sentence = models.ForeignKey(Sentence, PROTECT, related_name="released")
    golden = models.ForeignKey(Golden, PROTECT, related_name="released")
    position = models.PositiveIntegerField()

    class Meta:
        db_table = "release_item"
        constraints = (
            models.UniqueConstraint(fields=["release", "sentence"], name="release_sentence_once"),
            models.UniqueConstraint(fields=["release", "position"], name="release_position_once"),
        )


class Audit(AppendOnly):
    """Who did what, each row's hash made over the one before (a changed row is found)."""

    seq = models.PositiveBigIntegerField(unique=True)
    at = models.DateTimeField(default=timezone.now)
    who = models.ForeignKey(Person, PROTECT, null=True, related_name="+")
    project = models.ForeignKey(Project, PROTECT, null=True, related_name="+")
    address = models.CharField(max_length=64, blank=True, default="")
    what = models.CharField(max_length=60)
    object_kind = models.CharField(max_length=40, blank=True, default="")
    object_id = models.CharField(max_length=60, blank=True, default="")
    data = models.JSONField(default=dict)
    previous_hash = models.CharField(max_length=64)
    hash = models.CharField(max_length=64)

    class Meta:
        db_table = "audit"
        indexes = (models.Index(fields=["project", "seq"], name="audit_of_project"),)


class Figures(models.Model):
    """Statistics that were computed once and are shown until somebody computes them again.

    A cache: nothing else rests on it, and it may be emptied at any time. `basis` says which rows
    they were made of (the greatest ids), so that a page can tell whether there is more by now.
    """

    project = models.ForeignKey(Project, PROTECT, related_name="figures")
    kind = models.CharField(max_length=40)
    basis = models.CharField(max_length=200)
    data = models.JSONField()
    computed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "figures"
        constraints = (
            models.UniqueConstraint(fields=["project", "kind"], name="figures_kind_once"),
        )


class RateLimit(models.Model):
    """How far somebody has used up what they may do at once, on PostgreSQL (web/http.py).

    May be emptied at any time. On PostgreSQL it is not logged: a crash empties it.
    """

    key = models.CharField(max_length=100, primary_key=True)
    full_at = models.FloatField()
    """When all may be done at once again, in seconds since 1970 by the database's clock."""

    class Meta:
        db_table = "rate_limit"
