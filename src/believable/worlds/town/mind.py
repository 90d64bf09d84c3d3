"""The contract between the town and the minds of its people.

    world ── Percept ──▶ mind.next_primitive ── Primitive ──▶ world ── Percept, with the result ──▶

A mind decides for one person. The run asks it for the next primitive when the person has nothing to
do: at the start, after a primitive has ended or was refused, and after `notice` has returned True.
The world refuses the impossible (walls, locked doors, distance, full hands, occupied furniture)
with a `RefusedStep`. The mind itself decides about sense, manners and time. The rule checker judges
that from the recording alone.

To add a mind, write an agent of the town (`minds/__init__.py`), in a package of your own or as
`module:function`. `believable town run OUT --agent NAME` then finds it. A mind

* takes all randomness from `MindSetting.rng(*names)`, which returns the same generator for the same
  seed and names,
* declares its plans with `trace.plan(...)`; viewers see them. `Primitive.serves` names the plan
  entry that a primitive serves,
* writes other explanations with `trace.note(kind, {...})`, one line of `trace.jsonl` each,
* returns everything that it must remember as JSON values from `state()` and accepts them in
  `restore()`, so that a run can be interrupted and resumed. `checkpoint` does this for annotated
  attributes.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from believable.core.seeds import generator
from believable.recordings.recording import Scalar
from believable.worlds.town.clock import STEPS_PER_DAY, clock_text, minute_of_day

if TYPE_CHECKING:
    from believable.worlds.town.language.model import LanguageModel
    from believable.worlds.town.map import TownMap

#: Speaker and text.
SpokenLine = tuple[str, str]

Verb = Literal["move-to", "open", "close", "pick-up", "put", "use", "speak", "wait"]
VERBS: tuple[Verb, ...] = ("move-to", "open", "close", "pick-up", "put", "use", "speak", "wait")
#: Between 0 (nothing left) and 1 (all is well).
NEEDS = ("energy", "food", "hygiene", "company")


@dataclass(frozen=True, slots=True, kw_only=True)
class Primitive:
    """The smallest action that a mind can ask for.

    | verb            | object                                  | other fields                   |
    |-----------------|-----------------------------------------|--------------------------------|
    | `move-to`       | a fixture, door, person or room         | `target`: on which side of the |
    |                 |                                         | door, a room                   |
    | `open`, `close` | a door, or a fixture that has a door    |                                |
    | `pick-up`       | a thing, or a kind of thing in stock    | `target`: the fixture          |
    | `put`           | a thing in the hands                    | `target`: the fixture          |
    | `use`           | a fixture                               | `activity`, `minutes`          |
    | `speak`         |                                         | `target`: a person, `text`;    |
    |                 |                                         | `exchange`: the whole talk, of |
    |                 |                                         | which this is line `line`      |
    | `wait`          |                                         | `minutes`                      |

    The activities are those of `activities.yaml`. Viewers read `label` in the log; if it is empty,
    the world writes one. `serves` is the id of the plan entry that the primitive is for.
    """

    verb: Verb
    object: str | None = None
    target: str | None = None
    activity: str | None = None
    minutes: float = 0.0
    text: str = ""
    label: str = ""
    serves: str | None = None
    exchange: tuple[SpokenLine, ...] = ()
    line: int = 0


RefusalCode = Literal[
    "unknown",
    "no_way",
    "door_closed",
    "no_door",
    "out_of_reach",
    "already",
    "locked",
    "occupied",
    "hands_full",
    "not_lying",
    "closed",
    "out_of_stock",
    "not_carried",
    "no_use",
    "taken",
    "too_expensive",
    "too_far",
]


@dataclass(frozen=True, slots=True)
class RefusedStep:
    """Why the world refuses a primitive: a code, the object in the way, and a sentence for the
    log.
    """

    code: RefusalCode
    object: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PrimitiveResult:
    """How a primitive ended. `refused` is set if it did not happen; `cut` if it ended early."""

    primitive: Primitive
    from_step: int
    to_step: int
    refused: RefusedStep | None = None
    cut: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenPerson:
    """A person in sight. `doing` is visible to everyone: an activity, `walking`, `talking`, `busy`
    or nothing.
    """

    id: str
    name: str
    room: str
    distance: int
    doing: str
    asleep: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenThing:
    """A fixture, door or portable thing in sight.

    `state` is open, closed, on, off or empty. `holder` is the fixture or person that has the thing,
    `users` are the people who use it now.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class TownEvent:
    """Something heard or seen since the last percept: a person `spoke` (target, text) or `arrived`
    (room).
    """

    step: int
    kind: Literal["spoke", "arrived"]
    person: str
    target: str | None = None
    text: str = ""
    room: str | None = None
    exchange: tuple[SpokenLine, ...] = ()
    line: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Percept:
    """Everything that a person knows at a step.

    `room` and `building` are ids of the map, or `street`. `people` and `things` are in the same
    room; outdoors they are within sight. `result` is that of the last primitive.
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
    def tile(self) -> tuple[int, int]:
        return self.x, self.y

    @property
    def day(self) -> int:
        """The day, counted from 0."""
        return self.step // STEPS_PER_DAY

    @property
    def minute(self) -> float:
        """The minute of the day."""
        return minute_of_day(self.step)

    @property
    def clock(self) -> str:
        return clock_text(self.minute)

    def state_of(self, thing: str) -> str | None:
        """Return the state of a thing in sight, or None if it is out of sight."""
        return next((seen.state for seen in self.things if seen.id == thing), None)

    def carries(self, kind: str) -> bool:
        return any(thing.kind == kind for thing in self.carried)

    def hears(self, person: str) -> Iterator[TownEvent]:
        """Yield the sentences that this person was addressed with since the last percept."""
        return (e for e in self.events if e.kind == "spoke" and e.target == person)


@dataclass(frozen=True, slots=True)
class Habit:
    """An activity that a person usually begins at this minute of the day, and for how long."""

    activity: str
    minute: int
    minutes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Persona:
    """A person as the mind knows them from the start; the recording contains the same facts.

    `home` and `workplace` are buildings. `relations` maps every other person to partner, friend,
    colleague or neighbour. Minutes are minutes of the day.
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

    @property
    def first_name(self) -> str:
        return self.name.partition(" ")[0]

    def relation_to(self, other: str) -> str:
        return self.relations.get(other, "acquaintance")


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanEntry:
    """A node of the plan tree. Level 0 is the day, 1 an intention, 2 a task.

    An entry is fulfilled if the person does `activity` (or one of several, separated by spaces) in
    `place`, a building or room. An entry with the id of an earlier one replaces it. `reason` says
    why an entry was dropped. Steps count from the start of the run.
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
    """Where a mind explains itself. The run writes plans into the recording and notes into
    `trace.jsonl`.
    """

    def plan(self, entries: Sequence[PlanEntry]) -> None: ...

    def note(self, kind: str, values: Mapping[str, Any]) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class MindSetting:
    """The setting of a new mind. `model` is the language model of the run, if it has one;
    `options` are those of the command line (`--option NAME=VALUE`). `briefing` returns the topics
    of another person for a talk with this one, `partner_of` the person whom they talk with or
    approach for a talk.
    """

    persona: Persona
    people: tuple[Persona, ...]
    town: TownMap
    seed: int
    trace: MindTrace
    model: LanguageModel | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    briefing: Callable[[str], Mapping[str, str]] = lambda other: {}
    partner_of: Callable[[str], str | None] = lambda other: None

    def rng(self, *names: str | int) -> random.Random:
        """Return the generator of a named use. It is always the same one, so it need not be
        stored.
        """
        return generator(self.seed, "mind", self.persona.id, *names)


class TownMind(Protocol):
    """Decides for one person."""

    def day_start(self, percept: Percept) -> None:
        """Plan a day. The run calls this at its start and at every midnight, before anything
        else.
        """
        ...

    def next_primitive(self, percept: Percept) -> Primitive:
        """Return the next action. If the world refuses it, that takes a step, and the next percept
        has the reason in `result`.
        """
        ...

    def notice(self, percept: Percept) -> bool:
        """Return whether an event interrupts the primitive under way. If so, `next_primitive`
        follows with the same events; otherwise they are dropped.
        """
        ...

    def state(self) -> Mapping[str, Any]:
        """Return everything that the mind remembers, as JSON values."""
        ...

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue from a state."""
        ...


@runtime_checkable
class TalkingMind(Protocol):
    """A mind that others may talk with."""

    @property
    def partner(self) -> str | None:
        """The person whom this one talks with or approaches for a talk."""
        ...

    def briefing(self, other: str, percept: Percept) -> Mapping[str, str]:
        """Return the topics of the person for a talk with another."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class MindKind:
    """A mind that a run can name. `options` maps its options to their meanings. `asks_model` says
    whether it needs a language model; `may`: if its option `model` is on. Recordings name the mind
    by its `identity`.
    """

    name: str
    about: str
    create: Callable[[MindSetting], TownMind]
    options: Mapping[str, str] = field(default_factory=dict)
    asks_model: Literal["never", "may", "always"] = "never"
    identity: Mapping[str, Scalar] = field(default_factory=dict)
