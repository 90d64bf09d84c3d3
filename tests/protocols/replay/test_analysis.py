"""The whole analysis of `replay` on small studies in memory."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from believable.analysis import data as analysis_data
from believable.analysis.data import Data
from believable.analysis.procedure import past
from believable.analysis.resolution import resolve
from believable.analysis.settled_plan import Plan
from believable.bundle.memory import bundle
from believable.protocols.replay.analysis import analyse, judgements, main, methods
from believable.protocols.replay.flag_models import flag_model
from believable.protocols.replay.paired_outcomes import paired_difference, preference
from believable.protocols.replay.watched_days import watched_replays
from believable.study.declaration import DeclaredPlan

ACTIONS = 40
LENGTH_MS = 60_000
RNG = np.random.default_rng(1)


def study(
    *,
    people: int = 30,
    flagged: tuple[float, float] = (0.15, 0.04),
    better: float = 1.0,
    scenarios: int = 2,
    seed: int = 1,
    all_rate: bool = False,
    suits_ours: float = 0.0,
    prefers_ours: float = 0.75,
    about: str = "agent",
) -> tuple[Data, Plan]:
    """Everybody watches both conditions of one scenario to the end; `flagged` are the chances of a
    flag (baseline, ours).

    Every third opens the plan and rates adherence; with `all_rate` the others rate it too.
    `suits_ours` is by how much the first character is rated higher under ours, and the others
    lower. `prefers_ours` is the chance that a person prefers ours.
    """
    rng = np.random.default_rng(seed)
    step = LENGTH_MS / ACTIONS
    rows: dict[str, list[dict[str, Any]]] = {
        name: [] for name in ("participants", "trials", "answers", "flags", "views", "shown")
    }
    for number in range(people):
        session = f"s{number:02}"
        order = ("baseline", "ours") if number % 2 == 0 else ("ours", "baseline")
        leaning = rng.normal()
        rows["participants"].append({"session": session, "order_days": number % 2})
        for position, condition in enumerate(order, start=1):
            scenario = f"day{number % scenarios}"
            stimulus = f"{scenario}_{condition}"
            place = {"session": session, "position": position, "stimulus": stimulus}
            trial = place | {
                "trial": "day",
                "trial_key": f"day-{position}",
                "condition": condition,
                "scenario": scenario,
            }
            rows["trials"].append(trial | {"kind": "watch"})
            rows["views"].append(place | {"from_ms": 0, "to_ms": LENGTH_MS, "rate": 1.0})
            if number % 3 == 0:
                rows["views"].append(
                    place | {"from_ms": 0, "to_ms": 9000, "rate": 1.0, "what": "plan"}
                )
            if number % 3 == 0 or all_rate:
                rows["answers"].append(
                    trial
                    | {
                        "question": "adherence",
                        "kind": "likert",
                        "value_number": float(rng.integers(1, 8)),
                    }
                )
            chance = flagged[condition == "ours"] * np.exp(0.5 * leaning)
            for action in np.flatnonzero(rng.uniform(size=ACTIONS) < chance):
                rows["flags"].append(
                    place | {"action": f"a{action}", "media_ms": float(action * step + 1)}
                )
            suits = suits_ours * (1 if number % scenarios == 0 else -1) * (condition == "ours")
            rating = float(
                np.clip(
                    round(4 + leaning + better * (condition == "ours") + suits + rng.normal()), 1, 7
                )
            )
            rows["answers"].append(
                trial | {"question": "believability", "kind": "likert", "value_number": rating}
            )
            rows["answers"].append(
                trial | {"question": "coherence", "kind": "likert", "value_number": rating}
            )
            rows["shown"].append(
                {
                    "session": session,
                    "position": 5,
                    "trial": "choice",
                    "player": position - 1,
                    "condition": condition,
                    "how": "remembered",
                }
            )
        chosen = order.index("ours" if rng.uniform() < prefers_ours else "baseline")
        rows["answers"].append(
            {
                "session": session,
                "position": 5,
                "trial": "choice",
                "trial_key": "choice",
                "question": "preference",
                "kind": "preference",
                "value_text": ("first", "second")[chosen],
            }
        )
    actions = [
        {
            "stimulus": f"day{n}_{condition}",
            "action": f"a{index}",
            "from_ms": index * step,
            "to_ms": (index + 1) * step,
        }
        for n in range(scenarios)
        for condition in ("baseline", "ours")
        for index in range(ACTIONS)
    ]
    plan = resolve(DeclaredPlan.model_validate({"protocol": "replay", "about": about}), None)
    return analysis_data.load(bundle({**rows, "actions": actions}), plan, None), plan


@pytest.fixture(scope="module")
def small() -> tuple[Data, Plan]:
    return study()


@pytest.mark.parametrize("about", ["agent", "these clips"])
def test_planted_differences_are_found(about: str) -> None:
    outcomes = main(*study(people=80, scenarios=10, about=about), RNG)
    assert set(outcomes) == {
        "believability",
        "believability_difference",
        "rate",
        "rate_difference",
        "odds",
        "preference",
    }
    assert outcomes["believability_difference"].value > 0.3  # type: ignore[union-attr, operator]
    assert outcomes["rate_difference"].high < 0  # type: ignore[union-attr, operator]
    assert outcomes["odds"].high < 1  # type: ignore[union-attr, operator]
    assert outcomes["preference"].p_value < 0.05  # type: ignore[operator]


def test_rates_are_flagged_per_hundred_viewed(small: tuple[Data, Plan]) -> None:
    data, plan = small
    for one in watched_replays(data, plan):
        assert one.judged.a == ACTIONS
        assert one.judged.rate == pytest.approx(100 * one.judged.f / ACTIONS)


def test_preference_follows_what_stood_first(small: tuple[Data, Plan]) -> None:
    data, plan = small
    chosen = judgements(data, plan).chosen
    answers = dict(
        zip(data.answers("preference").session, data.answers("preference").text, strict=True)
    )
    for number, session in enumerate(data.sessions):
        order = ("baseline", "ours") if number % 2 == 0 else ("ours", "baseline")
        assert chosen[session] == order[("first", "second").index(answers[session])]


def test_sections_and_missing_by_design(small: tuple[Data, Plan]) -> None:
    sections = {one.name: one for one in analyse(*small, RNG)}
    assert list(sections) == ["primary", "ratings", "explored"]
    ratings = next(table for table in sections["ratings"].tables if table.name == "ratings")
    rows = {(row[0], row[1]): row for row in ratings.rows}
    assert rows["adherence", "ours"][2:5] == (10, 20, 0)
    assert rows["believability", "ours"][2:5] == (30, 0, 0)
    explored = sections["explored"]
    assert {finding.outcome for finding in explored.findings} == {"order", "overlay"}
    assert explored.status == "exploratory"


def test_adherence_rests_on_recorded_openings_whatever_people_answered() -> None:
    """Everybody rated adherence, and two thirds of the replays were watched with plan and log
    closed.
    """
    section = next(one for one in analyse(*study(all_rate=True), RNG) if one.name == "ratings")
    table = next(table for table in section.tables if table.name == "ratings")
    assert {(row[0], row[1]): row for row in table.rows}["adherence", "ours"][2:5] == (10, 20, 0)
    assert any(
        words.startswith("Left out: 40 ratings of plan adherence") for words in section.paragraphs
    )


def test_few_scenarios_become_a_fixed_effect_and_the_result_says_so(
    small: tuple[Data, Plan],
) -> None:
    section = analyse(*small, RNG)[0]
    model = next(table for table in section.tables if table.name == "flag_model")
    assert "fixed" in model.note
    finding = next(finding for finding in section.findings if finding.outcome == "odds")
    assert "Note: " in finding.sentence


def test_one_scenario_is_left_out_of_the_model() -> None:
    data, plan = study(scenarios=1)
    found = judgements(data, plan)
    model = flag_model(found.seen, "ours", "baseline")
    assert model.model is not None
    assert any("one level" in note or "dropped" in note for note in model.notes)


def test_the_declared_flag_model_judges_and_the_other_stands_beside_it() -> None:
    """The published model takes one person's reaction for everybody's; the default lets the effect
    differ between people.
    """
    data, plan = study(about="these clips")
    options = {"by_participant": "(1 + condition | participant)", "published": "(1 | participant)"}
    odds = {}
    for option, part in options.items():
        declared = replace(
            plan, declared=plan.declared.model_copy(update={"options": {"flag_model": option}})
        )
        section = analyse(data, declared, RNG)[0]
        judging, beside = (
            next(table for table in section.tables if table.name == name)
            for name in ("flag_model", "flag_model_beside")
        )
        assert part in judging.note
        assert part not in beside.note
        odds[option] = main(data, declared, RNG)["odds"]
        finding = next(finding for finding in section.findings if finding.outcome == "odds")
        assert finding.estimate == odds[option]
        assert "differ" in finding.sentence
    assert odds["by_participant"] != odds["published"]
    assert plan.option("flag_model") == "by_participant"


def test_separation_is_a_named_penalised_fit() -> None:
    data, plan = study(flagged=(0.2, 0.0))
    found = judgements(data, plan)
    model = flag_model(found.seen, "ours", "baseline")
    assert model.model is not None
    assert model.model.convergence.separated
    assert "penalised" in model.model.criterion
    assert any("separation" in note for note in model.notes)


def test_no_flags_at_all_is_undefined_with_the_reason() -> None:
    data, plan = study(flagged=(0.0, 0.0), people=12)
    assert main(data, plan, RNG)["odds"].reason == "no viewed action was flagged"
    section = analyse(data, plan, RNG)[0]
    assert "undefined (no viewed action was flagged)" in next(
        finding.sentence for finding in section.findings if finding.outcome == "odds"
    )


def test_the_normality_rule_chooses_the_test() -> None:
    rng = np.random.default_rng(3)
    normal = {f"p{n}": float(value) for n, value in enumerate(rng.normal(size=40))}
    nothing = dict.fromkeys(normal, 0.0)
    assert paired_difference({"a": normal, "b": nothing}, "a", "b").comparison.chosen == "paired_t"
    heavy = {name: value**5 for name, value in normal.items()}
    assert paired_difference({"a": heavy, "b": nothing}, "a", "b").comparison.chosen == "wilcoxon"


def test_only_people_with_both_values_are_paired() -> None:
    found = paired_difference(
        {"a": {"p": 1.0, "q": 2.0, "r": 4.0}, "b": {"p": 0.0, "r": 1.0}}, "a", "b"
    )
    assert found.people == ("p", "r")
    assert found.difference.value == 2


def test_undecided_people_are_not_in_the_share() -> None:
    found = preference({"p": "a", "q": "b", "r": "both", "s": "a"}, "a", "b")
    assert (found.ours, found.baseline, found.undecided) == (2, 1, 1)
    assert found.test.n == 3


def test_charts_draw_columns_that_exist(small: tuple[Data, Plan]) -> None:
    for section in analyse(*small, RNG):
        names = {table.name: {column.name for column in table.columns} for table in section.tables}
        for table in section.tables:
            assert all(len(row) == len(table.columns) for row in table.rows)
            for row, name in table.undefined:
                assert (
                    table.rows[row][[column.name for column in table.columns].index(name)] is None
                )
        for chart in section.charts:
            assert set(chart.use.values()) <= names[chart.table]


def test_undefined_cells_explain_themselves(small: tuple[Data, Plan]) -> None:
    for section in analyse(*small, RNG):
        for table in section.tables:
            if table.data_only:
                continue
            for number, row in enumerate(table.rows):
                for column, cell in zip(table.columns, row, strict=True):
                    assert cell is not None or (number, column.name) in table.undefined, (
                        table.name,
                        column.name,
                    )


def test_methods_say_the_parameters(small: tuple[Data, Plan]) -> None:
    assert "200 ms of wall time" in methods(*small, past)


def one_finding(data: Data, plan: Plan, outcome: str) -> Any:
    sections = analyse(data, plan, RNG)
    return next(
        finding
        for section in sections
        for finding in section.findings
        if finding.outcome == outcome
    )


def test_a_character_that_suits_one_mind_is_no_verdict_about_the_mind() -> None:
    """One of three characters is better under ours, two are worse: a difference over people, and
    none over characters.
    """
    planted = {"people": 90, "scenarios": 3, "better": 0.0, "suits_ours": 2.0}
    about_minds = one_finding(*study(**planted), "believability")  # type: ignore[arg-type]
    about_these = one_finding(*study(**planted, about="these clips"), "believability")  # type: ignore[arg-type]
    assert about_these.test.p_value < 0.05
    assert about_minds.test.p_value > 0.2
    assert about_minds.test.df == (2.0,)
    assert "Its variance is made of characters (" in about_minds.sentence


def test_every_sentence_about_these_characters_says_so() -> None:
    for section in analyse(*study(scenarios=3, about="these clips"), RNG):
        for finding in section.findings:
            assert finding.sentence.startswith(f"For {finding.scope}: "), finding.sentence
            assert finding.scope in ("these three characters", "this one character")


def test_one_character_carries_no_verdict_about_the_minds() -> None:
    finding = one_finding(*study(scenarios=1), "believability")
    assert finding.test.p_value is None
    assert "too few characters for a claim about ours and baseline" in finding.test.reason
    assert (
        "with `about: these clips` a claim about this one character is possible"
        in finding.test.reason
    )


def test_the_difference_over_people_and_characters_agrees_with_a_t_test_of_characters() -> None:
    """With so many people for each character, all alike, only characters vary: a t test of their
    mean differences.
    """
    data, plan = study(people=60, scenarios=6)
    found = judgements(data, plan)
    differences: dict[str, list[float]] = {}
    ratings = found.values["believability"]
    for ours in (day for day in found.seen if day.condition == "ours"):
        other = next(
            day for day in found.seen if day.session == ours.session and day.condition == "baseline"
        )
        difference = ratings[ours.session, ours.position] - ratings[other.session, other.position]
        differences.setdefault(ours.scenario, []).append(difference)
    test = main(data, plan, RNG)["believability"]
    expected = stats.ttest_1samp([np.mean(values) for values in differences.values()], 0)
    over_people = stats.ttest_1samp(
        [value for values in differences.values() for value in values], 0
    )
    slower = min(abs(expected.statistic), abs(over_people.statistic))
    assert abs(test.statistic) == pytest.approx(slower)  # type: ignore[union-attr, arg-type]
    assert test.df == (5.0,)  # type: ignore[union-attr]


@pytest.mark.parametrize("is_better", [True, False])
def test_verdicts_name_the_mind_that_does_better(is_better: bool) -> None:
    """The words of a difference follow its sign, for ratings, flags and preferences."""
    mine, other = ("ours", "baseline") if is_better else ("baseline", "ours")
    better, flagged = (1.5, (0.2, 0.04)) if is_better else (-1.5, (0.04, 0.2))
    data, plan = study(
        people=60,
        scenarios=6,
        better=better,
        flagged=flagged,
        prefers_ours=0.85 if is_better else 0.15,
    )
    found = {
        finding.outcome: finding
        for section in analyse(data, plan, RNG)
        for finding in section.findings
    }
    words = {
        name: finding.direction.meaning(finding.estimate)
        for name, finding in found.items()
        if finding.direction
    }
    assert words["believability"] == f"{mine} is rated higher than {other}"
    assert words["rate"] == words["odds"] == f"{other} is flagged more often than {mine}"
    assert words["preference"] == f"{mine} is preferred to {other}"
