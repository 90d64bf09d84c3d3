"""Clips of trained agents and of people: many runs to far goals, drawn uniformly, matched on goal
and length, cut alike.

Goals are far ones: a player who knows the way needs about ten seconds. Shorter runs are not drawn,
and `drawn.json` counts the runs of each.
"""

from __future__ import annotations

import csv
import json
import random
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from believable.contracts.protocol import ShownAgents
from believable.contracts.registries import WORLDS
from believable.core.clock import VirtualClock
from believable.core.errors import InvalidInput
from believable.core.seeds import derive, generator
from believable.core.shell import quote_command
from believable.core.work import map_chunks
from believable.protocols.doom_films import MESSAGES, RECIPE, film_name
from believable.protocols.hntt.agent_study import mark_mismatched, person_of, settle_study
from believable.protocols.hntt.run_pairs import (
    LONGEST_S,
    SHORTEST_S,
    FinishedRun,
    RunPair,
    match_runs,
    mismatch_pairs,
    of_people,
)
from believable.protocols.own_clips import SceneClip, make_stimuli
from believable.protocols.variants import change_study
from believable.recordings.actions import RECORDING_SUFFIX
from believable.recordings.file import read, write
from believable.recordings.recording import Recording
from believable.study.records import Study
from believable.worlds.doom.doom_recording import setup_in
from believable.worlds.doom.doom_round import DoomSetup
from believable.worlds.doom.navigation.movement_measures import (
    RUN_COLUMNS,
    RunMeasures,
    as_row,
    run_measures,
)
from believable.worlds.doom.navigation.navigation_runs import PlannedRun, planned_runs, run_of
from believable.worlds.doom.scripted_players import MouseHand
from believable.worlds.live_round import play_through

MASKS = (MESSAGES,)
#: The page itself marks both recordings, in the participant's language.
UNMARKED = replace(RECIPE, watermark="")
#: The number of runs of a scripted player for each needed clip of a person.
STANDIN_SHARE = 3
#: The measures of each clip, and the candidates of each pair, in the study folder.
BEHAVIOUR, DRAWN = "behaviour.csv", "drawn.json"
#: Measures that go into the study file, for the report.
REPORTED = ("camera", "collisions", "slow", "jerk", "yaw_smoothness", "path_efficiency")


@dataclass(frozen=True, slots=True)
class RunCounts:
    """Of how many runs some could be drawn."""

    runs: int
    reached: int
    long_enough: int


@dataclass
class DrawnClips:
    """Clips with their scenarios, and the runs they were drawn from."""

    clips: list[SceneClip] = field(default_factory=list)
    counts: dict[str, RunCounts] = field(default_factory=dict)
    mismatched: list[str] = field(default_factory=list)

    def add(self, name: str, pairs: Sequence[RunPair], first: str, second: str) -> None:
        for number, pair in enumerate(pairs, 1):
            scenario = f"{name}_{number:02d}"
            self.clips += [
                SceneClip(run.file, condition, scenario, pair.shown_ms)
                for condition, run in ((first, pair.first), (second, pair.second))
            ]


def write_agent_clips(
    study: Study, folder: Path, seed: int, shown: ShownAgents, done: Callable[[int], None]
) -> None:
    """The study of these agents with its stimuli: their clips and people's, or those of a marked
    scripted player.
    """
    count = len({stimulus.scenario for stimulus in study.stimuli})
    settle_study(folder, shown, count)
    with tempfile.TemporaryDirectory(prefix="believable-runs-") as place:
        drawn = _draw(shown, count, seed, Path(place), done)
        names: list[str] = []
        rng = generator(seed, "names of films")

        def new_name() -> str:
            names.append(film_name(rng))
            return names[-1]

        make_stimuli(
            folder,
            drawn.clips,
            clock=VirtualClock(0),
            new_name=new_name,
            recipe=UNMARKED,
            masks=MASKS,
        )
        measured = [run_measures(read(clip.file), 0, clip.to_ms) for clip in drawn.clips]
        _write_behaviour(folder / BEHAVIOUR, drawn.clips, measured)
    counts = {name: asdict(kept) for name, kept in drawn.counts.items()}
    limits = {"shortest_s": SHORTEST_S, "longest_s": LONGEST_S, "goals": "far"}
    (folder / DRAWN).write_text(
        json.dumps({"limits": limits, "drawn_from": counts}, indent=2) + "\n", "utf-8"
    )
    change_study(folder / "study.yaml", {"stimuli": measures_of(names, measured)})
    mark_mismatched(folder, drawn.mismatched)


def measures_of(names: Sequence[str], measured: Sequence[RunMeasures]) -> Mapping[str, Any]:
    """The measures of a clip, for the study file; undefined ones are left out."""
    return {
        name: {
            "measures": {
                measure: round(float(value), 4)
                for measure in REPORTED
                if (value := getattr(measures, measure)) is not None
            }
        }
        for name, measures in zip(names, measured, strict=True)
    }


