"""A round while it is played: inputs of its seats arrive with numbers and wished ticks, and the
round decides when each one counts.

Pure: no clock, no network, no world. The changes it returns are all that must be stored; with the
setup they give the round again, tick by tick, on any machine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from believable.contracts.agent import ActFunction
from believable.contracts.game import Game, Pixels, Recordable, Rendered, SeatInputs
from believable.contracts.inputs import Input, InputChange, InputSchema, PressCounter
from believable.contracts.world import Playable
from believable.core.errors import InvalidInput
from believable.core.registry import did_you_mean
from believable.recordings.recording import Recording

#: An input is not kept for a tick farther ahead than this.
LONGEST_LEAD_TICKS = 30
#: Inputs per message at most; a page sends one per tick.
MOST_INPUTS = 120
#: If more inputs than this wait, presses are no longer given a tick each: no hand is so fast.
MOST_WAITING = 60
_HIGHEST = 2**31 - 1


@dataclass(frozen=True, slots=True)
class NumberedInput:
    """An input as a page or an agent sent it. `number` grows with each; `tick` is the tick at which
    it should count.
    """

    number: int
    tick: int
    pressed: Input


class SeatQueue:
    """The inputs of one seat: those that wait, the one that holds, and those that were applied.

    The first seat is always `taken`. Another seat is taken from its first input on.
    """

    def __init__(self, index: int, schema: InputSchema) -> None:
        self._index, self._schema = index, schema
        self._waiting: list[NumberedInput] = []
        self._presses = {
            number: PressCounter(part)
            for number, part in enumerate(schema.parts)
            if part.kind == "pressed"
        }
        self._changes: list[InputChange] = []
        self.pressed = schema.nothing
        self.taken = index == 0
        self.received = 0
        self.applied = 0

    def receive(self, numbered: NumberedInput, tick: int) -> None:
        """Keep an input until its tick. One that came before is not taken twice."""
        if numbered.number <= self.received:
            return
        self.received = numbered.number
        latest = tick + LONGEST_LEAD_TICKS
        self._waiting.append(
            numbered if numbered.tick <= latest else replace(numbered, tick=latest)
        )

    def release(self, tick: int) -> None:
        """Release everything. Only texts still wait: a person's text is not lost."""
        if not self.taken and not self._waiting:
            return
        texts = [
            replace(numbered, pressed=self._schema.text_alone(numbered.pressed))
            for numbered in self._waiting
            if self._schema.has_text(numbered.pressed)
        ]
        self._waiting = texts
        number = texts[0].number - 1 if texts else self.received
        self.hold(self._schema.release(self.pressed), max(self.applied, number), tick)

    def take_due(self, tick: int) -> list[NumberedInput]:
        """Take the inputs of this tick from those that wait. A trigger that was pulled for a moment
        counts, however late it arrives. Presses that are counted, and texts, have a tick each: the
        second one in a tick counts in the next.
        """
        due = [numbered for numbered in self._waiting if numbered.tick <= tick]
        count = presses = 0
        for numbered in due:
            text = self._schema.has_text(numbered.pressed)
            new = text or any(
                counter.is_new(numbered.pressed[index]) for index, counter in self._presses.items()
            )
            if new and presses and (text or len(due) <= MOST_WAITING):
                break
            presses += self._see_presses(numbered.pressed) or text
            count += 1
        self._waiting = [
            *due[count:],
            *(numbered for numbered in self._waiting if numbered.tick > tick),
        ]
        return due[:count]

    def _see_presses(self, pressed: Input) -> bool:
        """Whether there is a new press in it. Every counter sees it."""
        new = [counter.see(pressed[index]) for index, counter in self._presses.items()]
        return any(new)

    def join(self, inputs: Sequence[NumberedInput], tick: int) -> None:
        """Hold the inputs of one tick."""
        joined = self._schema.join([numbered.pressed for numbered in inputs])
        self.hold(joined, inputs[-1].number, tick)

    def end_tick(self, last: NumberedInput, tick: int) -> None:
        """Hold what stays of an input after its tick."""
        self.hold(self._schema.after(last.pressed), last.number, tick)

    def hold(self, pressed: Input, number: int, tick: int) -> None:
        self.applied = number
        if self.taken and pressed == self.pressed:
            return
        self.pressed, self.taken = pressed, True
        change = InputChange(tick, number, pressed, self._index)
        if self._changes and self._changes[-1].tick == tick:
            self._changes[-1] = change
        else:
            self._changes.append(change)

    def repeat(self, change: InputChange) -> None:
        """Hold an input as it was stored."""
        self.pressed, self.applied, self.taken = change.pressed, change.number, True
        self.received = self.applied
        self._see_presses(change.pressed)

    def take_changes(self, tick: int) -> list[InputChange]:
        """Return the changes before this tick that were not taken yet."""
        taken = [change for change in self._changes if change.tick < tick]
        self._changes = self._changes[len(taken) :]
        return taken


