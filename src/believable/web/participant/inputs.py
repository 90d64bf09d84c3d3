"""What a page that plays may send: numbered inputs. Whatever does not fit the rules never reaches the game."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from believable.agents.maze_live import NumberedInput
from believable.core.errors import InvalidInput
from believable.worlds.maze.rules import PlayerInput

#: Inputs per message at most; a page sends one per tick.
MOST_INPUTS = 120
_HIGHEST = 2**31 - 1


def inputs_in(message: Mapping[str, Any]) -> list[NumberedInput]:
    """`i: [[number, tick, dx, dy, aim, shoot, bomb], …]`, oldest first."""
    given = message.get("i", [])
    if not isinstance(given, list) or len(given) > MOST_INPUTS:
        raise InvalidInput(f"inputs: expected a list of at most {MOST_INPUTS}. Reload the page.")
    return [_input(one) for one in given]


def _input(one: Any) -> NumberedInput:
    if not isinstance(one, list) or len(one) != 7:
        raise InvalidInput("an input: expected [number, tick, dx, dy, aim, shoot, bomb]. Reload the page.")
    number, tick, *rest = one
    for value in (number, tick):
        if type(value) is not int or not 0 <= value <= _HIGHEST:
            raise InvalidInput(f"an input: expected a number and a tick, got {str(value)[:40]!r}. Reload the page.")
    return NumberedInput(number, tick, _keys(rest))


def step_in(message: Any) -> tuple[int, PlayerInput, int] | None:
    """`step: [number, dx, dy, aim, shoot, bomb, ticks]` of a simulated participant: what is pressed, and for how long. None: it
    stops playing."""
    step = message.get("step") if isinstance(message, dict) else None
    if step is None:
        return None
    whole = isinstance(step, list) and len(step) == 7 and type(step[0]) is int and type(step[6]) is int
    if not whole or not 1 <= step[6] <= MOST_INPUTS:
        raise InvalidInput("a step: expected [number, dx, dy, aim, shoot, bomb, ticks].")
    return step[0], _keys(step[1:6]), step[6]


def _keys(given: list[Any]) -> PlayerInput:
    dx, dy, aim, shoot, bomb = given
    walks = all(type(value) is int and value in (-1, 0, 1) for value in (dx, dy))
    pulls = all(type(value) is int and value in (0, 1) for value in (shoot, bomb))
    if not walks or not pulls or type(aim) is not int or not 0 <= aim < 360:
        raise InvalidInput(
            f"an input: expected −1, 0 or 1 twice, degrees below 360, 0 or 1 twice, got {str(given)[:80]}. Reload the page."
        )
    return PlayerInput(dx, dy, aim, bool(shoot), bool(bomb))
