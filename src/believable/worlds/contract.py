"""What a world is: one declared record behind which everything stands that only this world knows.

A round is a pure function of its setup and the inputs of its seats, tick by tick: so it is resumed,
filmed, varied and replayed from them. Inputs are short lists of whole numbers: the same on the
wire, in the database and in the bundle.
"""

from __future__ import annotations

import importlib
import json
import random
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Generic, Literal, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from believable.core.errors import InvalidInput, NotFound
from believable.core.registry import did_you_mean
from believable.core.seeds import derive
from believable.imitation.observations import Observations, observe
from believable.recordings.recording import Recording, Scalar
from believable.recordings.scene import Scene
from believable.study.bases import Record

Setup = TypeVar("Setup", bound=Record)
Options = TypeVar("Options", bound=Record)
P = TypeVar("P")

#: What one seat does in one tick, as the world's `InputSchema` says.
Input: TypeAlias = tuple[int, ...]
Row: TypeAlias = dict[str, Scalar]
#: A picture: height × width × red, green, blue.
Pixels: TypeAlias = NDArray[np.uint8]
#: Presses are counted from 1 to this, then from 1 again.
SERIALS = 7
#: A key that was pressed so many presses ago may still be down; letting go of the others shows it
#: again.
_STILL_DOWN = 3


# ----------------------------------------------------------------------------------------------
# inputs


@dataclass(frozen=True, slots=True)
class InputPart:
    """One number of an input, from `low` to `high`.

    `held` counts while it is pressed. `kept` stays when everything is released (where somebody
    looks). `trigger` is 0 or 1 and counts for a tick even if it was released before the tick came;
    `tapped` is the same for any number (a choice of several). `pressed` is such a choice whose
    presses are counted, so that two quick taps are two: the number is `choice + choices × serial`,
    and each press takes the next serial from 1 to `SERIALS`. Serial 0 means that presses are not
    counted: a tap right after another one then looks like a key that is held. `moved` adds up
    between two ticks (a mouse).
    """

    name: str
    low: int
    high: int
    about: str
    kind: Literal["held", "kept", "trigger", "tapped", "pressed", "moved"] = "held"

    @property
    def choices(self) -> int:
        """Of a part that is `pressed`: how many there are to choose from."""
        return self.high // (SERIALS + 1)

    def choice(self, value: int) -> int:
        """Of a part that is `pressed`: which one it is, from 1; 0: none."""
        return 0 if value == 0 else (value - 1) % self.choices + 1

    def serial(self, value: int) -> int:
        """Of a part that is `pressed`: the number of the press, from 1; 0: presses are not counted,
        or none is down.
        """
        return 0 if value == 0 else (value - 1) // self.choices

    def within(self, value: int) -> int:
        return min(max(value, self.low), self.high)

    def joined(self, values: Sequence[int]) -> int:
        """What counts for a tick of all that was said of this part since the last."""
        if self.kind == "moved":
            return self.within(sum(values))
        if self.kind in ("trigger", "tapped", "pressed"):
            return next((value for value in reversed(values) if value), 0)
        return values[-1]


class PressCounter:
    """Tells a new press of a `pressed` part from a key that is still down. Sees the value of every
    tick, in order.
    """

    def __init__(self, part: InputPart) -> None:
        self._part = part
        self._last = 0
        self._down: tuple[int, ...] = ()

    def is_new(self, value: int) -> bool:
        """Whether this value, seen next, is a new press."""
        serial = self._part.serial(value)
        return value != 0 and (serial not in self._down if serial else value != self._last)

    def see(self, value: int) -> bool:
        """Whether it is a new press; from now on it is not."""
        new, serial = self.is_new(value), self._part.serial(value)
        self._last = value
        if value == 0:
            self._down = ()
        elif serial and new:
            self._down = (*self._down, serial)[-_STILL_DOWN:]
        return new


@dataclass(frozen=True, slots=True)
class InputSchema:
    """What a seat can do."""

    parts: tuple[InputPart, ...]

    @property
    def nothing(self) -> Input:
        """Nothing was ever pressed."""
        return tuple(max(0, part.low) for part in self.parts)

    def read(self, raw: object) -> Input:
        """What came over the wire, or an error: whatever does not fit never reaches a game."""
        values = tuple(raw) if isinstance(raw, list | tuple) else ()
        if len(values) != len(self.parts) or not all(
            type(value) is int and part.low <= value <= part.high
            for value, part in zip(values, self.parts, strict=True)
        ):
            expected = ", ".join(f"{part.name} {part.low} to {part.high}" for part in self.parts)
            raise InvalidInput(
                f"an input: expected {expected}, got {str(raw)[:80]}. Reload the page."
            )
        return values

    def released(self, last: Input) -> Input:
        """Nothing is pressed any more."""
        return tuple(
            value if part.kind == "kept" else 0
            for value, part in zip(last, self.parts, strict=True)
        )

    def joined(self, inputs: Sequence[Input]) -> Input:
        """Inputs that count for the same tick: the last one, with every trigger pulled and every
        movement made since.
        """
        if len(inputs) == 1:
            return inputs[0]
        return tuple(
            part.joined(values)
            for part, values in zip(self.parts, zip(*inputs, strict=True), strict=True)
        )

    def after(self, last: Input) -> Input:
        """What holds in the ticks after an input: a movement was made once."""
        return tuple(
            0 if part.kind == "moved" else value
            for value, part in zip(last, self.parts, strict=True)
        )


