"""Demonstration days: a character's day in a small town; a stand-in for a baseline does things that do not convince.

With them come the questions that can be answered by those who have watched them."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path

from believable.core.errors import InvalidInput
from believable.core.seeds import derive, generator
from believable.protocols.replay.attention_words import DAY_PARTS, ELSEWHERE, GERMAN
from believable.recordings.recording import Action, Recording
from believable.simulate.demonstration import MadeStimulus, write_all
from believable.simulate.demonstration import make as make_one
from believable.study.records import Stimulus, Study
from believable.worlds.town.generate import generate

#: How many things go wrong in a day of the stand-in for a baseline, and in the day for practice, which belongs to no condition.
VIOLATIONS, PRACTICE_VIOLATIONS = 9, 3
#: What goes on for less is easily missed by somebody who watches.
LEAST_MINUTES = 15
#: Wrong answers to each question.
WRONG = 3
#: Between these lines of the study file stand the questions about the days.
QUESTIONS_BEGIN, QUESTIONS_END = "# questions about these days, made with them", "# end of the questions"


def make(stimulus: Stimulus, take: int, seed: int) -> MadeStimulus:
    """Both versions of a day are the same but for what goes wrong in one of them."""
    wrong = (
        VIOLATIONS
        if stimulus.condition == "standin_baseline"
        else PRACTICE_VIOLATIONS
        if stimulus.scenario is None
        else 0
    )
    name = "practice" if stimulus.scenario is None else stimulus.scenario
    day = generate(derive(seed, "day", name) % (1 << 31), violations=wrong)
    return MadeStimulus(day.replay, day.planted if stimulus.condition is not None else {})


def write(study: Study, folder: Path, seed: int, done: Callable[[Stimulus], None] = lambda stimulus: None) -> None:
    """The recordings, and in the study file the questions about them."""
    write_all(make, study, folder, seed, done)
    path = folder / "study.yaml"
    path.write_text(with_questions(path.read_text("utf-8"), study, seed), "utf-8")


# ------------------------------------------------------------------------------------------ questions about a day


def with_questions(text: str, study: Study, seed: int) -> str:
    """A study file with one question for each day, in place of those that it holds."""
    before, begins, rest = text.partition(QUESTIONS_BEGIN)
    _, ends, after = rest.partition(QUESTIONS_END)
    if not begins or not ends:
        raise InvalidInput(f"study.yaml: expected the lines {QUESTIONS_BEGIN!r} and {QUESTIONS_END!r}. Put them back.")
    indent = " " * (len(before) - len(before.rstrip(" ")))
    lines = [f"{indent}- {json.dumps(entry, ensure_ascii=False)}" for entry in questions(study, seed)]
    return "\n".join([before + begins, *lines, indent + ends]) + after


def questions(study: Study, seed: int) -> list[dict[str, object]]:
    """For each day what was done in one part of it, never the same for two versions of a day."""
    entries: list[dict[str, object]] = []
    for scenario in study.scenarios:
        days = [stimulus for stimulus in study.stimuli if stimulus.scenario == scenario]
        parts = list(DAY_PARTS)
        generator(seed, "attention", scenario).shuffle(parts)
        entries += [_question(study, day, part, seed) for day, part in zip(days, parts, strict=False)]
    return entries


def _question(study: Study, stimulus: Stimulus, part: str, seed: int) -> dict[str, object]:
    day = make_one(make, study, stimulus, seed)
    rng = generator(seed, "attention", stimulus.id)
    prompt, from_hour, to_hour, own = DAY_PARTS[part]
    fitting = [action for action in _asked_about(day) if from_hour <= _hour(day.replay, action) < to_hour]
    right = rng.choice(sorted({action.text for action in fitting}))
    return {
        "stimulus": stimulus.id,
        "prompt": prompt,
        "right": _option(right),
        "wrong": [_option(text) for text in _sample(own, rng)],
    }


def _asked_about(day: MadeStimulus) -> list[Action]:
    """What was planned, took its time, and happened once: what was planted is never asked for."""
    texts = [action.text for action in day.replay.actions]
    return [
        action
        for action in day.replay.actions
        if action.verb not in ("sleep", "walk")
        and action.id not in day.planted
        and action.t1_ms - action.t0_ms >= LEAST_MINUTES * 60_000
        and texts.count(action.text) == 1
        and action.text in GERMAN
    ]


def _hour(replay: Recording, action: Action) -> float:
    """The hour of the day at which an action begins."""
    begins = (replay.timing.simulated_start or "T00:00").partition("T")[2]
    hours, minutes = map(int, begins.split(":")[:2])
    return hours + minutes / 60 + action.t0_ms / 3_600_000


def _sample(texts: Sequence[str], rng: random.Random) -> list[str]:
    return rng.sample(texts, WRONG)


def _option(text: str) -> dict[str, object]:
    return {"value": text, "label": {"en": text, "de": {**GERMAN, **ELSEWHERE}[text]}}
