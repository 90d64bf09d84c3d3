"""From a study and an assignment to the list of trials: order, samples, draws, repeats, breaks."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from believable.contracts.record import Text
from believable.contracts.trial import Block, Pauses
from believable.core.errors import InvalidInput
from believable.pages.finish import Finish
from believable.pages.text import TextPage
from believable.pages.watch import Watch
from believable.study.earlier_pages import rated_positions
from believable.study.levels import williams
from believable.study.plan import Assignment, Cell, choose, plan
from believable.study.records import Stimulus, Study


def keys(trials):
    return [trial.key for trial in trials]


def stimuli(trials):
    return [trial.stimulus_id for trial in trials if isinstance(trial.trial, Watch)]


def planned(study, **fields):
    return plan(study, Assignment(**{"arms": {}, "rows": {}, "seed": 1, **fields}))


def test_a_sequence_is_a_sequence(study_of):
    trials = planned(study_of("- text: {id: a, text: A}\n- text: {id: b, text: B}\n- finish:\n"))
    assert keys(trials) == ["a", "b", "finish"]
    assert [trial.position for trial in trials] == [0, 1, 2]


@pytest.mark.parametrize("row", [0, 1])
def test_a_latin_square_follows_its_row(study_of, row):
    study = study_of(
        "- block: {id: main, order: latin_square, over: condition, each: [watch]}\n- finish:\n"
    )
    trials = planned(study, rows={"main": row})
    assert keys(trials) == ["main.1.watch", "main.2.watch", "finish"]
    assert [trial.condition for trial in trials[:2]] == [
        study.conditions[i] for i in williams(2)[row]
    ]
    assert all(trial.stimulus_id[0] == trial.condition[0] for trial in trials[:2])


def test_levels_choose_and_order(study_of):
    study = study_of(
        "- block: {over: condition, levels: [scripted, human], each: [watch]}\n- finish:\n"
    )
    assert [trial.condition for trial in planned(study)[:2]] == ["scripted", "human"]


def test_nested_blocks_settle_condition_and_scenario(study_of):
    timeline = """\
    - block:
        over: condition
        each:
          - block: {id: inner, over: scenario, each: [watch]}
    - finish:
    """
    trials = planned(study_of(timeline))
    assert stimuli(trials) == ["h01", "h02", "s01", "s02"]
    assert keys(trials)[:4] == [
        "block.1.inner.1.watch",
        "block.1.inner.2.watch",
        "block.2.inner.3.watch",
        "block.2.inner.4.watch",
    ]
    assert [trial.scenario for trial in trials[:4]] == ["atrium", "garden", "atrium", "garden"]


def test_over_stimulus_shows_each_and_settles_its_condition(study_of):
    timeline = "- block: {over: stimulus, each: [watch, {text: {text: And?}}]}\n- finish:\n"
    trials = planned(study_of(timeline))
    assert stimuli(trials) == ["h01", "h02", "s01", "s02"]
    text = trials[1]
    assert (text.key, text.condition, text.scenario, text.stimulus_id) == (
        "block.1.text",
        "human",
        "atrium",
        "h01",
    )


def test_over_stimulus_inside_a_condition_takes_that_conditions(study_of):
    timeline = (
        "- block: {over: condition, each: [{block: {id: b, over: stimulus, each: [watch]}}]}\n-"
        " finish:\n"
    )
    assert stimuli(planned(study_of(timeline))) == ["h01", "h02", "s01", "s02"]


def test_the_same_stimulus_may_be_watched_twice_in_one_pass(study_of):
    timeline = (
        "- block: {over: stimulus, levels: [h01], each: [{watch: {id: a}}, {watch: {id: b}}]}\n-"
        " finish:\n"
    )
    assert stimuli(planned(study_of(timeline))) == ["h01", "h01"]


def test_named_stimuli_are_not_drawn_by_any(study_of):
    timeline = "- watch: {stimulus: {condition: human}}\n- watch: {stimulus: h01}\n- finish:\n"
    study = study_of(timeline)
    assert {tuple(stimuli(planned(study, seed=seed))) for seed in range(20)} == {("h02", "h01")}


def test_a_filter_respects_the_block_around_it(study_of):
    timeline = (
        "- block: {over: condition, each: [{watch: {stimulus: {scenario: garden}}}]}\n- finish:\n"
    )
    assert stimuli(planned(study_of(timeline))) == ["h02", "s02"]


def test_sampled_stimuli_are_different_and_random(study_of):
    study = study_of(
        "- block: {over: stimulus, sample: 3, order: random, each: [watch]}\n- finish:\n"
    )
    draws = [tuple(stimuli(planned(study, seed=seed))) for seed in range(60)]
    assert all(len(set(draw)) == 3 for draw in draws)
    assert len(set(draws)) > 12


def test_a_fixed_sample_keeps_the_order_of_the_file(study_of):
    study = study_of("- block: {over: stimulus, sample: 2, each: [watch]}\n- finish:\n")
    draws = {tuple(stimuli(planned(study, seed=seed))) for seed in range(60)}
    assert len(draws) == 6
    assert all(list(draw) == sorted(draw) for draw in draws)


def test_two_samples_of_one_session_do_not_overlap(study_of):
    block = "- block: {over: stimulus, sample: 2, order: random, each: [watch]}\n"
    study = study_of(f"{block}{block}- finish:\n")
    assert all(len(set(stimuli(planned(study, seed=seed)))) == 4 for seed in range(20))


def test_a_latin_sample_takes_every_level_equally_often(study_of):
    study = study_of(
        "- block: {id: b, over: stimulus, sample: 3, order: latin_square, each: [watch]}\n-"
        " finish:\n"
    )
    shown = [stimuli(planned(study, rows={"b": row})) for row in range(4)]
    assert set(Counter(name for one in shown for name in one).values()) == {3}
    assert all(len({one[place] for one in shown}) == 4 for place in range(3))


def test_items_without_over_are_what_is_ordered(study_of):
    each = ", ".join(f"{{text: {{id: {name}, text: x}}}}" for name in "abc")
    fixed, random, sample = (
        study_of(f"- block: {{id: main, {options} each: [{each}]}}\n- finish:\n")
        for options in ("", "order: random,", "order: random, sample: 2,")
    )
    assert keys(planned(fixed)) == ["main.1.a", "main.1.b", "main.1.c", "finish"]
    assert len({tuple(keys(planned(random, seed=seed))) for seed in range(50)}) == 6
    assert {len(planned(sample, seed=seed)) for seed in range(20)} == {3}


def test_repeats_draw_anew_and_have_keys_of_their_own(study_of):
    study = study_of("- block: {id: b, repeat: 2, over: condition, each: [watch]}\n- finish:\n")
    trials = planned(study)
    assert keys(trials) == ["b.1.watch", "b.2.watch", "b.3.watch", "b.4.watch", "finish"]
    assert sorted(stimuli(trials)) == ["h01", "h02", "s01", "s02"]


def test_a_repeated_latin_square_goes_on_to_the_next_row(study_of):
    study = study_of(
        "- block: {id: b, repeat: 2, order: latin_square, over: condition, each: [{text: {text:"
        " x}}]}\n- finish:\n"
    )
    assert [trial.condition for trial in planned(study, rows={"b": 0})[:4]] == [
        "human",
        "scripted",
        "scripted",
        "human",
    ]


def test_breaks_come_between_passes_never_after_the_last(study_of):
    study = study_of(
        "- block: {id: b, over: stimulus, breaks: {every: 2, at_least_s: 5}, each: [watch]}\n-"
        " finish:\n"
    )
    trials = planned(study)
    assert keys(trials) == [
        "b.1.watch",
        "b.2.watch",
        "b.2.break",
        "b.3.watch",
        "b.4.watch",
        "finish",
    ]
    assert (trials[2].trial.kind, trials[2].trial.at_least_s, trials[2].trial.id) == (
        "break",
        5,
        "b_break",
    )


def test_rules_on_arms_are_settled_and_rules_on_answers_kept(study_of):
    timeline = """\
    - form: {id: f, questions: [{id: q, prompt: Q, number: }]}
    - block:
        skip_if: {arm: tool, is: one}
        each: [{text: {id: two_only, text: x, skip_if: {answer: f.q, at_least: 3}}}]
    - text: {id: one_only, text: x, skip_if: {arm: tool, is_not: one}}
    - finish:
    """
    study = study_of(timeline, extra="arms: {tool: [one, two]}\n")
    assert keys(planned(study, arms={"tool": "one"})) == ["f", "one_only", "finish"]
    two = planned(study, arms={"tool": "two"})
    assert keys(two) == ["f", "block.1.two_only", "finish"]
    assert [rule.answer for rule in two[1].skip_if] == ["f.q"]


def test_rate_is_about_its_own_pass_or_everything_before(study_of):
    timeline = """\
    - block: {over: condition, each: [{watch: {id: w}}, {rate: {id: r, of: [w], questions: [{id: q, prompt: Q, number: }]}}]}
    - rate: {id: all_of_them, questions: [{id: q, prompt: Q, number: }]}
    - finish:
    """
    trials = planned(study_of(timeline))
    assert keys(trials) == [
        "block.1.w",
        "block.1.r",
        "block.2.w",
        "block.2.r",
        "all_of_them",
        "finish",
    ]
    assert [rated_positions(trials, position) for position in (1, 3, 4, 0)] == [
        (0,),
        (2,),
        (0, 2),
        (),
    ]


def test_running_out_says_where(study_of):
    study = study_of("- block: {id: b, over: stimulus, each: [watch]}\n- finish:\n")
    greedy = study.model_copy(update={"timeline": (Watch(id="first"), *study.timeline)})
    with pytest.raises(InvalidInput, match="first: none of the 4 stimuli that fit here is left"):
        planned(greedy)


# ------------------------------------------------------------------------------------------------
# any study

ORDERS = st.sampled_from(["fixed", "random", "latin_square"])


@st.composite
def studies(draw):
    """Two conditions with six stimuli each, and blocks that never need more than that."""
    conditions = ("a", "b")
    pool = tuple(
        Stimulus(id=f"{name}{i}", file="x.mp4", condition=name, scenario=f"s{i}")
        for name in conditions
        for i in range(6)
    )
    pages = tuple(TextPage(id=f"p{i}", text=Text("x")) for i in range(draw(st.integers(2, 4))))
    inner = Block(
        id="pages", order=draw(ORDERS), sample=draw(st.sampled_from([None, 1, 2])), each=pages
    )
    pauses = draw(st.none() | st.builds(Pauses, every=st.integers(1, 3)))
    main = Block(
        id="main",
        order=draw(ORDERS),
        over="condition",
        repeat=draw(st.integers(1, 3)),
        breaks=pauses,
        each=(Watch(id="w1"), inner, Watch(id="w2")),
    )
    return Study(
        believable=1,
        title=Text("x"),
        seed=draw(st.integers(0, 99)),
        conditions=conditions,
        stimuli=pool,
        timeline=(main, Finish(id="finish")),
    )


@given(studies(), st.integers(1, 50))
@settings(max_examples=60)
def test_plans_keep_their_promises(study, number):
    assignment = choose(study, {}, number)
    trials = plan(study, assignment)
    assert trials == plan(study, assignment)
    assert [trial.position for trial in trials] == list(range(len(trials)))
    assert len(set(keys(trials))) == len(trials)
    assert isinstance(trials[-1].trial, Finish)
    shown = stimuli(trials)
    assert len(shown) == len(set(shown)) == 4 * study.timeline[0].repeat
    by_id = {stimulus.id: stimulus for stimulus in study.stimuli}
    for trial in trials:
        if trial.stimulus_id is not None:
            assert by_id[trial.stimulus_id].condition == trial.condition
    assert Cell.of(assignment.arms, assignment.rows).rows == tuple(sorted(assignment.rows.items()))
