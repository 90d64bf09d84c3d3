"""The committed output of the Python witnesses is what their script gives, where those packages are
installed.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent / "agreement"


def test_the_script_gives_the_committed_output(tmp_path: Path) -> None:
    for package in ("irrCAC", "krippendorff", "pandas"):
        pytest.importorskip(package, reason=f"{package} is not installed; see agreement/oracle.py")
    target = tmp_path / "output.json"
    subprocess.run([sys.executable, "oracle.py", "input.json", str(target)], cwd=FOLDER, check=True)
    found, committed = (
        json.loads(path.read_text()) for path in (target, FOLDER / "output_python.json")
    )
    for key in ("complete", "gaps", "alpha"):
        for ours, theirs in zip(found[key], committed[key], strict=True):
            for name, value in theirs.items():
                assert ours[name] == pytest.approx(value, abs=1e-9)
