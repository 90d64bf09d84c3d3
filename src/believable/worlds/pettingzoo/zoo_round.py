"""The setup of a round of a PettingZoo environment, the inputs of its seats, and its columns of the
bundle.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Literal

from pydantic import Field

from believable.agents import names_in
from believable.contracts.film import GameControls
from believable.contracts.game import RoundContext
from believable.contracts.inputs import Input
from believable.contracts.record import Record
from believable.contracts.registries import AGENTS
from believable.contracts.world import Row, Tabular, WorldColumn
from believable.core.errors import InvalidInput, MissingExtra
from believable.core.registry import did_you_mean
from believable.core.seeds import derive
from believable.recordings.recording import Recording
from believable.worlds.gym.gym_environment import LAST, WAIT, Action, KeyPlan, action_problem
from believable.worlds.gym.gym_round import KEY, KEY_NAMES, KEYS, environment_row, telemetry_rows
from believable.worlds.pettingzoo.zoo_environment import ZooFacts, facts_of

PLAYER = "player"
#: The first seat is the person's. An environment with fewer agents leaves the last seats empty.
SEATS = (PLAYER, *(f"player_{number}" for number in range(2, 9)))
RANDOM_PARTNER = "random"
PRACTICE_S = 3600


class PartnerNames(Mapping[str, str]):
    """The partners that a study can name: chance, and the registered agents of this world."""

    def __iter__(self) -> Iterator[str]:
        yield RANDOM_PARTNER
        for name in names_in("pettingzoo"):
            if AGENTS[name].short_name != RANDOM_PARTNER:
                yield AGENTS[name].short_name

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __getitem__(self, name: str) -> str:
        if name == RANDOM_PARTNER:
            return "Legal actions at random."
        return AGENTS[f"pettingzoo/{name}"].about


class ZooOptions(Record):
    """The choices of a play trial's author about the environment."""

    env: str = "classic/connect_four-v3"
    """Id of a PettingZoo environment that draws itself (`rgb_array`), MODULE:ID to import a module
    first, or a module that has `parallel_env()` or `env()`.
    """
    plays: str = ""
    """Which of the environment's agents the person is: a name, or `round` for another one in each
    round; by default the first.
    """
    keys: dict[str, int | tuple[int | float, ...]] = Field(default_factory=dict)
    """The action of each key: `{Digit1: 0, Digit2: 1}`; by default a digit for each of up to nine
    actions.
    """
    key_words: dict[str, str] = Field(default_factory=dict)
    """The label of each key: `{Digit1: rock}`."""
    idle: int | tuple[int | float, ...] | Literal["wait", "last"] | None = None
    """While no key is pressed: this action, the `last` one again, or `wait`: the environment waits
    for the person, and each press is one step. Where agents act in turn, it always waits.
    """
    fps: int | None = Field(default=None, ge=1, le=60)
    """Steps and pictures per second; by default as fast as the environment says, and 10 if it
    waits.
    """
    env_seed: int | Literal["round"] = "round"
    """Seed of the environment: another number for each `round`, or this one."""
    begin_again: bool = False
    """Begin again when an episode ends, until the time is over; otherwise the round ends with
    it.
    """
    think_s: float = Field(default=1.0, ge=0, le=30)
    """How long a partner thinks where agents act in turn, on average. Each pause differs."""
    env_options: dict[str, str | int | float | bool] = Field(default_factory=dict)
    """The arguments of the environment: `{max_cycles: 500}`."""


class ZooSetup(Record):
    """Everything that determines a round, together with its inputs. `agents` are the agents of the
    environment in the order of the seats.
    """

    env: str
    env_options: dict[str, str | int | float | bool] = Field(default_factory=dict)
    agents: tuple[str, ...]
    partner: str = RANDOM_PARTNER
    keys: dict[str, int | tuple[int | float, ...]]
    key_words: dict[str, str] = Field(default_factory=dict)
    idle: int | tuple[int | float, ...] | Literal["wait", "last"]
    fps: int
    seed: int
    partner_seed: int
    ticks: int
    think_s: float = 1.0
    begin_again: bool = False
    practice: bool = False

    @property
    def pressable(self) -> tuple[str, ...]:
        """The keys in the order of the inputs."""
        return tuple(sorted(self.keys))

    @property
    def seats(self) -> Mapping[str, str]:
        """The agent of the environment in each seat that is not empty."""
        return dict(zip(SEATS, self.agents, strict=False))

    def episode_seed(self, episode: int) -> int:
        return self.seed if episode == 0 else derive(self.seed, "episode", episode) % 2**31

    def action_for(self, pressed: Input) -> Action | None:
        """The action of the pressed key. None: nothing."""
        number = KEY.choice(pressed[0])
        return self.keys[self.pressable[number - 1]] if 0 < number <= len(self.keys) else None


def resolve(options: ZooOptions, context: RoundContext) -> ZooSetup:
    """Return the setup of one round."""
    facts, plan = facts_of(options.env, options.env_options), key_plan(options)
    seed = (
        context.seed("environment", context.trial_key) % 2**31
        if options.env_seed == "round"
        else options.env_seed
    )
    fps = options.fps or facts.frames_per_s
    return ZooSetup.model_validate(
        {
            "env": options.env,
            "env_options": options.env_options,
            "agents": _seat_order(options, facts, context),
            "partner": str(context.opponent),
            "keys": plan.keys,
            "key_words": {**({} if options.keys else facts.ready.words), **options.key_words},
            "idle": plan.idle,
            "fps": fps,
            "seed": seed,
            "partner_seed": context.seed("partner", context.trial_key),
            "ticks": (PRACTICE_S if context.practice else context.duration_s) * fps,
            "think_s": options.think_s,
            "begin_again": options.begin_again,
            "practice": context.practice,
        }
    )


