"""The guideline in the site: whole, by section, by version, searched, in the drawer."""

from __future__ import annotations

import pytest
from server.web.asking import Asking
from server.workflow.stories import a_project, joined, people

from gecbench.server.workflow import projects

MARKS = "## 标点 {#marks}\n\n句号写成。\n\n"
FIRST = "# 规范 {#all}\n\n开头。\n\n" + MARKS + "## 字 {#letters}\n\n错别字要改。\n"


@pytest.fixture
def project(site):
    project = a_project(1)
    projects.publish_guideline(project, markdown=FIRST, note="短的", by=project.created_by)
    return project


@pytest.fixture
def li(project):
    return Asking(people(project, 1)[0])


def test_gui_1_the_version_in_force_has_contents_and_sections(li):
    page = li.html("/p/story/guide")
    assert "Version 2 of" in page
    assert "in force" in page
    assert '<a href="#guide-marks">标点</a>' in page
    assert '<h3 id="guide-marks">标点</h3>' in page


def test_gui_2_a_new_version_says_what_is_new_and_the_older_ones_stay(project, li):
    newer = FIRST.replace("错别字要改。", "错别字都要改。").replace(
        "## 标点 {#marks}\n\n句号写成。\n\n", ""
    )
    projects.publish_guideline(project, markdown=newer, note="改了字", by=project.created_by)
    page = li.html("/p/story/guide")
    assert "New in this version" in page
    assert '<a href="#guide-letters">字</a>' in page.split("New in this version")[1]
    assert "1 section was taken out." in page
    assert 'class="guide-section is-new"' in page
    old = li.html("/p/story/guide?v=2")
    assert "an older version" in old
    assert "句号写成。" in old
    assert 'name="v" value="2"' in old
    first = li.html("/p/story/guide?v=1")
    assert "New in this version" not in first


@pytest.mark.parametrize("version", ["9", "x", "0", "-1", "1" * 30, "²"])
def test_a_version_that_is_none_is_not_found(li, version):
    assert li.get(f"/p/story/guide?v={version}").status_code == 404


def test_gui_4_a_section_is_an_address_with_what_lies_below_it(li):
    page = li.html("/p/story/guide/marks")
    assert "句号写成。" in page
    assert "错别字" not in page
    assert 'href="/p/story/guide#guide-marks"' in page
    assert "错别字" in li.html("/p/story/guide/all")
    assert li.get("/p/story/guide/nowhere").status_code == 404
    assert "Version 1 of" in li.html("/p/story/guide/types?v=1")


def test_search_marks_what_was_found_as_a_page_and_as_a_fragment(li):
    page = li.html("/p/story/guide/search?q=错别字")
    assert "<html" in page
    assert "<mark>错别字</mark>" in page
    assert "1 section found" in page
    assert 'href="/p/story/guide/letters"' in page
    fragment = li.get("/p/story/guide/search?q=错别字&drawer=1", **{"HX-Request": "true"})
    text = fragment.content.decode()
    assert "<html" not in text
    assert 'href="#guide-letters"' in text
    assert "0 sections found" in li.html("/p/story/guide/search?q=没有这个")
    assert (
        "section"
        not in li.get("/p/story/guide/search?q=", **{"HX-Request": "true"}).content.decode()
    )
    assert "use fewer words" in li.html(f"/p/story/guide/search?q={'长' * 300}")


def test_search_in_an_older_version_links_to_that_version(li):
    page = li.html("/p/story/guide/search?q=最小改动&v=1")
    assert "?v=1" in page


def test_gui_3_the_drawer_is_a_fragment_of_the_version_in_force(li):
    text = li.get("/p/story/guide/drawer", **{"HX-Request": "true"}).content.decode()
    assert "<html" not in text
    assert "错别字要改。" in text
    assert 'id="drawer-q"' in text


def test_everybody_in_the_project_reads_it_and_nobody_else(project):
    for n, role in enumerate(("reviewer", "judge", "manager")):
        assert Asking(joined(project, f"p{n}", role)).get("/p/story/guide").status_code == 200
    outsider = Asking(joined(a_project(1, slug="other"), "out"))
    for url in ("guide", "guide/marks", "guide/search?q=x", "guide/drawer"):
        assert outsider.get(f"/p/story/{url}").status_code == 404


def test_script_in_a_guideline_is_gone(project, li):
    evil = "# T {#t}\n\n<script>alert(1)</script> [x](javascript:a()) <img src=x onerror=a()>\n"
    projects.publish_guideline(project, markdown=evil, note="<b>n</b>", by=project.created_by)
    page = li.html("/p/story/guide")
    assert "<script>alert" not in page
    assert 'href="javascript:' not in page
    assert "<img" not in page
    assert "<b>n</b>" not in page


def test_a_project_without_a_guideline_has_no_guide(project, li):
    from gecbench.server.models import Project

    Project.objects.update(guideline=None)
    assert li.get("/p/story/guide").status_code == 404
    assert li.get("/p/story/work").status_code == 200
