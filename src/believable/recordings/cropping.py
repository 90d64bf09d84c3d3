"""The beginning of a recording, as a recording; and a part of a log of actions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from believable.core.errors import InvalidInput
from believable.recordings.actions import ActionLog, log_of
from believable.recordings.recording import Action, PlanStep, Recording, Track


def crop_recording(recording: Recording, frames: int) -> Recording:
    """The first `frames` of it. Actions in progress at the end are cut there; later ones are left
    out.
    """
    if not 1 <= frames <= recording.timing.frames:
        raise InvalidInput(f"crop: expected 1 to {recording.timing.frames} frames, got {frames}.")
    if frames == recording.timing.frames:
        return recording
    timing = replace(
        recording.timing,
        frames=frames,
        jumps=tuple(jump for jump in recording.timing.jumps if jump[0] < frames),
    )
    log = crop_log(log_of(recording), 0, timing.duration_ms)
    return replace(
        recording,
        timing=timing,
        tracks=tuple(
            _crop_track(track, frames) for track in recording.tracks if track.first_frame < frames
        ),
        actions=log.actions,
        plans=log.plans,
        telemetry={name: values[:frames] for name, values in recording.telemetry.items()},
        provenance={**recording.provenance, "cropped_from_frames": recording.timing.frames},
    )


def crop_log(log: ActionLog, from_ms: int, to_ms: int) -> ActionLog:
    """The actions and plans in this part, with times relative to its beginning."""

    def times(entry: Action | PlanStep) -> dict[str, Any]:
        return {
            "t0_ms": max(entry.t0_ms, from_ms) - from_ms,
            "t1_ms": min(entry.t1_ms, to_ms) - from_ms,
        }

    plans = [step for step in log.plans if step.t0_ms < to_ms and step.t1_ms > from_ms]
    kept = {step.id for step in plans}
    return replace(
        log,
        actions=tuple(
            replace(
                action, **times(action), serves=action.serves if action.serves in kept else None
            )
            for action in log.actions
            if action.t0_ms < to_ms and action.t1_ms > from_ms
        ),
        plans=tuple(
            replace(step, **times(step), parent=step.parent if step.parent in kept else None)
            for step in plans
        ),
    )


def _crop_track(track: Track, frames: int) -> Track:
    count = frames - track.first_frame
    return replace(
        track,
        x=track.x[:count],
        y=track.y[:count],
        heading=track.heading[:count],
        height=track.height[:count],
        pitch=track.pitch[:count],
        camera=track.camera[:count],
        states=tuple(state for state in track.states if state.frame < frames),
    )
