"""Pages of pay: the formula's form, previews, closing, files, and everybody's own statements."""

from __future__ import annotations

import csv
import io
from datetime import timedelta
from decimal import Decimal

import pytest
from django.utils import timezone
from server.web.asking import Asking
from server.workflow.paying import PLAIN, closed, paying
from server.workflow.reviewing import BAD, FAIR, GOOD, finalised, member_of, waiting
from server.workflow.stories import correction, joined

from gecbench.core.errors import UsageError
from gecbench.server.import_export import pay_files
from gecbench.server.import_export.corpora import naming_of
from gecbench.server.import_export.pay_files import pay_file
from gecbench.server.models import Audit, PayFormula, PayPeriod, PayStatement, Person
from gecbench.server.rules.pay import TEMPLATES
from gecbench.server.workflow import pay
from gecbench.server.workflow.pay import formula_in_force

HERE = "/p/story/manage/pay"


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    monkeypatch.setattr(pay, "SETTLED", timedelta(days=-2))


@pytest.fixture
def project(site):
    project = waiting(correction(GOOD, active_ms=36_000), correction(BAD), correction(GOOD, FAIR))
    finalised(project)
    return project


@pytest.fixture
def boss(project):
    return Asking(member_of(project, "boss"))


def sent(**changed):
    fields = {
        "currency": "CNY",
        "annotation": "0.5",
        "extra_reference": "0.25",
        "review": "0.6",
        "ruling": "0",
        "rating": "0",
        "lengths": "0: 100\n30：130 %",
        "quality": "acceptance",
        "window": "200",
        "least": "20",
        "factors": "0: 50\n80: 100",
    }
    return fields | changed


def today():
    return timezone.localdate(timezone=timezone.get_default_timezone())


def test_pay_4_a_formula_is_saved_previewed_and_only_then_put_in_force(project, boss):
    assert "No formula is in force" in boss.html(HERE)
    answer = boss.form(f"{HERE}/formula", **sent())
    assert answer["Location"] == f"{HERE}/formula/1"
    formula = PayFormula.objects.get().formula
    assert (formula.annotation, formula.perturbation) == (Decimal("0.5"), 0)
    assert [(step.at_least, step.percent) for step in formula.lengths] == [(0, 100), (30, 130)]
    html = boss.html(f"{HERE}/formula/1")
    for amount in ("0.50", "0.75", "0.60", "1.85", "50.00"):
        assert amount in html
    assert formula_in_force(project) is None
    assert boss.form(f"{HERE}/formula/1/activate").status_code == 302
    assert formula_in_force(project).version == 1
    boss.form(f"{HERE}/formula", **sent(annotation="7"))
    html = boss.html(f"{HERE}/formula/2")
    assert "7.25" in html
    assert "0.75" in html, "what the formula in force gives for the same work"
    assert boss.get(f"{HERE}/formula/3").status_code == 404


@pytest.mark.parametrize(
    ("field", "value", "english", "chinese"),
    [
        ("currency", "rmb", "Three capital letters", "三个大写字母"),
        ("annotation", "0.12345", "An amount from 0 to 100000", "小数点后最多四位"),
        ("window", "0", "A whole number from 1 to 10000", "1"),
        ("lengths", "0: 100\nlong", "Line 2 is “long”", "第 2 行是“long”"),
        ("factors", "10: 100", "The first line begins with 0", "第一行须从 0 开始"),
        ("factors", "0: 1\n0: 2", "a greater number", "须大于上一行"),
        ("factors", "0: 1001", "Line 1 is", "第 1 行"),
    ],
)
def test_a_wrong_field_of_a_formula_says_what_is_expected(project, field, value, english, chinese):
    for language, words in (("en", english), ("zh-hans", chinese)):
        boss = Asking(member_of(project, "boss"), language=language)
        answer = boss.form(f"{HERE}/formula", **sent(**{field: value}))
        assert answer.status_code == 422
        assert words in answer.content.decode()
    assert not PayFormula.objects.exists()


