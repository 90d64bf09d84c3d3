"""Simulated people play, watch their own rounds and annotate them: through the real routes, twice
the same.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from believable.app.simulate import on_virtual_clock
from believable.app.study_data import DataOptions
from believable.bundle.read import Bundle, read
from believable.contracts.inputs import InputChange
from believable.core.clock import WallClock
from believable.protocols import READY_STUDIES
from believable.recordings import file
from believable.simulate.crowd import Crowd
from believable.store.bundle_export import export
from believable.store.engine import Store
from believable.worlds.live_round import record_round
from believable.worlds.maze import MAZE
from believable.worlds.maze.game import MazeSetup

PEOPLE = 3


def simulated(folder: Path) -> Bundle:
    READY_STUDIES["trace"].copy(folder)
    study = folder / "study.yaml"
    text = study.read_text().replace("duration_s: 60", "duration_s: 8")
    # In a small maze the two meet within eight seconds, and somebody shoots.
    study.write_text(text.replace("size: 21", "size: 13"))
    settings = DataOptions().settings([folder])
    crowd = Crowd(participants=PEOPLE, drop_out=0, seed=5)
    visits = on_virtual_clock(settings, crowd, lambda visit: None)
    assert [visit.outcome for visit in visits] == ["complete"] * PEOPLE
    with Store.open(settings.url, clock=WallClock()) as store:
        export(store, "trace", folder / "bundle", simulated=True)
    return read(folder / "bundle")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    return simulated(tmp_path_factory.mktemp("one") / "trace")


def test_everybody_practises_and_plays_both_opponents(played: Bundle) -> None:
    rows = list(played["rounds"].rows())
    assert len(rows) == 3 * PEOPLE
    for session in {row["session"] for row in rows}:
        mine = [row for row in rows if row["session"] == session]
        assert [row["practice"] for row in mine] == [True, False, False]
        assert {row["opponent"] for row in mine[1:]} == {"calm", "frustrated"}
        assert [row["condition"] for row in mine[1:]] == [row["opponent"] for row in mine[1:]]
        assert [row["state"] for row in mine] == ["left", "over", "over"]
        assert [row["ticks"] for row in mine[1:]] == [240, 240]


def test_a_round_follows_from_the_tables_alone(played: Bundle) -> None:
    """Seeds and inputs of the bundle give the recording of the bundle."""
    inputs = list(played["round_inputs"].rows())
    checked = 0
    for row in played["rounds"].rows():
        if row["recording"] is None:
            continue
        key = ("session", "position", "run", "attempt")
        mine = [input_ for input_ in inputs if all(input_[name] == row[name] for name in key)]
        changes = [
            InputChange(
                int(one["tick"] or 0),
                int(one["number"] or 0),
                tuple(
                    int(one[name] or 0) for name in ("move_x", "move_y", "aim_deg", "shoot", "bomb")
                ),
            )
            for one in mine
        ]
        setup = MazeSetup(
            maze_seed=int(row["maze_seed"] or 0),
            agent_seed=int(row["agent_seed"] or 0),
            opponent=str(row["opponent"]),
            size=int(row["size"] or 0),
            ticks=int(row["ticks"] or 0),
        )
        stored = file.read(played.folder / str(row["recording"]))
        assert record_round(MAZE.game, setup, changes) == (stored, row["score"])
        assert row["score"] == stored.telemetry["score"][-1]
        checked += 1
    assert checked == 2 * PEOPLE


def test_telemetry_has_a_row_for_every_tick_of_every_round(played: Bundle) -> None:
    table = played["telemetry"]
    assert len(table) == 2 * PEOPLE * 240
    rows = list(table.rows())[:240]
    assert [row["tick"] for row in rows] == list(range(240))
    assert [row["t_ms"] for row in rows] == [round(tick * 1000 / 30) for tick in range(240)]
    assert any(row["move_x"] for row in table.rows())
    assert any(row["shoot"] for row in table.rows())
    assert all(
        row["frustration"] is not None and 0 <= float(row["frustration"]) <= 1 for row in rows
    )
    assert all(0 < float(row["player_x"] or 0) < 13 for row in rows)


def test_traces_and_views_are_of_the_own_round(played: Bundle) -> None:
    opponents = {
        (row["session"], row["trial_key"]): row["condition"] for row in played["rounds"].rows()
    }
    rows = list(played["traces"].rows())
    assert rows
    for row in rows:
        stimulus = str(row["stimulus"])
        assert stimulus.startswith("round:")
        assert row["condition"] == opponents[row["session"], stimulus.removeprefix("round:")]
    shown = [row for row in played["shown"].rows() if str(row["stimulus"]).startswith("round:")]
    assert len(shown) == 2 * PEOPLE
    assert all(row["views"] == 1 and row["watched_ms"] == 8000 for row in shown)


def test_the_same_seed_gives_the_same_bytes(played: Bundle, tmp_path: Path) -> None:
    again = simulated(tmp_path / "trace")
    one = (played.folder / "SHA256SUMS").read_text()
    assert (again.folder / "SHA256SUMS").read_text() == one
    assert "materials/replays/" in one
