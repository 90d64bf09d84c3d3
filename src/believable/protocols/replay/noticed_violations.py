"""Flags and the rule checker of the world: which violations people notice, and which flags are
about no violation.

A viewed action with a violation is a signal, one without is noise: a flag on the first is a hit, on
the second a false alarm. People press late: which action a flag is about follows from their choice
after the press, else from the person's own window, which is their delay as measured in practice
(`flag_windows`); for people without one the declared default is used and counted. There is one d′
for all people, measured from each viewer's readiness to flag. Pooled viewings would make it too
small, because some people flag a lot and others a little. Its interval is a jackknife over people,
whose flags depend on each other.
"""

from __future__ import annotations

import functools
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from believable.analysis.data import Data, logs
from believable.analysis.findings import Column, Section, Table, with_reason
from believable.analysis.layouts import Layouts
from believable.analysis.numbers import counted, number
from believable.analysis.settled_plan import Plan
from believable.analysis.viewed_actions import seeing_of
from believable.instruments.flags import CHOICE, LINE
from believable.protocols.replay.flag_detection import (
    CATEGORIES,
    Checked,
    CheckedAction,
    FlagCounts,
    checked_actions,
    counts_of,
    sensitivity,
)
from believable.protocols.replay.flag_windows import UNRECORDED, WindowedFlags, place_flags
from believable.protocols.replay.watched_days import WatchedDay
from believable.stats.indices import pooled_unbelievable_rate
from believable.stats.means import mean_t

LAYOUTS = Layouts(__file__)


#: The option with the delay of people in whom none was measured.
DEFAULT_DELAY = "unmeasured_delay_ms"


#: The number of listed actions that are flagged most without a violation.
LISTED = 12


_COUNTS = (
    Column(
        name="viewings",
        title="Viewings",
        form="integer",
        about="Times an action with such a violation was viewed.",
    ),
    Column(
        name="hits", title="Flagged", form="integer", about="Of these, how often it was flagged."
    ),
    Column(name="hit_rate", title="Hit rate", form="share", digits=1, about="Flagged of viewed."),
    Column(
        name="hit_low",
        title="low",
        form="share",
        digits=1,
        about="Over people, Wilson with the effective number.",
    ),
    Column(name="hit_high", title="high", form="share", digits=1, about="Over people."),
    Column(
        name="d_prime",
        title="d′",
        form="number",
        digits=2,
        about="Above each viewer's readiness to flag faultless actions; one for all viewers.",
    ),
    Column(name="d_low", title="low", form="number", digits=2, about="Jackknife over people."),
    Column(name="d_high", title="high", form="number", digits=2, about="Jackknife over people."),
)


def noticed_section(
    data: Data,
    watched: Sequence[WatchedDay],
    ratings: Mapping[tuple[str, int], float],
    conditions: Sequence[str],
    plan: Plan,
) -> Section | None:
    """The section of the report; None where recordings were not checked."""
    checked = checked_actions(data)
    if not checked:
        return None
    level = plan.level
    windowed = place_flags(data, watched, seeing_of(plan), float(plan.option(DEFAULT_DELAY)))
    seen = windowed.seen
    known = lambda action: any(action.of_category(name) for name in CATEGORIES)  # noqa: E731
    people = counts_of(seen, checked, known)
    overall = sensitivity(people.values(), level)
    hits = sum(own.hits for own in people.values())
    flags = sum(own.false_alarms for own in people.values())
    words = [
        (
            "A checker that knows no mind has read every recording and lists what breaks a rule of"
            " the town. An action with a violation that was viewed and flagged is a hit, a flag on"
            " an action with which it finds nothing wrong a false alarm; d′ tells how well the two"
            " are told apart whatever the readiness to flag."
        ),
        f"{counted(hits, 'flag')} fell on violations, {counted(flags, 'flag')} on actions that"
        " break no rule it knows"
        + (
            f"; d′ over all violations is {number(overall.value)}."
            if overall.value is not None
            else "."
        ),
        _describe_windows(windowed, float(plan.option(DEFAULT_DELAY))),
    ]
    return LAYOUTS.section(
        "noticed",
        paragraphs=words,
        tables=(
            _by_category(seen, checked, level),
            _by_window(windowed, checked, known, level),
            _by_viewing(seen, checked, known, level),
            _by_rule(seen, checked, level),
            _no_violation(seen, checked),
            _objective(data, seen, checked, ratings, conditions, level),
        ),
    )


def _cells(people: Mapping[str, FlagCounts], level: float) -> tuple[object, ...]:
    own = list(people.values())
    hits, signals = [row.hits for row in own], [row.signals for row in own]
    share = pooled_unbelievable_rate(hits, signals, level=level)
    d_prime = sensitivity(own, level)
    scaled = [
        None if value is None else value / 100 for value in (share.value, share.low, share.high)
    ]
    return (
        sum(signals),
        sum(hits),
        *with_reason(share.reason, *scaled),
        *with_reason(d_prime.reason, d_prime.value, d_prime.low, d_prime.high),
    )


