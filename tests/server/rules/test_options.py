"""A project's options: what means nothing is refused by name, what is kept comes back as it was."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.db.models import TextChoices
from django.utils.translation import gettext, override
from hypothesis import given
from hypothesis import strategies as st
from pydantic.fields import FieldInfo

from gecbench.core.errors import UsageError
from gecbench.server.rules.options import (
    ALIASES,
    RULES,
    SETTINGS,
    ProjectOptions,
    limits,
    options_json,
    options_of,
)

REFUSED = {
    "lease_minutes": [0, 1441, True, "30", 1.5, None],
    "open_tasks": [0, 11],
    "spot_check_percent": [-1, 101],
    "reveal_after": [-1, 101, "1", False],
    "complaints_to": ["anybody", 1, None, ["other"]],
    "unanimous_error_free": ["perhaps"],
    "suggestions": [True, ""],
    "proposals": [True, "second"],
    "guideline_gate": [1, "yes", None],
    "study_gate": [1, "yes", None],
    "reviewer_sees_names": ["true"],
    "rules": [[], "off", {"CON-99": "off"}, {"CON-1": "loud"}, {"CON-1": ["off"]}],
    "placeholder_aliases": ["[MC]", [1], None],
    "placeholder": ["", None, 7, "长" * 501],
    "nonsense": [1],
}


@pytest.mark.parametrize(
    ("key", "value"), [(key, value) for key, some in REFUSED.items() for value in some]
)
def test_what_means_nothing_is_refused_by_name(key, value):
    with pytest.raises(UsageError) as refused:
        options_of({key: value})
    named = key if key != "rules" else "rule"
    assert named in str(refused.value)


def test_every_kind_of_option_is_refused_somewhere_here():
    fields = ProjectOptions.model_fields
    kinds = {str(fields[key].annotation) for key in REFUSED if key != "nonsense"}
    assert kinds == {str(field.annotation) for field in fields.values()}


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "lease_minutes": st.integers(1, 1440),
            "reveal_after": st.none() | st.integers(0, 100),
            "complaints_to": st.sampled_from(["other", "same"]),
            "study_gate": st.booleans(),
            "rules": st.dictionaries(
                st.sampled_from(sorted(RULES)), st.sampled_from(["off", "warn", "block"])
            ),
            "placeholder_aliases": st.lists(st.text(max_size=5), max_size=3),
            "placeholder": st.text(min_size=1, max_size=20),
        },
    )
)
def test_what_is_kept_comes_back_as_it_was(stored):
    options = options_of(stored)
    assert options_of(options_json(options)) == options
    assert set(options_json(options)) <= set(stored)


@pytest.mark.parametrize(
    ("stored", "facts"),
    [
        ({"lease_minutes": 0}, ["lease_minutes", "0", "1", "1440"]),
        ({"reveal_after": 101}, ["reveal_after", "101", "0", "100"]),
        ({"complaints_to": "anybody"}, ["complaints_to", "'anybody'", "other", "same"]),
        ({"study_gate": "yes"}, ["study_gate", "'yes'", "true", "false"]),
        ({"placeholder": ""}, ["placeholder", "''", "500"]),
        ({"placeholder_aliases": [1]}, ["placeholder_aliases", "list of texts"]),
        ({"lease": 3}, ["'lease'", "lease_minutes"]),
        ({"rules": {"CON-99": "off"}}, ["'CON-99'", "CON-9"]),
        ({"rules": {"CON-1": "loud"}}, ["CON-1", "'loud'", "off", "warn", "block"]),
    ],
)
def test_a_refusal_has_the_option_its_value_and_what_is_possible(stored, facts):
    with pytest.raises(UsageError) as refused:
        options_of(stored)
    assert [fact for fact in facts if fact not in str(refused.value)] == []


def test_what_differs_from_the_defaults_is_stored_as_json_and_nothing_else():
    stored = {
        "lease_minutes": 45,
        "reveal_after": None,
        "complaints_to": "same",
        "study_gate": True,
        "rules": {"CON-9": "block"},
        "placeholder_aliases": ["[X]"],
        "suggestions": "on_demand",
    }
    assert options_json(options_of({**stored, "open_tasks": 1})) == stored
    assert json.loads(json.dumps(options_json(options_of(stored)))) == stored
    assert options_json(options_of({"placeholder_aliases": ALIASES, "rules": {}})) == {}


DOCS = Path(__file__).parents[3] / "docs" / "annotate"
HEADS = {
    "managers.md": ("setting | name for programs | values | default |", "rule | | default"),
    "managers.zh.md": ("设置 | 程序所用的名称 | 取值 | 默认 |", "规则 | | 默认"),
}


@pytest.mark.parametrize("page", HEADS)
def test_the_table_of_the_docs_has_every_setting_as_it_is_declared(page: str):
    language = "zh-hans" if ".zh." in page else "en"
    settings, rules = HEADS[page]
    table = [settings, "|".join(["---"] * 5)]
    with override(language):
        for name, setting in SETTINGS.items():
            default = (
                ""
                if setting.is_required()
                else f"`{json.dumps(setting.default, ensure_ascii=False)}`"
            )
            words = (gettext(str(setting.title)), f"`{name}`", values(setting, language), default)
            table.append(" | ".join((*words, gettext(str(setting.description)))))
        lines = [
            f"`{code}` | {gettext(rule.words)} | `{rule.level}`" for code, rule in RULES.items()
        ]
    text = "\n".join(mark(row) for row in table)
    text += "\n\n" + "\n".join(mark(row) for row in (rules, "---|---|---", *lines))
    assert text in (DOCS / page).read_text("utf-8"), f"docs/annotate/{page} has not:\n{text}"


def mark(row: str) -> str:
    return f"|{row}|" if row.startswith("---") else f"| {row} |"


def values(setting: FieldInfo, language: str) -> str:
    """What a setting can be, in the words of the docs."""
    least, most = limits(setting)
    text, number, nothing, several = (
        ("a text of {} to {} characters", "{} to {}", ", or `null`", "a list of texts")
        if language == "en"
        else ("{} 至 {} 个字的文本", "{} 至 {}", "，或 `null`", "文本列表")
    )
    if isinstance(setting.default, TextChoices):
        return ", ".join(f'`"{value}"`' for value in type(setting.default))
    if setting.annotation is bool:
        return "`true`, `false`"
    if setting.annotation is str:
        return text.format(least, most)
    if setting.annotation is int:
        return number.format(least, most)
    return number.format(least, most) + nothing if most else several
