"""Addresses of the administrators' list of projects, below /projects/."""

from __future__ import annotations

from django.urls import URLPattern, path

from gecbench.server.web.manage import projects

urlpatterns: list[URLPattern] = [
    path("", projects.listed, name="projects"),
    path("new", projects.new, name="project-new"),
    path("<slug:slug>/archive", projects.archive, name="project-archive"),
    path("<slug:slug>/delete", projects.delete, name="project-delete"),
    path("<slug:slug>/back", projects.bring_back, name="project-back"),
]
