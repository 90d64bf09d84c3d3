"""A test run that is killed leaves no PostgreSQL behind."""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.waiting import has_ended, wait_until

STARTS_A_SERVER = """
import sys, time
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from tests.conftest import Postgres
Postgres(Path(sys.argv[1]))
print("started", flush=True)
time.sleep(600)
"""


@pytest.mark.postgres
@pytest.mark.slow
def test_a_server_ends_with_the_tests_that_were_killed() -> None:
    folder = Path(tempfile.mkdtemp(prefix="believable-pg-"))
    root = Path(__file__).resolve().parents[2]
    with subprocess.Popen(
        [sys.executable, "-c", STARTS_A_SERVER, str(folder), str(root)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=root,
    ) as run:
        assert run.stdout is not None
        assert run.stdout.readline().strip() == "started"
        number = int((folder / "postmaster.pid").read_text().splitlines()[0])
        run.send_signal(signal.SIGKILL)
    wait_until(
        lambda: not folder.exists() and has_ended(number),
        "the server and its folder are still there",
        200,
    )
