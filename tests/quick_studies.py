"""Studies that are analysed quickly."""

from __future__ import annotations

from pathlib import Path


def simulate_little(study: Path) -> None:
    """Let the analysis of an hntt study simulate few studies for its table of what the pass
    criterion can tell: the table is tested with its protocol, and takes most of the time.
    """
    file = study / "study.yaml"
    text = file.read_text("utf-8")
    assert text.count("\n  alpha: 0.05\n") == 1
    file.write_text(
        text.replace("\n  alpha: 0.05\n", "\n  alpha: 0.05\n  options: {criterion_studies: 20}\n"),
        "utf-8",
    )
