"""What is promised, by protocol: intervals that cover a known value, tests that reject nothing too
often.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Literal

from scipy.optimize import brentq

from believable.protocols.clips import TYPES
from believable.protocols.clips import people as clips
from believable.protocols.hntt import people as hntt
from believable.protocols.qa import people as qa
from believable.protocols.replay import planted_truth as replay
from believable.protocols.trace import people as trace

Kind = Literal["coverage", "rejection", "passing"]


@dataclass(frozen=True, slots=True)
class Promise:
    """One main outcome (`key` of the analysis' `main`) in one setting.

    coverage   the 95 % interval contains the true value in 95 % of studies
    rejection  without an effect (or at the margin of an equivalence test) p < .05 in 5 % of studies
    passing    how often an interval contains one half: told, not judged
    discrete   exact, discrete or cautious: may be conservative, never liberal
    """

    setting: str
    key: str
    kind: Kind = "coverage"
    discrete: bool = False
    judged: bool = True

    @property
    def nominal(self) -> float:
        return 0.05 if self.kind == "rejection" else 0.95


@dataclass(frozen=True, slots=True)
class Case:
    """A protocol's settings (name → planted truth) and promises."""

    protocol: str
    participants: int
    settings: Mapping[str, Any]
    promises: tuple[Promise, ...]


PLANTED, NOTHING, MARGIN = "planted", "no effect", "at the margin"
#: No effect on average, which differs between people by that SD (log odds). Rates are then not
#: quite alike on average.
OWN_EFFECTS = {f"no effect on average, SD {sd:g}": sd for sd in (0.2, 0.4, 0.6, 0.8)}


def _at_margin(margin: float = 0.1, pairs: int = 6) -> hntt.HnttTruth:
    """The skill with which accuracy lies exactly at the margin of equivalence."""
    skill = brentq(
        lambda skill: hntt.accuracy(replace(hntt.HnttTruth(), skill=skill), pairs) - 0.5 - margin,
        0,
        3,
    )
    return replace(hntt.HnttTruth(), skill=float(skill))


def _hntt() -> Case:
    return Case(
        "hntt",
        60,
        {PLANTED: hntt.HnttTruth(), NOTHING: hntt.nothing(), MARGIN: _at_margin()},
        (
            Promise(PLANTED, "accuracy"),
            Promise(PLANTED, "median_accuracy", discrete=True),
            Promise(PLANTED, "uncertainty", discrete=True),
            Promise(NOTHING, "accuracy"),
            Promise(NOTHING, "accuracy_test", "rejection"),
            Promise(MARGIN, "equivalence", "rejection"),
            Promise(PLANTED, "median_accuracy_bootstrap", judged=False),
            Promise(NOTHING, "median_accuracy_bootstrap", "passing", judged=False),
            Promise(PLANTED, "median_accuracy_bootstrap", "passing", judged=False),
        ),
    )


def _clips() -> Case:
    kinds = TYPES
    return Case(
        "clips",
        60,
        {PLANTED: clips.ClipsTruth(), NOTHING: clips.nothing()},
        (
            *(Promise(PLANTED, f"believability.{kind}") for kind in kinds),
            *(Promise(PLANTED, f"recall.{kind}") for kind in kinds),
            *(Promise(PLANTED, f"contrast.human-{kind}") for kind in kinds[1:]),
            Promise(PLANTED, "confidence"),
            *(Promise(NOTHING, f"contrast.human-{kind}", "rejection") for kind in kinds[1:]),
        ),
    )


def _replay() -> Case:
    return Case(
        "replay",
        60,
        {
            PLANTED: replay.ReplayTruth(),
            NOTHING: replay.nothing(),
            **{name: replace(replay.nothing(), effect_sd=sd) for name, sd in OWN_EFFECTS.items()},
        },
        (
            Promise(PLANTED, "believability_difference"),
            Promise(PLANTED, "rate_difference"),
            Promise(PLANTED, "odds"),
            Promise(PLANTED, "preference", discrete=True),
            Promise(NOTHING, "believability", "rejection", discrete=True),
            Promise(NOTHING, "rate", "rejection", discrete=True),
            # An effect that may differ, and does not, is given some spread: cautious by a little.
            Promise(NOTHING, "odds", "rejection", discrete=True),
            *(Promise(setting, "odds", "rejection") for setting in OWN_EFFECTS),
            Promise(NOTHING, "preference", "rejection", discrete=True),
        ),
    )


def _qa() -> Case:
    groups = ("trained", "untrained")
    parts = ("visual", "auditory", "task")
    return Case(
        "qa",
        60,
        {PLANTED: qa.QaTruth(), NOTHING: qa.nothing()},
        (
            *(Promise(PLANTED, f"{part}:{group}") for part in parts for group in groups),
            *(Promise(PLANTED, part) for part in parts),
            *(Promise(PLANTED, f"tests_agree:{group}") for group in groups),
            Promise(PLANTED, "gate", discrete=True),
            *(Promise(NOTHING, part, "rejection") for part in parts),
            *(Promise(NOTHING, f"tests_agree:{group}", "rejection") for group in groups),
        ),
    )


def _trace() -> Case:
    measures = ("high", "low", "difference", "mean", "gradient", "condition")
    counted = (
        "high",
        "low",
        "difference",
        "gradient",
    )  # numbers of windows, against a choice among few
    tools = ("ranktrace", "btrace")
    settings: tuple[tuple[str, Kind], ...] = ((PLANTED, "coverage"), (NOTHING, "rejection"))
    return Case(
        "trace",
        90,
        {PLANTED: trace.TraceTruth(), NOTHING: trace.nothing()},
        (
            *(
                Promise(setting, f"{measure}:{tool}", kind, discrete=measure in counted)
                for setting, kind in settings
                for tool in tools
                for measure in measures
            ),
        ),
    )


CASES: Mapping[str, Any] = MappingProxyType(
    {"trace": _trace, "replay": _replay, "clips": _clips, "hntt": _hntt, "qa": _qa}
)


def case_of(protocol: str) -> Case:
    case: Case = CASES[protocol]()
    return case
