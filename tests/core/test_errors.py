from __future__ import annotations

import copy

from believable.core.errors import BelievableError, InvalidInput, MissingExtra, Problem, StudyError


def test_a_problem_reads_place_message_cure() -> None:
    problem = Problem("study.yaml", 41, "timeline[3].watch", "unknown condition 'humen'.", "Did you mean 'human'?")
    assert str(problem) == "study.yaml:41 timeline[3].watch: unknown condition 'humen'. Did you mean 'human'?"


def test_a_warning_says_so() -> None:
    problem = Problem("study.yaml", 2, "", "no seed given.", "Add one.", severity="warning")
    assert str(problem) == "study.yaml:2: warning: no seed given. Add one."


def test_a_study_error_carries_all_problems() -> None:
    problems = [Problem("s.yaml", line, "a", "wrong.", "Mend it.") for line in (1, 2)]
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
    problems = (Problem("s.yaml", 1, "a", "wrong.", "Mend it."),)
    assert copy.copy(StudyError(problems)).problems == problems
    missing = copy.copy(MissingExtra(what="reading video", extra="video"))
    assert (missing.what, missing.extra) == ("reading video", "video")
