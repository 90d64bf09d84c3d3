"""Device checks and quality tests in the study file, in the plan, and what follows from them."""

from __future__ import annotations

import itertools
from types import SimpleNamespace

import numpy as np
import pytest

from believable.contracts.submission import ClosedPage
from believable.pages.device import DEVICE, Device, tone_rows
from believable.pages.qa import QA, Qa, gate_answers, score
from believable.study.plan import Assignment, plan
from believable.study.progress import answers_so_far, progress

BOTH = """\
- device: {}
- qa: {id: see, test: visual}
- qa: {id: hear, test: auditory, gate: %s, threshold: 0.1}
- watch: {stimulus: h01, annotate: ranktrace}
- finish:
"""


def planned(study):
    return plan(study, Assignment(arms={}, rows={}, seed=1))


def open_page(pages, closed, at):
    """The page at a position, as far as a quality test looks at it."""
    earlier = answers_so_far(pages, closed)
    return SimpleNamespace(
        planned_trial=pages[at], plan=pages, closed_pages=closed, earlier=earlier, arms={}
    )


def device_verdict(device, answers, seed, attempt):
    page = SimpleNamespace(seed=seed, planned_trial=SimpleNamespace(key="device"), attempt=attempt)
    return DEVICE.judging.judge(device, answers, page).status


def test_what_is_left_out_has_its_default(study_of):
    device, see, hear, *_ = study_of(BOTH % "warn").timeline
    assert isinstance(device, Device)
    assert (device.wheel, device.headphones, device.attempts, device.on_fail) == (
        True,
        True,
        3,
        "screen_out",
    )
    assert isinstance(see, Qa)
    assert (see.signal_seed, see.duration_s, see.gate, see.threshold) == (1, 60, "record", 0.0)
    assert (hear.gate, hear.annotate.kind) == ("warn", "ranktrace")


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        ("qa: {}", "qa"),
        ("qa: {test: visuall}", "qa.test: "),
        ("qa: {test: visual, duration_s: 5}", "qa.duration_s: "),
        ("qa: {test: visual, gate: stop}", "qa.gate: "),
        ("qa: {test: visual, threshold: 2}", "qa.threshold: "),
        ("qa: {test: visual, annotate: gtrace}", "qa.annotate: unknown key 'annotate'."),
        ("device: {wheel: false, headphones: false}", "device: the device check checks nothing."),
        ("device: {attempts: 0}", "device.attempts: "),
        (
            "device: {headphone: true}",
            "device.headphone: unknown key 'headphone'. Did you mean 'headphones'?",
        ),
    ],
)
def test_mistakes_are_named(errors, written, problem):
    (only,) = errors(f"- {written}\n- finish:\n")
    assert only.startswith(f"timeline[0].{problem}"), only


def test_a_gate_that_never_acts_is_told(found):
    timeline = "- qa: {test: visual, gate: warn}\n- qa: {test: auditory}\n- finish:\n"
    told = [one for one in found(timeline) if "never acts" in one.message]
    assert [(one.path, one.severity) for one in told] == [("timeline[0].qa.gate", "warning")]


def test_ranktrace_is_practised_once_before_the_first_test(study_of):
    keys = [one.key for one in planned(study_of(BOTH % "warn"))]
    assert keys == ["device", "practice.ranktrace", "see", "hear", "watch", "finish"]


def digits(seed, attempt, side):
    return "".join(str(getattr(row, side) + 1) for row in tone_rows(seed, "device", attempt))


def test_tones_follow_from_the_session_and_differ_between_attempts():
    rows = [tone_rows(seed, "device", 1) for seed in range(200)]
    assert rows == [tone_rows(seed, "device", 1) for seed in range(200)]
    assert {row.quiet for row in rows[0] + rows[1] + rows[2]} == {0, 1, 2}
    assert all(row.quiet != row.against for some in rows for row in some)
    assert len({tone_rows(9, "device", attempt) for attempt in range(1, 6)}) == 5


def test_loudspeakers_fail_and_headphones_pass():
    """Over loudspeakers the tone whose sides are against each other is the quietest; guessing gets
    one in a hundred through.
    """
    device = Device(id="d", wheel=False)
    for seed in range(100):
        assert device_verdict(device, {"quietest": digits(seed, 1, "quiet")}, seed, 1) == "done"
        assert device_verdict(device, {"quietest": digits(seed, 1, "against")}, seed, 1) == "again"
    guesses = list(itertools.product("123", repeat=6))
    passed = sum(
        device_verdict(device, {"quietest": "".join(guess)}, 7, 1) == "done" for guess in guesses
    )
    assert passed == 13  # all six right, or one of six wrong in one of two ways
    assert passed / len(guesses) < 0.02


@pytest.mark.parametrize(
    ("right", "wheel", "attempt", "verdict"),
    [
        (True, True, 1, "done"),
        (False, True, 1, "again"),
        (True, False, 2, "again"),
        (True, False, 3, "failed"),
    ],
)
def test_a_device_check_is_right_only_as_a_whole(right, wheel, attempt, verdict):
    answers = {"quietest": digits(4, attempt, "quiet" if right else "against"), "wheel": wheel}
    assert device_verdict(Device(id="d"), answers, 4, attempt) == verdict