def _draw(
    shown: ShownAgents, count: int, seed: int, place: Path, done: Callable[[int], None]
) -> DrawnClips:
    drawn, person = DrawnClips(), person_of(shown)
    finished: dict[str, list[FinishedRun]] = {}
    for agent in shown.agents:
        planned = planned_runs(agent, shown.runs, derive(seed, "runs", agent) >> 1, goals="far")
        recordings = map_chunks(
            run_of, planned, progress=lambda number, total: done(1), pool="processes"
        )
        finished[agent] = keep_finished(recordings, place, agent)
        drawn.counts[agent] = _counts(shown.runs, finished[agent])
    needed = (count + shown.mismatched) * len(shown.agents) + 2 * shown.people_pairs
    rng = generator(seed, "drawn runs")
    if shown.humans is None:
        setups = [
            setup_in(read(run.file)) for runs in finished.values() for run in runs if run.fits
        ]
        people = standin_runs(setups, STANDIN_SHARE * needed, rng, place)
        drawn.counts[person] = _counts(STANDIN_SHARE * needed, people)
    else:
        people = _people(
            shown.humans,
            PlannedRun(agent="hybrid", source="", map_seed=7, seed=0, number=0).map_seed,
        )
        drawn.counts[person] = _counts(len(list(shown.humans.glob(f"*{RECORDING_SUFFIX}"))), people)
    for agent in shown.agents:
        pairs = match_runs(finished[agent], people, count, rng)
        people = _without(people, pairs)
        drawn.add(
            f"{agent}_pair" if len(shown.agents) > 1 else "pair",
            _enough(pairs, count, agent, drawn),
            person,
            agent,
        )
    for agent in shown.agents:
        used = {clip.file for clip in drawn.clips}
        rest = [run for run in finished[agent] if run.file not in used]
        pairs = mismatch_pairs(rest, people, shown.mismatched, rng)
        people = _without(people, pairs)
        name = f"{agent}_elsewhere" if len(shown.agents) > 1 else "elsewhere"
        drawn.add(name, _enough(pairs, shown.mismatched, agent, drawn), person, agent)
        drawn.mismatched += [f"{name}_{number:02d}" for number in range(1, shown.mismatched + 1)]
    pairs = of_people(people, shown.people_pairs, rng)
    drawn.add("people", _enough(pairs, shown.people_pairs, person, drawn), person, person)
    return drawn


def _without(people: Sequence[FinishedRun], pairs: Sequence[RunPair]) -> list[FinishedRun]:
    used = {pair.first.file for pair in pairs}
    return [run for run in people if run.file not in used]


def _enough(
    pairs: Sequence[RunPair], count: int, name: str, drawn: DrawnClips
) -> Sequence[RunPair]:
    if len(pairs) == count:
        return pairs
    counts = "; ".join(
        f"{who}: {kept.runs} runs, {kept.reached} reached their goal, {kept.long_enough} of them in"
        f" {SHORTEST_S:g} to {LONGEST_S:g} s"
        for who, kept in drawn.counts.items()
    )
    raise InvalidInput(
        f"{len(pairs)} of {count} pairs with {name!r}: too few runs go to the same goals in about"
        f" the same time ({counts}). Record more runs of people (believable record navigation), or"
        " let agents make more (--runs)."
    )


def _counts(runs: int, finished: Sequence[FinishedRun]) -> RunCounts:
    return RunCounts(runs, len(finished), sum(run.fits for run in finished))


def keep_finished(recordings: Sequence[Recording], place: Path, name: str) -> list[FinishedRun]:
    """Those that reached their goal, written to files."""
    finished = []
    for number, recording in enumerate(recordings):
        measures = run_measures(recording)
        if measures.success:
            file = place / f"{name}-{number:03d}{RECORDING_SUFFIX}"
            write(recording, file)
            finished.append(FinishedRun(file, int(measures.goal or 0), measures.seconds))
    return finished


def _people(folder: Path, map_seed: int) -> list[FinishedRun]:
    """Recordings of people on the same map; runs that did not arrive are left out."""
    files = sorted(folder.glob(f"*{RECORDING_SUFFIX}"))
    if not files:
        raise InvalidInput(
            f"--humans: there are no recordings in {str(folder)!r}. Make some:"
            f" {quote_command('believable record navigation', folder)}"
        )
    people = []
    for file in files:
        recording = read(file)
        setup = setup_in(recording)
        if setup.goal is None or setup.map_seed != map_seed:
            raise InvalidInput(
                f"--humans: {file}: expected a run on the navigation map of seed {map_seed}, got"
                f" {setup.map!r} of seed {setup.map_seed}. Move it elsewhere."
            )
        measures = run_measures(recording)
        if measures.success:
            people.append(FinishedRun(file, setup.goal, measures.seconds))
    return people


def standin_runs(
    setups: Sequence[DoomSetup], runs: int, rng: random.Random, place: Path
) -> list[FinishedRun]:
    """Without people: a scripted walker goes to the goals of runs that can be drawn, in turn."""
    if not setups:
        return []
    order = rng.sample(list(setups), len(setups))
    jobs = [(order[number % len(order)], rng.getrandbits(60)) for number in range(runs)]
    return keep_finished(map_chunks(_walk, jobs, pool="processes"), place, "standin")


def _walk(job: tuple[DoomSetup, int]) -> Recording:
    setup, seed = job
    playing = WORLDS["doom"].game
    return play_through(playing, setup, playing.stand_in.new(MouseHand(), seed))


def _write_behaviour(
    file: Path, clips: Sequence[SceneClip], measured: Sequence[RunMeasures]
) -> None:
    """How the player moved, in the visible part."""
    with file.open("w", newline="", encoding="utf-8") as sheet:
        writer = csv.DictWriter(sheet, ["scenario", "condition", *RUN_COLUMNS])
        writer.writeheader()
        for clip, measures in zip(clips, measured, strict=True):
            writer.writerow(
                {"scenario": clip.scenario, "condition": clip.condition, **as_row(measures)}
            )
