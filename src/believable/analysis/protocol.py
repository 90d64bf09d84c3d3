"""One protocol's analysis as a record, so that the run, the report and planted-truth runs treat all protocols alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from believable.analysis.data import Data
from believable.analysis.plan import Plan
from believable.analysis.records import Section
from believable.stats.estimate import Estimate
from believable.stats.result import TestResult
from believable.study.declaration import Declaration

#: The main outcomes by name, cheap enough for thousands of simulated studies.
Main: TypeAlias = Mapping[str, Estimate | TestResult]


def untouched(data: Data, plan: Plan) -> Data:
    """Nothing to clean beyond the plan's exclusions."""
    return data


def no_warnings(data: Data, plan: Plan) -> tuple[str, ...]:
    """The design raises no doubts."""
    return ()


@dataclass(frozen=True, slots=True)
class ProtocolAnalysis:
    """`clean` leaves out what the protocol itself calls unusable (outliers, say), with drops and funnel; it runs before the
    others. `analyse` gives the sections of the report, `main` the main outcomes alone. `methods` is the protocol's part of the
    methods paragraph, in full sentences. `warnings` are doubts about the design that a reader has to see first.
    """

    declaration: Declaration
    analyse: Callable[[Data, Plan, np.random.Generator], tuple[Section, ...]]
    main: Callable[[Data, Plan, np.random.Generator], Main]
    methods: Callable[[Data, Plan], str]
    clean: Callable[[Data, Plan], Data] = untouched
    warnings: Callable[[Data, Plan], tuple[str, ...]] = no_warnings

    @property
    def name(self) -> str:
        return self.declaration.name
