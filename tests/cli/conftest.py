from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from believable.cli import group


@pytest.fixture(scope="session")
def made_demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo study as `believable new` writes it. Do not change it: copy it."""
    folder = tmp_path_factory.mktemp("new") / "demo"
    result = CliRunner().invoke(group, ["new", str(folder), "--protocol", "demo"])
    assert result.exit_code == 0, result.output
    assert f"believable check {folder}" in result.output
    return folder


@pytest.fixture
def demo(made_demo: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made_demo, tmp_path / "demo"))
