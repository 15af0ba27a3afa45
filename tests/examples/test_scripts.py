import ast
import contextlib
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "examples"
EXAMPLES = sorted(FOLDER.glob("*.py"))
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs_without_a_warning(example, tmp_path):
    run = subprocess.run(
        [sys.executable, "-W", "error", example],
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=tmp_path,
        check=False,
    )
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout


def code_cells(notebook):
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]


def run_cell(code, names, where):
    """Run a cell as a notebook does, and return what it would show."""
    tree = ast.parse(code, where)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, where, "exec"), names)
    if last is None:
        return None
    return eval(compile(ast.Expression(last.value), where, "eval"), names)


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_cells_of_a_notebook_run_from_top_to_bottom(notebook, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "__main__"}
    for number, cell in enumerate(code_cells(notebook)):
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            shown = run_cell("".join(cell["source"]), names, f"{notebook.name}, cell {number}")
        if hasattr(shown, "_repr_html_"):
            assert shown._repr_html_()
        assert number == 0 or shown is not None or printed.getvalue(), (
            f"cell {number} shows nothing"
        )


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_stored_without_outputs(notebook):
    for cell in code_cells(notebook):
        assert (cell["outputs"], cell["execution_count"]) == ([], None)


def test_there_are_examples_and_notebooks():
    assert EXAMPLES
    assert len(NOTEBOOKS) >= 2
