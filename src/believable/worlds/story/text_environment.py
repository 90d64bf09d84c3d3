"""An environment of texts: the interface of a story that can be played."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryAnswer:
    """An answer of an environment. `commands` are those it would take next, if it says so."""

    text: str
    score: int
    over: bool
    commands: Sequence[str] = ()


class TextEnvironment(Protocol):
    """A story. The same seed and commands give the same answers."""

    def reset(self, seed: int) -> StoryAnswer: ...
    def step(self, command: str) -> StoryAnswer: ...
    def close(self) -> None: ...
