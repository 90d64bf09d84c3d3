"""A generative agent (Park et al. 2023) in the town: it remembers, reflects, plans, reacts and
talks by asking a language model.

Its variant is `paper` or `released`: as published, or as the released code does it where the two
differ. An answer of the model that cannot be read has no effect: without a plan the person waits,
without a place the task is dropped, and the trace says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, get_args

from believable.core.errors import InvalidInput
from believable.worlds.town.mind import MindKind, MindSetting, Percept, Primitive
from believable.worlds.town.minds.generative.days import start_day
from believable.worlds.town.minds.generative.encounters import brief, hear, meet, take_turn
from believable.worlds.town.minds.generative.person import GenerativePerson
from believable.worlds.town.minds.generative.retrieval import Variant
from believable.worlds.town.minds.generative.tasks import do_task


class GenerativeMind:
    """Decides for one person by the answers of the language model."""

    def __init__(self, setting: MindSetting) -> None:
        variant = setting.options.get("variant", "paper")
        if variant not in get_args(Variant):
            raise InvalidInput(f"variant: expected paper or released, got {variant!r}.")
        if setting.model is None:
            raise InvalidInput(
                "the generative mind needs a language model. Give --model embedded, endpoint or"
                " recorded."
            )
        self.person = GenerativePerson(setting, setting.model, variant)  # type: ignore[arg-type]

    def day_start(self, percept: Percept) -> None:
        start_day(self.person, percept)

    def next_primitive(self, percept: Percept) -> Primitive:
        person = self.person
        person.asleep = False
        person.body.accept_result(percept)
        self._perceive(percept)
        primitive = take_turn(person, percept)
        if primitive is None:
            meet(person, percept)
            primitive = take_turn(person, percept)
        if primitive is None:
            primitive = do_task(person, percept)
        elif person.task is not None:
            primitive = replace(primitive, serves=person.task.id)
        person.asleep = primitive.verb == "use" and primitive.activity == "sleep"
        return primitive

    def notice(self, percept: Percept) -> bool:
        """Return whether the person stops for a talk. A sleeper notices nothing."""
        person = self.person
        if person.asleep:
            return False
        self._perceive(percept)
        if person.exchange is not None:
            return any(event.person == person.exchange.other for event in percept.events)
        meet(person, percept)
        return person.exchange is not None

    def _perceive(self, percept: Percept) -> None:
        self.person.experience.listen(percept)
        hear(self.person, percept)
        self.person.experience.look(percept)

    @property
    def partner(self) -> str | None:
        exchange = self.person.exchange
        return exchange.other if exchange is not None else None

    def briefing(self, other: str, percept: Percept) -> Mapping[str, str]:
        return brief(self.person, other, percept)

    def state(self) -> Mapping[str, Any]:
        return self.person.save()

    def restore(self, state: Mapping[str, Any]) -> None:
        self.person.restore(state)


GENERATIVE = MindKind(
    name="generative",
    about=(
        "Memory stream, reflection, plans, reactions and talk by a language model (Park et al."
        " 2023)."
    ),
    create=GenerativeMind,
    options={"variant": "paper or released: as published, or as the released code does it"},
    asks_model="always",
)
