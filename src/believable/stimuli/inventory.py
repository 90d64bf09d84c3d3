"""What a study's pool and its stimuli are worth: what is there, what is whole, what tells conditions apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from believable.core.errors import InvalidInput, Problem
from believable.stimuli import pool, standardise
from believable.stimuli.pool import Source
from believable.stimuli.probe import Facts, decode, facts
from believable.stimuli.verify import told_apart
from believable.stimuli.workers import Progress, side_by_side
from believable.study.records import Stimulus

_AGAIN = "Run: believable stimuli standardise FOLDER"


@dataclass(frozen=True, slots=True)
class Line:
    """One source and what became of it. `length_ms` is that of the stimulus, None where there is none."""

    source: Source
    state: str
    length_ms: int | None


def lines(folder: Path) -> list[Line]:
    """Every source of the pool: `made`, `changed` (the source's record says something else now) or `waiting`."""
    return [_line(folder, source) for source in pool.sources(folder)]


def _line(folder: Path, source: Source) -> Line:
    record = standardise.provenance(folder, source.name)
    if record is None or not (folder / standardise.FOLDER / f"{source.name}.mp4").is_file():
        return Line(source, "waiting", None)
    same = Source.from_tree(record["source"]) == source
    return Line(source, "made" if same else "changed", int(record["output"]["length_ms"]))


def study_lines(folder: Path) -> str:
    """The stimuli as a study file names them."""
    rows = [
        f"  - {{id: {one.source.name}, file: {standardise.FOLDER}/{one.source.name}.mp4,"
        f" condition: {one.source.condition}, scenario: {one.source.scenario}, duration_ms: {one.length_ms}}}"
        for one in lines(folder)
        if one.state == "made"
    ]
    return "\n".join(["stimuli:", *rows]) + "\n"


def problems(
    folder: Path, *, workers: int | None = None, progress: Progress = lambda done, total: None
) -> list[Problem]:
    """Decode every source's copy and every stimulus, compare them with their records, and the conditions with each other."""
    taken = lines(folder)
    jobs = {one.source.name: (folder, one) for one in taken}
    looked = side_by_side(_look, jobs, workers=workers, progress=progress)
    found = [
        Problem(f"{standardise.FOLDER}/{name}.mp4", 1, "", reason, _AGAIN)
        for name, reason in sorted(looked.failed.items())
    ]
    known: list[tuple[Stimulus, Facts]] = []
    recipes = set()
    for one in taken:
        seen = looked.results.get(one.source.name)
        if seen is not None:
            file = f"{standardise.FOLDER}/{one.source.name}.mp4"
            known.append((Stimulus(id=one.source.name, file=file, condition=one.source.condition), seen))
            recipes.add((standardise.provenance(folder, one.source.name) or {}).get("recipe_digest"))
    if len(recipes) > 1:
        message = f"the stimuli were made by {len(recipes)} different recipes."
        found.append(Problem(standardise.FOLDER, 1, "", message, _AGAIN))
    return found + [_here(problem) for problem in told_apart(known)] + _waiting(taken)


def _look(folder: Path, line: Line) -> Facts | None:
    source = line.source
    copy = folder / pool.FOLDER / source.file
    if not copy.is_file() or pool.digest_of(copy) != source.digest:
        raise InvalidInput(
            f"its source {pool.FOLDER}/{source.file} ({source.original}) is missing or changed."
        )
    if line.state == "waiting":
        return None
    if line.state == "changed":
        raise InvalidInput("it was made before its source's record was changed.")
    video = folder / standardise.FOLDER / f"{source.name}.mp4"
    record = standardise.provenance(folder, source.name)
    if record is None or pool.digest_of(video) != record["output"]["digest"]:
        raise InvalidInput("it differs from what its provenance record says.")
    fault = decode(video).fault
    if fault:
        raise InvalidInput(f"it {fault}.")
    return facts(video)


def _here(problem: Problem) -> Problem:
    return Problem(standardise.FOLDER, 1, "", problem.message, problem.cure, problem.severity)


def _waiting(taken: Sequence[Line]) -> list[Problem]:
    count = sum(one.state == "waiting" for one in taken)
    if not count:
        return []
    return [
        Problem(pool.FOLDER, 1, "", f"{count} of {len(taken)} sources have not become stimuli.", "", "note")
    ]
