"""From a study and an assignment to the flat list of trials one participant will see.

All chance is settled when the session starts, so the same assignment gives the same plan on any device, for ever.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from believable.study.records import Rule, Trial


@dataclass(frozen=True, slots=True)
class Assignment:
    """What chance decided for one session: an arm level each, a row of each Latin square (by block id), and a seed for the rest."""

    arms: Mapping[str, str]
    rows: Mapping[str, int]
    seed: int


@dataclass(frozen=True, slots=True)
class PlannedTrial:
    """One page of one participant's session. `key` is unique in the plan, e.g. `pairs.2.watch`; `position` counts from 0.

    `condition`, `scenario` and `stimulus_id` are what the enclosing blocks and the draw settled; they never reach the browser.
    `skip_if` holds the rules of the trial and of all blocks around it: one that holds skips the trial.
    """

    position: int
    key: str
    trial: Trial
    condition: str | None
    scenario: str | None
    stimulus_id: str | None
    skip_if: tuple[Rule, ...]
