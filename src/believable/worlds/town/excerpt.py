"""Excerpts of a recording for viewers: one character, without the dull frames."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import accumulate, pairwise

from believable.core.errors import InvalidInput, NotFound
from believable.core.registry import did_you_mean
from believable.recordings.recording import Action, PlanStep, Recording, State, Track
from believable.worlds.town.clock import STEP_MS, STEPS_PER_DAY
from believable.worlds.town.excerpt_text import LogText, plan_text

#: Shown of a night before and after the part that is cut out; shorter sleep is no night.
NIGHT_STEPS = 18
MIN_NIGHT_STEPS = STEPS_PER_DAY // 12

Span = tuple[int, int]


def follow_actor(
    recording: Recording,
    person: str,
    *,
    max_minutes: float | None = None,
    frames: int | None = None,
) -> Recording:
    """Return the recording of one character: it is first in the list, only its actions and plans
    remain, and nights are cut out.

    With `max_minutes`, no action but a walk is shown for longer: its middle is cut out, and the day
    clock jumps. With `frames` as well, less is cut out, so that the excerpt has this many frames
    and its length does not reveal how many things were done. Plans and log are reworded for
    readers.
    """
    names = [actor.id for actor in recording.actors]
    if person not in names:
        raise NotFound(f"nobody is called {person!r}. {did_you_mean(person, names)}")
    order = sorted(range(len(names)), key=lambda number: names[number] != person)
    alone = replace(
        recording,
        actors=tuple(recording.actors[number] for number in order),
        tracks=tuple(recording.tracks[number] for number in order),
        actions=tuple(action for action in recording.actions if action.actor == person),
        plans=tuple(step for step in recording.plans if step.actor == person),
    )
    spans = nights = _find_nights(alone)
    if max_minutes is not None:
        spans = _join([*nights, *_find_middles(alone.actions, max_minutes)])
        if frames is not None:
            spans = _shorten(spans, nights, recording.timing.frames - frames)
    excerpt = cut_frames(alone, spans)
    log_text = LogText(recording.world)
    in_order = sorted(excerpt.plans, key=lambda step: (step.t0_ms, -step.t1_ms))
    return replace(
        excerpt,
        actions=tuple(map(log_text.reword, excerpt.actions)),
        plans=tuple(replace(step, text=plan_text(step)) for step in in_order),
    )


def _find_nights(recording: Recording) -> list[Span]:
    """Return the frames in the middle of each night's sleep."""
    sleeps: list[Span] = []
    for action in recording.actions:
        if action.activity == "sleep" and action.refused is None:
            first, last = action.t0_ms // STEP_MS, action.t1_ms // STEP_MS
            if sleeps and first - sleeps[-1][1] <= NIGHT_STEPS:
                first = sleeps.pop()[0]
            sleeps.append((first, last))
    frames = recording.timing.frames
    nights = (
        (0 if first == 0 else first + NIGHT_STEPS, frames if last >= frames else last - NIGHT_STEPS)
        for first, last in sleeps
    )
    return [(first, last) for first, last in nights if last - first >= MIN_NIGHT_STEPS]


def _find_middles(actions: Iterable[Action], max_minutes: float) -> list[Span]:
    """Return the frames in the middle of each long action. Walks are never cut: people would jump
    to another place.
    """
    half = max(1, round(max_minutes * 60_000 / STEP_MS / 2))
    spans = (
        (action.t0_ms // STEP_MS + half, action.t1_ms // STEP_MS - half)
        for action in actions
        if action.verb != "move-to"
    )
    return [(first, last) for first, last in spans if last > first]


def _join(spans: Iterable[Span]) -> list[Span]:
    """Return the spans in order, with overlapping ones as one."""
    joined: list[Span] = []
    for first, last in sorted(spans):
        if joined and first <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], last))
        else:
            joined.append((first, last))
    return joined


