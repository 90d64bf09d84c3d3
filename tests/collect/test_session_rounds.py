"""Rounds of a session on each kind of database: one holder at a time, durable inputs, a recording
in the end.
"""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from believable.collect import session_rounds
from believable.collect.desk import Collect
from believable.collect.session_rounds import HeldRound
from believable.contracts.inputs import InputChange
from believable.core.clock import VirtualClock
from believable.core.errors import Conflict, NotFound, TakenOver
from believable.protocols import READY_STUDIES
from believable.protocols.variants import variant
from believable.recordings import file
from believable.store import rounds as stored
from believable.store import sessions
from believable.study.load import load, problems
from believable.study.plan import Assignment, plan
from believable.worlds.live_round import LiveRound, NumberedInput

STUDY = """\
believable: 1
title: Maze
seed: 3
conditions: [calm, frustrated]
timeline:
  - play: {{id: learn, practice: true, opponent: calm}}
  - block:
      id: rounds
      over: condition
      each:
        - play: {{id: game, duration_s: 5, on_loss: {on_loss}, maze: {maze}}}
        - watch: {{id: again, stimulus: {{round: game}}}}
  - finish: {{}}
"""
Enter = Callable[..., Any]


@pytest.fixture
def person(desk: Collect, enter: Enter, tmp_path: Path) -> Callable[..., Any]:
    def come(*, on_loss: str = "resume", maze: str = "round") -> Any:
        folder = tmp_path / "maze"
        folder.mkdir(exist_ok=True)
        (folder / "study.yaml").write_text(STUDY.format(on_loss=on_loss, maze=maze))
        definition = load(folder, clock=VirtualClock())
        return enter(desk.publish("maze", definition).links["open"])

    return come


def opened(desk: Collect, person: Any, holder: str, position: int | None = None) -> HeldRound:
    return desk.store.write(
        lambda conn: session_rounds.open_round(
            conn,
            desk.context,
            token=person.token,
            epoch=person.claimed.epoch,
            position=person.position if position is None else position,
            holder=holder,
        )
    )


