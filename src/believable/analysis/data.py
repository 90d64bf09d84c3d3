"""The dataset as analyses see it: the bundle's tables after exclusions, by columns, with quick
look-ups.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from believable.analysis import exclusions
from believable.analysis.findings import Drop, FlowStep
from believable.analysis.media_versions import media_names, named_stimuli, separate_media
from believable.analysis.settled_plan import Plan
from believable.bundle.frames import BundleColumn
from believable.bundle.read import Bundle, ColumnTable
from believable.contracts.trial import outline
from believable.core.errors import InvalidInput
from believable.stats.inputs import FloatArray
from believable.study.records import Stimulus, Study

IntArray = NDArray[np.int64]
ObjectArray = NDArray[np.object_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """Answers of one role, one entry each, in the order of the table. `code` is the place of the
    session in `Data.sessions`.

    `number` is NaN and `text` None where the answer is of the other kind or was left open.
    """

    code: IntArray
    session: ObjectArray
    trial: ObjectArray
    trial_key: ObjectArray
    position: IntArray
    player: IntArray
    condition: ObjectArray
    scenario: ObjectArray
    stimulus: ObjectArray
    item: ObjectArray
    number: FloatArray
    text: ObjectArray

    def __len__(self) -> int:
        return len(self.code)


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceLine:
    """One trace: its changes or marks, in order of time in the medium as they were made. Nothing
    was entered: empty arrays.
    """

    session: str
    code: int
    trial: str
    trial_key: str
    position: int
    condition: str | None
    scenario: str | None
    stimulus: str | None
    instrument: str | None
    media_ms: FloatArray
    value: FloatArray


@dataclass(frozen=True, kw_only=True)
class Data:
    """One pool of sessions, real or simulated, after exclusions.

    sessions   those kept, in the order of starting
    drops      every exclusion made before; `funnel` counts them step by step
    """

    bundle: Bundle
    study: Study | None
    plan: Plan
    sessions: tuple[str, ...]
    simulated: bool
    drops: tuple[Drop, ...] = ()
    funnel: tuple[FlowStep, ...] = ()
    left_out_trials: frozenset[tuple[str, str]] = frozenset()
    left_out_answers: frozenset[tuple[str, str, str, int]] = frozenset()

    # ------------------------------------------------------------------------------------------
    # sessions

    def __len__(self) -> int:
        return len(self.sessions)

    @cached_property
    def codes(self) -> Mapping[str, int]:
        """The place of each session."""
        return MappingProxyType({session: place for place, session in enumerate(self.sessions)})

    @cached_property
    def people(self) -> ColumnTable:
        """The participants table, in the order of `sessions`."""
        table = self.bundle["participants"]
        place = {session: row for row, session in enumerate(table["session"].values)}
        return _take(table, np.array([place[session] for session in self.sessions], dtype=np.int64))

    def arm(self, name: str) -> ObjectArray:
        """The level of an arm for each session; None where the session has none."""
        column = f"arm_{name}"
        if column not in self.people.columns:
            return np.full(len(self), None, dtype=object)
        return self.people[column].values

    @cached_property
    def conditions(self) -> tuple[str, ...]:
        """The conditions: as the study lists them, else as they occur."""
        if self.study is not None and self.study.conditions:
            return self.study.conditions
        shown = self.table("shown")["condition"].values
        return tuple(dict.fromkeys(condition for condition in shown if condition is not None))

    @cached_property
    def stimuli(self) -> Mapping[str, Stimulus]:
        """The study's stimuli by the names that tables have: two media under one id are two
        stimuli.
        """
        return named_stimuli(self.bundle, self.study)

    # ------------------------------------------------------------------------------------------
    # tables

    def table(self, name: str) -> ColumnTable:
        """A table of the bundle without excluded sessions, trials and answers, and without runs
        that began again.
        """
        if name not in self._tables:
            self._tables[name] = self._filter(name)
        return self._tables[name]

    def code_of(self, table: ColumnTable) -> IntArray:
        """The place in `sessions` of each row's session."""
        return table["session"].map_values(self.codes.__getitem__, np.int64)

    @cached_property
    def _tables(self) -> dict[str, ColumnTable]:
        return {}

    @cached_property
    def _latest(self) -> dict[str, int]:
        return exclusions.latest_runs(self.bundle)

    def _filter(self, name: str) -> ColumnTable:
        table = self.bundle[name]
        if "session" not in table.columns:
            return table
        keep = table["session"].map_values(self.codes.__contains__, np.bool_)
        keep &= exclusions.current(table, self._latest)
        if self.left_out_trials:
            keep &= ~self._in_left_out_trial(table)
        if self.left_out_answers and name in ("answers", "judgements"):
            keep &= ~self._is_left_out_answer(table)
        return table if keep.all() else _take(table, np.flatnonzero(keep))

    def _in_left_out_trial(self, table: ColumnTable) -> NDArray[np.bool_]:
        sessions = table["session"].values
        if "trial_key" in table.columns:
            keys = zip(sessions, table["trial_key"].values, strict=True)
            return np.fromiter((key in self.left_out_trials for key in keys), np.bool_, len(table))
        if "position" in table.columns:
            places = zip(sessions, table["position"].values.tolist(), strict=True)
            return np.fromiter(
                (place in self._left_out_positions for place in places), np.bool_, len(table)
            )
        return np.zeros(len(table), np.bool_)

    @cached_property
    def _left_out_positions(self) -> frozenset[tuple[str, int]]:
        table = self.bundle["trials"]
        rows = zip(
            table["session"].values,
            table["trial_key"].values,
            table["position"].values.tolist(),
            strict=True,
        )
        return frozenset(
            (session, position)
            for session, key, position in rows
            if (session, key) in self.left_out_trials
        )

    def _is_left_out_answer(self, table: ColumnTable) -> NDArray[np.bool_]:
        player = table["player"]
        rows = zip(
            table["session"].values,
            table["trial_key"].values,
            table["question"].values,
            np.where(player.missing, -1, player.values).tolist(),
            strict=True,
        )
        return np.fromiter((row in self.left_out_answers for row in rows), np.bool_, len(table))

    # ------------------------------------------------------------------------------------------
    # answers

    def has(self, role: str) -> bool:
        """Whether something plays this role."""
        return bool(self.plan.roles[role])

    def answers(self, role: str) -> Answers:
        """All answers of a role (of every question that plays it)."""
        table = self.table("answers")
        keep = np.zeros(len(table), np.bool_)
        for name in self.plan.roles[role]:
            trial, _, question = name.rpartition(".")
            fits = table["question"].values == question
            keep |= fits & (table["trial"].values == trial) if trial else fits
        rows = np.flatnonzero(keep)
        part = _take(table, rows)
        return Answers(
            code=self.code_of(part),
            session=part["session"].values,
            trial=part["trial"].values,
            trial_key=part["trial_key"].values,
            position=part["position"].values,
            player=np.where(part["player"].missing, -1, part["player"].values),
            condition=part["condition"].values,
            scenario=part["scenario"].values,
            stimulus=part["stimulus"].values,
            item=part["item"].values,
            number=part["value_number"].values,
            text=part["value_text"].values,
        )

    def number_by_session(self, role: str) -> FloatArray:
        """One number per session, NaN if there is none; the last answer if there are several.
        Digits in a text count.
        """
        entries = self.answers(role)
        values = np.full(len(self), np.nan)
        values[entries.code] = numbers(entries)
        return values

    def text_by_session(self, role: str) -> ObjectArray:
        """One text per session, None if there is none; the last answer if there are several.
        Numbers become text.
        """
        entries = self.answers(role)
        values = np.full(len(self), None, dtype=object)
        values[entries.code] = texts(entries)
        return values

    # ------------------------------------------------------------------------------------------
    # traces

    def traces(self, *trials: str, heartbeats: bool = False) -> tuple[TraceLine, ...]:
        """Traces of these trials (of all without any), by session and position. Heartbeats repeat a
        value: left out.

        A trial that was done but holds no input gives an empty trace.
        """
        if (trials, heartbeats) not in self._traces:
            self._traces[trials, heartbeats] = self._trace_lines(trials, heartbeats)
        return self._traces[trials, heartbeats]

    @cached_property
    def _traces(self) -> dict[tuple[tuple[str, ...], bool], tuple[TraceLine, ...]]:
        return {}

    def _trace_lines(self, trials: tuple[str, ...], heartbeats: bool) -> tuple[TraceLine, ...]:
        table = self.table("traces")
        code, position = self.code_of(table), table["position"].values
        order = np.lexsort((position, code))
        if trials:
            order = order[
                table["trial"].map_values(frozenset(trials).__contains__, np.bool_)[order]
            ]
        code, position = code[order], position[order]
        starts = np.flatnonzero(
            np.r_[len(code) > 0, (np.diff(code) != 0) | (np.diff(position) != 0)]
        )
        ends = np.r_[starts[1:], len(code)][: len(starts)] if len(starts) else starts
        entered = table["input"].map_values(lambda kind: kind != "heartbeat", np.bool_)[order]
        media_ms, value = table["media_ms"].values[order], table["value"].values[order]
        lines: dict[tuple[int, int], TraceLine] = {}
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            rows = slice(start, end)
            keep = slice(None) if heartbeats else entered[rows]
            line = self._trace_line(
                table, int(order[start]), media_ms[rows][keep], value[rows][keep]
            )
            lines[line.code, line.position] = line
        if trials:
            self._add_untouched(lines, trials)
        return tuple(lines[key] for key in sorted(lines))

    def _add_untouched(
        self, lines: dict[tuple[int, int], TraceLine], trials: tuple[str, ...]
    ) -> None:
        table = self.table("trials")
        done = table["trial"].map_values(frozenset(trials).__contains__, np.bool_) & (
            table["status"].values == "done"
        )
        code, position, nothing = self.code_of(table), table["position"].values, np.empty(0)
        for row in np.flatnonzero(done).tolist():
            if (int(code[row]), int(position[row])) not in lines:
                lines[int(code[row]), int(position[row])] = self._trace_line(
                    table, row, nothing, nothing
                )

    def _trace_line(
        self, table: ColumnTable, row: int, media_ms: FloatArray, value: FloatArray
    ) -> TraceLine:
        """A trace with what this row says about it."""
        session = str(table["session"].values[row])
        return TraceLine(
            session=session,
            code=self.codes[session],
            trial=str(table["trial"].values[row]),
            trial_key=str(table["trial_key"].values[row]),
            position=int(table["position"].values[row]),
            condition=table["condition"].values[row],
            scenario=table["scenario"].values[row],
            stimulus=table["stimulus"].values[row],
            instrument=table["instrument"].values[row] if "instrument" in table.columns else None,
            media_ms=media_ms,
            value=value,
        )

    # ------------------------------------------------------------------------------------------
    # leaving out

    def without(
        self, sessions: Mapping[str, str], *, reason: str, title: str, words: str = ""
    ) -> Data:
        """The same data without these sessions (each with its detail), with the drops and one more
        step in the funnel.

        `title` names the remaining rows, `words` the reason for leaving out the others.
        """
        left = tuple(session for session in self.sessions if session not in sessions)
        drops = tuple(
            Drop(session=session, level="session", reason=reason, detail=sessions[session])
            for session in self.sessions
            if session in sessions
        )
        step = FlowStep(
            title=title,
            before=len(self.sessions),
            after=len(left),
            reason=words or reason.replace("_", " "),
        )
        return replace(
            self, sessions=left, drops=(*self.drops, *drops), funnel=(*self.funnel, step)
        )

    def with_drops(self, drops: Sequence[Drop], step: FlowStep | None = None) -> Data:
        """The same data with more exclusions on record, for parts that the caller leaves out itself
        (single traces, say).
        """
        funnel = self.funnel if step is None else (*self.funnel, step)
        return replace(self, drops=(*self.drops, *drops), funnel=funnel)


