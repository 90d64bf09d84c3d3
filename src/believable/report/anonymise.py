"""Remove from a bundle everything that says when a person took part: clocks, days, the order of
arrival, exact durations.

A recruiting platform lists the same people with their names, start times and durations. In a
release

- sessions have random numbers, and every file lists them in the order of these numbers;
- days are empty, and times count from the first event that the server received from a session,
  whatever browsers claim;
- durations and times on a session's clock are left out, or rounded (`Precision`);
- times within a page are left out, because their sum is nearly the session's duration; if the
  authors keep them, they count from the moment the page was shown (`Precision`).
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from believable.bundle.cells import csv_line, neutralise, restore_text
from believable.bundle.package import EVENTS, PAGAN, PARQUET, STRAYS
from believable.core import event_chain
from believable.core.errors import InvalidInput
from believable.core.ids import keyed_hash
from believable.report.precision import MINUTE_MS, Precision
from believable.report.privacy import read_lines, tables_of
from believable.report.redact import Row, json_text, reseal, unbroken_bodies, write_lines
from believable.report.redescribe import TOO_FAST, redescribe

WEEK_MS = 7 * 24 * 60 * MINUTE_MS
#: No time within a session is longer. A larger number would be a clock.
TEN_YEARS_MS = 315_576_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ExactFacts:
    """Decisions that rest on exact times. A release keeps the decisions, although its own times are
    coarser.

    too_fast            sessions that the declared plan excludes because they took too little time
    too_fast_below      the share of the median time below which they are excluded; None: the plan
                        has no such rule
    begun_before_plan   how many analysed sessions began before the plan was registered; None: there
                        is no registered plan
    """

    too_fast: frozenset[str] = frozenset()
    too_fast_below: float | None = None
    begun_before_plan: int | None = None


def anonymise(folder: Path, precision: Precision, *, key: bytes, facts: ExactFacts) -> None:
    """Rewrite the bundle in place. `key` decides the random numbers; it is secret and not part of
    the release.
    """
    if (folder / PARQUET).exists():
        raise InvalidInput(
            f"{folder.name}/{PARQUET}: Parquet files cannot be anonymised. Publish the study, or a"
            " bundle exported without --parquet."
        )
    tables = {path: _read_table(path) for path, _ in tables_of(folder)}
    order = _random_order(_sessions(folder, tables), key)
    clocks = _clocks(folder, tables)
    heads = _rewrite_events(folder, clocks, order, precision)
    _rewrite_traces(folder, tables, order, precision)
    for path, table in tables.items():
        for row in table.rows:
            _rewrite_row(table.name, row, order, heads, precision)
        if table.name == "participants":
            _leave_out(table.rows, facts.too_fast)
        elif table.name == "exclusions":
            _note_too_fast(table.rows, facts.too_fast)
        _sort(table.rows, "session", order)
        _write_table(path, table)
    note = {
        "step_ms": precision.step_ms,
        "page_times": precision.page_times,
        "raw_events": precision.raw_events,
        "too_fast_below": facts.too_fast_below,
        "begun_before_plan": facts.begun_before_plan,
    }
    redescribe(folder, precision, note, {table.name: len(table.rows) for table in tables.values()})
    reseal(folder)


# ----------------------------------------------------------------------------------------------
# sessions and their order


def _sessions(folder: Path, tables: Mapping[Path, _TableRows]) -> list[str]:
    """Every session that any file names."""
    found: dict[str, None] = {}
    for table in tables.values():
        found.update(
            dict.fromkeys(
                session for row in table.rows if (session := restore_text(row.get("session") or ""))
            )
        )
    for name in (EVENTS, STRAYS):
        found.update(dict.fromkeys(line["session"] for line in read_lines(folder / name)))
    return list(found)


def _random_order(sessions: Iterable[str], key: bytes) -> dict[str, int]:
    """A number from 1 for each session. Without the key it cannot be distinguished from a random
    one.
    """
    drawn = sorted(sessions, key=lambda session: keyed_hash(key, "release", session))
    return {session: number for number, session in enumerate(drawn, start=1)}


def _sort(rows: list[Row], column: str, order: Mapping[str, int]) -> None:
    """By the random number; rows without a session at the end, as they were."""
    last = len(order) + 1
    rows.sort(key=lambda row: order.get(restore_text(row.get(column) or ""), last))


# ----------------------------------------------------------------------------------------------
# events


@dataclass(frozen=True, slots=True)
class _SessionClock:
    """When the server received the first event of a session, and how long it received some."""

    start_ms: int
    length_ms: int


def _clocks(folder: Path, tables: Mapping[Path, _TableRows]) -> dict[str, _SessionClock]:
    """Only the server's own times count: a browser can send any."""
    received: dict[str, tuple[int, int]] = {}
    for name in (EVENTS, STRAYS):
        for line in read_lines(folder / name):
            time_ms = line.get("received_ms")
            if isinstance(time_ms, int) and not isinstance(time_ms, bool):
                first, last = received.get(line["session"], (time_ms, time_ms))
                received[line["session"]] = min(first, time_ms), max(last, time_ms)
    return {
        session: _SessionClock(first, last - first) for session, (first, last) in received.items()
    }


