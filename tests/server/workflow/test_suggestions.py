"""Suggestions: made once, shown when the project says so and not before, and all of it kept."""

from __future__ import annotations

import pytest
from click.testing import CliRunner
from server.web.asking import Asking, answer, draft
from server.workflow.reviewing import member_of, waiting
from server.workflow.stories import (
    a_project,
    claimed,
    correction,
    error_free,
    expired,
    joined,
    people,
    sentence_of,
    submit_answer,
)

from gecbench.cli.annotate import project as commands
from gecbench.core.corrector import Correction, Corrector, CorrectorInfo, TextEdit
from gecbench.server.models import Project, Submission, Suggestion, SuggestionEvent
from gecbench.server.workflow import claims, drafts, management, suggestions
from gecbench.server.workflow.errors import EditFirstError, NotYoursError
from gecbench.server.workflow.suggestions import SuggestionRun, make_suggestions


class Robot(Corrector):
    """Puts a mark at the end of every sentence but those it is told to leave or to fail at."""

    def __init__(self, *, version="1", same=(), fails=(), stops_after=None):
        signature = {"corrector": "robot", "version": version}
        self.info = CorrectorInfo("robot", "copying", (), "", signature=signature, window=2)
        self.same, self.fails, self.left = same, fails, stops_after
        self.seen: list[str] = []

    def correct(self, texts):
        if self.left is not None:
            if self.left == 0:
                raise KeyboardInterrupt
            self.left -= 1
        self.seen += texts
        return [self._one(text) for text in texts]

    def _one(self, text):
        if text in self.fails:
            return Correction(text, text, flags=("failed",))
        if text in self.same:
            return Correction(text, text)
        return Correction(text, f"{text}！", (TextEdit(len(text), len(text), "！"),), score=0.5)


def run(project: Project, robot: Corrector) -> SuggestionRun:
    return make_suggestions(project, robot, progress=lambda _done, _whole: None)


def events() -> list[tuple[str, str]]:
    rows = SuggestionEvent.objects.order_by("pk")
    return list(rows.values_list("person__login", "kind"))


def ready(mode: str, **options):
    """A project of one sentence with a suggestion, and the task of an annotator."""
    project = a_project(1, suggestions=mode, **options)
    run(project, Robot())
    (li,) = people(project, 1)
    return li, claimed(li, sentence_of(project))


# Making them.


def test_a_run_proposes_for_every_sentence_and_a_second_run_for_none(database):
    project = a_project(5)
    same, fails = (sentence_of(project, n).text for n in (1, 2))
    assert run(project, Robot(same=(same,), fails=(fails,))) == SuggestionRun(4, 3, 1, 0)
    again = Robot(same=(same,), fails=(fails,))
    assert run(project, again) == SuggestionRun(0, 0, 1, 4)
    assert again.seen == [fails]  # what failed is tried again, nothing else
    row = Suggestion.objects.get(sentence__number=3)
    assert (row.text, row.score) == (f"{row.sentence.text}！", 0.5)
    assert (row.model, row.model_version) == ("robot", "corrector:robot|version:1")


def test_an_interrupted_run_goes_on_where_it_was(site):
    project = a_project(5)
    with pytest.raises(KeyboardInterrupt):
        run(project, Robot(stops_after=1))
    assert Suggestion.objects.count() == 2
    assert run(project, Robot()).count == 3


def test_another_version_proposes_anew_and_is_the_one_that_is_shown(site):
    li, slot = ready("on_demand")
    run(li.project, Robot(version="2", same=(slot.sentence.text,)))
    assert suggestions.show(li, slot.pk).model_version == "corrector:robot|version:2"


def test_only_sentences_that_can_still_be_begun_are_proposed_for(site):
    project = a_project(3, annotators=1)
    (li,) = people(project, 1)
    submit_answer(li, claimed(li, sentence_of(project, 1)))
    boss = joined(project, "boss", "manager")
    management.withdraw(boss, [sentence_of(project, 2).pk], reason="x")
    assert run(project, Robot()).count == 1


