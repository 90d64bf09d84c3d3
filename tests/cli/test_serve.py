"""`believable serve` and `believable demo` as processes of their own."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import psutil
import pytest
from click.testing import CliRunner

from believable.cli import group
from believable.core.clock import WallClock
from believable.simulate.server import Server, free_port
from believable.store import monitor
from believable.store.engine import Store

HEAVY = ("/av/", "/pandas/", "/torch/", "/gymnasium/", "/matplotlib/", "/numba/", "/sklearn/", "/pyarrow/")


@pytest.fixture(scope="module")
def served(made_demo: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Server]]:
    """A copy of the demo study, and the server that serves it."""
    study = Path(shutil.copytree(made_demo, tmp_path_factory.mktemp("served") / "demo"))
    with Server([study], data_dir=study / ".believable") as server:
        yield study, server


def test_a_served_study_answers_and_loads_nothing_heavy(served: tuple[Path, Server]) -> None:
    _, server = served
    words = server.last_words()
    link = re.search(r"open link\s+(\S+)", words)
    assert link is not None, words
    assert httpx.get(link[1], timeout=60).status_code == 200
    assert re.search(r"One-time researcher link.*\n\s+http\S+", words), words
    loaded = Path(f"/proc/{server.pid}/maps").read_text()
    assert [name for name in HEAVY if name in loaded] == []


def test_simulated_people_come_over_the_network(served: tuple[Path, Server]) -> None:
    study, server = served
    options = ["--participants", "3", "--drop-out", "0", "--care", "1", "--workers", "3"]
    command = ["simulate", str(study), "--http", server.url, *options]
    result = CliRunner().invoke(group, command, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("3 simulated participants (3 complete)")


def test_list_shows_links_and_counts(served: tuple[Path, Server]) -> None:
    study, _ = served
    shown = CliRunner().invoke(group, ["list", str(study)], catch_exceptions=False).output
    assert "Who walks like a human?" in shown
    assert "/join/" in shown
    assert "simulated sessions" in shown


def test_a_port_in_use_is_said_in_words(served: tuple[Path, Server]) -> None:
    study, server = served
    command = [sys.executable, "-m", "believable", "serve", str(study), "--port", str(server.port)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert result.returncode == 4
    assert str(server.port) in result.stderr
    assert "Traceback" not in result.stderr


def test_a_study_with_problems_is_not_served(demo: Path) -> None:
    file = demo / "study.yaml"
    file.write_text(file.read_text().replace("condition: standin_human,", "condition: standin_humen,"))
    command = [sys.executable, "-m", "believable", "serve", str(demo), "--port", str(free_port())]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert result.returncode == 1
    assert "Did you mean 'standin_human'?" in result.stderr
    assert "Traceback" not in result.stderr


def test_the_demo_fills_itself_and_cleans_up(demo: Path) -> None:
    port = free_port()
    command = [sys.executable, "-m", "believable", "demo", str(demo), "--port", str(port), "--finished", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        deadline_s = time.monotonic() + 120
        while time.monotonic() < deadline_s and not _events(demo):
            time.sleep(0.5)
        assert _events(demo) > 0, "no simulated participant came"
        family = psutil.Process(process.pid).children(recursive=True)
        assert family, "the simulated participants live in a process of their own"
    finally:
        process.send_signal(signal.SIGINT)
        words, _ = process.communicate(timeout=60)
    assert f"http://127.0.0.1:{port}/join/" in words
    assert "One-time researcher link" in words
    assert "Traceback" not in words
    _, alive = psutil.wait_procs(family, timeout=60)
    assert alive == []


def _events(study: Path) -> int:
    database = study / ".believable" / "believable.db"
    if not database.exists() or os.path.getsize(database) == 0:
        return 0
    with Store.open(f"sqlite:///{database}", clock=WallClock()) as store:
        groups = store.read(lambda conn: monitor.groups(conn, study.name, "simulated", now_ms=0))
    return sum(group.n_events for group in groups)
