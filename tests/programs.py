"""The program in a process of its own, and packages as pip installs them."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
_SERVER = Path(__file__).with_name("program_server.py")


def search_path(site: Path | None = None) -> str:
    """PYTHONPATH with this source, and a folder of installed packages."""
    return os.pathsep.join(str(path) for path in (ROOT / "src", site) if path is not None)


@functools.cache
def _server() -> subprocess.Popen[bytes]:
    """It ends with this process, because its input does."""
    return subprocess.Popen(
        [sys.executable, str(_SERVER)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": search_path()},
    )


def run(
    *command: str | Path, site: Path | None = None, folder: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run `-c CODE`, or a command of the program, in `folder`, with the packages in `site`."""
    if _server().poll() is not None:  # it was ended, say by a test that ends its group
        _server.cache_clear()
    server = _server()
    assert server.stdin is not None
    assert server.stdout is not None
    with tempfile.TemporaryDirectory() as room:
        printed = [Path(room, "stdout"), Path(room, "stderr")]
        for file in printed:
            file.touch()
        request = {
            "command": [str(word) for word in command],
            "folder": str(folder or Path.cwd()),
            "environment": os.environ | {"PYTHONPATH": search_path(site)},
            "path": [] if site is None else [str(site)],
            "stdout": str(printed[0]),
            "stderr": str(printed[1]),
        }
        server.stdin.write(json.dumps(request).encode() + b"\n")
        server.stdin.flush()
        status = int(server.stdout.readline())
        stdout, stderr = (file.read_text(encoding="utf-8") for file in printed)
    return subprocess.CompletedProcess(request["command"], status, stdout, stderr)


def believable(
    *words: str | Path,
    site: Path | None = None,
    folder: Path | None = None,
    status: int = 0,
    printed: bool = False,
) -> str:
    """The output of the command, or its errors (with `printed` both)."""
    done = run(*words, site=site, folder=folder)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr if printed else done.stdout if status == 0 else done.stderr


def install(site: Path, pyproject: dict[str, Any]) -> None:
    """Write what pip writes about a package, from its pyproject.toml."""
    project = pyproject["project"]
    info = site / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    info.mkdir(parents=True)
    top = pyproject["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    (info / "top_level.txt").write_text("\n".join(top))
    (info / "entry_points.txt").write_text(
        "\n".join(
            "\n".join([f"[{group}]", *(f"{name} = {value}" for name, value in entries.items())])
            for group, entries in project["entry-points"].items()
        )
    )
