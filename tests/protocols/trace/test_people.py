"""Players annotate what they felt, and choose by it where that is planted."""

from __future__ import annotations

import random

import numpy as np
import pytest

from believable.protocols.trace.people import (
    ROUND_MS,
    RoundPlayer,
    TraceTruth,
    choose_answer,
    nothing,
)
from believable.simulate.behaviour import SeenStimulus


def agreement(bundle):
    """How the choice goes with the difference of mean marks (BTrace)."""
    table = bundle["traces"]
    marks: dict[tuple[str, int], list[float]] = {}
    rows = zip(
        table["session"].values,
        table["position"].values,
        table["instrument"].values,
        table["value"].values,
        strict=True,
    )
    for session, position, tool, value in rows:
        if tool == "btrace":
            marks.setdefault((session, int(position)), []).append(value)
    said = {
        r["session"]: r["value_text"]
        for r in bundle["answers"].rows()
        if r["question"] == "preference"
    }
    pairs = []
    for session in {name for name, _ in marks}:
        places = sorted(position for name, position in marks if name == session)
        if len(places) == 2:
            gap = np.mean(marks[session, places[0]]) - np.mean(marks[session, places[1]])
            pairs.append((gap, {"first": 1, "second": -1}.get(said[session], 0)))
    return float(np.corrcoef(np.array(pairs).T)[0, 1])


def test_the_choice_goes_with_the_traces_only_where_it_is_planted(simulated):
    assert agreement(simulated("trace", 900, TraceTruth())[1]) > 0.35
    assert abs(agreement(simulated("trace", 900, nothing())[1])) < 0.12


def test_everybody_annotates_two_rounds_with_the_tool_of_the_arm(simulated):
    _, bundle = simulated("trace", 20, TraceTruth(idle=0.0))
    arm = dict(
        zip(
            bundle["participants"]["session"].values,
            bundle["participants"]["arm_tool"].values,
            strict=True,
        )
    )
    table = bundle["traces"]
    assert all(
        tool == arm[session]
        for session, tool in zip(table["session"].values, table["instrument"].values, strict=True)
    )
    pages = set(zip(table["session"].values, table["position"].values.tolist(), strict=True))
    assert len(pages) == 40
    assert table["media_ms"].values.max() < ROUND_MS
    marks = table["value"].values[table["instrument"].values == "btrace"]
    assert set(marks) == {1.0, -1.0}


def test_idle_rounds_have_no_inputs(simulated):
    _, bundle = simulated("trace", 200, TraceTruth(idle=0.5))
    table = bundle["traces"]
    pages = set(zip(table["session"].values, table["position"].values.tolist(), strict=True))
    assert 150 < len(pages) < 250


def test_the_choice_in_words():
    truth = TraceTruth(undecided=0.3)
    said = [
        str(choose_answer(truth, gap, 0.0, coin))
        for gap, coin in ((1.0, 0.1), (-1.0, 0.9), (0.1, 0.1), (0.1, 0.9))
    ]
    assert said == ["first", "second", "both", "neither"]


@pytest.mark.parametrize("tool", ["ranktrace", "btrace", "gtrace"])
def test_a_player_at_a_browser_finds_erratic_opponents_less_believable(ready, tool):
    study = ready("trace").study
    ends: dict[str, list[float]] = {"calm": [], "erratic": []}
    for number in range(150):
        for kind, condition in (("calm", "calm"), ("erratic", "frustrated")):
            player = RoundPlayer(
                TraceTruth(calm=1.0, frustrated=-1.0, idle=0.0),
                study,
                random.Random(f"{number}{kind}"),
                careless=False,
            )
            player.open_page("play", condition)
            acts = player.acts(
                tool, SeenStimulus(stimulus=None, length_ms=ROUND_MS, round_condition=condition)
            )
            assert acts
            values = [act.data["sign" if tool == "btrace" else "value"] for act in acts]
            ends[kind].append(float(np.sum(values)) if tool == "btrace" else values[-1])
    assert np.mean(ends["calm"]) > np.mean(ends["erratic"])


def test_a_choice_before_annotating_goes_with_what_is_annotated_later(ready):
    truth = TraceTruth(choice_noise=0.0, undecided=0.0, idle=0.0, wave=0.0, gain=3.0, round_sd=1.5)
    agreed = 0
    for seed in range(30):
        player = RoundPlayer(truth, ready("trace").study, random.Random(seed), careless=False)
        for condition in ("calm", "frustrated"):
            player.open_page("play", condition)
        early = player.answer("preference", (), ())
        rounds = [
            SeenStimulus(stimulus=None, length_ms=ROUND_MS, round_condition=condition)
            for condition in ("calm", "frustrated")
        ]
        signs = [
            sum(act.data["sign"] for act in player.acts("btrace", seen) if act.kind == "trace.mark")
            for seen in rounds
        ]
        agreed += early == ("first" if signs[0] > signs[1] else "second")
    assert agreed >= 24


def test_the_final_choice_is_one_of_four(ready):
    player = RoundPlayer(TraceTruth(), ready("trace").study, random.Random(1), careless=False)
    for condition in ("calm", "frustrated"):
        player.open_page("play", condition)
        player.acts(
            "btrace", SeenStimulus(stimulus=None, length_ms=ROUND_MS, round_condition=condition)
        )
    assert player.answer("preference", (), ()) in ("first", "second", "both", "neither")


def test_who_marks_nothing_with_keys_that_can_be_held_marks_nothing(ready):
    player = RoundPlayer(
        TraceTruth(idle=1.0), ready("trace").study, random.Random(1), careless=False
    )
    seen = SeenStimulus(stimulus=None, length_ms=8000)
    assert player.acts("btrace", seen) == []
