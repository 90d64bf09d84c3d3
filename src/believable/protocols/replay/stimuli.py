"""Days of a character of the town under two minds.

`runs/` contains one checked recording of the whole town for each mind, with the same seed and the
same language model, and the recorded answers of that model. A scenario is a character of that town.
So a study can be made offline, and the runs repeat to the byte without a language model.
The questions about a recording, which only its viewers can answer, follow from its log. `python -m
validation.town_minds --ship` makes `runs/` again.
"""

from __future__ import annotations

import functools
import json
import random
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from believable.core.errors import InvalidInput
from believable.core.seeds import derive, generator
from believable.protocols.replay.attention_words import FORGETTABLE, DayPart, day_parts
from believable.protocols.variants import change_study
from believable.recordings import file
from believable.recordings.recording import Action, Recording
from believable.simulate.demonstration import NOTHING_WRONG, write_all
from believable.study.records import Stimulus, Study
from believable.worlds.town.clock import STEP_MS, STEPS_PER_DAY
from believable.worlds.town.excerpt import cut_frames, follow_actor
from believable.worlds.town.map import activities
from believable.worlds.town.minds import mind_kind
from believable.worlds.town.recording import record_run
from believable.worlds.town.rule_checker.checker import add_findings
from believable.worlds.town.run import TownRun, TownSettings
from believable.worlds.town.run_folder import read_town

#: Of every action but walks at most this is shown. The day clock jumps over the rest.
SHOWN_MINUTES = 1.0
#: Viewers easily miss shorter activities.
LEAST_MINUTES = 8
#: Wrong answers to each question.
WRONG = 3
#: The practice ends at noon, of another town.
PRACTICE_STEPS = STEPS_PER_DAY // 2
#: The lines of the study file around the questions about the days.
QUESTIONS_BEGIN, QUESTIONS_END = (
    "# questions about these days, made with them",
    "# end of the questions",
)
RUNS = Path(__file__).with_name("runs")
#: The answers of a large language model that the runs were made with, by condition.
ANSWERS = RUNS


def make(stimulus: Stimulus, take: int, seed: int) -> Recording:
    """Return a character under one mind. Both conditions of a scenario follow the same character;
    the practice follows one of another town.
    """
    if stimulus.condition is None or stimulus.scenario is None:
        return _practice(derive(seed, "practice") % (1 << 31))
    run = _run(stimulus.condition)
    person = _characters(run, seed)[int(stimulus.scenario.rpartition("_")[2]) - 1]
    return condense_day(run, person, _shown_frames(person))


@functools.cache
def _shown_frames(person: str) -> int:
    """Return the length of a character's excerpts, for the runs of the package."""
    runs = [_run(path.name.partition(".")[0]) for path in sorted(RUNS.glob("*.replay.json.gz"))]
    return longest_days(runs, person)


def longest_days(runs: Iterable[Recording], person: str) -> int:
    """The most frames that are shown of a character: all its recordings get as many, so that none
    is known by its length.
    """
    return max(condense_day(run, person).timing.frames for run in runs)


def condense_day(run: Recording, person: str, frames: int | None = None) -> Recording:
    """A character as people watch it: nights and the middles of long activities are left out, so
    that `frames` remain.
    """
    return follow_actor(run, person, max_minutes=SHOWN_MINUTES, frames=frames)


def write(
    study: Study, folder: Path, seed: int, done: Callable[[Stimulus], None] = lambda stimulus: None
) -> None:
    """The recordings, and in the study file the questions about them."""
    write_all(make, study, folder, seed, done)
    _ask(study, folder, seed)


def write_town(
    study: Study,
    folder: Path,
    seed: int,
    runs: Mapping[str, Path],
    done: Callable[[Stimulus], None] = lambda stimulus: None,
) -> None:
    """Write the recordings of the user's runs, by condition. They must match."""
    checked = {condition: add_findings(read_town(run)) for condition, run in runs.items()}
    _require_match(checked)
    fewest = min(len(run.actors) for run in checked.values())
    if fewest < len(study.scenarios):
        raise InvalidInput(
            f"The town has {fewest} people; the study follows {len(study.scenarios)} of them, one"
            f" in each scenario. Run it with --people {len(study.scenarios)} or more."
        )

    def own(stimulus: Stimulus, take: int, seed: int) -> Recording:
        if stimulus.condition is None or stimulus.scenario is None:
            return make(stimulus, take, seed)
        run = checked[stimulus.condition]
        person = _characters(run, seed)[int(stimulus.scenario.rpartition("_")[2]) - 1]
        return condense_day(run, person, longest_days(checked.values(), person))

    write_all(own, study, folder, seed, done)
    change_study(folder / "study.yaml", {"demonstration": None})
    _ask(study, folder, seed)


def _require_match(runs: Mapping[str, Recording]) -> None:
    """The same town, people and days under each mind."""
    towns = {
        condition: (run.seed, tuple(actor.id for actor in run.actors), run.timing.frames)
        for condition, run in runs.items()
    }
    if len(set(towns.values())) > 1:
        words = "; ".join(
            f"{name}: seed {seed}, {len(people)} people, {frames // STEPS_PER_DAY} days"
            for name, (seed, people, frames) in towns.items()
        )
        raise InvalidInput(
            f"runs of the town: expected the same seed, people and days, got {words}. Make them"
            " anew with the same --seed, --people and --days."
        )