# ----------------------------------------------------------------------------------------------
# rounds


@dataclass(frozen=True, slots=True)
class RoundPlace:
    """Where a round is played: what the plan and the session give to its setup. `session_seed` is
    the trial's `start_seed`, if it has one. `opponent` is empty if there is none.
    """

    session_seed: int
    trial_key: str
    condition: str | None
    opponent: str | float
    duration_s: int
    practice: bool

    def seed(self, *names: str) -> int:
        """Half of what `derive` gives: tables and databases hold whole numbers below 2**63."""
        return derive(self.session_seed, *names) >> 1


class Game(Protocol):
    """One round in progress.

    `step` goes on by a tick; a seat without input is played by the agent that the setup names. It
    returns what happened that can be seen or heard at the page. `snapshot` is what the page is told
    of the tick, as JSON values: all there is to draw in worlds that are drawn, what stands beside
    the picture in those that are rendered, and nothing of anybody's inside. `welcome` is what the
    page needs beside it, once. `record` gives the recording so far, of a game that was made with
    `recorded`. `close` gives back what it holds; nothing else is asked of it afterwards.
    """

    @property
    def tick(self) -> int: ...
    @property
    def ticks(self) -> int:
        """How long the round is at most."""

    @property
    def over(self) -> bool: ...
    @property
    def score(self) -> int: ...
    def step(self, inputs: Mapping[str, Input]) -> Sequence[str]: ...
    def snapshot(self) -> Mapping[str, Any]: ...
    def welcome(self) -> Mapping[str, Any]: ...
    def record(self) -> Recording: ...
    def close(self) -> None: ...


class RenderedGame(Game, Protocol):
    """A round of a world that draws itself. It may hold a process and memory, take a second to
    begin, and block while it steps: it is made, stepped and closed in one process that serves
    nobody else.

    `picture` is what is seen now, of the size that `welcome` tells as `width_px` and `height_px`.
    It is valid until the next step. `skip` goes on by as many ticks as there are inputs without
    looking: nothing is drawn and nothing recorded, and the round stands where `step` after `step`
    would have brought it. So a round is taken up again quickly.
    """

    def picture(self) -> Pixels: ...
    def skip(self, inputs: Sequence[Mapping[str, Input]]) -> None: ...


# ----------------------------------------------------------------------------------------------
# agents


class Driver(Protocol):
    """Somebody in the person's seat who sees what the page sees."""

    def act(self, picture: Mapping[str, Any]) -> Input: ...


@dataclass(frozen=True, slots=True)
class Agent(Generic[P]):
    """Who can play: a person's stand-in. `params()` are the usual parameters, `draw(rng)` those of
    somebody at random.

    `new(params, seed, welcome)` sits down at a round; what it does follows from the seed and from
    what it is shown. `load(written)` gives the parameters from what stands behind a colon after the
    name: `imitation:person.imitation`. `game(setup)` begins a recorded round that shows it more
    than a page is told, where it needs that.
    """

    name: str
    about: str
    params: Callable[[], P]
    draw: Callable[[random.Random], P]
    new: Callable[[P, int, Mapping[str, Any]], Driver]
    load: Callable[[str], P] | None = None
    game: Callable[[Any], Game] | None = None


def _loaded(agent: Agent[P], written: str) -> Agent[P]:
    """The agent with the parameters that the words give, read once."""
    if agent.load is None:
        raise InvalidInput(
            f"player {agent.name!r}: it takes nothing behind a colon, got {written!r}. Leave it"
            " out."
        )
    params = agent.load(written)
    return replace(agent, params=lambda: params, draw=lambda rng: params)


@dataclass(frozen=True, slots=True)
class Opponents:
    """Whom people play against: names with what each is, and whether a number from 0 to 1 is one,
    too (`level` says of what).
    """

    named: Mapping[str, str]
    level: str | None = None

    def problem(self, name: object) -> tuple[str, str] | None:
        """What is wrong with an opponent as an author wrote it, and the cure."""
        if not isinstance(name, str) or name in self.named:
            return None
        hint = f" Or give a number between 0 and 1: {self.level} held there." if self.level else ""
        return f"unknown opponent {name!r}.", f"{did_you_mean(name, self.named)}{hint}"


