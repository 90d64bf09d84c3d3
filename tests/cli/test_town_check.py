"""`believable town run` and `check`, as they are called."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

from believable.cli import group
from believable.core.errors import InvalidInput


def test_a_day_is_run_and_checked(tmp_path: Path) -> None:
    out = str(tmp_path / "days")
    arguments = [
        "town",
        "run",
        out,
        "--agent",
        "neurosymbolic",
        "--people",
        "2",
        "--days",
        "1",
        "--seed",
        "3",
    ]
    written = CliRunner().invoke(group, arguments, catch_exceptions=False)
    assert "actions of 2 people in 1 days" in written.output
    words = CliRunner().invoke(group, ["town", "check", out], catch_exceptions=False)
    assert "actions" in words.output
    assert "intentions fulfilled" in words.output
    tree = json.loads(
        CliRunner().invoke(group, ["town", "check", out, "--json"], catch_exceptions=False).output
    )
    assert set(tree) >= {"actions", "violations", "per_100", "intentions_fulfilled"}
    assert tree["actions"] >= 300
    alone = CliRunner().invoke(
        group, ["town", "check", out, "--json", "--person", "ada"], catch_exceptions=False
    )
    assert 150 <= json.loads(alone.output)["actions"] < tree["actions"]


def test_an_option_that_is_no_pair_is_explained(tmp_path: Path) -> None:
    result = CliRunner().invoke(group, ["town", "run", str(tmp_path / "x"), "--option", "checks"])
    assert isinstance(result.exception, InvalidInput)
    assert "expected NAME=VALUE" in str(result.exception)
