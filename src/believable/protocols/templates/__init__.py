"""Studies to start from: small and complete, with an analysis and placeholders for the stimuli."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from believable.contracts.protocol import ReadyStudy
from believable.core.registry import Registry
from believable.core.seeds import derive
from believable.recordings.file import write as write_recording
from believable.study.records import Stimulus, Study
from believable.worlds.maze.rules import TICKS_PER_S
from believable.worlds.maze.standins import PLAYERS, fight

#: Long enough to look at, short enough to click through.
PLACEHOLDER_S = 8

BLANK = ReadyStudy(
    name="blank",
    about="Three conditions, each watched, rated and compared; a text. About five minutes.",
    package=f"{__name__}.blank",
)
COMPARE_AGENTS = ReadyStudy(
    name="compare-agents",
    about=(
        "Which agent acts more like a person? Pairs of recordings, a choice and a reason for each."
    ),
    package=f"{__name__}.compare_agents",
)
RATE_CLIPS = ReadyStudy(
    name="rate-clips",
    about=(
        "How human does each clip look? Clips one by one: a rating, person or program, how certain,"
        " why."
    ),
    package=f"{__name__}.rate_clips",
)
PLAY_AND_ANNOTATE = ReadyStudy(
    name="play-and-annotate",
    about="Play against each opponent, watch the round again and annotate it, rate it.",
    package=f"{__name__}.play_and_annotate",
)

TEMPLATES: Registry[ReadyStudy] = Registry(
    "template", [BLANK, COMPARE_AGENTS, RATE_CLIPS, PLAY_AND_ANNOTATE]
)


def write_placeholders(
    study: Study, folder: Path, seed: int, done: Callable[[Stimulus], None]
) -> None:
    """A short recording for every missing stimulus. Conditions are played by scripted players that
    move differently, in the order of the study file; all of one scenario are in the same maze.
    """
    kinds = list(PLAYERS)
    for stimulus in study.stimuli:
        path = folder / stimulus.file
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            kind = kinds[study.conditions.index(str(stimulus.condition)) % len(kinds)]
            maze = derive(seed, "placeholder", str(stimulus.scenario))
            write_recording(fight(maze, 0, kind, ticks=PLACEHOLDER_S * TICKS_PER_S), path)
        done(stimulus)
