"""All addresses: pages, and the REST API."""

from __future__ import annotations

from django.urls import include, path

from gecbench.server.web import errors

handler400 = errors.bad_request
handler403 = errors.forbidden
handler404 = errors.not_found
handler500 = errors.server_error

urlpatterns = [
    path("", include("gecbench.server.web.urls")),
    path("api/v1/", include("gecbench.server.rest.urls")),
]