def played(desk: Collect, one: HeldRound, live: LiveRound, ticks: int) -> None:
    """Go on for so many ticks, and store them in one piece."""
    for number in range(ticks):
        if number % 7 == 0:
            keys = (
                (number // 7) % 3 - 1,
                (number // 14) % 3 - 1,
                (number * 11) % 360,
                int(number % 2 == 0),
                0,
            )
            live.receive(NumberedInput(live.last_received + 1, live.tick, keys))
        live.step()
    piece = stored.Piece(one.key, one.holder, live.tick, live.take_changes())
    desk.store.write(lambda conn: accepted(stored.append(conn, [piece])))


def accepted(told: list[TakenOver | None]) -> None:
    for trouble in told:
        if trouble is not None:
            raise trouble


def ended(desk: Collect, one: HeldRound) -> session_rounds.EndedRound:
    changes = desk.store.read(lambda conn: session_rounds.applied_inputs(conn, one))
    made = session_rounds.record(one, changes)
    desk.store.write(lambda conn: session_rounds.end_round(conn, desk.context, one, made))
    return made


def test_a_round_is_played_recorded_and_shown_to_its_player(
    desk: Collect, person: Callable[..., Any]
) -> None:
    somebody = person()
    assert somebody.submit({}).status == "next", "a practice may be left at any time"
    assert somebody.submit({}).errors[""].key == "error.play"
    one = opened(desk, somebody, "a")
    assert one.setup.opponent == "calm"
    assert (one.tick, one.over) == (0, False)
    played(desk, one, one.live(), 150)
    made = ended(desk, one)
    assert opened(desk, somebody, "b").over
    assert somebody.submit({}).status == "next"
    (medium,) = desk.view(somebody.token).now().media
    content = asyncio.run(desk.medium(somebody.token, medium.name))
    assert content == made.judged
    assert medium.bytes == len(made.judged)
    tree = json.loads(gzip.decompress(made.judged))
    assert {state[1] for track in tree["replay"]["tracks"] for state in track["states"]} <= {
        "health",
        "news",
        "score",
    }
    whole = file.from_bytes(made.recording, source="blob")
    assert whole.timing.frames == 150
    assert whole.agent == "calm"
    assert somebody.submit({}).errors[""].key == "error.watch", (
        "one's own round has to be watched as well"
    )
    somebody.note("media.ended")
    assert somebody.submit({}).status == "next"


def test_the_media_of_a_round_exist_for_its_session_only(
    desk: Collect, person: Callable[..., Any]
) -> None:
    first, second = person(), person()
    for one in (first, second):
        one.submit({})
        round_ = opened(desk, one, "a")
        played(desk, round_, round_.live(), 150)
        ended(desk, round_)
        one.submit({})
    (medium,) = desk.view(first.token).now().media
    with pytest.raises(NotFound):
        asyncio.run(desk.medium(second.token, medium.name))


def test_another_connection_goes_on_from_the_last_durable_tick(
    desk: Collect, person: Callable[..., Any]
) -> None:
    somebody = person()
    somebody.submit({})
    first = opened(desk, somebody, "a")
    live = first.live()
    played(desk, first, live, 60)
    second = opened(desk, somebody, "b")
    assert second.tick == 60
    assert second.key == first.key
    again = second.live()
    assert again.message()["p"] == live.message()["p"]
    assert again.message()["o"] == live.message()["o"]
    with pytest.raises(TakenOver, match="continues in another connection"):
        played(desk, first, live, 3)
    played(desk, second, again, 90)
    made = ended(desk, second)
    row = desk.store.read(lambda conn: stored.latest(conn, second.key.session, 1, 0))
    assert row is not None
    assert (row.state, row.losses, row.score, row.tick) == ("over", 1, made.score, 150)


def test_nothing_is_added_to_a_round_that_is_over_and_ending_twice_is_no_mistake(
    desk: Collect, person: Callable[..., Any]
) -> None:
    somebody = person()
    somebody.submit({})
    one = opened(desk, somebody, "a")
    live = one.live()
    played(desk, one, live, 150)
    assert ended(desk, one) == ended(desk, one)
    piece = stored.Piece(one.key, one.holder, 151, [])
    (refused,) = desk.store.write(lambda conn: stored.append(conn, [piece]))
    assert isinstance(refused, TakenOver)


def test_pieces_of_several_rounds_are_stored_together_and_refused_alone(
    desk: Collect, person: Callable[..., Any]
) -> None:
    people = [person() for _ in range(3)]
    for somebody in people:
        somebody.submit({})
    held = [opened(desk, somebody, f"holder {number}") for number, somebody in enumerate(people)]
    later = opened(desk, people[1], "another tab")
    changes = [InputChange(0, 1, (1, 0, 90, 0, 0)), InputChange(2, 1, (90, 1), seat=1)]
    pieces = [stored.Piece(one.key, one.holder, 6, changes) for one in held]
    told = desk.store.write(lambda conn: stored.append(conn, pieces))
    assert [type(trouble) for trouble in told] == [type(None), TakenOver, type(None)]
    kept = [
        desk.store.read(lambda conn, one=one: session_rounds.applied_inputs(conn, one))
        for one in (held[0], later, held[2])
    ]
    assert kept == [changes, [], changes]
    rows = [
        desk.store.read(lambda conn, one=one: stored.latest(conn, one.key.session, 1, 0))
        for one in held
    ]
    assert [row.tick for row in rows if row is not None] == [6, 0, 6]


def test_a_round_begins_again_where_the_study_wants_it(
    desk: Collect, person: Callable[..., Any]
) -> None:
    somebody = person(on_loss="restart")
    somebody.submit({})
    first = opened(desk, somebody, "a")
    played(desk, first, first.live(), 30)
    second = opened(desk, somebody, "b")
    assert (second.key.attempt, second.tick) == (2, 0)
    assert second.setup == first.setup
    third = opened(desk, somebody, "c")
    assert third.key.attempt == 2, "nothing was played, so nothing begins again"
    assert len(desk.store.read(lambda conn: session_rounds.applied_inputs(conn, first))) > 0


def test_only_the_current_round_and_only_by_who_claimed_last(
    desk: Collect, person: Callable[..., Any]
) -> None:
    somebody = person()
    with pytest.raises(Conflict, match="no round to be played now"):
        opened(desk, somebody, "a", position=1)
    with pytest.raises(Conflict, match="no round to be played now"):
        opened(desk, somebody, "a", position=99)
    before = somebody.claimed
    somebody.claim()
    somebody.claimed, after = before, somebody.claimed
    with pytest.raises(TakenOver):
        opened(desk, somebody, "a")
    somebody.claimed = after
    assert opened(desk, somebody, "a").setup.practice


@pytest.mark.parametrize(("maze", "same"), [("round", False), ("session", True), ("12", True)])
def test_which_maze_is_played(
    desk: Collect, person: Callable[..., Any], maze: str, same: bool
) -> None:
    somebody = person(maze=maze)
    plan = desk.view(somebody.token).now().plan
    games = [session_rounds.setup_of(one, 5) for one in plan if one.trial.id == "game"]
    assert (games[0].maze_seed == games[1].maze_seed) is same
    assert games[0].agent_seed != games[1].agent_seed
    assert all(0 <= game.maze_seed < 2**63 for game in games)
    other = [session_rounds.setup_of(one, 6) for one in plan if one.trial.id == "game"]
    assert (other[0].maze_seed == games[0].maze_seed) is (maze == "12")


def test_an_arm_says_whether_the_opponent_shows_its_mood(tmp_path: Path) -> None:
    ready = variant(READY_STUDIES["trace"], "mood")
    ready.copy(tmp_path / "s")
    study = load(tmp_path / "s").study
    assert study.arms["mood"] == ("hidden", "shown")
    file = tmp_path / "s" / "study.yaml"
    file.write_text(file.read_text("utf-8").replace("mood: mood", "mood: moood"))
    assert [problem.message for problem in problems(tmp_path / "s")] == ["unknown arm 'moood'."]
    for level in study.arms["mood"]:
        arms = {"tool": "ranktrace", "mood": level}
        planned = plan(study, Assignment(arms=arms, rows={}, seed=5))
        games = [one for one in planned if one.trial.id == "round"]
        assert len(games) == 2
        for game in games:
            setup: Any = session_rounds.setup_of(game, 5, arms)
            assert setup.mood is (level == "shown")


def test_withdrawing_deletes_rounds_inputs_and_recordings(
    desk: Collect, person: Callable[..., Any]
) -> None:
    somebody = person()
    somebody.submit({})
    one = opened(desk, somebody, "a")
    live = one.live()
    played(desk, one, live, 150)
    ended(desk, one)
    desk.withdraw(somebody.token).now()
    assert desk.store.read(lambda conn: stored.of_session(conn, one.key.session)) == []
    assert desk.store.read(lambda conn: stored.changes_of(conn, one.key)) == []
    assert (
        desk.store.read(
            lambda conn: sessions.get_file(conn, one.key.session, one.key.recording_name)
        )
        is None
    )
