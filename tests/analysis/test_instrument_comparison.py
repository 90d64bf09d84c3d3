"""What every instrument says about the same things, collected from the data."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from believable.analysis import data as analysis_data
from believable.analysis.data import Data
from believable.analysis.findings import Column
from believable.analysis.instrument_comparison import (
    Choice,
    CorrelationRow,
    Measure,
    answer_measures,
    choices,
    compare,
    correlations,
    flag_measures,
    instruments_compared,
    table,
    things,
    trace_measures,
)
from believable.analysis.resolution import default_plan
from believable.analysis.settled_plan import Plan
from believable.bundle.memory import bundle
from believable.contracts.registries import INSTRUMENTS
from believable.core.errors import InvalidInput
from believable.stats.correlations import within_correlation

RNG = np.random.default_rng(1)


def study(*, traces: bool = True, answers: bool = True) -> tuple[Data, Plan]:
    """Ten people, two recordings each: the better liked one is traced upwards, rated higher and
    flagged less.
    """
    rng = np.random.default_rng(8)
    rows: dict[str, list[dict[str, Any]]] = {
        name: []
        for name in ("participants", "trials", "answers", "flags", "views", "traces", "actions")
    }
    for number in range(10):
        session, better = f"s{number}", int(rng.integers(2))
        rows["participants"].append({"session": session})
        for place in (0, 1):
            liked = place == better
            page = {"session": session, "position": 3 + 2 * place, "stimulus": f"day{place}"}
            trial = page | {
                "trial": "day",
                "trial_key": f"day{place}",
                "condition": ("ours", "baseline")[place],
            }
            rows["trials"].append(trial | {"kind": "watch"})
            rows["views"].append(page | {"from_ms": 0, "to_ms": 12_000, "rate": 1.0})
            if traces:
                rows["traces"] += [
                    trial
                    | {
                        "instrument": "gtrace",
                        "media_ms": float(at),
                        "input": "pointer",
                        "value": (0.5 if liked else -0.5) + 0.1 * rng.normal(),
                    }
                    for at in range(0, 12_000, 500)
                ]
            if answers:
                rows["answers"].append(
                    trial
                    | {
                        "question": "believability",
                        "kind": "likert",
                        "value_number": 4.0 + 2 * liked + rng.integers(2),
                    }
                )
                rows["flags"] += [
                    page | {"media_ms": 1.0, "action": f"a{n}"}
                    for n in range(int(rng.integers(2) + 2 * (not liked)))
                ]
        if answers:
            rows["answers"].append(
                {
                    "session": session,
                    "position": 9,
                    "trial": "choice",
                    "trial_key": "choice",
                    "question": "preference",
                    "kind": "preference",
                    "value_text": ("first", "second")[better],
                }
            )
    rows["actions"] = [
        {"stimulus": f"day{place}", "action": f"a{n}", "from_ms": 3000 * n, "to_ms": 3000 * (n + 1)}
        for place in (0, 1)
        for n in range(4)
    ]
    plan = default_plan("replay", None)
    return analysis_data.load(bundle(rows), plan, None), plan


def test_things_are_numbered_in_each_persons_order() -> None:
    places = things(*study())
    assert places["s3", 3] == ("s3", 1)
    assert places["s3", 5] == ("s3", 2)
    assert len(places) == 20


def test_every_instrument_gives_its_measures() -> None:
    data, plan = study()
    places = things(data, plan)
    assert [measure.name for measure in trace_measures(data.traces(), places)] == [
        "gtrace_mean",
        "gtrace_difference",
        "gtrace_gradient",
    ]
    assert [measure.name for measure in answer_measures(data, places)] == ["believability"]
    (flags,) = flag_measures(data, places)
    assert flags.values["s0", 1] in (0, 25, 50, 75)
    (choice,) = choices(data)
    assert set(choice.values.values()) <= {1.0, -1.0}


def test_a_trace_of_a_package_is_compared_on_its_own_scale() -> None:
    """The same curves on a dial from 0 to 10, which stands at 5 where a slider stands at 0."""
    data, plan = study()
    lines, places = data.traces(), things(data, plan)
    dialled = [replace(line, instrument="dial", value=line.value * 5 + 5) for line in lines]
    dial = replace(
        INSTRUMENTS["gtrace"], name="dial", title="Dial", bounds=lambda params: (0.0, 10.0)
    )
    with INSTRUMENTS.including(dial):
        measures = trace_measures(dialled, places)
    assert [measure.name for measure in measures] == [
        *("dial_mean", "dial_difference", "dial_gradient")
    ]
    assert measures[0].title.startswith("Dial ")
    for measure, slider in zip(measures, trace_measures(lines, places), strict=True):
        assert measure.values == pytest.approx(slider.values)


def test_they_go_together_as_planted() -> None:
    (section,) = instruments_compared(*study(), RNG)
    (table,) = section.tables
    names = [column.name for column in table.columns]
    rows = {str(row[0]): dict(zip(names, row, strict=True)) for row in table.rows}
    assert rows["GTrace trace: mean"]["preference_r"] == pytest.approx(1, abs=0.1)
    assert rows["GTrace trace: mean"]["believability_r"] > 0.7  # type: ignore[operator]
    assert rows["flags: per 100 viewed actions"]["preference_r"] < -0.5  # type: ignore[operator]
    assert section.status == "exploratory"


def test_one_instrument_alone_has_nothing_to_be_compared_with() -> None:
    assert instruments_compared(*study(answers=False), RNG) == ()


RNG = np.random.default_rng(6)
PEOPLE = [f"p{n}" for n in range(20)]
FIRST, SECOND = RNG.normal(size=20), RNG.normal(size=20)
TRACE = Measure(
    "trace",
    "trace: mean",
    {(p, 1): float(v) for p, v in zip(PEOPLE, FIRST, strict=True)}
    | {(p, 2): float(v) for p, v in zip(PEOPLE, SECOND, strict=True)},
)
LIKING = Measure(
    "liking", "likert: liking", {thing: round(value) + 4.0 for thing, value in TRACE.values.items()}
)
CHOSEN = Choice(
    "choice",
    "choice",
    {p: float(np.sign(a - b)) for p, a, b in zip(PEOPLE, FIRST, SECOND, strict=True)},
)


def test_with_a_choice_it_is_the_correlation_of_first_minus_second() -> None:
    found = compare(TRACE, CHOSEN)
    expected = stats.pearsonr(FIRST - SECOND, np.sign(FIRST - SECOND))
    assert found.estimate is not None
    assert found.estimate.value == pytest.approx(expected.statistic)
    assert found.p_value == pytest.approx(expected.pvalue, rel=0.2)
    assert found.n == 20


def test_two_things_each_are_compared_by_differences() -> None:
    found = compare(TRACE, LIKING)
    liking = np.array([LIKING.values[p, 1] - LIKING.values[p, 2] for p in PEOPLE])
    assert found.estimate is not None
    assert found.estimate.value == pytest.approx(stats.pearsonr(FIRST - SECOND, liking).statistic)


def test_more_things_are_compared_within_people() -> None:
    things = [(p, place) for p in PEOPLE[:6] for place in (1, 2, 3)]
    a = Measure(
        "a",
        "a",
        {thing: float(value) for thing, value in zip(things, RNG.normal(size=18), strict=True)},
    )
    b = Measure("b", "b", {thing: value + RNG.normal() for thing, value in a.values.items()})
    found = compare(a, b)
    expected = within_correlation(
        [a.values[t] for t in things], [b.values[t] for t in things], [p for p, _ in things]
    )
    assert found.statistic == pytest.approx(expected.statistic)


def test_people_who_lack_one_are_left_out() -> None:
    fewer = Measure(
        "trace", "trace", {thing: v for thing, v in TRACE.values.items() if thing != ("p3", 2)}
    )
    assert compare(fewer, CHOSEN).n == 19
    assert compare(fewer, LIKING).n == 19


def test_the_table_has_r_and_p_for_every_pair_and_marks_none_of_so_many() -> None:
    made = table("t", "T", [TRACE, LIKING], [TRACE, LIKING, CHOSEN])
    assert [column.name for column in made.columns] == [
        "measure",
        "n",
        "trace_r",
        "trace_p",
        "liking_r",
        "liking_p",
        "choice_r",
        "choice_p",
    ]
    assert made.rows[0][2] is None
    assert made.undefined[0, "trace_r"] == "a measure with itself"
    assert isinstance(made.rows[0][5], float)
    assert made.rows[0][5] < 0.05
    assert not made.marked


def test_a_row_without_all_tests_is_refused() -> None:
    with pytest.raises(InvalidInput, match="expected tests for a, b, got a"):
        correlations(
            "t",
            "T",
            [Column(name="x", title="x")],
            [CorrelationRow(("r",), {"a": compare(TRACE, CHOSEN)})],
            {"a": "A", "b": "B"},
        )
