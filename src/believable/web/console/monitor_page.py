"""The live monitor: one page that works by itself, and one JSON answer that keeps it fresh."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import orjson
from starlette.responses import RedirectResponse, Response

from believable.core.errors import InvalidInput, NotFound, Refused
from believable.store import alarms, monitor
from believable.store.alarms import Alarm
from believable.store.monitor import Snapshot
from believable.store.studies import StudyRow
from believable.study.definition import Definition
from believable.web.console.balance import balance, trial_names
from believable.web.console.console_page import RESEARCHERS, ConsoleVisit, Route, pool_to_show
from believable.web.console.evidence_panel import evidence_picture
from believable.web.console.guard import PATH
from believable.web.console.studies_page import the_study
from believable.web.form_numbers import is_whole_number

WIDTH, HEIGHT = 300, 48


@dataclass(frozen=True, slots=True)
class Sparkline:
    """`points` for a polyline in a box of `WIDTH` × `HEIGHT`; `top` is the value at its upper
    edge.
    """

    points: str
    area: str
    top: float


def sparkline(values: Sequence[float]) -> Sparkline:
    """The newest value is at the right edge.

    >>> sparkline([0, 5, 10]).points
    '0.0,47.0 150.0,24.0 300.0,1.0'
    """
    top = max([*values, 0.0])
    step = WIDTH / max(len(values) - 1, 1)
    rise = (HEIGHT - 2) / top if top else 0.0
    points = " ".join(
        f"{i * step:.1f},{HEIGHT - 1 - value * rise:.1f}" for i, value in enumerate(values)
    )
    return Sparkline(points, f"0,{HEIGHT} {points} {WIDTH},{HEIGHT}", top)


#: A page shows a minute of the past; a refresh only what came since the last few.
PAGE_WINDOW_MS = 60_000
REFRESH_WINDOW_MS = 10_000
POOL_WORDS = {"real": "Participants", "simulated": "Simulated", "preview": "Preview"}


async def standing_alarms(visit: ConsoleVisit, study: str) -> tuple[Alarm, ...]:
    """Alarms of this study and of the whole server. Those in memory are first: a full disk cannot
    store them.
    """
    sounded = await asyncio.to_thread(visit.console.store.alarms)
    return tuple(alarm for alarm in sounded if alarm.study in (None, study))


def picture(
    study: StudyRow,
    definition: Definition,
    pool: str,
    snapshot: Snapshot,
    standing: tuple[Alarm, ...],
    now_ms: int,
) -> dict[str, Any]:
    """What page and script both show, as plain data."""
    names = trial_names(definition.study)
    steps = monitor.funnel(snapshot.groups, snapshot.ended, study.definition, len(names))
    older = sum(
        group.n_sessions for group in snapshot.groups if group.definition != study.definition
    )
    return {
        "study": study.id,
        "state": study.state,
        "pool": pool,
        "now_ms": now_ms,
        "counts": asdict(snapshot.counts),
        "limit": definition.study.recruit.limit,
        "median_ms": snapshot.median_ms,
        "funnel": [
            {**asdict(step), "kinds": name.kinds, "keys": name.keys}
            for step, name in zip(steps, names, strict=True)
        ],
        "older_definitions": older,
        "balance": asdict(balance(definition.study, snapshot.groups)),
        "pulse": asdict(snapshot.pulse),
        "silent": [asdict(session) for session in snapshot.silent],
        "n_silent": snapshot.n_silent,
        "other_pools": dict(snapshot.other_pools),
        "alarms": [asdict(alarm) for alarm in standing],
    }


async def _picture(visit: ConsoleVisit, window_ms: int) -> tuple[StudyRow, dict[str, Any]]:
    study = await the_study(visit)
    pool = await pool_to_show(visit, study.id, POOL_WORDS)
    definition = await visit.definition(study.definition)
    now = {"now_ms": visit.now_ms, "window_ms": window_ms}
    snapshot = await visit.read(lambda conn: monitor.snapshot(conn, study.id, pool, **now))
    standing = await standing_alarms(visit, study.id)
    context = visit.console.collect.context
    evidence = await visit.read(lambda conn: evidence_picture(conn, context, study, pool))
    shown = picture(study, definition, pool, snapshot, standing, visit.now_ms)
    return study, shown | {"evidence": evidence}


async def page(visit: ConsoleVisit) -> Response:
    study, shown = await _picture(visit, PAGE_WINDOW_MS)
    beats = shown["pulse"]["beats"]
    bucket_s = shown["pulse"]["bucket_ms"] / 1000
    return visit.render(
        "monitor.html",
        study=study,
        shown=shown,
        pools=POOL_WORDS,
        line=sparkline([beat["n_events"] / bucket_s for beat in beats]),
        per_s=beats[-1]["n_events"] / bucket_s if beats else 0.0,
        n_stalls=sum(beat["n_media_stalls"] for beat in beats),
    )


async def as_json(visit: ConsoleVisit) -> Response:
    _, shown = await _picture(visit, REFRESH_WINDOW_MS)
    return Response(orjson.dumps(shown), media_type="application/json")


async def acknowledge(visit: ConsoleVisit) -> Response:
    """Clears an alarm. One that is only in memory clears itself when it is over."""
    study, number = await the_study(visit), visit.form.get("alarm", "")
    if not is_whole_number(number, least=0, most=10**18):
        raise InvalidInput(
            f"alarm: expected its number, got {number[:20]!r}. An alarm without a number ends by"
            " itself when its cause does."
        )
    standing = await visit.read(alarms.standing)
    alarm = next((alarm for alarm in standing if alarm.id == int(number)), None)
    if alarm is None or alarm.study not in (None, study.id):
        raise NotFound(f"alarm {number} does not stand any more. Reload the monitor.")
    if alarm.study is None and not visit.rights.administrator:
        raise Refused(
            f"alarm {number} is about the whole server. Ask an administrator to clear it."
        )
    at_ms = visit.now_ms
    await visit.change(
        lambda conn: alarms.clear(conn, int(number), at_ms),
        f"acknowledged alarm {number} ({alarm.kind})",
        study=study.id,
    )
    return RedirectResponse(f"{PATH}/studies/{study.id}/monitor", 303)


ROUTES = (
    Route(
        method="GET",
        path="/studies/{study}/monitor",
        access=RESEARCHERS,
        answer=page,
        tab="Monitor",
    ),
    Route(
        method="GET",
        path="/studies/{study}/monitor.json",
        access=RESEARCHERS,
        answer=as_json,
        form="json",
    ),
    Route(method="POST", path="/studies/{study}/alarms", access=RESEARCHERS, answer=acknowledge),
)
