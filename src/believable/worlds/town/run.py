"""A run of the town: people and their minds, step by step. It can be interrupted at any step and
resumed to the same bytes.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from believable.core.errors import InvalidInput
from believable.worlds.town import actions, checkpoint
from believable.worlds.town.clock import STEPS_PER_DAY
from believable.worlds.town.language.model import AnswerPending, LanguageModel
from believable.worlds.town.layout import town_map
from believable.worlds.town.mind import MindSetting, PlanEntry, TalkingMind, TownMind
from believable.worlds.town.sight import look_around
from believable.worlds.town.state import LoggedPrimitive, TownState
from believable.worlds.town.townsfolk import townsfolk

MindMaker = Callable[[MindSetting], TownMind]


@dataclass(frozen=True, slots=True, kw_only=True)
class TownSettings:
    """The settings of a run. With the same settings and minds, a run is the same to the last
    byte.
    """

    seed: int
    people: int = 6
    days: int = 2
    mind: str = "neurosymbolic"
    options: Mapping[str, str] = field(default_factory=dict)
    town: str = "market"

    def __post_init__(self) -> None:
        if self.days < 1:
            raise InvalidInput(f"days: expected 1 or more, got {self.days}.")


@dataclass(slots=True)
class TownTrace:
    """The `MindTrace` of one person."""

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
    """People and minds. `notes` are new since they were last cleared. `tracks` has tile and heading
    of each person at each step. People whose prompt has no answer yet are `stuck`: they do nothing
    until the run is resumed.
    """

    plans: dict[str, tuple[str, PlanEntry]]

    def __init__(
        self, settings: TownSettings, make_mind: MindMaker, model: LanguageModel | None = None
    ) -> None:
        self.settings = settings
        self.people = townsfolk(settings.seed, settings.people, settings.town)
        self.state = TownState(town_map(settings.seed, settings.town), self.people)
        self.plans = {}
        self.notes: list[dict[str, Any]] = []
        self.stuck: set[str] = set()
        self.tracks: dict[str, list[tuple[int, int, int]]] = {
            persona.id: [] for persona in self.people
        }
        self.minds = {
            persona.id: make_mind(
                MindSetting(
                    persona=persona,
                    people=self.people,
                    town=self.state.town,
                    seed=settings.seed,
                    trace=TownTrace(persona.id, self),
                    model=model,
                    options=settings.options,
                    briefing=functools.partial(self._brief, persona.id),
                    partner_of=self._find_partner,
                )
            )
            for persona in self.people
        }

    @property
    def over(self) -> bool:
        return self.state.step >= self.settings.days * STEPS_PER_DAY

    @property
    def log(self) -> list[LoggedPrimitive]:
        return self.state.log

    def advance(self) -> None:
        """Ask everyone who is free, then let ten seconds pass. Another person is first at each
        step.
        """
        names = list(self.state.people)
        first = self.state.step % len(names)
        for name in (*names[first:], *names[:first]):
            if name in self.stuck:
                continue
            try:
                self._ask(name)
            except AnswerPending:
                self.stuck.add(name)
        for name, person in self.state.people.items():
            self.tracks[name].append((person.x, person.y, person.heading))
        actions.tick(self.state)
        if self.over:
            for name in names:
                actions.end(self.state, name, cut=True)

    def _brief(self, asker: str, other: str) -> Mapping[str, str]:
        """Return what another person would bring into a talk; nothing if their mind does not say.
        A person who is stuck cannot be asked.
        """
        if other in self.stuck:
            raise AnswerPending(other)
        mind = self.minds[other]
        if not isinstance(mind, TalkingMind):
            return {}
        return mind.briefing(asker, look_around(self.state, other))

    def _find_partner(self, other: str) -> str | None:
        mind = self.minds[other]
        return mind.partner if isinstance(mind, TalkingMind) else None

    def _ask(self, name: str) -> None:
        person, mind = self.state.people[name], self.minds[name]
        if self.state.step % STEPS_PER_DAY == 0:
            mind.day_start(look_around(self.state, name))
        if person.ongoing is not None:
            if not person.events:
                return
            if not mind.notice(look_around(self.state, name)):
                person.events.clear()
                return
            actions.end(self.state, name, cut=True)
        primitive = mind.next_primitive(look_around(self.state, name))
        person.events.clear()
        actions.begin(self.state, name, primitive)

    def save(self) -> dict[str, Any]:
        """Return everything that a resumed run needs, as JSON values. Notes are not part of it."""
        return {
            "state": self.state.save(),
            **checkpoint.save(self, ("plans",)),
            "tracks": self.tracks,
            "minds": {name: mind.state() for name, mind in self.minds.items()},
        }

    def restore(self, tree: Mapping[str, Any]) -> None:
        self.state.restore(tree["state"])
        checkpoint.restore(self, {"plans": tree["plans"]})
        self.tracks = {
            name: [(x, y, heading) for x, y, heading in track]
            for name, track in tree["tracks"].items()
        }
        for name, mind in self.minds.items():
            mind.restore(tree["minds"][name])
