"""How actions begin, continue and end, with their effects on the town."""

from __future__ import annotations

import math
from dataclasses import replace

from believable.worlds.town.clock import STEPS_PER_HOUR, STEPS_PER_MINUTE
from believable.worlds.town.map import STREET, ActivityKind, Fixture, activities
from believable.worlds.town.mind import Primitive, PrimitiveResult, TownEvent
from believable.worlds.town.primitive_text import describe_primitive
from believable.worlds.town.refusals import find_refusal
from believable.worlds.town.state import (
    HANDS,
    LoggedPrimitive,
    OngoingPrimitive,
    TownItem,
    TownPerson,
    TownState,
)

#: Lost per hour while awake, and the part of it that is lost while asleep.
DECAY = {"energy": 0.055, "food": 0.09, "hygiene": 0.04, "company": 0.05}
DECAY_ASLEEP = 0.3
#: Gained by speaker and listener.
COMPANY_PER_TALK = 0.03
MAX_MINUTES = 12 * 60
CHARACTERS_PER_STEP = 90


def begin(state: TownState, name: str, primitive: Primitive) -> None:
    """Start a primitive, or log that it is refused. A refused one takes a step."""
    person = state.people[name]
    refused = find_refusal(state, name, primitive)
    if refused is not None:
        person.ongoing = OngoingPrimitive(Primitive(verb="wait"), state.step, state.step + 1)
        person.result = PrimitiveResult(
            primitive=primitive, from_step=state.step, to_step=state.step + 1, refused=refused
        )
        _write(state, name, primitive, state.step, state.step + 1, refused.text)
        return
    walks = primitive.verb == "move-to"
    way = state.town.way(person.tile, state.destination(name, primitive)) if walks else []
    steps = len(way) if walks else _duration(primitive)
    person.ongoing = OngoingPrimitive(primitive, state.step, state.step + max(1, steps), way)
    if primitive.verb == "speak":
        event = TownEvent(
            step=state.step,
            kind="spoke",
            person=name,
            target=primitive.target,
            text=primitive.text,
            exchange=primitive.exchange,
            line=primitive.line,
        )
        _announce(state, name, event)
        for talker in (name, str(primitive.target)):
            _gain(state.people[talker], "company", COMPANY_PER_TALK)


def _duration(primitive: Primitive) -> int:
    if primitive.verb == "speak":
        return speech_steps(primitive.text)
    if primitive.verb in ("use", "wait"):
        return round(min(primitive.minutes, MAX_MINUTES) * STEPS_PER_MINUTE)
    return 1


def speech_steps(text: str) -> int:
    """Return how long it takes to say something."""
    return max(1, math.ceil(len(text) / CHARACTERS_PER_STEP))


def _announce(state: TownState, name: str, event: TownEvent) -> None:
    """Let everyone in sight know."""
    for other, person in state.people.items():
        if other != name and state.are_in_sight(state.people[name].tile, person.tile):
            person.events.append(event)


def tick(state: TownState) -> None:
    """Let ten seconds pass."""
    state.step += 1
    for name, person in state.people.items():
        _change_needs(state, name, person)
        ongoing = person.ongoing
        if ongoing is None:
            continue
        if ongoing.way and not _walk(state, name, person, ongoing):
            end(state, name, cut=True)
        elif state.step >= ongoing.to_step:
            end(state, name, cut=False)


def _change_needs(state: TownState, name: str, person: TownPerson) -> None:
    hours, primitive = 1 / STEPS_PER_HOUR, person.using
    for need, loss in DECAY.items():
        awake = DECAY_ASLEEP if person.activity == "sleep" else 1.0
        _gain(person, need, -loss * hours * awake)
    kind = activities().get(person.activity or "")
    if kind and primitive and _is_effective(state, name, kind, str(primitive.object)):
        for need, gain in kind.gives.items():
            _gain(person, need, gain * hours)
        person.money += kind.wage * hours


def _is_effective(state: TownState, name: str, kind: ActivityKind, fixture: str) -> bool:
    """Return whether an activity has its effects: the person carries the needed thing, and
    the furniture is switched on.
    """
    return (not kind.takes or bool(state.find_carried(name, kind.takes))) and (
        kind.state is None or fixture in state.switched_on
    )


def _gain(person: TownPerson, need: str, amount: float) -> None:
    person.needs[need] = round(min(1.0, max(0.0, person.needs[need] + amount)), 9)


