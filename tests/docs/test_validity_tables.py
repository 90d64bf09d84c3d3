"""The tables of coverage: whatever lies outside 92 to 98 % is said in words, and nothing else
is.
"""

from __future__ import annotations

import re
from pathlib import Path

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "validity.md").read_text("utf-8")


def covered(text: str) -> dict[str, float]:
    """Case → coverage, of every table with such a column."""
    rates: dict[str, float] = {}
    place: int | None = None
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("|"):
            place = None
        elif "coverage" in cells:
            place = cells.index("coverage")
        elif place is not None and re.fullmatch(r"\d\.\d+", cells[place]):
            rates[cells[0]] = float(cells[place])
    return rates


def test_every_coverage_out_of_bounds_is_said() -> None:
    rates = covered(TEXT)
    assert len(rates) > 80
    said = TEXT[TEXT.index("**Outside 92–98 %**") :].partition("\n- **")[0]
    outside = {name: rate for name, rate in rates.items() if not 0.92 <= rate <= 0.98}
    unsaid = {
        name: rate for name, rate in outside.items() if f"{100 * rate + 1e-9:.1f}" not in said
    }
    assert unsaid == {}
    assert len(re.findall(r"\d\d\.\d", said)) == len(outside)
