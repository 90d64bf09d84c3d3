"""The contract between town and mind, held by the scripted one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest

from believable.agents import names_in
from believable.core.errors import NotFound
from believable.worlds.town.actions import begin
from believable.worlds.town.mind import VERBS, MindSetting, Percept, Primitive, RefusedStep
from believable.worlds.town.minds import mind_kind
from believable.worlds.town.minds.scripted import ScriptedMind
from believable.worlds.town.refusals import find_refusal
from believable.worlds.town.run import TownRun, TownSettings
from believable.worlds.town.sight import look_around
from believable.worlds.town.state import HANDS, TownItem
from believable.worlds.town.walking import update_closed


def scripted(script: Sequence[Primitive]) -> TownRun:
    """Ada plays the script, the others sleep."""

    def make(setting: MindSetting) -> ScriptedMind:
        return ScriptedMind(setting, script if setting.persona.id == "ada" else None)

    return TownRun(TownSettings(seed=7, people=4, days=1), make)


def steps(run: TownRun, count: int) -> TownRun:
    for _ in range(count):
        run.advance()
    return run


def lines(run: TownRun, person: str = "ada") -> list[tuple[str, str | None, str | None]]:
    return [(line.verb, line.object, line.refused) for line in run.log if line.person == person]


def home(run: TownRun) -> str:
    return next(persona.home for persona in run.people if persona.id == "ada")


def test_a_breakfast_uses_every_kind_of_primitive_and_feeds() -> None:
    run = scripted([])
    at = home(run)
    run = scripted(
        [
            Primitive(verb="open", object=f"{at}.bedroom.door"),
            Primitive(verb="move-to", object=f"{at}.bedroom.door"),
            Primitive(verb="open", object=f"{at}.bedroom.door"),
            Primitive(verb="move-to", object=f"{at}.fridge1"),
            Primitive(verb="open", object=f"{at}.fridge1"),
            Primitive(verb="pick-up", object="ingredients", target=f"{at}.fridge1"),
            Primitive(verb="close", object=f"{at}.fridge1"),
            Primitive(verb="move-to", object=f"{at}.stove1"),
            Primitive(verb="use", object=f"{at}.stove1", activity="switch_on", minutes=1),
            Primitive(verb="use", object=f"{at}.stove1", activity="cook", minutes=15),
            Primitive(verb="use", object=f"{at}.stove1", activity="switch_off", minutes=1),
            Primitive(verb="move-to", object=f"{at}.table1"),
            Primitive(verb="use", object=f"{at}.table1", activity="eat", minutes=20),
            Primitive(verb="put", object="plate 3", target=f"{at}.table1"),
        ]
    )
    steps(run, 400)
    assert [refused for _, _, refused in lines(run) if refused] == [
        f"{at}.bedroom.door is out of reach"
    ]
    assert {verb for verb, _, _ in lines(run)} == {*VERBS} - {"speak"}
    assert run.state.people["ada"].needs["food"] > run.state.people["ben"].needs["food"] + 0.2
    assert run.state.items["plate 3"].holder == f"{at}.table1"
    assert run.state.stock[f"{at}.fridge1"] == 13


def test_what_is_merely_wrong_happens_without_its_effects() -> None:
    at = home(scripted([]))
    run = scripted(
        [
            Primitive(verb="move-to", object=f"{at}.bedroom.door"),
            Primitive(verb="open", object=f"{at}.bedroom.door"),
            Primitive(verb="move-to", object=f"{at}.stove1"),
            Primitive(verb="use", object=f"{at}.stove1", activity="cook", minutes=15),
            Primitive(verb="use", object=f"{at}.stove1", activity="eat", minutes=15),
        ]
    )
    steps(run, 200)
    assert [refused for _, _, refused in lines(run)][3:5] == [
        None,
        f"nobody can eat at {at}.stove1",
    ]
    assert run.state.find_carried("ada") == []


@pytest.mark.parametrize(
    ("primitive", "code", "reason"),
    [
        (Primitive(verb="move-to", object="cafe.table1"), "door_closed", ".bedroom.door is closed"),
        (Primitive(verb="move-to", object="palace"), "unknown", "there is no palace"),
        (
            Primitive(verb="pick-up", object="bread", target="bakery.display shelf1"),
            "out_of_reach",
            "bakery.display shelf1 is out of reach",
        ),
        (
            Primitive(verb="put", object="bread 1", target="cafe.table1"),
            "not_carried",
            "bread 1 is not in the hands",
        ),
        (
            Primitive(verb="use", object="cafe.table1", activity="eat", minutes=5),
            "out_of_reach",
            "cafe.table1 is out of reach",
        ),
        (
            Primitive(verb="use", object="cafe.table1", activity="fly", minutes=5),
            "no_use",
            "nobody can fly at cafe.table1",
        ),
        (
            Primitive(verb="speak", target="nobody", text="Hello"),
            "unknown",
            "there is no nobody to talk to",
        ),
        (
            Primitive(verb="open", object="cafe.table1"),
            "no_door",
            "cafe.table1 is nothing that opens and closes",
        ),
    ],
)
def test_the_impossible_is_refused_with_a_code_and_a_reason(
    primitive: Primitive, code: str, reason: str
) -> None:
    run = steps(scripted([primitive]), 2)
    result = look_around(run.state, "ada").result
    assert result is not None
    assert result.refused is not None
    assert result.refused.code == code
    assert result.refused.text.endswith(reason)
    assert lines(run)[0][2] == result.refused.text


def test_taken_furniture_and_full_hands_are_refused_by_their_codes() -> None:
    run = scripted([])
    mate = next(p for p in run.people if p.home == home(run) and p.id != "ada")
    state, desk = run.state, f"{home(run)}.desk1"
    for name in ("ada", mate.id):
        state.people[name].x, state.people[name].y = state.town.fixtures[desk].stand
    write = Primitive(verb="use", object=desk, activity="write", minutes=5)
    begin(state, mate.id, write)
    taken = find_refusal(state, "ada", write)
    assert taken == RefusedStep("taken", desk, f"{desk} is taken")
    for number in range(HANDS):
        state.items[f"book {number}"] = TownItem("book", "ada", None)
    full = find_refusal(state, "ada", Primitive(verb="pick-up", object="book", target=desk))
    assert full == RefusedStep("hands_full", "book", "both hands are full")


def test_a_door_that_stopped_a_walk_is_believed_closed() -> None:
    run = steps(scripted([Primitive(verb="move-to", object="cafe.table1")]), 1)
    closed: set[str] = set()
    update_closed(closed, replace(look_around(run.state, "ada"), things=()))
    assert closed == {f"{home(run)}.bedroom.door"}


def test_a_run_is_cut_and_resumed_to_the_same_log() -> None:
    at = home(scripted([]))
    script = [
        Primitive(verb="move-to", object=f"{at}.bedroom.door"),
        Primitive(verb="open", object=f"{at}.bedroom.door"),
        Primitive(verb="move-to", object=f"{at}.table1"),
    ]
    whole = steps(scripted(script), 60)
    cut = steps(scripted(script), 6)
    resumed = scripted(script)
    resumed.restore(json.loads(json.dumps(cut.save())))
    steps(resumed, 54)
    assert json.dumps(resumed.save()) == json.dumps(whole.save())


def test_whoever_is_spoken_to_hears_it() -> None:
    run = scripted([])
    mate = next(
        persona for persona in run.people if persona.home == home(run) and persona.id != "ada"
    )
    heard: list[str] = []

    class Listener(ScriptedMind):
        def next_primitive(self, percept: Percept) -> Primitive:
            heard.extend(event.text for event in percept.events)
            return super().next_primitive(percept)

        def notice(self, percept: Percept) -> bool:
            return any(event.target == mate.id for event in percept.events)

    def make(setting: MindSetting) -> ScriptedMind:
        later = [
            Primitive(verb="wait"),
            Primitive(verb="speak", target=mate.id, text="Good morning"),
        ]
        return ScriptedMind(setting, later) if setting.persona.id == "ada" else Listener(setting)

    run = steps(TownRun(TownSettings(seed=7, people=4, days=1), make), 4)
    assert heard == ["Good morning"]
    assert lines(run)[1] == ("speak", None, None)
    assert lines(run, mate.id)[0][0] == "use", (
        "what was going on was dropped, and stands in the log"
    )


def test_every_mind_that_can_be_named_is_there() -> None:
    names = {name.partition("/")[2] for name in names_in("town")}
    assert {mind_kind(name).name for name in names} == names
    with pytest.raises(NotFound, match=r"unknown agent 'scriptde'\. Did you mean 'scripted'"):
        mind_kind("scriptde")
