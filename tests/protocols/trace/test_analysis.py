"""The whole analysis of `trace` on a small study in memory."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest

from believable.analysis import data as analysis_data
from believable.analysis.data import Data
from believable.analysis.procedure import past
from believable.analysis.resolution import default_plan
from believable.analysis.settled_plan import Plan
from believable.bundle.memory import bundle
from believable.protocols.trace.analysis import analyse, clean, main, methods, pairs_of
from believable.protocols.trace.trace_cleaning import INACTIVE, NO_CHOICE, NOT_TWO
from believable.protocols.trace.trace_figures import one_agreement
from believable.stats.correlations import correlations_compared

CONDITIONS = ("calm", "frustrated")


def study(
    make: Any, *, people: int = 24, pull: float = 0.35, seed: int = 1, early: bool = False
) -> tuple[Data, Plan]:
    """Half of the people with each tool. Whoever likes the first round better marks it up and
    chooses it. `early`: half of them chose before they annotated, and chose the second round
    whatever they liked.
    """
    rng = np.random.default_rng(seed)
    participants, trials, traces, answers = [], [], [], []
    for number in range(people):
        session = f"s{number:02}"
        tool = ("ranktrace", "btrace")[number % 2]
        liking = (1, -1)[int(rng.integers(2))]
        before = early and number % 4 < 2
        time = {"arm_choice": "first" if before else "last"} if early else {}
        participants.append({"session": session, "arm_tool": tool, **time})
        for place in (1, 2):
            drift = pull * liking if place == 1 else -pull * liking
            made = getattr(make, tool)(session, place, rng, drift=drift)
            row = {
                "session": session,
                "position": place,
                "trial": "annotate",
                "trial_key": f"annotate-{place}",
            }
            row |= {
                "condition": CONDITIONS[(number + place) % 2],
                "stimulus": f"round-{session}-{place}",
            }
            trials.append(row | {"kind": "watch"})
            traces += [
                row
                | {"instrument": tool, "media_ms": float(t), "value": float(v), "input": "wheel"}
                for t, v in zip(made.media_ms, made.value, strict=True)
            ]
        chosen = {1: "first", -1: "second"}[liking] if rng.uniform() < 0.8 else "both"
        if before:
            chosen = "second" if rng.uniform() < 0.85 else "first"
        answers.append(
            {
                "session": session,
                "position": 9,
                "trial": "choice",
                "question": "preference",
                "kind": "preference",
                "value_text": chosen,
            }
        )
        answers.append(
            {
                "session": session,
                "position": 9,
                "trial": "exit",
                "question": "age",
                "kind": "number",
                "value_number": 20.0 + number,
            }
        )
    made_bundle = bundle(
        {"participants": participants, "trials": trials, "traces": traces, "answers": answers}
    )
    plan = default_plan("trace", None)
    return analysis_data.load(made_bundle, plan, None), plan


@pytest.fixture(scope="module")
def found(make: Any) -> Any:
    data, plan = study(make)
    cleaned = clean(data, plan)
    return (
        cleaned,
        plan,
        {one.name: one for one in analyse(cleaned, plan, np.random.default_rng(1))},
    )


def table(sections: Any, name: str) -> Any:
    return next(one for section in sections.values() for one in section.tables if one.name == name)


def test_cleaning_is_on_record(make: Any) -> None:
    data, plan = study(make)
    cleaned = clean(data, plan)
    assert len(cleaned) == len(pairs_of(cleaned, plan)) <= 24
    assert cleaned.funnel[-1].after == len(cleaned)
    dropped = [drop for drop in cleaned.drops if drop.level == "session"]
    assert len(dropped) == 24 - len(cleaned)


def test_an_untouched_trace_and_a_missing_choice_are_dropped_with_reasons(make: Any) -> None:
    data, plan = study(make)
    keep = [
        row
        for row in data.bundle["traces"].rows()
        if (row["session"], row["position"]) != ("s00", 2)
    ]
    answers = [
        row
        for row in data.bundle["answers"].rows()
        if (row["session"], row["question"]) != ("s01", "preference")
    ]
    tables = {name: list(data.bundle[name].rows()) for name in ("participants", "trials")}
    again = analysis_data.load(bundle({**tables, "traces": keep, "answers": answers}), plan, None)
    reasons = {(drop.session, drop.reason) for drop in clean(again, plan).drops}
    assert ("s00", INACTIVE) in reasons
    assert ("s00", NOT_TWO) in reasons
    assert ("s01", NO_CHOICE) in reasons or ("s01", NOT_TWO) in reasons


def test_planted_agreement_is_found(found: Any) -> None:
    data, plan, _ = found
    outcomes = main(data, plan, np.random.default_rng(1))
    assert set(outcomes) == {
        f"{name}:{tool}"
        for name in ("high", "low", "difference", "mean", "gradient", "condition")
        for tool in ("ranktrace", "btrace")
    }
    mean = outcomes["mean:btrace"]
    assert mean.p_value is not None
    assert mean.p_value < 0.01
    assert mean.estimate is not None
    assert mean.estimate.value is not None
    assert mean.estimate.value > 0.5


def test_table_one_has_the_published_layout(found: Any) -> None:
    _, _, sections = found
    for centre in ("mean", "neutral"):
        counts = table(sections, f"counts_{centre}")
        assert [column.name for column in counts.columns] == [
            "epsilon",
            "tool",
            "n",
            "high_r",
            "high_p",
            "low_r",
            "low_p",
            "difference_r",
            "difference_p",
        ]
        assert [row[:2] for row in counts.rows] == [
            (epsilon, tool)
            for epsilon in (0.0, 0.05, 0.10, 0.15, 0.20, 0.25)
            for tool in ("RankTrace", "BTrace")
        ]
        assert not counts.marked
        assert "36 correlations, not adjusted for their number" in counts.note
        assert "At ε = 0" in counts.note


def test_with_signs_the_neutral_centre_makes_every_uncertainty_alike(found: Any) -> None:
    """Windows are 0, .5 or 1, so that no uncertainty up to .25 changes what is high and low, as
    published.
    """
    _, _, sections = found
    rows = [row[3:] for row in table(sections, "counts_neutral").rows if row[1] == "BTrace"]
    assert all(row == rows[0] for row in rows)


def test_findings_say_what_they_are_about(found: Any) -> None:
    _, _, sections = found
    findings = sections["choice"].findings
    assert {(finding.outcome, finding.about) for finding in findings} >= {
        ("mean", "btrace"),
        ("difference", "ranktrace"),
    }
    assert all(finding.sentence.endswith(".") for finding in findings)
    assert "have a correlation of r = " in next(
        finding.sentence for finding in findings if finding.outcome == "mean"
    )
    assert not any("correlates" in finding.sentence for finding in findings)


def test_tools_are_compared_by_one_test_of_their_own_correlations(found: Any) -> None:
    """Not by counting cells below .05; the two r of the sentence are those whose difference is
    tested.
    """
    _, _, sections = found
    comparisons = [one for one in sections["tools"].findings if one.outcome == "tools"]
    assert comparisons
    for one in comparisons:
        assert one.test is not None
        first, second = (
            float(value)
            for value in re.findall(r"r = (-?\d?\.\d+)", one.sentence.replace("−", "-"))[:2]
        )
        assert one.estimate.value == pytest.approx(
            math.atanh(first) - math.atanh(second), abs=0.005
        )
        assert (one.test.p_value < 0.05) == (not one.estimate.low <= 0 <= one.estimate.high), (
            "test and interval agree"
        )


def test_charts_draw_columns_that_exist(found: Any) -> None:
    _, _, sections = found
    for section in sections.values():
        names = {one.name: {column.name for column in one.columns} for one in section.tables}
        for chart in section.charts:
            assert set(chart.use.values()) <= names[chart.table]


def test_example_bands_are_the_mean_plus_and_minus_epsilon(found: Any) -> None:
    _, _, sections = found
    shown = table(sections, "example_traces")
    panel = str(shown.rows[0][0])
    assert re.fullmatch(r"RankTrace 1, round 1: (calm|frustrated)", panel), (
        "a trace is shown with its condition"
    )
    first = [row for row in shown.rows if row[0] == panel]
    mean = np.mean([row[2] for row in first])
    assert first[0][3] == pytest.approx(mean - 0.1)
    assert first[0][4] == pytest.approx(mean + 0.1)


def test_methods_name_the_rule(found: Any) -> None:
    data, plan, _ = found
    assert "the sign of the mean" in methods(data, plan, past)


def test_nobody_left_still_gives_sections(make: Any) -> None:
    data, plan = study(make, people=1)
    cleaned = clean(data, plan)
    sections = analyse(cleaned, plan, np.random.default_rng(1))
    assert sections[0].name == "choice"
    assert main(cleaned, plan, np.random.default_rng(1)) is not None


def test_who_chose_before_annotating_is_compared_with_who_chose_after(make: Any) -> None:
    """The one test between two independent correlations, last minus first; who chose first took the
    second round.
    """
    data, plan = study(make, people=80, early=True)
    cleaned = clean(data, plan)
    outcomes = main(cleaned, plan, np.random.default_rng(1))
    pairs = pairs_of(cleaned, plan)
    times = dict(zip(cleaned.sessions, cleaned.arm("choice"), strict=True))
    for tool in ("ranktrace", "btrace"):
        test = outcomes[f"choice_time:{tool}"]
        own = {
            level: one_agreement(
                [pair for pair in pairs if times[pair.session] == level],
                tool,
                "high",
                0.0,
                "mean",
                level=0.95,
            )
            for level in ("last", "first")
        }
        assert test == correlations_compared(own["last"], own["first"], level=0.95)
        assert test.p_value is not None
    sections = {
        section.name: section for section in analyse(cleaned, plan, np.random.default_rng(1))
    }
    rows = table(sections, "choice_time").rows
    assert [row[1] for row in rows] == ["after annotating", "before annotating"] * 2
    assert sum(int(str(row[2])) for row in rows) == len(pairs)
    for row in rows[1::2]:
        assert int(str(row[5])) > 0.5 * int(str(row[4])), "recency is seen where it was planted"


def test_without_such_an_arm_nothing_is_said_about_it(found: Any) -> None:
    data, plan, sections = found
    assert "choice_time" not in sections
    assert not any(
        name.startswith("choice_time") for name in main(data, plan, np.random.default_rng(1))
    )
