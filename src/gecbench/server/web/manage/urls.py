"""Addresses of the manager's pages, below /p/<slug>/manage/."""

from __future__ import annotations

from django.urls import URLPattern, path

from gecbench.server.web.manage import (
    bulk,
    exports,
    guideline,
    imports,
    log,
    options,
    overview,
    people,
    releases,
    sentence,
    sentences,
)
from gecbench.server.web.manage.quality_urls import quality_urls

urlpatterns: list[URLPattern] = [
    path("", overview.overview, name="manage"),
    path("sentences", sentences.listed, name="manage-sentences"),
    path("sentences/bulk", bulk.preview, name="manage-bulk"),
    path("sentences/bulk/do", bulk.do, name="manage-bulk-do"),
    path("sentences/<int:number>", sentence.story, name="manage-sentence"),
    path("sentences/<int:number>/reopen", sentence.reopen, name="manage-reopen"),
    path("sentences/<int:number>/withdraw", sentence.withdraw, name="manage-withdraw"),
    path("sentences/<int:number>/restore", sentence.restore, name="manage-restore"),
    path("sentences/<int:number>/raise", sentence.raise_needed, name="manage-raise"),
    path("sentences/<int:number>/assign", sentence.assign, name="manage-assign"),
    path("sentences/<int:number>/waive/<int:study>", sentence.waive, name="manage-waive"),
    path("import", imports.begin, name="manage-import"),
    path("import/<str:waiting>", imports.report, name="manage-import-report"),
    path("import/<str:waiting>/run", imports.run, name="manage-import-run"),
    path("import/<str:waiting>/forget", imports.forget, name="manage-import-forget"),
    path("export", exports.choose, name="manage-export"),
    path("export/download", exports.download, name="manage-export-download"),
    path("releases", releases.listed, name="manage-releases"),
    path("releases/<int:release>", releases.shown, name="manage-release"),
    path("releases/<int:release>/<str:file>", releases.download, name="manage-release-file"),
    path("members", people.listed, name="manage-members"),
    path("members/invite", people.invite, name="manage-invite"),
    path("members/invitations/<int:invitation>", people.revoke, name="manage-revoke"),
    path("members/<int:member_id>", people.one, name="manage-member"),
    path("guideline", guideline.edit, name="manage-guideline"),
    path("guideline/preview", guideline.preview, name="manage-guideline-preview"),
    path("guideline/cases", guideline.settle, name="manage-guideline-cases"),
    *quality_urls,
    path("settings", options.settings, name="manage-settings"),
    path("audit", log.listed, name="manage-audit"),
    path("audit/verify", log.verify, name="manage-audit-verify"),
]
