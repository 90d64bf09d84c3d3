"""`believable check`: everything that is wrong with a study, at once."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from believable.cli import EXIT_OK, EXIT_PROBLEMS, EXIT_UNCHECKED
from believable.cli.place import study_argument, study_folder

if TYPE_CHECKING:
    from believable.core.errors import Problem
    from believable.study.records import Study

#: Sessions tried per combination of arms and orders.
SESSIONS_PER_CELL = 5


@click.command()
@study_argument
@click.option("--strict", is_flag=True, help="Warnings count as problems.")
def command(study: Path, strict: bool) -> int:
    """Report every problem of a study at once.

    Looks at study.yaml and its pages, at every media file (it exists, decodes, has the stated length, and does not give
    its condition away), and whether every arm and order can be filled. Each problem comes with its line and its cure.

    Exit code 0: no problem; 1: problems; 3: no problem found, but something could not be checked.

    \b
    Example:
      believable check my-study
    """
    found = problems_of(study_folder(study))
    for problem in found:
        click.echo(str(problem))
    severities = [problem.severity for problem in found]
    errors = sum(severity == "error" or (strict and severity == "warning") for severity in severities)
    unchecked = severities.count("unchecked")
    click.echo(summary(errors, severities.count("warning"), unchecked))
    if errors:
        return EXIT_PROBLEMS
    return EXIT_UNCHECKED if unchecked else EXIT_OK


def summary(errors: int, warnings: int, unchecked: int) -> str:
    parts = [f"{errors} problem{'s' * (errors != 1)}"]
    parts += [f"{warnings} warning{'s' * (warnings != 1)}"] * bool(warnings)
    parts += [f"{unchecked} not checked"] * bool(unchecked)
    return ", ".join(parts) + "."


def problems_of(folder: Path) -> Sequence[Problem]:
    """All of them: the file's own first; the media and the arms once the file can be read."""
    from believable.instruments import INSTRUMENTS
    from believable.stimuli.verify import verify
    from believable.study.load import load, problems

    found = list(problems(folder, instruments=INSTRUMENTS))
    if any(problem.severity == "error" for problem in found):
        return found
    definition = load(folder, instruments=INSTRUMENTS)
    n_media = len(definition.study.stimuli)
    with click.progressbar(
        length=n_media, label="Looking at media", file=sys.stderr, hidden=n_media == 0
    ) as bar:
        media = verify(definition, folder, progress=lambda done, total: bar.update(done - bar.pos))
    return [*found, *media, *unfillable(definition.study)]


def unfillable(study: Study) -> list[Problem]:
    """Combinations of arms and orders for which no session can be planned."""
    from believable.core.errors import InvalidInput, Problem
    from believable.study.assign import cells, session_seed
    from believable.study.plan import Assignment, plan

    found: dict[str, Problem] = {}
    for number, cell in enumerate(cells(study)):
        for attempt in range(SESSIONS_PER_CELL):
            seed = session_seed(study, number * SESSIONS_PER_CELL + attempt + 1)
            try:
                plan(study, Assignment(dict(cell.arms), dict(cell.rows), seed))
            except InvalidInput as error:
                where = (
                    ", ".join(f"{name} {level}" for name, level in (*cell.arms, *cell.rows)) or "the study"
                )
                message = f"no session can be planned for {where}: {error}"
                found.setdefault(str(error), Problem("study.yaml", 1, "timeline", message, ""))
    return list(found.values())
