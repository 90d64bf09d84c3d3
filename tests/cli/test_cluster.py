"""Work on a Dask cluster: the same bits as here, and what is wrong with a cluster is told before
anything is done.
"""

from __future__ import annotations

import gzip
import importlib.util
import json
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from believable.cli import group
from believable.core import cluster, work
from believable.core.errors import InvalidInput, Unavailable
from believable.protocols import READY_STUDIES
from validation.damaged_inputs import small_recording

distributed = pytest.importorskip("distributed", reason="the extra `cluster` is not installed")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(900),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=40
    ) as local:
        yield local.scheduler_address


def process_number(number: int) -> tuple[int, int]:
    import os  # noqa: PLC0415

    return number * number, os.getpid()


def test_chunks_go_to_the_cluster_and_come_back_in_order(address: str) -> None:
    import os  # noqa: PLC0415

    with cluster.on_cluster(address):
        results = work.map_chunks(process_number, range(20))
        named = work.map_named(process_number, {number: (number,) for number in range(4)})
        here = work.map_chunks(process_number, range(2), workers=1)
    assert [square for square, _ in results] == [number * number for number in range(20)]
    assert os.getpid() not in {pid for _, pid in results}
    assert {number: square for number, (square, _) in named.results.items()} == {
        0: 0,
        1: 1,
        2: 4,
        3: 9,
    }
    assert {pid for _, pid in here} == {os.getpid()}, "who asks for one worker means this process"
    assert work.map_chunks(process_number, [3], workers=1)[0][1] == os.getpid(), (
        "afterwards nothing goes there"
    )


def test_power_is_the_same_to_the_last_digit(address: str, tmp_path: Path) -> None:
    study = tmp_path / "judges"
    READY_STUDIES["hntt"].copy(study)
    options = ["power", str(study), "--participants", "12", "--studies", "10", "--seed", "3"]
    curves = []
    for place in (["--workers", "1"], ["--cluster", address]):
        file = tmp_path / f"{place[0]}.csv"
        result = CliRunner().invoke(
            group, [*options, *place, "--out", str(file)], catch_exceptions=False
        )
        assert result.exit_code == 0, result.output
        curves.append(file.read_bytes())
    assert curves[0] == curves[1]
    assert json.loads((study / "power.json").read_text(encoding="utf-8"))


def test_a_scheduler_that_does_not_answer_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "CONNECT_S", 1)
    with (
        pytest.raises(Unavailable, match="no Dask scheduler answers there"),
        cluster.on_cluster("tcp://127.0.0.1:9"),
    ):
        pass


def test_there_or_here(tmp_path: Path) -> None:
    study = tmp_path / "judges"
    READY_STUDIES["hntt"].copy(study)
    with pytest.raises(InvalidInput, match="Give one of them"):
        CliRunner().invoke(
            group,
            ["power", str(study), "--workers", "2", "--cluster", "tcp://127.0.0.1:9"],
            catch_exceptions=False,
        )


