"""Do traces agree with the final choice? Correlations for every tool, uncertainty and centre, as tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from believable.analysis.instruments import Row, correlations
from believable.analysis.records import Cell, Column, Table
from believable.analysis.trace.clean import TOOL_NAMES, Cleaned, Pair, Tool, Windowed
from believable.analysis.trace.measures import CENTRES, EPSILONS, Centre, differences
from believable.stats.correlations import pearson_with_choice
from believable.stats.result import TestResult
from believable.traces import btrace_values

COUNTS = {"high": "H1 − H2", "low": "L1 − L2", "difference": "D1 − D2"}
SLOPES = {"rises": "rises", "falls": "falls", "gradient": "rises − falls"}
_CENTRE_WORDS = {"mean": "the trace's own mean", "neutral": "the neutral value 0.5"}
_HEAD = (
    Column(
        "epsilon",
        "ε",
        "number",
        2,
        "Uncertainty around the centre: windows this near to it count for neither.",
    ),
    Column("tool", "Tool", about="Annotation tool."),
)


@dataclass(frozen=True, slots=True)
class Agreement:
    """The correlation of one measure's difference with the choice."""

    tool: Tool
    centre: Centre
    epsilon: float
    measure: str
    test: TestResult


def agreements(
    pairs: Sequence[Pair],
    tool: Tool,
    *,
    epsilons: Sequence[float] = EPSILONS,
    centres: Sequence[Centre] = CENTRES,
    level: float = 0.95,
) -> tuple[Agreement, ...]:
    """Every measure of one tool with the choice. Steps do not depend on the centre, means on neither centre nor ε."""
    mine = [pair for pair in pairs if pair.tool == tool]
    choice = [float(pair.choice) for pair in mine]
    found: list[Agreement] = []
    for centre in centres:
        for epsilon in epsilons:
            for measure, values in differences(mine, epsilon, centre).items():
                test = pearson_with_choice(values, choice, level=level)
                found.append(Agreement(tool, centre, epsilon, measure, test))
    return tuple(found)


def one_agreement(
    pairs: Sequence[Pair], tool: Tool, measure: str, epsilon: float, centre: Centre, *, level: float = 0.95
) -> TestResult:
    """One cell of the table, without computing the others."""
    mine = [pair for pair in pairs if pair.tool == tool]
    values = differences(mine, epsilon, centre)[measure]
    return pearson_with_choice(values, [float(pair.choice) for pair in mine], level=level)


def counts_table(found: Sequence[Agreement], centre: Centre, *, alpha: float = 0.05, note: str = "") -> Table:
    """High, low and difference against the choice: ε by tool, the layout of the published Table I."""
    rows = _rows([one for one in found if one.centre == centre], tuple(COUNTS))
    title = f"Traces and the final choice, centre: {_CENTRE_WORDS[centre]}"
    return correlations(f"counts_{centre}", title, _HEAD, rows, COUNTS, alpha=alpha, note=note)


def slopes_table(found: Sequence[Agreement], *, alpha: float = 0.05) -> Table:
    """Windows that rise and fall by more than ε, against the choice."""
    first = next((one.centre for one in found), "mean")
    rows = _rows([one for one in found if one.centre == first], tuple(SLOPES))
    return correlations(
        "slopes",
        "Rising and falling windows and the final choice",
        _HEAD,
        rows,
        SLOPES,
        alpha=alpha,
        note="Steps from window to window by more than ε, first round minus second.",
    )


def means_table(found: Sequence[Agreement], *, alpha: float = 0.05) -> Table:
    """The difference of means against the choice, per tool, with intervals."""
    firsts: dict[Tool, TestResult] = {}
    for one in found:
        if one.measure == "mean":
            firsts.setdefault(one.tool, one.test)
    rows: list[tuple[Cell, ...]] = []
    undefined: dict[tuple[int, str], str] = {}
    for number, (tool, test) in enumerate(firsts.items()):
        r = test.estimate
        cells = (None, None, None) if r is None else (r.value, r.low, r.high)
        rows.append((TOOL_NAMES[tool], test.n, *cells, test.p_value))
        reason = test.reason or (r.reason if r is not None else None) or "undefined"
        for name, cell in zip(("r", "ci_low", "ci_high", "p_value"), (*cells, test.p_value), strict=True):
            if cell is None:
                undefined[number, name] = reason
    return Table(
        "means",
        "Mean of the trace and the final choice",
        (
            Column("tool", "Tool"),
            Column("n", "n", "integer", about="Participants."),
            Column(
                "r", "r of μ1 − μ2", "number", 3, "Pearson's r of the difference of means with the choice."
            ),
            Column("ci_low", "low", "number", 3, "Lower bound of the interval of r."),
            Column("ci_high", "high", "number", 3, "Upper bound of the interval of r."),
            Column("p_value", "p", "p", about="Two-sided p."),
        ),
        tuple(rows),
        f"Intervals at {100 * (1 - alpha):g} %: jackknife on the Fisher z scale. Marked: p < {alpha:g}.",
        undefined=undefined,
        marked=frozenset(
            (number, "r") for number, test in enumerate(firsts.values()) if test.significant(alpha)
        ),
    )


def by_rule(cleaned: Cleaned, rule: str) -> tuple[Pair, ...]:
    """The BTrace pairs that were kept, their windows turned into values by another rule."""

    def again(trace: Windowed) -> Windowed:
        return replace(trace, values=btrace_values(trace.raw, rule=rule))  # type: ignore[arg-type]

    return tuple(
        replace(pair, first=again(pair.first), second=again(pair.second))
        for pair in cleaned.pairs_of("btrace")
    )


def _rows(found: Sequence[Agreement], measures: Sequence[str]) -> list[Row]:
    """ε outside, tools inside, as published."""
    grouped: dict[tuple[float, Tool], dict[str, TestResult]] = {}
    for one in found:
        if one.measure in measures:
            grouped.setdefault((one.epsilon, one.tool), {})[one.measure] = one.test
    tools = list(dict.fromkeys(one.tool for one in found))
    return [
        Row((epsilon, TOOL_NAMES[tool]), grouped[epsilon, tool])
        for epsilon in sorted({one.epsilon for one in found})
        for tool in tools
    ]
