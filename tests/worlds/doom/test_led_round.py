"""A figure that is led: it is where the person was, in every engine tic, and is filmed there."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from itertools import islice, pairwise
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("vizdoom", reason="the engine is the extra `doom`")

from believable.contracts.film import View
from believable.core.errors import InvalidInput
from believable.recordings.recording import Recording
from believable.worlds.doom import DOOM, led_round
from believable.worlds.doom.doom_recording import pictures, setup_in
from believable.worlds.doom.doom_round import PUSH_UNITS, DoomSetup
from believable.worlds.doom.led_figure import push_towards
from believable.worlds.doom.led_round import (
    LEAD_IN_TICS,
    as_led,
    first_led_tic,
    led_distances,
    way_in,
)
from believable.worlds.doom.people_tracks import is_deathmatch, read_tracks, recordings_of
from believable.worlds.doom.scripted_players import WANDERER, somebody
from believable.worlds.live_round import play_through

TRACKS = Path(__file__).parents[2] / "data" / "freedm_demo" / "tracks.csv.gz"
VIEW = View(width_px=160, height_px=120, camera="first", plain=True)


@pytest.fixture(scope="module")
def person() -> Recording:
    tracks = [track for track in read_tracks(TRACKS) if is_deathmatch(track)]
    return recordings_of(tracks, "freedm:map21", {})[1]


def test_a_push_makes_up_for_what_is_missing() -> None:
    push = push_towards(
        (10.0, 5.0),
        90.0,
        at=(8.0, 0.0),
        velocity=(1.0, 2.0),
        looking_deg=350.0,
        units_per_speed=0.25,
    )
    assert push.forward == pytest.approx(3.0), "three units to the north, where it looks"
    assert push.side == pytest.approx(1.0), "one to the east"
    assert push.turn_right_deg == pytest.approx(-100.0)


def test_the_figure_is_where_the_person_was(person: Recording) -> None:
    way = way_in(person)
    off = led_distances(person, setup_in(person), 0, way.tics)[~way.dead]
    assert np.quantile(off, 0.99) < 1.0, "units; a figure is 32 wide"


def test_a_weaker_figure_falls_behind(person: Recording, monkeypatch: pytest.MonkeyPatch) -> None:
    """The measure notices a figure that cannot follow."""
    monkeypatch.setattr(led_round, "PUSH_UNITS", PUSH_UNITS * 3)
    way = way_in(person)
    off = led_distances(person, setup_in(person), 0, way.tics)[~way.dead]
    assert np.quantile(off, 0.99) > 3.0


def test_a_film_shows_the_persons_view_and_follows_from_the_recording(person: Recording) -> None:
    first = list(islice(pictures(person, replace(VIEW, first_frame=300)), 20))
    again = list(islice(pictures(person, replace(VIEW, first_frame=300)), 20))
    assert all((one == other).all() for one, other in zip(first, again, strict=True))
    moved = [int((one != other).sum()) for one, other in pairwise(first)]
    assert sum(change > 0 for change in moved) > 10
    assert len(list(islice(pictures(person, replace(VIEW, first_frame=890)), 20))) == 10


def test_a_film_begins_in_the_life_that_it_shows(person: Recording) -> None:
    way = way_in(person)
    died = int(np.flatnonzero(way.dead)[-1])
    assert first_led_tic(way, died + 20) == died + 1
    assert first_led_tic(way, 100) == 0
    living = int(np.flatnonzero(way.dead)[0]) - 1
    assert first_led_tic(way, living) == max(0, living - LEAD_IN_TICS)


def test_a_round_of_any_player_can_be_filmed_as_that_of_a_led_figure() -> None:
    setup = DoomSetup(map="deathmatch", map_seed=7, engine_seed=3, camera="first", ticks=210)
    hand = somebody(random.Random(1))
    played = play_through(DOOM.game, setup, WANDERER.new(hand, 1))
    led = as_led(played, setup_in(played))
    assert "forward" not in led.telemetry
    assert setup_in(led).led
    way = way_in(led)
    assert math.dist((way.x[0], way.y[0]), (way.x[-1], way.y[-1])) > 100
    assert np.quantile(led_distances(led, setup_in(led), 0, way.tics), 0.99) < 1.0
    own = next(iter(islice(pictures(played, VIEW), 200, 201))).astype(int)
    other = next(iter(islice(pictures(led, VIEW), 200, 201))).astype(int)
    assert np.abs(own - other).mean() < 4, "both cameras show the same"


def test_a_recording_without_positions_cannot_be_led(person: Recording) -> None:
    with pytest.raises(InvalidInput, match="no columns x, y"):
        way_in(replace(person, telemetry={"angle_deg": (), "dead": ()}))
