"""Demonstration stimuli of the ready protocols, from the study file: which recording each stimulus
is, from a seed.

Studies that use them say `demonstration: true`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeAlias

from believable.recordings.file import write
from believable.recordings.recording import Action, Recording
from believable.study.records import Stimulus, Study

#: The label of a checked action without violations.
NOTHING_WRONG = "none"


def violations_of(actions: tuple[Action, ...]) -> Mapping[str, str]:
    """The violations that a checker of the world's rules found: `{action: category/rule; …}`."""
    return {
        action.id: action.violations
        for action in actions
        if action.violations not in (None, NOTHING_WRONG)
    }


#: How one stimulus of a ready study is made, from its entry in the study file, the number that
#: distinguishes it from others of the same scenario, and a seed.
StimulusMaker: TypeAlias = Callable[[Stimulus, int, int], Recording]


def make(maker: StimulusMaker, study: Study, stimulus: Stimulus, seed: int) -> Recording:
    """The recording behind one stimulus of a ready study."""
    same = [other.id for other in study.stimuli if other.scenario == stimulus.scenario]
    return maker(stimulus, same.index(stimulus.id), seed)


def write_all(
    maker: StimulusMaker,
    study: Study,
    folder: Path,
    seed: int,
    done: Callable[[Stimulus], None] = lambda stimulus: None,
) -> None:
    """Write every recording of a ready study into its folder."""
    for stimulus in study.stimuli:
        path = folder / stimulus.file
        path.parent.mkdir(parents=True, exist_ok=True)
        write(make(maker, study, stimulus, seed), path)
        done(stimulus)
