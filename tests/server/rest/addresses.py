"""The addresses of the API alone: its tests need no page."""

from __future__ import annotations

from django.urls import include, path

urlpatterns = [path("api/v1/", include("gecbench.server.rest.urls"))]
