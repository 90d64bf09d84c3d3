"""A study folder to a checked definition: `study.yaml`, the pages it names, and every problem at once."""

from __future__ import annotations

from pathlib import Path

from believable.core.clock import Clock, WallClock
from believable.core.errors import Problem, StudyError
from believable.study.check import check
from believable.study.definition import Definition
from believable.study.kinds import QuestionKinds
from believable.study.nodes import parse
from believable.study.pages import read_pages
from believable.study.read import Reading, read_study

STUDY_FILE = "study.yaml"


def load(folder: Path | str, *, instruments: QuestionKinds, clock: Clock | None = None) -> Definition:
    """The definition, without media. Raises `StudyError` with all problems; warnings alone do not stop it."""
    reading, pages, found = _everything(Path(folder), instruments, clock or WallClock())
    errors = [problem for problem in found if problem.severity == "error"]
    if errors or reading is None:
        raise StudyError(errors)
    return Definition(reading.study, reading.root.plain(), pages)


def problems(folder: Path | str, *, instruments: QuestionKinds, clock: Clock | None = None) -> list[Problem]:
    """Everything wrong with the study, warnings included, in file order."""
    return _everything(Path(folder), instruments, clock or WallClock())[2]


def _everything(
    folder: Path, instruments: QuestionKinds, clock: Clock
) -> tuple[Reading | None, dict[str, str], list[Problem]]:
    path = folder / STUDY_FILE
    if not path.is_file():
        cure = "Give the folder that holds study.yaml, or make one with `believable new`."
        return None, {}, [Problem(STUDY_FILE, 1, "", f"there is no {STUDY_FILE} in {str(folder)!r}.", cure)]
    tree, found = parse(path.read_bytes(), STUDY_FILE)
    if tree is None:
        return None, {}, found
    reading = read_study(tree, instruments, file=STUDY_FILE)
    reading.problems.extend(found)
    pages = read_pages(reading, folder)
    check(reading, instruments, now_ms=clock.now_ms())
    return reading, pages, sorted(reading.problems, key=lambda problem: problem.line)
