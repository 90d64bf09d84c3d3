"""Does the rule-based bot get about? Rounds alone on five maps, measured.

    python -m validation.rule_bot [ROUNDS]

The bot `doom/bot` of each skill in turn plays ROUNDS (default 50) rounds of 35 s on FreeDM's maps 6,
9, 18, 21 and on our own deathmatch map. Rows, by map: the least way in any 3 seconds of a round (in
map units; a figure runs about 600 in that time), the rounds in which it stood still for 3 s (less
than 16 units of way), items taken in a round, deaths, and percentiles 95 and 99 of its speeds of
turning in degrees a second (people: 295, 644). Ends with 1 if it ever stood still for 3 s, or turns
faster than people.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from believable.core.work import map_chunks
from believable.worlds.doom import DOOM
from believable.worlds.doom.doom_game import DoomGame
from believable.worlds.doom.doom_round import DoomSetup
from believable.worlds.doom.rule_bot import BOT, BotParams
from believable.worlds.live_round import play_through

MAPS = ("freedm:map06", "freedm:map09", "freedm:map18", "freedm:map21", "deathmatch")
ROUND_S, TICS_PER_S, STILL_S = 35, 35, 3
#: Less way than a figure is wide.
STILL_UNITS = 16.0
#: In one tic no figure walks this far: it was put elsewhere.
_JUMP_UNITS = 60.0
FASTEST_DEG_PER_S = 644.0


@dataclass(frozen=True, slots=True, kw_only=True)
class BotRound:
    """How a round went."""

    map: str
    least_way: float
    items: int
    died: bool
    turning: tuple[float, ...]

    @property
    def still(self) -> bool:
        return self.least_way < STILL_UNITS


def play(map_name: str, number: int) -> BotRound:
    """One round, and its measures."""
    setup = DoomSetup(
        map=map_name, map_seed=7, engine_seed=1000 + number, ticks=ROUND_S * TICS_PER_S
    )
    act = BOT.new(BotParams(skill=1 + number % 5), number)
    recording = play_through(DOOM.game, setup, act, partial(DoomGame, recorded=True))
    columns = recording.telemetry
    xs, ys, angles = (np.array(columns[name], float) for name in ("x", "y", "angle_deg"))
    steps = np.hypot(np.diff(xs), np.diff(ys))
    way = np.concatenate([[0.0], np.cumsum(np.where(steps > _JUMP_UNITS, 0.0, steps))])
    window = STILL_S * TICS_PER_S
    turns = np.abs((np.diff(angles) + 180) % 360 - 180)[steps <= _JUMP_UNITS]
    return BotRound(
        map=map_name,
        least_way=float((way[window:] - way[:-window]).min()),
        items=sum(1 for name in columns["picked_up"] if name),
        died=any(columns["dead"]),
        turning=tuple((turns * TICS_PER_S).tolist()),
    )


def main(rounds: int) -> int:
    jobs = [(MAPS[number % len(MAPS)], number // len(MAPS)) for number in range(rounds)]
    played: Sequence[BotRound] = map_chunks(_play, jobs, pool="processes")
    heads = "".join(f"{head:>9}" for head in ("rounds", "least", "still", "items", "died"))
    sys.stdout.write(f"{'map':14}{heads}{'p95':>9}{'p99':>9}\n")
    for name in (*MAPS, "all"):
        own = [one for one in played if name in ("all", one.map)]
        if not own:
            continue
        speeds = np.concatenate([one.turning for one in own])
        items = np.mean([one.items for one in own])
        least, still = min(one.least_way for one in own), sum(one.still for one in own)
        p95, p99 = np.quantile(speeds, [0.95, 0.99])
        died = sum(one.died for one in own)
        sys.stdout.write(
            f"{name:14}{len(own):>9}{least:>9.0f}{still:>9}{items:>9.1f}{died:>9}"
            f"{p95:>9.0f}{p99:>9.0f}\n"
        )
    return int(any(one.still for one in played) or float(p99) > FASTEST_DEG_PER_S)


def _play(job: tuple[str, int]) -> BotRound:
    return play(*job)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 50))
