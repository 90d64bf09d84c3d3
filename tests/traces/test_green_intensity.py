"""The public green-intensity annotations: every published value, from the files that are public.

The 1 Hz annotations are given. The 10 Hz, shifted and warped ones are not; they follow from the raw
recordings, the average of the ten and the known signal, as found out here and told in
docs/validity.md.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from believable.stats.agreement import cronbach_alpha, icc, krippendorff_alpha
from believable.traces import gold_standard, lag_ms, sda

FOLDER = Path(__file__).resolve().parents[1] / "data" / "green_intensity"
FORMS = ("ICC1", "ICC2", "ICC3", "ICC1k", "ICC2k", "ICC3k")
ANNOTATORS = range(1, 11)
PAIRS = list(combinations(range(len(ANNOTATORS)), 2))
ANOTHER_RECORDING = (
    2  # the raw file of this annotator is not the recording behind the resampled ones
)
# Whole seconds, found by trying all 4¹⁰: the only ones that give Cronbach's α of the shifted block.
SHIFTS_S = (2, 1, 1, 2, 2, 2, 2, 1, 2, 2)
# Around each second the authors average the 10 Hz samples nearer than half a second. The two at the
# edge are in or out as their times were rounded.
WINDOWS = ((-5, 4), (-4, 5), (-4, 4), (-5, 5))
WARP_S = 3
# At 10 Hz 215 steps are exactly as large as the tolerance (a mean of two neighbouring marks), so
# the last bit of the authors' files decided whether they count: 12 of 120,105 comparisons fall the
# other way, one of them in the worst pair.
DECIDED_BY_ROUNDING = {
    ("annotations_10hz", "mean_pairwise_SDA_tol005"): 2 * 12.5 / (45 * 2669),
    ("annotations_10hz", "min_SDA"): 2 * 1.5 / 2669,
}


def columns(*parts: str) -> np.ndarray:
    file = FOLDER.joinpath(*parts)
    return np.loadtxt(file if file.is_file() else f"{file}.xz", delimiter=",", skiprows=1).T


def published(block: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / "expected.json").read_text())["TaskA"][
        f"TaskA/{block}"
    ]
    return found


@functools.cache
def one_hertz() -> np.ndarray:
    files = [columns("annotations_1hz", f"TaskA_ann{k}.csv")[1] for k in ANNOTATORS]
    return np.stack([file[:267] for file in files], axis=1)


def held(t_s: np.ndarray, value: np.ndarray, at_s: np.ndarray) -> np.ndarray:
    """The last value before each time, several at one time averaged; before the first event its
    value.
    """
    times, place = np.unique(t_s, return_inverse=True)
    means = np.bincount(place, value) / np.bincount(place)
    return means[np.maximum(np.searchsorted(times, at_s) - 1, 0)]


@functools.cache
def ten_hertz() -> np.ndarray:
    """Nine annotators from their recordings, the tenth as what the published average of all ten
    leaves.
    """
    average = columns(
        "ground_truth_baselines", "simple_average", "simple_average_ground_truth_10hz.csv"
    )[1]
    at_s = np.arange(len(average)) / 10 + 0.05
    table = np.stack(
        [held(*columns("annotations_raw", f"TaskA_ann{k}.csv"), at_s) for k in ANNOTATORS], 1
    )
    others = np.delete(table, ANOTHER_RECORDING - 1, axis=1).sum(axis=1)
    table[:, ANOTHER_RECORDING - 1] = np.round(10 * average - others, 12)
    return table


def smoothed(samples: np.ndarray, second: int, window: tuple[int, int]) -> float:
    """The authors' 1 Hz value: a mean whose weights fall linearly with the distance."""
    offsets = np.arange(window[0], window[1] + 1)
    inside = (10 * second + offsets >= 0) & (10 * second + offsets < len(samples))
    weights = 5 * (len(offsets) - 5) - np.abs(offsets[inside])
    return float(weights @ samples[10 * second + offsets[inside]] / weights.sum())


@functools.cache
def windows() -> list[tuple[int, int]]:
    """The window of each second: the one with which the 10 Hz annotations give the 1 Hz ones."""

    def error(second: int, window: tuple[int, int]) -> float:
        found = [smoothed(column, second, window) for column in ten_hertz().T]
        return float(np.abs(found - one_hertz()[second]).max())

    return [
        min(WINDOWS, key=functools.partial(error, second)) for second in range(len(one_hertz()))
    ]


def shifted() -> np.ndarray:
    length = published("annotations_1hz_shift_aligned")["shape"][0]
    return np.stack(
        [column[s : s + length] for column, s in zip(one_hertz().T, SHIFTS_S, strict=True)], axis=1
    )


def warped() -> np.ndarray:
    """Each annotation along its cheapest path to the known signal: steps of 0, 1 or 2 s, at most 3
    s away.
    """
    signal = columns("objective_truth", "TaskA_normalized_10hz.csv")[1]
    truth = np.array([smoothed(signal, second, window) for second, window in enumerate(windows())])
    return np.stack([column[cheapest_path(truth, column)] for column in one_hertz().T], axis=1)


