"""The quality of a study's pool and its stimuli: which exist, which are intact, and what
distinguishes conditions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from believable.core.errors import InvalidInput, Problem
from believable.core.object_storage import digest_of
from believable.core.work import Progress, map_named
from believable.stimuli import source_pool, standardise
from believable.stimuli.artifacts import ComparedStimulus, film_amounts
from believable.stimuli.probe import MediaFacts, decode, facts
from believable.stimuli.source_pool import StimulusSource
from believable.stimuli.verify import revealing_amounts, told_apart
from believable.study.records import Stimulus

_AGAIN = "Run: believable stimuli standardise FOLDER"


@dataclass(frozen=True, slots=True)
class PoolLine:
    """One source and what became of it. `length_ms` is that of the stimulus, None if
    there is none.
    """

    source: StimulusSource
    state: str
    length_ms: int | None


def lines(folder: Path) -> list[PoolLine]:
    """Every source of the pool: `made`, `changed` (the source's record says something else now) or
    `waiting`.
    """
    return [_line(folder, source) for source in source_pool.sources(folder)]


def _line(folder: Path, source: StimulusSource) -> PoolLine:
    record = standardise.provenance(folder, source.name)
    if record is None or not (folder / standardise.FOLDER / f"{source.name}.mp4").is_file():
        return PoolLine(source, "waiting", None)
    same = StimulusSource.from_tree(record["source"]) == source
    return PoolLine(source, "made" if same else "changed", int(record["output"]["length_ms"]))


def study_lines(folder: Path) -> str:
    """The stimuli as a study file names them."""
    rows = [
        f"  - {{id: {line.source.name}, file: {standardise.FOLDER}/{line.source.name}.mp4,"
        f" condition: {line.source.condition}, scenario: {line.source.scenario}, duration_ms:"
        f" {line.length_ms}}}"
        for line in lines(folder)
        if line.state == "made"
    ]
    return "\n".join(["stimuli:", *rows]) + "\n"


def problems(
    folder: Path, *, workers: int | None = None, progress: Progress = lambda done, total: None
) -> list[Problem]:
    """Decode every source's copy and every stimulus, compare them with their records, and the
    conditions with each other.
    """
    taken = lines(folder)
    jobs = {line.source.name: (folder, line) for line in taken}
    looked = map_named(_look, jobs, workers=workers, progress=progress)
    problems_seen = [
        Problem(
            file=f"{standardise.FOLDER}/{name}.mp4", line=1, path="", message=reason, cure=_AGAIN
        )
        for name, reason in sorted(looked.failed.items())
    ]
    known: list[tuple[Stimulus, MediaFacts]] = []
    compared: list[ComparedStimulus] = []
    recipes = set()
    for line in taken:
        seen = looked.results.get(line.source.name)
        if seen is not None:
            file = f"{standardise.FOLDER}/{line.source.name}.mp4"
            known.append(
                (Stimulus(id=line.source.name, file=file, condition=line.source.condition), seen[0])
            )
            compared.append(ComparedStimulus(line.source.condition, line.source.scenario, seen[1]))
            recipes.add(
                (standardise.provenance(folder, line.source.name) or {}).get("recipe_digest")
            )
    if len(recipes) > 1:
        message = f"the stimuli were made by {len(recipes)} different recipes."
        problems_seen.append(
            Problem(file=standardise.FOLDER, line=1, path="", message=message, cure=_AGAIN)
        )
    apart = [*told_apart(known), *revealing_amounts(compared, folder)]
    return problems_seen + [_in_stimuli(problem) for problem in apart] + _waiting(taken)


def _look(folder: Path, line: PoolLine) -> tuple[MediaFacts, Mapping[str, float]] | None:
    source = line.source
    copy = folder / source_pool.FOLDER / source.file
    if not copy.is_file() or digest_of(copy) != source.digest:
        raise InvalidInput(
            f"its source {source_pool.FOLDER}/{source.file} ({source.original}) is missing or"
            " changed."
        )
    if line.state == "waiting":
        return None
    if line.state == "changed":
        raise InvalidInput("it was made before its source's record was changed.")
    video = folder / standardise.FOLDER / f"{source.name}.mp4"
    record = standardise.provenance(folder, source.name)
    if record is None or digest_of(video) != record["output"]["digest"]:
        raise InvalidInput("it differs from what its provenance record says.")
    fault = decode(video).fault
    if fault:
        raise InvalidInput(f"it {fault}.")
    return facts(video), film_amounts(video)


def _in_stimuli(problem: Problem) -> Problem:
    return Problem(
        file=standardise.FOLDER,
        line=1,
        path="",
        message=problem.message,
        cure=problem.cure,
        severity=problem.severity,
    )


def _waiting(taken: Sequence[PoolLine]) -> list[Problem]:
    count = sum(line.state == "waiting" for line in taken)
    if not count:
        return []
    return [
        Problem(
            file=source_pool.FOLDER,
            line=1,
            path="",
            message=f"{count} of {len(taken)} sources have not become stimuli.",
            cure="",
            severity="note",
        )
    ]
