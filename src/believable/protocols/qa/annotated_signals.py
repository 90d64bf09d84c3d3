"""Tests, task and groups of annotators, from the data. Known signals are in the study file, or in
the bundle's table of signals.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from believable.analysis.data import Data, TraceLine, durations_ms
from believable.analysis.findings import Drop
from believable.analysis.settled_plan import Plan
from believable.contracts.trial import outline
from believable.pages.qa import Qa
from believable.protocols.qa.annotator_scores import AnnotatorTrace
from believable.stats.inputs import FloatArray
from believable.traces import normalise, resample_all

TESTS = ("visual", "auditory")
EVERYBODY = "all"
SIGNALS = "signals"
REPEATED = "repeated_recording"
#: What annotators are called of whom the data say no group while others have one.
NO_GROUP = "without a group"
#: Participants' columns that hold the group in imported data.
GROUP_COLUMNS = ("extra_group", "group")


@dataclass(frozen=True, slots=True, eq=False)
class TestSignal:
    """A signal that was to be followed: its value at the beginning of each bin, from 0 to 1."""

    test: str
    duration_ms: float
    values: FloatArray


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class AnnotatorData:
    """Traces of the tests (by test) with their signals (by stimulus or trial), traces of the task,
    and the annotators' groups.
    """

    tests: Mapping[str, tuple[AnnotatorTrace, ...]]
    signals: Mapping[str, TestSignal]
    task: tuple[AnnotatorTrace, ...]
    groups: Mapping[str, str]
    named: Mapping[str, str] = field(default_factory=dict)

    @property
    def group_names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.groups.values()))


def collect_annotators(data: Data, plan: Plan) -> AnnotatorData:
    bin_ms = float(plan.option("bin_ms"))
    owners = _owners(data)
    groups = _groups(data, owners)
    signals = _signals(data, plan, bin_ms)
    tests: dict[str, list[AnnotatorTrace]] = {test: [] for test in TESTS}
    lines, _ = _last_recordings(data, data.traces(heartbeats=True), signals)
    ends = _ends(data)
    tested = [(line, key) for line in lines if (key := _signal_key(line, signals)) is not None]
    binned = _bin(
        [line for line, _ in tested], [signals[key].duration_ms for _, key in tested], bin_ms
    )
    for (line, key), bins in zip(tested, binned, strict=True):
        end_ms = ends.get((line.session, line.position))
        cut = bins if end_ms is None else bins[: math.ceil(end_ms / bin_ms - 1e-9)]
        who = owners[line.session]
        tests[signals[key].test].append(
            AnnotatorTrace(annotator=who, group=groups[who], stimulus=key, bins=cut)
        )
    silent = _silent_tests(data, signals, {(line.session, line.trial) for line in lines})
    for session, key in silent:
        still = np.zeros(len(signals[key].values))
        tests[signals[key].test].append(
            AnnotatorTrace(annotator=session, group=groups[session], stimulus=key, bins=still)
        )
    return AnnotatorData(
        tests={test: tuple(traces) for test, traces in tests.items() if traces},
        signals=signals,
        task=task_traces(data, plan),
        groups=groups,
        named=_names(data),
    )


def repeated_recordings(data: Data, plan: Plan) -> tuple[Drop, ...]:
    """Earlier recordings of people who recorded a test again; only imported data have any."""
    if "participant" not in data.people.columns:
        return ()
    signals = _signals(data, plan, float(plan.option("bin_ms")))
    return _last_recordings(data, data.traces(heartbeats=True), signals)[1]


def _signals(data: Data, plan: Plan, bin_ms: float) -> dict[str, TestSignal]:
    """By trial for tests of the study, by stimulus for imported ones."""
    signals: dict[str, TestSignal] = {}
    if data.study is not None:
        for entry in outline(data.study.timeline):
            if isinstance(entry.item, Qa):
                signal = entry.item.signal
                starts = np.arange(0, signal.duration_ms, bin_ms, dtype=np.float64)
                signals[entry.item.id] = TestSignal(
                    _test_of(entry.item, plan), float(signal.duration_ms), signal.levels(starts)
                )
    if SIGNALS in data.bundle.tables:
        table = data.table(SIGNALS)
        stimuli = table["stimulus"].values
        for stimulus in dict.fromkeys(stimuli):
            rows = np.flatnonzero(stimuli == stimulus)
            signals[str(stimulus)] = _sample(
                str(table["test"].values[rows[0]]),
                table["t_ms"].values[rows],
                table["value"].values[rows],
                bin_ms,
            )
    return signals


def _test_of(test: Qa, plan: Plan) -> str:
    """Whether a trial is the visual or the auditory test: as the plan says, else as the trial
    says.
    """
    return next((name for name in TESTS if test.id in plan.roles[name]), test.test)


def _sample(test: str, t_ms: FloatArray, values: FloatArray, bin_ms: float) -> TestSignal:
    """The sample at or before the beginning of each bin, never an average."""
    order = np.argsort(t_ms, kind="stable")
    times, levels = t_ms[order], values[order]
    step = float(np.median(np.diff(times))) if len(times) > 1 else bin_ms
    duration = float(times[-1] - times[0] + step)
    starts = times[0] + np.arange(math.ceil(duration / bin_ms - 1e-9)) * bin_ms
    places = np.searchsorted(times, starts + 1e-6, side="right") - 1
    return TestSignal(test, duration, normalise(levels[places]))


def _signal_key(line: TraceLine, signals: Mapping[str, TestSignal]) -> str | None:
    if line.trial in signals:
        return line.trial
    return line.stimulus if line.stimulus is not None and line.stimulus in signals else None


def _last_recordings(
    data: Data, lines: tuple[TraceLine, ...], signals: Mapping[str, TestSignal]
) -> tuple[tuple[TraceLine, ...], tuple[Drop, ...]]:
    """Where an imported participant recorded a test, or a stimulus of the task, several times, the
    last recording counts.
    """
    people = data.people
    if "participant" not in people.columns:
        return lines, ()
    who = dict(zip(data.sessions, people["participant"].values, strict=True))
    last: dict[tuple[object, str], TraceLine] = {}
    drops: list[Drop] = []
    for line in lines:
        key = _signal_key(line, signals)
        own = (
            who[line.session],
            line.stimulus or line.trial_key if key is None else signals[key].test,
        )
        if own in last:
            detail = f"{who[line.session]} recorded the same again later; the last recording counts"
            drops.append(
                Drop(
                    session=last[own].session,
                    level="trace",
                    reason=REPEATED,
                    detail=detail,
                    trial_key=last[own].trial_key,
                )
            )
        last[own] = line
    kept = {id(line) for line in last.values()}
    return tuple(line for line in lines if id(line) in kept), tuple(drops)


def _owners(data: Data) -> dict[str, str]:
    """The session that represents the annotator of each session: an imported person may have
    several.
    """
    if "participant" not in data.people.columns:
        return {session: session for session in data.sessions}
    first: dict[object, str] = {}
    people = zip(data.sessions, data.people["participant"].values, strict=True)
    return {session: first.setdefault(person, session) for session, person in people}


def _silent_tests(
    data: Data, signals: Mapping[str, TestSignal], heard: set[tuple[str, str]]
) -> list[tuple[str, str]]:
    """Tests that were done without a single input: scored as a trace that never moved, as the
    server does.
    """
    table = data.table("trials")
    return [
        (str(session), str(trial))
        for session, trial, status in zip(
            table["session"].values, table["trial"].values, table["status"].values, strict=True
        )
        if trial in signals and status == "done" and (session, trial) not in heard
    ]


def _ends(data: Data) -> dict[tuple[str, int], float]:
    """The end of imported recordings, if known."""
    imported = {
        session
        for session, kind in zip(data.sessions, data.people["link_kind"].values, strict=True)
        if kind == "imported"
    }
    ends: dict[tuple[str, int], float] = {}
    if not imported:
        return ends
    table = data.table("views")
    for session, position, to_ms in zip(
        table["session"].values,
        table["position"].values.tolist(),
        table["to_ms"].values.tolist(),
        strict=True,
    ):
        if session in imported:
            ends[session, position] = max(ends.get((session, position), 0.0), to_ms)
    return ends


def _bin(
    lines: Sequence[TraceLine], durations_ms: Sequence[float], bin_ms: float
) -> list[FloatArray]:
    """Bin means as long as the stimulus, held between events. Events outside belong to no bin."""
    groups: dict[float, list[int]] = defaultdict(list)
    for index, duration_ms in enumerate(durations_ms):
        groups[duration_ms].append(index)
    bins: dict[int, FloatArray] = {}
    for duration_ms, members in groups.items():
        mine = [lines[index] for index in members]
        owner = np.repeat(np.arange(len(mine)), [len(line.media_ms) for line in mine])
        times = np.concatenate([line.media_ms for line in mine])
        values = np.concatenate([line.value for line in mine])
        inside = (times >= 0) & (times < duration_ms)
        grid = resample_all(
            owner[inside],
            times[inside],
            values[inside],
            traces=len(mine),
            step_ms=bin_ms,
            duration_ms=duration_ms,
        )
        bins |= dict(zip(members, grid, strict=True))
    return [bins[index] for index in range(len(lines))]


def task_traces(data: Data, plan: Plan) -> tuple[AnnotatorTrace, ...]:
    """The traces of the main task, numbered in the order in which each annotator made them.

    Imported data name no trials: there the task is whatever follows no known signal.
    """
    bin_ms = float(plan.option("bin_ms"))
    owners = _owners(data)
    groups = _groups(data, owners)
    if data.study is None and not plan.declared.roles.get("task"):
        signals = _signals(data, plan, bin_ms)
        last = _last_recordings(data, data.traces(), signals)[0]
        lines = tuple(line for line in last if _signal_key(line, signals) is None)
    else:
        lines = data.traces(*plan.roles["task"]) if plan.roles["task"] else ()
    known = durations_ms(data.bundle)
    ends: dict[str, float] = defaultdict(float)
    for line in lines:
        if len(line.media_ms):
            ends[line.stimulus or ""] = max(
                ends[line.stimulus or ""], float(line.media_ms.max()) + 1
            )
    places: dict[str, int] = defaultdict(int)
    lengths = [
        known.get(line.stimulus or "") or max(ends[line.stimulus or ""], 2 * bin_ms)
        for line in lines
    ]
    traces: list[AnnotatorTrace] = []
    for line, bins in zip(lines, _bin(lines, lengths, bin_ms), strict=True):
        who, stimulus = owners[line.session], line.stimulus or line.trial_key
        places[who] += 1
        traces.append(
            AnnotatorTrace(
                annotator=who, group=groups[who], stimulus=stimulus, bins=bins, place=places[who]
            )
        )
    return tuple(traces)


def _groups(data: Data, owners: Mapping[str, str]) -> dict[str, str]:
    """The group of each annotator, groups in the order of the question's options; one group if no
    answer separates them.
    """
    answers = (
        data.text_by_session("group")
        if data.has("group")
        else np.full(len(data), None, dtype=object)
    )
    if all(answer is None for answer in answers):
        column = next((name for name in GROUP_COLUMNS if name in data.people.columns), None)
        if column is not None:
            answers = data.people[column].values
    unnamed = EVERYBODY if all(answer is None for answer in answers) else NO_GROUP
    groups = {
        session: unnamed if answer is None else str(answer)
        for session, answer in zip(data.sessions, answers, strict=True)
        if owners[session] == session
    }
    order = _option_order(data)
    rank = {name: place for place, name in enumerate(order)} | {NO_GROUP: len(order) + 1}
    return dict(
        sorted(
            groups.items(),
            key=lambda item: (rank.get(item[1], len(order)), "" if item[1] in rank else item[1]),
        )
    )


def _option_order(data: Data) -> tuple[str, ...]:
    name = data.plan.role("group")
    if data.study is None or name is None:
        return ()
    trial, _, question = name.rpartition(".")
    for entry in outline(data.study.timeline):
        for asked in entry.item.all_questions:
            if asked.id == question and trial in ("", entry.item.id):
                options = getattr(asked.params, "options", ())
                return tuple(str(getattr(option, "value", option)) for option in options)
    return ()


def _names(data: Data) -> dict[str, str]:
    """Short names of annotators for tables and figures."""
    return {session: f"A{place}" for place, session in enumerate(data.sessions, start=1)}
