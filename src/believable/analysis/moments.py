"""Where the moment is: traces, flags, actions and plan of each stimulus on one time line, and the
actions that broke belief.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from believable.analysis.data import OWN_ROUND, Data, TraceLine, durations_ms, logs
from believable.analysis.findings import LOOSE_CELL, Cell, Finding, Section, Table, Undefined
from believable.analysis.layouts import Layouts
from believable.analysis.numbers import counted, estimate_words
from believable.analysis.settled_plan import Plan
from believable.analysis.viewed_actions import (
    ActionFlag,
    BeliefBreak,
    LoggedActions,
    actions_by_stimulus,
    falls,
    flagged_share,
    flags_by_page,
    judge_actions,
    rank_actions,
    seeing_of,
    stretches_by_page,
)
from believable.bundle.read import ColumnTable
from believable.stats.estimate import Estimate, undefined
from believable.stats.inputs import FloatArray
from believable.traces import resample_all
from believable.traces.resample import row_normalised

LAYOUTS = Layouts(__file__)

BIN_MS = 250.0
#: Where a stimulus has no log of actions, stretches of this length take their place.
STRETCH_MS = 3000.0
#: The number of actions named in the text, and the number in the ranking of each stimulus.
NAMED, RANKED = 3, 10
#: Roles whose trials are tests or play, not stimuli that are judged.
_NOT_JUDGED = frozenset({"visual", "auditory", "round"})
#: A clip begins this long before its action, or this part of the whole before it if that is longer
#: (in time lapse).
_LEAD_MS, _LEAD_SHARE = 1000.0, 1 / 500


_NO_FLAGS = undefined(
    "nobody was asked to flag actions", method="share of viewers, Wilson interval", n=0
)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class StimulusTimeline:
    """Everything that is known about one stimulus. `words` describe its actions; `logged` says
    whether there is a log.
    """

    stimulus: str
    condition: str
    actions: LoggedActions
    words: tuple[str, ...]
    logged: bool
    traces: FloatArray
    flags: tuple[ActionFlag, ...]
    viewers: tuple[int, ...]
    flaggers: tuple[int, ...]

    @property
    def length_ms(self) -> float:
        return float(self.actions.to_ms.max(initial=0.0))

    def link(self, at_ms: float) -> str:
        return link(self.stimulus, at_ms, self.length_ms)


def moments(data: Data, plan: Plan, rng: np.random.Generator) -> tuple[Section, ...]:
    """One section, or none if no stimulus seen by several people was flagged or annotated."""
    joined = join(data, plan)
    flagging = any(timeline.flags for timeline in joined)
    tracing = any(timeline.traces.size for timeline in joined)
    breaks = {
        timeline.stimulus: rank_actions(
            [
                BeliefBreak(
                    place, _flag_share(timeline, place, plan.level) if flagging else _NO_FLAGS, fall
                )
                for place, fall in enumerate(
                    falls(timeline.traces, timeline.actions, bin_ms=BIN_MS, level=plan.level)
                )
            ]
        )
        for timeline in joined
    }
    if not joined:
        return ()
    plans = _plans(data)
    title = "Actions that broke belief" if flagging else "Actions on which traces fell"
    unit, unit_ms = _unit(max(timeline.length_ms for timeline in joined))
    tables = [
        _ranking(joined, breaks, plans, title, flagging=flagging, tracing=tracing),
        _spans(joined, plans, unit, unit_ms, flagging=flagging),
    ]
    happened, caption = "What happened", ""
    if flagging:
        happened += ", and what was flagged"
        caption = "Actions are coloured by the share of viewers who flagged them."
    charts = [LAYOUTS.chart("moments_timeline", title=happened, unit=unit, caption=caption)]
    if tracing:
        tables.append(_lines(joined))
        charts.insert(0, LAYOUTS.chart("moments_traces"))
    by_flags = "the lower bound of the share of viewers who flagged them"
    by_traces = (
        "how far traces fall while they go on: the mean of two seconds before against half a second"
        " after the beginning to two seconds after the end"
    )
    ways = [way for way, holds in ((by_flags, flagging), (by_traces, tracing)) if holds]
    words = f"Actions are ranked by {', then by '.join(ways)}."
    return (
        LAYOUTS.section(
            "moments",
            paragraphs=(words,),
            findings=_findings(joined, breaks),
            tables=tables,
            charts=charts,
        ),
    )


def _flag_share(timeline: StimulusTimeline, place: int, level: float) -> Estimate:
    return flagged_share(timeline.viewers[place], timeline.flaggers[place], level=level)


def join(data: Data, plan: Plan) -> tuple[StimulusTimeline, ...]:
    """The stimuli that were judged, in the order of the study. A person's own rounds are left out:
    no other person saw them.
    """
    trials = tuple(
        name
        for role in plan.declaration.roles
        if role.of == "trial" and role.name not in _NOT_JUDGED
        for name in plan.roles[role.name]
    )
    if not trials:
        return ()
    flags, _ = flags_by_page(data)
    # Who saw an action is asked where actions were flagged, and nowhere else.
    played = stretches_by_page(data)[0] if flags else {}
    logged, lengths = actions_by_stimulus(data), durations_ms(data.bundle)
    words, lines, seeing = _words(data), _lines_by_stimulus(data, trials), seeing_of(plan)
    timelines: list[StimulusTimeline] = []
    for stimulus, (condition, pages) in _pages(data, trials).items():
        own = lines.get(stimulus, [])
        listed = tuple(flag for page in pages for flag in flags.get(page, ()))
        if not own and not listed:
            continue
        length = lengths.get(stimulus) or _latest_ms(own, listed)
        actions = logged.get(stimulus) or _stretches(length)
        seen = [
            judge_actions(actions, played[page], flags.get(page, ()), seeing)
            for page in pages
            if page in played
        ]
        timelines.append(
            StimulusTimeline(
                stimulus=stimulus,
                condition=condition,
                actions=actions,
                words=tuple(words.get((stimulus, name), name) for name in actions.ids),
                logged=stimulus in logged,
                traces=_traces([(line.media_ms, line.value) for line in own], length),
                flags=listed,
                viewers=_people_per_action(actions, [judgement.viewed for judgement in seen]),
                flaggers=_people_per_action(
                    actions, [judgement.viewed & judgement.flagged for judgement in seen]
                ),
            )
        )
    order = {name: index for index, name in enumerate(data.stimuli)}
    return tuple(
        sorted(
            timelines,
            key=lambda timeline: (order.get(timeline.stimulus, len(order)), timeline.stimulus),
        )
    )


def _lines_by_stimulus(data: Data, trials: Sequence[str]) -> dict[str, list[TraceLine]]:
    """The traces of each stimulus that all people could see."""
    lines: defaultdict[str, list[TraceLine]] = defaultdict(list)
    for line in data.traces(*trials):
        if (
            line.stimulus is not None
            and len(line.media_ms)
            and not line.stimulus.startswith(OWN_ROUND)
        ):
            lines[line.stimulus].append(line)
    return lines


def _latest_ms(lines: Sequence[TraceLine], flags: Sequence[ActionFlag]) -> float:
    """A stimulus whose length is not known is taken to end just after the last thing said about
    it.
    """
    return max(
        [
            BIN_MS,
            *(float(line.media_ms.max()) + 1 for line in lines),
            *(flag.media_ms + 1 for flag in flags),
        ]
    )


def _people_per_action(
    actions: LoggedActions, judgements: Sequence[NDArray[np.bool_]]
) -> tuple[int, ...]:
    return tuple(np.sum(judgements, axis=0).tolist()) if judgements else (0,) * len(actions)


def _pages(data: Data, trials: Sequence[str]) -> dict[str, tuple[str, list[tuple[str, int]]]]:
    """Each stimulus with its condition and the pages, by session and position, that showed it."""
    table = data.table("trials")
    pages: dict[str, tuple[str, list[tuple[str, int]]]] = {}
    for row in np.flatnonzero(np.isin(table["trial"].values.astype(str), list(trials))).tolist():
        stimulus = table["stimulus"].values[row]
        if stimulus is None or str(stimulus).startswith(OWN_ROUND):
            continue
        condition = str(table["condition"].values[row] or "")
        page = str(table["session"].values[row]), int(table["position"].values[row])
        pages.setdefault(str(stimulus), (condition, []))[1].append(page)
    return pages


def _stretches(length_ms: float) -> LoggedActions:
    starts = np.arange(0, length_ms, STRETCH_MS)
    ends = np.minimum(starts + STRETCH_MS, length_ms)
    return LoggedActions(tuple(f"{start / 1000:g} s" for start in starts), starts, ends)


def _traces(recorded: Sequence[tuple[FloatArray, FloatArray]], length_ms: float) -> FloatArray:
    """Annotators × bins, each from 0 to 1; a trace that never moved says nothing about moments."""
    if not recorded:
        return np.empty((0, 0))
    owner = np.repeat(np.arange(len(recorded)), [len(times) for times, _ in recorded])
    times = np.concatenate([media_ms for media_ms, _ in recorded])
    values = np.concatenate([value for _, value in recorded])
    inside = (times >= 0) & (times < length_ms)
    grid = resample_all(
        owner[inside],
        times[inside],
        values[inside],
        traces=len(recorded),
        step_ms=BIN_MS,
        duration_ms=length_ms,
    )
    moved = grid[grid.min(axis=1) < grid.max(axis=1)]
    return row_normalised(moved) if len(moved) else np.empty((0, 0))


def _words(data: Data) -> dict[tuple[str, str], str]:
    """What each action is, in the words that viewers read where the log has any."""
    words: dict[tuple[str, str], str] = {}
    for row in data.table("actions").rows():
        named = [row["text"]] if row["text"] else [row["verb"], row["object"]]
        parts = [*named, f"({row['place']})" if row["place"] else None]
        text = " ".join(str(part) for part in parts if part) or str(row["action"])
        words[str(row["stimulus"]), str(row["action"])] = text
    return words


def _plans(data: Data) -> Mapping[str, list[tuple[int, float, float, str]]]:
    """Per stimulus the steps of its plan: level, from, to, words; of the version that the
    definition names.
    """
    if "plans" not in data.bundle.tables:
        return {}
    table: ColumnTable = data.table("plans")
    current = logs(data.bundle)
    plans: dict[str, list[tuple[int, float, float, str]]] = defaultdict(list)
    for row in table.rows():
        stimulus = str(row["stimulus"])
        if current.get(stimulus, row["log"]) == row["log"]:
            step = (
                int(row["level"] or 0),
                float(row["from_ms"] or 0),
                float(row["to_ms"] or 0),
                str(row["text"] or ""),
            )
            plans[stimulus].append(step)
    return plans


def _plan_at(steps: Sequence[tuple[int, float, float, str]], at_ms: float) -> str | None:
    """The most detailed step of the plan in progress at that moment."""
    going = [step for step in steps if step[1] <= at_ms < step[2]]
    return max(going)[3] if going else None


def link(stimulus: str, at_ms: float, length_ms: float = 0.0) -> str:
    """The moment shortly before, which shows how the situation arises."""
    return f"stimulus:{stimulus}@{max(0, round(at_ms - max(_LEAD_MS, length_ms * _LEAD_SHARE)))}"


def _ranking(
    joined: Sequence[StimulusTimeline],
    breaks: Mapping[str, Sequence[BeliefBreak]],
    plans: Mapping[str, list[tuple[int, float, float, str]]],
    title: str,
    *,
    flagging: bool,
    tracing: bool,
) -> Table:
    """The first of each stimulus; without columns about flags, or about traces, if the study did
    not ask for them.
    """
    rows: list[Sequence[LOOSE_CELL]] = []
    left_out = [] if flagging else ["viewers", "flagged", "share", "ci_low", "ci_high"]
    left_out += [] if tracing else ["fall", "fall_low", "fall_high"]
    for timeline in joined:
        steps = plans.get(timeline.stimulus, [])
        for rank, broke in enumerate(_worth_naming(breaks[timeline.stimulus]), start=1):
            place, begin = broke.action, float(timeline.actions.from_ms[broke.action])
            row: dict[str, Cell] = {
                "stimulus": timeline.stimulus,
                "condition": timeline.condition or None,
                "rank": rank,
                "action": timeline.actions.ids[place],
                "what": timeline.words[place],
                "planned": _plan_at(steps, begin),
                "at": clock(begin),
                "from_s": begin / 1000,
                "to_s": float(timeline.actions.to_ms[place]) / 1000,
                "viewers": timeline.viewers[place],
                "flagged": timeline.flaggers[place],
                "share": broke.flagged.value,
                "ci_low": broke.flagged.low,
                "ci_high": broke.flagged.high,
                "fall": broke.fall.value,
                "fall_low": broke.fall.low,
                "fall_high": broke.fall.high,
                "link": timeline.link(begin),
            }
            row = {name: cell for name, cell in row.items() if name not in left_out}
            reasons = dict.fromkeys(("share", "ci_low", "ci_high"), broke.flagged.reason)
            reasons |= dict.fromkeys(("fall", "fall_low", "fall_high"), broke.fall.reason)
            reasons |= {
                "planned": "no step of a plan goes on",
                "condition": "the stimulus has none",
            }
            rows.append(
                [
                    Undefined(reasons.get(name) or "undefined") if cell is None else cell
                    for name, cell in row.items()
                ]
            )
    return LAYOUTS.table("moments", rows, left_out=left_out, title=title, ranked=RANKED)


def _worth_naming(breaks: Sequence[BeliefBreak]) -> list[BeliefBreak]:
    """The first of the ranking with at least one flag, or on which traces fell."""
    return [
        broke
        for broke in breaks
        if (broke.flagged.value or 0) > 0 or (broke.fall.value is not None and broke.fall.value > 0)
    ][:RANKED]


def _unit(length_ms: float) -> tuple[str, float]:
    """The unit of a time axis: seconds, minutes or hours."""
    if length_ms > 3 * 3_600_000:
        return "h", 3_600_000.0
    return ("min", 60_000.0) if length_ms > 15 * 60_000 else ("s", 1000.0)


def clock(at_ms: float) -> str:
    """`0:07.3` for short recordings, `10:40:00` for a day."""
    seconds = at_ms / 1000
    if seconds < 3600:
        return f"{int(seconds // 60)}:{seconds % 60:04.1f}"
    return f"{int(seconds // 3600)}:{int(seconds // 60) % 60:02}:{int(seconds) % 60:02}"


def _spans(
    joined: Sequence[StimulusTimeline],
    plans: Mapping[str, list[tuple[int, float, float, str]]],
    unit: str,
    unit_ms: float,
    *,
    flagging: bool,
) -> Table:
    """Lanes of the time line: the plan by level, the actions, the flags."""
    rows: list[tuple[Cell, ...]] = []
    for timeline in joined:
        lanes: list[tuple[str, float, float, float | None, str]] = [
            (f"plan, level {level + 1}", begin, end, None, text)
            for level, begin, end, text in plans.get(timeline.stimulus, [])
        ]
        for place, words in enumerate(timeline.words):
            asked = flagging and timeline.viewers[place]
            share = timeline.flaggers[place] / timeline.viewers[place] if asked else None
            begin, end = (
                float(timeline.actions.from_ms[place]),
                float(timeline.actions.to_ms[place]),
            )
            lanes.append(("actions" if timeline.logged else "stretches", begin, end, share, words))
        width = max(STRETCH_MS / 6, timeline.length_ms / 200)
        moments_ms = Counter(flag.media_ms // width * width for flag in timeline.flags)
        lanes += [
            ("flags", moment, moment + width, None, counted(count, "flag"))
            for moment, count in sorted(moments_ms.items())
        ]
        rows += [
            (
                timeline.stimulus,
                lane,
                begin / unit_ms,
                end / unit_ms,
                share,
                words,
                clock(begin),
                timeline.link(begin),
            )
            for lane, begin, end, share, words in lanes
        ]
    return LAYOUTS.table("moments_timeline", rows, unit=unit)


def _lines(joined: Sequence[StimulusTimeline]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for timeline in joined:
        if not timeline.traces.size:
            continue
        mean = timeline.traces.mean(axis=0)
        low, high = np.quantile(timeline.traces, [0.25, 0.75], axis=0)
        rows += [
            (
                timeline.stimulus,
                index * BIN_MS / 1000,
                float(mean[index]),
                float(low[index]),
                float(high[index]),
                len(timeline.traces),
            )
            for index in range(len(mean))
        ]
    return LAYOUTS.table("moments_traces", rows)


def _findings(
    joined: Sequence[StimulusTimeline], breaks: Mapping[str, Sequence[BeliefBreak]]
) -> tuple[Finding, ...]:
    """The worst actions of all, by name."""
    everything = [
        (timeline, broke)
        for timeline in joined
        for broke in _worth_naming(breaks[timeline.stimulus])
    ]
    worst = sorted(everything, key=lambda pair: tuple(-part for part in pair[1].key))[:NAMED]
    findings = []
    for timeline, broke in worst:
        begin = float(timeline.actions.from_ms[broke.action])
        flagged = (
            f"flagged by {timeline.flaggers[broke.action]} of {timeline.viewers[broke.action]}"
            f" viewers, {estimate_words(broke.flagged)}"
            if timeline.viewers[broke.action] and broke.flagged.value is not None
            else ""
        )
        fell = (
            f"traces fall by {estimate_words(broke.fall)}" if broke.fall.value is not None else ""
        )
        said = "; ".join(part for part in (flagged, fell) if part)
        findings.append(
            Finding(
                outcome="moments",
                title=f"{timeline.stimulus}, {clock(begin)}",
                sentence=f"{timeline.words[broke.action]}"
                f" ({timeline.stimulus}, {clock(begin)}): {said}.",
                estimate=broke.flagged if timeline.flaggers[broke.action] else broke.fall,
            )
        )
    return tuple(findings)
