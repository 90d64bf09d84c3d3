"""The outcomes of `trace`: choices correlated with windows of the traces, per instrument."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from believable.analysis.data import Data
from believable.analysis.settled_plan import Plan
from believable.analysis.trace_windows import Centre, trace_tools
from believable.protocols.trace.trace_cleaning import Pair
from believable.protocols.trace.trace_figures import one_agreement
from believable.stats.correlations import correlations_compared
from believable.stats.location import paired_t
from believable.stats.result import TestResult

CORRELATED = ("high", "low", "difference", "mean", "gradient")


#: Levels of the arm `choice_time`, as published first.
TIMES = ("last", "first")


def tools_in(pairs: Sequence[Pair]) -> tuple[str, ...]:
    present = {pair.tool for pair in pairs}
    return tuple(tool for tool in trace_tools() if tool in present)


def outcome_tests(pairs: Sequence[Pair], tool: str, plan: Plan) -> dict[str, TestResult]:
    epsilon = float(plan.option("epsilon"))
    centre: Centre = "neutral" if plan.option("centre") == "neutral" else "mean"
    tests = {
        outcome: one_agreement(pairs, tool, outcome, epsilon, centre, level=plan.level)
        for outcome in CORRELATED
    }
    between = _between_conditions([pair for pair in pairs if pair.tool == tool], plan)
    return tests if between is None else tests | {"condition": between}


def named_conditions(pairs: Sequence[Pair]) -> list[str]:
    return sorted(
        {trace.annotation.condition for pair in pairs for trace in (pair.first, pair.second)} - {""}
    )


def _between_conditions(pairs: Sequence[Pair], plan: Plan) -> TestResult | None:
    """The paired difference of means between two conditions; None if there are fewer."""
    named = named_conditions(pairs)
    if len(named) != 2:
        return None
    rows = [
        {
            trace.annotation.condition: float(trace.values.mean())
            for trace in (pair.first, pair.second)
        }
        for pair in pairs
    ]
    both = [row for row in rows if set(row) == set(named)]
    return paired_t(
        [row[named[0]] for row in both], [row[named[1]] for row in both], level=plan.level
    )


def choice_times(data: Data, plan: Plan) -> dict[str, str]:
    """When each session chose, where the study has an arm for it."""
    arm = plan.role("choice_time")
    if arm is None:
        return {}
    return {
        session: str(level)
        for session, level in zip(data.sessions, data.arm(arm), strict=True)
        if level
    }


def by_time(
    pairs: Sequence[Pair], times: Mapping[str, str], tool: str, plan: Plan
) -> tuple[dict[str, TestResult], TestResult | None]:
    """The agreement of traces and choice at each time of the choice, and the test between two of
    them.
    """
    levels = sorted(
        {times[pair.session] for pair in pairs if pair.session in times}, key=TIMES.index
    )
    own = {
        level: outcome_tests(
            [pair for pair in pairs if times.get(pair.session) == level], tool, plan
        )[declared_measure(plan)]
        for level in levels
    }
    return own, correlations_compared(*own.values(), level=plan.level) if len(own) == 2 else None


def declared_measure(plan: Plan) -> str:
    return next((name for name in plan.declared.outcomes.primary if name in CORRELATED), "high")
