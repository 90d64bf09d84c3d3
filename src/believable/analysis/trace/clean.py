"""From recorded annotations to window values, and which of them stay: the published cleaning, every drop with a reason."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from believable.analysis.records import Drop, Step
from believable.core.errors import InvalidInput
from believable.stats.inputs import FloatArray
from believable.traces import (
    Outliers,
    btrace_values,
    consensus_outliers,
    inactive_outliers,
    normalise,
    resample_all,
    windows,
)

Tool = Literal["ranktrace", "btrace", "gtrace"]
TOOLS: tuple[Tool, ...] = ("ranktrace", "btrace", "gtrace")
BtraceRule = Literal["sign", "mean", "minmax"]

TOOL_NAMES: Mapping[Tool, str] = {"ranktrace": "RankTrace", "btrace": "BTrace", "gtrace": "GTrace"}
#: Reasons of drops, as they are counted.
PAST_THE_END = "events_past_the_end"
INACTIVE = "inactive"
UNLIKE_OTHERS = "unlike_others"
NOT_TWO = "not_two_valid_traces"
NO_CHOICE = "no_final_answer"
#: The same for the funnel.
REASON_WORDS: Mapping[str, str] = {
    INACTIVE: "{tool} traces with hardly any input",
    UNLIKE_OTHERS: "{tool} traces unlike all others",
    NOT_TWO: "had fewer than two valid traces",
    NO_CHOICE: "left the final question open",
}


@dataclass(frozen=True, slots=True)
class Cleaning:
    """The parameters of the cleaning, with the published values."""

    step_ms: float = 250
    window_ms: float = 3000
    btrace_window: BtraceRule = "sign"
    outlier_sd: float = 2.0
    least_full: float = 0.5

    @property
    def per_window(self) -> int:
        per = self.window_ms / self.step_ms
        if per < 1 or per != int(per):
            raise InvalidInput(
                f"window_ms: expected a multiple of step_ms ({self.step_ms:g}), got {self.window_ms:g}."
            )
        return int(per)


PUBLISHED = Cleaning()


@dataclass(frozen=True, slots=True, eq=False)
class Annotation:
    """What one person recorded about one round. `place` is 1 for the first round, 2 for the second, and so on."""

    session: str
    trial_key: str
    tool: Tool
    place: int
    condition: str
    stimulus: str
    duration_ms: float
    media_ms: FloatArray
    value: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Windowed:
    """An annotation in windows.

    raw     window means on the tool's own scale
    judged  what outliers are found on: RankTrace from 0 to 1 with a constant trace at 0, BTrace and GTrace in [−1, 1]
    values  0 to 1, what is counted and drawn
    """

    annotation: Annotation
    raw: FloatArray
    judged: FloatArray
    values: FloatArray
    lost_events: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """One participant's two valid traces and final choice: 1 the first, −1 the second, 0 both or neither."""

    session: str
    tool: Tool
    first: Windowed
    second: Windowed
    choice: int


@dataclass(frozen=True, slots=True, eq=False)
class Cleaned:
    """What is left. `traces` are all valid ones (also of participants without two), `pairs` what is correlated."""

    traces: tuple[Windowed, ...]
    pairs: tuple[Pair, ...]
    drops: tuple[Drop, ...]
    funnel: tuple[Step, ...]
    #: Per tool: the distances to the untouched trace, and to all others of the rest.
    inactive: Mapping[Tool, Outliers]
    consensus: Mapping[Tool, Outliers]

    @property
    def tools(self) -> tuple[Tool, ...]:
        found = {trace.annotation.tool for trace in self.traces}
        return tuple(tool for tool in TOOLS if tool in found)

    def pairs_of(self, tool: Tool) -> tuple[Pair, ...]:
        return tuple(pair for pair in self.pairs if pair.tool == tool)


def windowed(
    annotations: Sequence[Annotation], cleaning: Cleaning = PUBLISHED
) -> tuple[tuple[Windowed, ...], tuple[Drop, ...]]:
    """Every annotation in windows, in the order given, and a row for those with events after the end of their stimulus.

    An event at the very end (browsers report the duration itself) belongs to the last bin. One that lies further out was made on
    something else: it is left out and counted.
    """
    groups: dict[tuple[Tool, float], list[int]] = defaultdict(list)
    for index, annotation in enumerate(annotations):
        groups[annotation.tool, annotation.duration_ms].append(index)
    made: dict[int, Windowed] = {}
    for (tool, duration_ms), members in groups.items():
        grid, lost = _binned([annotations[index] for index in members], tool, duration_ms, cleaning)
        for row, index in enumerate(members):
            made[index] = _scaled(annotations[index], grid[row], int(lost[row]), cleaning)
    found = tuple(made[index] for index in range(len(annotations)))
    drops = tuple(
        Drop(
            one.annotation.session,
            "answer",
            PAST_THE_END,
            f"{one.lost_events} event(s) after the end of the stimulus ({one.annotation.duration_ms:g} ms)",
            one.annotation.trial_key,
        )
        for one in found
        if one.lost_events
    )
    return found, drops


