"""The part of `check_world` about seats: all of them can be driven from outside, a round repeats
with their inputs, and no seat sees what only another one may see.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping
from typing import Any

from believable.contracts.inputs import Input, InputChange, InputPart, InputSchema
from believable.contracts.world import Playable
from believable.core.errors import InvalidInput
from believable.worlds.live_round import LiveRound, NumberedInput

#: The most ticks of a trial round.
TRIED_TICKS = 90
#: The ticks between new inputs.
_HELD_TICKS = 7
_TEXTS = ("", "a", "Yes, why not?", "äß→\n“so”", "=1+1")
#: Shorter texts may occur in a view by chance.
_TELLING_CHARS = 4


def seat_problems(playing: Playable[Any, Any], setup: Any, seed: int) -> Iterator[str]:
    """List the faults of a world's seats."""
    unknown = playing.private.keys() - playing.seats.keys()
    if unknown:
        yield f"`private` names {min(unknown)!r}, which is no seat ({', '.join(playing.seats)})."
        return
    if len(playing.seats) == 1:
        return  # the round of the scripted player has shown it all
    try:
        shown, changes, leaks = _play(playing, setup, seed)
    except (InvalidInput, KeyError, TypeError, ValueError) as error:
        yield (
            "with inputs in all seats it cannot be played:"
            f" {type(error).__name__}: {str(error)[:200]}"
        )
        return
    yield from leaks[:1]
    for tick in sorted({1, len(shown) // 2, len(shown)}):
        live = LiveRound.rebuilt(playing, setup, changes, tick)
        try:
            if _views(live, playing) != shown[tick - 1]:
                yield (
                    f"made again from setup and the inputs of all seats, it differs at tick {tick}."
                )
                return
        finally:
            live.game.close()


def _play(
    playing: Playable[Any, Any], setup: Any, seed: int
) -> tuple[list[bytes], list[InputChange], list[str]]:
    """Play with random inputs in all seats. Return the views of the seats after each tick, the
    changes, and the faults of the views.
    """
    rng, live = random.Random(seed), LiveRound(playing, setup)
    shown: list[bytes] = []
    leaks: list[str] = []
    try:
        while not live.over and live.tick < TRIED_TICKS:
            if live.tick % _HELD_TICKS == 0:
                for index, schema in enumerate(playing.seats.values()):
                    pressed = random_input(schema, rng)
                    live.receive(NumberedInput(live.tick + 1, live.tick, pressed), index)
            live.step()
            shown.append(_views(live, playing))
            leaks += _leaks(json.loads(shown[-1]), playing.private, live.tick)
    finally:
        live.game.close()
    return shown, live.take_changes(), leaks


def random_input(schema: InputSchema, rng: random.Random) -> Input:
    """Return an input that a seat can take."""
    return schema.read([_random_value(part, rng) for part in schema.parts])


def _random_value(part: InputPart, rng: random.Random) -> int | str:
    if part.kind == "text":
        return rng.choice(_TEXTS)[: part.high]
    return rng.randint(part.low, part.high)


def _views(live: LiveRound, playing: Playable[Any, Any]) -> bytes:
    views = {name: live.game.view(name) for name in playing.seats}
    return json.dumps(views, allow_nan=False).encode()


def _leaks(
    views: Mapping[str, Any], private: Mapping[str, tuple[str, ...]], tick: int
) -> Iterator[str]:
    for owner, keys in private.items():
        for key in keys:
            told = [text for text in _texts(views[owner].get(key)) if len(text) >= _TELLING_CHARS]
            for seat, view in views.items():
                if seat == owner:
                    continue
                if key not in private.get(seat, ()) and key in _keys(view):
                    yield (
                        f"at tick {tick}, the view of {seat!r} has {key!r}, which only {owner!r}"
                        " may see."
                    )
                elif any(text in seen for text in told for seen in _texts(view)):
                    yield (
                        f"at tick {tick}, the view of {seat!r} has the text of {key!r}, which only"
                        f" {owner!r} may see."
                    )


def _keys(value: Any) -> set[str]:
    if isinstance(value, Mapping):
        return {*value, *(key for inner in value.values() for key in _keys(inner))}
    return {key for inner in value for key in _keys(inner)} if isinstance(value, list) else set()


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list):
        for inner in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(inner)
