"""A report as a folder: the page, the figures as files, the tables as CSV and LaTeX, the results as JSON."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from believable.analysis.records import Analysis
from believable.analysis.write import TABLES_FOLDER
from believable.analysis.write import write as write_results
from believable.report.colours import LIGHT, Theme
from believable.report.drawn import Links, no_links
from believable.report.latex import latex_table
from believable.report.page import page
from believable.report.pictures import Format, picture, script

PAGE_FILE = "report.html"
FIGURES_FOLDER = "figures"


@dataclass(frozen=True, slots=True)
class Written:
    """What was written: the page, and how many figures and tables."""

    page: Path
    figures: int
    tables: int


def write_report(
    analysis: Analysis,
    folder: Path,
    *,
    formats: Sequence[Format] = ("svg", "pdf", "png"),
    theme: Theme = LIGHT,
    links: Links = no_links,
    blinded: bool = False,
    script: Callable[[], str] = script,
) -> Written:
    """Write everything into `folder`. Same analysis, same bytes; `theme` is that of the files, the page has both."""
    made = page(analysis, links=links, blinded=blinded, script=script)
    folder.mkdir(parents=True, exist_ok=True)
    write_results(analysis, folder)
    for table in analysis.tables:
        if not table.data_only:
            (folder / TABLES_FOLDER / f"{table.name}.tex").write_text(latex_table(table), encoding="utf-8")
    if formats:
        (folder / FIGURES_FOLDER).mkdir(exist_ok=True)
    for name, drawing in made.drawings.items():
        for form in formats:
            (folder / FIGURES_FOLDER / f"{name}.{form}").write_bytes(picture(drawing, form, theme))
    target = folder / PAGE_FILE
    target.write_text(made.html, encoding="utf-8", newline="\n")
    return Written(target, len(made.drawings), len(analysis.tables))
