"""The engine's process goes with whoever started it, and without the extra everything says so."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from believable.core.errors import MissingExtra
from believable.worlds.doom import doom_engine as engine
from believable.worlds.doom.doom_engine import (
    BUTTONS,
    DoomEngine,
    EngineSettings,
    engine_size,
    scale_picture,
)
from believable.worlds.doom.game_map import game_map
from tests.waiting import wait_until

NOTHING = [0.0] * len(BUTTONS)
#: Long enough for any machine; what is waited for comes at once.
PATIENCE_S = 60


def settings(**changed: object) -> EngineSettings:
    return EngineSettings(**({"seed": 1, "wad": game_map("deathmatch", 3).wad} | changed))  # type: ignore[arg-type]


def gone(pid: int) -> bool:
    return wait_until(lambda: not engine._alive(pid), "the engine lives on", PATIENCE_S)


PARENT = """
import sys, time
from believable.worlds.doom.doom_engine import DoomEngine, EngineSettings
from believable.worlds.doom.game_map import game_map
engines = [DoomEngine(EngineSettings(seed=n, wad=game_map("deathmatch", 3).wad)) for n in range(2)]
print(*(f"{engine.pid}:{engine.instance}" for engine in engines), flush=True)
time.sleep(600)
"""


def test_engines_go_with_a_parent_that_is_killed() -> None:
    parent = subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    words = [word.split(":") for word in parent.stdout.readline().split()]
    pids = [int(pid) for pid, _ in words]
    assert len(pids) == 2
    assert all(engine._alive(pid) for pid in pids)
    assert all(os.getpgid(pid) == pid for pid in pids), "the terminal's Ctrl-C is not for them"
    os.kill(parent.pid, signal.SIGKILL)
    parent.wait()
    assert all(gone(pid) for pid in pids)
    left = [file for _, instance in words for file in Path("/dev/shm").glob(f"*{instance}*")]
    assert all(instance for _, instance in words)
    assert left == [], "no shared memory stays behind"
    parent.stdout.close()


def test_a_closed_engine_is_gone_and_leaves_no_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    running = DoomEngine(settings())
    running.advance(NOTHING)
    pid = running.pid
    assert pid is not None
    assert engine._alive(pid)
    running.close()
    running.close()
    assert not engine._alive(pid)
    assert list(tmp_path.iterdir()) == []


def test_an_engine_that_hangs_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "PATIENCE_S", 0.2)
    deaf = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import signal,time; signal.signal(15, signal.SIG_IGN); time.sleep(600)",
        ]
    )
    engine._end(deaf.pid)
    assert deaf.wait(PATIENCE_S) == -signal.SIGKILL


def test_nothing_of_it_is_imported_before_the_first_round() -> None:
    code = """
import sys
from believable.contracts.registries import WORLDS
from believable.worlds.play_trial import playable
world = WORLDS["doom"]
assert "doom" in playable() and world.extra == "doom"
print([name for name in ("vizdoom", "gymnasium", "pygame", "PIL") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_without_the_extra_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    engine.load_vizdoom.cache_clear()
    monkeypatch.setitem(sys.modules, "vizdoom", None)
    try:
        with pytest.raises(
            MissingExtra, match=r"the world 'doom' needs .* pip install 'believable\[doom\]'"
        ):
            DoomEngine(settings())
    finally:
        engine.load_vizdoom.cache_clear()


def test_pictures_of_other_sizes_come_from_the_next_larger_of_the_same_shape() -> None:
    assert engine_size(640, 360) == (640, 360)
    assert engine_size(854, 480) == (1024, 576)
    assert engine_size(320, 240) == (320, 240)
    assert engine_size(3840, 2160) == (1920, 1080)
    running = DoomEngine(settings(size_px=(320, 180)))
    try:
        running.advance(NOTHING)
        picture = running.picture
        assert picture.shape == (180, 320, 3)
        small = scale_picture(picture, 160, 160)
        assert small.shape == (160, 160, 3)
        middle = picture[:, 70:250].mean(axis=(0, 1))
        assert abs(small.mean(axis=(0, 1)) - middle).max() < 2
    finally:
        running.close()


@pytest.mark.parametrize("seed", [2, 5, 7])
def test_a_deathmatch_begins_with_a_living_player(seed: int) -> None:
    """With these seeds a bot appears on the player's own place, which kills the player."""
    running = DoomEngine(
        settings(seed=seed, bots=3, deathmatch=True, wad=game_map("deathmatch", 7).wad)
    )
    values = dict(zip(engine.VARIABLES, running.variables, strict=True))
    running.close()
    assert values["DEAD"] == 0
    assert values["HEALTH"] == 100
    assert {name: values[name] for name in engine.COUNTERS} == dict.fromkeys(engine.COUNTERS, 0)


def test_the_engine_shows_no_scoreboard_to_the_dead() -> None:
    running = DoomEngine(settings(deathmatch=True))
    running._game.send_game_command("viz_respawn_delay 100")
    running._game.send_game_command("kill")
    running.advance(NOTHING, tics=350)
    pictures = {"as started": running.picture.copy()}
    for command in ("sb_deathmatch_enable 1", "sb_deathmatch_enable 0"):
        running._game.send_game_command(command)
        running.advance(NOTHING, tics=2)
        pictures[command] = running.picture.copy()
    running.close()
    off, on = pictures["sb_deathmatch_enable 0"], pictures["sb_deathmatch_enable 1"]
    assert (on != off).any(), "there is a scoreboard to hide"
    assert (pictures["as started"] == off).all()
