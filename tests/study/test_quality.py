"""Device checks and quality tests in the study file, in the plan, and what follows from them."""

from __future__ import annotations

import itertools

import pytest

from believable.study.plan import Assignment, plan
from believable.study.progress import Closed, progress
from believable.study.quality import device_verdict, gated, tones, warned
from believable.study.records import Device, Qa

BOTH = """\
- device: {}
- qa: {id: see, test: visual}
- qa: {id: hear, test: auditory, gate: %s, threshold: 0.1}
- watch: {stimulus: h01, annotate: ranktrace}
- finish:
"""


def planned(study):
    return plan(study, Assignment(arms={}, rows={}, seed=1))


def test_what_is_left_out_has_its_default(study_of):
    device, see, hear, *_ = study_of(BOTH % "warn").timeline
    assert isinstance(device, Device)
    assert (device.wheel, device.headphones, device.attempts, device.on_fail) == (True, True, 3, "screen_out")
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


def test_the_number_of_tones_follows_from_the_session():
    counts = [tones(seed, "device", 1) for seed in range(200)]
    assert set(counts) == {2, 3, 4, 5, 6, 7}
    assert counts == [tones(seed, "device", 1) for seed in range(200)]


def test_another_attempt_has_another_number_of_tones():
    for seed in range(200):
        counts = [tones(seed, "device", attempt) for attempt in range(1, 6)]
        assert all(earlier != later for earlier, later in itertools.pairwise(counts))
        assert set(counts) <= {2, 3, 4, 5, 6, 7}


@pytest.mark.parametrize(
    ("answers", "attempt", "verdict"),
    [
        ({"heard": 4, "wheel": True}, 1, "done"),
        ({"heard": 5, "wheel": True}, 1, "again"),
        ({"heard": 4, "wheel": False}, 2, "again"),
        ({"heard": 4, "wheel": False}, 3, "failed"),
    ],
)
def test_a_device_check_is_right_only_as_a_whole(answers, attempt, verdict):
    assert device_verdict(Device(id="d"), answers, 4, attempt) == verdict


def test_a_part_that_is_not_wanted_is_not_judged():
    assert device_verdict(Device(id="d", wheel=False), {"heard": 4}, 4, 1) == "done"
    assert device_verdict(Device(id="d", headphones=False), {"wheel": True}, 4, 1) == "done"


def test_the_gate_looks_at_the_mean_of_both_tests(study_of):
    pages = planned(study_of(BOTH % "screen_out"))
    first = gated(pages, [], {}, 2, -0.5)
    assert first == {"sda": -0.5}, "the gate waits for the last test"
    closed = [Closed(2, "done", first)]
    assert gated(pages, closed, {}, 3, 0.6) == {
        "sda": 0.6,
        "mean_sda": pytest.approx(0.05),
        "reliable": False,
    }
    assert gated(pages, closed, {}, 3, 0.9)["reliable"] is True


def test_a_later_test_that_is_passed_over_does_not_hold_the_gate_up(study_of):
    pages = planned(
        study_of("""\
        - form: {id: ears, questions: [{id: good, prompt: Hear well?, choice: {options: ["yes", "no"]}}]}
        - qa: {id: see, test: visual, gate: screen_out}
        - qa: {id: hear, test: auditory, gate: screen_out, skip_if: {answer: ears.good, is: "no"}}
        - finish:
        """)
    )
    at = next(one.position for one in pages if one.key == "see")
    assert "reliable" in gated(pages, [Closed(0, "done", {"good": "no"})], {}, at, -0.2)
    assert "reliable" not in gated(pages, [Closed(0, "done", {"good": "yes"})], {}, at, -0.2)


def test_a_failed_gate_screens_out_and_a_warning_is_given_on_the_next_page(study_of):
    pages = planned(study_of(BOTH % "screen_out"))
    bad = {"sda": -0.5, "mean_sda": -0.5, "reliable": False}
    assert progress(pages, [Closed(3, "failed", bad)], {}).outcome == "screened_out"
    pages = planned(study_of(BOTH % "warn"))
    assert warned(pages, [Closed(3, "done", bad)], 4)
    assert not warned(pages, [Closed(3, "done", bad | {"reliable": True})], 4)
    assert not warned(pages, [Closed(3, "done", bad), Closed(4, "done", {})], 5)


@pytest.mark.parametrize(
    ("on_fail", "outcome"), [("screen_out", "screened_out"), ("fail", "failed_checks"), ("continue", None)]
)
def test_a_failed_device_check_ends_as_the_study_says(study_of, on_fail, outcome):
    pages = planned(study_of(f"- device: {{on_fail: {on_fail}}}\n- text: {{text: More}}\n- finish:\n"))
    assert progress(pages, [Closed(0, "failed", {})], {}).outcome == outcome
