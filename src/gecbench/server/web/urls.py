"""All addresses; each part of the site has its own list."""

from __future__ import annotations

from django.urls import include, path

from gecbench.server.web import failures, health

handler400 = failures.bad_request
handler403 = failures.forbidden
handler404 = failures.not_found
handler500 = failures.server_error

urlpatterns = [
    path("healthz", health.alive, name="alive"),
    path("readyz", health.ready, name="ready"),
    path("", include("gecbench.server.web.account.urls")),
    path("", include("gecbench.server.web.day.urls")),
    path("projects/", include("gecbench.server.web.manage.site_urls")),
    path("p/<slug:slug>/", include("gecbench.server.web.work.urls")),
    path("p/<slug:slug>/", include("gecbench.server.web.review.urls")),
    path("p/<slug:slug>/", include("gecbench.server.web.study.urls")),
    path("p/<slug:slug>/", include("gecbench.server.web.guide.urls")),
    path("p/<slug:slug>/manage/", include("gecbench.server.web.manage.urls")),
    path("api/v1/", include("gecbench.server.rest.urls")),
]