def _rewrite_events(
    folder: Path,
    clocks: Mapping[str, _SessionClock],
    order: Mapping[str, int],
    precision: Precision,
) -> dict[str, str]:
    """The new end of each session's chain."""
    heads: dict[str, str] = {}
    for name in (EVENTS, STRAYS):
        path = folder / name
        if not path.is_file():
            continue
        lines = list(read_lines(path)) if precision.raw_events else []
        lines.sort(key=lambda line: order[line["session"]])
        page = _PageClock()
        for number, line in enumerate(lines):
            if number == 0 or lines[number - 1]["session"] != line["session"]:
                page = _PageClock()
            clock = clocks.get(line["session"], _SessionClock(0, 0))
            received_ms = _limit(_number(line.get("received_ms")) - clock.start_ms, clock.length_ms)
            line["body"] = _rewritten_body(line["body"], clock, received_ms, page, precision)
            line["received_ms"] = _floor(received_ms, precision.step_ms) or 0
        if name == EVENTS:
            for session in {line["session"]: None for line in lines}:
                heads[session] = event_chain.extend(
                    event_chain.origin(session), unbroken_bodies(lines, session)
                )
        write_lines(path, lines)
    return heads


class _PageClock:
    """The browser's monotonic clock counts from the loading of a page: here it begins again with
    each page of the study.
    """

    def __init__(self) -> None:
        self._began_ms: float | None = None

    def since_shown_ms(self, kind: object, mono_ms: object) -> float | int | None:
        if isinstance(mono_ms, bool) or not isinstance(mono_ms, int | float):
            return None
        if (
            self._began_ms is None
            or kind in ("trial.shown", "page.open")
            or mono_ms < self._began_ms
        ):
            self._began_ms = mono_ms
        since_ms = round(mono_ms - self._began_ms, 3)
        return since_ms if 0 <= since_ms <= WEEK_MS else None


#: The fields of an event; nothing else is kept of one.
_FIELDS = ("kind", "trial", "at_ms", "mono_ms", "data")


def _rewritten_body(
    text: str, clock: _SessionClock, received_ms: float, page: _PageClock, precision: Precision
) -> str:
    """The event with times that reveal no clock time. A text that is no event may hold anything, so
    nothing of it is kept.
    """
    try:
        body = json.loads(text)
    except ValueError:
        body = None
    if not isinstance(body, dict):
        return "null"
    kept = {name: body[name] for name in _FIELDS if name in body}
    if "at_ms" in kept:
        # An event cannot happen before its session began, nor after it was received, whatever the
        # browser's clock says.
        at_ms = _number(kept["at_ms"]) - clock.start_ms
        kept["at_ms"] = _floor(_limit(at_ms, received_ms), precision.step_ms) or 0
    if "mono_ms" in kept:
        since_ms = page.since_shown_ms(kept.get("kind"), kept["mono_ms"])
        kept["mono_ms"] = since_ms if precision.page_times else None
    data = kept.get("data")
    if isinstance(data, dict):
        own = ("answers", "value") if kept.get("kind") == "answer.change" else ("answers",)
        kept["data"] = {
            name: value if name in own else _small(value) for name, value in data.items()
        }
    return json_text(kept)


