"""A leg of a tour on a map of people's demos, as agents know a course: the next place, and its
distance on foot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from believable.worlds.doom.floor_plan import TILE_UNITS
from believable.worlds.doom.people_map import PLACE_UNITS, PeopleMap, people_map

#: A leg is given up after this number of decisions: twelve seconds.
LEG_DECISIONS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleCourse:
    """The way to one place."""

    people: PeopleMap
    goal: int

    @property
    def goal_place(self) -> tuple[float, float, float]:
        return self.people.place_units(self.goal)

    @property
    def size_units(self) -> float:
        return self.people.grid.size_units

    @property
    def reach_units(self) -> float:
        return PLACE_UNITS

    def distance(self, x: float, y: float) -> float | None:
        """On foot to the place, in tiles; None if the position is no floor."""
        units = self.people.distance(self.goal, x, y)
        return None if units is None else units / TILE_UNITS

    def near_brink(self, x: float, y: float) -> bool:
        """These maps need no jumps."""
        return False

    def at_brink(self, x: float, y: float) -> bool:
        return False

    def fell(self, z: float) -> bool:
        return z < self.people.pit


def tour_courses(name: str, tour: Sequence[int]) -> list[PeopleCourse]:
    return [PeopleCourse(people=people_map(name), goal=goal) for goal in tour]
