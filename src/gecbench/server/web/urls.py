"""The addresses of all pages."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, include, path

from gecbench.server.web import complaints, guidelines, home, study
from gecbench.server.web.account import passwords
from gecbench.server.web.account import views as account
from gecbench.server.web.annotation import views as annotation
from gecbench.server.web.manage import (
    assignments,
    exports,
    guideline,
    imports,
    log,
    members,
    projects,
    quality,
    sentences,
    settings,
    trials,
)
from gecbench.server.web.practice import views as practice
from gecbench.server.web.review import views as review

_account: list[URLPattern] = [
    path("login", account.login, name="login"),
    path("logout", account.logout, name="logout"),
    path("invitation/<str:secret>", account.invitation, name="invitation"),
    path("password", passwords.forgotten, name="password-forgotten"),
    path(
        "password/<int:maker>/<str:uidb64>/<str:token>", passwords.new_password, name="password-new"
    ),
    path("language", account.language, name="language"),
    path("account", account.overview, name="account"),
    path("account/change", account.change, name="account-change"),
    path("account/data", account.data, name="account-data"),
    path("account/keys", account.keys, name="account-keys"),
    path("account/password", passwords.change, name="account-password"),
    path("account/sessions", account.list_sessions, name="account-sessions"),
    path("account/sessions/end", account.end_sessions, name="account-sessions-end"),
    path("account/tokens", account.list_tokens, name="account-tokens"),
    path("account/tokens/<int:token_id>/revoke", account.revoke_token, name="account-token-revoke"),
]

_site: list[URLPattern] = [
    path("healthz", home.alive, name="alive"),
    path("readyz", home.ready, name="ready"),
    path("", home.home, name="day"),
    path("notices/read", home.read_notices, name="notices-read"),
    path("goal", home.set_goal, name="goal"),
    path("projects/", projects.list_projects, name="projects"),
    path("projects/new", projects.create, name="project-new"),
    path("projects/<slug:slug>/archive", projects.archive, name="project-archive"),
    path("projects/<slug:slug>/delete", projects.delete, name="project-delete"),
    path("projects/<slug:slug>/back", projects.restore, name="project-back"),
]

_work: list[URLPattern] = [
    path("", home.project, name="project"),
    path("me", home.my_statistics, name="me"),
    path("work", annotation.current, name="work"),
    path("work/claim", annotation.claim, name="work-claim"),
    path("work/history", annotation.history, name="work-history"),
    path("work/kept", annotation.list_drafts, name="work-kept"),
    path("work/skipped", annotation.list_skipped, name="work-skipped"),
    path("work/t/<int:number>", annotation.submission, name="work-task"),
    path("work/skip/<int:slot_id>", annotation.skip, name="work-skip"),
    path("work/reopen/<int:slot_id>", annotation.reopen, name="work-reopen"),
    path("work/recall/<int:sentence_id>", annotation.recall, name="work-recall"),
    path("work/suggestion/<int:slot_id>", annotation.suggestion, name="work-suggestion"),
    path("context/<int:sentence_id>", annotation.context, name="context"),
    path("draft/<int:slot_id>", annotation.save_draft, name="draft"),
    path("submit/<int:slot_id>", annotation.submit, name="submit"),
    path("review", review.current, name="review"),
    path("review/history", review.history, name="review-history"),
    path("review/<int:sentence_id>", review.sentence, name="review-sentence"),
    path("review/<int:sentence_id>/draft", review.save_draft, name="review-draft"),
    path("review/<int:sentence_id>/examine", review.examine, name="review-examine"),
    path("review/<int:sentence_id>/finalise", review.finalise, name="review-finalise"),
    path("review/<int:sentence_id>/undo", review.undo, name="review-undo"),
    path("review/<int:sentence_id>/hand", review.hand_on, name="review-hand"),
    path("review/<int:sentence_id>/second", review.second_opinion, name="review-second"),
    path("review/<int:sentence_id>/more", review.return_for_more, name="review-more"),
    path("training", practice.training, name="training"),
    path("training/<int:number>", practice.training_task, name="training-task"),
    path("training/answers/<int:practice_id>", practice.training_answer, name="training-answer"),
    path("trial", practice.trial, name="trial"),
    path("trial/begin", practice.begin_trial, name="trial-begin"),
    path("trial/<int:task_id>", practice.answer_trial, name="trial-answer"),
    path("study", study.list_items, name="study"),
    path("study/<int:study_id>", study.item, name="study-item"),
    path("study/<int:study_id>/try", study.attempt, name="study-try"),
    path("study/<int:study_id>/complain", study.complain, name="study-complain"),
    path("problems", complaints.list_complaints, name="problems"),
    path("problems/<int:complaint_id>", complaints.complaint, name="problem"),
    path("problems/<int:complaint_id>/say", complaints.say, name="problem-say"),
    path("problems/<int:complaint_id>/rule", complaints.rule, name="problem-rule"),
    path("problems/<int:complaint_id>/case", complaints.mark_case, name="problem-case"),
    path("guide", guidelines.guideline, name="guide"),
    path("guide/search", guidelines.search, name="guide-search"),
    path("guide/drawer", guidelines.drawer, name="guide-drawer"),
    path("guide/acknowledge/<int:version>", guidelines.acknowledge, name="guide-acknowledge"),
    path("guide/<str:section>", guidelines.section, name="guide-section"),
]

_manage: list[URLPattern] = [
    path("", quality.overview, name="manage"),
    path("sentences", sentences.list_sentences, name="manage-sentences"),
    path("sentences/bulk", sentences.preview, name="manage-bulk"),
    path("sentences/bulk/do", sentences.run, name="manage-bulk-do"),
    path("sentences/<int:number>", sentences.sentence, name="manage-sentence"),
    path("sentences/<int:number>/reopen", sentences.reopen, name="manage-reopen"),
    path("sentences/<int:number>/withdraw", sentences.withdraw, name="manage-withdraw"),
    path("sentences/<int:number>/restore", sentences.restore, name="manage-restore"),
    path("sentences/<int:number>/raise", sentences.raise_needed, name="manage-raise"),
    path("sentences/<int:number>/assign", sentences.assign, name="manage-assign"),
    path("sentences/<int:number>/waive/<int:study>", sentences.waive, name="manage-waive"),
    path("import", imports.upload, name="manage-import"),
    path("import/<str:waiting>", imports.report, name="manage-import-report"),
    path("import/<str:waiting>/run", imports.run, name="manage-import-run"),
    path("import/<str:waiting>/forget", imports.forget, name="manage-import-forget"),
    path("export", exports.export_page, name="manage-export"),
    path("export/download", exports.download, name="manage-export-download"),
    path("releases", exports.list_releases, name="manage-releases"),
    path("releases/<int:release>", exports.release_page, name="manage-release"),
    path("releases/<int:release>/<str:file>", exports.download_release, name="manage-release-file"),
    path("members", members.list_members, name="manage-members"),
    path("members/invite", members.invite, name="manage-invite"),
    path("members/work", assignments.assign, name="manage-work"),
    path("members/work/<int:assignment>", assignments.change, name="manage-assignment"),
    path("members/add", members.add, name="manage-add"),
    path("members/invitations/<int:invitation>", members.revoke, name="manage-revoke"),
    path("members/<int:member_id>", members.member_page, name="manage-member"),
    path("members/<int:member_id>/unlock", members.unlock, name="manage-unlock"),
    path("members/<int:member_id>/password", members.password, name="manage-password"),
    path("trials", trials.overview, name="manage-trials"),
    path("trials/<int:trial_id>", trials.trial, name="manage-trial"),
    path("trials/answers/<int:answer_id>", trials.overrule, name="manage-overrule"),
    path("gold/<int:member_id>", trials.gold, name="manage-gold"),
    path("gold/results/<int:result_id>", trials.overrule_gold, name="manage-gold-overrule"),
    path("guideline", guideline.edit, name="manage-guideline"),
    path("guideline/preview", guideline.preview, name="manage-guideline-preview"),
    path("guideline/cases", guideline.settle, name="manage-guideline-cases"),
    path("quality", quality.quality, name="manage-quality"),
    path("quality/compute", quality.compute, name="manage-quality-compute"),
    path("quality/<slug:name>.svg", quality.chart, name="manage-quality-picture"),
    path("settings", settings.settings, name="manage-settings"),
    path("audit", log.audit_log, name="manage-audit"),
    path("audit/verify", log.verify, name="manage-audit-verify"),
]

urlpatterns: list[URLPattern | URLResolver] = [
    *_account,
    *_site,
    path("p/<slug:slug>/", include(_work)),
    path("p/<slug:slug>/manage/", include(_manage)),
]
