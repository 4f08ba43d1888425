"""Addresses of the page Quality, below /p/<slug>/manage/."""

from __future__ import annotations

from django.urls import URLPattern, path

from gecbench.server.web.manage import quality

quality_urls: list[URLPattern] = [
    path("quality", quality.shown, name="manage-quality"),
    path("quality/compute", quality.compute, name="manage-quality-compute"),
    path("quality/<slug:name>.svg", quality.picture, name="manage-quality-picture"),
]
