"""The contents of a recording: places, objects, people and time."""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from believable.recordings.recording import UNITS_PER_TILE, Action, PlanStep, Recording

MINUTE_MS = 60_000
#: Grace before and after the time of an intention.
EARLY_MS, LATE_MS = 45 * MINUTE_MS, 90 * MINUTE_MS


class ReplayedTown:
    """The recording, indexed."""

    def __init__(self, recording: Recording) -> None:
        self.recording, self.timing = recording, recording.timing
        self.places = {place.id: place for place in recording.world.places}
        self.objects = {thing.id: thing for thing in recording.world.objects}
        self.tracks = {track.actor: track for track in recording.tracks}
        self.actors = {actor.id: actor for actor in recording.actors}
        self.plans = {step.id: step for step in recording.plans}
        self.actions = sorted(recording.actions, key=lambda action: (action.t0_ms, action.t1_ms))
        start = datetime.fromisoformat(self.timing.simulated_start or "2000-01-01T00:00:00")
        self._start_minute = start.hour * 60 + start.minute
        simulated_ms = self.timing.simulated_ms_per_frame or self.timing.frame_ms
        #: Simulated time per time of the recording.
        self.pace = simulated_ms / self.timing.frame_ms
        done = [action for action in self.actions if action.refused is None]
        self.spoken = [action for action in done if action.verb == "speak"]
        self.uses: dict[str, list[Action]] = defaultdict(list)
        for action in done:
            if action.verb == "use" and action.object:
                self.uses[action.object].append(action)

    def name_skipped(self) -> Iterator[str]:
        """Name the checks that the recording does not allow."""
        if not self.objects:
            yield "no objects in the recording: reach, capacity, switches and doors are not checked"
        if not any(action.activity for action in self.actions):
            yield (
                "no activities in the recording: hours, durations, meals and what they take are not"
                " checked"
            )
        if not any(place.facts for place in self.places.values()):
            yield "no facts about places: opening hours, homes and staff rooms are not checked"
        if not any(action.serves for action in self.actions):
            yield "no action says which plan step it serves: goals are not checked"
        if not any(step.activity for step in self.plans.values()):
            yield "no intention says what would fulfil it: none is counted"

    def building_of(self, place: str | None) -> str | None:
        known = self.places.get(place or "")
        return known.parent or known.id if known else None

    def facts(self, place: str | None) -> Mapping[str, Any]:
        known = self.places.get(place or "")
        return known.facts if known else {}

    def is_home(self, building: str | None) -> bool:
        return self.facts(building).get("kind") == "home"

    def members(self, place: str | None, role: str) -> list[str]:
        """Return the `residents` or `staff` of a place."""
        return str(self.facts(place).get(role, "")).split()

    def minute(self, t_ms: float) -> float:
        """Return the minute of the day."""
        frame_ms = self.timing.frame_ms
        jumped = sum(ms for frame, ms in self.timing.jumps if frame * frame_ms <= t_ms)
        return (self._start_minute + (t_ms * self.pace + jumped) / MINUTE_MS) % 1440

    def duration_ms(self, action: Action) -> float:
        return (action.t1_ms - action.t0_ms) * self.pace

    def tile(self, actor: str, t_ms: float) -> tuple[int, int] | None:
        track = self.tracks.get(actor)
        if track is None or not track.x:
            return None
        frame = round(t_ms / self.timing.frame_ms) - track.first_frame
        frame = min(max(frame, 0), len(track.x) - 1)
        return track.x[frame] // UNITS_PER_TILE, track.y[frame] // UNITS_PER_TILE

    def room_of(self, actor: str, t_ms: float) -> str | None:
        tile = self.tile(actor, t_ms)
        return None if tile is None else self._rooms.get(tile)

    @functools.cached_property
    def _rooms(self) -> dict[tuple[int, int], str]:
        inner_last = sorted(self.places.values(), key=lambda place: place.parent is not None)
        return {
            (column, row): place.id
            for place in inner_last
            for x, y, w, h in place.rects
            for column in range(x, x + w)
            for row in range(y, y + h)
        }

    def is_fulfilled(self, step: PlanStep) -> bool:
        """Return whether one of its activities was done in its place, about its time."""
        wanted = (step.activity or "").split()
        return any(
            action.actor == step.actor
            and action.activity in wanted
            and action.refused is None
            and action.t0_ms <= step.t1_ms + LATE_MS
            and action.t1_ms >= step.t0_ms - EARLY_MS
            and (step.place is None or step.place in (action.place, self.building_of(action.place)))
            for action in self.actions
        )
