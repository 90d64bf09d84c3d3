"""The rule-based bot: it finds its ways on maps of files, fetches items, and never stands about."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest

from believable.core.errors import InvalidInput
from believable.recordings.file import read
from believable.worlds.doom.doom_round import DoomSetup, known_of
from believable.worlds.doom.floor_plan import tile_at
from believable.worlds.doom.game_map import FREEDM_PEOPLE, parts_of
from believable.worlds.doom.rule_bot import BOT, BotParams, RuleBot
from believable.worlds.doom.sector_walk import SectorWalk, read_lines
from validation.rule_bot import FASTEST_DEG_PER_S, MAPS, main, play

MAP = "freedm:map06"
PERSON = FREEDM_PEOPLE / "freedm-demo2-1.replay.json.gz"


@pytest.fixture(scope="module")
def walk() -> SectorWalk:
    return SectorWalk(parts_of(MAP)[2])


def way_of_a_person() -> list[tuple[float, float]]:
    recording = read(PERSON)
    assert MAP in str(recording.provenance["setup"])
    columns = recording.telemetry
    return [(float(x or 0), float(y or 0)) for x, y in zip(columns["x"], columns["y"], strict=True)]


def test_people_go_where_the_map_says_one_can(walk: SectorWalk) -> None:
    way = way_of_a_person()
    tiles = Counter(tile_at(*position) for position in way[::10])
    reached = walk.distances(tiles.most_common(1)[0][0])
    assert sum(count for tile, count in tiles.items() if tile in reached) > 0.9 * tiles.total()


def test_no_step_of_a_person_leads_through_a_wall() -> None:
    lines = read_lines(parts_of(MAP)[2])
    steps = [(a, b) for a, b in pairwise(way_of_a_person()) if 2 < abs(a[0] - b[0]) < 30]
    # moving floors are where the file has them
    assert sum(lines.free(*a, *b) for a, b in steps) > 0.98 * len(steps) > 500


def test_nobody_goes_through_a_wall(walk: SectorWalk) -> None:
    lines = read_lines(parts_of(MAP)[2])
    for x0, y0, x1, y1 in lines.ends[lines.solid][:200]:
        x, y = (x0 + x1) / 2, (y0 + y1) / 2
        dx, dy = (y1 - y0) / 8, (x0 - x1) / 8
        assert not lines.free(x + dx, y + dy, x - dx, y - dy)


def test_it_gets_about_and_takes_items() -> None:
    played = play(MAP, 0)
    assert not played.still
    assert played.items >= 3
    assert sorted(played.turning)[len(played.turning) * 99 // 100] <= FASTEST_DEG_PER_S


def test_an_unknown_skill_is_told() -> None:
    setup = DoomSetup(map=MAP, map_seed=7, engine_seed=1)
    with pytest.raises(InvalidInput, match="skill: expected 1 to 5, got 9"):
        RuleBot(BotParams(skill=9), 1, {"known": known_of(setup)})
    assert BOT.read_params({"skill": "4"}).skill == 4


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_in_fifty_rounds_it_never_stands_still_for_three_seconds(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(50) == 0
    assert all(name in capsys.readouterr().out for name in MAPS)
