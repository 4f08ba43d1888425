"""Addresses of the work screens, below /p/<slug>/."""

from __future__ import annotations

from django.urls import URLPattern, path

from gecbench.server.web.work import acts, pages

urlpatterns: list[URLPattern] = [
    path("work", pages.now, name="work"),
    path("work/claim", acts.claim, name="work-claim"),
    path("work/history", pages.history, name="work-history"),
    path("work/kept", pages.kept, name="work-kept"),
    path("work/skipped", pages.skipped, name="work-skipped"),
    path("work/t/<int:number>", pages.task, name="work-task"),
    path("work/skip/<int:slot_id>", acts.skip, name="work-skip"),
    path("work/reopen/<int:slot_id>", acts.reopen, name="work-reopen"),
    path("work/recall/<int:sentence_id>", acts.recall, name="work-recall"),
    path("work/suggestion/<int:slot_id>", acts.suggestion, name="work-suggestion"),
    path("draft/<int:slot_id>", acts.draft, name="draft"),
    path("submit/<int:slot_id>", acts.submit, name="submit"),
]
