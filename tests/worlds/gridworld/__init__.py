"""A second world for the tests: gather the gems of a small board before a rival does. A third party
would write no more.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import Field

from believable.recordings.recording import Actor, RecordedWorld, Recording, State, Timing, Track
from believable.recordings.scene import Scene, Shape, Sprite
from believable.study.bases import Record
from believable.worlds.contract import (
    Agent,
    Input,
    InputPart,
    InputSchema,
    Opponents,
    Playing,
    RoundPlace,
    World,
    WorldColumn,
    WorldColumns,
)

HZ = 10


class GridOptions(Record):
    gems: int = Field(default=4, ge=1, le=20)
    """How many gems lie on the board."""


class GridSetup(Record):
    seed: int
    opponent: str
    gems: int
    ticks: int
    practice: bool


def settle(options: GridOptions, place: RoundPlace) -> GridSetup:
    seed = place.seed("board", place.trial_key)
    ticks = (3600 if place.practice else place.duration_s) * HZ
    return GridSetup(
        seed=seed,
        opponent=str(place.opponent),
        gems=options.gems,
        ticks=ticks,
        practice=place.practice,
    )


class GridGame:
    """Everybody moves one square per tick. It is over when no gem is left."""

    def __init__(self, setup: GridSetup, recorded: bool) -> None:
        self._rng = random.Random(setup.seed)
        squares = self._rng.sample([(x, y) for x in range(8) for y in range(8)], setup.gems + 2)
        self.player, self.rival, *self.gems = squares
        self.setup, self.ticks, self.tick, self.score = setup, setup.ticks, 0, 0
        self._left = list(self.gems)
        self._course: list[tuple[Any, ...]] = []

    @property
    def over(self) -> bool:
        return self.tick >= self.ticks or not self._left

    def step(self, inputs: Mapping[str, Input]) -> Sequence[str]:
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

    def snapshot(self) -> Mapping[str, Any]:
        return {"p": self.player, "o": self.rival, "g": self._left}

    def welcome(self) -> Mapping[str, Any]:
        return {"size": 8}

    def record(self) -> Recording:
        players, rivals, left, scores = zip(*self._course, strict=True)
        gems = [
            Track(
                f"gem-{n}",
                (x * 1000 + 500,) * self.tick,
                (y * 1000 + 500,) * self.tick,
                states=tuple(State(t, "there", there[n]) for t, there in enumerate(left)),
            )
            for n, (x, y) in enumerate(self.gems)
        ]
        moved = [
            Track(
                name,
                tuple(x * 1000 + 500 for x, _ in places),
                tuple(y * 1000 + 500 for _, y in places),
            )
            for name, places in (("player", players), ("rival", rivals))
        ]
        tracks = (*gems, *moved)
        return Recording(
            world=RecordedWorld("gridworld", 8, 8, ("." * 8,) * 8),
            actors=tuple(
                Actor(track.actor, track.actor, track.actor.split("-")[0]) for track in tracks
            ),
            timing=Timing(1000 // HZ, self.tick),
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
            a.id,
            (Shape("circle", colours.get(a.role, "#888888"), r=0.3),),
            shown_when="there" * (a.role == "gem"),
        )
        for a in recording.actors
    )
    return Scene(recording.world.width, recording.world.height, "#ffffff", (), sprites)


class Gatherer:
    """Walks to the nearest gem."""

    def __init__(self, params: None, seed: int, welcome: Mapping[str, Any]) -> None: ...

    def act(self, picture: Mapping[str, Any]) -> Input:
        x, y = picture["p"]
        gx, gy = min(
            picture["g"], key=lambda gem: abs(gem[0] - x) + abs(gem[1] - y), default=(x, y)
        )
        return (gx > x) - (gx < x), (gy > y) - (gy < y)


GRIDWORLD = World(
    name="gridworld",
    version=1,
    about="A board with gems.",
    folder=Path(__file__).parent,
    draw=draw,
    playing=Playing(
        options=GridOptions,
        setup=GridSetup,
        inputs=InputSchema(
            (
                InputPart("step_x", -1, 1, "Right or left."),
                InputPart("step_y", -1, 1, "Down or up."),
            )
        ),
        tick_hz=HZ,
        seats=("player", "rival"),
        columns=WorldColumns(
            setup=(WorldColumn("board_seed", "integer", "What the board follows from."),),
            setup_row=lambda setup: {"board_seed": setup.seed},
            telemetry=(WorldColumn("score", "integer", "Gems so far."),),
            telemetry_rows=lambda recording: [
                {"score": score} for score in recording.telemetry["score"]
            ],
        ),
        opponents=Opponents({"wanderer": "Walks about.", "stone": "Does nothing."}),
        players=(
            Agent("gatherer", "Takes the nearest gem.", lambda: None, lambda rng: None, Gatherer),
        ),
        settle=settle,
        new=GridGame,
    ),
)
