"""`believable serve` and `believable demo` as processes of their own."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
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
from tests import programs
from tests.waiting import wait_until

HEAVY = (
    "/av/",
    "/pandas/",
    "/torch/",
    "/gymnasium/",
    "/matplotlib/",
    "/numba/",
    "/sklearn/",
    "/pyarrow/",
)


@pytest.fixture(scope="module")
def served(
    made_demo: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Path, Server]]:
    """A copy of the demo study, and the server that serves it."""
    study = Path(shutil.copytree(made_demo, tmp_path_factory.mktemp("served") / "demo"))
    with Server([study], data_dir=study / ".believable") as server:
        yield study, server


def test_a_served_study_answers_and_loads_nothing_heavy(served: tuple[Path, Server]) -> None:
    _, server = served
    words = server.last_words()
    link = re.search(r"for participants\s+(\S+)", words)
    assert link is not None, words
    assert httpx.get(link[1], timeout=60).status_code == 200
    addresses = re.findall(r"http\S+", words)
    assert addresses[:2] == [f"{server.url}/", f"{server.url}/console"], (
        "the start page first, then the console"
    )
    assert re.search(r"the first time\s+http\S+/console/welcome/\S+", words), words
    page = httpx.get(server.url, timeout=60)
    assert page.status_code == 200
    assert 'class="button" href="/join/' in page.text
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
    told = programs.believable("serve", study, "--port", str(server.port), status=4)
    assert str(server.port) in told
    assert "Traceback" not in told


def test_a_study_with_problems_is_not_served(demo: Path) -> None:
    file = demo / "study.yaml"
    file.write_text(
        file.read_text().replace("condition: standin_human,", "condition: standin_humen,")
    )
    told = programs.believable("serve", demo, "--port", str(free_port()), status=1)
    assert "Did you mean 'standin_human'?" in told
    assert "Traceback" not in told


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_the_demo_fills_itself_and_cleans_up(tmp_path: Path) -> None:
    """The first study is served at once and has live people; the other is made behind it, and the
    start page tells how far.
    """
    port, folder = free_port(), tmp_path / "demo"
    chosen = ["--protocol", "trace", "--protocol", "demo", "--finished", "1"]
    command = [
        sys.executable,
        "-m",
        "believable",
        "demo",
        str(folder),
        "--port",
        str(port),
        *chosen,
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        before = wait_until(lambda: _start_page(port), "the start page does not come", 600)
        assert before.count('class="button"') + before.count("<progress") == 2, (
            "every study is shown from the beginning"
        )
        wait_until(
            lambda: "<progress" not in _start_page(port), "the second study does not come", 600
        )
        assert _start_page(port).count('class="button"') == 2
        wait_until(
            lambda: _events(folder, "trace") and _events(folder, "demo"),
            "no simulated participants come",
            600,
        )
        family = psutil.Process(process.pid).children(recursive=True)
        assert family, "the simulated participants live in a process of their own"
    finally:
        process.send_signal(signal.SIGINT)
        words, _ = process.communicate(timeout=60)
    assert f"http://127.0.0.1:{port}/join/" in words
    assert "the first time" in words
    assert "Traceback" not in words
    _, alive = psutil.wait_procs(family, timeout=60)
    assert alive == []
    assert not (folder / ".believable" / "preparing.json").exists()


def _start_page(port: int) -> str:
    try:
        return httpx.get(f"http://127.0.0.1:{port}/", timeout=60).text
    except httpx.TransportError:
        return ""


def _events(folder: Path, study: str) -> int:
    database = folder / ".believable" / "believable.db"
    if not database.exists() or os.path.getsize(database) == 0:
        return 0
    with Store.open(f"sqlite:///{database}", clock=WallClock()) as store:
        groups = store.read(lambda conn: monitor.groups(conn, study, "simulated", now_ms=0))
    return sum(group.n_events for group in groups)
