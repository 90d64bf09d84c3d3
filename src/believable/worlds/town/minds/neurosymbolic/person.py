"""The person whose mind this is: everything that the parts of the mind share."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from believable.core.errors import InvalidInput
from believable.core.seeds import derive
from believable.worlds.town import checkpoint
from believable.worlds.town.clock import STEPS_PER_DAY, STEPS_PER_MINUTE
from believable.worlds.town.mind import MindSetting, PlanEntry
from believable.worlds.town.minds.body.body import TownBody
from believable.worlds.town.minds.body.talking import Exchange
from believable.worlds.town.minds.generative.asking import Asker
from believable.worlds.town.minds.generative.experience import Experience
from believable.worlds.town.minds.generative.retrieval import RULES, Variant
from believable.worlds.town.minds.neurosymbolic.checks import CHECKS
from believable.worlds.town.minds.neurosymbolic.schedule import ScheduledGoal
from believable.worlds.town.state import FRIDGE_STOCK

SWITCHES = {
    "model": (
        "on: intentions, memories and sentences by the language model of the run (--model says"
        " which)"
    ),
    "planner": "off: no preconditions planned, nothing put away",
    "schedule": "off: goals in their order, without travel times and opening hours",
    "checks": "off: nothing is checked before acting",
    **{f"check_{name}": "off: this check alone" for name in CHECKS},
}


@dataclass(slots=True, kw_only=True)
class TalkState:
    """Talks before the present one."""

    #: Other person → step of the last sentence of either.
    last_talks: dict[str, int] = field(default_factory=dict)
    #: Sentences of today, with their listener.
    said: list[str] = field(default_factory=list)
    #: Memories that were mentioned, with their listener.
    told: list[str] = field(default_factory=list)


class NeurosymbolicPerson:
    """One person with their goals, their agenda and their talks."""

    SAVED = (*("entries", "goal_index", "exchange", "talks", "last_meal_step", "stock", "is_idle"),)
    #: The schedule of the day, and the index of the present goal (-1: none yet).
    entries: list[ScheduledGoal]
    goal_index: int
    #: The talk under way.
    exchange: Exchange | None
    talks: TalkState
    last_meal_step: int
    #: Ingredients that the person believes to be at home.
    stock: int
    #: Whether the person fills the time until the next goal.
    is_idle: bool

    def __init__(self, setting: MindSetting) -> None:
        _check_options(setting)
        off = {name for name, value in setting.options.items() if value == "off"}
        self.setting, self.persona, self.town = setting, setting.persona, setting.town
        self.people = {persona.id: persona for persona in setting.people}
        self.checks = frozenset(name for name in CHECKS if not {"checks", f"check_{name}"} & off)
        self.has_schedule = "schedule" not in off
        self.body = TownBody(setting, backward="planner" not in off)
        self.experience = (
            _open_experience(setting) if setting.options.get("model") == "on" else None
        )
        self.entries, self.goal_index = [], -1
        self.exchange, self.talks = None, TalkState()
        self.last_meal_step, self.stock = -STEPS_PER_DAY, FRIDGE_STOCK
        self.is_idle = False

    @property
    def entry(self) -> ScheduledGoal | None:
        """The present goal."""
        return self.entries[self.goal_index] if self.goal_index >= 0 else None

    @property
    def next_entry(self) -> ScheduledGoal | None:
        index = self.goal_index + 1
        return self.entries[index] if index < len(self.entries) else None

    @property
    def is_in_bed(self) -> bool:
        return self.entry is not None and self.entry.goal.is_sleep

    @property
    def counts(self) -> Counter[str]:
        """Everything that is counted, also by the body."""
        return self.body.counts

    def rng(self, *names: str | int) -> random.Random:
        """Return the generator of the next decision."""
        return self.body.rng(*names)

    def day_id(self, day: int) -> str:
        return f"{self.persona.id}-d{day + 1}"

    def goal_entry(self, scheduled: ScheduledGoal, day: int) -> PlanEntry:
        """Return the plan entry of a goal."""
        midnight = day * STEPS_PER_DAY
        return PlanEntry(
            id=f"{self.day_id(day)}-{scheduled.goal.name}",
            parent=self.day_id(day),
            level=1,
            from_step=midnight + round(scheduled.begins * STEPS_PER_MINUTE),
            to_step=midnight + round(scheduled.ends * STEPS_PER_MINUTE),
            text=scheduled.goal.text,
            activity=scheduled.goal.activity,
            place=scheduled.goal.building,
        )

    def serves(self, day: int) -> str:
        """Return the plan entry of the present action: the goal, or else the day."""
        if self.entry is None or self.is_idle:
            return self.day_id(day)
        return f"{self.day_id(day)}-{self.entry.goal.name}"

    def save(self) -> dict[str, Any]:
        own = {**checkpoint.save(self, self.SAVED), "body": self.body.save()}
        return own if self.experience is None else {**own, "experience": self.experience.save()}

    def restore(self, tree: Mapping[str, Any]) -> None:
        checkpoint.restore(self, {name: tree[name] for name in self.SAVED})
        self.body.restore(tree["body"])
        if self.experience is not None:
            self.experience.restore(tree["experience"])


def _check_options(setting: MindSetting) -> None:
    for name, value in setting.options.items():
        if name == "variant" and value in RULES:
            continue
        if name not in SWITCHES or value not in ("on", "off"):
            raise InvalidInput(
                f"option {name}={value}: the neuro-symbolic mind takes {', '.join(SWITCHES)},"
                " each on or off, and variant, paper or released."
            )


def _open_experience(setting: MindSetting) -> Experience:
    if setting.model is None:
        raise InvalidInput(
            "option model=on: there is no language model. Give --model embedded, endpoint or"
            " recorded."
        )
    variant: Variant = setting.options.get("variant", "paper")  # type: ignore[assignment]
    seed = derive(setting.seed, "neurosymbolic", setting.persona.id)
    people = {persona.id: persona for persona in setting.people}
    asker = Asker(setting.model, seed, setting.trace.note)
    return Experience(asker, setting.persona, people, setting.town, variant)
