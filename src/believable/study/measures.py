"""The measures of a custom design: a question, or an annotation while watching, compared between
groups.

Part of the plan language: `analysis: {measures: {humanness: {question: humanness}}}`. Plans that
name a protocol have the outcomes of that protocol instead.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from pydantic import Field

from believable.contracts.record import Id, Record

MeasureModel: TypeAlias = Literal["mean", "share", "shares", "preference", "flags", "trace", "text"]
TraceSummary: TypeAlias = Literal["mean", "change"]

#: The value of a measure's grouping key that means the condition of the judged stimulus.
BY_CONDITION = "condition"


class Assumed(Record):
    """What `believable power` and simulated people take for true. Without it nothing differs
    between groups.
    """

    values: dict[Id, float] = Field(default_factory=dict)
    """Group → its true value: a mean; a share from 0 to 1; for preferences a log strength, of which
    differences count; flags per 100 actions.
    """
    person_sd: float | None = Field(default=None, ge=0)
    """Spread between people: in the unit of a mean, in log odds for everything else."""
    effect_sd: float | None = Field(default=None, ge=0)
    """Spread between people of a group's effect, in the same unit."""
    stimulus_sd: float | None = Field(default=None, ge=0)
    """Spread between stimuli of one group, in the same unit."""
    residual_sd: float | None = Field(default=None, gt=0)
    """Spread of a mean's single answers."""


class DeclaredMeasure(Record):
    """One thing that is measured and compared between groups."""

    question: str | None = None
    """The question that is answered: `question` or `trial.question`."""
    item: str | None = None
    """One part of it: a row of a matrix, an option to tick. Without it a matrix counts by its
    mean.
    """
    trial: Id | None = None
    """Instead of a question: the trial in which people annotate while watching."""
    model: MeasureModel | None = None
    """`mean` of numbers and ratings; `share` of the answers named in `yes`; `shares` of all
    answers; `preference` between two; `flags` per viewed action; `trace`; `text`. By default it
    follows from the kind of question.
    """
    by: Id = BY_CONDITION
    """The groups to compare: `condition`, or the name of an arm."""
    yes: tuple[str | int | float, ...] | None = Field(default=None, min_length=1)
    """For `share`: the answers that count."""
    summary: TraceSummary = "mean"
    """For `trace`: the mean of a trace, or its `change` from the first fifth to the last."""
    title: str | None = Field(default=None, min_length=1)
    """Its label in reports; its name by default."""
    assume: Assumed = Assumed()
    """What power and simulated people take for true."""
