"""Cells that are undefined keep their reason; numpy numbers become plain ones."""

from __future__ import annotations

import numpy as np

from believable.analysis.findings import (
    Column,
    Undefined,
    estimate_cells,
    estimate_columns,
    number_or,
    table,
)
from believable.stats.estimate import Estimate, undefined, without_interval


def test_undefined_cells_explain_themselves():
    made = table(
        "t",
        "T",
        (Column(name="a", title="A"), Column(name="b", title="B", form="number")),
        [("x", Undefined("too few")), ("y", np.float64(2))],
    )
    assert made.rows == (("x", None), ("y", 2.0))
    assert made.undefined == {(0, "b"): "too few"}
    assert type(made.rows[1][1]) is float


def test_an_estimate_fills_three_columns():
    columns = estimate_columns("b", "b")
    assert [column.name for column in columns] == ["b", "b_low", "b_high"]
    assert estimate_cells(Estimate(value=1.0, low=0.5, high=2.0, level=0.95, n=3, method="m")) == (
        1.0,
        0.5,
        2.0,
    )
    assert estimate_cells(without_interval(1.0, "alone", method="m", n=1)) == (
        1.0,
        Undefined("alone"),
        Undefined("alone"),
    )
    assert estimate_cells(undefined("none", method="m", n=0)) == (Undefined("none"),) * 3


def test_nan_is_undefined():
    assert number_or(float("nan"), "no values") == Undefined("no values")
    assert number_or(None, "no values") == Undefined("no values")
    assert number_or(1.5, "") == 1.5
