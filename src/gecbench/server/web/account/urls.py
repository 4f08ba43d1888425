"""Addresses of this part."""

from __future__ import annotations

from django.urls import URLPattern, path

from gecbench.server.web.account import entering, own, personal, programs, sessions

urlpatterns: list[URLPattern] = [
    path("login", entering.login, name="login"),
    path("logout", entering.logout, name="logout"),
    path("invitation/<str:secret>", entering.invitation, name="invitation"),
    path("language", personal.language, name="language"),
    path("account", personal.overview, name="account"),
    path("account/change", personal.change, name="account-change"),
    path("account/data", own.data, name="account-data"),
    path("account/keys", personal.keys, name="account-keys"),
    path("account/password", personal.password, name="account-password"),
    path("account/sessions", sessions.listed, name="account-sessions"),
    path("account/sessions/end", sessions.end, name="account-sessions-end"),
    path("account/tokens", programs.listed, name="account-tokens"),
    path("account/tokens/<int:token_id>/revoke", programs.revoke, name="account-token-revoke"),
]
