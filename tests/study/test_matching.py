"""Comparisons in one scenario, drawn without replacement."""

from __future__ import annotations

import itertools
from collections import Counter

import pytest

from believable.contracts.trial import MatchedSlots, Slot
from believable.study.plan import Assignment, plan
from believable.study.stimulus_draw import OutOfStimuli, fill_all, must_fill

PAIRS = """\
- block:
    id: pairs
    repeat: {repeat}
    each: [compare: {{id: pair, of: [{{condition: human}}, {{condition: scripted}}], match: {match}}}]
- finish: {{}}
"""


def pages(study, seed):
    return [one for one in plan(study, Assignment({}, {}, seed)) if one.trial.kind != "finish"]


def test_pairs_share_a_scenario_and_no_stimulus_comes_twice(loaded):
    study = loaded(PAIRS.format(repeat=2, match="scenario")).study
    by_id = {stimulus.id: stimulus for stimulus in study.stimuli}
    sides, orders = Counter(), Counter()
    for seed in range(200):
        shown = pages(study, seed)
        names = [name for one in shown for name in one.stimulus_ids]
        assert len(set(names)) == 4
        for one in shown:
            pair = [by_id[name] for name in one.stimulus_ids]
            assert {stimulus.condition for stimulus in pair} == {"human", "scripted"}
            assert {stimulus.scenario for stimulus in pair} == {one.scenario}
            assert one.condition is None
            assert one.stimulus_id is None
            sides[pair[0].condition] += 1
        orders[shown[0].scenario] += 1
    # Each is a fair coin: four standard deviations.
    assert abs(sides["human"] - 200) < 40
    assert abs(orders["atrium"] - 100) < 30


def test_the_same_seed_gives_the_same_plan(loaded):
    study = loaded(PAIRS.format(repeat=2, match="scenario")).study
    assert pages(study, 5) == pages(study, 5)
    assert len({tuple(page.stimulus_ids for page in pages(study, seed)) for seed in range(40)}) == 8


def test_without_matching_scenarios_may_differ(loaded):
    study = loaded(PAIRS.format(repeat=2, match="none")).study
    assert {page.scenario for seed in range(30) for page in pages(study, seed)} == {
        None,
        "atrium",
        "garden",
    }


def test_a_block_settles_what_a_filter_leaves_open(loaded):
    study = loaded("""\
- block:
    id: each
    over: scenario
    each: [compare: {id: pair, of: [{condition: human}, {condition: scripted}]}]
- finish: {}
""").study
    shown = pages(study, 3)
    assert [set(one.stimulus_ids) for one in shown] == [{"h01", "s01"}, {"h02", "s02"}]


def test_a_group_takes_distinct_clips_in_an_order_of_the_session(loaded):
    study = loaded("- group: {id: page, clips: 3}\n- finish: {}\n").study
    drawn = {pages(study, seed)[0].stimulus_ids for seed in range(300)}
    assert drawn == set(itertools.permutations(["h01", "h02", "s01", "s02"], 3))
    named = loaded("- group: {id: page, clips: [h02, s01]}\n- finish: {}\n").study
    assert {pages(named, seed)[0].stimulus_ids for seed in range(20)} == {
        ("h02", "s01"),
        ("s01", "h02"),
    }


def test_the_search_goes_back_where_a_first_choice_leaves_others_empty():
    # The single slot needs a1, so the pair must take scenario b, whatever it prefers.
    alone = Slot("one", "one", ("a1",))
    pair = MatchedSlots(
        "pair",
        "pair",
        (
            (Slot("p", "pair", ("a1",)), Slot("q", "pair", ("a2",))),
            (Slot("p", "pair", ("b1",)), Slot("q", "pair", ("b2",))),
        ),
    )
    for seed in range(20):
        filled = must_fill([alone], [pair], taken=(), seed=seed)
        assert set(filled.drawn.values()) == {"a1", "b1", "b2"}
    with pytest.raises(OutOfStimuli, match="pair: none of the 4"):
        must_fill([alone, Slot("two", "two", ("b2",))], [pair], taken=(), seed=1)


def test_many_pairs_are_found_quickly_and_an_impossible_one_is_told():
    def pair(number, scenarios):
        options = [
            (Slot(f"{number}.0", "p", (f"h{n}",)), Slot(f"{number}.1", "p", (f"s{n}",)))
            for n in range(scenarios)
        ]
        return MatchedSlots(f"pair{number}", "p", tuple(options))

    filled = fill_all([], [pair(number, 40) for number in range(40)], taken=(), seed=9)
    assert len(set(filled.drawn.values())) == 80
    assert fill_all([], [pair(number, 4) for number in range(5)], taken=(), seed=9).left_over