class LiveRound:
    """One round. `step` advances it by a tick; `take_changes` returns the changes since the last
    call. Seats are numbered in the order of the world; 0 is the first.
    """

    def __init__(
        self,
        playing: Playable[Any, Any],
        setup: Any,
        *,
        recorded: bool = False,
        game: Game | None = None,
    ) -> None:
        self.game = game or self._start(playing, setup, recorded)
        self.seats = {
            name: SeatQueue(index, schema)
            for index, (name, schema) in enumerate(playing.seats.items())
        }
        self._queues = tuple(self.seats.values())
        self._names = tuple(self.seats)
        self._rendered = cast(Rendered, self.game) if playing.filmable else None
        self.tick = 0
        self._happened: Sequence[str] = ()

    @classmethod
    def rebuilt(
        cls,
        playing: Playable[Any, Any],
        setup: Any,
        changes: Sequence[InputChange],
        tick: int | None = None,
        *,
        recorded: bool = False,
    ) -> LiveRound:
        """Make the round again from the changes that were applied, up to `tick` (None: its end)."""
        unknown = max((change.seat for change in changes), default=0)
        if unknown >= len(playing.seats):
            raise InvalidInput(
                f"a round has inputs of seat {unknown}; its world has {len(playing.seats)} seats"
                f" ({', '.join(playing.seats)}), counted from 0. Install the version of the world"
                " that it was played in."
            )
        live = cls(playing, setup, recorded=recorded)
        by_tick: dict[int, list[InputChange]] = {}
        for change in changes:
            by_tick.setdefault(change.tick, []).append(change)
        if live._rendered is not None and tick is not None and not recorded:
            passed = range(max(0, tick - 1))
            live._rendered.skip([live._repeat(by_tick, number) for number in passed])
            live.tick = len(passed)
        last = live.game.ticks if tick is None else tick
        while live.tick < last and not live.over:
            live._advance(live._repeat(by_tick, live.tick))
        return live

    @staticmethod
    def _start(playing: Playable[Any, Any], setup: Any, recorded: bool) -> Game:
        if not recorded:
            return playing.new(setup)
        if playing.recorded is None:
            raise InvalidInput("this world keeps no recordings.")
        return playing.recorded(setup)

    def _repeat(self, by_tick: Mapping[int, Sequence[InputChange]], tick: int) -> SeatInputs:
        """Return the inputs of a tick as they were stored."""
        for change in by_tick.get(tick, ()):
            self._queues[change.seat].repeat(change)
        return self._inputs()

    def _inputs(self) -> SeatInputs:
        return {name: seat.pressed for name, seat in self.seats.items() if seat.taken}

    def _advance(self, inputs: SeatInputs) -> Sequence[str]:
        self._happened = self.game.step(inputs)
        self.tick += 1
        return self._happened

    @property
    def over(self) -> bool:
        return self.game.over() is not None

    @property
    def last_received(self) -> int:
        """The number of the last input of the first seat."""
        return self._queues[0].received

    @property
    def last_applied(self) -> int:
        return self._queues[0].applied

    def receive(self, numbered: NumberedInput, seat: int = 0) -> None:
        """Keep an input of a seat until its tick."""
        self._queues[seat].receive(numbered, self.tick)

    def release(self) -> None:
        """Release everything: the connection is gone, or the page asked for a pause."""
        for seat in self._queues:
            seat.release(self.tick)

    def step(self) -> Sequence[str]:
        """Advance by one tick, with the inputs that are due."""
        due = [(seat, inputs) for seat in self._queues if (inputs := seat.take_due(self.tick))]
        for seat, inputs in due:
            seat.join(inputs, self.tick)
        happened = self._advance(self._inputs())
        for seat, inputs in due:
            seat.end_tick(inputs[-1], self.tick)
        return happened

    def take_changes(self) -> list[InputChange]:
        """Return the changes since the last call, all of them before the current tick."""
        return sorted(
            (change for seat in self._queues for change in seat.take_changes(self.tick)),
            key=lambda change: (change.tick, change.seat),
        )

    def message(self, seat: int = 0) -> dict[str, Any]:
        """Return the message of this tick for a seat: the tick, its view, the number of its last
        input
        that was applied, and the events.
        """
        return {
            "t": self.tick,
            **self.game.view(self._names[seat]),
            "n": self._queues[seat].applied,
            "e": list(self._happened),
        }

    def picture(self, seat: int = 0) -> Pixels | None:
        """Return the picture of this tick, in worlds that draw themselves."""
        return None if self._rendered is None else self._rendered.picture(self._names[seat])


