"""Any Gymnasium environment as a world: played by keys, deterministic, filmed again; what cannot be
played is told.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

from believable.contracts.film import View
from believable.contracts.game import RoundContext
from believable.contracts.inputs import SERIALS, InputChange
from believable.study.load import problems
from believable.worlds.gym import GYM
from believable.worlds.gym.gym_environment import facts_of
from believable.worlds.gym.gym_game import GymGame, pictures
from believable.worlds.gym.gym_round import (
    KEYS,
    GymOptions,
    GymSetup,
    controls_of,
    problems_of,
    start_of,
)
from believable.worlds.live_round import LiveRound, NumberedInput, record_round
from believable.worlds.world_check import check_world

MINIGRID, PONG, CARTPOLE = "MiniGrid-Empty-5x5-v0", "ALE/Pong-v5", "CartPole-v1"
PONG_KEYS: dict[str, Any] = {"ArrowUp": 2, "ArrowDown": 3}


class Blind(gymnasium.Env[int, int]):
    """Draws nothing."""

    metadata = {"render_modes": ["ansi"]}  # noqa: RUF012  as its base
    action_space = gymnasium.spaces.Discrete(2)
    observation_space = gymnasium.spaces.Discrete(2)

    def __init__(self, render_mode: str | None = None) -> None:
        self.render_mode = "ansi"


gymnasium.register("Blind-v0", entry_point=Blind)


def setup(seconds: int = 2, **options: Any) -> GymSetup:
    settled: GymSetup = GYM.game.trial.resolve(
        GymOptions(**options), RoundContext(session_seed=3, trial_key="trial", duration_s=seconds)
    )
    return settled


def with_usual(**options: Any) -> Any:
    """The world with these options in place of its usual ones."""
    usual = type("Usual", (GymOptions,), {"__annotations__": {}})
    for name, value in options.items():
        usual.model_fields[name].default = value
        usual.model_fields[name].default_factory = None
    usual.model_rebuild(force=True)
    trial = replace(GYM.game.trial, options=usual)
    return replace(GYM, playing=replace(GYM.game, trial=trial))


@pytest.mark.parametrize(
    "options",
    [{"env": MINIGRID, "fps": 5}, {"env": PONG, "keys": PONG_KEYS, "fps": 4}],
    ids=lambda options: str(options["env"]),
)
def test_it_keeps_the_contract(options: Mapping[str, Any]) -> None:
    world = with_usual(**options)
    assert world.game.trial.options().env == options["env"]
    check_world(world)


def pressed(keys: str = "", *, of: GymSetup) -> dict[str, tuple[int, ...]]:
    return {"player": (("", *of.plays).index(keys),)}


def test_the_environment_gets_what_the_keys_say() -> None:
    settled = setup(env=PONG)
    assert settled.idle == 0
    keys = controls_of(settled).keys
    assert keys["ArrowRight+Space"] == ("key", pressed("ArrowRight+Space", of=settled)["player"][0])
    assert settled.action_for(pressed("ArrowRight", of=settled)["player"]) == 2
    assert settled.action_for(pressed("ArrowRight+Space", of=settled)["player"]) == 4
    assert settled.action_for(pressed(of=settled)["player"]) is None


def test_where_it_waits_each_press_is_one_step() -> None:
    settled = setup(env=MINIGRID)
    game = GymGame(settled, recorded=True)
    for keys in ("", "ArrowUp", "ArrowUp", "", "ArrowUp", "ArrowRight", ""):
        game.step(pressed(keys, of=settled))
    assert game.record().telemetry["action"] == (None, "2", None, None, "2", "1", None)
    game.close()


def taps(every_ms: int, down_ms: int, count: int) -> LiveRound:
    """A round of MiniGrid in which ArrowRight is tapped as a page tells it: 60 looks a second, an
    input with each change.
    """
    settled = setup(seconds=10, env=MINIGRID)
    key, live, sent = (
        pressed("ArrowRight", of=settled)["player"][0],
        LiveRound(GYM.game, settled, recorded=True),
        0,
    )
    tick_ms, last = 1000 / settled.fps, 0
    for look in range(60 * 8):
        at_ms = look * 1000 / 60
        while live.tick * tick_ms < at_ms:
            live.step()
        tap, inside_ms = divmod(at_ms - 500, every_ms)
        value = (
            key + KEYS * (1 + int(tap) % SERIALS) if 0 <= tap < count and inside_ms < down_ms else 0
        )
        if value != last:
            sent, last = sent + 1, value
            live.receive(NumberedInput(sent, live.tick, (value,)))
    return live


@pytest.mark.parametrize(
    ("every_ms", "down_ms"), [(160, 80), (120, 60), (90, 45), (70, 30), (300, 290)]
)
def test_every_fast_tap_is_a_step(every_ms: int, down_ms: int) -> None:
    live = taps(every_ms, down_ms, 12)
    assert [action for action in live.game.record().telemetry["action"] if action is not None] == [
        "1"
    ] * 12
    rebuilt = LiveRound.rebuilt(
        GYM.game, live.game.setup, live.take_changes(), live.tick, recorded=True
    )
    assert rebuilt.game.record().telemetry["action"] == live.game.record().telemetry["action"]


def test_a_key_that_shows_again_is_not_pressed_again() -> None:
    settled = setup(env=MINIGRID)
    up, right = (pressed(key, of=settled)["player"][0] for key in ("ArrowUp", "ArrowRight"))
    first, second, third = up + KEYS, right + 2 * KEYS, up + 3 * KEYS
    game = GymGame(settled, recorded=True)
    for value in (first, first, second, first, 0, third, third):
        game.step({"player": (value,)})
    assert game.record().telemetry["action"] == ("2", None, "1", None, None, "2", None)
    assert game.record().telemetry["key"][2] == right, (
        "the recording says which key, without the number of the press"
    )
    game.close()


def test_a_round_ends_with_its_episode_or_begins_again() -> None:
    once, again = setup(seconds=5, env=CARTPOLE), setup(seconds=5, env=CARTPOLE, begin_again=True)
    left = [InputChange(0, 1, pressed("ArrowLeft", of=once)["player"])]
    short, score = record_round(GYM.game, once, left)
    long, _ = record_round(GYM.game, again, left)
    assert short.telemetry["terminated"][-1] is True
    assert short.timing.frames < long.timing.frames == again.ticks == 250
    assert score == short.timing.frames == short.telemetry["return"][-1]
    episodes = [int(number or 0) for number in long.telemetry["episode"]]
    assert episodes == sorted(episodes)
    assert episodes[-1] >= 10
    bare = gymnasium.make(CARTPOLE)
    bare.reset(seed=once.seed)
    steps = 0
    while not bare.step(0)[2]:
        steps += 1
    assert short.timing.frames == steps + 1
    sizes = {picture.shape for picture in pictures(long, View(width_px=320, height_px=240))}
    assert sizes == {(240, 320, 3)}


def test_the_seed_decides(tmp_path: Path) -> None:
    views = []
    for seed in (1, 1, 2):
        game = GymGame(setup(env="MiniGrid-Empty-Random-6x6-v0", env_seed=seed))
        views.append(game.picture("player").copy())
        game.close()
    assert np.array_equal(views[0], views[1])
    assert not np.array_equal(views[0], views[2])


def test_a_start_is_environment_seed_and_changed_options() -> None:
    def start(**options: Any) -> str | None:
        return start_of(record_round(GYM.game, setup(seconds=1, **options), [])[0])

    assert start(env=MINIGRID, env_seed=5) == f"{MINIGRID}, seed 5"
    assert start(env=MINIGRID, env_seed=5, env_options={"size": 5}) == f"{MINIGRID}, seed 5", (
        "as it is registered"
    )
    assert (
        start(env=MINIGRID, env_seed=5, env_options={"size": 7})
        == f'{MINIGRID}, seed 5, {{"size": 7}}'
    )
    assert start(env=MINIGRID, env_seed=6) != start(env=MINIGRID, env_seed=5)


STUDY = (
    "believable: 1\ntitle: Play\nseed: 1\ntimeline:\n  - play: {{id: game, world: gym, {keys}}}\n "
    " - finish: {{}}\n"
)


def told(folder: Path, keys: str) -> list[str]:
    (folder / "study.yaml").write_text(STUDY.format(keys=keys), encoding="utf-8")
    return [str(problem) for problem in problems(folder) if problem.severity == "error"]


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        (
            "env: Blind-v0",
            (
                "play.env: 'Blind-v0' draws no pictures: its render modes are ansi. Choose one that"
                " has rgb_array."
            ),
        ),
        ("env: MiniGrid-Empty-5x5-v1", "Did you mean 'MiniGrid-Empty-5x5-v0'?"),
        ("env: Nowhere/Thing-v0", "there is no environment 'Nowhere/Thing-v0'."),
        ("env: 'no_module:Thing-v0'", "Install the package that brings it, or correct its name."),
        (
            f"env: {PONG}, keys: {{ArrowUp: 6}}",
            "ArrowUp does what 'ALE/Pong-v5' does not know: expected 0 to 5, got 6.",
        ),
        (f"env: {PONG}, keys: {{up: 2}}", "play.keys: 'up' is no key. Write ArrowUp."),
        (f"env: {PONG}, keys: {{w: 2}}", "'w' is no key. Write KeyW."),
        (f"env: {PONG}, keys: {{ArrowUp: [0.5, 1]}}", "got [0.5, 1"),
        (
            f"env: {PONG}, idle: 7",
            "play.idle: 'ALE/Pong-v5' does not know this action: expected 0 to 5, got 7.",
        ),
        (
            "env: Acrobot-v1",
            (
                "'Acrobot-v1' names no keys. Write keys: {ArrowUp: 0, …} with actions of"
                " Discrete(3)."
            ),
        ),
        ("env: CartPole-v1, fps: 0", "play.fps"),
        ("env: CartPole-v1, env_options: {colour: red}", "'CartPole-v1' cannot be made:"),
    ],
)
def test_what_cannot_be_played_is_told_with_its_place(
    tmp_path: Path, keys: str, words: str
) -> None:
    assert any("study.yaml:5 " in line and words in line for line in told(tmp_path, keys)), told(
        tmp_path, keys
    )


def test_a_missing_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    problem = problems_of(GymOptions(env="CartPole-v0"))
    assert [key for key, _, _ in problem] == ["world"]
    assert "pip install 'believable[gym]'" in problem[0][1]


def test_parts_of_an_action_are_written_as_a_list() -> None:
    space = facts_of("Pendulum-v1", {}).space
    assert space.contains(np.array([1.5], np.float32))
    options = GymOptions.model_validate(
        {"env": "Pendulum-v1", "keys": {"ArrowLeft": (1.5,), "ArrowRight": (-1.5,)}, "idle": (0.0,)}
    )
    assert list(problems_of(options)) == []
    settled = setup(
        env="Pendulum-v1", keys={"ArrowLeft": (1.5,), "ArrowRight": (-1.5,)}, idle=(0.0,)
    )
    game = GymGame(settled, recorded=True)
    for _ in range(3):
        game.step(pressed("ArrowLeft", of=settled))
    game.step(pressed(of=settled))
    assert game.record().telemetry["action"] == ("[1.5]", "[1.5]", "[1.5]", "[0.0]")
    game.close()
