"""Generated maps: the same bytes for the same seed, everything can be reached, and all their looks
exist in Freedoom.
"""

from __future__ import annotations

import re
import struct
from pathlib import Path

import pytest

from believable.core.errors import InvalidInput
from believable.worlds.doom.deathmatch_map import SPAWNS, deathmatch_map
from believable.worlds.doom.floor_plan import FloorPlan, TileLook, centre, place_thing, pwad
from believable.worlds.doom.game_map import game_map, read_wad
from believable.worlds.doom.navigation_map import GOALS, START, navigation_map
from believable.worlds.doom.walking import STEP_UNITS, WalkMap

SEEDS = range(8)
FREEDM = Path("/usr/share/games/doom/freedm.wad")


@pytest.mark.parametrize("seed", SEEDS)
def test_all_goals_of_a_navigation_map_are_reached_from_an_island_outside(seed: int) -> None:
    drawn = navigation_map(seed)
    walk = WalkMap(drawn.plan)
    reached = walk.distances(drawn.start)
    assert len(set(drawn.goals)) == GOALS == 16
    assert all(goal in reached for goal in drawn.goals)
    without = WalkMap(
        FloorPlan(
            columns=drawn.plan.columns,
            rows=drawn.plan.rows,
            tiles=drawn.plan.tiles,
            things=drawn.plan.things,
        )
    )
    assert not any(goal in without.distances(drawn.start) for goal in drawn.goals), (
        "only a leap leads off the island"
    )
    ((start, end),) = drawn.plan.leaps
    between = [(x, start[1]) for x in range(start[0] + 1, end[0])]
    assert between
    assert all(drawn.plan.tiles[tile].deadly for tile in between)
    assert drawn.plan.tiles[start].floor >= drawn.plan.tiles[end].floor
    assert len({drawn.plan.tiles[goal].floor for goal in drawn.goals}) >= 3, "several heights"
    assert len({room.theme.name for room in drawn.rooms}) >= 6


def test_over_all_seeds_there_is_everything_a_map_can_have() -> None:
    drawn = [navigation_map(seed) for seed in SEEDS]
    assert {room.kind for plan in drawn for room in plan.rooms} >= {
        "pit",
        "bridges",
        "pillars",
        "dais",
        "crates",
        "garden",
    }
    falls = {
        d.plan.tiles[d.plan.leaps[0][0]].floor - d.plan.tiles[d.plan.leaps[0][1]].floor
        for d in drawn
    }
    assert falls == {0, 56}, "leaps and drops"


@pytest.mark.parametrize("seed", SEEDS)
def test_everything_in_a_deathmatch_map_is_reached_from_everywhere(seed: int) -> None:
    drawn = deathmatch_map(seed)
    walk = WalkMap(drawn.plan)
    assert len(set(drawn.spawns)) == SPAWNS == 8
    for spawn in drawn.spawns:
        reached = walk.distances(spawn)
        assert all(item.tile in reached for item in drawn.items)
    names = [item.name for item in drawn.items]
    assert {
        "Shotgun",
        "SuperShotgun",
        "RocketLauncher",
        "Medikit",
        "BlueArmor",
        "GreenArmor",
        "ShellBox",
    } <= set(names)
    floors = {drawn.plan.tiles[item.tile].floor for item in drawn.items}
    assert {0, 128} <= floors, "two levels"


def test_the_same_seed_gives_the_same_bytes_and_another_one_others() -> None:
    for make in (navigation_map, deathmatch_map):
        assert make(3).plan.wad() == make(3).plan.wad()
        assert make(3).plan.wad() != make(4).plan.wad()
    marked = {navigation_map(3).with_goal(number).wad() for number in range(GOALS)}
    assert len(marked) == GOALS


def _names(plan: FloorPlan) -> tuple[set[str], set[str]]:
    text = plan.wad().decode("latin-1")
    walls = set(re.findall(r'texture(?:middle|bottom|top) = "([^"]+)"', text))
    return walls, set(re.findall(r'texture(?:floor|ceiling) = "([^"]+)"', text))


def test_every_wall_floor_and_ceiling_is_in_freedoom() -> None:
    vizdoom = pytest.importorskip("vizdoom")
    _, lumps = read_wad(Path(vizdoom.__file__).parent / "freedoom2.wad")
    names = [name for name, _ in lumps]
    flats = set(names[names.index("F_START") : names.index("F_END")])
    (textures,) = (body for name, body in lumps if name == "TEXTURE1")
    count = struct.unpack_from("<i", textures)[0]
    places = struct.unpack_from(f"<{count}i", textures, 4)
    known = {textures[at : at + 8].rstrip(b"\0").decode() for at in places}
    for seed in SEEDS:
        for drawn in (navigation_map(seed), deathmatch_map(seed)):
            walls, grounds = _names(drawn.plan)
            assert walls <= known
            assert grounds <= flats


