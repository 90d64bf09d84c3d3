"""One session's events: the chain recomputed, filters, and the lane."""

from __future__ import annotations

import pytest
from sqlalchemy import text

from believable.core.errors import TakenOver
from believable.web.console.session_timeline import (
    EVENTS_PER_PAGE,
    LANE_WIDTH,
    Axis,
    EventFilter,
    lane,
    on_server_clock,
    session_history,
)

from .conftest import World


def test_the_chain_of_a_whole_session_holds(world: World) -> None:
    session = world.person().run("some words", "more words")
    told = world.store.read(lambda conn: session_history(conn, session, EventFilter()))
    assert told.proof.holds
    assert told.proof.head == session.head_hash
    assert told.proof.n_events == session.head_seq == len(told.lines)
    assert told.proof.missing == 0


def test_a_changed_event_breaks_it(world: World) -> None:
    session = world.person().run("some words", "more words")
    change = text(
        "UPDATE events SET body = replace(body, 'some words', 'other words') WHERE session = :s"
    )
    world.store.write(lambda conn: conn.execute(change, {"s": session.id}).rowcount)
    told = world.store.read(lambda conn: session_history(conn, session, EventFilter()))
    assert not told.proof.holds


def test_a_removed_event_breaks_it(world: World) -> None:
    session = world.person().run("some words", "more words")
    remove = text("DELETE FROM events WHERE session = :s AND seq = 2")
    world.store.write(lambda conn: conn.execute(remove, {"s": session.id}).rowcount)
    told = world.store.read(lambda conn: session_history(conn, session, EventFilter()))
    assert not told.proof.holds
    assert told.proof.n_events == 1


def test_a_gap_is_not_a_broken_chain(world: World) -> None:
    person = world.person()
    person.send("clock")
    person.seq += 2
    person.send("clock")
    told = world.store.read(lambda conn: session_history(conn, person.session, EventFilter()))
    assert told.proof.holds
    assert told.proof.missing == 3


def test_filters_and_pages(world: World) -> None:
    person = world.person()
    for i in range(EVENTS_PER_PAGE + 5):
        person.send("answer.change", trial=i % 2, question="q", value=i)
    person.send("answered", trial=0)
    person.send("media.play", trial=1)

    def found(wanted: EventFilter) -> tuple[int, int]:
        told = world.store.read(lambda conn: session_history(conn, person.session, wanted))
        return len(told.lines), told.n_lines

    assert found(EventFilter()) == (EVENTS_PER_PAGE, EVENTS_PER_PAGE + 7)
    assert found(EventFilter(page=1)) == (7, EVENTS_PER_PAGE + 7)
    assert found(EventFilter(kind="answer")) == (EVENTS_PER_PAGE, EVENTS_PER_PAGE + 5)
    assert found(EventFilter(kind="media")) == (1, 1)
    assert found(EventFilter(kind="answer", trial=1))[1] == (EVENTS_PER_PAGE + 5) // 2
    assert found(EventFilter(page=9)) == (0, EVENTS_PER_PAGE + 7)


def test_strays_are_told_apart(world: World) -> None:
    first = world.person()
    first.send("clock")
    world.collect.claim(first.token).now()
    late = '{"kind":"answer.change","trial":0,"at_ms":1,"mono_ms":1,"data":{"value":"stray"}}'
    with pytest.raises(TakenOver):
        world.collect.append(first.token, first.epoch, [(2, late)]).now()
    told = world.store.read(lambda conn: session_history(conn, first.session, EventFilter()))
    assert [line.seq for line in told.strays] == [2]
    assert "stray" in told.strays[0].data
    assert told.proof.holds


def test_the_lane_runs_from_first_to_last_page(world: World) -> None:
    session = world.person().run("some words", "more words")
    told = world.store.read(lambda conn: session_history(conn, session, EventFilter()))
    drawn = lane(told)
    assert [bar.position for bar in drawn.bars] == [0, 1, 2, 3]
    assert drawn.bars[0].x == 0
    assert round(drawn.bars[-1].x + drawn.bars[-1].width) == LANE_WIDTH
    assert drawn.gaps == ()


def test_a_night_between_two_sittings_is_drawn_short(world: World) -> None:
    person = world.person()
    person.submit(agree=True)
    world.clock.advance(8 * 3_600_000)
    person.submit(sky="blue")
    drawn = lane(
        world.store.read(lambda conn: session_history(conn, person.session, EventFilter()))
    )
    assert len(drawn.gaps) == 1
    assert drawn.drawn_ms < 5 * 60_000
    assert drawn.bars[-1].status == "open"


def test_axis_is_monotone_and_ends_at_the_edges() -> None:
    axis = Axis([0, 1_000, 2_000, 10_000_000])
    places = [axis.x(at) for at in (-5, 0, 500, 1_000, 2_000, 5_000_000, 10_000_000, 11_000_000)]
    assert places == sorted(places)
    assert places[0] == 0
    assert places[-1] == LANE_WIDTH
    assert Axis([5]).x(5) == LANE_WIDTH


def test_a_browser_with_a_wrong_clock_is_put_right() -> None:
    hour = 3_600_000
    moments = [
        (hour + 1_000, 2_000, "page"),
        (hour + 1_500, 2_400, "answer"),
        (hour + 3_000, 9_000, "media"),
    ]
    assert on_server_clock(moments, 0) == ((1_900, "page"), (2_400, "answer"), (3_900, "media"))
    assert on_server_clock([], 0) == ()


def test_a_second_device_with_another_clock_falls_back_to_arrival() -> None:
    moments = [(5_000, 5_100, "page"), (-9_000_000, 8_000, "answer")]
    assert (8_000, "answer") in on_server_clock(moments, 4_000)
