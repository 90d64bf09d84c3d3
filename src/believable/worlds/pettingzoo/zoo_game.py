"""A PettingZoo environment as a game with several seats. A seat without input is played by the
partner of the setup.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from itertools import islice
from typing import Any

from believable.agents.choice import choose_agent
from believable.contracts.agent import ActFunction
from believable.contracts.film import View
from believable.contracts.game import Pixels, RoundOutcome, SeatInputs
from believable.contracts.inputs import Input, PressCounter
from believable.contracts.registries import WORLDS
from believable.core.errors import InvalidInput
from believable.core.seeds import derive
from believable.recordings.recording import Actor, RecordedWorld, Recording, Scalar, Timing
from believable.worlds.gym.gym_environment import WAIT, Action, fit_frame
from believable.worlds.gym.gym_round import INPUTS, KEY
from believable.worlds.pettingzoo.zoo_environment import ZooEnvironment
from believable.worlds.pettingzoo.zoo_round import PLAYER, RANDOM_PARTNER, TELEMETRY, ZooSetup

#: The shortest and the longest pause of a partner, in shares of `think_s`.
_THINKING = 0.5, 1.5


class Seat:
    """One agent of the environment: its keys if it is driven from outside, else its partner."""

    def __init__(self, name: str, agent: str, setup: ZooSetup) -> None:
        self.name, self.agent = name, agent
        self._setup = setup
        self._presses = PressCounter(KEY)
        self._held: Action | None = None
        self._last: Action | None = None
        self._rng = random.Random(derive(setup.partner_seed, name))
        self._partner: ActFunction | None = None
        self._due: int | None = None

    def pressed_action(self, pressed: Input) -> Action | None:
        """The action of a seat that is driven from outside. If the environment waits, each press is
        one action.
        """
        wanted, held, idle = self._setup.action_for(pressed), self._held, self._setup.idle
        self._held, new = wanted, self._presses.see(pressed[0])
        if idle == WAIT:
            counted = KEY.serial(pressed[0]) > 0
            return wanted if (new if counted else wanted != held) else None
        if wanted is None:
            wanted = self._last if isinstance(idle, str) else idle
        self._last = wanted
        return wanted

    def partner_action(
        self, view: Mapping[str, Any], welcome: Mapping[str, Any], *, in_turn: bool
    ) -> Action | None:
        """The action of the partner; None while it thinks."""
        tick = int(view["t"])
        if in_turn and self._due is None:
            pause_s = self._setup.think_s * self._rng.uniform(*_THINKING)
            self._due = tick + round(pause_s * self._setup.fps)
        if self._due is not None and tick < self._due:
            return None
        self._due = None
        if self._setup.partner == RANDOM_PARTNER:
            return self._rng.choice([self._setup.keys[key] for key in self._legal_keys(view)])
        if self._partner is None:
            chosen = choose_agent(self._setup.partner, WORLDS["pettingzoo"])
            self._partner = chosen.sit_down(derive(self._setup.partner_seed, self.name))
        answer = self._partner({**view, "welcome": welcome})
        pressed = INPUTS.values_in(answer)
        if pressed is None:
            raise InvalidInput(
                f"agent {self._setup.partner!r}: expected {INPUTS.range_text}, got"
                f" {str(answer)[:80]}."
            )
        action = self._setup.action_for(pressed)
        idle = self._setup.idle
        return action if action is not None or isinstance(idle, str) else idle

    def _legal_keys(self, view: Mapping[str, Any]) -> Sequence[str]:
        keys, legal = self._setup.pressable, view["legal"]
        return keys if legal is None else [keys[number - 1] for number in legal]


class ZooGame:
    """One round. An episode that ended is shown for a tick, then the round is over, or the next
    episode begins.
    """

    def __init__(self, setup: ZooSetup, *, recorded: bool = False) -> None:
        self.setup = setup
        self._env = ZooEnvironment(setup.env, setup.env_options)
        self._seats = {name: Seat(name, agent, setup) for name, agent in setup.seats.items()}
        self._again = setup.begin_again or setup.practice
        self._columns: dict[str, list[Scalar]] | None = (
            {column.name: [] for column in TELEMETRY} if recorded else None
        )
        self.tick, self.ticks = 0, setup.ticks
        self._seeds: dict[int, int] = {}
        self._episode, self._points = -1, 0.0
        self._chosen: dict[str, Action] = {}
        self._events: Sequence[str] = ()
        self._picture: Pixels | None = None
        self._begin()

    def _begin(self) -> None:
        self._episode += 1
        self._seeds[self._episode] = self.setup.episode_seed(self._episode)
        self._env.begin(self._seeds[self._episode])
        self._ended, self._return, self._picture = False, 0.0, None
        self._chosen.clear()

    def over(self) -> RoundOutcome | None:
        ended = self.tick >= self.ticks or (self._ended and not self._again)
        return RoundOutcome(round(self._points)) if ended else None

    def step(self, inputs: SeatInputs) -> Sequence[str]:
        self._events = self._step(inputs)
        return self._events

    def _step(self, inputs: SeatInputs) -> Sequence[str]:
        pressed = inputs[PLAYER]
        driven = {
            name: self._seats[name].pressed_action(pressed)
            for name, pressed in inputs.items()
            if name in self._seats
        }
        if self._ended:
            self._begin()
            self._advance_tick(pressed, {}, {})
            return ["begun"]
        refused = self._choose(driven)
        acting = self._env.acting
        if not acting or not all(agent in self._chosen for agent in acting):
            self._advance_tick(pressed, {}, {})
            return refused
        actions = {agent: self._chosen[agent] for agent in acting}
        rewards = self._env.act(actions)
        self._chosen.clear()
        self._picture, self._ended = None, not self._env.acting
        reward = rewards.get(self.setup.agents[0], 0.0)
        self._points += reward
        self._return += reward
        self._advance_tick(pressed, actions, rewards)
        return [
            *refused,
            *(("points",) if reward > 0 else ()),
            *(("ended",) if self._ended else ()),
        ]

    def _choose(self, driven: Mapping[str, Action | None]) -> Sequence[str]:
        """Note the choices of the agents that act next. An illegal action is not taken."""
        refused: list[str] = []
        for name, seat in self._seats.items():
            if seat.agent not in self._env.acting or seat.agent in self._chosen:
                continue
            if name in driven:
                action = driven[name]
            else:
                view = {"t": self.tick, **self.view(name), "e": list(self._events)}
                action = seat.partner_action(view, self._welcome(), in_turn=self._env.in_turn)
            if action is None:
                continue
            legal = self._env.legal(seat.agent)
            if legal is None or action in legal:
                self._chosen[seat.agent] = action
            else:
                refused.append("refused")
        return refused

    def _advance_tick(
        self, pressed: Input, actions: Mapping[str, Action], rewards: Mapping[str, float]
    ) -> None:
        self.tick += 1
        if self._columns is None:
            return
        row: Mapping[str, Scalar] = {
            KEY.name: KEY.choice(pressed[0]),
            "actions": json.dumps(actions) if actions else None,
            "reward": rewards.get(self.setup.agents[0], 0.0),
            "return": self._return,
            "rewards": json.dumps(rewards) if rewards else None,
            "episode": self._episode,
            "ended": self._ended,
        }
        for name, value in row.items():
            self._columns[name].append(value)

    def skip(self, inputs: Sequence[SeatInputs]) -> None:
        for pressed in inputs:
            self.step(pressed)

    def picture(self, seat: str) -> Pixels:
        if self._picture is None:
            self._picture = self._env.picture()
        return self._picture

    def view(self, seat: str) -> Mapping[str, Any]:
        """Episode, score, whether this seat can act, the numbers of the legal keys, and what its
        agent observes. An empty seat sees no more than the score.
        """
        shared = {"ep": self._episode, "s": round(self._points)}
        if seat not in self._seats:
            return shared
        agent = self._seats[seat].agent
        legal = self._env.legal(agent)
        keys = self.setup.pressable
        return {
            **shared,
            "turn": agent in self._env.acting and agent not in self._chosen,
            "legal": None
            if legal is None
            else [n for n, key in enumerate(keys, 1) if self.setup.keys[key] in legal],
            "o": self._env.observation(agent),
        }

    def _welcome(self) -> Mapping[str, Any]:
        """The part of a partner's welcome that needs no picture."""
        keys = [self.setup.keys[key] for key in self.setup.pressable]
        return {"ticks": self.ticks, "known": {"keys": keys}}

    def welcome(self, seat: str) -> Mapping[str, Any]:
        height_px, width_px = self.picture(seat).shape[:2]
        return {"width_px": width_px, "height_px": height_px}

    def record(self) -> Recording:
        assert self._columns is not None, "made with `recorded`"
        return Recording(
            world=RecordedWorld(kind="pettingzoo", width=1, height=1, walls=(".",)),
            actors=(Actor(PLAYER, "You", PLAYER),),
            timing=Timing(frame_ms=1000 / self.setup.fps, frames=self.tick),
            tracks=(),
            telemetry={name: tuple(column) for name, column in self._columns.items()},
            seed=self.setup.seed,
            agent=None,
            provenance={
                "world": "pettingzoo",
                "setup": self.setup.model_dump_json(),
                "seeds": json.dumps(self._seeds),
            },
        )

    def close(self) -> None:
        self._env.close()