# ---------------------------------------------------------------------------------------------- the
# world


@dataclass(frozen=True, slots=True)
class WorldColumn:
    """A column of the bundle that this world fills."""

    name: str
    type: Literal["string", "integer", "number", "boolean"]
    about: str
    required: bool = True


@dataclass(frozen=True, slots=True)
class WorldColumns:
    """What the bundle carries of a world's rounds beside what all rounds have.

    `setup` are columns of the table of rounds, `setup_row(setup)` fills them; `telemetry` those of
    the table that goes tick by tick, `telemetry_rows(recording)` fills them, one row per frame. The
    inputs have their own table, from the `InputSchema`.
    """

    setup: tuple[WorldColumn, ...]
    setup_row: Callable[[Any], Row]
    telemetry: tuple[WorldColumn, ...]
    telemetry_rows: Callable[[Recording], Sequence[Row]]


@dataclass(frozen=True, slots=True)
class View:
    """How a recording is filmed: the size, where the camera is (empty: as it was played), and what
    is written over the picture (health, ammunition …). `plain`: nothing but the surroundings,
    neither hands nor crosshair nor flashes. `first_frame`: the pictures begin with this frame.
    """

    width_px: int
    height_px: int
    camera: str = ""
    overlay: bool = False
    plain: bool = False
    first_frame: int = 0


@dataclass(frozen=True, slots=True)
class MouseLook:
    """The parts of an input, of kind `moved`, that a mouse moves sideways and upwards, and how far
    per pixel.
    """

    sideways: str
    upwards: str
    per_px: float


@dataclass(frozen=True, slots=True)
class GameControls:
    """How keys and mouse become an input, on the page of worlds that draw themselves.

    `keys` has the place of a key on the keyboard (`KeyboardEvent.code`), or of several held
    together (`KeyA+KeyW`), with the part it sets and the value while it is down; for a part that is
    `moved`, how far in a second. `buttons` is the same for the mouse: 0 left, 1 middle, 2 right. Of
    a part that can be negative, what is down adds up; of others counts what was pressed last.
    `words` says what a key does, where the world knows it: an element with `data-controls` in its
    `help.html` lists them.
    """

    keys: Mapping[str, tuple[str, int]]
    buttons: Mapping[int, tuple[str, int]] = field(default_factory=dict)
    mouse: MouseLook | None = None
    words: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Rendering:
    """How a world that draws itself is seen.

    `cameras` are the places from which it can be filmed. `pictures(recording, view)` plays a
    recording again, from the setup and the inputs in it, and gives one picture for each of its
    frames: the same bytes for the same recording and view. `controls(setup)` is how a person plays
    it at the page that all such worlds share. `size_px(recording)` is width and height of the
    picture as it was played.
    """

    cameras: tuple[str, ...]
    pictures: Callable[[Recording, View], Generator[Pixels, None, None]]
    controls: Callable[[Any], GameControls]
    size_px: Callable[[Recording], tuple[int, int]] | None = None

    def problem(self, camera: str) -> str | None:
        """What is wrong with the name of a camera, with the cure."""
        if not camera or camera in self.cameras:
            return None
        return f"camera: unknown {camera!r}. {did_you_mean(camera, self.cameras)}"