def load(bundle: Bundle, plan: Plan, study: Study | None) -> Data:
    """The data of a bundle after the plan's exclusions, with a separate name for each medium of a
    stimulus.
    """
    kept = exclusions.apply(bundle, plan.declared.exclusions)
    return Data(
        bundle=separate_media(bundle),
        study=study,
        plan=plan,
        sessions=kept.sessions,
        simulated=kept.simulated,
        drops=kept.drops,
        funnel=kept.funnel,
        left_out_trials=kept.trials,
        left_out_answers=kept.answers,
    )


def numbers(entries: Answers) -> FloatArray:
    """Answers as numbers: texts that are written numbers too; NaN for everything else."""
    values = entries.number.copy()
    for place in np.flatnonzero(np.isnan(values)):
        text = entries.text[place]
        if isinstance(text, str) and text.strip().replace(".", "", 1).isdecimal():
            values[place] = float(text)
    return values


def texts(entries: Answers) -> ObjectArray:
    """Answers as texts: numbers as they are written; None for everything else."""
    values = entries.text.copy()
    for place in np.flatnonzero(~np.isnan(entries.number)):
        values[place] = f"{entries.number[place]:g}"
    return values


def rows_of(keys: Sequence[IntArray], wanted: Sequence[IntArray]) -> IntArray:
    """A join: for each wanted key the first row that has it, −1 if there is none. Columns of a key
    are combined.

    >>> keys = [np.array([7, 7, 8]), np.array([1, 2, 1])]
    >>> rows_of(keys, [np.array([8, 7, 9]), np.array([1, 2, 1])]).tolist()
    [2, 1, -1]
    """
    first: dict[tuple[int, ...], int] = {}
    for row, key in enumerate(zip(*(column.tolist() for column in keys), strict=True)):
        first.setdefault(key, row)
    asked = zip(*(column.tolist() for column in wanted), strict=True)
    return np.fromiter((first.get(key, -1) for key in asked), np.int64, len(wanted[0]))


