"""The simplest mind: a list of primitives, one after the other, then waiting. It is made for tests,
and as an example.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from believable.worlds.town.clock import STEPS_PER_DAY
from believable.worlds.town.mind import MindKind, MindSetting, Percept, PlanEntry, Primitive


class ScriptedMind:
    """Plays a script, by default a night's sleep. It never speaks."""

    def __init__(self, setting: MindSetting, script: Sequence[Primitive] | None = None) -> None:
        bed = setting.persona.bed
        usual = (
            Primitive(verb="use", object=bed, activity="sleep", minutes=420),
            Primitive(verb="wait", minutes=60),
        )
        self._setting, self._script = setting, tuple(usual if script is None else script)
        self._index = 0

    def day_start(self, percept: Percept) -> None:
        day = PlanEntry(
            id=f"{percept.person}-d{percept.day}",
            parent=None,
            level=0,
            from_step=percept.step,
            to_step=percept.step + STEPS_PER_DAY,
            text="As written down",
        )
        self._setting.trace.plan([day])

    def next_primitive(self, percept: Percept) -> Primitive:
        if self._index >= len(self._script):
            return Primitive(verb="wait", minutes=10)
        self._index += 1
        self._setting.trace.note("next", {"number": self._index})
        return self._script[self._index - 1]

    def notice(self, percept: Percept) -> bool:
        return False

    def state(self) -> Mapping[str, Any]:
        return {"index": self._index}

    def restore(self, state: Mapping[str, Any]) -> None:
        self._index = state["index"]


SCRIPTED = MindKind(
    name="scripted",
    about="A fixed list of primitives; sleeps and waits unless a test gives it a script.",
    create=ScriptedMind,
)