def test_a_part_that_is_not_wanted_is_not_judged():
    assert (
        device_verdict(Device(id="d", wheel=False), {"quietest": digits(9, 1, "quiet")}, 9, 1)
        == "done"
    )
    assert device_verdict(Device(id="d", headphones=False), {"wheel": True}, 9, 1) == "done"


OWN = (
    "- qa: {id: own, test: visual, corners: [[0, 0.5], [2.5, 0.5], [6, 1], [12, 0.2]], practice:"
    " false}\n- finish:\n"
)


def test_a_signal_of_ones_own_is_played_and_scored(study_of):
    """Levels at corners and between them by hand; whoever follows it exactly scores 1, whoever goes
    the other way −1.
    """
    (test,) = [page.trial for page in planned(study_of(OWN)) if page.trial.kind == "qa"]
    signal = test.signal
    assert (signal.duration_ms, test.player.medium_ms) == (12_000, 12_000)
    assert signal.levels(np.array([0, 2500, 4250, 6000, 9000.0])).tolist() == pytest.approx(
        [0.5, 0.5, 0.75, 1, 0.6]
    )
    times = range(0, 12_000, 250)
    for way, expected in ((1, 1.0), (-1, -1.0)):
        samples = [
            SimpleNamespace(kind="trace.sample", data={"media_ms": at, "value": way * float(level)})
            for at, level in zip(times, signal.levels(np.array(times, dtype=float)), strict=True)
        ]
        agreement = score(test, samples)
        still = sum(
            before == after
            for before, after in itertools.pairwise(signal.levels(np.array(times, dtype=float)))
        )
        whole = len(times) - 1
        assert agreement == pytest.approx(
            expected if way == 1 else (still - (whole - still)) / whole
        )


@pytest.mark.parametrize(
    ("corners", "words"),
    [
        ("[[0, 0.5], [20, 1.5]]", "levels from 0 to 1, got 1.5"),
        ("[[1, 0.5], [20, 1]]", "from second 0 on"),
        ("[[0, 0.5], [20, 1], [20, 0]]", "each later than the one before"),
        ("[[0, 0.5], [5, 1]]", "after 10 to 600 seconds, got 5"),
        ("[[0, 0.5], [20, 0.5]]", "a signal that changes"),
    ],
)
def test_a_signal_that_cannot_be_shown_is_reported(found, corners, words):
    told = found(OWN.replace("[[0, 0.5], [2.5, 0.5], [6, 1], [12, 0.2]]", corners))
    assert len(told) == 1
    assert words in told[0].message


def test_the_gate_looks_at_the_mean_of_both_tests(study_of):
    pages = planned(study_of(BOTH % "screen_out"))
    first = gate_answers(pages[2].trial, open_page(pages, [], 2), -0.5)
    assert first == {"sda": -0.5}, "the gate waits for the last test"
    closed = [ClosedPage(2, "done", first)]
    assert gate_answers(pages[3].trial, open_page(pages, closed, 3), 0.6) == {
        "sda": 0.6,
        "mean_sda": pytest.approx(0.05),
        "reliable": False,
    }
    assert gate_answers(pages[3].trial, open_page(pages, closed, 3), 0.9)["reliable"] is True


def test_a_later_test_that_is_passed_over_does_not_hold_the_gate_up(study_of):
    pages = planned(
        study_of("""\
        - form: {id: ears, questions: [{id: good, prompt: Hear well?, choice: {options: ["yes", "no"]}}]}
        - qa: {id: see, test: visual, gate: screen_out}
        - qa: {id: hear, test: auditory, gate: screen_out, skip_if: {answer: ears.good, is: "no"}}
        - finish:
        """)
    )
    at = next(page.position for page in pages if page.key == "see")
    assert "reliable" in gate_answers(
        pages[at].trial, open_page(pages, [ClosedPage(0, "done", {"good": "no"})], at), -0.2
    )
    assert "reliable" not in gate_answers(
        pages[at].trial, open_page(pages, [ClosedPage(0, "done", {"good": "yes"})], at), -0.2
    )


def test_a_failed_gate_screens_out_or_is_told_on_the_next_page(study_of):
    pages = planned(study_of(BOTH % "screen_out"))
    bad = {"sda": -0.5, "mean_sda": -0.5, "reliable": False}
    assert progress(pages, [ClosedPage(3, "failed", bad)], {}).outcome == "screened_out"
    pages = planned(study_of(BOTH % "warn"))
    assert QA.looks.notice(pages[3].trial, bad) == "qa.warning"
    assert QA.looks.notice(pages[3].trial, bad | {"reliable": True}) is None


@pytest.mark.parametrize(
    ("on_fail", "outcome"),
    [("screen_out", "screened_out"), ("fail", "failed_checks"), ("continue", None)],
)
def test_a_failed_device_check_ends_as_the_study_says(study_of, on_fail, outcome):
    pages = planned(
        study_of(f"- device: {{on_fail: {on_fail}}}\n- text: {{text: More}}\n- finish:\n")
    )
    assert progress(pages, [ClosedPage(0, "failed", {})], {}).outcome == outcome
