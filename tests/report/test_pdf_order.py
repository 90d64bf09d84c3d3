"""Equal figures are equal bytes, also as PDF."""

from __future__ import annotations

from dataclasses import replace

from believable.analysis.findings import Analysis
from believable.report.colours import LIGHT
from believable.report.figure_files import order_markup, picture
from believable.report.page import page


def test_the_same_figure_is_the_same_pdf(analysis: Analysis) -> None:
    few = replace(analysis, sections=analysis.sections[:1])
    drawings = page(few, script=lambda: "").drawings
    for name, drawing in drawings.items():
        made = {picture(drawing, "pdf", LIGHT) for _ in range(6)}
        assert len(made) == 1, name
        document = made.pop()
        assert order_markup(document) == document
        assert document.startswith(b"%PDF-")
        assert document.endswith(b"%%EOF")


def test_what_is_laid_out_otherwise_stays_as_it_is() -> None:
    assert order_markup(b"%PDF-1.7 nothing like it") == b"%PDF-1.7 nothing like it"
