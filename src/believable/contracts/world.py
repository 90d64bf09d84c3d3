"""A world: one declared record for each game or place that can be recorded, drawn and played.

A round is a pure function of its setup and the inputs of its seats, tick by tick: so it is resumed,
filmed, varied and replayed from them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Literal, TypeAlias, TypeVar

from believable.contracts.agent import ActFunction, Agent, AgentTask
from believable.contracts.film import Filmable
from believable.contracts.game import Game, Recordable, RoundContext
from believable.contracts.inputs import InputSchema
from believable.contracts.record import Record
from believable.core.errors import InvalidInput
from believable.core.registry import did_you_mean
from believable.imitation.observations import Observations, observe
from believable.motion.motion_track import MotionTrack, recorded_motion
from believable.recordings.recording import Recording, Scalar
from believable.recordings.scene import Scene

Setup = TypeVar("Setup", bound=Record)
Options = TypeVar("Options", bound=Record)
Row: TypeAlias = dict[str, Scalar]


@dataclass(frozen=True, slots=True)
class Opponents:
    """The opponents that a study can name, each with its description. `level` names the quantity if
    a number from 0 to 1 is an opponent, too.
    """

    named: Mapping[str, str]
    level: str | None = None

    def problem(self, name: object) -> tuple[str, str] | None:
        """Return the problem with an opponent as an author wrote it, and its fix."""
        if not isinstance(name, str) or name in self.named:
            return None
        hint = f" Or give a number between 0 and 1: {self.level} held there." if self.level else ""
        return f"unknown opponent {name!r}.", f"{did_you_mean(name, self.named)}{hint}"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialForm(Generic[Options, Setup]):
    """The keys that a play trial has for this world, and the way from them to a setup.

    `resolve(options, context)` returns the setup of one round, with its seeds. `check(options)`
    lists the problems that their types do not show, as (key, message, fix). `arms(options)` are
    the keys that follow an arm: `{key: (arm, level that it must have)}`. `text_key(options)` is
    the beginning of the keys of the world's texts: `.text` and `.practice_text` above the game,
    `.label` of the picture, `.over` and `.over_text` at the end.
    """

    options: type[Options]
    resolve: Callable[[Options, RoundContext], Setup]
    opponents: Opponents = field(default_factory=lambda: Opponents({}))
    check: Callable[[Options], Sequence[tuple[str, str, str]]] = lambda options: ()
    arms: Callable[[Options], Mapping[str, tuple[str, str]]] = lambda options: {}
    text_key: Callable[[Options], str] = lambda options: "play"

    def options_in(self, trial: Record) -> Options:
        """Return the keys of a play trial that belong to this world."""
        return self.options.model_validate(
            {name: getattr(trial, name) for name in self.options.model_fields}
        )


@dataclass(frozen=True, slots=True)
class WorldColumn:
    """A column of the bundle that this world fills."""

    name: str
    type: Literal["string", "integer", "number", "boolean"]
    about: str
    required: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Tabular:
    """The columns of the bundle that a world adds to those of all rounds.

    `setup` are columns of the table of rounds, filled by `setup_row(setup)`. `telemetry` are
    columns of the table with one row per frame, filled by `telemetry_rows(recording)`. The table of
    inputs follows from the seats.
    """

    setup: tuple[WorldColumn, ...] = ()
    setup_row: Callable[[Any], Row] = lambda setup: {}
    telemetry: tuple[WorldColumn, ...] = ()
    telemetry_rows: Callable[[Recording], Sequence[Row]] = lambda recording: [
        {} for _ in range(recording.timing.frames)
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Playable(Generic[Options, Setup]):
    """How a world is played.

    `setup` is the record from which a round follows; it is stored as JSON. `new(setup)` starts a
    round. `seats` maps each seat to the inputs that it takes; the first seat is the person's.
    `tick_hz` is the number of ticks in a second, or a function of the setup. `trial` says how a
    study writes rounds. In the world's folder are `static/page.js`, the module of the page, which
    exports `begin(surroundings)` (see `web/static/play/game.js`), and optionally `hud.html` (above
    the game), `help.html` (next to it) and `static/page.css`.

    A world can do more: `recorded(setup)` starts a round that keeps a recording, `filmable` is for
    worlds that draw themselves (they need no script), `tabular` adds columns to the bundle.

    `private` maps a seat to the keys of its view that no other seat may see; `check_world` checks
    them. A seat without input is played by the game, as the setup says, except the first one.

    `stand_in` is the agent that plays for simulated participants. `known(setup)` is the knowledge
    of a player who has been there before: agents get it as `known` of the welcome, pages never.
    `ready()` raises MissingExtra if rounds need a package that is not installed.

    `rollout(setup, act, target, steps_per_s, agent, about)` lets an agent play a round that `acts`
    in the environment, writes recording and film as `target` with their endings, and returns the
    files; with `steps_per_s` it acts at about this pace, if the world waits for its players.
    `check_program(options)` is `check` for such an agent, which needs no keys. `human_steps_per_s`
    is the assumed pace of people in a world that waits for them.
    """

    setup: type[Setup]
    seats: Mapping[str, InputSchema]
    tick_hz: int | Callable[[Setup], int]
    new: Callable[[Setup], Game]
    trial: TrialForm[Options, Setup]
    stand_in: Agent[Any]
    recorded: Callable[[Setup], Recordable] | None = None
    filmable: Filmable | None = None
    tabular: Tabular = field(default_factory=Tabular)
    private: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    known: Callable[[Setup], Mapping[str, Any]] = lambda setup: {}
    ready: Callable[[], object] = lambda: None
    rollout: Callable[..., Sequence[Path]] | None = None
    check_program: Callable[[Options], Sequence[tuple[str, str, str]]] = lambda options: ()
    human_steps_per_s: float | None = None

    @property
    def seat(self) -> str:
        """The first seat."""
        return next(iter(self.seats))

    @property
    def inputs(self) -> InputSchema:
        """The inputs of the first seat."""
        return self.seats[self.seat]

    def hz(self, setup: Setup) -> int:
        """Return the number of ticks in a second of a round."""
        return self.tick_hz(setup) if callable(self.tick_hz) else self.tick_hz

    def dump_setup(self, setup: Setup) -> str:
        """Return a setup as JSON: the same bytes for the same setup."""
        return json.dumps(setup.model_dump(mode="json"), sort_keys=True, separators=(",", ":"))

    def load_setup(self, text: str) -> Setup:
        """Read a setup that `dump_setup` wrote."""
        return self.setup.model_validate_json(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """A world that can be recorded and watched, and played if it has a `playing`.

    `draw(recording)` returns its looks as plain data, for the browser's player and for videos
    alike. It is None if recordings do not contain positions; only pictures then show the events.
    `extra` names the optional part of the installation that it needs. `folder` has its scripts
    (`static/`) and templates. `observe(recording, actor)` returns the observations of an actor for
    learners; worlds whose recordings lack the usual columns have a separate function.
    `motion(recording, actor)` returns how an actor moves (actor None: the one that viewers follow);
    by default positions and headings of its track are read. `tasks` are the training tasks of
    agents. `start_of(recording)` names the start of a recording (the
    environment and its seed), so that recordings of the same start can be compared; None if it is
    unknown. `try_agent(agent, options, act, seed, seconds)` plays a short piece with an agent, if
    this world does not play in rounds; it raises InvalidInput if an answer is not one of the
    world's.
    """

    name: str
    version: int
    about: str
    folder: Path
    draw: Callable[[Recording], Scene] | None = None
    playing: Playable[Any, Any] | None = None
    extra: str | None = None
    observe: Callable[[Recording, str], Observations] = observe
    motion: Callable[[Recording, str | None], MotionTrack] = recorded_motion
    tasks: tuple[AgentTask, ...] = ()
    start_of: Callable[[Recording], str | None] = lambda recording: None
    try_agent: Callable[[Agent[Any], Mapping[str, Any], ActFunction, int, int], object] | None = (
        None
    )

    @property
    def game(self) -> Playable[Any, Any]:
        """How it is played; an error for a world that can only be watched."""
        if self.playing is None:
            raise InvalidInput(f"the world {self.name!r} can be watched, but not played.")
        return self.playing
