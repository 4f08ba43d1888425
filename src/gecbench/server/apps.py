"""The Django application of the site."""

from __future__ import annotations

from django.apps import AppConfig


class ServerConfig(AppConfig):
    """Label and place of the application; all tables belong to it."""

    name = "gecbench.server"
    label = "server"
    verbose_name = "gecbench"
    default_auto_field = "django.db.models.BigAutoField"
