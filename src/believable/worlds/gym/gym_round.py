"""The setup of a round of a Gymnasium environment, its inputs, and its columns of the bundle."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Literal

from pydantic import Field

from believable.contracts.film import GameControls
from believable.contracts.game import RoundContext
from believable.contracts.inputs import SERIALS, Input, InputPart, InputSchema
from believable.contracts.record import Record
from believable.contracts.world import Row, Tabular, WorldColumn
from believable.core.errors import InvalidInput, MissingExtra
from believable.core.registry import did_you_mean
from believable.core.seeds import derive
from believable.recordings.recording import Recording
from believable.worlds.gym.gym_environment import (
    LAST,
    WAIT,
    Action,
    KeyPlan,
    action_problem,
    facts_of,
    registered_options,
)

PLAYER = "player"
#: The maximum number of keys, or of keys held together.
KEYS = 64
INPUTS = InputSchema(
    (
        InputPart(
            name="key",
            low=0,
            high=KEYS * (SERIALS + 1),
            about="Which of the trial's `keys` is down, in alphabetical order from 1; 0: none. With"
            f" presses counted: that plus {KEYS} times the number of the press, 1 to {SERIALS} in"
            " turn.",
            kind="pressed",
        ),
    )
)
KEY = INPUTS.parts[0]
#: Names that browsers have for keys by their place.
KEY_NAMES = re.compile(
    r"Arrow(Up|Down|Left|Right)|Key[A-Z]|Digit\d|Space|Enter"
    r"|(Shift|Control)(Left|Right)|Comma|Period"
)


class GymOptions(Record):
    """The choices of a play trial's author about the environment."""

    env: str = "CartPole-v1"
    """Id of a Gymnasium environment that draws itself (`rgb_array`), or MODULE:ID to import a
    module first.
    """
    keys: dict[str, int | tuple[int | float, ...]] = Field(default_factory=dict)
    """The action of each key: `{ArrowUp: 2, ArrowUp+Space: 4}`; by default those that the
    environment declares.
    """
    key_words: dict[str, str] = Field(default_factory=dict)
    """The label of each key: `{ArrowUp: go forward}`; by default the environment's names of its
    actions.
    """
    idle: int | tuple[int | float, ...] | Literal["wait", "last"] | None = None
    """While no key is pressed: this action, the `last` one again, or `wait`: it stops, and each
    press is one step.
    """
    fps: int | None = Field(default=None, ge=1, le=60)
    """Steps and pictures per second; by default as fast as the environment says."""
    env_seed: int | Literal["round"] = "round"
    """Seed of the environment: another number for each `round`, or this one."""
    episode_steps: int | None = Field(default=None, ge=1)
    """An episode is cut off after this number of steps; by default as the environment says."""
    begin_again: bool = False
    """Begin again when an episode ends, until the time is over; otherwise the round ends with
    it.
    """
    env_options: dict[str, str | int | float | bool] = Field(default_factory=dict)
    """The arguments of the environment: `{frameskip: 2}`."""


class EnvironmentOrigin(Record):
    """What an environment can be made again from."""

    env: str
    env_options: dict[str, str | int | float | bool] = Field(default_factory=dict)
    episode_steps: int | None = None


class GymSetup(EnvironmentOrigin):
    """Everything that determines a round, together with its inputs."""

    keys: dict[str, int | tuple[int | float, ...]]
    idle: int | tuple[int | float, ...] | Literal["wait", "last"]
    key_words: dict[str, str] = Field(default_factory=dict)
    fps: int
    seed: int
    ticks: int
    begin_again: bool = False
    practice: bool = False

    @property
    def origin(self) -> EnvironmentOrigin:
        return EnvironmentOrigin(
            env=self.env, env_options=self.env_options, episode_steps=self.episode_steps
        )

    @property
    def plays(self) -> tuple[str, ...]:
        """The keys in the order of the inputs."""
        return tuple(sorted(self.keys))

    def episode_seed(self, episode: int) -> int:
        return self.seed if episode == 0 else derive(self.seed, "episode", episode) % 2**31

    def action_for(self, pressed: Input) -> Action | None:
        """The action of the pressed key. None: nothing."""
        number = KEY.choice(pressed[0])
        return self.keys[self.plays[number - 1]] if 0 < number <= len(self.keys) else None


def changed_options(env: str, options: Mapping[str, Any]) -> str:
    """The options that differ from those the environment is registered with, as JSON."""
    usual = registered_options(env)
    return json.dumps(
        {name: value for name, value in options.items() if usual.get(name) != value}, sort_keys=True
    )


def start_of(recording: Recording) -> str | None:
    """Environment, options and seed; None if the recording does not say them."""
    about = recording.provenance
    origin = json.loads(str(about["environment"])) if "environment" in about else {}
    env = str(about.get("env") or origin.get("env") or "").rpartition(":")[2]
    if not env or recording.seed is None:
        return None
    options = str(about.get("start_options", "{}"))
    return f"{env}, seed {recording.seed}" + ("" if options == "{}" else f", {options}")


def controls_of(setup: GymSetup) -> GameControls:
    keys = {keys: (INPUTS.parts[0].name, number) for number, keys in enumerate(setup.plays, 1)}
    return GameControls(keys, words=setup.key_words)


def known_of(setup: GymSetup) -> Mapping[str, Any]:
    """How many keys there are."""
    return {"keys": len(setup.keys)}


