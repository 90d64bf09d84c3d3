"""Do traces agree with the final choice? Correlations as tables, and traces as tables to draw."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from believable.analysis.data import OWN_ROUND
from believable.analysis.findings import Cell, Chart, Column, Table, tested_cells, with_reason
from believable.analysis.instrument_comparison import CorrelationRow, correlations
from believable.analysis.layouts import Layouts
from believable.analysis.numbers import counted, in_words, level_words
from believable.analysis.trace_windows import (
    CENTRES,
    EPSILONS,
    Centre,
    Cleaning,
    Windowed,
    tool_title,
)
from believable.protocols.trace.trace_cleaning import CleanedTraces, Pair, differences
from believable.stats.agreement import krippendorff_alpha
from believable.stats.correlations import pearson_with_choice
from believable.stats.inputs import FloatArray
from believable.stats.means import mean_t
from believable.stats.result import TestResult
from believable.traces import btrace_values
from believable.traces.trace_agreement import others_medians, row_sdas

LAYOUTS = Layouts(__file__)

COUNTS = {"high": "H1 − H2", "low": "L1 − L2", "difference": "D1 − D2"}
SLOPES = {"rises": "rises", "falls": "falls", "gradient": "rises − falls"}
_CENTRE_WORDS = {"mean": "the trace's own mean", "neutral": "the neutral value 0.5"}
_HEAD = (
    Column(
        name="epsilon",
        title="ε",
        form="number",
        digits=2,
        about="Uncertainty around the centre: windows this near to it count for neither.",
    ),
    Column(name="tool", title="Tool", about="Annotation tool."),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceAgreement:
    """The correlation of one measure's difference with the choice."""

    tool: str
    centre: Centre
    epsilon: float
    measure: str
    test: TestResult


def agreements(
    pairs: Sequence[Pair], tool: str, *, epsilons: Sequence[float] = EPSILONS, level: float = 0.95
) -> tuple[ChoiceAgreement, ...]:
    """Every measure of one tool with the choice. Steps do not depend on the centre, means on
    neither centre nor ε.
    """
    mine = [pair for pair in pairs if pair.tool == tool]
    choice = [float(pair.choice) for pair in mine]
    rows: list[ChoiceAgreement] = []
    for centre in CENTRES:
        for epsilon in epsilons:
            for measure, values in differences(mine, epsilon, centre).items():
                test = pearson_with_choice(values, choice, level=level)
                rows.append(
                    ChoiceAgreement(
                        tool=tool, centre=centre, epsilon=epsilon, measure=measure, test=test
                    )
                )
    return tuple(rows)


def one_agreement(
    pairs: Sequence[Pair],
    tool: str,
    measure: str,
    epsilon: float,
    centre: Centre,
    *,
    level: float = 0.95,
) -> TestResult:
    """One cell of the table, without computing the others."""
    mine = [pair for pair in pairs if pair.tool == tool]
    values = differences(mine, epsilon, centre)[measure]
    return pearson_with_choice(values, [float(pair.choice) for pair in mine], level=level)


def counts_table(looked_at: Sequence[ChoiceAgreement], centre: Centre, *, note: str = "") -> Table:
    """High, low and difference against the choice: ε by tool, the layout of the published Table
    I.
    """
    rows = _rows(
        [correlation for correlation in looked_at if correlation.centre == centre], tuple(COUNTS)
    )
    title = f"Traces and the final choice, centre: {_CENTRE_WORDS[centre]}"
    said = [
        note,
        _format_unadjusted(len(rows) * len(COUNTS)),
        *((_AT_ZERO,) if any(row.head[0] == 0 for row in rows) else ()),
    ]
    return correlations(
        f"counts_{centre}", title, _HEAD, rows, COUNTS, note=" ".join(filter(None, said))
    )


#: Of the published tables, whose first rows have no band of uncertainty.
_AT_ZERO = (
    "At ε = 0 a window is high or low unless it lies on the centre, so that the three columns are"
    " nearly one correlation (of low windows with the opposite sign)."
)


