"""What the browser gets of a page's annotation: the instrument, its practice, and what was annotated before a reload."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from believable.collect.desk import SessionView
from believable.instruments import INSTRUMENTS
from believable.study.practice import PRACTICE_TRIES, annotation_of
from believable.study.records import Practice, Trial
from believable.web.participant import quality
from believable.web.participant.questions import localised


@dataclass(frozen=True, slots=True)
class Shown:
    """The annotation as the page's template sees it."""

    kind: str
    prompt: str | None


def kinds(trial: Trial) -> tuple[str, ...]:
    """The instruments whose script and style the page needs."""
    annotation = annotation_of(trial)
    return () if annotation is None else (annotation.kind,)


def shown(trial: Trial, language: str, texts: Mapping[str, str]) -> Shown | None:
    annotation = annotation_of(trial)
    if annotation is None or isinstance(trial, Practice):
        return None
    words = annotation.prompt.in_language(language) if annotation.prompt else quality.prompt(trial, texts)
    return Shown(annotation.kind, words)


def trial_json(session: SessionView) -> dict[str, Any]:
    """`saved` holds the events so far, `streams` their kinds."""
    annotation = annotation_of(session.trial.trial)
    if annotation is None:
        return {}
    instrument = INSTRUMENTS[annotation.kind]
    practising = isinstance(session.trial.trial, Practice)
    return {
        "annotate": {
            "kind": annotation.kind,
            "params": localised(annotation.params, session.language),
            "practice": f"/static/instruments/{instrument.practice}" if practising else None,
            "tries": PRACTICE_TRIES,
        },
        "saved": [[event.seq, event.kind, event.data] for event in session.saved],
        "streams": list(session.streams),
    }
