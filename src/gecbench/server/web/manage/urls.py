"""Addresses of the page Quality, below /p/<slug>/manage/."""

from __future__ import annotations

from django.urls import URLPattern, path

from gecbench.server.web.manage import (
    assignments,
    exports,
    guideline,
    imports,
    log,
    members,
    quality,
    sentences,
    settings,
)

quality_urls: list[URLPattern] = [
    path("quality", quality.shown, name="manage-quality"),
    path("quality/compute", quality.compute, name="manage-quality-compute"),
    path("quality/<slug:name>.svg", quality.picture, name="manage-quality-picture"),
]


# Addresses of the manager's pages, below /p/<slug>/manage/.


urlpatterns: list[URLPattern] = [
    path("", quality.overview, name="manage"),
    path("sentences", sentences.listed, name="manage-sentences"),
    path("sentences/bulk", sentences.preview, name="manage-bulk"),
    path("sentences/bulk/do", sentences.do, name="manage-bulk-do"),
    path("sentences/<int:number>", sentences.story, name="manage-sentence"),
    path("sentences/<int:number>/reopen", sentences.reopen, name="manage-reopen"),
    path("sentences/<int:number>/withdraw", sentences.withdraw, name="manage-withdraw"),
    path("sentences/<int:number>/restore", sentences.restore, name="manage-restore"),
    path("sentences/<int:number>/raise", sentences.raise_needed, name="manage-raise"),
    path("sentences/<int:number>/assign", sentences.assign, name="manage-assign"),
    path("sentences/<int:number>/waive/<int:study>", sentences.waive, name="manage-waive"),
    path("import", imports.begin, name="manage-import"),
    path("import/<str:waiting>", imports.report, name="manage-import-report"),
    path("import/<str:waiting>/run", imports.run, name="manage-import-run"),
    path("import/<str:waiting>/forget", imports.forget, name="manage-import-forget"),
    path("export", exports.choose, name="manage-export"),
    path("export/download", exports.download, name="manage-export-download"),
    path("releases", exports.listed, name="manage-releases"),
    path("releases/<int:release>", exports.shown, name="manage-release"),
    path("releases/<int:release>/<str:file>", exports.download_release, name="manage-release-file"),
    path("members", members.listed, name="manage-members"),
    path("members/invite", members.invite, name="manage-invite"),
    path("members/work", assignments.give, name="manage-work"),
    path("members/work/<int:assignment>", assignments.change, name="manage-assignment"),
    path("members/add", members.add, name="manage-add"),
    path("members/invitations/<int:invitation>", members.revoke, name="manage-revoke"),
    path("members/<int:member_id>", members.one, name="manage-member"),
    path("members/<int:member_id>/unlock", members.unlock, name="manage-unlock"),
    path("members/<int:member_id>/password", members.password, name="manage-password"),
    path("guideline", guideline.edit, name="manage-guideline"),
    path("guideline/preview", guideline.preview, name="manage-guideline-preview"),
    path("guideline/cases", guideline.settle, name="manage-guideline-cases"),
    *quality_urls,
    path("settings", settings.settings, name="manage-settings"),
    path("audit", log.listed, name="manage-audit"),
    path("audit/verify", log.verify, name="manage-audit-verify"),
]