# ----------------------------------------------------------------------------------------------
# films


def pictures(recording: Recording, view: View) -> Generator[Pixels, None, None]:
    """The environment stepped again with the same seeds and actions, one picture for each frame."""
    for picture in islice(_play_again(recording), view.first_frame, None):
        yield fit_frame(picture, view.width_px, view.height_px)


def size_px(recording: Recording) -> tuple[int, int]:
    """Width and height of the picture as it was played."""
    with closing(_play_again(recording)) as again:
        height_px, width_px = next(again).shape[:2]
    return width_px, height_px


def _play_again(recording: Recording) -> Generator[Pixels, None, None]:
    about, columns = recording.provenance, recording.telemetry
    if recording.world.kind != "pettingzoo" or "setup" not in about:
        raise InvalidInput(
            "the recording does not say how its environment was made; it cannot be filmed again."
        )
    setup = ZooSetup.model_validate_json(str(about["setup"]))
    seeds = {int(number): seed for number, seed in json.loads(str(about["seeds"])).items()}
    env = ZooEnvironment(setup.env, setup.env_options)
    episode, shown = -1, None
    try:
        for frame, number in enumerate(columns["episode"]):
            if number != episode:
                episode = int(number or 0)
                env.begin(seeds[episode])
                shown = None
            if (written := columns["actions"][frame]) is not None:
                rewards = env.act(json.loads(str(written)))
                _must_agree(frame, rewards, json.loads(str(columns["rewards"][frame])))
                shown = None
            shown = env.picture() if shown is None else shown
            yield shown
    finally:
        env.close()


def _must_agree(frame: int, got: Mapping[str, float], was: Mapping[str, float]) -> None:
    """An environment that answers with other rewards is not the one that was recorded."""
    if got.keys() == was.keys() and all(
        math.isclose(got[agent], was[agent], rel_tol=1e-5, abs_tol=1e-6) for agent in got
    ):
        return
    raise InvalidInput(
        f"played again, frame {frame} brings {dict(got)} and was recorded with {dict(was)}: another"
        " version of the environment, or chance that its seed does not settle."
    )
