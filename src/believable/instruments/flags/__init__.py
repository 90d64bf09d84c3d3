"""Thumbs down on the actions of a figure in the stimulus.

With the key F the stimulus freezes, steps back, and the last actions are offered; the button of a
line flags that line.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from believable.contracts.instrument import Act, AnswerColumn, Instrument, Rehearsal
from believable.contracts.record import Record
from believable.core.event_chain import EventKind


class FlagsParams(Record):
    """How marking works."""

    reason: bool = True
    """People may say why, after each flag or later."""
    pause: bool = False
    """The player stops while a reason is being written."""
    measure_delay: bool = False
    """A short practice before the first use measures how long the person takes to press the key."""


#: How a flag was made: chosen among the actions that a key press offered; by the button of a line;
#: on a moment without actions.
CHOICE, LINE, MOMENT = "choice", "line", "moment"
HOW = (CHOICE, LINE, MOMENT)
#: The number of offered actions, the last ones that had begun at the press. The widget has the same
#: number.
OFFERED = 3
#: The key press that stops the stimulus.
FREEZE = "flag.press"
#: The widget goes back by this wall time at the speed of the press.
STEP_BACK_MS = 1000

#: The number of trials of a practice, each with a different onset. A press before the onset does
#: not count, nor one after `LATEST_MS`.
TRIALS = 6
LATEST_MS = 3000
#: The number of measured delays with which a try passes. The widget of the practice has the same
#: numbers.
LEAST_TRIALS = 3

#: A simulated person marks about one moment in twenty seconds of a short stimulus, and never more
#: than this.
_MOST_FLAGS = 12
_REASONS = ("", "", "That made no sense.", "Too long.", "Nobody would do this here.")
#: Median delay of simulated people, its spread between and within people (of the logarithm).
DELAY_MS, DELAY_SPREAD, TRIAL_SPREAD = 550.0, 0.25, 0.15


def mark(flag: str, media_ms: int, action: str | None, how: str) -> Act:
    """A flag as the page records it."""
    return Act(
        media_ms,
        "flag.add",
        {"flag": flag, "media_ms": media_ms, "action": action, "reason": "", "how": how},
    )


def choose(
    press: int,
    media_ms: int,
    offered: Sequence[str],
    action: str | None,
    delay_ms: int | None,
    choice_ms: int,
) -> list[Act]:
    """A key press with its offer, and the choice, as the page records them."""
    asked = {"press": press, "media_ms": media_ms, "offered": list(offered)}
    chosen = {"press": press, "action": action, "delay_ms": delay_ms, "choice_ms": choice_ms}
    return [Act(media_ms, FREEZE, asked), Act(media_ms, "flag.choice", chosen)]


def _perform(params: FlagsParams, rng: random.Random, duration_ms: int) -> list[Act]:
    """Marks at random moments; some get a reason later, some are taken back."""
    count = min(_MOST_FLAGS, max(1, round(duration_ms / 20_000)))
    moments = sorted(rng.randrange(max(1, duration_ms)) for _ in range(count))
    acts = []
    for number, media_ms in enumerate(moments, 1):
        name, reason = f"f{number}", rng.choice(_REASONS) if params.reason else ""
        acts.append(mark(name, media_ms, None, MOMENT))
        if reason:
            acts.append(Act(media_ms, "flag.edit", {"flag": name, "reason": reason}))
        if rng.random() < 0.15:
            acts.append(Act(media_ms, "flag.remove", {"flag": name}))
    return acts


def _rehearse(params: FlagsParams, rng: random.Random, care: float, number: int) -> Rehearsal:
    """One try at the practice: a press after each onset, by the careless sometimes none."""
    own_ms = DELAY_MS * rng.lognormvariate(0, DELAY_SPREAD)
    events: list[tuple[str, dict[str, Any]]] = []
    measured = 0
    for trial in range(1, TRIALS + 1):
        missed = rng.random() > max(care, 0.5)
        delay_ms = (
            None if missed else round(min(LATEST_MS, own_ms * rng.lognormvariate(0, TRIAL_SPREAD)))
        )
        measured += delay_ms is not None
        events.append(
            ("flag.delay", {"try": number, "trial": trial, "delay_ms": delay_ms, "early": 0})
        )
    return Rehearsal(took_ms=TRIALS * 2500, events=tuple(events), passed=measured >= LEAST_TRIALS)


FLAGS = Instrument(
    name="flags",
    version=2,
    about=(
        "Thumbs down on one of the last actions or on any line of the log, with a reason if the"
        " person gives one."
    ),
    params=FlagsParams,
    records=(
        AnswerColumn(
            "action",
            "string",
            "Id of the marked action; empty for a moment that belongs to none or to several.",
        ),
        AnswerColumn("reason", "string", "Why, in the person's words."),
    ),
    folder=Path(__file__).parent,
    examples=(
        FlagsParams(),
        FlagsParams(reason=False),
        FlagsParams(pause=True),
        FlagsParams(measure_delay=True),
    ),
    use="annotate",
    streams=(
        EventKind(
            FREEZE,
            ("press", "media_ms", "offered"),
            "the key was pressed at this moment of the medium, the stimulus stopped, and these"
            " actions were offered",
            table="flags",
        ),
        EventKind(
            "flag.choice",
            ("press", "action", "delay_ms", "choice_ms"),
            "the answer to that press, `choice_ms` after it; `action` is null if the person changed"
            " their mind; `delay_ms`: wall time from the action's first picture to the press, null"
            " if the stimulus was paused",
            table="flags",
        ),
        EventKind(
            "flag.add",
            ("flag", "media_ms", "action", "reason", "how"),
            "a thumbs down; `action` is null for a moment; `how`: `choice`, `line` or `moment`",
            table="flags",
        ),
        EventKind("flag.edit", ("flag", "reason"), "the reason was changed", table="flags"),
        EventKind("flag.remove", ("flag",), "the thumbs down was taken back", table="flags"),
        EventKind(
            "flag.delay",
            ("try", "trial", "delay_ms", "early"),
            "a trial of the practice: wall time from the onset to the press, null without one;"
            " presses before the onset",
            table="reactions",
        ),
    ),
    perform=_perform,
    practice="flags/practice.js",
    wants_practice=lambda params: params.measure_delay,
    rehearse=_rehearse,
)
