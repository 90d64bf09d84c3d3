"""`believable simulate`: the whole platform without a network, on a virtual clock, the same every
time.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from believable.app.simulate import split_address
from believable.bundle.read import read
from believable.cli import group
from believable.core.clock import WallClock
from believable.store import monitor
from believable.store.engine import Store


def simulate(study: Path, *options: str) -> str:
    result = CliRunner().invoke(group, ["simulate", str(study), *options], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def counts(study: Path, pool: str) -> Any:
    with Store.open(
        f"sqlite:///{study / '.believable' / 'believable.db'}", clock=WallClock()
    ) as store:
        return store.read(
            lambda conn: monitor.counts(monitor.groups(conn, study.name, pool, now_ms=2**50), 0)
        )


def bundle_bytes(study: Path, target: Path) -> dict[str, bytes]:
    result = CliRunner().invoke(
        group, ["export", str(study), "--out", str(target), "--simulated"], catch_exceptions=False
    )
    assert result.exit_code == 0, result.output
    return {
        str(file.relative_to(target)): file.read_bytes()
        for file in sorted(target.rglob("*"))
        if file.is_file()
    }


def test_everybody_who_stays_finishes_and_nobody_is_real(demo: Path) -> None:
    output = simulate(demo, "--participants", "12", "--drop-out", "0.25", "--care", "0.9")
    assert output.startswith("12 simulated participants")
    found = counts(demo, "simulated")
    assert found.started == 12
    assert found.complete > 5
    assert found.complete + found.screened_out + found.dropped_out == 12
    assert counts(demo, "real").started == 0


def test_without_drop_out_and_with_care_all_complete_in_balanced_orders(demo: Path) -> None:
    simulate(demo, "--participants", "8", "--drop-out", "0", "--care", "1")
    with Store.open(
        f"sqlite:///{demo / '.believable' / 'believable.db'}", clock=WallClock()
    ) as store:
        groups = store.read(lambda conn: monitor.groups(conn, demo.name, "simulated", now_ms=2**50))
    rows: dict[str, int] = {}
    for one in groups:
        assert one.outcome == "complete"
        rows[one.rows] = rows.get(one.rows, 0) + one.n_sessions
    assert sorted(rows.values()) == [4, 4]


def test_the_careless_are_screened_out(demo: Path) -> None:
    simulate(demo, "--participants", "30", "--drop-out", "0", "--care", "0", "--seed", "2")
    assert counts(demo, "simulated").screened_out > 5


def test_same_seed_same_bytes(made_demo: Path, tmp_path: Path) -> None:
    bundles = []
    for name, seed in (("a", "5"), ("b", "5"), ("c", "6")):
        study = Path(shutil.copytree(made_demo, tmp_path / name / "demo"))
        simulate(study, "--participants", "6", "--seed", seed)
        bundles.append(bundle_bytes(study, tmp_path / name / "bundle"))
    first, again, other = bundles
    assert first.keys() == again.keys()
    assert [name for name in first if first[name] != again[name]] == []
    assert first != other


def test_a_second_run_adds_to_the_first(demo: Path) -> None:
    simulate(demo, "--participants", "2", "--drop-out", "0")
    simulate(demo, "--participants", "3", "--drop-out", "0")
    assert counts(demo, "simulated").started == 5


def test_two_studies_with_one_definition_share_a_database(made_demo: Path, tmp_path: Path) -> None:
    """The same file under two names, the same seed: sessions of their own, and both are exported
    with the definition.
    """
    data = tmp_path / "data"
    sessions = []
    for name in ("first", "second"):
        study = Path(shutil.copytree(made_demo, tmp_path / name))
        simulate(study, "--participants", "2", "--drop-out", "0", "--data", str(data))
        options = ["--data", str(data), "--out", str(tmp_path / f"{name}-bundle"), "--simulated"]
        result = CliRunner().invoke(group, ["export", str(study), *options], catch_exceptions=False)
        assert result.exit_code == 0, result.output
        bundle = read(tmp_path / f"{name}-bundle")
        assert len(bundle.definitions) == 1
        sessions += bundle["participants"]["session"].cells()
    assert len(set(sessions)) == 4


@pytest.mark.parametrize(
    ("address", "parts"),
    [
        ("http://127.0.0.1:8000", None),
        ("https://a.org/join/abc", ("https://a.org", "abc")),
        ("https://a.org/studies/join/abc/", ("https://a.org/studies", "abc")),
    ],
)
def test_a_link_is_told_from_a_server(address: str, parts: tuple[str, str] | None) -> None:
    assert split_address(address) == parts


def test_a_server_elsewhere_needs_the_whole_link(demo: Path) -> None:
    result = CliRunner().invoke(group, ["simulate", str(demo), "--http", "http://127.0.0.1:1"])
    assert result.exception is not None
    assert "Give the whole link instead" in str(result.exception)
