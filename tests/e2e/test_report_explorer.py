"""The explorer of the report page in a real browser: filters, order, links, keys, details."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from report_pages import SYSTEMS, Opened, samples_page
from report_pages import opened as opened_in

from gecbench.api.files import load, load_system, sample
from gecbench.api.score import collect_stats
from gecbench.core.score import total

opened = partial(opened_in, language="en")


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory, once: Callable[..., str]) -> Path:
    """The page of the Chinese samples."""
    path = tmp_path_factory.mktemp("page") / "zh.html"
    path.write_text(samples_page(once), encoding="utf-8")
    return path


@pytest.fixture
def shown(browser, file: Path) -> Iterator[Opened]:
    """The page, just opened."""
    with opened(browser, file) as page:
        yield page


@pytest.fixture(scope="module")
def chosen() -> dict:
    """By system, the pairing that counts for each sentence, from the metric itself."""
    corpus = load(sample("zh", "corpus.jsonl"))
    names = ("cautious", "eager", "fluent")
    systems = [load_system(sample("zh", f"{name}.txt"), corpus) for name in names]
    run_stats = collect_stats(corpus, systems, scheme="zh-char")
    metric = run_stats.metrics["cherrant"]
    chosen_rows = {}
    for name in names:
        rows = run_stats.rows[name, "cherrant"]
        pairings = iter(metric.choose([row for row in rows if row is not None]))
        chosen_rows[name] = [None if row is None else next(pairings) for row in rows]
    return chosen_rows


def pick(shown: Opened, name: str, value: str) -> None:
    shown.page.locator(f".filters [name={name}]").select_option(value)


def counts(shown: Opened, system: str) -> list[int]:
    """The marks of a system in the sentence that is shown: true, false, missed."""
    row = shown.page.locator("tr.system").filter(has=shown.page.get_by_text(system, exact=True))
    return [row.locator(f".edit.{kind}").count() for kind in ("true", "false", "missed")]


def test_all_sentences_are_there_but_few_rows_are_made(shown: Opened):
    assert shown.result_count() == 76
    assert 5 < len(shown.rows()) < 40


def test_the_marks_are_the_counts_of_the_metric(shown: Opened, chosen: dict):
    pick(shown, "sort", "position")
    for number in range(12):
        assert shown.shown() == f"zh-{number + 1:03}"
        for system, pairings in chosen.items():
            of = pairings[number].counts
            assert counts(shown, system) == [of.tp, of.fp, of.fn]
        shown.page.keyboard.press("Escape")
        shown.page.locator(".tools .step").nth(1).click()


def test_the_filter_of_outcomes_finds_what_the_metric_says(shown: Opened, chosen: dict):
    tests = {
        "right": lambda of: of.fp == of.fn == 0,
        "imperfect": lambda of: of.fp + of.fn > 0,
        "true": lambda of: of.tp > 0,
        "false": lambda of: of.fp > 0,
        "missed": lambda of: of.fn > 0,
    }
    pick(shown, "system", "eager")
    for outcome, test in tests.items():
        total = sum(pairing is not None and test(pairing.counts) for pairing in chosen["eager"])
        pick(shown, "outcome", outcome)
        assert shown.result_count() == total > 0, outcome


def test_an_outcome_can_be_of_one_type_alone(shown: Opened, chosen: dict):
    total = sum(
        pairing is not None and "M" in pairing.by_type and pairing.by_type["M"].fp > 0
        for pairing in chosen["eager"]
    )
    pick(shown, "system", "eager")
    pick(shown, "outcome", "false")
    pick(shown, "type", "M")
    assert shown.result_count() == total > 0
    assert total < sum(pairing is not None and pairing.counts.fp > 0 for pairing in chosen["eager"])


def test_halves_of_word_order_are_types_and_no_categories(shown: Opened):
    options = shown.page.locator("[name=type] option")
    values = options.evaluate_all("every => every.map((one) => one.value)")
    assert {"W", "W:M", "W:R"} <= {*values}
    assert not [value for value in values if value.startswith(":")]


def test_two_systems_that_differ_are_found(shown: Opened, chosen: dict):
    right = {
        name: [
            pairing is not None and pairing.counts.fp == pairing.counts.fn == 0
            for pairing in pairings
        ]
        for name, pairings in chosen.items()
    }
    pick(shown, "a", "eager")
    pick(shown, "b", "fluent")
    texts = [sample("zh", f"{name}.txt").read_text("utf-8").splitlines() for name in right]
    different = sum(first != second for first, second in zip(texts[1], texts[2], strict=True))
    assert shown.result_count() == different > 0
    scored = [item is not None for item in chosen["eager"]]
    for differ, first, second in (("first", "eager", "fluent"), ("second", "fluent", "eager")):
        pick(shown, "differ", differ)
        pairs = zip(right[first], right[second], scored, strict=True)
        assert shown.result_count() == sum(
            first and not second and known for first, second, known in pairs
        )


def test_a_bar_leads_to_the_sentences_that_it_is_of(shown: Opened, chosen: dict):
    total = sum(item is not None and "M" in item.by_type for item in chosen["eager"])
    bar = shown.page.locator("#breakdown-type-1 .card", has_text="missing").locator("a")
    bar.filter(has_text="eager").click()
    assert shown.result_count() == total > 0
    view = {"s": shown.shown(), "type": "M", "system": "eager", "outcome": "edits"}
    assert shown.view() == view
    assert shown.page.locator("[name=type]").input_value() == "M"
    shown.page.go_back()
    shown.page.locator("#breakdown-errors .card").nth(0).locator("a").first.press("Enter")
    assert shown.view()["group"] == "errors:1"
    size = shown.page.locator("#breakdown-errors .card").nth(0).locator(".size").inner_text()
    assert shown.result_count() == int(size.split()[-1])
    shown.page.locator("#table-scores tbody td a").nth(1).click()  # false positives of the best
    total = sum(item is not None and item.counts.fp > 0 for item in chosen["cautious"])
    assert shown.result_count() == total > 0


def test_bars_of_references_and_ranks_lead_to_their_sentences(shown: Opened):
    card = shown.page.locator("#references-distribution .card").nth(0)
    size = int(card.locator(".size").inner_text().split()[-1])
    card.locator("a").first.click()
    assert shown.result_count() == size > 0
    assert shown.view()["group"].startswith("references:")
    for figure in ("#references-cherrant", "#difficulty-ranks"):
        shown.page.locator(f"{figure} .card a").first.click()
        view = shown.view()
        assert (view["system"] in SYSTEMS, view["outcome"]) == (True, "edits"), figure
        assert shown.result_count() > 0


@pytest.mark.parametrize("figure", ["#scores-cherrant-plane", "#difficulty-scores"])
def test_points_of_scatter_plots_lead_to_the_sentences_of_their_system(shown: Opened, figure: str):
    plot = shown.page.locator(f"{figure} svg:visible")
    plot.locator("[data-point=eager]").last.click(force=True)
    view = shown.view()
    assert (view["system"], view["outcome"]) == ("eager", "edits")
    assert shown.result_count() > 0


def test_text_is_found_in_sources_references_and_outputs(shown: Opened):
    search = shown.page.locator(".filters [name=q]")
    for text, where in (("三个书", "zh-001"), ("三本书", "zh-001"), ("ZH-076", "zh-076")):
        search.fill(text)
        assert shown.result_count() >= 1
        assert where in shown.rows()
    search.fill("不在任何句子里的话")
    assert shown.result_count() == 0
    assert "No sentence matches" in shown.page.locator(".sentence").inner_text()
    shown.page.get_by_role("button", name="Clear filters").click()
    assert shown.result_count() == 76
    assert search.input_value() == ""


def test_lengths_are_limited_on_both_sides(shown: Opened):
    lengths = [
        len(sample.source) for sample in load(sample("zh", "corpus.jsonl")).samples
    ]  # of the samples no source has a blank
    shown.page.locator("[name=min]").fill("15")
    assert shown.result_count() == sum(length >= 15 for length in lengths)
    shown.page.locator("[name=max]").fill("18")
    assert shown.result_count() == sum(15 <= length <= 18 for length in lengths) > 0


def test_the_order_is_what_it_says(shown: Opened):
    corpus = load(sample("zh", "corpus.jsonl"))
    pick(shown, "sort", "position")
    assert shown.rows()[:3] == ["zh-001", "zh-002", "zh-003"]
    lengths = {sample.id: len(sample.source) for sample in corpus.samples}
    pick(shown, "sort", "longest")
    result = [lengths[name] for name in shown.rows()]
    assert result == sorted(lengths.values(), reverse=True)[: len(result)]
    pick(shown, "sort", "difficulty")
    inner_texts = shown.page.locator(".row .difficulty .unseen").all_inner_texts()
    values = [float(text.split()[-1]) for text in inner_texts]
    assert values == sorted(values, reverse=True)
    assert values[0] > values[-1]


def test_a_link_restores_the_whole_view(browser, file: Path, shown: Opened):
    pick(shown, "sort", "longest")
    pick(shown, "system", "eager")
    pick(shown, "outcome", "false")
    shown.page.locator(".filters [name=q]").fill("我")
    shown.page.locator(".tools select").select_option("aligned")
    shown.page.locator("#row-3").click()
    sentence, result = shown.shown(), shown.result_count()
    link = shown.page.locator(".tools a").get_attribute("href")
    assert shown.view() == {
        "s": sentence,
        "q": "我",
        "system": "eager",
        "outcome": "false",
        "sort": "longest",
        "view": "aligned",
    }
    with opened(browser, file, link) as again:
        assert (again.shown(), again.result_count()) == (sentence, result)
        assert again.page.locator(".filters [name=outcome]").input_value() == "false"
        assert again.page.locator("table.aligned").is_visible()
        assert again.page.locator("#explorer").evaluate(
            "one => one.getBoundingClientRect().top < innerHeight"
        )


def test_a_link_to_what_is_not_here_opens_what_is(browser, file: Path):
    with opened(browser, file, "#s=nobody&system=nobody&outcome=odd&sort=odd&view=odd") as shown:
        assert shown.result_count() == 76
        assert shown.page.locator(".versions").is_visible()
        assert shown.console_messages == []


def test_the_address_can_change_while_the_page_is_open(shown: Opened):
    shown.page.evaluate("location.hash = '#s=zh-020&sort=position'")
    shown.page.wait_for_function("document.querySelector('#sentence-id').innerText === 'zh-020'")
    assert shown.page.locator("#row-19").get_attribute("aria-selected") == "true"


def test_the_keyboard_goes_through_sentences(shown: Opened):
    pick(shown, "sort", "position")
    shown.page.locator("h1").click()
    keys = (("j", 2), ("j", 3), ("k", 2), ("k", 1), ("k", 1))
    for key, number in keys:
        shown.page.keyboard.press(key)
        assert shown.shown() == f"zh-{number:03}"
    shown.page.locator(".list").focus()
    for key, number in (("ArrowDown", 2), ("End", 76), ("ArrowUp", 75), ("Home", 1)):
        shown.page.keyboard.press(key)
        assert shown.shown() == f"zh-{number:03}"
        at = shown.page.locator(".list").get_attribute("aria-activedescendant")
        assert shown.page.locator(f"#{at} .row-id").inner_text() == f"zh-{number:03}"


def test_keys_search_change_the_view_and_help(shown: Opened):
    page = shown.page
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.name") == "q"
    page.keyboard.type("j/k?v")
    assert page.locator(".filters [name=q]").input_value() == "j/k?v"
    page.locator(".filters [name=q]").fill("")
    page.keyboard.press("Escape")
    page.keyboard.press("v")
    assert page.locator("table.aligned").is_visible()
    page.keyboard.press("?")
    assert page.locator("#help").is_visible()
    before = shown.shown()
    page.keyboard.press("j")
    assert shown.shown() == before
    page.keyboard.press("Escape")
    assert not page.locator("#help").is_visible()


def test_details_come_on_pointing_and_on_focus_and_go_on_escape(shown: Opened):
    page, hint = shown.page, shown.page.locator("#hint")
    shown.page.evaluate("location.hash = '#s=zh-001'")
    page.wait_for_function("document.querySelector('#sentence-id').innerText === 'zh-001'")
    mark = page.locator("tr.reference .edit").first
    mark.locator("del").hover()
    assert hint.is_visible()
    assert "“个” → “本”" in hint.inner_text()
    assert "Made by 3 of 3" in hint.inner_text()
    assert mark.get_attribute("aria-describedby") == "hint"
    page.keyboard.press("Escape")
    assert not hint.is_visible()
    page.locator("tr.system .edit.missed").first.focus()
    assert "missed edit" in hint.inner_text()
    page.locator(".list").focus()
    assert not hint.is_visible()


def test_no_verdict_is_told_by_colour_alone(shown: Opened):
    shown.page.evaluate("location.hash = '#s=zh-001'")
    shown.page.wait_for_function("document.querySelector('#sentence-id').innerText === 'zh-001'")
    for kind, sign, message in (
        ("true", "✓", "true edit"),
        ("false", "✕", "false edit"),
        ("missed", "○", "missed edit"),
    ):
        marks = shown.page.locator(f"#explorer .edit.{kind}").all()
        assert marks
        for mark in marks:
            assert sign in mark.locator(".sign").inner_text()
            assert message in mark.text_content()


def test_plain_texts_are_what_the_systems_wrote(shown: Opened):
    shown.page.evaluate("location.hash = '#s=zh-001&view=plain'")
    shown.page.wait_for_function("document.querySelector('#sentence-id').innerText === 'zh-001'")
    texts = shown.page.locator(".versions .text").all_inner_texts()
    first = load(sample("zh", "corpus.jsonl")).samples[0]
    written = [
        sample("zh", f"{name}.txt").read_text("utf-8").splitlines()[0]
        for name in ("cautious", "eager", "fluent")
    ]
    assert texts == [first.source, *(reference.text for reference in first.references), *written]


def test_the_samples_have_what_these_tests_look_for(chosen: dict):
    of = total(item.counts for item in chosen["eager"] if item is not None)
    assert min(of.tp, of.fp, of.fn) > 0
