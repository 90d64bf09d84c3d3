"""The simplest mind: a list of primitives, one after the other, then waiting. For tests, and to see
what a mind must do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from believable.worlds.town.mind import (
    STEPS_PER_DAY,
    MindKind,
    MindSetting,
    Percept,
    PlanEntry,
    Primitive,
)


class ScriptedMind:
    """Plays a script; without one it sleeps and sits up again. Says nothing and answers nobody."""

    def __init__(self, setting: MindSetting, script: Sequence[Primitive] | None = None) -> None:
        bed = setting.persona.bed
        usual = (
            Primitive("use", bed, activity="sleep", minutes=420),
            Primitive("wait", minutes=60),
        )
        self._setting, self._script = setting, tuple(usual if script is None else script)
        self._at = 0

    def day_start(self, percept: Percept) -> None:
        day = PlanEntry(
            f"{percept.person}-d{percept.day}",
            None,
            0,
            percept.step,
            percept.step + STEPS_PER_DAY,
            "As written down",
        )
        self._setting.trace.plan([day])

    def next_primitive(self, percept: Percept) -> Primitive:
        if self._at >= len(self._script):
            return Primitive("wait", minutes=10)
        self._at += 1
        self._setting.trace.note("next", {"number": self._at})
        return self._script[self._at - 1]

    def notice(self, percept: Percept) -> bool:
        return False

    def state(self) -> Mapping[str, Any]:
        return {"at": self._at}

    def restore(self, state: Mapping[str, Any]) -> None:
        self._at = state["at"]


SCRIPTED = MindKind(
    "scripted",
    "A fixed list of primitives; sleeps and waits unless a test gives it a script.",
    ScriptedMind,
)
