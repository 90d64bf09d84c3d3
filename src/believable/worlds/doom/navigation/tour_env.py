"""Training for tours on a map of people's demos: reach a drawn place from wherever people walked.

A figure that arrives continues from there to the next place, as on a tour, or sometimes begins
again elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence

from believable.worlds.doom.body import BodyName
from believable.worlds.doom.doom_round import DoomSetup, FigureState
from believable.worlds.doom.navigation.navigation_env import REST_TICS, NavigationEnv, SteppedFigure
from believable.worlds.doom.navigation.people_course import LEG_DECISIONS, PeopleCourse
from believable.worlds.doom.people_map import people_map

#: The share of arrivals after which the figure continues from there.
GOES_ON = 0.8
#: A place that is drawn is farther away than this on foot, in tiles.
NEAREST_TILES = 4.0


class TourEnv(NavigationEnv):
    """Legs of tours on a map such as `freedm:map21`."""

    def __init__(self, agent: str, name: str, body: BodyName = "people") -> None:
        super().__init__(agent, body=body)
        self._people = people_map(name)
        self.decisions_max = LEG_DECISIONS
        x, y = self._people.grid.centre(self._people.places[0])
        self._setup = DoomSetup(
            map=name, map_seed=0, engine_seed=1, tour=(0,), start=(x, y, 0.0), body=body
        )
        self._arrived = False

    def _begin_round(self, engine: SteppedFigure) -> bool:
        goes_on = self._arrived and self.np_random.random() < GOES_ON
        self._arrived = False
        if not goes_on:
            cell = self._people.walked[int(self.np_random.integers(len(self._people.walked)))]
            engine.put(*self._people.grid.centre(cell), wait_tics=REST_TICS)
            self._face(self.np_random.uniform(-180, 180))
        self.course = self._drawn_course()
        return True

    def _drawn_course(self) -> PeopleCourse:
        while True:
            drawn = int(self.np_random.integers(len(self._people.places)))
            course = PeopleCourse(people=self._people, goal=drawn)
            away = course.distance(self._body.x, self._body.y)
            if away is None or away > NEAREST_TILES:
                return course

    def _judge(
        self, before: FigureState, after: FigureState, headings_deg: Sequence[float]
    ) -> tuple[float, bool]:
        reward, self._arrived = super()._judge(before, after, headings_deg)
        return reward, self._arrived