def test_the_form_begins_with_a_template_or_a_version(project, boss):
    html = boss.html(f"{HERE}/formula?from=f05")
    assert "80: 120" in html
    assert '<option value="f05" selected>' in html
    paying(project, TEMPLATES["f05"].formula.model_copy(update={"annotation": Decimal("3.21")}))
    assert 'value="3.21"' in boss.html(f"{HERE}/formula?from=1")
    assert "F0.5 against the golden references" in boss.html(f"{HERE}/formula/1")


def test_a_period_is_shown_before_it_is_closed_and_never_closed_twice(project, boss):
    paying(project)
    yesterday = today() - timedelta(days=1)
    assert f'value="{yesterday}"' in boss.html(HERE), "the last day that is over is offered"
    html = boss.html(f"{HERE}?through={today()}")
    assert "1.85" in html
    assert not PayPeriod.objects.exists()
    answer = boss.form(f"{HERE}/close", through=today())
    period = PayPeriod.objects.get()
    assert answer["Location"] == f"{HERE}/periods/{period.pk}"
    assert period.end == pay.end_of(today())
    html = boss.html(answer["Location"])
    assert "1.85" in html
    assert "50.00" in html, "the implied pay of an hour stands beside the amount"
    again = boss.client.post(f"{HERE}/close", {"through": today()}, follow=True)
    assert "is closed already" in again.content.decode()
    wrong = boss.get(f"{HERE}?through={today()}")
    assert wrong.status_code == 422
    assert "is closed already" in wrong.content.decode()
    assert PayPeriod.objects.count() == 1


def test_no_day_is_too_late_for_the_page(project, boss):
    paying(project)
    answer = boss.get(f"{HERE}?through=9999-12-31")
    assert answer.status_code == 422
    assert "through" in answer.context["form"].errors
    assert boss.form(f"{HERE}/close", through="9999-12-31").status_code == 302
    assert not PayPeriod.objects.exists()
    assert boss.get(f"{HERE}/formula/1?since=9999-12-31").status_code == 200


def test_pay_6_statements_are_saved_as_csv_and_what_looks_like_a_formula_is_none(project, boss):
    paying(project)
    a3 = member_of(project, "a3").person
    type(a3).objects.filter(pk=a3.pk).update(name="=HYPERLINK()")
    period = closed(project)
    answer = boss.form(f"{HERE}/periods/{period.pk}/statements.csv")
    text = b"".join(answer.streaming_content).decode("utf-8-sig")
    rows = {row["name"]: row for row in csv.DictReader(io.StringIO(text))}
    assert rows["'=HYPERLINK()"]["total"] == "0.75"
    assert (rows["A1"]["active_hours"], rows["A1"]["per_hour"]) == ("0.01", "50.0")
    answer = boss.form(f"{HERE}/periods/{period.pk}/lines.csv")
    lines = list(
        csv.DictReader(io.StringIO(b"".join(answer.streaming_content).decode("utf-8-sig")))
    )
    assert sorted((line["kind"], line["amount"]) for line in lines) == [
        ("annotation", "0.5"),
        ("annotation", "0.5"),
        ("extra_reference", "0.25"),
        ("review", "0.6"),
    ]
    assert Audit.objects.filter(what="pay.exported").count() == 2
    assert boss.form(f"{HERE}/periods/{period.pk}/all.pdf").status_code == 404


def test_pay_6_statements_are_saved_as_xlsx(project, boss):
    from zipfile import ZipFile

    paying(project)
    period = closed(project)
    answer = boss.form(f"{HERE}/periods/{period.pk}/pay.xlsx")
    with ZipFile(io.BytesIO(b"".join(answer.streaming_content))) as book:
        worksheets = [book.read(f"xl/worksheets/sheet{n}.xml").decode() for n in (1, 2)]
    assert "<v>0.75</v>" in worksheets[0]
    assert "<v>0.25</v>" in worksheets[1]
    assert "<f>" not in "".join(worksheets)


