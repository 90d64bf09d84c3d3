"""What every instrument says about the same things, collected from the data."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from believable.analysis import data as analysis_data
from believable.analysis.data import Data
from believable.analysis.measured import (
    answer_measures,
    choices,
    flag_measures,
    instruments_compared,
    things,
    trace_measures,
)
from believable.analysis.plan import Plan, undeclared
from believable.bundle.memory import bundle

RNG = np.random.default_rng(1)


def study(*, traces: bool = True, answers: bool = True) -> tuple[Data, Plan]:
    """Ten people, two recordings each: the better liked one is traced upwards, rated higher and flagged less."""
    rng = np.random.default_rng(8)
    rows: dict[str, list[dict[str, Any]]] = {
        name: [] for name in ("participants", "trials", "answers", "flags", "views", "traces", "actions")
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
                    trial | {"instrument": "gtrace", "media_ms": float(at), "input": "pointer",
                             "value": (0.5 if liked else -0.5) + 0.1 * rng.normal()}
                    for at in range(0, 12_000, 500)
                ]  # fmt: skip
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
                {"session": session, "position": 9, "trial": "choice", "trial_key": "choice", "question": "preference",
                 "kind": "preference", "value_text": ("first", "second")[better]}
            )  # fmt: skip
    rows["actions"] = [
        {"stimulus": f"day{place}", "action": f"a{n}", "from_ms": 3000 * n, "to_ms": 3000 * (n + 1)}
        for place in (0, 1)
        for n in range(4)
    ]
    plan = undeclared("replay", None)
    return analysis_data.load(bundle(rows), plan, None), plan


def test_things_are_numbered_in_each_persons_order() -> None:
    places = things(*study())
    assert places["s3", 3] == ("s3", 1)
    assert places["s3", 5] == ("s3", 2)
    assert len(places) == 20


def test_every_instrument_gives_its_measures() -> None:
    data, plan = study()
    places = things(data, plan)
    assert [one.name for one in trace_measures(data, plan, places)] == [
        "gtrace_mean",
        "gtrace_difference",
        "gtrace_gradient",
    ]
    assert [one.name for one in answer_measures(data, places)] == ["believability"]
    (flags,) = flag_measures(data, places)
    assert flags.values["s0", 1] in (0, 25, 50, 75)
    (choice,) = choices(data)
    assert set(choice.values.values()) <= {1.0, -1.0}


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
