"""One round in progress: a pure function of its setup and of the inputs of its seats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from believable.contracts.inputs import Input
from believable.core.seeds import derive
from believable.recordings.recording import Recording

#: A picture: height × width × red, green, blue.
Pixels: TypeAlias = NDArray[np.uint8]
#: The inputs of one tick, by seat.
SeatInputs: TypeAlias = Mapping[str, Input]


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundContext:
    """The part of a round's setup that the plan and the session decide. `session_seed` is the
    trial's `start_seed`, if it has one. `opponent` is empty if there is none. `arms` are the
    session's, by name.
    """

    session_seed: int
    trial_key: str
    condition: str | None = None
    opponent: str | float = ""
    duration_s: int
    practice: bool = False
    arms: Mapping[str, str] = field(default_factory=dict)

    def seed(self, *names: str) -> int:
        """Derive a seed below 2**63, the largest number of a database column."""
        return derive(self.session_seed, *names) >> 1


@dataclass(frozen=True, slots=True)
class RoundOutcome:
    """How a round ended. `score` counts for the first seat."""

    score: int


class Game(Protocol):
    """One round in progress.

    `step(inputs)` advances the round by one tick and returns the events that every seat may notice.
    The first seat always has an input. A seat without one is played by the game itself, as the
    setup says. `view(seat)` returns the state that this seat may see, as JSON values: pages and
    agents see nothing else of the game. `welcome(seat)` returns the part of the view that never
    changes; a page gets it once. `over()` returns the outcome, and None during the round; after at
    most `ticks` ticks the round is over. `close()` releases the resources of the game, and no other
    method is called afterwards.
    """

    @property
    def ticks(self) -> int: ...
    def step(self, inputs: SeatInputs) -> Sequence[str]: ...
    def view(self, seat: str) -> Mapping[str, Any]: ...
    def welcome(self, seat: str) -> Mapping[str, Any]: ...
    def over(self) -> RoundOutcome | None: ...
    def close(self) -> None: ...


class Recordable(Game, Protocol):
    """A game that keeps a recording. `record()` returns the recording up to the current tick."""

    def record(self) -> Recording: ...


class Rendered(Game, Protocol):
    """A game that draws itself.

    It may hold a process and memory, need a second to start, and block while it steps. So it is
    made, stepped and closed in one process that serves nothing else. `picture(seat)` returns the
    present picture of the size that `welcome` gives as `width_px` and `height_px`; it is valid
    until the next step. `skip(inputs)` advances by one tick for each of the inputs and draws and
    records nothing on the way: the state is the one that the same number of steps reaches. A round
    is resumed with it quickly.
    """

    def picture(self, seat: str) -> Pixels: ...
    def skip(self, inputs: Sequence[SeatInputs]) -> None: ...
