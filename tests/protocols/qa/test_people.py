"""Annotators follow signals as well as was planted, both ways, and are scored as the server scores
them.
"""

from __future__ import annotations

import random

import numpy as np
import pytest

from believable.protocols.qa.people import (
    Annotator,
    QaTruth,
    directions,
    excitement,
    follow_signal,
    nothing,
    score,
)
from believable.simulate.behaviour import SeenStimulus
from believable.stimuli.signal import draw
from believable.traces.resample import resample
from believable.traces.trace_agreement import sda


@pytest.fixture(scope="module")
def planted(simulated):
    return simulated("qa", 60, QaTruth())


def test_the_score_in_the_table_is_that_of_the_trace(planted):
    _, bundle = planted
    told = {
        (row["session"], row["trial"]): row["value_number"]
        for row in bundle["answers"].rows()
        if row["question"] == "sda"
    }
    truth = draw(1, 60).levels(np.arange(0, 60_000, 250, dtype=np.float64))
    table = bundle["traces"]
    of_visual = table["trial"].values == "visual"
    for session in sorted(set(table["session"].values))[:10]:
        own = of_visual & (table["session"].values == session)
        trace = resample(
            table["media_ms"].values[own], table["value"].values[own], duration_ms=60_000
        )
        assert sda(trace, truth) == pytest.approx(told[session, "visual"])


def test_the_gate_is_the_mean_of_both(planted):
    _, bundle = planted
    answers = {(r["session"], r["trial"], r["question"]): r for r in bundle["answers"].rows()}
    for session in bundle["participants"]["session"].values:
        both = [answers[session, test, "sda"]["value_number"] for test in ("visual", "auditory")]
        mean = answers[session, "auditory", "mean_sda"]["value_number"]
        assert mean == pytest.approx(np.mean(both))
        assert answers[session, "auditory", "reliable"]["value_text"] == (
            "true" if mean >= 0 else "false"
        )


def test_trained_annotators_are_better_where_it_is_planted(simulated):
    def gap(truth):
        _, bundle = simulated("qa", 300, truth)
        group = {
            r["session"]: r["value_text"]
            for r in bundle["answers"].rows()
            if r["question"] == "group"
        }
        scores: dict[str, list[float]] = {"trained": [], "untrained": []}
        for row in bundle["answers"].rows():
            if row["question"] == "mean_sda":
                scores[str(group[row["session"]])].append(row["value_number"])
        return np.mean(scores["trained"]) - np.mean(scores["untrained"])

    assert gap(QaTruth()) > 0.3
    assert abs(gap(nothing())) < 0.06


def test_perfect_skill_without_lag_is_a_perfect_score():
    wanted = excitement("r1", 150)
    made = follow_signal(wanted, np.array([50.0]), 0, np.random.default_rng(1))
    assert score(made, wanted)[0] == 1
    assert set(np.unique(wanted)) == {-1, 0, 1}
    assert excitement("r1", 150).tolist() == wanted.tolist()
    assert excitement("r2", 150).tolist() != wanted.tolist()


def test_directions_of_a_signal():
    assert directions([0.0, 0.1, 0.1, 0.05]).tolist() == [0, 1, 0, -1]


def test_an_annotator_at_a_browser_follows_too(ready):
    study = ready("qa").study
    signal = draw(1, 60)
    corners = [
        [0, signal.pieces[0].start_level],
        *([piece.end_ms, piece.end_level] for piece in signal.pieces),
    ]
    levels = signal.levels(np.arange(0, 60_000, 250, dtype=np.float64))
    for skill, low, high in ((4.0, 0.6, 1.0), (-4.0, -0.6, 0.0)):
        truth = QaTruth(trained=skill, untrained=skill, skill_sd=0, test_sd=0)
        somebody = Annotator(truth, study, random.Random(3), careless=False)
        acts = somebody.follow({"duration_ms": 60_000, "corners": corners})
        assert acts is not None
        moved = [act for act in acts if act.data["input"] == "wheel"]
        trace = resample(
            [a.media_ms for a in moved], [a.data["value"] for a in moved], duration_ms=60_000
        )
        assert low < sda(trace, levels) < high
        task = somebody.acts("ranktrace", SeenStimulus(stimulus=study.stimuli[0], length_ms=40_000))
        assert task is not None
        assert max(act.media_ms for act in task) < 40_000
        assert somebody.acts("ranktrace", SeenStimulus(stimulus=None, length_ms=40_000)) is None
