"""A story as a game with a seat of texts: each line that is written is a command, and the story
answers it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import Field

from believable.contracts.game import RoundContext, RoundOutcome, SeatInputs
from believable.contracts.inputs import InputPart, InputSchema
from believable.contracts.record import Record
from believable.contracts.world import Row, Tabular, WorldColumn
from believable.core.errors import InvalidInput, MissingPackage
from believable.recordings.recording import Action, Actor, RecordedWorld, Recording, Timing, Track
from believable.recordings.scene import Scene, Shape, Sprite
from believable.worlds.story.story_environments import LITTLE_HOUSE, environment_maker

HZ = 5
PLAYER, TELLER = "player", "story"
LONGEST = 200
INPUTS = InputSchema(
    (InputPart(name="command", low=0, high=LONGEST, about="A line to the story.", kind="text"),)
)
#: The page gets this number of the latest lines.
SHOWN_LINES = 60
_PRACTICE_S = 3600


class TextOptions(Record):
    """The choices of a play trial's author about the story."""

    story: str = LITTLE_HOUSE
    """`little_house`, a file that TextWorld and Jericho play (`.z3`, `.z4`, `.z5`, `.z8`, `.ulx`),
    or MODULE:FUNCTION, which returns an environment of texts.
    """
    commands: int = Field(default=200, ge=1, le=5000)
    """The round is over after this number of commands."""
    story_seed: int | None = Field(default=None, ge=0)
    """The story's chance follows from this number; by default another one for each round."""


class TextSetup(Record):
    """Everything that determines a round, together with its commands."""

    story: str
    commands: int
    seed: int
    ticks: int


def resolve(options: TextOptions, context: RoundContext) -> TextSetup:
    """Return the setup of one round."""
    drawn = context.seed("story", context.trial_key) % 2**31
    seconds = _PRACTICE_S if context.practice else context.duration_s
    return TextSetup(
        story=options.story,
        commands=options.commands,
        seed=drawn if options.story_seed is None else options.story_seed,
        ticks=seconds * HZ,
    )


def problems_of(options: TextOptions) -> Sequence[tuple[str, str, str]]:
    try:
        environment_maker(options.story)
    except (InvalidInput, MissingPackage) as error:
        return [("story", str(error), "")]
    return []


class TextGame:
    """One round. Each line has its tick, its writer and its text."""

    def __init__(self, setup: TextSetup) -> None:
        self.setup, self.ticks, self.tick = setup, setup.ticks, 0
        self._env = environment_maker(setup.story)()
        first = self._env.reset(setup.seed)
        self.lines: list[tuple[int, str, str]] = [(0, TELLER, first.text)]
        self._scores = [first.score]
        self._score, self._ended, self._commands = first.score, first.over, 0

    def step(self, inputs: SeatInputs) -> Sequence[str]:
        command = str(inputs[PLAYER][0]).strip()
        events: list[str] = []
        if command and not self._ended:
            answer = self._env.step(command)
            self.lines += [(self.tick, PLAYER, command), (self.tick, TELLER, answer.text)]
            events = ["line", *(("points",) if answer.score > self._score else ())]
            self._score, self._ended = answer.score, answer.over
            self._commands += 1
        self._scores.append(self._score)
        self.tick += 1
        return events

    def over(self) -> RoundOutcome | None:
        ended = self._ended or self._commands >= self.setup.commands
        return RoundOutcome(self._score) if ended or self.tick >= self.ticks else None

    def view(self, seat: str) -> Mapping[str, Any]:
        lines = [[who, text] for _, who, text in self.lines[-SHOWN_LINES:]]
        return {"lines": lines, "n_lines": len(self.lines), "s": self._score}

    def welcome(self, seat: str) -> Mapping[str, Any]:
        return {"longest": LONGEST}

    def close(self) -> None:
        self._env.close()

    def record(self) -> Recording:
        tracks = tuple(
            Track(actor=who, x=(x,) * self.tick, y=(1000,) * self.tick)
            for who, x in ((PLAYER, 1000), (TELLER, 3000))
        )
        tick_ms = 1000 // HZ
        return Recording(
            world=RecordedWorld(kind="story", width=4, height=2, walls=("....",) * 2),
            actors=(Actor(PLAYER, "You", PLAYER), Actor(TELLER, "Story", TELLER)),
            timing=Timing(frame_ms=tick_ms, frames=self.tick),
            tracks=tracks,
            actions=tuple(
                Action(
                    id=f"a{number}",
                    actor=who,
                    t0_ms=tick * tick_ms,
                    t1_ms=(tick + 1) * tick_ms,
                    verb="say" if who == PLAYER else "answer",
                    text=text,
                )
                for number, (tick, who, text) in enumerate(self.lines, 1)
                if tick < self.tick
            ),
            telemetry={
                "score": tuple(self._scores[1 : self.tick + 1]),
                "command": tuple(self._commands_by_tick()),
            },
            seed=self.setup.seed,
            provenance={
                "world": "story",
                "setup": json.dumps(self.setup.model_dump(mode="json"), sort_keys=True),
            },
        )

    def _commands_by_tick(self) -> list[str | None]:
        written: list[str | None] = [None] * self.tick
        for tick, who, text in self.lines:
            if who == PLAYER:
                written[tick] = text
        return written


def start_of(recording: Recording) -> str | None:
    """The story and its seed."""
    setup = recording.provenance.get("setup")
    if not isinstance(setup, str):
        return None
    read = TextSetup.model_validate_json(setup)
    return f"{read.story}, seed {read.seed}"


def draw(recording: Recording) -> Scene:
    """The player and the story as two figures; their lines are in the log."""
    return Scene(
        width=4,
        height=2,
        background="#f4f1ea",
        ground=(),
        sprites=tuple(
            Sprite(actor=actor.id, shapes=(Shape(kind="circle", fill=_fill(actor.id), r=0.4),))
            for actor in recording.actors
        ),
    )


def _fill(actor: str) -> str:
    return "#2f6690" if actor == PLAYER else "#c8553d"


def _setup_row(setup: TextSetup) -> Row:
    return {"story": setup.story, "story_seed": setup.seed, "most_commands": setup.commands}


TABULAR = Tabular(
    setup=(
        WorldColumn("story", "string", "The story: its name, file or function."),
        WorldColumn("story_seed", "integer", "The seed of the story's chance."),
        WorldColumn("most_commands", "integer", "The round ends after this number of commands."),
    ),
    setup_row=_setup_row,
    telemetry=(
        WorldColumn("score", "integer", "The score after this frame."),
        WorldColumn("command", "string", "The command of this frame.", required=False),
    ),
    telemetry_rows=lambda recording: [
        {name: recording.telemetry[name][frame] for name in ("score", "command")}
        for frame in range(recording.timing.frames)
    ],
)
