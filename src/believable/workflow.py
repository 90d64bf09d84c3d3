"""A study from its folder to its results, in Python: what the command line does, as functions of
values.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from believable.analysis.findings import Analysis
from believable.analysis.run import run
from believable.bundle.read import Bundle
from believable.core.errors import Problem
from believable.pages import KINDS
from believable.protocols import PROTOCOLS, READY_STUDIES
from believable.simulate import straight
from believable.study.definition import Definition
from believable.study.load import load, problems


def new_study(folder: Path | str, protocol: str) -> Path:
    """Write the study of a protocol into a new or empty folder, without its demonstration stimuli.
    Gives the folder.
    """
    READY_STUDIES[protocol].copy(Path(folder))
    return Path(folder)


def check_study(folder: Path | str) -> list[Problem]:
    """Everything wrong with the study in a folder, warnings included, in the order of its file.
    Media are not looked at.
    """
    return problems(folder, kinds=KINDS, protocols=PROTOCOLS)


def load_study(folder: Path | str) -> Definition:
    """The study in a folder as a checked definition, without media. Raises `StudyError` with all
    problems.
    """
    return load(folder, kinds=KINDS, protocols=PROTOCOLS)


def simulate_study(definition: Definition, participants: int, *, seed: int) -> Bundle:
    """A study whose analysis names a protocol, with simulated people, as a bundle in memory. Same
    seed, same tables.
    """
    return straight.bundle(
        definition, participants, np.random.default_rng(seed), protocols=PROTOCOLS
    )


def analyse(bundle: Bundle, *, protocol: str | None = None) -> Analysis:
    """The analysis that the bundle's study declares; `protocol` names one for a dataset whose study
    declares none.

    Without a registration every result is exploratory; `believable analyse` finds the registered
    plan.
    """
    return run(bundle, protocols=PROTOCOLS, protocol=protocol)