def cheapest_path(truth: np.ndarray, trace: np.ndarray) -> list[int]:
    total = np.full((len(truth), len(trace)), np.inf)
    total[0, 0] = abs(truth[0] - trace[0])
    steps = np.zeros(total.shape, dtype=int)
    for i in range(1, len(truth)):
        for j in range(max(0, i - WARP_S), min(len(trace), i + WARP_S + 1)):
            cheapest = np.inf
            for step in range(
                min(2, j), -1, -1
            ):  # of paths equally cheap up to rounding, the longer step
                if total[i - 1, j - step] < cheapest - 1e-12:
                    cheapest, steps[i, j] = total[i - 1, j - step], step
            total[i, j] = abs(truth[i] - trace[j]) + cheapest
    path = [len(trace) - 1]
    for i in range(len(truth) - 1, 0, -1):
        path.append(path[-1] - int(steps[i, path[-1]]))
    return path[::-1]


BLOCKS: dict[str, Callable[[], np.ndarray]] = {
    "annotations_1hz": one_hertz,
    "annotations_10hz": ten_hertz,
    "annotations_1hz_shift_aligned": shifted,
    "annotations_1hz_dtw_aligned": warped,
}


def concordance(x: np.ndarray, y: np.ndarray) -> float:
    return float(
        2
        * np.mean((x - x.mean()) * (y - y.mean()))
        / (x.var() + y.var() + (x.mean() - y.mean()) ** 2)
    )


def with_first_step(table: np.ndarray) -> np.ndarray:
    """The published values count one step more: a first difference of 0, on which all agree."""
    return np.concatenate([table[:1], table])


def found_values(table: np.ndarray) -> dict[str, Any]:
    padded = with_first_step(table)
    directions = [sda(padded[:, i], padded[:, j], tolerance=0.005) for i, j in PAIRS]
    steps = np.diff(padded, axis=0)
    return {
        "shape": list(table.shape),
        "mean_pairwise_pearson": np.mean(
            [np.corrcoef(table[:, i], table[:, j])[0, 1] for i, j in PAIRS]
        ),
        "mean_pairwise_ccc": np.mean([concordance(table[:, i], table[:, j]) for i, j in PAIRS]),
        "mean_pairwise_SDA_tol005": np.mean(directions),
        "min_SDA": min(directions),
        "max_SDA": max(directions),
        "cronbach_alpha": cronbach_alpha(table).value,
        "krippendorff_interval": krippendorff_alpha(table, "interval").value,
        "krippendorff_nominal_on_sign_of_diff": krippendorff_alpha(
            np.where(np.abs(steps) <= 0.005, 0, np.sign(steps))
        ).value,
        **{form: icc(table, form).value for form in FORMS},  # type: ignore[arg-type]
    }


@pytest.mark.parametrize("block", BLOCKS)
def test_every_published_value(block: str) -> None:
    expected, found = published(block), found_values(BLOCKS[block]())
    assert found.pop("shape") == expected.pop("shape")
    for name, value in expected.items():
        assert found[name] == pytest.approx(
            value, abs=DECIDED_BY_ROUNDING.get((block, name), 1e-12)
        ), name


def test_only_at_ten_hertz_are_steps_as_large_as_the_tolerance() -> None:
    ties = {
        block: int((np.abs(np.abs(np.diff(table(), axis=0)) - 0.005) < 1e-9).sum())
        for block, table in BLOCKS.items()
    }
    assert ties == dict.fromkeys(BLOCKS, 0) | {"annotations_10hz": 215}


def test_no_published_block_is_left_out() -> None:
    blocks = json.loads((FOLDER / "expected.json").read_text())["TaskA"]
    assert {name.removeprefix("TaskA/") for name in blocks} == set(BLOCKS)


def test_ten_hertz_gives_one_hertz() -> None:
    found = np.array(
        [
            [smoothed(column, second, window) for column in ten_hertz().T]
            for second, window in enumerate(windows())
        ]
    )
    assert np.abs(found - one_hertz()).max() < 1e-11


def test_one_raw_file_is_another_recording() -> None:
    at_s = np.arange(len(ten_hertz())) / 10 + 0.05
    for k in ANNOTATORS:
        recorded = held(*columns("annotations_raw", f"TaskA_ann{k}.csv"), at_s)
        related = np.corrcoef(recorded, ten_hertz()[:, k - 1])[0, 1]
        assert (related < 0.7) == (k == ANOTHER_RECORDING)


@functools.cache
def truth_one_hertz() -> np.ndarray:
    return columns("objective_truth", "TaskA_normalized_1hz.csv")[1][: len(one_hertz())]


def test_people_trail_what_they_see_by_seconds() -> None:
    lags = [
        lag_ms(trace, truth_one_hertz(), max_ms=10_000, step_ms=1000).value
        for trace in one_hertz().T
    ]
    assert all(lag is not None and 0 <= lag <= 5000 for lag in lags)
    assert np.median(np.array(lags, dtype=float)) >= 1000


def test_the_gold_standard_is_nearer_to_the_truth_than_annotators_are() -> None:
    traces, signal = one_hertz().T, truth_one_hertz()
    alone = np.mean([np.corrcoef(trace, signal)[0, 1] for trace in traces])
    for method in ("median", "mean", "lag_aligned"):
        assert np.corrcoef(gold_standard(traces, method=method), signal)[0, 1] > alone  # type: ignore[arg-type]