def record_round(
    playing: Playable[Any, Any], setup: Any, changes: Sequence[InputChange], tick: int | None = None
) -> tuple[Recording, int | None]:
    """The recording of a round and its score, made again from its setup and its inputs."""
    live = LiveRound.rebuilt(playing, setup, changes, tick, recorded=True)
    try:
        outcome = live.game.over()
        return cast(Recordable, live.game).record(), None if outcome is None else outcome.score
    finally:
        live.game.close()


def welcome_of(
    live: LiveRound, playing: Playable[Any, Any], setup: Any, seat: int = 0
) -> Mapping[str, Any]:
    """Return what an agent is sent once, as `welcome` of its views."""
    return {
        **live.game.welcome(tuple(playing.seats)[seat]),
        "ticks": live.game.ticks,
        "known": playing.known(setup),
    }


def play_through(
    playing: Playable[Any, Any],
    setup: Any,
    act: ActFunction | Mapping[str, ActFunction],
    begin: Callable[[Any], Recordable] | None = None,
) -> Recording:
    """Play a whole round by agents, and return its recording. `act` is the agent of the first seat,
    or maps seats to their agents; each sees the view of its seat. Nothing is pressed in the first
    seat if it has no agent. `begin(setup)` starts a recorded game that shows more, for agents that
    need it.
    """
    live = LiveRound(playing, setup, recorded=True, game=None if begin is None else begin(setup))
    agents = act if isinstance(act, Mapping) else {playing.seat: act}
    if unknown := agents.keys() - playing.seats.keys():
        raise InvalidInput(
            f"unknown seat {min(unknown)!r}. {did_you_mean(min(unknown), playing.seats)}"
        )
    seats = [
        (index, playing.seats[name], agents[name])
        for index, name in enumerate(playing.seats)
        if name in agents
    ]
    try:
        welcomes = {index: welcome_of(live, playing, setup, index) for index, _, _ in seats}
        while not live.over:
            tick = live.tick
            views = [{**live.message(index), "welcome": welcomes[index]} for index, _, _ in seats]
            for (index, schema, decide), view in zip(seats, views, strict=True):
                pressed = _input_of(decide(view), schema, tick)
                live.receive(NumberedInput(tick + 1, tick, pressed), index)
            live.step()
        return cast(Recordable, live.game).record()
    finally:
        live.game.close()


def _input_of(answer: object, schema: InputSchema, tick: int) -> Input:
    pressed = schema.values_in(answer)
    if pressed is None:
        raise InvalidInput(
            f"the agent's input at tick {tick}: expected {schema.range_text}, got"
            f" {str(answer)[:80]}."
        )
    return pressed


def play_seats(playing: Playable[Any, Any], setup: Any, acts: Mapping[str, ActFunction]) -> None:
    """Play a whole round with an agent in each of these seats, the first one among them."""
    game, tick, happened = playing.new(setup), 0, list[str]()
    try:
        welcomes = {seat: {**game.welcome(seat), "ticks": game.ticks} for seat in acts}
        while game.over() is None:
            inputs = {}
            for seat, act in acts.items():
                view = {"t": tick, **game.view(seat), "e": happened, "welcome": welcomes[seat]}
                inputs[seat] = _input_of(act(view), playing.seats[seat], tick)
            happened, tick = list(game.step(inputs)), tick + 1
    finally:
        game.close()


# ----------------------------------------------------------------------------------------------
# the messages of a page


def inputs_in(message: Mapping[str, Any], schema: InputSchema) -> list[NumberedInput]:
    """`i: [[number, tick, *input], …]`, oldest first."""
    raw = message.get("i", [])
    if not isinstance(raw, list) or len(raw) > MOST_INPUTS:
        raise InvalidInput(f"inputs: expected a list of at most {MOST_INPUTS}. Reload the page.")
    return [number_seats(item, schema) for item in raw]


def number_seats(raw: Any, schema: InputSchema) -> NumberedInput:
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
    """`step: [number, *input, ticks]` of a simulated participant: the pressed keys, and for how
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