def _by_category(seen: Sequence[WatchedDay], checked: Checked, level: float) -> Table:
    shown = {(day.stimulus, action) for day in seen for action in day.actions.ids}
    kinds: dict[str, Callable[[CheckedAction], bool]] = {
        name: lambda action, name=name: action.of_category(name)  # type: ignore[misc]
        for name in CATEGORIES
    }
    kinds["all of these"] = lambda action: any(action.of_category(name) for name in CATEGORIES)
    kinds["norms that no mind knows"] = lambda action: action.breaks_unknown_norm
    rows = []
    for name, is_signal in kinds.items():
        count = sum(is_signal(action) for key, action in checked.items() if key in shown)
        rows.append(
            (name.replace("_", " "), count, *_cells(counts_of(seen, checked, is_signal), level))
        )
    people = counts_of(seen, checked, lambda action: action.is_right)
    own = list(people.values())
    alarms = pooled_unbelievable_rate(
        [row.hits for row in own], [row.signals for row in own], level=level
    )
    scaled = [
        None if value is None else value / 100 for value in (alarms.value, alarms.low, alarms.high)
    ]
    right = sum(action.is_right for key, action in checked.items() if key in shown)
    rows.append(
        (
            "no violation (false alarms)",
            right,
            sum(row.signals for row in own),
            sum(row.hits for row in own),
            *with_reason(alarms.reason, *scaled),
            *with_reason("what the others are compared with", None, None, None),
        )
    )
    return LAYOUTS.table("flags_by_checker", rows)


def _describe_windows(windowed: WindowedFlags, default_ms: float) -> str:
    """How flags found their actions, in words."""
    measured = [delay.delay_ms for delay in windowed.delays.values() if delay.is_measured]
    total, chosen = sum(windowed.made.values()), windowed.made.get(CHOICE, 0)
    sentences = [
        f"Of {counted(total, 'flag')}, {chosen} {'was' if chosen == 1 else 'were'} chosen among the"
        f" last actions after a key press and {windowed.made.get(LINE, 0)} set on an action's own"
        " line; a press without a choice belongs to the action that was on screen when the"
        f" person's own window opened, which moved {counted(windowed.moved, 'flag')} to an earlier"
        " action."
    ]
    if measured:
        middle, least, most = (
            number(value, 0) for value in (float(np.median(measured)), min(measured), max(measured))
        )
        people = counted(len(measured), "person", "people")
        sentences.append(
            f"Practice measured the delay of {people}: median {middle} ms, from {least} to"
            f" {most} ms."
        )
    if windowed.n_unmeasured:
        of_all = counted(len(windowed.delays), "person", "people")
        sentences.append(
            f"For {windowed.n_unmeasured} of {of_all} no delay was measured;"
            f" the declared default of {number(default_ms, 0)} ms is used."
        )
    unrecorded = windowed.made.get(UNRECORDED, 0)
    if unrecorded:
        sentences.append(
            f"How {counted(unrecorded, 'flag')} {'was' if unrecorded == 1 else 'were'} made is not"
            " recorded."
        )
    return " ".join(sentences)


def _detection_cells(
    days: Sequence[WatchedDay],
    checked: Checked,
    is_signal: Callable[[CheckedAction], bool],
    level: float,
) -> tuple[object, ...]:
    """Return hits and d′ over these days, and the share of false alarms."""
    people = counts_of(days, checked, is_signal)
    alarms = sum(own.false_alarms for own in people.values())
    noise = sum(own.noise for own in people.values())
    shares = with_reason("nothing else was viewed", alarms / noise if noise else None)
    return *_cells(people, level), *shares


def _by_window(
    windowed: WindowedFlags,
    checked: Checked,
    is_signal: Callable[[CheckedAction], bool],
    level: float,
) -> Table:
    """d′ over all violations by choice and by window alone."""
    rows = []
    for name, days in (
        ("choice, else own window", windowed.seen),
        ("own window alone", windowed.by_window),
    ):
        cells = _detection_cells(days, checked, is_signal, level)
        measured = sum(delay.is_measured for delay in windowed.delays.values())
        rows.append((name, measured, windowed.n_unmeasured, *cells))
    return LAYOUTS.table("flags_by_window", rows)


def _by_viewing(
    seen: Sequence[WatchedDay],
    checked: Checked,
    is_signal: Callable[[CheckedAction], bool],
    level: float,
) -> Table:
    """The same by how it was watched."""
    groups: dict[tuple[str, str], list[WatchedDay]] = defaultdict(list)
    for day in seen:
        groups["speed", f"{day.speed:g}×" if day.speed else "not played"].append(day)
        groups["plan or log", "opened" if day.was_opened else "never opened"].append(day)
    rows = []
    for (what, how), days in sorted(
        groups.items(), key=lambda entry: (entry[0][0] != "speed", entry[0][1])
    ):
        cells = _detection_cells(days, checked, is_signal, level)
        rows.append((what, how, len(days), *cells))
    return LAYOUTS.table("flags_by_viewing", rows)


