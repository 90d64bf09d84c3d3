"""Where the moment is: traces, flags, actions and plan of each stimulus on one time line, and the actions that broke belief."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from believable.analysis.data import Data
from believable.analysis.media import OWN_ROUND, durations_ms, logs
from believable.analysis.moments.breaks import Break, falls, flagged_share, ranked
from believable.analysis.plan import Plan
from believable.analysis.records import Cell, Chart, Column, Finding, Section, Table
from believable.analysis.replay.collect import (
    actions_by_stimulus,
    flags_by_page,
    seeing_of,
    stretches_by_page,
)
from believable.analysis.replay.viewed import PUBLISHED, Actions, Flag, judged
from believable.analysis.words import counted, estimate_words
from believable.bundle.read import ColumnTable
from believable.stats.estimate import Estimate, undefined
from believable.stats.inputs import FloatArray
from believable.traces import normalise, resample_all

BIN_MS = 250.0
#: Where a stimulus has no log of actions, stretches of this length take their place.
STRETCH_MS = 3000.0
#: So many actions are named in the text, and so many stand in the ranking of each stimulus.
NAMED, RANKED = 3, 10
#: Roles whose trials are tests or play, not stimuli that are judged.
_NOT_JUDGED = frozenset({"visual", "auditory", "round"})
#: A clip begins this long before its action, or this part of the whole before it where that is longer (in time lapse).
_LEAD_MS, _LEAD_SHARE = 1000.0, 1 / 500


_NO_FLAGS = undefined("nobody was asked to flag actions", method="share of viewers, Wilson interval", n=0)


@dataclass(frozen=True, slots=True, eq=False)
class Joined:
    """Everything that is known about one stimulus. `words` describe its actions; `logged` says whether there is a log."""

    stimulus: str
    condition: str
    actions: Actions
    words: tuple[str, ...]
    logged: bool
    traces: FloatArray
    flags: tuple[Flag, ...]
    viewers: tuple[int, ...]
    flaggers: tuple[int, ...]

    @property
    def length_ms(self) -> float:
        return float(self.actions.to_ms.max(initial=0.0))

    def link(self, at_ms: float) -> str:
        return link(self.stimulus, at_ms, self.length_ms)


def moments(data: Data, plan: Plan, rng: np.random.Generator) -> tuple[Section, ...]:
    """One section, or none where nothing was flagged or annotated on a stimulus that several people saw."""
    joined = join(data, plan)
    flagging = any(one.flags for one in joined)
    found = {
        one.stimulus: ranked(
            [
                Break(place, _flagged(one, place, plan.level) if flagging else _NO_FLAGS, fall)
                for place, fall in enumerate(falls(one.traces, one.actions, bin_ms=BIN_MS, level=plan.level))
            ]
        )
        for one in joined
    }
    if not joined:
        return ()
    plans = _plans(data)
    title = "Actions that broke belief" if flagging else "Actions on which traces fell"
    unit, unit_ms = _unit(max(one.length_ms for one in joined))
    tables = [_ranking(joined, found, plans, title), _spans(joined, plans, unit, unit_ms, flagging=flagging)]
    charts = [
        Chart(
            "moments_timeline", "What happened, and what was flagged" if flagging else "What happened", "spans",
            "moments_timeline",
            {"lane": "lane", "from": "begin", "to": "end", "value": "share", "label": "label", "link": "link",
             "facet": "stimulus"},
            f"time ({unit})", "",
            ("Actions are coloured by the share of viewers who flagged them. " if flagging else "") + "A click opens the clip.",
        )
    ]  # fmt: skip
    if any(one.traces.size for one in joined):
        tables.append(_lines(joined))
        charts.insert(
            0,
            Chart(
                "moments_traces", "Mean traces", "lines", "moments_traces",
                {"x": "time_s", "y": "mean", "low": "low", "high": "high", "facet": "stimulus"}, "time (s)",
                "from lowest to highest", "The band spans the middle half of the annotators.", y_range=(0.0, 1.0),
            ),
        )  # fmt: skip
    words = (
        "Actions are ranked by the lower bound of the share of viewers who flagged them, then by how far traces fall while they "
        "go on: the mean of two seconds before against half a second after the beginning to two seconds after the end."
    )
    return (
        Section(
            "moments", "Where the moment is", (words,), _findings(joined, found), tuple(tables), tuple(charts), "exploratory"
        ),
    )  # fmt: skip


def _flagged(one: Joined, place: int, level: float) -> Estimate:
    return flagged_share(one.viewers[place], one.flaggers[place], level=level)


def join(data: Data, plan: Plan) -> tuple[Joined, ...]:
    """The stimuli that were judged, in the order of the study. A person's own rounds are left out: nobody else saw them."""
    trials = tuple(
        name
        for role in plan.declaration.roles
        if role.of == "trial" and role.name not in _NOT_JUDGED
        for name in plan.roles[role.name]
    )
    if not trials:
        return ()
    pages = _pages(data, trials)
    played, _ = stretches_by_page(data)
    flags, _ = flags_by_page(data)
    logged, lengths = actions_by_stimulus(data), durations_ms(data.bundle)
    words = _words(data)
    seeing = seeing_of(plan) if plan.protocol == "replay" else PUBLISHED
    lines = defaultdict(list)
    for line in data.traces(*trials):
        if line.stimulus is not None and len(line.media_ms) and not line.stimulus.startswith(OWN_ROUND):
            lines[line.stimulus].append(line)
    found: list[Joined] = []
    for stimulus, (condition, where) in pages.items():
        own = lines.get(stimulus, [])
        listed = tuple(flag for key in where for flag in flags.get(key, ()))
        if not own and not listed:
            continue
        length = lengths.get(stimulus) or max(
            [
                BIN_MS,
                *(float(line.media_ms.max()) + 1 for line in own),
                *(flag.media_ms + 1 for flag in listed),
            ]
        )
        actions = logged.get(stimulus) or _stretches(length)
        seen = [judged(actions, played[key], flags.get(key, ()), seeing) for key in where if key in played]
        found.append(
            Joined(
                stimulus,
                condition,
                actions,
                tuple(words.get((stimulus, name), name) for name in actions.ids),
                stimulus in logged,
                _traces([(line.media_ms, line.value) for line in own], length),
                listed,
                tuple(int(count) for count in np.sum([one.viewed for one in seen], axis=0))
                if seen
                else (0,) * len(actions),
                tuple(int(count) for count in np.sum([one.viewed & one.flagged for one in seen], axis=0))
                if seen
                else (0,) * len(actions),
            )
        )
    order = {one.id: place for place, one in enumerate(data.study.stimuli)} if data.study is not None else {}
    return tuple(sorted(found, key=lambda one: (order.get(one.stimulus, len(order)), one.stimulus)))


