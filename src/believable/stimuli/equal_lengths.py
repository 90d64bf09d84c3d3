"""To which length stimuli are cropped, so that no length reveals a condition."""

from __future__ import annotations

from collections.abc import Sequence

from believable.stimuli.recipe import Recipe
from believable.stimuli.source_pool import StimulusSource


def shortest_lengths(chosen: Sequence[StimulusSource], recipe: Recipe) -> dict[str, int]:
    """The length after the cuts to which each source is cropped, by its name."""
    cut_ms = recipe.cut_start_ms + recipe.cut_end_ms
    return shortest_of_groups(
        [
            (
                source.name,
                source.condition,
                source.scenario,
                source.length_ms - source.cut_start_ms - source.cut_end_ms - cut_ms,
            )
            for source in chosen
        ]
    )


def shortest_of_groups(
    stimuli: Sequence[tuple[str, str | None, str | None, int]],
) -> dict[str, int]:
    """Of stimuli (name, condition, scenario, length in ms) the shortest that each is compared with,
    by name: within a scenario that several conditions have; otherwise among all whose scenario has
    one condition. A single condition is not cropped.
    """
    by_scenario: dict[str | None, set[str | None]] = {}
    for _, condition, scenario, _ in stimuli:
        by_scenario.setdefault(scenario, set()).add(condition)
    groups: dict[str | None, list[tuple[str, str | None, int]]] = {}
    for name, condition, scenario, length_ms in stimuli:
        group = scenario if len(by_scenario[scenario]) > 1 else None
        groups.setdefault(group, []).append((name, condition, length_ms))
    return {
        name: min(length_ms for _, _, length_ms in members)
        for members in groups.values()
        if len({condition for _, condition, _ in members}) > 1
        for name, _, _ in members
    }
