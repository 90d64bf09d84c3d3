"""Refusals: the world refuses the physically impossible.

The world does not refuse mistakes: people may cook on a cold stove, eat without a meal, enter a
stranger's bedroom or leave without paying. Such an action happens without its effects and is
logged.
"""

from __future__ import annotations

from believable.worlds.town.affordances import offers
from believable.worlds.town.map import activities, distance
from believable.worlds.town.mind import Primitive, RefusedStep
from believable.worlds.town.state import HANDS, TALK, TownState


def find_refusal(state: TownState, name: str, primitive: Primitive) -> RefusedStep | None:
    """Return why a person cannot do this now, or None."""
    match primitive.verb:
        case "move-to":
            return _check_move(state, name, primitive)
        case "open" | "close":
            return _check_door(state, name, primitive)
        case "pick-up":
            return _check_pick_up(state, name, primitive)
        case "put":
            return _check_put(state, name, primitive)
        case "use":
            return _check_use(state, name, primitive)
        case "speak":
            return _check_speak(state, name, primitive)
        case "wait":
            return None


def _unknown(target: str | None, use: str = "") -> RefusedStep:
    return RefusedStep("unknown", str(target), f"there is no {target}{use}")


def _out_of_reach(target: str) -> RefusedStep:
    return RefusedStep("out_of_reach", target, f"{target} is out of reach")


def _shut(target: str) -> RefusedStep:
    return RefusedStep("closed", target, f"{target} is closed")


def _check_move(state: TownState, name: str, primitive: Primitive) -> RefusedStep | None:
    target, person, town = str(primitive.object), state.people[name], state.town
    if not any(target in ids for ids in (state.people, town.fixtures, town.doors, town.rooms)):
        return _unknown(target)
    goal = state.destination(name, primitive)
    if person.tile == goal:
        return None
    way = town.way(person.tile, goal)
    if not way:
        return RefusedStep("no_way", target, f"there is no way to {target}")
    for tile in way:
        door = town.door_at.get(tile)
        if door is not None and door not in state.open:
            return RefusedStep("door_closed", door, f"the door {door} is closed")
    return None


def _check_door(state: TownState, name: str, primitive: Primitive) -> RefusedStep | None:
    target, opens = str(primitive.object), primitive.verb == "open"
    door, fixture = state.town.doors.get(target), state.town.fixtures.get(target)
    if door is not None:
        tile = door.x, door.y
    elif fixture is not None and fixture.holds:
        tile = fixture.stand
    else:
        return RefusedStep("no_door", target, f"{target} is nothing that opens and closes")
    if not state.is_near(name, tile):
        return _out_of_reach(target)
    if (target in state.open) == opens:
        return RefusedStep(
            "already", target, f"{target} is {'open' if opens else 'closed'} already"
        )
    if door and opens and door.outer and _is_locked(state, name, door.building):
        return RefusedStep("locked", target, f"{target} is locked")
    if door and not opens and any(other.tile == tile for other in state.people.values()):
        return RefusedStep("occupied", target, f"somebody stands in {target}")
    return None


def _is_locked(state: TownState, name: str, building: str) -> bool:
    """Return whether a person outside cannot open the front door of a building."""
    if state.town.building_of(state.town.room(state.people[name].tile)) == building:
        return False
    persona, entered = state.personas[name], state.town.buildings[building]
    if entered.kind == "home":
        return persona.home != building
    return persona.workplace != building and not entered.is_open(state.minute)


def _check_pick_up(state: TownState, name: str, primitive: Primitive) -> RefusedStep | None:
    wanted = str(primitive.object)
    if len(state.find_carried(name)) >= HANDS:
        return RefusedStep("hands_full", wanted, "both hands are full")
    item = state.items.get(wanted)
    fixture = state.town.fixtures.get(item.holder if item else str(primitive.target))
    if fixture is None:
        return RefusedStep("not_lying", wanted, f"{wanted} is not lying anywhere")
    if not state.is_near(name, fixture.stand):
        return _out_of_reach(fixture.id)
    if state.is_shut(fixture):
        return _shut(fixture.id)
    if item is None and (fixture.stock != wanted or state.stock.get(fixture.id, 1) < 1):
        return RefusedStep("out_of_stock", fixture.id, f"there is no {wanted} in {fixture.id}")
    return None


def _check_put(state: TownState, name: str, primitive: Primitive) -> RefusedStep | None:
    fixture = state.town.fixtures.get(str(primitive.target))
    item = state.items.get(str(primitive.object))
    if item is None or item.holder != name:
        thing = str(primitive.object)
        return RefusedStep("not_carried", thing, f"{thing} is not in the hands")
    if fixture is None:
        return _unknown(primitive.target)
    if not state.is_near(name, fixture.stand):
        return _out_of_reach(fixture.id)
    return _shut(fixture.id) if state.is_shut(fixture) else None


def _check_use(state: TownState, name: str, primitive: Primitive) -> RefusedStep | None:
    fixture = state.town.fixtures.get(str(primitive.object))
    kind = activities().get(str(primitive.activity))
    if fixture is None:
        return _unknown(primitive.object)
    if kind is None or not offers(state.town, fixture, kind):
        text = f"nobody can {primitive.activity} at {fixture.id}"
        return RefusedStep("no_use", fixture.id, text)
    if not state.is_near(name, fixture.stand):
        return _out_of_reach(fixture.id)
    if sum(1 for _ in state.users(fixture.id)) >= fixture.capacity:
        return RefusedStep("taken", fixture.id, f"{fixture.id} is taken")
    if kind.price > state.people[name].money:
        return RefusedStep("too_expensive", fixture.id, f"{kind.price:g} coins are needed")
    return None


def _check_speak(state: TownState, name: str, primitive: Primitive) -> RefusedStep | None:
    target = str(primitive.target)
    if target not in state.people or target == name:
        return _unknown(primitive.target, " to talk to")
    mine, theirs = state.people[name].tile, state.people[target].tile
    if distance(mine, theirs) <= TALK and state.are_in_sight(mine, theirs):
        return None
    return RefusedStep("too_far", target, f"{target} is too far away to talk to")
