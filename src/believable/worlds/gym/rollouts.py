"""Any agent's episodes as clips: a film, and beside it a recording with actions, rewards and chosen
values of `info`.

    env = believable.record(gymnasium.make("MiniGrid-Empty-8x8-v0", render_mode="rgb_array"),
    "clips/agent")

From there on the environment is used as before; each episode becomes `episode-01.mp4` and
`episode-01.replay.json.gz`.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from believable.core.errors import InvalidInput, Refused
from believable.core.seeds import derive
from believable.recordings.file import write
from believable.recordings.film_file import FilmFile
from believable.recordings.recording import Scalar
from believable.worlds.gym.gym_environment import (
    FRAMES_PER_S,
    WAIT,
    load_gymnasium,
    make_environment,
    must_draw,
    picture_of,
    plain_action,
)
from believable.worlds.gym.gym_game import EpisodeLog
from believable.worlds.gym.gym_round import INPUTS, EnvironmentOrigin, GymSetup, changed_options

#: As films of recordings of rendered worlds: how a clip was made must not tell who plays in it.
PRESET = "superfast"
FILM, RECORDING = ".mp4", ".replay.json.gz"

#: How fast people are assumed to go where the environment waits for them: 0.28 s for the key of an
#: average typist (Card, Moran and Newell 1980, keystroke-level model) and 0.15 s to decide one bit
#: (Hick 1952, Hyman 1953).
HUMAN_STEPS_PER_S = 1 / (0.28 + 0.15)
#: Standard deviation of the logarithm of the time between two steps: people's gaps vary, with a
#: long tail.
GAP_LOG_SD = 0.35


class EpisodeRecorder:
    """Watches one environment; an episode's files appear when it ends, or is broken off by the next
    or by closing. The first picture is the start, as in recordings of people.
    """

    def __init__(
        self,
        name_of: Callable[[int], Path],
        frames_per_s: int,
        info: Sequence[str],
        agent: str | None,
        about: Mapping[str, Scalar] | None = None,
    ) -> None:
        self._name_of, self._frames_per_s, self._info, self._agent = (
            name_of,
            frames_per_s,
            tuple(info),
            agent,
        )
        self._about = about or {}
        self._log: EpisodeLog | None = None
        self._film: FilmFile | None = None
        self._target = Path()
        self._provenance: Mapping[str, Scalar] = {}
        self._acted = False
        self.written: list[Path] = []
        self._episodes = 0

    def begin(self, env: Any, seed: int | None) -> None:
        self.finish("broken off")
        self._episodes += 1
        self._target = self._name_of(self._episodes)
        for ending in (FILM, RECORDING):
            if (file := _beside(self._target, ending)).exists():
                raise Refused(
                    f"{file} exists already. Choose another folder or name, or move it away."
                )
        self._target.parent.mkdir(parents=True, exist_ok=True)
        self._log = EpisodeLog(self._info)
        self._log.begin(seed)
        self._provenance = {**_origin(env, seed), **self._about}
        self._film = FilmFile(
            _beside(self._target, FILM), self._frames_per_s, what="Filming episodes", preset=PRESET
        )
        self._acted = False
        self.wait(env, 1)

    @property
    def frames(self) -> int:
        """Pictures of the episode so far."""
        return 0 if self._log is None else self._log.frames

    def wait(self, env: Any, frames: int) -> None:
        """Nobody acts for so many pictures."""
        if self._log is None or self._film is None:
            return
        for _ in range(frames):
            self._film.add(picture_of(env))
            self._log.add(INPUTS.nothing, None, 0.0, False, False, {})

    def see(
        self,
        env: Any,
        action: Any,
        reward: float,
        ended: tuple[bool, bool],
        info: Mapping[str, Any],
    ) -> None:
        if self._log is None or self._film is None:
            return  # Gymnasium itself complains of a step before a reset, or after the end
        self._acted = True
        self._film.add(picture_of(env))
        self._log.add(INPUTS.nothing, plain_action(action), reward, *ended, info)
        if any(ended):
            self.finish("terminated" if ended[0] else "truncated")

    def finish(self, how: str) -> None:
        """Write what there is of an episode; nothing where none was begun, or nobody acted in
        it.
        """
        log, film = self._log, self._film
        self._log = self._film = None
        if log is None or film is None:
            return
        if not self._acted:
            film.discard()
            self._episodes -= 1
            return
        film.finish()
        recording = log.recording(
            self._frames_per_s, {**self._provenance, "ended": how}, self._agent
        )
        write(recording, _beside(self._target, RECORDING))
        self.written += [_beside(self._target, FILM), _beside(self._target, RECORDING)]


def _beside(target: Path, ending: str) -> Path:
    return target.with_name(target.name + ending)


def _origin(env: Any, seed: int | None) -> Mapping[str, Scalar]:
    """What the environment can be made again from: its id and what it was made with, as far as that
    is plain data.
    """
    spec = env.spec
    if spec is None or seed is None:
        return {"env": type(env.unwrapped).__name__ if spec is None else spec.id}
    options = {name: value for name, value in spec.kwargs.items() if name != "render_mode"}
    plain = all(isinstance(value, str | int | float | bool) for value in options.values())
    if not plain or spec.additional_wrappers:
        return {"env": spec.id, "env_options": json.dumps(options, default=str)}
    origin = EnvironmentOrigin(
        env=spec.id, env_options=options, episode_steps=spec.max_episode_steps
    )
    return {
        "env": spec.id,
        "environment": origin.model_dump_json(),
        "start_options": changed_options(spec.id, options),
    }


def _wrapper(env: Any, recorder: EpisodeRecorder) -> Any:
    gymnasium = load_gymnasium()

    class RecordedEnvironment(gymnasium.Wrapper):  # type: ignore[misc,name-defined]
        """The environment itself; what goes through it is kept."""

        def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
            observation, info = self.env.reset(seed=seed, options=options)
            recorder.begin(self.env, None if options else seed)
            return observation, info

        def step(self, action: Any) -> Any:
            observation, reward, terminated, truncated, info = self.env.step(action)
            recorder.see(self.env, action, float(reward), (bool(terminated), bool(truncated)), info)
            return observation, reward, terminated, truncated, info

        def close(self) -> None:
            recorder.finish("broken off")
            self.env.close()

    return RecordedEnvironment(env)


def record(
    env: Any,
    folder: Path | str,
    *,
    name: str = "episode",
    info: Sequence[str] = (),
    frames_per_s: int | None = None,
    agent: str | None = None,
) -> Any:
    """A Gymnasium environment that films every episode into `folder`: `NAME-01.mp4` with
    `NAME-01.replay.json.gz`, and so on.

    Film and recording have a picture and a row for each step: action, reward, return, and the
    values of `info` that are named. `agent` is who acts, for the lab's records; judges do not get
    it. The environment must draw itself (`render_mode="rgb_array"`). Reset it with a seed, and the
    recording can be filmed again at any size. Needs the extras `gym` and `video`.
    """
    gymnasium = load_gymnasium()
    if not isinstance(env, gymnasium.Env):
        raise InvalidInput(f"record: expected a Gymnasium environment, got {type(env).__name__}.")
    must_draw(env, env.spec.id if env.spec else type(env.unwrapped).__name__)
    pace = frames_per_s or round(env.metadata.get("render_fps") or FRAMES_PER_S)
    recorder = EpisodeRecorder(
        lambda number: Path(folder) / f"{name}-{number:02d}", pace, info, agent
    )
    return _wrapper(env, recorder)


def rollout(
    setup: GymSetup, program: Callable[..., Any], target: Path, steps_per_s: float | None = None
) -> Sequence[Path]:
    """One episode of a program: `program(env)` returns a function from an observation to an action.
    With `steps_per_s` it waits between its steps as people do; otherwise it acts in every picture.
    """
    if steps_per_s is not None and setup.idle != WAIT:
        raise InvalidInput(
            f"--pace: {setup.env!r} goes on by itself, {setup.fps} steps a second for agents and"
            " people alike. Leave --pace out."
        )
    about: dict[str, Scalar] = (
        {} if steps_per_s is None else {"steps_per_s": steps_per_s, "gap_log_sd": GAP_LOG_SD}
    )
    recorder = EpisodeRecorder(
        lambda number: target, setup.fps, (), getattr(program, "__name__", None), about
    )
    env = _wrapper(make_environment(setup.env, setup.env_options, setup.episode_steps), recorder)
    env.action_space.seed(setup.seed)
    gaps = _gaps(setup, steps_per_s)
    try:
        act = program(env)
        if not callable(act):
            raise InvalidInput(
                f"the agent gave {type(act).__name__}, expected a function from an observation to"
                " an action: def agent(env): return lambda observation: env.action_space.sample()"
            )
        observation, _ = env.reset(seed=setup.seed)
        while recorder.frames < setup.ticks:
            recorder.wait(env.env, min(next(gaps), setup.ticks - recorder.frames - 1))
            observation, _, terminated, truncated, _ = env.step(act(observation))
            if terminated or truncated:
                break
    finally:
        env.close()
    return recorder.written


def _gaps(setup: GymSetup, steps_per_s: float | None) -> Iterator[int]:
    """How many pictures pass without a step before each step: gaps are log-normal, with the mean
    that the pace asks for.
    """
    rng = random.Random(derive(setup.seed, "pace"))
    at_s, last = 0.0, 0
    while steps_per_s is None:
        yield 0
    while True:
        at_s += rng.lognormvariate(-math.log(steps_per_s) - GAP_LOG_SD**2 / 2, GAP_LOG_SD)
        frame = max(last + 1, round(at_s * setup.fps))
        yield frame - last - 1
        last = frame
