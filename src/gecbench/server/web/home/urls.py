"""Addresses of the day page, of a project's front door, and of one's own figures."""

from __future__ import annotations

from django.urls import URLPattern, path

from gecbench.server.web.home import views

urlpatterns: list[URLPattern] = [
    path("", views.day, name="day"),
    path("notices/read", views.read_notices, name="notices-read"),
    path("goal", views.set_goal, name="goal"),
    path("p/<slug:slug>/", views.project, name="project"),
    path("p/<slug:slug>/me", views.me, name="me"),
]
