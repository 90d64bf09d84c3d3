"""One self-contained page, and a folder around it: no request leaves the page, it works from a
file, on paper, in light and dark, and without scripts. The figures as files, the tables as CSV and
LaTeX, and the results as JSON are next to it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from believable.analysis.findings import Analysis, Source
from believable.analysis.result_files import TABLES_FOLDER, holds_results
from believable.analysis.result_files import write as write_results
from believable.core.ids import policy_source
from believable.core.whole_files import check_writable, results_folder
from believable.report import figure_files
from believable.report.chart_rows import Links, no_links
from believable.report.colours import LIGHT, PAGE, Theme, static, stylesheet
from believable.report.figure_files import Format, picture
from believable.report.flow import funnel_svg
from believable.report.latex import latex_table
from believable.report.layout import Drawing, lay_out, render

PAGE_FILE = "report.html"
FIGURES_FOLDER = "figures"
FLOW = "flow"
REPORT = "report"

SIMULATED = (
    "Simulated data",
    (
        "No person took part. Every number here comes from simulated participants and says nothing"
        " about people."
    ),
)
DEMONSTRATION = (
    "Demonstration stimuli",
    "What was shown was made for demonstration, also where a condition is called human.",
)
BLINDED = ("Blinded", "Conditions are shown as letters. Which is which is not in this report.")


@dataclass(frozen=True, slots=True)
class ReportPage:
    """The document, and its drawings by name as embedded in it."""

    html: str
    drawings: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ReportFolder:
    """The written report: the page, and how many figures and tables."""

    page: Path
    figures: int
    tables: int


def page(
    analysis: Analysis,
    *,
    links: Links = no_links,
    blinded: bool = False,
    certificate: str = "",
    draw: Drawing = figure_files.inline_svg,
    script: Callable[[], str] = figure_files.script,
) -> ReportPage:
    """The whole report as one HTML document. Same records, same bytes. `certificate`: the
    sentence of the blinding certificate.
    """
    layout = lay_out(analysis, draw, links)
    marks = marks_of(analysis.source, blinded=blinded)
    # The library first: the page's own script uses it.
    scripts = [script().replace("</script", "<\\/script"), static("report.js")]
    style = f"{stylesheet()}\n{_paper(marks)}"
    policy = (
        "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; style-src"
        f" {policy_source(style)}; script-src {' '.join(policy_source(text) for text in scripts)}"
    )
    html = render(
        "report.html",
        layout,
        marks=marks,
        style=style,
        scripts=scripts,
        policy=policy,
        certificate=certificate,
    )
    flow = (
        {FLOW: funnel_svg(analysis.funnel, PAGE, analysis.source.mark)} if analysis.funnel else {}
    )
    return ReportPage(f"{html}\n", flow | layout.drawings)


def fragment(analysis: Analysis, *, links: Links) -> str:
    """The parts of a report and their data, to embed in a page of the console."""
    layout = lay_out(analysis, figure_files.inline_svg, links)
    return render("parts.html", layout) + render("islands.html", layout)


def marks_of(source: Source, *, blinded: bool = False) -> list[tuple[str, str]]:
    """A mark that no reader may overlook, as a word and a sentence."""
    return [
        mark
        for mark, holds in (
            (SIMULATED, source.simulated),
            (DEMONSTRATION, source.demonstration),
            (BLINDED, blinded),
        )
        if holds
    ]


def check_report_folder(folder: Path) -> None:
    """Refuse a folder with other things, or with a report that was edited, before anything is
    computed.
    """
    check_writable(folder, REPORT, is_ours=holds_results(folder))


def write_report(
    analysis: Analysis,
    folder: Path | str,
    *,
    formats: Sequence[Format] = ("svg", "pdf", "png"),
    theme: Theme = LIGHT,
    links: Links = no_links,
    blinded: bool = False,
    certificate: str = "",
    script: Callable[[], str] = figure_files.script,
) -> ReportFolder:
    """Write everything into `folder`. Same analysis, same bytes; `theme` is that of the files, the
    page has both.

    The folder is a new or empty one, or has an earlier report. Files that were added stay; edited
    ones are never overwritten.
    """
    target = Path(folder)
    check_report_folder(target)
    report = page(analysis, links=links, blinded=blinded, certificate=certificate, script=script)
    with results_folder(target, REPORT, is_ours=holds_results(target)) as draft:
        write_results(analysis, draft)
        for table in analysis.tables:
            if not table.data_only:
                text = latex_table(table, analysis.source.mark)
                (draft / TABLES_FOLDER / f"{table.name}.tex").write_text(text, encoding="utf-8")
        if formats:
            (draft / FIGURES_FOLDER).mkdir()
        for name, drawing in report.drawings.items():
            for form in formats:
                (draft / FIGURES_FOLDER / f"{name}.{form}").write_bytes(
                    picture(drawing, form, theme)
                )
        (draft / PAGE_FILE).write_text(report.html, encoding="utf-8", newline="\n")
    return ReportFolder(target / PAGE_FILE, len(report.drawings), len(analysis.tables))


def _paper(marks: Sequence[tuple[str, str]]) -> str:
    """The text in the margin of every printed page."""
    words = " · ".join(word for word, _ in marks).upper()
    face = "font: 8.5pt sans-serif; color: #5a6370;"
    top = (
        f'@top-left {{ content: "{words}"; {face} font-weight: 700; color: #a14408; }}'
        if words
        else ""
    )
    return (
        f'@page {{ {top} @bottom-right {{ content: counter(page) " / " counter(pages); {face} }} }}'
    )