def _pages(data: Data, trials: Sequence[str]) -> dict[str, tuple[str, list[tuple[str, int]]]]:
    """Each stimulus with its condition and the pages, by session and position, that showed it."""
    table = data.table("trials")
    found: dict[str, tuple[str, list[tuple[str, int]]]] = {}
    for row in np.flatnonzero(np.isin(table["trial"].values.astype(str), list(trials))).tolist():
        stimulus = table["stimulus"].values[row]
        if stimulus is None or str(stimulus).startswith(OWN_ROUND):
            continue
        condition = str(table["condition"].values[row] or "")
        page = str(table["session"].values[row]), int(table["position"].values[row])
        found.setdefault(str(stimulus), (condition, []))[1].append(page)
    return found


def _stretches(length_ms: float) -> Actions:
    starts = np.arange(0, length_ms, STRETCH_MS)
    ends = np.minimum(starts + STRETCH_MS, length_ms)
    return Actions(tuple(f"{start / 1000:g} s" for start in starts), starts, ends)


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
    return np.stack([normalise(row) for row in moved]) if len(moved) else np.empty((0, 0))


def _words(data: Data) -> dict[tuple[str, str], str]:
    """What each action is, in words."""
    found: dict[tuple[str, str], str] = {}
    for row in data.table("actions").rows():
        parts = [row["verb"], row["object"], f"({row['place']})" if row["place"] else None]
        text = " ".join(str(part) for part in parts if part) or str(row["text"] or row["action"])
        found[str(row["stimulus"]), str(row["action"])] = text
    return found


