"""A character to be watched: nights and the middles of long activities are left out, and the
checker's word goes with it.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from believable.core.errors import InvalidInput
from believable.protocols.replay.stimuli import RUNS, condense_day, longest_days
from believable.recordings.file import problems, read, to_bytes
from believable.recordings.recording import PlanStep
from believable.worlds import draw
from believable.worlds.town.clock import STEP_MS
from believable.worlds.town.excerpt import cut_frames
from believable.worlds.town.looks import RING, WATERS
from believable.worlds.town.map import town_data
from believable.worlds.town.rule_checker.checker import add_findings, check_town

GENERATIVE = read(RUNS / "generative.replay.json.gz")


def test_every_violation_stands_at_its_action_and_every_intention_is_told() -> None:
    findings = check_town(GENERATIVE)
    told = {action.id for action in GENERATIVE.actions if action.violations != "none"}
    assert told == {violation.action for violation in findings.violations}
    assert add_findings(GENERATIVE) == GENERATIVE, (
        "the runs that come with the package were checked by this checker"
    )
    fulfilled = [step.fulfilled for step in GENERATIVE.plans if step.fulfilled is not None]
    assert (len(fulfilled), sum(fulfilled)) == (findings.intentions, findings.fulfilled)
    assert findings.intentions > 60, "intentions of the generative mind are counted, too"


def test_no_more_than_a_minute_is_shown_of_anything_but_walks() -> None:
    person = GENERATIVE.actors[2].id
    shown = condense_day(GENERATIVE, person)
    assert problems(shown) == []
    assert shown.actors[0].id == person
    assert {actor.id for actor in shown.actors} == {actor.id for actor in GENERATIVE.actors}, (
        "others are around"
    )
    assert all(
        action.t1_ms - action.t0_ms <= 60_000
        for action in shown.actions
        if action.verb != "move-to"
    )
    own = [action for action in GENERATIVE.actions if action.actor == person]
    assert {action.id for action in shown.actions} <= {action.id for action in own}
    assert len(shown.actions) > 0.95 * len(own)
    left_out = sum(ms for _, ms in shown.timing.jumps)
    assert shown.timing.duration_ms + left_out <= GENERATIVE.timing.duration_ms
    assert shown.timing.duration_ms < GENERATIVE.timing.duration_ms / 3
    assert all(frame * STEP_MS < shown.timing.duration_ms for frame, _ in shown.timing.jumps)
    assert len(to_bytes(shown)) < 2_000_000


def test_a_thing_is_named_once() -> None:
    texts = {
        action.text
        for actor in GENERATIVE.actors
        for action in condense_day(GENERATIVE, actor.id).actions
    }
    assert {"working at the till", "using the toilet", "sleeping in bed"} <= texts
    assert not {"working at the till, the till", "using the toilet, the toilet"} & texts


def test_an_activity_and_its_furniture_make_a_sentence() -> None:
    """Not `ordering coffee, the counter`."""
    texts = {
        action.text
        for actor in GENERATIVE.actors
        for action in condense_day(GENERATIVE, actor.id).actions
    }
    assert not [text for text in texts if ", the " in text and ": “" not in text]
    assert {
        "ordering a meal at the counter",
        "wiping the counter",
        "switching on the stove",
    } <= texts
    assert {"cooking at the stove", "sleeping in bed"} <= texts
    assert {"walks to the front door of the Café", "walks to the front door of House 2"} <= texts
    assert not [text for text in texts if "front door, " in text]


def test_a_plan_reads_in_the_order_of_the_day() -> None:
    for actor in GENERATIVE.actors:
        plans = condense_day(GENERATIVE, actor.id).plans
        begins = {step.id: step.t0_ms for step in plans}
        assert list(begins.values()) == sorted(begins.values())
        seen: set[str | None] = {None}
        for step in plans:
            assert step.parent in seen, "what a step belongs to comes before it"
            seen.add(step.id)
        assert not [
            step.text for step in plans if step.text in ("Looking at it", "Wiping it clean")
        ]


def test_judges_get_nothing_of_the_checker() -> None:
    judged = condense_day(GENERATIVE, GENERATIVE.actors[0].id).for_judging(
        with_plan=True, with_log=True
    )
    assert all(action.violations is None and action.activity is None for action in judged.actions)
    assert all(step.fulfilled is None and step.activity is None for step in judged.plans)
    assert any(action.serves for action in judged.actions), "the log stands under its tasks"


def test_a_ring_marks_who_is_followed_and_nobody_else() -> None:
    person = GENERATIVE.actors[1].id
    ringed = [
        sprite.actor
        for sprite in draw(condense_day(GENERATIVE, person)).sprites
        if RING[0] in {shape.fill for shape in sprite.shapes}
    ]
    assert ringed == [person]
    assert not any(
        RING[0] in {shape.fill for shape in sprite.shapes} for sprite in draw(GENERATIVE).sprites
    )


def test_every_kind_of_furniture_has_looks_of_its_own() -> None:
    kinds = {thing.kind for thing in GENERATIVE.world.objects}
    looks = town_data("furniture_looks.yaml")
    assert kinds <= set(looks) | set(WATERS)
    assert len({str(parts) for parts in looks.values()}) == len(looks)


@pytest.mark.parametrize("person", [actor.id for actor in GENERATIVE.actors])
def test_the_length_of_a_day_does_not_tell_the_mind(person: str) -> None:
    other = read(RUNS / "neurosymbolic.replay.json.gz")
    alone = [condense_day(run, person) for run in (GENERATIVE, other)]
    assert len({day.timing.frames for day in alone}) == 2, "without care they differ"
    frames = longest_days([GENERATIVE, other], person)
    for run, before in zip((GENERATIVE, other), alone, strict=True):
        day = condense_day(run, person, frames)
        assert day.timing.frames == frames
        assert [action.text for action in day.actions] == [action.text for action in before.actions]
    with pytest.raises(InvalidInput, match="frames of the days can be left out"):
        condense_day(GENERATIVE, person, min(day.timing.frames for day in alone) - 1)


def test_a_step_stays_with_the_step_above_it() -> None:
    """An hour that is cut out whole stays in the plan if something of its task is shown."""
    plans = (
        PlanStep(id="day", actor="ada", parent=None, level=0, t0_ms=0, t1_ms=600_000, text="Day"),
        PlanStep(
            id="hour", actor="ada", parent="day", level=1, t0_ms=0, t1_ms=200_000, text="Sleep"
        ),
        PlanStep(
            id="task", actor="ada", parent="hour", level=2, t0_ms=0, t1_ms=400_000, text="Sleep"
        ),
        PlanStep(
            id="gone", actor="ada", parent="day", level=1, t0_ms=0, t1_ms=200_000, text="Rest"
        ),
    )
    run = replace(GENERATIVE, plans=plans)
    shown = cut_frames(run, [(0, 30)])
    assert [step.id for step in shown.plans] == ["day", "hour", "task"]
    assert problems(shown) == []
