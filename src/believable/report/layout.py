"""An analysis prepared for the templates: numbered figures and tables, footnotes, the ways numbers
and sentences are set.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment
from markupsafe import Markup, escape

from believable.analysis import numbers
from believable.analysis.findings import Analysis, Chart, Column, Finding, Section, Status, Table
from believable.analysis.result_files import table_csv
from believable.core.documents import template_environment
from believable.report.chart_canvas import Spec
from believable.report.chart_rows import Links, hues, no_links
from believable.report.colours import PAGE
from believable.report.figure_files import specification, still
from believable.report.flow import funnel_svg
from believable.report.latex import MARKED, footnotes, latex_table, shown_columns
from believable.study.own_design import OWN

STATUS_ABOUT: Mapping[Status, str] = {
    "confirmatory": "Declared in the registered plan before the data were seen.",
    "exploratory": "Not declared beforehand: read it as a question for the next study.",
    "descriptive": "Describes this sample; no claim beyond it.",
}
SECONDARY_ABOUT = (
    "Declared in the registered plan as a secondary outcome: it adds to the picture and decides"
    " nothing."
)
_LEGEND: tuple[tuple[Status, str], ...] = (
    ("confirmatory", "declared in the registered plan;"),
    ("exploratory", "a question for the next study;"),
    ("descriptive", "about this sample only."),
)
#: Longer lists of exclusions are in the tables folder; the page shows their beginning.
DROPS_SHOWN = 200
#: Longer tables are laid out in a separate box that scrolls on screen and opens in print.
TALL_ROWS = 30
#: Wider tables are set smaller.
WIDE_COLUMNS = 9
#: Still wider ones are printed across.
ACROSS_COLUMNS = 11
#: The column with the addresses of moments; it becomes a button in each row.
LINK = "link"

#: Draws a specification as SVG markup; `figure_files.inline_svg`, or a placeholder if figures
#: follow later.
Drawing = Callable[[Spec], str]

#: Headings and symbols that the APA sets in italics.
SYMBOLS = frozenset(
    ("p", "n", "N", "t", "d", "r", "M", "SD", "SE", "z", "U", "W", "F", "b", "c", "k", "r²", "R²")
)
_SYMBOL = re.compile(
    r"(?<![\w.])(p|t|d|r|n|N|M|SD|SE|z|U|W|F|H|R²|b|c|k|q|g|h|w|V)(?=(?:\([\d.,"
    r" ]+\))?\s?[=<>≤≥]\s?[\d.−-])"
)
#: Spaces at which no line ends: around the sign of `p = .05`, before `%`.
_TOGETHER = re.compile(
    r"(?<=[\w)²]) (?=[=<>≤≥] [\d.−-])|(?<=[\w)²] [=<>≤≥]) (?=[\d.−-])|(?<=\d) (?=%)"
)
_CODE = re.compile(r"`([^`]+)`")


@dataclass(frozen=True, slots=True)
class DrawnFigure:
    """A chart with its number and drawing; `about` is the text for a screen reader."""

    number: int
    chart: Chart
    drawing: str
    about: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedTable:
    """A table with its number; `footnotes` are the marks of reasons, `watch` the addresses of
    moments by row.
    """

    number: int
    table: Table
    columns: tuple[tuple[int, Column], ...]
    footnotes: Mapping[str, str]
    watch: Mapping[int, str]

    @property
    def tall(self) -> bool:
        return len(self.table.rows) > TALL_ROWS

    @property
    def wide(self) -> bool:
        return len(self.columns) + bool(self.watch) > WIDE_COLUMNS

    @property
    def across(self) -> bool:
        """Printed on a separate page, turned by a quarter."""
        return len(self.columns) > ACROSS_COLUMNS


@dataclass(frozen=True, slots=True)
class LaidSection:
    section: Section
    figures: tuple[DrawnFigure, ...]
    tables: tuple[PrintedTable, ...]


@dataclass(frozen=True, slots=True)
class ReportLayout:
    """Everything the templates need. `figures` are the specifications for the page's script, by
    name.
    """

    analysis: Analysis
    sections: tuple[LaidSection, ...]
    figures: Mapping[str, Spec]

    @property
    def drawings(self) -> dict[str, str]:
        return {
            figure.chart.name: figure.drawing for laid in self.sections for figure in laid.figures
        }

    @property
    def parts(self) -> dict[str, str]:
        """Titles of all parts by name, in order; what there is nothing to say about is left out."""
        analysis = self.analysis
        optional = {
            "warnings": ("Warnings", analysis.warnings),
            "flow": ("Flow of participants", analysis.funnel),
            "methods": ("Methods", analysis.methods),
            "results": ("Results in words", analysis.results),
        }
        return (
            {"glance": "At a glance", "deviations": "Deviations from the plan"}
            | {name: title for name, (title, content) in optional.items() if content}
            | {section.name: section.title for section in analysis.sections}
            | {"exclusions": "Exclusions"}
            | ({"sources": "Sources"} if analysis.sources else {})
        )

    @property
    def context(self) -> dict[str, Any]:
        analysis = self.analysis
        mark = analysis.source.mark
        printed = [printed.table for laid in self.sections for printed in laid.tables]
        return {
            "analysis": analysis,
            "parts": self.parts,
            "sections": self.sections,
            "secondary": sorted(
                (
                    finding
                    for finding in analysis.findings
                    if finding.rank is not None and not finding.hypothesis
                ),
                key=lambda finding: finding.rank != "primary",
            ),
            "units": analysis.units,
            "adjusted": any(
                finding.p_adjusted is not None for finding in _shown_findings(analysis)
            ),
            "confirmatory": sum(
                finding.status == "confirmatory" for finding in _shown_findings(analysis)
            ),
            "flow": funnel_svg(analysis.funnel, PAGE, mark) if analysis.funnel else "",
            "drops_by_reason": Counter((drop.level, drop.reason) for drop in analysis.drops),
            "figures": self.figures,
            "files": {
                table.name: {"csv": table_csv(table, mark), "tex": latex_table(table, mark)}
                for table in printed
            },
        }


def _shown_findings(analysis: Analysis) -> tuple[Finding, ...]:
    """Those of the sections; of several studies side by side, whose sections hold tables alone,
    those of the hypotheses.
    """
    return analysis.findings or tuple(
        finding for row in analysis.hypotheses for finding in row.findings
    )


def lay_out(analysis: Analysis, draw: Drawing, links: Links) -> ReportLayout:
    """Figures and tables are numbered through the whole report."""
    colours = hues(analysis)
    figures: dict[str, Spec] = {}
    sections = []
    printed = 0
    for section in analysis.sections:
        drawings = []
        for chart in section.charts:
            spec = specification(
                chart,
                (*section.tables, *analysis.tables),
                PAGE,
                colours,
                links,
                mark=analysis.source.mark,
            )
            figures[chart.name] = spec
            drawing = own_ids(draw(still(spec)), chart.name)
            clickable = links is not no_links and "link" in chart.use
            words = (
                f"{chart.caption} A click opens the clip.".strip() if clickable else chart.caption
            )
            captioned = replace(chart, caption=words)
            drawings.append(DrawnFigure(len(figures), captioned, drawing, spec["description"]))
        laid_out = [table for table in section.tables if not table.data_only]
        tables = tuple(
            _print_table(table, printed + place, links)
            for place, table in enumerate(laid_out, start=1)
        )
        printed += len(laid_out)
        sections.append(LaidSection(section, tuple(drawings), tables))
    return ReportLayout(analysis, tuple(sections), figures)


def _print_table(table: Table, number: int, links: Links) -> PrintedTable:
    addresses = table.column(LINK) if LINK in [column.name for column in table.columns] else ()
    watch = {row: links(str(cell)) for row, cell in enumerate(addresses) if cell}
    known = {row: address for row, address in watch.items() if address}
    return PrintedTable(
        number=number,
        table=table,
        columns=tuple(shown_columns(table)),
        footnotes=footnotes(table),
        watch=known,
    )


def own_ids(drawing: str, name: str) -> str:
    """The drawing with unique ids: the renderer counts them on from figure to figure and from run
    to run.
    """
    order: dict[str, str] = {}
    return _RENDERERS_ID.sub(
        lambda match: order.setdefault(match.group(), f"{name}-{len(order)}"), drawing
    )


_RENDERERS_ID = re.compile(r"\b(?:clip|gradient_)\d+\b")


# ----------------------------------------------------------------------------------------------
# templates


def prose(text: str) -> Markup:
    """A sentence or paragraph: escaped, symbols in italics, `code` in a fixed pitch.

    >>> prose("t(33) = 2.1, p < .05 & more").replace("\\u00a0", " ")
    Markup('<i>t</i>(33) = 2.1, <i>p</i> &lt; .05 &amp; more')
    """
    parts = _SYMBOL.split(_TOGETHER.sub("\u00a0", text))
    marked = "".join(
        f"<i>{escape(part)}</i>" if place % 2 else escape(part) for place, part in enumerate(parts)
    )
    return Markup(_CODE.sub(r"<code>\1</code>", marked))


def island(value: object) -> Markup:
    """Data for the page's script. `<` is escaped so that no text can end the element."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return Markup(text.replace("<", "\\u003c"))


