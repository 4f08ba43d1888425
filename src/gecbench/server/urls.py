"""All addresses; each part of the site has its own list."""

from __future__ import annotations

from django.urls import include, path

from gecbench.server.web import errors, responses

handler400 = errors.bad_request
handler403 = errors.forbidden
handler404 = errors.not_found
handler500 = errors.server_error

urlpatterns = [
    path("healthz", responses.alive, name="alive"),
    path("readyz", responses.ready, name="ready"),
    path("", include("gecbench.server.web.account.urls")),
    path("", include("gecbench.server.web.home.urls")),
    path("projects/", include("gecbench.server.web.manage.site_urls")),
    path("p/<slug:slug>/", include("gecbench.server.web.annotation.urls")),
    path("p/<slug:slug>/", include("gecbench.server.web.review.urls")),
    path("p/<slug:slug>/", include("gecbench.server.web.study.urls")),
    path("p/<slug:slug>/", include("gecbench.server.web.guidelines.urls")),
    path("p/<slug:slug>/manage/", include("gecbench.server.web.manage.urls")),
    path("api/v1/", include("gecbench.server.rest.urls")),
]
