"""Any agent's episodes as clips: a film, and with it a recording of actions, rewards and chosen
values of `info`.

    env = believable.record(gymnasium.make("MiniGrid-Empty-8x8-v0", render_mode="rgb_array"),
    "clips/agent", every=100)

From there on the environment is used as before; each recorded episode becomes `episode-000001.mp4`
and `episode-000001.replay.json.gz`. A recording never stops a training: what goes wrong while an
episode is recorded is a `RecordingWarning`.
"""

from __future__ import annotations

import json
import sys
import warnings
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from believable.agents.identity import identity_of
from believable.core.errors import InvalidInput
from believable.recordings.file import write
from believable.recordings.film_file import FilmFile, load_av
from believable.recordings.recording import Scalar
from believable.worlds.gym.gym_environment import (
    FRAMES_PER_S,
    fit_frame,
    load_gymnasium,
    must_draw,
    picture_of,
    plain_action,
)
from believable.worlds.gym.gym_game import EpisodeLog
from believable.worlds.gym.gym_round import INPUTS, EnvironmentOrigin, changed_options

#: As films of recordings of rendered worlds: how a clip was made must not reveal who plays in it.
PRESET = "superfast"
FILM, RECORDING = ".mp4", ".replay.json.gz"
#: Names with this many digits sort in the order of the episodes.
DIGITS = 6
BROKEN_OFF = "broken off"
_RESERVED = ".reserved"


class RecordingWarning(UserWarning):
    """An episode is not recorded, or only in part. The environment continues."""


