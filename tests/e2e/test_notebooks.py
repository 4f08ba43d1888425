"""What the notebooks in docs show is what their cells give; `make notebooks` runs them again."""

from __future__ import annotations

import ast
import contextlib
import io
import json
import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "docs/notebook"
VERSION = re.compile(r"\b(gecbench|spacy|en_gecbench_small)([: ])\d[\w.]*")


def cells(name: str) -> list[dict]:
    """The cells of code."""
    notebook = json.loads((FOLDER / name).read_text("utf-8"))
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def outputs_of(source: str, names: dict[str, object]) -> list[dict]:
    """What a notebook shows below a cell: what is printed, and the value of the last line."""
    tree = ast.parse(source)
    value = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    shown = None
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(tree, "cell", "exec"), names)  # noqa: S102
        if value:
            shown = eval(compile(ast.Expression(value.value), "cell", "eval"), names)  # noqa: S307
    outputs = [{"text": printed.getvalue()}] if printed.getvalue() else []
    if shown is not None:
        outputs.append({"text/html": shown._repr_html_(), "text/plain": repr(shown)})
    return outputs


def saved_outputs(cell: dict) -> list[dict]:
    """What the file shows below a cell."""
    outputs = [output.get("data", {"text": output.get("text")}) for output in cell["outputs"]]
    return [{name: "".join(lines) for name, lines in output.items()} for output in outputs]


def without_versions(outputs: list[dict]) -> str:
    return VERSION.sub(r"\1\2VERSION", json.dumps(outputs, ensure_ascii=False, indent=1))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["scoring.ipynb", "scoring.zh.ipynb"])
def test_notebooks_show_what_their_cells_give(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    pytest.importorskip("pandas")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    names: dict[str, object] = {}
    for cell in cells(name):
        outputs = outputs_of("".join(cell["source"]), names)
        assert without_versions(outputs) == without_versions(saved_outputs(cell))


def test_both_notebooks_do_the_same():
    def words(name: str) -> list[list[str]]:
        return [re.findall(r"\w+", "".join(cell["source"])) for cell in cells(name)]

    different = {"en", "zh", "errant", "cherrant", "gleu", "sentence", "accuracy"}
    different |= {"scheme", "char", "language"}
    english, chinese = (
        [[word for word in cell if word not in different] for cell in words(name)]
        for name in ("scoring.ipynb", "scoring.zh.ipynb")
    )
    assert english == chinese


def test_all_cells_were_run_in_order():
    for name in ("scoring.ipynb", "scoring.zh.ipynb"):
        counts = [cell["execution_count"] for cell in cells(name)]
        assert counts == list(range(1, len(counts) + 1))
