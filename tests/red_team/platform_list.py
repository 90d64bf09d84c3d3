"""A dataset of 40 people, and the list that a recruiting platform has of them."""

from __future__ import annotations

import datetime
import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

from believable.bundle import session_records
from believable.bundle.session_records import CollectedSession
from believable.bundle.write import write
from believable.core import event_chain
from tests.bundle.conftest import T0_MS, TREE, Making, definition_of

N_PEOPLE = 40
ANALYSED = TREE | {
    "analysis": {"measures": {"feel": {"question": "clip.feel"}}, "outcomes": {"primary": ["feel"]}}
}


def retime(session: CollectedSession, start_ms: int, length_ms: int) -> CollectedSession:
    """The same session, begun at `start_ms` and `length_ms` long."""
    n = len(session.events)
    times = [start_ms + round(length_ms * seq / n) for seq in range(n + 1)]
    events, bodies = [], []
    for seq, text, _ in session.events:
        body = json.loads(text) | {"at_ms": times[seq] - 150, "mono_ms": times[seq] - start_ms}
        bodies.append(json.dumps(body))
        events.append((seq, bodies[-1], times[seq]))
    opened, trials, checks = start_ms, [], []
    for trial in session.trials:
        closed = times[trial.submit_seq or 0]
        trials.append(replace(trial, opened_ms=opened, closed_ms=closed))
        checks.append((trial.position, trial.run, closed - opened))
        opened = closed
    head = event_chain.extend(event_chain.origin(session.session.id), bodies)
    record = replace(
        session.session, started_ms=start_ms, finished_ms=start_ms + length_ms, head_hash=head
    )
    return replace(
        session, session=record, events=tuple(events), trials=tuple(trials), **_view_checks(checks)
    )


def _view_checks(pages: list[tuple[int, int, int]]) -> dict[str, Any]:
    """What the server knows about each page's medium, among it how long the page was open. Early
    versions did not check.
    """
    if not hasattr(session_records, "ViewCheck"):
        return {}
    return {
        "view_checks": tuple(
            session_records.ViewCheck(
                position=position,
                run=run,
                player=0,
                length_ms=2000,
                media_bytes=10,
                sent_bytes=10,
                open_ms=open_ms,
                needed_ms=0,
                possible=True,
            )
            for position, run, open_ms in pages
        )
    }


def write_platform(room: Path) -> tuple[Path, Path]:
    """A dataset of 40 people over six hours, and the platform's list: starts 10 to 120 s earlier,
    durations 5 to 60 s longer.
    """
    rng = random.Random(28)
    making = Making(definition_of(ANALYSED))
    starts = sorted(T0_MS + rng.randrange(6 * 3_600_000) for _ in range(N_PEOPLE))
    lengths = [rng.randrange(300_000, 1_800_000) for _ in range(N_PEOPLE)]
    sessions = [
        retime(making.session(number), starts[number - 1], lengths[number - 1])
        for number in range(1, N_PEOPLE + 1)
    ]
    write(making.study(), sessions, room / "bundle")
    lines = ["Submission id,Participant id,Started at,Time taken,Session\n"]
    for number, session in enumerate(sessions):
        started_s = (starts[number] - rng.randrange(10_000, 120_000)) / 1000
        moment = datetime.datetime.fromtimestamp(started_s, datetime.UTC).isoformat()
        taken_s = (lengths[number] + rng.randrange(5_000, 60_000)) / 1000
        lines.append(f"s{number},p{number:023d},{moment},{taken_s:.0f},{session.session.id}\n")
    (room / "prolific.csv").write_text("".join(lines), encoding="utf-8")
    return room / "bundle", room / "prolific.csv"
