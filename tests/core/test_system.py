"""What differs between systems: locks, priority, groups of processes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from believable.core.system import KILL, signal_group, try_lock, unlock

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX half of the module")


def test_a_lock_is_held_until_it_is_released_or_its_file_is_closed(tmp_path: Path) -> None:
    one, other, third = (os.open(tmp_path / "lock", os.O_RDWR | os.O_CREAT) for _ in range(3))
    assert try_lock(one)
    assert not try_lock(other)
    unlock(one)
    assert try_lock(other)
    os.close(other)
    assert try_lock(third)
    os.close(one)
    os.close(third)


def test_lower_priority_is_of_this_process_only() -> None:
    code = "import os; from believable.core.system import lower_priority; lower_priority(3); print(os.nice(0))"
    before = os.nice(0)
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(ran.stdout) == min(before + 3, 19)
    assert os.nice(0) == before


def test_a_signal_reaches_the_children_of_a_group() -> None:
    """The child holds the pipe open: it closes when both are gone."""
    script = "sleep 600 & echo started; wait"
    with subprocess.Popen(
        ["sh", "-c", script], stdout=subprocess.PIPE, start_new_session=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"started\n"
        signal_group(process, KILL)
        assert process.stdout.read() == b""
        assert process.wait(20) == -KILL
