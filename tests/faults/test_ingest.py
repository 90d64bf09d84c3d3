"""The ingest benchmark in short: whatever the machine's speed, nothing is lost and nothing
doubled.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.faults

SCRIPT = Path(__file__).resolve().parents[2] / "bench" / "ingest.py"


@pytest.mark.timeout(900)  # on a machine with ten times as much to do as it has cores
def test_a_short_ingest_loses_nothing(tmp_path: Path) -> None:
    command = [
        sys.executable,
        str(SCRIPT),
        "--quick",
        "--dir",
        str(tmp_path),
        "--json",
        str(tmp_path / "figures.json"),
    ]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    grouped = json.loads((tmp_path / "figures.json").read_text())["grouped"]
    counted = {
        name: grouped[name] for name in ("lost", "duplicated", "changed", "refused", "unanswered")
    }
    assert set(counted.values()) == {0}, counted
