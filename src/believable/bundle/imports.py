"""Bundles made from other tools' exports: the same tables, with what those tools know."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from believable.bundle.folder import BundleFolder
from believable.bundle.prepared import Prepared
from believable.bundle.records import StudyRecord
from believable.bundle.rows import day
from believable.bundle.signals import SIGNALS, KnownSignal
from believable.bundle.tables import PARTICIPANTS, TABLES, Cell, Field
from believable.bundle.write import Written, write_codebook
from believable.core.registry import Registry
from believable.instruments.contract import Instrument
from believable.replay.importers.pagan import EXTERNAL, PaganExport, Trace

#: The one trial an imported annotation is: its position and its name.
POSITION = 0
TRIAL = "annotation"


def write_pagan_bundle(
    found: PaganExport,
    folder: Path,
    *,
    name: str,
    title: str,
    instruments: Registry[Instrument[Any]],
    until_ms: Sequence[float | None] = (),
    left_out: Mapping[str, int] | None = None,
    signal: KnownSignal | None = None,
) -> Written:
    """One session per PAGAN session. The stimulus is PAGAN's name for the video; extra columns become participants' columns.

    until_ms  where each recording ends, as far as that is known: it becomes what was viewed
    left_out  recordings that are not in the bundle, counted by their reason
    signal    what all of them were to follow
    """
    extra = [column for column in found.report.extra_columns if column != EXTERNAL]
    fields = [
        Field(_extra(column), "string", f"Extra column `{column}` of the imported file.") for column in extra
    ]
    people = Field(
        "participant", "string", "Participant in the imported file, numbered in order of appearance."
    )
    tables = (
        PARTICIPANTS.with_fields([people, *fields]),
        *(table for table in TABLES if table.name != "participants"),
        *((SIGNALS,) if signal is not None else ()),
    )
    numbers: dict[str, str] = {}
    ends = tuple(until_ms) or (None,) * len(found.traces)
    rows = 0
    with BundleFolder(folder, StudyRecord(name, title), tables) as bundle:
        for number, (session, trace) in enumerate(_named(found.traces), start=1):
            who = numbers.setdefault(trace.participant, f"P{len(numbers) + 1}")
            bundle.row("participants", _participant(number, session, trace, who, extra))
            for row in _changes(session, trace):
                bundle.row("traces", row)
                rows += 1
            end = ends[number - 1]
            if end is not None:
                bundle.row("views", _viewed(session, trace.database_name, end))
        for detail, count in (left_out or {}).items():
            bundle.row(
                "exclusions", {"scope": "session", "reason": "rejected", "detail": detail, "count": count}
            )
        if signal is not None:
            for stimulus in dict.fromkeys(trace.database_name for trace in found.traces):
                for row in signal.rows(stimulus):
                    bundle.row("signals", row)
        for finding in found.report.findings:
            if finding.fate == "left out":
                detail = f"{len(finding.lines)} rows: {finding.about}"
                bundle.row(
                    "exclusions",
                    {"scope": "answer", "reason": "damaged", "detail": detail, "count": len(finding.lines)},
                )
        report = "\n".join(f"{finding.kind}: {finding}" for finding in found.report.findings)
        bundle.text(
            "documentation/import.txt",
            report + "\n",
            "What the import found in the file, by kind of trouble.",
        )
        write_codebook(bundle, title, tables, {}, instruments)
    return Written(folder, len(found.traces), rows)


def write_prepared_bundle(
    traces: Sequence[Prepared],
    folder: Path,
    *,
    name: str,
    title: str,
    instruments: Registry[Instrument[Any]],
    signal: KnownSignal | None = None,
) -> Written:
    """One session per prepared trace: a value at the beginning of every bin, and viewed as far as the bins go."""
    fields = [
        Field("participant", "string", "Participant in the imported file, numbered in order of appearance."),
        Field("extra_session", "string", "Column `session` of the imported file."),
        Field("extra_group", "string", "Column `group` of the imported file."),
    ]
    tables = (
        PARTICIPANTS.with_fields(fields),
        *(table for table in TABLES if table.name != "participants"),
        *((SIGNALS,) if signal is not None else ()),
    )
    numbers: dict[str, str] = {}
    rows = 0
    with BundleFolder(folder, StudyRecord(name, title), tables) as bundle:
        for number, trace in enumerate(traces, start=1):
            session = f"trace{number}"
            who = numbers.setdefault(trace.participant, f"P{len(numbers) + 1}")
            extra = {
                "participant": who,
                "extra_session": trace.session or None,
                "extra_group": trace.group or None,
            }
            bundle.row(
                "participants", _imported(number, session) | {"duration_ms": int(trace.until_ms)} | extra
            )
            for index, value in enumerate(trace.values):
                media_ms = float(index * trace.bin_ms)
                bundle.row(
                    "traces",
                    _change(session, trace.stimulus) | {"at_ms": 0, "media_ms": media_ms, "value": value},
                )
                rows += 1
            bundle.row("views", _viewed(session, trace.stimulus, trace.until_ms))
        if signal is not None:
            for stimulus in dict.fromkeys(trace.stimulus for trace in traces):
                for row in signal.rows(stimulus):
                    bundle.row("signals", row)
        write_codebook(bundle, title, tables, {}, instruments)
    return Written(folder, len(traces), rows)


def _viewed(session: str, stimulus: str, until_ms: float) -> Mapping[str, Cell]:
    return {
        "session": session, "position": POSITION, "stimulus": stimulus, "player": 0, "what": "stimulus", "seq": 1, "from_ms": 0.0,
        "to_ms": until_ms, "rate": 1.0,
    }  # fmt: skip


def _named(traces: Sequence[Trace]) -> list[tuple[str, Trace]]:
    """Each trace with a session id of its own; PAGAN's, numbered where several people or videos share one."""
    times: dict[str, int] = {}
    named = []
    for trace in traces:
        times[trace.session_id] = count = times.get(trace.session_id, 0) + 1
        named.append((trace.session_id if count == 1 else f"{trace.session_id}.{count}", trace))
    return named


def _extra(column: str) -> str:
    return "extra_" + "".join(mark if mark.isalnum() else "_" for mark in column.lower())


def _participant(number: int, session: str, trace: Trace, who: str, extra: list[str]) -> Mapping[str, Cell]:
    times = trace.timestamp_ms
    row = _imported(number, session)
    row |= {"started_on": day(int(times[0])), "duration_ms": int(times[-1] - times[0]), "participant": who}
    return row | {_extra(column): " | ".join(trace.extra[column]) for column in extra}


def _imported(number: int, session: str) -> dict[str, Cell]:
    return {
        "session": session,
        "number": number,
        "link_kind": "imported",
        "simulated": False,
        "state": "finished",
        "included": True,
        "trials": 1,
        "events": 0,
        "takeovers": 0,
    }


def _change(session: str, stimulus: str) -> dict[str, Cell]:
    return {
        "session": session, "position": POSITION, "run": 0, "trial_key": TRIAL, "trial": TRIAL, "stimulus": stimulus,
    }  # fmt: skip


def _changes(session: str, trace: Trace) -> list[Mapping[str, Cell]]:
    return [
        _change(session, trace.database_name) | {"seq": line, "at_ms": at, "media_ms": media, "value": value}
        for line, at, media, value in zip(
            trace.lines.tolist(),
            trace.timestamp_ms.tolist(),
            trace.media_ms.tolist(),
            trace.value.tolist(),
            strict=True,
        )
    ]
