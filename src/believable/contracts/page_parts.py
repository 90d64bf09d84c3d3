"""Optional parts of a page: its player, its right answers, the end of the study, a round to show.

A page that has one returns it from the property of the same name; `TrialBase` has none of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from believable.contracts.controls import Controls


@dataclass(frozen=True, slots=True, kw_only=True)
class PagePlayer:
    """The player of a page, or several alike. `controls` is None without any.

    `labels` are the names of several players (A, B, …), `overlays` the panels next to
    the picture (`plan`, `log`), `medium_ms` the length of media that are no stimuli of the study.
    """

    controls: Controls | None = None
    labels: tuple[str, ...] = ()
    overlays: tuple[str, ...] = ()
    medium_ms: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Quiz:
    """Questions with right answers.

    `right_answers` by question; `is_right(question, answer)` returns None without a right answer.
    `tries` limits the attempts. `reminds_of` is the id of an earlier page whose text is shown after
    a wrong answer.
    """

    right_answers: Mapping[str, Any] = field(default_factory=dict)
    is_right: Callable[[str, Any], bool | None] = lambda question, answer: None
    tries: int = 1
    reminds_of: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Closing:
    """The end of the study: codes and addresses by outcome, and the platform to return to.

    A code `auto` is generated.
    """

    codes: Mapping[str, str] = field(default_factory=dict)
    addresses: Mapping[str, str] = field(default_factory=dict)
    platform: str | None = None


@dataclass(frozen=True, slots=True)
class OwnRound:
    """A round of the participant: the id of its play trial, and its turn (None: the latest)."""

    trial: str
    turn: int | None = None
