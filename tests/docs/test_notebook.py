"""The notebook page runs in a real kernel, from a new study to a figure."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

pytestmark = pytest.mark.slow
PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "notebook.md"


@pytest.fixture(scope="module")
def cells(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.S | re.M)
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(block) for block in blocks]
    )
    folder = tmp_path_factory.mktemp("notebook")
    NotebookClient(
        notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
    ).execute()
    assert (folder / "my-study" / "study.yaml").is_file()
    assert (folder / "figure.svg").read_text("utf-8").startswith("<svg")
    return list(notebook.cells)


def shown(cells: list[Any], ending: str) -> dict[str, Any]:
    """The data that the cell with this last line displays."""
    (cell,) = [cell for cell in cells if cell.source.rstrip().endswith(ending)]
    data: dict[str, Any] = cell.outputs[-1]["data"]
    return data


def test_the_page_runs_from_a_new_study_to_a_figure(cells: list[Any]) -> None:
    assert "simulated participants" in shown(cells, "\nanalysis")["text/html"]
    assert "<svg" in shown(cells, "\nfigure")["image/svg+xml"]
    assert "dataframe" in shown(cells, ".to_pandas()")["text/html"]
    assert "n=34" in shown(cells, "power=0.8)")["text/plain"]
