"""Perception, reactions, grounding and talk, each by itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from believable.worlds.town.checkpoint import from_tree, to_tree
from believable.worlds.town.language.model import ChoiceForm, ModelRequest, TimetableForm
from believable.worlds.town.layout import town_map
from believable.worlds.town.mind import Percept, SeenPerson, SeenThing, TownEvent
from believable.worlds.town.minds.generative.asking import Asker, TimetableLine
from believable.worlds.town.minds.generative.conversation import (
    MAX_LINES,
    Talk,
    TalkScene,
    goes_on,
    memo,
    next_line,
    spoken_clause,
    talk_memory,
)
from believable.worlds.town.minds.generative.grounding import GroundedTask, ground, primitives_for
from believable.worlds.town.minds.generative.memory_stream import MemoryStream
from believable.worlds.town.minds.generative.perception import Observation, heard, observations
from believable.worlds.town.minds.generative.planning import (
    day_plan,
    describe_persona,
    hour_plan,
    intentions_of,
    new_status,
    task_plan,
    work_text,
)
from believable.worlds.town.minds.generative.reactions import ReactionScene, possible, react
from believable.worlds.town.townsfolk import townsfolk
from tests.worlds.town.language.simple_models import ScriptedModel, form_reply

TOWN = town_map(7)
ADA, BEN, *OTHERS = townsfolk(7, 4)
PEOPLE = {persona.id: persona for persona in (ADA, BEN, *OTHERS)}
BAKERY = next(room for room, place in TOWN.rooms.items() if place.building == "bakery")
NOON = 12 * 360


def percept(step: int = NOON, **changes: Any) -> Percept:
    bare = Percept(
        step=step,
        person=ADA.id,
        room=BAKERY,
        building="bakery",
        x=3,
        y=3,
        people=(),
        things=(),
        events=(),
        needs={},
        carried=(),
        money=50.0,
        result=None,
    )
    return replace(bare, **changes)


def seen(doing: str = "serve", distance: int = 3, *, asleep: bool = False) -> SeenPerson:
    return SeenPerson(
        id=BEN.id, name=BEN.name, room=BAKERY, distance=distance, doing=doing, asleep=asleep
    )


def asker(
    reply: Callable[[ModelRequest], str] = form_reply,
) -> tuple[Asker, list[tuple[str, Mapping[str, Any]]]]:
    notes: list[tuple[str, Mapping[str, Any]]] = []
    return Asker(ScriptedModel(reply), 1, lambda kind, values: notes.append((kind, values))), notes


def choosing(word: str) -> Callable[[ModelRequest], str]:
    """Takes the option that begins so."""

    def reply(request: ModelRequest) -> str:
        if isinstance(request.form, ChoiceForm):
            return next(option for option in request.form.options if option.startswith(word))
        return form_reply(request)

    return reply


def test_people_and_what_is_on_are_noticed_once() -> None:
    stove = SeenThing(
        id="s",
        kind="stove",
        room=BAKERY,
        distance=2,
        state="on",
        owner=None,
        holder=None,
        users=(),
        capacity=1,
    )
    off = replace(stove, id="o", kind="oven", state="off")
    at = percept(people=(seen(),), things=(stove, off))
    first = observations(at, TOWN, "paper", [])
    assert [entry.text.partition(" in ")[0] for entry in first] == [
        "the stove is on",
        "Ben Okafor is serving customers",
    ]
    assert [(entry.person, entry.fixture) for entry in first] == [(None, "s"), ("ben", None)]
    assert observations(at, TOWN, "paper", [entry.text for entry in first]) == []
    changed = percept(people=(seen("read"),))
    assert len(observations(changed, TOWN, "paper", [entry.text for entry in first])) == 1


def test_the_released_code_sees_eight_within_eight_tiles() -> None:
    far = percept(people=(seen(distance=9),))
    assert len(observations(far, TOWN, "paper", [])) == 1
    assert observations(far, TOWN, "released", []) == []
    things = tuple(
        SeenThing(
            id=f"s{n}",
            kind=f"stove {n}",
            room=BAKERY,
            distance=1,
            state="on",
            owner=None,
            holder=None,
            users=(),
            capacity=1,
        )
        for n in range(12)
    )
    assert len(observations(percept(things=things), TOWN, "paper", [])) == 12
    assert len(observations(percept(things=things), TOWN, "released", [])) == 8


def test_what_is_said_is_heard_and_comings_are_not() -> None:
    said = heard(
        TownEvent(step=1, kind="spoke", person=BEN.id, target=ADA.id, text="Hello."), PEOPLE
    )
    assert said is not None
    assert (said.text, said.keywords) == (
        "Ben Okafor said to Ada Brandt: Hello.",
        (BEN.name, ADA.name),
    )
    assert heard(TownEvent(step=1, kind="arrived", person=BEN.id), PEOPLE) is None


SAW_BEN = Observation("Ben Okafor is serving customers", (BEN.name,), person=BEN.id)
SAW_STOVE = Observation("the stove is on", ("stove",), fixture="s")


@pytest.mark.parametrize(
    ("step", "people", "last", "paper", "released"),
    [
        (NOON, (seen(),), None, ["go on", "talk", "change"], ["go on", "talk"]),
        (NOON, (seen(asleep=True),), None, ["go on", "change"], ["go on"]),
        (NOON, (seen("talking"),), None, ["go on", "change"], ["go on"]),
        (23 * 360, (seen(),), None, ["go on", "talk", "change"], ["go on"]),
        (NOON, (seen(),), NOON - 179, ["go on", "change"], ["go on"]),
        (NOON, (seen(),), NOON - 799, ["go on", "talk", "change"], ["go on"]),
        (NOON, (seen(),), NOON - 800, ["go on", "talk", "change"], ["go on", "talk"]),
    ],
)
def test_what_may_be_chosen(
    step: int,
    people: tuple[SeenPerson, ...],
    last: int | None,
    paper: list[str],
    released: list[str],
) -> None:
    """800 steps of 10 s are 2.2 hours."""
    scene = ReactionScene(
        persona=ADA,
        about="",
        doing="baking",
        percept=percept(step, people=people),
        variant="paper",
        wanted=None,
        last_talk_step=last,
    )
    assert possible(scene, SAW_BEN) == paper
    assert possible(replace(scene, variant="released"), SAW_BEN) == released


def test_things_change_plans_by_the_paper_only_and_taken_furniture_is_waited_for_in_the_code() -> (
    None
):
    oven = SeenThing(
        id="oven",
        kind="oven",
        room=BAKERY,
        distance=1,
        state="on",
        owner=None,
        holder=None,
        users=(BEN.id,),
        capacity=1,
    )
    scene = ReactionScene(
        persona=ADA,
        about="",
        doing="baking",
        percept=percept(people=(seen(),), things=(oven,)),
        variant="paper",
        wanted="oven",
    )
    assert possible(scene, SAW_STOVE) == ["go on", "change"]
    released = replace(scene, variant="released")
    assert possible(released, SAW_STOVE) == ["go on"]
    assert possible(released, SAW_BEN) == ["go on", "talk", "wait"]


def test_a_reaction_shows_what_came_to_mind() -> None:
    stream = MemoryStream()
    stream.add("event", "Ben Okafor told a joke", 0, 5, keywords=(BEN.name,))
    stream.add("event", "the tea was cold", 0, 5, keywords=("tea",))
    scene = ReactionScene(
        persona=ADA,
        about="Ada bakes.",
        doing="baking",
        percept=percept(people=(seen(),)),
        variant="paper",
    )
    for variant, count in (("paper", 2), ("released", 1)):
        asking, notes = asker(choosing("talk with"))
        assert react(asking, stream, replace(scene, variant=variant), SAW_BEN) == "talk"  # type: ignore[arg-type]
        text = notes[0][1]["text"]
        assert "Ben Okafor told a joke" in text
        assert ("the tea was cold" in text) == (count == 2)
        assert len(notes[0][1].get("retrieved", ())) == (2 if variant == "paper" else 0)
    asking, notes = asker(lambda request: "hm")
    assert react(asking, stream, scene, SAW_BEN) == "go on"
    assert asking.failures == {"reaction": 3}


def test_a_task_becomes_furniture_and_what_it_takes_is_fetched() -> None:
    asking, notes = asker()
    grounded = ground(asking, ADA, TOWN, "", percept(), "cook and have dinner at home", "cooking")
    assert grounded is not None
    assert grounded.fixture in TOWN.fixtures
    assert TOWN.fixtures[grounded.fixture].room == grounded.room
    assert [values["prompt"] for _, values in notes] == ["building", "room", "object"][: len(notes)]
    offered = notes[0][1]["text"]
    assert "Ada's home" in offered
    assert "the Bakery, where Ada works" in offered
    assert f"House {int(BEN.home[-1])}" not in offered or BEN.home == ADA.home
    kitchen = f"{ADA.home}.kitchen"
    stove = TOWN.fixtures_of("stove", building=ADA.home)[0]
    queue = primitives_for(GroundedTask(stove.id, "cook", kitchen), TOWN, percept(), 10, "t")
    assert [primitive.verb for primitive in queue] == [
        "move-to",
        "open",
        "pick-up",
        "move-to",
        "use",
    ]
    assert queue[2].object == "ingredients"
    assert {primitive.serves for primitive in queue} == {"t"}
    failing, _ = asker(lambda request: "nowhere")
    assert ground(failing, ADA, TOWN, "", percept(), "x", "y") is None


def test_plans_go_from_the_day_to_hours_to_tasks() -> None:
    about = describe_persona(ADA, tuple(PEOPLE.values()), "Ada is tired.")
    assert about.startswith("Ada Brandt is 41 years old, works as baker")
    assert about.endswith("Ada is tired.")
    asking, notes = asker()
    plan = day_plan(asking, ADA, TOWN, about, day=0, yesterday="")
    assert plan is not None
    assert plan[0].minute == ADA.wakes
    assert plan[-1].minute == ADA.sleeps
    hours = hour_plan(asking, ADA, TOWN, about, plan)
    assert hours is not None
    assert [line.minute for line in hours[1:]] == list(
        range((ADA.wakes // 60 + 1) * 60, ADA.sleeps, 60)
    )
    tasks = task_plan(asking, ADA, TOWN, about, hours, work_text(ADA, TOWN), 540, 600)
    assert tasks is not None
    assert all(5 <= after.minute - before.minute <= 15 for before, after in pairwise(tasks))
    form = [values for _, values in notes][-1]
    assert "means to: work as baker at the Bakery" in form["text"]
    assert {line.text for line in tasks} <= set(intentions_of(ADA, TOWN)[work_text(ADA, TOWN)])


def test_an_interrupted_hour_is_planned_anew_with_the_reason() -> None:
    asking, notes = asker()
    assert task_plan(asking, ADA, TOWN, "", [], "work", 540, 600, reason="the door is locked.")
    assert notes[0][1]["prompt"] == "replan"
    assert "But: the door is locked." in notes[0][1]["text"]


def test_free_answers_of_an_endpoint_are_read_too() -> None:
    answer = "1. 07:00: wake up\n2. 08:30: bake 40 loaves\n3. 21:00: go to bed"
    asking, _ = asker(lambda request: answer)
    plan = day_plan(asking, ADA, TOWN, "", day=0, yesterday="")
    assert plan == (
        TimetableLine(420, "wake up"),
        TimetableLine(510, "bake 40 loaves"),
        TimetableLine(1260, "go to bed"),
    )
    asking, _ = asker(lambda request: "Sure! Here is the plan:\n" + answer)
    assert day_plan(asking, ADA, TOWN, "", day=0, yesterday="") is None
    assert asking.failures == {"day_plan": 3}


def test_the_released_codes_status_names_one_person_for_everybody() -> None:
    asking, notes = asker()
    assert new_status(asking, BEN, ADA.name, "tired", [])
    assert notes[0][1]["text"].startswith("Ada Brandt's status from yesterday:\ntired")
    assert "Write Ben Okafor's status" in notes[0][1]["text"]


def test_a_talk_knows_what_was_said_and_ends() -> None:
    stream = MemoryStream()
    stream.add("event", "Ben Okafor told a joke", 0, 5, keywords=(BEN.name,))
    scene = TalkScene(
        persona=ADA,
        other=BEN,
        people=PEOPLE,
        about="Ada bakes.",
        doing="baking",
        percept=percept(people=(seen(),)),
        variant="paper",
    )
    talk = Talk(other=BEN.id, lines=[(BEN.id, "Good morning.")])
    asking, notes = asker()
    line = next_line(asking, stream, scene, talk)
    assert line is not None
    assert "Ben Okafor: Good morning." in notes[-1][1]["text"]
    assert "Ben Okafor told a joke" in notes[-1][1]["text"]
    talk.lines.append((ADA.id, line))
    assert goes_on(asker(choosing("Ada says more"))[0], scene, talk)
    assert not goes_on(asker(choosing("Ada ends"))[0], scene, talk)
    assert not goes_on(asker(lambda request: "?")[0], scene, talk)
    talk.lines *= MAX_LINES
    assert not goes_on(asker(choosing("Ada says more"))[0], scene, talk)
    assert from_tree(Talk, to_tree(talk)) == talk
    text = talk_memory(
        PEOPLE, ADA.id, Talk(other=BEN.id, lines=[(BEN.id, "Hi."), (ADA.id, "Hello.")])
    )
    assert text == "Ada Brandt talked with Ben Okafor. Ben: Hi. / Ada: Hello."
    assert (memo(asking, ADA, talk, PEOPLE) or "").startswith("Ada remembers that")
    assert next_line(asker(lambda request: "…")[0], stream, scene, talk) is None


@pytest.mark.parametrize(
    ("memory", "clause"),
    [
        ("Ada Brandt is baking bread at the oven, to bake", "I was baking bread at the oven"),
        ("Ben Okafor is serving customers in the bar, Café", "I saw you serving customers"),
        ("Clara Voss is reading in the hall, Library", "I saw Clara Voss reading"),
        ("the stove is on in the kitchen, House 1", "I saw the stove on"),
        ("Ada Brandt could not use the door: it is locked", "I could not use the door"),
        ("Ada likes old books", "I think that Ada likes old books"),
        ("Ben Okafor said to Ada Brandt: Hello.", None),
        ("Ada Brandt's plan for day 1: 07:00 work.", None),
    ],
)
def test_what_is_said_is_decided_before_it_is_worded(memory: str, clause: str | None) -> None:
    assert spoken_clause(memory, ADA, BEN) == clause


def test_every_option_of_an_intention_is_an_activity_of_the_town() -> None:
    seen_forms: list[TimetableForm] = []

    def reply(request: ModelRequest) -> str:
        if isinstance(request.form, TimetableForm):
            seen_forms.append(request.form)
        return form_reply(request)

    asking, _ = asker(reply)
    for persona in PEOPLE.values():
        assert day_plan(asking, persona, TOWN, "", day=0, yesterday="") is not None
        assert all(intentions_of(persona, TOWN).values())
    assert all(len(set(form.slots)) == len(form.slots) for form in seen_forms)
