"""A recruiting platform's list of start times and durations must not find people in a release."""

from __future__ import annotations

import datetime
import json
import random
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from believable.bundle.read import read
from believable.bundle.session_records import CollectedSession, ViewCheck
from believable.bundle.write import write
from believable.collect.match import read_platform
from believable.core import event_chain
from believable.pages import KINDS
from believable.report.anonymise import ExactFacts, anonymise
from believable.report.attack import platform_people, sessions_of_list
from believable.report.coarsen import AttackList, Attempt, CoarsenedBundle, coarsen
from believable.report.precision import PRECISIONS, Precision
from tests.bundle.conftest import T0_MS, TREE, Making, definition_of
from tests.red_team.released_times import TEN_YEARS_MS, times_in

N_PEOPLE = 40
KEY = b"0" * 32


def retime(session: CollectedSession, start_ms: int, length_ms: int) -> CollectedSession:
    """The same session, begun at `start_ms` and `length_ms` long."""
    n = len(session.events)
    times = [start_ms + round(length_ms * seq / n) for seq in range(n + 1)]
    events, bodies = [], []
    for seq, text, _ in session.events:
        body = json.loads(text) | {"at_ms": times[seq] - 150, "mono_ms": times[seq] - start_ms}
        bodies.append(json.dumps(body))
        events.append((seq, bodies[-1], times[seq]))
    opened, trials = start_ms, []
    for trial in session.trials:
        closed = times[trial.submit_seq or 0]
        trials.append(replace(trial, opened_ms=opened, closed_ms=closed))
        opened = closed
    head = event_chain.extend(event_chain.origin(session.session.id), bodies)
    record = replace(session.session, started_ms=start_ms, finished_ms=start_ms + length_ms, head_hash=head)
    return replace(session, session=record, events=tuple(events), trials=tuple(trials))


@pytest.fixture(scope="module")
def platform(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A dataset of 40 people over six hours, and the platform's list: starts 10 to 120 s earlier, durations 5 to 60 s longer."""
    rng, room = random.Random(28), tmp_path_factory.mktemp("platform")
    making = Making(definition_of(TREE))
    starts = sorted(T0_MS + rng.randrange(6 * 3_600_000) for _ in range(N_PEOPLE))
    lengths = [rng.randrange(300_000, 1_800_000) for _ in range(N_PEOPLE)]
    sessions = [retime(making.session(number), starts[number - 1], lengths[number - 1]) for number in range(1, N_PEOPLE + 1)]
    write(making.study(), sessions, room / "bundle", kinds=KINDS)
    lines = ["Submission id,Participant id,Started at,Time taken,Session\n"]
    for number, session in enumerate(sessions):
        started_s = (starts[number] - rng.randrange(10_000, 120_000)) / 1000
        moment = datetime.datetime.fromtimestamp(started_s, datetime.UTC).isoformat()
        taken_s = (lengths[number] + rng.randrange(5_000, 60_000)) / 1000
        lines.append(f"s{number},p{number:023d},{moment},{taken_s:.0f},{session.session.id}\n")
    (room / "prolific.csv").write_text("".join(lines), encoding="utf-8")
    return room / "bundle", room / "prolific.csv"


def attack_release(dataset: Path, listed: Path, target: Path) -> CoarsenedBundle:
    file = read_platform(listed, expected="prolific")
    known = AttackList(platform_people(file, listed), sessions_of_list(file, listed))
    return coarsen(dataset, target, key=KEY, facts=ExactFacts(), known=known)


def found(attempt: Attempt, signal: str) -> float:
    return max((result.found for result in attempt.results if re.search(signal, result.signal)), default=0.0)


def test_order_and_durations_find_people_before_and_nobody_after(platform: tuple[Path, Path], tmp_path: Path) -> None:
    dataset, listed = platform
    coarsened = attack_release(dataset, listed, tmp_path / "released")
    before, after = coarsened.attempts[0], coarsened.attempts[-1]
    assert found(before, "numbers of the sessions") > 0.7 * N_PEOPLE
    assert found(before, "order of rows") > 0.7 * N_PEOPLE
    assert found(before, "clocks in the raw events") > 0.7 * N_PEOPLE
    assert found(before, "lengths of sessions") > 0.3 * N_PEOPLE
    # Exact page times alone give durations away, so the default precision does not suffice here.
    default = coarsened.attempts[1]
    assert found(default, "numbers of the sessions|order of rows|clocks in") < 0.15 * N_PEOPLE
    assert default.leaks
    assert not after.leaks
    assert max((result.found for result in after.results), default=0.0) < 0.15 * N_PEOPLE
    assert coarsened.precision.step_ms != 60_000
    released = read(tmp_path / "released")
    assert [int(number or 0) for number in released["participants"]["number"].cells()] == list(range(1, N_PEOPLE + 1))
    assert max(times_in(tmp_path / "released")) <= TEN_YEARS_MS


def test_random_numbers_need_the_key(platform: tuple[Path, Path], tmp_path: Path) -> None:
    orders = []
    for name, key in (("a", b"1" * 32), ("b", b"2" * 32)):
        folder = Path(shutil.copytree(platform[0], tmp_path / name))
        anonymise(folder, PRECISIONS[0], key=key, facts=ExactFacts())
        people = read(folder)["participants"]
        assert list(people["number"].cells()) == list(range(1, N_PEOPLE + 1)), "files list sessions by their random number"
        orders.append(list(people["session"].values))
    arrival = list(read(platform[0])["participants"]["session"].values)
    assert orders[0] != orders[1]
    assert arrival not in orders


@pytest.mark.parametrize("precision", PRECISIONS)
def test_how_long_pages_were_open_does_not_add_up_to_the_length(tmp_path: Path, precision: Precision) -> None:
    """The server's own times of the pages with stimuli are as coarse as the length of the session."""
    making = Making(definition_of(TREE))
    session = making.session(1)
    places = sorted({(trial.position, trial.run) for trial in session.trials})
    checks = tuple(
        ViewCheck(
            position=position,
            run=run,
            player=player,
            length_ms=2000,
            media_bytes=10,
            sent_bytes=10,
            open_ms=61_234 + 100_000 * position,
            needed_ms=1900,
            possible=True,
        )
        for position, run in places
        for player in (0, 1)
    )
    write(making.study(), [replace(session, view_checks=checks)], tmp_path / "bundle", kinds=KINDS)
    exact = [value for value in read(tmp_path / "bundle")["shown"]["open_ms"].cells() if value is not None]
    assert exact
    assert all(value % 1000 == 234 for value in exact)
    anonymise(tmp_path / "bundle", precision, key=KEY, facts=ExactFacts())
    released = list(read(tmp_path / "bundle")["shown"]["open_ms"].cells())
    if precision.step_ms is None:
        assert set(released) == {None}
    else:
        assert sorted(value for value in released if value is not None) == sorted(
            value // precision.step_ms * precision.step_ms for value in exact
        )
