"""Thumbs down on what somebody does in the stimulus: on the action on screen with one key, or on any line of the log."""

from __future__ import annotations

import random
from pathlib import Path

from believable.core.event_chain import EventKind
from believable.instruments.contract import Act, AnswerColumn, Instrument
from believable.study.records import Record


class FlagsParams(Record):
    """How marking works."""

    reason: bool = True
    """People may say why, after each flag or later."""
    pause: bool = False
    """The player stops while a reason is being written."""


#: A simulated person marks about one moment in twenty seconds of a short stimulus, and never more than this.
_MOST_FLAGS = 12
_REASONS = ("", "", "That made no sense.", "Too long.", "Nobody would do this here.")


def _perform(params: FlagsParams, rng: random.Random, duration_ms: int) -> list[Act]:
    """Marks at random moments; some get a reason later, some are taken back."""
    count = min(_MOST_FLAGS, max(1, round(duration_ms / 20_000)))
    moments = sorted(rng.randrange(max(1, duration_ms)) for _ in range(count))
    acts = []
    for number, media_ms in enumerate(moments, 1):
        name, reason = f"f{number}", rng.choice(_REASONS) if params.reason else ""
        acts.append(Act(media_ms, "flag.add", {"flag": name, "media_ms": media_ms, "action": None, "reason": ""}))
        if reason:
            acts.append(Act(media_ms, "flag.edit", {"flag": name, "reason": reason}))
        if rng.random() < 0.15:
            acts.append(Act(media_ms, "flag.remove", {"flag": name}))
    return acts


FLAGS = Instrument(
    name="flags",
    version=1,
    about="Thumbs down on the action on screen or on any line of the log, with a reason where the person gives one.",
    params=FlagsParams,
    records=(
        AnswerColumn("action", "string", "Id of the marked action; empty for a moment that belongs to none or to several."),
        AnswerColumn("reason", "string", "Why, in the person's words."),
    ),
    folder=Path(__file__).parent,
    examples=(FlagsParams(), FlagsParams(reason=False), FlagsParams(pause=True)),
    use="annotate",
    streams=(
        EventKind("flag.add", ("flag", "media_ms", "action", "reason"), "a thumbs down; `action` is null for a moment"),
        EventKind("flag.edit", ("flag", "reason"), "the reason was changed"),
        EventKind("flag.remove", ("flag",), "the thumbs down was taken back"),
    ),
    perform=_perform,
)