def test_progress_is_told_after_each_batch(site):
    calls = []
    make_suggestions(a_project(5), Robot(), progress=lambda *both: calls.append(both))
    assert calls == [(2, 5), (4, 5), (5, 5)]


def test_the_command_makes_them_with_a_corrector_that_needs_no_network(site, monkeypatch):
    pytest.importorskip("jieba")
    project = a_project(["我今天很高心。", "他来了。"])
    monkeypatch.setattr(commands, "open_project", lambda *_: project)
    words = ["story", "--corrector", "zh-homophone"]
    ended = CliRunner().invoke(commands.suggest, words, catch_exceptions=False)
    assert (ended.exit_code, ended.stdout) == (0, "")
    assert "2 suggestions by zh-homophone, 1 of them changes" in ended.stderr
    assert "nobody sees suggestions before the settings" in ended.stderr
    assert Suggestion.objects.get(sentence__number=1).text == "我今天很高兴。"
    ended = CliRunner().invoke(commands.suggest, words, catch_exceptions=False)
    assert "0 suggestions by zh-homophone" in ended.stderr
    assert "2 had one of it already" in ended.stderr


def test_the_command_refuses_a_corrector_for_another_language(site, monkeypatch):
    project = a_project(1)
    monkeypatch.setattr(commands, "open_project", lambda *_: project)
    ended = CliRunner().invoke(commands.suggest, ["story", "--corrector", "en-rules"])
    assert ended.exit_code
    assert not Suggestion.objects.exists()


# Showing them.


def test_nothing_is_shown_where_the_project_says_never(site):
    li, slot = ready("off")
    with pytest.raises(NotYoursError):
        suggestions.show(li, slot.pk)
    assert events() == []


def test_on_demand_it_is_shown_once_asked_for_and_that_is_kept_once(database):
    li, slot = ready("on_demand")
    assert suggestions.show(li, slot.pk) == suggestions.show(li, slot.pk)
    assert events() == [("a1", "shown")]


def test_after_the_first_edit_means_an_edit_that_the_server_has(site):
    li, slot = ready("after_typing")
    unchanged = {"decision": "corrected", "texts": [slot.sentence.text, f" {slot.sentence.text}"]}
    drafts.save_draft(li, slot.pk, rev=0, payload=unchanged)
    with pytest.raises(EditFirstError):
        suggestions.show(li, slot.pk)
    assert events() == []
    drafts.save_draft(li, slot.pk, rev=1, payload={**unchanged, "texts": ["我自己改的。"]})
    drafts.save_draft(li, slot.pk, rev=2, payload=unchanged)  # it was made all the same
    assert suggestions.show(li, slot.pk)


def test_a_decision_without_a_text_is_an_own_one_too(site):
    li, slot = ready("after_typing")
    drafts.save_draft(li, slot.pk, rev=0, payload={"decision": "error_free", "texts": []})
    assert suggestions.show(li, slot.pk)


def test_what_was_shown_stays_though_another_is_made_meanwhile(site):
    li, slot = ready("on_demand")
    first = suggestions.show(li, slot.pk)
    run(li.project, Robot(version="2"))
    assert suggestions.show(li, slot.pk) == first


def test_what_was_seen_at_a_place_that_was_lost_is_named_at_the_next_one(site):
    li, slot = ready("on_demand", annotators=2)
    row = suggestions.show(li, slot.pk)
    expired(li.project)
    (wang,) = people(li.project, 1, prefix="w")
    claimed(wang, slot.sentence)  # the place that li had
    other = claims.current(li).slot
    assert other.pk != slot.pk
    assert submit_answer(li, other).suggestion == row


def test_nobody_sees_it_at_a_task_that_is_not_theirs(site):
    li, slot = ready("on_demand")
    (wang,) = people(li.project, 1, prefix="w")
    with pytest.raises(NotYoursError):
        suggestions.show(wang, slot.pk)
    submit_answer(li, slot, correction("我改的。"))
    with pytest.raises(NotYoursError):
        suggestions.show(li, slot.pk)


