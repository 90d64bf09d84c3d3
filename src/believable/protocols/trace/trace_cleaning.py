"""The annotations and choices of a study, and which of them stay: the published cleaning, every
drop with a reason.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from believable.analysis.data import Data, TraceLine, durations_ms, round_ms
from believable.analysis.findings import Drop, FlowStep
from believable.analysis.settled_plan import Plan
from believable.analysis.trace_windows import (
    CHOICES,
    MEASURES,
    PUBLISHED,
    Centre,
    Cleaning,
    TraceAnnotation,
    Windowed,
    count_windows,
    cut_windows,
    tool_title,
    trace_tools,
)
from believable.contracts.trial import outline
from believable.core.errors import InvalidInput
from believable.stats.inputs import FloatArray
from believable.traces import Outliers, consensus_outliers, inactive_outliers

INACTIVE = "inactive"
UNLIKE_OTHERS = "unlike_others"
NOT_TWO = "not_two_valid_traces"
NO_CHOICE = "no_final_answer"
#: The same for the funnel.
REASON_WORDS: Mapping[str, str] = {
    INACTIVE: "hardly any input",
    UNLIKE_OTHERS: "unlike all others",
    NOT_TWO: "had fewer than two valid traces",
    NO_CHOICE: "left the final question open",
}


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Pair:
    """One participant's two valid traces and final choice: 1 the first, −1 the second, 0 both or
    neither.
    """

    session: str
    tool: str
    first: Windowed
    second: Windowed
    choice: int


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CleanedTraces:
    """The remaining traces. `traces` are all valid ones (also of participants without two), `pairs`
    the correlated ones.
    """

    traces: tuple[Windowed, ...]
    pairs: tuple[Pair, ...]
    drops: tuple[Drop, ...]
    funnel: tuple[FlowStep, ...]
    #: Per tool: the distances to the untouched trace, and to all others of the rest.
    inactive: Mapping[str, Outliers]
    consensus: Mapping[str, Outliers]

    @property
    def tools(self) -> tuple[str, ...]:
        present = {trace.annotation.tool for trace in self.traces}
        return tuple(tool for tool in trace_tools() if tool in present)

    def pairs_of(self, tool: str) -> tuple[Pair, ...]:
        return tuple(pair for pair in self.pairs if pair.tool == tool)


def clean(
    annotations: Sequence[TraceAnnotation],
    choices: Mapping[str, int | None],
    cleaning: Cleaning = PUBLISHED,
) -> CleanedTraces:
    """Windows, outliers per tool, participants without two valid traces and a final choice; in this
    order.

    `choices` maps participants to 1, −1 or 0; None or absent is no answer.
    """
    everything, drops = cut_windows(annotations, cleaning)
    inactive: dict[str, Outliers] = {}
    consensus: dict[str, Outliers] = {}
    kept: list[Windowed] = []
    steps: list[FlowStep] = []
    rows = list(drops)
    for tool in trace_tools():
        mine = [trace for trace in everything if trace.annotation.tool == tool]
        if not mine:
            continue
        inactive[tool] = inactive_outliers([trace.judged for trace in mine], sd=cleaning.outlier_sd)
        rows += _drop(mine, inactive[tool], INACTIVE, "to the untouched trace")
        active = _keep(mine, inactive[tool])
        consensus[tool] = consensus_outliers(
            [trace.judged for trace in active], sd=cleaning.outlier_sd
        )
        rows += _drop(active, consensus[tool], UNLIKE_OTHERS, "to all other traces together")
        left = _keep(active, consensus[tool])
        steps += [
            FlowStep(
                title="Traces that were used",
                before=len(mine),
                after=len(active),
                reason=INACTIVE,
                branch=tool_title(tool),
                unit="traces",
            ),
            FlowStep(
                title="Traces like the others",
                before=len(active),
                after=len(left),
                reason=UNLIKE_OTHERS,
                branch=tool_title(tool),
                unit="traces",
            ),
        ]
        kept += left
    pairs, unpaired = _pair(everything, kept, choices)
    people = len({trace.annotation.session for trace in everything})
    without_two = sum(drop.reason == NOT_TWO for drop in unpaired)
    steps += [
        FlowStep(
            title="Participants with two valid traces",
            before=people,
            after=people - without_two,
            reason=NOT_TWO,
        ),
        FlowStep(
            title="Participants with a final choice",
            before=people - without_two,
            after=len(pairs),
            reason=NO_CHOICE,
        ),
    ]
    return CleanedTraces(
        traces=tuple(kept),
        pairs=pairs,
        drops=(*rows, *unpaired),
        funnel=tuple(steps),
        inactive=inactive,
        consensus=consensus,
    )


def _keep(traces: Sequence[Windowed], outliers: Outliers) -> list[Windowed]:
    return [trace for trace, stays in zip(traces, outliers.kept, strict=True) if stays]


def _drop(traces: Sequence[Windowed], outliers: Outliers, reason: str, where: str) -> list[Drop]:
    limits = f"below {outliers.low:.4g}" if outliers.low is not None else ""
    if outliers.low is not None and outliers.high is not None:
        limits = f"not from {outliers.low:.4g} to {outliers.high:.4g}"
    return [
        Drop(
            session=traces[index].annotation.session,
            level="trace",
            reason=reason,
            detail=f"{tool_title(traces[index].annotation.tool)}: distance"
            f" {outliers.distances[index]:.4g} {where}, {limits}",
            trial_key=traces[index].annotation.trial_key,
            branch=tool_title(traces[index].annotation.tool),
        )
        for index in outliers.dropped_indexes
    ]


def _pair(
    everything: Sequence[Windowed], kept: Sequence[Windowed], choices: Mapping[str, int | None]
) -> tuple[tuple[Pair, ...], list[Drop]]:
    valid: dict[str, list[Windowed]] = {trace.annotation.session: [] for trace in everything}
    for trace in kept:
        valid[trace.annotation.session].append(trace)
    pairs: list[Pair] = []
    drops: list[Drop] = []
    for session, mine in valid.items():
        ordered = sorted(mine, key=lambda trace: trace.annotation.place)
        choice = choices.get(session)
        if [trace.annotation.place for trace in ordered] != [1, 2]:
            drops.append(
                Drop(
                    session=session,
                    level="session",
                    reason=NOT_TWO,
                    detail=f"valid traces: {len(ordered)}; 2 are needed",
                )
            )
        elif choice is None:
            drops.append(
                Drop(
                    session=session,
                    level="session",
                    reason=NO_CHOICE,
                    detail="the final question was not answered",
                )
            )
        else:
            pairs.append(
                Pair(
                    session=session,
                    tool=ordered[0].annotation.tool,
                    first=ordered[0],
                    second=ordered[1],
                    choice=choice,
                )
            )
    return tuple(pairs), drops


def differences(pairs: Sequence[Pair], epsilon: float, centre: Centre) -> dict[str, FloatArray]:
    """Per participant: the measure of the first round minus that of the second."""
    first = count_windows([pair.first for pair in pairs], epsilon, centre)
    second = count_windows([pair.second for pair in pairs], epsilon, centre)
    return {name: first[name] - second[name] for name in MEASURES}


UNKNOWN_TOOL = "unknown_tool"


def cleaning_of(plan: Plan) -> Cleaning:
    return Cleaning(
        step_ms=float(plan.option("bin_ms")),
        window_ms=float(plan.option("window_ms")),
        btrace_window=plan.option("btrace_window"),
        outlier_sd=float(plan.option("outlier_sd")),
        least_full=float(plan.option("least_full")),
    )


def choices(data: Data) -> dict[str, int | None]:
    """1, −1 or 0 by session; None where the final question was not answered."""
    if not data.has("preference"):
        return dict.fromkeys(data.sessions)
    return {
        session: None if answer is None else _choice(str(answer))
        for session, answer in zip(data.sessions, data.text_by_session("preference"), strict=True)
    }


def annotated_rounds(
    data: Data, plan: Plan
) -> tuple[tuple[TraceAnnotation, ...], tuple[Drop, ...]]:
    """Every annotated round, in the order of sessions and rounds, and a row for those with an
    unknown tool.
    """
    lines = data.traces(*plan.roles["annotate"])
    tools = _tools(data, plan, lines)
    lengths = _durations(data, plan, lines)
    places: dict[str, int] = defaultdict(int)
    recorded: list[TraceAnnotation] = []
    drops: list[Drop] = []
    for line in lines:
        places[line.session] += 1
        tool = line.instrument if line.instrument in trace_tools() else tools.get(line.session)
        if tool not in trace_tools():
            detail = f"expected one of {', '.join(trace_tools())}, got {tool!r}"
            drops.append(
                Drop(
                    session=line.session,
                    level="trace",
                    reason=UNKNOWN_TOOL,
                    detail=detail,
                    trial_key=line.trial_key,
                )
            )
            continue
        recorded.append(
            TraceAnnotation(
                session=line.session,
                trial_key=line.trial_key,
                tool=tool,
                place=places[line.session],
                condition=line.condition or "",
                stimulus=line.stimulus or "",
                duration_ms=lengths[line.session, line.position],
                media_ms=line.media_ms,
                value=line.value,
            )
        )
    return tuple(recorded), tuple(drops)


def _choice(answer: str) -> int:
    if answer not in CHOICES:
        raise InvalidInput(
            f"preference: expected one of {', '.join(CHOICES)}, got {answer!r}."
            " Use the instrument `preference`, or a choice with these values."
        )
    return CHOICES[answer]


def _tools(data: Data, plan: Plan, lines: Sequence[TraceLine]) -> dict[str, str]:
    """The tool of each session, for traces that hold nothing: from its arm, its other traces, or
    the study.
    """
    by_session: dict[str, str] = {}
    only = _only_tool(data, plan)
    if only is not None:
        by_session = dict.fromkeys(data.sessions, only)
    arm = plan.role("tool")
    if arm is not None:
        levels = data.arm(arm)
        by_session |= {
            session: level
            for session, level in zip(data.sessions, levels, strict=True)
            if level in trace_tools()
        }
    return by_session | {
        line.session: line.instrument for line in lines if line.instrument in trace_tools()
    }


def _only_tool(data: Data, plan: Plan) -> str | None:
    if data.study is None:
        return None
    kinds = {
        entry.item.annotation.kind
        for entry in outline(data.study.timeline)
        if entry.item.plays_stimuli
        and entry.item.id in plan.roles["annotate"]
        and entry.item.annotation is not None
    }
    return next((tool for tool in trace_tools() if kinds == {tool}), None)


def _durations(data: Data, plan: Plan, lines: Sequence[TraceLine]) -> dict[tuple[str, int], float]:
    """Of the medium, of the round, else the last moment of any input to it."""
    media, played = durations_ms(data.bundle), round_ms(data, *plan.roles["round"])
    last: dict[str, float] = defaultdict(float)
    for line in lines:
        if len(line.media_ms):
            last[line.stimulus or ""] = max(last[line.stimulus or ""], float(line.media_ms.max()))
    step = float(plan.option("window_ms"))
    return {
        (line.session, line.position): (
            media.get(line.stimulus or "")
            or played
            or max(step, math.ceil((last[line.stimulus or ""] + 1) / step) * step)
        )
        for line in lines
    }
