"""What a mind of the town is told and what it may ask for: the contract between the world and
whoever decides in it.

    world ── Percept ──▶ mind.next_primitive ── Primitive ──▶ world ── PrimitiveResult in the next
    Percept ──▶ …

A mind drives one person. It is asked for the next primitive whenever the person has nothing to do:
at the start, when the last primitive has ended, when it was refused, and when `notice` says that
something heard matters more than what is going on. The world decides what is possible (walls,
locked doors, distance, hands, places taken) and refuses the rest with a reason; what is sensible,
polite or in time is the mind's own business, and the rule checker's, which reads nothing but the
recording.

To add a mind: write `minds/<name>_mind.py` with a class that keeps `TownMind` and a record
`MindKind`, and put its name into `MIND_MODULES` of `minds/__init__.py`. `believable town run OUT
--mind NAME` then finds it. A mind

* takes all chance from `MindSetting.rng(*names)` (a generator for a named use, the same for the
  same seed),
* says what it means to do with `trace.plan(...)` (what a watcher sees as the plan) and names in
  `Primitive.serves` the entry that a primitive serves,
* writes whatever else explains it with `trace.note(kind, {...})`: one line of `trace.jsonl` each,
* gives everything it must remember as JSON values in `state()` and takes them back in `restore()`:
  runs are cut and resumed.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

from believable.core.seeds import generator

if TYPE_CHECKING:
    from believable.worlds.town.language.language_model import LanguageModel
    from believable.worlds.town.town_map import TownMap

STEP_S = 10
STEPS_PER_MINUTE = 60 // STEP_S
MINUTES_PER_DAY = 24 * 60
STEPS_PER_DAY = MINUTES_PER_DAY * STEPS_PER_MINUTE

Verb = Literal["move-to", "open", "close", "pick-up", "put", "use", "speak", "wait"]
VERBS: tuple[Verb, ...] = ("move-to", "open", "close", "pick-up", "put", "use", "speak", "wait")
#: Between 0 (nothing left) and 1 (all is well).
NEEDS = ("energy", "food", "hygiene", "company")


@dataclass(frozen=True, slots=True)
class Primitive:
    """The smallest thing a person can be asked to do.

    `move-to` object (a fixture, door, person or room; a door's side in the room `target`, or the
    nearer one) · `open`/`close` object (a door, or a fixture that holds things) · `pick-up` object
    (a thing that lies somewhere, or a kind of thing from the stock of `target`) · `put` object (a
    thing) on or into target (a fixture) · `use` object (a fixture) for an activity of
    `activities.yaml`, for some minutes · `speak` to target (a person): text · `wait` some minutes.
    `words` is what a watcher reads in the log; the world has words of its own where it is empty.
    `serves` is the id of the plan entry it is done for.
    """

    verb: Verb
    object: str | None = None
    target: str | None = None
    activity: str | None = None
    minutes: float = 0.0
    text: str = ""
    words: str = ""
    serves: str | None = None


@dataclass(frozen=True, slots=True)
class PrimitiveResult:
    """How it went. `refused` is the world's reason where it did not happen; `cut` says that it
    ended before its time.
    """

    primitive: Primitive
    from_step: int
    to_step: int
    refused: str | None = None
    cut: bool = False


@dataclass(frozen=True, slots=True)
class SeenPerson:
    """Somebody in sight: `doing` is what anybody could tell by looking (an activity, `walking`,
    `talking`, nothing).
    """

    id: str
    name: str
    room: str
    distance: int
    doing: str
    asleep: bool


@dataclass(frozen=True, slots=True)
class SeenThing:
    """A fixture, door or portable thing in sight. `state` is open, closed, on, off or empty;
    `holder` is the fixture or person that has it; `users` are those who use it now.
    """

    id: str
    kind: str
    room: str
    distance: int
    state: str
    owner: str | None
    holder: str | None
    users: tuple[str, ...]
    capacity: int


@dataclass(frozen=True, slots=True)
class TownEvent:
    """Something heard or seen since the last percept: `spoke` (text, to whom), `arrived`,
    `left`.
    """

    step: int
    kind: str
    person: str
    target: str | None = None
    text: str = ""
    room: str | None = None


@dataclass(frozen=True, slots=True)
class Percept:
    """All that a person knows at a step: where and when it is, who and what is in sight, what was
    heard, and its own state.

    `room` and `building` are ids of the map (`street` outside). `people` and `things` are those of
    the same room, and outdoors those within sight. `result` is how the last primitive went.
    """

    step: int
    person: str
    room: str
    building: str
    x: int
    y: int
    people: tuple[SeenPerson, ...]
    things: tuple[SeenThing, ...]
    events: tuple[TownEvent, ...]
    needs: Mapping[str, float]
    carried: tuple[SeenThing, ...]
    money: float
    result: PrimitiveResult | None

    @property
    def day(self) -> int:
        """Counted from 0."""
        return self.step // STEPS_PER_DAY

    @property
    def minute(self) -> float:
        """Of the day."""
        return (self.step % STEPS_PER_DAY) / STEPS_PER_MINUTE

    @property
    def clock(self) -> str:
        return clock_words(self.step)


def clock_words(step: int) -> str:
    """`07:30`."""
    minute = (step % STEPS_PER_DAY) // STEPS_PER_MINUTE
    return f"{minute // 60:02d}:{minute % 60:02d}"


@dataclass(frozen=True, slots=True)
class Habit:
    """Something a person does on its own account: an activity, usually at this minute of the day,
    for about so long.
    """

    activity: str
    minute: int
    minutes: int


@dataclass(frozen=True, slots=True)
class Persona:
    """Who somebody is: known to the mind from the start, and written into the recording.

    `home` and `workplace` are buildings; `relations` says what each other person is to them
    (partner, friend, colleague, neighbour); minutes are minutes of the day.
    """

    id: str
    name: str
    age: int
    role: str
    about: str
    home: str
    bed: str
    workplace: str
    work_from: int
    work_to: int
    wakes: int
    sleeps: int
    money: float
    relations: Mapping[str, str]
    habits: tuple[Habit, ...]


@dataclass(frozen=True, slots=True)
class PlanEntry:
    """A node of the plan tree: level 0 the day, 1 an intention, 2 a task. Steps are those of the
    run.

    `activity` (or several, apart by spaces) and `place` (a building or room) say what would fulfil
    it: somebody who was there and did that, or one of them, has done it. An entry declared again
    under its id is replaced; `status` becomes `done` or `dropped`, `reason` why.
    """

    id: str
    parent: str | None
    level: int
    from_step: int
    to_step: int
    text: str
    activity: str | None = None
    place: str | None = None
    status: Literal["open", "done", "dropped"] = "open"
    reason: str = ""


class MindTrace(Protocol):
    """Where a mind says what it means and why. The run keeps both: plans in the recording, notes in
    `trace.jsonl`.
    """

    def plan(self, entries: Sequence[PlanEntry]) -> None: ...

    def note(self, kind: str, values: Mapping[str, Any]) -> None: ...


@dataclass(frozen=True, slots=True)
class MindSetting:
    """What a mind is made with. `model` is the run's language model, where it has one; `options`
    come from the command line (`--option NAME=VALUE`).
    """

    persona: Persona
    people: tuple[Persona, ...]
    town: TownMap
    seed: int
    trace: MindTrace
    model: LanguageModel | None = None
    options: Mapping[str, str] = field(default_factory=dict)

    def rng(self, *names: str | int) -> random.Random:
        """The chance of a named use: the same whenever it is asked for, so that nothing of it needs
        to be stored.
        """
        return generator(self.seed, "mind", self.persona.id, *names)


class TownMind(Protocol):
    """Decides for one person."""

    def day_start(self, percept: Percept) -> None:
        """Called once a day, at midnight and at the start of a run, before anything else of that
        day.
        """
        ...

    def next_primitive(self, percept: Percept) -> Primitive:
        """What to do now. What the world refuses takes one step; the reason is in the next
        percept's `result`.
        """
        ...

    def notice(self, percept: Percept) -> bool:
        """Called while a primitive is going on and something was heard or seen: True drops it, and
        the mind is asked for a primitive, with the same events in the percept. What is not taken up
        is gone.
        """
        ...

    def state(self) -> Mapping[str, Any]:
        """All that it remembers, as JSON values."""
        ...

    def restore(self, state: Mapping[str, Any]) -> None:
        """Goes on from what `state` gave."""
        ...


@dataclass(frozen=True, slots=True)
class MindKind:
    """A mind that runs can name. `options` names what it takes, each with what it means;
    `asks_model`: whether it needs a language model, or takes one where its option `model` is on.
    """

    name: str
    about: str
    create: Callable[[MindSetting], TownMind]
    options: Mapping[str, str] = field(default_factory=dict)
    asks_model: Literal["never", "may", "always"] = "never"
