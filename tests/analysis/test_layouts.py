"""Tables and figures from their layout."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import believable
from believable.analysis.findings import Chart, Column, Undefined
from believable.analysis.layouts import Layouts
from believable.core.data_files import read_blocks

SOURCE = Path(believable.__file__).parent
#: What the blocks of a layout begin with, by the method that reads them.
PREFIXES = {"table": "", "chart": "figure ", "section": "section "}
LAYOUT = """
"{who}_scores":
  title: "Scores of {who}"
  note: "Above {limit:g}."
  status: "exploratory"
  name: ["Name"]
  share: ["Share", "estimate", 3, "of {who}"]
  groups: null
  p: ["p", "p", "two-sided", true]
"figure {who}":
  title: "Scores"
  kind: "points"
  table: "{who}_scores"
  use: {"category": "name", "value": "share"}
  rules: [["x", "{limit}", "limit"]]
  x_range: [0, 1]
"""


@pytest.fixture
def layouts(tmp_path: Path) -> Layouts:
    (tmp_path / "tables.yaml").write_text(LAYOUT)
    return Layouts(str(tmp_path / "scores.py"))


def test_a_table_has_the_columns_of_its_layout_in_order(layouts: Layouts) -> None:
    rows = [("a", 0.5, 0.4, 0.6, 3, Undefined("too few"))]
    scores = layouts.table(
        "{who}_scores",
        rows,
        who="judges",
        limit=0.5,
        groups=[Column(name="group_0", title="first", form="integer")],
    )
    assert (scores.name, scores.title, scores.note) == (
        "judges_scores",
        "Scores of judges",
        "Above 0.5.",
    )
    assert scores.columns == (
        Column(name="name", title="Name"),
        Column(name="share", title="Share", form="number", digits=3, about="of judges"),
        Column(
            name="share_low", title="low", form="number", digits=3, about="lower bound of share"
        ),
        Column(
            name="share_high", title="high", form="number", digits=3, about="upper bound of share"
        ),
        Column(name="group_0", title="first", form="integer"),
        Column(name="p", title="p", form="p", about="two-sided", claims=True),
    )
    assert scores.rows == (("a", 0.5, 0.4, 0.6, 3, None),)
    assert scores.undefined == {(0, "p"): "too few"}
    assert scores.status == "exploratory"


def test_a_row_that_does_not_fit_its_layout_is_refused(layouts: Layouts) -> None:
    with pytest.raises(ValueError, match="zip"):
        layouts.table("{who}_scores", [("a", 0.5)], who="judges", limit=0.5, groups=[])


def test_a_figure_has_the_words_and_lines_of_its_layout(layouts: Layouts) -> None:
    use = {"category": "name", "value": "share"}
    rules = (("x", 0.5, "limit"),)
    expected = Chart(
        name="judges",
        title="Scores",
        kind="points",
        table="judges_scores",
        use=use,
        rules=rules,
        x_range=(0, 1),
    )
    assert layouts.chart("{who}", who="judges", limit=0.5) == expected


def test_every_layout_is_used_and_every_used_layout_is_there() -> None:
    for file in sorted(SOURCE.rglob("tables.yaml")):
        used = set()
        for module in file.parent.glob("*.py"):
            for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
                match node:
                    case ast.Call(
                        func=ast.Attribute(value=ast.Name(id="LAYOUTS"), attr=kind),
                        args=[ast.Constant(value=name), *_],
                    ) if kind in PREFIXES:
                        used.add(PREFIXES[kind] + name)
        assert used == set(read_blocks(file)), file
