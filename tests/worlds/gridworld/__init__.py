"""A second world for the tests: gather the gems of a small board before a rival does. A third party
would write no more.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import Field

from believable.contracts.agent import Agent, NoParams
from believable.contracts.game import RoundContext, RoundOutcome, SeatInputs
from believable.contracts.inputs import Input, InputPart, InputSchema
from believable.contracts.record import Record
from believable.contracts.world import Opponents, Playable, Tabular, TrialForm, World, WorldColumn
from believable.recordings.recording import Actor, RecordedWorld, Recording, State, Timing, Track
from believable.recordings.scene import Scene, Shape, Sprite

HZ = 10
INPUTS = InputSchema(
    (
        InputPart(name="step_x", low=-1, high=1, about="Right or left."),
        InputPart(name="step_y", low=-1, high=1, about="Down or up."),
    )
)


class GridOptions(Record):
    gems: int = Field(default=4, ge=1, le=20)
    """How many gems lie on the board."""


class GridSetup(Record):
    seed: int
    opponent: str
    gems: int
    ticks: int
    practice: bool


def resolve(options: GridOptions, context: RoundContext) -> GridSetup:
    seed = context.seed("board", context.trial_key)
    ticks = (3600 if context.practice else context.duration_s) * HZ
    return GridSetup(
        seed=seed,
        opponent=str(context.opponent),
        gems=options.gems,
        ticks=ticks,
        practice=context.practice,
    )


class GridGame:
    """Everybody moves one square per tick. It is over when no gem is left."""

    def __init__(self, setup: GridSetup) -> None:
        self._rng = random.Random(setup.seed)
        squares = self._rng.sample([(x, y) for x in range(8) for y in range(8)], setup.gems + 2)
        self.player, self.rival, *self.gems = squares
        self.setup, self.ticks, self.tick, self.score = setup, setup.ticks, 0, 0
        self._left = list(self.gems)
        self._course: list[tuple[Any, ...]] = []

    def over(self) -> RoundOutcome | None:
        return RoundOutcome(self.score) if self.tick >= self.ticks or not self._left else None

    def step(self, inputs: SeatInputs) -> Sequence[str]:
        (px, py), (rx, ry) = self.player, self.rival
        dx, dy = inputs["player"]
        self.player = min(max(px + dx, 0), 7), min(max(py + dy, 0), 7)
        if self.setup.opponent == "wanderer" and self.tick % 5 == 0:
            self.rival = (
                min(max(rx + self._rng.choice((-1, 0, 1)), 0), 7),
                min(max(ry + self._rng.choice((-1, 0, 1)), 0), 7),
            )
        happened = ["gathered"] if self.player in self._left else []
        self.score += len(happened)
        self._left = [gem for gem in self._left if gem not in (self.player, self.rival)]
        self._course.append(
            (self.player, self.rival, tuple(gem in self._left for gem in self.gems), self.score)
        )
        self.tick += 1
        return happened

    def view(self, seat: str) -> Mapping[str, Any]:
        return {"p": self.player, "o": self.rival, "g": self._left, "s": self.score}

    def welcome(self, seat: str) -> Mapping[str, Any]:
        return {"size": 8}

    def record(self) -> Recording:
        players, rivals, left, scores = zip(*self._course, strict=True)
        gems = [
            Track(
                actor=f"gem-{n}",
                x=(x * 1000 + 500,) * self.tick,
                y=(y * 1000 + 500,) * self.tick,
                states=tuple(State(t, "there", there[n]) for t, there in enumerate(left)),
            )
            for n, (x, y) in enumerate(self.gems)
        ]
        moved = [
            Track(
                actor=name,
                x=tuple(x * 1000 + 500 for x, _ in places),
                y=tuple(y * 1000 + 500 for _, y in places),
            )
            for name, places in (("player", players), ("rival", rivals))
        ]
        tracks = (*gems, *moved)
        return Recording(
            world=RecordedWorld(kind="gridworld", width=8, height=8, walls=("." * 8,) * 8),
            actors=tuple(
                Actor(track.actor, track.actor, track.actor.split("-")[0]) for track in tracks
            ),
            timing=Timing(frame_ms=1000 // HZ, frames=self.tick),
            tracks=tracks,
            telemetry={"score": scores},
            seed=self.setup.seed,
            agent=self.setup.opponent,
        )

    def close(self) -> None: ...


def draw(recording: Recording) -> Scene:
    colours = {"player": "#2f6690", "rival": "#c8553d", "gem": "#f2c14e"}
    sprites = tuple(
        Sprite(
            actor=a.id,
            shapes=(Shape(kind="circle", fill=colours.get(a.role, "#888888"), r=0.3),),
            shown_when="there" * (a.role == "gem"),
        )
        for a in recording.actors
    )
    return Scene(
        width=recording.world.width,
        height=recording.world.height,
        background="#ffffff",
        ground=(),
        sprites=sprites,
    )


def to_nearest_gem(view: Mapping[str, Any]) -> Input:
    x, y = view["p"]
    gx, gy = min(view["g"], key=lambda gem: abs(gem[0] - x) + abs(gem[1] - y), default=(x, y))
    return (gx > x) - (gx < x), (gy > y) - (gy < y)


GRIDWORLD = World(
    name="gridworld",
    version=1,
    about="A board with gems.",
    folder=Path(__file__).parent,
    draw=draw,
    playing=Playable(
        setup=GridSetup,
        seats={"player": INPUTS},
        tick_hz=HZ,
        new=GridGame,
        trial=TrialForm(
            options=GridOptions,
            resolve=resolve,
            opponents=Opponents({"wanderer": "Walks about.", "stone": "Does nothing."}),
        ),
        recorded=GridGame,
        tabular=Tabular(
            setup=(WorldColumn("board_seed", "integer", "What the board follows from."),),
            setup_row=lambda setup: {"board_seed": setup.seed},
            telemetry=(WorldColumn("score", "integer", "Gems so far."),),
            telemetry_rows=lambda recording: [
                {"score": score} for score in recording.telemetry["score"]
            ],
        ),
        stand_in=Agent(
            name="gridworld/gatherer",
            world="gridworld",
            about="Takes the nearest gem.",
            new=lambda params, seed: to_nearest_gem,
            draw=lambda rng: NoParams(),
        ),
    ),
)
