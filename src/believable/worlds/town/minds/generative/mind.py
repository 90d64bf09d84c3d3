"""A generative agent (Park et al. 2023) in the town: it remembers, reflects, plans, reacts and
talks by asking a language model.

Its variant is `paper` or `released`: as published, or as the released code does it where the two
differ. An answer of the model that cannot be read has no effect: without a plan the person waits,
without a place the task is dropped, and the trace says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, get_args

from believable.core.errors import InvalidInput
from believable.worlds.town.mind import MindKind, MindSetting, Percept, Primitive
from believable.worlds.town.minds.generative.conversation import Talk
from believable.worlds.town.minds.generative.days import start_day
from believable.worlds.town.minds.generative.perception import Observation
from believable.worlds.town.minds.generative.person import GenerativePerson
from believable.worlds.town.minds.generative.reactions import ReactionScene, react
from believable.worlds.town.minds.generative.reflection import is_due, reflect
from believable.worlds.town.minds.generative.retrieval import Variant
from believable.worlds.town.minds.generative.talking import hear, take_turn
from believable.worlds.town.minds.generative.tasks import do_task, replan, resume_task
from believable.worlds.town.walking import update_closed

WAIT_MINUTES = 5.0
#: Observations that a person reacts to at one time.
MAX_REACTIONS = 2


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
        update_closed(person.closed, percept)
        resume_task(person, percept)
        seen = self._perceive(percept)
        if person.talk is None:
            self._react(percept, seen)
        stream = person.experience.stream
        if is_due(stream, person.variant):
            reflect(person.asker, stream, person.persona.name, percept.step, person.variant)
        primitive = take_turn(person, percept) or do_task(person, percept)
        person.asleep = primitive.verb == "use" and primitive.activity == "sleep"
        return primitive

    def notice(self, percept: Percept) -> bool:
        """Return whether the person stops for a talk. A sleeper notices nothing."""
        person = self.person
        if person.asleep:
            return False
        seen = self._perceive(percept)
        if person.talk is not None:
            lines = person.talk.lines
            return bool(lines) and lines[-1][0] == person.talk.other
        self._react(percept, seen)
        return person.talk is not None

    def _perceive(self, percept: Percept) -> list[Observation]:
        for event in self.person.experience.listen(percept):
            hear(self.person, event)
        return self.person.experience.look(percept)

    def _react(self, percept: Percept, seen: Sequence[Observation]) -> None:
        """React to the first observation that changes anything, to people before things, as in the
        released code. At bedtime the person does not react.
        """
        person, task = self.person, self.person.task
        if person.hour_at(percept.minute).is_sleep:
            return
        for observation in sorted(seen, key=lambda entry: entry.person is None)[:MAX_REACTIONS]:
            scene = ReactionScene(
                persona=person.persona,
                about=person.about,
                doing=person.doing,
                percept=percept,
                variant=person.variant,
                wanted=task.fixture if task else None,
                last_talk_step=person.last_talks.get(observation.person or ""),
            )
            match react(person.asker, person.experience.stream, scene, observation):
                case "talk" if observation.person is not None:
                    person.talk = Talk(other=observation.person)
                    return
                case "wait" if task is not None:
                    wait = Primitive(verb="wait", minutes=WAIT_MINUTES, serves=task.id)
                    task.queue.insert(0, wait)
                    return
                case "change" if task is not None:
                    replan(person, percept, f"{observation.text}.")
                    return
                case _:
                    pass

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
