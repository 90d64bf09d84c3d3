"""Recordings of real annotators, by the command line: the published values from raw export and
prepared traces alike.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from believable.bundle.read import read
from believable.cli.analyse import command as analyse
from believable.cli.importing import command as importing

#: Columns of our table against names of the published values.
METRICS = {
    "sda": "sda_mean",
    "sda_half": "sda_ci95_half",
    "kappa": "kappa_mean",
    "kappa_half": "kappa_ci95_half",
    "cronbach_time_items": "cronbach_time_as_items",
    "krippendorff": "krippendorff_interval_cut_to_shortest",
}


@pytest.fixture(scope="module")
def shared(public_data: Callable[[str], Path]) -> Path:
    return public_data("pagan_auditory_qa")


def run(command: Any, *arguments: Any) -> str:
    found = CliRunner().invoke(
        command, [str(argument) for argument in arguments], catch_exceptions=False
    )
    assert found.exit_code == 0, found.output
    return found.output


@pytest.fixture(scope="module")
def annotators(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Who is in the published groups, and how far each prepared trace goes."""
    bins: dict[tuple[str, str, str], int] = {}
    with open(shared / "traces_250ms.csv", newline="") as file:
        for row in csv.DictReader(file):
            key = row["participant"], row["session"], row["group"]
            bins[key] = bins.get(key, 0) + 1
    path = tmp_path_factory.mktemp("list") / "annotators.csv"
    with open(path, "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["Participant", "PaganSession", "Group", "until_ms"])
        rows.writerows([*key, 250 * count] for key, count in bins.items())
    return path


@pytest.fixture(scope="module", params=["prepared", "raw"])
def results(
    request: pytest.FixtureRequest,
    shared: Path,
    annotators: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    folder = tmp_path_factory.mktemp(request.param)
    which = "traces_250ms" if request.param == "prepared" else "raw_pagan_export"
    signal = ("--auditory", which, shared / "Pitch_values.csv", "--out", folder / "bundle")
    if request.param == "prepared":
        run(importing, "traces", shared / "traces_250ms.csv", *signal)
    else:
        run(
            importing, "pagan", shared / "raw_pagan_export.csv", "--annotators", annotators, *signal
        )
    run(analyse, folder / "bundle", "--protocol", "qa", "--out", folder / "results")
    return folder / "results"


def table(results: Path, name: str) -> list[dict[str, str]]:
    with open(results / "tables" / f"{name}.csv", newline="") as file:
        return list(csv.DictReader(file))


def test_the_published_values_to_four_decimals(results: Path, shared: Path) -> None:
    expected = json.loads((shared / "expected.json").read_text())
    rows = {row["group"]: row for row in table(results, "reliability")}
    assert set(rows) == {"Mturk", "Expert"}
    for group, row in rows.items():
        assert int(row["n"]) == expected[group]["n"]
        for ours, theirs in METRICS.items():
            assert round(float(row[ours]), 4) == pytest.approx(
                round(expected[group][theirs], 4), abs=1e-9
            ), ours


def test_the_figure_of_traces_against_the_true_pitch(results: Path, shared: Path) -> None:
    whole = json.loads((results / "results.json").read_text())
    charts = [chart for section in whole["sections"] for chart in section["charts"]]
    chart = next(chart for chart in charts if chart["name"] == "auditory_traces")
    assert chart["kind"] == "lines"
    assert chart["use"] == {
        "x": "time_s",
        "y": "value",
        "colour": "kind",
        "label": "line",
        "facet": "panel",
    }
    rows = table(results, "auditory_traces")
    for panel in ("auditory: Expert", "auditory: Mturk"):
        lines = {row["line"] for row in rows if row["panel"] == panel}
        assert len(lines) == 12
        assert {"true signal", "median"} <= lines
        truth = [
            float(row["value"])
            for row in rows
            if row["panel"] == panel and row["line"] == "true signal"
        ]
        assert len(truth) == 130
        assert (min(truth), max(truth)) == (0, 1)


def test_both_orientations_of_cronbachs_alpha_are_told_apart(results: Path) -> None:
    crowd = next(row for row in table(results, "reliability") if row["group"] == "Mturk")
    assert float(crowd["cronbach_time_items"]) > 0.97
    assert float(crowd["cronbach_annotator_items"]) < 0


def test_groups_are_compared_over_annotators(results: Path) -> None:
    (row,) = table(results, "groups")
    assert row["what"] == "auditory"
    assert int(row["n"]) == 20
    assert float(row["p_value"]) < 0.001


def test_left_out_recordings_are_counted(shared: Path, annotators: Path, tmp_path: Path) -> None:
    which = ("--auditory", "raw_pagan_export.csv", shared / "Pitch_values.csv")
    run(
        importing,
        "pagan",
        shared / "raw_pagan_export.csv",
        "--annotators",
        annotators,
        *which,
        "--out",
        tmp_path / "b",
    )
    details = {row["detail"]: row["count"] for row in read(tmp_path / "b")["exclusions"].rows()}
    left_out = details["not among the listed annotators"]
    assert isinstance(left_out, int)
    assert left_out > 40
    assert details["an earlier recording of a listed annotator"] == 3
