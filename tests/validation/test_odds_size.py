"""The size of the test of the odds of a flag, quickly: the machinery, and a coarse check of what
the full run checks finely.
"""

from __future__ import annotations

import pytest

from validation.odds_size import main, measure


def test_fewer_studies_reject_than_with_the_normal_quantile() -> None:
    size = measure(14, 100, workers=1)
    assert size.tested == 100
    assert size.rejected < size.rejected_by_z
    assert size.kept


def test_the_table_and_its_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--participants", "8", "--studies", "20", "--workers", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("| people who start |")
    assert lines[2].startswith("| 8 |")
