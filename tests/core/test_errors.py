from __future__ import annotations

import copy
from typing import Any

import pytest

from believable.core.errors import (
    BelievableError,
    InvalidInput,
    MissingExtra,
    Problem,
    StudyError,
    parsing,
    reading,
)


def test_a_problem_reads_place_message_cure() -> None:
    problem = Problem(
        file="study.yaml",
        line=41,
        path="timeline[3].watch",
        message="unknown condition 'humen'.",
        cure="Did you mean 'human'?",
    )
    assert (
        str(problem)
        == "study.yaml:41 timeline[3].watch: unknown condition 'humen'. Did you mean 'human'?"
    )


def test_a_warning_says_so() -> None:
    problem = Problem(
        file="study.yaml",
        line=2,
        path="",
        message="no seed given.",
        cure="Add one.",
        severity="warning",
    )
    assert str(problem) == "study.yaml:2: warning: no seed given. Add one."


def test_a_study_error_carries_all_problems() -> None:
    problems = [
        Problem(file="s.yaml", line=line, path="a", message="wrong.", cure="Mend it.")
        for line in (1, 2)
    ]
    error = StudyError(problems)
    assert error.problems == tuple(problems)
    assert str(error).count("\n") == 1
    assert isinstance(error, InvalidInput)


def test_a_missing_extra_names_the_install_command() -> None:
    error = MissingExtra(what="reading video", extra="video")
    assert "pip install 'believable[video]'" in str(error)
    assert isinstance(error, BelievableError)
    assert isinstance(error, ImportError)


def test_errors_travel_between_processes() -> None:
    problems = (Problem(file="s.yaml", line=1, path="a", message="wrong.", cure="Mend it."),)
    assert copy.copy(StudyError(problems)).problems == problems
    missing = copy.copy(MissingExtra(what="reading video", extra="video"))
    assert (missing.what, missing.extra) == ("reading video", "video")


def test_reading_passes_our_own_bugs_on() -> None:
    with pytest.raises(TypeError), reading("data", "Copy it again."):
        _ = "data" / "name"  # type: ignore[operator]
    with pytest.raises(AttributeError), reading("data", "Copy it again."):
        "data".resolve()  # type: ignore[attr-defined]
    with (
        pytest.raises(InvalidInput, match="data: cannot be read"),
        reading("data", "Copy it again."),
    ):
        int("x")


def test_parsing_names_content_and_bug_as_possible_causes() -> None:
    tree: Any = [1, 2]
    causes = r"another shape than expected, or this is a bug of believable \(test_errors.py:\d+\)"
    with pytest.raises(InvalidInput, match=causes), parsing("x.json", "Copy it again."):
        tree["title"]
