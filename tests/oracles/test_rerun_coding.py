"""The committed κ of codes are what scikit-learn gives now."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent / "coding"


def test_the_script_gives_the_committed_output(tmp_path: Path) -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed; see coding/oracle.py")
    target = tmp_path / "output.json"
    subprocess.run([sys.executable, "oracle.py", "input.json", str(target)], cwd=FOLDER, check=True)
    found, committed = (
        json.loads(path.read_text())["kappa"] for path in (target, FOLDER / "output.json")
    )
    assert found == {
        name: value if value is None else pytest.approx(value) for name, value in committed.items()
    }
