"""A crowd over several processes: the same study comes of it, and failures are told."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from believable.app.new import new
from believable.app.simulate import on_virtual_clock
from believable.app.study_data import DataOptions
from believable.core.clock import WallClock
from believable.core.errors import InvalidInput
from believable.core.processes import WorkFailed
from believable.simulate.crowd import Crowd, Progress, Share, processes_for, shared_out
from believable.simulate.person import Visit
from believable.store.bundle_export import export
from believable.store.engine import Store


def simulated(folder: Path, processes: int) -> tuple[list[str], dict[str, str]]:
    """Outcomes in order of coming, and the checksums of everything that was collected."""
    new(folder, protocol="hntt", seed=7)
    settings = DataOptions().settings([folder])
    told: list[Visit] = []
    visits = on_virtual_clock(
        settings, Crowd(participants=9, gap_ms=90_000, seed=3), told.append, processes=processes
    )
    assert sorted(one.token for one in told) == sorted(visit.token for visit in visits)
    with Store.open(settings.url, clock=WallClock()) as store:
        export(store, "hntt", folder / "bundle", simulated=True, media_dir=settings.media_dir)
    lines = (folder / "bundle" / "SHA256SUMS").read_text().splitlines()
    return [f"{visit.outcome} {visit.events}" for visit in visits], {
        line.split("  ")[1]: line.split("  ")[0] for line in lines
    }


def test_the_number_of_processes_changes_nothing(tmp_path: Path) -> None:
    alone, together = (
        simulated(tmp_path / "one" / "hntt", 1),
        simulated(tmp_path / "three" / "hntt", 3),
    )
    assert together == alone
    assert len(set(alone[0])) > 3, "people differ"


def _refuse(share: Share, progress: Progress) -> list[Visit]:
    if share.first == 2:
        raise InvalidInput("the second one cannot. Let it be.")
    share.together()
    return []


def _break(share: Share, progress: Progress) -> list[Visit]:
    if share.first == 2:
        raise ZeroDivisionError("by nothing")
    share.together()
    return []


def _die(share: Share, progress: Progress) -> list[Visit]:
    if share.first == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    share.together()
    return []


def test_an_error_of_one_process_ends_all_and_is_told() -> None:
    with pytest.raises(InvalidInput, match="the second one cannot"):
        shared_out(_refuse, 2, lambda visit: None)


def test_a_fault_of_one_process_comes_with_its_traceback() -> None:
    with pytest.raises(RuntimeError, match=r"(?s)_break.*by nothing"):
        shared_out(_break, 2, lambda visit: None)


def test_a_process_that_is_killed_is_noticed() -> None:
    with pytest.raises(WorkFailed, match="without a word"):
        shared_out(_die, 2, lambda visit: None)


def test_small_crowds_stay_together() -> None:
    assert processes_for(1) == processes_for(15) == 1
    assert processes_for(10_000) >= 1