def key_plan(options: GymOptions) -> KeyPlan:
    own = facts_of(options.env, options.env_options).own
    idle = own.idle if options.idle is None else options.idle
    return KeyPlan(options.keys or own.keys, idle)


def resolve(options: GymOptions, context: RoundContext) -> GymSetup:
    """Return the setup of one round."""
    facts, plan = facts_of(options.env, options.env_options), key_plan(options)
    fps = options.fps or facts.frames_per_s
    seed = (
        context.seed("environment", context.trial_key) % 2**31
        if options.env_seed == "round"
        else options.env_seed
    )
    return GymSetup.model_validate(
        {
            "env": options.env,
            "env_options": options.env_options,
            "keys": plan.keys,
            "idle": plan.idle,
            "fps": fps,
            "key_words": _words_of(plan, facts.meanings) | options.key_words,
            "seed": seed,
            "ticks": context.duration_s * fps,
            "episode_steps": options.episode_steps,
            "begin_again": options.begin_again,
            "practice": context.practice,
        }
    )


def _words_of(plan: KeyPlan, meanings: Mapping[int, str]) -> dict[str, str]:
    """The environment's names for the action of each key, in the order of the actions."""
    named = {
        keys: action
        for keys, action in plan.keys.items()
        if isinstance(action, int) and action in meanings
    }
    return {
        keys: meanings[action] for keys, action in sorted(named.items(), key=lambda entry: entry[1])
    }


# ----------------------------------------------------------------------------------------------
# problems


def problems_of(options: GymOptions) -> Sequence[tuple[str, str, str]]:
    problems = program_problems(options)
    return problems or list(
        _key_problems(options, facts_of(options.env, options.env_options).space)
    )


def program_problems(options: GymOptions) -> Sequence[tuple[str, str, str]]:
    """What keeps a program from playing; it needs no keys."""
    try:
        facts_of(options.env, options.env_options)
    except MissingExtra as error:
        return [("world", str(error), "")]
    except InvalidInput as error:
        return [("env", str(error), "")]
    return []


def _key_problems(options: GymOptions, space: Any) -> Iterator[tuple[str, str, str]]:
    plan = key_plan(options)
    if not plan.keys:
        yield (
            "keys",
            f"{options.env!r} names no keys.",
            f"Write keys: {{ArrowUp: 0, …}} with actions of {space}.",
        )
    if len(plan.keys) > KEYS:
        yield "keys", f"there are {len(plan.keys)} keys.", f"Use {KEYS} at most."
    for keys, action in plan.keys.items():
        for code in keys.split("+"):
            if not KEY_NAMES.fullmatch(code):
                yield "keys", f"{code!r} is no key.", _key_cure(code)
        if (wrong := action_problem(space, action)) is not None:
            yield (
                "keys",
                f"{keys} does what {options.env!r} does not know: {wrong}.",
                "Give one of its actions.",
            )
    for keys in options.key_words.keys() - plan.keys.keys():
        yield "key_words", f"{keys} is none of the keys.", did_you_mean(keys, plan.keys)
    if not isinstance(plan.idle, str) and (wrong := action_problem(space, plan.idle)) is not None:
        cure = f"Give one of its actions, {WAIT} or {LAST}."
        yield "idle", f"{options.env!r} does not know this action: {wrong}.", cure


def _key_cure(code: str) -> str:
    if len(code) == 1 and code.isalnum():
        return f"Write {'Digit' if code.isdecimal() else 'Key'}{code.upper()}."
    arrow = f"Arrow{code.capitalize()}"
    return (
        f"Write {arrow}."
        if KEY_NAMES.fullmatch(arrow)
        else "Write such as ArrowUp, KeyW, Space or Enter."
    )


# ---------------------------------------------------------------------------------------------- the
# bundle

TELEMETRY = (
    WorldColumn(
        "key",
        "integer",
        "Input. Which of the trial's `keys` is down, in alphabetical order from 1; 0: none.",
    ),
    WorldColumn(
        "action", "string", "Action that the environment got, as JSON; empty: none.", required=False
    ),
    WorldColumn("reward", "number", "Reward of the environment for it."),
    WorldColumn("return", "number", "Sum of the rewards of this episode until this tick."),
    WorldColumn("episode", "integer", "Counts from 0."),
    WorldColumn("terminated", "boolean", "The environment came to its end."),
    WorldColumn("truncated", "boolean", "The episode was cut off."),
)


def environment_row(setup: Any) -> Row:
    """The columns of a setup that names an environment."""
    return {
        "env": setup.env,
        "env_options": json.dumps(setup.env_options, sort_keys=True),
        "env_seed": setup.seed,
        "fps": setup.fps,
        "keys": json.dumps(setup.keys, sort_keys=True),
    }


def telemetry_rows(columns: Sequence[WorldColumn], recording: Recording) -> Sequence[Row]:
    return [
        {column.name: recording.telemetry[column.name][frame] for column in columns}
        for frame in range(recording.timing.frames)
    ]


TABULAR = Tabular(
    setup=(
        WorldColumn("env", "string", "Id of the environment."),
        WorldColumn("env_options", "string", "Options of the environment, as JSON."),
        WorldColumn("env_seed", "integer", "Seed of the environment."),
        WorldColumn("fps", "integer", "Steps per second."),
        WorldColumn("keys", "string", "What each key did, as JSON."),
    ),
    setup_row=environment_row,
    telemetry=TELEMETRY,
    telemetry_rows=partial(telemetry_rows, TELEMETRY),
)
