"""Clips of a trained agent beside people's: many runs, drawn uniformly, matched on goal and length, cut alike.

In the published study clips of one agent were twice as long as those of another: whoever judged may have judged the length. Here
both of a pair go to the same goal, took about as long, and are shown for exactly as long.
"""

from __future__ import annotations

import csv
import random
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from believable.core.clock import VirtualClock
from believable.core.errors import InvalidInput
from believable.core.seeds import derive, generator
from believable.core.work import map_chunks
from believable.protocols.doom_films import HANDS, film_name
from believable.protocols.hntt.variants.doom.stimuli import MASKS, UNMARKED
from believable.protocols.own_clips import SceneClip, make_stimuli
from believable.recordings.actions import RECORDING_SUFFIX
from believable.recordings.file import read, write
from believable.recordings.recording import Recording
from believable.study.records import Study
from believable.worlds import WORLDS
from believable.worlds.doom.doom_recording import setup_in
from believable.worlds.doom.doom_round import DoomSetup
from believable.worlds.doom.navigation.movement_measures import RUN_COLUMNS, as_row, run_measures
from believable.worlds.doom.navigation.navigation_runs import planned_runs, run_of
from believable.worlds.live_round import play_through

#: Runs shorter than this show too little; longer ones tire. The published study had 10 s at least; on this map whoever knows the
#: way is at the farthest goal after eight.
SHORTEST_S, LONGEST_S = 6.0, 30.0
#: How far the lengths of two runs of a pair may be apart, as a share of the longer.
LENGTH_SHARE = 0.3
#: The end tells who arrived how; it is not shown.
CUT_S = 1.5
#: So often a stand-in for a person is asked for a run that fits.
STANDIN_TRIES = 6
#: What each clip is measured as, beside the study.
BEHAVIOUR = "behaviour.csv"


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """A run that reached its goal."""

    file: Path
    goal: int
    seconds: float

    @property
    def fits(self) -> bool:
        return SHORTEST_S <= self.seconds <= LONGEST_S


@dataclass(frozen=True, slots=True)
class RunPair:
    human: FinishedRun
    agent: FinishedRun

    @property
    def shown_ms(self) -> int:
        """As long as the shorter, less its end."""
        return round(1000 * (min(self.human.seconds, self.agent.seconds) - CUT_S))


def matched(
    agents: Sequence[FinishedRun], people: Sequence[FinishedRun], count: int, rng: random.Random
) -> list[RunPair]:
    """Agents' runs are drawn with the same chance each; each takes the person's run to the same goal that is nearest in length.
    A goal that was shown is drawn again only when no other is left. Fewer than `count` where there are no more."""
    drawn = rng.sample(list(agents), len(agents))
    free, pairs = list(people), list[RunPair]()
    for again in (False, True):
        for run in drawn:
            shown = [pair.agent.goal for pair in pairs]
            if len(pairs) == count or not run.fits or any(run is pair.agent for pair in pairs):
                continue
            if run.goal in shown and not again:
                continue
            nearest = nearest_run(run, free)
            if nearest is not None:
                free.remove(nearest)
                pairs.append(RunPair(nearest, run))
    return pairs


def nearest_run(run: FinishedRun, people: Sequence[FinishedRun]) -> FinishedRun | None:
    """Of those to the same goal the one nearest in length, if it is near enough."""
    fitting = [other for other in people if other.goal == run.goal and other.fits]
    nearest = min(fitting, key=lambda other: abs(other.seconds - run.seconds), default=None)
    if nearest is None:
        return None
    apart = abs(nearest.seconds - run.seconds) / max(nearest.seconds, run.seconds)
    return nearest if apart <= LENGTH_SHARE else None


