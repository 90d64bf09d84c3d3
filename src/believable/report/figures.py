"""Figures of an analysis, for notebooks and papers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from believable.analysis.findings import Analysis
from believable.core.errors import NotFound
from believable.core.registry import did_you_mean
from believable.core.whole_files import whole_file
from believable.report.chart_canvas import Spec
from believable.report.chart_rows import charts_of, hues
from believable.report.colours import LIGHT, Theme
from believable.report.figure_files import check_formats, inline_svg, picture, specification, still


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportFigure:
    """One figure. A notebook displays it; `save` writes it as SVG, PDF or PNG.

    spec   the Vega-Lite specification, for `altair.Chart.from_dict(figure.spec)` and others
    """

    name: str
    title: str
    caption: str
    spec: Spec = field(repr=False)

    def svg(self) -> str:
        """Return the drawing as SVG. Needs the extra `report`."""
        return inline_svg(still(self.spec))

    def save(self, path: Path | str) -> Path:
        """Write the figure in the format that the ending of the file names: .svg, .pdf or .png."""
        file = Path(path)
        (form,) = check_formats(file.suffix.removeprefix(".").lower() or "none")
        with whole_file(file) as draft:
            draft.write_bytes(picture(self.svg(), form))
        return file

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        return {"image/svg+xml": self.svg(), "text/plain": f"{self.title}. {self.caption}"}


def figures(analysis: Analysis, *, theme: Theme = LIGHT) -> Mapping[str, ReportFigure]:
    """Return the figures of an analysis by name, in the order of the report.

    >>> for name, figure in figures(analysis).items():  # doctest: +SKIP
    ...     figure.save(f"{name}.svg")
    """
    colours = hues(analysis)
    return _NamedFigures(
        (
            chart.name,
            ReportFigure(
                name=chart.name,
                title=chart.title,
                caption=chart.caption,
                spec=specification(chart, tables, theme, colours, mark=analysis.source.mark),
            ),
        )
        for chart, tables in charts_of(analysis)
    )


class _NamedFigures(dict[str, ReportFigure]):
    def __missing__(self, name: str) -> ReportFigure:
        raise NotFound(f"figures: there is no figure {name!r}. {did_you_mean(name, list(self))}")
