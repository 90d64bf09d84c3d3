"""Figures, tables and results of an analysis in a notebook."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import believable
from believable.analysis.findings import Analysis, Column, Table
from believable.core.errors import InvalidInput, NotFound
from believable.protocols import READY_STUDIES
from believable.simulate import straight


@pytest.fixture(scope="module")
def analysis(tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    folder = str(tmp_path_factory.mktemp("studies") / "study")
    READY_STUDIES["hntt"].copy(Path(folder))
    rng = np.random.default_rng(1)
    return believable.analyse(straight.bundle(believable.load_study(folder), 12, rng))


def test_figures_are_those_of_the_report(analysis: Analysis) -> None:
    figures = believable.figures(analysis)
    charts = [chart.name for section in analysis.sections for chart in section.charts]
    assert list(figures) == charts
    assert charts
    with pytest.raises(NotFound, match="there is no figure 'accuraci'"):
        figures["accuraci"]


def test_a_figure_is_displayed_and_saved(analysis: Analysis, tmp_path: Path) -> None:
    figure = next(iter(believable.figures(analysis).values()))
    shown = figure._repr_mimebundle_(include=None, exclude=None)
    assert shown["image/svg+xml"].startswith("<svg")
    assert "Simulated data" in shown["image/svg+xml"]
    for form, start in (("svg", b"<svg"), ("png", b"\x89PNG"), ("pdf", b"%PDF")):
        file = figure.save(str(tmp_path / f"figure.{form}"))
        assert file.read_bytes().startswith(start)
    with pytest.raises(InvalidInput, match="expected some of svg, pdf, png, got 'gif'"):
        figure.save(tmp_path / "figure.gif")


def test_an_analysis_is_displayed_with_its_marks(analysis: Analysis) -> None:
    shown = analysis._repr_html_()
    assert "simulated participants" in shown
    for finding in analysis.findings:
        assert finding.status in finding._repr_html_()
    estimate = next(finding.estimate for finding in analysis.findings if finding.estimate)
    assert "<td>method</td>" in estimate._repr_html_()
    test = next(finding.test for finding in analysis.findings if finding.test)
    assert "<td>p_value</td>" in test._repr_html_()


def test_tables_of_results_convert(analysis: Analysis) -> None:
    for table in analysis.tables:
        frame = table.to_polars()
        assert frame.columns == [column.name for column in table.columns]
        assert len(frame) == len(table.rows) == len(table.to_pandas())
        for column in table.columns:
            expected = list(table.column(column.name))
            if frame[column.name].dtype == "String":
                expected = [cell if cell is None else str(cell) for cell in expected]
            assert frame[column.name].to_list() == expected
    assert analysis.table(analysis.tables[0].name) is analysis.tables[0]
    with pytest.raises(NotFound, match="there is no table 'nothing'"):
        analysis.table("nothing")


def test_cells_of_several_types_become_text() -> None:
    mixed = Table(
        name="t",
        title="T",
        columns=(Column(name="a", title="A"), Column(name="b", title="B")),
        rows=(("x", 1), (2, None)),
    )
    assert mixed.to_polars().to_dict(as_series=False) == {"a": ["x", "2"], "b": [1, None]}
    assert list(mixed) == [{"a": "x", "b": 1}, {"a": 2, "b": None}]


def test_statistics_need_no_further_import() -> None:
    assert believable.stats.power.paired_t(0.5, power=0.8).n == 34
    assert "location" in dir(believable.stats)
    with pytest.raises(AttributeError, match="has no attribute 'luck'"):
        _ = believable.stats.luck
