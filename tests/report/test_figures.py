"""Chart records as figures: the drawn data is a value, valid Vega-Lite, and drawable."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, get_args

import altair
import pytest

from believable.analysis.findings import Analysis, Chart, ChartKind, Column, Table
from believable.core.errors import InvalidInput
from believable.report import figure_files
from believable.report.chart_canvas import POINTER_ONLY
from believable.report.chart_marks import DRAWERS
from believable.report.chart_rows import ROWS_TOLD_WHOLE, charts_of, drawn, hues
from believable.report.colours import DARK, LIGHT, PAGE
from believable.report.figure_files import specification, still

TABLE = Table(
    name="t",
    title="T",
    columns=(
        Column(name="name", title="Name"),
        Column(name="v", title="Value", form="share"),
        Column(name="lo", title="Low", form="share"),
        Column(name="hi", title="High", form="share"),
    ),
    rows=(("a", 0.5, 0.4, 0.6), ("b", None, None, None), ("<c>", 0.25, 0.1, float("inf"))),
)
CHART = Chart(
    name="c",
    title="C",
    kind="points",
    table="t",
    use={"category": "name", "value": "v", "low": "lo", "high": "hi"},
)


def test_every_kind_of_chart_can_be_drawn(analysis: Analysis) -> None:
    assert set(DRAWERS) == set(get_args(ChartKind))
    assert {chart.kind for chart, _ in charts_of(analysis)} == set(get_args(ChartKind)), (
        "the sample shows all"
    )


@pytest.mark.parametrize("theme", [LIGHT, DARK, PAGE], ids=["light", "dark", "page"])
def test_every_figure_is_valid_vega_lite(analysis: Analysis, theme: Any) -> None:
    names = hues(analysis)
    for chart, tables in charts_of(analysis):
        spec = specification(chart, tables, theme, names, links=lambda cell: f"#{cell}")
        altair.Chart.from_dict(spec)  # raises where the schema is violated
        json.dumps(spec, allow_nan=False)


def test_every_row_of_the_table_is_in_the_figure(analysis: Analysis) -> None:
    for chart, tables in charts_of(analysis):
        table = next(table for table in tables if table.name == chart.table)
        assert len(drawn(chart, tables).rows) == len(table.rows)


def test_categories_keep_the_order_of_the_table() -> None:
    spec = specification(CHART, [TABLE], LIGHT, {})
    assert spec["layer"][-1]["encoding"]["y"]["sort"] == ["a", "b", "<c>"]


def test_infinite_bounds_are_not_drawn_and_undefined_rows_stay() -> None:
    rows = drawn(CHART, [TABLE]).rows
    assert rows[2]["high"] is None
    assert rows[1]["category"] == "b"
    assert rows[1]["value"] is None


def test_the_pointer_tells_cells_as_the_table_writes_them() -> None:
    one = drawn(CHART, [TABLE])
    assert [field["title"] for field in one.tooltip] == ["Name", "Value", "Low", "High"]
    assert one.rows[0]["t1"] == "50.00\u202f%"
    long = replace(TABLE, rows=TABLE.rows * (ROWS_TOLD_WHOLE // 3 + 1))
    assert "t1" not in drawn(CHART, [long]).rows[0]


def test_lying_charts_take_titles_ranges_and_rules_from_either_axis() -> None:
    chart = replace(CHART, y_title="Accuracy", y_range=(0, 1), rules=(("y", 0.5, "chance"),))
    spec = specification(chart, [TABLE], LIGHT, {})
    value = spec["layer"][1]["encoding"]["x"]
    assert value["axis"]["title"] == "Accuracy"
    assert value["scale"]["domain"] == [0, 1]
    assert spec["layer"][-2]["encoding"] == {"x": {"field": "at", "type": "quantitative"}}
    assert spec["layer"][-2]["data"]["values"] == [{"at": 0.5, "words": "chance"}]


def test_a_name_has_the_same_colour_in_every_figure(analysis: Analysis) -> None:
    names = hues(analysis)
    found: dict[str, set[str]] = {}
    for chart, tables in charts_of(analysis):
        for layer in _layers(specification(chart, tables, LIGHT, names)):
            scale = layer.get("encoding", {}).get("color", {}).get("scale", {})
            for name, colour in zip(scale.get("domain", ()), scale.get("range", ()), strict=False):
                if isinstance(name, str):
                    found.setdefault(name, set()).add(colour)
    assert found["standin human"] == {LIGHT.hues[0]}
    assert all(len(colours) == 1 for colours in found.values())


def test_the_page_draws_with_variables_and_files_with_colours(analysis: Analysis) -> None:
    chart, tables = next(charts_of(analysis))
    drawing = figure_files.inline_svg(still(specification(chart, tables, PAGE, hues(analysis))))
    assert "var(--f-hues-0)" in drawing
    alone = figure_files.picture(drawing, "svg", DARK).decode()
    assert "var(" not in alone
    assert DARK.hues[0] in alone


@pytest.mark.parametrize(
    ("form", "start"), [("svg", b"<svg"), ("png", b"\x89PNG"), ("pdf", b"%PDF")]
)
def test_pictures_are_what_they_say(form: Any, start: bytes) -> None:
    drawing = figure_files.inline_svg(specification(CHART, [TABLE], PAGE, {}))
    assert figure_files.picture(drawing, form).startswith(start)


def test_pictures_go_without_what_only_answers_a_pointer(analysis: Analysis) -> None:
    chart, tables = next((c, t) for c, t in charts_of(analysis) if c.kind == "lines")
    spec = specification(chart, tables, LIGHT, {})
    assert any(layer.get("name") == POINTER_ONLY for layer in _layers(spec))
    assert not any(layer.get("name") == POINTER_ONLY for layer in _layers(still(spec)))


def test_a_chart_without_its_table_or_column_says_what_is_there() -> None:
    with pytest.raises(InvalidInput, match=r"chart c: there is no table 'tt'. Did you mean 't'\?"):
        drawn(replace(CHART, table="tt"), [TABLE])
    with pytest.raises(InvalidInput, match=r"table t has no column 'loo' for low"):
        drawn(replace(CHART, use={**CHART.use, "low": "loo"}), [TABLE])
    with pytest.raises(InvalidInput, match=r"points needs a column for value"):
        drawn(replace(CHART, use={"category": "name"}), [TABLE])


def test_unknown_formats_are_refused() -> None:
    assert figure_files.check_formats("png, svg") == ("svg", "png")
    assert figure_files.check_formats("") == ()
    with pytest.raises(InvalidInput, match=r"formats: expected some of svg, pdf, png, got 'gif'"):
        figure_files.check_formats("gif")


def _layers(spec: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = spec.get("spec", spec)["layer"]
    return found


@pytest.mark.parametrize(
    ("wanted", "cut"), [(None, False), ((0.0, 1.0), False), ((0.0, 0.3), True), ((0.3, 1.0), True)]
)
def test_marks_are_cut_off_only_where_they_reach_beyond_the_axes(
    wanted: tuple[float, float] | None, cut: bool
) -> None:
    use = {"x": "v", "y": "v"}
    for kind in ("lines", "scatter"):
        spec = specification(replace(CHART, kind=kind, use=use, y_range=wanted), [TABLE], LIGHT, {})
        assert {layer["mark"].get("clip", cut) for layer in spec["layer"]} == {cut}
