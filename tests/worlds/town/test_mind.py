"""The contract between town and mind, held by the scripted one."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from believable.core.errors import NotFound
from believable.worlds.town.mind import VERBS, MindSetting, Percept, Primitive
from believable.worlds.town.minds import MIND_MODULES, mind_kind
from believable.worlds.town.minds.scripted_mind import ScriptedMind
from believable.worlds.town.town_run import TownRun, TownSettings


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
            Primitive("open", f"{at}.bedroom.door"),
            Primitive("move-to", f"{at}.bedroom.door"),
            Primitive("open", f"{at}.bedroom.door"),
            Primitive("move-to", f"{at}.fridge1"),
            Primitive("open", f"{at}.fridge1"),
            Primitive("pick-up", "ingredients", f"{at}.fridge1"),
            Primitive("close", f"{at}.fridge1"),
            Primitive("move-to", f"{at}.stove1"),
            Primitive("use", f"{at}.stove1", activity="switch_on", minutes=1),
            Primitive("use", f"{at}.stove1", activity="cook", minutes=15),
            Primitive("use", f"{at}.stove1", activity="switch_off", minutes=1),
            Primitive("move-to", f"{at}.table1"),
            Primitive("use", f"{at}.table1", activity="eat", minutes=20),
            Primitive("put", "plate 3", f"{at}.table1"),
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
            Primitive("move-to", f"{at}.bedroom.door"),
            Primitive("open", f"{at}.bedroom.door"),
            Primitive("move-to", f"{at}.stove1"),
            Primitive("use", f"{at}.stove1", activity="cook", minutes=15),
            Primitive("use", f"{at}.stove1", activity="eat", minutes=15),
        ]
    )
    steps(run, 200)
    assert [refused for _, _, refused in lines(run)][3:5] == [
        None,
        f"nobody can eat at {at}.stove1",
    ]
    assert run.state.carried("ada") == []


@pytest.mark.parametrize(
    ("primitive", "reason"),
    [
        (Primitive("move-to", "cafe.table1"), ".bedroom.door is closed"),
        (Primitive("move-to", "palace"), "there is no palace"),
        (
            Primitive("pick-up", "bread", "bakery.display shelf1"),
            "bakery.display shelf1 is out of reach",
        ),
        (Primitive("put", "bread 1", "cafe.table1"), "bread 1 is not in the hands"),
        (Primitive("use", "cafe.table1", activity="eat", minutes=5), "cafe.table1 is out of reach"),
        (
            Primitive("use", "cafe.table1", activity="fly", minutes=5),
            "nobody can fly at cafe.table1",
        ),
        (Primitive("speak", target="nobody", text="Hello"), "there is no nobody to talk to"),
        (Primitive("open", "cafe.table1"), "cafe.table1 is nothing that opens and closes"),
    ],
)
def test_what_cannot_be_done_is_refused_with_the_reason(primitive: Primitive, reason: str) -> None:
    run = steps(scripted([primitive]), 2)
    assert str(lines(run)[0][2]).endswith(reason)
    assert run.state.percept("ada").result is not None


def test_a_run_is_cut_and_resumed_to_the_same_log() -> None:
    at = home(scripted([]))
    script = [
        Primitive("move-to", f"{at}.bedroom.door"),
        Primitive("open", f"{at}.bedroom.door"),
        Primitive("move-to", f"{at}.table1"),
    ]
    whole = steps(scripted(script), 60)
    cut = steps(scripted(script), 6)
    resumed = scripted(script)
    resumed.restore(json.loads(json.dumps(cut.stored())))
    steps(resumed, 54)
    assert json.dumps(resumed.stored()) == json.dumps(whole.stored())


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
        later = [Primitive("wait"), Primitive("speak", target=mate.id, text="Good morning")]
        return ScriptedMind(setting, later) if setting.persona.id == "ada" else Listener(setting)

    run = steps(TownRun(TownSettings(seed=7, people=4, days=1), make), 4)
    assert heard == ["Good morning"]
    assert lines(run)[1] == ("speak", None, None)
    assert lines(run, mate.id)[0][0] == "use", (
        "what was going on was dropped, and stands in the log"
    )


def test_every_mind_that_can_be_named_is_there() -> None:
    assert {mind_kind(name).name for name in MIND_MODULES} == set(MIND_MODULES)
    with pytest.raises(NotFound, match=r"unknown mind 'scriptde'. Did you mean 'scripted'"):
        mind_kind("scriptde")
