"""The compose file as the page says it, with a container engine and its images: image, database,
proxy, backups and a restore.

Builds an image and needs an engine, so only with `--soak`:

    python -m pytest --soak tests/deploy/test_compose.py
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from believable.core.clock import WallClock
from believable.core.seeds import generator
from believable.simulate.client import Participant
from believable.simulate.pace import HastyPace
from believable.simulate.person import Person, Traits
from believable.simulate.server import free_port
from believable.study.load import load

ROOT = Path(__file__).resolve().parents[2]
STUDY = """\
believable: 1
title: In containers
seed: 2
timeline:
  - form: {id: about, questions: [{id: age, prompt: Age, number: {min: 18, max: 99}}]}
  - finish: {}
"""
#: Caddy makes a certificate of its own for this name. A password must survive whatever is in it.
SETTINGS = "DOMAIN=localhost\nPOSTGRES_PASSWORD=sl/sh@t:and#more\n"
PATIENCE_S = 300.0


def _engine() -> bool:
    if shutil.which("docker") is None:
        return False
    return subprocess.run(["docker", "info"], capture_output=True, check=False).returncode == 0


pytestmark = [
    pytest.mark.soak,
    pytest.mark.timeout(1800),
    pytest.mark.skipif(not _engine(), reason="no container engine answers: `docker info`"),
]


class Composed:
    """The services, in a copy of what a clone has, at a free port."""

    def __init__(self, clone: Path) -> None:
        self.folder = clone / "deploy"
        self.study = self.folder / "studies" / "my-study"
        shutil.copytree(ROOT / "deploy", self.folder)
        for name in ("pyproject.toml", "README.md", "LICENSE", ".dockerignore"):
            shutil.copy(ROOT / name, clone)
        for name in ("src", "build_hooks"):
            shutil.copytree(ROOT / name, clone / name, ignore=shutil.ignore_patterns("__pycache__"))
        self.study.mkdir(parents=True)
        (self.study / "study.yaml").write_text(STUDY, encoding="utf-8")
        (self.folder / ".env").write_text(SETTINGS, encoding="utf-8")
        (self.folder / "backups").mkdir(mode=0o777)
        (self.folder / "backups").chmod(0o777)
        port = free_port()
        self.address = f"https://localhost:{port}"
        elsewhere = f'services: {{caddy: {{ports: !override ["127.0.0.1:{port}:443"]}}}}\n'
        (self.folder / "compose.override.yaml").write_text(elsewhere, encoding="utf-8")

    def run(self, *words: str) -> str:
        command = ["docker", "compose", "--project-name", f"believable-test-{os.getpid()}", *words]
        result = subprocess.run(
            command, cwd=self.folder, capture_output=True, text=True, check=False
        )
        assert result.returncode == 0, f"{words}: {result.stdout}{result.stderr}"
        return result.stdout

    def kill(self, service: str) -> None:
        """As a crash: the engine starts it again."""
        number = subprocess.check_output(
            ["docker", "inspect", "-f", "{{.State.Pid}}", self.run("ps", "-q", service).strip()]
        )
        os.kill(int(number), signal.SIGKILL)

    def ready(self) -> None:
        deadline_s = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline_s:
            try:
                if httpx.get(f"{self.address}/ready", verify=False, timeout=10).status_code == 200:
                    return
            except httpx.TransportError:
                pass
            time.sleep(0.5)
        raise TimeoutError(f"{self.address} is not ready: {self.run('logs', '--tail', '40')}")

    def listed(self) -> str:
        return self.run("exec", "-T", "believable", "believable", "list")


@pytest.fixture(scope="module")
def composed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Composed]:
    services = Composed(tmp_path_factory.mktemp("clone"))
    try:
        services.run("up", "-d", "--build")
        services.ready()
        yield services
    finally:
        services.run("down", "--volumes")


def _take_part(composed: Composed) -> str:
    link = re.search(r"simulated link +\S+/join/(\S+)", composed.listed())
    assert link is not None

    async def visit(token: str) -> str:
        pace = HastyPace(WallClock().now_ms())
        async with httpx.AsyncClient(base_url=composed.address, timeout=60, verify=False) as http:
            study = load(composed.study).study
            person = Person(
                Participant(http, pace),
                pace,
                generator(1, "composed"),
                Traits(1.0, 1.0, None),
                study,
            )
            return (await person.take_part(token)).outcome

    return asyncio.run(visit(link[1]))


def test_people_get_through_it_and_what_they_said_survives_crashes_and_is_restored(
    composed: Composed,
) -> None:
    assert _take_part(composed) == "complete"
    for service in ("believable", "database"):
        composed.kill(service)
        composed.ready()
    assert "1 complete" in composed.listed()

    composed.run(
        "exec",
        "-T",
        "backup",
        "believable",
        "backup",
        "--into",
        "/backups",
        "--keep",
        "30",
        "--with-key",
    )
    copies = composed.run("exec", "-T", "backup", "sh", "-c", "ls /backups").split()
    newest = max(name for name in copies if name.endswith(".backup"))
    assert f"{newest}.key" in copies
    assert _take_part(composed) == "complete"
    assert "2 complete" in composed.listed()
    composed.run("stop", "believable", "backup")
    restore = ["restore", f"/backups/{newest}", "--live-lost"]
    composed.run("run", "--rm", "--no-deps", "--entrypoint", "believable", "backup", *restore)
    composed.run("start", "believable", "backup")
    composed.ready()
    assert "1 complete" in composed.listed()


def test_nothing_in_it_is_root_or_can_compile(composed: Composed) -> None:
    assert composed.run("exec", "-T", "believable", "id", "-u").strip() == "10001"
    assert (
        composed.run(
            "exec", "-T", "believable", "sh", "-c", "command -v gcc cc || echo none"
        ).strip()
        == "none"
    )
    assert composed.run("ps", "--format", "{{.Health}}", "believable").strip() == "healthy"
