"""Bundles made from other tools' traces: the same tables, with what those tools know. Also traces
that are already resampled: one value per bin, as a CSV file.
"""

from __future__ import annotations

import html
import math
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from believable.bundle.annotators import ChosenRecording
from believable.bundle.folder import BundleFolder
from believable.bundle.foreign_csv import foreign_rows
from believable.bundle.session_records import StudyRecord, day
from believable.bundle.signals import SIGNALS, KnownSignal
from believable.bundle.tables import PARTICIPANTS, TABLES, BundleTable, Cell, Field
from believable.bundle.write import WrittenBundle, write_codebook
from believable.core.errors import InvalidInput
from believable.recordings.importers.pagan import EXTERNAL, PaganExport

_BIN = re.compile(r"bin_([0-9]+)ms")


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedTrace:
    """One annotator's trace of one stimulus. Bins without gaps, from 0.

    block  stimuli of the same name in different blocks are different stimuli; empty if the file has
           no such column
    """

    session: str
    participant: str
    group: str
    block: str
    stimulus: str
    bin_ms: int
    values: tuple[float, ...]

    @property
    def until_ms(self) -> float:
        return float(self.bin_ms * len(self.values))


def read_prepared(path: Path, *, stimulus: str) -> tuple[PreparedTrace, ...]:
    """Read the columns `participant`, `bin_<n>ms` (the bin's number) and `value`, and `session`,
    `group`, `block`, `stimulus` if the file has them.
    """
    with foreign_rows(path, "traces") as rows:
        bins = [match for name in rows.names if (match := _BIN.fullmatch(name))]
        if "participant" not in rows.names or "value" not in rows.names or len(bins) != 1:
            raise InvalidInput(
                f"{path}:1: expected the columns participant, bin_<n>ms and value, got"
                f" {', '.join(rows.names) or 'nothing'}."
            )
        column, bin_ms = bins[0].group(0), int(bins[0].group(1))
        traces: dict[tuple[str, str, str, str, str], list[float]] = {}
        for line, row in rows:
            session, group, block = (row.get(name, "") for name in ("session", "group", "block"))
            key = (session, row["participant"], group, block, row.get("stimulus") or stimulus)
            trace = traces.setdefault(key, [])
            number, value = _numbers(path, line, row[column], row["value"])
            if number != len(trace):
                raise InvalidInput(
                    f"{path}:{line}: expected bin {len(trace)} of {row['participant']}, got"
                    f" {row[column]!r}. Bins go from 0 without gaps, one trace after the other."
                )
            trace.append(value)
    return tuple(
        PreparedTrace(
            session=session,
            participant=participant,
            group=group,
            block=block,
            stimulus=name,
            bin_ms=bin_ms,
            values=tuple(values),
        )
        for (session, participant, group, block, name), values in traces.items()
    )


def _numbers(path: Path, line: int, number: str, value: str) -> tuple[int, float]:
    try:
        numbers = int(number), float(value)
    except ValueError:
        raise InvalidInput(
            f"{path}:{line}: expected a bin and a number, got {number!r} and {value!r}."
        ) from None
    if not math.isfinite(numbers[1]):
        raise InvalidInput(f"{path}:{line}: expected a finite value, got {value!r}.")
    return numbers


