"""Gymnasium environments by their id: construction, inspection, and problems in words. Imports
nothing before that.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import math
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np

from believable.contracts.game import Pixels
from believable.core.errors import InvalidInput, MissingExtra, MissingPackage
from believable.core.registry import did_you_mean

#: An action as a study file writes it: a number, or one number for each part.
Action: TypeAlias = Any
EnvironmentOptions: TypeAlias = Mapping[str, Any]

#: How ids begin that a package registers when it is imported, with its module and what to install.
PACKAGES = {
    "ALE/": ("ale_py", "ale-py"),
    "MiniGrid-": ("minigrid", "minigrid"),
    "BabyAI-": ("minigrid", "minigrid"),
    "believable/": ("believable.environments", "believable[worlds]"),
}
RGB_ARRAY = "rgb_array"
#: Small pictures are shown larger, by a whole number, until they are about so high.
SHOWN_HEIGHT_PX = 400
FRAMES_PER_S = 30

WAIT, LAST = "wait", "last"


@dataclass(frozen=True, slots=True)
class KeyPlan:
    """The action of each key, and the action while none is pressed."""

    keys: Mapping[str, Action]
    idle: Action | str = WAIT


#: Environments that declare no keys, by the beginning of their ids.
READY_KEYS = {
    "CartPole-": KeyPlan({"ArrowLeft": 0, "ArrowRight": 1}, LAST),
    "MountainCar-": KeyPlan({"ArrowLeft": 0, "ArrowRight": 2}, 1),
    "LunarLander-": KeyPlan({"ArrowLeft": 1, "ArrowUp": 2, "ArrowRight": 3}, 0),
    "MiniGrid-": KeyPlan(
        {
            "ArrowLeft": 0,
            "ArrowRight": 1,
            "ArrowUp": 2,
            "KeyP": 3,
            "KeyD": 4,
            "Space": 5,
            "Enter": 6,
        },
        WAIT,
    ),
}
#: What environments call keys, as pygame does, and as browsers do.
_BROWSER_KEYS = {
    " ": "Space",
    "w": "ArrowUp",
    "s": "ArrowDown",
    "a": "ArrowLeft",
    "d": "ArrowRight",
    "\n": "Enter",
}


@dataclass(frozen=True, slots=True)
class EnvironmentFacts:
    """Facts about a constructed environment: its actions, its pace, the keys that it declares, and
    the names of its actions.
    """

    space: Any
    frames_per_s: int
    own: KeyPlan = field(default_factory=lambda: KeyPlan({}))
    meanings: Mapping[int, str] = field(default_factory=dict)


def load_gymnasium() -> Any:
    try:
        return importlib.import_module("gymnasium")
    except ImportError:
        raise MissingExtra(what="the world 'gym'", extra="gym") from None


def make_environment(
    env: str, options: EnvironmentOptions, episode_steps: int | None = None
) -> Any:
    """The environment of this id, drawing pictures; or an error with its problem."""
    gymnasium = load_gymnasium()
    module, _, name = env.rpartition(":")
    try:
        _load_package(module, name)
        spec = gymnasium.spec(name)
    except gymnasium.error.Error as error:
        if (package := _missing_package(name)) is not None:
            raise MissingPackage(
                f"there is no environment {env!r}. Install what brings it: pip install {package!r}"
            ) from None
        raise InvalidInput(
            f"there is no environment {env!r}. {_unknown(gymnasium, name, error)}"
        ) from None
    except ImportError as error:
        raise InvalidInput(
            f"{env!r}: {error}. Install the package that brings it, or correct its name."
        ) from None
    limit = {} if episode_steps is None else {"max_episode_steps": episode_steps}
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings(
                "ignore", ".*not in the possible render_modes"
            )  # said below, with a cure
            environment = gymnasium.make(
                spec.id, render_mode=RGB_ARRAY, disable_env_checker=True, **limit, **options
            )
    except (gymnasium.error.Error, TypeError, ValueError, ImportError) as error:
        raise InvalidInput(f"{env!r} cannot be made: {str(error).strip()[:300]}") from None
    try:
        must_draw(environment, env)
    except InvalidInput:
        environment.close()
        raise
    return environment


def registered_options(env: str) -> EnvironmentOptions:
    """What an environment is made with if nothing else is said."""
    options: EnvironmentOptions = load_gymnasium().spec(env.rpartition(":")[2]).kwargs
    return options


def must_draw(environment: Any, name: str) -> None:
    """Refuses an environment that gives no pictures."""
    modes = list(environment.metadata.get("render_modes", ()))
    if RGB_ARRAY not in modes or environment.render_mode != RGB_ARRAY:
        listed = ", ".join(modes) or "none"
        cure = (
            f"Make it with render_mode={RGB_ARRAY!r}."
            if RGB_ARRAY in modes
            else f"Choose one that has {RGB_ARRAY}."
        )
        raise InvalidInput(f"{name!r} draws no pictures: its render modes are {listed}. {cure}")


def _load_package(named: str, env: str) -> None:
    """What registers the id: the module that is named with it, and those we know."""
    if named.partition(".")[0] in sys.stdlib_module_names:
        raise InvalidInput(
            f"{named}:{env}: {named} is a module of Python, which registers no environment. Name"
            " another."
        )
    if named:
        importlib.import_module(named)
    for beginning, (module, _) in PACKAGES.items():
        if env.startswith(beginning) and importlib.util.find_spec(module) is not None:
            importlib.import_module(module)


def _missing_package(env: str) -> str | None:
    """The package that has this environment and is not installed."""
    for beginning, (module, package) in PACKAGES.items():
        if env.startswith(beginning) and importlib.util.find_spec(module) is None:
            return package
    return None


def _unknown(gymnasium: Any, env: str, error: Exception) -> str:
    near = did_you_mean(env, gymnasium.registry)
    return (
        near
        if near.startswith("Did you mean")
        else f"{error} Write MODULE:{env} to import a module that registers it."
    )


@lru_cache(maxsize=64)
def _facts(env: str, options: str) -> EnvironmentFacts:
    environment = make_environment(env, json.loads(options))
    try:
        bare = environment.unwrapped
        frames_per_s = round(environment.metadata.get("render_fps") or FRAMES_PER_S)
        pace = max(1, min(frames_per_s, 60))
        return EnvironmentFacts(
            environment.action_space, pace, _own_keys(env, bare), _meanings(bare)
        )
    finally:
        environment.close()


def facts_of(env: str, options: EnvironmentOptions) -> EnvironmentFacts:
    """Made once and looked at."""
    return _facts(env, json.dumps(dict(options), sort_keys=True))


def _own_keys(env: str, bare: Any) -> KeyPlan:
    """The keys that an environment declares for Gymnasium's player; else ours, if it is known."""
    if hasattr(bare, "get_keys_to_action"):
        keys = {
            _browser_key(pressed): plain_action(action)
            for pressed, action in bare.get_keys_to_action().items()
        }
        meanings = bare.get_action_meanings() if hasattr(bare, "get_action_meanings") else []
        idle = keys.pop("", meanings.index("NOOP") if "NOOP" in meanings else WAIT)
        if all(keys):
            return KeyPlan(keys, idle)
    return next(
        (plan for beginning, plan in READY_KEYS.items() if env.startswith(beginning)), KeyPlan({})
    )


