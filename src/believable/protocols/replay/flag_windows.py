"""Which action a flag is about, given that people press late.

A person needs time to see, decide and press. The window of a person is the time from their own
delay before a press to the press itself; the cause was on screen when the window opened. The delay
is measured in practice (`analysis.reaction_delays`). A person without one gets the declared default
(`unmeasured_delay_ms`), and the report counts them.

| how the flag was made | the action it is about |
|---|---|
| `choice`: chosen among the last actions after the press | the chosen one |
| `line`: the button of the action's own line | that one |
| `moment`: a press without actions to choose from | the one on screen when the window opened |
| not recorded (older versions) | as `moment`, if the replay ran and the flag names something on
screen; else as it is |

The rule looks at times only, never at violations, so that flags at random moments find violations
no more often than other actions. As a second reading every key press can be placed by the window
alone, whatever was chosen (`by_window`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from believable.analysis.data import Data
from believable.analysis.reaction_delays import (
    ReactionDelay,
    measured_delays,
    moment_before,
    stood_still,
)
from believable.analysis.viewed_actions import (
    ActionFlag,
    LoggedActions,
    Seeing,
    Stretches,
    flags_by_page,
    judge_actions,
    stretches_by_page,
)
from believable.instruments.flags import CHOICE, LINE
from believable.protocols.replay.watched_days import WatchedDay

NOTHING_PLAYED = Stretches(np.empty(0), np.empty(0), np.empty(0))
UNRECORDED = "not recorded"


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowedFlags:
    """Replays with flags on the actions they are about.

    seen      by choice, or else by the window
    by_window every key press by the window alone
    delays    of every person, by session; those not measured have the default
    made      how flags were made → how many
    moved     flags that the window placed on another action than the one on screen at the press
    """

    seen: tuple[WatchedDay, ...]
    by_window: tuple[WatchedDay, ...]
    delays: Mapping[str, ReactionDelay]
    made: Mapping[str, int]
    moved: int

    @property
    def n_unmeasured(self) -> int:
        """People for whom the default is used."""
        return sum(not delay.is_measured for delay in self.delays.values())


def place_flags(
    data: Data, seen: Sequence[WatchedDay], seeing: Seeing, default_ms: float
) -> WindowedFlags:
    """Every replay again, with its flags placed by choice or window."""
    measured = measured_delays(data)
    delays = {day.session: measured.get(day.session, ReactionDelay(default_ms, 0)) for day in seen}
    flags, _ = flags_by_page(data)
    stretches, _ = stretches_by_page(data)
    made: Counter[str] = Counter()
    moved = 0
    chosen: list[WatchedDay] = []
    windowed: list[WatchedDay] = []
    for day in seen:
        own, played = (
            flags.get((day.session, day.position), []),
            stretches.get((day.session, day.position), NOTHING_PLAYED),
        )
        delay_ms = delays[day.session].delay_ms
        made.update(flag.how or UNRECORDED for flag in own)
        placed = [place_flag(flag, day.actions, played, delay_ms) for flag in own]
        moved += sum(
            new.action != on_screen(day.actions, flag.media_ms)
            for flag, new in zip(own, placed, strict=True)
            if new is not flag
        )
        pressed = [
            place_flag(flag, day.actions, played, delay_ms, trust_choice=False) for flag in own
        ]
        chosen.append(replace(day, judged=judge_actions(day.actions, played, placed, seeing)))
        windowed.append(replace(day, judged=judge_actions(day.actions, played, pressed, seeing)))
    return WindowedFlags(
        seen=tuple(chosen), by_window=tuple(windowed), delays=delays, made=made, moved=moved
    )


def place_flag(
    flag: ActionFlag,
    actions: LoggedActions,
    played: Stretches,
    delay_ms: float,
    *,
    trust_choice: bool = True,
) -> ActionFlag:
    """The flag on the action it is about; the same flag if the window does not apply to it."""
    if flag.how == LINE or (flag.how == CHOICE and (trust_choice or flag.delay_ms is None)):
        return flag
    if flag.how != CHOICE and stood_still(played, flag.media_ms):
        return flag
    if (
        flag.how is None
        and flag.action is not None
        and flag.action not in all_on_screen(actions, flag.media_ms)
    ):
        return flag
    media_ms = moment_before(played, flag.media_ms, delay_ms)
    return replace(flag, media_ms=media_ms, action=on_screen(actions, media_ms))


def all_on_screen(actions: LoggedActions, media_ms: float) -> tuple[str, ...]:
    """Return the actions under way at this moment, in the order of their beginnings."""
    going = np.flatnonzero((actions.from_ms <= media_ms) & (media_ms <= actions.to_ms))
    return tuple(actions.ids[index] for index in going.tolist())


def on_screen(actions: LoggedActions, media_ms: float) -> str | None:
    """The action on screen: of several, the one that began last."""
    going = all_on_screen(actions, media_ms)
    return going[-1] if going else None
