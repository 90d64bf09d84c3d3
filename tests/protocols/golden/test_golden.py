"""The tables of the papers, computed from fixed simulated data sets, against golden files that were
checked by eye.

`data/<protocol>.json.gz` is a simulated study as it was drawn once: it does not follow when
simulated people change. Rewrite the golden files with `UPDATE_GOLDEN=1`, and read the difference
before you commit it.
"""

from __future__ import annotations

import csv
import gzip
import json
import os
from functools import cache
from pathlib import Path

import pytest

from believable.analysis.findings import Analysis, Table
from believable.analysis.result_files import table_csv
from believable.analysis.run import run
from believable.bundle.memory import bundle
from believable.study.definition import Definition

HERE = Path(__file__).parent
#: The tables of the papers, and those that a report leads with.
TABLES = {
    "trace": (
        "counts_mean",
        "counts_neutral",
        "means",
        "slopes",
        "counts_mean_btrace_mean",
        "trace_agreement",
    ),
    "replay": (
        "paired",
        "rates",
        "preference",
        "flag_model",
        "ratings",
        "secondary",
        "moments",
        "instruments",
    ),
    "qa": ("reliability", "groups", "tests_together", "gate_against_task", "annotators"),
}
CASES = [(protocol, name) for protocol, names in TABLES.items() for name in names]


@cache
def analysed(protocol: str) -> Analysis:
    stored = json.loads(gzip.decompress((HERE / "data" / f"{protocol}.json.gz").read_bytes()))
    definition = Definition.from_json(stored["definition"])
    declared = definition.study.analysis
    assert declared is not None
    # Tests are held back before the stopping rule is met; here all numbers are compared.
    return run(
        bundle(stored["tables"], definition), plan=declared.model_copy(update={"stopping": None})
    )


def found(protocol: str, name: str) -> Table:
    return next(table for table in analysed(protocol).tables if table.name == name)


@pytest.mark.parametrize(("protocol", "name"), CASES)
def test_the_table_is_as_it_was(protocol: str, name: str) -> None:
    path = HERE / protocol / f"{name}.csv"
    text = table_csv(found(protocol, name))
    if os.environ.get("UPDATE_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    expected, ours = (list(csv.reader(one.splitlines())) for one in (path.read_text("utf-8"), text))
    assert [len(row) for row in ours] == [len(row) for row in expected]
    for number, (row, golden) in enumerate(zip(ours, expected, strict=True)):
        for column, cell, wanted in zip(expected[0], row, golden, strict=True):
            assert same(cell, wanted), (
                f"{name}.csv:{number + 1} {column}: {cell} instead of {wanted}"
            )


def test_the_funnel_of_traces_is_as_it_was() -> None:
    steps = [
        (f"{step.branch}: {step.title}".removeprefix(": "), step.before, step.after)
        for step in analysed("trace").funnel
    ]
    assert steps[-6:] == [
        ("RankTrace: Traces that were used", 44, 43),
        ("RankTrace: Traces like the others", 43, 43),
        ("BTrace: Traces that were used", 50, 48),
        ("BTrace: Traces like the others", 48, 45),
        ("Participants with two valid traces", 47, 42),
        ("Participants with a final choice", 42, 42),
    ]


def same(cell: str, wanted: str) -> bool:
    """Numbers to nine digits: the last ones differ between machines."""
    try:
        return float(cell) == pytest.approx(float(wanted), rel=1e-8, abs=1e-10)
    except ValueError:
        return cell == wanted
