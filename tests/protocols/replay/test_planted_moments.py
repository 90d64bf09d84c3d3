"""Planted violations are what the ranking of moments finds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from believable.analysis.run import run
from believable.cli.new import command as new
from believable.contracts.registries import PROTOCOLS
from believable.protocols.replay.planted_truth import DEMONSTRATION
from believable.simulate import straight
from believable.simulate.pool import pool_of
from believable.study.load import load

from ..conftest import eventful


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("planted") / "town"
    with eventful():
        made = CliRunner().invoke(new, [str(place), "--protocol", "replay"], catch_exceptions=False)
    assert made.exit_code == 0, made.output
    return place


def test_what_is_wrong_leads_the_ranking(folder: Path) -> None:
    definition = load(folder)
    with eventful():
        made = straight.bundle(definition, 150, np.random.default_rng(3), truth=DEMONSTRATION)
        wrong = pool_of(definition, PROTOCOLS["replay"]).material.violations
    table = next(table for table in run(made).tables if table.name == "moments")
    names = [column.name for column in table.columns]
    rows = [dict(zip(names, row, strict=True)) for row in table.rows]
    leading = [
        row for row in rows if row["condition"] == "generative" and int(str(row["rank"])) <= 5
    ]
    assert len(leading) == 15
    hits = sum(str(row["action"]) in wrong[str(row["stimulus"])] for row in leading)
    assert hits >= 14
    assert all(str(row["link"]).startswith(f"stimulus:{row['stimulus']}@") for row in rows)