@functools.cache
def _run(condition: str) -> Recording:
    path = RUNS / f"{condition}.replay.json.gz"
    if not path.is_file():
        known = ", ".join(
            sorted(entry.name.partition(".")[0] for entry in RUNS.glob("*.replay.json.gz"))
        )
        raise InvalidInput(
            f"condition {condition!r}: expected one of {known}, of which there are runs. Bring your"
            " own with `believable new … --town-run CONDITION=RUN`."
        )
    return file.read(path)


def _characters(run: Recording, seed: int) -> list[str]:
    """Who is followed in which scenario."""
    people = [actor.id for actor in run.actors]
    generator(seed, "characters").shuffle(people)
    return people


@functools.lru_cache(maxsize=4)
def _practice(seed: int) -> Recording:
    """A morning in a town of two: by the mind that needs no language model; belongs to no condition
    and is not judged.
    """
    run = TownRun(
        TownSettings(seed=seed, people=2, days=1, mind="neurosymbolic"),
        mind_kind("neurosymbolic").create,
    )
    while not run.over:
        run.advance()
    town = add_findings(record_run(run))
    return condense_day(cut_frames(town, [(PRACTICE_STEPS, town.timing.frames)]), town.actors[0].id)


# ------------------------------------------------------------------------------------------
# questions about a day


def _ask(study: Study, folder: Path, seed: int) -> None:
    path = folder / "study.yaml"
    days = {
        stimulus.id: file.read(folder / stimulus.file)
        for stimulus in study.stimuli
        if stimulus.scenario
    }
    path.write_text(with_questions(path.read_text("utf-8"), study, days, seed), "utf-8")


def with_questions(text: str, study: Study, days: Mapping[str, Recording], seed: int) -> str:
    """A study file with one question for each recording, in place of those that it holds."""
    before, begins, rest = text.partition(QUESTIONS_BEGIN)
    _, ends, after = rest.partition(QUESTIONS_END)
    if not begins or not ends:
        raise InvalidInput(
            f"study.yaml: expected the lines {QUESTIONS_BEGIN!r} and {QUESTIONS_END!r}. Put them"
            " back."
        )
    indent = " " * (len(before) - len(before.rstrip(" ")))
    lines = [
        f"{indent}- {json.dumps(entry, ensure_ascii=False)}"
        for entry in questions(study, days, seed)
    ]
    return "\n".join([before + begins, *lines, indent + ends]) + after


def questions(study: Study, days: Mapping[str, Recording], seed: int) -> list[dict[str, object]]:
    """Write a question about one part of a day for each recording. The conditions of a scenario get
    different parts.
    """
    entries: list[dict[str, object]] = []
    for scenario in study.scenarios:
        taken: set[DayPart | str] = set()
        for stimulus in study.stimuli:
            if stimulus.scenario == scenario:
                entries.append(
                    _question(
                        stimulus.id,
                        days[stimulus.id],
                        taken,
                        generator(seed, "attention", stimulus.id),
                    )
                )
    return entries


def _question(
    stimulus: str, day: Recording, taken: set[DayPart | str], rng: random.Random
) -> dict[str, object]:
    """`taken` are the parts of days and the right answers of the scenario's other recordings."""
    parts = [part for part in day_parts(_days(day)) if part not in taken]
    rng.shuffle(parts)
    done = {action.activity for action in day.actions if action.activity}
    never = sorted(name for name in activities() if name not in done and name not in FORGETTABLE)
    for part in parts:
        fitting = sorted(name for name in _done_in(day, part) if name not in taken)
        if fitting and len(never) >= WRONG:
            right = rng.choice(fitting)
            taken |= {part, right}
            return {
                "stimulus": stimulus,
                "prompt": part.prompt,
                "right": _option(right),
                "wrong": [_option(name) for name in rng.sample(never, WRONG)],
            }
    raise InvalidInput(
        f"{stimulus}: nothing in it can be asked about: expected something of {LEAST_MINUTES}"
        " minutes in a part of a day that no other condition is asked about. Choose another seed."
    )


def _days(day: Recording) -> int:
    return max((_moment(day, action)[0] for action in day.actions), default=1)


def _done_in(day: Recording, span: DayPart) -> set[str]:
    """What took its time in that part of a day and nothing was wrong with it, by its name."""
    return {
        str(action.activity)
        for action in day.actions
        if action.activity
        and action.activity not in FORGETTABLE
        and action.violations == NOTHING_WRONG
        and span.day == _moment(day, action)[0]
        and span.from_hour <= _moment(day, action)[1] < span.to_hour
        and _minutes(day, action) >= LEAST_MINUTES
    }


def _moment(day: Recording, action: Action) -> tuple[int, float]:
    """The day, counted from 1, and the hour at which an action begins."""
    begins = (day.timing.simulated_start or "T00:00").partition("T")[2]
    hours, minutes = map(int, begins.split(":")[:2])
    left_out = sum(ms for frame, ms in day.timing.jumps if frame * STEP_MS <= action.t0_ms)
    hour = hours + minutes / 60 + (action.t0_ms + left_out) / 3_600_000
    return int(hour // 24) + 1, hour % 24


def _minutes(day: Recording, action: Action) -> float:
    left_out = sum(
        ms for frame, ms in day.timing.jumps if action.t0_ms < frame * STEP_MS < action.t1_ms
    )
    return (action.t1_ms - action.t0_ms + left_out) / 60_000


def _option(activity: str) -> dict[str, object]:
    kind = activities()[activity]
    return {"value": activity, "label": {"en": kind.en, "de": kind.de}}