def _meanings(bare: Any) -> Mapping[int, str]:
    """What an environment calls its actions: ALE in a list, MiniGrid in an enumeration."""
    if hasattr(bare, "get_action_meanings"):
        return {number: name.lower() for number, name in enumerate(bare.get_action_meanings())}
    actions = getattr(bare, "actions", None)
    if isinstance(actions, type) and issubclass(actions, IntEnum):
        return {int(action): action.name.replace("_", " ") for action in actions}
    return {}


def _browser_key(pressed: Any) -> str:
    """`ArrowUp+Space` for the keys that are pressed together; empty for none."""
    parts = (pressed,) if isinstance(pressed, str | int) else tuple(pressed)
    letters = [chr(part) if isinstance(part, int) else str(part) for part in parts]
    return "+".join(
        sorted(
            _BROWSER_KEYS.get(letter, f"Key{letter.upper()}")
            for letter in letters
            if letter not in ("", "\0")
        )
    )


def plain_action(action: Any) -> Action:
    """An action of an environment as plain numbers; of a Dict or Tuple space with its parts."""
    if isinstance(action, Mapping):
        return {str(name): plain_action(part) for name, part in action.items()}
    if isinstance(action, tuple | list):
        return tuple(plain_action(part) for part in action)
    value = np.asarray(action).tolist()
    return tuple(value) if isinstance(value, list) else value


