"""Taking turns: one at a time, freed by death, and never for ever."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from believable.store import writer
from believable.store.writer import FileQueue

HOLD = """\
import pathlib, sys, time
from believable.store.writer import FileQueue
with FileQueue(pathlib.Path(sys.argv[1])).take():
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def holder(tmp_path: Path) -> subprocess.Popen[str]:
    """Another process whose turn it is."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path / "b.db")], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_a_killed_holder_frees_the_turn(
    tmp_path: Path, holder: subprocess.Popen[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "QUEUE_S", 100)
    queue = FileQueue(tmp_path / "b.db")
    started_s = time.monotonic()
    holder.kill()
    with queue.take():
        assert time.monotonic() - started_s < 50, (
            "its end is noticed; nobody waits for as long as for who is stuck"
        )
    holder.communicate()
    queue.close()


def test_who_is_stuck_is_not_waited_for_for_ever(
    tmp_path: Path, holder: subprocess.Popen[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "QUEUE_S", 0.2)
    queue = FileQueue(tmp_path / "b.db")
    started_s = time.monotonic()
    with queue.take():
        assert time.monotonic() - started_s >= 0.2
    assert holder.poll() is None, "it still holds its turn"
    holder.kill()
    holder.communicate()
    queue.close()


def test_a_turn_is_given_back(tmp_path: Path) -> None:
    one, other = FileQueue(tmp_path / "b.db"), FileQueue(tmp_path / "b.db")
    for queue in (one, other, one):
        with queue.take():
            assert queue._acquire()
    one.close()
    other.close()