def write_agent_clips(
    study: Study, folder: Path, seed: int, agent: str, humans: Path | None, runs: int, done: Callable[[int], None]
) -> None:
    """Stimuli of a study: an agent's clips beside people's from `humans`, or beside those of a marked stand-in."""
    count = len({stimulus.scenario for stimulus in study.stimuli})
    human, program = study.conditions
    with tempfile.TemporaryDirectory(prefix="believable-runs-") as place:
        planned = planned_runs(agent, runs, derive(seed, "agent's runs") >> 1)
        recordings = map_chunks(run_of, planned, progress=lambda number, total: done(1), pool="processes")
        finished = [
            kept
            for number, recording in enumerate(recordings)
            if (kept := _kept(recording, Path(place) / f"{agent}-{number:03d}{RECORDING_SUFFIX}")) is not None
        ]
        rng = generator(seed, "drawn runs")
        if humans is None:
            pairs = _with_standins(finished, count, rng, Path(place))
        else:
            pairs = matched(finished, _people(humans, planned[0].map_seed), count, rng)
        if len(pairs) < count:
            raise InvalidInput(
                f"{len(pairs)} of {count} pairs: {len(finished)} of {runs} runs of {agent!r} reached their goal, and too few of "
                f"{'the stand-in' if humans is None else humans} go to the same goals in about the same time ({SHORTEST_S:g} to "
                f"{LONGEST_S:g} s). Record more runs of people (believable record), or let the agent make more (--runs)."
            )
        clips = [
            SceneClip(run.file, condition, f"pair_{number:02d}", pair.shown_ms)
            for number, pair in enumerate(pairs, 1)
            for condition, run in ((human, pair.human), (program, pair.agent))
        ]
        names = generator(seed, "names of films")
        make_stimuli(
            folder, clips, clock=VirtualClock(0), new_name=lambda: film_name(names), recipe=UNMARKED, masks=MASKS
        )
        _write_behaviour(folder / BEHAVIOUR, clips)


def _kept(recording: Recording, file: Path) -> FinishedRun | None:
    measures = run_measures(recording)
    if not measures.success:
        return None
    write(recording, file)
    return FinishedRun(file, int(measures.goal or 0), measures.seconds)


def _people(folder: Path, map_seed: int) -> list[FinishedRun]:
    """Recordings of people on the same map; runs that did not arrive are left out."""
    files = sorted(folder.glob(f"*{RECORDING_SUFFIX}"))
    if not files:
        raise InvalidInput(f"--humans: there are no recordings in {str(folder)!r}. Make some: believable record --help")
    people = []
    for file in files:
        recording = read(file)
        setup = setup_in(recording)
        if setup.goal is None or setup.map_seed != map_seed:
            raise InvalidInput(
                f"--humans: {file}: expected a run on the navigation map of seed {map_seed}, got {setup.map!r} of seed "
                f"{setup.map_seed}. Move it elsewhere."
            )
        measures = run_measures(recording)
        if measures.success:
            people.append(FinishedRun(file, setup.goal, measures.seconds))
    return people


def _with_standins(finished: Sequence[FinishedRun], count: int, rng: random.Random, place: Path) -> list[RunPair]:
    """Without people: a scripted walker goes to the same goals, until its run fits."""
    playing = WORLDS["doom"].game
    pairs: list[RunPair] = []
    walker, hand = playing.player("wanderer"), HANDS["standin_human"]
    drawn = rng.sample(list(finished), len(finished))
    for again, run in [(False, run) for run in drawn] + [(True, run) for run in drawn]:
        shown = [pair.agent.goal for pair in pairs]
        taken = run in [pair.agent for pair in pairs] or (run.goal in shown and not again)
        if len(pairs) == count or not run.fits or taken:
            continue
        setup: DoomSetup = setup_in(read(run.file))
        for attempt in range(STANDIN_TRIES):
            file = place / f"standin-{len(pairs)}-{attempt}{RECORDING_SUFFIX}"
            kept = _kept(play_through(playing, setup, partial(walker.new, hand, rng.getrandbits(60))), file)
            if kept is not None and nearest_run(run, [kept]) is not None:
                pairs.append(RunPair(kept, run))
                break
    return pairs


def _write_behaviour(file: Path, clips: Sequence[SceneClip]) -> None:
    """How whoever is seen moved, in what is seen."""
    with file.open("w", newline="", encoding="utf-8") as sheet:
        writer = csv.DictWriter(sheet, ["scenario", "condition", *RUN_COLUMNS])
        writer.writeheader()
        for clip in clips:
            measures = run_measures(read(clip.file), 0, clip.to_ms)
            writer.writerow({"scenario": clip.scenario, "condition": clip.condition, **as_row(measures)})
