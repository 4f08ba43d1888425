"""Addresses of the work screens, below /p/<slug>/."""

from __future__ import annotations

from django.urls import URLPattern, path

from gecbench.server.web.annotation import aids, views

urlpatterns: list[URLPattern] = [
    path("work", views.now, name="work"),
    path("work/claim", views.claim, name="work-claim"),
    path("work/history", views.history, name="work-history"),
    path("work/kept", views.kept, name="work-kept"),
    path("work/skipped", views.skipped, name="work-skipped"),
    path("work/t/<int:number>", views.task, name="work-task"),
    path("work/skip/<int:slot_id>", views.skip, name="work-skip"),
    path("work/reopen/<int:slot_id>", views.reopen, name="work-reopen"),
    path("work/recall/<int:sentence_id>", views.recall, name="work-recall"),
    path("work/suggestion/<int:slot_id>", views.suggestion, name="work-suggestion"),
    path("context/<int:sentence_id>", aids.context, name="context"),
    path("draft/<int:slot_id>", views.draft, name="draft"),
    path("submit/<int:slot_id>", views.submit, name="submit"),
]
