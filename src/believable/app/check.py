"""Check a study: everything that is wrong with it, at once."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from believable.analysis.design_claim import claim_notes
from believable.app.giveaways import giveaway_problems
from believable.app.options import AnyPath, Options, UseCaseOutcome, option, options, use_case
from believable.app.settings import whole_definition
from believable.app.study_data import StudyData, StudyOptions, load_study
from believable.collect.revise import pending_change, revise_command, unpinned_note
from believable.core.errors import Problem
from believable.core.nodes import Node, parse
from believable.core.whole_files import write_whole
from believable.simulate.exclusion_forecast import exclusion_problems
from believable.stimuli.verify import study_problems
from believable.store.study_versions import has_sessions
from believable.study.definition import Definition
from believable.study.schema import json_schema


@options
class CheckOptions(StudyOptions):
    strict: bool = option("Warnings count as problems.", default=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """Every problem of a study, in the order of its file."""

    problems: tuple[Problem, ...]
    strict: bool = False

    def count(self, *severities: str) -> int:
        return sum(problem.severity in severities for problem in self.problems)

    @property
    def errors(self) -> int:
        """The number of problems that count as errors."""
        return self.count("error", "warning") if self.strict else self.count("error")

    @property
    def outcome(self) -> UseCaseOutcome:
        if self.errors:
            return UseCaseOutcome.PROBLEMS
        return UseCaseOutcome.UNCHECKED if self.count("unchecked") else UseCaseOutcome.DONE

    def as_json(self) -> object:
        return {"outcome": self.outcome, "problems": self.problems}


@use_case(CheckOptions)
def check(options: CheckOptions) -> CheckResult:
    """Report every problem of a study at once.

    Looks at study.yaml and its pages, at every media file (it exists, decodes, has the stated
    length), whether artifacts reveal conditions above chance, whether every arm and order can be
    filled, and whether it may meet participants: there is consent, the authors are named, and
    promises can be kept. Each exclusion rule is tried on simulated sessions: one that removes more
    than a fifth of them is reported. A note states the claim that the design supports (the agent,
    or these clips) and the half-width of the interval to expect. Each problem has its line and its
    fix. If participants have begun, every change since then is a problem until `believable revise`
    has recorded the reason.

    Exit code 0: no problem; 1: problems; 3: no problem found, but something could not be checked.
    """
    found = [*_problems_of(options.folder_of(options.study), options)]
    if not any(problem.severity == "error" for problem in found):
        found += _changes_while_running(options.study_data(), options)
    return CheckResult(problems=tuple(found), strict=options.strict)


def _problems_of(folder: Path, options: Options) -> Sequence[Problem]:
    """The file's own problems first; those of media and arms once the file can be read."""
    with options.counting("Looking at media") as progress:
        found = study_problems(folder, progress=progress)
    if any(problem.severity == "error" for problem in found):
        return found
    tree, _ = parse((folder / "study.yaml").read_bytes(), "study.yaml")
    if tree is None:
        return found
    definition = load_study(folder)
    return [
        *found,
        *giveaway_problems(definition, folder, options),
        *exclusion_problems(definition, tree),
        *_claim_of(definition, tree),
    ]


def _claim_of(definition: Definition, tree: Node) -> Iterator[Problem]:
    """The claim that the design supports, with the half-width to expect."""
    place = tree.get("draw") or tree.get("stimuli") or tree
    for severity, message, cure in claim_notes(definition.study):
        yield Problem(
            file="study.yaml",
            line=place.line,
            path=place.path,
            message=message,
            cure=cure,
            severity=severity,
        )


def _changes_while_running(study: StudyData, options: Options) -> Iterator[Problem]:
    """Return a problem for each change since participants began that has no reason on record; a
    note if all sessions are simulated.
    """
    if not study.has_database:
        return
    with study.open() as store:
        if not store.read(lambda conn: has_sessions(conn, study.name)):
            return
        with options.counting("Comparing with sessions") as progress:
            whole = whole_definition(study.folder, study.settings.media_dir, progress)
        pending = store.read(
            lambda conn: pending_change(conn, study_id=study.name, definition=whole)
        )
        note = store.read(lambda conn: unpinned_note(conn, study_id=study.name, definition=whole))
    if pending is None:
        if note:
            yield Problem(
                file="study.yaml", line=1, path="", message=note, cure="", severity="note"
            )
        return
    cure = f"State the reason: {revise_command(str(study.written))}"
    for change in pending.changes:
        message = f"changed after {pending.n_sessions} sessions began: {change}."
        yield Problem(file="study.yaml", line=1, path="", message=message, cure=cure)


@options
class SchemaOptions(Options):
    output: AnyPath | None = option(
        "Write to this file.", default=None, path="file", flags="-o --output"
    )


@use_case(SchemaOptions)
def schema(options: SchemaOptions) -> str:
    """Print the JSON Schema of study files, for editors.

    Point an editor at it and it completes keys and marks mistakes while you type.
    """
    text = json.dumps(json_schema(), indent=2, ensure_ascii=False)
    if options.output is None:
        return text
    output = Path(options.output)
    write_whole(output, text + "\n")
    return (
        f"Wrote {output}. In study.yaml, first line: # yaml-language-server: $schema={output.name}"
    )
