"""A world of texts for the tests: two seats write to each other, and each has a secret word. The
partner repeats what it reads if nobody sits there.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from believable.contracts.agent import Agent, NoParams
from believable.contracts.game import RoundContext, RoundOutcome, SeatInputs
from believable.contracts.inputs import InputPart, InputSchema
from believable.contracts.record import Record
from believable.contracts.world import Playable, TrialForm, World
from believable.recordings.recording import Action, Actor, RecordedWorld, Recording, Timing, Track
from believable.recordings.scene import Scene, Shape, Sprite

HZ = 5
SEATS = ("person", "partner")
LONGEST = 40
INPUTS = InputSchema((InputPart(name="say", low=0, high=LONGEST, about="A line.", kind="text"),))


class ChatOptions(Record):
    lines: int = 6
    """It is over after so many lines."""


class ChatSetup(Record):
    seed: int
    lines: int
    ticks: int


def resolve(options: ChatOptions, context: RoundContext) -> ChatSetup:
    ticks = (3600 if context.practice else context.duration_s) * HZ
    return ChatSetup(seed=context.seed("chat"), lines=options.lines, ticks=ticks)


class ChatGame:
    """Lines in the order in which they were written; in one tick, the person's is first."""

    def __init__(self, setup: ChatSetup) -> None:
        rng = random.Random(setup.seed)
        self.secrets = {seat: f"{seat}-{rng.randrange(10**6)}" for seat in SEATS}
        self.setup, self.ticks, self.tick = setup, setup.ticks, 0
        self.lines: list[tuple[int, str, str]] = []
        self._heard = ""

    def step(self, inputs: SeatInputs) -> Sequence[str]:
        (said,) = inputs["person"]
        (answer,) = inputs.get("partner", (self._heard,))
        self._heard = f"{said}?"[:LONGEST] if said else ""
        written = [(seat, text) for seat, text in zip(SEATS, (said, answer), strict=True) if text]
        self.lines += [(self.tick, seat, text) for seat, text in written]
        self.tick += 1
        return ["line"] * len(written)

    def view(self, seat: str) -> Mapping[str, Any]:
        lines = [[who, text] for _, who, text in self.lines]
        return {"lines": lines, "secret": self.secrets[seat], "s": len(lines)}

    def welcome(self, seat: str) -> Mapping[str, Any]:
        return {}

    def over(self) -> RoundOutcome | None:
        count = len(self.lines)
        done = self.tick >= self.ticks or (count >= self.setup.lines)
        return RoundOutcome(count) if done else None

    def close(self) -> None: ...

    def record(self) -> Recording:
        tracks = [
            Track(actor=seat, x=(x,) * self.tick, y=(1500,) * self.tick)
            for seat, x in zip(SEATS, (500, 2500), strict=True)
        ]
        actions = [
            Action(
                id=f"a{number}",
                actor=seat,
                t0_ms=tick * 200,
                t1_ms=tick * 200 + 200,
                verb="say",
                text=text,
            )
            for number, (tick, seat, text) in enumerate(self.lines)
        ]
        return Recording(
            world=RecordedWorld(kind="chatworld", width=3, height=3, walls=("...",) * 3),
            actors=tuple(Actor(seat, seat, seat) for seat in SEATS),
            timing=Timing(frame_ms=1000 // HZ, frames=self.tick),
            tracks=tuple(tracks),
            actions=tuple(actions),
            seed=self.setup.seed,
        )


def draw(recording: Recording) -> Scene:
    face = (Shape(kind="circle", fill="#2f6690", r=0.4),)
    return Scene(
        width=3,
        height=3,
        background="#ffffff",
        ground=(),
        sprites=tuple(Sprite(actor=actor.id, shapes=face) for actor in recording.actors),
    )


def talkative(params: NoParams, seed: int) -> Callable[[Mapping[str, Any]], tuple[str]]:
    """Writes the same line twice, then others."""
    return lambda view: (("Hello", "Hello", "=1+1 \u201eJa\u201c")[len(view["lines"]) % 3],)


CHATWORLD = World(
    name="chatworld",
    version=1,
    about="Two people write to each other.",
    folder=Path(__file__).parent,
    draw=draw,
    playing=Playable(
        setup=ChatSetup,
        seats={"person": INPUTS, "partner": INPUTS},
        tick_hz=HZ,
        new=ChatGame,
        trial=TrialForm(options=ChatOptions, resolve=resolve),
        stand_in=Agent(
            name="chatworld/talkative",
            world="chatworld",
            about="Writes the same lines.",
            new=talkative,
            draw=lambda rng: NoParams(),
        ),
        recorded=ChatGame,
        private={"person": ("secret",), "partner": ("secret",)},
    ),
)
