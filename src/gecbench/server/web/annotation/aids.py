"""What helps at a sentence, each asked for by itself: its neighbours in the document."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET

from gecbench.server.choices import Role
from gecbench.server.models import Member, ReviewTask, Sentence
from gecbench.server.web.permissions import member
from gecbench.server.workflow.review_tasks import has_held_slot
from gecbench.server.workflow.sentences import neighbours


def context_address(slug: str, sentence: Sentence) -> str:
    """Return where the neighbours of a sentence are; "" where it is from no document."""
    return "" if sentence.document is None else reverse("context", args=[slug, sentence.pk])


@member(Role.ANNOTATOR, Role.REVIEWER, Role.MANAGER)
@require_GET
def context(request: HttpRequest, member: Member, sentence_id: int) -> HttpResponse:
    """Show the sentences around one, to whoever works on it: source texts alone."""
    sentence = Sentence.objects.filter(pk=sentence_id, project=member.project_id).first()
    if sentence is None or not _may_see(member, sentence):
        raise Http404
    before, after = neighbours(sentence)
    lang = "zh-Hans" if member.project.lang == "zh" else member.project.lang
    shown = {"sentence": sentence, "before": before, "after": after, "text_lang": lang}
    return render(request, "annotation/context.html", shown)


def _may_see(member: Member, sentence: Sentence) -> bool:
    if member.has(Role.MANAGER) or has_held_slot(member.person_id, sentence.pk):
        return True
    return member.has(Role.REVIEWER) and ReviewTask.objects.filter(sentence=sentence).exists()
