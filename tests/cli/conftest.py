"""The demo study, made once."""

from __future__ import annotations

import fcntl
import os
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from believable.cli import group


@pytest.fixture(scope="session")
def made_demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo study as `believable new` writes it. Do not change it: copy it. Processes that test
    side by side share it.
    """
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "new" / "demo"
    folder.parent.mkdir(exist_ok=True)
    with (folder.parent / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder.parent / "done").exists():
            result = CliRunner().invoke(group, ["new", str(folder), "--protocol", "demo"])
            assert result.exit_code == 0, result.output
            assert f"believable check {folder}" in result.output
            (folder.parent / "done").touch()
    return folder


@pytest.fixture
def demo(made_demo: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made_demo, tmp_path / "demo"))