def action_problem(space: Any, action: Action) -> str | None:
    """The problem with an action as an author wrote it."""
    if space.contains(action_in(space, action)):
        return None
    if hasattr(space, "n"):
        first = int(space.start)
        return f"expected {first} to {first + int(space.n) - 1}, got {json.dumps(action)}"
    return f"expected one of {space}, got {json.dumps(action)}"


def action_in(space: Any, action: Action) -> Any:
    """As the environment takes it."""
    parts = getattr(space, "spaces", None)
    if isinstance(parts, Mapping) and isinstance(action, Mapping):
        return {name: action_in(part, action[name]) for name, part in parts.items()}
    if isinstance(parts, tuple) and isinstance(action, tuple | list):
        return tuple(action_in(part, value) for part, value in zip(parts, action, strict=True))
    value = np.asarray(action)
    if hasattr(space, "n") and value.ndim == 0 and value.dtype.kind in "iu":
        return space.dtype.type(action)
    return (
        value.astype(space.dtype)
        if value.ndim and value.dtype.kind in "iuf" and space.dtype is not None
        else action
    )


# ----------------------------------------------------------------------------------------------
# pictures


def picture_of(environment: Any) -> Pixels:
    """The current picture of the environment, in the size in which it is shown, its sides even."""
    picture = np.asarray(environment.render())
    if picture.ndim != 3 or picture.shape[2] != 3 or picture.dtype != np.uint8:
        shape = f"{picture.dtype} {picture.shape}"
        raise InvalidInput(
            f"a picture is {shape}, expected uint8 of height × width × 3. Mend the environment's"
            " render()."
        )
    times = max(1, round(SHOWN_HEIGHT_PX / picture.shape[0]))
    larger = picture.repeat(times, axis=0).repeat(times, axis=1)
    height, width = (2 * math.ceil(side / 2) for side in larger.shape[:2])
    rim = ((0, height - larger.shape[0]), (0, width - larger.shape[1]), (0, 0))
    return np.ascontiguousarray(np.pad(larger, rim, mode="edge"))


def fit_frame(picture: Pixels, width_px: int, height_px: int) -> Pixels:
    """The whole picture in a frame of this size, on black."""
    height, width = picture.shape[:2]
    if (height, width) == (height_px, width_px):
        return picture
    from PIL import Image  # noqa: PLC0415  the extra `gym`

    share = min(width_px / width, height_px / height)
    size = max(1, round(width * share)), max(1, round(height * share))
    frame = np.zeros((height_px, width_px, 3), np.uint8)
    left, top = (width_px - size[0]) // 2, (height_px - size[1]) // 2
    sized = Image.fromarray(picture).resize(size, Image.Resampling.LANCZOS)
    frame[top : top + size[1], left : left + size[0]] = np.asarray(sized)
    return frame


def replay_pictures(
    environment: Any,
    seeds: Mapping[int, int],
    episodes: Sequence[int],
    actions: Sequence[str | None],
    rewards: Sequence[float],
) -> Iterator[Pixels]:
    """One picture for each frame of a recording: frames with an action step, a new episode begins
    with its seed, the others repeat the picture.

    An environment that answers with other rewards is not the one that was recorded, or follows from
    more than its seed.
    """
    episode, shown = -1, None
    for frame, (number, written, reward) in enumerate(zip(episodes, actions, rewards, strict=True)):
        if number != episode:
            environment.reset(seed=seeds[number])
            episode, shown = number, None
        if written is not None:
            got = float(
                environment.step(action_in(environment.action_space, json.loads(written)))[1]
            )
            if not math.isclose(got, reward, rel_tol=1e-5, abs_tol=1e-6):
                raise InvalidInput(
                    f"played again, frame {frame} brings {got} and was recorded with {reward}:"
                    " another version of the environment, or chance that its seed does not settle."
                    " Film it while it is played."
                )
            shown = None
        shown = picture_of(environment) if shown is None else shown
        yield shown
