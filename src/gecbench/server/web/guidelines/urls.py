"""Addresses of the guideline, below /p/<slug>/."""

from __future__ import annotations

from django.urls import URLPattern, path

from gecbench.server.web.guidelines import views

urlpatterns: list[URLPattern] = [
    path("guide", views.guide, name="guide"),
    path("guide/search", views.search, name="guide-search"),
    path("guide/drawer", views.drawer, name="guide-drawer"),
    path("guide/acknowledge/<int:version>", views.acknowledge, name="guide-acknowledge"),
    path("guide/<str:section>", views.section, name="guide-section"),
]
