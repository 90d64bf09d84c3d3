"""A round follows from setup and inputs: state, film and recording, however often and however it is
made again.
"""

from __future__ import annotations

import hashlib
import random
import subprocess
from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from believable.contracts.film import View
from believable.contracts.game import RoundContext
from believable.contracts.inputs import Input
from believable.contracts.registries import AGENTS
from believable.core.errors import InvalidInput
from believable.recordings.file import from_bytes, read, to_bytes, write
from believable.recordings.film_file import load_av
from believable.recordings.recording import Recording
from believable.stimuli.render import Look, render_file
from believable.worlds.doom import DOOM
from believable.worlds.doom.deathmatch_map import deathmatch_map
from believable.worlds.doom.doom_engine import BUTTONS, TICS_PER_S, DoomEngine
from believable.worlds.doom.doom_game import DoomGame
from believable.worlds.doom.doom_recording import pictures
from believable.worlds.doom.doom_round import INPUTS, DoomOptions, DoomSetup, problems_of
from believable.worlds.doom.floor_plan import centre
from believable.worlds.doom.items import RESPAWN_S
from believable.worlds.live_round import LiveRound, NumberedInput, record_round, welcome_of
from tests import programs

PLAYING = DOOM.game
FREEDM = Path("/usr/share/games/doom/freedm.wad")


def a_setup(seed: int, *, seconds: int = 5, opponent: str = "bots", **options: object) -> DoomSetup:
    written = DoomOptions.model_validate({"picture": "160x120"} | options)
    setup: DoomSetup = PLAYING.trial.resolve(
        written,
        RoundContext(session_seed=seed, trial_key="t", opponent=opponent, duration_s=seconds),
    )
    return setup


def random_inputs(seed: int, tics: int) -> list[Input]:
    """Runs, turns, jumps and shoots without sense."""
    rng = random.Random(seed)
    return [
        (
            rng.choice((1, 1, 0)),
            rng.choice((-1, 0, 0, 1)),
            0,
            rng.randint(-60, 60),
            rng.randint(-15, 15),
            int(rng.random() < 0.3),
            int(rng.random() < 0.1),
            0,
            rng.choice((0, 0, 0, 0, 2, 3)),
        )
        for _ in range(tics)
    ]


def states(setup: DoomSetup, inputs: Sequence[Input], *, recorded: bool = False) -> list[str]:
    """A hash of all that is known after each tic."""
    game = DoomGame(setup, recorded=recorded)
    hashes: list[str] = []
    try:
        for pressed in inputs:
            happened = game.step({"player": pressed})
            objects = sorted(tuple(thing)[1:] for thing in game.objects)
            hashes.append(
                hashlib.sha256(repr((asdict(game.body), happened, objects)).encode()).hexdigest()
            )
    finally:
        game.close()
    return hashes


@pytest.mark.parametrize("seed", range(10))
def test_the_same_round_twice_has_the_same_state_at_every_tic(seed: int) -> None:
    setup = a_setup(seed, map="deathmatch" if seed % 2 else "navigation")
    inputs = random_inputs(seed, 140)
    first = states(setup, inputs, recorded=True)
    assert first == states(setup, inputs, recorded=True)
    assert len(set(first)) > 100
    if seed == 1:
        assert states(replace_seed(setup), inputs, recorded=True) != first, (
            "bots differ with the engine's seed"
        )


def replace_seed(setup: DoomSetup) -> DoomSetup:
    return setup.model_copy(update={"engine_seed": setup.engine_seed + 1})


def test_skipping_leads_to_the_same_place() -> None:
    setup, inputs = a_setup(4, map="deathmatch"), random_inputs(4, 150)
    stepped, skipped = DoomGame(setup), DoomGame(setup)
    try:
        for pressed in inputs:
            stepped.step({"player": pressed})
        skipped.skip([{"player": pressed} for pressed in inputs])
        assert skipped.tick == stepped.tick == 150
        assert skipped.body == stepped.body
        assert skipped.view("player") == stepped.view("player")
        assert (skipped.picture("player") == stepped.picture("player")).all()
    finally:
        stepped.close()
        skipped.close()