def test_nothing_is_taken_over_that_was_not_shown(site):
    li, slot = ready("on_demand")
    with pytest.raises(NotYoursError):
        suggestions.take_over(li, slot.pk)
    suggestions.show(li, slot.pk)
    suggestions.take_over(li, slot.pk)
    suggestions.take_over(li, slot.pk)
    assert events() == [("a1", "shown"), ("a1", "taken")]


def test_a_submission_names_what_was_shown_to_its_author_whatever_a_page_says(site):
    li, slot = ready("on_demand")
    row = suggestions.show(li, slot.pk)
    assert submit_answer(li, slot).suggestion == row
    (wang,) = people(li.project, 1, prefix="w")
    other = claimed(wang, sentence_of(li.project))
    assert submit_answer(wang, other).suggestion is None


@pytest.mark.parametrize(
    ("same", "answer", "equal"),
    [
        (False, correction("别的。", "我昨天去了图书馆借书了。！"), True),
        (False, correction("别的。"), False),
        (False, error_free(), False),
        (True, error_free(), True),
        (True, correction("别的。"), False),
    ],
)
def test_an_answer_equals_a_suggestion_that_says_the_same(site, same, answer, equal):
    project = a_project(1)
    sentence = sentence_of(project)
    run(project, Robot(same=(sentence.text,) if same else ()))
    suggestion = suggestions.latest_suggestion(sentence.pk)
    assert suggestions.matches_answer(suggestion, sentence, answer.decision, answer.texts) is equal


# The wire.


def test_the_page_never_has_it_before_it_was_shown(site):
    li, slot = ready("on_demand")
    expected = f"{slot.sentence.text}！"
    asking = Asking(li)
    page = asking.html("/p/story/work")
    assert expected not in page
    assert "Show a suggestion" in page
    task = asking.page()["task"]
    assert (task["suggestion"], task["shown"]) == (True, None)
    assert asking.get(task["suggestionUrl"]).status_code == 405  # reading shows nothing
    assert events() == []
    response = asking.send("POST", task["suggestionUrl"], {"act": "show"})
    assert response.json() == {"text": expected, "model": "robot", "changes": True}
    assert asking.page()["task"]["shown"] == response.json()
    assert asking.send("POST", task["suggestionUrl"], {"act": "take"}).status_code == 200
    assert asking.send("POST", task["suggestionUrl"], {"act": "x"}).status_code == 400
    asking.send("POST", task["submitUrl"], answer(task, expected))
    assert Submission.objects.get().suggestion == Suggestion.objects.get()
    assert asking.send("POST", "/p/story/work/suggestion/999", {"act": "show"}).status_code == 404


def test_a_request_by_hand_before_the_first_edit_is_refused_in_the_persons_words(site):
    li, _slot = ready("after_typing")
    asking = Asking(li, language="zh-hans")
    task = asking.page()["task"]
    response = asking.send("POST", task["suggestionUrl"], {"act": "show"})
    assert (response.status_code, response.json()["message"]) == (
        403,
        "您自己先改一处之后，才会显示建议。",
    )
    asking.send("PUT", task["draftUrl"], {"rev": 0, "payload": draft("我改了。")})
    assert asking.send("POST", task["suggestionUrl"], {"act": "show"}).status_code == 200


def test_where_the_project_says_never_no_page_speaks_of_it(site):
    li, _slot = ready("off")
    asking = Asking(li)
    task = asking.page()["task"]
    assert task["suggestion"] is False
    assert "Show a suggestion" not in asking.html("/p/story/work")
    assert asking.send("POST", task["suggestionUrl"], {"act": "show"}).status_code == 404


def test_one_that_changes_nothing_says_so(site):
    project = a_project(1, suggestions="on_demand")
    run(project, Robot(same=(sentence_of(project).text,)))
    asking = Asking(people(project, 1)[0])
    task = asking.page()["task"]
    assert asking.send("POST", task["suggestionUrl"], {"act": "show"}).json()["changes"] is False


def test_reviewers_are_never_shown_any(site):
    project = waiting(suggestions="on_demand")
    Suggestion.objects.create(sentence=sentence_of(project), model="robot", text="秘密的建议。")
    rita = Asking(member_of(project, "rita"))
    assert "秘密的建议" not in rita.html(f"/p/story/review/{sentence_of(project).pk}")
