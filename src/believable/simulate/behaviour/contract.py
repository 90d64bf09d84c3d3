"""What a behaviour is: planted parameters, a mind for one person at a browser, and a way to fill many sessions at once.

Both ways follow the same parameters: a mind answers page by page through the real routes, `fill` writes columns straight away.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from believable.instruments.contract import Act
from believable.simulate.sessions import Sessions
from believable.study.records import Stimulus, Study


@dataclass(frozen=True, slots=True)
class Going:
    """An action of the log, under the id that the browser knows. `planted`: it was put there to be noticed."""

    id: str
    t0_ms: int
    t1_ms: int
    planted: bool = False


@dataclass(frozen=True, slots=True)
class Seen:
    """A stimulus that a simulated person watched. `stimulus` is None where the study file does not have it (a round just played).

    opened    what was opened beside it (plan, log)
    turning   for recordings of a game: how much the opponent turned, in degrees, second by second
    """

    stimulus: Stimulus | None
    length_ms: int
    log: tuple[Going, ...] = ()
    opened: frozenset[str] = frozenset()
    turning: tuple[float, ...] = ()


class Mind(Protocol):
    """One simulated person's view of a protocol's stimuli. None means: as anybody would (the instrument's own simulation)."""

    def acts(self, kind: str, seen: Seen) -> Sequence[Act] | None:
        """What is done while watching, for an annotating instrument."""
        ...

    def follow(self, signal: Mapping[str, Any]) -> Sequence[Act] | None:
        """What is done in a quality test."""
        ...

    def answer(self, question: str, page: Sequence[Seen], earlier: Sequence[Seen]) -> Any:
        """The answer to a question of a page on which `page` was shown, after `earlier`."""
        ...


@dataclass(frozen=True, slots=True)
class Behaviour:
    """How simulated people behave in studies of one protocol.

    truth    the record of planted parameters; its defaults are a plausible study
    nothing  the same without any effect
    mind     one person, from the truth, the study and a source of chance of their own; `careless` people answer at random
    fill     many sessions at once
    values   what the main outcomes of a study with this truth estimate, as far as it is known in closed form
    demonstration  the truth for the stimuli that `believable new` makes; the defaults where it is left out
    """

    name: str
    truth: type[Any]
    nothing: Callable[[], Any]
    mind: Callable[[Any, Study, random.Random, bool], Mind]
    fill: Callable[[Any, Sessions], None]
    values: Callable[[Any, Sessions], Mapping[str, float]]
    demonstration: Any = None

    def truth_for(self, study: Study) -> Any:
        """What is planted where nothing else is said."""
        return self.truth() if self.demonstration is None or not study.demonstration else self.demonstration


def expit(x: Any) -> Any:
    return 1.0 / (1.0 + np.exp(-np.asarray(x, np.float64)))
