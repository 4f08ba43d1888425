"""What results show in a session, in notebooks and as data frames."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from every_result import every_result
from messages import expect_error

from gecbench.core.errors import UsageError
from gecbench.core.frames import Framed, Frames, flat


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> list[Framed]:
    return list(every_result(tmp_path_factory.mktemp("results")))


def test_every_result_is_short_a_table_and_flat_frames(results: list[Framed]):
    pandas = pytest.importorskip("pandas")
    for result in results:
        lines = repr(result).splitlines()
        assert 2 <= len(lines) <= 10, result
        assert max(map(len, lines)) <= 110, result
        assert result._repr_html_().count("<tr>") >= 2, result
        for name in result.frames():
            assert repr(name) in lines[0]
            frame = result.to_frame(name)
            assert all(map(pandas.api.types.is_scalar, frame.to_numpy().ravel()))
            # A column without any value has a type of its own for nobody else to guess.
            assert all(
                frame[column].notna().any() or frame[column].dtype == float for column in frame
            )
        assert isinstance(result.to_frame(), pandas.DataFrame)
        assert not result.to_frame().empty, result


def test_frames_of_a_comparison_have_its_numbers(results: list[Framed]):
    pytest.importorskip("pandas")
    compared = next(r for r in results if hasattr(r, "metrics"))
    first = compared.metrics[0]
    rows = compared.to_frame("pairs").query("metric == 'cherrant'")
    assert list(rows.difference) == [pair.difference for pair in first.pairs]
    assert list(rows.p_randomisation) == [pair.p["randomisation"] for pair in first.pairs]
    systems = compared.to_frame().query("metric == 'cherrant'")
    assert list(systems.system) == list(first.ranked)
    assert list(systems.groups) == [first.letters[name] for name in first.ranked]
    with expect_error(UsageError, "triples"):
        compared.to_frame("triples")


def test_frames_of_analyses_have_their_numbers(results: list[Framed]):
    pytest.importorskip("pandas")
    by_kind = {type(result).__name__: result for result in results}

    broken_down = by_kind["Breakdowns"]
    groups = broken_down.to_frame("groups").set_index(["by", "metric", "group", "system"])
    for breakdown in broken_down.breakdowns:
        for system, cells in breakdown.cells.items():
            for group, size, cell in zip(breakdown.groups, breakdown.sizes, cells, strict=True):
                row = groups.loc[breakdown.by, breakdown.metric, group, system]
                assert row["size"] == size
                assert row.value == cell.value or (cell.value is None and row.isna().value)

    difficulty = by_kind["Difficulty"]
    systems = difficulty.to_frame("systems").set_index("system")
    for score in difficulty.scores:
        assert systems.weighted_f[score.system] == score.weighted.f
        assert systems.plain_recall[score.system] == score.plain.recall

    robustness = by_kind["Robustness"]
    first = robustness.to_frame("systems").iloc[0]
    of_first = robustness.systems[0]
    assert (first.system, first.subset) == (of_first.system, of_first.subset)
    assert first.official_crs == of_first.official.crs
    assert first.original_f == of_first.original.f

    agreement = by_kind["Agreement"]
    measures = agreement.to_frame("measures").set_index("measure")
    assert measures.value["exact"] == agreement.exact.value
    assert measures["of"]["exact"] == agreement.exact.of
    (pair,) = agreement.to_frame("pairs").itertuples()
    assert {pair.one, pair.other} == {"ann", "bob"}


@dataclass(frozen=True, slots=True)
class Part:
    value: float
    of: int


@dataclass(frozen=True, slots=True, repr=False)
class Rows(Framed):
    corpus: str
    rows: tuple[dict[str, object], ...]

    def frames(self) -> Frames:
        return {"none": (), "rows": iter(self.rows)}


def test_nested_values_are_columns_with_the_name_of_their_field():
    @dataclass
    class Whole:
        name: str
        f: Part
        by: dict[str, Part]
        words: tuple[str, ...]

    row = flat(Whole("a", Part(0.5, 3), {"x": Part(1.0, 1)}, ("no", "column")))
    assert row == {"name": "a", "f": 0.5, "f_of": 3, "by_x": 1.0, "by_x_of": 1}


def test_what_is_shown_is_cut_escaped_and_aligned_with_han_characters():
    rows = Rows("mine", tuple({"系统": f"<{n}>", "f": n / 7, "none": None} for n in range(100)))
    _, head, *body, last = repr(rows).splitlines()
    assert (len(body), last) == (7, "... and 93 rows more")
    assert head == "系统       f"
    assert body[1] == "<1>   0.1429"
    shown = rows._repr_html_()
    assert shown.count("<tr>") == 61
    assert "&lt;1&gt;" in shown
    assert "none" not in shown
    assert repr(Rows("mine", ())) == "<Rows on mine; to_frame() of 'none', 'rows'>"
    wide = Rows("mine", ({f"a column of some length {n}": 1 for n in range(9)},))
    assert repr(wide).splitlines()[1].endswith("  ...")


def test_a_long_or_strange_name_does_not_hide_the_numbers():
    name = "系" * 60 + "tail"
    row = {"system": name, "metric": "m" * 50, "level": "l" * 50, "by\nwhat": "a\nb\x1b[2J\u2028"}
    lines = repr(Rows("mine\nyours", ({**row, "f": 0.5, "tp": 3},))).splitlines()
    assert len(lines) == 3
    _, head, shown = lines
    assert (" f" in head, "0.5000" in shown) == (True, True)
    assert shown.startswith("系" * 14 + "…")
    assert max(map(len, lines)) <= 110
    assert all(map(str.isprintable, lines))
    short = repr(Rows("mine", ({"by\nwhat": "a\nb\x1b[2J", "f": 0.5},)))
    head = "by\\nwhat".ljust(11) + "f".rjust(8)
    assert short.splitlines()[1:] == [head, r"a\nb\x1b[2J  0.5000"]
