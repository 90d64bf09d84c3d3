"""Small functions that carry others, against R: bins, medians of the others, shares, precision,
subsets, comparisons.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from believable.core.errors import InvalidInput
from believable.stats.estimate import mean_share, ratio_share
from believable.stats.indices import FEWEST_JUDGES, clip_precision, hntt_subsampling
from believable.traces.resample import btrace_values, point_sample, resample_all
from believable.traces.trace_agreement import others_medians

FOLDER = Path(__file__).parent / "pieces"
INPUT: dict[str, list[Any]] = json.loads((FOLDER / "input.json").read_text())
OUTPUT: dict[str, list[Any]] = json.loads((FOLDER / "output.json").read_text())
PYTHON: dict[str, list[Any]] = json.loads((FOLDER / "output_python.json").read_text())


def cases(name: str) -> Any:
    return pytest.mark.parametrize(("data", "r"), list(zip(INPUT[name], OUTPUT[name], strict=True)))


@cases("btrace")
def test_btrace_values(data: list[float], r: dict[str, list[float]]) -> None:
    for rule in ("sign", "mean", "minmax"):
        assert btrace_values(data, rule=rule).tolist() == pytest.approx(r[rule], abs=1e-12)  # type: ignore[arg-type]


@cases("point")
def test_point_sample(data: dict[str, Any], r: list[float]) -> None:
    assert point_sample(data["values"], every=data["every"]).tolist() == r


@cases("bins")
def test_resample_all(data: dict[str, Any], r: list[list[float]]) -> None:
    ours = resample_all(
        data["trace"],
        data["t"],
        data["value"],
        traces=data["traces"],
        step_ms=data["step"],
        duration_ms=data["duration"],
    )
    assert ours == pytest.approx(np.array(r), abs=1e-12)


@cases("others")
def test_others_medians(data: list[list[float]], r: list[list[float]]) -> None:
    assert others_medians(data) == pytest.approx(np.array(r), abs=1e-12)


@cases("shares")
def test_mean_share(data: list[float], r: list[float]) -> None:
    assert mean_share(np.array(data), level=0.95) == pytest.approx(tuple(r), abs=1e-9)


@cases("ratios")
def test_ratio_share(data: dict[str, list[int]], r: list[float]) -> None:
    parts, wholes = (np.array(data[name], dtype=float) for name in ("parts", "wholes"))
    assert ratio_share(parts, wholes, level=0.95) == pytest.approx(tuple(r[1:]), abs=1e-9)


@cases("precision")
def test_clip_precision(data: dict[str, Any], r: list[float]) -> None:
    answer = "human" if data["answers"] == [1, 2] else "artificial"
    ours = clip_precision(data["ratings"], correct=set(data["correct"]), answer=answer)  # type: ignore[arg-type]
    assert (ours.value, ours.low, ours.high) == pytest.approx(tuple(r), abs=1e-9)


@pytest.mark.parametrize(
    ("data", "r", "python"),
    list(zip(INPUT["subsets"], OUTPUT["subsets"], PYTHON["subsets"], strict=True)),
)
def test_hntt_subsampling(data: dict[str, Any], r: list[float], python: dict[str, float]) -> None:
    """Both witnesses go through all subsets with exact bootstrap quantiles; ours are drawn, so they
    agree within chance.
    """
    repeats = 400
    assert (python["passed"], python["mean_low"], python["mean_high"]) == pytest.approx(
        tuple(r), abs=1e-12
    )
    if data["n"] < FEWEST_JUDGES:  # the witnesses know no least number of judges
        with pytest.raises(InvalidInput, match="n: expected 6"):
            hntt_subsampling(data["accuracy"], rng=np.random.default_rng(1), n=data["n"])
        return
    ours = hntt_subsampling(
        data["accuracy"], rng=np.random.default_rng(1), n=data["n"], repeats=repeats, resamples=2000
    )
    share = python["passed"]
    assert ours.passed / repeats == pytest.approx(
        share, abs=4 * np.sqrt(max(share * (1 - share), 0.01) / repeats)
    )
    for part in ("median", "low", "high"):
        mean, variance = python[f"mean_{part}"], python[f"variance_{part}"]
        assert getattr(ours, f"mean_{part}") == pytest.approx(
            mean, abs=4 * np.sqrt(variance / repeats) + 0.005
        )
        assert getattr(ours, f"variance_{part}") == pytest.approx(variance, rel=0.25)


def test_the_python_witness_gives_its_committed_output(tmp_path: Path) -> None:
    target = tmp_path / "output_python.json"
    subprocess.run([sys.executable, "oracle.py", "input.json", str(target)], cwd=FOLDER, check=True)
    again = json.loads(target.read_text())["subsets"]
    for subsets, committed in zip(again, PYTHON["subsets"], strict=True):
        assert subsets == pytest.approx(committed, abs=1e-12)
