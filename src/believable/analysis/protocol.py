"""One protocol's analysis as a record, so that the run, the report and planted-truth runs treat all
protocols alike.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np

from believable.analysis.data import Data
from believable.analysis.findings import Section, Table
from believable.analysis.procedure import Verb
from believable.analysis.settled_plan import Plan
from believable.contracts.protocol import Declaration
from believable.core.citation import Citation
from believable.stats.estimate import Estimate
from believable.stats.result import TestResult
from believable.study.records import Study

#: The main outcomes by name, cheap enough for thousands of simulated studies.
Main: TypeAlias = Mapping[str, Estimate | TestResult]


def keep_all(data: Data, plan: Plan) -> Data:
    """Nothing to clean beyond the plan's exclusions."""
    return data


def no_warnings(data: Data, plan: Plan) -> tuple[str, ...]:
    """The design raises no doubts."""
    return ()


def nothing_to_plan(
    plan: Plan, study: Study, sizes: Sequence[int], rng: np.random.Generator
) -> Table | None:
    """No published criterion whose weakness a planner has to know."""
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProtocolAnalysis:
    """`clean` leaves out data that the protocol defines as unusable (outliers, say), with drops and
    funnel; it runs before the others. `analyse` gives the sections of the report, `main` the main
    outcomes alone. `methods` is the protocol's part of the methods, in full sentences, with verbs
    by `procedure.past` or `procedure.future`. `warnings` are doubts about the design that a reader
    has to see first. `planned` returns, for planning, the results that a published criterion can
    show with this number of participants.
    """

    declaration: Declaration
    analyse: Callable[[Data, Plan, np.random.Generator], tuple[Section, ...]]
    main: Callable[[Data, Plan, np.random.Generator], Main]
    methods: Callable[[Data, Plan, Verb], str]
    clean: Callable[[Data, Plan], Data] = keep_all
    warnings: Callable[[Data, Plan], tuple[str, ...]] = no_warnings
    planned: Callable[[Plan, Study, Sequence[int], np.random.Generator], Table | None] = (
        nothing_to_plan
    )

    @property
    def name(self) -> str:
        return self.declaration.name


class AnalysedProtocol(Protocol):
    """What analyses need to know of a protocol; see `believable.contracts.protocol`. Protocols are
    handed in.
    """

    @property
    def name(self) -> str: ...
    @property
    def analysis(self) -> ProtocolAnalysis: ...
    @property
    def cites(self) -> Sequence[Citation]: ...
