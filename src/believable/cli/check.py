"""`believable check` and `believable schema`: everything that is wrong with a study, at once or
while it is written.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from believable.cli import EXIT_OK, EXIT_PROBLEMS, EXIT_UNCHECKED
from believable.cli.place import (
    FILE,
    DataPlace,
    StudyData,
    bar,
    data_options,
    definition_of,
    extensions_option,
    study_argument,
    study_folder,
)

if TYPE_CHECKING:
    from believable.core.errors import Problem


@click.command()
@study_argument
@click.option("--strict", is_flag=True, help="Warnings count as problems.")
@data_options
@extensions_option
def command(study: Path, strict: bool, where: DataPlace) -> int:
    """Report every problem of a study at once.

    Looks at study.yaml and its pages, at every media file (it exists, decodes, has the stated
    length, and does not give its condition away), whether every arm and order can be filled, and
    whether it may meet participants: there is consent, somebody has written it, and what is
    promised can be kept. Each exclusion rule is tried on simulated sessions: one that removes more
    than a fifth of them is reported. Each problem comes with its line and its cure. If participants
    have begun, every change since then is a problem until `believable revise` has recorded the
    reason.

    Exit code 0: no problem; 1: problems; 3: no problem found, but something could not be checked.

    \b
    Example:
      believable check my-study
    """
    seen = [*problems_of(study_folder(study))]
    if not any(problem.severity == "error" for problem in seen):
        seen += changed_under_way(where.of(study))
    for problem in seen:
        click.echo(str(problem))
    severities = [problem.severity for problem in seen]
    errors = sum(
        severity == "error" or (strict and severity == "warning") for severity in severities
    )
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
    from believable.pages import KINDS
    from believable.protocols import PROTOCOLS
    from believable.simulate.exclusion_forecast import exclusion_problems
    from believable.stimuli.verify import study_problems
    from believable.study.nodes import parse

    with bar("Looking at media") as progress:
        found = study_problems(folder, kinds=KINDS, protocols=PROTOCOLS, progress=progress)
    if any(problem.severity == "error" for problem in found):
        return found
    tree, _ = parse((folder / "study.yaml").read_bytes(), "study.yaml")
    return [
        *found,
        *(exclusion_problems(definition_of(folder), tree, PROTOCOLS) if tree is not None else ()),
    ]


def changed_under_way(study: StudyData) -> Sequence[Problem]:
    """A problem for each change since participants began that has no reason on record; a note if
    only others began.
    """
    from believable.collect.revise import pending_change, revise_command, unpinned_note
    from believable.core.errors import Problem
    from believable.pages import KINDS
    from believable.store.study_versions import has_sessions
    from believable.web.settings import whole_definition

    if not study.served:
        return []
    with study.open() as store:
        if not store.read(lambda conn: has_sessions(conn, study.name)):
            return []
        with bar("Comparing with sessions") as progress:
            whole = whole_definition(study.folder, study.settings.media_dir, progress)
        pending = store.read(
            lambda conn: pending_change(conn, KINDS, study_id=study.name, definition=whole)
        )
        note = store.read(lambda conn: unpinned_note(conn, study_id=study.name, definition=whole))
    if pending is None:
        return [Problem("study.yaml", 1, "", note, "", "note")] if note else []
    cure = f"State the reason: {revise_command(str(study.written))}"
    return [
        Problem(
            "study.yaml",
            1,
            "",
            f"changed after {pending.n_sessions} sessions began: {change}.",
            cure,
        )
        for change in pending.changes
    ]


@click.command("schema")
@click.option("-o", "--output", type=FILE, help="Write to this file.")
def schema(output: Path | None) -> None:
    """Print the JSON Schema of study files, for editors.

    Point an editor at it and it completes keys and marks mistakes while you type.

    \b
    Example:
      believable schema -o study.schema.json
    """
    import json

    from believable.core.whole_files import write_whole
    from believable.pages import KINDS
    from believable.protocols import PROTOCOLS
    from believable.study.schema import json_schema

    text = json.dumps(json_schema(KINDS, PROTOCOLS), indent=2, ensure_ascii=False)
    if output is None:
        click.echo(text)
    else:
        write_whole(output, text + "\n")
        click.echo(
            f"Wrote {output}. In study.yaml, first line: # yaml-language-server:"
            f" $schema={output.name}"
        )
