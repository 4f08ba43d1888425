"""Addresses of this part."""

from __future__ import annotations

from django.urls import URLPattern, path

from gecbench.server.web.account import passwords, views

urlpatterns: list[URLPattern] = [
    path("login", views.login, name="login"),
    path("logout", views.logout, name="logout"),
    path("invitation/<str:secret>", views.invitation, name="invitation"),
    path("password", passwords.forgotten, name="password-forgotten"),
    path(
        "password/<int:maker>/<str:uidb64>/<str:token>", passwords.new_password, name="password-new"
    ),
    path("language", views.language, name="language"),
    path("account", views.overview, name="account"),
    path("account/change", views.change, name="account-change"),
    path("account/data", views.data, name="account-data"),
    path("account/keys", views.keys, name="account-keys"),
    path("account/password", passwords.change, name="account-password"),
    path("account/sessions", views.list_sessions, name="account-sessions"),
    path("account/sessions/end", views.end, name="account-sessions-end"),
    path("account/tokens", views.list_tokens, name="account-tokens"),
    path("account/tokens/<int:token_id>/revoke", views.revoke, name="account-token-revoke"),
]