def _format_unadjusted(number: int) -> str:
    return (
        f"{counted(number, 'correlation')}, not adjusted for their number: they describe, and some"
        " p are small by chance. The declared measure is tested in the text."
    )


def slopes_table(looked_at: Sequence[ChoiceAgreement]) -> Table:
    """Windows that rise and fall by more than ε, against the choice."""
    first = next((correlation.centre for correlation in looked_at), "mean")
    rows = _rows(
        [correlation for correlation in looked_at if correlation.centre == first], tuple(SLOPES)
    )
    return correlations(
        "slopes",
        "Rising and falling windows and the final choice",
        _HEAD,
        rows,
        SLOPES,
        note=(
            "Steps from window to window by more than ε, first round minus second."
            f" {_format_unadjusted(len(rows) * len(SLOPES))}"
        ),
    )


def means_table(looked_at: Sequence[ChoiceAgreement], *, alpha: float = 0.05) -> Table:
    """The difference of means against the choice, per tool, with intervals."""
    firsts: dict[str, TestResult] = {}
    for correlation in looked_at:
        if correlation.measure == "mean":
            firsts.setdefault(correlation.tool, correlation.test)
    return LAYOUTS.table(
        "means",
        ((tool_title(tool), test.n, *tested_cells(test)) for tool, test in firsts.items()),
        level=level_words(1 - alpha),
    )


def by_rule(cleaned: CleanedTraces, rule: str) -> tuple[Pair, ...]:
    """The BTrace pairs that were kept, their windows turned into values by another rule."""

    def again(trace: Windowed) -> Windowed:
        return replace(trace, values=btrace_values(trace.raw, rule=rule))  # type: ignore[arg-type]

    return tuple(
        replace(pair, first=again(pair.first), second=again(pair.second))
        for pair in cleaned.pairs_of("btrace")
    )


def _rows(looked_at: Sequence[ChoiceAgreement], measures: Sequence[str]) -> list[CorrelationRow]:
    """ε outside, tools inside, as published."""
    grouped: dict[tuple[float, str], dict[str, TestResult]] = {}
    for correlation in looked_at:
        if correlation.measure in measures:
            grouped.setdefault((correlation.epsilon, correlation.tool), {})[correlation.measure] = (
                correlation.test
            )
    tools = list(dict.fromkeys(correlation.tool for correlation in looked_at))
    return [
        CorrelationRow((epsilon, tool_title(tool)), grouped[epsilon, tool])
        for epsilon in sorted({correlation.epsilon for correlation in looked_at})
        for tool in tools
    ]


def times_s(windows: int, cleaning: Cleaning) -> list[float]:
    """The middle of each window."""
    return [(index + 0.5) * cleaning.window_ms / 1000 for index in range(windows)]


def all_traces(pairs: Sequence[Pair], cleaning: Cleaning) -> Table:
    """Every window of every kept trace, for those who want to compute further."""
    rows: list[tuple[Cell, ...]] = [
        (pair.session, tool_title(pair.tool), place, trace.annotation.condition, time, float(value))
        for pair in pairs
        for place, trace in ((1, pair.first), (2, pair.second))
        for time, value in zip(times_s(len(trace.values), cleaning), trace.values, strict=True)
    ]
    return LAYOUTS.table("traces", rows)


def examples(
    pairs: Sequence[Pair], cleaning: Cleaning, epsilon: float, count: int
) -> tuple[Table, Chart]:
    """The first participants of each tool: both rounds, with the mean and the band of uncertainty
    around it.
    """
    rows: list[tuple[Cell, ...]] = []
    for tool in dict.fromkeys(pair.tool for pair in pairs):
        for number, pair in enumerate(
            [pair for pair in pairs if pair.tool == tool][:count], start=1
        ):
            for place, trace in ((1, pair.first), (2, pair.second)):
                mean = float(trace.values.mean())
                panel = (
                    f"{tool_title(tool)} {number}, round {place}:"
                    f" {in_words(trace.annotation.condition)}"
                )
                rows += [
                    (panel, time, float(value), mean - epsilon, mean + epsilon)
                    for time, value in zip(
                        times_s(len(trace.values), cleaning), trace.values, strict=True
                    )
                ]
    table = LAYOUTS.table("example_traces", rows)
    chart = LAYOUTS.chart("example_traces", epsilon=epsilon)
    return table, chart


