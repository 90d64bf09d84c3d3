"""Everything wrong with a study folder, at once: its file and pages, its media, its arms, and what should not meet people."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from believable.core.errors import InvalidInput, Problem
from believable.stimuli.verify import verify
from believable.study.checks.launch import launch_problems
from believable.study.declaration import DeclaredProtocols
from believable.study.definition import Definition
from believable.study.kinds import StudyKinds
from believable.study.load import load, problems
from believable.study.plan import Assignment, cells, plan, session_seed
from believable.study.records import Study

#: Sessions tried per combination of arms and orders.
SESSIONS_PER_CELL = 5


def study_problems(
    folder: Path,
    *,
    kinds: StudyKinds,
    protocols: DeclaredProtocols,
    media: bool = True,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[Problem]:
    """All of them: the file's own first; the media (unless they are left out, since they are decoded) and the arms once the
    file can be read."""
    of_file = list(problems(folder, kinds=kinds, protocols=protocols))
    if any(problem.severity == "error" for problem in of_file):
        return of_file
    definition = load(folder, kinds=kinds, protocols=protocols)
    of_media = verify(definition, folder, progress=progress) if media else []
    return [*of_file, *launch_problems(definition), *of_media, *unfillable(definition.study)]


def definition_problems(definition: Definition) -> list[Problem]:
    """What can be told of a study without its folder."""
    return [*launch_problems(definition), *unfillable(definition.study)]


def unfillable(study: Study) -> list[Problem]:
    """Combinations of arms and orders for which no session can be planned."""
    unfilled: dict[str, Problem] = {}
    for number, cell in enumerate(cells(study)):
        for attempt in range(SESSIONS_PER_CELL):
            seed = session_seed(study, number * SESSIONS_PER_CELL + attempt + 1)
            try:
                plan(study, Assignment(dict(cell.arms), dict(cell.rows), seed))
            except InvalidInput as error:
                where = ", ".join(f"{name} {level}" for name, level in (*cell.arms, *cell.rows)) or "the study"
                message = f"no session can be planned for {where}: {error}"
                unfilled.setdefault(str(error), Problem("study.yaml", 1, "timeline", message, ""))
    return list(unfilled.values())
