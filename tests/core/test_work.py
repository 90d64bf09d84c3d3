"""The same result anywhere: in turn, in threads, in processes, on a real Dask cluster; and trouble
told.
"""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from believable.core.errors import InvalidInput
from believable.core.processes import Child, WorkFailed, in_child
from believable.core.work import available_cores, bounds, map_chunks, map_named
from tests.waiting import wait_until


def square(x: int) -> int:
    return x * x


def slow_first(x: int) -> int:
    time.sleep(0.05 if x == 0 else 0)
    return x


def fail_on_three(x: int) -> int:
    if x == 3:
        raise ValueError("three")
    return x


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    distributed = pytest.importorskip("distributed", reason="the extra `cluster` is not installed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with (
            distributed.LocalCluster(
                n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None
            ) as here,
            distributed.Client(here) as client,
        ):
            yield client


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_results_keep_the_order_of_the_chunks(workers: int) -> None:
    assert map_chunks(slow_first, range(7), workers=workers) == list(range(7))


def test_processes_give_the_same() -> None:
    # A clean process must be able to import the function, so it cannot be one of this file.
    assert map_chunks(math.factorial, range(9), workers=2, pool="processes") == [
        math.factorial(x) for x in range(9)
    ]


@pytest.mark.parametrize("kind", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_an_executor_is_used_and_left_open(kind: Any) -> None:
    with kind(2) as executor:
        assert map_chunks(square, range(5), executor=executor) == [0, 1, 4, 9, 16]
        assert executor.submit(square, 3).result() == 9


def test_a_real_dask_cluster_gives_the_same(cluster: Any) -> None:
    assert map_chunks(square, range(20), executor=cluster) == [x * x for x in range(20)]


def test_progress_counts_up_to_the_total() -> None:
    seen: list[tuple[int, int]] = []
    map_chunks(square, range(4), workers=2, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_comes_out(workers: int) -> None:
    with pytest.raises(ValueError, match="three"):
        map_chunks(fail_on_three, range(6), workers=workers)


def test_nothing_to_do_is_nothing_done() -> None:
    assert map_chunks(square, [], workers=3) == []


def test_more_chunks_than_are_kept_under_way() -> None:
    assert map_chunks(square, range(1000), workers=2) == [x * x for x in range(1000)]


def test_bad_arguments_are_named() -> None:
    with pytest.raises(InvalidInput, match="workers: expected at least 1, got 0"):
        map_chunks(square, range(3), workers=0)
    with pytest.raises(InvalidInput, match="executor: expected"):
        map_chunks(square, range(3), executor=object())
    with pytest.raises(InvalidInput, match="chunk size"):
        bounds(10, 0)


def test_bounds_cover_everything_once() -> None:
    assert bounds(10, 4) == [(0, 4), (4, 8), (8, 10)]
    assert bounds(0, 4) == []
    assert available_cores() >= 1


#: Other processes know no test modules, so the work is an expression.
MASK = "__import__('believable.stimuli.recipe', fromlist=['Mask']).Mask.parse('no')"
CRASH = "__import__('os')._exit(11)"


def test_a_file_that_brings_its_process_down_stops_nothing_else() -> None:
    seen: list[tuple[int, int]] = []
    worked = map_named(
        eval,
        {"a": ("10",), "b": ("20",), "c": (MASK,), "d": (CRASH,)},
        workers=2,
        progress=lambda done, total: seen.append((done, total)),
    )
    assert worked.results == {"a": 10, "b": 20}
    assert "got 'no'" in worked.failed["c"]
    assert "brought the decoder down" in worked.failed["d"]
    assert seen[-1] == (4, 4)


def test_trouble_that_is_not_the_files_is_raised() -> None:
    with pytest.raises(FileNotFoundError, match="/no/where"):
        map_named(eval, {"e": ("open('/no/where')",)})


def test_threads_keep_failures_apart_too() -> None:
    worked = map_named(eval, {"a": ("10",), "c": (MASK,)}, workers=2, pool="threads")
    assert worked.results == {"a": 10}
    assert "got 'no'" in worked.failed["c"]


THREADS = (
    "[__import__('os').environ.get(name) for name in ('OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS')]"
)


def test_a_process_takes_one_thread_for_numbers_and_ours_is_left_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    assert map_named(eval, {"a": (THREADS,)}).results == {"a": ["1", "1"]}
    assert (os.environ.get("OMP_NUM_THREADS"), os.environ.get("OPENBLAS_NUM_THREADS")) == (
        "7",
        None,
    )


def test_a_child_gives_its_result_and_our_errors_as_they_are() -> None:
    assert in_child(math.factorial, 5) == 120
    with pytest.raises(InvalidInput, match="got 'no'"):
        in_child(eval, MASK)
    with pytest.raises(RuntimeError, match=r"(?s)Traceback.*ZeroDivisionError"):
        in_child(eval, "1 / 0")
    with pytest.raises(WorkFailed, match="without a word"):
        in_child(eval, CRASH)


def test_a_child_can_be_ended_at_any_time() -> None:
    child = Child(time.sleep, 60)
    begun_s = time.monotonic()
    child.end()
    with pytest.raises(WorkFailed):
        child.result()
    assert time.monotonic() - begun_s < 20


#: Two workers that are busy, and say so by a file with their process id.
BUSY = """
import os, pathlib, sys, time
from believable.core.work import map_chunks
def busy(folder):
    pathlib.Path(folder, str(os.getpid())).touch()
    time.sleep(600)
if __name__ == "__main__":
    map_chunks(busy, [sys.argv[1]] * 2, workers=2, pool="processes")
"""


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_workers_end_with_whoever_asked_for_them(tmp_path: Path, how: signal.Signals) -> None:
    script, folder = tmp_path / "busy.py", tmp_path / "workers"
    folder.mkdir()
    script.write_text(BUSY)
    process = subprocess.Popen([sys.executable, str(script), str(folder)])
    wait_until(lambda: process.poll() is not None or len(list(folder.iterdir())) == 2, "no workers")
    assert process.poll() is None
    workers = [int(file.name) for file in folder.iterdir()]
    server = [parent_of(worker) for worker in workers]
    process.send_signal(how)
    process.wait()
    wait_until(lambda: not any(runs(pid) for pid in (*workers, *server)), "workers stay", 250)


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