def join_values(values: NDArray[Any], rows: IntArray, nothing: Any) -> NDArray[Any]:
    """The values of those rows; `nothing` if there is no such row (−1)."""
    result = np.full(len(rows), nothing, dtype=values.dtype)
    result[rows >= 0] = values[rows[rows >= 0]]
    return result


def _take(table: ColumnTable, rows: IntArray) -> ColumnTable:
    if len(rows) and (rows.min() < 0 or rows.max() >= len(table)):
        raise InvalidInput(
            f"table {table.name}: there are {len(table)} rows, asked for row {int(rows.max())}."
        )
    columns = {
        name: BundleColumn(column.field, column.values[rows], column.missing[rows])
        for name, column in table.columns.items()
    }
    return ColumnTable(table.name, MappingProxyType(columns))


#: How stimuli begin that are the person's own round; the same name is another recording in every
#: session.
OWN_ROUND = "round:"


def durations_ms(bundle: Bundle) -> Mapping[str, float]:
    """Stimuli whose duration is in the study's definitions."""
    return {
        stimulus: float(medium["duration_ms"])
        for stimulus, medium in media_names(bundle)
        if medium.get("duration_ms") is not None
    }


def logs(bundle: Bundle) -> Mapping[str, str]:
    """Stimuli to the SHA-256 of their log of actions, as the latest definition has it."""
    digests: dict[str, str] = {}
    for stimulus, medium in media_names(bundle):
        digest = medium.get("actions") or medium.get("digest")
        if digest is not None:
            digests[stimulus] = str(digest)
    return digests


def round_ms(data: Data, *trials: str) -> float | None:
    """How long the rounds of these play trials are; None where the study has none of them."""
    if data.study is None:
        return None
    for entry in outline(data.study.timeline):
        if entry.item.plays_round == "round" and (not trials or entry.item.id in trials):
            return float(entry.item.player.medium_ms)
    return None
