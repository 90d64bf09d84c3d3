"""Work on a Dask cluster: the same bits as here, and what is wrong with a cluster is told before anything is done."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from believable.cli import group
from believable.core import work
from believable.core.errors import InvalidInput, Unavailable
from believable.protocols import READY_STUDIES

distributed = pytest.importorskip("distributed", reason="the extra `cluster` is not installed")
pytestmark = [
    pytest.mark.timeout(900),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=40
    ) as cluster:
        yield cluster.scheduler_address


def process_number(number: int) -> tuple[int, int]:
    import os  # noqa: PLC0415

    return number * number, os.getpid()


def test_chunks_go_to_the_cluster_and_come_back_in_order(address: str) -> None:
    import os  # noqa: PLC0415

    with work.on_cluster(address):
        results = work.map_chunks(process_number, range(20))
        named = work.map_named(process_number, {number: (number,) for number in range(4)})
        here = work.map_chunks(process_number, range(2), workers=1)
    assert [square for square, _ in results] == [number * number for number in range(20)]
    assert os.getpid() not in {pid for _, pid in results}
    assert {number: square for number, (square, _) in named.results.items()} == {0: 0, 1: 1, 2: 4, 3: 9}
    assert {pid for _, pid in here} == {os.getpid()}, "who asks for one worker means this process"
    assert work.map_chunks(process_number, [3], workers=1)[0][1] == os.getpid(), "afterwards nothing goes there"


def test_power_is_the_same_to_the_last_digit(address: str, tmp_path: Path) -> None:
    study = tmp_path / "judges"
    READY_STUDIES["hntt"].copy(study)
    options = ["power", str(study), "--participants", "12", "--studies", "10", "--seed", "3"]
    curves = []
    for place in (["--workers", "1"], ["--cluster", address]):
        file = tmp_path / f"{place[0]}.csv"
        result = CliRunner().invoke(group, [*options, *place, "--out", str(file)], catch_exceptions=False)
        assert result.exit_code == 0, result.output
        curves.append(file.read_bytes())
    assert curves[0] == curves[1]
    assert json.loads((study / "power.json").read_text(encoding="utf-8"))


def test_a_scheduler_that_does_not_answer_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "CONNECT_S", 1)
    with pytest.raises(Unavailable, match="no Dask scheduler answers there"), work.on_cluster("tcp://127.0.0.1:9"):
        pass


def test_there_or_here(tmp_path: Path) -> None:
    study = tmp_path / "judges"
    READY_STUDIES["hntt"].copy(study)
    with pytest.raises(InvalidInput, match="Give one of them"):
        CliRunner().invoke(
            group, ["power", str(study), "--workers", "2", "--cluster", "tcp://127.0.0.1:9"], catch_exceptions=False
        )
