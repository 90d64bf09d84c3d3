"""Which round a page shows: that of an earlier play trial of the same session."""

from __future__ import annotations

from collections.abc import Sequence

from believable.study.plan import PlannedTrial
from believable.study.records import Play, TimelineItem, Trial, Watch, WatchedStimulus


def round_wanted(trial: Trial | TimelineItem) -> str | None:
    """The id of the play trial whose round this page shows, if it shows one."""
    chosen = trial.stimulus if isinstance(trial, Watch) else None
    return chosen.round if isinstance(chosen, WatchedStimulus) else None


def round_position(plan: Sequence[PlannedTrial], position: int) -> int | None:
    """Where in the plan that round is played: the latest before the page, of the same pass through a block where there is one."""
    wanted = round_wanted(plan[position].trial)
    if wanted is None:
        return None
    played = [one for one in plan[:position] if isinstance(one.trial, Play) and one.trial.id == wanted]
    prefix = plan[position].key.rpartition(".")[0]
    same_pass = [one for one in played if one.key.rpartition(".")[0] == prefix]
    found = same_pass or played
    return found[-1].position if found else None


def round_name(plan: Sequence[PlannedTrial], position: int) -> str | None:
    """What the round is called in the data, where stimuli have their ids: `round:` and the key of its play trial."""
    source = round_position(plan, position)
    return None if source is None else f"round:{plan[source].key}"