def run(*words: str) -> str:
    result = CliRunner().invoke(group, list(words), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


@pytest.fixture(scope="module")
def taken(tmp_path_factory: pytest.TempPathFactory, address: str) -> Path:
    """A folder with a study, and its simulated people twice: `here` came in this process, `there`
    in two workers.
    """
    folder = tmp_path_factory.mktemp("taken")
    run("new", str(folder / "days"), "--protocol", "replay")
    for place, options in (("here", ("--processes", "1")), ("there", ("--cluster", address))):
        run(
            "simulate",
            str(folder / "days"),
            "--participants",
            "9",
            "--data",
            str(folder / place),
            *options,
        )
    return folder


def test_simulated_people_are_the_same_ones(taken: Path) -> None:
    events = []
    for place in ("here", "there"):
        bundle = taken / f"bundle-{place}"
        run(
            "export",
            str(taken / "days"),
            "--simulated",
            "--data",
            str(taken / place),
            "--out",
            str(bundle),
        )
        (raw,) = bundle.rglob("events.jsonl.gz")
        events.append(gzip.decompress(raw.read_bytes()))
    assert events[0] == events[1]
    assert events[0].count(b"\n") > 100


@pytest.mark.parametrize("command", [("analyse",), ("report", "--formats", "")])
def test_results_and_reports_are_the_same_to_the_byte(
    command: tuple[str, ...], taken: Path, address: str, tmp_path: Path
) -> None:
    places = {"here": (), "there": ("--cluster", address)}
    for name, options in places.items():
        run(
            command[0],
            str(taken / "days"),
            "--data",
            str(taken / "here"),
            *command[1:],
            "--out",
            str(tmp_path / name),
            *options,
        )
    here, there = (
        {
            file.relative_to(tmp_path / name): file.read_bytes()
            for file in (tmp_path / name).rglob("*")
            if file.is_file()
        }
        for name in places
    )
    assert here == there
    assert Path("results.json") in here


def test_films_are_the_same_to_the_byte(address: str, tmp_path: Path) -> None:
    pytest.importorskip("av", reason="needs the video extra")
    recordings = [tmp_path / f"{name}.replay.json.gz" for name in "ab"]
    for recording in recordings:
        small_recording(recording)
    films = []
    for place, options in (("here", ("--workers", "1")), ("there", ("--cluster", address))):
        run("stimuli", "render", *map(str, recordings), "--out", str(tmp_path / place), *options)
        films.append({file.name: file.read_bytes() for file in (tmp_path / place).glob("*.mp4")})
    assert films[0] == films[1]
    assert len(films[0]) == 2


def test_trainings_go_to_the_workers_and_what_stops_them_comes_back(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = (
        "train",
        "navigation",
        "--agent",
        "hybrid",
        "--seeds",
        "2",
        "--steps",
        "64",
        "--out",
        str(tmp_path),
    )
    if importlib.util.find_spec("torch") is None:
        with pytest.raises(InvalidInput, match=r"seed [12] on .*believable\[train\]"):
            CliRunner().invoke(group, [*options, "--cluster", address], catch_exceptions=False)
    else:
        run(*options, "--cluster", address)
        assert {folder.name for folder in tmp_path.iterdir() if folder.is_dir()} == {
            "hybrid-1",
            "hybrid-2",
        }


def test_an_sqlite_file_is_for_workers_of_this_machine(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with cluster.on_cluster(address):
        cluster.must_be_here("an SQLite file", "Use PostgreSQL.")
        monkeypatch.setattr(socket, "gethostname", lambda: "another-machine")
        with pytest.raises(InvalidInput, match=r"which cannot use an SQLite file\. Use PostgreSQL"):
            cluster.must_be_here("an SQLite file", "Use PostgreSQL.")


def failing_part(member: cluster.CrewMember[str]) -> int:
    member.together()
    if member.number == 2:
        raise InvalidInput("the second cannot")
    member.report(f"{member.number} of {member.of}")
    member.together()
    return member.number


def counted_part(member: cluster.CrewMember[str]) -> int:
    for _ in range(20):
        member.together()
    member.report(f"{member.number} of {member.of}")
    return member.number


def test_a_crew_waits_for_each_other_and_an_error_of_one_ends_them_all(address: str) -> None:
    words: list[str] = []
    with cluster.on_cluster(address):
        assert cluster.run_crew(counted_part, 2, words.append) == [1, 2]
        assert sorted(words) == ["1 of 2", "2 of 2"]
        with pytest.raises(InvalidInput, match="the second cannot"):
            cluster.run_crew(failing_part, 2, words.append)
        assert cluster.run_crew(counted_part, 2, words.append) == [1, 2], (
            "the workers are free again"
        )
        with pytest.raises(InvalidInput, match="3 parts at once need as many workers"):
            cluster.run_crew(counted_part, 3, words.append)
