"""Quality tests are scored against the known signal, and device checks are judged, by the server."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from believable.collect.desk import Collect
from believable.core.clock import VirtualClock
from believable.instruments import INSTRUMENTS
from believable.stimuli.signal import draw
from believable.study.load import load
from believable.study.quality import tones

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
        definition = load(folder, instruments=INSTRUMENTS, clock=VirtualClock())
        return enter(desk.publish("tested", definition).links["open"])

    return go


def qa(test: str = "visual", **more: Any) -> str:
    keys = "".join(f", {key}: {value}" for key, value in more.items())
    return f"  - qa: {{id: {test}, test: {test}, duration_s: 20, practice: false{keys}}}\n"


def follow(person: Any, sign: float, seed: int = 1) -> None:
    """The trace of somebody who follows the signal exactly (1), against it (-1), or never moves (0)."""
    signal = draw(seed, 20)
    times_ms = np.arange(0, 20_000, STEP_MS, dtype=np.float64)
    for media_ms, level in zip(times_ms, signal.levels(times_ms), strict=True):
        person.note(
            "trace.sample", value=sign * float(level), media_ms=int(media_ms), frame=None, input="wheel"
        )
    person.note("media.ended", media_ms=20_000, view=1)


def answers_at(desk: Collect, person: Any, position: int) -> Any:
    return next(one for one in desk.view(person.token).closed if one.position == position).answers


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


def test_somebody_who_goes_the_other_way_is_screened_out(come: Callable[[str], Any], desk: Collect) -> None:
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


def test_what_no_browser_of_ours_sends_is_left_out(come: Callable[[str], Any], desk: Collect) -> None:
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
        qa(gate="screen_out", threshold=0.9) + qa("auditory", gate="screen_out", signal_seed=2, threshold=0.9)
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
def test_other_gates_let_everybody_go_on(come: Callable[[str], Any], desk: Collect, gate: str) -> None:
    person = come(qa(gate=gate, threshold=0.9))
    follow(person, -1)
    assert person.submit({}).status == "next"
    assert answers_at(desk, person, 0)["reliable"] is False
    assert person.submit({}).status == "finished"
    assert person.finish().outcome == "complete"


def test_a_device_check_says_what_was_wrong(come: Callable[[str], Any], desk: Collect) -> None:
    person = come("  - device: {}\n")
    view = desk.view(person.token)
    first, second, third = (tones(view.seed, view.trial.key, attempt) for attempt in (1, 2, 3))
    assert first != second != third, "what was found out by trying does not help"
    empty = person.submit({})
    assert {name: error.key for name, error in empty.errors.items()} == dict.fromkeys(
        ("heard", "wheel"), "error.required"
    )
    assert desk.view(person.token).attempts == 0, "an answer left open is no attempt"
    wrong = person.submit({"heard": first + 1, "wheel": True})
    assert {name: error.key for name, error in wrong.errors.items()} == {"heard": "error.heard"}
    again = person.advance(0, person.seq)
    assert {name: error.key for name, error in again.errors.items()} == {"heard": "error.heard"}
    assert desk.view(person.token).attempts == 1
    assert set(person.submit({"heard": second, "wheel": False}).errors) == {"wheel"}
    assert person.submit({"heard": third, "wheel": True}).status == "next"
    assert answers_at(desk, person, 0) == {"heard": third, "wheel": True}


def test_who_fails_the_device_check_is_screened_out(come: Callable[[str], Any]) -> None:
    person = come("  - device: {attempts: 2}\n")
    assert person.submit({"heard": 99, "wheel": False}).status == "again"
    assert person.submit({"heard": 99, "wheel": False}).status == "finished"
    assert person.finish().outcome == "screened_out"


@pytest.mark.parametrize("junk", ["3", True, -1, 2.5, None, [3]])
def test_only_a_number_is_a_number_of_tones(come: Callable[[str], Any], junk: object) -> None:
    person = come("  - device: {wheel: false}\n")
    assert person.submit({"heard": junk}).errors["heard"].key == "error.required"
