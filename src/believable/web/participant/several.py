"""Pages with several players as the browser gets them: places and labels, never what stands where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any

from believable.collect.desk import SessionView
from believable.study.clips import clip_of
from believable.study.records import Compare, Group, Trial
from believable.web.participant.questions import QuestionView


@dataclass(frozen=True, slots=True)
class Pane:
    """One player with its label, and the questions about it alone."""

    number: int
    label: str
    questions: tuple[QuestionView, ...]


def labels(trial: Trial) -> tuple[str, ...]:
    """A, B, … of a comparison."""
    return tuple(ascii_uppercase[: len(trial.of)]) if isinstance(trial, Compare) else ()


def panes(trial: Trial, views: Sequence[QuestionView], texts: Mapping[str, str]) -> tuple[Pane, ...]:
    if isinstance(trial, Compare):
        return tuple(Pane(number, label, ()) for number, label in enumerate(labels(trial)))
    if not isinstance(trial, Group):
        return ()
    return tuple(
        Pane(
            number,
            texts["group.label"].format(n=number + 1),
            tuple(one for one in views if clip_of(one.id)[1] == number),
        )
        for number in range(trial.size)
    )


def about_page(trial: Trial, views: Sequence[QuestionView]) -> Sequence[QuestionView]:
    """The questions that stand below the players."""
    return [one for one in views if clip_of(one.id)[1] is None] if isinstance(trial, Group) else views


def first_words(trial: Trial, texts: Mapping[str, str]) -> str:
    """What the page says while its questions are still to come."""
    if isinstance(trial, Compare) and trial.ask:
        return texts[f"compare.first_{trial.watch}"]
    return ""


def trial_json(session: SessionView) -> dict[str, Any]:
    """`watch` says after which views the questions come, `each` what was seen of each player before a reload."""
    trial = session.trial.trial
    if not isinstance(trial, Compare | Group):
        return {}
    together = isinstance(trial, Compare) and trial.playback == "together"
    return {
        "several": {
            "together": together,
            "watch": trial.watch if isinstance(trial, Compare) else "all",
            "each": [{"views": one.views, "position_ms": one.position_ms} for one in session.seen],
        },
    }
