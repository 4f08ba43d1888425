"""Addresses of the review screens."""

from __future__ import annotations

from django.urls import URLPattern, path

from gecbench.server.web.review import views

urlpatterns: list[URLPattern] = [
    path("review", views.current, name="review"),
    path("review/history", views.history, name="review-history"),
    path("review/<int:sentence_id>", views.sentence, name="review-sentence"),
    path("review/<int:sentence_id>/draft", views.draft, name="review-draft"),
    path("review/<int:sentence_id>/examine", views.examine, name="review-examine"),
    path("review/<int:sentence_id>/finalise", views.finalise, name="review-finalise"),
    path("review/<int:sentence_id>/undo", views.undo, name="review-undo"),
    path("review/<int:sentence_id>/hand", views.hand, name="review-hand"),
    path("review/<int:sentence_id>/second", views.second, name="review-second"),
    path("review/<int:sentence_id>/more", views.more, name="review-more"),
]
