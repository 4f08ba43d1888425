"""Addresses of the study screens and of the problems."""

from __future__ import annotations

from django.urls import URLPattern, path

from gecbench.server.web.study import complaints, views

urlpatterns: list[URLPattern] = [
    path("study", views.listed, name="study"),
    path("study/<int:study_id>", views.item, name="study-item"),
    path("study/<int:study_id>/try", views.attempt, name="study-try"),
    path("study/<int:study_id>/complain", views.complain, name="study-complain"),
    path("problems", complaints.listed, name="problems"),
    path("problems/<int:complaint_id>", complaints.shown, name="problem"),
    path("problems/<int:complaint_id>/say", complaints.say, name="problem-say"),
    path("problems/<int:complaint_id>/rule", complaints.rule, name="problem-rule"),
    path("problems/<int:complaint_id>/case", complaints.case, name="problem-case"),
]
