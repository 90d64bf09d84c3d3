"""A round while it is played: inputs come in with numbers and wished ticks, the round decides when
each one counts.

Pure: no clock, no network, no world of its own. The changes it hands out are all that has to be
kept; with the setup they give the round again, tick by tick, on any machine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from believable.core.errors import InvalidInput
from believable.recordings.recording import Recording
from believable.worlds.contract import (
    Driver,
    Game,
    Input,
    InputSchema,
    Pixels,
    Playing,
    PressCounter,
    RenderedGame,
)

#: An input is not kept for a tick farther ahead than this.
LONGEST_LEAD_TICKS = 30
#: Inputs per message at most; a page sends one per tick.
MOST_INPUTS = 120
#: If more inputs than this wait, presses are no longer given a tick each: nobody presses so fast.
MOST_WAITING = 60
_HIGHEST = 2**31 - 1

#: One change of the inputs as it is stored: the tick it was applied at, its number, then the input.
Change = list[int]


@dataclass(frozen=True, slots=True)
class NumberedInput:
    """What keys and mouse said. `number` grows with each; `tick` is when the page would like it to
    count.
    """

    number: int
    tick: int
    pressed: Input


class LiveRound:
    """One round. `step` goes on by a tick; `take_changes` gives what was applied since the last
    time.
    """

    def __init__(
        self,
        playing: Playing[Any, Any],
        setup: Any,
        *,
        recorded: bool = False,
        game: Game | None = None,
    ) -> None:
        self.game = playing.new(setup, recorded) if game is None else game
        self._schema = playing.inputs
        self._seat = playing.seats[0]
        self._rendered = cast(RenderedGame, self.game) if playing.rendering else None
        self._waiting: list[NumberedInput] = []
        counted = [index for index, part in enumerate(self._schema.parts) if part.kind == "pressed"]
        self._presses = {index: PressCounter(self._schema.parts[index]) for index in counted}
        self._pressed = self._schema.nothing
        self._changes: list[Change] = []
        self._happened: Sequence[str] = ()
        self.received = 0
        self.applied = 0

    @classmethod
    def rebuilt(
        cls,
        playing: Playing[Any, Any],
        setup: Any,
        changes: Sequence[Sequence[int]],
        tick: int | None = None,
        *,
        recorded: bool = False,
    ) -> LiveRound:
        """The round as it stood at `tick` (at its end, where none is given), from what was
        applied.
        """
        live = cls(playing, setup, recorded=recorded)
        by_tick = {change[0]: change for change in changes}
        if live._rendered is not None and tick is not None and not recorded:
            live._skip(by_tick, tick - 1)
        last = live.game.ticks if tick is None else tick
        while live.game.tick < last and not live.game.over:
            live._press(by_tick)
            live._step()
        live.received = live.applied
        return live

    def _press(self, by_tick: Mapping[int, Sequence[int]], tick: int | None = None) -> Input:
        """What was pressed in this tick, as it was stored."""
        change = by_tick.get(self.game.tick if tick is None else tick)
        if change is not None:
            self._pressed, self.applied = tuple(change[2:]), change[1]
            self._see_presses(self._pressed)
        return self._pressed

    def _see_presses(self, pressed: Input) -> bool:
        """Whether there is a new press in it. Every counter sees it."""
        new = [counter.see(pressed[index]) for index, counter in self._presses.items()]
        return any(new)

    def _skip(self, by_tick: Mapping[int, Sequence[int]], tick: int) -> None:
        """To a tick that the round is known to have reached: nobody looks at those before."""
        assert self._rendered is not None
        passed = range(self.game.tick, max(self.game.tick, tick))
        self._rendered.skip([{self._seat: self._press(by_tick, number)} for number in passed])

    @property
    def over(self) -> bool:
        return self.game.over

    @property
    def tick(self) -> int:
        return self.game.tick

    def receive(self, numbered: NumberedInput) -> None:
        """Keep an input until its tick. One that came before is not taken twice."""
        if numbered.number <= self.received:
            return
        self.received = numbered.number
        latest = self.game.tick + LONGEST_LEAD_TICKS
        self._waiting.append(
            numbered if numbered.tick <= latest else replace(numbered, tick=latest)
        )

    def release(self) -> None:
        """Nothing is pressed any more, and nothing waits: the connection is gone, or the page asked
        for a pause.
        """
        self._waiting.clear()
        self._set(self._schema.released(self._pressed), self.received)

    def step(self) -> Sequence[str]:
        """One tick, with the inputs whose time has come. A trigger that was pulled for a moment
        counts, however late it comes. Of presses that are counted, each has a tick of its own: a
        second one in the same tick counts in the next.
        """
        due = self._due(self.game.tick)
        if not due:
            return self._step()
        last = due[-1]
        self._set(self._schema.joined([numbered.pressed for numbered in due]), last.number)
        happened = self._step()
        self._set(self._schema.after(last.pressed), last.number)
        return happened

    def _due(self, tick: int) -> list[NumberedInput]:
        """Take the inputs of this tick from those that wait."""
        due = [numbered for numbered in self._waiting if numbered.tick <= tick]
        count = presses = 0
        for numbered in due:
            new = any(
                counter.is_new(numbered.pressed[index]) for index, counter in self._presses.items()
            )
            if new and presses and len(due) <= MOST_WAITING:
                break
            presses += self._see_presses(numbered.pressed)
            count += 1
        self._waiting = [
            *due[count:],
            *(numbered for numbered in self._waiting if numbered.tick > tick),
        ]
        return due[:count]

    def _set(self, pressed: Input, number: int) -> None:
        self.applied = number
        if pressed == self._pressed:
            return
        self._pressed = pressed
        change = [self.game.tick, number, *pressed]
        if self._changes and self._changes[-1][0] == change[0]:
            self._changes[-1] = change
        else:
            self._changes.append(change)

    def _step(self) -> Sequence[str]:
        self._happened = self.game.step({self._seat: self._pressed})
        return self._happened

    def take_changes(self) -> list[Change]:
        """What was applied since the last time, all of it before the current tick."""
        taken = [change for change in self._changes if change[0] < self.game.tick]
        self._changes = self._changes[len(taken) :]
        return taken

    def message(self) -> dict[str, Any]:
        """What the page is told of this tick: tick, score, the last input that was applied, what
        happened, and the snapshot.
        """
        snapshot = self.game.snapshot()
        return {
            "t": self.game.tick,
            **snapshot,
            "s": self.game.score,
            "n": self.applied,
            "e": list(self._happened),
        }

    def picture(self) -> Pixels | None:
        """The picture of this tick, in worlds that are rendered."""
        return None if self._rendered is None else self._rendered.picture()


def record_round(
    playing: Playing[Any, Any],
    setup: Any,
    changes: Sequence[Sequence[int]],
    tick: int | None = None,
) -> tuple[Recording, int]:
    """The recording of a round and its score, made again from its setup and its inputs."""
    live = LiveRound.rebuilt(playing, setup, changes, tick, recorded=True)
    try:
        return live.game.record(), live.game.score
    finally:
        live.game.close()


def play_through(
    playing: Playing[Any, Any],
    setup: Any,
    sit_down: Callable[[Mapping[str, Any]], Driver],
    begin: Callable[[Any], Game] | None = None,
) -> Recording:
    """A whole round by somebody who sits down at what the page would be told, and its recording.
    `begin(setup)` gives a recorded game that tells more, for those who need it.
    """
    live = LiveRound(playing, setup, recorded=True, game=None if begin is None else begin(setup))
    try:
        driver = sit_down(
            {**live.game.welcome(), "ticks": live.game.ticks, "known": playing.known(setup)}
        )
        while not live.over:
            tick = live.game.tick
            live.receive(NumberedInput(tick + 1, tick, driver.act(live.message())))
            live.step()
        return live.game.record()
    finally:
        live.game.close()


# ----------------------------------------------------------------------------------------------
# what a page may send


def inputs_in(message: Mapping[str, Any], schema: InputSchema) -> list[NumberedInput]:
    """`i: [[number, tick, *input], …]`, oldest first."""
    raw = message.get("i", [])
    if not isinstance(raw, list) or len(raw) > MOST_INPUTS:
        raise InvalidInput(f"inputs: expected a list of at most {MOST_INPUTS}. Reload the page.")
    return [_numbered(item, schema) for item in raw]


def _numbered(raw: Any, schema: InputSchema) -> NumberedInput:
    if not isinstance(raw, list) or len(raw) != 2 + len(schema.parts):
        names = ", ".join(part.name for part in schema.parts)
        raise InvalidInput(f"an input: expected [number, tick, {names}]. Reload the page.")
    number, tick, *pressed = raw
    for value in (number, tick):
        if type(value) is not int or not 0 <= value <= _HIGHEST:
            raise InvalidInput(
                f"an input: expected a number and a tick, got {str(value)[:40]!r}. Reload the page."
            )
    return NumberedInput(number, tick, schema.read(pressed))


def step_in(message: Any, schema: InputSchema) -> tuple[int, Input, int] | None:
    """`step: [number, *input, ticks]` of a simulated participant: what is pressed, and for how
    long. None: it stops playing.
    """
    step = message.get("step") if isinstance(message, dict) else None
    if step is None:
        return None
    whole = isinstance(step, list) and len(step) == 2 + len(schema.parts)
    if (
        not whole
        or type(step[0]) is not int
        or type(step[-1]) is not int
        or not 1 <= step[-1] <= MOST_INPUTS
    ):
        names = ", ".join(part.name for part in schema.parts)
        raise InvalidInput(f"a step: expected [number, {names}, ticks].")
    return step[0], schema.read(step[1:-1]), step[-1]