def test_a_workbook_that_cannot_hold_all_lines_is_none(project, monkeypatch):
    paying(project)
    rows = PayStatement.objects.filter(period=closed(project))
    monkeypatch.setattr(pay_files, "_MOST_ROWS", 3)
    with pytest.raises(UsageError, match=r"statements\.csv"):
        pay_file("pay.xlsx", rows, naming_of(project))


def test_files_have_the_clock_of_the_site_whoever_saves_them(project):
    paying(project)
    end = pay.begin_of(today() + timedelta(days=1))
    period = closed(project, end)
    rows = PayStatement.objects.filter(period=period)
    with timezone.override("Pacific/Kiritimati"):
        content = b"".join(pay_file("statements.csv", rows, naming_of(project)).content)
    row = next(csv.DictReader(io.StringIO(content.decode("utf-8-sig"))))
    assert (row["from"], row["to"]) == ("", str(today())), "the last day is in it, as on the pages"


def test_pages_name_the_last_day_of_a_period_by_the_clock_of_the_site(project, boss):
    paying(project)
    period = closed(project, pay.end_of(today()))
    a1 = member_of(project, "a1")
    Person.objects.filter(login__in=("boss", "a1")).update(time_zone="Pacific/Kiritimati")
    pages = [boss.html(url) for url in (HERE, f"{HERE}/periods/{period.pk}")]
    statement = period.statements.get(person=a1.person)
    pages.append(boss.html(f"{HERE}/statements/{statement.pk}"))
    pages += [Asking(a1).html(f"/p/story/pay{end}") for end in ("", f"/{statement.pk}")]
    for page in pages:
        assert str(today()) in page
        for clock in ("00:00", "14:00"):  # when it ends, in UTC and 14 hours east of it
            assert f"{today() + timedelta(days=1)} {clock}" not in page


def test_whole_currencies_are_whole_in_files(project):
    paying(project, PLAIN.model_copy(update={"currency": "JPY", "annotation": Decimal(50)}))
    rows = PayStatement.objects.filter(period=closed(project), person__login="a1")
    content = b"".join(pay_file("statements.csv", rows, naming_of(project)).content)
    assert next(csv.DictReader(io.StringIO(content.decode("utf-8-sig"))))["total"] == "50"


def test_everybody_sees_their_own_statements_and_no_others(project):
    paying(project)
    closed(project)
    joined(project, "judy", "judge")
    statements = {
        statement.person.login: statement.pk
        for statement in PayStatement.objects.select_related("person")
    }
    assert set(statements) == {"a1", "a2", "a3", "rita"}
    for login in (*statements, "judy", "boss"):
        me = Asking(member_of(project, login))
        html = me.html("/p/story/pay")
        for owner, key in statements.items():
            is_own = owner == login
            assert (f"/p/story/pay/{key}" in html) == is_own
            for end in ("", "/lines.csv"):
                status = me.get(f"/p/story/pay/{key}{end}").status_code
                assert status == (200 if is_own else 404), (login, owner, end)
            status = me.get(f"{HERE}/statements/{key}").status_code
            assert status == (200 if login == "boss" else 404)
    mine = Asking(member_of(project, "a3")).html(f"/p/story/pay/{statements['a3']}")
    assert "additional reference" in mine
    assert "0.75" in mine
    assert "My statements of pay" in Asking(member_of(project, "a3")).html("/p/story/me")
    assert "new statement of your pay" in Asking(member_of(project, "a3")).html("/")


def test_work_since_a_day_is_previewed_alone(project, boss):
    pay.save_formula(project, PLAIN, by=None)
    assert "1.85" in boss.html(f"{HERE}/formula/1?since={today()}")
    tomorrow = today() + timedelta(days=1)
    assert "No work was reviewed yet" in boss.html(f"{HERE}/formula/1?since={tomorrow}")
