"""Whole verdicts by the commands and servers that users have: the same decision on any servers, two
agents from command to exit code, and a pool from the first recording to the last join.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from validation import pool_made, sequential_servers, versus_agents

pytestmark = [pytest.mark.slow, pytest.mark.timeout(7200)]


@pytest.mark.parametrize("case", sequential_servers.STUDIES, ids=lambda case: case.name)
def test_the_decision_is_the_same_on_any_servers(
    case: sequential_servers.SequentialStudy, tmp_path: Path
) -> None:
    assert sequential_servers.compare(case, tmp_path, None)


def test_a_planted_knob_is_found_and_equal_agents_are_not_told_apart() -> None:
    assert versus_agents.main([]) == 0


def test_a_pool_is_made_and_its_views_are_balanced(tmp_path: Path) -> None:
    steps = pool_made.make_pool(tmp_path, 6, 5)
    assert {step.name for step in steps} >= {"record people", "render", "check"}
    films = pool_made.films_of(tmp_path / "my-study")
    assert len(films) == 12
