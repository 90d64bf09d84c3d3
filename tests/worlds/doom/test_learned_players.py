"""A person with habits is recorded, learned from, and imitated in the same map: all by the commands
that people use.
"""

from __future__ import annotations

import cmath
import json
import math
import time
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from believable.agents.choice import choose_agent
from believable.cli import group
from believable.core.errors import InvalidInput
from believable.imitation.imitator import Imitator, MoveCommand, Sight, learn
from believable.imitation.learned_file import read_imitation, write_imitation
from believable.recordings.file import read
from believable.worlds.doom import DOOM
from believable.worlds.doom.deathmatch_map import deathmatch_map
from believable.worlds.doom.doom_observations import LOOK_TICS, observe_doom
from believable.worlds.doom.doom_round import FRICTION
from believable.worlds.doom.floor_plan import centre
from believable.worlds.doom.habitual_player import habits_of
from believable.worlds.doom.imitating_player import ImitatingPlayer, walking_keys
from tests.imitation.toy import rounds

WELCOME = {
    "known": {
        "map": ["deathmatch", 7],
        "goal": None,
        "corner": [0.0, 2176.0],
        "items": [[item.name, *centre(item.tile)] for item in deathmatch_map(7).items],
    }
}


def run(*words: str) -> str:
    answer = CliRunner().invoke(group, words, catch_exceptions=False)
    assert answer.exit_code == 0, answer.output
    return answer.output


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A minute of a person, and what was learned from it."""
    place = tmp_path_factory.mktemp("person")
    options = (
        "--map",
        "deathmatch",
        "--picture",
        "160x120",
        "--seconds",
        "60",
        "--opponent",
        "nobody",
    )
    run("record", "doom", str(place), *options, "--agent", "regular:3", "--name", "person")
    recording = str(place / "person-01.replay.json.gz")
    run(
        "learn",
        recording,
        "--out",
        str(place / "person.imitation"),
        "--nodes",
        "24",
        "--primitives",
        "12",
    )
    return place


def test_a_recording_is_observed_in_the_learners_words(folder: Path) -> None:
    recording = read(folder / "person-01.replay.json.gz")
    seen = observe_doom(recording)
    assert seen.frames == 60 * 35 // LOOK_TICS
    assert seen.alive.all()
    steps = np.linalg.norm(np.diff(seen.position[:, :2], axis=0), axis=1)
    assert 0.3 < np.median(steps) < 1.2, "tiles in three tics of running"
    last = LOOK_TICS * 100 + 2
    assert seen.yaw[100] % 360 == pytest.approx(
        float(str(recording.telemetry["angle_deg"][last])) % 360
    )
    items = {(item.name, item.tile) for item in deathmatch_map(7).items}
    assert len(seen.pickups) >= 4
    for pickup in seen.pickups:
        assert pickup.place is not None
        tile = (int(pickup.place[0]), 33 - int(pickup.place[1]))
        assert (pickup.item, tile) in items
        assert np.linalg.norm(seen.position[pickup.frame, :2] - pickup.place[:2]) < 2
    with pytest.raises(InvalidInput, match="actor 'bot-9': no figure"):
        observe_doom(recording, "bot-9")


def test_a_person_keeps_its_habits_and_others_have_others() -> None:
    assert habits_of(3) == habits_of(3)
    assert habits_of(3).hand != habits_of(4).hand
    with pytest.raises(InvalidInput, match=r"option person: Input should be .* got 'x'"):
        choose_agent("regular:x", DOOM)
    with pytest.raises(InvalidInput, match="it takes nothing behind a colon"):
        choose_agent("wanderer:3", DOOM)


def test_what_was_learned_plays_the_same_map_and_follows_from_its_seed(folder: Path) -> None:
    options = (
        "--map",
        "deathmatch",
        "--picture",
        "160x120",
        "--seconds",
        "20",
        "--opponent",
        "nobody",
        "--seed",
        "5",
    )
    player = f"imitation:{folder / 'person.imitation'}"
    for name in ("first", "again"):
        run("record", "doom", str(folder), *options, "--agent", player, "--name", name)
    first, again = (read(folder / f"{name}-01.replay.json.gz") for name in ("first", "again"))
    assert first == again
    seen = observe_doom(first)
    model = read_imitation(folder / "person.imitation")
    assert np.ptp(seen.position[:, :2], axis=0).max() > 3, "it gets about"
    near = np.linalg.norm(seen.position[:, None] - model.topology.nodes[None], axis=2).min(1)
    assert np.median(near) < 3, "it stays where the person went"
    files = (
        "--held-out",
        str(folder / "person-01.replay.json.gz"),
        "--played",
        str(folder / "first-01.replay.json.gz"),
    )
    rows = json.loads(
        run("evaluate", "imitation", str(folder / "person.imitation"), *files, "--json")
    )
    assert rows["next_node"]["value"] > 0.6
    assert rows["bits"]["value"] < rows["bits_without_chain"]["value"]
    assert "occupancy_distance_imitation" in rows


def test_a_decision_takes_less_than_a_millisecond(folder: Path) -> None:
    """Processor time of this thread: other load on the machine does not count."""
    model = read_imitation(folder / "person.imitation")
    seen = observe_doom(read(folder / "person-01.replay.json.gz"))
    agent = Imitator(model, 1)
    sights = [
        Sight(
            now_ms=frame * model.frame_ms,
            position=(x, y, z),
            yaw=float(seen.yaw[frame]),
            pitch=0.0,
            alive=True,
            carried=seen.carried[frame],
            quantities={name: float(values[frame]) for name, values in seen.quantities.items()},
        )
        for frame, (x, y, z) in enumerate(seen.position.tolist())
    ]
    begun = time.thread_time()
    for sight in sights:
        agent.act(sight)
    assert (time.thread_time() - begun) / len(sights) / LOOK_TICS < 0.001


class _Says:
    def __init__(self, command: MoveCommand) -> None:
        self.command, self.sights = command, list[Sight]()

    def act(self, sight: Sight) -> MoveCommand:
        self.sights.append(sight)
        return self.command


def picture(tick: int, **changed: object) -> dict[str, object]:
    usual = {
        "t": tick,
        "p": [640.0, 1000.0, 64.0, 900, 0],
        "v": [80, 10, 2, 40, 1],
        "w": [1, 2, 3],
        "o": [],
        "e": [],
    }
    return usual | changed


def test_commands_become_keys_and_a_turn_is_spread_over_its_tics() -> None:
    # Looking north (90°), walking west (180°): to the left of the view. A turn of 10° to the left
    # in three tics.
    mind = _Says(
        MoveCommand(turn=10.0, pitch=0.0, direction=180.0, jump=True, fire=False, weapon="Shotgun")
    )
    player = ImitatingPlayer(mind, WELCOME)
    inputs = [player.act(picture(tick)) for tick in range(3)]
    assert [pressed[3] for pressed in inputs] == [-33, -34, -33]
    assert [pressed[:2] for pressed in inputs] == [(0, -1)] * 3
    assert [pressed[6] for pressed in inputs] == [1, 0, 0]
    assert [pressed[8] for pressed in inputs] == [3, 0, 0], (
        "the shotgun is number 3, asked for once"
    )
    assert len(mind.sights) == 1
    sight = mind.sights[0]
    assert sight.position == (10.0, 18.375, 1.0)
    assert (sight.yaw, sight.carried, sight.quantities["armour"]) == (
        90.0,
        frozenset({"Shotgun"}),
        10,
    )


@pytest.mark.parametrize("tiles_per_s", [0.0, 2.0, 5.0, 8.0])
def test_keys_keep_the_speed_that_a_command_asks_for(tiles_per_s: float) -> None:
    """The figure of the engine: a push by keys, then a part of the speed is lost to the ground."""
    command = MoveCommand(
        turn=0.0,
        pitch=0.0,
        direction=30.0,
        jump=False,
        fire=False,
        weapon="",
        tiles_per_s=tiles_per_s,
    )
    place, moved, way = 0j, 0j, []
    for _ in range(105):
        forward, side = walking_keys(command, 70.0, (moved.real, moved.imag))
        ahead = cmath.rect(1.5625, math.radians(70))
        moved = FRICTION * moved + forward * ahead - side * 0.8 * 1j * ahead
        place += moved
        way.append(place)
    gone = (way[-1] - way[34]) / 64 / 2
    assert abs(gone) == pytest.approx(tiles_per_s, abs=0.4)
    if tiles_per_s:
        assert math.degrees(cmath.phase(gone)) == pytest.approx(30, abs=5)


def test_a_pickup_is_named_after_what_lay_there() -> None:
    item = deathmatch_map(7).items[0]
    x, y = 64 * item.tile[0] + 40.0, 64 * item.tile[1] + 32.0
    mind = _Says(
        MoveCommand(turn=0.0, pitch=0.0, direction=None, jump=False, fire=False, weapon="")
    )
    player = ImitatingPlayer(mind, WELCOME)
    player.act(picture(1, p=[x, y, 0.0, 0, 0], e=["pickup"]))
    player.act(picture(3))
    assert mind.sights[-1].picked_up == (item.name,)


def test_a_player_that_cannot_play_here_is_told(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"its file is missing\. Write imitation:FILE"):
        choose_agent("imitation", DOOM)
    write_imitation(learn([rounds(2)]), tmp_path / "duel.imitation")
    with pytest.raises(
        InvalidInput, match=r"learned from frames of 100 ms, not from rounds of Doom \(85\.7 ms\)"
    ):
        choose_agent(f"{tmp_path / 'duel.imitation'}", DOOM).sit_down(1)
