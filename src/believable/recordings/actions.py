"""The actions and plans of a stimulus: the log of a recording, or the file `NAME.actions.json` next
to a video.

The file holds `{"format": "believable-actions/1", "actors": [{"id", "name"}, …], "actions": …,
"plans": …}` with actions and plans laid out as in a recording: one list per field.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from believable.core.errors import InvalidInput, reading
from believable.recordings import file
from believable.recordings.field_types import misfits
from believable.recordings.recording import (
    Action,
    Actor,
    PlanStep,
    Recording,
    judged_action,
    judged_step,
)

FORMAT = "believable-actions/1"
RECORDING_SUFFIX = ".replay.json.gz"
ACTIONS_SUFFIX = ".actions.json"


@dataclass(frozen=True, slots=True)
class ActionLog:
    """The actor, their actions, and their intentions."""

    actors: tuple[Actor, ...]
    actions: tuple[Action, ...] = ()
    plans: tuple[PlanStep, ...] = ()

    def for_judging(self, *, with_plan: bool, with_log: bool) -> ActionLog:
        """The part that a judge may receive: ids are numbered again, because authored ids may
        reveal the agent.
        """
        actors = {actor.id: f"w{number}" for number, actor in enumerate(self.actors, 1)}
        steps = {step.id: f"p{number}" for number, step in enumerate(self.plans, 1)}
        plans = tuple(
            replace(judged_step(step, steps), actor=actors[step.actor]) for step in self.plans
        )
        actions = tuple(
            replace(
                judged_action(action, number, steps if with_plan else {}),
                actor=actors[action.actor],
            )
            for number, action in enumerate(self.actions, 1)
        )
        return ActionLog(
            actors=tuple(Actor(actors[actor.id], actor.name, "") for actor in self.actors),
            actions=actions if with_log else (),
            plans=plans if with_plan else (),
        )

    def authored_id(self, shown: str) -> str | None:
        """The id in the file of an action the browser knows under another one; None if there is
        none such.
        """
        number = shown[1:]
        if (
            not shown.startswith("a")
            or not number.isascii()
            or not number.isdigit()
            or len(number) > 9
        ):
            return None
        index = int(number)
        return self.actions[index - 1].id if 1 <= index <= len(self.actions) else None

    def during(self, media_ms: float) -> tuple[Action, ...]:
        """The actions in progress at a moment."""
        return tuple(action for action in self.actions if action.t0_ms <= media_ms < action.t1_ms)


def log_of(recording: Recording) -> ActionLog:
    return ActionLog(recording.actors, recording.actions, recording.plans)


def beside(video: Path) -> Path:
    """Where the action log of a video would be."""
    return video.with_suffix(ACTIONS_SUFFIX)


def read_actions(path: Path) -> ActionLog:
    """The action log in a file, or an error that names the file and the problem."""
    with reading(path.name, f"Expected an action log: JSON in the format {FORMAT}."):
        tree = json.loads(path.read_text("utf-8"))
    return from_tree(tree, source=path.name)


def to_tree(log: ActionLog) -> dict[str, Any]:
    """The log as JSON values."""
    return {
        "format": FORMAT,
        "actors": [{"id": actor.id, "name": actor.name} for actor in log.actors],
        "actions": file.used_columns(log.actions, _names(Action)),
        "plans": file.used_columns(log.plans, _names(PlanStep)),
    }


def from_tree(tree: Any, *, source: str) -> ActionLog:
    if not isinstance(tree, Mapping) or tree.get("format") != FORMAT:
        written = tree.get("format") if isinstance(tree, Mapping) else type(tree).__name__
        raise InvalidInput(
            f'{source}: expected the format {FORMAT!r}, got {written!r}. Add "format": "{FORMAT}".'
        )
    try:
        log = ActionLog(
            actors=tuple(Actor(actor["id"], actor["name"], "") for actor in tree["actors"]),
            actions=tuple(Action(**row) for row in file.rows(tree.get("actions", {}))),
            plans=tuple(PlanStep(**row) for row in file.rows(tree.get("plans", {}))),
        )
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        what = f"missing key {error}" if isinstance(error, KeyError) else str(error)
        raise InvalidInput(f"{source}: not laid out as {FORMAT} ({what}).") from error
    problems = list(misfits(log, ActionLog, "")) or list(_problems(log))
    if problems:
        listed = "".join(f"\n- {problem}" for problem in problems[:20])
        raise InvalidInput(f"{source}: the action log does not hold together:{listed}")
    return log


def _names(record: type[Action | PlanStep]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(record))


def _problems(log: ActionLog) -> Iterator[str]:
    actors = {actor.id for actor in log.actors}
    listed: Sequence[tuple[str, Sequence[Action | PlanStep]]] = (
        ("actions", log.actions),
        ("plans", log.plans),
    )
    for name, entries in listed:
        seen: set[str] = set()
        for number, entry in enumerate(entries):
            if not isinstance(entry.id, str) or not entry.id:
                yield f"{name}[{number}].id: expected a name, got {entry.id!r}"
            elif entry.id in seen:
                yield f"{name}[{number}].id: {entry.id!r} occurs twice; ids are unique"
            seen.add(entry.id)
            if entry.actor not in actors:
                yield (
                    f"{name}[{number}].actor: unknown actor {entry.actor!r}; list it under 'actors'"
                )
            if not _is_span(entry.t0_ms, entry.t1_ms):
                yield (
                    f"{name}[{number}]: expected whole numbers 0 ≤ t0_ms ≤ t1_ms, got"
                    f" {entry.t0_ms!r} … {entry.t1_ms!r}"
                )
    levels = {step.id: step.level for step in log.plans}
    for number, step in enumerate(log.plans):
        if step.parent is not None and levels.get(step.parent, step.level) >= step.level:
            yield f"plans[{number}].parent: {step.parent!r} is not a step above level {step.level}"


def _is_span(t0_ms: object, t1_ms: object) -> bool:
    whole = all(isinstance(t_ms, int) and not isinstance(t_ms, bool) for t_ms in (t0_ms, t1_ms))
    return whole and 0 <= t0_ms <= t1_ms  # type: ignore[operator]
