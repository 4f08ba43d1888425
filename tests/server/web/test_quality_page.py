"""The page Quality: who may see it, what it shows, and that its pictures are safe and themed."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest
from django.db import OperationalError
from server.statistics.worked import worked
from server.web.asking import Asking
from server.workflow.reviewing import member_of
from server.workflow.stories import a_project, joined

from gecbench.reports.plots import COLOURS
from gecbench.server.models import Figures, Member, Person, Project
from gecbench.server.statistics import pieces
from gecbench.server.statistics.report import NAMES
from gecbench.server.web.manage import quality

URL = "/p/story/manage/quality"
AS_SCRIPT = {"HX-Request": "true"}


def disk_full(*_, **__):
    raise OperationalError("database or disk is full")


def manager(project) -> Asking:
    return Asking(member_of(project, "boss"))


def main_of(html: str) -> str:
    """The page without its tokens, which are others each time."""
    return re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", html.split("<main")[1])


@pytest.fixture
def project(furnished):
    furnished("test_quality_page", worked)
    return Project.objects.get()


def test_section_4_4_the_page_shows_at_once_what_is_known(project):
    html = manager(project).html(URL)
    assert "were not computed yet" in html
    assert "Erroneous correction" in html
    assert not Figures.objects.exclude(kind__startswith="counts").exists()


def test_section_4_4_the_button_computes_and_the_page_shows_it_with_its_time(project):
    boss = manager(project)
    assert boss.form(f"{URL}/compute").status_code == 302
    html = boss.html(URL)
    assert {figures.kind for figures in Figures.objects.all()} >= {"scores", "agreement", "table4"}
    assert "nothing has changed since" in html
    assert "75.00" in html
    assert "metric:cherrant|scheme:zh-char" in html


def test_a_page_that_has_not_counted_all_says_so_and_asks_again(project, monkeypatch):
    boss = manager(project)
    whole = main_of(boss.html(URL))
    Figures.objects.all().delete()
    monkeypatch.setattr(pieces, "SIZE", 1)
    monkeypatch.setattr(quality, "_SECONDS", 0)
    html = boss.html(URL)
    assert f'hx-get="{URL}"' in html
    assert "cover only those counted so far" in html
    assert "Drawn when all sentences are counted" in html
    assert "manage/quality/progress.svg" not in html
    done = [int(re.search(r"So far: (\d+) of 5 sentences", html)[1])]
    while "HX-Redirect" not in (answer := boss.get(URL, **AS_SCRIPT)):
        line = answer.content.decode()
        assert "<html" not in line
        done.append(int(re.search(r"So far: (\d+) of 5 sentences", line)[1]))
    assert done == sorted(set(done))
    assert answer["HX-Redirect"] == URL
    assert main_of(boss.html(URL)) == whole


def test_figures_are_computed_by_several_requests_if_one_is_too_long(project, monkeypatch):
    boss = manager(project)
    monkeypatch.setattr(pieces, "SIZE", 1)
    monkeypatch.setattr(quality, "_SECONDS", 0)
    assert boss.form(f"{URL}/compute")["Location"] == f"{URL}?computing"
    assert f'hx-post="{URL}/compute"' in boss.html(f"{URL}?computing")
    assert not Figures.objects.filter(kind="scores").exists()
    while "HX-Redirect" not in (answer := boss.client.post(f"{URL}/compute", headers=AS_SCRIPT)):
        assert re.search(r"So far: [1-4] of 5 sentences", answer.content.decode())
    assert answer["HX-Redirect"] == URL
    assert Figures.objects.filter(kind="scores").exists()
    html = boss.html(URL)
    assert "The figures are up to date." in html
    assert 'id="counting"' not in html


def test_counting_stops_where_nothing_can_be_stored(project, monkeypatch):
    boss = manager(project)
    monkeypatch.setattr(quality, "_SECONDS", 0)
    monkeypatch.setattr(pieces, "SIZE", 1)
    monkeypatch.setattr(type(Figures.objects), "bulk_create", disk_full)
    assert "So far: 1 of 5" in boss.html(URL), "what was counted is shown"
    for answer in (
        boss.get(URL, **AS_SCRIPT),
        boss.client.post(f"{URL}/compute", headers=AS_SCRIPT),
    ):
        assert answer.status_code == 507
        assert "The disk of the server is full" in answer.content.decode()


def test_asking_for_more_adds_nothing_up(project, monkeypatch):
    boss = manager(project)
    monkeypatch.setattr(pieces, "SIZE", 1)
    monkeypatch.setattr(quality, "_SECONDS", 0)
    with monkeypatch.context() as patch:
        patch.setattr(pieces, "_read", lambda *_: pytest.fail("stored pieces were read"))
        while "HX-Redirect" not in boss.get(URL, **AS_SCRIPT):
            pass
    assert 'id="counting"' not in boss.html(URL)


def test_the_page_says_that_counts_are_partial_while_answers_are_compared(project, monkeypatch):
    boss = manager(project)
    monkeypatch.setattr(pieces, "SIZE", 1)
    monkeypatch.setattr(quality, "_SECONDS", 0)
    boss.form(f"{URL}/compute")
    html = boss.html(f"{URL}?computing")
    assert f'hx-post="{URL}/compute"' in html
    assert "cover only the sentences counted so far" in html


def test_there_is_no_picture_of_a_part_of_the_counts(project, monkeypatch):
    boss = manager(project)
    monkeypatch.setattr(pieces, "SIZE", 1)
    monkeypatch.setattr(quality, "_SECONDS", 0)
    answer = boss.get(f"{URL}/progress.svg")
    assert answer.status_code == 404
    assert "no-store" in answer["Cache-Control"]
    assert boss.get(f"{URL}/ages.svg").status_code == 200, "which is of no counts"


def test_whoever_was_signed_out_meanwhile_gets_the_page_to_sign_in(project):
    boss = manager(project)
    boss.client.logout()
    asked_from = AS_SCRIPT | {"HX-Current-URL": f"http://testserver{URL}?computing"}
    login = "/login?next=/p/story/manage/quality%3Fcomputing"
    assert boss.get(URL, **asked_from)["HX-Redirect"] == login
    assert boss.client.post(f"{URL}/compute", headers=asked_from)["HX-Redirect"] == login
    elsewhere = AS_SCRIPT | {"HX-Current-URL": "https://elsewhere.example/x"}
    assert boss.get(URL, **elsewhere)["HX-Redirect"] == "/login?next=/"


def test_section_4_4_the_page_is_complete_in_chinese(project):
    boss = manager(project)
    boss.form(f"{URL}/compute")
    Person.objects.filter(login="boss").update(language="zh-hans")
    html = boss.html(URL)
    assert "重新计算" in html
    assert "修改有误" in html
    assert "标注者" in html
    charts = html.split('<div class="charts">')[1].split('<section id="made"')[0]
    text = re.sub(r"<[^>]*>", " ", charts)
    words = set(re.findall(r"[A-Za-z]{3,}", text))
    assert words <= {"Story", "story", "Krippendorff", "Rita"}


def test_section_4_4_each_chart_has_a_picture_in_both_themes_and_its_data(project):
    boss = manager(project)
    boss.form(f"{URL}/compute")
    html = boss.html(URL)
    for name in NAMES:
        for theme in ("light", "dark"):
            answer = boss.get(f"{URL}/{name}.svg?theme={theme}")
            assert answer["Content-Type"].startswith("image/svg+xml")
            drawn = answer.content.decode()
            root = ET.fromstring(drawn)
            assert "var(" not in drawn
            assert COLOURS[theme]["ink"] in drawn or COLOURS[theme]["muted"] in drawn
            assert not [element for element in root.iter() if "style" in element.attrib]
            assert f"{URL}/{name}.svg?theme={theme}" in html
    assert html.count("<details>") == len(NAMES)
    assert "style=" not in html


def test_a_phone_gets_narrow_pictures_with_the_whole_legend(project):
    boss = manager(project)
    html = boss.html(URL)
    assert f'<source srcset="{URL}/progress.svg?theme=light&amp;narrow=1"' in html
    root = ET.fromstring(boss.get(f"{URL}/progress.svg?theme=light&narrow=1").content)
    width = float(root.attrib["viewBox"].split()[2])
    texts = {element.text: float(element.get("x", 0)) for element in root.iter() if element.text}
    assert texts.keys() >= {"answers handed in", "reviews", "golden sentences"}
    assert max(texts.values()) < width < 300


@pytest.mark.parametrize(("theme", "shown"), [("dark", "dark"), ("light", "light")])
def test_pictures_have_the_theme_that_a_person_chose(project, theme, shown):
    Person.objects.filter(login="boss").update(theme=theme)
    html = manager(project).html(URL)
    assert set(re.findall(r"svg\?theme=(\w+)", html)) == {shown}


def test_a_chart_that_nobody_knows_is_404(project):
    assert manager(project).get(f"{URL}/money.svg").status_code == 404


@pytest.mark.parametrize("login", ["a1", "rita"])
def test_rol_5_only_managers_see_the_page_its_pictures_or_compute(project, login):
    somebody = Asking(member_of(project, login))
    assert somebody.get(URL).status_code == 404
    assert somebody.get(f"{URL}/volume.svg").status_code == 404
    assert somebody.form(f"{URL}/compute").status_code == 404
    assert not Figures.objects.exclude(kind__startswith="counts").exists()


def test_a_paused_manager_looks_and_does_not_compute(project):
    Member.objects.filter(pk=member_of(project, "boss").pk).update(status="paused")
    boss = manager(project)
    assert f"{URL}/compute" not in boss.html(f"{URL}?computing")
    assert boss.form(f"{URL}/compute").status_code == 404


def test_computing_needs_a_token_and_a_post(project):
    guarded = Asking(member_of(project, "boss"), csrf=True)
    assert guarded.form(f"{URL}/compute").status_code == 403
    assert manager(project).get(f"{URL}/compute").status_code == 405


def test_an_empty_project_has_a_page_and_pictures(site):
    boss = manager(a_project(0))
    assert "Nothing to draw yet" in boss.html(URL)
    boss.form(f"{URL}/compute")
    boss.html(URL)
    assert all(boss.get(f"{URL}/{name}.svg").status_code == 200 for name in NAMES)


def test_names_are_shown_as_text_whatever_they_are(project):
    Person.objects.filter(login="a1").update(name='<script>alert("1")</script>')
    boss = manager(project)
    boss.form(f"{URL}/compute")
    assert "<script>alert" not in boss.html(URL)
    assert "<script>" not in boss.get(f"{URL}/volume.svg").content.decode()


def test_what_cannot_be_computed_is_said(site, monkeypatch):
    from gecbench.core.errors import MissingExtraError
    from gecbench.server.statistics import comparisons

    project = worked()

    def missing(*_, **__):
        raise MissingExtraError("errant", "en")

    monkeypatch.setattr(comparisons, "load_scheme", missing)
    boss = manager(project)
    boss.form(f"{URL}/compute")
    assert "errant" in boss.html(URL)
    assert not Figures.objects.exclude(kind__startswith="counts").exists()


def test_without_matplotlib_there_are_no_pictures_and_all_tables(project, monkeypatch):
    from gecbench.core.errors import MissingExtraError
    from gecbench.server.web.manage import quality

    def missing(*arguments):
        raise MissingExtraError("matplotlib", "report")

    monkeypatch.setattr(quality, "_render_svg", missing)
    boss = manager(project)
    assert boss.get(f"{URL}/volume.svg").status_code == 404
    assert "Annotators" in boss.html(URL)


def test_long_tables_end_and_say_so(project, monkeypatch):
    from gecbench.server.web.manage import quality

    monkeypatch.setattr(quality, "_MOST_ROWS", 2)
    assert "rows are not shown" in manager(project).html(URL)


def test_somebody_without_work_is_on_no_chart(project):
    joined(project, "idle")
    assert "Idle" not in manager(project).html(URL)


def test_the_picture_of_agreement_says_so_where_nothing_was_computed(project):
    assert "Not computed yet." in manager(project).get(f"{URL}/agreement.svg").content.decode()
