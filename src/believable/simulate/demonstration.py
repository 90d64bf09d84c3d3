"""Demonstration stimuli of the ready protocols, made by code from the study file: which recording each stimulus is, from a seed.

They are stand-ins: no person and no trained agent is in them. Studies that use them say `demonstration: true`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from believable.core.errors import InvalidInput
from believable.recordings.file import write
from believable.recordings.recording import Recording
from believable.study.records import Stimulus, Study

#: What was planted, kept beside the study file: nothing that participants receive comes from it.
PLANTED_FILE = "planted.json"


@dataclass(frozen=True, slots=True)
class MadeStimulus:
    """A recording, and for planted violations the id of each action with its kind."""

    replay: Recording
    planted: Mapping[str, str] = field(default_factory=dict)


#: How one stimulus of a ready study is made, from its entry in the study file, the number that tells it apart from others of the
#: same scenario, and a seed.
StimulusMaker: TypeAlias = Callable[[Stimulus, int, int], MadeStimulus]


def make(maker: StimulusMaker, study: Study, stimulus: Stimulus, seed: int) -> MadeStimulus:
    """The recording that stands for one stimulus of a ready study."""
    same = [other.id for other in study.stimuli if other.scenario == stimulus.scenario]
    return maker(stimulus, same.index(stimulus.id), seed)


def write_all(
    maker: StimulusMaker,
    study: Study,
    folder: Path,
    seed: int,
    done: Callable[[Stimulus], None] = lambda stimulus: None,
) -> Mapping[str, Mapping[str, str]]:
    """Write every recording of a ready study into its folder, and what was planted beside the study file."""
    planted: dict[str, Mapping[str, str]] = {}
    for stimulus in study.stimuli:
        stimulus_made = make(maker, study, stimulus, seed)
        path = folder / stimulus.file
        path.parent.mkdir(parents=True, exist_ok=True)
        write(stimulus_made.replay, path)
        if stimulus_made.planted:
            planted[stimulus.id] = stimulus_made.planted
        done(stimulus)
    if planted:
        (folder / PLANTED_FILE).write_text(json.dumps(planted, indent=1) + "\n", "utf-8")
    return planted


def planted_in(folder: Path) -> Mapping[str, Mapping[str, str]]:
    """What was planted into the stimuli of a study folder: `{stimulus: {action: kind}}`; empty where nothing was."""
    path = folder / PLANTED_FILE
    if not path.is_file():
        return {}
    try:
        planted = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise InvalidInput(f"{path}: expected JSON ({error}). Make the study again with `believable new`.") from None
    return {str(name): dict(actions) for name, actions in planted.items()}