@cache
def played(
    seed: int, player: str, seconds: int, **options: str
) -> tuple[DoomSetup, Recording, int]:
    """A round of a scripted player."""
    setup = a_setup(seed, seconds=seconds, **options)
    live, agent = LiveRound(PLAYING, setup), AGENTS[f"doom/{player}"]
    try:
        act, welcome = agent.new(agent.params(), seed), welcome_of(live, PLAYING, setup)
        while not live.over:
            tick = live.tick
            live.receive(
                NumberedInput(
                    tick + 1, tick, INPUTS.read(act({**live.message(), "welcome": welcome}))
                )
            )
            live.step()
        changes = live.take_changes()
    finally:
        live.game.close()
    recording, score = record_round(PLAYING, setup, changes)
    return setup, recording, score


@pytest.mark.parametrize("seed", range(2))
def test_the_wanderer_leaps_off_the_island_and_reaches_the_goal(seed: int) -> None:
    _, recording, score = played(seed, "wanderer", 40)
    verbs = [action.verb for action in recording.actions]
    assert score == 1
    assert "jump" in verbs
    assert verbs[-1] == "arrive"
    distances = recording.telemetry["goal_distance"]
    assert isinstance(distances[0], float)
    assert isinstance(distances[-1], float)
    assert distances[-1] < 40 < distances[0]
    assert recording.timing.frames < 40 * TICS_PER_S, "the round ends at the goal"


def test_the_person_fights_and_collects() -> None:
    _, recording, _ = played(0, "person", 20, map="deathmatch")
    events = " ".join(str(row) for row in recording.telemetry["events"] if row).split()
    assert events.count("shot") > 5
    assert "pickup" in events
    assert "hit" in events
    bots = [track for track in recording.tracks if track.actor.startswith("bot")]
    assert len(bots) == 3
    assert all(len(set(track.x)) > 50 for track in bots), "they walk about"
    assert len(recording.telemetry["picked_up"]) == recording.timing.frames
    assert any(recording.telemetry["picked_up"])


def test_a_recording_has_height_pitch_and_camera_and_survives_its_file() -> None:
    _, recording, _ = played(0, "person", 20, map="deathmatch")
    track = next(track for track in recording.tracks if track.actor == "player")
    assert (
        len(track.x)
        == len(track.height)
        == len(track.pitch)
        == len(track.camera)
        == recording.timing.frames
    )
    assert len(set(track.camera)) > 1.2 * len(set(track.heading)), "finer than whole degrees"
    angles = recording.telemetry["angle_deg"]
    for camera, heading, angle, z, height in zip(
        track.camera, track.heading, angles, recording.telemetry["z"], track.height, strict=True
    ):
        assert isinstance(angle, float)
        assert isinstance(z, float)
        assert abs((camera / 10 + angle + 180) % 360 - 180) < 0.06
        assert abs((heading + angle + 180) % 360 - 180) < 0.51
        assert abs(height / 1000 * 64 - z) < 0.05
    assert from_bytes(to_bytes(recording), source="x") == recording
    blind = recording.for_judging()
    assert not any(track.height or track.pitch or track.camera for track in blind.tracks)
    assert not blind.telemetry
    assert not blind.provenance
    assert blind.seed is blind.agent is None


