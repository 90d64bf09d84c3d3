"""Practising an annotating kind before it is used for the first time in a session."""

from __future__ import annotations

from collections.abc import Iterable

from believable.study.records import Annotation, Practice, Qa, TimelineItem, Trial, Watch

#: After so many tries a person may go on, whatever came of them.
PRACTICE_TRIES = 3


def annotation_of(trial: Trial | TimelineItem) -> Annotation | None:
    """What is annotated on this page, if anything."""
    return trial.annotate if isinstance(trial, Watch | Practice | Qa) else None


def to_practise(trial: Trial) -> Practice | None:
    """The practice that belongs before this page, should it be the first of its kind."""
    if not isinstance(trial, Watch | Qa) or trial.annotate is None or not trial.practice:
        return None
    return Practice(id=f"practice_{trial.annotate.kind}", annotate=trial.annotate)


def practised(trials: Iterable[Trial]) -> frozenset[str]:
    """The kinds that these pages were a practice of."""
    return frozenset(trial.annotate.kind for trial in trials if isinstance(trial, Practice))