@dataclass(frozen=True, slots=True)
class Playing(Generic[Options, Setup]):
    """How a world is played.

    `options` are the keys that a play trial has for this world; `check(options)` lists what is
    wrong in them beyond their types as (key, message, cure). `settle(options, place)` makes the
    setup of one round, its seeds in it, which is stored as JSON; `new(setup, recorded)` begins the
    round. `seats` begins with the person's. In the world's folder lie `static/page.js`, the module
    of the page, which exports `begin(surroundings)` (see `web/static/play/game.js`), and where they
    are needed `hud.html` (above the game), `help.html` (beside it) and `static/page.css`. A world
    that draws itself has a `rendering`; its games are `RenderedGame`s, and it needs no script of
    its own.

    `pace(setup)` is how many ticks a second has, where it is not always `tick_hz`. `words(options)`
    is the beginning of the keys of its texts: `.text` and `.practice_text` above the game, `.label`
    of the picture, `.over` and `.over_text` at the end. `known(setup)` is what somebody knows who
    has played there before: told to scripted players (as `known` of the welcome), never to a page.
    `ready()` raises MissingExtra where a round cannot be played because something is not installed.
    `rollout(setup, program, target, steps_per_s)` lets a program play a round, writes recording and
    film as `target` with their endings, and returns the files; with `steps_per_s` it acts at about
    this pace, if the world waits for whoever plays. `check_program(options)` is `check` for such a
    program, which needs no keys. `human_steps_per_s` is how fast people are assumed to go in a
    world that waits for them.
    """

    options: type[Options]
    setup: type[Setup]
    inputs: InputSchema
    tick_hz: int
    seats: tuple[str, ...]
    columns: WorldColumns
    opponents: Opponents
    players: tuple[Agent[Any], ...]
    settle: Callable[[Options, RoundPlace], Setup]
    new: Callable[[Setup, bool], Game]
    check: Callable[[Options], Sequence[tuple[str, str, str]]] = lambda options: ()
    rendering: Rendering | None = None
    pace: Callable[[Setup], int] | None = None
    words: Callable[[Options], str] = lambda options: "play"
    known: Callable[[Setup], Mapping[str, Any]] = lambda setup: {}
    ready: Callable[[], object] = lambda: None
    rollout: Callable[[Setup, Callable[..., Any], Path, float | None], Sequence[Path]] | None = None
    check_program: Callable[[Options], Sequence[tuple[str, str, str]]] = lambda options: ()
    human_steps_per_s: float | None = None

    def hz(self, setup: Setup) -> int:
        """Ticks in a second of a round."""
        return self.tick_hz if self.pace is None else self.pace(setup)

    def options_in(self, trial: Record) -> Options:
        """The keys of a play trial that are this world's."""
        return self.options.model_validate(
            {name: getattr(trial, name) for name in self.options.model_fields}
        )

    def stored(self, setup: Setup) -> str:
        """A setup as it is kept: JSON, the same bytes for the same setup."""
        return json.dumps(setup.model_dump(mode="json"), sort_keys=True, separators=(",", ":"))

    def setup_from(self, text: str) -> Setup:
        """What `stored` wrote."""
        return self.setup.model_validate_json(text)

    def player(self, name: str | None = None) -> Agent[Any]:
        """One who plays by itself; the first unless one is named. `NAME:WORDS` gives the words to
        its `load`.
        """
        if name is None:
            return self.players[0]
        own, colon, written = name.partition(":")
        for agent in self.players:
            if agent.name == own and not colon:
                return agent
            if agent.name == own:
                return _loaded(agent, written)
        names = [agent.name for agent in self.players]
        raise NotFound(f"unknown player {own!r}. {did_you_mean(own, names)}")


@dataclass(frozen=True, slots=True)
class AgentTask:
    """Something agents of a world are trained for. `agents` has their names with what each is.

    `rounds` has the options of its rounds, by which people of a lab play it (`believable record
    TASK`). `measuring` is a module with `evaluate_agent(agent, runs, seed, *, map_seeds, workers,
    progress)` and what tells its measures, `training` one with `train_agent(agent, seed, decisions,
    folder, *, maps, workers, tell, start, rate)`: imported when it is asked for.
    """

    name: str
    about: str
    agents: Mapping[str, str]
    measuring: str
    training: str
    rounds: Mapping[str, Any] = field(default_factory=dict)

    def part(self, name: str) -> Any:
        return getattr(importlib.import_module(self.measuring), name)

    @property
    def train_agent(self) -> Callable[..., Path]:
        train: Callable[..., Path] = importlib.import_module(self.training).train_agent
        return train


@dataclass(frozen=True, slots=True)
class World:
    """A world: recorded, drawn, and played where `playing` says how.

    `draw(recording)` gives its looks as plain data, for the browser's player and for videos alike;
    where that cannot show what happened, because a recording does not say where things are, `drawn`
    is false and its rounds are seen as pictures only. `extra` names the optional part of the
    installation that it needs. In `folder` lie its scripts (`static/`) and templates.
    `observe(recording, actor)` is what a learner sees of somebody in a recording, where that does
    not stand in the columns that all learners read. `tasks` are what agents of it are trained for.
    `start_of(recording)` names the start of a recording (the environment and its seed), so that
    recordings of the same start can be compared; None if it does not say.
    """

    name: str
    version: int
    about: str
    folder: Path
    draw: Callable[[Recording], Scene]
    playing: Playing[Any, Any] | None = None
    extra: str | None = None
    observe: Callable[[Recording, str], Observations] = observe
    drawn: bool = True
    tasks: tuple[AgentTask, ...] = ()
    start_of: Callable[[Recording], str | None] = lambda recording: None

    @property
    def game(self) -> Playing[Any, Any]:
        """How it is played; an error for a world that can only be watched."""
        if self.playing is None:
            raise InvalidInput(f"the world {self.name!r} can be watched, but not played.")
        return self.playing