def test_film_replay_and_telemetry_agree_on_time(tmp_path: Path) -> None:
    _, recording, _ = played(1, "wanderer", 40)
    source, target = tmp_path / "a.replay.json.gz", tmp_path / "a.mp4"
    write(recording, source)
    count = render_file(
        source, target, Look(width_px=160, height_px=120, frames_per_s=TICS_PER_S, crf=12)
    )
    frames = recording.timing.frames
    assert count == frames == len(recording.telemetry["x"]) == len(recording.tracks[0].x)
    assert abs(recording.timing.duration_ms - frames * 1000 / TICS_PER_S) <= 1
    with load_av("test").open(str(target)) as film:
        decoded = [
            (float(frame.time), frame.to_ndarray(format="rgb24")) for frame in film.decode(video=0)
        ]
    assert len(decoded) == frames
    seen = list(pictures(recording, View(width_px=160, height_px=120)))
    for number in (10, frames // 2, frames - 5):
        at_s, picture = decoded[number]
        assert abs(at_s - number / TICS_PER_S) < 1e-3
        errors = [
            np.abs(picture.astype(int) - seen[other].astype(int)).mean()
            for other in range(number - 4, number + 5)
        ]
        assert errors[4] == min(errors), "the picture of this tic, not of one before or after"


def test_a_film_may_begin_later_and_show_nothing_but_the_surroundings() -> None:
    _, recording, _ = played(1, "wanderer", 40)
    whole = list(pictures(recording, View(width_px=160, height_px=120)))
    later = list(pictures(recording, View(width_px=160, height_px=120, first_frame=25)))
    assert len(later) == len(whole) - 25
    assert all((picture == same).all() for picture, same in zip(later, whole[25:], strict=True))
    _, fight, _ = played(0, "person", 5, map="deathmatch")
    armed, plain = (
        next(pictures(fight, View(width_px=160, height_px=120, plain=plain, first_frame=100)))
        for plain in (False, True)
    )
    changed = np.argwhere((armed != plain).any(2))
    assert len(changed), "a weapon and a crosshair are gone"
    assert changed[:, 0].min() >= 55, "and nothing above them"
    assert (np.abs(changed[:, 1] - 80) < 50).all()


def test_a_film_made_twice_has_the_same_bytes_and_others_from_another_camera(
    tmp_path: Path,
) -> None:
    _, recording, _ = played(1, "wanderer", 40)
    source = tmp_path / "a.replay.json.gz"
    write(recording, source)
    bodies = []
    for number, camera in enumerate(("third", "third", "first")):
        target = tmp_path / f"{number}.mp4"
        render_file(
            source,
            target,
            Look(width_px=320, height_px=180, frames_per_s=TICS_PER_S, camera=camera, to_ms=1500),
        )
        bodies.append(target.read_bytes())
    assert bodies[0] == bodies[1] != bodies[2]


def test_nothing_in_a_film_or_at_the_page_tells_who_played(tmp_path: Path) -> None:
    setup, recording, _ = played(1, "wanderer", 40)
    write(recording, tmp_path / "secret-agent.replay.json.gz")
    render_file(
        tmp_path / "secret-agent.replay.json.gz",
        tmp_path / "film.mp4",
        Look(width_px=160, height_px=120, frames_per_s=35, to_ms=500),
    )
    body = (tmp_path / "film.mp4").read_bytes()
    for word in (b"secret", b"wanderer", b"doom", b"setup", str(setup.engine_seed).encode()):
        assert word not in body
    game = DoomGame(setup)
    told = repr((game.welcome("player"), game.view("player")))
    game.close()
    assert str(setup.engine_seed) not in told
    assert setup.opponent not in told
    assert setup.map not in told
    assert str(setup.map_seed) not in repr(game.welcome("player"))


def test_items_come_back_after_a_known_time() -> None:
    """Somebody begins where a shotgun lies, takes it, and waits."""
    drawn = deathmatch_map(3)
    item = next(item for item in drawn.items if item.name == "Shotgun")
    start = replace(drawn.plan.things[-1], kind=11, x=centre(item.tile)[0], y=centre(item.tile)[1])
    things = (*(thing for thing in drawn.plan.things if thing.kind not in (1, 11)), start)
    plan = replace(drawn.plan, things=things)
    setup = a_setup(3, map="deathmatch", opponent="nobody", seconds=60)
    engine = DoomEngine(replace(setup.engine(), wad=plan.wad()))
    place = centre(item.tile)
    try:
        there: list[bool] = []
        for _ in range((RESPAWN_S + 2) * TICS_PER_S):
            engine.advance(
                [50.0 if len(there) < 10 else 0.0] + [0.0] * (len(BUTTONS) - 1)
            )  # touched when one moves
            (lying,) = (o for o in engine.objects if o.name == "Shotgun" and (o.x, o.y) == place)
            there.append(not lying.hidden)
    finally:
        engine.close()
    assert not there[0], "it was taken with the first step"
    taken, back = 0, there.index(True)
    assert abs((back - taken) / TICS_PER_S - RESPAWN_S) < 0.2


def walk_into_a_pit(setup: DoomSetup) -> tuple[DoomGame, list[str]]:
    game = DoomGame(setup)
    try:
        happened: list[str] = []
        while game.over() is None:
            happened += game.step({"player": (1, 0, 0, 90 if game.tick < 10 else 0, 0, 0, 0, 0, 0)})
    finally:
        game.close()
    return game, happened


def test_a_pit_kills_and_ends_the_run_of_an_agent() -> None:
    setup = a_setup(2, opponent="nobody", seconds=20).model_copy(update={"ends_at_death": True})
    game, happened = walk_into_a_pit(setup)
    assert happened.count("died") == 1
    assert game.score == 0
    assert game.body.health == 0
    assert game.tick < 20 * TICS_PER_S


def test_a_person_who_falls_begins_again_while_the_clock_runs_on() -> None:
    game, happened = walk_into_a_pit(a_setup(2, opponent="nobody", seconds=8))
    assert happened.count("died") >= 2
    assert game.tick == 8 * TICS_PER_S


@pytest.mark.skipif(not FREEDM.is_file(), reason="Debian's package freedm is not installed")
def test_maps_of_freedm_are_played_with_bots() -> None:
    setup, recording, _ = played(1, "wanderer", 8, map=f"{FREEDM}:map06", body="raw")
    assert setup.place.deathmatch
    assert len([track for track in recording.tracks if track.actor.startswith("bot")]) == 3
    assert len(set(recording.tracks[0].x)) > 40
    walls, track = recording.world.walls, recording.tracks[0]
    inside = [walls[y // 1000][x // 1000] == "." for x, y in zip(track.x, track.y, strict=True)]
    assert sum(inside) > 0.9 * len(inside)


def test_options_that_cannot_be_are_told(tmp_path: Path) -> None:
    assert not problems_of(DoomOptions())
    assert [
        key
        for key, _, _ in problems_of(DoomOptions(goal=16, picture="7x7", map="nowhere.wad:map01"))
    ] == ["goal", "picture", "map"]
    with pytest.raises(InvalidInput, match="unknown opponent 'bott'"):
        raise InvalidInput(" ".join(PLAYING.trial.opponents.problem("bott") or ()))


def believable(*words: str) -> subprocess.CompletedProcess[str]:
    return programs.run(*words)


def test_rounds_are_recorded_and_filmed_from_the_command_line(tmp_path: Path) -> None:
    words = [
        "record",
        "doom",
        str(tmp_path),
        "--map",
        "navigation",
        "--agent",
        "wanderer",
        "--camera",
        "first",
        "--film",
        "160x120",
    ]
    done = believable(
        *words, "--seed", "7", "--rounds", "2", "--picture", "160x120", "--seconds", "5"
    )
    assert done.returncode == 0, done.stderr
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        "doom-nobody-01.mp4",
        "doom-nobody-01.replay.json.gz",
        "doom-nobody-02.mp4",
        "doom-nobody-02.replay.json.gz",
    ]
    recording = read(tmp_path / "doom-nobody-01.replay.json.gz")
    assert '"camera":"first"' in str(recording.provenance["setup"])
    with load_av("test").open(str(tmp_path / "doom-nobody-01.mp4")) as film:
        assert film.streams.video[0].frames == recording.timing.frames
    wrong = believable(*words[:-1], "7")
    assert wrong.returncode != 0
    assert "--film: expected WIDTHxHEIGHT such as 640x360, got '7'" in wrong.stderr