def _number(value: object) -> float:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else 0


def _limit(value: float, most: float) -> float:
    return min(max(value, 0), most)


def _floor(value_ms: float, step_ms: int | None) -> int | None:
    return None if step_ms is None else int(value_ms // step_ms) * step_ms


def _small(value: Any) -> Any:
    """The same without numbers that could be a clock: no stimulus lasts ten years."""
    if isinstance(value, dict):
        return {name: _small(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_small(part) for part in value]
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) > TEN_YEARS_MS:
        return TEN_YEARS_MS if value > 0 else -TEN_YEARS_MS
    return value


# ----------------------------------------------------------------------------------------------
# tables


@dataclass(frozen=True, slots=True, kw_only=True)
class _TableRows:
    """A table as it is written. `listed`: the values that columns may have, if they are listed and
    may be empty.
    """

    name: str
    header: tuple[str, ...]
    numeric: frozenset[str]
    listed: Mapping[str, frozenset[str]]
    rows: list[Row]


def _read_table(path: Path) -> _TableRows:
    package = json.loads((path.parents[1] / "datapackage.json").read_text("utf-8"))
    resource = next(
        resource for resource in package["resources"] if resource["path"] == f"data/{path.name}"
    )
    fields = resource["schema"]["fields"]
    numeric = frozenset(field["name"] for field in fields if field["type"] in ("integer", "number"))
    limits = {field["name"]: field.get("constraints", {}) for field in fields}
    listed = {
        name: frozenset(limit["enum"])
        for name, limit in limits.items()
        if "enum" in limit and "required" not in limit
    }
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        return _TableRows(
            name=str(resource["name"]),
            header=tuple(reader.fieldnames or ()),
            numeric=numeric,
            listed=listed,
            rows=list(reader),
        )


def _write_table(path: Path, table: _TableRows) -> None:
    small = [name for name in table.header if name in table.numeric and not _may_be_large(name)]
    for row in table.rows:
        for name in small:
            if len(row.get(name) or "") > 11:
                row[name] = _small_cell(row[name])
        for name, values in table.listed.items():
            if (
                row.get(name) and row[name] not in values
            ):  # a browser sent something else, which may be anything
                row[name] = ""
    lines = [
        csv_line(table.header),
        *(csv_line([row.get(name) or "" for name in table.header]) for row in table.rows),
    ]
    path.write_text("".join(lines), encoding="utf-8", newline="")


def _may_be_large(column: str) -> bool:
    """Seeds are no clocks, and answers are read by who publishes them."""
    return "seed" in column or column == "value_number"


def _small_cell(cell: str) -> str:
    number = float(cell)
    return (
        cell if abs(number) <= TEN_YEARS_MS else str(TEN_YEARS_MS if number > 0 else -TEN_YEARS_MS)
    )


#: Columns by table: times on a session's clock, and times within a page.
_SESSION_TIMES = {"trials": ("opened_ms", "closed_ms"), "rounds": ("started_ms", "ended_ms")}
_PAGE_TIMES = {"trials": ("rt_ms", "hidden_ms"), "judgements": ("seconds",), "shown": ("open_ms",)}
#: Days, which would reveal who could have taken part.
_DAYS = {
    "participants": ("started_on",),
    "exclusions": ("decided_on",),
    "versions": ("first_used_on", "revised_on"),
}
#: Never empty, so that a time that is left out is 0.
_REQUIRED = ("started_ms",)


def _rewrite_row(
    table: str, row: Row, order: Mapping[str, int], heads: Mapping[str, str], precision: Precision
) -> None:
    session = restore_text(row.get("session") or "")
    if table == "participants":
        row["number"] = str(order[session])
        if row.get("duration_ms"):
            row["duration_ms"] = _round_cell(row["duration_ms"], precision.step_ms)
        if row.get("receipt"):
            row["receipt"] = heads.get(session, "")
        if not precision.raw_events:
            row["events"] = "0"
    for column in _DAYS.get(table, ()):
        if column in row:
            row[column] = ""
    for column in _SESSION_TIMES.get(table, ()):
        if row.get(column):
            floored = _floor(max(0.0, float(row[column])), precision.step_ms)
            row[column] = (
                str(floored) if floored is not None else "0" if column in _REQUIRED else ""
            )
    for column in _PAGE_TIMES.get(table, ()):
        if row.get(column) and not (precision.page_times and 0 <= float(row[column]) <= WEEK_MS):
            row[column] = ""


def _round_cell(cell: str, step_ms: int | None) -> str:
    return (
        "" if step_ms is None else str(int((int(float(cell)) + step_ms // 2) // step_ms) * step_ms)
    )


def _rewrite_traces(
    folder: Path, tables: Mapping[Path, _TableRows], order: Mapping[str, int], precision: Precision
) -> None:
    """Traces, and the same as PAGAN has them: a row of the one for each row of the other."""
    traces = next((table for table in tables.values() if table.name == "traces"), None)
    if traces is None:
        return
    began: dict[tuple[str, str, str], tuple[float, float]] = {}
    for row in traces.rows:
        page = row["session"], row["position"], row["run"]
        at_ms, mono_ms = _number_in(row["at_ms"]), _number_in(row.get("mono_ms"))
        first_at_ms, first_mono_ms = began.setdefault(page, (at_ms, mono_ms))
        if precision.page_times:
            row["at_ms"] = str(round(_limit(at_ms - first_at_ms, WEEK_MS)))
            if row.get("mono_ms"):
                since_ms = round(mono_ms - first_mono_ms, 3)
                row["mono_ms"] = f"{since_ms:g}" if since_ms.is_integer() else str(since_ms)
                row["mono_ms"] = row["mono_ms"] if abs(since_ms) <= WEEK_MS else ""
        else:
            row["at_ms"] = str(round(_limit(_number_in(row["media_ms"]), WEEK_MS)))
            row["mono_ms"] = ""
    path = folder / PAGAN
    if not path.is_file():
        return
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        header, rows = tuple(reader.fieldnames or ()), list(reader)
    if len(rows) != len(traces.rows):
        raise InvalidInput(
            f"{path}: it has {len(rows)} rows, and the traces table {len(traces.rows)}. Export the"
            " bundle again."
        )
    for row, trace in zip(rows, traces.rows, strict=True):
        row["Timestamp"] = trace["at_ms"]
    _sort(rows, "SessionID", order)
    lines = [csv_line(header), *(csv_line([row[name] for name in header]) for row in rows)]
    path.write_text("".join(lines), encoding="utf-8", newline="")


def _number_in(cell: str | None) -> float:
    return float(cell) if cell else 0.0


# ----------------------------------------------------------------------------------------------
# exclusions


def _leave_out(rows: Iterable[Row], sessions: frozenset[str]) -> None:
    for row in rows:
        if restore_text(row["session"]) in sessions:
            row["included"] = "false"


def _note_too_fast(rows: list[Row], sessions: frozenset[str]) -> None:
    """Rounded lengths cannot decide who was too fast, so that the exact ones did. How fast is not
    said.
    """
    known = set()
    for row in rows:
        if row["reason"] == TOO_FAST:
            row["detail"] = ""
            known.add(restore_text(row["session"]))
    for session in sorted(sessions - known):
        rows.append(
            {"session": neutralise(session), "scope": "session", "reason": TOO_FAST, "count": "1"}
        )
