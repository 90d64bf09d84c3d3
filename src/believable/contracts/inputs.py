"""The input of a seat in one tick: a short list of whole numbers, and of text if a world says so.
It is the same on the wire, in the database and in the bundle.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

from believable.core.errors import InvalidInput

#: The input of a seat in one tick, one value for each part of its `InputSchema`.
Input: TypeAlias = tuple[Any, ...]
#: Presses are counted from 1 to this, then from 1 again.
SERIALS = 7
#: A key that was pressed at most this many presses ago may still be down; releasing the others
#: shows it again.
_STILL_DOWN = 3


class InputChange(NamedTuple):
    """An input that was applied: `seat` holds it from `tick` on. `number` is the number of the
    message that brought it. `seat` is the index of the seat in its world; 0 is the first.
    """

    tick: int
    number: int
    pressed: Input
    seat: int = 0


def _is_plain(text: str) -> bool:
    """Whether a text can be stored and exported everywhere."""
    return all(
        char in "\n\t" or (ord(char) >= 32 and not 0xD800 <= ord(char) < 0xE000) for char in text
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class InputPart:
    """One value of an input: a number from `low` to `high`, or a text.

    `held` counts while it is pressed. `kept` stays when everything is released (the direction of a
    view). `trigger` is 0 or 1 and counts for a tick even if it was released before the tick;
    `tapped` is the same for any number (a choice of several). `pressed` is such a choice whose
    presses are counted, so that two quick taps are two: the number is `choice + choices × serial`,
    and each press takes the next serial from 1 to `SERIALS`. Serial 0 means that presses are not
    counted: a tap right after another one then looks like a key that is held. `moved` adds up
    between two ticks (a mouse).

    `text` is a text of at most `high` characters that counts for one tick. Each text has a tick to
    itself, and none is lost.
    """

    name: str
    low: int
    high: int
    about: str
    kind: Literal["held", "kept", "trigger", "tapped", "pressed", "moved", "text"] = "held"

    @property
    def nothing(self) -> int | str:
        """The value before anything was pressed."""
        return "" if self.kind == "text" else max(0, self.low)

    @property
    def range_text(self) -> str:
        """The range of its values, for messages."""
        if self.kind == "text":
            return f"{self.name}, a text of at most {self.high} characters"
        return f"{self.name} {self.low} to {self.high}"

    def fits(self, value: object) -> bool:
        """Whether the value is one of this part."""
        if self.kind == "text":
            return isinstance(value, str) and len(value) <= self.high and _is_plain(value)
        return type(value) is int and self.low <= value <= self.high

    def release(self, value: Any) -> Any:
        """Return the value after everything was released."""
        return value if self.kind == "kept" else "" if self.kind == "text" else 0

    @property
    def choices(self) -> int:
        """Of a part that is `pressed`: how many there are to choose from."""
        return self.high // (SERIALS + 1)

    def choice(self, value: int) -> int:
        """Of a part that is `pressed`: which one it is, from 1; 0: none."""
        return 0 if value == 0 else (value - 1) % self.choices + 1

    def serial(self, value: int) -> int:
        """Of a part that is `pressed`: the number of the press, from 1; 0: presses are not counted,
        or none is down.
        """
        return 0 if value == 0 else (value - 1) // self.choices

    def within(self, value: int) -> int:
        return min(max(value, self.low), self.high)

    def join(self, values: Sequence[Any]) -> Any:
        """What counts for a tick of all that was said of this part since the last."""
        if self.kind == "moved":
            return self.within(sum(values))
        if self.kind in ("trigger", "tapped", "pressed", "text"):
            return next((value for value in reversed(values) if value), self.nothing)
        return values[-1]


class PressCounter:
    """Distinguishes a new press of a `pressed` part from a key that is still down. Sees the value
    of every tick, in order.
    """

    def __init__(self, part: InputPart) -> None:
        self._part = part
        self._last = 0
        self._down: tuple[int, ...] = ()

    def is_new(self, value: int) -> bool:
        """Whether this value, seen next, is a new press."""
        serial = self._part.serial(value)
        return value != 0 and (serial not in self._down if serial else value != self._last)

    def see(self, value: int) -> bool:
        """Whether it is a new press; from now on it is not."""
        new, serial = self.is_new(value), self._part.serial(value)
        self._last = value
        if value == 0:
            self._down = ()
        elif serial and new:
            self._down = (*self._down, serial)[-_STILL_DOWN:]
        return new


@dataclass(frozen=True, slots=True)
class InputSchema:
    """The possible actions of a seat."""

    parts: tuple[InputPart, ...]

    @property
    def nothing(self) -> Input:
        """Nothing was ever pressed."""
        return tuple(part.nothing for part in self.parts)

    def read(self, raw: object) -> Input:
        """What came over the wire, or an error: whatever does not fit never reaches a game."""
        values = self.values_in(raw)
        if values is None:
            raise InvalidInput(
                f"an input: expected {self.range_text}, got {str(raw)[:80]}. Reload the page."
            )
        return values

    def values_in(self, raw: object) -> Input | None:
        """The input, or None if it does not fit."""
        values = tuple(raw) if isinstance(raw, list | tuple) else ()
        if len(values) != len(self.parts) or not all(
            part.fits(value) for value, part in zip(values, self.parts, strict=True)
        ):
            return None
        return values

    @property
    def range_text(self) -> str:
        """The parts with their ranges, for messages."""
        return ", ".join(part.range_text for part in self.parts)

    def has_text(self, pressed: Input) -> bool:
        return any(
            part.kind == "text" and value for part, value in zip(self.parts, pressed, strict=True)
        )

    def text_alone(self, pressed: Input) -> Input:
        """Return the input with nothing but its texts."""
        return tuple(
            value if part.kind == "text" else part.release(value)
            for part, value in zip(self.parts, pressed, strict=True)
        )

    def release(self, last: Input) -> Input:
        """Nothing is pressed any more."""
        return tuple(part.release(value) for value, part in zip(last, self.parts, strict=True))

    def join(self, inputs: Sequence[Input]) -> Input:
        """Inputs that count for the same tick: the last one, with every trigger pulled and every
        movement made since.
        """
        if len(inputs) == 1:
            return inputs[0]
        return tuple(
            part.join(values)
            for part, values in zip(self.parts, zip(*inputs, strict=True), strict=True)
        )

    def after(self, last: Input) -> Input:
        """What holds in the ticks after an input: a movement was made once."""
        return tuple(
            part.nothing if part.kind in ("moved", "text") else value
            for value, part in zip(last, self.parts, strict=True)
        )
