"""The annotations and choices of a study, from its data."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence

from believable.analysis.data import Data, TraceLine
from believable.analysis.media import durations_ms, round_ms
from believable.analysis.plan import Plan
from believable.analysis.records import Drop
from believable.analysis.trace.clean import TOOLS, Annotation, Cleaning, Tool
from believable.core.errors import InvalidInput
from believable.study.outline import outline
from believable.study.records import Watch

#: What the final answers mean.
CHOICES: Mapping[str, int] = {"first": 1, "second": -1, "both": 0, "neither": 0}
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


def annotated(data: Data, plan: Plan) -> tuple[tuple[Annotation, ...], tuple[Drop, ...]]:
    """Every annotated round, in the order of sessions and rounds, and a row for those whose tool nobody knows."""
    lines = data.traces(*plan.roles["annotate"])
    tools = _tools(data, plan, lines)
    lengths = _durations(data, plan, lines)
    places: dict[str, int] = defaultdict(int)
    made: list[Annotation] = []
    drops: list[Drop] = []
    for line in lines:
        places[line.session] += 1
        tool = line.instrument if line.instrument in TOOLS else tools.get(line.session)
        if tool not in TOOLS:
            detail = f"expected one of {', '.join(TOOLS)}, got {tool!r}"
            drops.append(Drop(line.session, "trace", UNKNOWN_TOOL, detail, line.trial_key))
            continue
        made.append(
            Annotation(
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
    return tuple(made), tuple(drops)


def _choice(answer: str) -> int:
    if answer not in CHOICES:
        raise InvalidInput(
            f"preference: expected one of {', '.join(CHOICES)}, got {answer!r}."
            " Use the instrument `preference`, or a choice with these values."
        )
    return CHOICES[answer]


def _tools(data: Data, plan: Plan, lines: Sequence[TraceLine]) -> dict[str, Tool]:
    """The tool of each session, for traces that hold nothing: from its arm, its other traces, or the study."""
    found: dict[str, Tool] = {}
    only = _only_tool(data, plan)
    if only is not None:
        found = dict.fromkeys(data.sessions, only)
    arm = plan.role("tool")
    if arm is not None:
        levels = data.arm(arm)
        found |= {
            session: level for session, level in zip(data.sessions, levels, strict=True) if level in TOOLS
        }
    return found | {line.session: line.instrument for line in lines if line.instrument in TOOLS}


def _only_tool(data: Data, plan: Plan) -> Tool | None:
    if data.study is None:
        return None
    kinds = {
        entry.item.annotate.kind
        for entry in outline(data.study.timeline)
        if isinstance(entry.item, Watch)
        and entry.item.id in plan.roles["annotate"]
        and entry.item.annotate is not None
    }
    return next((tool for tool in TOOLS if kinds == {tool}), None)


def _durations(data: Data, plan: Plan, lines: Sequence[TraceLine]) -> dict[tuple[str, int], float]:
    """Of the medium, of the round, else the last moment anybody entered something on it."""
    media, played = durations_ms(data.bundle), round_ms(data, *plan.roles["round"])
    last: dict[str, float] = defaultdict(float)
    for line in lines:
        if len(line.media_ms):
            last[line.stimulus or ""] = max(last[line.stimulus or ""], float(line.media_ms.max()))
    step = float(plan.option("window_ms"))
    return {
        (line.session, line.position): media.get(line.stimulus or "")
        or played
        or max(step, math.ceil((last[line.stimulus or ""] + 1) / step) * step)
        for line in lines
    }
