"""Judges choose the human one as often as was planted, both ways."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from believable.protocols.hntt import people
from believable.protocols.hntt.people import HnttTruth, Judge, accuracy, nothing, pair_log_odds

PEOPLE = 4000


def right_share(bundle):
    left_out = poor(bundle)
    shown = {
        (row["session"], row["position"], row["player"]): row["condition"]
        for row in bundle["shown"].rows()
    }
    hits = [
        shown[row["session"], row["position"], 0 if row["value_text"] == "first" else 1]
        == "standin_human"
        for row in bundle["answers"].rows()
        if row["question"] == "which" and row["session"] not in left_out
    ]
    return float(np.mean(hits))


def poor(bundle):
    return {
        row["session"] for row in bundle["exclusions"].rows() if row["reason"] == "text_excluded"
    }


@pytest.mark.parametrize(
    "truth", [HnttTruth(), nothing(), HnttTruth(skill=0.4, judge_sd=1.2, pair_spread=1.5)]
)
def test_accuracy_is_the_planted_one(simulated, truth):
    _, bundle = simulated("hntt", PEOPLE, truth)
    assert right_share(bundle) == pytest.approx(accuracy(truth, 6), abs=0.012)


def test_without_skill_it_is_one_half():
    assert accuracy(nothing(), 6) == pytest.approx(0.5)


def test_pairs_differ_as_planted_and_add_up_to_nothing():
    found = pair_log_odds(HnttTruth(pair_spread=0.7), 6)
    assert (found[0], found[-1]) == (-0.7, 0.7)
    assert found.sum() == pytest.approx(0)
    assert pair_log_odds(HnttTruth(), 1).tolist() == [0]


def test_a_judge_at_a_browser_follows_the_same_truth(ready, seen):
    study, truth = ready("hntt").study, HnttTruth(poor_text=0.0)
    hits = 0
    for number in range(700):
        judge = Judge(truth, study, random.Random(number), careless=False)
        for scenario in study.scenarios:
            pair = [seen(study, f"{scenario}_human"), seen(study, f"{scenario}_navigator")]
            random.Random(f"{number} {scenario}").shuffle(pair)
            chosen = pair[0 if judge.answer("which", pair, ()) == "first" else 1]
            hits += chosen.stimulus.condition == "standin_human"
            assert judge.answer("certainty", pair, ()) in range(1, 6)
    assert hits / (700 * 6) == pytest.approx(accuracy(truth, 6), abs=0.025)


def test_careless_judges_guess_and_write_nothing_of_use(ready, seen):
    study = ready("hntt").study
    judge = Judge(HnttTruth(), study, random.Random(1), careless=True)
    pair = [seen(study, "pair_01_human"), seen(study, "pair_01_navigator")]
    chosen = [judge.answer("which", pair, ()) for _ in range(400)]
    assert 150 < chosen.count("first") < 250
    assert len(set(judge.answer("why", pair, ()).split())) < 8


def test_texts_carry_codes_of_the_codebook(simulated):
    _, bundle = simulated("hntt", 30, None)
    texts = [row["value_text"] for row in bundle["answers"].rows() if row["question"] == "why"]
    assert len(set(texts)) > 100


def test_familiarity_changes_accuracy_only_where_it_is_planted(simulated):
    def gap(truth):
        _, bundle = simulated("hntt", PEOPLE, truth)
        genre = {
            row["session"]: row["value_text"]
            for row in bundle["answers"].rows()
            if row["question"] == "genre"
        }
        shown = {
            (r["session"], r["position"], r["player"]): r["condition"]
            for r in bundle["shown"].rows()
        }
        hits = {"regularly": [], "never_heard": []}
        for row in bundle["answers"].rows():
            if row["question"] == "which" and genre[row["session"]] in hits:
                side = 0 if row["value_text"] == "first" else 1
                hits[genre[row["session"]]].append(
                    shown[row["session"], row["position"], side] == "standin_human"
                )
        return np.mean(hits["regularly"]) - np.mean(hits["never_heard"])

    assert gap(replace(HnttTruth(), by_genre=0.5)) > 0.2
    assert abs(gap(HnttTruth())) < 0.05


def test_the_record_says_what_it_is():
    assert people.PEOPLE.truth() == HnttTruth()
