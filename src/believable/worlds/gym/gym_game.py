"""A Gymnasium environment as a game that people play: stepped by keys, seen as the environment
draws itself.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from itertools import islice
from typing import Any

from believable.contracts.film import View
from believable.contracts.game import Pixels, RoundOutcome, SeatInputs
from believable.contracts.inputs import Input, PressCounter
from believable.core.errors import InvalidInput
from believable.recordings.recording import Actor, RecordedWorld, Recording, Scalar, Timing
from believable.worlds.gym.gym_environment import (
    LAST,
    WAIT,
    Action,
    action_in,
    fit_frame,
    make_environment,
    picture_of,
    replay_pictures,
)
from believable.worlds.gym.gym_round import (
    KEY,
    PLAYER,
    TELEMETRY,
    EnvironmentOrigin,
    GymSetup,
    changed_options,
)

PRACTICE_S = 3600


class EpisodeLog:
    """The events frame by frame, as the columns of a recording. Values of `info` have separate
    columns.
    """

    def __init__(self, info: Sequence[str] = ()) -> None:
        self._info = {name: f"info.{name}" for name in info}
        self.columns: dict[str, list[Scalar]] = {
            **{column.name: [] for column in TELEMETRY},
            **{name: [] for name in self._info.values()},
        }
        self.seeds: dict[int, int | None] = {}
        self.episode = -1
        self.total = 0.0

    @property
    def frames(self) -> int:
        return len(self.columns["episode"])

    def begin(self, seed: int | None) -> None:
        self.episode += 1
        self.seeds[self.episode] = seed
        self.total = 0.0

    def add(
        self,
        pressed: Input,
        action: Action | None,
        reward: float,
        terminated: bool,
        truncated: bool,
        info: Mapping[str, Any],
    ) -> None:
        self.total += reward
        row: dict[str, Scalar] = {
            KEY.name: KEY.choice(pressed[0]),
            "action": None if action is None else json.dumps(action),
            "reward": reward,
            "return": self.total,
            "episode": self.episode,
            "terminated": terminated,
            "truncated": truncated,
            **{column: _scalar(info.get(name)) for name, column in self._info.items()},
        }
        for name, value in row.items():
            self.columns[name].append(value)

    def recording(
        self, frames_per_s: int, provenance: Mapping[str, Scalar], agent: str | None
    ) -> Recording:
        return Recording(
            world=RecordedWorld(kind="gym", width=1, height=1, walls=(".",)),
            actors=(Actor(PLAYER, "You", PLAYER),),
            timing=Timing(frame_ms=1000 / frames_per_s, frames=self.frames),
            tracks=(),
            telemetry={name: tuple(column) for name, column in self.columns.items()},
            seed=self.seeds[0],
            agent=agent,
            provenance={"world": "gym", "seeds": json.dumps(self.seeds), **provenance},
        )


def _scalar(value: Any) -> Scalar:
    plain = value.item() if hasattr(value, "item") and getattr(value, "size", 1) == 1 else value
    return (
        plain
        if plain is None or isinstance(plain, str | int | float | bool)
        else json.dumps(plain, default=str)
    )


class GymGame:
    """One round. An episode that ended is shown for a tick, then the round is over, or the next
    episode begins.
    """

    def __init__(self, setup: GymSetup, *, recorded: bool = False) -> None:
        self.setup = setup
        self._env = make_environment(setup.env, setup.env_options, setup.episode_steps)
        self._again = setup.begin_again or setup.practice
        self._log = EpisodeLog() if recorded else None
        self.tick = 0
        self.ticks = PRACTICE_S * setup.fps if setup.practice else setup.ticks
        self._episode = -1
        self._points = 0.0
        self._last: Action | None = None
        self._held: Action | None = None
        self._presses = PressCounter(KEY)
        self._picture: Pixels | None = None
        self._begin()

    def _begin(self) -> None:
        self._episode += 1
        seed = self.setup.episode_seed(self._episode)
        self._env.reset(seed=seed)
        self._ended, self._picture = False, None
        if self._log is not None:
            self._log.begin(seed)

    def over(self) -> RoundOutcome | None:
        ended = self.tick >= self.ticks or (self._ended and not self._again)
        return RoundOutcome(round(self._points)) if ended else None

    def step(self, inputs: SeatInputs) -> Sequence[str]:
        pressed = inputs[PLAYER]
        self.tick += 1
        if self._ended:
            self._begin()
            self._keep(pressed, None)
            return ["begun"]
        action = self._action(pressed)
        if action is None:
            self._keep(pressed, None)
            return []
        _, reward, terminated, truncated, _ = self._env.step(
            action_in(self._env.action_space, action)
        )
        self._picture, self._last, self._ended = None, action, bool(terminated or truncated)
        self._points += float(reward)
        self._keep(pressed, action, float(reward), bool(terminated), bool(truncated))
        return [*(("points",) if reward > 0 else ()), *(("ended",) if self._ended else ())]

    def _action(self, pressed: Input) -> Action | None:
        """The action of this tick. If the environment waits, each press is one step, however
        quickly the next one follows; of a player who does not count presses, a key counts when it
        is pressed.
        """
        wanted, held, idle = self.setup.action_for(pressed), self._held, self.setup.idle
        self._held, new = wanted, self._presses.see(pressed[0])
        if idle == WAIT:
            counted = KEY.serial(pressed[0]) > 0
            return wanted if (new if counted else wanted != held) else None
        if wanted is not None:
            return wanted
        return self._last if isinstance(idle, str) else idle

    def _keep(
        self,
        pressed: Input,
        action: Action | None,
        reward: float = 0.0,
        terminated: bool = False,
        truncated: bool = False,
    ) -> None:
        if self._log is not None:
            self._log.add(pressed, action, reward, terminated, truncated, {})

    def skip(self, inputs: Sequence[SeatInputs]) -> None:
        for pressed in inputs:
            self.step(pressed)

    def picture(self, seat: str) -> Pixels:
        if self._picture is None:
            self._picture = picture_of(self._env)
        return self._picture

    def view(self, seat: str) -> Mapping[str, Any]:
        return {"ep": self._episode, "s": round(self._points)}

    def welcome(self, seat: str) -> Mapping[str, Any]:
        height_px, width_px = self.picture(seat).shape[:2]
        return {"width_px": width_px, "height_px": height_px}

    def record(self) -> Recording:
        assert self._log is not None, "made with `recorded`"
        return self._log.recording(self.setup.fps, _provenance(self.setup), None)

    def close(self) -> None:
        self._env.close()


def _provenance(setup: GymSetup) -> Mapping[str, Scalar]:
    return {
        "setup": setup.model_dump_json(),
        "environment": setup.origin.model_dump_json(),
        "start_options": changed_options(setup.env, setup.env_options),
    }


assert {LAST, WAIT} == {"last", "wait"}, "GymOptions.idle writes them out"


# ----------------------------------------------------------------------------------------------
# films


def pictures(recording: Recording, view: View) -> Generator[Pixels, None, None]:
    """The environment stepped again with the same seeds and actions, one picture for each frame."""
    for picture in islice(_played_again(recording), view.first_frame, None):
        yield fit_frame(picture, view.width_px, view.height_px)


def size_px(recording: Recording) -> tuple[int, int]:
    """Width and height of the picture as it was played."""
    with closing(_played_again(recording)) as again:
        height_px, width_px = next(again).shape[:2]
    return width_px, height_px


def _played_again(recording: Recording) -> Generator[Pixels, None, None]:
    origin, seeds = recording.provenance.get("environment"), recording.provenance.get("seeds")
    if recording.world.kind != "gym" or not isinstance(origin, str) or not isinstance(seeds, str):
        raise InvalidInput(
            "the recording does not say how its environment was made; it cannot be filmed again."
            " Use the film next to it."
        )
    settled = EnvironmentOrigin.model_validate_json(origin)
    by_episode = {int(number): seed for number, seed in json.loads(seeds).items()}
    columns = recording.telemetry
    episodes = [int(number or 0) for number in columns["episode"]]
    actions = [None if action is None else str(action) for action in columns["action"]]
    rewards = [float(reward or 0) for reward in columns["reward"]]
    with closing(
        make_environment(settled.env, settled.env_options, settled.episode_steps)
    ) as environment:
        yield from replay_pictures(environment, by_episode, episodes, actions, rewards)