def test_every_step_between_heights_has_a_face() -> None:
    text = navigation_map(5).plan.wad().decode("latin-1")
    sides = re.findall(r"^sidedef \{ (.*) \}$", text, re.M)
    lines = re.findall(r"^linedef \{ (.*) \}$", text, re.M)
    floors = [int(n) for n in re.findall(r"heightfloor = (-?\d+)", text)]
    sectors = [int(re.search(r"sector = (\d+)", side)[1]) for side in sides]  # type: ignore[index]
    for line in lines:
        two = re.search(r"sidefront = (\d+); sideback = (\d+)", line)
        if two is None:
            front = int(re.search(r"sidefront = (\d+)", line)[1])  # type: ignore[index]
            assert "texturemiddle" in sides[front]
            continue
        for own, other in ((int(two[1]), int(two[2])), (int(two[2]), int(two[1]))):
            higher = floors[sectors[other]] > floors[sectors[own]]
            assert higher == ("texturebottom" in sides[own])


def test_one_steps_up_by_a_step_and_drops_down_any_height() -> None:
    def look(floor: int, *, deadly: bool = False, ceiling: int = 500) -> TileLook:
        return TileLook(
            floor=floor,
            ceiling=ceiling,
            floor_flat="FLAT1",
            ceiling_flat="FLAT1",
            wall="STONE2",
            riser="STEP1",
            light=160,
            deadly=deadly,
        )

    tiles = {
        (0, 0): look(0),
        (1, 0): look(STEP_UNITS),
        (2, 0): look(2 * STEP_UNITS + 1),
        (3, 0): look(0, deadly=True),
        (0, 1): look(0, ceiling=55),
        (0, 2): look(0),
    }
    post = place_thing(30, (0, 2), solid=True)
    walk = WalkMap(
        FloorPlan(columns=4, rows=3, tiles=tiles, things=(post,), leaps=(((1, 0), (2, 0)),))
    )
    assert walk.joined((0, 0), (1, 0))
    assert not walk.joined((1, 0), (2, 0)), "too high"
    assert walk.joined((2, 0), (1, 0)), "down is always possible"
    assert (3, 0) not in walk.tiles, "deadly"
    assert (0, 1) not in walk.tiles, "too low to stand in"
    assert (0, 2) not in walk.tiles, "something stands there"
    assert walk.route((0, 0), (2, 0)) == [(0, 0), (1, 0), (2, 0)], "by a leap"
    assert walk.route((0, 0), (3, 0)) == []


def test_a_start_stands_on_the_island() -> None:
    drawn = navigation_map(7)
    (start,) = (thing for thing in drawn.plan.things if thing.kind == START)
    assert (start.x, start.y) == centre(drawn.start)


@pytest.mark.skipif(not FREEDM.is_file(), reason="Debian's package freedm is not installed")
def test_a_map_of_a_file_is_outlined() -> None:
    place = game_map(f"{FREEDM}:map06", 0)
    assert place.game_data == FREEDM
    assert place.deathmatch
    free = sum(row.count(".") for row in place.walls)
    assert 400 < free < len(place.walls) * len(place.walls[0])
    assert set(place.walls[0]) == {"#"}


def test_broken_maps_are_named(tmp_path: Path) -> None:
    junk = tmp_path / "junk.wad"
    junk.write_bytes(b"nothing of the kind")
    with pytest.raises(InvalidInput, match=r"junk\.wad: not a WAD file"):
        game_map(f"{junk}:map01", 0)
    junk.write_bytes(navigation_map(1).plan.wad()[:5000])
    with pytest.raises(InvalidInput, match=r"junk\.wad: not a WAD file, or cut off"):
        game_map(f"{junk}:map01", 0)
    with pytest.raises(InvalidInput, match="there is no file"):
        game_map(f"{tmp_path / 'missing.wad'}:map01", 0)
    with pytest.raises(
        InvalidInput,
        match=r"expected navigation or deathmatch, freedm:map21, or FILE\.wad:MAP .* got 'labyrinth'",
    ):
        game_map("labyrinth", 0)
    ours = tmp_path / "ours.wad"
    ours.write_bytes(navigation_map(1).plan.wad())
    with pytest.raises(InvalidInput, match=r"has no map MAP02\. It has MAP01"):
        game_map(f"{ours}:map02", 0)


@pytest.mark.skipif(not FREEDM.is_file(), reason="Debian's package freedm is not installed")
def test_a_map_that_makes_no_sense_never_reaches_the_engine(tmp_path: Path) -> None:
    _, lumps = read_wad(FREEDM)
    at = [name for name, _ in lumps].index("MAP06")
    parts = lumps[at : at + 11]
    lines = dict(parts)["LINEDEFS"]
    broken = lines[:14] + b"\xfe\xfe" + lines[16:]
    file = tmp_path / "broken.wad"
    file.write_bytes(pwad([(name, broken if name == "LINEDEFS" else body) for name, body in parts]))
    with pytest.raises(
        InvalidInput, match="is broken: line 1 names a corner, side or sector that is not there"
    ):
        game_map(f"{file}:map06", 0)
    file.write_bytes(
        pwad([(name, body[:-3] if name == "SIDEDEFS" else body) for name, body in parts])
    )
    with pytest.raises(InvalidInput, match=r"is broken \("):
        game_map(f"{file}:map06", 1)
    file.write_bytes(pwad(parts))
    assert not game_map(f"{file}:map06", 2).game_data
