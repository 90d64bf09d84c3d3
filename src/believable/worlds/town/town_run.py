"""A run of the town: people, their minds, and the steps of some days; cut at any step and resumed
to the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from believable.core.errors import InvalidInput
from believable.worlds.town.language.language_model import LanguageModel
from believable.worlds.town.mind import STEPS_PER_DAY, MindSetting, PlanEntry, TownMind
from believable.worlds.town.town_map import town_map
from believable.worlds.town.town_state import LoggedPrimitive, TownState
from believable.worlds.town.townsfolk import townsfolk

MindMaker = Callable[[MindSetting], TownMind]


@dataclass(frozen=True, slots=True)
class TownSettings:
    """What a run is made from: with the same minds, it is the same to the last byte."""

    seed: int
    people: int = 6
    days: int = 2
    mind: str = "neurosymbolic"
    options: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.days < 1:
            raise InvalidInput(f"days: expected 1 or more, got {self.days}.")


@dataclass(slots=True)
class TownTrace:
    """What the mind of one person said: plans by id, and notes with the step at which they were
    made.
    """

    person: str
    run: TownRun

    def plan(self, entries: Sequence[PlanEntry]) -> None:
        for entry in entries:
            self.run.plans[entry.id] = (self.person, entry)

    def note(self, kind: str, values: Mapping[str, Any]) -> None:
        self.run.notes.append(
            {"step": self.run.state.step, "person": self.person, "kind": kind, **values}
        )


class TownRun:
    """People and minds, step by step. `notes` are those since they were last taken out."""

    def __init__(
        self,
        settings: TownSettings,
        minds: MindMaker | Mapping[str, MindMaker],
        model: LanguageModel | None = None,
    ) -> None:
        self.settings = settings
        self.people = townsfolk(settings.seed, settings.people)
        self.state = TownState(town_map(settings.seed), self.people)
        self.plans: dict[str, tuple[str, PlanEntry]] = {}
        self.notes: list[dict[str, Any]] = []
        #: Of each person: tile and heading, one entry a step, the start included.
        self.tracks: dict[str, list[tuple[int, int, int]]] = {
            persona.id: [] for persona in self.people
        }
        self.minds: dict[str, TownMind] = {}
        for persona in self.people:
            make = minds if callable(minds) else minds[persona.id]
            setting = MindSetting(
                persona,
                self.people,
                self.state.town,
                settings.seed,
                TownTrace(persona.id, self),
                model,
                settings.options,
            )
            self.minds[persona.id] = make(setting)

    @property
    def over(self) -> bool:
        return self.state.step >= self.settings.days * STEPS_PER_DAY

    @property
    def log(self) -> list[LoggedPrimitive]:
        return self.state.log

    def advance(self) -> None:
        """One step: who has nothing to do is asked, then ten seconds pass. Who is asked first
        changes from step to step.
        """
        names = list(self.state.people)
        first = self.state.step % len(names)
        for name in (*names[first:], *names[:first]):
            self._ask(name)
        for name, person in self.state.people.items():
            self.tracks[name].append((person.x, person.y, person.heading))
        self.state.tick()
        if self.over:
            for name in names:
                self.state.end(name, cut=True)

    def _ask(self, name: str) -> None:
        person, mind = self.state.people[name], self.minds[name]
        if self.state.step % STEPS_PER_DAY == 0:
            mind.day_start(self.state.percept(name))
        if person.ongoing is not None:
            if not person.events:
                return
            if not mind.notice(self.state.percept(name)):
                person.events.clear()
                return
            self.state.end(name, cut=True)
        primitive = mind.next_primitive(self.state.percept(name))
        person.events.clear()
        self.state.begin(name, primitive)

    # ---------------------------------------------------------------------------------------- cut
    # and resumed

    def stored(self) -> dict[str, Any]:
        """Everything needed to go on, as JSON values; `notes` are kept elsewhere."""
        return {
            "state": self.state.stored(),
            "log": [list(asdict(line).values()) for line in self.log],
            "plans": [[person, asdict(entry)] for person, entry in self.plans.values()],
            "tracks": self.tracks,
            "minds": {name: mind.state() for name, mind in self.minds.items()},
        }

    def restore(self, tree: Mapping[str, Any]) -> None:
        self.state.restore(tree["state"])
        self.state.log = [LoggedPrimitive(*line) for line in tree["log"]]
        self.plans = {entry["id"]: (person, PlanEntry(**entry)) for person, entry in tree["plans"]}
        self.tracks = {
            name: [(x, y, heading) for x, y, heading in track]
            for name, track in tree["tracks"].items()
        }
        for name, mind in self.minds.items():
            mind.restore(tree["minds"][name])
