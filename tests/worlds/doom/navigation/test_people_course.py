"""Walking on people's maps: floors, distances and places agree with what people did there."""

from __future__ import annotations

import json
import struct
from functools import partial

import numpy as np
import pytest

from believable.core.errors import InvalidInput
from believable.recordings.file import read
from believable.worlds.doom.doom_round import DoomSetup
from believable.worlds.doom.floor_grid import CELL_UNITS, floor_grid
from believable.worlds.doom.game_map import FREEDM_PEOPLE
from believable.worlds.doom.navigation.people_course import LEG_DECISIONS, tour_courses
from believable.worlds.doom.navigation.tour_env import NEAREST_TILES, TourEnv
from believable.worlds.doom.people_map import (
    PEOPLE_PLACES,
    PLACES,
    find_places,
    people_map,
    walking_map,
)
from tests.worlds.doom.navigation.figures import FigureModel

MAP = "freedm:map21"


def room(step: int) -> dict[str, bytes]:
    """Two squares of 256 units beside each other; the eastern floor is `step` units higher."""
    corners = [(0, 0), (0, 256), (256, 256), (512, 256), (512, 0), (256, 0)]
    nothing = 0xFFFF
    lines = [(0, 1, 0), (1, 2, 0), (2, 3, 1), (3, 4, 1), (4, 5, 1), (5, 0, 0)]
    sides = [sector for *_, sector in lines] + [1, 0]
    packed = [
        (start, end, 1, 0, 0, number, nothing) for number, (start, end, _) in enumerate(lines)
    ]
    packed.append((2, 5, 4, 0, 0, 7, 6))  # southwards: its right side is the western square
    return {
        "VERTEXES": b"".join(struct.pack("<hh", *corner) for corner in corners),
        "LINEDEFS": b"".join(struct.pack("<HHHHHHH", *line) for line in packed),
        "SIDEDEFS": b"".join(struct.pack("<hh8s8s8sH", 0, 0, b"", b"", b"", s) for s in sides),
        "SECTORS": b"".join(
            struct.pack("<hh8s8shHH", floor, 128, b"", b"", 160, 0, 0) for floor in (0, step)
        ),
    }


@pytest.mark.parametrize(("step", "both_ways"), [(24, True), (40, False)])
def test_one_climbs_steps_and_drops_from_anything(step: int, both_ways: bool) -> None:
    grid = floor_grid(room(step))
    west, east = grid.cell_at(104, 120), grid.cell_at(408, 120)
    assert grid.floor[west] == 0
    assert grid.floor[east] == step
    assert np.isfinite(grid.distances_to(west)[east]), "down"
    assert np.isfinite(grid.distances_to(east)[west]) == both_ways, "up"
    straight = grid.distances_to(west)[east]
    assert straight == pytest.approx(east[1] * CELL_UNITS - west[1] * CELL_UNITS)


def test_a_figure_keeps_its_radius_from_walls() -> None:
    grid = floor_grid(room(0))
    assert not grid.walkable[grid.cell_at(8, 120)]
    assert grid.walkable[grid.cell_at(24, 120)]
    assert not np.isfinite(grid.floor[grid.cell_at(-12, 120)]), "rock"


def test_people_stood_on_the_floors_of_the_grid() -> None:
    grid = people_map(MAP).grid
    columns = read(FREEDM_PEOPLE / "freedm-demo1-1.replay.json.gz").telemetry
    apart = [
        abs(float(z or 0) - grid.floor[cell])
        for x, y, z, dead in zip(*(columns[name] for name in ("x", "y", "z", "dead")), strict=True)
        if not dead and grid.walkable[cell := grid.cell_at(float(x or 0), float(y or 0))]
    ]
    assert len(apart) > 4000
    assert np.mean(np.array(apart) <= 24) > 0.97, "the others fall, or stand on an edge"


def test_places_are_what_people_walked_on() -> None:
    found, written = find_places(MAP), json.loads(PLACES.read_text("utf-8"))[MAP]
    assert found == written
    people = people_map(MAP)
    assert len(people.places) == PEOPLE_PLACES
    away = np.array([[column[place] for place in people.places] for column in people.away])
    assert np.isfinite(away).all(), "each can be reached from each"
    assert away[~np.eye(PEOPLE_PLACES, dtype=bool)].min() > 100


def test_a_map_without_people_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"expected one of freedm:map21, got 'freedm:map07'"):
        people_map("freedm:map07")


def test_distances_shrink_on_the_way_and_pits_end_it() -> None:
    (course,) = tour_courses(MAP, [3])
    x, y, z = course.goal_place
    assert course.distance(x, y) == pytest.approx(0, abs=0.3)
    near, far = course.distance(x - 64, y), course.distance(-616, 280)
    assert near is not None
    assert far is not None
    assert near < far
    assert not course.fell(z)
    assert course.fell(-120.0)


def test_the_engine_gets_one_start_and_no_fights() -> None:
    setup = DoomSetup(
        map=MAP, map_seed=0, engine_seed=1, tour=(1, 2), start=(-616.0, -1000.0, 90.0)
    )
    assert setup.place is walking_map(MAP, (-616.0, -1000.0, 90.0))
    engine = setup.engine()
    assert engine.unharmed
    assert not engine.deathmatch
    assert not engine.led
    assert engine.wad is not None
    assert struct.pack("<hhHHH", -616, -1000, 90, 1, 7) in engine.wad


def test_legs_begin_where_people_walked_and_go_on_after_arrivals() -> None:
    env = TourEnv("symbolic", MAP)
    env._open_engine = partial(FigureModel, z=0.0)
    _, facts = env.reset(seed=4)
    assert facts["from_start"]
    away = env.course.distance(env._body.x, env._body.y)
    assert away is not None
    assert away > NEAREST_TILES
    for decision in range(1, LEG_DECISIONS + 1):
        _, _, over, cut_off, facts = env.step(0)
        assert not over
        assert cut_off == (decision == LEG_DECISIONS)
    gone_on = 0
    for _ in range(40):
        x, y = env._body.x, env._body.y
        env._arrived = True
        env.reset()
        gone_on += (env._body.x, env._body.y) == (x, y)
    assert 20 < gone_on < 40