class EpisodeRecorder:
    """Records one environment; an episode's files appear when it ends, or is broken off by the next
    reset, by closing, or by the end of the program. The first picture is the start, as in
    recordings of people.
    """

    def __init__(
        self,
        next_name: Callable[[], Path],
        frames_per_s: int,
        info: Sequence[str],
        agent: str | None,
        about: Mapping[str, Scalar] | None = None,
    ) -> None:
        self._next_name, self._frames_per_s = next_name, frames_per_s
        self._info, self._agent = tuple(info), agent
        self._about = about or {}
        self._log: EpisodeLog | None = None
        self._film: FilmFile | None = None
        self._size: tuple[int, int] | None = None
        self._target = Path()
        self._provenance: Mapping[str, Scalar] = {}
        self._acted = False
        self.written: list[Path] = []

    def begin(self, env: Any, seed: int | None, about: Mapping[str, Scalar] | None = None) -> None:
        self.finish(BROKEN_OFF)
        self._target = self._next_name()
        try:
            self._log = EpisodeLog(self._info)
            self._log.begin(seed)
            self._provenance = {**_origin(env, seed), **self._about, **(about or {})}
            self._film = FilmFile(
                _with_ending(self._target, FILM),
                self._frames_per_s,
                what="Filming episodes",
                preset=PRESET,
            )
            self._acted, self._size = False, None
            self.wait(env, 1)
        except BaseException:
            self.discard()
            raise

    @property
    def frames(self) -> int:
        """The number of pictures of the current episode."""
        return 0 if self._log is None else self._log.frames

    def wait(self, env: Any, frames: int) -> None:
        """Add pictures during which the agent does nothing."""
        if self._log is None or self._film is None:
            return
        for _ in range(frames):
            self._film.add(self._picture(env))
            self._log.add(INPUTS.nothing, None, 0.0, False, False, {})

    def add_step(
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
        self._film.add(self._picture(env))
        self._log.add(INPUTS.nothing, plain_action(action), reward, *ended, info)
        if any(ended):
            self.finish("terminated" if ended[0] else "truncated")

    def _picture(self, env: Any) -> Any:
        """All pictures of a film have the size of its first."""
        picture = picture_of(env)
        height_px, width_px = picture.shape[:2]
        if self._size is None:
            self._size = (width_px, height_px)
        elif self._size != (width_px, height_px):
            warnings.warn(
                f"{self._target.name}: picture {self.frames} is {width_px}×{height_px}, the first"
                f" was {self._size[0]}×{self._size[1]}. It is fitted into that size.",
                RecordingWarning,
                stacklevel=2,
            )
            picture = fit_frame(picture, *self._size)
        return picture

    def finish(self, how: str) -> None:
        """Write what there is of an episode; nothing if none was begun, or no step was made."""
        log, film = self._log, self._film
        if log is None or film is None:
            return
        if not self._acted:
            self.discard()
            return
        self._log = self._film = None
        film.finish()
        recording = log.recording(
            self._frames_per_s, {**self._provenance, "ended": how}, self._agent
        )
        write(recording, _with_ending(self._target, RECORDING))
        self.written += [_with_ending(self._target, FILM), _with_ending(self._target, RECORDING)]
        _with_ending(self._target, _RESERVED).unlink(missing_ok=True)

    def discard(self) -> None:
        """Drop the episode that is being recorded."""
        film, self._log, self._film = self._film, None, None
        if film is not None:
            film.discard()
        _with_ending(self._target, _RESERVED).unlink(missing_ok=True)


def _with_ending(target: Path, ending: str) -> Path:
    name = f".{target.name}{ending}" if ending == _RESERVED else f"{target.name}{ending}"
    return target.with_name(name)


def _free_names(folder: Path, name: str) -> Iterator[Path]:
    """Names in order, after those in the folder. Each is reserved, so that several environments
    and processes can share a folder.
    """
    number = 0
    for file in folder.glob(f"{name}-*") if folder.is_dir() else ():
        written = file.name.removeprefix(f"{name}-").partition(".")[0]
        number = max(number, int(written) if written.isdecimal() else 0)
    while True:
        number += 1
        target = folder / f"{name}-{number:0{DIGITS}d}"
        folder.mkdir(parents=True, exist_ok=True)
        try:
            _with_ending(target, _RESERVED).touch(exist_ok=False)
        except FileExistsError:
            continue
        if any(_with_ending(target, ending).exists() for ending in (FILM, RECORDING)):
            _with_ending(target, _RESERVED).unlink(missing_ok=True)
            continue
        yield target


def _origin(env: Any, seed: int | None) -> Mapping[str, Scalar]:
    """Data that can make the environment again: its id and its arguments, as far as they are
    plain data.
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


@contextmanager
def _only_warned(recorder: EpisodeRecorder) -> Iterator[None]:
    """A recording that fails is dropped, and the training continues."""
    try:
        yield
    except Exception as error:  # noqa: BLE001  whatever it is, it must not stop a training
        with suppress(Exception):
            recorder.discard()
        warnings.warn(
            f"this episode is not recorded: {type(error).__name__}: {error}",
            RecordingWarning,
            stacklevel=3,
        )


def wrap(env: Any, recorder: EpisodeRecorder, is_recorded: Callable[[int], bool]) -> Any:
    """The environment itself; what goes through it is kept."""
    gymnasium = load_gymnasium()

    class RecordedEnvironment(gymnasium.Wrapper):  # type: ignore[misc,name-defined]
        episodes = 0

        def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
            with _only_warned(recorder):
                recorder.finish(BROKEN_OFF)
            observation, info = self.env.reset(seed=seed, options=options)
            with _only_warned(recorder):
                if is_recorded(self.episodes):
                    about: dict[str, Scalar] = {"episode": self.episodes}
                    recorder.begin(self.env, None if options else seed, about)
            self.episodes += 1
            return observation, info

        def step(self, action: Any) -> Any:
            observation, reward, terminated, truncated, info = self.env.step(action)
            with _only_warned(recorder):
                ended = (bool(terminated), bool(truncated))
                recorder.add_step(self.env, action, float(reward), ended, info)
            return observation, reward, terminated, truncated, info

        def close(self) -> None:
            with _only_warned(recorder):
                recorder.finish(BROKEN_OFF)
            self.env.close()

    wrapped = RecordedEnvironment(env)
    # Also at the end of a program that was left by an exception.
    weakref.finalize(wrapped, _finish_at_last, recorder)
    return wrapped


def _finish_at_last(recorder: EpisodeRecorder) -> None:
    with suppress(Exception):
        recorder.finish(BROKEN_OFF)


def record(
    env: Any,
    folder: Path | str,
    *,
    name: str = "episode",
    info: Sequence[str] = (),
    frames_per_s: int | None = None,
    agent: str | None = None,
    checkpoint: Path | str | None = None,
    every: int = 1,
    episode_trigger: Callable[[int], bool] | None = None,
    enabled: bool = True,
) -> Any:
    """A Gymnasium environment that films episodes into `folder`: `NAME-000001.mp4` with
    `NAME-000001.replay.json.gz`, and so on with the next free number.

    Film and recording have a picture and a row for each step: action, reward, return, and the
    values of `info` that are named. `agent` is who acts, for the lab's records; judges do not get
    it. With it the recording keeps the SHA-256 and the commit of the running script, and the
    SHA-256 of `checkpoint`. Only every `every`-th episode is recorded, or those for which
    `episode_trigger(number)` is true (counted from 0); the others cost nothing. `enabled=False`
    returns the environment as it is.

    The environment must draw itself (`render_mode="rgb_array"`). Reset it with a seed, and the
    recording can be filmed again at any size. What goes wrong later is a `RecordingWarning`, never
    an exception. An episode that is under way when the program ends is kept. Needs the extras
    `gym` and `video`.
    """
    if not enabled:
        return env
    gymnasium = load_gymnasium()
    if not isinstance(env, gymnasium.Env):
        raise InvalidInput(f"record: {_not_one_environment(env)}")
    if every < 1:
        raise InvalidInput(f"record: every: expected 1 or more, got {every}.")
    must_draw(env, env.spec.id if env.spec else type(env.unwrapped).__name__)
    load_av("Filming episodes")
    pace = frames_per_s or round(env.metadata.get("render_fps") or FRAMES_PER_S)
    names = _free_names(Path(folder), name)
    about = {} if agent is None else _running_agent(agent, checkpoint)
    recorder = EpisodeRecorder(lambda: next(names), pace, info, agent, about)
    return wrap(env, recorder, episode_trigger or (lambda number: number % every == 0))


def _running_agent(agent: str, checkpoint: Path | str | None) -> Mapping[str, Scalar]:
    """The agent of a loop of the user's own: its code is the program that runs."""
    program = sys.modules["__main__"]
    return identity_of(agent, program, None, None if checkpoint is None else Path(checkpoint))


def _not_one_environment(env: Any) -> str:
    """The value that was given, and the fix."""
    kind = type(env)
    families = [base.__module__.partition(".")[0] for base in kind.__mro__]
    if hasattr(env, "num_envs") or hasattr(env, "get_attr"):
        return (
            "expected one environment, got a vector of them. Record inside it:"
            " gymnasium.make_vec(ID, num_envs=8, vector_kwargs={}, wrappers=[lambda env:"
            ' believable.record(env, "clips")], render_mode="rgb_array")'
        )
    if "pettingzoo" in families or hasattr(env, "possible_agents"):
        return (
            "expected a Gymnasium environment, got one of PettingZoo, in which several agents act."
            " Wrap it as a gymnasium.Env in which one agent acts and the others are part of the"
            " environment, and record that."
        )
    return f"expected a Gymnasium environment, got {kind.__name__}."
