"""Perception and plans, each by itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from believable.worlds.town.language.model import AnswerPending, ModelRequest, TimetableForm
from believable.worlds.town.layout import town_map
from believable.worlds.town.mind import Percept, SeenPerson, SeenThing, TownEvent
from believable.worlds.town.minds.body.situation import describe_situation, use_texts
from believable.worlds.town.minds.generative.asking import (
    Asker,
    PlannedTask,
    TimetableLine,
    UnreadableAnswer,
    ask_together,
    read_tasks,
)
from believable.worlds.town.minds.generative.perception import heard, observations
from believable.worlds.town.minds.generative.planning import (
    describe_persona,
    hour_plan,
    intentions_of,
    new_status,
    task_plan,
    wished_tasks,
)
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


def test_plans_go_from_the_hours_to_tasks_with_their_places() -> None:
    folk = tuple(PEOPLE.values())
    about = describe_persona(ADA, folk, "Ada is tired.")
    assert about.startswith("Ada Brandt, 41, is a baker: bakes the town's bread")
    assert about.endswith("Ada is tired.")
    asking, notes = asker()
    hours = hour_plan(asking, ADA, folk, TOWN, about, day=0, yesterday="")
    assert hours is not None
    assert (hours[0].minute, hours[-1].minute) == (ADA.wakes, ADA.sleeps)
    assert "Bakery open 07:00 to 15:00" in notes[0][1]["text"]
    tasks = task_plan(asking, ADA, folk, TOWN, about, hours, "It is noon.", 540, 600)
    assert tasks is not None
    assert {(task.activity, task.building) for task in tasks} <= set(use_texts(ADA, TOWN).values())
    text = notes[-1][1]["text"]
    for told in (
        "It is noon.",
        "works as baker at the Bakery from",
        "@ home (always open)",
        "takes flour",
    ):
        assert told in text
    wishes = wished_tasks(asking, ADA, folk, TOWN, about, day=0, yesterday="")
    assert wishes is not None
    assert all(wish.minute >= ADA.work_to for wish in wishes)


def test_what_failed_is_in_the_next_prompt() -> None:
    asking, notes = asker()
    folk = tuple(PEOPLE.values())
    situation = describe_situation(ADA, TOWN, percept(), "bake: no dough in the hands")
    assert "has nothing in the hands and 50 coins" in situation
    assert task_plan(
        asking, ADA, folk, TOWN, "", [], situation, 540, 600, reason="the door is locked."
    )
    text = notes[0][1]["text"]
    assert "What Ada tried last did not work: bake: no dough in the hands." in text
    assert "Something went wrong: the door is locked." in text


def test_tasks_must_name_what_can_be_done_there() -> None:
    uses = {"kneading dough @ Bakery": ("knead", "bakery")}
    read = read_tasks(
        "07:00: the first dough | Kneading dough (12–25 min) @ Bakery",
        uses,
        from_minute=420,
        to_minute=600,
    )
    assert read == (PlannedTask(420, "the first dough", "knead", "bakery"),)
    for text in ("07:00: the first dough", "07:00: dough | kneading dough @ home"):
        with pytest.raises(UnreadableAnswer, match="expected one of the 1 things to do"):
            read_tasks(text, uses, from_minute=420, to_minute=600)


def test_nobody_is_offered_what_belongs_to_another_building_or_role() -> None:
    ada, ben = set(use_texts(ADA, TOWN)), set(use_texts(BEN, TOWN))
    assert "kneading dough @ Bakery" in ada - ben
    assert "serving customers @ Café" in ben - ada
    at_home = [text for text in ada if text.endswith("@ home")]
    assert not any(word in text for text in at_home for word in ("serving", "lending", "ordering"))
    student = next(who for who in townsfolk(7, 8) if who.role == "student")
    assert not any(text.startswith("lending books") for text in use_texts(student, TOWN))


def test_questions_that_do_not_depend_on_each_other_wait_together() -> None:
    asked: list[str] = []

    def pending(name: str) -> str:
        asked.append(name)
        raise AnswerPending(name)

    with pytest.raises(AnswerPending):
        ask_together(lambda: pending("a"), lambda: pending("b"))
    assert asked == ["a", "b"]
    assert ask_together(lambda: 1, lambda: 2) == [1, 2]


def test_free_answers_of_an_endpoint_are_read_too() -> None:
    answer = "1. 07:00: wake up\n2. 08:30: bake 40 loaves\n3. 21:00: go to bed"
    folk = tuple(PEOPLE.values())
    asking, _ = asker(lambda request: answer)
    plan = hour_plan(asking, ADA, folk, TOWN, "", day=0, yesterday="")
    assert plan == (
        TimetableLine(420, "wake up"),
        TimetableLine(510, "bake 40 loaves"),
        TimetableLine(1260, "go to bed"),
    )
    asking, _ = asker(lambda request: "Sure! Here is the plan:\n" + answer)
    assert hour_plan(asking, ADA, folk, TOWN, "", day=0, yesterday="") is None
    assert asking.failures == {"hours": 3}


def test_the_released_codes_status_names_one_person_for_everybody() -> None:
    asking, notes = asker()
    assert new_status(asking, BEN, ADA.name, "tired", [])
    assert notes[0][1]["text"].startswith("Ada Brandt's status from yesterday:\ntired")
    assert "Write Ben Okafor's status" in notes[0][1]["text"]


def test_every_option_of_an_intention_is_an_activity_of_the_town() -> None:
    seen_forms: list[TimetableForm] = []

    def reply(request: ModelRequest) -> str:
        if isinstance(request.form, TimetableForm):
            seen_forms.append(request.form)
        return form_reply(request)

    asking, _ = asker(reply)
    folk = tuple(PEOPLE.values())
    for persona in folk:
        assert hour_plan(asking, persona, folk, TOWN, "", day=0, yesterday="") is not None
        assert all(intentions_of(persona, TOWN).values())
    assert all(len(set(form.slots)) == len(form.slots) for form in seen_forms)
