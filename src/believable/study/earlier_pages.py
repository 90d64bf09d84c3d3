"""Which earlier pages of a plan a page is about: stimuli that it asks about, or a round that it
shows.
"""

from __future__ import annotations

from collections.abc import Sequence

from believable.contracts.trial import PlannedTrial


def rated_positions(plan: Sequence[PlannedTrial], position: int) -> tuple[int, ...]:
    """The earlier pages that the page at `position` asks about: those of its pass if there are any,
    else all; one of them if it names its repetition.
    """
    page = plan[position]
    watched = [earlier for earlier in plan[:position] if page.trial.is_about(earlier.trial)]
    prefix = page.key.removesuffix(page.trial.id)
    same_pass = [earlier for earlier in watched if earlier.key.startswith(prefix)]
    about = tuple(earlier.position for earlier in (same_pass or watched))
    turn = page.trial.rated_turn
    return about if turn is None else about[turn - 1 : turn]


def round_position(plan: Sequence[PlannedTrial], position: int) -> int | None:
    """The position of that round in the plan: of the repetition that the page names, else the
    latest before the page, of the same pass through a block if there is one.
    """
    shown = plan[position].trial.own_round
    if shown is None:
        return None
    played = [
        page for page in plan[:position] if page.trial.plays_round and page.trial.id == shown.trial
    ]
    if shown.turn is not None:
        return next((page.position for page in played if page.turn == shown.turn), None)
    prefix = plan[position].key.rpartition(".")[0]
    same_pass = [page for page in played if page.key.rpartition(".")[0] == prefix]
    candidates = same_pass or played
    return candidates[-1].position if candidates else None


def round_name(plan: Sequence[PlannedTrial], position: int) -> str | None:
    """The id of the round in the data, in the column of stimuli: `round:` and the key of its play
    trial.
    """
    source = round_position(plan, position)
    return None if source is None else f"round:{plan[source].key}"