def _seat_order(options: ZooOptions, facts: ZooFacts, context: RoundContext) -> tuple[str, ...]:
    """The agents of the environment, that of the person first."""
    first = options.plays or facts.agents[0]
    if options.plays == "round":
        first = facts.agents[context.seed("plays", context.trial_key) % len(facts.agents)]
    return (first, *(agent for agent in facts.agents if agent != first))


def key_plan(options: ZooOptions) -> KeyPlan:
    facts = facts_of(options.env, options.env_options)
    own = facts.ready.plan
    idle = own.idle if options.idle is None else options.idle
    return KeyPlan(options.keys or own.keys, WAIT if facts.in_turn else idle)


def controls_of(setup: ZooSetup) -> GameControls:
    keys = {key: (KEY.name, number) for number, key in enumerate(setup.pressable, 1)}
    return GameControls(keys, words=setup.key_words)


def known_of(setup: ZooSetup) -> Mapping[str, Any]:
    """The action of each key, in the order of the inputs."""
    return {"keys": [setup.keys[key] for key in setup.pressable]}


# ----------------------------------------------------------------------------------------------
# problems


def problems_of(options: ZooOptions) -> Sequence[tuple[str, str, str]]:
    try:
        facts = facts_of(options.env, options.env_options)
    except MissingExtra as error:
        return [("world", str(error), "")]
    except InvalidInput as error:
        return [("env", str(error), "")]
    return [*_seat_problems(options, facts), *_key_problems(options, facts)]


def _seat_problems(options: ZooOptions, facts: ZooFacts) -> Iterator[tuple[str, str, str]]:
    if options.plays not in ("", "round", *facts.agents):
        yield (
            "plays",
            f"{options.env!r} has no agent {options.plays!r}.",
            did_you_mean(options.plays, facts.agents),
        )
    if len(facts.agents) > len(SEATS):
        yield "env", f"{options.env!r} has {len(facts.agents)} agents.", "Use 8 at most."
    if facts.in_turn and options.idle not in (None, WAIT):
        yield "idle", f"in {options.env!r} agents act in turn, so it waits.", "Leave idle out."


def _key_problems(options: ZooOptions, facts: ZooFacts) -> Iterator[tuple[str, str, str]]:
    plan, space = key_plan(options), facts.spaces[facts.agents[0]]
    if not plan.keys:
        yield (
            "keys",
            f"{options.env!r} names no keys.",
            f"Write keys: {{ArrowUp: 0, …}} with actions of {space}.",
        )
    if len(plan.keys) > KEYS:
        yield "keys", f"there are {len(plan.keys)} keys.", f"Use {KEYS} at most."
    for keys, action in plan.keys.items():
        if not all(KEY_NAMES.fullmatch(code) for code in keys.split("+")):
            yield "keys", f"{keys!r} is no key.", "Write such as ArrowUp, KeyW, Digit1 or Space."
        for agent, space in facts.spaces.items():
            if (wrong := action_problem(space, action)) is not None:
                yield (
                    "keys",
                    f"{keys} does what {agent} of {options.env!r} cannot do: {wrong}.",
                    "Give an action that all agents have.",
                )
                break
    for keys in options.key_words.keys() - plan.keys.keys():
        yield "key_words", f"{keys} is none of the keys.", did_you_mean(keys, plan.keys)
    if not isinstance(plan.idle, str) and (wrong := action_problem(space, plan.idle)) is not None:
        cure = f"Give one of its actions, {WAIT} or {LAST}."
        yield "idle", f"{options.env!r} does not know this action: {wrong}.", cure


# ----------------------------------------------------------------------------------------------
# the bundle

TELEMETRY = (
    WorldColumn(
        "key",
        "integer",
        "Input. Which of the trial's `keys` was down in the first seat, in alphabetical order from"
        " 1; 0: none.",
    ),
    WorldColumn(
        "actions",
        "string",
        "The action of each agent that acted, as JSON; empty: none acted.",
        required=False,
    ),
    WorldColumn("reward", "number", "The reward of the first seat."),
    WorldColumn("return", "number", "Sum of these rewards in this episode until this tick."),
    WorldColumn("rewards", "string", "The reward of each agent, as JSON.", required=False),
    WorldColumn("episode", "integer", "Counts from 0."),
    WorldColumn("ended", "boolean", "The episode came to its end."),
)


def _setup_row(setup: ZooSetup) -> Row:
    return {**environment_row(setup), "opponent": setup.partner, "plays": setup.agents[0]}


TABULAR = Tabular(
    setup=(
        WorldColumn("env", "string", "Module or id of the environment."),
        WorldColumn("env_options", "string", "Options of the environment, as JSON."),
        WorldColumn("env_seed", "integer", "Seed of the environment."),
        WorldColumn("fps", "integer", "Steps per second."),
        WorldColumn("keys", "string", "What each key did, as JSON."),
        WorldColumn("opponent", "string", "Who played the other seats.", required=False),
        WorldColumn("plays", "string", "Which agent of the environment the first seat was."),
    ),
    setup_row=_setup_row,
    telemetry=TELEMETRY,
    telemetry_rows=partial(telemetry_rows, TELEMETRY),
)


def start_of(recording: Recording) -> str | None:
    """Environment, options and seed; None if the recording does not say them."""
    about = recording.provenance
    if "setup" not in about or about.get("world") != "pettingzoo":
        return None
    setup = ZooSetup.model_validate_json(str(about["setup"]))
    options = json.dumps(setup.env_options, sort_keys=True)
    return f"{setup.env}, seed {setup.seed}" + ("" if options == "{}" else f", {options}")