def _plans(data: Data) -> Mapping[str, list[tuple[int, float, float, str]]]:
    """Per stimulus the steps of its plan: level, from, to, words; of the version that the definition names."""
    if "plans" not in data.bundle.tables:
        return {}
    table: ColumnTable = data.table("plans")
    current = logs(data.bundle)
    found: dict[str, list[tuple[int, float, float, str]]] = defaultdict(list)
    for row in table.rows():
        stimulus = str(row["stimulus"])
        if current.get(stimulus, row["log"]) == row["log"]:
            step = (
                int(row["level"] or 0),
                float(row["from_ms"] or 0),
                float(row["to_ms"] or 0),
                str(row["text"] or ""),
            )
            found[stimulus].append(step)
    return found


def _planned(steps: Sequence[tuple[int, float, float, str]], at_ms: float) -> str | None:
    """The most detailed step of the plan that goes on at that moment."""
    going = [step for step in steps if step[1] <= at_ms < step[2]]
    return max(going)[3] if going else None


def link(stimulus: str, at_ms: float, length_ms: float = 0.0) -> str:
    """The moment shortly before, so that one sees how it comes about."""
    return f"stimulus:{stimulus}@{max(0, round(at_ms - max(_LEAD_MS, length_ms * _LEAD_SHARE)))}"


def _ranking(
    joined: Sequence[Joined],
    found: Mapping[str, Sequence[Break]],
    plans: Mapping[str, list[tuple[int, float, float, str]]],
    title: str,
) -> Table:
    rows: list[tuple[Cell, ...]] = []
    missing: dict[tuple[int, str], str] = {}
    for one in joined:
        steps = plans.get(one.stimulus, [])
        for rank, broke in enumerate(_worth_naming(found[one.stimulus]), start=1):
            place, begin = broke.action, float(one.actions.from_ms[broke.action])
            row: dict[str, Cell] = {
                "stimulus": one.stimulus,
                "condition": one.condition or None,
                "rank": rank,
                "action": one.actions.ids[place],
                "what": one.words[place],
                "planned": _planned(steps, begin),
                "at": clock(begin),
                "from_s": begin / 1000,
                "to_s": float(one.actions.to_ms[place]) / 1000,
                "viewers": one.viewers[place],
                "flagged": one.flaggers[place],
                "share": broke.flagged.value,
                "ci_low": broke.flagged.low,
                "ci_high": broke.flagged.high,
                "fall": broke.fall.value,
                "fall_low": broke.fall.low,
                "fall_high": broke.fall.high,
                "link": one.link(begin),
            }
            reasons = dict.fromkeys(("share", "ci_low", "ci_high"), broke.flagged.reason)
            reasons |= dict.fromkeys(("fall", "fall_low", "fall_high"), broke.fall.reason)
            reasons |= {"planned": "no step of a plan goes on", "condition": "the stimulus has none"}
            for name, cell in row.items():
                if cell is None:
                    missing[len(rows), name] = reasons.get(name) or "undefined"
            rows.append(tuple(row.values()))
    return Table(
        "moments",
        title,
        (
            Column("stimulus", "Stimulus"),
            Column("condition", "Condition"),
            Column("rank", "Rank", "integer"),
            Column("action", "Action"),
            Column("what", "What"),
            Column("planned", "Planned"),
            Column("at", "Time", about="Begin, in the medium: hours, minutes, seconds."),
            Column("from_s", "from (s)", "number", 1),
            Column("to_s", "to (s)", "number", 1),
            Column("viewers", "Viewers", "integer"),
            Column("flagged", "Flagged by", "integer"),
            Column("share", "Share", "share", 0, "Of its viewers."),
            Column("ci_low", "low", "share", 0, "Wilson."),
            Column("ci_high", "high", "share", 0, "Wilson."),
            Column("fall", "Fall of traces", "number", 2, "Before minus after, traces from 0 to 1."),
            Column("fall_low", "low", "number", 2, "t interval over annotators."),
            Column("fall_high", "high", "number", 2, "t interval over annotators."),
            Column("link", "Clip", about="Where to see it: stimulus and milliseconds."),
        ),
        tuple(rows),
        f"The first {RANKED} of each stimulus. The worst of many are worse than they really are: a ranking finds candidates, it "
        "tests nothing.",
        "exploratory",
        missing,
    )


