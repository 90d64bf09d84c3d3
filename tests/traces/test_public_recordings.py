"""Real annotations: from the raw PAGAN export to the authors' traces, and from the traces to the
published values.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from believable.stats.agreement import cronbach_alpha, krippendorff_alpha
from believable.traces import direction_kappa, dtw_matrix, normalise, point_sample, resample, sda

VIDEO_MS = 32_521
# In these three recordings the last partial bin holds an annotation; the authors averaged the end
# marker into it.
END_MARKER_AVERAGED = {("Session-1", "F868E6"), ("Session-1", "C7A66C"), ("Session-1", "ECADA4")}


@pytest.fixture(scope="module")
def pagan(public_data: Callable[[str], Path]) -> Path:
    return public_data("pagan_auditory_qa")


@pytest.fixture(scope="module")
def published(pagan: Path) -> dict[tuple[str, str, str], np.ndarray]:
    traces: dict[tuple[str, str, str], list[float]] = {}
    with open(pagan / "traces_250ms.csv", newline="") as file:
        for row in csv.DictReader(file):
            key = (row["session"], row["group"], row["participant"])
            traces.setdefault(key, []).append(float(row["value"]))
    return {key: np.array(values) for key, values in traces.items()}


@pytest.fixture(scope="module")
def recorded(pagan: Path) -> dict[tuple[str, str, str], list[tuple[float, float]]]:
    """The last recording of each annotator: events as (video time, value), without the end
    marker.
    """
    runs: dict[tuple[str, str, str], dict[str, list[tuple[float, float]]]] = {}
    with open(pagan / "raw_pagan_export.csv", newline="") as file:
        for row in csv.DictReader(file):
            key = (row["PaganSession"], row["Group"], row["Participant"])
            run = runs.setdefault(key, {}).setdefault(row["SessionID"], [])
            run.append((float(row["VideoTime"]), float(row["Value"])))
    return {key: list(by_run.values())[-1][:-1] for key, by_run in runs.items()}


def truth(pagan: Path) -> np.ndarray:
    pitch = np.loadtxt(pagan / "Pitch_values.csv", delimiter=",", skiprows=1, usecols=0)
    return normalise(point_sample(pitch, every=15))


def ours(events: list[tuple[float, float]]) -> np.ndarray:
    times, values = zip(*events, strict=True)
    return resample(times, values, duration_ms=VIDEO_MS)


def test_the_raw_export_gives_the_authors_traces(published: Any, recorded: Any) -> None:
    assert len(published) == 20
    for (session, group, participant), theirs in published.items():
        binned = ours(recorded[session, group, participant])
        assert len(binned) == 131
        if (session, participant[:6]) in END_MARKER_AVERAGED:
            assert len(theirs) == 131
            binned[130] = np.mean(
                [value for t, value in recorded[session, group, participant] if t >= 32_500] + [0]
            )
        else:
            assert len(theirs) in (129, 130)
        assert normalise(binned[: len(theirs)]) == pytest.approx(theirs, abs=1e-12)


def test_without_the_end_marker_only_the_last_bin_of_three_traces_differs(
    published: Any, recorded: Any
) -> None:
    for (session, group, participant), theirs in published.items():
        found = normalise(ours(recorded[session, group, participant])[:130])
        length = min(len(theirs), 130)
        difference = np.abs(found[:length] - normalise(theirs[:length]))
        assert difference.max() < 1e-12, (session, participant)


def test_their_traces_give_the_published_values(published: Any, pagan: Path) -> None:
    expected = json.loads((pagan / "expected.json").read_text())
    signal = truth(pagan)
    for group in ("Mturk", "Expert"):
        traces = [trace for (_, name, _), trace in published.items() if name == group]
        assert len(traces) == expected[group]["n"]
        scores = np.array([sda(trace, signal) for trace in traces])
        kappas = np.array([direction_kappa(trace, signal).value for trace in traces], dtype=float)
        for values, name in ((scores, "sda"), (kappas, "kappa")):
            half = stats.t.ppf(0.975, len(values) - 1) * stats.sem(values)
            assert round(values.mean(), 4) == expected[group][f"{name}_mean"]
            assert round(half, 4) == expected[group][f"{name}_ci95_half"]
        shortest = min(len(trace) for trace in traces)
        table = np.stack([trace[:shortest] for trace in traces])
        assert (
            round(cronbach_alpha(table).value or 0, 5) == expected[group]["cronbach_time_as_items"]
        )
        alpha = krippendorff_alpha(table.T, "interval").value
        assert round(alpha or 0, 5) == expected[group]["krippendorff_interval_cut_to_shortest"]


def gunpoint(folder: Path, part: str) -> tuple[np.ndarray, np.ndarray]:
    rows, labels = [], []
    for line in (folder / f"GunPoint_{part}.ts").read_text().splitlines():
        if line and line[0] not in "#@":
            values, label = line.rsplit(":", 1)
            rows.append([float(value) for value in values.split(",")])
            labels.append(label)
    return np.array(rows), np.array(labels)


def test_gunpoint_nearest_neighbour_accuracy(public_data: Callable[[str], Path]) -> None:
    train, train_labels = gunpoint(public_data("dtw"), "TRAIN")
    test, test_labels = gunpoint(public_data("dtw"), "TEST")
    distances = dtw_matrix(np.vstack([train, test]), cost="square")[len(train) :, : len(train)]
    warped = (train_labels[distances.argmin(axis=1)] == test_labels).mean()
    assert round(float(warped), 4) == 0.9067
    squares = ((test[:, None, :] - train[None, :, :]) ** 2).sum(axis=2)
    assert round(float((train_labels[squares.argmin(axis=1)] == test_labels).mean()), 4) == 0.9133
