"""Quality tests are scored against the known signal, and device checks are judged, by the
server.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from believable.app.recruit import write_lists
from believable.collect.desk import Collect
from believable.collect.match import match, read_platform
from believable.collect.recruiting import participant_hash
from believable.core.clock import VirtualClock
from believable.pages.device import ROWS, tone_rows
from believable.stimuli.signal import draw
from believable.store.collected import answered_true, recruited_sessions
from believable.study.load import load

STEP_MS = 250


@pytest.fixture
def come(desk: Collect, enter: Callable[..., Any], tmp_path: Path) -> Callable[[str], Any]:
    def go(timeline: str) -> Any:
        folder = tmp_path / "tested"
        folder.mkdir()
        head = "believable: 1\ntitle: Tested\nseed: 7\ntimeline:\n"
        (folder / "study.yaml").write_text(
            f"{head}{timeline}  - text: {{id: after, text: More}}\n  - finish: {{}}\n"
        )
        definition = load(folder, clock=VirtualClock())
        return enter(desk.publish("tested", definition).links["open"])

    return go


def qa(test: str = "visual", **more: Any) -> str:
    keys = "".join(f", {key}: {value}" for key, value in more.items())
    return f"  - qa: {{id: {test}, test: {test}, duration_s: 20, practice: false{keys}}}\n"


def follow(person: Any, sign: float, seed: int = 1) -> None:
    """The trace of somebody who follows the signal exactly (1), against it (-1), or never moves
    (0).
    """
    signal = draw(seed, 20)
    times_ms = np.arange(0, 20_000, STEP_MS, dtype=np.float64)
    for media_ms, level in zip(times_ms, signal.levels(times_ms), strict=True):
        person.note(
            "trace.sample",
            value=sign * float(level),
            media_ms=int(media_ms),
            frame=None,
            input="wheel",
        )
    person.note("media.ended", media_ms=20_000, view=1)


def hear(person: Any, attempt: int = 1) -> None:
    """Play every row of tones of an attempt."""
    for row in range(ROWS):
        person.note("device.tones", state="running", row=row, attempt=attempt)


def answers_at(desk: Collect, person: Any, position: int) -> Any:
    return next(
        one for one in desk.view(person.token).now().closed if one.position == position
    ).answers


def resting_score() -> float:
    """What a trace scores that never moves: it agrees wherever the signal rests."""
    truth = draw(1, 20).levels(np.arange(0, 20_000, STEP_MS, dtype=np.float64))
    rests = np.diff(truth) == 0
    return float(np.where(rests, 1, -1).mean())


def test_a_test_has_to_be_seen_to_its_end(come: Callable[[str], Any]) -> None:
    person = come(qa())
    refused = person.submit({})
    assert (refused.status, refused.errors[""].key) == ("again", "error.watch")


def test_a_perfect_follower_passes(come: Callable[[str], Any], desk: Collect) -> None:
    person = come(qa(gate="screen_out"))
    follow(person, 1)
    assert person.submit({}).status == "next"
    assert answers_at(desk, person, 0) == {"sda": 1.0, "mean_sda": 1.0, "reliable": True}


def test_somebody_who_goes_the_other_way_is_screened_out(
    come: Callable[[str], Any], desk: Collect
) -> None:
    person = come(qa(gate="screen_out", threshold=0.9))
    follow(person, -1)
    assert person.submit({}).status == "finished"
    found = answers_at(desk, person, 0)
    assert found["sda"] == pytest.approx(resting_score()), "only the rests agree"
    assert found["reliable"] is False
    assert person.finish().outcome == "screened_out"


@pytest.mark.parametrize("heartbeats", [True, False])
def test_an_untouched_trace_scores_as_it_is(
    come: Callable[[str], Any], desk: Collect, heartbeats: bool
) -> None:
    person = come(qa())
    if heartbeats:
        follow(person, 0)
    else:
        person.note("media.ended", media_ms=20_000, view=1)
    assert person.submit({}).status == "next"
    assert answers_at(desk, person, 0)["sda"] == pytest.approx(resting_score())


def test_what_no_browser_of_ours_sends_is_left_out(
    come: Callable[[str], Any], desk: Collect
) -> None:
    person = come(qa())
    for junk in (
        {"value": "9", "media_ms": 500},
        {"value": 9},
        {"value": 9, "media_ms": 20_000},
        {"value": True, "media_ms": 3},
    ):
        person.note("trace.sample", **junk)
    follow(person, 1)
    assert person.submit({}).status == "next"
    assert answers_at(desk, person, 0)["sda"] == 1.0


def test_the_mean_of_both_tests_decides(come: Callable[[str], Any], desk: Collect) -> None:
    person = come(
        qa(gate="screen_out", threshold=0.9)
        + qa("auditory", gate="screen_out", signal_seed=2, threshold=0.9)
    )
    follow(person, -1)
    assert person.submit({}).status == "next", "the gate waits for the last test"
    assert set(answers_at(desk, person, 0)) == {"sda"}
    follow(person, 1, seed=2)
    assert person.submit({}).status == "finished"
    last = answers_at(desk, person, 1)
    assert last["sda"] == 1.0
    assert last["mean_sda"] == pytest.approx((1 + answers_at(desk, person, 0)["sda"]) / 2)
    assert last["reliable"] is False


@pytest.mark.parametrize("gate", ["warn", "record"])
def test_other_gates_let_everybody_go_on(
    come: Callable[[str], Any], desk: Collect, gate: str
) -> None:
    person = come(qa(gate=gate, threshold=0.9))
    follow(person, -1)
    assert person.submit({}).status == "next"
    assert answers_at(desk, person, 0)["reliable"] is False
    assert person.submit({}).status == "finished"
    assert person.finish().outcome == "complete"


def test_a_device_check_says_what_was_wrong(come: Callable[[str], Any], desk: Collect) -> None:
    person = come("  - device: {}\n")
    view = desk.view(person.token).now()
    played = [tone_rows(view.seed, view.trial.key, attempt) for attempt in (1, 2, 3)]
    assert len(set(played)) == 3, "what was found out by trying does not help"
    _, second, third = ("".join(str(row.quiet + 1) for row in rows) for rows in played)
    over_loudspeakers = "".join(str(row.against + 1) for row in played[0])
    unheard = person.submit({"quietest": over_loudspeakers, "wheel": True})
    assert {name: error.key for name, error in unheard.errors.items()} == {
        "quietest": "error.tones_not_played"
    }
    hear(person)
    empty = person.submit({})
    assert {name: error.key for name, error in empty.errors.items()} == dict.fromkeys(
        ("quietest", "wheel"), "error.required"
    )
    assert desk.view(person.token).now().attempts == 0, "an answer left open is no attempt"
    wrong = person.submit({"quietest": over_loudspeakers, "wheel": True})
    assert {name: error.key for name, error in wrong.errors.items()} == {
        "quietest": "error.quietest"
    }
    again = person.advance(0, person.seq)
    assert {name: error.key for name, error in again.errors.items()} == {
        "quietest": "error.quietest"
    }
    assert desk.view(person.token).now().attempts == 1
    hear(person, attempt=2)
    assert set(person.submit({"quietest": second, "wheel": False}).errors) == {"wheel"}
    hear(person, attempt=3)
    assert person.submit({"quietest": third, "wheel": True}).status == "next"
    assert answers_at(desk, person, 0) == {"quietest": third, "wheel": True}


def test_the_bonus_list_holds_who_passed_the_gate(
    desk: Collect, enter: Callable[..., Any], tmp_path: Path
) -> None:
    """By recruiter id, as the platform takes it; who finished without having passed is approved and
    gets none.
    """
    folder = tmp_path / "tested"
    folder.mkdir()
    head = "believable: 1\ntitle: Tested\nseed: 7\nrecruit: {platform: prolific}\ntimeline:\n"
    (folder / "study.yaml").write_text(f"{head}{qa(gate='record')}  - finish: {{}}\n")
    link = desk.publish("tested", load(folder, clock=VirtualClock())).links["open"]
    for person, sign in (("ann", 1), ("bob", -1)):
        taking_part = enter(link, {"PROLIFIC_PID": person})
        follow(taking_part, sign)
        assert taking_part.submit({}).status == "finished"
        assert taking_part.finish().outcome == "complete"
    passed = desk.store.read(lambda conn: answered_true(conn, "tested", "visual", "reliable"))
    assert passed == {participant_hash(desk.context.key, "tested", "ann")}
    export = tmp_path / "export.csv"
    export.write_text(
        "Submission id,Participant id,Status,Completion code\ns1,ann,AWAITING"
        " REVIEW,\ns2,bob,AWAITING REVIEW,\n"
    )
    file = read_platform(export)
    sessions = desk.store.read(lambda conn: recruited_sessions(conn, "tested"))
    matched = match(file, sessions, key=desk.context.key, study_id="tested", codes={})
    earned = lambda participant: participant_hash(desk.context.key, "tested", participant) in passed  # noqa: E731
    write_lists(file, matched, tmp_path / "lists", bonus=0.5, screen_out_bonus=None, earned=earned)
    assert (tmp_path / "lists" / "bonus.csv").read_text() == "ann,0.50\n"


def test_who_fails_the_device_check_is_screened_out(come: Callable[[str], Any]) -> None:
    person = come("  - device: {attempts: 2}\n")
    hear(person)
    assert person.submit({"quietest": "111111", "wheel": False}).status == "again"
    hear(person, attempt=2)
    assert person.submit({"quietest": "111111", "wheel": False}).status == "finished"
    assert person.finish().outcome == "screened_out"


@pytest.mark.parametrize(
    "junk", ["3", True, 111111, "12312", "1231234", "123124x", None, [1, 2, 3, 1, 2, 3]]
)
def test_only_a_digit_for_each_row_is_an_answer(come: Callable[[str], Any], junk: object) -> None:
    person = come("  - device: {wheel: false}\n")
    hear(person)
    assert person.submit({"quietest": junk}).errors["quietest"].key == "error.required"