def group_means(pairs: Sequence[Pair], cleaning: Cleaning) -> tuple[Table, Table, Chart]:
    """Per tool and condition: the mean trace, the middle half of the annotators around it, and how
    well they agree.
    """
    groups: dict[tuple[str, str], list[Windowed]] = defaultdict(list)
    for pair in pairs:
        for trace in (pair.first, pair.second):
            groups[pair.tool, trace.annotation.condition].append(trace)
    rows: list[tuple[Cell, ...]] = []
    agreeing = []
    for (tool, condition), traces in sorted(groups.items()):
        windows = _cut([trace.values for trace in traces])
        lows, highs = np.quantile(windows, [0.25, 0.75], axis=0)
        for index, time in enumerate(times_s(windows.shape[1], cleaning)):
            mean = mean_t(windows[:, index])
            rows.append(
                (
                    tool_title(tool),
                    condition,
                    time,
                    mean.value,
                    float(lows[index]),
                    float(highs[index]),
                    mean.low,
                    mean.high,
                    mean.n,
                )
            )
        alpha = krippendorff_alpha(windows.T, "interval") if len(windows) > 1 else None
        others = _left_out_sda(windows)
        lone = "one annotator only"
        coefficient = (
            with_reason(lone, None) if alpha is None else with_reason(alpha.reason, alpha.value)
        )
        agreeing.append(
            (tool_title(tool), condition, len(windows), *coefficient, *with_reason(lone, others))
        )
    means = LAYOUTS.table("mean_traces", rows)
    agreement = LAYOUTS.table(
        "trace_agreement",
        agreeing,
        note=(
            "Each participant played rounds of their own, so that low agreement may come from"
            " different events."
            if _own_rounds(pairs)
            else ""
        ),
    )
    chart = LAYOUTS.chart("mean_traces")
    return means, agreement, chart


def by_epsilon(looked_at: Sequence[ChoiceAgreement]) -> tuple[Table, Chart]:
    """Correlations with the choice over ε, with intervals, for drawing."""
    rows: list[tuple[Cell, ...]] = []
    for correlation in looked_at:
        r = correlation.test.estimate
        if (
            correlation.measure in ("high", "low", "difference")
            and r is not None
            and r.value is not None
        ):
            panel = (
                f"{ {'high': 'H', 'low': 'L', 'difference': 'D'}[correlation.measure] }, centre"
                f" {correlation.centre}"
            )
            rows.append(
                (
                    panel,
                    tool_title(correlation.tool),
                    correlation.epsilon,
                    r.value,
                    r.low,
                    r.high,
                    correlation.test.p_value,
                )
            )
    table = LAYOUTS.table("correlations_by_epsilon", rows)
    chart = LAYOUTS.chart("correlations_by_epsilon")
    return table, chart


def _cut(traces: Sequence[FloatArray]) -> FloatArray:
    length = min(len(trace) for trace in traces)
    return np.stack([trace[:length] for trace in traces])


def _left_out_sda(table: FloatArray) -> float | None:
    """Mean SDA of each trace with the median of the others."""
    if len(table) < 2 or table.shape[1] < 2:
        return None
    return float(np.mean(row_sdas(table, others_medians(table))))


def _own_rounds(pairs: Sequence[Pair]) -> bool:
    """Whether people annotated rounds that they played themselves."""
    return any(pair.first.annotation.stimulus.startswith(OWN_ROUND) for pair in pairs)
