"""The committed outputs are what the committed scripts give: each one is run again where R is
installed. Our functions are compared with the committed outputs in `make test`; these tests show
that the outputs were not edited.
"""

from __future__ import annotations

import json
import math
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow
HERE = Path(__file__).parent
# A resampling witness has chance of its own; R seeds it, but its draws may change between versions.
SCRIPTS = {
    "agreement": 1e-6,
    "traces": 1e-6,
    "indices": 1e-6,
    "tests": 1e-6,
    "means": 1e-6,
    "resample": 2e-2,
    "pairs": 1e-6,
    "leads": 1e-5,
    "pieces": 1e-6,
    "detection": 1e-6,
    "smoothness": 1e-6,
    "power": 1e-6,
    "sequential": 1e-6,
    "models": 1e-4,
    "ordinal": 1e-4,
    "own_design": 1e-4,
}


# This one takes R more than a minute.
LONG = {"ordinal"}


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.slow] if name in LONG else []) for name in SCRIPTS],
)
def test_the_script_gives_the_committed_output(name: str, tmp_path: Path) -> None:
    rscript = shutil.which("Rscript")
    if rscript is None:
        pytest.skip("Rscript is not installed")
    folder = HERE / name
    source = "." if name in ("models", "ordinal") else "input.json"
    run = subprocess.run(
        [rscript, "oracle.R", source, str(tmp_path / "output.json")],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode != 0 and "there is no package called" in run.stderr:
        pytest.skip(f"a package of R is missing: {run.stderr.strip().splitlines()[-1]}")
    assert run.returncode == 0, run.stderr
    committed = json.loads((folder / "output.json").read_text())
    _compare(committed, json.loads((tmp_path / "output.json").read_text()), SCRIPTS[name], name)


def _compare(expected: Any, found: Any, tolerance: float, place: str) -> None:
    if isinstance(expected, dict):
        assert expected.keys() == found.keys(), place
        for key in expected:
            if key not in ("tool", "packages"):
                _compare(expected[key], found[key], tolerance, f"{place}.{key}")
    elif isinstance(expected, list):
        assert len(expected) == len(found), place
        for index, pair in enumerate(zip(expected, found, strict=True)):
            _compare(*pair, tolerance, f"{place}[{index}]")
    elif isinstance(expected, int | float) and not isinstance(expected, bool):
        assert math.isclose(expected, found, rel_tol=tolerance, abs_tol=tolerance), (
            f"{place}: {expected} {found}"
        )
    else:
        assert expected == found, place
