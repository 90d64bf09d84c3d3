"""A recruiting platform's list of start times and durations must not find people in a release."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from believable.bundle.read import read
from believable.bundle.session_records import ViewCheck
from believable.bundle.write import write
from believable.collect.match import read_platform
from believable.core.errors import Refused
from believable.report.anonymise import ExactFacts, anonymise
from believable.report.coarsen import AttackList, Attempt, CoarsenedBundle, check_leaks, coarsen
from believable.report.platform_list import platform_people, sessions_of_list
from believable.report.precision import PRECISIONS, PRECISIONS_WITH_TIMES, Precision
from tests.bundle.conftest import TREE, Making, definition_of
from tests.red_team.platform_list import N_PEOPLE, write_platform
from tests.red_team.released_times import TEN_YEARS_MS, times_in

KEY = b"0" * 32


@pytest.fixture(scope="module")
def platform(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return write_platform(tmp_path_factory.mktemp("platform"))


def attack_release(
    dataset: Path, listed: Path, target: Path, precisions: Sequence[Precision] = PRECISIONS
) -> CoarsenedBundle:
    file = read_platform(listed, expected="prolific")
    known = AttackList(platform_people(file, listed), sessions_of_list(file, listed))
    return coarsen(dataset, target, key=KEY, facts=ExactFacts(), known=known, precisions=precisions)


def found(attempt: Attempt, signal: str) -> float:
    return max(
        (result.found for result in attempt.results if re.search(signal, result.signal)),
        default=0.0,
    )


def test_order_and_durations_find_people_before_and_nobody_after(
    platform: tuple[Path, Path], tmp_path: Path
) -> None:
    dataset, listed = platform
    coarsened = attack_release(dataset, listed, tmp_path / "released")
    before, after = coarsened.attempts[0], coarsened.attempts[-1]
    assert found(before, "numbers of the sessions") > 0.7 * N_PEOPLE
    assert found(before, "order of rows") > 0.7 * N_PEOPLE
    assert found(before, "clocks in the raw events") > 0.7 * N_PEOPLE
    assert found(before, "lengths of sessions") > 0.3 * N_PEOPLE
    assert coarsened.precision == PRECISIONS[0], "the default is coarse enough"
    assert not after.leaks
    assert max((result.found for result in after.results), default=0.0) < 0.15 * N_PEOPLE
    released = read(tmp_path / "released")
    assert [int(number or 0) for number in released["participants"]["number"].cells()] == list(
        range(1, N_PEOPLE + 1)
    )
    assert max(times_in(tmp_path / "released")) <= TEN_YEARS_MS


def test_times_that_are_kept_get_coarser_until_they_find_nobody(
    platform: tuple[Path, Path], tmp_path: Path
) -> None:
    dataset, listed = platform
    coarsened = attack_release(dataset, listed, tmp_path / "released", PRECISIONS_WITH_TIMES)
    finest = coarsened.attempts[1]
    assert found(finest, "numbers of the sessions|order of rows|clocks in") < 0.15 * N_PEOPLE
    assert found(finest, "sums of reaction times") > 0.5 * N_PEOPLE
    assert found(finest, "sums of open_ms in shown") > 0.3 * N_PEOPLE
    assert [attempt.precision for attempt in coarsened.attempts[1:]] == list(
        PRECISIONS_WITH_TIMES[: len(coarsened.attempts) - 1]
    ), "one step after the other"
    assert coarsened.precision.step_ms != 60_000
    assert not coarsened.attempts[-1].leaks


def test_a_release_that_leaks_at_the_coarsest_step_is_refused(
    platform: tuple[Path, Path], tmp_path: Path
) -> None:
    dataset, listed = platform
    leaking = attack_release(dataset, listed, tmp_path / "released", PRECISIONS_WITH_TIMES[:1])
    with pytest.raises(
        Refused,
        match=r"(?s)even the coarsest release gives people away:.*by sums of.*--accept attack",
    ):
        check_leaks(leaking, accepted=False)
    check_leaks(leaking, accepted=True)
    check_leaks(CoarsenedBundle(PRECISIONS[0]), accepted=False)


@pytest.mark.parametrize("precision", PRECISIONS_WITH_TIMES)
def test_lengths_are_multiples_of_the_stated_step(
    platform: tuple[Path, Path], tmp_path: Path, precision: Precision
) -> None:
    """Rounded to the nearest step, times on the clock of a session rounded down, or left out."""
    folder = Path(shutil.copytree(platform[0], tmp_path / "released"))
    exact = lengths_ms(folder)
    assert any(length_ms % 1000 for length_ms in exact.values()), "exact before"
    anonymise(folder, precision, key=KEY, facts=ExactFacts())
    step_ms, rounded = precision.step_ms, lengths_ms(folder)
    clocks = [
        cell
        for name in ("opened_ms", "closed_ms")
        for cell in read(folder)["trials"][name].cells()
        if cell is not None
    ]
    if step_ms is None:
        assert (rounded, clocks) == ({}, [])
        return
    assert rounded.keys() == exact.keys()
    assert all(length_ms % step_ms == 0 for length_ms in (*rounded.values(), *map(int, clocks)))
    assert all(abs(rounded[session] - exact[session]) <= step_ms / 2 for session in exact), (
        "to the nearest step"
    )


def lengths_ms(folder: Path) -> dict[str, int]:
    people = read(folder)["participants"]
    cells = zip(people["session"].values, people["duration_ms"].cells(), strict=True)
    return {str(session): int(length_ms) for session, length_ms in cells if length_ms is not None}


def test_random_numbers_need_the_key(platform: tuple[Path, Path], tmp_path: Path) -> None:
    orders = []
    for name, key in (("a", b"1" * 32), ("b", b"2" * 32)):
        folder = Path(shutil.copytree(platform[0], tmp_path / name))
        anonymise(folder, PRECISIONS[0], key=key, facts=ExactFacts())
        people = read(folder)["participants"]
        assert list(people["number"].cells()) == list(range(1, N_PEOPLE + 1)), (
            "files list sessions by their random number"
        )
        orders.append(list(people["session"].values))
    arrival = list(read(platform[0])["participants"]["session"].values)
    assert orders[0] != orders[1]
    assert arrival not in orders


@pytest.mark.parametrize("precision", PRECISIONS)
def test_how_long_pages_were_open_does_not_add_up_to_the_length(
    tmp_path: Path, precision: Precision
) -> None:
    """The server's own times of the pages with stimuli are left out, as those of the browsers
    are.
    """
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
    write(making.study(), [replace(session, view_checks=checks)], tmp_path / "bundle")
    exact = [
        value
        for value in read(tmp_path / "bundle")["shown"]["open_ms"].cells()
        if value is not None
    ]
    assert exact
    assert all(value % 1000 == 234 for value in exact)
    anonymise(tmp_path / "bundle", precision, key=KEY, facts=ExactFacts())
    assert not precision.page_times
    assert set(read(tmp_path / "bundle")["shown"]["open_ms"].cells()) == {None}