#: The name of the trials of imported annotations.
TRIAL = "annotation"
PERSON = Field(
    name="participant",
    type="string",
    about="Participant in the imported files, numbered in order of appearance.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignTrace:
    """One recording of another tool.

    person   who made it, by any text that identifies people
    part     the kind of recording: a quality test, or the stimulus. Recordings of one part by one
             person are repetitions
    session  the id that the other tool gave it
    changes  (number of its line, time in ms since 1970, time in the medium, value), in the order of
             time until_ms the end, as far as it is known: it becomes the viewed interval
    extra    further columns, each with every value that was found
    """

    person: object
    part: str
    stimulus: str
    session: str
    changes: Sequence[tuple[int | None, int, float, float]]
    until_ms: float | None = None
    extra: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ForeignSession:
    """One person's work: a recording of each part, in the order of time."""

    id: str
    person: str
    traces: tuple[ForeignTrace, ...]


def readable_names(exports: Sequence[PaganExport]) -> dict[str, str]:
    """Map PAGAN's ids of videos to the names that the researcher gave them (`OriginalName`).

    An id stays as it is if its rows carry several names, or if another video has the same name.
    """
    names: dict[str, set[str]] = defaultdict(set)
    for export in exports:
        for trace in export.traces:
            names[trace.database_name].update(
                html.unescape(name).strip() for name in trace.original_names
            )
    used = Counter(name for own in names.values() for name in own)
    single = {video: next(iter(own)) for video, own in names.items() if len(own) == 1}
    return {
        video: name if (name := single.get(video)) and used[name] == 1 else video for video in names
    }


def pagan_traces(
    exports: Sequence[PaganExport],
    chosen: Sequence[ChosenRecording] | None,
    signals: Mapping[str, KnownSignal],
) -> tuple[ForeignTrace, ...]:
    """Return the recordings of exports, or only the chosen ones. A stimulus has its readable name;
    `signals` uses these names.
    """
    everybody = [ChosenRecording(t.participant, t) for export in exports for t in export.traces]
    names = readable_names(exports)
    return tuple(
        ForeignTrace(
            person=recording.person,
            part=_part(names[recording.trace.database_name], signals),
            stimulus=names[recording.trace.database_name],
            session=recording.trace.session_id,
            changes=list(
                zip(
                    recording.trace.lines.tolist(),
                    recording.trace.timestamp_ms.tolist(),
                    recording.trace.media_ms.tolist(),
                    recording.trace.value.tolist(),
                    strict=True,
                )
            ),
            until_ms=recording.until_ms,
            extra={
                name: values for name, values in recording.trace.extra.items() if name != EXTERNAL
            },
        )
        for recording in (everybody if chosen is None else chosen)
    )


def prepared_traces(
    traces: Sequence[PreparedTrace], signals: Mapping[str, KnownSignal]
) -> tuple[ForeignTrace, ...]:
    """Return a value at the start of every bin, viewed up to the last bin.

    A stimulus of a block is named `BLOCK/STIMULUS`, so blocks are never pooled. Stimuli with a
    known signal keep their name: the signal makes them the same in every block.
    """
    return tuple(
        ForeignTrace(
            person=(trace.session, trace.participant, trace.group),
            part=_part(_name_in_block(trace, signals), signals),
            stimulus=_name_in_block(trace, signals),
            session=f"trace{number}",
            changes=[
                (None, 0, float(index * trace.bin_ms), value)
                for index, value in enumerate(trace.values)
            ],
            until_ms=trace.until_ms,
            extra={
                name: (value,)
                for name, value in (
                    ("session", trace.session),
                    ("group", trace.group),
                    ("block", trace.block),
                )
                if value
            },
        )
        for number, trace in enumerate(traces, start=1)
    )


def _name_in_block(trace: PreparedTrace, signals: Mapping[str, KnownSignal]) -> str:
    return (
        trace.stimulus
        if trace.stimulus in signals or not trace.block
        else f"{trace.block}/{trace.stimulus}"
    )


def pooled_stimuli(
    traces: Sequence[PreparedTrace], signals: Mapping[str, KnownSignal]
) -> dict[str, tuple[str, ...]]:
    """Find stimuli that two or more sessions of several people each share, without a block: name →
    sessions.

    Such sessions may have shown different clips under one name. Their traces are pooled, which only
    the researcher can judge.
    """
    people: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for trace in traces:
        if trace.session and not trace.block and trace.stimulus not in signals:
            people[trace.stimulus][trace.session].add(trace.participant)
    shared = {
        stimulus: tuple(session for session, own in sessions.items() if len(own) > 1)
        for stimulus, sessions in people.items()
    }
    return {stimulus: sessions for stimulus, sessions in shared.items() if len(sessions) > 1}


def _part(stimulus: str, signals: Mapping[str, KnownSignal]) -> str:
    return signals[stimulus].test if stimulus in signals else stimulus


def sessions_of(traces: Sequence[ForeignTrace]) -> tuple[ForeignSession, ...]:
    """A person's first recordings of every part are one session, the second ones another; in the
    order of time.
    """
    people: dict[object, str] = {}
    rounds: dict[tuple[str, int], list[ForeignTrace]] = {}
    times: dict[tuple[str, str], int] = defaultdict(int)
    for trace in traces:
        person = people.setdefault(trace.person, f"P{len(people) + 1}")
        times[person, trace.part] += 1
        rounds.setdefault((person, times[person, trace.part]), []).append(trace)
    taken: dict[str, int] = defaultdict(int)
    sessions = []
    for (person, _), own in rounds.items():
        ordered = sorted(own, key=lambda trace: trace.changes[0][1])
        taken[ordered[0].session] += 1
        count = taken[ordered[0].session]
        sessions.append(
            ForeignSession(
                ordered[0].session if count == 1 else f"{ordered[0].session}.{count}",
                person,
                tuple(ordered),
            )
        )
    return tuple(sessions)


def contradictory(sessions: Sequence[ForeignSession]) -> dict[str, list[tuple[str, ...]]]:
    """Further columns that say several things about one annotator: the values, for each such
    annotator.
    """
    several: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for session in sessions:
        for name, values in _values(session).items():
            if len(values) > 1:
                several[name].append(values)
    return several


def _values(session: ForeignSession) -> dict[str, tuple[str, ...]]:
    values: dict[str, dict[str, None]] = {}
    for trace in session.traces:
        for name, own in trace.extra.items():
            values.setdefault(name, {}).update(dict.fromkeys(value for value in own if value))
    return {name: tuple(own) for name, own in values.items()}


def write_traces_bundle(
    sessions: Sequence[ForeignSession],
    folder: Path,
    *,
    name: str,
    title: str,
    signals: Mapping[str, KnownSignal] | None = None,
    left_out: Sequence[tuple[str, str, str, int]] = (),
    report: str = "",
) -> WrittenBundle:
    """Participants, traces, views and known signals of imported sessions.

    Further columns become participants' columns, empty if they have several values for one
    annotator.
    left_out  (scope, reason, detail, count) of the data that is not in the bundle
    report    notes found while importing, as a separate text
    """
    extra = list(
        dict.fromkeys(
            column for session in sessions for trace in session.traces for column in trace.extra
        )
    )
    fields = [
        Field(
            name=_extra(column),
            type="string",
            about=f"Column `{column}` of the imported files; empty if its values differ.",
        )
        for column in extra
    ]
    tables = (
        PARTICIPANTS.with_fields([PERSON, *fields]),
        *(table for table in TABLES if table.name != "participants"),
        *((SIGNALS,) if signals else ()),
    )
    rows = 0
    with BundleFolder(folder, StudyRecord(id=name, title=title), tables) as bundle:
        for number, session in enumerate(sessions, start=1):
            bundle.row("participants", _participant(number, session, extra))
            for position, trace in enumerate(session.traces):
                place: dict[str, Cell] = {
                    "session": session.id,
                    "position": position,
                    "stimulus": trace.stimulus,
                }
                trial: dict[str, Cell] = {
                    "run": 0,
                    "trial_key": f"{TRIAL}{position or ''}",
                    "trial": TRIAL,
                }
                for seq, at_ms, media_ms, value in trace.changes:
                    change: dict[str, Cell] = {
                        "seq": seq,
                        "at_ms": at_ms,
                        "media_ms": media_ms,
                        "value": value,
                    }
                    bundle.row("traces", place | trial | change)
                    rows += 1
                if trace.until_ms is not None:
                    shown: dict[str, Cell] = {
                        "player": 0,
                        "what": "stimulus",
                        "seq": position + 1,
                        "rate": 1.0,
                    }
                    bundle.row("views", place | shown | {"from_ms": 0.0, "to_ms": trace.until_ms})
        for scope, reason, detail, count in left_out:
            bundle.row(
                "exclusions", {"scope": scope, "reason": reason, "detail": detail, "count": count}
            )
        for stimulus, signal in (signals or {}).items():
            for row in signal.rows(stimulus):
                bundle.row("signals", row)
        if report:
            bundle.text(
                "documentation/import.txt",
                report,
                "What the import found in the files, by kind of trouble.",
            )
        write_codebook(bundle, title, tables, {})
    return WrittenBundle(folder, len(sessions), rows)


def imported_participant(number: int, session: str, *, trials: int) -> dict[str, Cell]:
    """The row of a person who took part elsewhere."""
    return {
        "session": session,
        "number": number,
        "link_kind": "imported",
        "simulated": False,
        "state": "finished",
        "included": True,
        "trials": trials,
        "events": 0,
        "takeovers": 0,
    }


def _participant(number: int, session: ForeignSession, extra: Sequence[str]) -> Mapping[str, Cell]:
    row = imported_participant(number, session.id, trials=len(session.traces)) | {
        "participant": session.person
    }
    begins = [trace.changes[0][1] for trace in session.traces if trace.changes[0][1]]
    if begins:
        ends = [trace.changes[-1][1] for trace in session.traces]
        row |= {"started_on": day(min(begins)), "duration_ms": max(ends) - min(begins)}
    else:
        row |= {"duration_ms": int(sum(trace.until_ms or 0 for trace in session.traces))}
    values = _values(session)
    settled = {column: values.get(column, ()) for column in extra}
    return row | {
        _extra(column): own[0] if len(own) == 1 else None for column, own in settled.items()
    }


def _extra(column: str) -> str:
    return "extra_" + "".join(mark if mark.isalnum() else "_" for mark in column.lower())


def judge_tables(*, grouped: bool) -> tuple[BundleTable, ...]:
    """The tables of a bundle of imported judges."""
    group = Field(name="arm_group", type="string", about="Group of the judge in the imported file.")
    return (
        PARTICIPANTS.with_fields([PERSON, group] if grouped else [PERSON]),
        *(table for table in TABLES if table.name != "participants"),
    )
