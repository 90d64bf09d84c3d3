"""A release as `publish` writes it by default, attacked by a few lines that share nothing with the
product's own attack.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from believable.bundle.read import read
from believable.cli import group
from believable.core.errors import InvalidInput
from tests.red_team.platform_list import N_PEOPLE, write_platform


@pytest.fixture(scope="module")
def platform(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return write_platform(tmp_path_factory.mktemp("platform"))


def summed_times(bundle: Path) -> dict[str, dict[str, float]]:
    """For every column of times: its sum for each session."""
    sums: dict[str, dict[str, float]] = {}
    for name, table in read(bundle).tables.items():
        for column, cells in table.columns.items():
            if (column.endswith("_ms") or column == "seconds") and "session" in table.columns:
                own: dict[str, float] = defaultdict(float)
                for session, cell in zip(table["session"].values, cells.cells(), strict=True):
                    own[str(session)] += float(cell or 0)
                sums[f"{name}.{column}"] = own
    return sums


def count_found(sums: dict[str, float], listed: Path) -> int:
    """Pair the person with the shortest time and the session with the smallest sum, and so on. Ties
    tell nothing.
    """
    with listed.open(encoding="utf-8", newline="") as file:
        people = sorted(csv.DictReader(file), key=lambda row: float(row["Time taken"]))
    rng = np.random.default_rng(1)
    sessions = sorted(sums, key=lambda session: (sums[session], rng.random()))
    return sum(row["Session"] == session for row, session in zip(people, sessions, strict=False))


def test_no_sum_of_times_finds_people_in_a_default_release(
    platform: tuple[Path, Path], tmp_path: Path
) -> None:
    bundle, listed = platform
    before = {name: count_found(sums, listed) for name, sums in summed_times(bundle).items()}
    assert before["trials.rt_ms"] > 0.5 * N_PEOPLE, "the attack works"
    arguments = [
        "publish",
        str(bundle),
        "--out",
        str(tmp_path / "release"),
        "--licence",
        "CC0-1.0",
        "--formats",
        "",
    ]
    result = CliRunner().invoke(group, [*arguments, "--redact", "all"])
    assert result.exception is None, result.output
    after = {
        name: count_found(sums, listed)
        for name, sums in summed_times(tmp_path / "release" / "bundle").items()
    }
    # By chance one person is found. More than five: 6 in 10,000 for each column (Poisson).
    assert {name: found for name, found in after.items() if found > 5} == {}


def test_times_are_kept_only_with_an_attack(platform: tuple[Path, Path], tmp_path: Path) -> None:
    bundle, listed = platform
    arguments = [
        "publish",
        str(bundle),
        "--out",
        str(tmp_path / "release"),
        "--licence",
        "CC0-1.0",
        "--formats",
        "",
    ]
    arguments += ["--redact", "all", "--keep-times"]
    refused = CliRunner().invoke(group, arguments)
    assert isinstance(refused.exception, InvalidInput), refused.output
    assert "--attack PLATFORM.csv" in str(refused.exception)
    assert not (tmp_path / "release").exists()
    attacked = CliRunner().invoke(group, [*arguments, "--attack", str(listed)])
    assert attacked.exception is None, attacked.output
    assert all(
        count_found(sums, listed) <= 5
        for sums in summed_times(tmp_path / "release" / "bundle").values()
    )
    accepted = CliRunner().invoke(
        group, [*arguments[:3], str(tmp_path / "kept"), *arguments[4:], "--accept", "attack"]
    )
    assert accepted.exception is None, accepted.output
    assert (
        count_found(summed_times(tmp_path / "kept" / "bundle")["trials.rt_ms"], listed)
        > 0.5 * N_PEOPLE
    )
