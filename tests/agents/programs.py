"""The program in a process of its own, and packages as pip installs them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


def install(site: Path, pyproject: dict[str, Any]) -> None:
    """What pip writes about a package, from its pyproject.toml."""
    project = pyproject["project"]
    info = site / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    info.mkdir(parents=True)
    top = pyproject["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    (info / "top_level.txt").write_text("\n".join(top))
    groups = project["entry-points"].items()
    (info / "entry_points.txt").write_text(
        "\n".join(
            "\n".join([f"[{group}]", *(f"{name} = {value}" for name, value in entries.items())])
            for group, entries in groups
        )
    )


def believable(
    folder: Path, *words: str, site: Path | None = None, status: int = 0, printed: bool = False
) -> str:
    """What the command prints, or its errors; it runs in `folder`."""
    paths = [str(path) for path in (ROOT / "src", site) if path is not None]
    done = subprocess.run(
        [sys.executable, "-m", "believable", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        check=False,
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr if printed else done.stdout if status == 0 else done.stderr