def _notes(finding: Finding) -> list[str]:
    notes = (
        *(finding.estimate.notes if finding.estimate else ()),
        *(finding.test.notes if finding.test else ()),
    )
    return list(dict.fromkeys(notes))


def _address(key: str) -> str:
    """Where in a study something is: `rounds.2.annotate_btrace` is the second of rounds, annotate
    btrace.
    """
    return key.replace(".", " · ").replace("_", " ")


def _side(column: Column) -> str:
    return "" if column.form in ("text", "flag") else "num"


@cache
def environment() -> Environment:
    """Input from a study or a person is text and is escaped; only the drawings and the output of
    this module are markup.
    """
    jinja = template_environment(Path(__file__).parent / "templates", escaped=True)
    jinja.filters |= {
        "prose": prose,
        "island": island,
        "notes": _notes,
        "side": _side,
        "cell": numbers.cell,
        "address": _address,
        "number": numbers.number,
        "integer": numbers.integer,
        "p_equals": numbers.p_equals,
        "p_value": numbers.p_value,
        "interval_words": numbers.interval_words,
        "statistic_words": numbers.statistic_words,
    }
    jinja.globals |= {
        "status_about": STATUS_ABOUT,
        "secondary_about": SECONDARY_ABOUT,
        "marked_about": MARKED,
        "own_design": OWN,
        "legend": _LEGEND,
        "symbols": SYMBOLS,
        "drops_shown": DROPS_SHOWN,
    }
    return jinja


def render(template: str, layout: ReportLayout, **context: object) -> str:
    return environment().get_template(template).render(**layout.context, **context)