def _walk(state: TownState, name: str, person: TownPerson, ongoing: OngoingPrimitive) -> bool:
    """Go one tile further. Return False if a door was closed in the meantime."""
    x, y = ongoing.way[0]
    if state.town.door_at.get((x, y), "") not in {"", *state.open}:
        return False
    before = state.town.room(person.tile)
    person.heading = round(math.degrees(math.atan2(y - person.y, x - person.x))) % 360
    person.x, person.y = x, y
    del ongoing.way[0]
    room = state.town.room(person.tile)
    if room not in (before, STREET):
        _announce(state, name, TownEvent(step=state.step, kind="arrived", person=name, room=room))
    return True


def end(state: TownState, name: str, *, cut: bool) -> None:
    """End the primitive under way: apply its effects and write it into the log."""
    person = state.people[name]
    ongoing, result = person.ongoing, person.result
    if ongoing is None:
        return
    person.ongoing = None
    if result and result.refused and result.from_step == ongoing.from_step:
        return  # refused, and logged then
    primitive = _apply(state, name, ongoing, cut=cut)
    _write(state, name, primitive, ongoing.from_step, state.step, None)
    person.result = PrimitiveResult(
        primitive=primitive, from_step=ongoing.from_step, to_step=state.step, cut=cut
    )


def _apply(state: TownState, name: str, ongoing: OngoingPrimitive, *, cut: bool) -> Primitive:
    """Apply the effects. Return the primitive with the thing that was picked up."""
    primitive = ongoing.primitive
    target = str(primitive.object)
    match primitive.verb:
        case "open":
            state.open.add(target)
        case "close":
            state.open.discard(target)
        case "pick-up":
            return _pick_up(state, name, primitive)
        case "put":
            _put(state, target, state.town.fixtures[str(primitive.target)])
        case "use":
            kind = activities()[str(primitive.activity)]
            least_steps = kind.minutes[0] * STEPS_PER_MINUTE / 2
            if not cut or state.step - ongoing.from_step >= least_steps:
                _use(state, name, kind, state.town.fixtures[target])
    return primitive


def _pick_up(state: TownState, name: str, primitive: Primitive) -> Primitive:
    wanted = str(primitive.object)
    if wanted not in state.items:
        fixture = state.town.fixtures[str(primitive.target)]
        if fixture.id in state.stock:
            state.stock[fixture.id] -= 1
        building, persona = state.town.building_of(fixture.room), state.personas[name]
        mine = building in (persona.home, persona.workplace)
        wanted = _create(state, wanted, name, name if mine else building)
    holder, state.items[wanted].holder = state.items[wanted].holder, name
    return replace(primitive, object=wanted, target=primitive.target or holder)


def _put(state: TownState, item: str, fixture: Fixture) -> None:
    state.items[item].holder = fixture.id
    if fixture.id in state.stock and state.items[item].kind == fixture.stock:
        state.stock[fixture.id] += 1
        del state.items[item]


def _create(state: TownState, kind: str, holder: str, owner: str | None) -> str:
    state.created += 1
    key = f"{kind} {state.created}"
    state.items[key] = TownItem(kind, holder, owner)
    return key


def _use(state: TownState, name: str, kind: ActivityKind, fixture: Fixture) -> None:
    state.people[name].money -= kind.price
    effective = _is_effective(state, name, kind, fixture.id)
    if kind.turns == "on":
        state.switched_on.add(fixture.id)
    elif kind.turns == "off":
        state.switched_on.discard(fixture.id)
    if kind.name == "pay":
        for key in state.find_carried(name):
            if state.items[key].owner == state.town.building_of(fixture.room):
                state.items[key].owner = name
    if not effective:
        return
    if kind.takes and not kind.keeps:
        del state.items[state.find_carried(name, kind.takes)[0]]
    if kind.makes is not None and len(state.find_carried(name)) < HANDS:
        _create(state, kind.makes, name, name)


def _write(
    state: TownState, name: str, primitive: Primitive, first: int, last: int, refused: str | None
) -> None:
    text = primitive.label or describe_primitive(primitive, state.town, state.personas)
    state.log.append(
        LoggedPrimitive(
            person=name,
            from_step=first,
            to_step=last,
            verb=primitive.verb,
            object=primitive.object,
            target=primitive.target,
            activity=primitive.activity,
            room=state.town.room(state.people[name].tile),
            text=f"tries: {text}" if refused else text,
            serves=primitive.serves,
            refused=refused,
            said=primitive.text,
        )
    )