def _shorten(spans: Sequence[Span], nights: Sequence[Span], n_frames: int) -> list[Span]:
    """Return parts of the spans with `n_frames` in all. Nights stay whole; the others shrink around
    their middles, all by the same share.
    """
    whole = [
        span
        for span in spans
        if any(span[0] <= first and last <= span[1] for first, last in nights)
    ]
    others = [span for span in spans if span not in whole]
    most = sum(last - first for first, last in others)
    wanted = n_frames - sum(last - first for first, last in whole)
    if not 0 <= wanted <= most:
        raise InvalidInput(
            f"frames: {most} frames of the days can be left out, and {wanted} would have to be."
            " Show more of them."
        )
    ends = [0, *accumulate(last - first for first, last in others)]
    for (first, last), (before, after) in zip(others, pairwise(ends), strict=True):
        length = wanted * after // most - wanted * before // most
        start = first + (last - first - length) // 2
        whole.append((start, start + length))
    return sorted(span for span in whole if span[0] < span[1])


def cut_frames(recording: Recording, spans: Sequence[Span]) -> Recording:
    """Return the recording without these frames (in order, not overlapping). The day clock jumps
    over each of them.
    """
    if not spans:
        return recording
    timing = recording.timing
    starts = [first for first, _ in spans]
    cut_before = [0, *accumulate(last - first for first, last in spans)]

    def shift(frame: int) -> int:
        number = bisect_right(starts, frame)
        if number == 0:
            return frame
        first, last = spans[number - 1]
        return frame - cut_before[number - 1] - (min(frame, last) - first)

    def shift_ms(t_ms: int) -> int:
        return shift(t_ms // STEP_MS) * STEP_MS

    frames = shift(timing.frames)
    first_kept = [0, *(last for _, last in spans)]
    kept = list(zip(first_kept, [*starts, timing.frames], strict=True))
    start_ms = spans[0][1] * STEP_MS if spans[0][0] == 0 else 0
    start = datetime.fromisoformat(str(timing.simulated_start)) + timedelta(milliseconds=start_ms)
    return replace(
        recording,
        timing=replace(
            timing,
            frames=frames,
            simulated_start=start.isoformat(),
            jumps=tuple(
                (shift(first), (last - first) * STEP_MS)
                for first, last in spans
                if 0 < shift(first) < frames
            ),
        ),
        tracks=tuple(_cut_track(track, kept, shift, frames) for track in recording.tracks),
        actions=tuple(
            replace(action, t0_ms=shift_ms(action.t0_ms), t1_ms=shift_ms(action.t1_ms))
            for action in recording.actions
            if shift_ms(action.t1_ms) > shift_ms(action.t0_ms)
        ),
        plans=tuple(
            replace(step, t0_ms=shift_ms(step.t0_ms), t1_ms=shift_ms(step.t1_ms))
            for step in _keep_steps(recording.plans, shift_ms)
        ),
    )


def _keep_steps(plans: Sequence[PlanStep], shift_ms: Callable[[int], int]) -> Iterator[PlanStep]:
    """Yield days, steps of which something remains, and the steps that those belong to."""
    parents = {step.id: step.parent for step in plans}
    kept: set[str] = set()
    for step in plans:
        if step.level == 0 or shift_ms(step.t1_ms) > shift_ms(step.t0_ms):
            above: str | None = step.id
            while above is not None and above not in kept:
                kept.add(above)
                above = parents[above]
    return (step for step in plans if step.id in kept)


def _cut_track(
    track: Track, kept: Sequence[Span], shift: Callable[[int], int], frames: int
) -> Track:
    """Cut a track. If several states fall on one frame, the last one holds."""
    states = {(shift(state.frame), state.key): state.value for state in track.states}
    return replace(
        track,
        x=tuple(value for first, last in kept for value in track.x[first:last]),
        y=tuple(value for first, last in kept for value in track.y[first:last]),
        heading=tuple(value for first, last in kept for value in track.heading[first:last]),
        states=tuple(
            State(frame, key, value)
            for (frame, key), value in sorted(states.items())
            if frame < frames
        ),
    )
