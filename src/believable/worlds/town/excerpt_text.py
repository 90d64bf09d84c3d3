"""Sentences for the viewers of an excerpt.

The log writes an activity and its furniture one after the other (`ordering coffee, the counter`).
Viewers read a phrase (`ordering coffee at the counter`), and places by their names.
"""

from __future__ import annotations

from dataclasses import replace

from believable.recordings.recording import Action, PlanStep, RecordedWorld
from believable.worlds.town.map import activities

#: Activities whose name contains `it`: the furniture takes its place.
_WITH_IT = {
    "wiping it clean": "wiping the {thing}",
    "looking at it": "looking at the {thing}",
    "switching it on": "switching on the {thing}",
    "switching it off": "switching off the {thing}",
}
#: Prepositions of furniture; people are `at` everything else.
_IN_OR_ON = {
    "bed": "in bed",
    "sofa": "on the sofa",
    "bench": "on the bench",
    "chairs": "on the chairs",
    "stage": "on the stage",
}


class LogText:
    """Rewords the actions of a world."""

    def __init__(self, world: RecordedWorld) -> None:
        self._places = {place.id: place for place in world.places}
        self._objects = {thing.id: thing for thing in world.objects}

    def reword(self, action: Action) -> Action:
        """Return the action without ids: the text names the object, and the place has its name."""
        return replace(
            action, object=None, place=self._name_place(action.place), text=self._text(action)
        )

    def _text(self, action: Action) -> str:
        thing = self._objects.get(action.object or "")
        kind = activities().get(action.activity or "")
        if thing is not None and thing.kind == "door" and thing.facts.get("outer"):
            name = self._places[str(thing.place)].name
            owner = name if self._is_home(str(thing.place)) else f"the {name}"
            return action.text.replace(f"the front door, {name}", f"the front door of {owner}")
        if action.verb != "use" or thing is None or kind is None:
            return action.text
        return f"{'tries: ' if action.refused else ''}{_use_text(kind.en, thing.kind)}"

    def _is_home(self, building: str) -> bool:
        return self._places[building].facts.get("kind") == "home"

    def _name_place(self, place: str | None) -> str | None:
        known = self._places.get(place or "")
        if known is None:
            return None
        around = self._places.get(known.parent or "")
        if around is None or around.name == known.name:
            return known.name
        return f"{known.name}, {around.name}"


def _use_text(doing: str, thing: str) -> str:
    """Write `using the toilet`, `sleeping in bed`, `reading at the table`."""
    if doing.split()[-1] == thing.split()[-1]:
        return doing
    if doing in _WITH_IT:
        return _WITH_IT[doing].format(thing=thing)
    return f"{doing} {_IN_OR_ON.get(thing, f'at the {thing}')}"


def plan_text(step: PlanStep) -> str:
    """Write plans alike for every mind: `Day 1`, `Wiping something clean`."""
    text = step.text.partition(" of ")[0] if step.level == 0 else step.text
    if text in _WITH_IT:
        text = text.replace(" it", " something")
    return text[:1].upper() + text[1:]
