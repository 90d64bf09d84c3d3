"""Mistakes in tracks and nights."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from believable.recordings.recording import UNITS_PER_TILE, Action
from believable.worlds.town.rule_checker.replayed_town import MINUTE_MS, ReplayedTown

FASTEST_TILES_PER_S = 0.35
DAY_MS = 1440 * MINUTE_MS
NIGHT_MS = 180 * MINUTE_MS

#: Rule, action, time, reason.
Finding = tuple[str, Action, int, str]


def check_track(town: ReplayedTown, actor: str) -> Iterator[Finding]:
    """Find steps into walls and jumps, once for each action."""
    track, timing, walls = town.tracks.get(actor), town.timing, town.recording.world.walls
    if track is None:
        return
    own = [action for action in town.actions if action.actor == actor]
    farthest = max(1.5, FASTEST_TILES_PER_S * timing.frame_ms * town.pace / 1000)
    jumps = {frame for frame, _ in timing.jumps}
    found: set[tuple[str, str]] = set()
    steps = pairwise(zip(track.x, track.y, strict=True))
    for frame, ((x_before, y_before), (x, y)) in enumerate(steps, track.first_frame + 1):
        tiles = (abs(x - x_before) + abs(y - y_before)) / UNITS_PER_TILE
        column, row = x // UNITS_PER_TILE, y // UNITS_PER_TILE
        if tiles == 0:
            continue
        if walls[row][column] == "#":
            rule, reason = "through a wall", f"tile {column}, {row}"
        elif tiles > farthest and frame not in jumps:
            rule, reason = "too fast", f"{tiles:.1f} tiles at once"
        else:
            continue
        t_ms = round(frame * timing.frame_ms)
        during = [action for action in own if action.t0_ms <= t_ms <= action.t1_ms] or own[-1:]
        if during and (rule, during[0].id) not in found:
            found.add((rule, during[0].id))
            yield rule, during[0], t_ms, reason


def check_nights(town: ReplayedTown, actor: str) -> Iterator[Finding]:
    """Find days without three hours of sleep, if the recording shows whole days and activities."""
    if town.timing.jumps or not any(action.activity for action in town.actions):
        return
    own = [action for action in town.actions if action.actor == actor]
    for day in range(int(town.timing.duration_ms // DAY_MS)):
        low, high = day * DAY_MS, (day + 1) * DAY_MS
        slept_ms = sum(
            max(0, min(action.t1_ms, high) - max(action.t0_ms, low))
            for action in own
            if action.activity == "sleep" and action.refused is None
        )
        if own and slept_ms < NIGHT_MS:
            last = ([action for action in own if action.t0_ms < high] or own[:1])[-1]
            reason = f"day {day + 1}: {slept_ms / MINUTE_MS:.0f} minutes of sleep"
            yield "no sleep", last, last.t0_ms, reason
