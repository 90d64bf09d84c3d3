"""Which stimulus stood where on each page, and how often it was watched."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any

from believable.bundle.tables import Cell
from believable.study.clips import clip_of
from believable.study.plan import PlannedTrial, rated_positions
from believable.study.records import Compare, Group, Rate, Stimulus, Watch
from believable.study.rounds import round_name, round_position


@dataclass(frozen=True, slots=True)
class Played:
    """A player's event of one page."""

    player: int
    kind: str
    data: Mapping[str, Any]


def stimuli_on(plan: Sequence[PlannedTrial], position: int) -> tuple[tuple[str, ...], str]:
    """The stimuli of a page in the order of its players, and whether they were played or only remembered."""
    planned = plan[position]
    if isinstance(planned.trial, Compare | Group):
        return planned.stimulus_ids, "played"
    if isinstance(planned.trial, Watch) and planned.stimulus_id is not None:
        return (planned.stimulus_id,), "played"
    if (own := round_name(plan, position)) is not None:
        return (own,), "played"
    if isinstance(planned.trial, Rate):
        about = (plan[one].stimulus_id or round_name(plan, one) for one in rated_positions(plan, position))
        return tuple(one for one in about if one is not None), "remembered"
    return (), "played"


def shown_rows(
    plan: Sequence[PlannedTrial], position: int, played: Iterable[Played], stimuli: Mapping[str, Stimulus]
) -> Iterator[dict[str, Cell]]:
    """One row per stimulus of the page, without the columns of its trial."""
    names, how = stimuli_on(plan, position)
    events = list(played)
    for player, name in enumerate(names):
        own = [one for one in events if one.player == player]
        stretches = [one.data for one in own if one.kind == "media.interval"]
        yield {
            "player": player,
            "label": ascii_uppercase[player] if isinstance(plan[position].trial, Compare) else None,
            "how": how,
            "stimulus": name,
            **_setting(plan, position, name, stimuli),
            "views": sum(one.kind == "media.ended" for one in own),
            "watched_ms": sum(_length(one) for one in stretches),
        }


def _setting(
    plan: Sequence[PlannedTrial], position: int, name: str, stimuli: Mapping[str, Stimulus]
) -> dict[str, Cell]:
    """Condition and scenario of a stimulus; those of its round where it is one's own."""
    if name in stimuli:
        return {"condition": stimuli[name].condition, "scenario": stimuli[name].scenario}
    sources = (round_position(plan, one) for one in (position, *rated_positions(plan, position)))
    played = next(plan[one] for one in sources if one is not None and name == f"round:{plan[one].key}")
    return {"condition": played.condition, "scenario": played.scenario}


def answered(planned: PlannedTrial, question: str, stimuli: Mapping[str, Stimulus]) -> dict[str, Cell]:
    """The columns of an answer that say which question it is, and for a clip of a group which stimulus it is about."""
    name, clip = clip_of(question) if isinstance(planned.trial, Group) else (question, None)
    if clip is None:
        return {"question": name, "player": None}
    about = stimuli[planned.stimulus_ids[clip]]
    place: dict[str, Cell] = {"question": name, "player": clip, "stimulus": about.id}
    return place | {"condition": about.condition, "scenario": about.scenario}


def _length(stretch: Mapping[str, Any]) -> float:
    start, end = stretch.get("from_ms"), stretch.get("to_ms")
    sound = all(isinstance(one, int | float) and not isinstance(one, bool) for one in (start, end))
    return max(0, end - start) if sound and start is not None and end is not None else 0
