"""The stimuli of a page: which they were, and how long each was shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from believable.bundle.marks import Happening
from believable.bundle.tables import Cell
from believable.contracts.trial import PlannedTrial
from believable.study.definition import Medium
from believable.study.earlier_pages import rated_positions, round_name, round_position
from believable.study.records import Stimulus


def stimuli_on(plan: Sequence[PlannedTrial], position: int) -> tuple[tuple[str, ...], str]:
    """The stimuli of a page in the order of its players, and whether they were played or only
    remembered.
    """
    planned = plan[position]
    if planned.played_stimuli:
        return planned.played_stimuli, "played"
    if (own := round_name(plan, position)) is not None:
        return (own,), "played"
    about = (
        plan[watched].stimulus_id or round_name(plan, watched)
        for watched in rated_positions(plan, position)
    )
    return tuple(name for name in about if name is not None), "remembered"


def shown_rows(
    plan: Sequence[PlannedTrial],
    position: int,
    played: Iterable[Happening],
    stimuli: Mapping[str, Stimulus],
    media: Mapping[str, Medium],
) -> Iterator[dict[str, Cell]]:
    """One row per stimulus of the page, without the columns of its trial."""
    names, how = stimuli_on(plan, position)
    labels = plan[position].trial.player.labels
    events = list(played)
    for player, name in enumerate(names):
        own = [event for event in events if player_of(event.data) == player]
        stretches = [event.data for event in own if event.kind == "media.interval"]
        yield {
            "player": player,
            "label": labels[player] if labels else None,
            "how": how,
            "stimulus": name,
            "stimulus_digest": digest_of(media, name),
            **_setting(plan, position, name, stimuli),
            "views": sum(event.kind == "media.ended" for event in own),
            "watched_ms": sum(_length(stretch) for stretch in stretches),
        }


def digest_of(media: Mapping[str, Medium], stimulus: str | None) -> str | None:
    """The SHA-256 of a stimulus's medium; None for the participant's own round, and if the
    definition has no media.
    """
    medium = None if stimulus is None else media.get(stimulus)
    return None if medium is None else medium.digest


def _setting(
    plan: Sequence[PlannedTrial], position: int, name: str, stimuli: Mapping[str, Stimulus]
) -> dict[str, Cell]:
    """Condition and scenario of a stimulus; those of the round if it is the participant's own."""
    if name in stimuli:
        return {"condition": stimuli[name].condition, "scenario": stimuli[name].scenario}
    sources = (
        round_position(plan, place) for place in (position, *rated_positions(plan, position))
    )
    played = next(
        plan[source]
        for source in sources
        if source is not None and name == f"round:{plan[source].key}"
    )
    return {"condition": played.condition, "scenario": played.scenario}


def _length(stretch: Mapping[str, Any]) -> float:
    start, end = stretch.get("from_ms"), stretch.get("to_ms")
    sound = all(
        isinstance(moment, int | float) and not isinstance(moment, bool) for moment in (start, end)
    )
    return max(0, end - start) if sound and start is not None and end is not None else 0


def player_of(data: Mapping[str, Any]) -> int:
    """Which player of the page; pages with one do not say."""
    player = data.get("player", 0)
    return player if isinstance(player, int) and not isinstance(player, bool) else 0