def _has_part(part: str, action: CheckedAction) -> bool:
    return part in action.parts


def _by_rule(seen: Sequence[WatchedDay], checked: Checked, level: float) -> Table:
    shown = {(day.stimulus, action) for day in seen for action in day.actions.ids}
    parts = Counter(
        part for key, action in checked.items() if key in shown for part in action.parts
    )
    rows = []
    for part, count in sorted(parts.items()):
        category, rule, *unknown = part.split("/")
        people = counts_of(seen, checked, functools.partial(_has_part, part))
        rows.append(
            (rule, category.replace("_", " "), bool(unknown), count, *_cells(people, level))
        )
    return LAYOUTS.table("flags_by_rule", rows, data_only=not rows)


def _no_violation(seen: Sequence[WatchedDay], checked: Checked) -> Table:
    """Tabulate flagged actions that break no rule: gaps of the checker, or taste."""
    viewers: Counter[tuple[str, str]] = Counter()
    flagged_by: Counter[tuple[str, str]] = Counter()
    conditions = {day.stimulus: day.condition for day in seen}
    for day in seen:
        for action, viewed, flagged in zip(
            day.actions.ids, day.judged.viewed, day.judged.flagged, strict=True
        ):
            known = checked.get((day.stimulus, action))
            if known is not None and known.is_right and viewed:
                viewers[day.stimulus, action] += 1
                flagged_by[day.stimulus, action] += bool(flagged)
    leading = sorted(
        (key for key in flagged_by if flagged_by[key]),
        key=lambda key: (-flagged_by[key] / viewers[key], -flagged_by[key], key),
    )[:LISTED]
    rows = [
        (
            conditions[key[0]],
            key[0],
            checked[key].text,
            viewers[key],
            flagged_by[key],
            flagged_by[key] / viewers[key],
        )
        for key in leading
    ]
    return LAYOUTS.table("flags_without_violation", rows, data_only=not rows)


def _objective(
    data: Data,
    seen: Sequence[WatchedDay],
    checked: Checked,
    ratings: Mapping[tuple[str, int], float],
    conditions: Sequence[str],
    level: float,
) -> Table:
    """Tabulate the checker's counts for each condition next to people's judgements."""
    fulfilled = _read_fulfilled(data)
    rows = []
    for condition in conditions:
        days = [day for day in seen if day.condition == condition]
        stimuli = sorted({day.stimulus for day in days})
        actions = [action for (stimulus, _), action in checked.items() if stimulus in stimuli]
        total = len(actions)
        known = sum(any(action.of_category(name) for name in CATEGORIES) for action in actions)
        unknown = sum(action.breaks_unknown_norm for action in actions)
        done = [done for stimulus in stimuli for done in fulfilled.get(stimulus, ())]
        kinds = {
            (stimulus, action.activity)
            for (stimulus, _), action in checked.items()
            if stimulus in stimuli and action.activity
        }
        rated = mean_t(
            [
                ratings[day.session, day.position]
                for day in days
                if (day.session, day.position) in ratings
            ],
            level=level,
        )
        rate = pooled_unbelievable_rate(
            [day.judged.f for day in days], [day.judged.a for day in days], level=level
        )
        rows.append(
            (
                condition,
                len(stimuli),
                total,
                *with_reason(
                    "no actions",
                    100 * known / total if total else None,
                    100 * unknown / total if total else None,
                ),
                *with_reason(
                    "no intention says what would fulfil it", float(np.mean(done)) if done else None
                ),
                *with_reason("no replays", len(kinds) / len(stimuli) if stimuli else None),
                *with_reason(
                    "no replays",
                    (
                        sum(action.verb == "speak" for action in actions) / len(stimuli)
                        if stimuli
                        else None
                    ),
                ),
                *with_reason(rate.reason, rate.value),
                *with_reason(rated.reason, rated.value),
            )
        )
    return LAYOUTS.table("objective", rows)


def _read_fulfilled(data: Data) -> Mapping[str, list[bool]]:
    """Return by stimulus whether each checked intention was fulfilled."""
    if "plans" not in data.bundle.tables:
        return {}
    rows = data.table("plans")
    if "fulfilled" not in rows.columns:
        return {}
    current = logs(data.bundle)
    known: dict[str, list[bool]] = defaultdict(list)
    for row in rows.rows():
        stimulus = str(row["stimulus"])
        if row["fulfilled"] is not None and current.get(stimulus, row["log"]) == row["log"]:
            known[stimulus].append(bool(row["fulfilled"]))
    return known
