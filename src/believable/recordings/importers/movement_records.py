"""The movement data of a run of generative agents, in any layout."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from believable.recordings.importers.agent_conversations import Lines


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentFrame:
    """One persona at one step, as the run stored it."""

    x: int
    y: int
    emoji: str
    activity: str
    address: str
    chat: Lines = ()


@dataclass(frozen=True, slots=True)
class AgentTrack:
    """A persona from the step at which it entered: a moment per step, to the end or to the step at
    which it left.
    """

    first: int
    moments: tuple[AgentFrame, ...]

    @property
    def end(self) -> int:
        return self.first + len(self.moments)


@dataclass(frozen=True, slots=True)
class TalkPlace:
    """The place that the heading of a conversation names, with its first step and its speakers."""

    step: int
    place: str
    speakers: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Movements:
    """The movement data of a run in any layout, with notes on how they were read.

    descriptions  the run's statements about a person (plan for the day, lifestyle …), by name
    talk_places   conversations whose heading names a place
    """

    lives: Mapping[str, AgentTrack]
    steps: int
    start: datetime.datetime | None = None
    step_s: float | None = None
    notes: tuple[str, ...] = ()
    descriptions: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    talk_places: tuple[TalkPlace, ...] = ()


@dataclass(slots=True)
class ImportNotes:
    """Notes on the input, each kind once with its count."""

    seen: dict[str, list[str]] = field(default_factory=dict)

    def add(self, words: str, place: str) -> None:
        self.seen.setdefault(words, []).append(place)

    def all(self) -> tuple[str, ...]:
        return tuple(
            f"{words} ({places[0]}{f' and {len(places) - 1} more' if len(places) > 1 else ''})"
            for words, places in self.seen.items()
        )
