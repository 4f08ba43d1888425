"""Projects are made, changed, put away and brought back; guidelines published and read."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone
from server.workflow.races import together
from server.workflow.stories import a_project, joined, people, sentence_of, somebody

from gecbench.core.errors import FormatError, UsageError
from gecbench.server.choices import MemberStatus, Role
from gecbench.server.models import Acknowledgement, Audit, Guideline, Member, Notice, Project
from gecbench.server.rules.options import PLACEHOLDER
from gecbench.server.workflow import members, projects


def make(**changed: object) -> Project:
    words = {"slug": "mucgec", "name": "MuCGEC", "lang": "zh", "by": somebody("boss")}
    return projects.create_project(**(words | changed))


def test_a_new_project_has_a_guideline_a_manager_and_the_templates_numbers(site):
    project = make()
    assert (project.annotators, project.max_references) == (3, 5)
    guideline = Project.objects.get().guideline
    assert (guideline.version, guideline.by) == (1, somebody("boss"))
    assert PLACEHOLDER in guideline.markdown
    boss = Member.objects.get()
    assert (boss.person, boss.roles) == (somebody("boss"), (Role.MANAGER,))
    one_best = make(slug="one", template="one-best", by=None, options={"open_skips": 7})
    assert (one_best.annotators, one_best.max_references) == (5, 1)
    assert one_best.rules.open_skips == 7
    assert not Member.objects.filter(project=one_best).exists()
    own_project = make(slug="own", template="one-best", annotators=10, max_references=2)
    assert (own_project.annotators, own_project.max_references) == (10, 2)


def test_an_english_project_has_an_english_placeholder_and_guideline(site):
    project = make(lang="en")
    assert project.rules.placeholder == "[MC]"
    assert "[MC]" not in project.rules.placeholder_aliases
    assert "[MC]" in project.guideline.markdown
    named = make(slug="gap", lang="en", options={"placeholder": "[GAP]"})
    assert named.rules.placeholder == "[GAP]"
    assert "[GAP]" in named.guideline.markdown


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"lang": "de"}, "unknown language 'de'"),
        ({"template": "mucge"}, "unknown template 'mucge'; did you mean mucgec"),
        ({"slug": "Mu CGEC"}, "the short name is 'Mu CGEC'"),
        ({"slug": "x" * 61}, "at most 60 small letters"),
        ({"slug": "a\n"}, "the short name is"),
        ({"name": "  "}, "name is ''; it is a text of 1 to 150 characters"),
        ({"name": "x" * 151}, "it is a text of 1 to 150 characters"),
        ({"annotators": 0}, "annotators is 0; it is a whole number from 1 to 20"),
        ({"annotators": 21}, "annotators is 21"),
        ({"max_references": 11}, "max_references is 11; it is a whole number from 1 to 10"),
        (
            {"options": {"lease": 3}},
            "unknown project option 'lease'; did you mean rules or lease_minutes",
        ),
    ],
)
def test_what_means_nothing_is_refused_and_makes_nothing(site, changed, message):
    with pytest.raises(UsageError, match=message):
        make(**changed)
    assert not Project.objects.exists()


def test_a_short_name_is_taken_once(database):
    make()
    with pytest.raises(UsageError, match="'mucgec' is taken"):
        make()
    results = together(4, lambda _: make(slug="raced", by=None))
    assert sorted(type(result).__name__ for result in results) == ["Project", *["UsageError"] * 3]


def test_options_are_laid_over_those_there_are_and_logged(site):
    project = make(options={"open_skips": 7, "open_tasks": 2})
    boss = project.created_by
    changed = projects.change_project(
        project, by=boss, name=" Mu  CGEC ", max_references=4, options={"open_skips": 5}
    )
    assert changed is project
    assert (project.name, project.max_references) == ("Mu CGEC", 4)
    assert project.options == {"open_tasks": 2}  # defaults are not stored
    log = Audit.objects.order_by("-seq").first()
    assert (log.what, log.who) == ("project.changed", boss)
    assert log.data["old"] == {
        "name": "MuCGEC",
        "max_references": 5,
        "options": {"open_skips": 7, "open_tasks": 2},
    }
    projects.change_project(project, by=boss, name="Mu CGEC", options={"open_tasks": 2})
    assert Audit.objects.filter(what="project.changed").count() == 1
    with pytest.raises(UsageError, match="open_tasks is 0"):
        projects.change_project(project, by=boss, options={"open_tasks": 0})


def test_gui_2_a_new_version_is_in_force_and_announced_once(database):
    project = a_project(1)
    boss = project.created_by
    first, leaver = people(project, 2)
    members.change_member(leaver, by=boss, status=MemberStatus.LEFT)
    guideline = projects.publish_guideline(
        project, markdown="\r\n# 规范\r\n\r\n第二版。\r\n", note=" 改了标点 ", by=boss
    )
    assert (guideline.version, guideline.markdown, guideline.note) == (
        2,
        "# 规范\n\n第二版。\n",
        "改了标点",
    )
    assert Project.objects.get().guideline == guideline
    assert project.guideline == guideline
    notice = Notice.objects.get()
    assert (notice.person, notice.kind) == (first.person, "guideline")
    assert notice.data == {"version": 2, "note": "改了标点"}
    assert Acknowledgement.objects.get().person == boss
    projects.acknowledge(guideline, first.person)
    projects.acknowledge(guideline, first.person)
    assert Acknowledgement.objects.filter(person=first.person).count() == 1
    notice.refresh_from_db()
    assert notice.read_at is not None


def test_gui_2_work_names_the_guideline_that_was_in_force(site):
    from server.workflow.stories import submitted

    project = a_project(1)
    first_annotator, second_annotator = people(project, 2)
    first = submitted(first_annotator, sentence_of(project))
    guideline = projects.publish_guideline(project, markdown="# 新", note="", by=project.created_by)
    second = submitted(second_annotator, sentence_of(project))
    assert (first.guideline.version, second.guideline) == (1, guideline)


@pytest.mark.parametrize(
    ("markdown", "message"),
    [
        (" \n", "the guideline is empty"),
        ("a\0", "NUL"),
        ("# 新\n", "version 2, which is in force already"),
    ],
)
def test_a_guideline_that_says_nothing_new_is_refused(site, markdown, message):
    project = a_project(1)
    projects.publish_guideline(project, markdown="# 新", note="", by=project.created_by)
    with pytest.raises(UsageError, match=message):
        projects.publish_guideline(project, markdown=markdown, note="", by=project.created_by)
    assert Guideline.objects.count() == 2


def test_issue_5_a_guideline_that_cannot_be_rendered_is_not_published(site):
    project = a_project(1)
    with pytest.raises(FormatError, match="has 1,000,001 bytes, at most 1,000,000 are accepted"):
        projects.publish_guideline(
            project, markdown="中" * 333_333 + "a", note="", by=project.created_by
        )
    assert Guideline.objects.count() == 1


def test_versions_published_at_once_follow_one_another(database):
    project = a_project(1)
    results = together(
        4,
        lambda n: projects.publish_guideline(
            project, markdown=f"# {n}", note="", by=project.created_by
        ),
    )
    assert sorted(result.version for result in results) == [2, 3, 4, 5]
    assert Project.objects.get().guideline.version == 5


def test_an_archived_or_deleted_project_comes_back(site):
    project = a_project(1)
    boss = project.created_by
    projects.archive_project(project, by=boss)
    at = project.archived_at
    assert projects.archive_project(project, by=boss).archived_at == at
    with pytest.raises(UsageError, match="'sotry' is not the project's short name 'story'"):
        projects.delete_project(project, typed="sotry", by=boss)
    projects.delete_project(project, typed="story", by=boss)
    assert project.deleted_at is not None
    assert sentence_of(project).text
    projects.restore_project(project, by=boss)
    assert (project.archived_at, project.deleted_at) == (None, None)
    projects.restore_project(project, by=boss)
    what = Audit.objects.filter(object_kind="project").order_by("seq")
    assert list(what.values_list("what", flat=True))[1:] == [
        "project.archived",
        "project.deleted",
        "project.brought_back",
    ]


def test_a_project_deleted_long_ago_comes_back_by_backup_only(site):
    project = a_project(1)
    projects.delete_project(project, typed="story", by=project.created_by)
    Project.objects.update(deleted_at=timezone.now() - timedelta(days=31))
    with pytest.raises(UsageError, match="more than 30 days ago; restore a backup"):
        projects.restore_project(project, by=project.created_by)
    assert joined(project, "li") is not None