def clean(
    annotations: Sequence[Annotation],
    choices: Mapping[str, int | None],
    cleaning: Cleaning = PUBLISHED,
    *,
    workers: int | None = None,
) -> Cleaned:
    """Windows, outliers per tool, participants without two valid traces and a final choice; in this order.

    `choices` maps participants to 1, −1 or 0; None or absent is no answer.
    """
    everything, drops = windowed(annotations, cleaning)
    inactive: dict[Tool, Outliers] = {}
    consensus: dict[Tool, Outliers] = {}
    kept: list[Windowed] = []
    steps: list[Step] = []
    rows = list(drops)
    for tool in TOOLS:
        mine = [one for one in everything if one.annotation.tool == tool]
        if not mine:
            continue
        inactive[tool] = inactive_outliers([one.judged for one in mine], sd=cleaning.outlier_sd)
        rows += _dropped(mine, inactive[tool], INACTIVE, "to the untouched trace")
        active = _kept(mine, inactive[tool])
        consensus[tool] = consensus_outliers(
            [one.judged for one in active], sd=cleaning.outlier_sd, workers=workers
        )
        rows += _dropped(active, consensus[tool], UNLIKE_OTHERS, "to all other traces together")
        left = _kept(active, consensus[tool])
        steps += [
            Step(f"{TOOL_NAMES[tool]}: traces that were used", len(mine), len(active), INACTIVE),
            Step(f"{TOOL_NAMES[tool]}: traces like the others", len(active), len(left), UNLIKE_OTHERS),
        ]
        kept += left
    pairs, unpaired = _paired(everything, kept, choices)
    people = len({one.annotation.session for one in everything})
    without_two = sum(drop.reason == NOT_TWO for drop in unpaired)
    steps += [
        Step("Participants with two valid traces", people, people - without_two, NOT_TWO),
        Step("Participants with a final choice", people - without_two, len(pairs), NO_CHOICE),
    ]
    return Cleaned(tuple(kept), pairs, (*rows, *unpaired), tuple(steps), inactive, consensus)


def _binned(
    annotations: Sequence[Annotation], tool: Tool, duration_ms: float, cleaning: Cleaning
) -> tuple[FloatArray, np.ndarray[tuple[int], np.dtype[np.int64]]]:
    sizes = [len(one.media_ms) for one in annotations]
    owner = np.repeat(np.arange(len(annotations)), sizes)
    times = np.concatenate([one.media_ms for one in annotations]) if annotations else np.empty(0)
    values = np.concatenate([one.value for one in annotations]) if annotations else np.empty(0)
    end_ms = math.ceil(duration_ms / cleaning.step_ms) * cleaning.step_ms
    inside = (times >= 0) & (times < end_ms + cleaning.step_ms)
    lost = np.bincount(owner[~inside], minlength=len(annotations))
    grid = resample_all(
        owner[inside],
        np.minimum(times[inside], np.nextafter(end_ms, 0.0)),
        values[inside],
        traces=len(annotations),
        step_ms=cleaning.step_ms,
        duration_ms=duration_ms,
        fill="zero" if tool == "btrace" else "hold",
    )
    return grid, lost


def _scaled(annotation: Annotation, bins: FloatArray, lost: int, cleaning: Cleaning) -> Windowed:
    raw = _windows(bins, cleaning)
    if annotation.tool == "ranktrace":
        return Windowed(annotation, raw, normalise(raw), normalise(raw, constant=0.5), lost)
    if annotation.tool == "gtrace":
        return Windowed(annotation, raw, raw, (raw + 1) / 2, lost)
    judged = np.sign(raw) if cleaning.btrace_window == "sign" else raw
    return Windowed(annotation, raw, judged, btrace_values(raw, rule=cleaning.btrace_window), lost)


def _windows(bins: FloatArray, cleaning: Cleaning) -> FloatArray:
    """Window means; the last window may be partial where it is full enough."""
    rest = len(bins) % cleaning.per_window
    if rest and len(bins) > rest and rest < cleaning.least_full * cleaning.per_window:
        bins = bins[:-rest]
    elif rest and 2 * rest < cleaning.per_window:
        # `windows` would leave out what is less than half full.
        return np.append(windows(bins[:-rest], per=cleaning.per_window), bins[-rest:].mean())
    return windows(bins, per=cleaning.per_window)


def _kept(traces: Sequence[Windowed], found: Outliers) -> list[Windowed]:
    return [one for one, stays in zip(traces, found.kept, strict=True) if stays]


def _dropped(traces: Sequence[Windowed], found: Outliers, reason: str, where: str) -> list[Drop]:
    limits = f"below {found.low:.4g}" if found.low is not None else ""
    if found.low is not None and found.high is not None:
        limits = f"not from {found.low:.4g} to {found.high:.4g}"
    return [
        Drop(
            traces[index].annotation.session,
            "trace",
            reason,
            f"{TOOL_NAMES[traces[index].annotation.tool]}: distance {found.distances[index]:.4g} {where}, {limits}",
            traces[index].annotation.trial_key,
        )
        for index in found.dropped
    ]


def _paired(
    everything: Sequence[Windowed], kept: Sequence[Windowed], choices: Mapping[str, int | None]
) -> tuple[tuple[Pair, ...], list[Drop]]:
    valid: dict[str, list[Windowed]] = {one.annotation.session: [] for one in everything}
    for one in kept:
        valid[one.annotation.session].append(one)
    pairs: list[Pair] = []
    drops: list[Drop] = []
    for session, mine in valid.items():
        ordered = sorted(mine, key=lambda one: one.annotation.place)
        choice = choices.get(session)
        if [one.annotation.place for one in ordered] != [1, 2]:
            drops.append(Drop(session, "session", NOT_TWO, f"{len(ordered)} valid trace(s), 2 are needed"))
        elif choice is None:
            drops.append(Drop(session, "session", NO_CHOICE, "the final question was not answered"))
        else:
            pairs.append(Pair(session, ordered[0].annotation.tool, ordered[0], ordered[1], choice))
    return tuple(pairs), drops