def _worth_naming(found: Sequence[Break]) -> list[Break]:
    """The first of the ranking that anybody flagged, or on which traces fell."""
    return [
        one
        for one in found
        if (one.flagged.value or 0) > 0 or (one.fall.value is not None and one.fall.value > 0)
    ][:RANKED]


def _unit(length_ms: float) -> tuple[str, float]:
    """What a time axis counts in: seconds, minutes or hours."""
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
    joined: Sequence[Joined],
    plans: Mapping[str, list[tuple[int, float, float, str]]],
    unit: str,
    unit_ms: float,
    *,
    flagging: bool,
) -> Table:
    """Lanes of the time line: the plan by level, the actions, the flags."""
    rows: list[tuple[Cell, ...]] = []
    for one in joined:
        lanes: list[tuple[str, float, float, float | None, str]] = [
            (f"plan {level}", begin, end, None, text)
            for level, begin, end, text in plans.get(one.stimulus, [])
        ]
        for place, words in enumerate(one.words):
            asked = flagging and one.viewers[place]
            share = one.flaggers[place] / one.viewers[place] if asked else None
            begin, end = float(one.actions.from_ms[place]), float(one.actions.to_ms[place])
            lanes.append(("actions" if one.logged else "stretches", begin, end, share, words))
        width = max(STRETCH_MS / 6, one.length_ms / 200)
        moments_ms = Counter(flag.media_ms // width * width for flag in one.flags)
        lanes += [
            ("flags", moment, moment + width, None, counted(count, "flag"))
            for moment, count in sorted(moments_ms.items())
        ]
        rows += [
            (one.stimulus, lane, begin / unit_ms, end / unit_ms, share, words, clock(begin), one.link(begin))
            for lane, begin, end, share, words in lanes
        ]
    return Table(
        "moments_timeline",
        "Time line of each stimulus",
        (
            Column("stimulus", "Stimulus"),
            Column("lane", "Lane"),
            Column("begin", f"from ({unit})", "number", 2),
            Column("end", f"to ({unit})", "number", 2),
            Column("share", "Share that flagged it", "share", 0),
            Column("label", "What"),
            Column("at", "Time"),
            Column("link", "Clip"),
        ),
        tuple(rows),
        data_only=True,
    )  # fmt: skip


def _lines(joined: Sequence[Joined]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for one in joined:
        if not one.traces.size:
            continue
        mean = one.traces.mean(axis=0)
        low, high = np.quantile(one.traces, [0.25, 0.75], axis=0)
        rows += [
            (
                one.stimulus,
                index * BIN_MS / 1000,
                float(mean[index]),
                float(low[index]),
                float(high[index]),
                len(one.traces),
            )
            for index in range(len(mean))
        ]
    return Table(
        "moments_traces",
        "Mean traces of each stimulus",
        (
            Column("stimulus", "Stimulus"),
            Column("time_s", "time (s)", "number", 2),
            Column("mean", "Mean", "number", 3),
            Column("low", "25 %", "number", 3),
            Column("high", "75 %", "number", 3),
            Column("n", "Annotators", "integer"),
        ),
        tuple(rows),
        data_only=True,
    )


def _findings(joined: Sequence[Joined], found: Mapping[str, Sequence[Break]]) -> tuple[Finding, ...]:
    """The worst actions of all, by name."""
    everything = [(one, broke) for one in joined for broke in _worth_naming(found[one.stimulus])]
    worst = sorted(everything, key=lambda pair: tuple(-part for part in pair[1].key))[:NAMED]
    findings = []
    for one, broke in worst:
        begin = float(one.actions.from_ms[broke.action])
        flagged = (
            f"flagged by {one.flaggers[broke.action]} of {one.viewers[broke.action]} viewers, {estimate_words(broke.flagged)}"
            if one.viewers[broke.action] and broke.flagged.value is not None
            else ""
        )
        fell = f"traces fall by {estimate_words(broke.fall)}" if broke.fall.value is not None else ""
        said = "; ".join(part for part in (flagged, fell) if part)
        findings.append(
            Finding(
                "moments",
                f"{one.stimulus}, {clock(begin)}",
                f"{one.words[broke.action]} ({one.stimulus}, {clock(begin)}): {said}.",
                "exploratory",
                estimate=broke.flagged if one.flaggers[broke.action] else broke.fall,
            )
        )
    return tuple(findings)
